// Writes, reads, copies and fills of any offset and length.
#include "Stream.h"

#include <algorithm>

using namespace tw::runtime;
using namespace tw::runtime::stream;

static uint64_t addressOf(const PlanRange &range) {
  return static_cast<const Memory *>(range.memory->handle)->address + range.offset;
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

static TwrtCode copyBytes(Queue &queue, uint64_t to, uint64_t from, uint64_t bytes,
                          TwrtError *error) {
  return bytes ? invoke(queue.device, queue.device.api.copyOnDevice, error, to, from, size_t(bytes),
                        queue.stream)
               : TWRT_OK;
}

/// Copies between ranges that overlap, piece after piece in the direction in which no piece
/// destroys one that is still to be read. Pieces that would overlap themselves go through `bounce`.
static TwrtCode copyOverlapping(Queue &queue, uint64_t to, uint64_t from, uint64_t bytes,
                                TwrtError *error) {
  bool forward = to < from;
  uint64_t distance = forward ? from - to : to - from;
  bool direct = distance >= Queue::bounceBytes;
  if (!direct && !queue.bounce.handle)
    TWRT_TRY(allocate(&queue.device, Queue::bounceBytes, &queue.bounce, error));
  uint64_t piece = direct ? distance : Queue::bounceBytes;
  for (uint64_t done = 0; done < bytes;) {
    uint64_t length = std::min(piece, bytes - done);
    uint64_t offset = forward ? done : bytes - done - length;
    uint64_t through =
        direct ? to + offset : static_cast<const Memory *>(queue.bounce.handle)->address;
    TWRT_TRY(copyBytes(queue, through, from + offset, length, error));
    if (!direct)
      TWRT_TRY(copyBytes(queue, to + offset, through, length, error));
    done += length;
  }
  return TWRT_OK;
}

TwrtCode stream::addCopy(Queue &queue, const PlanRange &to, const PlanRange &from,
                         TwrtError *error) {
  uint64_t target = addressOf(to), source = addressOf(from), bytes = to.bytes;
  if (target == source)
    return TWRT_OK;
  if (target < source + bytes && source < target + bytes)
    return copyOverlapping(queue, target, source, bytes, error);
  return copyBytes(queue, target, source, bytes, error);
}

/// The first pattern is set byte by byte, the rest copied from what is there, twice as much each
/// time: for 8-byte patterns and those that are not aligned, which the libraries cannot set.
static TwrtCode fillByCopies(Queue &queue, uint64_t to, uint64_t bytes, int64_t pattern,
                             uint32_t width, TwrtError *error) {
  const Api &api = queue.device.api;
  for (uint32_t i = 0; i < width; ++i)
    TWRT_TRY(invoke(queue.device, api.set8, error, to + i,
                    static_cast<unsigned char>(uint64_t(pattern) >> (8 * i)), size_t(1),
                    queue.stream));
  for (uint64_t done = width; done < bytes;) {
    uint64_t length = std::min(done, bytes - done);
    TWRT_TRY(copyBytes(queue, to + done, to, length, error));
    done += length;
  }
  return TWRT_OK;
}

TwrtCode stream::addFill(Queue &queue, const PlanRange &range, int64_t pattern, uint32_t width,
                         TwrtError *error) {
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
    return fillByCopies(queue, to, range.bytes, pattern, width, error);
  if (width == 4)
    return invoke(device, api.set32, error, to, unsigned(bits), count, queue.stream);
  if (width == 2)
    return invoke(device, api.set16, error, to, static_cast<unsigned short>(bits), count,
                  queue.stream);
  return invoke(device, api.set8, error, to, static_cast<unsigned char>(bits), count, queue.stream);
}

TwrtCode stream::copy(void *handle, const PlanRange &to, const PlanRange &from, uint64_t *point,
                      TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  Submission submission(queue);
  TWRT_TRY(submission.check(error));
  if (to.bytes)
    TWRT_TRY(addCopy(queue, to, from, error));
  return advance(queue, point, error);
}

TwrtCode stream::fill(void *handle, const PlanRange &to, int64_t pattern, uint32_t width,
                      uint64_t *point, TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  Submission submission(queue);
  TWRT_TRY(submission.check(error));
  TWRT_TRY(addFill(queue, to, pattern, width, error));
  return advance(queue, point, error);
}
