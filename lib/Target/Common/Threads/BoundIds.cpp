// The pass threads-bound-ids: what a launch promises of the numbers of threads and programs.
#include "tw/Target/Common/Gpu.h"
#include "tw/Target/Common/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace tw {
#define GEN_PASS_DEF_THREADSBOUNDIDSPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

/// A driver cuts a launch into rows of at least this many programs (Gpu.h).
constexpr int64_t shortestRow = 65535;

template <typename Op> void bound(Op op, int64_t limit) {
  if (limit > 0 && limit <= INT32_MAX && !op.getUpperBound())
    op.setUpperBound(APInt(64, limit));
}

class ThreadsBoundIdsPass : public tw::impl::ThreadsBoundIdsPassBase<ThreadsBoundIdsPass> {
public:
  using ThreadsBoundIdsPassBase::ThreadsBoundIdsPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      auto attribute = kernel->getAttrOfType<IntegerAttr>(tw::programsAttribute);
      if (!attribute)
        continue;
      int64_t programs = attribute.getInt();
      int64_t rows = llvm::divideCeil(uint64_t(std::max<int64_t>(programs, 0)), shortestRow);
      kernel.walk([&](Operation *op) {
        if (auto id = dyn_cast<gpu::BlockIdOp>(op))
          bound(id, id.getDimension() == gpu::Dimension::x ? programs : rows);
        else if (auto count = dyn_cast<gpu::GridDimOp>(op))
          bound(count, count.getDimension() == gpu::Dimension::x ? programs : rows);
      });
    }
  }
};

} // namespace
