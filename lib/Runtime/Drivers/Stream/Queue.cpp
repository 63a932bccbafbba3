// Queues and points: a stream, a ring of events along it, and the times of launches.
#include "Clock.h"
#include "Stream.h"

#include <algorithm>
#include <ctime>

using namespace tw::runtime;
using namespace tw::runtime::stream;

/// CU_EVENT_DISABLE_TIMING, hipEventDisableTiming.
static constexpr unsigned withoutTiming = 2;

void *stream::takeEvent(Queue &queue) {
  if (queue.spareCount)
    return queue.spare[--queue.spareCount];
  void *event = nullptr;
  return invoke(queue.device, queue.device.api.eventCreate, nullptr, &event, 0u) == TWRT_OK
             ? event
             : nullptr;
}

/// Puts a flight's events with the spare ones.
static void returnEvents(Queue &queue, Flight &flight) {
  size_t total = queue.spareCount + flight.events.size();
  if (total > queue.spare.size()) {
    Array<void *> grown(queue.device.allocator);
    if (grown.reset(total)) {
      std::copy_n(queue.spare.begin(), queue.spareCount, grown.begin());
      queue.spare = std::move(grown);
    }
  }
  for (void *event : flight.events)
    if (event && queue.spareCount < queue.spare.size())
      queue.spare[queue.spareCount++] = event;
    else if (event)
      queue.device.api.eventDestroy.function(event);
}

static void setTimes(Queue &queue, Flight &flight) {
  if (!flight.samples)
    return;
  uint64_t begin = flight.submittedNs;
  for (size_t i = 0; i + 1 < flight.events.size(); ++i) {
    float milliseconds = 0;
    uint64_t end = begin;
    if (flight.events[0] && flight.events[i + 1] && !queue.device.lost &&
        queue.device.api.eventElapsed.function(&milliseconds, flight.events[0],
                                               flight.events[i + 1]) == success)
      end = std::max(begin, flight.submittedNs + uint64_t(double(milliseconds) * 1e6));
    flight.samples[i].beginNs = begin;
    flight.samples[i].endNs = end;
    begin = end;
  }
}

/// Ends the flights up to `point`, with their times. With the queue's mutex held.
static void endFlights(Queue &queue, uint64_t point) {
  for (Flight **link = &queue.flights; *link;) {
    Flight *flight = *link;
    if (flight->point > point) {
      link = &flight->next;
      continue;
    }
    setTimes(queue, *flight);
    returnEvents(queue, *flight);
    *link = flight->next;
    destroy(queue.device.allocator, flight);
  }
}

/// All work up to `point` is done. With the queue's mutex held.
static void retire(Queue &queue, uint64_t point) {
  queue.reached = std::max(queue.reached, point);
  endFlights(queue, queue.reached);
}

static void waitForAll(Queue &queue) {
  if (!queue.busy.exchange(false) && !queue.isShared.load(std::memory_order_relaxed))
    return;
  uint64_t last;
  {
    std::lock_guard lock(queue.mutex);
    last = queue.last;
  }
  TwrtCode code = invoke(queue.device, queue.device.api.streamSynchronize, nullptr, queue.stream);
  std::lock_guard lock(queue.mutex);
  // A lost device has no work left, but its points are never reached.
  if (code == TWRT_OK)
    retire(queue, last);
  else
    endFlights(queue, last);
}

void stream::drain(Device &device) {
  for (Queue *queue = device.queues; queue; queue = queue->next)
    waitForAll(*queue);
}

static void destroyHandles(Queue &queue) {
  const Api &api = queue.device.api;
  for (size_t i = 0; i < queue.spareCount; ++i)
    api.eventDestroy.function(queue.spare[i]);
  for (void *event : queue.ring)
    if (event)
      api.eventDestroy.function(event);
  if (queue.staging)
    api.freePinned.function(queue.staging);
  if (queue.capturing)
    api.streamDestroy.function(queue.capturing);
  if (queue.stream && !queue.isLent)
    api.streamDestroy.function(queue.stream);
}

/// A queue around `lent`, or, if that is NULL, around a stream of its own.
static TwrtCode makeQueue(Device &device, void *lent, bool isLent, void **queue, TwrtError *error) {
  Queue *made = create<Queue>(device.allocator, device);
  if (!made)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for a queue");
  made->isLent = made->isShared = isLent;
  made->stream = lent;
  Current current(device);
  TwrtCode code = current.check(error);
  if (code == TWRT_OK && !isLent)
    code = invoke(device, device.api.streamCreate, error, &made->stream, streamNonBlocking);
  for (uint32_t i = 0; code == TWRT_OK && i < Queue::ringSize; ++i)
    code = invoke(device, device.api.eventCreate, error, &made->ring[i], withoutTiming);
  if (code != TWRT_OK) {
    destroyHandles(*made);
    destroy(device.allocator, made);
    return code;
  }
  std::lock_guard lock(device.mutex);
  made->next = device.queues;
  device.queues = made;
  *queue = made;
  return TWRT_OK;
}

TwrtCode stream::queueCreate(void *handle, void **queue, TwrtError *error) {
  return makeQueue(*static_cast<Device *>(handle), nullptr, false, queue, error);
}

/// 0 is a stream, too: the default one.
TwrtCode stream::queueImport(void *handle, const TwrtHandle &given, void **queue,
                             TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  if (given.kind != device.api.handles)
    return checkHandle(given, device.api.handles, "a stream", error);
  return makeQueue(device, reinterpret_cast<void *>(given.value), true, queue, error);
}

void stream::queueHandle(void *handle, TwrtHandle &made) {
  Queue &queue = *static_cast<Queue *>(handle);
  queue.isShared = true;
  made.kind = queue.device.api.handles;
  made.value = reinterpret_cast<uintptr_t>(queue.stream);
}

void stream::queueDestroy(void *handle) {
  Queue *queue = static_cast<Queue *>(handle);
  Device &device = queue->device;
  Current current(device);
  {
    std::lock_guard lock(device.mutex);
    if (current)
      waitForAll(*queue);
    for (Queue **link = &device.queues; *link; link = &(*link)->next)
      if (*link == queue) {
        *link = queue->next;
        break;
      }
  }
  if (current) {
    endFlights(*queue, UINT64_MAX);
    destroyHandles(*queue);
  }
  while (Flight *flight = queue->flights) {
    queue->flights = flight->next;
    destroy(device.allocator, flight);
  }
  if (queue->bounce.handle)
    freeMemory(&device, &queue->bounce);
  destroy(device.allocator, queue);
}

TwrtCode stream::advance(Queue &queue, uint64_t *point, TwrtError *error) {
  std::lock_guard lock(queue.mutex);
  TWRT_TRY(invoke(queue.device, queue.device.api.eventRecord, error,
                  queue.ring[(queue.last + 1) % Queue::ringSize], queue.stream));
  *point = ++queue.last;
  return TWRT_OK;
}

/// Whoever waits in vain lets go of what times were to be written to.
static void dropTimes(Queue &queue, uint64_t point) {
  std::lock_guard lock(queue.mutex);
  for (Flight *flight = queue.flights; flight; flight = flight->next)
    if (flight->point <= point)
      flight->samples = nullptr;
}

/// What is recorded behind `point`, or behind a later one whose event has its place; NULL if it has
/// been reached. With the queue's mutex held.
static void *eventOf(Queue &queue, uint64_t point) {
  if (point <= queue.reached)
    return nullptr;
  uint64_t oldest = queue.last >= Queue::ringSize ? queue.last - Queue::ringSize + 1 : 1;
  return queue.ring[std::max(point, oldest) % Queue::ringSize];
}

TwrtCode stream::queueWait(void *handle, void *otherHandle, uint64_t point, TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle), &other = *static_cast<Queue *>(otherHandle);
  Submission submission(queue);
  TWRT_TRY(submission.check(error));
  // With the lock held, so that the event is not recorded anew for a later point meanwhile.
  std::lock_guard lock(other.mutex);
  void *event = eventOf(other, point);
  if (!event)
    return TWRT_OK;
  return invoke(queue.device, queue.device.api.streamWaitEvent, error, queue.stream, event, 0u);
}

static TwrtCode waitFor(Queue &queue, uint64_t point, uint64_t timeoutNs, TwrtError *error) {
  Device &device = queue.device;
  void *event;
  {
    std::lock_guard lock(queue.mutex);
    event = eventOf(queue, point);
    if (!event)
      return TWRT_OK;
  }
  Current current(device);
  TWRT_TRY(current.check(error));
  if (timeoutNs == waitForever) {
    TWRT_TRY(invoke(device, device.api.eventSynchronize, error, event));
  } else {
    uint64_t end = now();
    end = timeoutNs > UINT64_MAX - end ? UINT64_MAX : end + timeoutNs;
    for (;;) {
      if (device.lost)
        return failLost(device, device.api.eventQuery.name, error);
      int result = device.api.eventQuery.function(event);
      if (result == success)
        break;
      if (result != notReady)
        return failOn(device, device.api.eventQuery.name, result, error);
      uint64_t time = now();
      if (time >= end)
        return fail(error, TWRT_TIMEOUT, "the point is not reached yet");
      timespec pause = {0, long(std::min<uint64_t>(end - time, 50000))};
      nanosleep(&pause, nullptr);
    }
  }
  std::lock_guard lock(queue.mutex);
  retire(queue, point);
  return TWRT_OK;
}

TwrtCode stream::pointWait(void *handle, uint64_t point, uint64_t timeoutNs, TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  TwrtCode code = waitFor(queue, point, timeoutNs, error);
  if (code != TWRT_OK && code != TWRT_TIMEOUT)
    dropTimes(queue, point);
  return code;
}
