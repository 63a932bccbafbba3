// A buffer: memory of a device, counted.
#pragma once

#include "Queue.h"

struct TwrtBuffer {
  tw::runtime::References references;
  TwrtDevice *device;
  tw::runtime::DriverMemory memory;
  /// Allocated by the driver, so part of the device's used bytes.
  bool counted = false;
  /// Mapped from a file: nobody may write.
  bool readOnly = false;
  /// Made to be exported.
  bool shared = false;
  void (*done)(void *) = nullptr;
  void *user = nullptr;

  explicit TwrtBuffer(TwrtDevice *device) : device(device) {}
};

namespace tw::runtime {

/// Makes a buffer around the memory that `obtain` gets.
template <typename Obtain>
TwrtCode makeBuffer(TwrtDevice *device, TwrtBuffer **buffer, TwrtError *error, Obtain obtain) {
  TWRT_TRY(checkNotNull(device, "device", error));
  TWRT_TRY(checkNotNull(buffer, "buffer", error));
  TwrtBuffer *made = create<TwrtBuffer>(device->instance->allocator, device);
  if (!made)
    return failMemory(error, "a buffer");
  if (TwrtCode code = obtain(*made); code != TWRT_OK) {
    destroy(device->instance->allocator, made);
    return code;
  }
  retainDevice(device);
  *buffer = made;
  return TWRT_OK;
}

} // namespace tw::runtime
