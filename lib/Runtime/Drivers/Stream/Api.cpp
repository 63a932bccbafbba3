// Loading a vendor's library and naming its errors.
#include "Api.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <utility>

using namespace tw::runtime;
using namespace tw::runtime::stream;

namespace {

struct Loader {
  void *library;
  const char *missing = nullptr;

  template <typename... Arguments> void find(Entry<Arguments...> &entry) {
    if (!entry.name)
      return;
    void *symbol = dlsym(library, entry.name);
    entry.function = reinterpret_cast<int (*)(Arguments...)>(symbol);
    if (!symbol && !missing)
      missing = entry.name;
  }

  template <typename... Arguments> void findIfThere(Entry<Arguments...> &entry) {
    const char *before = std::exchange(missing, "");
    find(entry);
    missing = before;
  }

  void findAll(Api &api) {
    find(api.init);
    find(api.driverVersion);
    find(api.deviceCount);
    find(api.deviceGet);
    find(api.deviceName);
    find(api.totalMemory);
    find(api.attribute);
    find(api.deviceProperties);
    find(api.errorName);
    find(api.contextRetain);
    find(api.contextRelease);
    find(api.contextPush);
    find(api.contextPop);
    find(api.getDevice);
    find(api.setDevice);
    find(api.allocate);
    find(api.free);
    find(api.allocatePinned);
    find(api.freePinned);
    find(api.copyToDevice);
    find(api.copyToHost);
    find(api.copyOnDevice);
    find(api.set8);
    find(api.set16);
    find(api.set32);
    find(api.streamCreate);
    find(api.streamDestroy);
    find(api.streamSynchronize);
    find(api.streamWaitEvent);
    find(api.eventCreate);
    find(api.eventDestroy);
    find(api.eventRecord);
    find(api.eventQuery);
    find(api.eventSynchronize);
    find(api.eventElapsed);
    find(api.moduleLoadJit);
    find(api.moduleLoad);
    find(api.moduleUnload);
    find(api.moduleFunction);
    find(api.functionAttribute);
    find(api.setFunctionAttribute);
    find(api.launch);
    findIfThere(api.encodeMap);
    findIfThere(api.beginCapture);
    findIfThere(api.endCapture);
    findIfThere(api.instantiateGraph);
    findIfThere(api.updateGraph);
    findIfThere(api.updateGraphInParts);
    findIfThere(api.launchGraph);
    findIfThere(api.destroyGraph);
    findIfThere(api.destroyExecutableGraph);
  }
};

} // namespace

/// Opens `name` in the folder of the runtime, or of the program that it is linked into, or in the
/// "lib" beside.
static void *openBeside(const char *name) {
  Dl_info here;
  if (!dladdr(reinterpret_cast<void *>(&openBeside), &here) || !here.dli_fname)
    return nullptr;
  const char *slash = strrchr(here.dli_fname, '/');
  int folder = slash ? int(slash - here.dli_fname) + 1 : 0;
  void *library = nullptr;
  for (const char *below : {"", "../lib/"}) {
    char path[4096];
    int length = snprintf(path, sizeof(path), "%.*s%s%s", folder, here.dli_fname, below, name);
    if (!library && folder && length < int(sizeof(path)))
      library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return library;
}

TwrtCode stream::load(Api &api, TwrtError *error) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (api.launch.function)
    return TWRT_OK;
  void *library = api.beside ? openBeside(api.libraries[0]) : nullptr;
  for (const char *const *name = api.libraries; !library && *name; ++name)
    library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return failCall(error, TWRT_NOT_FOUND, "dlopen", 0, "no library %s on this machine",
                    api.libraries[0]);
  // Never closed: vendors' libraries do not survive it.
  Api loaded = api;
  Loader loader{library};
  loader.findAll(loaded);
  if (loader.missing)
    return failCall(error, TWRT_UNSUPPORTED, "dlsym", 0, "%s has no %s: it is too old",
                    api.libraries[0], loader.missing);
  api = loaded;
  return TWRT_OK;
}

bool stream::isSticky(int result) {
  // Deinitialized, device unavailable, ECC, NVLink, contained; and what kernels end with: illegal
  // address, time-out, destroyed context, assert, stack, instruction, alignment, address space,
  // program counter, launch failure, tensor memory. cuda.h says of each that the context can no
  // longer be used; HIP has the numbers that apply to it.
  static constexpr int sticky[] = {4,   46,  214, 220, 226, 700, 702, 709,
                                   710, 714, 715, 716, 717, 718, 719, 721};
  return std::binary_search(std::begin(sticky), std::end(sticky), result);
}

TwrtCode stream::failResult(const Api &api, const char *call, int result, TwrtError *error) {
  const char *name = nullptr;
  if (!api.errorName.function || api.errorName.function(result, &name) != success || !name)
    name = "an error without a name";
  if (result == outOfMemory)
    return failCall(error, TWRT_OUT_OF_MEMORY, call, result, "%s: %s", call, name);
  if (isSticky(result))
    return failCall(error, TWRT_DEVICE_LOST, call, result, "the device is lost: %s: %s", call,
                    name);
  return failCall(error, TWRT_DRIVER_ERROR, call, result, "%s: %s", call, name);
}
