// The table of NVIDIA chips.
#include "tw/Target/PTX/Chips.h"

#include "tw/Target/Common/ChipTable.h"

using namespace tw::ptx;

namespace {

/// Columns of the table below. Products of bytes are twice those of floats of 16 bits, as
/// NVIDIA's data sheets of these chips say of dense INT8 and BF16.
struct Row {
  int64_t processors, threads, groups, localBytes;
  double threadsPerCycle;
  int64_t cacheBytes;
  double cacheBytesPerCycle, memoryBytesPerCycle;
  int64_t cacheLatency, memoryLatency;
  double matrixProducts = 0, byteProducts = 0, localProducts = 0, localByteProducts = 0;
};

} // namespace

static constexpr tw::schedule::GpuMachine makeMachine(const Row &row) {
  return {.processors = row.processors,
          .processorThreads = row.threads,
          .processorGroups = row.groups,
          .processorLocalBytes = row.localBytes,
          .threadsPerCycle = row.threadsPerCycle,
          .matrixProducts = row.matrixProducts,
          .byteProducts = row.byteProducts,
          .localProducts = row.localProducts,
          .localByteProducts = row.localByteProducts,
          .cacheBytes = row.cacheBytes,
          .cacheBytesPerCycle = row.cacheBytesPerCycle,
          .memoryBytesPerCycle = row.memoryBytesPerCycle,
          .cacheLatency = row.cacheLatency,
          .memoryLatency = row.memoryLatency};
}

// A100, 40 GB
static constexpr auto kA100 =
    makeMachine({108, 2048, 32, 164 * 1024, 64, 40 << 20, 5120, 1103, 262, 466, 1024, 2048});
// V100
static constexpr auto kV100 =
    makeMachine({80, 2048, 32, 96 * 1024, 64, 6 << 20, 2048, 588, 193, 400});
// Xavier
static constexpr auto kXavier =
    makeMachine({8, 2048, 32, 96 * 1024, 64, 512 << 10, 512, 99, 193, 400});
// T4
static constexpr auto kT4 =
    makeMachine({40, 1024, 16, 64 * 1024, 64, 4 << 20, 2560, 201, 188, 400});
// A40
static constexpr auto kA40 =
    makeMachine({84, 1536, 16, 100 * 1024, 128, 6 << 20, 5120, 400, 262, 466, 512, 1024});
// Orin
static constexpr auto kOrin =
    makeMachine({16, 1536, 16, 164 * 1024, 128, 4 << 20, 1024, 158, 262, 466, 1024, 2048});
// L40S
static constexpr auto kL40S =
    makeMachine({142, 1536, 24, 100 * 1024, 128, 96 << 20, 5120, 343, 262, 466, 512, 1024});
// H100 SXM
static constexpr auto kH100 = makeMachine(
    {132, 2048, 32, 228 * 1024, 128, 50 << 20, 5120, 1692, 262, 479, 1024, 2048, 2048, 4096});
// B200
static constexpr auto kB200 =
    makeMachine({148, 2048, 32, 228 * 1024, 128, 126 << 20, 5120, 4071, 262, 479, 1024, 2048});

static constexpr Chip chips[] = {
    {"sm_80", "+ptx70", 163 * 1024, kA100},   {"sm_70", "+ptx70", 96 * 1024, kV100},
    {"sm_72", "+ptx70", 96 * 1024, kXavier},  {"sm_75", "+ptx70", 64 * 1024, kT4},
    {"sm_86", "+ptx71", 99 * 1024, kA40},     {"sm_87", "+ptx74", 163 * 1024, kOrin},
    {"sm_89", "+ptx78", 99 * 1024, kL40S},    {"sm_90", "+ptx78", 227 * 1024, kH100},
    {"sm_90a", "+ptx80", 227 * 1024, kH100},  {"sm_100", "+ptx86", 227 * 1024, kB200},
    {"sm_100a", "+ptx86", 227 * 1024, kB200},
};

static constexpr auto names = tw::getChipNames(chips);

llvm::ArrayRef<llvm::StringLiteral> tw::ptx::chipNames() { return names; }

/// "sm_90"; code for one with a letter behind runs on no other.
static std::optional<tw::ChipVersion> parse(llvm::StringRef name) {
  tw::ChipVersion version;
  if (!name.consume_front("sm_") || name.size() > 3 || name.getAsInteger(10, version.number))
    return std::nullopt;
  return version;
}

const Chip *tw::ptx::findOlder(llvm::StringRef name) {
  return tw::findOlderChip(llvm::ArrayRef(chips), name.rtrim("af"), parse);
}

const Chip *tw::ptx::findChip(llvm::StringRef name) {
  const Chip *chip = tw::findChip(llvm::ArrayRef(chips), name);
  return chip ? chip : findOlder(name);
}
