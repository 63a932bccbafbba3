// A queue of a device: work in order, points along it.
#pragma once

#include "Device.h"

struct TwrtQueue {
  /// The caller, and calls whose work it runs.
  tw::runtime::References references;
  TwrtDevice *device;
  void *handle = nullptr;

  explicit TwrtQueue(TwrtDevice *device) : device(device) {}
};

namespace tw::runtime {

/// Blocks until all points are reached: what a queue does before work that waits for them.
TwrtCode waitForPoints(const TwrtPoint *points, size_t count, TwrtError *error);

} // namespace tw::runtime
