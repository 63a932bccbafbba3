// A libvulkan.so.1 without devices, of which the function named by FAKE_VULKAN_FAIL fails and the
// one named by FAKE_VULKAN_MISSING is missing.
#include <cstdlib>
#include <cstring>

static constexpr int initializationFailed = -3;

static bool named(const char *variable, const char *function) {
  const char *value = getenv(variable);
  return value && strcmp(value, function) == 0;
}

static int fails(const char *function) {
  return named("FAKE_VULKAN_FAIL", function) ? initializationFailed : 0;
}

static int enumerateVersion(unsigned *version) {
  *version = 1u << 22 | 3u << 12;
  return fails("vkEnumerateInstanceVersion");
}

static int createInstance(const void *, const void *, void **instance) {
  static int made;
  *instance = &made;
  return fails("vkCreateInstance");
}

static int enumerateDevices(void *, unsigned *count, void *) {
  *count = 0;
  return fails("vkEnumeratePhysicalDevices");
}

/// Stands for everything that is not called.
static int other() { return initializationFailed; }

extern "C" __attribute__((visibility("default"))) void *vkGetInstanceProcAddr(void *,
                                                                              const char *name) {
  if (named("FAKE_VULKAN_MISSING", name))
    return nullptr;
  if (strcmp(name, "vkEnumerateInstanceVersion") == 0)
    return reinterpret_cast<void *>(enumerateVersion);
  if (strcmp(name, "vkCreateInstance") == 0)
    return reinterpret_cast<void *>(createInstance);
  if (strcmp(name, "vkEnumeratePhysicalDevices") == 0)
    return reinterpret_cast<void *>(enumerateDevices);
  return reinterpret_cast<void *>(other);
}
