// Writes, reads, copies and fills of any offset and length.
#include "Stream.h"

#include <algorithm>

using namespace tw::runtime;
using namespace tw::runtime::stream;

uint64_t stream::addressOf(const PlanRange &range) {
  return range.bytes ? static_cast<const Memory *>(range.memory->handle)->address + range.offset
                     : 0;
}

/// Room for `bytes` in the staging memory; NULL when there is none to be had. Waits for the last
/// use of a chunk before it is used again.
static uint8_t *stage(Queue &queue, uint64_t bytes) {
  Device &device = queue.device;
  if (!queue.staging && !queue.noStaging) {
    void *memory = nullptr;
    queue.noStaging = invoke(device, device.api.allocatePinned, nullptr, &memory,
                             size_t(Queue::chunkCount * Queue::chunkBytes), 0u) != TWRT_OK;
    queue.staging = static_cast<uint8_t *>(memory);
  }
  if (!queue.staging)
    return nullptr;
  if (Queue::chunkBytes - queue.chunkUsed < bytes) {
    uint32_t next = (queue.chunk + 1) % Queue::chunkCount;
    if (pointWait(&queue, queue.chunkPoint[next], waitForever, nullptr) != TWRT_OK)
      return nullptr;
    queue.chunk = next;
    queue.chunkUsed = 0;
  }
  uint8_t *place = queue.staging + queue.chunk * Queue::chunkBytes + queue.chunkUsed;
  queue.chunkUsed += (bytes + 63) / 64 * 64;
  return place;
}

TwrtCode stream::write(void *handle, const PlanRange &to, const void *from, uint64_t *point,
                       TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  const Api &api = queue.device.api;
  Submission submission(queue);
  TWRT_TRY(submission.check(error));
  bool staged = false;
  if (to.bytes) {
    uint8_t *place = to.bytes <= Queue::chunkBytes ? stage(queue, to.bytes) : nullptr;
    staged = place;
    if (place)
      memcpy(place, from, to.bytes);
    TWRT_TRY(invoke(queue.device, api.copyToDevice, error, addressOf(to), place ? place : from,
                    size_t(to.bytes), queue.stream));
  }
  TWRT_TRY(advance(queue, point, error));
  if (staged)
    queue.chunkPoint[queue.chunk] = *point;
  return TWRT_OK;
}

TwrtCode stream::read(void *handle, const PlanRange &from, void *to, uint64_t *point,
                      TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  Submission submission(queue);
  TWRT_TRY(submission.check(error));
  if (from.bytes)
    TWRT_TRY(invoke(queue.device, queue.device.api.copyToHost, error, to, addressOf(from),
                    size_t(from.bytes), queue.stream));
  return advance(queue, point, error);
}

static TwrtCode copyBytes(Queue &queue, void *stream, uint64_t to, uint64_t from, uint64_t bytes,
                          TwrtError *error) {
  return bytes ? invoke(queue.device, queue.device.api.copyOnDevice, error, to, from, size_t(bytes),
                        stream)
               : TWRT_OK;
}

static bool overlap(uint64_t to, uint64_t from, uint64_t bytes) {
  return to != from && to < from + bytes && from < to + bytes;
}

TwrtCode stream::getBounce(Queue &queue, const PlanRange &toRange, const PlanRange &fromRange,
                           uint64_t *address, TwrtError *error) {
  uint64_t to = addressOf(toRange), from = addressOf(fromRange);
  *address = 0;
  // Pieces as long as the ranges are apart do not overlap.
  if (!overlap(to, from, toRange.bytes) ||
      std::max(to, from) - std::min(to, from) >= Queue::bounceBytes)
    return TWRT_OK;
  if (!queue.bounce.handle)
    TWRT_TRY(allocate(&queue.device, Queue::bounceBytes, &queue.bounce, error));
  *address = static_cast<const Memory *>(queue.bounce.handle)->address;
  return TWRT_OK;
}

/// Copies between ranges that overlap, piece after piece in the direction in which no piece
/// destroys one that is still to be read. Pieces that would overlap themselves go through `bounce`.
static TwrtCode copyOverlapping(Queue &queue, void *stream, uint64_t to, uint64_t from,
                                uint64_t bytes, uint64_t bounce, TwrtError *error) {
  bool forward = to < from;
  uint64_t piece = bounce ? Queue::bounceBytes : forward ? from - to : to - from;
  for (uint64_t done = 0; done < bytes;) {
    uint64_t length = std::min(piece, bytes - done);
    uint64_t offset = forward ? done : bytes - done - length;
    TWRT_TRY(copyBytes(queue, stream, bounce ? bounce : to + offset, from + offset, length, error));
    if (bounce)
      TWRT_TRY(copyBytes(queue, stream, to + offset, bounce, length, error));
    done += length;
  }
  return TWRT_OK;
}

TwrtCode stream::addCopy(Queue &queue, void *stream, const PlanRange &to, const PlanRange &from,
                         TwrtError *error) {
  uint64_t target = addressOf(to), source = addressOf(from), bytes = to.bytes;
  if (target == source)
    return TWRT_OK;
  if (!overlap(target, source, bytes))
    return copyBytes(queue, stream, target, source, bytes, error);
  uint64_t bounce = 0;
  TWRT_TRY(getBounce(queue, to, from, &bounce, error));
  return copyOverlapping(queue, stream, target, source, bytes, bounce, error);
}

/// The first pattern is set byte by byte, the rest copied from what is there, twice as much each
/// time: for 8-byte patterns and those that are not aligned, which the libraries cannot set.
static TwrtCode fillByCopies(Queue &queue, void *stream, uint64_t to, uint64_t bytes,
                             int64_t pattern, uint32_t width, TwrtError *error) {
  const Api &api = queue.device.api;
  for (uint32_t i = 0; i < width; ++i)
    TWRT_TRY(invoke(queue.device, api.set8, error, to + i,
                    static_cast<unsigned char>(uint64_t(pattern) >> (8 * i)), size_t(1), stream));
  for (uint64_t done = width; done < bytes;) {
    uint64_t length = std::min(done, bytes - done);
    TWRT_TRY(copyBytes(queue, stream, to + done, to, length, error));
    done += length;
  }
  return TWRT_OK;
}

TwrtCode stream::addFill(Queue &queue, void *stream, const PlanRange &range, int64_t pattern,
                         uint32_t width, TwrtError *error) {
  const Api &api = queue.device.api;
  Device &device = queue.device;
  uint64_t to = addressOf(range), bits = uint64_t(pattern);
  if (range.bytes == 0)
    return TWRT_OK;
  // Equal halves are a pattern of half the width.
  while (width > 1 && (bits & ((uint64_t(1) << (4 * width)) - 1)) ==
                          ((bits >> (4 * width)) & ((uint64_t(1) << (4 * width)) - 1)))
    width /= 2;
  size_t count = size_t(range.bytes / width);
  if (width > 4 || to % width != 0)
    return fillByCopies(queue, stream, to, range.bytes, pattern, width, error);
  if (width == 4)
    return invoke(device, api.set32, error, to, unsigned(bits), count, stream);
  if (width == 2)
    return invoke(device, api.set16, error, to, static_cast<unsigned short>(bits), count, stream);
  return invoke(device, api.set8, error, to, static_cast<unsigned char>(bits), count, stream);
}

TwrtCode stream::copy(void *handle, const PlanRange &to, const PlanRange &from, uint64_t *point,
                      TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  Submission submission(queue);
  TWRT_TRY(submission.check(error));
  TWRT_TRY(addCopy(queue, queue.stream, to, from, error));
  return advance(queue, point, error);
}

TwrtCode stream::fill(void *handle, const PlanRange &to, int64_t pattern, uint32_t width,
                      uint64_t *point, TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  Submission submission(queue);
  TWRT_TRY(submission.check(error));
  TWRT_TRY(addFill(queue, queue.stream, to, pattern, width, error));
  return advance(queue, point, error);
}
