// The choice of trades for a store of what matrix units sum.
//
// Lanes of a unit have two neighbours of a row each, and four of them a row of eight: of elements
// of 16 bits that is half a sector. Where the next eight are in other registers of these lanes, a
// lane gives one half of what it has for one of its neighbour's, and both have four neighbours.
#include "LaneTrades.h"

#include "tw/Layout/LaneTrade.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;
using layout::Resource;

/// Neighbours along the dimension become the lowest registers.
static layout::TileLayout putNeighboursFirst(layout::TileLayout layout, unsigned dim) {
  std::vector<layout::Basis> along, others;
  auto &registers = layout.bases[size_t(Resource::Reg)];
  for (const layout::Basis &basis : registers)
    (basis[dim] == 0 ? others : along).push_back(basis);
  llvm::sort(along);
  registers = along;
  llvm::append_range(registers, others);
  return layout;
}

SmallVector<layout::TileLayout> tw::threads::findLaneTrades(const AccessShape &access,
                                                            const layout::TileLayout &base) {
  constexpr int64_t parts = 4;
  SmallVector<layout::TileLayout> trades;
  auto shape = cast<RankedTensorType>(access.tile.getType()).getShape();
  const auto *row = llvm::find_if(
      access.strides, [](const std::optional<int64_t> &stride) { return stride && *stride == 1; });
  if (access.isLocal || !access.address || row == access.strides.end() || !base.isPlain() ||
      !llvm::equal(shape, base.shape))
    return trades;
  auto dim = unsigned(row - access.strides.begin());
  layout::TileLayout current = base;
  for (int64_t sectors = countSectors(base, access, 1), before = 0; before != sectors;) {
    before = sectors;
    layout::TileLayout best;
    for (auto [lane, ofLane] : llvm::enumerate(current.bases[size_t(Resource::Lane)]))
      for (auto [reg, ofReg] : llvm::enumerate(current.bases[size_t(Resource::Reg)])) {
        if (ofLane[dim] == 0 || ofReg[dim] == 0)
          continue;
        layout::TileLayout layout =
            putNeighboursFirst(layout::trade(current, {unsigned(reg), unsigned(lane)}), dim);
        int64_t own = countSectors(layout, access, 1);
        if (own * parts <= before * (parts - 1) && own < sectors) {
          sectors = own;
          best = layout;
        }
      }
    if (sectors < before)
      trades.push_back(current = best);
  }
  return trades;
}
