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
  TwrtCode code = made->description.failed()
                      ? failMemory(error, "a device")
                      : slot.driver->open(instance.context, slot.index, &made->handle, error);
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

TwrtCode tw::runtime::allocateMemory(TwrtDevice &device, uint64_t bytes, const char *what,
                                     DriverMemory *memory, TwrtError *error) {
  if (bytes > device.info.maxSlabBytes || bytes > uint64_t(INT64_MAX))
    return fail(error, TWRT_OUT_OF_MEMORY, "%s of %" PRIu64 " bytes is larger than %s allows", what,
                bytes, device.slot->uri);
  TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  TwrtCode code = device.driver->allocate(device.handle, bytes, memory, &reason);
  if (code == TWRT_OK)
    device.usedBytes.fetch_add(bytes, std::memory_order_relaxed);
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
  if (counted)
    device.usedBytes.fetch_sub(memory->bytes, std::memory_order_relaxed);
  device.driver->free(device.handle, memory);
  *memory = {};
}
