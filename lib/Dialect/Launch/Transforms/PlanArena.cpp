// The pass launch-plan-arena: lifetimes of reservations, placed by the planner of the module
// format.
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Launch/Transforms/Passes.h"
#include "tw/Dialect/View/View.h"
#include "tw/Format/Planner.h"
#include "tw/Support/Diagnostics.h"

namespace tw {
#define GEN_PASS_DEF_LAUNCHPLANARENAPASS
#include "tw/Dialect/Launch/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

/// Errors for buffers that no kernel of the target can bind.
LogicalResult checkBindings(launch::FuncOp program, uint64_t maxBinding) {
  bool good = true;
  auto check = [&](Value buffer, Location location, const Twine &what) {
    auto type = cast<launch::BufferType>(buffer.getType());
    if (static_cast<uint64_t>(type.getBytes()) <= maxBinding)
      return;
    good = false;
    emitError(location, Code::T0409)
        << what.str() << " " << type.getTensor() << " of " << type.getBytes()
        << " bytes is larger than the " << maxBinding << " bytes that a buffer of target "
        << program.getTarget() << " may span";
  };
  for (unsigned i = 0; i < program.getBufferTypes().size(); ++i) {
    bool argument = i < program.getNumArguments();
    check(program.getBody().getArgument(i), program.getLoc(),
          (argument ? "argument '" : "result '") + program.getName(i) + "'");
  }
  program.walk([&](Operation *op) {
    if (isa<launch::ReserveOp, launch::GetConstantOp>(op))
      check(op->getResult(0), op->getLoc(), isa<launch::ReserveOp>(op) ? "tensor" : "constant");
  });
  return success(good);
}

/// `op` is a program or its initializer.
template <typename Op>
LogicalResult planArena(Op op, StringRef name, int64_t alignment,
                        const format::PlanLimits &limits) {
  Block &body = op.getBody().front();
  llvm::DenseMap<Operation *, uint32_t> position;
  for (auto [i, command] : llvm::enumerate(body))
    position[&command] = i;
  SmallVector<launch::ReserveOp> reserves;
  SmallVector<format::PlanInterval> intervals;
  // Where a call settles sizes, it plans.
  for (auto reserve : body.getOps<launch::ReserveOp>())
    if (view::hasSymbols(reserve.getType().getTensor()))
      return success();
  for (auto reserve : body.getOps<launch::ReserveOp>()) {
    if (llvm::any_of(reserve->getUsers(), llvm::IsaPred<launch::YieldOp>))
      continue;
    reserves.push_back(reserve);
    uint32_t first = UINT32_MAX, last = 0;
    for (Operation *user : reserve->getUsers()) {
      first = std::min(first, position[user]);
      last = std::max(last, position[user]);
    }
    if (reserve->use_empty())
      first = last = position[reserve];
    intervals.push_back({static_cast<uint64_t>(reserve.getType().getBytes()),
                         static_cast<uint64_t>(alignment), first, last});
  }
  std::vector<format::Placement> placements(intervals.size());
  std::vector<uint64_t> slabs(std::max<size_t>(1, intervals.size()));
  format::PlanSummary summary;
  uint32_t bad = 0;
  if (format::planArena(intervals, limits, placements, slabs, summary, bad) !=
      format::PlanResult::Ok)
    return emitError(op.getLoc(), Code::T0502)
           << "the buffers of '" << name << "' need more memory than can be addressed";
  OpBuilder builder(op.getContext());
  for (auto [reserve, placement] : llvm::zip(reserves, placements)) {
    reserve.setOffsetAttr(builder.getI64IntegerAttr(placement.offset));
    if (placement.slab != 0)
      reserve.setSlabAttr(builder.getI64IntegerAttr(placement.slab));
  }
  op.setArenaBytesAttr(builder.getI64IntegerAttr(summary.totalBytes));
  op.setLiveBytesAttr(builder.getI64IntegerAttr(summary.peakLiveBytes));
  return success();
}

struct LaunchPlanArena : public tw::impl::LaunchPlanArenaPassBase<LaunchPlanArena> {
  using LaunchPlanArenaPassBase::LaunchPlanArenaPassBase;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<launch::FuncOp>()) {
      StringRef name = program.getSymName();
      if (failed(checkBindings(program, maxBinding)) ||
          failed(planArena(program, name, alignment, {maxSlab})))
        return signalPassFailure();
      for (auto initialize : program.getBody().getOps<launch::InitializeOp>())
        if (failed(planArena(initialize, name, alignment, {maxSlab})))
          return signalPassFailure();
    }
  }
};

} // namespace
