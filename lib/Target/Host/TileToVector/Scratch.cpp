// Places local buffers in scratch memory.
#include "Scratch.h"

#include "tw/Target/Host/Passes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// The alignment that the runtime gives scratch memory, and that of each buffer in it.
static constexpr int64_t lineBytes = 64;

tw::host::ScratchPlan::ScratchPlan(tile::FuncOp program) {
  bool hasTeam = program.hasTeam();
  llvm::DenseMap<Operation *, int64_t> bytesOfLoops;
  program.walk([&](tile::AllocOp alloc) {
    Type element = cast<MemRefType>(alloc.getMemory().getType()).getElementType();
    int64_t elementBytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
    scf::ForallOp loop = tile::getTeamLoop(alloc);
    bool isShared = hasTeam && !loop;
    int64_t &end = isShared ? bytes.shared : loop ? bytesOfLoops[loop] : bytes.own;
    places[alloc] = {end, isShared};
    end += llvm::alignTo(alloc.getNumElements() * elementBytes, lineBytes);
  });
  for (auto [loop, end] : bytesOfLoops)
    bytes.own = std::max(bytes.own, end);
}

tw::host::ScratchBytes tw::host::getScratchBytes(tile::FuncOp program) {
  return ScratchPlan(program).bytes;
}

tw::host::LastArguments::LastArguments(func::FuncOp function) {
  unsigned next = function.getNumArguments();
  if (function->hasAttr(teamAttribute))
    team = function.getArgument(--next);
  if (function->hasAttr(sharedAttribute))
    shared = function.getArgument(--next);
  if (function->hasAttr(scratchAttribute))
    own = function.getArgument(--next);
}
