// Rates and caches of CPUs, each row with its source.
//
// Sources: [agner] A. Fog, instruction tables and microarchitecture manual; [uops] uops.info, the
// throughput of VFMADD231PS, VMOVUPS, VDPBF16PS and VPDPBUSD; [intel] Intel 64 optimization
// reference manual, tables of cache parameters; [amd] AMD software optimization guides for families
// 17h, 19h and 1Ah; [arm] Arm software optimization guides of the cores; [dougall] D. Johnson's
// Firestorm tables; [chips] chipsandcheese.com, bandwidth by level; [here] measured by us.
// Bandwidths are what one core streams, not the width of the bus.
#include "Cpus.h"

#include <algorithm>

using namespace llvm;
using tw::schedule::HostTraits;

namespace {

/// Units and the bytes that all of them take a cycle together.
struct Ports {
  double units, bytes;

  double perCycle(int64_t vectorBytes) const { return std::min(units, bytes / vectorBytes); }
};

struct Cache {
  int64_t kilobytes, ways, sharedBy;
  double bytesPerCycle = 0;
};

struct Cpu {
  /// LLVM's names, separated by spaces.
  StringLiteral names;
  Ports fma;
  int64_t fmaLatency;
  Ports loads, stores;
  int64_t loadLatency;
  Cache l1, l2, l3;
  double memoryBytesPerCycle;
  /// Dot products of bf16 and of 8-bit integers; no units where the CPU has none.
  Ports bf16 = {0, 0}, int8 = {0, 0};
  int64_t lineBytes = 64;
};

/// The careful choice of each level comes last, under the name of the level.
constexpr Cpu table[] = {
    // [intel] 2.5, [uops]; 25 of the 64 bytes a cycle of L2 are sustained [agner].
    {"haswell core-avx2 broadwell",
     {2, 64},
     5,
     {2, 64},
     {1, 32},
     7,
     {32, 8, 2},
     {256, 8, 2, 25},
     {8192, 16, 8, 14},
     6},
    // [intel] 2.4, [uops]
    {"skylake", {2, 64}, 4, {2, 64}, {1, 32}, 7, {32, 8, 2}, {256, 4, 2, 28}, {8192, 16, 8, 14}, 6},
    // [intel] 2.3.1: L2 64 bytes a cycle at most, about 48 sustained; [uops]: ports 0+1 and 5.
    {"skylake-avx512 skx cascadelake",
     {2, 128},
     4,
     {2, 128},
     {1, 64},
     8,
     {32, 8, 2},
     {1024, 16, 2, 48},
     {22528, 11, 32, 10},
     5,
     {0, 0},
     {2, 128}},
    // As the row before; [uops]: VDPBF16PS of 64 bytes on port 0 alone.
    {"cooperlake",
     {2, 128},
     4,
     {2, 128},
     {1, 64},
     8,
     {32, 8, 2},
     {1024, 16, 2, 48},
     {22528, 11, 32, 10},
     5,
     {1, 64},
     {2, 128}},
    // [intel] 2.2; [uops]: no second unit of 64 bytes in these.
    {"icelake-client tigerlake rocketlake",
     {2, 64},
     4,
     {2, 128},
     {2, 64},
     7,
     {48, 12, 2},
     {512, 8, 2, 48},
     {8192, 16, 8, 15},
     6,
     {0, 0},
     {2, 64}},
    // [intel] 2.2, Xeon: 1.25 MiB and 1.5 MiB a core.
    {"icelake-server",
     {2, 128},
     4,
     {2, 128},
     {2, 64},
     7,
     {48, 12, 2},
     {1280, 20, 2, 48},
     {24576, 12, 32, 10},
     5,
     {0, 0},
     {2, 128}},
    // [intel] 2.1, Golden Cove; [uops] Alder Lake P
    {"alderlake raptorlake meteorlake",
     {2, 64},
     4,
     {3, 96},
     {2, 64},
     7,
     {48, 12, 2},
     {1280, 10, 2, 48},
     {25600, 10, 16, 10},
     7,
     {0, 0},
     {2, 64}},
    // [intel] 2.1, Xeon: 2 MiB and 1.875 MiB a core; [uops]: VDPBF16PS on port 0 alone.
    {"sapphirerapids emeraldrapids graniterapids",
     {2, 128},
     4,
     {3, 128},
     {2, 64},
     7,
     {48, 12, 2},
     {2048, 16, 2, 48},
     {61440, 15, 64, 8},
     5,
     {1, 64},
     {2, 128}},
    // [amd] 17h models 00h to 2Fh: units of 16 bytes.
    {"znver1", {2, 32}, 5, {2, 32}, {1, 16}, 7, {32, 8, 2}, {512, 8, 2, 25}, {8192, 16, 8, 20}, 6},
    // [amd] 17h models 30h and up
    {"znver2", {2, 64}, 5, {2, 64}, {1, 32}, 7, {32, 8, 2}, {512, 8, 2, 28}, {16384, 16, 8, 22}, 7},
    // [amd] 19h models 00h to 0Fh
    {"znver3",
     {2, 64},
     4,
     {2, 64},
     {1, 32},
     7,
     {32, 8, 2},
     {512, 8, 2, 28},
     {32768, 16, 16, 24},
     8},
    // [amd] 19h model 10h: 512-bit operations take two turns; L2, L3 and memory [here].
    {"znver4",
     {2, 64},
     4,
     {2, 64},
     {1, 32},
     7,
     {32, 8, 2},
     {1024, 8, 2, 32},
     {32768, 16, 16, 26},
     8,
     {2, 64},
     {2, 64}},
    // [amd] 1Ah: units of 64 bytes; two stores of 32 or one of 64; [chips] L2, L3
    {"znver5",
     {2, 128},
     4,
     {2, 128},
     {2, 64},
     7,
     {48, 12, 2},
     {1024, 16, 2, 60},
     {32768, 16, 16, 30},
     9,
     {2, 128},
     {2, 128}},
    // [arm] Neoverse N1, Cortex-A76: two units of 16 bytes.
    {"neoverse-n1 cortex-a76 ares",
     {2, 32},
     4,
     {2, 32},
     {1, 16},
     5,
     {64, 4, 1},
     {1024, 8, 1, 22},
     {32768, 16, 64, 8},
     6,
     {0, 0},
     {2, 32}},
    // [arm] Neoverse V1: four units, two loads of 16 bytes and one more of 8.
    {"neoverse-v1 neoverse-512tvb",
     {4, 64},
     4,
     {2, 32},
     {2, 32},
     6,
     {64, 4, 1},
     {1024, 8, 1, 28},
     {32768, 16, 64, 10},
     8,
     {4, 64},
     {4, 64}},
    // [arm] Neoverse N2
    {"neoverse-n2 cortex-a710",
     {2, 32},
     4,
     {2, 32},
     {2, 32},
     6,
     {64, 4, 1},
     {1024, 8, 1, 28},
     {32768, 16, 64, 10},
     8,
     {2, 32},
     {2, 32}},
    // [arm] Neoverse V2
    {"neoverse-v2 cortex-x3",
     {4, 64},
     4,
     {3, 48},
     {2, 32},
     6,
     {64, 4, 1},
     {2048, 8, 1, 30},
     {117760, 12, 72, 10},
     9,
     {4, 64},
     {4, 64}},
    // [dougall]: no third level; the system's cache is behind the memory's bandwidth.
    {"apple-m1 apple-m2",
     {4, 64},
     4,
     {3, 48},
     {2, 32},
     5,
     {128, 8, 1},
     {12288, 12, 4, 32},
     {12288, 12, 4, 32},
     16,
     {0, 0},
     {4, 64},
     128},
    // The least of all rows with 64-byte vectors: Zen 4's units, Ice Lake client's L2.
    {"x86-64-v4",
     {2, 64},
     4,
     {2, 64},
     {1, 32},
     8,
     {32, 8, 2},
     {512, 8, 2, 28},
     {8192, 16, 8, 10},
     5,
     {2, 64},
     {2, 64}},
    // The least of all rows with 32-byte vectors but Zen 1's units; AVX2 means Haswell and up.
    {"x86-64-v3",
     {2, 64},
     5,
     {2, 64},
     {1, 32},
     7,
     {32, 8, 2},
     {256, 8, 2, 25},
     {8192, 16, 8, 14},
     6,
     {0, 0},
     {2, 64}},
    // Cortex-A75, the first core of Armv8.2-A, with its smallest caches [arm].
    {"generic",
     {2, 32},
     4,
     {2, 32},
     {1, 16},
     5,
     {32, 4, 1},
     {256, 8, 1, 16},
     {1024, 16, 4, 8},
     4,
     {2, 32},
     {2, 32}},
};

const Cpu *find(StringRef name) {
  for (const Cpu &cpu : table) {
    SmallVector<StringRef> names;
    cpu.names.split(names, ' ');
    if (is_contained(names, name))
      return &cpu;
  }
  return nullptr;
}

} // namespace

SmallVector<StringRef> tw::host::getKnownCpus() {
  SmallVector<StringRef> names;
  for (const Cpu &cpu : table)
    cpu.names.split(names, ' ');
  erase(names, "generic");
  names.push_back("aarch64");
  names.push_back("native");
  return names;
}

HostTraits tw::host::getTableTraits(const Description &description, int64_t vectorBytes,
                                    int64_t registers) {
  const Cpu *cpu = find(description.llvmCpu);
  if (!cpu)
    cpu = find(description.architecture == Architecture::AArch64 ? "generic"
               : vectorBytes == 64                               ? "x86-64-v4"
                                                                 : "x86-64-v3");
  HostTraits traits;
  traits.lanes = vectorBytes / 4;
  traits.registers = registers;
  traits.dataPathBytes = int64_t(cpu->fma.bytes / cpu->fma.units);
  traits.fmaPerCycle = cpu->fma.perCycle(vectorBytes);
  traits.fmaLatency = cpu->fmaLatency;
  traits.loadsPerCycle = cpu->loads.perCycle(vectorBytes);
  traits.storesPerCycle = cpu->stores.perCycle(vectorBytes);
  traits.loadLatency = cpu->loadLatency;
  traits.l1Bytes = cpu->l1.kilobytes * 1024;
  traits.l2Bytes = cpu->l2.kilobytes * 1024;
  traits.l3Bytes = cpu->l3.kilobytes * 1024;
  traits.l1Ways = cpu->l1.ways;
  traits.l2Ways = cpu->l2.ways;
  traits.l3Ways = cpu->l3.ways;
  traits.lineBytes = cpu->lineBytes;
  traits.l1SharedBy = cpu->l1.sharedBy;
  traits.l2SharedBy = cpu->l2.sharedBy;
  traits.l3SharedBy = cpu->l3.sharedBy;
  traits.l2BytesPerCycle = cpu->l2.bytesPerCycle;
  traits.l3BytesPerCycle = cpu->l3.bytesPerCycle;
  traits.memoryBytesPerCycle = cpu->memoryBytesPerCycle;
  auto dots = [&](const Ports &ports) {
    return ports.units > 0 ? ports.perCycle(vectorBytes) : traits.fmaPerCycle;
  };
  traits.bf16DotPerCycle = dots(cpu->bf16);
  traits.int8DotPerCycle = dots(cpu->int8);
  return traits;
}
