// A fake libcuda.so.1: the calls of the CUDA driver API that the runtime makes.
#include "FakeLibrary.h"

#include <cstdlib>
#include <cstring>

using namespace tw::fake;

#define TW_FAKE extern "C" __attribute__((visibility("default")))

static std::vector<Device> defaultDevices() {
  Device hopper{"Fake GPU A", 90, "", 1u << 30};
  hopper.localBytesOptIn = 227 << 10;
  Device turing{"Fake GPU B", 75, "", 512u << 20};
  turing.localBytesOptIn = 64 << 10;
  return {hopper, turing};
}

static Library &library() {
  static Library made(false, defaultDevices());
  return made;
}

/// Begins a call that needs a current context.
#define BEGIN(context)                                                                             \
  Library &fake = library();                                                                       \
  Library::Call call(fake, __func__, context);                                                     \
  if (call.code != Success)                                                                        \
  return call.code

TW_FAKE int cuInit(unsigned) {
  BEGIN(false);
  return fake.init();
}
TW_FAKE int cuDriverGetVersion(int *version) {
  BEGIN(false);
  *version = 12040;
  return Success;
}
TW_FAKE int cuDeviceGetCount(int *count) {
  BEGIN(false);
  if (!fake.initialized)
    return NotInitialized;
  *count = fake.deviceCount();
  return Success;
}
TW_FAKE int cuDeviceGet(int *device, int ordinal) {
  BEGIN(false);
  if (!fake.find(ordinal))
    return InvalidDevice;
  *device = ordinal;
  return Success;
}
TW_FAKE int cuDeviceGetName(char *name, int length, int device) {
  BEGIN(false);
  const Device *found = fake.find(device);
  if (!found)
    return InvalidDevice;
  snprintf(name, size_t(length), "%s", found->name);
  return Success;
}
TW_FAKE int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  BEGIN(false);
  const Device *found = fake.find(device);
  if (!found)
    return InvalidDevice;
  *bytes = found->totalBytes;
  return Success;
}
TW_FAKE int cuDeviceGetAttribute(int *value, int attribute, int device) {
  BEGIN(false);
  const Device *found = fake.find(device);
  if (!found)
    return InvalidDevice;
  switch (attribute) {
  case 1: // max threads per block
    *value = found->maxThreads;
    return Success;
  case 5: // max grid x
    *value = found->maxGridX;
    return Success;
  case 8: // local memory per block
    *value = found->localBytes;
    return Success;
  case 10: // warp size
    *value = 32;
    return Success;
  case 16: // multiprocessors
    *value = 8;
    return Success;
  case 75: // major
    *value = found->capability / 10;
    return Success;
  case 76: // minor
    *value = found->capability % 10;
    return Success;
  case 97: // local memory per block, if asked for
    *value = found->localBytesOptIn;
    return Success;
  }
  fake.mistake("attribute %d, which the fake does not know", attribute);
  return InvalidValue;
}
TW_FAKE int cuGetErrorName(int code, const char **name) {
  static const std::map<int, const char *> names = {
      {1, "CUDA_ERROR_INVALID_VALUE"},     {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},       {200, "CUDA_ERROR_INVALID_IMAGE"},
      {201, "CUDA_ERROR_INVALID_CONTEXT"}, {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {218, "CUDA_ERROR_INVALID_PTX"},     {400, "CUDA_ERROR_INVALID_HANDLE"},
      {500, "CUDA_ERROR_NOT_FOUND"},       {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"},   {999, "CUDA_ERROR_UNKNOWN"}};
  auto found = names.find(code);
  if (found == names.end())
    return InvalidValue;
  *name = found->second;
  return Success;
}

TW_FAKE int cuDevicePrimaryCtxRetain(void **context, int device) {
  BEGIN(false);
  return fake.primaryRetain(context, device);
}
TW_FAKE int cuDevicePrimaryCtxRelease_v2(int device) {
  BEGIN(false);
  return fake.primaryRelease(device);
}
TW_FAKE int cuCtxPushCurrent_v2(void *context) {
  BEGIN(false);
  return fake.push(context);
}
TW_FAKE int cuCtxPopCurrent_v2(void **context) {
  BEGIN(false);
  return fake.pop(context);
}

TW_FAKE int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  BEGIN(true);
  return fake.allocate(call.device, address, bytes);
}
TW_FAKE int cuMemFree_v2(uint64_t address) {
  BEGIN(true);
  return fake.free(call.device, address);
}
TW_FAKE int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  BEGIN(true);
  return fake.allocatePinned(call.device, memory, bytes);
}
TW_FAKE int cuMemFreeHost(void *memory) {
  BEGIN(true);
  return fake.freePinned(call.device, memory);
}
TW_FAKE int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
  BEGIN(true);
  return fake.copyToDevice(call.device, to, from, bytes, stream);
}
TW_FAKE int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  BEGIN(true);
  return fake.copyToHost(call.device, to, from, bytes, stream);
}
TW_FAKE int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  BEGIN(true);
  return fake.copyOnDevice(call.device, to, from, bytes, stream);
}
TW_FAKE int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream) {
  BEGIN(true);
  return fake.set(call.device, to, value, 1, count, stream);
}
TW_FAKE int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream) {
  BEGIN(true);
  return fake.set(call.device, to, value, 2, count, stream);
}
TW_FAKE int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  BEGIN(true);
  return fake.set(call.device, to, value, 4, count, stream);
}

TW_FAKE int cuStreamCreate(void **stream, unsigned flags) {
  BEGIN(true);
  return fake.streamCreate(call.device, stream, flags);
}
TW_FAKE int cuStreamDestroy_v2(void *stream) {
  BEGIN(true);
  return fake.streamDestroy(call.device, stream);
}
TW_FAKE int cuStreamSynchronize(void *stream) {
  BEGIN(true);
  return fake.streamSynchronize(call.device, stream);
}
TW_FAKE int cuStreamWaitEvent(void *stream, void *event, unsigned) {
  BEGIN(true);
  return fake.streamWaitEvent(call.device, stream, event);
}
TW_FAKE int cuEventCreate(void **event, unsigned flags) {
  BEGIN(true);
  return fake.eventCreate(call.device, event, flags);
}
TW_FAKE int cuEventDestroy_v2(void *event) {
  BEGIN(true);
  return fake.eventDestroy(call.device, event);
}
TW_FAKE int cuEventRecord(void *event, void *stream) {
  BEGIN(true);
  return fake.eventRecord(call.device, event, stream);
}
TW_FAKE int cuEventQuery(void *event) {
  BEGIN(true);
  return fake.eventQuery(call.device, event);
}
TW_FAKE int cuEventSynchronize(void *event) {
  BEGIN(true);
  return fake.eventSynchronize(call.device, event);
}
TW_FAKE int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  BEGIN(true);
  return fake.eventElapsed(call.device, milliseconds, from, to);
}

TW_FAKE int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                               void **values) {
  BEGIN(true);
  std::set<std::string> names;
  std::string log;
  const Device &device = *fake.find(call.device);
  bool object = memcmp(image,
                       "\x7f"
                       "ELF",
                       4) == 0;
  int code = object ? readObject(image, device, names)
                    : readPtx(static_cast<const char *>(image), device.capability, names, log);
  char *buffer = nullptr;
  size_t room = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 5) // error log buffer
      buffer = static_cast<char *>(values[i]);
    else if (options[i] == 6) // its size
      room = reinterpret_cast<uintptr_t>(values[i]);
    else
      fake.mistake("JIT option %d, which the fake does not know", options[i]);
  }
  if (buffer)
    snprintf(buffer, room, "%s", log.c_str());
  return code == Success ? fake.moduleLoad(call.device, module, std::move(names)) : code;
}
TW_FAKE int cuModuleUnload(void *module) {
  BEGIN(true);
  return fake.moduleUnload(call.device, module);
}
TW_FAKE int cuModuleGetFunction(void **function, void *module, const char *name) {
  BEGIN(true);
  return fake.moduleFunction(call.device, function, module, name);
}
TW_FAKE int cuFuncGetAttribute(int *value, int attribute, void *function) {
  BEGIN(true);
  return fake.functionAttribute(call.device, value, attribute, function);
}
TW_FAKE int cuFuncSetAttribute(void *function, int attribute, int value) {
  BEGIN(true);
  if (attribute != 8) // dynamic local memory
    return InvalidValue;
  return fake.setDynamicBytes(call.device, function, value);
}
TW_FAKE int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                           unsigned blockX, unsigned blockY, unsigned blockZ, unsigned dynamicBytes,
                           void *stream, void **parameters, void **extra) {
  BEGIN(true);
  if (extra)
    fake.mistake("a launch with both kinds of parameters");
  return fake.launch(call.device, function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ},
                     dynamicBytes, stream, parameters);
}

static const char *const functionNames[] = {"cuInit",
                                            "cuDriverGetVersion",
                                            "cuDeviceGetCount",
                                            "cuDeviceGet",
                                            "cuDeviceGetName",
                                            "cuDeviceTotalMem_v2",
                                            "cuDeviceGetAttribute",
                                            "cuGetErrorName",
                                            "cuDevicePrimaryCtxRetain",
                                            "cuDevicePrimaryCtxRelease_v2",
                                            "cuCtxPushCurrent_v2",
                                            "cuCtxPopCurrent_v2",
                                            "cuMemAlloc_v2",
                                            "cuMemFree_v2",
                                            "cuMemHostAlloc",
                                            "cuMemFreeHost",
                                            "cuMemcpyHtoDAsync_v2",
                                            "cuMemcpyDtoHAsync_v2",
                                            "cuMemcpyDtoDAsync_v2",
                                            "cuMemsetD8Async",
                                            "cuMemsetD16Async",
                                            "cuMemsetD32Async",
                                            "cuStreamCreate",
                                            "cuStreamDestroy_v2",
                                            "cuStreamSynchronize",
                                            "cuStreamWaitEvent",
                                            "cuEventCreate",
                                            "cuEventDestroy_v2",
                                            "cuEventRecord",
                                            "cuEventQuery",
                                            "cuEventSynchronize",
                                            "cuEventElapsedTime",
                                            "cuModuleLoadDataEx",
                                            "cuModuleUnload",
                                            "cuModuleGetFunction",
                                            "cuFuncGetAttribute",
                                            "cuFuncSetAttribute",
                                            "cuLaunchKernel",
                                            nullptr};

#include "FakeControl.inc"
