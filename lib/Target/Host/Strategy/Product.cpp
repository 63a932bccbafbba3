// Finding the contraction of a kernel and what its axes are for.
#include "Product.h"

#include "Accesses.h"

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Dialect/Kernel/MadeOnce.h"
#include "tw/Schedule/Strides.h"

using namespace mlir;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

bool Product::match(bool nested) {
  outer.resize(kernel.getNumAxes());
  for (Operation &op : kernel.getBody().front()) {
    if (isa<ScanOp>(op) || (isa<ContractOp>(op) && contract))
      return false;
    if (isa<ReduceOp>(op)) {
      if (!nested || !contract || outer.any() ||
          !isComputedFrom(op.getResult(0), contract.getResult()))
        return false;
      outer = sets.reducedBy(&op);
    }
    if (auto found = dyn_cast<ContractOp>(op))
      contract = found;
  }
  if (!contract)
    return false;
  reduced = sets.reducedBy(contract);
  stored.resize(kernel.getNumAxes());
  for (auto store : kernel.getBody().getOps<StoreOp>())
    stored |= sets.unionOf(store.getIndices());
  llvm::SmallBitVector kept = sets.of(contract.getResult());
  if (outer.any() && !outer.subsetOf(kept))
    return false;
  return stored == kept.reset(outer);
}

bool Product::matchWithRows() {
  outer.resize(kernel.getNumAxes());
  for (Operation &op : kernel.getBody().front()) {
    if (isa<ScanOp>(op) || (isa<ContractOp>(op) && contract))
      return false;
    if (auto found = dyn_cast<ContractOp>(op))
      contract = found;
    if (!isa<ReduceOp>(op))
      continue;
    llvm::SmallBitVector axes = sets.reducedBy(&op);
    if (!contract || (outer.any() && outer != axes) ||
        !isComputedFrom(op.getResult(0), contract.getResult()))
      return false;
    outer = axes;
  }
  if (!contract || outer.none())
    return false;
  reduced = sets.reducedBy(contract);
  llvm::SmallBitVector kept = sets.of(contract.getResult());
  if (!outer.subsetOf(kept))
    return false;
  stored = kept;
  stored.reset(outer);
  return llvm::all_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
    llvm::SmallBitVector axes = sets.unionOf(store.getIndices());
    return axes == stored || axes == kept;
  });
}

int64_t tw::schedule::host::getGroupSize(ContractOp contract, const HostTraits &traits) {
  Type type = contract.getLhs().getType();
  if (type == contract.getResult().getType())
    return 1;
  if (type.isBF16())
    return traits.bf16Dot ? 2 : 1;
  return type.isInteger(8) && (traits.int8Dot || traits.int16Dot) ? 4 : 1;
}

double tw::schedule::host::productCycles(int64_t rows, int64_t vectors, int64_t groupSize,
                                         const HostTraits &traits) {
  auto products = double(rows * vectors);
  if (groupSize == 1)
    return products / traits.fmaPerCycle;
  if (groupSize == 2)
    return products / traits.bf16DotPerCycle;
  if (traits.int8Dot)
    return products / traits.int8DotPerCycle;
  // Two products of pairs and their sums, and three instructions that make two halves.
  return (4 * products + 3 * double(rows + vectors)) / traits.fmaPerCycle;
}

double tw::schedule::host::leastOfStep(double products, double loads, double latency,
                                       const HostTraits &traits) {
  return std::max({products, loads / traits.loadsPerCycle, latency});
}

bool tw::schedule::host::readsConstant(KernelOp kernel, LoadOp load) {
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  return isMadeOnce(kernel.getOperand(number - kernel.getNumAxes()));
}

llvm::SmallBitVector Product::ownAxes(Value value, Value other) const {
  llvm::SmallBitVector own = sets.of(value);
  own.reset(sets.of(other));
  own.reset(reduced);
  return own;
}

int64_t Product::getFetchedAhead(Operation *value, LoadOp load, int64_t passes,
                                 const HostTraits &traits) {
  // Two pages: some 1800 cycles of a large tile. One was too near for memory, four were as good.
  constexpr int64_t kPages = 2;
  Value result = value->getResult(0);
  int64_t each = std::max<int64_t>(1, result.getType().getIntOrFloatBitWidth() / 8);
  double bytes = double(sets.points(sets.of(result)) * each);
  return comesFromMemory(kernel, load, traits) && isCold(bytes / double(passes), traits)
             ? kPages * traits.pageBytes / each
             : 0;
}

bool tw::schedule::host::comesFromMemory(KernelOp kernel, LoadOp load, const HostTraits &traits) {
  auto type = cast<RankedTensorType>(load.getSource().getType());
  if (!type.hasStaticShape())
    return false;
  double bytes = double(type.getNumElements()) * type.getElementTypeBitWidth() / 8;
  if (!isCold(bytes, traits))
    return false;
  if (readsConstant(kernel, load))
    return !isReadAgain(kernel, bytes, traits);
  auto between = load->getAttrOfType<IntegerAttr>(betweenAttrName);
  return between && double(between.getInt()) > kKeptShare * double(traits.l3Bytes);
}

bool tw::schedule::host::isCold(double bytes, const HostTraits &traits) {
  return bytes >= double(traits.l2Bytes) / 8;
}

bool tw::schedule::host::isReadAgain(KernelOp kernel, double bytes, const HostTraits &traits) {
  return kernel->hasAttr(repeatedAttrName) && bytes <= kKeptShare * double(traits.l3Bytes);
}
