// Draws where axes run: in the grid, the tile, or loops.
#include "Drawer.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::fuzz;

void Drawer::drawRoles() {
  // Reduced loops may then lie outside of those of the sum.
  if (!sums.empty() && chance(20))
    add(KeepAttr::get(context, pick(sums), chance(50) ? KeepPlace::Result : KeepPlace::Local));
  bool online = !onlineAxes.empty() && chance(40) && drawOnline();
  if (!online)
    drawPlaces();
  if (!shareable.empty() && chance(40))
    drawTeam();
  if (!skippable.empty() && chance(40))
    add(SkipAttr::get(context, pick(skippable)));
  else if (!sums.empty() && chance(4))
    add(SkipAttr::get(context, pick(leaves).name));
  if (!sums.empty())
    for (const Leaf &leaf : leaves)
      if (leaf.reduced && chance(leaf.extent == group ? 80 : 2))
        add(ContractAttr::get(context, leaf.name));
}

void Drawer::drawPlaces() {
  SmallVector<StringAttr> grid, tile, order;
  SmallVector<Leaf> shuffled(leaves);
  if (chance(70))
    std::shuffle(shuffled.begin(), shuffled.end(), random);
  int64_t elements = 1;
  std::optional<size_t> groupAt;
  for (const Leaf &leaf : shuffled) {
    bool isGroup = group && leaf.reduced && leaf.extent == group;
    unsigned role = isGroup ? 70 : below(100);
    bool fits = elements * leaf.extent <= mostElements;
    if (role < (leaf.reduced ? 2u : 40u)) {
      grid.push_back(leaf.name);
    } else if (role < 75 && fits && tile.size() < 4) {
      if (isGroup)
        groupAt = tile.size();
      tile.push_back(leaf.name);
      elements *= leaf.extent;
    } else if (role < 95) {
      order.push_back(leaf.name);
      loops.push_back(leaf);
    }
  }
  // The lanes are no group.
  if (groupAt && *groupAt + 1 == tile.size() && chance(85))
    std::swap(tile.front(), tile.back());
  if (!grid.empty())
    add(GridAttr::get(context, grid));
  if (!order.empty() && !add(OrderAttr::get(context, order))) {
    // In the order of the kernel it is mostly legal.
    SmallVector<StringAttr> sorted;
    for (const Leaf &leaf : leaves)
      if (llvm::is_contained(order, leaf.name))
        sorted.push_back(leaf.name);
    add(OrderAttr::get(context, sorted));
  }
  if (!loops.empty() && chance(10))
    if (const Leaf &leaf = pick(loops); leaf.reduced)
      add(OnlineAttr::get(context, leaf.name));
  while (!tile.empty() && !add(TileAttr::get(context, tile)))
    tile.erase(tile.begin() + below(tile.size()));
}

bool Drawer::drawOnline() {
  unsigned axis = pick(onlineAxes);
  SmallVector<StringAttr> grid, tile, around, own, inside;
  SmallVector<Leaf> shuffled(leaves);
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  int64_t elements = 1;
  for (const Leaf &leaf : shuffled) {
    bool fits = elements * leaf.extent <= mostElements && tile.size() < 4;
    if (leaf.axis == axis)
      continue;
    if (fits && chance(leaf.reduced ? 20 : 45)) {
      tile.push_back(leaf.name);
      elements *= leaf.extent;
    } else if (leaf.reduced) {
      inside.push_back(leaf.name);
    } else if (chance(maximum->along[leaf.axis] ? 40 : 95)) {
      grid.push_back(leaf.name);
    } else {
      around.push_back(leaf.name);
    }
  }
  for (const Leaf &leaf : leaves)
    if (leaf.axis == axis)
      own.push_back(leaf.name);
  SmallVector<StringAttr> order(around);
  order.append(own);
  order.append(inside);
  SmallVector<Attribute> primitives;
  if (!grid.empty())
    primitives.push_back(GridAttr::get(context, grid));
  if (!tile.empty())
    primitives.push_back(TileAttr::get(context, tile));
  primitives.push_back(OrderAttr::get(context, order));
  primitives.push_back(OnlineAttr::get(context, own.front()));
  if (!add(primitives))
    return false;
  for (const Leaf &leaf : leaves)
    if (llvm::is_contained(order, leaf.name))
      loops.push_back(leaf);
  return true;
}

void Drawer::drawTeam() {
  SmallVector<StringAttr> order;
  for (Attribute primitive : list)
    if (auto given = dyn_cast<OrderAttr>(primitive))
      llvm::append_range(order, given.getAxes());
  for (const Leaf &leaf : leaves)
    if (!llvm::is_contained(order, leaf.name))
      order.push_back(leaf.name);
  size_t count = 1 + (chance(25) ? 1 : 0);
  // Most axes of a draw are in the grid or the tile, are reduced, or lie inside of what is reduced.
  for (unsigned tries = 0; tries < 5; ++tries) {
    auto shared = ArrayRef(order).drop_front(below(order.size())).take_front(count);
    if (add(TeamAttr::get(context, shared)))
      return;
  }
}
