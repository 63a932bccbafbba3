// The strategy for products whose rows are reduced: a product and a norm, or a softmax, of its
// rows.
//
// A program computes the sums of a block of whole rows in register tiles, as a product does, and
// leaves them in local memory near the core, from where the reductions and the results take a row
// or some at a time. The blocks are as large as the second-level cache and the threads admit, so
// that the other operand is passed through as seldom as may be.
#include "Accesses.h"
#include "Balance.h"
#include "ListBuilder.h"
#include "Operands.h"
#include "Strategies.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

class ProductRows : Operands {
public:
  using Operands::Operands;

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (!matchWithRows() || outer.count() != 1 || !readOperands())
      return;
    laneAxis = outer.find_first();
    for (bool swapped : {false, true}) {
      scalar = &operands[swapped];
      vector = &operands[!swapped];
      std::optional<unsigned> rows = findAxis(*scalar, *vector);
      bool hasLanes = sets.of(vector->op->getResult(0))[laneAxis] &&
                      !sets.of(scalar->op->getResult(0))[laneAxis];
      if (!rows || !hasLanes || !stored[*rows] || extent(laneAxis) < traits.lanes)
        continue;
      rowAxis = *rows;
      enumerate(candidates);
    }
  }

private:
  struct Tile {
    int64_t rows, vectors;
    /// Multiply-adds for each operand that a step loads.
    double reuse() const { return double(rows * vectors) / double(rows + vectors); }
  };

  /// The register tiles that use what they load most often.
  SmallVector<Tile> findTiles() {
    constexpr size_t kTiles = 2;
    SmallVector<Tile> tiles;
    int64_t most = llvm::divideCeil(extent(laneAxis), traits.lanes);
    for (int64_t vectors = 1; vectors <= std::min<int64_t>(most, traits.registers / 2); ++vectors)
      if (int64_t rows = std::min(mostRows(vectors), extent(rowAxis)); rows > 0)
        tiles.push_back({rows, vectors});
    auto rank = [](const Tile &tile) { return std::pair(-tile.reuse(), tile.vectors); };
    llvm::sort(tiles, [&](const Tile &a, const Tile &b) { return rank(a) < rank(b); });
    tiles.truncate(std::min(tiles.size(), kTiles));
    return tiles;
  }

  void enumerate(SmallVectorImpl<HostCandidate> &candidates) {
    bool contiguous = strideOf(*vector, laneAxis) == 1;
    int64_t others = sets.points(stored) / extent(rowAxis);
    int64_t rowBytes = extent(laneAxis) * elementBytes();
    for (const Tile &tile : findTiles()) {
      int64_t rowTiles = llvm::divideCeil(extent(rowAxis), tile.rows);
      int64_t most =
          std::clamp<int64_t>(traits.l2Bytes / 2 / (rowBytes * tile.rows), 1,
                              std::max<int64_t>(1, rowTiles * others / programsFor(traits)));
      llvm::SmallSetVector<int64_t, 4> blocks;
      for (int64_t block : {most, most / 2, int64_t(1)})
        blocks.insert(findEven(rowTiles, std::max<int64_t>(block, 1)));
      for (int64_t block : blocks)
        for (bool pack : {false, true})
          for (bool together : {false, true})
            if (pack || contiguous)
              candidates.push_back({"product-rows", emit(tile, block, pack, together), {}});
    }
  }

  /// `together`: reductions take as many rows at a time as the product, and wait for each other as
  /// seldom; else row by row.
  ScheduleAttr emit(const Tile &tile, int64_t block, bool pack, bool together) {
    ListBuilder list(kernel);
    SmallVector<std::pair<StringRef, int64_t>> inner;
    if (block > 1)
      inner.push_back({"_b", block});
    inner.push_back({"_r", tile.rows});
    SmallVector<StringAttr> rowParts = list.divide(rowAxis, inner);
    int64_t lanes = std::min(tile.vectors * traits.lanes, extent(laneAxis));
    SmallVector<StringAttr> laneParts = list.divide(laneAxis, {{"_l", lanes}});
    for (unsigned axis : stored.set_bits())
      if (axis != rowAxis)
        list.grid.push_back(list.name(axis));
    if (rowParts.size() > 1)
      list.grid.push_back(rowParts.front());
    ArrayRef<StringAttr> rows = ArrayRef(rowParts).drop_front(rowParts.size() > 1);
    llvm::append_range(list.order, rows.drop_back(together));
    llvm::append_range(list.order, ArrayRef(laneParts).drop_back());
    SmallVector<StringAttr> depth;
    for (unsigned axis : reduced.set_bits())
      depth.push_back(list.name(axis));
    llvm::append_range(list.order, depth);
    if (together)
      list.tile.push_back(rows.back());
    list.tile.push_back(laneParts.back());

    // All lanes of a block of rows before the next one, and the tile's dimensions last.
    SmallVector<StringAttr> dims(rows.drop_back());
    llvm::append_range(dims, ArrayRef(laneParts).drop_back());
    dims.push_back(rows.back());
    dims.push_back(laneParts.back());
    list.stage(contract, "sum", dims, /*global=*/false);
    if (pack) {
      SmallVector<StringAttr> panel;
      for (unsigned axis : sets.of(vector->op->getResult(0)).set_bits())
        if (stored[axis])
          panel.push_back(list.name(axis));
      llvm::append_range(panel, ArrayRef(laneParts).drop_back());
      llvm::append_range(panel, depth);
      panel.push_back(laneParts.back());
      list.stage(vector->op, "vectors", panel, /*global=*/true);
    }
    keepFunctions(list);
    return list.finish();
  }

  /// Functions of a row that a reduction takes and something needs after it.
  void keepFunctions(ListBuilder &list) {
    for (Operation &op : kernel.getBody().front())
      if (isExpensive(&op) && sets.of(op.getResult(0))[laneAxis] &&
          llvm::any_of(op.getUsers(), llvm::IsaPred<ReduceOp>) && !op.hasOneUse())
        list.keep(&op, KeepPlace::Local);
  }

  const Operand *scalar = nullptr, *vector = nullptr;
  unsigned rowAxis = 0, laneAxis = 0;
};

} // namespace

void tw::schedule::host::proposeProductRows(KernelOp kernel, const HostTraits &traits,
                                            SmallVectorImpl<HostCandidate> &candidates) {
  ProductRows(kernel, traits).propose(candidates);
}
