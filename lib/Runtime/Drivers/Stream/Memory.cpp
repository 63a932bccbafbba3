// Memory of a device, from the pool. Host memory and files are copied by the core: kernels that
// read weights over the bus would be slower than the copy.
#include "Stream.h"

using namespace tw::runtime;
using namespace tw::runtime::stream;

/// A slab from the driver; when there is no memory, once more without the empty one of the pool.
static TwrtCode getSlab(Device &device, uint64_t bytes, uint64_t *address, TwrtError *error) {
  TwrtCode code = invoke(device, device.api.allocate, error, address, size_t(bytes));
  if (code != TWRT_OUT_OF_MEMORY)
    return code;
  for (Slab *slab = device.pool.first(); slab; slab = slab->next)
    if (!slab->first->used && !slab->first->next) {
      device.api.free.function(slab->address);
      device.pool.forget(slab);
      return invoke(device, device.api.allocate, error, address, size_t(bytes));
    }
  return code;
}

static TwrtCode place(Device &device, uint64_t rounded, Block **block, TwrtError *error) {
  bool shared = Pool::sharesSlab(rounded);
  if (shared && (*block = device.pool.place(rounded)))
    return TWRT_OK;
  uint64_t address = 0, bytes = shared ? Pool::slabBytes : rounded;
  TWRT_TRY(getSlab(device, bytes, &address, error));
  Slab *slab = device.pool.addSlab(address, bytes, shared);
  *block = !slab ? nullptr : shared ? device.pool.place(rounded) : device.pool.takeWhole(slab);
  if (*block)
    return TWRT_OK;
  if (slab)
    device.pool.forget(slab);
  device.api.free.function(address);
  return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for a block");
}

static void giveBack(Device &device, Block *block) {
  if (Slab *slab = device.pool.release(block)) {
    device.api.free.function(slab->address);
    device.pool.forget(slab);
  }
}

TwrtCode stream::allocate(void *handle, uint64_t bytes, DriverMemory *memory, TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  uint64_t rounded = Pool::roundUp(bytes);
  if (rounded == 0)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory");
  Memory *made = create<Memory>(device.allocator);
  if (!made)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory");
  std::lock_guard lock(device.mutex);
  Current current(device);
  TwrtCode code = current.check(error);
  if (code == TWRT_OK)
    code = place(device, rounded, &made->block, error);
  if (code != TWRT_OK) {
    destroy(device.allocator, made);
    return code;
  }
  made->kind = device.api.handles;
  made->address = made->block->slab->address + made->block->offset;
  *memory = {made, nullptr, bytes};
  return TWRT_OK;
}

void stream::freeMemory(void *handle, DriverMemory *memory) {
  Device &device = *static_cast<Device *>(handle);
  Memory *made = static_cast<Memory *>(memory->handle);
  std::lock_guard lock(device.mutex);
  // Where it cannot be waited for, the block stays taken until the device is closed.
  if (Current current(device); current) {
    drain(device);
    if (made->block)
      giveBack(device, made->block);
  }
  destroy(device.allocator, made);
}

TwrtCode stream::importMemory(void *, void *, uint64_t, DriverMemory *, TwrtError *error) {
  return fail(error, TWRT_UNSUPPORTED, "the device does not use host memory in place");
}

TwrtCode stream::mapFile(void *, int, uint64_t, uint64_t, DriverMemory *, TwrtError *error) {
  return fail(error, TWRT_UNSUPPORTED, "the device does not use files in place");
}

void stream::memoryHandle(const DriverMemory &memory, TwrtHandle &handle) {
  const Memory &made = *static_cast<const Memory *>(memory.handle);
  handle.kind = made.kind;
  handle.value = made.address;
}

TwrtCode stream::importHandle(void *handle, const TwrtHandle &given, uint64_t bytes,
                              DriverMemory *memory, TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  TwrtCode code = checkHandle(given, device.api.handles, "memory of the device", error);
  if (code != TWRT_OK)
    return code;
  // Kernels expect what allocations have.
  if ((given.value + given.offset) % Pool::alignment != 0)
    return fail(error, TWRT_INVALID_ARGUMENT,
                "the memory begins %u bytes behind a multiple of %u; import from one on, and give "
                "tensors offsets",
                unsigned((given.value + given.offset) % Pool::alignment),
                unsigned(Pool::alignment));
  Memory *made = create<Memory>(device.allocator);
  if (!made)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory");
  made->kind = given.kind;
  made->address = given.value + given.offset;
  *memory = {made, nullptr, bytes};
  return TWRT_OK;
}
