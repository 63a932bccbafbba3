// libtw-emulated-hip.so and the fake of libamdhip64.so: the calls of HIP that the runtime makes.
#include "Library.h"

#include <cstring>

using namespace tw::emulator;

#define TW_EXPORT extern "C" __attribute__((visibility("default")))

/// hipErrorUnknown.
static constexpr int Unknown = 999;

static Library &hipLibrary() {
  static Library made(true, defaultDevices());
  return made;
}

/// Begins a call that needs a current context.
#define BEGIN(context)                                                                             \
  Library &fake = hipLibrary();                                                                    \
  Library::Call call(fake, __func__, context);                                                     \
  if (call.code != Success)                                                                        \
  return call.code

TW_EXPORT int hipInit(unsigned) {
  BEGIN(false);
  return fake.init();
}
TW_EXPORT int hipDriverGetVersion(int *version) {
  BEGIN(false);
  *version = 60342134;
  return Success;
}
TW_EXPORT int hipGetDeviceCount(int *count) {
  BEGIN(false);
  if (!fake.initialized)
    return NotInitialized;
  *count = fake.deviceCount();
  return Success;
}
TW_EXPORT int hipDeviceGet(int *device, int ordinal) {
  BEGIN(false);
  if (!fake.find(ordinal))
    return InvalidDevice;
  *device = ordinal;
  return Success;
}
TW_EXPORT int hipDeviceGetName(char *name, int length, int device) {
  BEGIN(false);
  const Device *found = fake.find(device);
  if (!found)
    return InvalidDevice;
  snprintf(name, size_t(length), "%s", found->name);
  return Success;
}
TW_EXPORT int hipDeviceTotalMem(size_t *bytes, int device) {
  BEGIN(false);
  const Device *found = fake.find(device);
  if (!found)
    return InvalidDevice;
  *bytes = found->totalBytes;
  return Success;
}
TW_EXPORT int hipDeviceGetAttribute(int *value, int attribute, int device) {
  BEGIN(false);
  const Device *found = fake.find(device);
  if (!found)
    return InvalidDevice;
  switch (attribute) {
  case 29: // max grid x
    *value = found->maxGridX;
    return Success;
  case 56: // max threads per block
    *value = found->maxThreads;
    return Success;
  case 63: // compute units
    *value = 8;
    return Success;
  case 74: // local memory per block
    *value = found->localBytes;
    return Success;
  case 87: // lanes of a wave
    *value = std::string(found->architecture).starts_with("gfx9") ? 64 : 32;
    return Success;
  }
  fake.mistake("attribute %d, which the fake does not know", attribute);
  return InvalidValue;
}
TW_EXPORT int hipDrvGetErrorName(int code, const char **name) {
  static const std::map<int, const char *> names = {{1, "hipErrorInvalidValue"},
                                                    {2, "hipErrorOutOfMemory"},
                                                    {100, "hipErrorNoDevice"},
                                                    {200, "hipErrorInvalidImage"},
                                                    {201, "hipErrorInvalidContext"},
                                                    {209, "hipErrorNoBinaryForGpu"},
                                                    {400, "hipErrorInvalidHandle"},
                                                    {500, "hipErrorNotFound"},
                                                    {700, "hipErrorIllegalAddress"},
                                                    {719, "hipErrorLaunchFailure"},
                                                    {910, "hipErrorGraphExecUpdateFailure"},
                                                    {999, "hipErrorUnknown"}};
  // The name of a failed launch says what the kernel did, that of a module what is not known here.
  bool tells = code == LaunchFailed || code == Unknown;
  if (const std::string &fault = hipLibrary().faultText(); tells && !fault.empty()) {
    *name = fault.c_str();
    return Success;
  }
  auto found = names.find(code);
  if (found == names.end())
    return InvalidValue;
  *name = found->second;
  return Success;
}

TW_EXPORT int hipGetDevice(int *device) {
  BEGIN(false);
  *device = threadState().device;
  return Success;
}
TW_EXPORT int hipSetDevice(int device) {
  BEGIN(false);
  if (!fake.find(device))
    return InvalidDevice;
  threadState().device = device;
  return Success;
}
/// The runtime reads the chip's name, at byte 1160 of hipDeviceProp_tR0600.
TW_EXPORT int hipGetDevicePropertiesR0600(char *properties, int device) {
  BEGIN(false);
  const Device *found = fake.find(device);
  if (!found)
    return InvalidDevice;
  memset(properties, 0, 1472);
  snprintf(properties + 1160, 256, "%s", found->architecture);
  return Success;
}

TW_EXPORT int hipMalloc(uint64_t *address, size_t bytes) {
  BEGIN(true);
  return fake.allocate(call.device, address, bytes);
}
TW_EXPORT int hipFree(uint64_t address) {
  BEGIN(true);
  return fake.free(call.device, address);
}
TW_EXPORT int hipHostMalloc(void **memory, size_t bytes, unsigned) {
  BEGIN(true);
  return fake.allocatePinned(call.device, memory, bytes);
}
TW_EXPORT int hipHostFree(void *memory) {
  BEGIN(true);
  return fake.freePinned(call.device, memory);
}
TW_EXPORT int hipMemcpyHtoDAsync(uint64_t to, const void *from, size_t bytes, void *stream) {
  BEGIN(true);
  return fake.copyToDevice(call.device, to, from, bytes, stream);
}
TW_EXPORT int hipMemcpyDtoHAsync(void *to, uint64_t from, size_t bytes, void *stream) {
  BEGIN(true);
  return fake.copyToHost(call.device, to, from, bytes, stream);
}
TW_EXPORT int hipMemcpyDtoDAsync(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  BEGIN(true);
  return fake.copyOnDevice(call.device, to, from, bytes, stream);
}
TW_EXPORT int hipMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream) {
  BEGIN(true);
  return fake.set(call.device, to, value, 1, count, stream);
}
TW_EXPORT int hipMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream) {
  BEGIN(true);
  return fake.set(call.device, to, value, 2, count, stream);
}
TW_EXPORT int hipMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  BEGIN(true);
  return fake.set(call.device, to, value, 4, count, stream);
}

TW_EXPORT int hipStreamCreateWithFlags(void **stream, unsigned flags) {
  BEGIN(true);
  return fake.streamCreate(call.device, stream, flags);
}
TW_EXPORT int hipStreamDestroy(void *stream) {
  BEGIN(true);
  return fake.streamDestroy(call.device, stream);
}
TW_EXPORT int hipStreamSynchronize(void *stream) {
  BEGIN(true);
  return fake.streamSynchronize(call.device, stream);
}
TW_EXPORT int hipStreamWaitEvent(void *stream, void *event, unsigned) {
  BEGIN(true);
  return fake.streamWaitEvent(call.device, stream, event);
}
TW_EXPORT int hipEventCreateWithFlags(void **event, unsigned flags) {
  BEGIN(true);
  return fake.eventCreate(call.device, event, flags);
}
TW_EXPORT int hipEventDestroy(void *event) {
  BEGIN(true);
  return fake.eventDestroy(call.device, event);
}
TW_EXPORT int hipEventRecord(void *event, void *stream) {
  BEGIN(true);
  return fake.eventRecord(call.device, event, stream);
}
TW_EXPORT int hipEventQuery(void *event) {
  BEGIN(true);
  return fake.eventQuery(call.device, event);
}
TW_EXPORT int hipEventSynchronize(void *event) {
  BEGIN(true);
  return fake.eventSynchronize(call.device, event);
}
TW_EXPORT int hipEventElapsedTime(float *milliseconds, void *from, void *to) {
  BEGIN(true);
  return fake.eventElapsed(call.device, milliseconds, from, to);
}

TW_EXPORT int hipModuleLoadData(void **module, const void *image) {
  BEGIN(true);
  std::set<std::string> names;
  const Device &device = *fake.find(call.device);
  int code = readObject(image, device, names);
  if (code != Success)
    return code;
  std::shared_ptr<const CodeImage> program;
  if (device.emulated && !(program = loadCodeObject(image, device, fake.faultText())))
    return Unknown;
  return fake.moduleLoad(call.device, module, std::move(names), program);
}
TW_EXPORT int hipModuleUnload(void *module) {
  BEGIN(true);
  return fake.moduleUnload(call.device, module);
}
TW_EXPORT int hipModuleGetFunction(void **function, void *module, const char *name) {
  BEGIN(true);
  return fake.moduleFunction(call.device, function, module, name);
}
TW_EXPORT int hipFuncGetAttribute(int *value, int attribute, void *function) {
  BEGIN(true);
  return fake.functionAttribute(call.device, value, attribute, function);
}
TW_EXPORT int hipModuleLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                    unsigned blockX, unsigned blockY, unsigned blockZ,
                                    unsigned dynamicBytes, void *stream, void **parameters,
                                    void **extra) {
  BEGIN(true);
  if (extra)
    fake.mistake("a launch with both kinds of parameters");
  return fake.launch(call.device, function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ},
                     dynamicBytes, stream, parameters);
}

TW_EXPORT int hipStreamBeginCapture(void *stream, int mode) {
  BEGIN(true);
  return fake.beginCapture(call.device, stream, mode);
}
TW_EXPORT int hipStreamEndCapture(void *stream, void **graph) {
  BEGIN(true);
  return fake.endCapture(call.device, stream, graph);
}
TW_EXPORT int hipGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long) {
  BEGIN(true);
  return fake.instantiateGraph(call.device, executable, graph);
}
TW_EXPORT int hipGraphExecUpdate(void *executable, void *graph, void **, int *) {
  BEGIN(true);
  return fake.updateGraph(call.device, executable, graph);
}
TW_EXPORT int hipGraphLaunch(void *executable, void *stream) {
  BEGIN(true);
  return fake.launchGraph(call.device, executable, stream);
}
TW_EXPORT int hipGraphDestroy(void *graph) {
  BEGIN(true);
  return fake.destroyGraph(call.device, graph, false);
}
TW_EXPORT int hipGraphExecDestroy(void *executable) {
  BEGIN(true);
  return fake.destroyGraph(call.device, executable, true);
}

static const char *const hipFunctionNames[] = {"hipInit",
                                               "hipDriverGetVersion",
                                               "hipGetDeviceCount",
                                               "hipDeviceGet",
                                               "hipDeviceGetName",
                                               "hipDeviceTotalMem",
                                               "hipDeviceGetAttribute",
                                               "hipDrvGetErrorName",
                                               "hipGetDevice",
                                               "hipSetDevice",
                                               "hipGetDevicePropertiesR0600",
                                               "hipMalloc",
                                               "hipFree",
                                               "hipHostMalloc",
                                               "hipHostFree",
                                               "hipMemcpyHtoDAsync",
                                               "hipMemcpyDtoHAsync",
                                               "hipMemcpyDtoDAsync",
                                               "hipMemsetD8Async",
                                               "hipMemsetD16Async",
                                               "hipMemsetD32Async",
                                               "hipStreamCreateWithFlags",
                                               "hipStreamDestroy",
                                               "hipStreamSynchronize",
                                               "hipStreamWaitEvent",
                                               "hipEventCreateWithFlags",
                                               "hipEventDestroy",
                                               "hipEventRecord",
                                               "hipEventQuery",
                                               "hipEventSynchronize",
                                               "hipEventElapsedTime",
                                               "hipModuleLoadData",
                                               "hipModuleUnload",
                                               "hipModuleGetFunction",
                                               "hipFuncGetAttribute",
                                               "hipModuleLaunchKernel",
                                               "hipStreamBeginCapture",
                                               "hipStreamEndCapture",
                                               "hipGraphInstantiateWithFlags",
                                               "hipGraphExecUpdate",
                                               "hipGraphLaunch",
                                               "hipGraphDestroy",
                                               "hipGraphExecDestroy",
                                               nullptr};

#define TW_LIBRARY hipLibrary
#define TW_FUNCTION_NAMES hipFunctionNames
#include "Control.inc"
