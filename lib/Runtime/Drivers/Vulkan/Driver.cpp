// The Vulkan driver: physical devices with a queue for compute.
#include "Threads.h"
#include "Vulkan.h"

#include <algorithm>
#include <cstdio>

using namespace tw::runtime;
using namespace tw::runtime::vulkan;

static TwrtCode probe(TwrtError *error) {
  const TwrtError &status = library().status;
  if (status.code != TWRT_OK)
    return failCall(error, status.code, status.call, status.driverCode, "%s", status.message);
  return TWRT_OK;
}

static size_t enumerate() { return library().deviceCount; }

static const char *typeName(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_CPU:
    return "cpu";
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
    return "gpu";
  default:
    return "accelerator";
  }
}

static void describe(const DriverContext &, size_t index, DeviceInfo &info,
                     tw::support::JsonWriter &json) {
  const DeviceRecord &record = library().devices[index];
  info.target = "vulkan";
  info.formats = "spirv";
  info.features = record.features;
  info.totalBytes = record.memoryBytes;
  info.maxSlabBytes = record.maxRange;
  info.offsetAlignment = record.offsetAlignment;
  info.maxGroup = record.maxGroup;
  info.localBytes = record.localBytes;
  info.maxBindings = record.maxBindings;
  info.maxGridX = record.maxGridX;
  info.hostVisible = record.hostVisible;
  char version[32];
  snprintf(version, sizeof(version), "%u.%u.%u", VK_API_VERSION_MAJOR(record.apiVersion),
           VK_API_VERSION_MINOR(record.apiVersion), VK_API_VERSION_PATCH(record.apiVersion));
  json.member("target", info.target);
  json.member("name", record.name);
  json.member("type", typeName(record.type));
  json.member("driverVersion", record.driver);
  json.member("apiVersion", version);
  json.member("features", info.features);
  json.member("memoryBytes", info.totalBytes);
  json.member("maxGroup", uint64_t(info.maxGroup));
  json.member("localBytes", info.localBytes);
  json.member("maxBindings", uint64_t(info.maxBindings));
  json.member("maxSlabBytes", info.maxSlabBytes);
  json.member("offsetAlignment", uint64_t(info.offsetAlignment));
  json.member("maxGridX", uint64_t(info.maxGridX));
}

static TwrtCode createDevice(Device &device, TwrtError *error) {
  FeatureChain features;
  readFeatures(device.record->handle, features);
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = device.record->family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  const char *extensions[2];
  if (device.record->hasFiles)
    extensions[info.enabledExtensionCount++] = VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
  if (device.record->takesHost)
    extensions[info.enabledExtensionCount++] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
  info.ppEnabledExtensionNames = extensions;
  TWRT_TRY(checkThreads(error));
  TW_VK(vkCreateDevice, device.record->handle, &info, nullptr, &device.handle);
  vk().vkGetDeviceQueue(device.handle, device.record->family, 0, &device.queue);
  return TWRT_OK;
}

static TwrtCode open(const DriverContext &context, size_t index, void **device, TwrtError *error) {
  Device *made = create<Device>(context.allocator, context.allocator, &library().devices[index]);
  if (!made)
    return failMemory(error, "a Vulkan device");
  if (TwrtCode code = createDevice(*made, error); code != TWRT_OK) {
    if (made->handle)
      vk().vkDestroyDevice(made->handle, nullptr);
    destroy(context.allocator, made);
    return code;
  }
  *device = made;
  return TWRT_OK;
}

static void close(void *device) {
  Device *made = static_cast<Device *>(device);
  Allocator allocator = made->allocator;
  vk().vkDestroyDevice(made->handle, nullptr);
  destroy(allocator, made);
}

const Driver tw::runtime::vulkanDriver = {
    .name = "vulkan",
    .probe = probe,
    .enumerate = enumerate,
    .describe = describe,
    .open = open,
    .close = close,
    .allocate = allocate,
    .free = freeMemory,
    .importMemory = importMemory,
    .mapFile = mapFile,
    .queueCreate = queueCreate,
    .queueDestroy = queueDestroy,
    .write = vulkan::write,
    .read = vulkan::read,
    .copy = vulkan::copy,
    .fill = vulkan::fill,
    .loadExecutable = loadExecutable,
    .unload = unload,
    .submitPlan = submitPlan,
    .pointWait = pointWait,
    .queueWait = queueWait,
    .deviceHandle = deviceHandle,
    .queueHandle = queueHandle,
    .memoryHandle = memoryHandle,
    .importHandle = importHandle,
    .queueImport = queueImport,
    .allocateShared = allocateShared,
    .memoryExport = memoryExport,
};
