// The strategy for products that lie along what is summed and functions of them, as the cell of a
// recurrent network is of its gates.
//
//   for each product, for rows: sums of a program into local memory; then functions of all of them
//
// Lanes of a product are points of what it sums, those of the functions points of the results. Both
// have whole vectors that way, and one product is done before the next begins, so each has all
// registers.
#include "ProductsFirst.h"

#include "Balance.h"
#include "ListBuilder.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Schedule/Strides.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

class ProductsFirst {
public:
  ProductsFirst(KernelOp kernel, const HostTraits &traits)
      : kernel(kernel), traits(traits), sets(kernel) {}

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (!match())
      return;
    for (int64_t block : findBlocks())
      for (Grid grid : {Grid::None, Grid::Rows, Grid::Lanes})
        if (grid == Grid::None || (grid == Grid::Rows ? rowAxis.has_value() : block > 0))
          candidates.push_back({"products-first", emit(block, grid), {}});
  }

private:
  /// What programs are cut by.
  enum class Grid { None, Rows, Lanes };

  int64_t extent(unsigned axis) { return kernel.getExtents()[axis]; }

  bool match() {
    for (Operation &op : kernel.getBody().front()) {
      if (isa<ReduceOp, ScanOp>(op))
        return false;
      if (auto contract = dyn_cast<ContractOp>(op))
        products.push_back(contract);
    }
    if (products.empty())
      return false;
    ContractOp first = products.front();
    stored = sets.of(first.getResult());
    lanes = std::max<int64_t>(1, traits.lanes * 32 / first.getType().getIntOrFloatBitWidth());
    return llvm::all_of(products, [&](ContractOp product) { return takes(product); }) &&
           llvm::all_of(kernel.getBody().getOps<StoreOp>(),
                        [&](StoreOp store) { return getAxes(store) == stored; }) &&
           findLanes();
  }

  /// Whether the product is of what is read, along one axis, and of the kind of the first one.
  bool takes(ContractOp product) {
    llvm::SmallBitVector reduced = sets.reducedBy(product);
    if (reduced.count() != 1 || sets.of(product.getResult()) != stored ||
        product.getType() != products.front().getType() ||
        product.getLhs().getType() != product.getType())
      return false;
    unsigned axis = reduced.find_first();
    summed.insert(axis);
    return extent(axis) >= lanes &&
           llvm::all_of(ArrayRef<Value>{product.getLhs(), product.getRhs()}, [&](Value operand) {
             auto load = operand.getDefiningOp<LoadOp>();
             return load && getUsualStride(load, kernel.getAxis(axis)) == 1;
           });
  }

  llvm::SmallBitVector getAxes(StoreOp store) { return sets.unionOf(store.getIndices()); }

  /// The axis along which all results are contiguous, and the longest other one. Where there is one
  /// the lanes are to be several vectors: those of one beside rows would be a tile of both, of
  /// which each sum takes a register.
  bool findLanes() {
    std::optional<unsigned> found;
    for (unsigned axis : stored.set_bits())
      if (llvm::all_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
            return getUsualStride(store, kernel.getAxis(axis)) == 1;
          }))
        found = axis;
    if (!found)
      return false;
    laneAxis = *found;
    for (unsigned axis : stored.set_bits())
      if (axis != laneAxis && extent(axis) > 1 && (!rowAxis || extent(axis) > extent(*rowAxis)))
        rowAxis = axis;
    return extent(laneAxis) >= (rowAxis ? 2 : 1) * lanes;
  }

  /// Vectors of lanes for which all rows are computed before the next ones, 0 for all: what they
  /// read of a product fills half of the first cache, or they are programs for all threads.
  llvm::SmallSetVector<int64_t, 4> findBlocks() {
    int64_t tiles = llvm::divideCeil(extent(laneAxis), lanes), terms = 1;
    for (unsigned axis : summed)
      terms = std::max(terms, extent(axis));
    int64_t bytes = terms * traits.lanes * 4;
    int64_t fewest = rowAxis ? 2 : 1;
    llvm::SmallSetVector<int64_t, 4> blocks;
    blocks.insert(0);
    for (int64_t most : {traits.l1Bytes / 2 / bytes, tiles / programsFor(traits)})
      if (int64_t block = findEven(tiles, std::clamp(most, fewest, tiles));
          block >= fewest && block < tiles)
        blocks.insert(block);
    return blocks;
  }

  ScheduleAttr emit(int64_t block, Grid grid) {
    ListBuilder list(kernel);
    SmallVector<std::pair<StringRef, int64_t>> inner{{"_l", lanes}};
    if (block > 1)
      inner.insert(inner.begin(), {"_b", block});
    SmallVector<StringAttr> parts = list.divide(laneAxis, inner), dims;
    auto add = [&](StringAttr axis, bool isProgram) {
      (isProgram ? list.grid : list.order).push_back(axis);
      if (!isProgram)
        dims.push_back(axis);
    };
    if (block > 0)
      add(parts.front(), grid == Grid::Lanes);
    for (unsigned axis : stored.set_bits())
      if (axis != laneAxis)
        add(list.name(axis), extent(axis) == 1 || (axis == rowAxis && grid == Grid::Rows));
    for (StringAttr part : ArrayRef(parts).drop_front(block > 0).drop_back())
      add(part, /*isProgram=*/false);
    dims.push_back(parts.back());
    for (unsigned axis : summed) {
      SmallVector<StringAttr> steps = list.divide(axis, {{"_l", lanes}});
      llvm::append_range(list.order, ArrayRef(steps).drop_back());
      list.tile.push_back(steps.back());
    }
    list.tile.push_back(parts.back());
    for (ContractOp product : products)
      list.stage(product, "sum", dims, /*global=*/false);
    return list.finish();
  }

  KernelOp kernel;
  const HostTraits &traits;
  AxisSets sets;
  SmallVector<ContractOp> products;
  /// Axes that products sum over.
  llvm::SmallSetVector<unsigned, 4> summed;
  llvm::SmallBitVector stored;
  int64_t lanes = 1;
  unsigned laneAxis = 0;
  std::optional<unsigned> rowAxis;
};

} // namespace

void tw::schedule::host::proposeProductsFirst(KernelOp kernel, const HostTraits &traits,
                                              SmallVectorImpl<HostCandidate> &candidates) {
  ProductsFirst(kernel, traits).propose(candidates);
}
