// Trials in a process of their own: what crashes or never ends there is one more failure here.
#pragma once

#include "Trial.h"

namespace tw::fuzz {

/// What became of a trial.
enum class Outcome : char { Good, Wrong, TooLarge };

/// What a process made of its trials.
struct Ran {
  /// Fewer than there are trials where the process ended before all were compared.
  std::vector<Outcome> outcomes;
  /// The signal that ended the process, 0 for none.
  int signal = 0;
  /// Its status, if no signal ended it.
  int status = 0;

  bool isWhole() const { return !signal && !status; }
};

/// Runs the trials in a process of their own, which reports those that are wrong.
Ran runApart(Program &program, std::vector<Trial> &trials, const Settings &settings,
             Random &random);

/// Like `runApart`, and where the process ends early each trial once more alone: those that end
/// theirs are reported and wrong. `where` says which trials these are, by the numbers of the draws:
/// "seed 7, schedule ", the first of which has the number `first`. Adds to `unexplained` where no
/// trial ends a process alone, after a report of all.
std::vector<Outcome> runWatched(Program &program, std::vector<Trial> &trials,
                                const Settings &settings, Random &random, llvm::StringRef where,
                                unsigned first, unsigned &unexplained);

/// Names the file whose programs are read, for the message of a crash of this process.
void announceReading(llvm::StringRef file);

/// Says on a crash what runs, also when the stack has no room left.
void installCrashHandlers();

/// To see this tool fail: the primitive, by its keyword, at which a process of trials runs out of
/// stack.
extern std::string crashKeyword;

} // namespace tw::fuzz
