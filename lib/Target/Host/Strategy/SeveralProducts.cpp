// The strategy for several products side by side: query, key and value, gate and up, the gates of a
// cell. One register tile holds sums of each of them, so that a scalar that they share is loaded
// once, and what is computed from all of them finds them in registers.
#include "Accesses.h"
#include "Balance.h"
#include "ListBuilder.h"
#include "Operands.h"
#include "Strategies.h"

#include "tw/Schedule/Strides.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

class SeveralProducts {
public:
  SeveralProducts(KernelOp kernel, const HostTraits &traits)
      : kernel(kernel), traits(traits), sets(kernel) {}

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (!match())
      return;
    int64_t mostVectors = std::max<int64_t>(1, traits.registers / 4 / countTogether());
    for (int64_t vectors = 1; vectors <= mostVectors; ++vectors)
      for (bool pack : {false, true})
        if (pack || isContiguous())
          for (const Cut &cut : findCuts(vectors))
            candidates.push_back({"several-products", emit(vectors, cut, pack), {}});
  }

private:
  /// What programs are cut by: row tiles, and where lanes are in the grid lane tiles.
  struct Cut {
    int64_t rows;
    bool lanesInGrid;
    int64_t lanes = 1;
  };

  /// Products whose sums are in registers at a time: they are summed along the same axes, or one
  /// after another.
  int64_t countTogether() const { return areApart ? 1 : int64_t(products.size()); }
  int64_t extent(unsigned axis) { return kernel.getExtents()[axis]; }

  /// Products of one kind whose sums have axes that all results have, one of which is an axis of
  /// one operand alone in each. What else is stored may have more axes, as parts of a concatenation
  /// do.
  bool match() {
    for (Operation &op : kernel.getBody().front()) {
      if (isa<ReduceOp, ScanOp>(op))
        return false;
      if (auto contract = dyn_cast<ContractOp>(op))
        products.push_back(contract);
    }
    if (products.size() < 2)
      return false;
    stored = sets.of(products.front().getResult());
    for (auto store : kernel.getBody().getOps<StoreOp>()) {
      llvm::SmallBitVector axes = sets.unionOf(store.getIndices());
      if (!stored.subsetOf(axes))
        return false;
      others |= axes.reset(stored);
    }
    for (ContractOp contract : products)
      if (sets.of(contract.getResult()) != stored || contract.getType() != products[0].getType() ||
          contract.getType() != contract.getLhs().getType())
        return false;
    return findAxes();
  }

  /// The axis of the lanes, along which results are contiguous if there is such an axis, and the
  /// longest other axis, which the scalars have.
  bool findAxes() {
    auto isLane = [&](unsigned axis) {
      return llvm::all_of(products, [&](ContractOp contract) {
        return sets.of(contract.getLhs())[axis] != sets.of(contract.getRhs())[axis];
      });
    };
    std::optional<std::tuple<bool, int64_t>> best;
    for (unsigned axis : stored.set_bits()) {
      if (!isLane(axis))
        continue;
      bool along = llvm::all_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
        return getUsualStride(store, kernel.getAxis(axis)) == 1;
      });
      if (std::tuple rank(along, extent(axis)); !best || rank > *best) {
        best = rank;
        laneAxis = axis;
      }
    }
    if (!best || extent(laneAxis) < traits.lanes)
      return false;
    for (ContractOp contract : products) {
      bool isLeft = sets.of(contract.getLhs())[laneAxis];
      Operation *vector = (isLeft ? contract.getLhs() : contract.getRhs()).getDefiningOp();
      if (!vector)
        return false;
      vectors.insert(vector);
      const llvm::SmallBitVector &others = sets.of(isLeft ? contract.getRhs() : contract.getLhs());
      for (unsigned axis : stored.set_bits())
        if (axis != laneAxis && others[axis] && !sets.of(vector->getResult(0))[axis] &&
            (!rowAxis || extent(axis) > extent(*rowAxis)))
          rowAxis = axis;
      llvm::SmallBitVector own = sets.reducedBy(contract);
      areApart &= !own.anyCommon(reduced);
      reduced |= own;
    }
    return !areApart || readOne();
  }

  /// Whether all products read one tensor. Others one after another are kernels of their own as
  /// well, and what each reads is not kept for the last one.
  bool readOne() {
    llvm::SmallSetVector<Value, 4> all;
    for (ContractOp contract : products) {
      llvm::SmallSetVector<Value, 4> own;
      llvm::SmallSetVector<Operation *, 8> work;
      auto add = [&](Operation *op) {
        for (Value operand : op->getOperands())
          if (Operation *producer = operand.getDefiningOp(); producer && !isa<ContractOp>(producer))
            work.insert(producer);
      };
      add(contract);
      for (size_t i = 0; i < work.size(); ++i) {
        add(work[i]);
        if (auto load = dyn_cast<LoadOp>(work[i]))
          own.insert(load.getSource());
      }
      if (contract == products.front())
        all = own;
      else
        all.remove_if([&](Value source) { return !own.contains(source); });
    }
    return !all.empty();
  }

  bool isContiguous() {
    return llvm::all_of(vectors, [&](Operation *vector) {
      auto load = dyn_cast<LoadOp>(vector);
      return load && getUsualStride(load, kernel.getAxis(laneAxis)) == 1;
    });
  }

  /// Rows of a tile: sums of all products, the scalars of all rows, which the products share, and a
  /// vector are in registers; of products one after another sums, vectors and a scalar.
  int64_t countRows(int64_t vectorsEach) {
    int64_t all = vectorsEach * countTogether();
    int64_t width = std::max<int64_t>(1, products[0].getType().getIntOrFloatBitWidth() / 32);
    int64_t registers = traits.registers / width - 1;
    int64_t rows = areApart ? (registers - all) / all : registers / (all + 1);
    return std::clamp<int64_t>(rows, 1, rowAxis ? extent(*rowAxis) : 1);
  }

  /// Row tiles of a program: one, and as many as leave programs for all threads.
  SmallVector<int64_t> findBlocks(int64_t vectorsEach, bool lanesInGrid) {
    if (!rowAxis)
      return {1};
    int64_t tiles = llvm::divideCeil(extent(*rowAxis), countRows(vectorsEach));
    int64_t others = sets.points(stored) / (extent(*rowAxis) * extent(laneAxis));
    if (lanesInGrid)
      others *= llvm::divideCeil(extent(laneAxis), vectorsEach * traits.lanes);
    int64_t most = std::clamp<int64_t>(tiles * others / programsFor(traits), 1, tiles);
    SmallVector<int64_t> blocks{1};
    if (int64_t block = findEven(tiles, most); block > 1)
      blocks.push_back(block);
    return blocks;
  }

  SmallVector<Cut> findCuts(int64_t vectorsEach) {
    SmallVector<Cut> cuts;
    for (bool lanesInGrid : {false, true})
      for (int64_t block : findBlocks(vectorsEach, lanesInGrid))
        cuts.push_back({block, lanesInGrid});
    if (!areApart || !rowAxis)
      return cuts;
    // Rows whose scalars fill half of the second-level cache, of which all products of some lanes
    // are computed.
    int64_t rows = countRows(vectorsEach);
    int64_t bytes = llvm::divideCeil(products[0].getType().getIntOrFloatBitWidth(), 8) *
                    sets.points(sets.reducedBy(products[0]));
    int64_t rowTiles = llvm::divideCeil(extent(*rowAxis), rows);
    int64_t laneTiles = llvm::divideCeil(extent(laneAxis), vectorsEach * traits.lanes);
    int64_t block =
        findEven(rowTiles, std::clamp<int64_t>(traits.l2Bytes / 2 / (rows * bytes), 1, rowTiles));
    int64_t others = sets.points(stored) / (extent(*rowAxis) * extent(laneAxis));
    int64_t programs = llvm::divideCeil(rowTiles, block) * others;
    int64_t parts =
        std::clamp<int64_t>(llvm::divideCeil(programsFor(traits), programs), 1, laneTiles);
    if (int64_t lanes = findEven(laneTiles, llvm::divideCeil(laneTiles, parts)); lanes > 1)
      cuts.push_back({block, /*lanesInGrid=*/lanes < laneTiles, lanes});
    return cuts;
  }

  ScheduleAttr emit(int64_t vectorsEach, const Cut &cut, bool pack) {
    ListBuilder list(kernel);
    SmallVector<StringAttr> rowParts;
    if (rowAxis) {
      SmallVector<std::pair<StringRef, int64_t>> inner;
      if (cut.rows > 1)
        inner.push_back({"_b", cut.rows});
      inner.push_back({"_r", countRows(vectorsEach)});
      rowParts = list.divide(*rowAxis, inner);
    }
    int64_t lanes = std::min(vectorsEach * traits.lanes, extent(laneAxis));
    SmallVector<std::pair<StringRef, int64_t>> innerLanes;
    if (cut.lanesInGrid && cut.lanes > 1)
      innerLanes.push_back({"_b", cut.lanes});
    innerLanes.push_back({"_l", lanes});
    SmallVector<StringAttr> laneParts = list.divide(laneAxis, innerLanes);
    for (unsigned axis : stored.set_bits())
      if (axis != laneAxis && axis != rowAxis)
        list.grid.push_back(list.name(axis));
    bool lanesInGrid = cut.lanesInGrid && laneParts.size() > 1;
    if (lanesInGrid)
      list.grid.push_back(laneParts.front());
    bool rowsInGrid = rowParts.size() > 1;
    if (rowsInGrid)
      list.grid.push_back(rowParts.front());
    llvm::append_range(list.order, ArrayRef(laneParts).drop_front(lanesInGrid).drop_back());
    if (!rowParts.empty()) {
      llvm::append_range(list.order, ArrayRef(rowParts).drop_front(rowsInGrid).drop_back());
      list.tile.push_back(rowParts.back());
    }
    for (const llvm::SmallBitVector &axes : {others, reduced})
      for (unsigned axis : axes.set_bits())
        list.order.push_back(list.name(axis));
    list.tile.push_back(laneParts.back());
    for (Operation *vector : vectors)
      if (pack)
        stage(list, vector, laneParts);
    return list.finish();
  }

  /// A panel for each tile of lanes, made once.
  void stage(ListBuilder &list, Operation *vector, ArrayRef<StringAttr> laneParts) {
    const llvm::SmallBitVector &axes = sets.of(vector->getResult(0));
    SmallVector<StringAttr> dims;
    for (unsigned axis : axes.set_bits())
      if (stored[axis] && axis != laneAxis)
        dims.push_back(list.name(axis));
    llvm::append_range(dims, laneParts.drop_back());
    for (unsigned axis : axes.set_bits())
      if (reduced[axis])
        dims.push_back(list.name(axis));
    dims.push_back(laneParts.back());
    list.stage(vector, "vectors", dims, /*global=*/true);
  }

  KernelOp kernel;
  const HostTraits &traits;
  AxisSets sets;
  SmallVector<ContractOp> products;
  /// The operands that have the lanes.
  llvm::SetVector<Operation *> vectors;
  llvm::SmallBitVector stored, others{kernel.getNumAxes()}, reduced{kernel.getNumAxes()};
  bool areApart = true;
  unsigned laneAxis = 0;
  std::optional<unsigned> rowAxis;
};

} // namespace

void tw::schedule::host::proposeSeveralProducts(KernelOp kernel, const HostTraits &traits,
                                                SmallVectorImpl<HostCandidate> &candidates) {
  SeveralProducts(kernel, traits).propose(candidates);
}
