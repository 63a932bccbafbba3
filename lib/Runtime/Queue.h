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

/// Makes a queue around the handle that `obtain` gets.
template <typename Obtain>
TwrtCode makeQueue(TwrtDevice *device, TwrtQueue **queue, TwrtError *error, Obtain obtain) {
  TWRT_TRY(checkNotNull(queue, "queue", error));
  TwrtQueue *made = create<TwrtQueue>(device->instance->allocator, device);
  if (!made)
    return failMemory(error, "a queue");
  if (TwrtCode code = obtain(*made); code != TWRT_OK) {
    destroy(device->instance->allocator, made);
    return code;
  }
  retainDevice(device);
  *queue = made;
  return TWRT_OK;
}

/// Later work of `queue` starts after all points are reached. Blocks where the device cannot wait
/// for them: those of other devices.
TwrtCode waitForPoints(TwrtQueue &queue, const TwrtPoint *points, size_t count, TwrtError *error);

} // namespace tw::runtime
