// Buffers: creation, import, transfers.
#include "Buffer.h"
#include "tw/Format/Checked.h"

#include <cinttypes>

using namespace tw::runtime;

TwrtCode twrtBufferCreate(TwrtDevice *device, uint64_t bytes, uint32_t usage, TwrtBuffer **buffer,
                          TwrtError *error) {
  if ((usage & ~uint32_t(TWRT_BUFFER_SHARED)) != 0)
    return fail(error, TWRT_INVALID_ARGUMENT,
                "usage is 0x%x, expected 0 or TWRT_BUFFER_SHARED (%u)", usage,
                unsigned(TWRT_BUFFER_SHARED));
  return makeBuffer(device, buffer, error, [&](TwrtBuffer &made) {
    made.counted = true;
    made.shared = usage & TWRT_BUFFER_SHARED;
    if (made.shared && !device->driver->allocateShared)
      return fail(error, TWRT_UNSUPPORTED, "device %s shares no memory with other processes",
                  device->slot->uri);
    return allocateMemory(*device, bytes, "a buffer", &made.memory, error,
                          made.shared ? MemoryUse::Shared : MemoryUse::Calls);
  });
}

TwrtCode twrtBufferImport(TwrtDevice *device, void *memory, uint64_t bytes, void (*done)(void *),
                          void *user, TwrtBuffer **buffer, TwrtError *error) {
  if (bytes)
    TWRT_TRY(checkNotNull(memory, "memory", error));
  return makeBuffer(device, buffer, error, [&](TwrtBuffer &made) {
    TWRT_TRY(device->driver->importMemory(device->handle, memory, bytes, &made.memory, error));
    made.done = done;
    made.user = user;
    return TWRT_OK;
  });
}

TwrtCode twrtBufferMapFile(TwrtDevice *device, int fd, uint64_t offset, uint64_t bytes,
                           TwrtBuffer **buffer, TwrtError *error) {
  return makeBuffer(device, buffer, error, [&](TwrtBuffer &made) {
    made.readOnly = true;
    return device->driver->mapFile(device->handle, fd, offset, bytes, &made.memory, error);
  });
}

void twrtBufferRetain(TwrtBuffer *buffer) {
  if (buffer)
    buffer->references.retain();
}

void twrtBufferRelease(TwrtBuffer *buffer) {
  if (!buffer || !buffer->references.release())
    return;
  TwrtDevice *device = buffer->device;
  freeMemory(*device, &buffer->memory, buffer->counted);
  if (buffer->done)
    buffer->done(buffer->user);
  destroy(device->instance->allocator, buffer);
  twrtDeviceRelease(device);
}

uint64_t twrtBufferBytes(const TwrtBuffer *buffer) { return buffer ? buffer->memory.bytes : 0; }

void *twrtBufferData(TwrtBuffer *buffer) { return buffer ? buffer->memory.host : nullptr; }

static TwrtCode checkRange(const TwrtQueue *queue, const TwrtBuffer *buffer, uint64_t offset,
                           uint64_t bytes, bool written, TwrtError *error) {
  TWRT_TRY(checkNotNull(queue, "queue", error));
  TWRT_TRY(checkNotNull(buffer, "buffer", error));
  if (queue->device != buffer->device)
    return fail(error, TWRT_INVALID_ARGUMENT, "the buffer is of device %s, the queue of %s",
                buffer->device->slot->uri, queue->device->slot->uri);
  if (!tw::format::rangeWithin(offset, bytes, buffer->memory.bytes))
    return fail(error, TWRT_INVALID_ARGUMENT,
                "%" PRIu64 " bytes at offset %" PRIu64 " of a buffer of %" PRIu64 " bytes", bytes,
                offset, buffer->memory.bytes);
  if (written && buffer->readOnly)
    return fail(error, TWRT_INVALID_ARGUMENT, "the buffer is mapped from a file for reading");
  return TWRT_OK;
}

/// Without a point for the caller to wait for, the host's memory is needed until now.
static TwrtCode finishTransfer(TwrtPoint *point, TwrtQueue *queue, uint64_t value,
                               TwrtError *error) {
  if (!point)
    return queue->device->driver->pointWait(queue->handle, value, waitForever, error);
  *point = {queue, value};
  return TWRT_OK;
}

TwrtCode twrtBufferWrite(TwrtQueue *queue, TwrtBuffer *buffer, uint64_t offset, TwrtBytes data,
                         TwrtPoint *point, TwrtError *error) {
  TWRT_TRY(checkRange(queue, buffer, offset, data.size, true, error));
  if (data.size)
    TWRT_TRY(checkNotNull(data.data, "data", error));
  uint64_t value = 0;
  const TwrtDevice &device = *queue->device;
  Span span(device.instance->context.trace, TWRT_EVENT_WRITE, "", device.slot->uri, data.size);
  TWRT_TRY(span.end(device.driver->write(queue->handle, {&buffer->memory, offset, data.size},
                                         data.data, &value, error)));
  return finishTransfer(point, queue, value, error);
}

TwrtCode twrtBufferRead(TwrtQueue *queue, const TwrtBuffer *buffer, uint64_t offset, void *data,
                        size_t bytes, TwrtPoint *point, TwrtError *error) {
  TWRT_TRY(checkRange(queue, buffer, offset, bytes, false, error));
  if (bytes)
    TWRT_TRY(checkNotNull(data, "data", error));
  uint64_t value = 0;
  const TwrtDevice &device = *queue->device;
  Span span(device.instance->context.trace, TWRT_EVENT_READ, "", device.slot->uri, bytes);
  TWRT_TRY(span.end(
      device.driver->read(queue->handle, {&buffer->memory, offset, bytes}, data, &value, error)));
  return finishTransfer(point, queue, value, error);
}

TwrtCode twrtBufferCopy(TwrtQueue *queue, TwrtBuffer *to, uint64_t toOffset, const TwrtBuffer *from,
                        uint64_t fromOffset, uint64_t bytes, TwrtPoint *point, TwrtError *error) {
  TWRT_TRY(checkRange(queue, to, toOffset, bytes, true, error));
  TWRT_TRY(checkRange(queue, from, fromOffset, bytes, false, error));
  uint64_t value = 0;
  const TwrtDevice &device = *queue->device;
  Span span(device.instance->context.trace, TWRT_EVENT_COPY, "", device.slot->uri, bytes);
  TWRT_TRY(span.end(device.driver->copy(queue->handle, {&to->memory, toOffset, bytes},
                                        {&from->memory, fromOffset, bytes}, &value, error)));
  if (point)
    *point = {queue, value};
  return TWRT_OK;
}
