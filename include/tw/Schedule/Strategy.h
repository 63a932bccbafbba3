// What chooses the schedules of kernels: a strategy for each kind of machine.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include <memory>
#include <string>

namespace tw::schedule {

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
  /// A legal schedule for any kernel; with `exactOnly` one that leaves the order of every sum as
  /// the kernel has it. Gives names to values of the kernel that the schedule speaks of.
  virtual kernel::ScheduleAttr choose(kernel::KernelOp kernel, bool exactOnly) const = 0;
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
