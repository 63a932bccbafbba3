// The calls that CUDA's driver API and HIP have in common, as one table.
//
// HIP mirrors the driver API: the same handles, the same arguments, the same numbers of the result
// codes that matter here; names and attribute numbers differ. Device addresses are 64-bit numbers
// in both (HIP spells them void *, with the same calling convention on 64-bit systems).
#pragma once

#include "Driver.h"

namespace tw::runtime::stream {

/// One call: its symbol, and where it is once the library is loaded.
template <typename... Arguments> struct Entry {
  const char *name = nullptr;
  int (*function)(Arguments...) = nullptr;
};

/// Result codes, of cudaError_enum in cuda.h and hipError_t in hip_runtime_api.h.
enum Result : int {
  success = 0,
  outOfMemory = 2,
  noDevice = 100,
  invalidImage = 200,
  noBinaryForGpu = 209,
  invalidPtx = 218,
  unsupportedPtxVersion = 222,
  notFound = 500,
  notReady = 600,
};

/// Numbers of device attributes, which differ; 0: the library has none.
struct Attributes {
  int maxThreads, maxGridX, localBytes, localBytesOptIn, warpSize, multiprocessors;
};

/// Flags that are equal in both: CU_STREAM_NON_BLOCKING, CU_EVENT_BLOCKING_SYNC,
/// CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
/// CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT (percent).
inline constexpr unsigned streamNonBlocking = 1, eventBlockingSync = 1;
inline constexpr int functionMaxThreads = 0, functionMaxDynamicBytes = 8, functionLocalShare = 9;

/// A vendor's library. An entry without a name is one that the library does not have.
struct Api {
  /// "cuda" or "amd": what devices are called and which programs they run.
  const char *target;
  const char *formats;
  TwrtHandleKind handles;
  /// File names to try, NULL at the end.
  const char *const *libraries;
  /// The library is ours and lies beside the runtime.
  bool beside = false;
  Attributes attributes;

  Entry<unsigned> init;
  Entry<int *> driverVersion;
  Entry<int *> deviceCount;
  Entry<int *, int> deviceGet;
  Entry<char *, int, int> deviceName;
  Entry<size_t *, int> totalMemory;
  Entry<int *, int, int> attribute;
  /// HIP: what the chip is called.
  Entry<char *, int> deviceProperties;
  Entry<int, const char **> errorName;

  // CUDA: the primary context, pushed for the time of each call of ours.
  Entry<void **, int> contextRetain;
  Entry<int> contextRelease;
  Entry<void *> contextPush;
  Entry<void **> contextPop;
  // HIP: the thread's current device, put back after each call of ours.
  Entry<int *> getDevice;
  Entry<int> setDevice;

  Entry<uint64_t *, size_t> allocate;
  Entry<uint64_t> free;
  Entry<void **, size_t, unsigned> allocatePinned;
  Entry<void *> freePinned;
  Entry<uint64_t, const void *, size_t, void *> copyToDevice;
  Entry<void *, uint64_t, size_t, void *> copyToHost;
  Entry<uint64_t, uint64_t, size_t, void *> copyOnDevice;
  Entry<uint64_t, unsigned char, size_t, void *> set8;
  Entry<uint64_t, unsigned short, size_t, void *> set16;
  Entry<uint64_t, unsigned, size_t, void *> set32;

  Entry<void **, unsigned> streamCreate;
  Entry<void *> streamDestroy;
  Entry<void *> streamSynchronize;
  Entry<void *, void *, unsigned> streamWaitEvent;
  Entry<void **, unsigned> eventCreate;
  Entry<void *> eventDestroy;
  Entry<void *, void *> eventRecord;
  Entry<void *> eventQuery;
  Entry<void *> eventSynchronize;
  Entry<float *, void *, void *> eventElapsed;

  // CUDA takes JIT options, HIP an object alone.
  Entry<void **, const void *, unsigned, int *, void **> moduleLoadJit;
  Entry<void **, const void *> moduleLoad;
  Entry<void *> moduleUnload;
  Entry<void **, void *, const char *> moduleFunction;
  Entry<int *, int, void *> functionAttribute;
  Entry<void *, int, int> setFunctionAttribute;
  Entry<void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
        void **, void **>
      launch;

  /// CUDA from 12.0 on: a map of a tensor, of its type, rank, address, extents, strides, box,
  /// steps, interleaving, swizzle, promotion in the cache, and fill. May be missing.
  Entry<void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const unsigned *,
        const unsigned *, int, int, int, int>
      encodeMap;

  // Graphs, from CUDA 12.0 on. Some may be missing.
  Entry<void *, int> beginCapture;
  Entry<void *, void **> endCapture;
  Entry<void **, void *, unsigned long long> instantiateGraph;
  /// CUDA tells in one place what stands in the way, HIP in two.
  Entry<void *, void *, void *> updateGraph;
  Entry<void *, void *, void **, int *> updateGraphInParts;
  Entry<void *, void *> launchGraph;
  Entry<void *> destroyGraph, destroyExecutableGraph;
  /// An executable graph may be updated while it runs.
  bool updatesRunning = false;

  /// What variants may need on device `device`, separated by spaces, into `words`; `chip` is its
  /// own name. Called once the library is loaded.
  TwrtCode (*features)(const Api &api, int device, char (&chip)[64], char (&words)[512],
                       TwrtError *error);
};

/// Opens the library and looks every named entry up; the reason when it cannot be used. Only
/// success is remembered.
TwrtCode load(Api &api, TwrtError *error);

/// The error for a result that is not success: out of memory, a lost device, or the vendor's name
/// for it. Codes that leave a context unusable mean a lost device.
TwrtCode failResult(const Api &api, const char *call, int result, TwrtError *error);

/// True for results after which every later call on the device fails.
bool isSticky(int result);

} // namespace tw::runtime::stream
