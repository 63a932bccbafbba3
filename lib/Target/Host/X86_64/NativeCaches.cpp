// The caches of this machine, by CPUID: Intel SDM volume 2, leaf 4; AMD APM volume 3, leaf
// 8000001Dh, of the same layout.
#include "X86_64.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>

using tw::schedule::HostTraits;

#if defined(__x86_64__)

/// Fills in what one leaf says; false if it lists no cache.
static bool readLeaf(uint32_t leaf, HostTraits &traits) {
  int64_t HostTraits::*bytes[] = {&HostTraits::l1Bytes, &HostTraits::l2Bytes, &HostTraits::l3Bytes};
  int64_t HostTraits::*ways[] = {&HostTraits::l1Ways, &HostTraits::l2Ways, &HostTraits::l3Ways};
  int64_t HostTraits::*shared[] = {&HostTraits::l1SharedBy, &HostTraits::l2SharedBy,
                                   &HostTraits::l3SharedBy};
  unsigned last = 0;
  constexpr uint32_t maxCaches = 16, instructions = 2;
  for (uint32_t i = 0; i < maxCaches; ++i) {
    uint32_t a, b, c, d;
    if (!__get_cpuid_count(leaf, i, &a, &b, &c, &d) || (a & 31) == 0)
      break;
    unsigned level = a >> 5 & 7;
    if ((a & 31) == instructions || level < 1 || level > 3)
      continue;
    int64_t way = (b >> 22) + 1, parts = (b >> 12 & 1023) + 1, line = (b & 4095) + 1;
    traits.*ways[level - 1] = way;
    traits.*bytes[level - 1] = way * parts * line * (int64_t(c) + 1);
    traits.*shared[level - 1] = (a >> 14 & 4095) + 1;
    if (level == 1)
      traits.lineBytes = line;
    last = std::max(last, level);
  }
  for (unsigned level = last; last >= 1 && level < 3; ++level) {
    traits.*bytes[level] = traits.*bytes[last - 1];
    traits.*ways[level] = traits.*ways[last - 1];
    traits.*shared[level] = traits.*shared[last - 1];
  }
  return last > 0;
}

void tw::host::x86_64::readNativeCaches(HostTraits &traits) {
  for (uint32_t leaf : {4u, 0x8000001du})
    if (readLeaf(leaf, traits))
      return;
}

#else

void tw::host::x86_64::readNativeCaches(HostTraits &) {}

#endif
