// The strategy for a product of a product for few rows: the two small layers of a gate, or of a
// step of a decoder. A program computes the inner sums of a row into local memory, from where the
// outer product takes them as scalars; both matrices are passed through once, vector by vector.
#include "Accesses.h"
#include "ListBuilder.h"
#include "Strategies.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// One of the two products: the axis of its lanes and the operand that has them.
struct Layer {
  ContractOp contract;
  unsigned laneAxis = 0;
  Operation *vector = nullptr;
  bool contiguous = false;
};

class ProductChain {
public:
  ProductChain(KernelOp kernel, const HostTraits &traits)
      : kernel(kernel), traits(traits), sets(kernel), list(kernel) {}

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (!match())
      return;
    for (int64_t innerVectors : getWidths(inner))
      for (int64_t outerVectors : getWidths(outer))
        candidates.push_back({"product-chain", emit(innerVectors, outerVectors), {}});
  }

private:
  int64_t extent(unsigned axis) { return kernel.getExtents()[axis]; }

  /// Two contractions of one type, the outer one over one axis that the inner one keeps.
  bool match() {
    SmallVector<ContractOp> products;
    for (Operation &op : kernel.getBody().front()) {
      if (isa<ReduceOp, ScanOp>(op))
        return false;
      if (auto contract = dyn_cast<ContractOp>(op))
        products.push_back(contract);
    }
    if (products.size() != 2 || products[0].getType() != products[1].getType())
      return false;
    inner.contract = products[0], outer.contract = products[1];
    for (ContractOp contract : products)
      if (contract.getType() != contract.getLhs().getType())
        return false;
    llvm::SmallBitVector between = sets.reducedBy(outer.contract);
    llvm::SmallBitVector kept = sets.of(inner.contract.getResult());
    stored = sets.of(outer.contract.getResult());
    if (between.count() != 1 || !between.subsetOf(kept))
      return false;
    inner.laneAxis = between.find_first();
    rows = kept;
    rows.reset(between);
    llvm::SmallBitVector own = stored;
    own.reset(rows);
    if (!rows.subsetOf(stored) || own.count() != 1)
      return false;
    outer.laneAxis = own.find_first();
    return storesAll() && findVector(inner) && findVector(outer);
  }

  bool storesAll() {
    return llvm::all_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
      llvm::SmallBitVector axes = sets.unionOf(store.getIndices());
      return axes == stored;
    });
  }

  /// The operand with the lanes, which the other one has not.
  bool findVector(Layer &layer) {
    bool isLeft = sets.of(layer.contract.getLhs())[layer.laneAxis];
    Value scalar = isLeft ? layer.contract.getRhs() : layer.contract.getLhs();
    if (sets.of(scalar)[layer.laneAxis])
      return false;
    layer.vector = (isLeft ? layer.contract.getLhs() : layer.contract.getRhs()).getDefiningOp();
    auto load = dyn_cast_or_null<LoadOp>(layer.vector);
    layer.contiguous = load && getUsualStride(load, kernel.getAxis(layer.laneAxis)) == 1;
    return layer.vector && extent(layer.laneAxis) >= traits.lanes / 2;
  }

  /// Lanes of a tile: a vector, and as many as hide the latency of their sums.
  SmallVector<int64_t> getWidths(const Layer &layer) {
    int64_t most = std::max<int64_t>(1, int64_t(traits.fmaLatency * traits.fmaPerCycle));
    int64_t all = extent(layer.laneAxis), wide = std::min(most * traits.lanes, all);
    SmallVector<int64_t> widths{std::min(traits.lanes, all)};
    if (wide > widths.front())
      widths.push_back(wide);
    return widths;
  }

  ScheduleAttr emit(int64_t innerLanes, int64_t outerLanes) {
    list = ListBuilder(kernel);
    SmallVector<StringAttr> outerParts = list.divide(outer.laneAxis, {{"_l", outerLanes}});
    SmallVector<StringAttr> innerParts = list.divide(inner.laneAxis, {{"_l", innerLanes}});
    for (unsigned axis : rows.set_bits())
      list.grid.push_back(list.name(axis));
    llvm::append_range(list.order, ArrayRef(outerParts).drop_back());
    llvm::append_range(list.order, innerParts);
    SmallVector<StringAttr> depth;
    llvm::SmallBitVector summed = sets.reducedBy(inner.contract);
    for (unsigned axis : summed.set_bits())
      depth.push_back(list.name(axis));
    llvm::append_range(list.order, depth);
    list.tile.push_back(outerParts.back());
    list.stage(inner.contract, "sum", innerParts, /*global=*/false);
    pack(inner, innerParts, depth);
    pack(outer, outerParts, innerParts);
    return list.finish();
  }

  /// Vectors that do not lie together are made to, once.
  void pack(const Layer &layer, ArrayRef<StringAttr> lanes, ArrayRef<StringAttr> summed) {
    if (layer.contiguous)
      return;
    SmallVector<StringAttr> dims;
    for (unsigned axis : sets.of(layer.vector->getResult(0)).set_bits())
      if (rows[axis])
        dims.push_back(list.name(axis));
    llvm::append_range(dims, ArrayRef(lanes).drop_back());
    llvm::append_range(dims, summed);
    dims.push_back(lanes.back());
    list.stage(layer.vector, "vectors", dims, /*global=*/true);
  }

  KernelOp kernel;
  const HostTraits &traits;
  AxisSets sets;
  ListBuilder list;
  Layer inner, outer;
  llvm::SmallBitVector rows, stored;
};

} // namespace

void tw::schedule::host::proposeProductChain(KernelOp kernel, const HostTraits &traits,
                                             SmallVectorImpl<HostCandidate> &candidates) {
  ProductChain(kernel, traits).propose(candidates);
}
