// libvulkan, opened at run time: its functions, one instance, and the devices it has, found once
// per process. TENSORWRIGHT_VULKAN_VALIDATION=1 loads the Khronos layer and makes what it says an
// error of the next call.
#pragma once

#include "Error.h"

#define VK_NO_PROTOTYPES
#include <atomic>
#include <vulkan/vulkan_core.h>

/// Found through vkGetInstanceProcAddr: before there is an instance, and with it.
#define TW_VULKAN_GLOBAL_FUNCTIONS(X)                                                              \
  X(vkCreateInstance)                                                                              \
  X(vkEnumerateInstanceLayerProperties)                                                            \
  X(vkEnumerateInstanceVersion)

#define TW_VULKAN_FUNCTIONS(X)                                                                     \
  X(vkAllocateCommandBuffers)                                                                      \
  X(vkAllocateDescriptorSets)                                                                      \
  X(vkAllocateMemory)                                                                              \
  X(vkBeginCommandBuffer)                                                                          \
  X(vkBindBufferMemory)                                                                            \
  X(vkCmdBindDescriptorSets)                                                                       \
  X(vkCmdBindPipeline)                                                                             \
  X(vkCmdCopyBuffer)                                                                               \
  X(vkCmdDispatch)                                                                                 \
  X(vkCmdFillBuffer)                                                                               \
  X(vkCmdPipelineBarrier)                                                                          \
  X(vkCmdPushConstants)                                                                            \
  X(vkCmdResetQueryPool)                                                                           \
  X(vkCmdWriteTimestamp)                                                                           \
  X(vkCreateBuffer)                                                                                \
  X(vkCreateBufferView)                                                                            \
  X(vkCreateCommandPool)                                                                           \
  X(vkCreateComputePipelines)                                                                      \
  X(vkCreateDescriptorPool)                                                                        \
  X(vkCreateDescriptorSetLayout)                                                                   \
  X(vkCreateDevice)                                                                                \
  X(vkCreatePipelineLayout)                                                                        \
  X(vkCreateQueryPool)                                                                             \
  X(vkCreateSemaphore)                                                                             \
  X(vkCreateShaderModule)                                                                          \
  X(vkDestroyBuffer)                                                                               \
  X(vkDestroyBufferView)                                                                           \
  X(vkDestroyCommandPool)                                                                          \
  X(vkDestroyDescriptorPool)                                                                       \
  X(vkDestroyDescriptorSetLayout)                                                                  \
  X(vkDestroyDevice)                                                                               \
  X(vkDestroyPipeline)                                                                             \
  X(vkDestroyPipelineLayout)                                                                       \
  X(vkDestroyQueryPool)                                                                            \
  X(vkDestroySemaphore)                                                                            \
  X(vkDestroyShaderModule)                                                                         \
  X(vkEndCommandBuffer)                                                                            \
  X(vkEnumerateDeviceExtensionProperties)                                                          \
  X(vkEnumeratePhysicalDevices)                                                                    \
  X(vkFreeMemory)                                                                                  \
  X(vkGetBufferMemoryRequirements)                                                                 \
  X(vkGetDeviceQueue)                                                                              \
  X(vkGetPhysicalDeviceExternalBufferProperties)                                                   \
  X(vkGetPhysicalDeviceFeatures2)                                                                  \
  X(vkGetPhysicalDeviceMemoryProperties)                                                           \
  X(vkGetPhysicalDeviceProperties2)                                                                \
  X(vkGetPhysicalDeviceQueueFamilyProperties)                                                      \
  X(vkGetQueryPoolResults)                                                                         \
  X(vkMapMemory)                                                                                   \
  X(vkQueueSubmit)                                                                                 \
  X(vkQueueWaitIdle)                                                                               \
  X(vkResetCommandPool)                                                                            \
  X(vkResetDescriptorPool)                                                                         \
  X(vkSignalSemaphore)                                                                             \
  X(vkUpdateDescriptorSets)                                                                        \
  X(vkWaitSemaphores)

/// Of extensions, NULL where no driver has them.
#define TW_VULKAN_EXTENSION_FUNCTIONS(X)                                                           \
  X(vkGetMemoryFdKHR)                                                                              \
  X(vkGetMemoryHostPointerPropertiesEXT)

namespace tw::runtime::vulkan {

/// Tests put failing functions in their place.
struct Functions {
#define TW_MEMBER(name) PFN_##name name = nullptr;
  TW_VULKAN_GLOBAL_FUNCTIONS(TW_MEMBER)
  TW_VULKAN_FUNCTIONS(TW_MEMBER)
  TW_VULKAN_EXTENSION_FUNCTIONS(TW_MEMBER)
#undef TW_MEMBER
};

/// The features that kernels may need, as a device has them or as they are switched on.
struct FeatureChain {
  VkPhysicalDeviceFeatures2 core = {};
  VkPhysicalDeviceVulkan11Features v11 = {};
  VkPhysicalDeviceVulkan12Features v12 = {};

  FeatureChain();
  FeatureChain(const FeatureChain &) = delete;
};

/// What is known of a device before it is opened.
struct DeviceRecord {
  VkPhysicalDevice handle = nullptr;
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE] = "", driver[VK_MAX_DRIVER_INFO_SIZE] = "";
  uint32_t apiVersion = 0, family = 0, timestampBits = 0;
  float timestampPeriod = 1;
  /// Names of VkPhysicalDevice*Features members, and of float controls that the device supports.
  char features[1024] = "";
  uint64_t memoryBytes = 0, maxRange = 0, maxTexels = 0;
  uint32_t offsetAlignment = 0, maxGroup = 0, localBytes = 0, maxBindings = 0, maxGridX = 0;
  /// Indices of memory types: where buffers live, and what transfers go through.
  uint32_t deviceType = 0, stagingType = 0;
  /// Buffers are mapped, and quick to read for the host.
  bool hostVisible = false;
  /// Whether memory has file descriptors (VK_KHR_external_memory_fd), and the host's can be used
  /// (VK_EXT_external_memory_host), in units of so many bytes.
  bool hasFiles = false, takesHost = false;
  uint64_t hostAlignment = 1;
};

struct Library {
  static constexpr size_t maxDevices = 16;
  Functions call;
  VkInstance instance = nullptr;
  DeviceRecord devices[maxDevices];
  size_t deviceCount = 0;
  /// TWRT_OK, or why no device can be used.
  TwrtError status = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  /// What the validation layer said first.
  std::atomic<bool> complained{false};
  char complaint[400] = "";
};

/// Opened and asked for devices at the first call, never closed.
Library &library();
inline const Functions &vk() { return library().call; }

/// Switches on what `device` has of the features in DeviceRecord::features.
void readFeatures(VkPhysicalDevice device, FeatureChain &chain);

/// "VK_ERROR_DEVICE_LOST" ...; "an unknown error" for other numbers.
const char *resultName(VkResult result);

/// TWRT_OK if `result` is VK_SUCCESS and the validation layer is content, else fills `error`,
/// naming the call.
TwrtCode check(VkResult result, const char *call, TwrtError *error);

} // namespace tw::runtime::vulkan

/// Calls a function that returns a VkResult; returns from the caller if it failed.
#define TW_VK(function, ...)                                                                       \
  do {                                                                                             \
    if (TwrtCode code_ = ::tw::runtime::vulkan::check(                                             \
            ::tw::runtime::vulkan::vk().function(__VA_ARGS__), #function, error);                  \
        code_ != TWRT_OK)                                                                          \
      return code_;                                                                                \
  } while (false)
