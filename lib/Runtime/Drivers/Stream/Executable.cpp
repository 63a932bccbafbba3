// Images: loading modules and finding their kernels.
#include "Stream.h"

#include <cstring>

using namespace tw::runtime;
using namespace tw::runtime::stream;

/// CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES.
static constexpr int jitErrorLog = 5, jitErrorLogBytes = 6;

/// What a refused image means to the caller: not for this device or driver, or damaged.
static TwrtCode failLoad(Device &device, const char *call, int result, const char *format,
                         const char *log, TwrtError *error) {
  bool unsuitable = result == noBinaryForGpu || result == unsupportedPtxVersion;
  if (!unsuitable && result != invalidImage && result != invalidPtx)
    return failOn(device, call, result, error);
  return failCall(error, unsuitable ? TWRT_UNSUPPORTED : TWRT_INVALID_MODULE, call, result,
                  "device %s:%d refuses the %s image: %s%s%.250s", device.api.target,
                  device.ordinal, format,
                  unsuitable ? "it is for another chip or a newer driver" : "it is not valid",
                  *log ? ": " : "", log);
}

static TwrtCode loadModule(Device &device, const ImageSource &image, const uint8_t *code,
                           void **module, TwrtError *error) {
  const Api &api = device.api;
  char log[512] = "";
  const char *call = api.moduleLoadJit.name ? api.moduleLoadJit.name : api.moduleLoad.name;
  if (device.lost)
    return failLost(device, call, error);
  int result;
  if (api.moduleLoadJit.function) {
    int options[] = {jitErrorLog, jitErrorLogBytes};
    void *values[] = {log, reinterpret_cast<void *>(sizeof(log))};
    result = api.moduleLoadJit.function(module, code, 2, options, values);
  } else {
    result = api.moduleLoad.function(module, code);
  }
  log[sizeof(log) - 1] = 0;
  return result == success ? TWRT_OK : failLoad(device, call, result, image.format, log, error);
}

static TwrtCode findKernel(Device &device, void *module, const ImageKernel &kernel,
                           Executable::Kernel &found, TwrtError *error) {
  const Api &api = device.api;
  if (device.lost)
    return failLost(device, api.moduleFunction.name, error);
  int result = api.moduleFunction.function(&found.function, module, kernel.name);
  if (result == notFound)
    return failCall(error, TWRT_INVALID_MODULE, api.moduleFunction.name, result,
                    "the image has no kernel '%.80s'", kernel.name);
  if (result != success)
    return failOn(device, api.moduleFunction.name, result, error);
  int threads = 0;
  TWRT_TRY(
      invoke(device, api.functionAttribute, error, &threads, functionMaxThreads, found.function));
  if (uint32_t(threads) < kernel.group)
    return fail(error, TWRT_UNSUPPORTED,
                "kernel '%.80s' needs %u threads in a group, its registers leave device %s:%d %d",
                kernel.name, kernel.group, api.target, device.ordinal, threads);
  // Local memory that a group gets without asking is declared in the code; more of it is passed
  // with the launch, and has to be asked for.
  found.dynamicBytes = kernel.localBytes > device.localBytes ? kernel.localBytes : 0;
  if (found.dynamicBytes && api.setFunctionAttribute.function) {
    TWRT_TRY(invoke(device, api.setFunctionAttribute, error, found.function,
                    functionMaxDynamicBytes, int(found.dynamicBytes)));
    // As many groups as fit beside each other, which a driver may not make room for by itself.
    constexpr int all = 100;
    TWRT_TRY(
        invoke(device, api.setFunctionAttribute, error, found.function, functionLocalShare, all));
  }
  if (!kernel.maps.empty() && !api.encodeMap.function)
    return failCall(error, TWRT_UNSUPPORTED, "dlsym", 0,
                    "kernel '%.80s' takes maps of tensors, which %s does not make: it has no %s, "
                    "a newer driver has",
                    kernel.name, api.libraries[0],
                    api.encodeMap.name ? api.encodeMap.name : "function for them");
  found.maps = Array<ImageMap>(device.allocator);
  if (!found.maps.assign(kernel.maps))
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for an image");
  found.group = kernel.group;
  found.bindings = kernel.bindings;
  found.scalars = kernel.scalars;
  return TWRT_OK;
}

static TwrtCode fillExecutable(Device &device, const ImageSource &image, Executable &made,
                               TwrtError *error) {
  // PTX is text that ends with a zero, and objects must be aligned: both are given by a copy.
  Array<uint8_t> code(device.allocator);
  if (!code.reset(image.bytes.size() + 1) || !made.kernels.reset(image.kernels.size()))
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for an image");
  if (!image.bytes.empty())
    memcpy(code.data(), image.bytes.data(), image.bytes.size());
  TWRT_TRY(loadModule(device, image, code.data(), &made.module, error));
  for (size_t i = 0; i < image.kernels.size(); ++i)
    TWRT_TRY(findKernel(device, made.module, image.kernels[i], made.kernels[i], error));
  return TWRT_OK;
}

TwrtCode stream::loadExecutable(void *handle, const ImageSource &image, void **executable,
                                TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  Executable *made = create<Executable>(device.allocator, device.allocator);
  if (!made)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for an image");
  Current current(device);
  TwrtCode code = current.check(error);
  if (code == TWRT_OK)
    code = fillExecutable(device, image, *made, error);
  if (code != TWRT_OK) {
    if (made->module)
      device.api.moduleUnload.function(made->module);
    destroy(device.allocator, made);
    return code;
  }
  *executable = made;
  return TWRT_OK;
}

void stream::unload(void *handle, void *executable) {
  Device &device = *static_cast<Device *>(handle);
  Executable *made = static_cast<Executable *>(executable);
  if (Current current(device); current) {
    std::lock_guard lock(device.mutex);
    drain(device);
    device.api.moduleUnload.function(made->module);
  }
  destroy(device.allocator, made);
}
