// Finds the physical devices with a queue for compute, and what they can do.
#include "Devices.h"
#include "Object.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>

using namespace tw::runtime;
using namespace tw::runtime::vulkan;

FeatureChain::FeatureChain() {
  core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  core.pNext = &v11;
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  v11.pNext = &v12;
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
}

/// Calls `visit` with the name and the places in both chains of all features that kernels use.
template <typename Visit> static void visitFeatures(FeatureChain &a, FeatureChain &b, Visit visit) {
#define TW_CORE(name) visit(#name, a.core.features.name, b.core.features.name);
#define TW_11(name) visit(#name, a.v11.name, b.v11.name);
#define TW_12(name) visit(#name, a.v12.name, b.v12.name);
  TW_CORE(shaderFloat64)
  TW_CORE(shaderInt16)
  TW_CORE(shaderInt64)
  TW_11(storageBuffer16BitAccess)
  TW_11(storagePushConstant16)
  TW_11(uniformAndStorageBuffer16BitAccess)
  TW_11(variablePointersStorageBuffer)
  TW_11(variablePointers)
  TW_12(scalarBlockLayout)
  TW_12(shaderFloat16)
  TW_12(shaderInt8)
  TW_12(storageBuffer8BitAccess)
  TW_12(storagePushConstant8)
  TW_12(timelineSemaphore)
  TW_12(uniformAndStorageBuffer8BitAccess)
  TW_12(vulkanMemoryModel)
  TW_12(vulkanMemoryModelDeviceScope)
#undef TW_CORE
#undef TW_11
#undef TW_12
}

void vulkan::readFeatures(VkPhysicalDevice device, FeatureChain &chain) {
  FeatureChain found;
  vk().vkGetPhysicalDeviceFeatures2(device, &found.core);
  visitFeatures(found, chain, [](const char *, VkBool32 has, VkBool32 &wanted) { wanted = has; });
}

static void addWord(DeviceRecord &record, const char *word, VkBool32 has) {
  size_t length = strlen(record.features);
  if (has)
    snprintf(record.features + length, sizeof(record.features) - length, "%s%s", length ? " " : "",
             word);
}

static void nameFeatures(const Functions &call, DeviceRecord &record,
                         const VkPhysicalDeviceVulkan12Properties &properties, bool &timeline) {
  // For which tensor-run compiles with --target=vulkan:cpu.
  addWord(record, "cpu", record.type == VK_PHYSICAL_DEVICE_TYPE_CPU);
  FeatureChain found;
  call.vkGetPhysicalDeviceFeatures2(record.handle, &found.core);
  visitFeatures(found, found,
                [&](const char *name, VkBool32 has, VkBool32 &) { addWord(record, name, has); });
#define TW_CONTROL(name) addWord(record, #name, properties.name);
  TW_CONTROL(shaderDenormPreserveFloat32)
  TW_CONTROL(shaderDenormPreserveFloat64)
  TW_CONTROL(shaderRoundingModeRTEFloat32)
  TW_CONTROL(shaderRoundingModeRTEFloat64)
  TW_CONTROL(shaderSignedZeroInfNanPreserveFloat32)
  TW_CONTROL(shaderSignedZeroInfNanPreserveFloat64)
#undef TW_CONTROL
  // llvmpipe ends the loops of a thread after 65,535 turns together, as if they were done.
  addWord(record, "moreThan65535LoopTurns", properties.driverID != VK_DRIVER_ID_MESA_LLVMPIPE);
  // Replaced by a literal before the device sees it (setLocalSize).
  addWord(record, "LocalSizeId", true);
  timeline = found.v12.timelineSemaphore;
}

/// A family of its own for compute is preferred to one that also draws.
static bool findFamily(const Functions &call, DeviceRecord &record) {
  VkQueueFamilyProperties families[32];
  uint32_t count = std::size(families);
  call.vkGetPhysicalDeviceQueueFamilyProperties(record.handle, &count, families);
  bool found = false;
  for (uint32_t i = 0; i < count; ++i) {
    if (!(families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) || families[i].queueCount == 0)
      continue;
    bool alone = !(families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT);
    if (found && !alone)
      continue;
    found = true;
    record.family = i;
    record.timestampBits = families[i].timestampValidBits;
    if (alone)
      break;
  }
  return found;
}

/// Buffers live where the device is fastest; the host may see them there.
static bool findMemory(const Functions &call, DeviceRecord &record) {
  constexpr VkMemoryPropertyFlags mapped =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags cached = mapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  VkPhysicalDeviceMemoryProperties memory = {};
  call.vkGetPhysicalDeviceMemoryProperties(record.handle, &memory);
  int local = -1, staging = -1;
  auto has = [&](uint32_t i, VkMemoryPropertyFlags flags) {
    return (memory.memoryTypes[i].propertyFlags & flags) == flags;
  };
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    if (has(i, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) &&
        (local < 0 || (has(i, cached) && !has(uint32_t(local), cached))))
      local = int(i);
    if (has(i, mapped) && (staging < 0 || (has(i, cached) && !has(uint32_t(staging), cached))))
      staging = int(i);
  }
  if (local < 0 || staging < 0)
    return false;
  record.deviceType = uint32_t(local);
  record.stagingType = uint32_t(staging);
  record.hostVisible = has(record.deviceType, cached);
  record.memoryBytes = memory.memoryHeaps[memory.memoryTypes[local].heapIndex].size;
  return true;
}

static bool canShare(const Functions &call, VkPhysicalDevice device,
                     VkExternalMemoryHandleTypeFlagBits type,
                     VkExternalMemoryFeatureFlags features) {
  VkPhysicalDeviceExternalBufferInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  info.handleType = type;
  VkExternalBufferProperties found = {};
  found.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
  call.vkGetPhysicalDeviceExternalBufferProperties(device, &info, &found);
  VkExternalMemoryFeatureFlags has = found.externalMemoryProperties.externalMemoryFeatures;
  return (has & features) == features && !(has & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT);
}

/// What memory can be shared with others.
static void findSharing(const Functions &call, DeviceRecord &record) {
  uint32_t count = 0;
  if (call.vkEnumerateDeviceExtensionProperties(record.handle, nullptr, &count, nullptr) !=
      VK_SUCCESS)
    return;
  std::unique_ptr<VkExtensionProperties[]> all(new (std::nothrow) VkExtensionProperties[count]);
  if (!all || call.vkEnumerateDeviceExtensionProperties(record.handle, nullptr, &count, all.get()) <
                  VK_SUCCESS)
    return;
  auto has = [&](const char *name) {
    return std::any_of(all.get(), all.get() + count, [&](const VkExtensionProperties &each) {
      return strcmp(each.extensionName, name) == 0;
    });
  };
  record.hasFiles = call.vkGetMemoryFdKHR && has(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) &&
                    canShare(call, record.handle, VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
                             VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT |
                                 VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT);
  record.takesHost =
      call.vkGetMemoryHostPointerPropertiesEXT && has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) &&
      canShare(call, record.handle, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
               VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT);
  if (!record.takesHost)
    return;
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {};
  host.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &host;
  call.vkGetPhysicalDeviceProperties2(record.handle, &properties);
  record.hostAlignment = std::max<uint64_t>(host.minImportedHostPointerAlignment, 1);
}

static TwrtCode describeDevice(const Functions &call, DeviceRecord &record, TwrtError *error) {
  VkPhysicalDeviceVulkan12Properties v12 = {};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  VkPhysicalDeviceVulkan11Properties v11 = {};
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  v11.pNext = &v12;
  VkPhysicalDeviceProperties2 properties = {};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &v11;
  call.vkGetPhysicalDeviceProperties2(record.handle, &properties);
  const VkPhysicalDeviceLimits &limits = properties.properties.limits;
  record.apiVersion = properties.properties.apiVersion;
  record.type = properties.properties.deviceType;
  snprintf(record.name, sizeof(record.name), "%s", properties.properties.deviceName);
  if (record.apiVersion < VK_API_VERSION_1_2)
    return fail(error, TWRT_UNSUPPORTED, "device '%.100s' has Vulkan %u.%u, 1.2 is needed",
                record.name, VK_API_VERSION_MAJOR(record.apiVersion),
                VK_API_VERSION_MINOR(record.apiVersion));
  snprintf(record.driver, sizeof(record.driver), "%s", v12.driverInfo);
  bool timeline = false;
  nameFeatures(call, record, v12, timeline);
  if (!timeline)
    return fail(error, TWRT_UNSUPPORTED, "device '%.100s' has no timeline semaphores", record.name);
  if (!findFamily(call, record))
    return fail(error, TWRT_UNSUPPORTED, "device '%.100s' has no queue for compute", record.name);
  if (!findMemory(call, record))
    return fail(error, TWRT_UNSUPPORTED, "device '%.100s' has no memory for buffers", record.name);
  record.timestampPeriod = limits.timestampPeriod;
  // A multiple of 16, because ranges are rounded up.
  record.maxRange =
      std::min<uint64_t>(limits.maxStorageBufferRange, v11.maxMemoryAllocationSize) / 16 * 16;
  record.maxTexels = limits.maxTexelBufferElements;
  // For all bindings that a kernel may have.
  addWord(record, "storageTexelBuffers",
          std::min(limits.maxPerStageDescriptorStorageImages,
                   limits.maxDescriptorSetStorageImages) >= 16);
  record.offsetAlignment = uint32_t(std::max<uint64_t>(
      {limits.minStorageBufferOffsetAlignment, limits.minTexelBufferOffsetAlignment, 4}));
  record.maxGroup =
      std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
  record.localBytes = limits.maxComputeSharedMemorySize;
  record.maxBindings = std::min(
      {limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers, 16u});
  record.maxGridX = limits.maxComputeWorkGroupCount[0];
  findSharing(call, record);
  return TWRT_OK;
}

TwrtCode vulkan::listDevices(Library &library, TwrtError *error) {
  VkPhysicalDevice found[Library::maxDevices];
  uint32_t count = std::size(found);
  VkResult result = library.call.vkEnumeratePhysicalDevices(library.instance, &count, found);
  if (result != VK_SUCCESS && result != VK_INCOMPLETE)
    return failCall(error, TWRT_DRIVER_ERROR, "vkEnumeratePhysicalDevices", result,
                    "vkEnumeratePhysicalDevices failed: %s (%d)", resultName(result), int(result));
  TwrtCode worst = TWRT_OK;
  for (uint32_t i = 0; i < count; ++i) {
    DeviceRecord &record = library.devices[library.deviceCount];
    record = {};
    record.handle = found[i];
    TwrtCode code = describeDevice(library.call, record, error);
    if (code == TWRT_OK)
      ++library.deviceCount;
    else
      worst = code;
  }
  if (library.deviceCount)
    return TWRT_OK;
  return worst != TWRT_OK ? worst : fail(error, TWRT_NOT_FOUND, "Vulkan has no device");
}
