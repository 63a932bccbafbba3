// The HIP driver: libamdhip64, opened at run time. Names and numbers are those of
// hip_runtime_api.h 6.
#include "../Stream/Stream.h"

#include <cstdio>

using namespace tw::runtime;
using namespace tw::runtime::stream;

/// gcnArchName in hipDeviceProp_tR0600: 1,472 bytes in HIP 6, more room for what later ones add.
static constexpr size_t architectureOffset = 1160, architectureBytes = 256, propertiesBytes = 8192;

/// The chip, "gfx90a": what follows a colon are modes of the chip ("sramecc+:xnack-").
static TwrtCode listFeatures(const Api &api, int device, char (&chip)[64], char (&words)[512],
                             TwrtError *error) {
  char properties[propertiesBytes] = {};
  if (int result = api.deviceProperties.function(properties, device); result != success)
    return failResult(api, api.deviceProperties.name, result, error);
  const char *architecture = properties + architectureOffset;
  size_t length = strnlen(architecture, architectureBytes);
  std::string_view name(architecture, length);
  name = name.substr(0, name.find(':'));
  if (!name.starts_with("gfx") || name.size() >= sizeof(chip))
    return fail(error, TWRT_UNSUPPORTED, "the library does not name the chip where HIP 6 does");
  snprintf(chip, sizeof(chip), "%.*s", int(name.size()), name.data());
  snprintf(words, sizeof(words), "%s", chip);
  return TWRT_OK;
}

static constexpr const char *libraries[] = {"libamdhip64.so", "libamdhip64.so.7",
                                            "libamdhip64.so.6", nullptr};

static constexpr const char *emulatedLibraries[] = {"libtw-emulated-hip.so", nullptr};

/// Symbols are looked up when the driver is first probed.
static constexpr Api table = {
    .target = "amd",
    .formats = "hsaco",
    .handles = TWRT_HANDLE_HIP,
    .libraries = libraries,
    // hipDeviceAttributeMaxThreadsPerBlock, MaxGridDimX, MaxSharedMemoryPerBlock, none, WarpSize,
    // MultiprocessorCount
    .attributes = {56, 29, 74, 0, 87, 63},
    .init = {"hipInit"},
    .driverVersion = {"hipDriverGetVersion"},
    .deviceCount = {"hipGetDeviceCount"},
    .deviceGet = {"hipDeviceGet"},
    .deviceName = {"hipDeviceGetName"},
    .totalMemory = {"hipDeviceTotalMem"},
    .attribute = {"hipDeviceGetAttribute"},
    .deviceProperties = {"hipGetDevicePropertiesR0600"},
    .errorName = {"hipDrvGetErrorName"},
    .contextRetain = {},
    .contextRelease = {},
    .contextPush = {},
    .contextPop = {},
    .getDevice = {"hipGetDevice"},
    .setDevice = {"hipSetDevice"},
    .allocate = {"hipMalloc"},
    .free = {"hipFree"},
    .allocatePinned = {"hipHostMalloc"},
    .freePinned = {"hipHostFree"},
    .copyToDevice = {"hipMemcpyHtoDAsync"},
    .copyToHost = {"hipMemcpyDtoHAsync"},
    .copyOnDevice = {"hipMemcpyDtoDAsync"},
    .set8 = {"hipMemsetD8Async"},
    .set16 = {"hipMemsetD16Async"},
    .set32 = {"hipMemsetD32Async"},
    .streamCreate = {"hipStreamCreateWithFlags"},
    .streamDestroy = {"hipStreamDestroy"},
    .streamSynchronize = {"hipStreamSynchronize"},
    .streamWaitEvent = {"hipStreamWaitEvent"},
    .eventCreate = {"hipEventCreateWithFlags"},
    .eventDestroy = {"hipEventDestroy"},
    .eventRecord = {"hipEventRecord"},
    .eventQuery = {"hipEventQuery"},
    .eventSynchronize = {"hipEventSynchronize"},
    .eventElapsed = {"hipEventElapsedTime"},
    .moduleLoadJit = {},
    .moduleLoad = {"hipModuleLoadData"},
    .moduleUnload = {"hipModuleUnload"},
    .moduleFunction = {"hipModuleGetFunction"},
    .functionAttribute = {"hipFuncGetAttribute"},
    // Local memory is given as declared: no kernel asks for more.
    .setFunctionAttribute = {},
    .launch = {"hipModuleLaunchKernel"},
    .encodeMap = {},
    .beginCapture = {"hipStreamBeginCapture"},
    .endCapture = {"hipStreamEndCapture"},
    .instantiateGraph = {"hipGraphInstantiateWithFlags"},
    .updateGraph = {},
    .updateGraphInParts = {"hipGraphExecUpdate"},
    .launchGraph = {"hipGraphLaunch"},
    .destroyGraph = {"hipGraphDestroy"},
    .destroyExecutableGraph = {"hipGraphExecDestroy"},
    .features = listFeatures,
};

static constexpr Api makeEmulated() {
  Api made = table;
  made.libraries = emulatedLibraries;
  made.beside = true;
  return made;
}

static Api api = table, emulated = makeEmulated();

constinit const Driver tw::runtime::hipDriver = makeDriver<api>("amd");
constinit const Driver tw::runtime::hipEmulatedDriver = makeDriver<emulated, true>("amd-emulated");
