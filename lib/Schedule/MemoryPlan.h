// What the steps of a program keep in memory, and what they compute again instead.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace tw::schedule {

/// Steps in their order with the values that they read and make. A value is in memory from the step
/// that makes it to the last one that reads it, both included.
class MemoryPlan {
public:
  struct Step {
    /// Of the op in the list of the caller; copies of a step have its number.
    unsigned number = 0;
    llvm::SmallVector<unsigned, 4> reads, makes;
    double cycles = 0;
    /// Makes the same wherever it stands, and nothing but values; and may do so again.
    bool mayMove = false, mayRepeat = false;
    bool isCopy = false;
    /// Bytes that are in memory while it runs, and at no other time.
    int64_t own = 0;
    /// A value that it reads and whose memory it goes on to use, if nobody else reads it.
    std::optional<unsigned> takesOver = {};
  };
  /// First and last step of a value; of one that no step makes any more, the first is behind the
  /// last.
  struct Lifetime {
    unsigned first = 1, last = 0;

    bool isEmpty() const { return first > last; }
  };

  /// A value of so many bytes of the arena, 0 for one that lies elsewhere.
  unsigned addValue(int64_t size);
  void addStep(Step step) { steps.push_back(std::move(step)); }
  /// The memory of the value is written to by the step of that number: nothing reads it later.
  void endAt(unsigned value, unsigned number) { ends[value] = number; }

  /// Runs steps later, earlier or again until no live set is above `most` bytes. False where no
  /// step is found any more that makes it less; what was done until then stays.
  bool fit(int64_t most);
  /// Keeps what runs again where no live set comes above `most` bytes by that.
  void keepAgain(int64_t most);

  llvm::ArrayRef<Step> getSteps() const { return steps; }
  unsigned getNumValues() const { return sizes.size(); }
  int64_t getSize(unsigned value) const { return sizes[value]; }
  /// By value.
  llvm::SmallVector<Lifetime> getLifetimes() const;
  /// The largest live set, and the first step at which it is.
  std::pair<int64_t, unsigned> getPeak() const;

private:
  /// A step before the step `peak` to run again, or later, in front of step `at` behind that; or
  /// one behind it to run earlier, in front of a step `at` that is not.
  struct Repetition {
    unsigned step, at, peak;
    /// What it reads and what is not in memory at the peak is made again, too; else it is kept.
    bool follows;
    /// Cycles for each byte that is freed.
    double price;
  };
  struct Measure {
    int64_t peak = 0;
    unsigned at = 0;
    /// Bytes above the limit, of all steps.
    double excess = 0;
  };

  /// Of bytes above `most`.
  Measure measure(int64_t most) const;
  double getCycles() const;
  bool reach(int64_t most, unsigned trials);
  /// Of so many repetitions that make less of what is above, the cheapest ones for what they free
  /// at the largest live set, takes the cheapest one for what it makes less.
  bool improve(int64_t most, unsigned mostTrials, Measure &now);
  /// How often steps run beyond the second time.
  unsigned countThirds() const;
  bool keepInstead(unsigned copy, int64_t most);
  llvm::SmallVector<Repetition> findRepetitions(unsigned peak) const;
  void findEarlier(unsigned peak, llvm::ArrayRef<Lifetime> lifetimes,
                   llvm::ArrayRef<llvm::SmallVector<unsigned, 2>> readers,
                   llvm::SmallVectorImpl<Repetition> &found) const;
  /// False, with the steps changed, where that is not possible.
  bool repeat(const Repetition &what);
  bool advance(unsigned number, unsigned at);
  /// Reads of values, from step `at` on, become reads of their copies.
  void replace(const llvm::DenseMap<unsigned, unsigned> &copies, unsigned at);
  /// Takes steps away whose values nobody reads.
  void removeUnread();

  llvm::SmallVector<Step> steps;
  llvm::SmallVector<int64_t> sizes;
  llvm::DenseMap<unsigned, unsigned> ends;
};

} // namespace tw::schedule
