// The pass launch-plan-arena: lifetimes of reservations, placed by the planner of the module
// format.
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Launch/Transforms/Passes.h"
#include "tw/Format/Planner.h"
#include "tw/Support/Diagnostics.h"

namespace tw {
#define GEN_PASS_DEF_LAUNCHPLANARENAPASS
#include "tw/Dialect/Launch/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

LogicalResult planArena(launch::FuncOp program, int64_t alignment) {
  llvm::DenseMap<Operation *, uint32_t> position;
  for (auto [i, op] : llvm::enumerate(program.getBody().front()))
    position[&op] = i;
  SmallVector<launch::ReserveOp> reserves(program.getBody().getOps<launch::ReserveOp>());
  SmallVector<format::PlanInterval> intervals;
  for (launch::ReserveOp reserve : reserves) {
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
  if (format::planArena(intervals, {}, placements, slabs, summary, bad) != format::PlanResult::Ok)
    return emitError(program.getLoc(), Code::T0502) << "the buffers of '" << program.getSymName()
                                                    << "' need more memory than can be addressed";
  OpBuilder builder(program.getContext());
  for (auto [reserve, placement] : llvm::zip(reserves, placements))
    reserve.setOffsetAttr(builder.getI64IntegerAttr(placement.offset));
  program.setArenaBytesAttr(builder.getI64IntegerAttr(summary.totalBytes));
  program.setLiveBytesAttr(builder.getI64IntegerAttr(summary.peakLiveBytes));
  return success();
}

struct LaunchPlanArena : public tw::impl::LaunchPlanArenaPassBase<LaunchPlanArena> {
  using LaunchPlanArenaPassBase::LaunchPlanArenaPassBase;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<launch::FuncOp>())
      if (failed(planArena(program, alignment)))
        return signalPassFailure();
  }
};

} // namespace
