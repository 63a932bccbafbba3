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

/// What a driver has, found when somebody asks for it: opening a vendor's library takes time.
struct DriverSlot {
  static constexpr size_t maxDevices = 16;
  DeviceSlot devices[maxDevices];
  size_t count = 0;
  bool listed = false;
};

struct TwrtInstance {
  static constexpr size_t maxDrivers = 16;
  tw::runtime::References references;
  tw::runtime::Allocator allocator;
  tw::runtime::DriverContext context;
  std::mutex mutex;
  /// In the order of allDrivers; what is listed stays where it is. Guarded by `mutex`.
  DriverSlot drivers[maxDrivers];

  explicit TwrtInstance(const tw::runtime::Allocator &allocator)
      : allocator(allocator), context{allocator, 0, {}, {}, {}} {}
};
