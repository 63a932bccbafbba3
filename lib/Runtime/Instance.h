// The instance: drivers and the devices they have, the allocator, the log.
#pragma once

#include "Driver.h"
#include "Object.h"

#include <mutex>

struct DeviceSlot {
  const tw::runtime::Driver *driver = nullptr;
  size_t index = 0;
  char uri[24] = {};
  /// The opened device, if there is one; guarded by TwrtInstance::mutex.
  TwrtDevice *opened = nullptr;
};

struct TwrtInstance {
  tw::runtime::References references;
  tw::runtime::Allocator allocator;
  tw::runtime::DriverContext context;
  void (*log)(void *, int, const char *) = nullptr;
  void *logUser = nullptr;
  std::mutex mutex;
  tw::runtime::Array<DeviceSlot> devices;

  explicit TwrtInstance(const tw::runtime::Allocator &allocator)
      : allocator(allocator), context{allocator, 0}, devices(allocator) {}
};
