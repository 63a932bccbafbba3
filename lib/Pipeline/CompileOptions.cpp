// Options of a compilation by name.
#include "tw/Pipeline/Compiler.h"
#include "tw/Support/CacheFolder.h"
#include "tw/Support/CacheLimit.h"
#include "tw/Support/FastMath.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace tw;

/// "4096", "64KiB", "4GiB": a positive number of bytes.
static std::optional<int64_t> parseBytes(StringRef text) {
  unsigned shift = 0;
  for (auto [unit, bits] : {std::pair("KiB", 10u), {"MiB", 20u}, {"GiB", 30u}})
    if (text.consume_back(unit))
      shift = bits;
  int64_t number = 0;
  if (text.getAsInteger(10, number) || number <= 0 || number > INT64_MAX >> shift)
    return std::nullopt;
  return number << shift;
}

bool tw::setOption(CompileOptions &options, StringRef word, std::string &error) {
  auto [name, value] = word.split('=');
  int64_t number = 0;
  bool isNumber = !value.getAsInteger(10, number);
  if (name == "optimize" && isNumber && number >= 0 && number <= 3) {
    options.optimize = unsigned(number);
    return true;
  }
  constexpr int64_t kMostThreads = 4096;
  if (name == "threads" && isNumber && number > 0 && number <= kMostThreads) {
    options.threads = number;
    return true;
  }
  constexpr int64_t kMostStates = 1'000'000;
  if (name == "search-states" && isNumber && number >= 0 && number <= kMostStates) {
    options.searchStates = unsigned(number);
    return true;
  }
  if (name == "fusion-seed" && isNumber && number >= 0 && number <= UINT32_MAX) {
    options.fusionSeed = unsigned(number);
    return true;
  }
  if (name == "layout-seed" && isNumber && number >= 0 && number <= UINT32_MAX) {
    options.layoutSeed = unsigned(number);
    return true;
  }
  if (std::optional<int64_t> bytes = parseBytes(value); name == "memory" && bytes) {
    options.memory = *bytes;
    return true;
  }
  if (name == "fusion") {
    constexpr std::pair<StringLiteral, Fusion> levels[] = {
        {"off", Fusion::Off}, {"elementwise", Fusion::Elementwise}, {"full", Fusion::Full}};
    auto *level = find_if(levels, [value = value](auto known) { return known.first == value; });
    if (level != std::end(levels)) {
      options.fusion = level->second;
      return true;
    }
  }
  if (name == "fast-math" && parseFastMath(value)) {
    options.fastMath = value.str();
    return true;
  }
  bool isTrue = value == "true";
  if (name == "kernel-cache" && (isTrue || value == "false")) {
    if (!getCacheLimit()) {
      error = "TENSORWRIGHT_CACHE_SIZE: expected a number of bytes such as 512M or 2G, or 0 for no "
              "limit, found '" +
              std::string(getenv("TENSORWRIGHT_CACHE_SIZE")) + "'";
      return false;
    }
    std::string folder = getCacheFolder();
    options.kernelCache = isTrue && !folder.empty() ? folder + "/kernels" : "";
    return true;
  }
  if (name == "supplied-weights" && (isTrue || value == "false" || value == "finite")) {
    using Weights = CompileOptions::SuppliedWeights;
    options.suppliedWeights = isTrue              ? Weights::Any
                              : value == "finite" ? Weights::Finite
                                                  : Weights::None;
    return true;
  }
  std::pair<StringRef, bool *> flags[] = {{"debug-info", &options.debugInfo},
                                          {"deterministic", &options.deterministic},
                                          {"initializer", &options.initializer},
                                          {"layouts", &options.layouts},
                                          {"embed-weights", &options.embedWeights}};
  auto *flag = find_if(flags, [name = name](auto known) { return known.first == name; });
  if (flag != std::end(flags) && (value == "true" || value == "false")) {
    *flag->second = value == "true";
    return true;
  }
  error = ("unknown compile option '" + word +
           "', known are optimize=0..3, debug-info=true|false, deterministic=true|false, "
           "initializer=true|false, embed-weights=true|false, kernel-cache=true|false, "
           "supplied-weights=true|false|finite, "
           "threads=1..4096, memory=BYTES|KiB|MiB|GiB, "
           "search-states=0..1000000, fusion=off|elementwise|full, fusion-seed=0..4294967295, "
           "layouts=true|false, layout-seed=0..4294967295, "
           "fast-math=none|fast|reassoc,nnan,ninf,nsz,arcp,contract,afn")
              .str();
  return false;
}
