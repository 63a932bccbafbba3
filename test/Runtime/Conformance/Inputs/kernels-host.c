// The kernels of the conformance suite for the host: linked to a flat image by kernels-host.ld.
#include "tw/Format/HostAbi.h"

#define KERNEL(name)                                                                               \
  void name(const TwrtHostLaunch *launch, uint32_t begin, uint32_t end, void *scratch)

// y[16 p + i] = x[16 p + i] + w[i]
KERNEL(add) {
  const float *x = launch->bindings[0], *w = launch->bindings[1];
  float *y = launch->bindings[2];
  for (uint32_t p = begin; p < end; ++p)
    for (uint32_t i = 0; i < 16; ++i)
      y[16 * p + i] = x[16 * p + i] + w[i];
}

// y[16 p + i] = x[16 p + i] * factor
KERNEL(scale) {
  const float *x = launch->bindings[0];
  float *y = launch->bindings[1];
  for (uint32_t at = 16 * begin; at < 16 * end; ++at)
    y[at] = x[at] * (float)launch->scalars[0];
}

// y[p] = p for the programs p below 70000
KERNEL(ids) {
  int32_t *y = launch->bindings[0];
  for (uint32_t p = begin; p < end; ++p)
    if (p < 70000)
      y[p] = (int32_t)p;
}

// y[16 p + i] = x[16 p + 15 - i], by a team: through the memory of each thread, then that of all
KERNEL(reverse) {
  const TwrtHostTeam *team = launch->team;
  const float *x = launch->bindings[0];
  float *y = launch->bindings[1], *own = scratch, *shared = team->shared;
  uint32_t first = 16 * team->member / team->members;
  uint32_t last = 16 * (team->member + 1) / team->members;
  for (uint32_t p = begin; p < end; ++p) {
    for (uint32_t i = first; i < last; ++i)
      own[i] = x[16 * p + i];
    for (uint32_t i = first; i < last; ++i)
      shared[i] = own[i];
    team->barrier(team->state);
    for (uint32_t i = first; i < last; ++i)
      y[16 * p + i] = shared[15 - i];
    team->barrier(team->state);
  }
}

// y[i] = sum over k < 15 of x_k[i] * s_k, plus s_15
KERNEL(many) {
  float *y = launch->bindings[15];
  for (uint32_t i = 0; i < 16; ++i) {
    float sum = (float)launch->scalars[15];
    for (uint32_t k = 0; k < 15; ++k)
      sum += ((const float *)launch->bindings[k])[i] * (float)launch->scalars[k];
    y[i] = sum;
  }
}

// y[at + i] = x[i] * factor for i < n; scalars n, at, factor, and what at and n are together
KERNEL(put) {
  const float *x = launch->bindings[0];
  float *y = launch->bindings[1];
  int64_t n = launch->scalars[0], at = launch->scalars[1];
  for (int64_t i = 16 * (int64_t)begin; i < 16 * (int64_t)end && i < n; ++i)
    y[at + i] = x[i] * (float)launch->scalars[2];
}
