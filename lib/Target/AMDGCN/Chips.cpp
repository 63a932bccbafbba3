// The table of AMD chips.
#include "tw/Target/AMDGCN/Chips.h"

#include "tw/Target/Common/ChipTable.h"
#include "tw/Target/Common/CodeGeneration.h"

using namespace tw::amdgcn;

namespace {

/// Columns of the table below.
struct Row {
  int64_t processors, threads, groups, registers, localBytes;
  double threadsPerCycle;
  int64_t banks, cacheBytes;
  double cacheBytesPerCycle, memoryBytesPerCycle;
  int64_t cacheLatency, memoryLatency;
  double matrixProducts = 0, byteProducts = 0;
};

} // namespace

/// What is moved at once is 64 bytes; a thread has 256 registers beside those of matrix units.
static constexpr tw::schedule::GpuMachine makeMachine(const Row &row) {
  return {.processors = row.processors,
          .processorThreads = row.threads,
          .processorGroups = row.groups,
          .processorRegisters = row.registers,
          .processorLocalBytes = row.localBytes,
          .threadRegisters = 256,
          .threadsPerCycle = row.threadsPerCycle,
          .matrixProducts = row.matrixProducts,
          .byteProducts = row.byteProducts,
          .banks = row.banks,
          .segmentBytes = 64,
          .cacheBytes = row.cacheBytes,
          .cacheBytesPerCycle = row.cacheBytesPerCycle,
          .memoryBytesPerCycle = row.memoryBytesPerCycle,
          .cacheLatency = row.cacheLatency,
          .memoryLatency = row.memoryLatency};
}

// MI250X, one of its two devices
static constexpr auto kMI250X =
    makeMachine({110, 2048, 32, 131072, 64 * 1024, 64, 32, 8 << 20, 4096, 964, 300, 700, 512, 512});
// MI300X
static constexpr auto kMI300X = makeMachine(
    {304, 2048, 32, 131072, 64 * 1024, 128, 32, 256 << 20, 8190, 2524, 500, 800, 1024, 2048});
// MI355X
static constexpr auto kMI355X = makeMachine(
    {256, 2048, 32, 131072, 160 * 1024, 128, 64, 256 << 20, 8190, 3333, 500, 800, 1024, 2048});
// Radeon RX 6900 XT
static constexpr auto kRX6900 =
    makeMachine({80, 1024, 16, 65536, 64 * 1024, 64, 32, 4 << 20, 2048, 228, 280, 600});
// Radeon RX 7900 XTX
static constexpr auto kRX7900 =
    makeMachine({96, 1024, 16, 98304, 64 * 1024, 128, 32, 6 << 20, 3072, 384, 280, 600, 256, 256});
// Radeon RX 9070 XT
static constexpr auto kRX9070 =
    makeMachine({64, 1024, 16, 98304, 64 * 1024, 128, 32, 8 << 20, 2048, 215, 280, 600, 512, 1024});

static constexpr Chip chips[] = {
    {"gfx942", "gfx942", "", 64, 64 * 1024, kMI300X},
    {"gfx90a", "gfx90a", "", 64, 64 * 1024, kMI250X},
    {"gfx950", "gfx950", "", 64, 160 * 1024, kMI355X},
    {"gfx1030", "gfx1030", "", 32, 64 * 1024, kRX6900},
    {"gfx1030-wave64", "gfx1030", "+wavefrontsize64", 64, 64 * 1024, kRX6900},
    {"gfx1100", "gfx1100", "", 32, 64 * 1024, kRX7900},
    {"gfx1100-wave64", "gfx1100", "+wavefrontsize64", 64, 64 * 1024, kRX7900},
    {"gfx1201", "gfx1201", "", 32, 64 * 1024, kRX9070},
    {"gfx1201-wave64", "gfx1201", "+wavefrontsize64", 64, 64 * 1024, kRX9070},
};

static constexpr auto names = tw::getChipNames(chips);

llvm::ArrayRef<llvm::StringLiteral> tw::amdgcn::chipNames() { return names; }

/// "gfx1103-wave64": generation 11, the rest two digits to base 16.
static std::optional<tw::ChipVersion> parse(llvm::StringRef name) {
  tw::ChipVersion version;
  llvm::StringRef digits = name.take_until([](char c) { return c == '-'; });
  version.variant = name.drop_front(digits.size());
  if (!digits.consume_front("gfx") || digits.size() < 3 || digits.size() > 4 ||
      digits.drop_back(2).getAsInteger(10, version.family) ||
      digits.take_back(2).getAsInteger(16, version.number))
    return std::nullopt;
  return version;
}

const Chip *tw::amdgcn::findOlder(llvm::StringRef name) {
  return tw::findOlderChip(llvm::ArrayRef(chips), name, parse);
}

std::optional<Chip> tw::amdgcn::findChip(llvm::StringRef name) {
  if (const Chip *chip = tw::findChip(llvm::ArrayRef(chips), name))
    return *chip;
  const Chip *older = findOlder(name);
  if (!older)
    return std::nullopt;
  Chip chip = *older;
  llvm::StringRef own = name.split('-').first;
  if (codegen::isProcessor("amdgcn-amd-amdhsa", own))
    chip.processor = own;
  return chip;
}
