// The command line of tensor-run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tw::run {

struct Options {
  /// `cases`: a file of command lines to run instead.
  std::string model, function, cases;
  std::string target, device = "host", weights; // no target: that of the device
  std::vector<std::string> compileOptions, symbols, dims, aliases, assumptions;
  bool noCache = false, checkWeights = false, followLinks = false;

  std::vector<std::string> inputs, outputs, references, batches;
  std::string state;
  uint64_t seed = 0, top = 0, steps = 1;
  double maxError = -1; // below zero: by the element type
  bool checkEveryKernel = false, checkNan = false;

  bool benchmark = false, profile = false, capture = false, json = false, quiet = false;
  uint64_t runs = 0, threads = 0;

  bool help = false, version = false, devices = false;

  /// --compare with the word "interpreter" or "host".
  bool comparesWith(const char *word) const;
  /// Whether --option=fast-math=... has the flag: "nnan", "afn" ...; null: any.
  bool allows(const char *flag) const;
};

/// Fills `options`. Returns false with a line for each problem.
bool parseOptions(int count, const char *const *arguments, Options &options,
                  std::vector<std::string> &problems);

std::string helpText();

} // namespace tw::run
