// The CUDA driver: libcuda.so.1, opened at run time. Names and numbers are those of cuda.h 12; the
// suffixes are the versions that the header's macros pick.
#include "../Stream/Stream.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tw::runtime;
using namespace tw::runtime::stream;

/// CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR.
static constexpr int capabilityMajor = 75, capabilityMinor = 76;

/// Chips that code may be made for. PTX for one runs on all later ones; a variant of machine code
/// that does not suit is refused by the driver when it is loaded, and the next one is taken.
static constexpr int chips[] = {50, 52, 53, 60, 61,  62,  70,  72,  75,  80, 86,
                                87, 88, 89, 90, 100, 101, 103, 110, 120, 121};

/// "sm_50 ... sm_90 sm_90a": code marked with an `a` runs on exactly one chip.
static TwrtCode listFeatures(const Api &api, int device, char (&chip)[64], char (&words)[512],
                             TwrtError *error) {
  int major = 0, minor = 0;
  int result = api.attribute.function(&major, capabilityMajor, device);
  if (result == success)
    result = api.attribute.function(&minor, capabilityMinor, device);
  if (result != success)
    return failResult(api, api.attribute.name, result, error);
  int capability = 10 * major + minor;
  snprintf(chip, sizeof(chip), "sm_%d", capability);
  size_t length = 0;
  for (int known : chips)
    if (known < capability)
      length += size_t(snprintf(words + length, sizeof(words) - length, "sm_%d ", known));
  // Whether the driver makes maps of tensors is asked when a kernel takes any.
  snprintf(words + length, sizeof(words) - length, "sm_%d sm_%da%s", capability, capability,
           capability >= 90 ? " tensor-maps" : "");
  return TWRT_OK;
}

/// The same; an emulated chip is called by all that it can do: "sm_90a".
static TwrtCode listEmulatedFeatures(const Api &api, int device, char (&chip)[64],
                                     char (&words)[512], TwrtError *error) {
  TWRT_TRY(listFeatures(api, device, chip, words, error));
  if (atoi(chip + strlen("sm_")) >= 90)
    strncat(chip, "a", sizeof(chip) - strlen(chip) - 1);
  return TWRT_OK;
}

static constexpr const char *libraries[] = {"libcuda.so.1", nullptr};
static constexpr const char *emulatedLibraries[] = {"libtw-emulated-cuda.so", nullptr};

/// Symbols are looked up when the driver is first probed.
static constexpr Api table = {
    .target = "cuda",
    .formats = "cubin ptx",
    .handles = TWRT_HANDLE_CUDA,
    .libraries = libraries,
    // CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, _MAX_GRID_DIM_X, _MAX_SHARED_MEMORY_PER_BLOCK,
    // _MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, _WARP_SIZE, _MULTIPROCESSOR_COUNT
    .attributes = {1, 5, 8, 97, 10, 16},
    .init = {"cuInit"},
    .driverVersion = {"cuDriverGetVersion"},
    .deviceCount = {"cuDeviceGetCount"},
    .deviceGet = {"cuDeviceGet"},
    .deviceName = {"cuDeviceGetName"},
    .totalMemory = {"cuDeviceTotalMem_v2"},
    .attribute = {"cuDeviceGetAttribute"},
    .deviceProperties = {},
    .errorName = {"cuGetErrorName"},
    .contextRetain = {"cuDevicePrimaryCtxRetain"},
    .contextRelease = {"cuDevicePrimaryCtxRelease_v2"},
    .contextPush = {"cuCtxPushCurrent_v2"},
    .contextPop = {"cuCtxPopCurrent_v2"},
    .getDevice = {},
    .setDevice = {},
    .allocate = {"cuMemAlloc_v2"},
    .free = {"cuMemFree_v2"},
    .allocatePinned = {"cuMemHostAlloc"},
    .freePinned = {"cuMemFreeHost"},
    .copyToDevice = {"cuMemcpyHtoDAsync_v2"},
    .copyToHost = {"cuMemcpyDtoHAsync_v2"},
    .copyOnDevice = {"cuMemcpyDtoDAsync_v2"},
    .set8 = {"cuMemsetD8Async"},
    .set16 = {"cuMemsetD16Async"},
    .set32 = {"cuMemsetD32Async"},
    .streamCreate = {"cuStreamCreate"},
    .streamDestroy = {"cuStreamDestroy_v2"},
    .streamSynchronize = {"cuStreamSynchronize"},
    .streamWaitEvent = {"cuStreamWaitEvent"},
    .eventCreate = {"cuEventCreate"},
    .eventDestroy = {"cuEventDestroy_v2"},
    .eventRecord = {"cuEventRecord"},
    .eventQuery = {"cuEventQuery"},
    .eventSynchronize = {"cuEventSynchronize"},
    .eventElapsed = {"cuEventElapsedTime"},
    .moduleLoadJit = {"cuModuleLoadDataEx"},
    .moduleLoad = {},
    .moduleUnload = {"cuModuleUnload"},
    .moduleFunction = {"cuModuleGetFunction"},
    .functionAttribute = {"cuFuncGetAttribute"},
    .setFunctionAttribute = {"cuFuncSetAttribute"},
    .launch = {"cuLaunchKernel"},
    .encodeMap = {"cuTensorMapEncodeTiled"},
    .beginCapture = {"cuStreamBeginCapture_v2"},
    .endCapture = {"cuStreamEndCapture"},
    .instantiateGraph = {"cuGraphInstantiateWithFlags"},
    .updateGraph = {"cuGraphExecUpdate_v2"},
    .updateGraphInParts = {},
    .launchGraph = {"cuGraphLaunch"},
    .destroyGraph = {"cuGraphDestroy"},
    .destroyExecutableGraph = {"cuGraphExecDestroy"},
    .updatesRunning = true,
    .features = listFeatures,
};

static constexpr Api makeEmulated() {
  Api made = table;
  made.libraries = emulatedLibraries;
  made.beside = true;
  made.formats = "ptx";
  made.features = listEmulatedFeatures;
  return made;
}

static Api api = table, emulated = makeEmulated();

constinit const Driver tw::runtime::cudaDriver = makeDriver<api>("cuda");
constinit const Driver tw::runtime::cudaEmulatedDriver =
    makeDriver<emulated, true>("cuda-emulated");
