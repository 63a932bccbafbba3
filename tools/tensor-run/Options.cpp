// The command line of tensor-run.
#include "Options.h"
#include "Support/Arguments.h"

#include <algorithm>

using namespace tw::run;
using tw::support::ArgumentParser;

static ArgumentParser makeParser(Options &options) {
  ArgumentParser parser(
      "tensor-run MODEL [options]",
      "Runs MODEL on a device: a module (.twm), or a model that is compiled first "
      "(.onnx, .mlir)\nand kept in the cache. Exit status: 0 done, 1 failed, 2 "
      "wrong use, 3 results differ.");
  parser.group("Data");
  parser.list("input", "[NAME=]FILE.npy", options.inputs,
              "an input, by name or in order; others are random");
  parser.number("seed", "N", options.seed, "seed of the random inputs (default 0)");
  parser.list("output", "[NAME=]FILE.npy", options.outputs, "write an output, by name or in order");
  parser.number("top", "N", options.top, "print the N largest values of each output");
  parser.count("steps", "N", options.steps,
               "run N times, each on the state that the one before has left: results that share an "
               "input's memory (default 1)");
  parser.list("batches", "[NAME=]FILE.npy", options.batches,
              "an input that each step has the next slice of");
  parser.text("state", "FILE.safetensors", options.state,
              "what the first step begins with, if the file is there, and the last one leaves: the "
              "inputs whose memory results share");
  parser.group("Checks");
  parser.list("compare", "[NAME=]FILE.npy", options.references,
              "compare an output with a file, or all with --compare=host or "
              "--compare=interpreter");
  parser.number(
      "max-error", "E", options.maxError,
      "largest error allowed, relative to the reference's largest absolute value (default "
      "1e-4 for floats, 8e-3 for bf16, 1e-3 for f16, 0 for others, or one step of quantised "
      "results)");
  parser.flag("check-every-kernel", options.checkEveryKernel,
              "after each launch, compare its results with the interpreter's");
  parser.flag("check-nan", options.checkNan,
              "stop at the first kernel that makes a NaN, and name it");
  parser.group("Measurement");
  parser.flag("benchmark", options.benchmark,
              "run many times; print minimum, median and spread in ns");
  parser.flag("profile", options.profile,
              "the same, with each kernel's time and its share at peak rates");
  parser.flag("capture", options.capture,
              "hand in each run as one graph, which CUDA's and AMD's devices have");
  parser.count("runs", "N", options.runs, "number of these runs (default: about 1 s)");
  parser.flag("json", options.json, "print one JSON object instead of text");
  parser.group("Device");
  parser.text("device", "URI", options.device, "device to run on (default host)");
  parser.count("threads", "N", options.threads,
               "threads of the host device (default: one per core)");
  parser.flag("devices", options.devices, "list devices, and why others cannot be used");
  parser.group("Compilation");
  parser.text("target", "NAME", options.target,
              "target to compile for (default: that of the device)");
  parser.list("dim", "NAME=MIN..MAX[:N]", options.dims,
              "a dimension that keeps its symbol: one module for all sizes, N is typical "
              "(MAX/STEP: in steps); or an ONNX value that says a size");
  parser.list(
      "symbol", "NAME=SIZE", options.symbols,
      "size of a symbolic dimension (default: that of the inputs given, else 1); of one with "
      "a range, in inputs that are made here");
  parser.list("alias", "INPUT=OUTPUT", options.aliases,
              "an input of a model that steps give up, and the output that takes its memory; one "
              "star in both stands for the same text: past.*=present.*");
  parser.list("assume", "NAME=FILE.pb", options.assumptions,
              "value of an input where a result's shape depends on it");
  parser.list("option", "NAME=VALUE", options.compileOptions, "an option of the compiler");
  parser.flag("no-cache", options.noCache,
              "neither read nor write the caches of compiled modules and kernels");
  parser.text("weights", "FOLDER", options.weights,
              "folder of the model's weights (default: the model's)");
  parser.flag("follow-links", options.followLinks,
              "read weights also where symbolic links lead out of their folder");
  parser.flag("check-weights", options.checkWeights, "check the digests of all weights");
  parser.text("function", "NAME", options.function, "function of the module (default main)");
  parser.group("Other");
  parser.text("cases", "FILE", options.cases, "run many: a line each of arguments as a JSON array");
  parser.flag("quiet", options.quiet, "no progress on the terminal");
  parser.flag("help", options.help, "print this");
  parser.flag("version", options.version, "print the version");
  return parser;
}

std::string tw::run::helpText() {
  Options options;
  return makeParser(options).help() +
         "\nEnvironment\n"
         "  TENSORWRIGHT_CACHE          folder of the cache (default ~/.cache/tensorwright)\n"
         "  TENSORWRIGHT_CACHE_SIZE     most bytes of kernels in it, such as 512M (default 1G, 0: "
         "no "
         "limit)\n"
         "  TENSORWRIGHT_LIBRARY        the compiler's library, if it is not beside this tool\n"
         "  TENSORWRIGHT_VULKAN_VALIDATION  1: what the Khronos validation layer says is an "
         "error\n";
}

bool Options::comparesWith(const char *word) const {
  return std::find(references.begin(), references.end(), word) != references.end();
}

bool Options::allows(const char *flag) const {
  std::string flags;
  for (const std::string &option : compileOptions)
    if (option.starts_with("fast-math="))
      flags = "," + option.substr(option.find('=') + 1) + ",";
  if (!flag || flags == ",fast,")
    return !flags.empty() && flags != ",none,";
  return flags.find("," + std::string(flag) + ",") != flags.npos;
}

/// What stands after the last '=' of "NAME=VALUE"; empty without a name.
static std::string valueOf(const std::string &entry) {
  size_t equals = entry.rfind('=');
  return equals == 0 || equals == entry.npos ? "" : entry.substr(equals + 1);
}

bool tw::run::parseOptions(int count, const char *const *arguments, Options &options,
                           std::vector<std::string> &problems) {
  std::vector<std::string> rest;
  ArgumentParser parser = makeParser(options);
  parser.parse(count, arguments, rest, problems);
  // Cases are checked one by one, with what stands here before each.
  if (options.help || options.version || options.devices || !options.cases.empty())
    return problems.empty();
  if (rest.size() == 1)
    options.model = rest[0];
  else if (rest.empty())
    problems.push_back("no model given: tensor-run MODEL [options]");
  else
    problems.push_back("expected one model, found " + std::to_string(rest.size()) + ": '" +
                       rest[0] + "', '" + rest[1] + "'");
  for (const std::string &symbol : options.symbols)
    if (std::string size = valueOf(symbol);
        size.empty() || size.size() > 18 || size.find_first_not_of("0123456789") != size.npos)
      problems.push_back("--symbol=" + symbol + ": expected NAME=SIZE");
  for (const std::string &dim : options.dims)
    if (valueOf(dim).find("..") == std::string::npos)
      problems.push_back(
          "--dim=" + dim +
          ": expected NAME=MIN..MAX, with /STEP and :TYPICAL where wanted, multiples of the step");
  for (const std::string &assumption : options.assumptions)
    if (valueOf(assumption).empty())
      problems.push_back("--assume=" + assumption + ": expected NAME=FILE.pb");
  if (options.threads > 1024)
    problems.push_back("--threads=" + std::to_string(options.threads) + ": the most is 1024");
  return problems.empty();
}
