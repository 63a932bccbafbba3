// What moving data between the caches takes for a loop tree.
#include "Accesses.h"
#include "Price.h"
#include "Touches.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// Bytes that come of one memory: the most of what touches it one after another, and of the sides
/// of a branch, of which one runs, those of both.
class BytesOnce {
public:
  /// How many bytes more come with these of a touch.
  double add(ArrayRef<Side> sides, unsigned side, double bytes) {
    if (side == 0 && most.empty())
      return std::max(0.0, bytes - std::exchange(outside, std::max(outside, bytes)));
    most.resize(sides.size(), 0);
    ofBranches.resize(sides.size(), 0);
    while (side > 0) {
      double &own = most[side - 1];
      if (bytes <= own)
        return 0;
      auto [around, branch] = sides[side - 1];
      ofBranches[branch] += bytes - std::exchange(own, bytes);
      bytes = ofBranches[branch];
      side = around;
    }
    return std::max(0.0, bytes - std::exchange(outside, std::max(outside, bytes)));
  }

private:
  double outside = 0;
  SmallVector<double, 0> most, ofBranches;
};

class TrafficPricer {
public:
  TrafficPricer(const LoopTree &tree, const HostTraits &traits)
      : plan(tree.plan), traits(traits), touches(tree, traits),
        cachedBytes(getTouchedBytes(tree.kernel, tree.sets)) {
    for (const Touch &touch : touches.all)
      if (touch.isStreamed)
        cachedBytes -= touch.footprints.front() * touch.times;
    cachedBytes = std::max(cachedBytes, 0.0);
  }

  HostPrice price(double core) {
    // Data lies where all that the kernel touches has room, but for what it stores past the caches.
    Traffic beyondL1 = getTraffic({traits.l1Bytes, traits.l1Ways}), beyondL2, beyondL3;
    if (cachedBytes > double(traits.l2Bytes))
      beyondL2 = getTraffic({traits.l2Bytes, traits.l2Ways});
    if (double kept = getKept(); kept < 1)
      beyondL3 = getTraffic({traits.l3Bytes, traits.l3Ways}, kept);
    if (beyondL3.bytes == 0)
      beyondL3 = getColdTraffic();
    if (!plan.streamed.empty())
      addStreamed(beyondL3);
    HostPrice price;
    price.l2 = beyondL1.bytes / traits.l2BytesPerCycle + beyondL1.runs * waitOf(traits.l2Latency);
    price.l3 = beyondL2.bytes / traits.l3BytesPerCycle + beyondL2.runs * waitOf(traits.l3Latency);
    // Each thread has no more of memory than its part.
    double memoryRate = std::min(traits.memoryBytesPerCycle,
                                 traits.getSharedMemoryBytesPerCycle() / double(traits.threads));
    price.waits = std::max(getWaits(beyondL2, core, traits.l3BytesPerCycle),
                           getWaits(beyondL3, core, memoryRate));
    price.memory = beyondL3.bytes / traits.memoryBytesPerCycle +
                   (beyondL3.runs + beyondL3.linesUnasked) * waitOf(traits.memoryLatency) +
                   beyondL3.getMostOfPlace() * getWaitInOnePlace();
    for (Touch &touch : touches.all)
      for (unsigned depth = 0; depth <= touch.path.size(); ++depth)
        touch.footprints[depth] = touches.pagesOf(touch, depth) * double(traits.pageBytes);
    auto pricePages = [&](int64_t pages, double cycles) {
      // A table is searched whole.
      Traffic traffic = getTraffic({pages * traits.pageBytes, 0});
      return traffic.bytes / double(traits.pageBytes) * cycles / traits.pagesAtOnce;
    };
    price.pages = pricePages(traits.nearPages, traits.farPageCycles) +
                  pricePages(traits.farPages, traits.pageWalkCycles);
    return price;
  }

private:
  /// Lines whose time the write of a part of one takes: it is read, joined and written.
  static constexpr double kPieceLines = 5;

  /// Lines at the beginning of a run, and of a page in it, that the prefetchers of the hardware do
  /// not fetch ahead, since they begin anew there. (Rows of 512 bytes to 2 KB that were read
  /// several in turn took as if six to twelve lines of each had waited, pages of one run as if
  /// eight had.)
  static constexpr double kUnasked = 8;

  /// Memory turns to another place for each run that is stored as for one that is read, but stores
  /// wait in buffers, where some more of them come together meanwhile.
  static constexpr double kStoredRun = 0.5;

  /// Bytes that move, runs of contiguous ones that are accessed one after another, of which nothing
  /// fetches the first line ahead, and further lines that nothing does.
  struct Traffic {
    double bytes = 0, runs = 0, linesUnasked = 0;
    /// Bytes that are read on from one place of each memory.
    llvm::SmallMapVector<const void *, double, 4> bytesOfPlaces;

    /// By the number of a loop whose first iteration brings what all others find again: bytes, and
    /// the share that one iteration has of the time.
    llvm::SmallMapVector<unsigned, std::pair<double, double>, 4> first;

    void addRead(const Touch &touch, double more) {
      if (!touch.isStore)
        bytesOfPlaces[touch.memory] += more / touch.places;
    }
    double getMostOfPlace() const {
      double most = 0;
      for (auto [memory, own] : bytesOfPlaces)
        most = std::max(most, own);
      return most;
    }
  };

  /// Bytes behind which a line is waited for: of a matrix unit those of a block, since it loads no
  /// block before it has the one before. (Weights by one row came at 14.4 GB/s in blocks, in order,
  /// at 18.7 in vectors.)
  double getRun(const Touch &touch) const {
    double block = double(traits.blockRows * traits.lineBytes);
    return touch.iterations > 1 ? std::min(touch.runBytes, block) : touch.runBytes;
  }

  /// What the core waits for where a loop's first iteration brings what the others find again: that
  /// hides no more than it computes itself.
  static double getWaits(const Traffic &traffic, double core, double bytesPerCycle) {
    double waits = 0;
    for (auto [loop, first] : traffic.first)
      waits += std::max(0.0, first.first / bytesPerCycle - core * first.second);
    return waits;
  }

  /// The outermost loop from a depth on whose iterations all touch the same, one place after
  /// another, and the share of one of them; its number is 0 where there is none.
  static std::pair<unsigned, double> getFirst(const Touch &touch, unsigned depth) {
    unsigned loop = 0;
    double share = 1;
    bool moves = false;
    for (unsigned i = unsigned(touch.path.size()); i-- > depth;) {
      const Level &level = touch.path[i];
      if (touch.leaves[level.leaf]) {
        moves |= level.trips > 1;
      } else if (moves && level.trips > 1) {
        loop = level.number;
        share /= level.trips;
      }
    }
    return {loop, share};
  }

  /// Cycles for a byte of memory that comes later in one place than in several in turn, each of
  /// which is fetched ahead by itself.
  double getWaitInOnePlace() const {
    return std::max(0.0, 1 / traits.streamBytesPerCycle - 1 / traits.memoryBytesPerCycle);
  }

  /// Of so many bytes that an access brings, lines behind the first ones of runs that neither an
  /// instruction nor the hardware fetches ahead.
  double countUnasked(const Touch &touch, double bytes) const {
    if (touch.isFetched || touch.isStore)
      return 0;
    double lines = std::min(kUnasked, touch.runBytes / double(traits.lineBytes)) - 1;
    return bytes * (lines / touch.runBytes + kUnasked / double(traits.pageBytes));
  }

  double waitOf(double latency) const { return latency / traits.missesAtOnce; }

  /// The share of all that the last cache still has of the last call; all or nothing where the call
  /// touches much besides.
  double getKept() const {
    double full = cachedBytes / double(traits.l3Bytes);
    if (llvm::any_of(touches.all, [](const Touch &touch) { return touch.isFar; }))
      return full > kKeptShare ? 0 : 1;
    return getFoundAgain(full);
  }

  /// What each access touches inside of each loop around it, and what all of a loop do together:
  /// of several to the same memory, the one that touches most.
  void measure(const Cache &cache) {
    together.assign(touches.getNumLoops() + 1, 0);
    std::vector<SmallVector<std::pair<const void *, double>, 4>> parts(touches.getNumLoops() + 1);
    for (Touch &touch : touches.all) {
      if (touch.isStreamed)
        continue;
      for (unsigned depth = 0; depth <= touch.path.size(); ++depth) {
        double bytes = touches.occupied(touch, depth, cache);
        unsigned loop = depth ? touch.path[depth - 1].number : 0;
        auto *it =
            llvm::find_if(parts[loop], [&](auto &part) { return part.first == touch.memory; });
        if (it == parts[loop].end()) {
          parts[loop].push_back({touch.memory, bytes});
          together[loop] += bytes;
        } else if (bytes > it->second) {
          together[loop] += bytes - std::exchange(it->second, bytes);
        }
      }
    }
  }

  /// Parts of lines that leave for memory by themselves, where stores past the caches have gone on
  /// elsewhere before a line was whole; in lines.
  double getPieces() const {
    double pieces = 0;
    for (const Touch &touch : touches.all) {
      if (!touch.isStreamed)
        continue;
      double run = touches.runOf(touch, traits.joinedLines);
      if (run < double(traits.lineBytes))
        pieces += touch.footprints.front() / run * touch.times;
    }
    return pieces * kPieceLines;
  }

  /// What is stored past the caches, wherever the other data lie.
  void addStreamed(Traffic &traffic) const {
    traffic.bytes += getPieces() * double(traits.lineBytes);
    for (const Touch &touch : touches.all) {
      if (!touch.isStreamed)
        continue;
      double bytes = trafficOf(touch, unsigned(touch.path.size()));
      traffic.bytes += bytes;
      traffic.runs += kStoredRun * bytes / touch.runBytes;
    }
  }

  /// Of constants and arguments, which other kernels may have put out of the caches since the last
  /// call: each line once. A row that ends in a smaller tile is touched by loops of their own, and
  /// where most of a constant is read, so is what fills its rows up: streams of lines do not leave
  /// gaps.
  Traffic getColdTraffic() {
    constexpr double kMost = 0.5;
    Traffic traffic;
    llvm::MapVector<const void *, std::pair<double, double>> counted;
    for (const Touch &touch : touches.all) {
      if (!touch.isFar)
        continue;
      auto &[bytes, whole] = counted[touch.memory];
      double more = std::min(touch.footprints.front(), touch.wholeBytes - bytes);
      whole = touch.wholeBytes;
      bytes += more;
      traffic.runs += more / getRun(touch);
      traffic.bytes += more * touch.inVain;
      traffic.linesUnasked += countUnasked(touch, more);
      traffic.addRead(touch, more);
    }
    for (auto [memory, read] : counted)
      traffic.bytes += read.first >= kMost * read.second ? read.second : read.first;
    return traffic;
  }

  /// Bytes that an access brings where the loops from `depth` on find again what they touched.
  double trafficOf(const Touch &touch, unsigned depth) const {
    // The innermost loop around what fits that moves the access on, and those around it.
    unsigned last = depth;
    while (last > 0 && !touch.leaves[touch.path[last - 1].leaf])
      --last;
    double own = touch.footprints[last ? last - 1 : 0] * touch.times;
    for (unsigned i = 0; i + 1 < last; ++i)
      own *= touch.path[i].trips;
    // Memory is read before it is written, unless stores go past the caches.
    return touch.isStore && !touch.isStreamed ? 2 * own : own;
  }

  /// Bytes that an access brings if it finds nothing again.
  static double trafficAgain(const Touch &touch) {
    double own = touch.footprints.back() * touch.times / touch.iterations;
    for (const Level &level : touch.path)
      own *= level.trips;
    return touch.isStore && !touch.isStreamed ? 2 * own : own;
  }

  /// What comes from beyond the cache. `kept`: the share of all that the last call has left there,
  /// by how full the kernel makes it, so that the whole kernel is no loop that finds it again.
  Traffic getTraffic(const Cache &cache, double kept = 0) {
    measure(cache);
    Traffic traffic;
    // What several nodes of one loop touch comes once.
    SmallVector<std::tuple<const void *, unsigned, BytesOnce>> counted;
    for (const Touch &touch : touches.all) {
      if (touch.isStreamed)
        continue;
      auto numberOf = [&](unsigned depth) { return depth ? touch.path[depth - 1].number : 0; };
      double left = 1 - kept;
      unsigned first = kept > 0 && !touch.path.empty() ? 1 : 0;
      for (unsigned depth = first; depth <= touch.path.size() && left > 0; ++depth) {
        double fits = depth == touch.path.size()
                          ? 1
                          : getFoundAgain(together[numberOf(depth)] / double(cache.bytes));
        if (fits == 0)
          continue;
        double own = trafficOf(touch, depth);
        // What one iteration touches may have no room in its sets, so that the next one, of the
        // same lines, brings them again.
        if (depth == touch.path.size())
          if (double gone =
                  1 - getFoundAgain(touches.occupied(touch, depth, cache) / double(cache.bytes));
              gone > 0)
            own += gone * std::max(0.0, trafficAgain(touch) - own);
        own *= left * fits;
        left -= left * fits;
        auto *it = llvm::find_if(counted, [&](auto &entry) {
          return std::get<0>(entry) == touch.memory && std::get<1>(entry) == numberOf(depth);
        });
        if (it == counted.end()) {
          counted.push_back({touch.memory, numberOf(depth), BytesOnce()});
          it = std::prev(counted.end());
        }
        double more = std::get<2>(*it).add(touches.getSides(), touch.side, own);
        traffic.bytes += more * (1 + touch.inVain);
        traffic.runs += more / getRun(touch);
        traffic.linesUnasked += countUnasked(touch, more);
        traffic.addRead(touch, more);
        if (auto [loop, share] = getFirst(touch, depth); loop && more > 0 && !touch.isStore) {
          auto &[bytes, least] = traffic.first.try_emplace(loop, 0, 1).first->second;
          bytes += more;
          least = std::min(least, share);
        }
      }
    }
    return traffic;
  }

  const Plan &plan;
  const HostTraits &traits;
  Touches touches;
  double cachedBytes; ///< what the kernel touches of the caches
  /// Bytes, by loops; of the whole kernel the first.
  std::vector<double> together;
};

} // namespace

HostPrice host::priceTraffic(const LoopTree &tree, double core, const HostTraits &traits) {
  return TrafficPricer(tree, traits).price(core);
}
