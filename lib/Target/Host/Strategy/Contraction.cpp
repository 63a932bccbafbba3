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

#include "Balance.h"
#include "Cheapest.h"

#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// Steps of a block of a reduced axis, at least; partial sums come and go once in so many.
constexpr int64_t kLeastDepth = 256;
/// Shapes of tiles that are looked at for each operand along the lanes, and choices that a decision
/// leaves to the next one.
constexpr size_t kShapes = 4, kTall = 1, kKept = 4;

} // namespace

void Contraction::propose(bool gathers, SmallVectorImpl<HostCandidate> &candidates) {
  if (!matchOperands(gathers))
    return;
  epilogueOps = countEpilogue();
  std::vector<Choice> shapes;
  for (bool swapped : {false, true}) {
    std::vector<Choice> own;
    enumerate(swapped, own);
    keepShapes(own, kShapes, kTall, [](const Choice &choice) { return choice.rows; });
    llvm::append_range(shapes, own);
    if (!gathers)
      proposeSweep(*this, swapped, candidates);
  }
  if (!gathers)
    proposeInner(*this, candidates);
  decide(shapes, gathers ? "unfolded" : "contraction", candidates);
}

void Contraction::decide(ArrayRef<Choice> shapes, StringRef name,
                         SmallVectorImpl<HostCandidate> &candidates) {
  auto write = [&](const Choice &choice) { return emit(choice); };
  Cheapest<Choice> cheapest(kernel, traits, write);
  auto addCuts = [&](const Choice &choice, ArrayRef<Cut> cuts) {
    for (Cut cut : cuts)
      if (std::optional<Choice> whole = complete(choice, cut))
        cheapest.add(*whole);
  };
  for (Choice choice : shapes)
    for (bool packScalar : {false, true})
      for (bool packVector : {false, true}) {
        choice.packScalar = packScalar;
        choice.packVector = packVector;
        addCuts(choice, Cut::Rows);
      }
  cheapest.keep(kKept);
  SmallVector<Choice, 0> narrow = findNarrow(shapes);
  for (const Choice &choice : cheapest.get())
    addCuts(choice, {Cut::Ends, Cut::Lanes});
  cheapest.keep(kKept);
  // Where panels of the vectors are longer than the caches, the longest reduced axis in blocks.
  int64_t whole = extent(getDeepest());
  for (Choice choice : cheapest.get())
    for (int64_t parts = 2; whole / parts >= kLeastDepth; parts *= 2) {
      choice.packVector = true;
      choice.depth = llvm::alignTo(llvm::divideCeil(whole, parts), traits.lanes);
      addCuts(choice, {Cut::Rows, Cut::Ends, Cut::Lanes, Cut::Sums});
    }
  cheapest.keep(2 * kKept);
  for (Choice choice : cheapest.get())
    if (choice.packVector && choice.canStayNarrow()) {
      choice.packNarrow = true;
      cheapest.add(choice);
    }
  for (const Choice &choice : narrow)
    cheapest.add(choice);
  cheapest.keep(4 * kKept);
  for (const Choice &choice : cheapest.get())
    for (int64_t panels : {2, 4})
      if (std::optional<Choice> several = withPanels(choice, panels))
        cheapest.add(*several);
  cheapest.keep(4 * kKept);
  cheapest.propose(name, candidates);
}

SmallVector<Contraction::Choice, 0> Contraction::findNarrow(ArrayRef<Choice> shapes) {
  auto write = [&](const Choice &choice) { return emit(choice); };
  Cheapest<Choice> cheapest(kernel, traits, write);
  for (Choice choice : shapes)
    for (bool packScalar : {false, true}) {
      if (!choice.canStayNarrow())
        continue;
      choice.packScalar = packScalar;
      choice.packVector = choice.packNarrow = true;
      if (std::optional<Choice> whole = complete(choice, Cut::Rows))
        cheapest.add(*whole);
    }
  cheapest.keep(kKept);
  return cheapest.get();
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
  choice.depth = extent(getDeepest());
  choice.lanes = traits.lanes;
  for (int64_t vectors = 1; vectors <= std::min<int64_t>(most, traits.registers); ++vectors)
    enumerateRows(choice, vectors, rowExtent, choices);
  enumerateBeside(choice, choices);
  if (!rows || !hasHalfVectors())
    return;
  // Tiles of all columns in vectors of half a register, where an odd number of these holds them:
  // the last whole vector would be half empty, and take as long.
  choice.lanes = traits.lanes / 2;
  int64_t halves = llvm::divideCeil(extent(*lanes), choice.lanes);
  if (halves >= 3 && halves % 2 == 1)
    enumerateRows(choice, halves, rowExtent, choices);
}

void Contraction::enumerateBeside(Choice choice, std::vector<Choice> &choices) {
  choice.besideAxis = findBeside(*choice.scalar, *choice.vector, choice.laneAxis);
  if (!choice.besideAxis)
    return;
  std::optional<unsigned> rows = findAxis(*choice.scalar, *choice.vector, choice.besideAxis);
  choice.rowAxis = rows.value_or(choice.laneAxis);
  int64_t most = llvm::divideCeil(extent(choice.laneAxis), traits.lanes);
  for (int64_t vectors = 1; vectors <= std::min<int64_t>(most, traits.registers); ++vectors)
    enumerateRows(choice, vectors, rows ? extent(*rows) : 1, choices);
}

void Contraction::enumerateRows(Choice choice, int64_t vectors, int64_t rowExtent,
                                std::vector<Choice> &choices) {
  choice.vectors = vectors;
  int64_t beside = choice.besideAxis ? extent(*choice.besideAxis) : 1;
  int64_t most = std::min(rowExtent, mostRows(vectors) / beside);
  for (choice.rows = most; choice.rows >= 1 && choice.rows * 2 > most; --choice.rows) {
    countWork(choice);
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
  int64_t beside = choice.besideAxis ? extent(*choice.besideAxis) : 1;
  double found = stretchOf({GridLevel{sets.points(stored) / (m * n * beside)},
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
  // Twice as many, and again, the last time a tile each.
  int64_t finest = std::min(laneTiles, least * kMostParts);
  for (int64_t parts = least;; parts = std::min(2 * parts, finest)) {
    for (int64_t block = most; block > std::max<int64_t>(0, most - kTries); --block)
      if (double found = waiting(choice, block, parts); found < best) {
        best = found;
        choice.block = block;
        groups = parts;
      }
    if (parts >= finest)
      break;
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
  tiling.beside = choice.besideAxis ? extent(*choice.besideAxis) : 1;
  tiling.others = sets.points(stored) / (tiling.m * tiling.n * tiling.beside);
  tiling.contiguous = strideOf(*choice.vector, choice.laneAxis) == 1;
  return tiling;
}

bool Contraction::canPack(const Choice &choice, const Tiling &tiling) {
  // Beside what has to be packed for each call, constants are packed for all of them.
  bool packsScalar =
      choice.scalar->isGathered || (choice.vector->isGathered && choice.scalar->isConstant);
  if ((packsScalar && !choice.packScalar) || (choice.vector->isGathered && !choice.packVector))
    return false;
  if (choice.packVector ? !choice.vector->isConstant && tiling.rowTiles < 2 : !tiling.contiguous)
    return false;
  if (choice.packVector && choice.lanes != traits.lanes)
    return false;
  return !choice.packScalar ||
         (tiling.hasRows && (tiling.laneTiles > 1 || choice.scalar->isConstant));
}

std::optional<Contraction::Choice> Contraction::complete(Choice choice, Cut cut) {
  Tiling tiling = getTiling(choice);
  bool isWhole = choice.depth == extent(getDeepest());
  if (!canPack(choice, tiling) ||
      (isWhole ? cut == Cut::Sums
               : !(choice.packVector && tiling.hasRows && tiling.rowTiles > 1)) ||
      !cutPrograms(choice, cut, tiling))
    return std::nullopt;
  return choice;
}

bool Contraction::cutPrograms(Choice &choice, Cut cut, const Tiling &tiling) {
  auto [rowTiles, laneTiles, others] = std::tuple(tiling.rowTiles, tiling.laneTiles, tiling.others);
  // A block of rows whose scalars fill half of the second-level cache, and programs enough.
  int64_t bytes = elementBytes();
  int64_t rowBytes =
      choice.rows * tiling.beside * (tiling.k / extent(getDeepest())) * choice.depth * bytes;
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
    int64_t tileBytes = choice.block * choice.rows * tiling.beside * tiling.lanes * bytes;
    int64_t each = std::clamp<int64_t>(traits.l2Bytes / 2 / tileBytes, 1, laneTiles);
    groups = std::max<int64_t>(groups, llvm::divideCeil(laneTiles, each));
  }
  if (cut == Cut::Ends && !balance(choice, groups, laneTiles))
    return false;
  choice.groups = llvm::divideCeil(laneTiles, tilesOfPart(laneTiles, groups));
  if ((cut == Cut::Lanes || cut == Cut::Sums) && choice.groups == 1)
    return false;
  return cut != Cut::Lanes || choice.block > 1;
}

std::optional<Contraction::Choice> Contraction::withPanels(Choice choice, int64_t panels) {
  if (!choice.packVector || !choice.vector->isConstant || choice.besideAxis ||
      choice.depth != extent(getDeepest()) || stagesSums(choice))
    return std::nullopt;
  // Half of the registers hold sums, as no operand is read again by many.
  int64_t most = traits.registers / 2 / registersPerVector() / panels / choice.rows;
  if (most < 1)
    return std::nullopt;
  if (choice.vectors > most) {
    choice.vectors = most;
    std::optional<Choice> narrower = complete(choice, Cut::Rows);
    if (!narrower)
      return std::nullopt;
    choice = *narrower;
  }
  Tiling tiling = getTiling(choice);
  int64_t each = llvm::divideCeil(tiling.laneTiles, choice.groups);
  // What is left over would be code of its own.
  if (tiling.n % tiling.lanes != 0 || tiling.laneTiles % each != 0)
    return std::nullopt;
  // A program for each panel is one for so many.
  if (each == 1 && tiling.laneTiles % panels == 0)
    choice.groups = tiling.laneTiles / panels;
  else if (each % panels != 0)
    return std::nullopt;
  choice.panels = panels;
  return choice;
}

double Contraction::transposeCycles(const Choice &choice, int64_t rows, int64_t vectors) {
  if (isStoredAlong(choice.laneAxis) || !isStoredAlong(choice.rowAxis) || choice.besideAxis)
    return 0;
  auto accesses = double(llvm::range_size(kernel.getBody().getOps<StoreOp>()));
  for (auto load : kernel.getBody().getOps<LoadOp>())
    accesses += load->isBeforeInBlock(contract) && isComputedFrom(contract, load.getResult())
                    ? 0
                    : double(sets.of(load.getResult()) == stored);
  auto side = double(choice.lanes);
  double pieces = double(llvm::divideCeil(rows, choice.lanes) * vectors) * side;
  double turns = double(llvm::divideCeil(choice.lanes * elementBytes(), traits.dataPathBytes)) /
                 double(llvm::divideCeil(traits.lanes * 4, traits.dataPathBytes));
  double each = rows % choice.lanes ? traits.maskedStoreCycles : 1 / traits.storesPerCycle;
  return accesses * pieces * turns * (std::log2(side) / traits.shufflesPerCycle + each);
}

void Contraction::countWork(Choice &choice) {
  Tiling tiling = getTiling(choice);
  choice.work = choice.loads = 0;
  for (auto [rows, rowCount] : wholeAndLast(tiling.m, choice.rows))
    for (auto [wide, laneCount] : wholeAndLast(tiling.n, tiling.lanes)) {
      double count = double(rowCount) * double(laneCount) * double(tiling.others);
      int64_t scalars = rows * tiling.beside, vectors = llvm::divideCeil(wide, choice.lanes);
      // A tile of one vector is as narrow as its lanes.
      double share = shareOfTurns(vectors == 1 ? wide : choice.lanes);
      choice.work += count * (tileCycles(scalars, vectors, share) +
                              transposeCycles(choice, rows, vectors) / double(tiling.k));
      choice.loads += count * double(scalars + vectors * registersPerVector());
    }
}

void tw::schedule::host::proposeContraction(KernelOp kernel, const HostTraits &traits,
                                            SmallVectorImpl<HostCandidate> &candidates) {
  Contraction(kernel, traits).propose(/*gathers=*/false, candidates);
}

void tw::schedule::host::proposeGatheredContraction(KernelOp kernel, const HostTraits &traits,
                                                    SmallVectorImpl<HostCandidate> &candidates) {
  Contraction(kernel, traits).propose(/*gathers=*/true, candidates);
}
