// Instances: which drivers can be used, which devices they have.
#include "Instance.h"
#include "Device.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>

using namespace tw::runtime;

static constexpr const Driver *drivers[] = {
#define TW_DRIVER(name) &name##Driver,
#include "Drivers.def"
};

std::span<const Driver *const> tw::runtime::allDrivers() { return drivers; }

static_assert(std::size(drivers) <= TwrtInstance::maxDrivers);

/// The devices of driver `index`, which is asked once. The caller holds the lock.
static std::span<DeviceSlot> listDevices(TwrtInstance &instance, size_t index) {
  DriverSlot &slot = instance.drivers[index];
  const Driver *driver = drivers[index];
  if (!slot.listed) {
    slot.listed = true;
    TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
    if (driver->probe(&reason) == TWRT_OK)
      slot.count = std::min(driver->enumerate(), DriverSlot::maxDevices);
    else
      instance.context.log.write(LogLevel::Information, "driver %s cannot be used: %s",
                                 driver->name, reason.message);
    for (size_t i = 0; i < slot.count; ++i) {
      DeviceSlot &device = slot.devices[i];
      device.driver = driver;
      device.index = i;
      if (driver == &hostDriver)
        snprintf(device.uri, sizeof(device.uri), "%s", driver->name);
      else if (driver->deviceName)
        snprintf(device.uri, sizeof(device.uri), "%s:%s", driver->name, driver->deviceName(i));
      else
        snprintf(device.uri, sizeof(device.uri), "%s:%zu", driver->name, i);
    }
  }
  return {slot.devices, slot.count};
}

template <>
inline constexpr uint32_t tw::knownSizes<TwrtInstanceOptions>[] = {
    offsetof(TwrtInstanceOptions, parallel), sizeof(TwrtInstanceOptions)};

TwrtCode twrtInstanceCreate(const TwrtInstanceOptions *given, uint32_t abi, TwrtInstance **instance,
                            TwrtError *error) {
  TWRT_TRY(checkNotNull(instance, "instance", error));
  if (abi != TWRT_ABI)
    return fail(error, TWRT_UNSUPPORTED, "the caller speaks ABI %u, this library ABI %u", abi,
                TWRT_ABI);
  TWRT_TRY(checkSize(given, "TwrtInstanceOptions", error));
  TwrtInstanceOptions options = given ? tw::readSized(*given) : TwrtInstanceOptions{};
  Allocator allocator = defaultAllocator();
  if (options.allocate || options.release) {
    if (!options.allocate || !options.release)
      return fail(error, TWRT_INVALID_ARGUMENT, "allocate and release must be given together");
    allocator = {options.allocate, options.release, options.user};
  }
  TwrtInstance *made = create<TwrtInstance>(allocator, allocator);
  if (!made)
    return failMemory(error, "an instance");
  made->context.log = {options.log, options.user};
  made->context.hostThreads = options.hostThreads;
  made->context.executor = {options.parallel, options.user};
  made->context.trace = {options.trace, options.user};
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

/// Asking drivers changes nothing that a caller can see.
static TwrtInstance &lists(const TwrtInstance *instance) {
  return const_cast<TwrtInstance &>(*instance);
}

size_t twrtInstanceDeviceCount(const TwrtInstance *instance) {
  if (!instance)
    return 0;
  std::lock_guard lock(lists(instance).mutex);
  size_t count = 0;
  for (size_t d = 0; d < std::size(drivers); ++d)
    count += listDevices(lists(instance), d).size();
  return count;
}

TwrtString twrtInstanceDeviceUri(const TwrtInstance *instance, size_t device) {
  if (!instance)
    return {"", 0};
  std::lock_guard lock(lists(instance).mutex);
  for (size_t d = 0; d < std::size(drivers); ++d) {
    std::span<DeviceSlot> found = listDevices(lists(instance), d);
    if (device < found.size())
      return {found[device].uri, strlen(found[device].uri)};
    device -= found.size();
  }
  return {"", 0};
}

/// Edits that make one text of the other, cut at texts of 31 characters.
static size_t editDistance(std::string_view a, std::string_view b) {
  constexpr size_t most = 31;
  a = a.substr(0, most);
  b = b.substr(0, most);
  size_t row[most + 1];
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 0; i < a.size(); ++i) {
    size_t corner = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      size_t changed = corner + (a[i] != b[j]);
      corner = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

/// Tells what there is, and what may have been meant.
static TwrtCode failUnknown(TwrtInstance &instance, const char *uri, TwrtError *error) {
  char known[200] = "";
  const char *nearest = nullptr;
  size_t length = 0, distance = 3;
  for (size_t d = 0; d < std::size(drivers); ++d)
    for (const DeviceSlot &slot : listDevices(instance, d)) {
      if (length < sizeof(known))
        length += size_t(
            snprintf(known + length, sizeof(known) - length, "%s%s", length ? ", " : "", slot.uri));
      // Kinds of devices: of several drivers for GPUs, the last is the vendor's own.
      std::string_view kind = std::string_view(uri).substr(0, strcspn(uri, ":"));
      bool isHost = slot.driver == &hostDriver;
      bool isReal = !isHost && slot.driver != &nullDriver && !slot.driver->emulated;
      if ((kind == "cpu" && isHost) || (kind == "gpu" && isReal && slot.index == 0)) {
        nearest = slot.uri;
        distance = 0;
      }
      // A driver's name alone stands for its first device.
      std::string_view name = slot.uri;
      if (!strchr(uri, ':'))
        name = name.substr(0, name.find(':'));
      if (size_t found = editDistance(uri, name); found < distance) {
        nearest = slot.uri;
        distance = found;
      }
    }
  if (nearest)
    return fail(error, TWRT_NOT_FOUND, "no device '%.80s', did you mean '%s'? There are: %s", uri,
                nearest, known);
  return fail(error, TWRT_NOT_FOUND, "no device '%.80s'; there are: %s", uri, known);
}

/// The device of that name; a driver's name alone stands for its first.
static DeviceSlot *findDevice(TwrtInstance &instance, std::string_view uri, TwrtError *error) {
  std::string_view name = uri.substr(0, uri.find(':'));
  for (size_t d = 0; d < std::size(drivers); ++d) {
    if (name != drivers[d]->name)
      continue;
    std::span<DeviceSlot> found = listDevices(instance, d);
    for (DeviceSlot &slot : found)
      if (uri == slot.uri || uri == drivers[d]->name)
        return &slot;
    TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
    if (drivers[d]->probe(&reason) == TWRT_OK)
      break;
    failCall(error, reason.code, reason.call, reason.driverCode,
             "device '%.40s' cannot be used: %s", uri.data(), reason.message);
    return nullptr;
  }
  failUnknown(instance, uri.data(), error);
  return nullptr;
}

TwrtCode twrtInstanceOpenDevice(TwrtInstance *instance, const char *uri, TwrtDevice **device,
                                TwrtError *error) {
  TWRT_TRY(checkNotNull(instance, "instance", error));
  TWRT_TRY(checkNotNull(uri, "uri", error));
  TWRT_TRY(checkNotNull(device, "device", error));
  TwrtError reason = {sizeof(TwrtError), TWRT_NOT_FOUND, 0, "", ""};
  DeviceSlot *slot = nullptr;
  {
    std::lock_guard lock(instance->mutex);
    slot = findDevice(*instance, uri, &reason);
  }
  if (slot)
    return openDevice(*instance, *slot, device, error);
  return failCall(error, reason.code, reason.call, reason.driverCode, "%s", reason.message);
}
