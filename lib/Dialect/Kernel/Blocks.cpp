// Where kernels stand in a function: in its block and in those of branches and loops.
#include "tw/Dialect/Kernel/Blocks.h"

#include "tw/Dialect/Kernel/Kernel.h"

using namespace mlir;

SmallVector<Block *> tw::kernel::getProgramBlocks(Operation *function) {
  SmallVector<Block *> blocks;
  for (Region &region : function->getRegions())
    for (Block &block : region) {
      for (Operation &op : block)
        if (!isa<KernelOp>(op))
          llvm::append_range(blocks, getProgramBlocks(&op));
      blocks.push_back(&block);
    }
  return blocks;
}
