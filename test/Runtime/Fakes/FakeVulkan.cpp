// A libvulkan.so.1 without devices, of which the function named by FAKE_VULKAN_FAIL fails and the
// one named by FAKE_VULKAN_MISSING is missing.
#define VK_NO_PROTOTYPES
#include <cstdlib>
#include <cstring>
#include <vulkan/vulkan_core.h>

static bool named(const char *variable, const char *function) {
  const char *value = getenv(variable);
  return value && strcmp(value, function) == 0;
}

static VkResult fails(const char *function) {
  return named("FAKE_VULKAN_FAIL", function) ? VK_ERROR_INITIALIZATION_FAILED : VK_SUCCESS;
}

static VkResult enumerateVersion(uint32_t *version) {
  *version = VK_API_VERSION_1_3;
  return fails("vkEnumerateInstanceVersion");
}

static VkResult createInstance(const VkInstanceCreateInfo *, const VkAllocationCallbacks *,
                               VkInstance *instance) {
  static int made;
  *instance = reinterpret_cast<VkInstance>(&made);
  return fails("vkCreateInstance");
}

static VkResult enumerateDevices(VkInstance, uint32_t *count, VkPhysicalDevice *) {
  *count = 0;
  return fails("vkEnumeratePhysicalDevices");
}

/// Stands for everything that is not called.
static VkResult other() { return VK_ERROR_INITIALIZATION_FAILED; }

extern "C" __attribute__((visibility("default"))) PFN_vkVoidFunction
vkGetInstanceProcAddr(VkInstance, const char *name) {
  if (named("FAKE_VULKAN_MISSING", name))
    return nullptr;
  if (strcmp(name, "vkEnumerateInstanceVersion") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(enumerateVersion);
  if (strcmp(name, "vkCreateInstance") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(createInstance);
  if (strcmp(name, "vkEnumeratePhysicalDevices") == 0)
    return reinterpret_cast<PFN_vkVoidFunction>(enumerateDevices);
  return reinterpret_cast<PFN_vkVoidFunction>(other);
}
