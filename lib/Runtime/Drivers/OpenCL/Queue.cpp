// Queues of OpenCL devices: points, transfers, plans.
#include "Clock.h"
#include "OpenCL.h"

#include <algorithm>

using namespace tw::runtime;
using namespace tw::runtime::opencl;

/// A queue of ours around `command`, whose ownership passes on.
static TwrtCode makeQueue(Device &device, cl_command_queue command, void **queue,
                          TwrtError *error) {
  Queue *made = create<Queue>(device.allocator, &device);
  if (!made) {
    cl().clReleaseCommandQueue(command);
    return failMemory(error, "a queue");
  }
  made->handle = command;
  for (Pending &pending : made->pending)
    pending.launches = Array<TimedLaunch>(device.allocator);
  std::lock_guard lock(device.mutex);
  made->next = device.queues;
  device.queues = made;
  *queue = made;
  return TWRT_OK;
}

TwrtCode opencl::queueCreate(void *handle, void **queue, TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  cl_int status = CL_SUCCESS;
  cl_command_queue command = cl().clCreateCommandQueue(device.context, device.record->id,
                                                       CL_QUEUE_PROFILING_ENABLE, &status);
  if (TwrtCode code = check(status, "clCreateCommandQueue", error); code != TWRT_OK)
    return code;
  return makeQueue(device, command, queue, error);
}

TwrtCode opencl::queueImport(void *handle, const TwrtHandle &given, void **queue,
                             TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  if (TwrtCode code = checkHandle(given, TWRT_HANDLE_OPENCL, "a command queue", error);
      code != TWRT_OK)
    return code;
  cl_command_queue command = reinterpret_cast<cl_command_queue>(given.value);
  cl_context context = nullptr;
  cl_command_queue_properties properties = 0;
  TW_CL(clGetCommandQueueInfo, command, CL_QUEUE_CONTEXT, sizeof(context), &context, nullptr);
  TW_CL(clGetCommandQueueInfo, command, CL_QUEUE_PROPERTIES, sizeof(properties), &properties,
        nullptr);
  if (context != device.context)
    return fail(error, TWRT_INVALID_ARGUMENT,
                "the command queue is of another context than the device (twrtDeviceHandle)");
  if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ||
      !(properties & CL_QUEUE_PROFILING_ENABLE))
    return fail(error, TWRT_INVALID_ARGUMENT,
                "the command queue has properties 0x%llx, expected profiling and order",
                static_cast<unsigned long long>(properties));
  TW_CL(clRetainCommandQueue, command);
  return makeQueue(device, command, queue, error);
}

void opencl::queueHandle(void *handle, TwrtHandle &made) {
  made.kind = TWRT_HANDLE_OPENCL;
  made.value = reinterpret_cast<uintptr_t>(static_cast<Queue *>(handle)->handle);
}

/// Moves the device's times to the host's clock, both taken when the first command was handed in.
static TwrtCode readTimes(Pending &pending, TwrtError *error) {
  uint64_t shift = 0;
  bool first = true;
  for (TimedLaunch &launch : pending.launches) {
    cl_ulong queued = 0, begin = 0, end = 0;
    if (!launch.event)
      continue;
    if (first) {
      TW_CL(clGetEventProfilingInfo, launch.event, CL_PROFILING_COMMAND_QUEUED, sizeof(queued),
            &queued, nullptr);
      shift = pending.startNs - queued;
      first = false;
    }
    TW_CL(clGetEventProfilingInfo, launch.event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin,
          nullptr);
    TW_CL(clGetEventProfilingInfo, launch.event, CL_PROFILING_COMMAND_END, sizeof(end), &end,
          nullptr);
    launch.sample->beginNs = begin + shift;
    launch.sample->endNs = end + shift;
  }
  return TWRT_OK;
}

static void releaseLaunches(Array<TimedLaunch> &launches) {
  for (TimedLaunch &launch : launches)
    if (launch.event)
      cl().clReleaseEvent(launch.event);
  launches.clear();
}

/// Keeps the first failure of a queue's work for good. Whoever waits is told of it and lets go of
/// what times and bytes are written to, so nothing may run on.
static TwrtCode failQueue(Queue &queue, const TwrtError &reason, TwrtError *error) {
  if (queue.failure.code == TWRT_OK)
    queue.failure = reason;
  cl().clFinish(queue.handle);
  for (Pending &pending : queue.pending)
    releaseLaunches(pending.launches);
  return repeatFailure(queue.failure, error);
}

/// Lets go of what is done up to `point`.
static void retire(Queue &queue, uint64_t point) {
  while (queue.count && queue.pending[queue.first].point <= point) {
    Pending &oldest = queue.pending[queue.first];
    TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
    cl_int status = CL_COMPLETE;
    TwrtCode code = check(cl().clGetEventInfo(oldest.event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                              sizeof(status), &status, nullptr),
                          "clGetEventInfo", &reason);
    if (code == TWRT_OK && status < 0)
      code = check(status, "clWaitForEvents", &reason);
    if (code == TWRT_OK)
      code = readTimes(oldest, &reason);
    if (code != TWRT_OK)
      failQueue(queue, reason, nullptr);
    releaseLaunches(oldest.launches);
    cl().clReleaseEvent(oldest.event);
    oldest.event = nullptr;
    queue.reached = std::max(queue.reached, oldest.point);
    queue.first = (queue.first + 1) % Queue::maxPending;
    --queue.count;
  }
}

/// Waits for one event; its own failure is found by retire.
static TwrtCode waitForEvent(cl_event event, uint64_t timeoutNs, TwrtError *error) {
  if (timeoutNs == waitForever) {
    cl_int status = cl().clWaitForEvents(1, &event);
    if (status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
      status = CL_SUCCESS;
    return check(status, "clWaitForEvents", error);
  }
  // There is no wait with a limit: ask, at growing distances.
  uint64_t start = now();
  for (uint64_t pause = 10000;; pause = std::min<uint64_t>(2 * pause, 1000000)) {
    cl_int status = CL_COMPLETE;
    TW_CL(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status,
          nullptr);
    if (status <= CL_COMPLETE)
      return TWRT_OK;
    uint64_t spent = now() - start;
    if (spent >= timeoutNs)
      return fail(error, TWRT_TIMEOUT, "the work is not done in time");
    timespec sleep = {0, long(std::min(pause, timeoutNs - spent))};
    nanosleep(&sleep, nullptr);
  }
}

TwrtCode opencl::makeRoom(Queue &queue, TwrtError *error) {
  TWRT_TRY(repeatFailure(queue.failure, error));
  if (queue.count == Queue::maxPending) {
    Pending &oldest = queue.pending[queue.first];
    TWRT_TRY(waitForEvent(oldest.event, waitForever, error));
    retire(queue, oldest.point);
  }
  Pending &next = queue.pending[(queue.first + queue.count) % Queue::maxPending];
  next.startNs = now();
  return repeatFailure(queue.failure, error);
}

TwrtCode opencl::finishPoint(Queue &queue, cl_event event, uint64_t *point, TwrtError *error) {
  Pending &next = queue.pending[(queue.first + queue.count) % Queue::maxPending];
  TwrtCode code = TWRT_OK;
  if (!event)
    code = check(cl().clEnqueueMarkerWithWaitList(queue.handle, 0, nullptr, &event),
                 "clEnqueueMarkerWithWaitList", error);
  if (code == TWRT_OK)
    code = check(cl().clFlush(queue.handle), "clFlush", error);
  if (code != TWRT_OK) {
    if (event)
      cl().clReleaseEvent(event);
    return code;
  }
  next.event = event;
  next.point = ++queue.submitted;
  ++queue.count;
  *point = next.point;
  return TWRT_OK;
}

void opencl::queueDestroy(void *handle) {
  Queue *queue = static_cast<Queue *>(handle);
  Device &device = *queue->device;
  cl().clFinish(queue->handle);
  retire(*queue, queue->submitted);
  {
    std::lock_guard lock(device.mutex);
    Queue **link = &device.queues;
    while (*link != queue)
      link = &(*link)->next;
    *link = queue->next;
  }
  cl().clReleaseCommandQueue(queue->handle);
  destroy(device.allocator, queue);
}

/// Hands in one command, made by `enqueue`, as a point of its own. What fails in the middle is
/// waited for, because there is no point for it.
template <typename Enqueue>
static TwrtCode handIn(void *handle, uint64_t *point, TwrtError *error, Enqueue enqueue) {
  Queue &queue = *static_cast<Queue *>(handle);
  std::lock_guard lock(queue.mutex);
  TWRT_TRY(makeRoom(queue, error));
  cl_event event = nullptr;
  TwrtCode code = enqueue(queue, &event);
  if (code == TWRT_OK)
    code = finishPoint(queue, event, point, error);
  if (code != TWRT_OK)
    cl().clFinish(queue.handle);
  return code;
}

TwrtCode opencl::write(void *handle, const PlanRange &to, const void *from, uint64_t *point,
                       TwrtError *error) {
  return handIn(handle, point, error, [&](Queue &queue, cl_event *event) {
    const Memory &memory = *static_cast<const Memory *>(to.memory->handle);
    if (to.bytes)
      TW_CL(clEnqueueWriteBuffer, queue.handle, memory.buffer, CL_FALSE, memory.skip + to.offset,
            to.bytes, from, 0, nullptr, event);
    return TWRT_OK;
  });
}

TwrtCode opencl::read(void *handle, const PlanRange &from, void *to, uint64_t *point,
                      TwrtError *error) {
  return handIn(handle, point, error, [&](Queue &queue, cl_event *event) {
    const Memory &memory = *static_cast<const Memory *>(from.memory->handle);
    if (from.bytes)
      TW_CL(clEnqueueReadBuffer, queue.handle, memory.buffer, CL_FALSE, memory.skip + from.offset,
            from.bytes, to, 0, nullptr, event);
    return TWRT_OK;
  });
}

TwrtCode opencl::copy(void *handle, const PlanRange &to, const PlanRange &from, uint64_t *point,
                      TwrtError *error) {
  return handIn(handle, point, error, [&](Queue &queue, cl_event *event) {
    return enqueueCopy(queue, to, from, event, error);
  });
}

TwrtCode opencl::fill(void *handle, const PlanRange &to, int64_t pattern, uint32_t width,
                      uint64_t *point, TwrtError *error) {
  return handIn(handle, point, error, [&](Queue &queue, cl_event *event) {
    return enqueueFill(queue, to, pattern, width, event, error);
  });
}

static TwrtCode runStep(Queue &queue, const Plan &plan, const PlanStep &step, uint32_t &launch,
                        Array<TimedLaunch> &launches, TwrtError *error) {
  const PlanRange *ranges = plan.ranges.data() + step.firstRange;
  switch (step.kind) {
  case PlanStep::Copy:
    return enqueueCopy(queue, ranges[0], ranges[1], nullptr, error);
  case PlanStep::Fill:
    return enqueueFill(queue, ranges[0], step.pattern, step.width, nullptr, error);
  case PlanStep::Launch:
    break;
  }
  cl_event *event = nullptr;
  if (plan.samples) {
    launches[launch].sample = &plan.samples[launch];
    event = &launches[launch].event;
  }
  if (plan.launching)
    *plan.launching = launch;
  TWRT_TRY(enqueueLaunch(queue, plan, step, event, error));
  if (plan.launching)
    *plan.launching = UINT32_MAX;
  ++launch;
  return TWRT_OK;
}

TwrtCode opencl::submitPlan(void *handle, const Plan &plan, uint64_t *point, TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  std::lock_guard lock(queue.mutex);
  TWRT_TRY(makeRoom(queue, error));
  Array<TimedLaunch> &launches =
      queue.pending[(queue.first + queue.count) % Queue::maxPending].launches;
  size_t count = size_t(std::count_if(plan.steps.begin(), plan.steps.end(), [](const PlanStep &s) {
    return s.kind == PlanStep::Launch;
  }));
  if (!launches.reset(plan.samples ? count : 0))
    return failMemory(error, "a plan");
  TwrtCode code = TWRT_OK;
  for (uint32_t i = 0, launch = 0; code == TWRT_OK && i < plan.steps.size(); ++i)
    code = runStep(queue, plan, plan.steps[i], launch, launches, error);
  if (code == TWRT_OK)
    code = finishPoint(queue, nullptr, point, error);
  if (code != TWRT_OK) {
    cl().clFinish(queue.handle);
    releaseLaunches(launches);
  }
  return code;
}

/// The event behind `point`, retained for the caller, or NULL if the point has been reached. Under
/// the queue's lock.
static TwrtCode takeEvent(Queue &queue, uint64_t point, cl_event *event, TwrtError *error) {
  *event = nullptr;
  if (point > queue.submitted)
    return fail(error, TWRT_INVALID_ARGUMENT, "the queue has not handed out that point");
  if (point <= queue.reached)
    return repeatFailure(queue.failure, error);
  cl_event found = nullptr;
  for (uint32_t i = 0; i < queue.count && !found; ++i) {
    const Pending &pending = queue.pending[(queue.first + i) % Queue::maxPending];
    if (pending.point >= point)
      found = pending.event;
  }
  TW_CL(clRetainEvent, found);
  *event = found;
  return TWRT_OK;
}

/// Later commands come behind a marker that waits.
TwrtCode opencl::queueWait(void *handle, void *otherHandle, uint64_t point, TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle), &other = *static_cast<Queue *>(otherHandle);
  cl_event event = nullptr, marker = nullptr;
  {
    std::lock_guard lock(other.mutex);
    TWRT_TRY(takeEvent(other, point, &event, error));
  }
  if (!event)
    return TWRT_OK;
  std::lock_guard lock(queue.mutex);
  TwrtCode code = check(cl().clEnqueueMarkerWithWaitList(queue.handle, 1, &event, &marker),
                        "clEnqueueMarkerWithWaitList", error);
  cl().clReleaseEvent(event);
  if (marker)
    cl().clReleaseEvent(marker);
  return code;
}

TwrtCode opencl::pointWait(void *handle, uint64_t point, uint64_t timeoutNs, TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  std::unique_lock lock(queue.mutex);
  cl_event event = nullptr;
  TWRT_TRY(takeEvent(queue, point, &event, error));
  if (!event)
    return TWRT_OK;
  lock.unlock();
  TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  TwrtCode code = waitForEvent(event, timeoutNs, &reason);
  cl().clReleaseEvent(event);
  if (code == TWRT_TIMEOUT)
    return fail(error, code, "%s", reason.message);
  lock.lock();
  if (code != TWRT_OK)
    return failQueue(queue, reason, error);
  retire(queue, point);
  return repeatFailure(queue.failure, error);
}
