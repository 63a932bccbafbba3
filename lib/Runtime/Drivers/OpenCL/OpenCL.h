// The OpenCL driver's handles.
#pragma once

#include "Driver.h"
#include "Library.h"
#include "Object.h"

#include <mutex>

namespace tw::runtime::opencl {

struct Queue;

struct Device {
  Allocator allocator;
  const DeviceRecord *record;
  cl_context context = nullptr;
  /// The queues alive; guarded by `mutex`.
  std::mutex mutex;
  Queue *queues = nullptr;

  Device(const Allocator &allocator, const DeviceRecord *record)
      : allocator(allocator), record(record) {}
};

/// Ranges of a memory start `skip` bytes into its buffer.
struct Memory {
  cl_mem buffer = nullptr;
  uint64_t skip = 0;
  void *mapping = nullptr;
  size_t mappedBytes = 0;
  /// The host's memory, which must not go away under running work.
  bool imported = false;
};

struct Kernel {
  cl_kernel handle = nullptr;
  uint32_t group = 1, parts = 1, bindings = 0, scalars = 0;
};

/// Arguments belong to the kernel, so setting them and launching is under the lock.
struct Executable {
  Allocator allocator;
  cl_program program = nullptr;
  Array<Kernel> kernels;
  std::mutex mutex;

  explicit Executable(const Allocator &allocator) : allocator(allocator), kernels(allocator) {}
  ~Executable();
};

/// A launch whose times are read once it has finished.
struct TimedLaunch {
  cl_event event = nullptr;
  TwrtSample *sample = nullptr;
};

/// Work handed in and not known to be done. The last command's event stands for all of it.
struct Pending {
  uint64_t point = 0;
  cl_event event = nullptr;
  Array<TimedLaunch> launches;
  /// When the first command was handed in, by the host's clock.
  uint64_t startNs = 0;
};

/// In order. At most `maxPending` points are open; handing in more waits for the oldest, so that
/// memory stays constant. A queue whose work failed stays failed.
struct Queue {
  static constexpr uint32_t maxPending = 64;
  Device *device;
  cl_command_queue handle = nullptr;
  Queue *next = nullptr;
  std::mutex mutex;
  uint64_t submitted = 0, reached = 0;
  Pending pending[maxPending];
  uint32_t first = 0, count = 0;
  TwrtError failure = {sizeof(TwrtError), TWRT_OK, 0, "", ""};

  explicit Queue(Device *device) : device(device) {}
};

TwrtCode allocate(void *device, uint64_t bytes, DriverMemory *memory, TwrtError *error);
TwrtCode importMemory(void *device, void *data, uint64_t bytes, DriverMemory *memory,
                      TwrtError *error);
TwrtCode mapFile(void *device, int file, uint64_t offset, uint64_t bytes, DriverMemory *memory,
                 TwrtError *error);
void freeMemory(void *device, DriverMemory *memory);

void deviceHandle(const void *device, TwrtHandle &handle);
void queueHandle(void *queue, TwrtHandle &handle);
void memoryHandle(const DriverMemory &memory, TwrtHandle &handle);
TwrtCode importHandle(void *device, const TwrtHandle &handle, uint64_t bytes, DriverMemory *memory,
                      TwrtError *error);
TwrtCode queueImport(void *device, const TwrtHandle &handle, void **queue, TwrtError *error);

TwrtCode loadExecutable(void *device, const ImageSource &image, void **executable,
                        TwrtError *error);
void unload(void *device, void *executable);

TwrtCode queueCreate(void *device, void **queue, TwrtError *error);
void queueDestroy(void *queue);
TwrtCode write(void *queue, const PlanRange &to, const void *from, uint64_t *point,
               TwrtError *error);
TwrtCode read(void *queue, const PlanRange &from, void *to, uint64_t *point, TwrtError *error);
TwrtCode copy(void *queue, const PlanRange &to, const PlanRange &from, uint64_t *point,
              TwrtError *error);
TwrtCode fill(void *queue, const PlanRange &to, int64_t pattern, uint32_t width, uint64_t *point,
              TwrtError *error);
TwrtCode submitPlan(void *queue, const Plan &plan, uint64_t *point, TwrtError *error);
TwrtCode pointWait(void *queue, uint64_t point, uint64_t timeoutNs, TwrtError *error);
TwrtCode queueWait(void *queue, void *other, uint64_t point, TwrtError *error);

// ---- Commands, under the queue's lock; `event` may be NULL -------------------------------------

TwrtCode enqueueCopy(Queue &queue, const PlanRange &to, const PlanRange &from, cl_event *event,
                     TwrtError *error);
TwrtCode enqueueFill(Queue &queue, const PlanRange &to, int64_t pattern, uint32_t width,
                     cl_event *event, TwrtError *error);
TwrtCode enqueueLaunch(Queue &queue, const Plan &plan, const PlanStep &step, cl_event *event,
                       TwrtError *error);

/// Makes room for one more point, waiting if need be; fails if the queue has failed.
TwrtCode makeRoom(Queue &queue, TwrtError *error);
/// Ends what was handed in since with `event`, whose ownership passes on, and hands out a point.
/// NULL: a marker is enqueued.
TwrtCode finishPoint(Queue &queue, cl_event event, uint64_t *point, TwrtError *error);

} // namespace tw::runtime::opencl
