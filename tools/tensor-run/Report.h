// What a run found, as text or as JSON.
#pragma once

#include "Benchmark.h"
#include "KernelCheck.h"

namespace tw::run {

struct Report {
  std::vector<std::string> notes;
  std::vector<Tensor> outputs;
  std::vector<Comparison> comparisons;
  bool checkedKernels = false, benchmarked = false;
  KernelReport kernels;
  Benchmark benchmark;
  std::vector<KernelTime> profile;
  /// Of all steps together, and of each of them.
  uint64_t runNanoseconds = 0;
  std::vector<uint64_t> stepNanoseconds;
  /// Of each output that is a scalar of floats what each of several steps gave.
  struct Course {
    size_t output;
    std::vector<double> numbers;
  };
  std::vector<Course> courses;
  /// The dimensions of the outputs of each step, where the interpreter follows.
  std::vector<std::vector<std::vector<int64_t>>> shapes;

  /// All comparisons within their limits.
  bool holds() const;
};

/// As JSON with what was told on the way.
void printReport(const Options &options, const Session &session, const Report &report,
                 const Problems &problems);

/// The JSON of what ended without a report: {"tool", "exitStatus", "diagnostics"}.
void printFailure(int exitStatus, const Problems &problems);

/// The member "name" of a device's description.
std::string deviceName(const std::string &description);

/// --devices: a line each, or one JSON array. What cannot be used is listed with the reason.
void printDevices(const Options &options, TwrtInstance *instance);

} // namespace tw::run
