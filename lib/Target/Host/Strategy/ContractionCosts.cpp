// What memory costs the tiles of a product: streams, collisions in caches, pages, panels that
// threads share.
#include "Contraction.h"

#include "Accesses.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

/// Pages that an operand finds again soon, of those that the core knows: other operands, results
/// and tables of pages share them. A larger share leaves out panels where they are needed.
static constexpr int64_t kOwnPart = 3;

int64_t Contraction::usableLines(int64_t bytes, int64_t rows, int64_t cacheBytes, int64_t ways) {
  int64_t cacheSets = cacheBytes / traits.lineBytes / ways;
  int64_t step = std::max<int64_t>(1, bytes / traits.lineBytes);
  int64_t period = cacheSets / std::gcd(step, cacheSets);
  int64_t again = llvm::divideCeil(rows, period) - 1;
  int64_t drift = bytes % traits.lineBytes * period * again / traits.lineBytes;
  return ways * std::min(cacheSets, period * (1 + std::min(again, drift)));
}

double Contraction::streamCycles(const Choice &choice, double vectorBytes, double scalarBytes,
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

double Contraction::sharingCycles(double vectorBytes, int64_t groups) {
  return 2 * vectorBytes / groups / traits.l3BytesPerCycle;
}

double Contraction::blockingCycles(const Choice &choice, int64_t programs, double tiles) {
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

double Contraction::collisionCycles(const Choice &choice, double tiles, bool fits) {
  constexpr double kRowShare = 0.1, kVectorShare = 0.5, kPagesShare = 0.05, kPageEachShare = 0.25,
                   kAheadShare = 0.1, kPageShare = 0.25;
  // The shares are of a tile whose step is so many times as long as a multiply-add's; one of fewer
  // cycles hides less of a page.
  constexpr double kStepLatencies = 6;
  int64_t page = traits.pageBytes;
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
        depth * std::min(step, page) > traits.farPages / kOwnPart * page)
      share = kVectorShare;
    else if (depth * step > traits.nearPages * page)
      share = (step < page ? kPagesShare : kPageEachShare) * kStepLatencies *
              double(traits.fmaLatency) / tileCycles(choice.rows, choice.vectors);
    return step < page / 4 ? std::min(share, kAheadShare) : share;
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

double Contraction::coldCycles(const Choice &choice, double scalarBytes) {
  // Half of what memory takes: some of what is cold lies in the last cache.
  double latency = traits.memoryLatency / 2;
  int64_t run = extent(reduced.find_last()) * bytesAlong(*choice.scalar, reduced.find_last());
  if (choice.packScalar || !choice.scalar->isConstant || !isCold(scalarBytes, traits) ||
      run >= traits.pageBytes)
    return 0;
  return scalarBytes / double(traits.lineBytes * choice.rows) * latency;
}

int64_t Contraction::lines(int64_t points) {
  return llvm::divideCeil(points * elementBytes(), traits.lineBytes);
}
