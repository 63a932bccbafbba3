// CPUID and XGETBV, as Intel's and AMD's manuals give them (Intel SDM volume 2, CPUID; AMD APM
// volume 3, appendix E), under LLVM's names.
#if defined(__x86_64__)
#include "../Features.h"

#include <cpuid.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <sys/syscall.h>
#include <unistd.h>

using namespace tw::runtime;

namespace {

enum Register : uint8_t { A, B, C, D };
/// What the operating system must save for the feature to be usable.
enum State : uint8_t { None, Ymm, Zmm, Tile };

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register reg;
  uint8_t bit;
  State state;
};

constexpr Feature features[] = {
    {"cx8", 1, 0, D, 8, None},
    {"cmov", 1, 0, D, 15, None},
    {"mmx", 1, 0, D, 23, None},
    {"fxsr", 1, 0, D, 24, None},
    {"sse", 1, 0, D, 25, None},
    {"sse2", 1, 0, D, 26, None},
    {"sse3", 1, 0, C, 0, None},
    {"pclmul", 1, 0, C, 1, None},
    {"ssse3", 1, 0, C, 9, None},
    {"fma", 1, 0, C, 12, Ymm},
    {"cx16", 1, 0, C, 13, None},
    {"sse4.1", 1, 0, C, 19, None},
    {"sse4.2", 1, 0, C, 20, None},
    {"movbe", 1, 0, C, 22, None},
    {"popcnt", 1, 0, C, 23, None},
    {"aes", 1, 0, C, 25, None},
    {"xsave", 1, 0, C, 26, Ymm},
    {"avx", 1, 0, C, 28, Ymm},
    {"f16c", 1, 0, C, 29, Ymm},
    {"rdrnd", 1, 0, C, 30, None},
    {"fsgsbase", 7, 0, B, 0, None},
    {"bmi", 7, 0, B, 3, None},
    {"avx2", 7, 0, B, 5, Ymm},
    {"bmi2", 7, 0, B, 8, None},
    {"invpcid", 7, 0, B, 10, None},
    {"rtm", 7, 0, B, 11, None},
    {"avx512f", 7, 0, B, 16, Zmm},
    {"avx512dq", 7, 0, B, 17, Zmm},
    {"rdseed", 7, 0, B, 18, None},
    {"adx", 7, 0, B, 19, None},
    {"avx512ifma", 7, 0, B, 21, Zmm},
    {"clflushopt", 7, 0, B, 23, None},
    {"clwb", 7, 0, B, 24, None},
    {"avx512cd", 7, 0, B, 28, Zmm},
    {"sha", 7, 0, B, 29, None},
    {"avx512bw", 7, 0, B, 30, Zmm},
    {"avx512vl", 7, 0, B, 31, Zmm},
    {"avx512vbmi", 7, 0, C, 1, Zmm},
    {"pku", 7, 0, C, 4, None},
    {"waitpkg", 7, 0, C, 5, None},
    {"avx512vbmi2", 7, 0, C, 6, Zmm},
    {"shstk", 7, 0, C, 7, None},
    {"gfni", 7, 0, C, 8, None},
    {"vaes", 7, 0, C, 9, Ymm},
    {"vpclmulqdq", 7, 0, C, 10, Ymm},
    {"avx512vnni", 7, 0, C, 11, Zmm},
    {"avx512bitalg", 7, 0, C, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, C, 14, Zmm},
    {"rdpid", 7, 0, C, 22, None},
    {"movdiri", 7, 0, C, 27, None},
    {"movdir64b", 7, 0, C, 28, None},
    {"avx512vp2intersect", 7, 0, D, 8, Zmm},
    {"serialize", 7, 0, D, 14, None},
    {"amx-bf16", 7, 0, D, 22, Tile},
    {"avx512fp16", 7, 0, D, 23, Zmm},
    {"amx-tile", 7, 0, D, 24, Tile},
    {"amx-int8", 7, 0, D, 25, Tile},
    {"sha512", 7, 1, A, 0, Ymm},
    {"avxvnni", 7, 1, A, 4, Ymm},
    {"avx512bf16", 7, 1, A, 5, Zmm},
    {"amx-fp16", 7, 1, A, 21, Tile},
    {"avxifma", 7, 1, A, 23, Ymm},
    {"avxvnniint8", 7, 1, D, 4, Ymm},
    {"avxneconvert", 7, 1, D, 5, Ymm},
    {"avxvnniint16", 7, 1, D, 10, Ymm},
    {"prefetchi", 7, 1, D, 14, None},
    {"xsaveopt", 0xd, 1, A, 0, Ymm},
    {"xsavec", 0xd, 1, A, 1, Ymm},
    {"xsaves", 0xd, 1, A, 3, Ymm},
    {"sahf", 0x80000001, 0, C, 0, None},
    {"lzcnt", 0x80000001, 0, C, 5, None},
    {"sse4a", 0x80000001, 0, C, 6, None},
    {"prfchw", 0x80000001, 0, C, 8, None},
    {"xop", 0x80000001, 0, C, 11, Ymm},
    {"fma4", 0x80000001, 0, C, 16, Ymm},
    {"tbm", 0x80000001, 0, C, 21, None},
    {"mwaitx", 0x80000001, 0, C, 29, None},
    {"64bit", 0x80000001, 0, D, 29, None},
    {"clzero", 0x80000008, 0, B, 0, None},
    {"rdpru", 0x80000008, 0, B, 4, None},
    {"wbnoinvd", 0x80000008, 0, B, 9, None},
};

/// The levels of the x86-64 psABI; each includes the one before.
struct Level {
  const char *name;
  const char *needs[12];
};

constexpr Level levels[] = {
    {"x86-64", {"cx8", "cmov", "mmx", "fxsr", "sse", "sse2"}},
    {"x86-64-v2", {"cx16", "sahf", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"}},
    {"x86-64-v3", {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}},
    {"x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}},
};

struct FeatureList {
  char names[2048] = "";
  size_t length = 0;
  bool present[std::size(features)] = {};

  FeatureList();
  void add(const char *name) {
    int added = snprintf(names + length, sizeof(names) - length, "%s%s", length ? " " : "", name);
    length += size_t(added);
  }
  bool has(const char *name) const {
    for (size_t i = 0; i < std::size(features); ++i)
      if (strcmp(features[i].name, name) == 0)
        return present[i];
    return false;
  }
};

} // namespace

/// Which state components the operating system saves (XCR0).
static uint64_t enabledState() {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27)))
    return 0;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

/// Linux hands out the tile registers on request, for the whole process.
static bool requestTiles(uint64_t state) {
  constexpr uint64_t tiles = 3u << 17;
  constexpr int requestPermission = 0x1023, tileData = 18;
  return (state & tiles) == tiles && syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

FeatureList::FeatureList() {
  uint64_t state = enabledState();
  bool ymm = (state & 0x6) == 0x6, zmm = (state & 0xe6) == 0xe6;
  bool enabled[] = {true, ymm, zmm, requestTiles(state)};
  for (size_t i = 0; i < std::size(features); ++i) {
    const Feature &feature = features[i];
    uint32_t registers[4] = {};
    __get_cpuid_count(feature.leaf, feature.subleaf, &registers[A], &registers[B], &registers[C],
                      &registers[D]);
    present[i] = (registers[feature.reg] >> feature.bit & 1) && enabled[feature.state];
    if (present[i])
      add(feature.name);
  }
  for (const Level &level : levels) {
    for (const char *need : level.needs)
      if (need && !has(need))
        return;
    add(level.name);
  }
}

const char *host::cpuFeatures() {
  static const FeatureList list;
  return list.names;
}

namespace {
struct Name {
  char text[49] = "";
  Name() {
    for (uint32_t i = 0; i < 3; ++i) {
      uint32_t registers[4] = {};
      if (!__get_cpuid(0x80000002 + i, &registers[A], &registers[B], &registers[C], &registers[D]))
        break;
      memcpy(text + i * 16, registers, 16);
    }
    for (size_t end = strlen(text); end && text[end - 1] == ' ';)
      text[--end] = 0;
  }
};
} // namespace

const char *host::cpuName() {
  static const Name name;
  return name.text;
}

#endif
