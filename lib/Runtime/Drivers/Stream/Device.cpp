// Devices: which there are, what they can do, making them current, losing them.
#include "Stream.h"

#include <cinttypes>
#include <cstdio>

using namespace tw::runtime;
using namespace tw::runtime::stream;

/// More devices than this are not listed.
static constexpr size_t maxDevices = 32;

TwrtCode stream::probe(Api &api, TwrtError *error) {
  TWRT_TRY(load(api, error));
  int result = api.init.function(0);
  int count = 0;
  if (result == success)
    result = api.deviceCount.function(&count);
  if (result == noDevice || (result == success && count == 0))
    return failCall(error, TWRT_NOT_FOUND, api.init.name, result,
                    "%s is there, but no device it can use", api.libraries[0]);
  return result == success ? TWRT_OK : failResult(api, api.init.name, result, error);
}

size_t stream::enumerate(Api &api) {
  int count = 0;
  if (api.deviceCount.function(&count) != success || count < 0)
    return 0;
  return std::min(size_t(count), maxDevices);
}

const char *stream::deviceName(Api &api, size_t index) {
  static char chips[maxDevices][64];
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  char words[512];
  int device = 0;
  if (index < maxDevices && api.deviceGet.function(&device, int(index)) == success)
    api.features(api, device, chips[index], words, nullptr);
  return chips[std::min(index, maxDevices - 1)];
}

static int readAttribute(const Api &api, int number, int device) {
  int value = 0;
  if (number == 0 || api.attribute.function(&value, number, device) != success)
    return 0;
  return value;
}

void stream::describe(Api &api, size_t index, DeviceInfo &info, support::JsonWriter &json) {
  // Lives as long as the process, as DeviceInfo asks; every instance writes the same.
  static char chips[maxDevices][2][2][64], features[maxDevices][2][2][512];
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  bool hasContexts = api.contextRetain.function;
  char(&chip)[64] = chips[index][hasContexts][api.beside];
  char(&words)[512] = features[index][hasContexts][api.beside];
  int device = 0, version = 0;
  char name[256] = "unknown";
  size_t bytes = 0;
  if (api.deviceGet.function(&device, int(index)) != success)
    return;
  if (!*words && api.features(api, device, chip, words, nullptr) != TWRT_OK)
    *words = 0;
  api.deviceName.function(name, sizeof(name), device);
  api.totalMemory.function(&bytes, device);
  api.driverVersion.function(&version);
  const Attributes &numbers = api.attributes;
  int local = readAttribute(api, numbers.localBytes, device);
  info.target = api.target;
  info.formats = api.formats;
  info.features = words;
  info.totalBytes = bytes;
  info.maxSlabBytes = bytes;
  info.maxGroup = uint32_t(readAttribute(api, numbers.maxThreads, device));
  info.maxGridX = uint32_t(readAttribute(api, numbers.maxGridX, device));
  info.localBytes = uint64_t(std::max(local, readAttribute(api, numbers.localBytesOptIn, device)));
  json.member("target", info.target);
  json.member("name", name);
  json.member("chip", chip);
  json.member("driver", version);
  json.member("memoryBytes", info.totalBytes);
  json.member("multiprocessors", readAttribute(api, numbers.multiprocessors, device));
  json.member("subgroup", readAttribute(api, numbers.warpSize, device));
  json.member("maxGroup", info.maxGroup);
  json.member("localBytes", info.localBytes);
  json.member("features", info.features);
}

TwrtCode stream::open(Api &api, const DriverContext &context, size_t index, void **device,
                      TwrtError *error) {
  int ordinal = 0;
  if (int result = api.deviceGet.function(&ordinal, int(index)); result != success)
    return failResult(api, api.deviceGet.name, result, error);
  Device *made = create<Device>(context.allocator, context.allocator, api);
  if (!made)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for a device");
  made->ordinal = ordinal;
  const Attributes &numbers = api.attributes;
  made->maxGridX = uint32_t(std::max(1, readAttribute(api, numbers.maxGridX, ordinal)));
  made->localBytes = uint64_t(readAttribute(api, numbers.localBytes, ordinal));
  if (api.contextRetain.function)
    if (TwrtCode code = invoke(*made, api.contextRetain, error, &made->context, ordinal);
        code != TWRT_OK) {
      destroy(context.allocator, made);
      return code;
    }
  *device = made;
  return TWRT_OK;
}

void stream::close(void *handle) {
  Device *device = static_cast<Device *>(handle);
  Allocator allocator = device->allocator;
  const Api &api = device->api;
  {
    Current current(*device);
    if (current && device->empty)
      api.free.function(device->empty);
    while (Slab *slab = device->pool.first()) {
      if (current)
        api.free.function(slab->address);
      device->pool.forget(slab);
    }
  }
  if (api.contextRelease.function)
    api.contextRelease.function(device->ordinal);
  destroy(allocator, device);
}

Current::Current(Device &device) : device(device) {
  const Api &api = device.api;
  if (api.contextPush.function) {
    call = api.contextPush.name;
    result = api.contextPush.function(device.context);
    return;
  }
  call = api.getDevice.name;
  result = api.getDevice.function(&before);
  if (result != success || before == device.ordinal) {
    before = -1;
    return;
  }
  call = api.setDevice.name;
  result = api.setDevice.function(device.ordinal);
}

Current::~Current() {
  void *ours = nullptr;
  if (result != success)
    return;
  if (device.api.contextPop.function)
    device.api.contextPop.function(&ours);
  else if (before >= 0)
    device.api.setDevice.function(before);
}

TwrtCode Current::check(TwrtError *error) const {
  return result == success ? TWRT_OK : failOn(device, call, result, error);
}

TwrtCode stream::failOn(Device &device, const char *call, int result, TwrtError *error) {
  if (isSticky(result))
    device.lost = true;
  return failResult(device.api, call, result, error);
}

TwrtCode stream::failLost(const Device &device, const char *call, TwrtError *error) {
  return failCall(error, TWRT_DEVICE_LOST, call, 0,
                  "device %s:%d was lost by an earlier call and cannot be used any more",
                  device.api.target, device.ordinal);
}

void stream::deviceHandle(const void *handle, TwrtHandle &made) {
  const Device &device = *static_cast<const Device *>(handle);
  made.kind = device.api.handles;
  made.value =
      device.context ? reinterpret_cast<uintptr_t>(device.context) : uint64_t(device.ordinal);
}
