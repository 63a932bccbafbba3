// Tensors that depend on constants alone, found through the kernels that make them.
#include "tw/Dialect/Kernel/MadeOnce.h"

#include "tw/Dialect/Kernel/Kernel.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tw::kernel;

/// What is not worth its memory, as launch-hoist-initializer decides it.
static constexpr double kMostGrowth = 4;
static constexpr int64_t kFreeBytes = 262144;

/// Kernels that a tensor may be made by, one after another. What calls make is made by all that
/// comes before it, which in a large network is not to be looked through for each tensor.
static constexpr size_t kMostMakers = 64;

static bool isConstant(Value value) {
  Operation *source = value.getDefiningOp();
  return source && source->hasTrait<OpTrait::ConstantLike>();
}

/// The constants that a few kernels make the tensor of; none where it depends on anything else.
static std::optional<llvm::SmallSetVector<Value, 4>> getConstants(Value tensor) {
  llvm::SmallSetVector<Value, 4> constants;
  SmallVector<Value> open{tensor};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *source = value.getDefiningOp();
    if (isConstant(value)) {
      constants.insert(value);
      continue;
    }
    if (!isa_and_nonnull<KernelOp>(source) || source->getNumOperands() == 0)
      return std::nullopt;
    if (!seen.insert(source).second)
      continue;
    if (seen.size() > kMostMakers)
      return std::nullopt;
    llvm::append_range(open, source->getOperands());
  }
  return constants;
}

static int64_t getBytes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// Whether a call need not make the tensor of constants anew: it is worth the memory, or no call
/// reads it.
static bool isKept(Value tensor, ArrayRef<Value> constants) {
  if (!cast<RankedTensorType>(tensor.getType()).hasStaticShape())
    return true;
  int64_t bytes = getBytes(tensor), from = 0;
  for (Value constant : constants)
    from += getBytes(constant);
  return bytes <= kFreeBytes || double(bytes) <= kMostGrowth * double(from) ||
         (!tensor.use_empty() && llvm::all_of(tensor.getUsers(), [](Operation *user) {
           return isa<KernelOp>(user) && getConstants(user->getResult(0));
         }));
}

bool tw::kernel::isMadeOnce(Value tensor) {
  if (!isConstant(tensor) && !getConstants(tensor))
    return false;
  SmallVector<Value> open{tensor};
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (isConstant(value) || !seen.insert(value).second)
      continue;
    if (!isKept(value, getConstants(value)->getArrayRef()))
      return false;
    llvm::append_range(open, value.getDefiningOp()->getOperands());
  }
  return true;
}
