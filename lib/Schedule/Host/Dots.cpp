// The strategy for contractions of bf16 and of bytes on CPUs that have dot instructions.
//
// One operand of the contraction runs along vector lanes (the columns, along which the result is
// contiguous), the other is repeated in all lanes (the rows). Columns are cut into blocks, one a
// program; a program packs its block of the operand along the lanes, groups interleaved, and runs
// all rows over it: nothing is packed twice, and threads share nothing but what they read.
#include "Strategies.h"

#include "../Strides.h"
#include "tw/Dialect/Kernel/AxisSets.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// The roles of a kernel's axes in its one contraction.
struct Roles {
  ContractOp contract;
  /// The operand that the columns belong to, and the other one.
  LoadOp columnLoad, rowLoad;
  unsigned column = 0;
  /// The longest axis of the other operand alone.
  std::optional<unsigned> row;
  /// The reduced axis that is split into groups, along which the other operand is contiguous.
  unsigned group = 0;
  SmallVector<unsigned> otherReduced, otherParallel;
};

int64_t getGroupSize(ContractOp contract, const HostTraits &traits) {
  Type type = contract.getLhs().getType();
  if (type == contract.getResult().getType())
    return 1;
  if (type.isBF16())
    return traits.bf16Dot ? 2 : 1;
  return type.isInteger(8) && traits.int8Dot ? 4 : 1;
}

/// Whether each coordinate is an index, and none is ever outside: no windows, no padding.
bool isPlain(LoadOp load) {
  view::MapAttr map = load.getMap();
  return map.getMap().isProjectedPermutation() && map.getGuards().empty() && !map.getOutside();
}

/// The roles, where the kernel is one contraction of two loads and what follows from it.
std::optional<Roles> findRoles(KernelOp kernel, const AxisSets &sets) {
  Roles roles;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<ReduceOp, ScanOp>(op) || (isa<ContractOp>(op) && roles.contract))
      return std::nullopt;
    if (auto contract = dyn_cast<ContractOp>(op))
      roles.contract = contract;
  }
  if (!roles.contract || kernel->getNumResults() != 1)
    return std::nullopt;
  auto lhs = roles.contract.getLhs().getDefiningOp<LoadOp>();
  auto rhs = roles.contract.getRhs().getDefiningOp<LoadOp>();
  if (!lhs || !rhs || lhs == rhs || !isPlain(lhs) || !isPlain(rhs))
    return std::nullopt;
  auto store = *kernel.getBody().getOps<StoreOp>().begin();
  llvm::SmallBitVector reduced = sets.reducedBy(roles.contract);
  std::optional<unsigned> column;
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis)
    if (!reduced[axis] && getUsualStride(store, kernel.getAxis(axis)) == 1)
      column = axis;
  if (!column || sets.of(lhs.getResult())[*column] == sets.of(rhs.getResult())[*column])
    return std::nullopt;
  roles.column = *column;
  bool isLeft = sets.of(lhs.getResult())[*column];
  roles.columnLoad = isLeft ? lhs : rhs;
  roles.rowLoad = isLeft ? rhs : lhs;
  const llvm::SmallBitVector &columnAxes = sets.of(roles.columnLoad.getResult());
  const llvm::SmallBitVector &rowAxes = sets.of(roles.rowLoad.getResult());

  std::optional<unsigned> group;
  for (unsigned axis : reduced.set_bits())
    if (columnAxes[axis] && rowAxes[axis] &&
        getUsualStride(roles.rowLoad, kernel.getAxis(axis)) == 1)
      group = axis;
  if (!group)
    return std::nullopt;
  roles.group = *group;
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis)
    if (!reduced[axis] && axis != *column && rowAxes[axis] && !columnAxes[axis] &&
        (!roles.row || kernel.getExtents()[axis] > kernel.getExtents()[*roles.row]))
      roles.row = axis;
  for (unsigned axis = 0; axis < kernel.getNumAxes(); ++axis) {
    if (axis == *column || axis == roles.row || axis == *group)
      continue;
    (reduced[axis] ? roles.otherReduced : roles.otherParallel).push_back(axis);
  }
  return roles;
}

class Writer {
public:
  Writer(KernelOp kernel, const HostTraits &traits, const Roles &roles, int64_t groupSize)
      : kernel(kernel), traits(traits), roles(roles), groupSize(groupSize) {}

  /// Tiles of `rows` rows by `vectors` vectors of columns.
  HostCandidate write(int64_t rows, int64_t vectors) {
    int64_t width = vectors * traits.lanes;
    rows = roles.row ? std::min(rows, extent(*roles.row)) : 1;
    StringAttr group = split(roles.group, {groupSize}).back();
    SmallVector<StringAttr> tile{group}, grid, order;
    for (unsigned axis : roles.otherParallel)
      grid.push_back(name(axis));

    SmallVector<StringAttr> parts = split(roles.column, {getBlockTiles(width), width});
    grid.push_back(parts[0]);
    SmallVector<StringAttr> panel;
    if (roles.row) {
      SmallVector<StringAttr> rowParts = split(*roles.row, {rows});
      order.push_back(rowParts[0]);
      tile.push_back(rowParts[1]);
    }
    order.push_back(parts[1]);
    panel.push_back(parts[1]);
    for (unsigned axis : roles.otherReduced) {
      order.push_back(name(axis));
      panel.push_back(name(axis));
    }
    StringAttr steps = text(kernel.getAxisName(roles.group) + "_o");
    order.push_back(steps);
    tile.push_back(parts[2]);
    panel.append({steps, parts[2], group});

    MLIRContext *context = kernel.getContext();
    primitives.push_back(GridAttr::get(context, grid));
    primitives.push_back(OrderAttr::get(context, order));
    primitives.push_back(TileAttr::get(context, tile));
    // Packing pays where enough rows use what was packed.
    if (roles.row && extent(*roles.row) >= 4 * rows)
      primitives.push_back(StageAttr::get(context, nameLoad(), panel, {}, /*global=*/false,
                                          /*window=*/false));
    primitives.push_back(ContractAttr::get(context, group));
    for (unsigned axis : edges)
      primitives.push_back(EdgeAttr::get(context, name(axis), EdgeMode::Peel));
    return {"dots", ScheduleAttr::get(context, primitives), estimate(rows, vectors)};
  }

private:
  KernelOp kernel;
  const HostTraits &traits;
  const Roles &roles;
  int64_t groupSize;
  SmallVector<Attribute> primitives;
  SmallVector<unsigned> edges;

  int64_t extent(unsigned axis) { return kernel.getExtents()[axis]; }
  StringAttr text(const Twine &value) { return StringAttr::get(kernel.getContext(), value); }
  StringAttr name(unsigned axis) { return text(kernel.getAxisName(axis)); }

  /// The names of the parts: what is left, then one per factor.
  SmallVector<StringAttr> split(unsigned axis, ArrayRef<int64_t> factors) {
    static constexpr StringLiteral suffixes[] = {"_o", "_m", "_i"};
    StringRef own = kernel.getAxisName(axis);
    SmallVector<StringAttr> parts{text(own + suffixes[0])};
    int64_t inner = 1;
    for (auto [i, factor] : llvm::enumerate(factors)) {
      parts.push_back(text(own + suffixes[i + 1 == factors.size() ? 2 : 1]));
      inner *= factor;
    }
    if (extent(axis) % inner)
      edges.push_back(axis);
    primitives.push_back(SplitAttr::get(kernel.getContext(), name(axis), parts, factors));
    return parts;
  }

  int64_t getReducedPoints() {
    int64_t points = extent(roles.group);
    for (unsigned axis : roles.otherReduced)
      points *= extent(axis);
    return points;
  }

  /// Tiles of columns in a program: its panel takes half of the second cache, and there are
  /// programs for several threads.
  int64_t getBlockTiles(int64_t width) {
    int64_t bytes = std::max<int64_t>(1, 4 / groupSize) * width * getReducedPoints();
    int64_t fits = std::max<int64_t>(1, traits.l2Bytes / 2 / std::max<int64_t>(1, bytes));
    constexpr int64_t kPrograms = 8;
    int64_t programs = 1;
    for (unsigned axis : roles.otherParallel)
      programs *= extent(axis);
    int64_t tiles = llvm::divideCeil(extent(roles.column), width);
    int64_t spread = std::max<int64_t>(1, tiles * programs / kPrograms);
    // Blocks of equal size.
    int64_t most = std::min({fits, spread, tiles});
    return llvm::divideCeil(tiles, llvm::divideCeil(tiles, most));
  }

  StringAttr nameLoad() {
    LoadOp load = roles.columnLoad;
    if (auto known = load->getAttrOfType<StringAttr>("name"))
      return known;
    StringAttr own = text("columns");
    while (llvm::any_of(*load->getBlock(),
                        [&](Operation &other) { return other.getAttr("name") == own; }))
      own = text(own.getValue() + "_");
    load->setAttr("name", own);
    return own;
  }

  /// Dots of every tile, the last ones smaller; what the panel streams from the second level, half
  /// of which no dots hide; and rows that push each other out of the first one.
  HostEstimate estimate(int64_t rows, int64_t vectors) {
    HostEstimate result;
    double perCycle = groupSize == 2 ? traits.bf16DotPerCycle : traits.int8DotPerCycle;
    // A dot takes longer than a multiply-add: fewer sums than it has cycles leave units idle.
    double latency = double(traits.fmaLatency + 2), loads = 0;
    constexpr double kStreamShare = 0.5;
    int64_t width = vectors * traits.lanes, rowExtent = roles.row ? extent(*roles.row) : 1;
    int64_t rowTiles = llvm::divideCeil(rowExtent, rows);
    int64_t columnTiles = llvm::divideCeil(extent(roles.column), width);
    int64_t lastVectors =
        llvm::divideCeil(extent(roles.column) - (columnTiles - 1) * width, traits.lanes);
    bool collides = roles.row && rows > getUsableLines();
    double vectorCycles = double(traits.lanes * 4) / traits.l2BytesPerCycle;
    double lineCycles = double(traits.lineBytes) / traits.l2BytesPerCycle;
    for (auto [r, countRows] :
         {std::pair(rows, rowTiles - 1), std::pair(rowExtent - (rowTiles - 1) * rows, int64_t(1))})
      for (auto [v, countColumns] :
           {std::pair(vectors, columnTiles - 1), std::pair(lastVectors, int64_t(1))}) {
        double count = double(countRows) * double(countColumns);
        result.compute += count * std::max(double(r * v) / perCycle, latency);
        loads += count * double(r + v) / traits.loadsPerCycle;
        result.overhead += count * kStreamShare *
                           (double(v) * vectorCycles + (collides ? double(r) * lineCycles : 0));
      }
    double steps = double(llvm::divideCeil(getReducedPoints(), groupSize));
    for (unsigned axis : roles.otherParallel)
      steps *= double(extent(axis));
    result.compute *= steps;
    result.l1 = loads * steps;
    result.overhead *= steps;
    result.registers = rows * vectors + vectors + 1;
    return result;
  }

  /// Rows whose lines the first cache holds at once.
  int64_t getUsableLines() {
    std::optional<int64_t> stride = getUsualStride(roles.rowLoad, kernel.getAxis(*roles.row));
    int64_t bytes = std::abs(stride.value_or(1)) * std::max<int64_t>(1, 4 / groupSize);
    int64_t sets = traits.l1Bytes / traits.lineBytes / traits.l1Ways;
    return traits.l1Ways * (sets / std::gcd(std::max<int64_t>(1, bytes / traits.lineBytes), sets));
  }
};

} // namespace

void tw::schedule::host::proposeDots(KernelOp kernel, const HostTraits &traits,
                                     SmallVectorImpl<HostCandidate> &candidates) {
  AxisSets sets(kernel);
  std::optional<Roles> roles = findRoles(kernel, sets);
  if (!roles)
    return;
  int64_t groupSize = getGroupSize(roles->contract, traits);
  // Short rows of columns leave lanes idle, and no group is in a short sum.
  if (groupSize == 1 || kernel.getExtents()[roles->column] < traits.lanes ||
      kernel.getExtents()[roles->group] < groupSize)
    return;
  for (int64_t vectors = 1; vectors <= 4; ++vectors) {
    int64_t rows = std::min<int64_t>((traits.registers - 1 - vectors) / vectors, 14);
    if (vectors > 1 && kernel.getExtents()[roles->column] < vectors * traits.lanes)
      continue;
    // Rows that leave a small last tile cost as much as a whole one.
    for (int64_t fewer = rows; fewer >= std::max<int64_t>(1, rows - 4); --fewer)
      candidates.push_back(Writer(kernel, traits, *roles, groupSize).write(fewer, vectors));
  }
}
