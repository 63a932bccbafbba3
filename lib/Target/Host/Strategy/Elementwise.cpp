// Elementwise kernels whose memory is contiguous along one axis: vectors along it, a run of axes as
// long as the accesses allow, and stores past the caches for what does not fit them.
#include "Accesses.h"
#include "ListBuilder.h"
#include "Strategies.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

/// Programs enough for any pool of threads to share evenly.
static constexpr int64_t kEnoughPrograms = 64;

/// A load that is contiguous along another run than the stores: blocks along both, transposed in
/// registers, each line of memory touched by one block only. So many of them along what is read and
/// along what is written are a program, where they divide both.
static bool proposeTransposition(KernelOp kernel, const HostTraits &traits,
                                 const Accesses &accesses, ArrayRef<AxisGroup> runs,
                                 std::pair<int64_t, int64_t> blocks, ListBuilder &list) {
  const AxisGroup &written = runs.back();
  auto movesBy = [&](const Access &access, const AxisGroup &run, int64_t stride) {
    return accesses.getStride(access, run.fastest()) == stride;
  };
  const AxisGroup *read = nullptr;
  for (const AxisGroup &run : ArrayRef(runs).drop_back())
    if (run.extent >= traits.lanes && llvm::any_of(accesses.all(), [&](const Access &access) {
          return !access.isStore && movesBy(access, run, 1);
        }))
      read = &run;
  if (!read || written.extent < traits.lanes)
    return false;
  for (const Access &access : accesses.all())
    if (!movesBy(access, written, 1) && !movesBy(access, written, 0) &&
        (access.isStore || !movesBy(access, *read, 1)))
      return false;
  for (const AxisGroup &run : runs)
    if (&run != read && &run != &written)
      list.grid.push_back(list.merge(run));
  StringAttr readAxis = list.merge(*read), writtenAxis = list.merge(written);
  auto [readBlocks, writtenBlocks] = blocks;
  if (read->extent % (readBlocks * traits.lanes) ||
      written.extent % (writtenBlocks * traits.lanes)) {
    SmallVector<StringAttr> outer = list.split(readAxis, read->extent, {traits.lanes});
    SmallVector<StringAttr> inner = list.split(writtenAxis, written.extent, {traits.lanes});
    list.grid.push_back(outer[0]);
    list.order.push_back(inner[0]);
    list.tile = {outer[1], inner[1]};
  } else {
    SmallVector<StringAttr> outer = list.split(readAxis, read->extent, {readBlocks, traits.lanes});
    SmallVector<StringAttr> inner =
        list.split(writtenAxis, written.extent, {writtenBlocks, traits.lanes});
    list.grid.append({outer[0], inner[0]});
    list.order.append({outer[1], inner[1]});
    list.tile = {outer[2], inner[2]};
  }
  return true;
}

/// Loads that skip a few elements along the run of the stores, and read those along short runs:
/// lines of memory are read again while they are in the nearest cache.
static bool proposeStrided(const HostTraits &traits, const Accesses &accesses,
                           ArrayRef<AxisGroup> runs, ListBuilder &list) {
  constexpr int64_t kBlocks = 16;
  const AxisGroup &written = runs.back();
  if (written.extent < kBlocks * traits.lanes)
    return false;
  int64_t most = 0;
  for (const Access &access : accesses.all()) {
    std::optional<int64_t> stride = accesses.getStride(access, written.fastest());
    if (!stride || (access.isStore && *stride != 1) || std::abs(*stride) > traits.lanes)
      return false;
    most = std::max(most, std::abs(*stride));
  }
  SmallVector<const AxisGroup *> inner;
  for (const AxisGroup &run : runs.drop_back()) {
    bool isInner = llvm::any_of(accesses.all(), [&](const Access &access) {
      std::optional<int64_t> stride = accesses.getStride(access, run.fastest());
      return !access.isStore && stride && *stride != 0 && std::abs(*stride) * run.extent <= most;
    });
    if (isInner)
      inner.push_back(&run);
    else
      list.grid.push_back(list.merge(run));
  }
  if (inner.empty())
    return false;
  SmallVector<StringAttr> parts =
      list.split(list.merge(written), written.extent, {kBlocks, traits.lanes});
  list.grid.push_back(parts[0]);
  list.order.push_back(parts[1]);
  for (const AxisGroup *run : inner)
    list.order.push_back(list.merge(*run));
  list.tile.push_back(parts[2]);
  return true;
}

/// Stores in short pieces, whose elements loads have far apart, along another run: a vector of each
/// element, which are transposed in registers and stored together.
static bool proposeGathered(const HostTraits &traits, const Accesses &accesses,
                            ArrayRef<AxisGroup> runs, ListBuilder &list) {
  constexpr int64_t kBlocks = 16;
  const AxisGroup &written = runs.back();
  if (written.extent > traits.lanes)
    return false;
  const AxisGroup *read = nullptr;
  for (const AxisGroup &run : runs.drop_back())
    if (run.extent >= kBlocks * traits.lanes &&
        llvm::all_of(accesses.all(), [&](const Access &access) {
          std::optional<int64_t> stride = accesses.getStride(access, run.fastest());
          if (access.isStore)
            return stride == written.extent && accesses.getStride(access, written.fastest()) == 1;
          return stride == 0 || stride == 1;
        }))
      read = &run;
  if (!read)
    return false;
  for (const AxisGroup &run : runs.drop_back())
    if (&run != read)
      list.grid.push_back(list.merge(run));
  SmallVector<StringAttr> parts =
      list.split(list.merge(*read), read->extent, {kBlocks, traits.lanes});
  list.grid.push_back(parts[0]);
  list.order.push_back(parts[1]);
  list.tile = {list.merge(written), parts[2]};
  return true;
}

/// The run, but for the last one, along which accesses of the kind move by the fewest elements.
static const AxisGroup *findNearest(const Accesses &accesses, ArrayRef<AxisGroup> runs,
                                    bool stores) {
  const AxisGroup *nearest = nullptr;
  int64_t least = 0;
  for (const AxisGroup &run : runs.drop_back())
    for (const Access &access : accesses.all()) {
      std::optional<int64_t> stride = accesses.getStride(access, run.fastest());
      if (access.isStore == stores && stride && *stride != 0 &&
          (!nearest || std::abs(*stride) < least)) {
        nearest = &run;
        least = std::abs(*stride);
      }
    }
  return nearest;
}

/// Short pieces of memory, such as the rows of panels: where they are read one after the other
/// along another axis than they are written, a few that lie together in the result at a time pass
/// along what lies together in memory. Otherwise the pieces of a program are a loop.
static bool proposePieces(const AxisGroup &run, int64_t width, const Accesses &accesses,
                          ArrayRef<AxisGroup> runs, ListBuilder &list) {
  constexpr int64_t kPieces = 8;
  const AxisGroup *written = findNearest(accesses, runs, /*stores=*/true);
  const AxisGroup *read = findNearest(accesses, runs, /*stores=*/false);
  if (!written || written->extent < 2 * kPieces)
    return false;
  int64_t programs = written->extent / kPieces;
  for (const AxisGroup &other : runs.drop_back())
    if (&other != written && &other != read)
      programs *= other.extent;
  if (programs < kEnoughPrograms)
    return false;
  for (const AxisGroup &other : runs.drop_back())
    if (&other != written && &other != read)
      list.grid.push_back(list.merge(other));
  SmallVector<StringAttr> pieces = list.split(list.merge(*written), written->extent, {kPieces});
  list.grid.push_back(pieces[0]);
  if (read && read != written)
    list.order.push_back(list.merge(*read));
  list.order.push_back(pieces[1]);
  list.tileBy(list.merge(run), run.extent, width);
  return true;
}

/// Results that are stored past the caches.
static SmallVector<StreamAttr> chooseStreamed(KernelOp kernel, const HostTraits &traits,
                                              const Accesses &accesses, const AxisGroup &last,
                                              bool contiguous) {
  // Pieces that share lines would write each of them twice to memory.
  auto sharesLines = [&](const Access &access) {
    constexpr int64_t kLines = 16;
    int64_t bytes = last.extent * (access.type.getElementTypeBitWidth() / 8);
    return access.isStore && bytes % traits.lineBytes != 0 && bytes < kLines * traits.lineBytes;
  };
  if (llvm::any_of(accesses.all(), sharesLines))
    return {};
  // Lines that lie apart are fetched one by one where something has replaced them in the cache.
  constexpr double kApartShare = 0.5;
  return findStreamedResults(kernel, traits, contiguous ? kKeptShare : kApartShare);
}

/// Parts of the last run, which is contiguous, and all other runs in the grid.
static void proposeRuns(int64_t width, ArrayRef<AxisGroup> runs, ListBuilder &list) {
  const AxisGroup &run = runs.back();
  int64_t programs = 1;
  for (const AxisGroup &other : runs.drop_back()) {
    list.grid.push_back(list.merge(other));
    programs *= other.extent;
  }
  StringAttr axis = list.merge(run);
  int64_t steps = llvm::divideCeil(run.extent, width);
  if (width == run.extent) {
    list.tile.push_back(axis);
    return;
  }
  if (programs >= kEnoughPrograms || steps == 1) {
    SmallVector<StringAttr> parts = list.split(axis, run.extent, {width});
    list.order.push_back(parts[0]);
    list.tile.push_back(parts[1]);
    return;
  }
  // A part of the run to a program: as many steps as divide it, up to a page of each access.
  constexpr int64_t kMostSteps = 16;
  int64_t block = 1, most = std::min(kMostSteps, steps * programs / kEnoughPrograms);
  for (int64_t factor = 2; factor <= most; ++factor)
    if (steps % factor == 0)
      block = factor;
  SmallVector<StringAttr> parts = block == 1 ? list.split(axis, run.extent, {width})
                                             : list.split(axis, run.extent, {block, width});
  list.grid.push_back(parts[0]);
  if (block > 1)
    list.order.push_back(parts[1]);
  list.tile.push_back(parts.back());
}

void tw::schedule::host::proposeElementwise(KernelOp kernel, const HostTraits &traits,
                                            SmallVectorImpl<HostCandidate> &candidates) {
  for (Operation &op : kernel.getBody().front())
    if (isa<ReduceOp, ContractOp, ScanOp>(op))
      return;
  AxisSets sets(kernel);
  SmallVector<AxisGroup> groups = findAxisGroups(kernel, sets, /*apart=*/false);
  if (groups.size() != 1 || !groups.front().everywhere)
    return;
  Accesses accesses(kernel, sets);
  SmallVector<AxisGroup> runs = accesses.findRuns(groups.front());
  if (runs.empty())
    return;
  bool contiguous = accesses.areContiguous(runs.back().fastest());
  SmallVector<StreamAttr> streamed =
      chooseStreamed(kernel, traits, accesses, runs.back(), contiguous);
  auto add = [&](ListBuilder &list, StringRef name) {
    for (StreamAttr stream : streamed)
      list.stream(stream);
    candidates.push_back({name, list.finish()});
  };
  if (!contiguous) {
    // Square ones, and such that read longer pieces than they write, as memory prefers.
    constexpr std::pair<int64_t, int64_t> kBlocks[] = {{4, 4}, {8, 2}};
    bool isTransposition = false;
    for (auto blocks : kBlocks) {
      ListBuilder list(kernel);
      isTransposition = proposeTransposition(kernel, traits, accesses, runs, blocks, list);
      if (isTransposition)
        add(list, "transposition");
    }
    ListBuilder strided(kernel), gathered(kernel);
    if (isTransposition)
      return;
    if (proposeStrided(traits, accesses, runs, strided))
      add(strided, "strided");
    else if (proposeGathered(traits, accesses, runs, gathered))
      add(gathered, "gathered");
    return;
  }
  if (runs.back().extent < traits.lanes)
    return;
  const AxisGroup &run = runs.back();

  // Functions hold many constants and intermediate values.
  bool functions =
      llvm::any_of(kernel.getBody().front(), [](Operation &op) { return isExpensive(&op); });
  int64_t vectors = functions ? std::max<int64_t>(1, traits.registers / 16) : 4;
  int64_t width = traits.lanes * vectors;
  while (width > traits.lanes && width > run.extent)
    width /= 2;

  ListBuilder list(kernel);
  constexpr int64_t kShort = 4;
  if (run.extent > kShort * width || !proposePieces(run, width, accesses, runs, list))
    proposeRuns(width, runs, list);
  add(list, "elementwise");
}
