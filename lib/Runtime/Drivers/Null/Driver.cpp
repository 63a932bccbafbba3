// The null driver executes nothing and checks everything: handles, lifetimes, ranges. It is the
// template for a new driver and the one that tests and fuzzers run modules on.
#include "Driver.h"
#include "Null.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Metadata.h"

#include <atomic>
#include <mutex>

using namespace tw::runtime;

namespace {

std::atomic<uint64_t> mistakes{0}, living{0}, steps{0};

enum class Kind : uint8_t { Memory, Queue, Executable };

struct NullDevice;

/// A handle stays allocated, marked dead, until its device is closed, so that later use is seen.
struct Handle {
  NullDevice *device;
  Handle *next;
  Kind kind;
  bool alive = true;
  uint64_t value = 0; // memory: bytes; queue: last point; executable: entries
};

struct NullDevice {
  Allocator allocator;
  std::mutex mutex;
  Handle *handles = nullptr;

  explicit NullDevice(const Allocator &allocator) : allocator(allocator) {}
};

Handle *makeHandle(void *device, Kind kind, uint64_t value) {
  NullDevice &owner = *static_cast<NullDevice *>(device);
  std::lock_guard lock(owner.mutex);
  Handle *handle =
      create<Handle>(owner.allocator, Handle{&owner, owner.handles, kind, true, value});
  if (handle) {
    owner.handles = handle;
    ++living;
  }
  return handle;
}

/// NULL, and a mistake counted, unless the handle is alive and of that kind.
Handle *check(void *pointer, Kind kind) {
  Handle *handle = static_cast<Handle *>(pointer);
  if (handle && handle->alive && handle->kind == kind)
    return handle;
  ++mistakes;
  return nullptr;
}

void kill(void *device, void *pointer, Kind kind) {
  Handle *handle = check(pointer, kind);
  if (!handle)
    return;
  if (handle->device != device)
    ++mistakes;
  handle->alive = false;
  --living;
}

TwrtCode failUse(TwrtError *error, const char *call) {
  return failCall(error, TWRT_DRIVER_ERROR, call, 1, "a handle or a range is not valid");
}

bool checkRange(const PlanRange &range) {
  Handle *memory = range.memory ? check(range.memory->handle, Kind::Memory) : nullptr;
  if (memory && tw::format::rangeWithin(range.offset, range.bytes, memory->value))
    return true;
  ++mistakes;
  return false;
}

TwrtCode probe(TwrtError *) { return TWRT_OK; }

size_t enumerate() { return 1; }

void describe(const DriverContext &, size_t, DeviceInfo &info, tw::support::JsonWriter &json) {
  info.target = "*";
  info.formats = "*";
  info.features = "*";
  info.totalBytes = uint64_t(1) << 40;
  json.member("target", "null");
  json.member("name", "checks launch programs and executes nothing");
}

TwrtCode open(const DriverContext &context, size_t, void **device, TwrtError *error) {
  NullDevice *made = create<NullDevice>(context.allocator, context.allocator);
  if (!made)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for the null device");
  *device = made;
  return TWRT_OK;
}

void close(void *device) {
  NullDevice *made = static_cast<NullDevice *>(device);
  Allocator allocator = made->allocator;
  for (Handle *handle = made->handles; handle;) {
    Handle *next = handle->next;
    if (handle->alive) {
      ++mistakes;
      --living;
    }
    destroy(allocator, handle);
    handle = next;
  }
  destroy(allocator, made);
}

TwrtCode makeMemory(void *device, uint64_t bytes, DriverMemory *memory, TwrtError *error) {
  if (bytes > uint64_t(1) << 40)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory");
  Handle *handle = makeHandle(device, Kind::Memory, bytes);
  if (!handle)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory");
  *memory = {handle, nullptr, bytes};
  return TWRT_OK;
}

TwrtCode allocate(void *device, uint64_t bytes, DriverMemory *memory, TwrtError *error) {
  return makeMemory(device, bytes, memory, error);
}

void free(void *device, DriverMemory *memory) { kill(device, memory->handle, Kind::Memory); }

TwrtCode importMemory(void *device, void *, uint64_t bytes, DriverMemory *memory,
                      TwrtError *error) {
  return makeMemory(device, bytes, memory, error);
}

TwrtCode mapFile(void *device, int, uint64_t, uint64_t bytes, DriverMemory *memory,
                 TwrtError *error) {
  return makeMemory(device, bytes, memory, error);
}

TwrtCode queueCreate(void *device, void **queue, TwrtError *error) {
  Handle *handle = makeHandle(device, Kind::Queue, 0);
  if (!handle)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for a queue");
  *queue = handle;
  return TWRT_OK;
}

void queueDestroy(void *queue) { kill(static_cast<Handle *>(queue)->device, queue, Kind::Queue); }

TwrtCode advance(void *queue, uint64_t *point, const char *call, TwrtError *error) {
  Handle *handle = check(queue, Kind::Queue);
  if (!handle)
    return failUse(error, call);
  *point = ++handle->value;
  return TWRT_OK;
}

TwrtCode write(void *queue, const PlanRange &to, const void *, uint64_t *point, TwrtError *error) {
  return checkRange(to) ? advance(queue, point, "write", error) : failUse(error, "write");
}

TwrtCode read(void *queue, const PlanRange &from, void *to, uint64_t *point, TwrtError *error) {
  if (!checkRange(from))
    return failUse(error, "read");
  if (from.bytes)
    memset(to, 0, from.bytes);
  return advance(queue, point, "read", error);
}

TwrtCode copy(void *queue, const PlanRange &to, const PlanRange &from, uint64_t *point,
              TwrtError *error) {
  if (!checkRange(to) || !checkRange(from) || to.bytes != from.bytes)
    return failUse(error, "copy");
  return advance(queue, point, "copy", error);
}

TwrtCode fill(void *queue, const PlanRange &to, int64_t, uint32_t width, uint64_t *point,
              TwrtError *error) {
  if (!checkRange(to) || to.bytes % width != 0)
    return failUse(error, "fill");
  return advance(queue, point, "fill", error);
}

TwrtCode loadExecutable(void *device, const ImageSource &image, void **executable,
                        TwrtError *error) {
  const tw::format::VariantFormat *known = tw::format::findVariantFormat(image.format);
  bool host = known && known->section == tw::format::SectionKind::HostImage;
  uint64_t entries = host ? image.bytes.size() : image.kernels.size();
  Handle *handle = makeHandle(device, Kind::Executable, entries);
  if (!handle)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for an image");
  *executable = handle;
  return TWRT_OK;
}

void unload(void *device, void *executable) { kill(device, executable, Kind::Executable); }

bool checkStep(const Plan &plan, const PlanStep &step) {
  if (!tw::format::rangeWithin(step.firstRange, step.rangeCount, plan.ranges.size()))
    return false;
  for (uint32_t i = 0; i < step.rangeCount; ++i)
    if (!checkRange(plan.ranges[step.firstRange + i]))
      return false;
  switch (step.kind) {
  case PlanStep::Launch: {
    Handle *executable = check(step.executable, Kind::Executable);
    return executable && step.entry < executable->value;
  }
  case PlanStep::Copy:
    return step.rangeCount == 2 &&
           plan.ranges[step.firstRange].bytes == plan.ranges[step.firstRange + 1].bytes;
  case PlanStep::Fill:
    return step.rangeCount == 1 && plan.ranges[step.firstRange].bytes % step.width == 0;
  }
  return false;
}

TwrtCode submitPlan(void *queue, const Plan &plan, uint64_t *point, TwrtError *error) {
  for (const PlanStep &step : plan.steps) {
    ++steps;
    if (!checkStep(plan, step)) {
      ++mistakes;
      return failUse(error, "submitPlan");
    }
  }
  return advance(queue, point, "submitPlan", error);
}

TwrtCode pointWait(void *queue, uint64_t point, uint64_t, TwrtError *error) {
  Handle *handle = check(queue, Kind::Queue);
  return handle && point <= handle->value ? TWRT_OK : failUse(error, "pointWait");
}

} // namespace

uint64_t null::mistakeCount() { return mistakes; }
uint64_t null::liveCount() { return living; }
uint64_t null::stepCount() { return steps; }

const Driver tw::runtime::nullDriver = {
    .name = "null",
    .probe = probe,
    .enumerate = enumerate,
    .describe = describe,
    .open = open,
    .close = close,
    .allocate = allocate,
    .free = free,
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
    .pointWait = pointWait,
};
