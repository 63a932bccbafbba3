// Memory of a device that the runtime owns, and the Python class of a dense tensor in it.
#pragma once

#include "Elements.h"
#include "Runtime.h"

#include <mutex>
#include <vector>

namespace tw::python {

inline constexpr size_t maxRank = 32;

/// Buffers of one size that a model has made for a result and nobody holds any more. Any thread, no
/// GIL needed.
class Pool {
public:
  ~Pool();
  TwrtBuffer *take(uint64_t bytes);
  /// False if it is full: the buffer stays the caller's.
  bool put(TwrtBuffer *buffer);

private:
  static constexpr size_t mostBuffers = 4;
  std::mutex lock;
  uint64_t generation = getGeneration();
  std::vector<TwrtBuffer *> buffers;
};

/// A buffer of the runtime, which goes back to its pool when the last reference to this goes.
struct Memory {
  TwrtBuffer *buffer = nullptr;
  std::shared_ptr<Device> device;
  std::shared_ptr<Pool> pool; ///< or NULL

  Memory(TwrtBuffer *buffer, std::shared_ptr<Device> device, std::shared_ptr<Pool> pool = nullptr)
      : buffer(buffer), device(std::move(device)), pool(std::move(pool)) {}
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory();

  /// NULL where the host cannot reach it.
  void *data() const { return twrtBufferData(buffer); }
};

/// A dense row-major tensor in the memory of a device; tensorwright.Buffer in Python.
struct Buffer {
  std::shared_ptr<Memory> memory;
  uint64_t offset = 0;
  uint32_t element = TWRT_F32;
  std::vector<int64_t> dims;

  uint64_t bytes() const;
  /// NULL where the host cannot reach it.
  uint8_t *data() const;
};

/// Bytes of a dense tensor; raises if they overflow or its elements are smaller than a byte.
uint64_t countBytes(uint32_t element, const std::vector<int64_t> &dims);
/// Memory of a device with undefined contents. Raises.
std::shared_ptr<Memory> makeMemory(const std::shared_ptr<Device> &device, uint64_t bytes);
/// `buffer`, or a copy of it in the host's memory where that cannot reach it. Raises.
Buffer toHost(const Buffer &buffer);
/// The elements of `buffer` that a tensor of `dims` has, at the same coordinates: in the same
/// memory where they are its first ones, else a copy on the same device. Raises.
Buffer takePart(const Buffer &buffer, const std::vector<int64_t> &dims);
/// A Python object for it.
nb::object wrap(Buffer &&buffer);
/// The Buffer that an object is, or NULL.
Buffer *asBuffer(nb::handle object);
/// An array of numpy in the same memory, which it keeps. `shape` and `dtype` may be known already.
nb::object makeNumpy(const Buffer &buffer, nb::handle shape = {}, nb::handle dtype = {});
/// numpy's dtype object, which for small floats is that of ml_dtypes.
nb::object makeDtype(uint32_t element);
/// Of an iterable of ints, or one int.
std::vector<int64_t> readShape(nb::handle shape);
nb::tuple makeShape(const std::vector<int64_t> &dims);
/// In the same memory, which `release` of the result lets go. The device must be the host.
dlpack::ManagedVersioned *makeManaged(const Buffer &buffer);

} // namespace tw::python
