// The host driver's handles.
#pragma once

#include "Driver.h"
#include "Image.h"
#include "Pool.h"

namespace tw::runtime::host {

struct HostDevice {
  Allocator allocator;
  Pool pool;

  explicit HostDevice(const Allocator &allocator) : allocator(allocator), pool(allocator) {}
};

struct HostMemory {
  enum Kind : uint8_t { Allocated, Imported, Mapped } kind = Allocated;
  void *mapping = nullptr;
  size_t mappedBytes = 0;
};

/// Work runs in the thread that hands it in; scratch memory is kept from one plan to the next.
struct HostQueue {
  HostDevice *device;
  uint64_t point = 0;
  uint8_t *scratch = nullptr;
  /// For each thread, then for all of them together; rounded up to 64.
  uint64_t scratchBytes = 0, sharedBytes = 0;
};

TwrtCode allocate(void *device, uint64_t bytes, DriverMemory *memory, TwrtError *error);
void fetchPages(void *device, const DriverMemory &memory);
TwrtCode importMemory(void *device, void *data, uint64_t bytes, DriverMemory *memory,
                      TwrtError *error);
TwrtCode mapFile(void *device, int file, uint64_t offset, uint64_t bytes, DriverMemory *memory,
                 TwrtError *error);
void freeMemory(void *device, DriverMemory *memory);
void dropPages(void *device, const PlanRange &range);
void memoryHandle(const DriverMemory &memory, TwrtHandle &handle);
TwrtCode importHandle(void *device, const TwrtHandle &handle, uint64_t bytes, DriverMemory *memory,
                      TwrtError *error);

TwrtCode queueCreate(void *device, void **queue, TwrtError *error);
void queueDestroy(void *queue);
TwrtCode write(void *queue, const PlanRange &to, const void *from, uint64_t *point,
               TwrtError *error);
TwrtCode read(void *queue, const PlanRange &from, void *to, uint64_t *point, TwrtError *error);
TwrtCode copy(void *queue, const PlanRange &to, const PlanRange &from, uint64_t *point,
              TwrtError *error);
TwrtCode fill(void *queue, const PlanRange &to, int64_t pattern, uint32_t width, uint64_t *point,
              TwrtError *error);
TwrtCode submitPlan(void *queue, const Plan &plan, uint64_t *point, TwrtError *error);
TwrtCode pointWait(void *queue, uint64_t point, uint64_t timeoutNs, TwrtError *error);

} // namespace tw::runtime::host
