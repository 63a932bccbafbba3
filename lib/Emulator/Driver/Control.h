// What tests ask the emulated CUDA library, and the fakes of libcuda.so.1 and libamdhip64.so.
//
// A library is found by its file name like the real one; `twEmulatorControl` of it gives this
// table. Device memory is host memory, streams run their commands when somebody waits for them or
// asks about them, and every call is checked: the order, the current context, handles alive and of
// the right device, sizes within allocations, memory not freed while a command needs it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tw::emulator {

/// A launch as a kernel sees it, one call for each group. `local` is zeroed dynamic memory.
struct Group {
  void *const *bindings;
  const int64_t *scalars;
  uint64_t index;
  uint32_t threads;
  void *local;
};
using Kernel = void (*)(const Group &group);

struct Device {
  const char *name = "";
  /// CUDA: compute capability times ten. HIP: unused.
  int capability = 0;
  /// HIP: what gcnArchName holds. CUDA: unused.
  const char *architecture = "";
  uint64_t totalBytes = 0;
  /// Code is executed: PTX (images of machine code are refused as made for another chip), or code objects.
  bool emulated = false;
  int maxThreads = 1024, localBytes = 48 << 10, localBytesOptIn = 0, maxGridX = 0x7fffffff;
};

struct Control {
  /// Forgets counts, failures and mistakes, and sets the devices there are (two by default).
  /// Nothing may be alive.
  void (*reset)(const Device *devices, size_t count);
  /// Reset with the devices that the fake had at first.
  void (*restore)();
  /// Drops everything that is alive: what failed releases and lost devices have left.
  void (*abandon)();
  /// A kernel that images may hold: looked up by name.
  void (*addKernel)(const char *name, Kernel kernel, uint32_t bindings, uint32_t scalars);
  /// Makes the `nth` call from now (1: the next) of `function` return `code`, before it does
  /// anything. A sticky failure is returned by every later call on the same device that can
  /// report one, as a lost device does. Also read from TW_EMULATOR_FAIL=function:nth:code[:sticky].
  void (*fail)(const char *function, uint64_t nth, int code, bool sticky);
  /// While held, commands wait: queries say "not ready". Waiting calls then count as mistakes and
  /// run them.
  void (*hold)(bool held);

  uint64_t (*callCount)(const char *function);
  /// Calls that broke a rule, and what the n-th was.
  uint64_t (*mistakeCount)();
  const char *(*mistake)(uint64_t index);
  /// Contexts, allocations, pinned memory, streams, events and modules that are alive on devices
  /// that are not lost.
  uint64_t (*liveCount)();
  /// Device memory in use.
  uint64_t (*usedBytes)();
  /// Functions the library has, in the order of their names; NULL at the end.
  const char *(*functionName)(size_t index);
};

/// The symbol of the libraries: const Control *twEmulatorControl().
using GetControl = const Control *(*)();

} // namespace tw::emulator
