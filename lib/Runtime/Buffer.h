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
  void (*done)(void *) = nullptr;
  void *user = nullptr;

  explicit TwrtBuffer(TwrtDevice *device) : device(device) {}
};
