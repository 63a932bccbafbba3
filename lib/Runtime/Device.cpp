// Devices: opening, describing, memory.
#include "Device.h"

#include <cinttypes>

using namespace tw::runtime;

bool tw::runtime::hasWords(std::string_view has, std::string_view needs,
                           std::string_view &missing) {
  if (has == "*")
    return true;
  while (!needs.empty()) {
    size_t end = std::min(needs.find(' '), needs.size());
    std::string_view word = needs.substr(0, end);
    needs.remove_prefix(std::min(end + 1, needs.size()));
    bool found = word.empty();
    for (std::string_view rest = has; !found && !rest.empty();) {
      size_t stop = std::min(rest.find(' '), rest.size());
      found = rest.substr(0, stop) == word;
      rest.remove_prefix(std::min(stop + 1, rest.size()));
    }
    if (!found) {
      missing = word;
      return false;
    }
  }
  return true;
}

TwrtCode tw::runtime::openDevice(TwrtInstance &instance, DeviceSlot &slot, TwrtDevice **device,
                                 TwrtError *error) {
  std::lock_guard lock(instance.mutex);
  if (slot.opened) {
    slot.opened->references.retain();
    *device = slot.opened;
    return TWRT_OK;
  }
  TwrtDevice *made = create<TwrtDevice>(instance.allocator, &instance, &slot);
  if (!made)
    return failMemory(error, "a device");
  auto sink = [](void *user, std::string_view piece) { static_cast<Text *>(user)->append(piece); };
  support::JsonWriter json(sink, &made->description);
  json.beginObject();
  json.member("uri", slot.uri);
  slot.driver->describe(instance.context, slot.index, made->info, json);
  json.endObject();
  Span span(instance.context.trace, TWRT_EVENT_OPEN_DEVICE, slot.uri, slot.uri);
  TwrtCode code = made->description.failed()
                      ? failMemory(error, "a device")
                      : slot.driver->open(instance.context, slot.index, &made->handle, error);
  span.end(code);
  if (code != TWRT_OK) {
    destroy(instance.allocator, made);
    return code;
  }
  instance.context.log.write(LogLevel::Information, "device %s is open: %s", slot.uri,
                             made->description.c_str());
  instance.references.retain();
  slot.opened = made;
  *device = made;
  return TWRT_OK;
}

void tw::runtime::retainDevice(TwrtDevice *device) { device->references.retain(); }

void twrtDeviceRelease(TwrtDevice *device) {
  if (!device)
    return;
  TwrtInstance *instance = device->instance;
  {
    // Under the lock, so that nobody shares a device whose last owner is leaving.
    std::lock_guard lock(instance->mutex);
    if (!device->references.release())
      return;
    device->slot->opened = nullptr;
    device->driver->close(device->handle);
    destroy(instance->allocator, device);
  }
  twrtInstanceRelease(instance);
}

TwrtString twrtDeviceDescription(const TwrtDevice *device) {
  if (!device)
    return {"", 0};
  std::string_view text = device->description.view();
  return {text.data(), text.size()};
}

TwrtCode twrtDeviceMemory(const TwrtDevice *device, uint64_t *used, uint64_t *total,
                          TwrtError *error) {
  TWRT_TRY(checkNotNull(device, "device", error));
  if (used)
    *used = device->usedBytes.load(std::memory_order_relaxed);
  if (total)
    *total = device->info.totalBytes;
  return TWRT_OK;
}

TwrtCode twrtDeviceMemoryInfo(const TwrtDevice *device, TwrtMemoryInfo *info, TwrtError *error) {
  TWRT_TRY(checkNotNull(device, "device", error));
  TWRT_TRY(checkNotNull(info, "info", error));
  TWRT_TRY(checkSize(info, "TwrtMemoryInfo", error));
  auto load = [](const std::atomic<uint64_t> &number) {
    return number.load(std::memory_order_relaxed);
  };
  tw::writeSized(*info,
                 {0, 0, device->info.totalBytes, load(device->usedBytes), load(device->peakBytes),
                  load(device->allocations), load(device->made), load(device->madeBytes)});
  return TWRT_OK;
}

TwrtCode twrtDeviceResetPeak(TwrtDevice *device, TwrtError *error) {
  TWRT_TRY(checkNotNull(device, "device", error));
  device->peakBytes.store(device->usedBytes.load(std::memory_order_relaxed),
                          std::memory_order_relaxed);
  return TWRT_OK;
}

static void countAllocation(TwrtDevice &device, uint64_t bytes) {
  uint64_t used = device.usedBytes.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  uint64_t peak = device.peakBytes.load(std::memory_order_relaxed);
  while (used > peak &&
         !device.peakBytes.compare_exchange_weak(peak, used, std::memory_order_relaxed))
    ;
  device.allocations.fetch_add(1, std::memory_order_relaxed);
  device.made.fetch_add(1, std::memory_order_relaxed);
  device.madeBytes.fetch_add(bytes, std::memory_order_relaxed);
}

TwrtCode tw::runtime::allocateMemory(TwrtDevice &device, uint64_t bytes, const char *what,
                                     DriverMemory *memory, TwrtError *error, MemoryUse use) {
  if (bytes > device.info.maxSlabBytes || bytes > uint64_t(INT64_MAX))
    return fail(error, TWRT_OUT_OF_MEMORY, "%s of %" PRIu64 " bytes is larger than %s allows", what,
                bytes, device.slot->uri);
  TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  Span span(device.instance->context.trace, TWRT_EVENT_ALLOCATE, what, device.slot->uri, bytes);
  bool isShared = use == MemoryUse::Shared;
  auto allocate = isShared ? device.driver->allocateShared : device.driver->allocate;
  TwrtCode code = allocate(device.handle, bytes, memory, &reason);
  if (code == TWRT_OK && use == MemoryUse::Calls && device.driver->fetchPages)
    device.driver->fetchPages(device.handle, *memory);
  span.end(code);
  if (code == TWRT_OK)
    countAllocation(device, bytes);
  else if (code == TWRT_OUT_OF_MEMORY)
    return fail(error, code, "not enough memory on %s for %s of %" PRIu64 " bytes",
                device.slot->uri, what, bytes);
  else if (error)
    *error = reason;
  return code;
}

bool tw::runtime::isAligned(const TwrtDevice &device, const DriverMemory &memory, uint64_t offset,
                            uint64_t alignment) {
  return (reinterpret_cast<uintptr_t>(memory.host) + offset) % alignment == 0 &&
         offset % device.info.offsetAlignment == 0;
}

void tw::runtime::freeMemory(TwrtDevice &device, DriverMemory *memory, bool counted) {
  if (!memory->handle)
    return;
  if (counted) {
    device.usedBytes.fetch_sub(memory->bytes, std::memory_order_relaxed);
    device.allocations.fetch_sub(1, std::memory_order_relaxed);
  }
  Span span(device.instance->context.trace, TWRT_EVENT_FREE, "", device.slot->uri, memory->bytes);
  device.driver->free(device.handle, memory);
  span.end(TWRT_OK);
  *memory = {};
}
