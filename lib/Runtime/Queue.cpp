// Queues and points.
#include "Queue.h"

using namespace tw::runtime;

TwrtCode twrtQueueCreate(TwrtDevice *device, TwrtQueue **queue, TwrtError *error) {
  TWRT_TRY(checkNotNull(device, "device", error));
  return makeQueue(device, queue, error, [&](TwrtQueue &made) {
    return device->driver->queueCreate(device->handle, &made.handle, error);
  });
}

void twrtQueueRelease(TwrtQueue *queue) {
  if (!queue || !queue->references.release())
    return;
  TwrtDevice *device = queue->device;
  device->driver->queueDestroy(queue->handle);
  destroy(device->instance->allocator, queue);
  twrtDeviceRelease(device);
}

TwrtCode tw::runtime::waitForPoints(TwrtQueue &queue, const TwrtPoint *points, size_t count,
                                    TwrtError *error) {
  if (count)
    TWRT_TRY(checkNotNull(points, "points", error));
  for (size_t i = 0; i < count; ++i) {
    const TwrtPoint &point = points[i];
    const Driver &driver = *queue.device->driver;
    TwrtCode code;
    if (!driver.queueWait || !point.queue || point.queue->device != queue.device)
      code = twrtPointWait(point, waitForever, error);
    else if (point.queue != &queue)
      code = driver.queueWait(queue.handle, point.queue->handle, point.value, error);
    else if ((code = twrtPointWait(point, 0, error)) == TWRT_TIMEOUT)
      code = TWRT_OK; // Its work runs in order.
    TWRT_TRY(code);
  }
  return TWRT_OK;
}

TwrtCode twrtQueueWait(TwrtQueue *queue, const TwrtPoint *points, size_t count, TwrtError *error) {
  TWRT_TRY(checkNotNull(queue, "queue", error));
  return waitForPoints(*queue, points, count, error);
}

TwrtCode twrtPointWait(TwrtPoint point, uint64_t timeoutNs, TwrtError *error) {
  if (!point.queue)
    return TWRT_OK;
  const TwrtDevice &device = *point.queue->device;
  Span span(device.instance->context.trace, TWRT_EVENT_WAIT, "", device.slot->uri);
  return span.end(device.driver->pointWait(point.queue->handle, point.value, timeoutNs, error));
}

int twrtPointReached(TwrtPoint point) {
  TwrtCode code = twrtPointWait(point, 0, nullptr);
  return code == TWRT_OK ? 1 : code == TWRT_TIMEOUT ? 0 : -1;
}
