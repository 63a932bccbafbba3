// Memory of the process, as Linux counts it.
#include "tw/Support/MemoryLimit.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace tw;

/// Pages that are in memory and no file's; 0 where the system does not tell.
static uint64_t getOwnBytes() {
  FILE *file = fopen("/proc/self/statm", "re");
  if (!file)
    return 0;
  unsigned long long size = 0, resident = 0, shared = 0;
  int count = fscanf(file, "%llu %llu %llu", &size, &resident, &shared);
  fclose(file);
  return count == 3 ? (resident - std::min(resident, shared)) * uint64_t(sysconf(_SC_PAGESIZE)) : 0;
}

MemoryLimit::MemoryLimit(uint64_t bytes) : most(bytes), before(bytes ? getOwnBytes() : 0) {}

uint64_t MemoryLimit::getTaken() const {
  uint64_t now = getOwnBytes();
  return now - std::min(now, before);
}

bool tw::mayAllocate(mlir::Location location, uint64_t bytes) {
  bool may = false;
  location->getContext()->executeAction<AllocationAction>([&] { may = true; }, {}, location, bytes);
  return may;
}
