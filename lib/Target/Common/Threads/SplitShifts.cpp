// The pass threads-split-shifts: shifts that keep their meaning in 32 bits.
#include "tw/Target/Common/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace tw {
#define GEN_PASS_DEF_THREADSSPLITSHIFTSPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

/// The most that 32 bits are shifted by.
constexpr uint64_t kMost = 31;

/// Shifts by amounts that add up, each at most kMost, of which two make 62 and a third is for 63.
template <typename Op> void split(Op op) {
  Type type = op.getType();
  if (!type.isInteger(64))
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto constant = [&](uint64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(int64_t(value)));
  };
  APInt known;
  bool isKnown = matchPattern(op.getRhs(), m_ConstantInt(&known));
  if (isKnown && (known.ule(kMost) || known.uge(64)))
    return;
  Value result = op.getLhs(), left = op.getRhs();
  for (uint64_t most = 63; most > 0; most -= std::min(most, kMost)) {
    Value amount = left;
    if (isKnown) {
      uint64_t here = std::min(known.getZExtValue(), kMost);
      known -= here;
      if (here == 0)
        break;
      amount = constant(here);
    } else if (most > kMost) {
      amount = arith::MinUIOp::create(builder, loc, left, constant(kMost));
      left = arith::SubIOp::create(builder, loc, left, amount);
    }
    result = Op::create(builder, loc, result, amount);
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

class ThreadsSplitShiftsPass : public tw::impl::ThreadsSplitShiftsPassBase<ThreadsSplitShiftsPass> {
public:
  using ThreadsSplitShiftsPassBase::ThreadsSplitShiftsPassBase;

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto shift = dyn_cast<arith::ShLIOp>(op))
        split(shift);
      else if (auto shift = dyn_cast<arith::ShRUIOp>(op))
        split(shift);
      else if (auto shift = dyn_cast<arith::ShRSIOp>(op))
        split(shift);
    });
  }
};

} // namespace
