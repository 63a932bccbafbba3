// The pass threads-divide-groups: programs whose threads have nothing to do with each other may run
// as several smaller groups.
#include "tw/Target/Common/Gpu.h"
#include "tw/Target/Common/Passes.h"

namespace tw {
#define GEN_PASS_DEF_THREADSDIVIDEGROUPSPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

/// Numbers of threads and programs as thread form has them. Everything else of the gpu dialect
/// either joins threads (barriers, shuffles) or asks how they are grouped.
bool staysWhenDivided(Operation *op) {
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return id.getDimension() == gpu::Dimension::x;
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return id.getDimension() != gpu::Dimension::z;
  if (auto count = dyn_cast<gpu::GridDimOp>(op))
    return count.getDimension() != gpu::Dimension::z;
  return !isa<gpu::GPUDialect>(op->getDialect()) || isa<gpu::ReturnOp>(op);
}

bool isDivisible(gpu::GPUFuncOp kernel) {
  std::optional<ArrayRef<int32_t>> group = kernel.getKnownBlockSize();
  if (!group || group->size() != 3 || (*group)[0] == 1 || (*group)[1] != 1 || (*group)[2] != 1 ||
      kernel.getNumWorkgroupAttributions() != 0)
    return false;
  return !kernel.getBody()
              .walk([](Operation *op) {
                return staysWhenDivided(op) ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// thread_id x -> block_id z * block_dim x + thread_id x
void divide(gpu::ThreadIdOp id) {
  OpBuilder builder(id->getContext());
  builder.setInsertionPointAfter(id);
  Location location = id.getLoc();
  Value part = gpu::BlockIdOp::create(builder, location, gpu::Dimension::z);
  Value size = gpu::BlockDimOp::create(builder, location, gpu::Dimension::x);
  Value first = arith::MulIOp::create(builder, location, part, size);
  Value thread = arith::AddIOp::create(builder, location, first, id);
  id.getResult().replaceAllUsesExcept(thread, thread.getDefiningOp());
}

class ThreadsDivideGroupsPass
    : public tw::impl::ThreadsDivideGroupsPassBase<ThreadsDivideGroupsPass> {
public:
  using ThreadsDivideGroupsPassBase::ThreadsDivideGroupsPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!isDivisible(kernel))
        continue;
      kernel->setAttr(tw::divisibleAttribute, UnitAttr::get(&getContext()));
      SmallVector<gpu::ThreadIdOp> ids;
      kernel.walk([&](gpu::ThreadIdOp id) { ids.push_back(id); });
      llvm::for_each(ids, divide);
    }
  }
};

} // namespace
