// A vendor's library without a device: contexts, memory, streams, events, modules, all checked.
// Kernels are functions that a test registers, or code that an emulator runs.
#pragma once

#include "../Common/Code.h"
#include "Control.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tw::emulator {

/// Result codes that CUDA and HIP share.
enum Code : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  LaunchOutOfResources = 701,
  LaunchFailed = 719,
  CaptureUnsupported = 900,
  GraphUpdateFailed = 910,
};

struct Context {
  int device = 0;
  uint32_t owners = 0;
};

/// Device memory, or pinned host memory. `pending`: commands not run yet that use it.
struct Allocation {
  int device = 0;
  uint64_t bytes = 0;
  bool pinned = false;
  uint32_t pending = 0;
};

struct RegisteredKernel {
  Kernel kernel = nullptr;
  uint32_t bindings = 0, scalars = 0;
};

struct Module {
  int device = 0;
  std::set<std::string> names;
  /// What the emulator runs, if it does.
  std::shared_ptr<const CodeImage> program;
};

struct Function {
  Module *module = nullptr;
  RegisteredKernel kernel;
  std::shared_ptr<const CodeImage> program;
  const KernelCode *emulated = nullptr;
  int dynamicBytes = 0;
};

struct Event {
  int device = 0;
  bool timing = true;
  bool recorded = false, reached = false;
  double time = 0;
};

struct Command {
  enum Kind { Copy, Set, Launch, Record, Wait } kind = Copy;
  uint64_t to = 0, from = 0, bytes = 0;
  /// The source as it was when a copy from pageable memory was handed in.
  std::vector<uint8_t> staged;
  bool isStaged = false;
  uint32_t pattern = 0, width = 0;
  Function function;
  std::vector<void *> bindings;
  std::vector<int64_t> scalars;
  int device = 0;
  /// Emulated kernels: parameters as they lie in memory, the grid and the block.
  std::vector<uint8_t> parameters;
  unsigned grid[3] = {}, block[3] = {};
  uint64_t groups = 0;
  uint32_t threads = 0;
  uint64_t localBytes = 0;
  Event *event = nullptr;
};

struct Stream {
  int device = 0;
  std::vector<Command> commands;
  size_t next = 0;
  /// What it was handed since it began to capture.
  bool isCapturing = false;
  std::vector<Command> captured;
};

/// What a stream captured; or the same, executable.
struct Graph {
  int device = 0;
  bool isExecutable = false;
  std::vector<Command> commands;
};

/// One fake library. Functions named after the CUDA driver's do what those do; they expect the
/// lock that `begin` takes.
class Library {
public:
  /// Starts a call: counts it, checks the order, gives the injected failure if this is its turn.
  /// `context` asks for a current context; its device is `device()` then.
  struct Call {
    Call(Library &library, const char *name, bool context);
    std::lock_guard<std::recursive_mutex> lock;
    /// Not Success: return it.
    int code = Success;
    int device = -1;
  };

  explicit Library(bool perThreadDevice, std::vector<Device> devices);

  void mistake(const char *text, ...) __attribute__((format(printf, 2, 3)));

  int init();
  int primaryRetain(void **context, int device);
  int primaryRelease(int device);
  int push(void *context);
  int pop(void **context);

  int allocate(int device, uint64_t *address, size_t bytes);
  int free(int device, uint64_t address);
  int allocatePinned(int device, void **memory, size_t bytes);
  int freePinned(int device, void *memory);

  int streamCreate(int device, void **stream, unsigned flags);
  int streamDestroy(int device, void *stream);
  int streamSynchronize(int device, void *stream);
  int streamWaitEvent(int device, void *stream, void *event);
  int copyToDevice(int device, uint64_t to, const void *from, size_t bytes, void *stream);
  int copyToHost(int device, void *to, uint64_t from, size_t bytes, void *stream);
  int copyOnDevice(int device, uint64_t to, uint64_t from, size_t bytes, void *stream);
  int set(int device, uint64_t to, uint32_t pattern, uint32_t width, size_t count, void *stream);

  int eventCreate(int device, void **event, unsigned flags);
  int eventDestroy(int device, void *event);
  int eventRecord(int device, void *event, void *stream);
  int eventQuery(int device, void *event);
  int eventSynchronize(int device, void *event);
  int eventElapsed(int device, float *milliseconds, void *from, void *to);

  /// `names` are the kernels in the image; `program`: what the emulator is to run.
  int moduleLoad(int device, void **module, std::set<std::string> names,
                 std::shared_ptr<const CodeImage> program = nullptr);
  int moduleUnload(int device, void *module);
  int moduleFunction(int device, void **function, void *module, const char *name);
  int functionAttribute(int device, int *value, int attribute, void *function);
  int setDynamicBytes(int device, void *function, int bytes);
  int launch(int device, void *function, const unsigned (&grid)[3], const unsigned (&block)[3],
             unsigned dynamicBytes, void *stream, void **parameters);

  int beginCapture(int device, void *stream, int mode);
  int endCapture(int device, void *stream, void **graph);
  int instantiateGraph(int device, void **executable, void *graph);
  /// Where a command is of another kind, or launches another function, the executable graph stays
  /// as it was.
  int updateGraph(int device, void *executable, void *graph);
  int launchGraph(int device, void *executable, void *stream);
  int destroyGraph(int device, void *graph, bool isExecutable);

  const Device *find(int device) const;
  /// What the last kernel that failed did wrong; empty: none has.
  const std::string &faultText() const { return fault; }
  std::string &faultText() { return fault; }
  int deviceCount() const { return int(devices.size()); }
  bool initialized = false;

  // For the control table.
  void reset(const Device *list, size_t count);
  void abandon();
  void addKernel(const char *name, const RegisteredKernel &kernel);
  void fail(const char *function, uint64_t nth, int code, bool sticky);
  uint64_t callCount(const char *function);
  uint64_t liveCount();
  uint64_t usedBytes();
  std::vector<std::string> mistakes;
  bool held = false;
  std::recursive_mutex mutex;

private:
  friend struct Call;
  struct Failure {
    std::string function;
    uint64_t at;
    int code;
    bool sticky;
  };
  Stream *findStream(int device, void *stream);
  Event *findEvent(int device, void *event);
  Graph *findGraph(int device, void *graph, bool isExecutable);
  void checkAlive(const Command &command);
  Allocation *findMemory(uint64_t address, uint64_t bytes);
  bool checkRange(int device, uint64_t address, uint64_t bytes, const char *what);
  int release(int device, uint64_t address, bool pinned);
  void pend(const Command &command, int change);
  int enqueue(int device, void *stream, Command command);
  void runOne(Stream &stream);
  void runAll(Stream &stream);
  void runUntil(Event &event);
  void execute(const Command &command);
  void emulate(const Command &command);
  int addEmulated(Command &command, void **parameters);
  int codeOf(int device) const;
  void readEnvironment();
  void dropDevice(int device);
  uint64_t countOf(int device);

  bool perThreadDevice;
  std::vector<Device> devices;
  std::map<std::string, uint64_t> calls;
  std::vector<Failure> failures;
  std::map<int, int> lost;
  std::map<int, Context> contexts;
  std::map<uint64_t, Allocation> allocations;
  std::map<void *, std::unique_ptr<Stream>> streams;
  std::map<void *, std::unique_ptr<Event>> events;
  std::map<void *, std::unique_ptr<Graph>> graphs;
  std::map<void *, std::unique_ptr<Module>> modules;
  std::map<void *, std::unique_ptr<Function>> functions;
  std::map<std::string, RegisteredKernel> kernels;
  std::map<int, uint64_t> used;
  std::map<int, Memory> memories;
  std::string fault;
};

/// The current contexts of this thread (CUDA), or its current device (HIP).
struct ThreadState {
  std::vector<void *> stack;
  int device = 0;
};
ThreadState &threadState();

/// The chips of the library, or of a fake of it.
std::vector<Device> defaultDevices();

/// Kernels of a PTX text, after its rules have been checked: `.version` first, a `.target` that a
/// device of `capability` runs. Otherwise the result code, with `log` saying why.
int readPtx(const char *text, int capability, std::set<std::string> &names, std::string &log);

/// Kernels of an ELF object for NVIDIA (sections .text.NAME, capability in the flags' low byte) or
/// for AMD (symbols NAME.kd, the chip after "amdgcn-amd-amdhsa--"), if it is for this device.
int readObject(const void *image, const Device &device, std::set<std::string> &names);

/// What an emulator runs of a code object for AMD. NULL, with `error`, if it does not know a thing
/// in it.
std::shared_ptr<const CodeImage> loadCodeObject(const void *image, const Device &device,
                                                std::string &error);

} // namespace tw::emulator
