// A Vulkan layer under which devices allow at most TW_LIMIT_GROUP threads in a group.
#define VK_NO_PROTOTYPES
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan_core.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

/// What lies below, of the one instance.
static PFN_vkGetInstanceProcAddr nextFind;
static VkInstance madeInstance;

static void limit(VkPhysicalDeviceLimits &limits) {
  const char *value = getenv("TW_LIMIT_GROUP");
  uint32_t most = value ? uint32_t(atoi(value)) : UINT32_MAX;
  limits.maxComputeWorkGroupInvocations = std::min(limits.maxComputeWorkGroupInvocations, most);
  for (uint32_t &extent : limits.maxComputeWorkGroupSize)
    extent = std::min(extent, most);
}

static void getProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties *properties) {
  reinterpret_cast<PFN_vkGetPhysicalDeviceProperties>(
      nextFind(madeInstance, "vkGetPhysicalDeviceProperties"))(device, properties);
  limit(properties->limits);
}

static void getProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties) {
  reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(
      nextFind(madeInstance, "vkGetPhysicalDeviceProperties2"))(device, properties);
  limit(properties->properties.limits);
}

static VkResult createInstance(const VkInstanceCreateInfo *info,
                               const VkAllocationCallbacks *allocator, VkInstance *instance) {
  auto *link = static_cast<VkLayerInstanceCreateInfo *>(const_cast<void *>(info->pNext));
  while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
                  link->function != VK_LAYER_LINK_INFO))
    link = static_cast<VkLayerInstanceCreateInfo *>(const_cast<void *>(link->pNext));
  if (!link)
    return VK_ERROR_INITIALIZATION_FAILED;
  nextFind = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  VkResult result = reinterpret_cast<PFN_vkCreateInstance>(
      nextFind(VK_NULL_HANDLE, "vkCreateInstance"))(info, allocator, instance);
  madeInstance = *instance;
  return result;
}

static PFN_vkVoidFunction find(VkInstance instance, const char *name) {
  auto is = [&](const char *text) { return strcmp(name, text) == 0; };
  if (is("vkGetInstanceProcAddr"))
    return reinterpret_cast<PFN_vkVoidFunction>(find);
  if (is("vkCreateInstance"))
    return reinterpret_cast<PFN_vkVoidFunction>(createInstance);
  if (is("vkGetPhysicalDeviceProperties"))
    return reinterpret_cast<PFN_vkVoidFunction>(getProperties);
  if (is("vkGetPhysicalDeviceProperties2") || is("vkGetPhysicalDeviceProperties2KHR"))
    return reinterpret_cast<PFN_vkVoidFunction>(getProperties2);
  return nextFind ? nextFind(instance, name) : nullptr;
}

EXPORT VkResult vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
  interface->loaderLayerInterfaceVersion = 2;
  interface->pfnGetInstanceProcAddr = find;
  interface->pfnGetDeviceProcAddr = nullptr;
  interface->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
