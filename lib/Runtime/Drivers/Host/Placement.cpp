// Keeps the calling thread off a CPU by narrowing its affinity for a while.
#include "Placement.h"

using namespace tw::runtime::host;

KeepOff::KeepOff(uint32_t cpu, const CpuSet &taken) {
  if (cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(allowed), &allowed) != 0 ||
      !CPU_ISSET(cpu, &allowed) || CPU_COUNT(&allowed) == 1)
    return;
  others = allowed;
  CPU_CLR(cpu, &others);
  // What is not taken: what is in both sets is left out of the first.
  cpu_set_t free;
  CPU_AND(&free, &others, &taken.set);
  CPU_XOR(&free, &free, &others);
  if (CPU_COUNT(&free) != 0)
    others = free;
  narrowed = sched_setaffinity(0, sizeof(others), &others) == 0;
}

KeepOff::~KeepOff() {
  cpu_set_t found;
  if (narrowed && sched_getaffinity(0, sizeof(found), &found) == 0 && CPU_EQUAL(&found, &others))
    sched_setaffinity(0, sizeof(allowed), &allowed);
}
