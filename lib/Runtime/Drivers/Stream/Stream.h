// The handles of drivers over streams and events: what CUDA's and HIP's have in common.
//
// Threads: a device is shared; its mutex guards the pool and the list of queues. A queue's mutex
// guards its points, so that any thread may wait for one; the rest of a queue is its user's.
#pragma once

#include "Api.h"
#include "Object.h"
#include "Pool.h"

#include <atomic>
#include <mutex>

namespace tw::runtime::stream {

struct Queue;

struct Device {
  Allocator allocator;
  const Api &api;
  int ordinal = 0;
  /// CUDA's primary context.
  void *context = nullptr;
  uint32_t maxGridX = 1;
  uint64_t localBytes = 0;
  /// Set by the first result that leaves the device unusable; later calls fail without being made.
  std::atomic<bool> lost{false};
  std::mutex mutex;
  Pool pool;
  Queue *queues = nullptr;
  /// What tensors without elements are bound to, made for the first of them.
  std::mutex emptyMutex;
  uint64_t empty = 0;

  Device(const Allocator &allocator, const Api &api)
      : allocator(allocator), api(api), pool(allocator) {}
};

/// Makes the device the calling thread's, and puts back what was current before. Where that fails
/// no call may be made: it would go to another device.
class Current {
public:
  explicit Current(Device &device);
  ~Current();
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

  explicit operator bool() const { return result == success; }
  TwrtCode check(TwrtError *error) const;

private:
  Device &device;
  const char *call = nullptr;
  int result = success;
  int before = -1;
};

/// The error of a call on this device; marks the device lost if it is.
TwrtCode failOn(Device &device, const char *call, int result, TwrtError *error);
TwrtCode failLost(const Device &device, const char *call, TwrtError *error);

/// Makes a call unless the device is lost. The device must be current.
template <typename... Parameters, typename... Arguments>
TwrtCode invoke(Device &device, const Entry<Parameters...> &entry, TwrtError *error,
                Arguments... arguments) {
  if (device.lost.load(std::memory_order_relaxed))
    return failLost(device, entry.name, error);
  int result = entry.function(arguments...);
  return result == success ? TWRT_OK : failOn(device, entry.name, result, error);
}

/// Memory of the device: a block of the pool, or, without one, somebody else's.
struct Memory {
  Block *block = nullptr;
  uint64_t address = 0;
  TwrtHandleKind kind = TWRT_HANDLE_CUDA;
};

struct Executable {
  void *module = nullptr;
  struct Kernel {
    void *function = nullptr;
    uint32_t group = 1, dynamicBytes = 0, bindings = 0, scalars = 0;
    Array<ImageMap> maps;
  };
  Array<Kernel> kernels;

  explicit Executable(const Allocator &allocator) : kernels(allocator) {}
};

/// A plan whose launches are timed: events before the first launch and after each. Their times are
/// those of the device, counted from when the plan was handed in.
struct Flight {
  Flight *next = nullptr;
  uint64_t point = 0;
  TwrtSample *samples = nullptr;
  Array<void *> events;
  uint64_t submittedNs = 0;

  explicit Flight(const Allocator &allocator) : events(allocator) {}
};

struct Queue {
  /// Points whose events are still theirs. An older point is reached when the oldest of these is.
  static constexpr uint32_t ringSize = 64;
  /// Writes up to a chunk go through pinned memory and return at once.
  static constexpr uint32_t chunkCount = 4;
  static constexpr uint64_t chunkBytes = 1u << 20;
  /// What copies between overlapping ranges go through.
  static constexpr uint64_t bounceBytes = 1u << 20;

  Device &device;
  Queue *next = nullptr;
  void *stream = nullptr;
  /// The stream is somebody else's; others hand work to it, too.
  bool isLent = false;
  std::atomic<bool> isShared{false};

  std::mutex mutex;
  uint64_t last = 0, reached = 0;
  void *ring[ringSize] = {};
  Flight *flights = nullptr;
  /// Events for timing that no flight has.
  Array<void *> spare;
  size_t spareCount = 0;

  /// Commands have been handed in since the stream was last seen empty.
  std::atomic<bool> busy{false};
  uint8_t *staging = nullptr;
  bool noStaging = false;
  uint64_t chunkPoint[chunkCount] = {};
  uint32_t chunk = 0;
  uint64_t chunkUsed = 0;
  DriverMemory bounce;
  /// Of the queue's own, which captures the commands of plans to be recorded.
  void *capturing = nullptr;

  explicit Queue(Device &device) : device(device), spare(device.allocator) {}
};

/// The time in which commands are handed in: a queue is busy from before the first to after the
/// last, whether or not they all were accepted.
class Submission {
public:
  explicit Submission(Queue &queue) : current(queue.device), queue(queue) { queue.busy = true; }
  ~Submission() { queue.busy = true; }
  Submission(const Submission &) = delete;
  Submission &operator=(const Submission &) = delete;

  TwrtCode check(TwrtError *error) const { return current.check(error); }

private:
  Current current;
  Queue &queue;
};

/// Waits for all work of all queues. Takes the queues' mutexes; the device's is held by the caller.
void drain(Device &device);

TwrtCode allocate(void *device, uint64_t bytes, DriverMemory *memory, TwrtError *error);
void freeMemory(void *device, DriverMemory *memory);
TwrtCode importMemory(void *device, void *data, uint64_t bytes, DriverMemory *memory,
                      TwrtError *error);
TwrtCode mapFile(void *device, int file, uint64_t offset, uint64_t bytes, DriverMemory *memory,
                 TwrtError *error);

void memoryHandle(const DriverMemory &memory, TwrtHandle &handle);
TwrtCode importHandle(void *device, const TwrtHandle &handle, uint64_t bytes, DriverMemory *memory,
                      TwrtError *error);
void deviceHandle(const void *device, TwrtHandle &handle);
void queueHandle(void *queue, TwrtHandle &handle);
TwrtCode queueImport(void *device, const TwrtHandle &handle, void **queue, TwrtError *error);

TwrtCode queueCreate(void *device, void **queue, TwrtError *error);
void queueDestroy(void *queue);
TwrtCode pointWait(void *queue, uint64_t point, uint64_t timeoutNs, TwrtError *error);
TwrtCode queueWait(void *queue, void *other, uint64_t point, TwrtError *error);
/// Ends what was handed in with the queue's next point.
TwrtCode advance(Queue &queue, uint64_t *point, TwrtError *error);
/// Takes a timing event from the spare ones, or makes one. NULL when there is none to be had.
void *takeEvent(Queue &queue);

TwrtCode write(void *queue, const PlanRange &to, const void *from, uint64_t *point,
               TwrtError *error);
TwrtCode read(void *queue, const PlanRange &from, void *to, uint64_t *point, TwrtError *error);
TwrtCode copy(void *queue, const PlanRange &to, const PlanRange &from, uint64_t *point,
              TwrtError *error);
TwrtCode fill(void *queue, const PlanRange &to, int64_t pattern, uint32_t width, uint64_t *point,
              TwrtError *error);
/// 0 for an empty range.
uint64_t addressOf(const PlanRange &range);
/// The commands alone, without a point, on the queue's stream or on the one that captures.
TwrtCode addCopy(Queue &queue, void *stream, const PlanRange &to, const PlanRange &from,
                 TwrtError *error);
TwrtCode addFill(Queue &queue, void *stream, const PlanRange &to, int64_t pattern, uint32_t width,
                 TwrtError *error);
/// Where the queue keeps what a copy goes through, which it then has; 0: the copy needs none.
TwrtCode getBounce(Queue &queue, const PlanRange &to, const PlanRange &from, uint64_t *address,
                   TwrtError *error);

TwrtCode loadExecutable(void *device, const ImageSource &image, void **executable,
                        TwrtError *error);
void unload(void *device, void *executable);
TwrtCode submitPlan(void *queue, const Plan &plan, uint64_t *point, TwrtError *error);

/// What the library is told of a launch, beside its scalars and maps. `width` 0: nothing is
/// launched.
struct LaunchArguments {
  const Executable::Kernel *kernel = nullptr;
  uint64_t addresses[16];
  uint32_t width = 0, height = 0;
};
TwrtCode getArguments(Queue &queue, const Plan &plan, const PlanStep &step,
                      LaunchArguments &arguments, TwrtError *error);
/// Hands the steps to `stream`, the queue's or the one that captures. `flight` may be NULL: nobody
/// asks for times.
TwrtCode runSteps(Queue &queue, void *stream, const Plan &plan, Flight *flight, TwrtError *error);

/// What a recording of these drivers is.
struct RecordedGraph;
TwrtCode checkRecording(void *device, TwrtError *error);
void freeRecording(void *device, void *recording);
/// Hands the plan to the queue's stream as one graph.
TwrtCode runRecorded(Queue &queue, const Plan &plan, TwrtError *error);

// What a driver's table needs its library for.
TwrtCode probe(Api &api, TwrtError *error);
size_t enumerate(Api &api);
const char *deviceName(Api &api, size_t index);
void describe(Api &api, size_t index, DeviceInfo &info, support::JsonWriter &json);
TwrtCode open(Api &api, const DriverContext &context, size_t index, void **device,
              TwrtError *error);
void close(void *device);

/// The table of the driver `name` over `api`. Emulated devices are called by their chip.
template <Api &api, bool emulated = false> constexpr Driver makeDriver(const char *name) {
  return {
      .name = name,
      .emulated = emulated,
      .deviceName = emulated ? [](size_t index) { return deviceName(api, index); }
                             : static_cast<const char *(*)(size_t)>(nullptr),
      .probe = [](TwrtError *error) { return probe(api, error); },
      .enumerate = [] { return enumerate(api); },
      .describe = [](const DriverContext &, size_t index, DeviceInfo &info,
                     support::JsonWriter &json) { describe(api, index, info, json); },
      .open = [](const DriverContext &context, size_t index, void **device,
                 TwrtError *error) { return open(api, context, index, device, error); },
      .close = close,
      .allocate = allocate,
      .free = freeMemory,
      .importMemory = importMemory,
      .mapFile = mapFile,
      .queueCreate = queueCreate,
      .queueDestroy = queueDestroy,
      .write = write,
      .read = read,
      .copy = copy,
      .fill = fill,
      .loadExecutable = loadExecutable,
      .unload = unload,
      .submitPlan = submitPlan,
      .checkRecording = checkRecording,
      .freeRecording = freeRecording,
      .pointWait = pointWait,
      .queueWait = queueWait,
      .deviceHandle = deviceHandle,
      .queueHandle = queueHandle,
      .memoryHandle = memoryHandle,
      .importHandle = importHandle,
      .queueImport = queueImport,
  };
}

} // namespace tw::runtime::stream
