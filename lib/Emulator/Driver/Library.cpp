// Calls, contexts, memory and modules.
#include "Library.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tw::emulator;

ThreadState &tw::emulator::threadState() {
  static thread_local ThreadState state;
  return state;
}

Library::Library(bool perThreadDevice, std::vector<Device> devices)
    : perThreadDevice(perThreadDevice), devices(std::move(devices)) {
  readEnvironment();
}

void Library::readEnvironment() {
  const char *text = getenv("TW_EMULATOR_FAIL");
  if (!text)
    return;
  char function[64], sticky[8] = "";
  unsigned long long nth;
  int code;
  if (sscanf(text, "%63[^:]:%llu:%d:%7s", function, &nth, &code, sticky) >= 3)
    fail(function, nth, code, strcmp(sticky, "sticky") == 0);
}

void Library::mistake(const char *text, ...) {
  char line[300];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(line, sizeof(line), text, arguments);
  va_end(arguments);
  mistakes.push_back(line);
}

Library::Call::Call(Library &library, const char *name, bool context) : lock(library.mutex) {
  uint64_t count = ++library.calls[name];
  ThreadState &state = threadState();
  if (library.perThreadDevice)
    device = state.device;
  else if (!state.stack.empty())
    device = static_cast<Context *>(state.stack.back())->device;
  for (const Failure &failure : library.failures)
    if (failure.function == name && failure.at == count) {
      code = failure.code;
      if (failure.sticky)
        library.lost[device] = failure.code;
    }
  if (code != Success)
    return;
  if (context && device < 0) {
    library.mistake("%s without a current context", name);
    code = InvalidContext;
  } else if (context && library.lost.count(device)) {
    code = library.lost[device];
  }
}

const Device *Library::find(int device) const {
  return device >= 0 && device < deviceCount() ? &devices[size_t(device)] : nullptr;
}

int Library::init() {
  initialized = true;
  return devices.empty() ? NoDevice : Success;
}

int Library::primaryRetain(void **context, int device) {
  if (!initialized || !find(device)) {
    mistake("a context of device %d, which there is not", device);
    return initialized ? InvalidDevice : NotInitialized;
  }
  Context &found = contexts[device];
  found.device = device;
  ++found.owners;
  *context = &found;
  return Success;
}

int Library::primaryRelease(int device) {
  auto found = contexts.find(device);
  if (found == contexts.end() || found->second.owners == 0) {
    mistake("a primary context released more often than retained");
    return InvalidContext;
  }
  if (--found->second.owners)
    return Success;
  // A context takes with it what it holds; only a lost one may hold anything.
  uint64_t held = countOf(device);
  if (held && !lost.count(device))
    mistake("a context destroyed with %llu handles alive", (unsigned long long)held);
  if (lost.erase(device))
    dropDevice(device);
  return Success;
}

int Library::push(void *context) {
  for (auto &[device, known] : contexts)
    if (&known == context && known.owners) {
      threadState().stack.push_back(context);
      return Success;
    }
  mistake("a context made current that is not alive");
  return InvalidContext;
}

int Library::pop(void **context) {
  std::vector<void *> &stack = threadState().stack;
  if (stack.empty()) {
    mistake("a context popped from an empty stack");
    return InvalidContext;
  }
  *context = stack.back();
  stack.pop_back();
  return Success;
}

/// What is poisoned of new memory; all of it would be most of what tests do.
static constexpr size_t poisonedBytes = 1u << 20;

/// What lies behind each piece of device memory: an access past its end, by up to as much, is in no
/// allocation, wherever the host's allocator puts the next one.
static constexpr size_t guardBytes = 1u << 16;

int Library::allocate(int device, uint64_t *address, size_t bytes) {
  if (bytes == 0)
    return InvalidValue;
  const Device &on = *find(device);
  if (bytes > on.totalBytes || used[device] > on.totalBytes - bytes)
    return OutOfMemory;
  void *memory = nullptr;
  if (bytes > SIZE_MAX - guardBytes || posix_memalign(&memory, 256, bytes + guardBytes) != 0)
    return OutOfMemory;
  memset(memory, 0xcd, std::min(bytes, poisonedBytes));
  used[device] += bytes;
  *address = reinterpret_cast<uintptr_t>(memory);
  allocations[*address] = {device, bytes, false, 0};
  if (on.emulated)
    memories[device].add(*address, bytes);
  return Success;
}

int Library::allocatePinned(int device, void **memory, size_t bytes) {
  void *made = nullptr;
  if (bytes == 0)
    return InvalidValue;
  if (posix_memalign(&made, 4096, bytes) != 0)
    return OutOfMemory;
  memset(made, 0xcd, std::min(bytes, poisonedBytes));
  *memory = made;
  allocations[reinterpret_cast<uintptr_t>(made)] = {device, bytes, true, 0};
  return Success;
}

int Library::release(int device, uint64_t address, bool pinned) {
  auto found = allocations.find(address);
  if (found == allocations.end() || found->second.pinned != pinned) {
    mistake("memory freed that is not allocated");
    return InvalidValue;
  }
  if (found->second.device != device)
    mistake("memory of device %d freed on device %d", found->second.device, device);
  if (found->second.pending)
    mistake("memory freed that %u commands use", found->second.pending);
  if (!pinned) {
    used[device] -= found->second.bytes;
    memories[device].remove(address);
  }
  ::free(reinterpret_cast<void *>(address));
  allocations.erase(found);
  return Success;
}

int Library::free(int device, uint64_t address) { return release(device, address, false); }

int Library::freePinned(int device, void *memory) {
  return release(device, reinterpret_cast<uintptr_t>(memory), true);
}

Allocation *Library::findMemory(uint64_t address, uint64_t bytes) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  auto &[start, allocation] = *std::prev(after);
  uint64_t offset = address - start;
  return offset <= allocation.bytes && bytes <= allocation.bytes - offset ? &allocation : nullptr;
}

bool Library::checkRange(int device, uint64_t address, uint64_t bytes, const char *what) {
  Allocation *found = findMemory(address, bytes);
  if (found && !found->pinned && found->device == device && bytes != 0)
    return true;
  mistake("%s: %llu bytes at %#llx are not memory of device %d", what, (unsigned long long)bytes,
          (unsigned long long)address, device);
  return false;
}

int Library::moduleLoad(int device, void **module, std::set<std::string> names,
                        std::shared_ptr<const CodeImage> program) {
  auto made = std::make_unique<Module>();
  made->device = device;
  made->names = std::move(names);
  made->program = std::move(program);
  *module = made.get();
  modules[*module] = std::move(made);
  return Success;
}

int Library::moduleUnload(int device, void *module) {
  auto found = modules.find(module);
  if (found == modules.end() || found->second->device != device) {
    mistake("a module unloaded that is not loaded on device %d", device);
    return InvalidHandle;
  }
  for (auto &[handle, stream] : streams)
    for (size_t i = stream->next; i < stream->commands.size(); ++i)
      if (stream->commands[i].function.module == module)
        mistake("a module unloaded that a launch uses");
  std::erase_if(functions, [&](auto &entry) { return entry.second->module == module; });
  modules.erase(found);
  return Success;
}

int Library::moduleFunction(int device, void **function, void *module, const char *name) {
  auto found = modules.find(module);
  if (found == modules.end() || found->second->device != device) {
    mistake("a function of a module that is not loaded on device %d", device);
    return InvalidHandle;
  }
  auto made = std::make_unique<Function>();
  made->module = found->second.get();
  if (made->program = found->second->program; made->program) {
    made->emulated = made->program->find(name);
    if (!made->emulated)
      return NotFound;
  } else {
    auto kernel = kernels.find(name);
    if (!found->second->names.count(name) || kernel == kernels.end())
      return NotFound;
    made->kernel = kernel->second;
  }
  *function = made.get();
  functions[*function] = std::move(made);
  return Success;
}

int Library::functionAttribute(int device, int *value, int attribute, void *function) {
  if (!functions.count(function) || functions[function]->module->device != device) {
    mistake("an attribute of a function that is not loaded on device %d", device);
    return InvalidHandle;
  }
  if (attribute != 0)
    return InvalidValue;
  *value = find(device)->maxThreads;
  if (const KernelCode *kernel = functions[function]->emulated; kernel && kernel->maxThreads)
    *value = std::min(*value, int(kernel->maxThreads));
  return Success;
}

int Library::setDynamicBytes(int device, void *function, int bytes) {
  if (!functions.count(function) || functions[function]->module->device != device) {
    mistake("an attribute of a function that is not loaded on device %d", device);
    return InvalidHandle;
  }
  if (bytes > find(device)->localBytesOptIn)
    return InvalidValue;
  functions[function]->dynamicBytes = bytes;
  return Success;
}

void Library::reset(const Device *list, size_t count) {
  std::lock_guard lock(mutex);
  failures.clear();
  calls.clear();
  lost.clear();
  fault.clear();
  held = false;
  mistakes.clear();
  if (liveCount() != 0) {
    mistake("reset while %llu handles are alive", (unsigned long long)liveCount());
    return;
  }
  if (list)
    devices.assign(list, list + count);
  contexts.clear();
}

void Library::addKernel(const char *name, const RegisteredKernel &kernel) {
  std::lock_guard lock(mutex);
  kernels[name] = kernel;
}

void Library::fail(const char *function, uint64_t nth, int code, bool sticky) {
  std::lock_guard lock(mutex);
  failures.push_back({function, calls[function] + nth, code, sticky});
}

uint64_t Library::callCount(const char *function) {
  std::lock_guard lock(mutex);
  return calls[function];
}

/// Handles of a device, its context apart.
uint64_t Library::countOf(int device) {
  uint64_t count = 0;
  auto of = [&](auto &map) {
    for (auto &[key, value] : map) {
      if constexpr (requires { value->device; })
        count += value->device == device;
      else
        count += value.device == device;
    }
  };
  of(allocations);
  of(streams);
  of(events);
  of(graphs);
  of(modules);
  return count;
}

uint64_t Library::liveCount() {
  std::lock_guard lock(mutex);
  uint64_t count = 0;
  for (int device = 0; device < deviceCount(); ++device)
    if (!lost.count(device))
      count += countOf(device) + (contexts.count(device) ? contexts[device].owners : 0);
  return count;
}

void Library::dropDevice(int device) {
  std::erase_if(streams, [&](auto &entry) { return entry.second->device == device; });
  std::erase_if(events, [&](auto &entry) { return entry.second->device == device; });
  std::erase_if(graphs, [&](auto &entry) { return entry.second->device == device; });
  std::erase_if(functions, [&](auto &entry) { return entry.second->module->device == device; });
  std::erase_if(modules, [&](auto &entry) { return entry.second->device == device; });
  std::erase_if(allocations, [&](auto &entry) {
    if (entry.second.device == device)
      ::free(reinterpret_cast<void *>(entry.first));
    return entry.second.device == device;
  });
  used[device] = 0;
  memories[device].clear();
}

void Library::abandon() {
  std::lock_guard lock(mutex);
  for (int device = 0; device < deviceCount(); ++device)
    dropDevice(device);
  contexts.clear();
  lost.clear();
  threadState() = {};
}

uint64_t Library::usedBytes() {
  std::lock_guard lock(mutex);
  uint64_t total = 0;
  for (auto &[device, bytes] : used)
    total += bytes;
  return total;
}
