// What the suite's kernels do on the fakes, group after group.
#include "Driver/Control.h"

#include <cstdint>

using namespace tw::emulator;

static const float *in(const Group &group, uint32_t binding) {
  return static_cast<const float *>(group.bindings[binding]);
}

static float *out(const Group &group, uint32_t binding) {
  return static_cast<float *>(group.bindings[binding]);
}

static void add(const Group &group) {
  for (uint64_t i = 0; i < group.threads; ++i) {
    uint64_t at = 16 * group.index + i;
    out(group, 2)[at] = in(group, 0)[at] + in(group, 1)[i];
  }
}

static void scale(const Group &group) {
  for (uint64_t i = 0; i < group.threads; ++i) {
    uint64_t at = 16 * group.index + i;
    out(group, 1)[at] = in(group, 0)[at] * float(group.scalars[0]);
  }
}

static void ids(const Group &group) {
  if (group.index < 70000)
    static_cast<int32_t *>(group.bindings[0])[group.index] = int32_t(group.index);
}

static void reverse(const Group &group) {
  float *local = static_cast<float *>(group.local);
  for (uint32_t i = 0; i < group.threads; ++i)
    local[i] = in(group, 0)[16 * group.index + i];
  for (uint32_t i = 0; i < group.threads; ++i)
    out(group, 1)[16 * group.index + i] = local[15 - i];
}

static void many(const Group &group) {
  for (uint32_t i = 0; i < group.threads; ++i) {
    float sum = float(group.scalars[15]);
    for (uint32_t k = 0; k < 15; ++k)
      sum += in(group, k)[i] * float(group.scalars[k]);
    out(group, 15)[i] = sum;
  }
}

static void put(const Group &group) {
  for (uint32_t lane = 0; lane < group.threads; ++lane) {
    int64_t i = int64_t(16 * group.index + lane);
    if (i < group.scalars[0])
      out(group, 1)[group.scalars[1] + i] = in(group, 0)[i] * float(group.scalars[2]);
  }
}

namespace tw::test {
void addFakeKernels(const Control &fake) {
  fake.addKernel("add", add, 3, 0);
  fake.addKernel("scale", scale, 2, 1);
  fake.addKernel("ids", ids, 1, 0);
  fake.addKernel("reverse", reverse, 2, 0);
  fake.addKernel("many", many, 16, 16);
  fake.addKernel("put", put, 2, 4);
}
} // namespace tw::test
