// Compares what every launch computes with the interpreter.
#pragma once

#include "Session.h"

namespace tw::run {

struct KernelResult {
  uint32_t launch = 0;
  /// The launch is one of the program's initializer.
  bool initializer = false;
  std::string kernel;
  Comparison comparison;
  uint32_t binding = 0;
};

struct KernelReport {
  uint32_t launches = 0, failed = 0;
  /// The largest relative error over all launches.
  KernelResult worst;
  std::vector<KernelResult> failures;
};

/// Runs the program's initializer, before anybody else has, with a check after each launch, and
/// adds to `report`. False like checkEveryKernel.
bool checkInitializer(Session &session, const Options &options, Progress &progress,
                      Problems &problems, KernelReport &report);

/// Runs the call once with a check after each launch. False if the checks could not be made; what
/// they found is added to `report`.
bool checkEveryKernel(Session &session, const Options &options, Progress &progress,
                      Problems &problems, KernelReport &report);

} // namespace tw::run
