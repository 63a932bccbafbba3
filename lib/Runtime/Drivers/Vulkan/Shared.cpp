// Memory and queues that others know too: of the host, of programs with the same VkDevice, of other
// devices and processes by file descriptors.
#include "Vulkan.h"
#include "tw/Format/Checked.h"

#include <cinttypes>
#include <fcntl.h>
#include <unistd.h>

using namespace tw::runtime;
using namespace tw::runtime::vulkan;

/// A type that the host sees and that needs no flushing, of those whose bits are set; -1 for none.
static int findCoherent(const Device &device, uint32_t types) {
  constexpr VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceMemoryProperties memory = {};
  vk().vkGetPhysicalDeviceMemoryProperties(device.record->handle, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if (types >> i & 1 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted)
      return int(i);
  return -1;
}

/// Memory that a driver refuses, as that of files is by some, may be copied; other failures are
/// such.
static TwrtCode failImport(TwrtCode code, const TwrtError &reason, TwrtError *error) {
  bool isRefused = reason.driverCode == VK_ERROR_INVALID_EXTERNAL_HANDLE;
  return failCall(error, isRefused ? TWRT_UNSUPPORTED : code, reason.call, reason.driverCode,
                  "%s%s", isRefused ? "the device cannot use this memory of the host's: " : "",
                  reason.message);
}

/// Whole pages around the bytes. A device whose own memory the host does not see reads such memory
/// over its bus, and gets copies instead.
TwrtCode vulkan::importMemory(void *handle, void *data, uint64_t bytes, DriverMemory *memory,
                              TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  const DeviceRecord &record = *device.record;
  if (!record.takesHost || !record.hostVisible)
    return fail(error, TWRT_UNSUPPORTED, "the device uses no memory of the host's%s",
                record.takesHost ? "" : ": it has no VK_EXT_external_memory_host");
  uint64_t address = reinterpret_cast<uintptr_t>(data), unit = record.hostAlignment;
  uint64_t begin = address / unit * unit, end = (address + bytes + unit - 1) / unit * unit;
  if (bytes == 0 || (address - begin) % record.offsetAlignment != 0)
    return fail(error, TWRT_UNSUPPORTED,
                "the device uses memory of the host's from multiples of %u bytes on",
                record.offsetAlignment);
  constexpr auto type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  void *pages = reinterpret_cast<void *>(uintptr_t(begin));
  VkMemoryHostPointerPropertiesEXT found = {};
  found.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  TwrtCode code =
      check(vk().vkGetMemoryHostPointerPropertiesEXT(device.handle, type, pages, &found),
            "vkGetMemoryHostPointerPropertiesEXT", &reason);
  if (code != TWRT_OK)
    return failImport(code, reason, error);
  int memoryType = findCoherent(device, found.memoryTypeBits);
  if (memoryType < 0)
    return fail(error, TWRT_UNSUPPORTED,
                "the device has no coherent memory for this memory of the host's");
  VkImportMemoryHostPointerInfoEXT info = {};
  info.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  info.handleType = type;
  info.pHostPointer = pages;
  return makeHandle(device, bytes, memory, error, [&](Memory &made) {
    if (TwrtCode failed = makeMemory(device, bytes, uint32_t(memoryType), /*mapped=*/false, made,
                                     &reason, {type, &info, end - begin});
        failed != TWRT_OK)
      return failImport(failed, reason, error);
    made.host = static_cast<uint8_t *>(data);
    made.skip = address - begin;
    return TWRT_OK;
  });
}

void vulkan::deviceHandle(const void *handle, TwrtHandle &made) {
  made.kind = TWRT_HANDLE_VULKAN;
  made.value = reinterpret_cast<uintptr_t>(static_cast<const Device *>(handle)->handle);
}

void vulkan::queueHandle(void *handle, TwrtHandle &made) {
  made.kind = TWRT_HANDLE_VULKAN;
  made.value = reinterpret_cast<uintptr_t>(static_cast<const Queue *>(handle)->device->queue);
}

void vulkan::memoryHandle(const DriverMemory &memory, TwrtHandle &handle) {
  const Memory &made = *static_cast<const Memory *>(memory.handle);
  handle.kind = TWRT_HANDLE_VULKAN;
  handle.value = reinterpret_cast<uintptr_t>(made.buffer);
  handle.offset = made.skip;
}

static TwrtCode checkFiles(const Device &device, TwrtError *error) {
  return device.record->hasFiles ? TWRT_OK
                                 : fail(error, TWRT_UNSUPPORTED,
                                        "memory of the device has no file descriptors: it has no "
                                        "VK_KHR_external_memory_fd");
}

TwrtCode vulkan::allocateShared(void *handle, uint64_t bytes, DriverMemory *memory,
                                TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  const DeviceRecord &record = *device.record;
  TWRT_TRY(checkFiles(device, error));
  VkExportMemoryAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  info.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  return makeHandle(device, bytes, memory, error, [&](Memory &made) {
    return makeMemory(device, bytes, record.deviceType, record.hostVisible, made, error,
                      {VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, &info});
  });
}

TwrtCode vulkan::memoryExport(void *handle, const DriverMemory &memory, TwrtHandle &made,
                              TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  TWRT_TRY(checkFiles(device, error));
  VkMemoryGetFdInfoKHR info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
  info.memory = static_cast<const Memory *>(memory.handle)->memory;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int file = -1;
  TW_VK(vkGetMemoryFdKHR, device.handle, &info, &file);
  made.kind = TWRT_HANDLE_FILE;
  made.value = uint64_t(file);
  return TWRT_OK;
}

/// The descriptor stays the caller's; Vulkan takes a copy of it.
static TwrtCode importFile(Device &device, const TwrtHandle &given, uint64_t bytes,
                           DriverMemory *memory, TwrtError *error) {
  const DeviceRecord &record = *device.record;
  TWRT_TRY(checkFiles(device, error));
  if (given.value > INT32_MAX || fcntl(int(given.value), F_GETFD) < 0 || given.offset != 0)
    return fail(error, TWRT_INVALID_ARGUMENT,
                "expected an open file descriptor of memory and offset 0, found %" PRIu64
                " and %" PRIu64,
                given.value, given.offset);
  int copy = fcntl(int(given.value), F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    return fail(error, TWRT_DRIVER_ERROR, "the file descriptor cannot be copied");
  VkImportMemoryFdInfoKHR info = {};
  info.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  info.fd = copy;
  TwrtCode code = makeHandle(device, bytes, memory, error, [&](Memory &made) {
    return makeMemory(device, bytes, record.deviceType, record.hostVisible, made, error,
                      {VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT, &info});
  });
  if (code != TWRT_OK)
    close(copy);
  return code;
}

TwrtCode vulkan::importHandle(void *handle, const TwrtHandle &given, uint64_t bytes,
                              DriverMemory *memory, TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  const DeviceRecord &record = *device.record;
  if (bytes > record.maxRange)
    return fail(error, TWRT_OUT_OF_MEMORY,
                "a buffer of %" PRIu64 " bytes is larger than the "
                "device allows",
                bytes);
  if (given.kind == TWRT_HANDLE_FILE)
    return importFile(device, given, bytes, memory, error);
  TWRT_TRY(checkHandle(given, TWRT_HANDLE_VULKAN, "a buffer", error));
  VkBuffer buffer = reinterpret_cast<VkBuffer>(uintptr_t(given.value));
  VkMemoryRequirements needs = {};
  vk().vkGetBufferMemoryRequirements(device.handle, buffer, &needs);
  if (!format::rangeWithin(given.offset, bytes, needs.size))
    return fail(error, TWRT_INVALID_ARGUMENT,
                "%" PRIu64 " bytes at offset %" PRIu64 " of a buffer of %" PRIu64 " bytes", bytes,
                given.offset, uint64_t(needs.size));
  if (given.offset % record.offsetAlignment != 0)
    return fail(error, TWRT_INVALID_ARGUMENT,
                "offset %" PRIu64 " of a buffer, expected a multiple of %u", given.offset,
                record.offsetAlignment);
  return makeHandle(device, bytes, memory, error, [&](Memory &made) {
    made.buffer = buffer;
    made.bytes = bytes;
    made.skip = given.offset;
    made.isBorrowed = true;
    return TWRT_OK;
  });
}

/// The device has one queue, so that it can only be this one.
TwrtCode vulkan::queueImport(void *handle, const TwrtHandle &given, void **queue,
                             TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  TWRT_TRY(checkHandle(given, TWRT_HANDLE_VULKAN, "a queue", error));
  if (reinterpret_cast<VkQueue>(uintptr_t(given.value)) != device.queue)
    return fail(error, TWRT_INVALID_ARGUMENT,
                "expected the queue of the device (twrtQueueHandle), of which it has one");
  TWRT_TRY(queueCreate(handle, queue, error));
  static_cast<Queue *>(*queue)->isShared = true;
  return TWRT_OK;
}
