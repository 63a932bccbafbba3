// Opens libvulkan and makes the instance.
#include "Library.h"
#include "Devices.h"
#include "Object.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <mutex>

using namespace tw::runtime;
using namespace tw::runtime::vulkan;

const char *vulkan::resultName(VkResult result) {
  switch (result) {
#define TW_NAME(name)                                                                              \
  case name:                                                                                       \
    return #name;
    TW_NAME(VK_NOT_READY)
    TW_NAME(VK_TIMEOUT)
    TW_NAME(VK_INCOMPLETE)
    TW_NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
    TW_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    TW_NAME(VK_ERROR_INITIALIZATION_FAILED)
    TW_NAME(VK_ERROR_DEVICE_LOST)
    TW_NAME(VK_ERROR_MEMORY_MAP_FAILED)
    TW_NAME(VK_ERROR_LAYER_NOT_PRESENT)
    TW_NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
    TW_NAME(VK_ERROR_FEATURE_NOT_PRESENT)
    TW_NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
    TW_NAME(VK_ERROR_TOO_MANY_OBJECTS)
    TW_NAME(VK_ERROR_FRAGMENTED_POOL)
    TW_NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
    TW_NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE)
    TW_NAME(VK_ERROR_UNKNOWN)
#undef TW_NAME
  default:
    return "an unknown error";
  }
}

TwrtCode vulkan::check(VkResult result, const char *call, TwrtError *error) {
  Library &all = library();
  if (all.complained.load(std::memory_order_acquire))
    return failCall(error, TWRT_DRIVER_ERROR, call, 0, "validation: %s", all.complaint);
  if (result == VK_SUCCESS)
    return TWRT_OK;
  TwrtCode code = TWRT_DRIVER_ERROR;
  if (result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY)
    code = TWRT_OUT_OF_MEMORY;
  if (result == VK_ERROR_DEVICE_LOST)
    code = TWRT_DEVICE_LOST;
  return failCall(error, code, call, result, "%s failed: %s (%d)", call, resultName(result),
                  int(result));
}

/// The layer's messages arrive inside of calls; the first one is kept.
static VKAPI_ATTR VkBool32 VKAPI_CALL complain(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                               VkDebugUtilsMessageTypeFlagsEXT,
                                               const VkDebugUtilsMessengerCallbackDataEXT *data,
                                               void *user) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  Library &all = *static_cast<Library *>(user);
  if (!all.complained) {
    snprintf(all.complaint, sizeof(all.complaint), "%s", data->pMessage ? data->pMessage : "?");
    all.complained.store(true, std::memory_order_release);
  }
  return VK_FALSE;
}

static constexpr char validationLayer[] = "VK_LAYER_KHRONOS_validation";

static bool wantsValidation() {
  const char *value = getenv("TENSORWRIGHT_VULKAN_VALIDATION");
  return value && strcmp(value, "1") == 0;
}

static TwrtCode findLayer(const Functions &call, TwrtError *error) {
  VkLayerProperties layers[64];
  uint32_t count = std::size(layers);
  VkResult result = call.vkEnumerateInstanceLayerProperties(&count, layers);
  if (result != VK_SUCCESS && result != VK_INCOMPLETE)
    return failCall(error, TWRT_DRIVER_ERROR, "vkEnumerateInstanceLayerProperties", result,
                    "vkEnumerateInstanceLayerProperties failed: %s", resultName(result));
  for (uint32_t i = 0; i < count; ++i)
    if (strcmp(layers[i].layerName, validationLayer) == 0)
      return TWRT_OK;
  return fail(error, TWRT_NOT_FOUND,
              "TENSORWRIGHT_VULKAN_VALIDATION is set, and there is no layer %s (Debian: "
              "vulkan-validationlayers)",
              validationLayer);
}

static TwrtCode createInstance(Library &all, TwrtError *error) {
  uint32_t version = VK_API_VERSION_1_0;
  VkResult result = all.call.vkEnumerateInstanceVersion(&version);
  if (result != VK_SUCCESS)
    return failCall(error, TWRT_DRIVER_ERROR, "vkEnumerateInstanceVersion", result,
                    "vkEnumerateInstanceVersion failed: %s", resultName(result));
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pEngineName = "tensorwright";
  application.apiVersion = std::min(version, uint32_t(VK_API_VERSION_1_3));
  VkDebugUtilsMessengerCreateInfoEXT messenger = {};
  messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                              VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = complain;
  messenger.pUserData = &all;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  const char *layer = validationLayer, *extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  bool validation = wantsValidation();
  if (validation) {
    TWRT_TRY(findLayer(all.call, error));
    info.enabledLayerCount = info.enabledExtensionCount = 1;
    info.ppEnabledLayerNames = &layer;
    info.ppEnabledExtensionNames = &extension;
  }
  result = all.call.vkCreateInstance(&info, nullptr, &all.instance);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return failCall(error, TWRT_NOT_FOUND, "vkCreateInstance", result,
                    "no Vulkan driver (ICD) is installed or can be loaded");
  if (result != VK_SUCCESS)
    return failCall(error, TWRT_DRIVER_ERROR, "vkCreateInstance", result,
                    "vkCreateInstance failed: %s (%d)", resultName(result), int(result));
  return TWRT_OK;
}

static TwrtCode watchMessages(Library &all, PFN_vkGetInstanceProcAddr find, TwrtError *error) {
  auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      find(all.instance, "vkCreateDebugUtilsMessengerEXT"));
  VkDebugUtilsMessengerCreateInfoEXT info = {};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = complain;
  info.pUserData = &all;
  VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
  VkResult result =
      create ? create(all.instance, &info, nullptr, &messenger) : VK_ERROR_EXTENSION_NOT_PRESENT;
  if (result != VK_SUCCESS)
    return failCall(error, TWRT_DRIVER_ERROR, "vkCreateDebugUtilsMessengerEXT", result,
                    "vkCreateDebugUtilsMessengerEXT failed: %s (%d)", resultName(result),
                    int(result));
  return TWRT_OK;
}

static TwrtCode openLibrary(Library &all, TwrtError *error) {
  const char *name = "libvulkan.so.1";
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return failCall(error, TWRT_NOT_FOUND, "dlopen", 0,
                    "%.300s; Vulkan's loader is needed (Debian: libvulkan1)", dlerror());
  auto find = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(handle, "vkGetInstanceProcAddr"));
  if (!find)
    return failCall(error, TWRT_UNSUPPORTED, "dlsym", 0, "%s has no vkGetInstanceProcAddr", name);
#define TW_FIND(function)                                                                          \
  all.call.function = reinterpret_cast<PFN_##function>(find(all.instance, #function));             \
  if (!all.call.function)                                                                          \
    return failCall(error, TWRT_UNSUPPORTED, "vkGetInstanceProcAddr", 0,                           \
                    "%s has no %s: Vulkan 1.2 is needed", name, #function);
  TW_VULKAN_GLOBAL_FUNCTIONS(TW_FIND)
  TWRT_TRY(createInstance(all, error));
  TW_VULKAN_FUNCTIONS(TW_FIND)
#undef TW_FIND
#define TW_FIND(function)                                                                          \
  all.call.function = reinterpret_cast<PFN_##function>(find(all.instance, #function));
  TW_VULKAN_EXTENSION_FUNCTIONS(TW_FIND)
#undef TW_FIND
  if (wantsValidation())
    TWRT_TRY(watchMessages(all, find, error));
  return listDevices(all, error);
}

Library &vulkan::library() {
  static Library *made = [] {
    static Library storage;
    if (openLibrary(storage, &storage.status) == TWRT_OK)
      storage.status.code = TWRT_OK;
    return &storage;
  }();
  return *made;
}
