// Loops whose iterations the threads of a team share: their mapping, and what is legal around them.
#include "tw/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace tw;
using namespace tw::tile;

// There is one kind of unit, the thread, and shares of it are linear.
int64_t TeamAttr::getMappingId() const { return 0; }
bool TeamAttr::isLinearMapping() const { return true; }
int64_t TeamAttr::getRelativeIndex() const { return 0; }

scf::ForallOp tw::tile::getTeamLoop(Operation *op) { return op->getParentOfType<scf::ForallOp>(); }

scf::ForallOp tw::tile::createTeamLoop(OpBuilder &builder, Location location,
                                       ArrayRef<OpFoldResult> lower, ArrayRef<OpFoldResult> upper,
                                       ArrayRef<OpFoldResult> step) {
  SmallVector<Attribute> mapping(lower.size(), TeamAttr::get(builder.getContext()));
  return scf::ForallOp::create(builder, location, lower, upper, step, ValueRange(),
                               builder.getArrayAttr(mapping));
}

bool FuncOp::hasTeam() {
  return walk([](scf::ForallOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

static LogicalResult verifyLoop(FuncOp program, scf::ForallOp loop) {
  auto isTeam = [](Attribute attribute) { return isa<TeamAttr>(attribute); };
  if (!loop.getMapping() || loop.getMapping()->empty() || !llvm::all_of(*loop.getMapping(), isTeam))
    return loop.emitOpError("expected the mapping #ttile.team for each dimension");
  if (loop.getNumResults() != 0)
    return loop.emitOpError("expected no shared_outs, found ")
           << loop.getNumResults() << ": what a team shares lies in memory";
  if (getTeamLoop(loop))
    return loop.emitOpError("expected no loop of a team inside of another");
  if (program.getWarps())
    return loop.emitOpError("expected no loop of a team in a program of ")
           << *program.getWarps() << " warps";
  return success();
}

LogicalResult FuncOp::verifyRegions() {
  if (!hasTeam())
    return success();
  WalkResult result = walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForallOp>(op))
      return failed(verifyLoop(*this, loop)) ? WalkResult::interrupt() : WalkResult::advance();
    if (isa<BarrierOp>(op)) {
      op->emitOpError("expected no barrier in a team's program, whose loops end in one");
      return WalkResult::interrupt();
    }
    if (isa<StoreOp>(op) && !getTeamLoop(op)) {
      op->emitOpError("expected to be in a loop that the team shares: outside, all threads would "
                      "store at once");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
