// The strategy for products: a register tile of vectors times scalars, operands packed into panels
// where their rows would collide in a cache.
//
// One operand gives vectors along an axis that the other does not have (the lanes), the other one
// scalars along an axis of its own (the rows); each step of the innermost loop loads `vectors`
// vectors and `rows` scalars and does rows * vectors multiply-adds. As far as the caches allow, all
// of the reduced axes run inside, so that the tile is stored once; otherwise the longest of them
// runs in blocks, and partial sums wait in the result. A program takes a block of row tiles, whose
// scalars stay in the second-level cache, and passes all columns through it.
#include "Contraction.h"

#include "Accesses.h"
#include "Balance.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// Steps of a block of a reduced axis, at least; partial sums come and go once in so many.
constexpr int64_t kLeastDepth = 256;

} // namespace

void Contraction::propose(SmallVectorImpl<HostCandidate> &candidates) {
  if (!matchOperands())
    return;
  epilogueOps = countEpilogue();
  std::vector<Choice> choices;
  for (bool swapped : {false, true}) {
    enumerate(swapped, choices);
    proposeSweep(*this, swapped, candidates);
  }
  proposeInner(*this, candidates);
  // Of equal ones the simplest.
  auto rank = [](const Choice &choice) {
    return std::tuple(choice.estimate.cycles(), -choice.depth, choice.packScalar, choice.packVector,
                      choice.groups, choice.vectors);
  };
  keepBest(choices, rank);
  for (const Choice &choice : choices)
    candidates.push_back({"contraction", emit(choice)});
}

unsigned Contraction::getDeepest() const {
  unsigned deepest = reduced.find_first();
  for (unsigned axis : reduced.set_bits())
    if (extent(axis) > extent(deepest))
      deepest = axis;
  return deepest;
}

void Contraction::enumerate(bool swapped, std::vector<Choice> &choices) {
  Choice choice;
  choice.scalar = &operands[swapped];
  choice.vector = &operands[!swapped];
  std::optional<unsigned> rows = findAxis(*choice.scalar, *choice.vector);
  std::optional<unsigned> lanes = findAxis(*choice.vector, *choice.scalar);
  if (!lanes || extent(*lanes) < 2)
    return;
  choice.laneAxis = *lanes;
  choice.rowAxis = rows.value_or(*lanes); // The same: there are no rows.
  int64_t rowExtent = rows ? extent(*rows) : 1;
  int64_t most = llvm::divideCeil(extent(*lanes), traits.lanes);
  SmallVector<int64_t> depths{extent(getDeepest())};
  for (int64_t parts = 2; depths.front() / parts >= kLeastDepth; parts *= 2)
    depths.push_back(llvm::alignTo(llvm::divideCeil(depths.front(), parts), traits.lanes));
  choice.lanes = traits.lanes;
  for (int64_t vectors = 1; vectors <= std::min<int64_t>(most, traits.registers); ++vectors)
    for (int64_t rowsMost = std::min(rowExtent, mostRows(vectors)), tileRows = rowsMost;
         tileRows >= 1 && tileRows * 2 > rowsMost; --tileRows)
      for (int64_t depth : depths)
        for (bool packScalar : {false, true})
          for (bool packVector : {false, true})
            for (Cut cut : {Cut::Rows, Cut::Ends, Cut::Lanes, Cut::Sums}) {
              choice.rows = tileRows;
              choice.vectors = vectors;
              choice.depth = depth;
              choice.packScalar = packScalar;
              choice.packVector = packVector;
              if (complete(choice, cut))
                choices.push_back(choice);
            }
  if (rows && hasHalfVectors())
    enumerateHalves(choice, choices);
}

void Contraction::enumerateHalves(Choice choice, std::vector<Choice> &choices) {
  choice.lanes = traits.lanes / 2;
  choice.vectors = llvm::divideCeil(extent(choice.laneAxis), choice.lanes);
  choice.depth = extent(getDeepest());
  choice.packVector = false;
  if (choice.vectors < 3 || choice.vectors % 2 == 0)
    return;
  int64_t most = std::min(extent(choice.rowAxis), mostRows(choice.vectors));
  for (choice.rows = most; choice.rows >= 1 && choice.rows * 2 > most; --choice.rows)
    for (bool packScalar : {false, true})
      for (Cut cut : {Cut::Rows, Cut::Ends}) {
        choice.packScalar = packScalar;
        if (complete(choice, cut))
          choices.push_back(choice);
      }
}

int64_t Contraction::tilesOfPart(int64_t laneTiles, int64_t groups) {
  return groups > 1 ? findEven(laneTiles, llvm::divideCeil(laneTiles, groups)) : laneTiles;
}

double Contraction::waiting(const Choice &choice, int64_t block, int64_t parts) {
  bool hasRows = choice.rowAxis != choice.laneAxis;
  int64_t m = hasRows ? extent(choice.rowAxis) : 1, n = extent(choice.laneAxis);
  int64_t laneTiles = llvm::divideCeil(n, choice.vectors * choice.lanes);
  constexpr double kLost = 1.02;
  double found = stretchOf({GridLevel{sets.points(stored) / (m * n)},
                            cutInBlocks(llvm::divideCeil(n, choice.lanes),
                                        tilesOfPart(laneTiles, parts) * choice.vectors),
                            cutInBlocks(m, block * choice.rows)},
                           traits.threads);
  return std::max(0.0, found - kLost);
}

bool Contraction::balance(Choice &choice, int64_t &groups, int64_t laneTiles) {
  constexpr int64_t kTries = 6, kMostParts = 4;
  int64_t most = choice.block, least = groups;
  double best = waiting(choice, most, least), before = best;
  for (int64_t parts = least; parts <= std::min(laneTiles, least * kMostParts); parts *= 2)
    for (int64_t block = most; block > std::max<int64_t>(0, most - kTries); --block)
      if (double found = waiting(choice, block, parts); found < best) {
        best = found;
        choice.block = block;
        groups = parts;
      }
  return best < before;
}

Contraction::Tiling Contraction::getTiling(const Choice &choice) {
  Tiling tiling;
  tiling.hasRows = choice.rowAxis != choice.laneAxis;
  tiling.m = tiling.hasRows ? extent(choice.rowAxis) : 1;
  tiling.n = extent(choice.laneAxis);
  tiling.k = sets.points(reduced);
  tiling.lanes = choice.vectors * choice.lanes;
  tiling.rowTiles = llvm::divideCeil(tiling.m, choice.rows);
  tiling.laneTiles = llvm::divideCeil(tiling.n, tiling.lanes);
  tiling.others = sets.points(stored) / (tiling.m * tiling.n);
  tiling.contiguous = strideOf(*choice.vector, choice.laneAxis) == 1;
  return tiling;
}

bool Contraction::complete(Choice &choice, Cut cut) {
  Tiling tiling = getTiling(choice);
  if (choice.packVector ? !choice.vector->isConstant && tiling.rowTiles < 2 : !tiling.contiguous)
    return false;
  if (choice.packScalar &&
      (!tiling.hasRows || (tiling.laneTiles < 2 && !choice.scalar->isConstant)))
    return false;
  bool isWhole = choice.depth == extent(getDeepest());
  if (isWhole ? cut == Cut::Sums : !(choice.packVector && tiling.hasRows && tiling.rowTiles > 1))
    return false;
  std::optional<int64_t> parts = cutPrograms(choice, cut, tiling);
  if (!parts)
    return false;
  estimateTiles(choice, tiling, *parts);
  addOverheads(choice, tiling);
  return true;
}

std::optional<int64_t> Contraction::cutPrograms(Choice &choice, Cut cut, const Tiling &tiling) {
  auto [rowTiles, laneTiles, others] = std::tuple(tiling.rowTiles, tiling.laneTiles, tiling.others);
  // A block of rows whose scalars fill half of the second-level cache, and programs enough.
  int64_t bytes = elementBytes();
  int64_t rowBytes = choice.rows * (tiling.k / extent(getDeepest())) * choice.depth * bytes;
  int64_t mostTiles =
      rowTiles * others * (cut == Cut::Lanes ? laneTiles : 1) / (2 * programsFor(traits));
  choice.block =
      std::clamp<int64_t>(traits.l2Bytes / 2 / rowBytes, 1, std::max<int64_t>(1, mostTiles));
  choice.block = std::min(choice.block, rowTiles);
  choice.block = findEven(rowTiles, choice.block);
  int64_t programs = llvm::divideCeil(rowTiles, choice.block) * others;
  int64_t wanted = cut == Cut::Lanes ? (2 * programsFor(traits)) : programsFor(traits);
  int64_t groups = std::min<int64_t>(laneTiles, llvm::divideCeil(wanted, programs));
  if (cut == Cut::Sums) {
    int64_t tileBytes = choice.block * choice.rows * tiling.lanes * bytes;
    int64_t each = std::clamp<int64_t>(traits.l2Bytes / 2 / tileBytes, 1, laneTiles);
    groups = std::max<int64_t>(groups, llvm::divideCeil(laneTiles, each));
  }
  if (cut == Cut::Ends && !balance(choice, groups, laneTiles))
    return std::nullopt;
  int64_t each = tilesOfPart(laneTiles, groups);
  choice.groups = llvm::divideCeil(laneTiles, each);
  if ((cut == Cut::Lanes || cut == Cut::Sums) && choice.groups == 1)
    return std::nullopt;
  if (cut == Cut::Lanes && choice.block == 1)
    return std::nullopt;
  return groups;
}

void Contraction::estimateTiles(Choice &choice, const Tiling &tiling, int64_t parts) {
  auto [m, n, k, rowTiles, laneTiles, others] =
      std::tuple(tiling.m, tiling.n, tiling.k, tiling.rowTiles, tiling.laneTiles, tiling.others);
  int64_t bytes = elementBytes(), width = registersPerVector();
  // Multiply-adds, and what feeds them, of every tile; the last ones are smaller.
  HostEstimate &estimate = choice.estimate;
  estimate = {};
  int64_t lastRows = m - (rowTiles - 1) * choice.rows;
  int64_t lastLanes = n - (laneTiles - 1) * tiling.lanes;
  int64_t lastVectors = llvm::divideCeil(lastLanes, choice.lanes);
  double share = shareOfTurns(choice.lanes);
  // A last tile of one vector is as narrow as its lanes.
  double lastShare = lastVectors == 1 ? shareOfTurns(lastLanes) : share;
  double step = 0;
  for (auto [rows, countRows] :
       {std::pair(choice.rows, rowTiles - 1), std::pair(lastRows, int64_t(1))})
    step += countRows * (tileCycles(rows, choice.vectors, share) * double(laneTiles - 1) +
                         tileCycles(rows, lastVectors, lastShare));
  estimate.compute = step * k * others;
  // Half of what two threads wait for each other, as if every other launch had two.
  constexpr double kWaitShare = 0.5;
  estimate.overhead = kWaitShare * estimate.compute * waiting(choice, choice.block, parts);
  estimate.registers = choice.rows * choice.vectors * width + choice.vectors * width + 1;
  double tiles = double(rowTiles) * laneTiles * others;
  estimate.l1 = tiles * k * (choice.rows + choice.vectors * width) / traits.loadsPerCycle *
                (share * double(laneTiles - 1) + lastShare) / double(laneTiles);
  estimate.l2 = tiles * k * (tiling.lanes + choice.rows) * bytes / traits.l2BytesPerCycle;
  int64_t programs = llvm::divideCeil(rowTiles, choice.block) * others;
  estimate.memory = streamCycles(choice, getVectorBytes(choice, tiling),
                                 getScalarBytes(choice, tiling), programs, others, laneTiles);

  // What does not hide of what streams from beyond the second level: a core looks ahead by so
  // many multiply-adds, half of them on average, while what comes from memory or the last cache
  // takes half of memory's cycles. And a little of what streams from the second level, so that
  // among equals the tile wins that streams the fewest bytes.
  constexpr double kLeastShare = 0.1, kStreamShare = 0.05;
  double memoryShare = std::max(kLeastShare, 1 - traits.instructionsAhead / traits.fmaPerCycle /
                                                     traits.memoryLatency);
  estimate.overhead += memoryShare * std::min(estimate.compute, estimate.memory) +
                       kStreamShare * estimate.l2 + blockingCycles(choice, programs, tiles);
}

double Contraction::getVectorBytes(const Choice &choice, const Tiling &tiling) {
  return double(tiling.n) * tiling.k * (choice.packVector ? elementBytes() : choice.vector->bytes);
}

double Contraction::getScalarBytes(const Choice &choice, const Tiling &tiling) {
  return double(tiling.m) * tiling.k * (choice.packScalar ? elementBytes() : choice.scalar->bytes);
}

void Contraction::addOverheads(Choice &choice, const Tiling &tiling) {
  auto [m, n, k, rowTiles, others] =
      std::tuple(tiling.m, tiling.n, tiling.k, tiling.rowTiles, tiling.others);
  int64_t bytes = elementBytes(), width = registersPerVector();
  double vectorBytes = getVectorBytes(choice, tiling), scalarBytes = getScalarBytes(choice, tiling);
  double tiles = double(rowTiles) * tiling.laneTiles * others;
  HostEstimate &estimate = choice.estimate;
  bool fits = isNear((vectorBytes + scalarBytes) * others);
  double far = fits ? traits.l3BytesPerCycle : traits.memoryBytesPerCycle;
  if (choice.packScalar && !choice.scalar->isConstant) {
    bool transposes = strideOf(*choice.scalar, choice.rowAxis) != 1;
    estimate.overhead += double(m) * k * others * choice.groups * packCycles(transposes);
    if (!transposes)
      estimate.overhead += double(rowTiles) / choice.block * k * others * choice.groups *
                           pageCycles(choice.depth, bytesAlong(*choice.scalar, reduced.find_last()),
                                      lines(choice.rows * choice.block), fits);
  }
  if (choice.packVector && !choice.vector->isConstant)
    estimate.overhead += double(n) * k * others * packCycles(!tiling.contiguous) +
                         2 * vectorBytes * others / far + traits.launchCycles +
                         sharingCycles(vectorBytes, choice.groups);
  estimate.overhead += collisionCycles(choice, tiles, fits);
  if (tiling.hasRows)
    estimate.overhead += coldCycles(choice, scalarBytes * others);
  // A vector takes a slot beside the multiply-adds, a scalar goes through a vector and back.
  constexpr double kVectorWork = 0.5, kScalarWork = 1.5;
  if (!choice.packVector)
    estimate.overhead += tiles * k * choice.vectors * width * choice.vector->work * kVectorWork;
  if (!choice.packScalar && tiling.hasRows)
    estimate.overhead += tiles * k * choice.rows * choice.scalar->work * kScalarWork;
  // Tiles at the edges are code of their own.
  constexpr double kEdgeShare = 0.005;
  estimate.overhead += kEdgeShare * estimate.compute *
                       (int64_t(m % choice.rows != 0) + int64_t(n % tiling.lanes != 0));
  // Results that are not contiguous along the lanes are transposed on their way, a few elements
  // of a line at a time, or scattered.
  double results = double(m) * n * others;
  if (!isStoredAlong(choice.laneAxis)) {
    bool transposes = tiling.hasRows && isStoredAlong(choice.rowAxis);
    double lines = results / choice.rows * (1 + double(choice.rows * bytes) / traits.lineBytes);
    estimate.overhead += transposes ? results * packCycles(true) +
                                          2 * lines * traits.lineBytes / traits.l3BytesPerCycle
                                    : 2 * results;
  }
}

void tw::schedule::host::proposeContraction(KernelOp kernel, const HostTraits &traits,
                                            SmallVectorImpl<HostCandidate> &candidates) {
  Contraction(kernel, traits).propose(candidates);
}
