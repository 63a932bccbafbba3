// Memory of OpenCL devices. CPUs use the host's memory in place where its alignment allows it.
#include "OpenCL.h"
#include "tw/Format/Checked.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <sys/mman.h>
#include <unistd.h>

using namespace tw::runtime;
using namespace tw::runtime::opencl;

/// Makes a buffer, of at least a few bytes because OpenCL has none of 0.
static TwrtCode makeBuffer(Device &device, cl_mem_flags flags, uint64_t bytes, void *host,
                           Memory **memory, TwrtError *error) {
  Memory *made = create<Memory>(device.allocator);
  if (!made)
    return failMemory(error, "a buffer");
  cl_int status = CL_SUCCESS;
  made->buffer =
      cl().clCreateBuffer(device.context, flags, std::max<uint64_t>(bytes, 16), host, &status);
  if (TwrtCode code = check(status, "clCreateBuffer", error); code != TWRT_OK) {
    destroy(device.allocator, made);
    return code;
  }
  *memory = made;
  return TWRT_OK;
}

TwrtCode opencl::allocate(void *handle, uint64_t bytes, DriverMemory *memory, TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  Memory *made = nullptr;
  TWRT_TRY(makeBuffer(device, CL_MEM_READ_WRITE, bytes, nullptr, &made, error));
  *memory = {made, nullptr, bytes};
  return TWRT_OK;
}

/// Only a CPU can be trusted to use the memory itself and no copy of it.
static bool usesHostMemory(const Device &device, uint64_t bytes) {
  return device.record->type & CL_DEVICE_TYPE_CPU && bytes >= 16 &&
         bytes <= device.record->maxAllocation;
}

TwrtCode opencl::importMemory(void *handle, void *data, uint64_t bytes, DriverMemory *memory,
                              TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  if (!usesHostMemory(device, bytes) ||
      reinterpret_cast<uintptr_t>(data) % device.record->baseAlignment != 0)
    return fail(error, TWRT_UNSUPPORTED, "the device uses no host memory, or none so aligned");
  Memory *made = nullptr;
  TWRT_TRY(makeBuffer(device, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, data, &made, error));
  made->imported = true;
  *memory = {made, data, bytes};
  return TWRT_OK;
}

TwrtCode opencl::mapFile(void *handle, int file, uint64_t offset, uint64_t bytes,
                         DriverMemory *memory, TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  uint64_t skip = offset % uint64_t(sysconf(_SC_PAGESIZE));
  if (!usesHostMemory(device, bytes + skip))
    return fail(error, TWRT_UNSUPPORTED, "the device uses no host memory");
  void *mapping = mmap(nullptr, bytes + skip, PROT_READ, MAP_PRIVATE, file, off_t(offset - skip));
  if (mapping == MAP_FAILED)
    return failSystem(error, "mmap", errno, "cannot map a file");
  Memory *made = nullptr;
  if (TwrtCode code = makeBuffer(device, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes + skip,
                                 mapping, &made, error);
      code != TWRT_OK) {
    munmap(mapping, bytes + skip);
    return code;
  }
  made->imported = true;
  made->skip = skip;
  made->mapping = mapping;
  made->mappedBytes = bytes + skip;
  *memory = {made, static_cast<uint8_t *>(mapping) + skip, bytes};
  return TWRT_OK;
}

/// OpenCL keeps buffers alive for the work that uses them, but not the host's memory behind them.
void opencl::freeMemory(void *handle, DriverMemory *memory) {
  Device &device = *static_cast<Device *>(handle);
  Memory *made = static_cast<Memory *>(memory->handle);
  if (made->imported) {
    std::lock_guard lock(device.mutex);
    for (Queue *queue = device.queues; queue; queue = queue->next)
      cl().clFinish(queue->handle);
  }
  cl().clReleaseMemObject(made->buffer);
  if (made->mapping)
    munmap(made->mapping, made->mappedBytes);
  destroy(device.allocator, made);
}

void opencl::deviceHandle(const void *handle, TwrtHandle &made) {
  made.kind = TWRT_HANDLE_OPENCL;
  made.value = reinterpret_cast<uintptr_t>(static_cast<const Device *>(handle)->context);
}

void opencl::memoryHandle(const DriverMemory &memory, TwrtHandle &handle) {
  const Memory &made = *static_cast<const Memory *>(memory.handle);
  handle.kind = TWRT_HANDLE_OPENCL;
  handle.value = reinterpret_cast<uintptr_t>(made.buffer);
  handle.offset = made.skip;
}

TwrtCode opencl::importHandle(void *handle, const TwrtHandle &given, uint64_t bytes,
                              DriverMemory *memory, TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  if (TwrtCode code = checkHandle(given, TWRT_HANDLE_OPENCL, "a memory object", error);
      code != TWRT_OK)
    return code;
  cl_mem buffer = reinterpret_cast<cl_mem>(given.value);
  cl_context context = nullptr;
  size_t size = 0;
  TW_CL(clGetMemObjectInfo, buffer, CL_MEM_CONTEXT, sizeof(context), &context, nullptr);
  TW_CL(clGetMemObjectInfo, buffer, CL_MEM_SIZE, sizeof(size), &size, nullptr);
  if (context != device.context)
    return fail(error, TWRT_INVALID_ARGUMENT,
                "the memory object is of another context than the device (twrtDeviceHandle)");
  if (!format::rangeWithin(given.offset, bytes, size))
    return fail(error, TWRT_INVALID_ARGUMENT,
                "%" PRIu64 " bytes at offset %" PRIu64 " of a memory object of %zu bytes", bytes,
                given.offset, size);
  if (given.offset % device.record->baseAlignment != 0)
    return fail(error, TWRT_INVALID_ARGUMENT,
                "offset %" PRIu64 " of a memory object, expected a multiple of %u", given.offset,
                device.record->baseAlignment);
  Memory *made = create<Memory>(device.allocator);
  if (!made)
    return failMemory(error, "a buffer");
  if (TwrtCode code = check(cl().clRetainMemObject(buffer), "clRetainMemObject", error);
      code != TWRT_OK) {
    destroy(device.allocator, made);
    return code;
  }
  made->buffer = buffer;
  made->skip = given.offset;
  *memory = {made, nullptr, bytes};
  return TWRT_OK;
}
