// The structs of DLPack 1.x, by which libraries lend each other arrays (dmlc/dlpack, dlpack.h): the
// layout is fixed by that specification.
#pragma once

#include <cstdint>

namespace tw::python::dlpack {

struct Version {
  uint32_t major, minor;
};

struct Device {
  int32_t type, id;
};
inline constexpr int32_t cpu = 1;

struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};

/// `strides` are in elements; NULL: dense and row-major.
struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType type;
  int64_t *dims, *strides;
  uint64_t offset;
};

/// Of a capsule called "dltensor"; who takes it calls `release` and renames it "used_dltensor".
struct Managed {
  Tensor tensor;
  void *context;
  void (*release)(Managed *self);
};

inline constexpr uint64_t readOnly = 1, isCopied = 2;

/// Of a capsule called "dltensor_versioned".
struct ManagedVersioned {
  Version version;
  void *context;
  void (*release)(ManagedVersioned *self);
  uint64_t flags;
  Tensor tensor;
};

/// What a type offers as `__dlpack_c_exchange_api__`, a capsule called "dlpack_exchange_api". The
/// functions return 0, or -1 with a Python error set. Members behind these are not used.
struct ExchangeApi {
  Version version;
  ExchangeApi *previous;
  int (*allocate)(Tensor *prototype, ManagedVersioned **result, void *context,
                  void (*setError)(void *context, const char *kind, const char *message));
  int (*fromObject)(void *object, ManagedVersioned **result);
  int (*toObject)(ManagedVersioned *tensor, void **result);
  int (*borrow)(void *object, Tensor *result);
  int (*currentStream)(int32_t deviceType, int32_t deviceId, void **result);
};

} // namespace tw::python::dlpack
