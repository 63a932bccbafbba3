// A queue of a device: work in order, points along it.
#pragma once

#include "Device.h"

struct TwrtQueue {
  TwrtDevice *device;
  void *handle = nullptr;
};

namespace tw::runtime {

/// Blocks until all points are reached: what a queue does before work that waits for them.
TwrtCode waitForPoints(const TwrtPoint *points, size_t count, TwrtError *error);

} // namespace tw::runtime
