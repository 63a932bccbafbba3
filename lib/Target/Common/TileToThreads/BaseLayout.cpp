// The choice of a component's base layout.
#include "BaseLayout.h"

#include "Expressions.h"
#include "Scalars.h"

#include "tw/Dialect/View/Algebra.h"
#include "tw/Layout/Axes.h"
#include "tw/Target/Common/Gpu.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;
using layout::Resource;

//===-- Accesses ----------------------------------------------------------===//

static int64_t elementBytes(Type element) {
  return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Whether elements of which the access names the first are accessed, over the dims of its map.
template <typename Op>
static std::optional<Mask> findMask(Op op, MemRefType memory, const std::vector<layout::Expr> &dims,
                                    layout::DimRanges ranges) {
  Mask mask;
  for (view::GuardAttr guard : op.getMap().getGuards())
    for (auto [expr, equality] :
         llvm::zip(guard.getSet().getConstraints(), guard.getSet().getEqFlags())) {
      std::optional<layout::Expr> condition = view::toLayout(expr);
      if (!condition)
        return std::nullopt;
      mask.require({layout::substitute(*condition, dims, ranges), equality}, ranges);
    }
  for (auto [d, expr] : llvm::enumerate(op.getMap().getMap().getResults())) {
    if (op.getInBounds() && (*op.getInBounds())[d])
      continue;
    std::optional<layout::Expr> coordinate = view::toLayout(expr);
    if (!coordinate)
      return std::nullopt;
    mask.requireInside(layout::substitute(*coordinate, dims, ranges), memory.getDimSize(d), ranges);
  }
  return mask;
}

/// Neighbours along a dimension of the tile, at most `width`, of which all are accessed or none: no
/// others are one access.
template <typename Op>
static int64_t countTogether(Op op, MemRefType memory, unsigned dim, int64_t width,
                             std::vector<layout::Range> ranges) {
  std::vector<layout::Expr> dims;
  for (unsigned d = 0; d < ranges.size(); ++d)
    dims.push_back(layout::Expr::dim(d));
  int64_t extent = ranges[dim].max + 1;
  for (; width > 1; width /= 2) {
    ranges[dim] = layout::Range::ofExtent(extent / width);
    auto at = [&](int64_t i) {
      dims[dim] = layout::Expr::dim(dim) * width + i;
      return findMask(op, memory, dims, ranges);
    };
    std::optional<Mask> first = at(0);
    bool isTogether = first.has_value();
    for (int64_t i = 1; i < width && isTogether; ++i)
      isTogether = at(i) == first;
    if (isTogether)
      break;
  }
  return width;
}

template <typename Op>
static std::optional<AccessShape> describe(Op op, Value memory, Value tile, int64_t vectorBytes) {
  auto memoryType = cast<MemRefType>(memory.getType());
  auto type = cast<RankedTensorType>(tile.getType());
  unsigned rank = type.getRank();
  AccessShape access;
  access.op = op;
  access.tile = tile;
  access.isLocal = tile::isLocal(memoryType);
  access.strides.assign(rank, std::nullopt);
  access.widths.assign(rank, 1);
  int64_t bytes = elementBytes(type.getElementType());
  access.runs = countRuns(op);
  access.weight = access.runs * type.getNumElements() * bytes;

  std::vector<layout::Range> ranges = layout::rangesOfExtents(type.getShape());
  std::vector<int64_t> point(rank, 0);
  for (Value index : op.getIndices()) {
    bool isTile = isa<RankedTensorType>(index.getType());
    access.isGather |= isTile;
    ranges.push_back(isTile ? layout::Range() : getRange(index));
    point.push_back(ranges.back().min == INT64_MIN ? 0 : ranges.back().min);
  }
  layout::Expr address;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(memoryType.getStridesAndOffset(strides, offset)))
    return access;
  for (auto [expr, stride] : llvm::zip(op.getMap().getMap().getResults(), strides)) {
    std::optional<layout::Expr> coordinate = view::toLayout(expr);
    if (!coordinate)
      return access;
    address = address + *coordinate * stride;
  }
  address = layout::simplify(address, ranges);
  int64_t widest = getMaxVectorElements(vectorBytes, bytes);
  for (unsigned d = 0; d < rank; ++d) {
    int64_t extent = type.getDimSize(d);
    if (extent == 1) {
      access.strides[d] = 0;
      continue;
    }
    // Where divisions break the dimension into rows, the step inside of a row counts.
    std::vector<int64_t> next = point;
    next[d] = 1;
    access.strides[d] = address.evaluate(next) - address.evaluate(point);
    if (!access.isGather)
      access.widths[d] = countTogether(
          op, memoryType, d,
          layout::vectorWidth(address, d, extent, widest, /*aligned=*/true, ranges), ranges);
  }
  if (!access.isGather) {
    access.address = address;
    access.point = point;
  }
  return access;
}

std::optional<AccessShape> tw::threads::describeAccess(Operation *op, int64_t vectorBytes) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return describe(load, load.getSource(), load.getResult(), vectorBytes);
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return describe(store, store.getDestination(), store.getValue(), vectorBytes);
  return std::nullopt;
}

bool tw::threads::isScannable(const layout::TileLayout &layout, unsigned dim) {
  int64_t next = 1;
  bool isShared = false;
  for (Resource resource : layout::allResources) {
    SmallVector<int64_t> offsets;
    for (const layout::Basis &basis : layout.bases[size_t(resource)])
      if (basis[dim] != 0)
        offsets.push_back(basis[dim]);
    llvm::sort(offsets);
    for (int64_t offset : offsets) {
      if (offset != next)
        return false;
      next *= 2;
    }
    isShared |= resource != Resource::Reg && !offsets.empty();
  }
  return llvm::none_of(layout.repetitions, [&](const layout::Repetition &repetition) {
    return repetition.dim == dim && (isShared || repetition.resource != Resource::Reg);
  });
}

layout::TileLayout tw::threads::chooseScanLayout(ArrayRef<int64_t> shape, unsigned dim,
                                                 const ThreadShape &threads) {
  // Rows whose extent is no power of two are each in one thread.
  int64_t extent = shape[dim];
  bool isShared = llvm::isPowerOf2_64(extent);
  SmallVector<int64_t> block(shape.size(), 1);
  block[dim] = isShared ? llvm::divideCeil(extent, threads.lanes * threads.warps)
                        : int64_t(1) << llvm::countr_zero(uint64_t(extent));
  SmallVector<unsigned> order{dim};
  for (unsigned d = shape.size(); d-- > 0;)
    if (d != dim)
      order.push_back(d);
  return layout::TileLayout::distribute(shape, block, order, threads.lanes, threads.warps);
}

layout::TileLayout tw::threads::sliceFor(const layout::TileLayout &base, ArrayRef<int64_t> shape) {
  SmallVector<unsigned> dims;
  for (auto [d, extent] : llvm::enumerate(shape))
    if (extent == 1 && base.shape[d] != 1)
      dims.push_back(d);
  return base.slice(dims);
}

//===-- Choice ------------------------------------------------------------===//

/// Elements that a thread moves at once.
static int64_t getWidth(const layout::TileLayout &own, const AccessShape &access) {
  for (auto [d, stride] : llvm::enumerate(access.strides))
    if (stride && *stride == 1 && own.contiguousRegisters(d) > 1)
      return std::min(access.widths[d], own.contiguousRegisters(d));
  return 1;
}

/// An access takes as long as one of a line of 128 bytes at least.
static constexpr int64_t lineSectors = 4;

int64_t tw::threads::countSectors(const layout::TileLayout &base, const AccessShape &access,
                                  int64_t least) {
  constexpr int64_t sectorBytes = 32, most = 16, few = 32;
  auto type = cast<RankedTensorType>(access.tile.getType());
  layout::TileLayout own = sliceFor(base, type.getShape());
  int64_t width = getWidth(own, access), bytes = elementBytes(type.getElementType()), count = 0;
  int64_t accesses = own.count(Resource::Reg) / width, all = accesses * own.count(Resource::Warp);
  int64_t seen = all <= few ? all : std::min(accesses, most);
  std::vector<int64_t> point = access.point;
  SmallVector<int64_t> sectors;
  for (int64_t i = 0; i < seen; ++i) {
    sectors.clear();
    for (int64_t lane = 0; lane < own.count(Resource::Lane); ++lane) {
      std::vector<int64_t> element = own.coordinates({i % accesses * width, lane, i / accesses});
      std::copy(element.begin(), element.end(), point.begin());
      int64_t first = access.address->evaluate(point) * bytes;
      int64_t last = llvm::divideFloorSigned(first + width * bytes - 1, sectorBytes);
      for (int64_t s = llvm::divideFloorSigned(first, sectorBytes); s <= last; ++s)
        sectors.push_back(s);
    }
    llvm::sort(sectors);
    count +=
        std::max<int64_t>(least, std::unique(sectors.begin(), sectors.end()) - sectors.begin());
  }
  return count * accesses / seen * access.runs;
}

/// Cycles of the banks for one access of a subgroup. All of a plain layout are like the first.
static int64_t countConflicts(const layout::TileLayout &base, const AccessShape &access) {
  auto type = cast<RankedTensorType>(access.tile.getType());
  layout::TileLayout own = sliceFor(base, type.getShape());
  SmallVector<int64_t> strides;
  for (const std::optional<int64_t> &stride : access.strides) {
    if (!stride)
      return 1;
    strides.push_back(*stride);
  }
  int64_t width = getWidth(own, access);
  own.bases[size_t(Resource::Reg)].resize(llvm::Log2_64(width));
  own.bases[size_t(Resource::Warp)].clear();
  llvm::erase_if(own.repetitions, [](const layout::Repetition &repetition) {
    return repetition.resource != Resource::Lane;
  });
  return layout::countBankConflicts(own, strides, elementBytes(type.getElementType()), width);
}

namespace {

/// What layouts of one frame may differ in.
struct LayoutVariant {
  /// The dimension that is the row of memory; that along which most bytes run.
  std::optional<unsigned> row;
  /// Whether a thread has neighbours of a row.
  bool vectors = true;
  /// Lanes take no more than so many bits of the row while there are others.
  unsigned mostRowLaneBits = 64;
  /// Registers, or warps where threads hold fewer, take so many bits of the rows before lanes do.
  unsigned blockBits = 0;
};

class LayoutChoice {
public:
  LayoutChoice(ArrayRef<int64_t> frame, const ThreadShape &threads, const LayoutVariant &variant)
      : threads(threads), variant(variant) {
    layout.shape.assign(frame.begin(), frame.end());
    layout.atom.assign(frame.size(), 1);
    for (int64_t extent : frame)
      spare.push_back(llvm::countr_zero(uint64_t(extent)));
  }

  layout::TileLayout choose(ArrayRef<AccessShape> accesses, ArrayRef<Value> tiles) {
    unsigned rank = spare.size();
    order = orderDims(accesses);
    unsigned total = 0;
    for (unsigned bits : spare)
      total += bits;
    unsigned threadBits = llvm::Log2_64(threads.lanes) + llvm::Log2_64(threads.warps);
    unsigned registerBits = total > threadBits ? total - threadBits : 0;
    unsigned vectorBits =
        rank && variant.vectors ? std::min(registerBits, getVectorBits(accesses)) : 0;
    llvm::SmallBitVector reduced(rank), scanned(rank), multiplied(rank);
    for (Value tile : tiles)
      inspect(tile, reduced, scanned, multiplied);
    if (multiplied.any())
      shareOut(registerBits, vectorBits, multiplied);
    else
      fill(vectorBits, registerBits, reduced, scanned);
    for (Resource resource : {Resource::Lane, Resource::Warp}) {
      auto &bases = layout.bases[size_t(resource)];
      while (bases.size() <
             llvm::Log2_64(resource == Resource::Lane ? threads.lanes : threads.warps))
        bases.push_back(layout::Basis(rank, 0));
    }
    for (unsigned dim : llvm::reverse(order))
      if (int64_t count = layout.shape[dim] / layout.atom[dim]; count > 1)
        layout.repetitions.push_back({Resource::Reg, dim, count});
    return layout;
  }

private:
  const ThreadShape &threads;
  const LayoutVariant &variant;
  layout::TileLayout layout;
  /// Bits of each dimension that nothing holds yet.
  SmallVector<unsigned> spare;
  /// The dimensions, that along which memory is contiguous first.
  SmallVector<unsigned> order;

  SmallVector<unsigned> orderDims(ArrayRef<AccessShape> accesses) const {
    // Local memory hardly minds the order.
    constexpr int64_t localShare = 8;
    SmallVector<int64_t> votes(spare.size(), 0);
    for (const AccessShape &access : accesses)
      for (auto [vote, stride] : llvm::zip(votes, access.strides))
        if (stride && std::abs(*stride) == 1)
          vote += access.isLocal ? access.weight / localShare : access.weight;
    SmallVector<unsigned> dims = llvm::to_vector(llvm::seq<unsigned>(0, spare.size()));
    std::sort(dims.begin(), dims.end(), [&](unsigned a, unsigned b) {
      return votes[a] != votes[b] ? votes[a] > votes[b] : a > b;
    });
    if (variant.row)
      std::rotate(dims.begin(), llvm::find(dims, *variant.row),
                  std::next(llvm::find(dims, *variant.row)));
    return dims;
  }

  /// Of the heaviest access that varies along the first dimension; global ones first.
  unsigned getVectorBits(ArrayRef<AccessShape> accesses) const {
    const AccessShape *heaviest = nullptr;
    for (const AccessShape &access : accesses) {
      if (!access.strides[order[0]] || std::abs(*access.strides[order[0]]) != 1)
        continue;
      if (!heaviest || std::pair(!access.isLocal, access.weight) >
                           std::pair(!heaviest->isLocal, heaviest->weight))
        heaviest = &access;
    }
    return heaviest ? llvm::Log2_64(heaviest->widths[order[0]]) : 0;
  }

  static void inspect(Value tile, llvm::SmallBitVector &reduced, llvm::SmallBitVector &scanned,
                      llvm::SmallBitVector &multiplied) {
    if (auto mma = tile.getDefiningOp<tile::MmaOp>()) {
      // Where one operand has all dimensions, each element of it is used once.
      llvm::SmallBitVector ofLeft(multiplied.size()), ofRight(multiplied.size());
      for (auto [d, left, right] :
           llvm::enumerate(cast<RankedTensorType>(mma.getLhs().getType()).getShape(),
                           cast<RankedTensorType>(mma.getRhs().getType()).getShape()))
        if (left != right)
          (left > right ? ofLeft : ofRight).set(d);
      if (ofLeft.any() && ofRight.any())
        multiplied |= ofLeft |= ofRight;
    }
    for (Operation *user : tile.getUsers()) {
      if (auto reduce = dyn_cast<tile::ReduceOp>(user))
        for (int64_t dim : reduce.getDims())
          reduced.set(dim);
      if (auto scan = dyn_cast<tile::ScanOp>(user))
        scanned.set(scan.getDim());
    }
  }

  bool grow(Resource resource, unsigned dim) {
    if (spare[dim] == 0)
      return false;
    layout::Basis basis(spare.size(), 0);
    basis[dim] = layout.atom[dim];
    layout.atom[dim] *= 2;
    layout.bases[size_t(resource)].push_back(basis);
    --spare[dim];
    return true;
  }

  /// Vector, lanes along the order, warps along what is not reduced and then along the rest. Of
  /// what is scanned a thread has neighbours alone.
  void fill(unsigned vectorBits, unsigned registerBits, const llvm::SmallBitVector &reduced,
            const llvm::SmallBitVector &scanned) {
    for (unsigned i = 0; i < vectorBits; ++i)
      grow(Resource::Reg, order[0]);
    for (unsigned dim : scanned.set_bits())
      while (vectorBits < registerBits && grow(Resource::Reg, dim))
        ++vectorBits;
    unsigned lanes = llvm::Log2_64(threads.lanes), warps = llvm::Log2_64(threads.warps);
    for (unsigned i = 0; order.size() > 1 && i < variant.blockBits; ++i) {
      bool inThread = i < registerBits - vectorBits;
      if (!inThread && (warps == 0 || reduced[order[1]] || scanned[order[1]]))
        break;
      if (grow(inThread ? Resource::Reg : Resource::Warp, order[1]) && !inThread)
        --warps;
    }
    auto fillLanes = [&](unsigned dim, unsigned most) {
      for (most = std::min(most, lanes); most > 0 && grow(Resource::Lane, dim); --most)
        --lanes;
    };
    for (unsigned dim : order)
      fillLanes(dim, dim == order[0] ? variant.mostRowLaneBits : lanes);
    if (!order.empty())
      fillLanes(order[0], lanes);
    for (bool last : {false, true})
      for (unsigned dim : order)
        while ((reduced[dim] || scanned[dim]) == last && warps > 0 && grow(Resource::Warp, dim))
          --warps;
  }

  /// Registers and lanes in blocks as square as they get: each element of an operand is used many
  /// times.
  void shareOut(unsigned registerBits, unsigned vectorBits,
                const llvm::SmallBitVector &multiplied) {
    constexpr unsigned lowestBits = 2, rowLaneBits = 3;
    unsigned rank = spare.size(), row = order[0];
    SmallVector<unsigned> registers(rank, 0);
    // The dimension that has fewest; the row last.
    auto least = [&](ArrayRef<unsigned> counts, ArrayRef<unsigned> room, bool multipliedOnly) {
      std::optional<unsigned> best;
      for (unsigned dim : llvm::reverse(order))
        if (room[dim] > 0 && (multiplied[dim] || !multipliedOnly) &&
            (!best || counts[dim] < counts[*best]))
          best = dim;
      return best;
    };
    SmallVector<unsigned> room(spare);
    auto take = [&](SmallVector<unsigned> &counts, unsigned dim) {
      ++counts[dim];
      --room[dim];
    };
    for (unsigned i = 0; i < vectorBits; ++i)
      take(registers, row);
    for (unsigned i = vectorBits; i < registerBits; ++i) {
      std::optional<unsigned> dim = least(registers, room, /*multipliedOnly=*/true);
      if (!dim)
        dim = least(registers, room, /*multipliedOnly=*/false);
      take(registers, *dim);
    }
    for (unsigned dim : order)
      for (unsigned i = 0; i < std::min(registers[dim], lowestBits); ++i)
        grow(Resource::Reg, dim);
    SmallVector<unsigned> counts(rank, 0);
    for (Resource resource : {Resource::Lane, Resource::Warp}) {
      unsigned bits = llvm::Log2_64(resource == Resource::Lane ? threads.lanes : threads.warps);
      if (resource == Resource::Lane)
        for (; bits > 0 && counts[row] < rowLaneBits && room[row] > 0; --bits) {
          take(counts, row);
          grow(resource, row);
        }
      for (; bits > 0; --bits) {
        std::optional<unsigned> dim = least(counts, room, /*multipliedOnly=*/false);
        if (!dim)
          break;
        take(counts, *dim);
        grow(resource, *dim);
      }
    }
  }
};

} // namespace

/// The dimensions along which accesses of global memory go through neighbours.
static llvm::SmallBitVector findRows(ArrayRef<AccessShape> accesses, unsigned rank) {
  llvm::SmallBitVector rows(rank);
  for (const AccessShape &access : accesses)
    for (auto [d, stride] : llvm::enumerate(access.strides))
      if (!access.isLocal && stride && std::abs(*stride) == 1)
        rows.set(d);
  return rows;
}

layout::TileLayout tw::threads::chooseLayout(ArrayRef<int64_t> frame,
                                             ArrayRef<AccessShape> accesses, ArrayRef<Value> tiles,
                                             const ThreadShape &threads) {
  // What is less than a twentieth apart counts as equal.
  constexpr int64_t parts = 20;
  auto choose = [&](const LayoutVariant &variant) {
    return LayoutChoice(frame, threads, variant).choose(accesses, tiles);
  };
  auto countAllSectors = [&](const layout::TileLayout &layout) {
    int64_t sectors = 0;
    for (const AccessShape &access : accesses)
      if (!access.isLocal && access.address)
        sectors += countSectors(layout, access, lineSectors);
    return sectors;
  };
  LayoutVariant variant;
  layout::TileLayout best = choose(variant);
  llvm::SmallBitVector rows = findRows(accesses, frame.size());
  int64_t sectors = countAllSectors(best);
  // The row along which lanes ask for the fewest sectors; it may be too short for them, or no two
  // of its elements be read at once.
  for (unsigned row : rows.set_bits())
    for (bool vectors : {true, false}) {
      LayoutVariant other{row, vectors};
      layout::TileLayout layout = choose(other);
      if (layout == best)
        continue;
      if (int64_t own = countAllSectors(layout); own * parts < sectors * (parts - 1)) {
        sectors = own;
        best = layout;
        variant = other;
      }
    }
  // Where banks conflict less, lanes take fewer neighbours of a row, but no more sectors, as where
  // local memory is written across its rows, or rows that lie apart, between which are those of
  // other registers.
  constexpr unsigned mostBlockBits = 2;
  auto countAllConflicts = [&](const layout::TileLayout &layout) {
    int64_t cycles = 0;
    for (const AccessShape &access : accesses)
      if (access.isLocal && !access.isGather)
        cycles += access.weight * countConflicts(layout, access);
    return cycles;
  };
  int64_t fewest = countAllConflicts(best);
  for (variant.blockBits = 0; variant.blockBits <= mostBlockBits; ++variant.blockBits)
    for (unsigned bits = llvm::Log2_64(threads.lanes) + 1; bits-- > 0 && fewest > 0;) {
      variant.mostRowLaneBits = bits;
      layout::TileLayout layout = choose(variant);
      if (layout == best)
        continue;
      if (int64_t cycles = countAllConflicts(layout);
          cycles < fewest && countAllSectors(layout) * parts <= sectors * (parts + 1)) {
        fewest = cycles;
        best = layout;
      }
    }
  return best;
}

std::optional<layout::TileLayout> tw::threads::findRowLayout(const AccessShape &access,
                                                             const layout::TileLayout &base,
                                                             const ThreadShape &threads,
                                                             int64_t leastGain) {
  constexpr int64_t shortestRow = 8, smallestTile = 64;
  auto type = cast<RankedTensorType>(access.tile.getType());
  // What several threads have comes from the caches.
  if (access.isLocal || !access.address || type.getNumElements() < smallestTile ||
      !llvm::equal(type.getShape(), base.shape))
    return std::nullopt;
  bool hasRows = false;
  for (auto [stride, extent] : llvm::zip(access.strides, type.getShape()))
    hasRows |= stride && *stride == 1 && extent >= shortestRow;
  if (!hasRows)
    return std::nullopt;
  layout::TileLayout own = chooseLayout(type.getShape(), access, {}, threads);
  bool isWorse = llvm::all_of(ArrayRef<int64_t>{1, lineSectors}, [&](int64_t least) {
    return countSectors(base, access, least) >= leastGain * countSectors(own, access, least);
  });
  return isWorse ? std::optional(own) : std::nullopt;
}
