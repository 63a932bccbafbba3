// Memory of Vulkan devices: a buffer each, mapped where the host may see it.
#include "Vulkan.h"

using namespace tw::runtime;
using namespace tw::runtime::vulkan;

static std::atomic<bool> stagingForced{false};

void vulkan::forceStaging(bool force) { stagingForced = force; }

bool vulkan::usesStaging(const Device &device) {
  return stagingForced || !device.record->hostVisible;
}

void vulkan::destroyMemory(Device &device, Memory &memory) {
  if (memory.buffer && !memory.isBorrowed)
    vk().vkDestroyBuffer(device.handle, memory.buffer, nullptr);
  if (memory.memory)
    vk().vkFreeMemory(device.handle, memory.memory, nullptr);
  memory = {};
}

static TwrtCode fillMemory(Device &device, uint64_t bytes, uint32_t memoryType, bool mapped,
                           Memory &memory, TwrtError *error, const MemorySource &source) {
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  // Ranges that are bound are at least 4 bytes long, and rounded up to 4.
  info.size = source.length ? source.length : (bytes + 15) / 16 * 16 + 16;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
               VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  VkExternalMemoryBufferCreateInfo external = {};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = source.type;
  if (source.type)
    info.pNext = &external;
  TW_VK(vkCreateBuffer, device.handle, &info, nullptr, &memory.buffer);
  VkMemoryRequirements needs = {};
  vk().vkGetBufferMemoryRequirements(device.handle, memory.buffer, &needs);
  if (!(needs.memoryTypeBits >> memoryType & 1))
    return failCall(error, TWRT_UNSUPPORTED, "vkGetBufferMemoryRequirements", 0,
                    "buffers cannot live in memory type %u", memoryType);
  if (source.length && needs.size > source.length)
    return failCall(error, TWRT_UNSUPPORTED, "vkGetBufferMemoryRequirements", 0,
                    "a buffer of %llu bytes takes more memory than that",
                    static_cast<unsigned long long>(source.length));
  VkMemoryAllocateInfo allocation = {};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.pNext = source.next;
  allocation.allocationSize = source.length ? source.length : needs.size;
  allocation.memoryTypeIndex = memoryType;
  TW_VK(vkAllocateMemory, device.handle, &allocation, nullptr, &memory.memory);
  TW_VK(vkBindBufferMemory, device.handle, memory.buffer, memory.memory, 0);
  void *host = nullptr;
  if (mapped)
    TW_VK(vkMapMemory, device.handle, memory.memory, 0, VK_WHOLE_SIZE, 0, &host);
  memory.host = static_cast<uint8_t *>(host);
  memory.bytes = bytes;
  return TWRT_OK;
}

TwrtCode vulkan::makeMemory(Device &device, uint64_t bytes, uint32_t memoryType, bool mapped,
                            Memory &memory, TwrtError *error, const MemorySource &source) {
  TwrtCode code = fillMemory(device, bytes, memoryType, mapped, memory, error, source);
  if (code != TWRT_OK)
    destroyMemory(device, memory);
  return code;
}

TwrtCode vulkan::allocate(void *handle, uint64_t bytes, DriverMemory *memory, TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  const DeviceRecord &record = *device.record;
  return makeHandle(device, bytes, memory, error, [&](Memory &made) {
    return makeMemory(device, bytes, record.deviceType, record.hostVisible, made, error);
  });
}

TwrtCode vulkan::mapFile(void *, int, uint64_t, uint64_t, DriverMemory *, TwrtError *error) {
  return fail(error, TWRT_UNSUPPORTED, "the device maps no files");
}

/// Vulkan does not keep memory alive for the work that uses it. A lost device has no such work.
void vulkan::freeMemory(void *handle, DriverMemory *memory) {
  Device &device = *static_cast<Device *>(handle);
  {
    std::lock_guard lock(device.mutex);
    vk().vkQueueWaitIdle(device.queue);
  }
  Memory *made = static_cast<Memory *>(memory->handle);
  destroyMemory(device, *made);
  destroy(device.allocator, made);
}
