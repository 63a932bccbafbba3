// An opened device: its driver's handle, what it can do, how much of its memory is used.
#pragma once

#include "Instance.h"

struct TwrtDevice {
  tw::runtime::References references;
  TwrtInstance *instance;
  DeviceSlot *slot;
  const tw::runtime::Driver *driver;
  void *handle = nullptr;
  tw::runtime::DeviceInfo info;
  tw::runtime::Text description;
  std::atomic<uint64_t> usedBytes{0}, peakBytes{0}, allocations{0}, made{0}, madeBytes{0};

  TwrtDevice(TwrtInstance *instance, DeviceSlot *slot)
      : instance(instance), slot(slot), driver(slot->driver), description(instance->allocator) {}
};

namespace tw::runtime {

/// Opens the device of `slot`, or shares the one that is open.
TwrtCode openDevice(TwrtInstance &instance, DeviceSlot &slot, TwrtDevice **device,
                    TwrtError *error);
void retainDevice(TwrtDevice *device);

/// Calls write memory when their time counts, so its pages are to be there; what is filled once
/// gets them then, on all threads that fill it. Shared: with other devices and processes, where the
/// driver does that.
enum class MemoryUse : uint8_t { Calls, FilledOnce, Shared };

/// Memory of a device that counts in usedBytes.
TwrtCode allocateMemory(TwrtDevice &device, uint64_t bytes, const char *what, DriverMemory *memory,
                        TwrtError *error, MemoryUse use = MemoryUse::Calls);
/// Can kernels that need `alignment` be bound to `memory` at `offset`?
bool isAligned(const TwrtDevice &device, const DriverMemory &memory, uint64_t offset,
               uint64_t alignment);
void freeMemory(TwrtDevice &device, DriverMemory *memory, bool counted);

} // namespace tw::runtime
