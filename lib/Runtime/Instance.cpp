// Instances: which drivers can be used, which devices they have.
#include "Instance.h"
#include "Device.h"

#include <cstdio>
#include <cstring>

using namespace tw::runtime;

static constexpr const Driver *drivers[] = {&hostDriver, &cudaDriver, &hipDriver, &nullDriver};

std::span<const Driver *const> tw::runtime::allDrivers() { return drivers; }

static TwrtCode listDevices(TwrtInstance &instance, TwrtError *error) {
  size_t count = 0;
  for (const Driver *driver : drivers)
    if (driver->probe(nullptr) == TWRT_OK)
      count += driver->enumerate();
  if (!instance.devices.reset(count))
    return failMemory(error, "an instance");
  size_t next = 0;
  for (const Driver *driver : drivers) {
    size_t devices = driver->probe(nullptr) == TWRT_OK ? driver->enumerate() : 0;
    for (size_t i = 0; i < devices && next < count; ++i, ++next) {
      DeviceSlot &slot = instance.devices[next];
      slot.driver = driver;
      slot.index = i;
      if (driver == &hostDriver)
        snprintf(slot.uri, sizeof(slot.uri), "%s", driver->name);
      else
        snprintf(slot.uri, sizeof(slot.uri), "%s:%zu", driver->name, i);
    }
  }
  return TWRT_OK;
}

TwrtCode twrtInstanceCreate(const TwrtInstanceOptions *options, uint32_t abi,
                            TwrtInstance **instance, TwrtError *error) {
  TWRT_TRY(checkNotNull(instance, "instance", error));
  if (abi != TWRT_ABI)
    return fail(error, TWRT_UNSUPPORTED, "the caller speaks ABI %u, this library ABI %u", abi,
                TWRT_ABI);
  TWRT_TRY(checkSize(options, "TwrtInstanceOptions", error));
  Allocator allocator = defaultAllocator();
  if (options && (options->allocate || options->release)) {
    if (!options->allocate || !options->release)
      return fail(error, TWRT_INVALID_ARGUMENT, "allocate and release must be given together");
    allocator = {options->allocate, options->release, options->user};
  }
  TwrtInstance *made = create<TwrtInstance>(allocator, allocator);
  if (!made)
    return failMemory(error, "an instance");
  if (options) {
    made->log = options->log;
    made->logUser = options->user;
    made->context.hostThreads = options->hostThreads;
  }
  if (TwrtCode code = listDevices(*made, error); code != TWRT_OK) {
    destroy(allocator, made);
    return code;
  }
  *instance = made;
  return TWRT_OK;
}

void twrtInstanceRelease(TwrtInstance *instance) {
  if (instance && instance->references.release()) {
    Allocator allocator = instance->allocator;
    destroy(allocator, instance);
  }
}

size_t twrtInstanceDriverCount(const TwrtInstance *instance) {
  return instance ? std::size(drivers) : 0;
}

TwrtCode twrtInstanceDriverStatus(const TwrtInstance *instance, size_t driver, TwrtString *name,
                                  TwrtError *error) {
  TWRT_TRY(checkNotNull(instance, "instance", error));
  if (driver >= std::size(drivers))
    return fail(error, TWRT_INVALID_ARGUMENT, "driver %zu of %zu", driver, std::size(drivers));
  if (name)
    *name = {drivers[driver]->name, strlen(drivers[driver]->name)};
  return drivers[driver]->probe(error);
}

size_t twrtInstanceDeviceCount(const TwrtInstance *instance) {
  return instance ? instance->devices.size() : 0;
}

TwrtString twrtInstanceDeviceUri(const TwrtInstance *instance, size_t device) {
  if (!instance || device >= instance->devices.size())
    return {"", 0};
  const char *uri = instance->devices[device].uri;
  return {uri, strlen(uri)};
}

TwrtCode twrtInstanceOpenDevice(TwrtInstance *instance, const char *uri, TwrtDevice **device,
                                TwrtError *error) {
  TWRT_TRY(checkNotNull(instance, "instance", error));
  TWRT_TRY(checkNotNull(uri, "uri", error));
  TWRT_TRY(checkNotNull(device, "device", error));
  for (DeviceSlot &slot : instance->devices)
    if (strcmp(slot.uri, uri) == 0)
      return openDevice(*instance, slot, device, error);
  char known[200] = "";
  size_t length = 0;
  for (const DeviceSlot &slot : instance->devices)
    if (length < sizeof(known))
      length += size_t(
          snprintf(known + length, sizeof(known) - length, "%s%s", length ? ", " : "", slot.uri));
  return fail(error, TWRT_NOT_FOUND, "no device '%.80s'; there are: %s", uri, known);
}
