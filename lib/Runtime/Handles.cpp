// Handles of the devices' own libraries: what is lent, and what is made around the caller's.
#include "Buffer.h"

#include <cinttypes>

using namespace tw::runtime;

static TwrtCode failHandle(const TwrtDevice &device, const char *what, TwrtError *error) {
  return fail(error, TWRT_UNSUPPORTED, "device %s %s", device.slot->uri, what);
}

/// What the driver writes, in the size that the caller knows.
template <typename Fill>
static TwrtCode fillHandle(const TwrtDevice &device, bool hasOne, const char *what,
                           TwrtHandle *handle, TwrtError *error, Fill fill) {
  TWRT_TRY(checkNotNull(handle, "handle", error));
  TWRT_TRY(checkSize(handle, "TwrtHandle", error));
  if (!hasOne)
    return failHandle(device, what, error);
  TwrtHandle made = {};
  fill(made);
  tw::writeSized(*handle, made);
  return TWRT_OK;
}

TwrtCode twrtDeviceHandle(const TwrtDevice *device, TwrtHandle *handle, TwrtError *error) {
  TWRT_TRY(checkNotNull(device, "device", error));
  const Driver &driver = *device->driver;
  return fillHandle(*device, driver.deviceHandle, "has no handle", handle, error,
                    [&](TwrtHandle &made) { driver.deviceHandle(device->handle, made); });
}

TwrtCode twrtQueueHandle(TwrtQueue *queue, TwrtHandle *handle, TwrtError *error) {
  TWRT_TRY(checkNotNull(queue, "queue", error));
  const Driver &driver = *queue->device->driver;
  return fillHandle(*queue->device, driver.queueHandle, "has no handles of queues", handle, error,
                    [&](TwrtHandle &made) { driver.queueHandle(queue->handle, made); });
}

TwrtCode twrtBufferHandle(TwrtBuffer *buffer, TwrtHandle *handle, TwrtError *error) {
  TWRT_TRY(checkNotNull(buffer, "buffer", error));
  const Driver &driver = *buffer->device->driver;
  return fillHandle(*buffer->device, driver.memoryHandle, "has no handles of buffers", handle,
                    error, [&](TwrtHandle &made) { driver.memoryHandle(buffer->memory, made); });
}

TwrtCode twrtBufferExport(TwrtBuffer *buffer, TwrtHandle *handle, TwrtError *error) {
  TWRT_TRY(checkNotNull(buffer, "buffer", error));
  TWRT_TRY(checkNotNull(handle, "handle", error));
  TWRT_TRY(checkSize(handle, "TwrtHandle", error));
  if (!buffer->shared)
    return fail(error, TWRT_INVALID_ARGUMENT,
                "the buffer was not created to be shared (TWRT_BUFFER_SHARED)");
  TwrtHandle made = {};
  TWRT_TRY(
      buffer->device->driver->memoryExport(buffer->device->handle, buffer->memory, made, error));
  tw::writeSized(*handle, made);
  return TWRT_OK;
}

static TwrtCode checkGiven(const TwrtDevice *device, const TwrtHandle *handle, TwrtError *error) {
  TWRT_TRY(checkNotNull(device, "device", error));
  TWRT_TRY(checkNotNull(handle, "handle", error));
  return checkSize(handle, "TwrtHandle", error);
}

TwrtCode twrtBufferImportHandle(TwrtDevice *device, const TwrtHandle *handle, uint64_t bytes,
                                void (*done)(void *), void *user, TwrtBuffer **buffer,
                                TwrtError *error) {
  TWRT_TRY(checkGiven(device, handle, error));
  TwrtHandle given = tw::readSized(*handle);
  if (!device->driver->importHandle)
    return failHandle(*device, "takes no buffers of others", error);
  return makeBuffer(device, buffer, error, [&](TwrtBuffer &made) {
    TWRT_TRY(device->driver->importHandle(device->handle, given, bytes, &made.memory, error));
    made.done = done;
    made.user = user;
    return TWRT_OK;
  });
}

TwrtCode twrtQueueImportHandle(TwrtDevice *device, const TwrtHandle *handle, TwrtQueue **queue,
                               TwrtError *error) {
  TWRT_TRY(checkGiven(device, handle, error));
  TwrtHandle given = tw::readSized(*handle);
  if (!device->driver->queueImport)
    return failHandle(*device, "takes no queues of others", error);
  return makeQueue(device, queue, error, [&](TwrtQueue &made) {
    return device->driver->queueImport(device->handle, given, &made.handle, error);
  });
}

TwrtCode tw::runtime::checkHandle(const TwrtHandle &handle, TwrtHandleKind kind, const char *what,
                                  TwrtError *error) {
  if (handle.kind != kind)
    return fail(error, TWRT_INVALID_ARGUMENT, "the handle is of kind %d, %s is of kind %d",
                int(handle.kind), what, int(kind));
  if (handle.value == 0)
    return fail(error, TWRT_INVALID_ARGUMENT, "the handle of %s is 0", what);
  return TWRT_OK;
}
