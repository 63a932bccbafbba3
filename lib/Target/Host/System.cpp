// What the operating system says of the machine that compiles: threads, pages, caches.
#include "Cpus.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"

#include <optional>
#include <unistd.h>

using namespace llvm;
using namespace tw::host;
using tw::schedule::HostTraits;

namespace {

struct CacheLevel {
  int64_t bytes = 0, ways = 0, line = 0;
};
using Caches = std::array<CacheLevel, 3>;

} // namespace

static std::string readLine(const Twine &path) {
  auto file = MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().trim().str() : std::string();
}

/// "512K" in bytes.
static int64_t parseBytes(StringRef text) {
  int64_t unit = text.consume_back("K") ? 1024 : text.consume_back("M") ? 1 << 20 : 1, count = 0;
  return text.getAsInteger(10, count) ? 0 : count * unit;
}

/// Of data, by Linux (Documentation/ABI/testing/sysfs-devices-system-cpu); levels 1 to 3.
static void readLinux(Caches &levels) {
  constexpr unsigned mostCaches = 16;
  for (unsigned i = 0; i < mostCaches; ++i) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    std::string type = readLine(folder + "type");
    unsigned level = 0;
    if (type.empty())
      return;
    if (type == "Instruction" || StringRef(readLine(folder + "level")).getAsInteger(10, level) ||
        level < 1 || level > levels.size())
      continue;
    levels[level - 1] = {parseBytes(readLine(folder + "size")),
                         parseBytes(readLine(folder + "ways_of_associativity")),
                         parseBytes(readLine(folder + "coherency_line_size"))};
  }
}

/// What the C library knows where there is no such folder.
static void readLibrary(Caches &levels) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  levels = {{{sysconf(_SC_LEVEL1_DCACHE_SIZE), sysconf(_SC_LEVEL1_DCACHE_ASSOC),
              sysconf(_SC_LEVEL1_DCACHE_LINESIZE)},
             {sysconf(_SC_LEVEL2_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_ASSOC), 0},
             {sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL3_CACHE_ASSOC), 0}}};
#endif
}

/// Of a CPU without a third level that has the numbers of the second one; no bytes if nobody says.
static Caches readCaches() {
  Caches levels;
  readLinux(levels);
  if (levels[0].bytes <= 0 || levels[1].bytes <= 0)
    readLibrary(levels);
  if (levels[0].bytes <= 0 || levels[1].bytes <= 0)
    return {};
  if (levels[2].bytes <= 0)
    levels[2] = levels[1];
  return levels;
}

void tw::host::takeSystemTraits(Description &description) {
  HostTraits &traits = description.traits;
  auto take = [&](StringRef name, int64_t HostTraits::*member, int64_t value) {
    if (value <= 0)
      return;
    traits.*member = value;
    description.sources[name.str()] = "system";
  };
  take("threads", &HostTraits::threads, int64_t(hardware_concurrency().compute_thread_count()));
  take("pageBytes", &HostTraits::pageBytes, sysconf(_SC_PAGESIZE));

  // Nothing changes them while the process runs.
  static const Caches levels = readCaches();
  take("l1Bytes", &HostTraits::l1Bytes, levels[0].bytes);
  take("l2Bytes", &HostTraits::l2Bytes, levels[1].bytes);
  take("l3Bytes", &HostTraits::l3Bytes, levels[2].bytes);
  take("l1Ways", &HostTraits::l1Ways, levels[0].ways);
  take("l2Ways", &HostTraits::l2Ways, levels[1].ways);
  take("l3Ways", &HostTraits::l3Ways, levels[2].ways);
  take("lineBytes", &HostTraits::lineBytes, levels[0].line);
}
