// Queues of the host driver: transfers and plans, run where they are handed in.
#include "Clock.h"
#include "FloatEnvironment.h"
#include "Host.h"
#include "tw/Format/HostAbi.h"

using namespace tw::runtime;
using namespace tw::runtime::host;

static uint8_t *address(const PlanRange &range) {
  return static_cast<uint8_t *>(range.memory->host) + range.offset;
}

static TwrtCode advance(HostQueue &queue, uint64_t *point) {
  *point = ++queue.point;
  return TWRT_OK;
}

TwrtCode host::queueCreate(void *handle, void **queue, TwrtError *error) {
  HostDevice &device = *static_cast<HostDevice *>(handle);
  HostQueue *made = create<HostQueue>(device.allocator, HostQueue{&device, 0, nullptr, 0});
  if (!made)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for a queue");
  *queue = made;
  return TWRT_OK;
}

static void releaseScratch(HostQueue &queue) {
  queue.device->allocator.release(queue.scratch,
                                  queue.scratchBytes * queue.device->pool.threadCount());
  queue.scratch = nullptr;
  queue.scratchBytes = 0;
}

void host::queueDestroy(void *handle) {
  HostQueue *queue = static_cast<HostQueue *>(handle);
  releaseScratch(*queue);
  destroy(queue->device->allocator, queue);
}

TwrtCode host::write(void *queue, const PlanRange &to, const void *from, uint64_t *point,
                     TwrtError *) {
  if (to.bytes)
    memcpy(address(to), from, to.bytes);
  return advance(*static_cast<HostQueue *>(queue), point);
}

TwrtCode host::read(void *queue, const PlanRange &from, void *to, uint64_t *point, TwrtError *) {
  if (from.bytes)
    memcpy(to, address(from), from.bytes);
  return advance(*static_cast<HostQueue *>(queue), point);
}

static void copyRange(const PlanRange &to, const PlanRange &from) {
  if (to.bytes)
    memmove(address(to), address(from), to.bytes);
}

static void fillRange(const PlanRange &to, int64_t pattern, uint32_t width) {
  if (to.bytes == 0)
    return;
  if (width == 1) {
    memset(address(to), int(pattern), to.bytes);
    return;
  }
  for (uint64_t i = 0; i < to.bytes; i += width)
    memcpy(address(to) + i, &pattern, width);
}

TwrtCode host::copy(void *queue, const PlanRange &to, const PlanRange &from, uint64_t *point,
                    TwrtError *) {
  copyRange(to, from);
  return advance(*static_cast<HostQueue *>(queue), point);
}

TwrtCode host::fill(void *queue, const PlanRange &to, int64_t pattern, uint32_t width,
                    uint64_t *point, TwrtError *) {
  fillRange(to, pattern, width);
  return advance(*static_cast<HostQueue *>(queue), point);
}

static TwrtCode reserveScratch(HostQueue &queue, uint64_t bytes, TwrtError *error) {
  uint64_t rounded = (bytes + 63) / 64 * 64;
  if (rounded <= queue.scratchBytes)
    return TWRT_OK;
  uint64_t total = rounded * queue.device->pool.threadCount();
  void *memory = queue.device->allocator.allocate(total, 64);
  if (!memory)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for the kernels' scratch");
  releaseScratch(queue);
  queue.scratch = static_cast<uint8_t *>(memory);
  queue.scratchBytes = rounded;
  return TWRT_OK;
}

namespace {
struct LaunchJob {
  TwrtHostKernel *kernel;
  TwrtHostLaunch launch;
  uint8_t *scratch;
  uint64_t scratchBytes;
};
} // namespace

static void runLaunch(HostQueue &queue, const Plan &plan, const PlanStep &step) {
  void *bindings[16] = {};
  for (uint32_t i = 0; i < step.rangeCount; ++i)
    bindings[i] = address(plan.ranges[step.firstRange + i]);
  const Image *image = static_cast<const Image *>(step.executable);
  LaunchJob job = {
      reinterpret_cast<TwrtHostKernel *>(static_cast<uint8_t *>(image->memory) + step.entry),
      {bindings,
       plan.scalars.data() + step.firstScalar,
       {step.grid[0], step.grid[1], step.grid[2]}},
      queue.scratch,
      queue.scratchBytes};
  queue.device->pool.run(
      step.grid[0] * step.grid[1] * step.grid[2],
      [](void *user, uint32_t thread, uint32_t begin, uint32_t end) {
        const LaunchJob &job = *static_cast<const LaunchJob *>(user);
        job.kernel(&job.launch, begin, end, job.scratch + thread * job.scratchBytes);
      },
      &job);
}

TwrtCode host::submitPlan(void *handle, const Plan &plan, uint64_t *point, TwrtError *error) {
  HostQueue &queue = *static_cast<HostQueue *>(handle);
  if (TwrtCode code = reserveScratch(queue, plan.scratchBytes, error); code != TWRT_OK)
    return code;
  uint32_t launch = 0;
  for (uint32_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep &step = plan.steps[i];
    switch (step.kind) {
    case PlanStep::Launch:
      plan.samples[launch].beginNs = now();
      runLaunch(queue, plan, step);
      plan.samples[launch].endNs = now();
      if (plan.launched && plan.launched(plan.user, i, launch) != TWRT_OK)
        return fail(error, TWRT_CANCELLED, "the launch hook stopped the call at launch %u", launch);
      ++launch;
      break;
    case PlanStep::Copy:
      copyRange(plan.ranges[step.firstRange], plan.ranges[step.firstRange + 1]);
      break;
    case PlanStep::Fill:
      fillRange(plan.ranges[step.firstRange], step.pattern, step.width);
      break;
    }
  }
  return advance(queue, point);
}

/// Whatever has a number has run.
TwrtCode host::pointWait(void *, uint64_t, uint64_t, TwrtError *) { return TWRT_OK; }
