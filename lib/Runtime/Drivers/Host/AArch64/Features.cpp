// What Linux says of the CPU, under LLVM's names.
#if defined(__aarch64__)
#include "../Features.h"

#include <cstdio>
#include <cstring>
#include <sys/auxv.h>

using namespace tw::runtime;

namespace {

/// By number of the auxiliary vector's entry, 16 (AT_HWCAP) or 26 (AT_HWCAP2), and bit: Linux,
/// arch/arm64/include/uapi/asm/hwcap.h.
struct Feature {
  const char *name;
  unsigned long entry;
  unsigned bit;
};

constexpr Feature features[] = {
    {"fp-armv8", 16, 0}, {"neon", 16, 1},       {"aes", 16, 3},       {"sha2", 16, 6},
    {"crc", 16, 7},      {"lse", 16, 8},        {"fullfp16", 16, 10}, {"rdm", 16, 12},
    {"jsconv", 16, 13},  {"complxnum", 16, 14}, {"sha3", 16, 17},     {"sm4", 16, 19},
    {"dotprod", 16, 20}, {"fp16fml", 16, 23},   {"i8mm", 26, 13},     {"bf16", 26, 14},
};

struct FeatureList {
  char names[256] = "aarch64";
  FeatureList() {
    size_t length = strlen(names);
    for (const Feature &feature : features)
      if (getauxval(feature.entry) >> feature.bit & 1)
        length += size_t(snprintf(names + length, sizeof(names) - length, " %s", feature.name));
  }
};

} // namespace

const char *host::cpuFeatures() {
  static const FeatureList list;
  return list.names;
}
const char *host::cpuName() { return "aarch64"; }

#endif
