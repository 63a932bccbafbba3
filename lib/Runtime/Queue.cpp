// Queues and points.
#include "Queue.h"

using namespace tw::runtime;

TwrtCode twrtQueueCreate(TwrtDevice *device, TwrtQueue **queue, TwrtError *error) {
  TWRT_TRY(checkNotNull(device, "device", error));
  TWRT_TRY(checkNotNull(queue, "queue", error));
  TwrtQueue *made = create<TwrtQueue>(device->instance->allocator, device);
  if (!made)
    return failMemory(error, "a queue");
  if (TwrtCode code = device->driver->queueCreate(device->handle, &made->handle, error);
      code != TWRT_OK) {
    destroy(device->instance->allocator, made);
    return code;
  }
  retainDevice(device);
  *queue = made;
  return TWRT_OK;
}

void twrtQueueRelease(TwrtQueue *queue) {
  if (!queue || !queue->references.release())
    return;
  TwrtDevice *device = queue->device;
  device->driver->queueDestroy(queue->handle);
  destroy(device->instance->allocator, queue);
  twrtDeviceRelease(device);
}

TwrtCode tw::runtime::waitForPoints(const TwrtPoint *points, size_t count, TwrtError *error) {
  if (count)
    TWRT_TRY(checkNotNull(points, "points", error));
  for (size_t i = 0; i < count; ++i)
    TWRT_TRY(twrtPointWait(points[i], waitForever, error));
  return TWRT_OK;
}

TwrtCode twrtQueueWait(TwrtQueue *queue, const TwrtPoint *points, size_t count, TwrtError *error) {
  TWRT_TRY(checkNotNull(queue, "queue", error));
  return waitForPoints(points, count, error);
}

TwrtCode twrtPointWait(TwrtPoint point, uint64_t timeoutNs, TwrtError *error) {
  if (!point.queue)
    return TWRT_OK;
  return point.queue->device->driver->pointWait(point.queue->handle, point.value, timeoutNs, error);
}

int twrtPointReached(TwrtPoint point) {
  TwrtCode code = twrtPointWait(point, 0, nullptr);
  return code == TWRT_OK ? 1 : code == TWRT_TIMEOUT ? 0 : -1;
}
