// What chooses the schedules of kernels: a strategy for each kind of machine.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Support/Diagnostics.h"

#include <memory>
#include <string>

namespace tw::schedule {

/// The name that a list speaks of a value by, and the position of the value's op in the body.
struct ValueName {
  unsigned position;
  mlir::StringAttr name;

  bool operator==(const ValueName &other) const = default;
};

/// A schedule that a strategy proposes for a kernel.
struct Candidate {
  /// Who of the strategy wrote the list.
  std::string generator;
  kernel::ScheduleAttr schedule;
  /// Of the values that the list speaks of; who takes the list gives them to the kernel.
  llvm::SmallVector<ValueName> names = {};
  /// Its price, 0 for none, and what that is made of.
  double cycles = 0;
  llvm::SmallVector<std::pair<std::string, double>> terms = {};
  /// Where the program says which size is typical, the geometric mean of the price at the most
  /// points and of what is best there; otherwise 0.
  double typicalCycles = 0;
  /// Kernels that run in a call, those that the list makes counted; 0 for unknown.
  unsigned launches = 0;
  /// Whether who wrote it writes lists for any kernel, and knows little of this one.
  bool isForAny = false;

  /// What kernels are compared by, as joined and apart, and with other orders of dimensions.
  double getComparedCycles() const { return typicalCycles > 0 ? typicalCycles : cycles; }
};

/// What a program under a list needs more of than the machine has, "threads" or "bytes of local
/// memory", and the code of the error that says so.
struct Shortage {
  Code code;
  llvm::StringLiteral what;
  int64_t needed, available;
};

/// The names of the kernel's values that the list speaks of.
llvm::SmallVector<ValueName> collectNames(kernel::KernelOp kernel, kernel::ScheduleAttr list);

/// Gives the names, in the order of positions, to values of the kernel or of a copy of it.
void giveNames(kernel::KernelOp kernel, llvm::ArrayRef<ValueName> names);

/// Lists that a search looks at for a kernel of which all proposals are far from what the machine
/// could do: some 25 ms.
inline constexpr unsigned defaultSearchStates = 220;

/// Chooses schedules for kernels on machines of one kind, whose numbers it is given. A target
/// brings its own; kernel-schedule finds it by name.
class Strategy {
public:
  virtual ~Strategy();

  /// Takes the machine's numbers, as "name=value,name=value"; those that are not named keep their
  /// defaults. False for a name or a value that it does not know, which `wrong` then tells.
  virtual bool setMachine(llvm::StringRef traits, std::string &wrong) = 0;
  /// Changes the kernel in ways that are good under any schedule, before it gets or keeps one.
  virtual void prepare(kernel::KernelOp kernel) const {}
  /// Cycles that no schedule of the kernel goes below, 0 for unknown; found without looking for
  /// one.
  virtual double getLeastCycles(kernel::KernelOp kernel) const { return 0; }
  /// Cycles that the list, whose names the kernel has, takes; 0 for unknown.
  virtual double getCycles(kernel::KernelOp kernel, kernel::ScheduleAttr list) const { return 0; }
  /// What the list, which is legal and whose names the kernel has, has no room for; of a kernel
  /// whose sizes a call settles at the most of each.
  virtual std::optional<Shortage> findShortage(kernel::KernelOp kernel,
                                               kernel::ScheduleAttr list) const {
    return std::nullopt;
  }
  /// Whether kernels may have lists for ranges of their sizes beside the one for all.
  virtual bool takesVariants() const { return false; }
  /// Whether prices are good enough for the order of a tensor's dimensions to be chosen by them.
  virtual bool ordersTensors() const { return false; }
  /// Whether `propose` would search further than these, which it found without a search.
  virtual bool wantsSearch(kernel::KernelOp kernel, llvm::ArrayRef<Candidate> candidates) const {
    return false;
  }
  /// Legal schedules for the kernel, which is not changed, the best first; none where loops in the
  /// order of the kernel are as good as any. With `exactOnly` those alone that leave the order of
  /// every sum as the kernel has it. A search for what is missing looks at so many lists at most.
  virtual llvm::SmallVector<Candidate> propose(kernel::KernelOp kernel, bool exactOnly,
                                               unsigned searchStates) const = 0;
  /// What `propose` gives without a search, of which all but the first may be left out, since that
  /// takes less time; whether there would be a search goes to `wantsMore`.
  virtual llvm::SmallVector<Candidate> proposeBest(kernel::KernelOp kernel, bool exactOnly,
                                                   bool &wantsMore) const;
};

using MakeStrategy = std::unique_ptr<Strategy> (*)();

/// Makes a strategy known under the name of its kind of machine; of two with one name the later one
/// holds. Before passes run: the registry has no lock.
void registerStrategy(llvm::StringRef machine, MakeStrategy make);

/// A new strategy for that kind of machine, or null.
std::unique_ptr<Strategy> makeStrategy(llvm::StringRef machine);

/// The names that are known, in alphabetical order: "gpu, host".
std::string listStrategies();

} // namespace tw::schedule
