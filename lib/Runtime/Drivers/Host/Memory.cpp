// Memory of the host driver: allocated, lent by the caller, or mapped from a file.
#include "Host.h"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

using namespace tw::runtime;
using namespace tw::runtime::host;

static constexpr uint64_t hugePage = 2u << 20;

static uint64_t alignmentFor(uint64_t bytes) {
  return bytes >= 2 * hugePage ? hugePage : bytes >= 4096 ? 4096 : 64;
}

TwrtCode host::allocate(void *handle, uint64_t bytes, DriverMemory *memory, TwrtError *error) {
  HostDevice &device = *static_cast<HostDevice *>(handle);
  HostMemory *made = create<HostMemory>(device.allocator);
  void *data = made ? device.allocator.allocate(bytes, alignmentFor(bytes)) : nullptr;
  if (!data) {
    destroy(device.allocator, made);
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory");
  }
  if (bytes >= 2 * hugePage)
    madvise(data, bytes, MADV_HUGEPAGE);
  made->kind = HostMemory::Allocated;
  *memory = {made, data, bytes};
  return TWRT_OK;
}

/// One write a page, so that the first run does not pay for the faults.
void host::fetchPages(void *, const DriverMemory &memory) {
  for (uint64_t i = 0; i < memory.bytes; i += 4096)
    static_cast<volatile uint8_t *>(memory.host)[i] = 0;
}

TwrtCode host::importMemory(void *handle, void *data, uint64_t bytes, DriverMemory *memory,
                            TwrtError *error) {
  HostDevice &device = *static_cast<HostDevice *>(handle);
  HostMemory *made = create<HostMemory>(device.allocator);
  if (!made)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory");
  made->kind = HostMemory::Imported;
  *memory = {made, data, bytes};
  return TWRT_OK;
}

TwrtCode host::mapFile(void *handle, int file, uint64_t offset, uint64_t bytes,
                       DriverMemory *memory, TwrtError *error) {
  HostDevice &device = *static_cast<HostDevice *>(handle);
  uint64_t page = uint64_t(sysconf(_SC_PAGESIZE)), skip = offset % page;
  HostMemory *made = create<HostMemory>(device.allocator);
  if (!made)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory");
  made->kind = HostMemory::Mapped;
  if (bytes) {
    void *mapping = mmap(nullptr, bytes + skip, PROT_READ, MAP_PRIVATE, file, off_t(offset - skip));
    if (mapping == MAP_FAILED) {
      int number = errno;
      destroy(device.allocator, made);
      return failSystem(error, "mmap", number, "cannot map a file");
    }
    made->mapping = mapping;
    made->mappedBytes = bytes + skip;
  }
  *memory = {made, made->mapping ? static_cast<uint8_t *>(made->mapping) + skip : nullptr, bytes};
  return TWRT_OK;
}

void host::dropPages(void *, const PlanRange &range) {
  const HostMemory &memory = *static_cast<const HostMemory *>(range.memory->handle);
  if (memory.kind != HostMemory::Mapped)
    return;
  // Whole pages; the file has what was in them.
  uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));
  uintptr_t start = reinterpret_cast<uintptr_t>(range.memory->host) + range.offset;
  uintptr_t first = (start + page - 1) / page * page, last = (start + range.bytes) / page * page;
  if (first < last)
    madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

void host::freeMemory(void *handle, DriverMemory *memory) {
  HostDevice &device = *static_cast<HostDevice *>(handle);
  HostMemory *made = static_cast<HostMemory *>(memory->handle);
  if (made->kind == HostMemory::Allocated)
    device.allocator.release(memory->host, memory->bytes);
  if (made->mapping)
    munmap(made->mapping, made->mappedBytes);
  destroy(device.allocator, made);
}

void host::memoryHandle(const DriverMemory &memory, TwrtHandle &handle) {
  handle.kind = TWRT_HANDLE_HOST;
  handle.value = reinterpret_cast<uintptr_t>(memory.host);
}

TwrtCode host::importHandle(void *device, const TwrtHandle &handle, uint64_t bytes,
                            DriverMemory *memory, TwrtError *error) {
  if (TwrtCode code = checkHandle(handle, TWRT_HANDLE_HOST, "memory of the host", error);
      code != TWRT_OK)
    return code;
  return importMemory(device, reinterpret_cast<void *>(handle.value + handle.offset), bytes, memory,
                      error);
}
