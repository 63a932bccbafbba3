// One row by a matrix of narrow elements: bound by reading the matrix, which is read in its order.
//
//   for ko: for columns: for ki: sums += dot(groups of rows)
//
// A tile that ran through all of k would touch a page for each row of every group.
#include "Dots.h"

#include "ListBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

/// Rows of the matrix that are read side by side: as many streams as a cache of few ways holds, of
/// rows that collide in it.
static constexpr int64_t kStreams = 8;

/// Strips for several threads: of a page or more in each row of the matrix, or two of half of one.
static int64_t countStrips(int64_t rowBytes, int64_t page) {
  constexpr int64_t kMost = 8;
  return std::clamp<int64_t>(rowBytes / page, std::clamp<int64_t>(2 * rowBytes / page, 1, 2),
                             kMost);
}

void tw::schedule::host::proposeDotSweep(const DotRow &row, const HostTraits &traits,
                                         SmallVectorImpl<HostCandidate> &candidates) {
  Product &product = row.product;
  KernelOp kernel = product.kernel;
  int64_t n = product.extent(row.column), k = product.extent(row.group);
  // A line of each row, whose groups are interleaved in registers.
  int64_t bytes = 4 / row.groupSize;
  int64_t tile = std::max<int64_t>(traits.lanes, traits.lineBytes / bytes);
  auto stores = kernel.getBody().getOps<StoreOp>();
  if (n < 2 * tile || k < 2 * kStreams || product.reduced.count() != 1 ||
      !llvm::hasSingleElement(stores) ||
      (*stores.begin()).getValue() != product.contract.getResult())
    return;
  ListBuilder list(kernel);
  SmallVector<std::pair<StringRef, int64_t>> factors{{"_l", tile}};
  bool isAlone = product.sets.points(product.stored) == n;
  int64_t tiles = llvm::divideCeil(n, tile),
          strips = isAlone ? countStrips(n * bytes, traits.pageBytes) : 1;
  if (strips > 1)
    factors.insert(factors.begin(), {"_b", llvm::divideCeil(tiles, strips)});
  SmallVector<StringAttr> lanes = list.divide(row.column, factors);
  int64_t groups = kStreams / row.groupSize;
  SmallVector<StringAttr> steps = list.divide(row.group, {{"_r", groups}, {"_i", row.groupSize}});
  for (unsigned axis : product.stored.set_bits())
    if (axis != row.column)
      list.grid.push_back(list.name(axis));
  if (strips > 1)
    list.grid.push_back(lanes[0]);
  list.order = {steps[0], lanes[lanes.size() - 2], steps[1]};
  list.tile = {steps[2], lanes.back()};
  list.unroll(steps[1]);
  list.keep(product.contract, KeepPlace::Result, "sum");
  list.contract(steps[2]);
  double others = double(product.sets.points(product.stored)) / double(n);
  double matrix = double(n) * double(k) * double(bytes) * others;
  // Short rows of bytes end before what fetches them ahead has caught up with them.
  constexpr int64_t kBytes = 4;
  if (row.groupSize == kBytes && matrix > double(traits.l2Bytes) &&
      n * bytes <= traits.pageBytes / 2)
    list.prefetch(row.columns, kStreams * n);
  candidates.push_back({"dots", list.finish()});
}
