// A cuda libcuda.so.1: the calls of the CUDA driver API that the runtime makes.
#include "../PTX/Image.h"
#include "../PTX/TensorMap.h"
#include "Library.h"

#include <cstdlib>
#include <cstring>

using namespace tw::emulator;

#define TW_EXPORT extern "C" __attribute__((visibility("default")))

static Library &library() {
  static Library made(false, defaultDevices());
  return made;
}

/// Begins a call that needs a current context.
#define BEGIN(context)                                                                             \
  Library &cuda = library();                                                                       \
  Library::Call call(cuda, __func__, context);                                                     \
  if (call.code != Success)                                                                        \
  return call.code

TW_EXPORT int cuInit(unsigned) {
  BEGIN(false);
  return cuda.init();
}
TW_EXPORT int cuDriverGetVersion(int *version) {
  BEGIN(false);
  *version = 12040;
  return Success;
}
TW_EXPORT int cuDeviceGetCount(int *count) {
  BEGIN(false);
  if (!cuda.initialized)
    return NotInitialized;
  *count = cuda.deviceCount();
  return Success;
}
TW_EXPORT int cuDeviceGet(int *device, int ordinal) {
  BEGIN(false);
  if (!cuda.find(ordinal))
    return InvalidDevice;
  *device = ordinal;
  return Success;
}
TW_EXPORT int cuDeviceGetName(char *name, int length, int device) {
  BEGIN(false);
  const Device *found = cuda.find(device);
  if (!found)
    return InvalidDevice;
  snprintf(name, size_t(length), "%s", found->name);
  return Success;
}
TW_EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  BEGIN(false);
  const Device *found = cuda.find(device);
  if (!found)
    return InvalidDevice;
  *bytes = found->totalBytes;
  return Success;
}
TW_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  BEGIN(false);
  const Device *found = cuda.find(device);
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
  cuda.mistake("attribute %d, which is not known here", attribute);
  return InvalidValue;
}
TW_EXPORT int cuGetErrorName(int code, const char **name) {
  static const std::map<int, const char *> names = {{1, "CUDA_ERROR_INVALID_VALUE"},
                                                    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                    {100, "CUDA_ERROR_NO_DEVICE"},
                                                    {200, "CUDA_ERROR_INVALID_IMAGE"},
                                                    {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                                    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                                    {218, "CUDA_ERROR_INVALID_PTX"},
                                                    {400, "CUDA_ERROR_INVALID_HANDLE"},
                                                    {500, "CUDA_ERROR_NOT_FOUND"},
                                                    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
                                                    {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"},
                                                    {719, "CUDA_ERROR_LAUNCH_FAILED"},
                                                    {999, "CUDA_ERROR_UNKNOWN"}};
  // The name of a failed launch says what the kernel did.
  if (const std::string &fault = library().faultText(); code == LaunchFailed && !fault.empty()) {
    *name = fault.c_str();
    return Success;
  }
  auto found = names.find(code);
  if (found == names.end())
    return InvalidValue;
  *name = found->second;
  return Success;
}

TW_EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  BEGIN(false);
  return cuda.primaryRetain(context, device);
}
TW_EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  BEGIN(false);
  return cuda.primaryRelease(device);
}
TW_EXPORT int cuCtxPushCurrent_v2(void *context) {
  BEGIN(false);
  return cuda.push(context);
}
TW_EXPORT int cuCtxPopCurrent_v2(void **context) {
  BEGIN(false);
  return cuda.pop(context);
}

TW_EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  BEGIN(true);
  return cuda.allocate(call.device, address, bytes);
}
TW_EXPORT int cuMemFree_v2(uint64_t address) {
  BEGIN(true);
  return cuda.free(call.device, address);
}
TW_EXPORT int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  BEGIN(true);
  return cuda.allocatePinned(call.device, memory, bytes);
}
TW_EXPORT int cuMemFreeHost(void *memory) {
  BEGIN(true);
  return cuda.freePinned(call.device, memory);
}
TW_EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
  BEGIN(true);
  return cuda.copyToDevice(call.device, to, from, bytes, stream);
}
TW_EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  BEGIN(true);
  return cuda.copyToHost(call.device, to, from, bytes, stream);
}
TW_EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  BEGIN(true);
  return cuda.copyOnDevice(call.device, to, from, bytes, stream);
}
TW_EXPORT int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream) {
  BEGIN(true);
  return cuda.set(call.device, to, value, 1, count, stream);
}
TW_EXPORT int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream) {
  BEGIN(true);
  return cuda.set(call.device, to, value, 2, count, stream);
}
TW_EXPORT int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  BEGIN(true);
  return cuda.set(call.device, to, value, 4, count, stream);
}

TW_EXPORT int cuStreamCreate(void **stream, unsigned flags) {
  BEGIN(true);
  return cuda.streamCreate(call.device, stream, flags);
}
TW_EXPORT int cuStreamDestroy_v2(void *stream) {
  BEGIN(true);
  return cuda.streamDestroy(call.device, stream);
}
TW_EXPORT int cuStreamSynchronize(void *stream) {
  BEGIN(true);
  return cuda.streamSynchronize(call.device, stream);
}
TW_EXPORT int cuStreamWaitEvent(void *stream, void *event, unsigned) {
  BEGIN(true);
  return cuda.streamWaitEvent(call.device, stream, event);
}
TW_EXPORT int cuEventCreate(void **event, unsigned flags) {
  BEGIN(true);
  return cuda.eventCreate(call.device, event, flags);
}
TW_EXPORT int cuEventDestroy_v2(void *event) {
  BEGIN(true);
  return cuda.eventDestroy(call.device, event);
}
TW_EXPORT int cuEventRecord(void *event, void *stream) {
  BEGIN(true);
  return cuda.eventRecord(call.device, event, stream);
}
TW_EXPORT int cuEventQuery(void *event) {
  BEGIN(true);
  return cuda.eventQuery(call.device, event);
}
TW_EXPORT int cuEventSynchronize(void *event) {
  BEGIN(true);
  return cuda.eventSynchronize(call.device, event);
}
TW_EXPORT int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  BEGIN(true);
  return cuda.eventElapsed(call.device, milliseconds, from, to);
}

TW_EXPORT int cuTensorMapEncodeTiled(void *map, int dataType, unsigned rank, void *address,
                                     const uint64_t *extents, const uint64_t *strides,
                                     const unsigned *box, const unsigned *elementStrides,
                                     int interleave, int swizzle, int, int fill) {
  BEGIN(false);
  ptx::TensorMap made;
  if (reinterpret_cast<uintptr_t>(map) % 64 ||
      !ptx::encodeTiled(made, uint32_t(dataType), rank, reinterpret_cast<uintptr_t>(address),
                        extents, strides, box, elementStrides, uint32_t(interleave),
                        uint32_t(swizzle), uint32_t(fill)))
    return InvalidValue;
  memcpy(map, &made, sizeof(made));
  return Success;
}

TW_EXPORT int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                                 void **values) {
  BEGIN(true);
  std::set<std::string> names;
  std::string log;
  const Device &device = *cuda.find(call.device);
  bool object = memcmp(image,
                       "\x7f"
                       "ELF",
                       4) == 0;
  std::shared_ptr<const CodeImage> program;
  int code = Success;
  if (object)
    code = device.emulated ? int(NoBinaryForGpu) : readObject(image, device, names);
  else
    code = readPtx(static_cast<const char *>(image), device.capability, names, log);
  if (code == Success && device.emulated) {
    program = ptx::makeImage(static_cast<const char *>(image), log);
    code = program ? Success : InvalidPtx;
  }
  char *buffer = nullptr;
  size_t room = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == 5) // error log buffer
      buffer = static_cast<char *>(values[i]);
    else if (options[i] == 6) // its size
      room = reinterpret_cast<uintptr_t>(values[i]);
    else
      cuda.mistake("JIT option %d, which is not known here", options[i]);
  }
  if (buffer)
    snprintf(buffer, room, "%s", log.c_str());
  return code == Success ? cuda.moduleLoad(call.device, module, std::move(names), program) : code;
}
TW_EXPORT int cuModuleUnload(void *module) {
  BEGIN(true);
  return cuda.moduleUnload(call.device, module);
}
TW_EXPORT int cuModuleGetFunction(void **function, void *module, const char *name) {
  BEGIN(true);
  return cuda.moduleFunction(call.device, function, module, name);
}
TW_EXPORT int cuFuncGetAttribute(int *value, int attribute, void *function) {
  BEGIN(true);
  return cuda.functionAttribute(call.device, value, attribute, function);
}
TW_EXPORT int cuFuncSetAttribute(void *function, int attribute, int value) {
  BEGIN(true);
  if (attribute == 9) // the preferred share of local memory in percent: a hint
    return value >= -1 && value <= 100 ? Success : InvalidValue;
  if (attribute != 8) // dynamic local memory
    return InvalidValue;
  return cuda.setDynamicBytes(call.device, function, value);
}
TW_EXPORT int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                             unsigned blockX, unsigned blockY, unsigned blockZ,
                             unsigned dynamicBytes, void *stream, void **parameters, void **extra) {
  BEGIN(true);
  if (extra)
    cuda.mistake("a launch with both kinds of parameters");
  return cuda.launch(call.device, function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ},
                     dynamicBytes, stream, parameters);
}

TW_EXPORT int cuStreamBeginCapture_v2(void *stream, int mode) {
  BEGIN(true);
  return cuda.beginCapture(call.device, stream, mode);
}
TW_EXPORT int cuStreamEndCapture(void *stream, void **graph) {
  BEGIN(true);
  return cuda.endCapture(call.device, stream, graph);
}
TW_EXPORT int cuGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long) {
  BEGIN(true);
  return cuda.instantiateGraph(call.device, executable, graph);
}
TW_EXPORT int cuGraphExecUpdate_v2(void *executable, void *graph, void *) {
  BEGIN(true);
  return cuda.updateGraph(call.device, executable, graph);
}
TW_EXPORT int cuGraphLaunch(void *executable, void *stream) {
  BEGIN(true);
  return cuda.launchGraph(call.device, executable, stream);
}
TW_EXPORT int cuGraphDestroy(void *graph) {
  BEGIN(true);
  return cuda.destroyGraph(call.device, graph, false);
}
TW_EXPORT int cuGraphExecDestroy(void *executable) {
  BEGIN(true);
  return cuda.destroyGraph(call.device, executable, true);
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
                                            "cuTensorMapEncodeTiled",
                                            "cuModuleLoadDataEx",
                                            "cuModuleUnload",
                                            "cuModuleGetFunction",
                                            "cuFuncGetAttribute",
                                            "cuFuncSetAttribute",
                                            "cuLaunchKernel",
                                            "cuStreamBeginCapture_v2",
                                            "cuStreamEndCapture",
                                            "cuGraphInstantiateWithFlags",
                                            "cuGraphExecUpdate_v2",
                                            "cuGraphLaunch",
                                            "cuGraphDestroy",
                                            "cuGraphExecDestroy",
                                            nullptr};

#define TW_LIBRARY library
#define TW_FUNCTION_NAMES functionNames
#include "Control.inc"
