// Searching copies of a block ahead of the block.
#include "LookAhead.h"

#include "tw/Support/ContextWorkers.h"

#include "mlir/IR/MLIRContext.h"

#include <algorithm>

using namespace mlir;
using namespace tw::kernel;
using namespace tw::schedule;

/// Kernels of a part: what two parts have beside each other is joined otherwise than in the whole.
static constexpr size_t kPart = 8;

/// Copies of a program are as large as it is.
static constexpr size_t kMostCopies = 7;

LookAhead::LookAhead(mlir::Block &block, Search search) : search(std::move(search)) {
  MLIRContext *context = block.getParentOp()->getContext();
  auto kernels = block.getOps<KernelOp>();
  left = std::distance(kernels.begin(), kernels.end());
  auto function = dyn_cast<FunctionOpInterface>(block.getParentOp());
  if (!ContextWorkers::areOf(*context) || !function || !function.getFunctionBody().hasOneBlock())
    return;
  size_t others = context->getNumThreads() - 1;
  for (size_t i = std::min({others, left / (2 * kPart), kMostCopies}); i > 0; --i)
    copies.emplace_back(cast<FunctionOpInterface>(function->clone()));
  if (copies.empty())
    return;
  tasks.emplace(context->getThreadPool());
  for (auto &copy : copies)
    tasks->async([this, &copy] {
      if (!over)
        this->search(*this, copy->getFunctionBody().front());
    });
}

LookAhead::~LookAhead() {
  over = true;
  if (tasks)
    tasks->wait();
}

ArrayRef<KernelOp> LookAhead::takePart(ArrayRef<KernelOp> kernels) {
  size_t first = nextPart++ * kPart;
  return over || first + kPart > left ? ArrayRef<KernelOp>() : kernels.slice(first, kPart);
}
