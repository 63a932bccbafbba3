// The strategy for products: a register tile of vectors times scalars, operands packed into panels
// where their rows would collide in a cache.
//
// One operand gives vectors along an axis that the other does not have (the lanes), the other one
// scalars along an axis of its own (the rows); each step of the innermost loop loads `vectors`
// vectors and `rows` scalars and does rows * vectors multiply-adds. As far as the caches allow, all
// of the reduced axes run inside, so that the tile is stored once; otherwise the longest of them
// runs in blocks, and partial sums wait in the result. A program takes a block of row tiles, whose
// scalars stay in the second-level cache, and passes all columns through it.
#include "Strategies.h"

#include "Accesses.h"
#include "Balance.h"
#include "ListBuilder.h"
#include "Operands.h"

#include "../Strides.h"

#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// Programs of blocks that differ in size, where there is work for so many.
constexpr int64_t kManyPrograms = 16;
/// Steps of a block of a reduced axis, at least; partial sums come and go once in so many.
constexpr int64_t kLeastDepth = 256;
/// Cycles until a launch has begun on all threads.
constexpr double kLaunchCycles = 3000;
/// Bytes of a page, entries of the smallest first-level TLB in use (Skylake's and Zen's have 64),
/// and pages up to which products of 300 to 700 columns ran as fast from memory as from panels.
constexpr int64_t kPage = 4096, kPagesAtHand = 64, kPagesNear = 512;

class Contraction : Operands {
public:
  using Operands::Operands;

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
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
      return std::tuple(choice.estimate.cycles(), -choice.depth, choice.packScalar,
                        choice.packVector, choice.groups, choice.vectors);
    };
    keepBest(choices, rank);
    for (const Choice &choice : choices)
      candidates.push_back({"contraction", emit(choice), choice.estimate});
  }

private:
  /// What programs are cut by: row tiles first; or row tiles so that two threads end together; or
  /// lanes first, all rows together; or row tiles, and lanes so that partial sums stay in the
  /// second-level cache between blocks of a reduced axis.
  enum class Cut { Rows, Ends, Lanes, Sums };

  /// What the candidates differ in.
  struct Choice {
    const Operand *scalar, *vector;
    unsigned rowAxis, laneAxis;
    int64_t rows, vectors;
    /// Of a vector: all that a register has, or half of them.
    int64_t lanes;
    bool packScalar, packVector;
    /// Points of the deepest reduced axis that run inside, all or a block of them.
    int64_t depth;
    /// Row tiles of a program, and parts of the lanes' axis in the grid.
    int64_t block, groups;
    HostEstimate estimate;
  };

  double epilogueOps = 0;

  /// The reduced axis of most points, of which blocks may run inside.
  unsigned getDeepest() const {
    unsigned deepest = reduced.find_first();
    for (unsigned axis : reduced.set_bits())
      if (extent(axis) > extent(deepest))
        deepest = axis;
    return deepest;
  }

  void enumerate(bool swapped, std::vector<Choice> &choices) {
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

  /// Tiles of all columns in vectors of half a register, where an odd number of these holds them:
  /// the last whole vector would be half empty, and take as long.
  void enumerateHalves(Choice choice, std::vector<Choice> &choices) {
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

  /// Lines that so many rows at this distance can use of a cache, of the lines that it has. Where
  /// the distance is no multiple of a line, sets are met again a little further on each time round.
  int64_t usableLines(int64_t bytes, int64_t rows, int64_t cacheBytes, int64_t ways) {
    int64_t cacheSets = cacheBytes / traits.lineBytes / ways;
    int64_t step = std::max<int64_t>(1, bytes / traits.lineBytes);
    int64_t period = cacheSets / std::gcd(step, cacheSets);
    int64_t again = llvm::divideCeil(rows, period) - 1;
    int64_t drift = bytes % traits.lineBytes * period * again / traits.lineBytes;
    return ways * std::min(cacheSets, period * (1 + std::min(again, drift)));
  }

  /// Cycles of one core for memory beyond the second level, once for the scalars, and for the
  /// vectors as often as programs pass through them unless they stay near.
  double streamCycles(const Choice &choice, double vectorBytes, double scalarBytes,
                      int64_t programs, int64_t others, int64_t laneTiles) {
    double part = double(choice.depth) / extent(getDeepest());
    double blockBytes = scalarBytes * part * std::min<double>(1, double(others) / programs);
    bool fits = isNear((vectorBytes + scalarBytes) * others);
    double far = fits ? traits.l3BytesPerCycle : traits.memoryBytesPerCycle;
    // The panels of one batch, whatever the others take.
    double again = vectorBytes <= traits.l3Bytes ? traits.l3BytesPerCycle : far;
    // All rows pass each group of lanes, and are still near if they are few.
    bool staysNear = vectorBytes / choice.groups + scalarBytes <= traits.l2Bytes;
    double passes = staysNear ? 1 : choice.groups;
    double first = (vectorBytes * others + scalarBytes * passes * others) / far;
    // Scalars of one tile that are too long for the second level come again with every lane tile.
    if (blockBytes > traits.l2Bytes)
      first += scalarBytes * others * (laneTiles - 1) / far;
    bool near = vectorBytes * part + blockBytes <= traits.l2Bytes;
    return near ? first : first + vectorBytes * (programs - others) / again;
  }

  /// Cycles for panels that one thread fills and others read: lines go from core to core both
  /// times. Threads run neighbouring programs, so each has panels of its own where the grid begins
  /// with them; those of a group or two are shared.
  double sharingCycles(double vectorBytes, int64_t groups) {
    return 2 * vectorBytes / groups / traits.l3BytesPerCycle;
  }

  /// Cycles for partial sums of tiles in the result, when a reduced axis runs in blocks.
  double blockingCycles(const Choice &choice, int64_t programs, double tiles) {
    int64_t parts = llvm::divideCeil(extent(getDeepest()), choice.depth);
    if (parts == 1)
      return 0;
    double bytes = double(sets.points(stored)) * elementBytes(),
           each = bytes / programs / choice.groups;
    double rate = each <= traits.l2Bytes / 2 ? traits.l2BytesPerCycle
                  : bytes <= traits.l3Bytes  ? traits.l3BytesPerCycle
                                             : traits.memoryBytesPerCycle;
    return 2 * bytes * parts / rate + tiles * parts * partialCycles(choice.rows, choice.vectors);
  }

  /// Cycles that reading the operands where they lie costs beyond the multiply-adds. A line that
  /// another one has pushed out comes again from the next level. Measured beside a micro-kernel
  /// that never waits: most of a row's misses hide behind its multiply-adds, those of the vectors
  /// do not.
  double collisionCycles(const Choice &choice, double tiles, bool fits) {
    constexpr double kRowShare = 0.1, kVectorShare = 0.5, kPagesShare = 0.05, kPageEachShare = 0.25,
                     kAheadShare = 0.1, kPageShare = 0.25;
    // A step of fewer cycles than those that were measured hides less of a page.
    constexpr double kStepCycles = 24;
    double missed = traits.lineBytes / traits.l2BytesPerCycle, cycles = 0;
    int64_t k = sets.points(reduced);
    int64_t depth = k / extent(getDeepest()) * choice.depth;
    unsigned inner = reduced.find_last();
    // What shows of lines, so many of them at steps of so many bytes. They collide, or steps are on
    // many pages, more than a core keeps at hand, or even more than it finds again soon. What lies
    // so close that the hardware fetches it ahead costs little.
    auto shareOfSteps = [&](int64_t step, int64_t lineCount) {
      double share = 0;
      if (depth * lineCount > usableLines(step, depth, traits.l2Bytes, traits.l2Ways) / 2 ||
          depth * std::min(step, kPage) > kPagesNear * kPage)
        share = kVectorShare;
      else if (depth * step > kPagesAtHand * kPage)
        share = (step < kPage ? kPagesShare : kPageEachShare) * kStepCycles /
                tileCycles(choice.rows, choice.vectors);
      return step < kPage / 4 ? std::min(share, kAheadShare) : share;
    };
    if (!choice.packScalar && choice.rowAxis != choice.laneAxis) {
      int64_t along = bytesAlong(*choice.scalar, choice.rowAxis);
      if (choice.rows > usableLines(along, choice.rows, traits.l1Bytes, traits.l1Ways))
        cycles += tiles * k * choice.rows * missed * kRowShare;
      // Rows beside each other in memory: a line or two per step, which the next tile reads again.
      int64_t step = bytesAlong(*choice.scalar, inner);
      if (along == choice.scalar->bytes && step >= traits.lineBytes) {
        int64_t usable = usableLines(step, depth, traits.l2Bytes, traits.l2Ways);
        if (depth * lines(choice.rows * choice.block) > usable)
          cycles += tiles * k * lines(choice.rows) * traits.lineBytes / traits.l3BytesPerCycle;
        cycles += tiles * k * pageCycles(depth, step, lines(choice.rows), fits) * kPageShare;
        cycles += tiles * k * lines(choice.rows) * missed * shareOfSteps(step, lines(choice.rows));
      }
    }
    if (!choice.packVector) {
      int64_t step = bytesAlong(*choice.vector, inner);
      cycles += tiles * k * choice.vectors * missed * shareOfSteps(step, choice.vectors);
      cycles += tiles * k * pageCycles(depth, step, lines(choice.vectors * choice.lanes), fits);
    }
    return cycles;
  }

  /// Cycles for rows of a cold constant where they lie: each of the tile's begins a line at the
  /// same step, and nothing fetches them ahead, as it would a panel, where a row ends before its
  /// page.
  double coldCycles(const Choice &choice, double scalarBytes) {
    constexpr double kLatency = 150;
    int64_t run = extent(reduced.find_last()) * bytesAlong(*choice.scalar, reduced.find_last());
    if (choice.packScalar || !choice.scalar->isConstant || !isCold(scalarBytes, traits) ||
        run >= kPage)
      return 0;
    return scalarBytes / double(traits.lineBytes * choice.rows) * kLatency;
  }

  /// Lines of memory that points beside each other take.
  int64_t lines(int64_t points) {
    return llvm::divideCeil(points * elementBytes(), traits.lineBytes);
  }

  /// Lane tiles of each of so many parts, or of a few more that come out even.
  static int64_t tilesOfPart(int64_t laneTiles, int64_t groups) {
    return groups > 1 ? findEven(laneTiles, llvm::divideCeil(laneTiles, groups)) : laneTiles;
  }

  /// What two threads wait for each other with such blocks and parts of the lanes' axis, as a share
  /// of half of one thread's time; a little is lost in what else differs between threads.
  double waiting(const Choice &choice, int64_t block, int64_t parts) {
    bool hasRows = choice.rowAxis != choice.laneAxis;
    int64_t m = hasRows ? extent(choice.rowAxis) : 1, n = extent(choice.laneAxis);
    int64_t laneTiles = llvm::divideCeil(n, choice.vectors * choice.lanes);
    constexpr double kLost = 1.02;
    double found = stretchOfTwo({GridLevel{sets.points(stored) / (m * n)},
                                 cutInBlocks(llvm::divideCeil(n, choice.lanes),
                                             tilesOfPart(laneTiles, parts) * choice.vectors),
                                 cutInBlocks(m, block * choice.rows)});
    return std::max(0.0, found - kLost);
  }

  /// Smaller blocks, and more parts of the lanes' axis, with which two threads end together as
  /// nearly as possible. False if there are none that are better.
  bool balance(Choice &choice, int64_t &groups, int64_t laneTiles) {
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

  /// Fills in blocks and the estimate; false if the choice makes no sense.
  bool complete(Choice &choice, Cut cut) {
    bool hasRows = choice.rowAxis != choice.laneAxis;
    int64_t m = hasRows ? extent(choice.rowAxis) : 1, n = extent(choice.laneAxis);
    int64_t k = sets.points(reduced), bytes = elementBytes(), width = registersPerVector();
    int64_t lanes = choice.vectors * choice.lanes;
    int64_t rowTiles = llvm::divideCeil(m, choice.rows), laneTiles = llvm::divideCeil(n, lanes);
    int64_t others = sets.points(stored) / (m * n);
    bool contiguous = strideOf(*choice.vector, choice.laneAxis) == 1;
    if (choice.packVector ? !choice.vector->isConstant && rowTiles < 2 : !contiguous)
      return false;
    if (choice.packScalar && (!hasRows || (laneTiles < 2 && !choice.scalar->isConstant)))
      return false;
    bool isWhole = choice.depth == extent(getDeepest());
    if (isWhole ? cut == Cut::Sums : !(choice.packVector && hasRows && rowTiles > 1))
      return false;

    // A block of rows whose scalars fill half of the second-level cache, and programs enough.
    int64_t rowBytes = choice.rows * (k / extent(getDeepest())) * choice.depth * bytes;
    int64_t mostTiles = rowTiles * others * (cut == Cut::Lanes ? laneTiles : 1) / kManyPrograms;
    choice.block =
        std::clamp<int64_t>(traits.l2Bytes / 2 / rowBytes, 1, std::max<int64_t>(1, mostTiles));
    choice.block = std::min(choice.block, rowTiles);
    choice.block = findEven(rowTiles, choice.block);
    int64_t programs = llvm::divideCeil(rowTiles, choice.block) * others;
    int64_t wanted = cut == Cut::Lanes ? kManyPrograms : kPrograms;
    int64_t groups = std::min<int64_t>(laneTiles, llvm::divideCeil(wanted, programs));
    if (cut == Cut::Sums) {
      int64_t tileBytes = choice.block * choice.rows * lanes * bytes;
      int64_t each = std::clamp<int64_t>(traits.l2Bytes / 2 / tileBytes, 1, laneTiles);
      groups = std::max<int64_t>(groups, llvm::divideCeil(laneTiles, each));
    }
    if (cut == Cut::Ends) {
      if (!balance(choice, groups, laneTiles))
        return false;
      programs = llvm::divideCeil(rowTiles, choice.block) * others;
    }
    int64_t each = tilesOfPart(laneTiles, groups);
    choice.groups = llvm::divideCeil(laneTiles, each);
    if ((cut == Cut::Lanes || cut == Cut::Sums) && choice.groups == 1)
      return false;
    if (cut == Cut::Lanes && choice.block == 1)
      return false;

    // Multiply-adds, and what feeds them, of every tile; the last ones are smaller.
    HostEstimate &estimate = choice.estimate;
    estimate = {};
    int64_t lastRows = m - (rowTiles - 1) * choice.rows;
    int64_t lastLanes = n - (laneTiles - 1) * lanes;
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
    estimate.overhead = kWaitShare * estimate.compute * waiting(choice, choice.block, groups);
    estimate.registers = choice.rows * choice.vectors * width + choice.vectors * width + 1;
    double tiles = double(rowTiles) * laneTiles * others;
    estimate.l1 = tiles * k * (choice.rows + choice.vectors * width) / traits.loadsPerCycle *
                  (share * double(laneTiles - 1) + lastShare) / double(laneTiles);
    estimate.l2 = tiles * k * (lanes + choice.rows) * bytes / traits.l2BytesPerCycle;
    double vectorBytes = double(n) * k * (choice.packVector ? bytes : choice.vector->bytes);
    double scalarBytes = double(m) * k * (choice.packScalar ? bytes : choice.scalar->bytes);
    estimate.memory = streamCycles(choice, vectorBytes, scalarBytes, programs, others, laneTiles);

    // What does not hide of what streams from beyond the second level: a core looks ahead by so
    // many multiply-adds, half of them on average, while the last cache takes so many cycles. And a
    // little of what streams from the second level, so that among equals the tile wins that streams
    // the fewest bytes.
    constexpr double kAhead = 256, kLatency = 150, kLeastShare = 0.1, kStreamShare = 0.05;
    double memoryShare = std::max(kLeastShare, 1 - kAhead / 2 / traits.fmaPerCycle / kLatency);
    estimate.overhead += memoryShare * std::min(estimate.compute, estimate.memory) +
                         kStreamShare * estimate.l2 + blockingCycles(choice, programs, tiles);
    bool fits = isNear((vectorBytes + scalarBytes) * others);
    double far = fits ? traits.l3BytesPerCycle : traits.memoryBytesPerCycle;
    if (choice.packScalar && !choice.scalar->isConstant) {
      bool transposes = strideOf(*choice.scalar, choice.rowAxis) != 1;
      estimate.overhead += double(m) * k * others * choice.groups * packCycles(transposes);
      if (!transposes)
        estimate.overhead +=
            double(rowTiles) / choice.block * k * others * choice.groups *
            pageCycles(choice.depth, bytesAlong(*choice.scalar, reduced.find_last()),
                       lines(choice.rows * choice.block), fits);
    }
    if (choice.packVector && !choice.vector->isConstant)
      estimate.overhead += double(n) * k * others * packCycles(!contiguous) +
                           2 * vectorBytes * others / far + kLaunchCycles +
                           sharingCycles(vectorBytes, choice.groups);
    estimate.overhead += collisionCycles(choice, tiles, fits);
    if (hasRows)
      estimate.overhead += coldCycles(choice, scalarBytes * others);
    // A vector takes a slot beside the multiply-adds, a scalar goes through a vector and back.
    constexpr double kVectorWork = 0.5, kScalarWork = 1.5;
    if (!choice.packVector)
      estimate.overhead += tiles * k * choice.vectors * width * choice.vector->work * kVectorWork;
    if (!choice.packScalar && hasRows)
      estimate.overhead += tiles * k * choice.rows * choice.scalar->work * kScalarWork;
    // Tiles at the edges are code of their own.
    constexpr double kEdgeShare = 0.005;
    estimate.overhead +=
        kEdgeShare * estimate.compute * (int64_t(m % choice.rows != 0) + int64_t(n % lanes != 0));
    // Results that are not contiguous along the lanes are transposed on their way, a few elements
    // of a line at a time, or scattered.
    double results = double(m) * n * others;
    if (!isStoredAlong(choice.laneAxis)) {
      bool transposes = hasRows && isStoredAlong(choice.rowAxis);
      double lines = results / choice.rows * (1 + double(choice.rows * bytes) / traits.lineBytes);
      estimate.overhead += transposes ? results * packCycles(true) +
                                            2 * lines * traits.lineBytes / traits.l3BytesPerCycle
                                      : 2 * results;
    }
    return true;
  }

  /// Whether the sums of a tile go through local memory, which the work on them reads row by row in
  /// a loop: unrolled over a tile of registers it would be more code than such a loop saves.
  bool stagesSums(const Choice &choice) {
    constexpr double kUnrolled = 512;
    // The tiles of a smaller last block, and a smaller last tile, are code of their own.
    int64_t m = extent(choice.rowAxis), tiles = m / choice.rows;
    int64_t rows =
        (1 + (tiles > choice.block && tiles % choice.block != 0)) * choice.rows + m % choice.rows;
    return choice.rowAxis != choice.laneAxis && choice.rows > 1 &&
           choice.depth == extent(getDeepest()) && isStoredAlong(choice.laneAxis) &&
           choice.lanes == traits.lanes &&
           rows * choice.vectors * registersPerVector() * epilogueOps > kUnrolled;
  }

  /// Whether a result has room for each sum, and vectors of them lie there.
  bool canKeepInResult(unsigned laneAxis) {
    return isStoredAlong(laneAxis) &&
           llvm::any_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
             return store.getValue().getType() == contract.getType();
           });
  }

  ScheduleAttr emit(const Choice &choice) {
    bool hasRows = choice.rowAxis != choice.laneAxis;
    ListBuilder list(kernel);
    SmallVector<StringAttr> rowParts, laneParts;
    SmallVector<std::pair<StringRef, int64_t>> inner;
    if (hasRows) {
      if (choice.block > 1)
        inner.push_back({"_b", choice.block});
      inner.push_back({"_r", choice.rows});
      rowParts = list.divide(choice.rowAxis, inner);
    }
    bool halves = choice.lanes != traits.lanes;
    int64_t lanes = choice.vectors * choice.lanes;
    int64_t laneTiles = llvm::divideCeil(extent(choice.laneAxis), lanes);
    inner.clear();
    if (choice.groups > 1 && choice.groups < laneTiles)
      inner.push_back({"_b", int64_t(llvm::divideCeil(laneTiles, choice.groups))});
    inner.push_back({"_l", halves ? choice.lanes : std::min(lanes, extent(choice.laneAxis))});
    laneParts = list.divide(choice.laneAxis, inner, halves ? EdgeMode::Mask : EdgeMode::Peel);

    for (unsigned axis : stored.set_bits())
      if (axis != choice.laneAxis && (!hasRows || axis != choice.rowAxis))
        list.grid.push_back(list.name(axis));
    bool lanesInGrid = choice.groups > 1 && laneParts.size() > 1;
    if (lanesInGrid)
      list.grid.push_back(laneParts.front());
    if (rowParts.size() > 1)
      list.grid.push_back(rowParts.front());
    if (!halves)
      llvm::append_range(list.order, ArrayRef(laneParts).drop_back().drop_front(lanesInGrid));
    llvm::append_range(
        list.order,
        ArrayRef(rowParts).drop_front(rowParts.size() > 1).drop_back(!rowParts.empty()));
    unsigned deepest = getDeepest();
    SmallVector<StringAttr> depthParts{list.name(deepest)};
    if (choice.depth < extent(deepest)) {
      depthParts = list.divide(deepest, {{"_i", choice.depth}});
      list.order.insert(list.order.begin(), depthParts.front());
    }
    // Sums that wait in local memory are read row by row: the loop over rows is not the sum's.
    StringAttr sumLoop = list.order.empty() ? StringAttr() : list.order.back();
    bool staged = stagesSums(choice);
    if (hasRows)
      (staged ? list.order : list.tile).push_back(rowParts.back());
    for (unsigned axis : reduced.set_bits())
      list.order.push_back(axis == deepest ? depthParts.back() : list.name(axis));
    llvm::append_range(list.tile, ArrayRef(laneParts).take_back(halves ? 2 : 1));

    auto stage = [&](const Operand &operand, StringRef name, ArrayRef<StringAttr> parts,
                     int64_t passes, bool global) {
      const llvm::SmallBitVector &axes = sets.of(operand.op->getResult(0));
      SmallVector<StringAttr> dims;
      if (global)
        for (unsigned axis : axes.set_bits())
          if (stored[axis] && axis != choice.laneAxis && axis != choice.rowAxis)
            dims.push_back(list.name(axis));
      llvm::append_range(dims, parts.drop_back());
      bool isSplit = depthParts.size() > 1 && axes[deepest];
      if (global && isSplit)
        dims.push_back(depthParts.front());
      for (unsigned axis : reduced.set_bits())
        if (axes[axis])
          dims.push_back(axis == deepest ? depthParts.back() : list.name(axis));
      dims.push_back(parts.back());
      list.stage(operand.op, name, dims, global, /*window=*/false,
                 !global && isSplit ? depthParts.front() : StringAttr());
      if (int64_t ahead = getFetchedAhead(operand.op, operand.load, passes, traits);
          ahead && global)
        list.prefetch(operand.op, ahead);
    };
    int64_t lanePasses = llvm::divideCeil(laneTiles, choice.groups);
    if (choice.packVector)
      stage(*choice.vector, "vectors", laneParts, choice.block, /*global=*/true);
    if (choice.packScalar && choice.scalar->isConstant)
      stage(*choice.scalar, "scalars", rowParts, lanePasses, /*global=*/true);
    else if (choice.packScalar)
      stage(*choice.scalar, "scalars", ArrayRef(rowParts).drop_front(rowParts.size() > 1),
            lanePasses, /*global=*/false);
    if (staged)
      list.stage(contract, "sum", {rowParts.back(), laneParts.back()}, /*global=*/false,
                 /*window=*/false, sumLoop);
    if (depthParts.size() > 1)
      list.keep(contract, canKeepInResult(choice.laneAxis) ? KeepPlace::Result : KeepPlace::Local,
                "sum");
    else if (isStoredAlong(choice.laneAxis))
      for (int64_t result : findStreamedResults(kernel, traits))
        list.stream(result);
    return list.finish();
  }
};

} // namespace

void tw::schedule::host::proposeContraction(KernelOp kernel, const HostTraits &traits,
                                            SmallVectorImpl<HostCandidate> &candidates) {
  Contraction(kernel, traits).propose(candidates);
}
