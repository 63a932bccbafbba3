// Queues of the host driver: transfers and plans, run where they are handed in.
#include "Clock.h"
#include "FloatEnvironment.h"
#include "Host.h"
#include "Stop.h"
#include "tw/Format/HostAbi.h"

#include <algorithm>
#include <atomic>

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
  HostQueue *made = create<HostQueue>(device.allocator, HostQueue{&device});
  if (!made)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for a queue");
  *queue = made;
  return TWRT_OK;
}

static uint64_t scratchTotal(const HostQueue &queue) {
  return queue.scratchBytes * queue.device->pool.threadCount() + queue.sharedBytes;
}

static void releaseScratch(HostQueue &queue) {
  queue.device->allocator.release(queue.scratch, scratchTotal(queue));
  queue.scratch = nullptr;
  queue.scratchBytes = queue.sharedBytes = 0;
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

static TwrtCode reserveScratch(HostQueue &queue, uint64_t bytes, uint64_t shared,
                               TwrtError *error) {
  auto round = [](uint64_t bytes) { return (bytes + 63) / 64 * 64; };
  HostQueue wanted = {queue.device};
  wanted.scratchBytes = std::max(round(bytes), queue.scratchBytes);
  wanted.sharedBytes = std::max(round(shared), queue.sharedBytes);
  if (scratchTotal(wanted) == scratchTotal(queue))
    return TWRT_OK;
  void *memory = queue.device->allocator.allocate(scratchTotal(wanted), 64);
  if (!memory)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for the kernels' scratch");
  releaseScratch(queue);
  queue.scratch = static_cast<uint8_t *>(memory);
  queue.scratchBytes = wanted.scratchBytes;
  queue.sharedBytes = wanted.sharedBytes;
  return TWRT_OK;
}

namespace {
struct LaunchJob {
  TwrtHostKernel *kernel;
  TwrtHostLaunch launch;
  uint32_t programs;
  HostQueue *queue;
  const Stop *stop;
  /// Why parts of it were left out.
  std::atomic<TwrtCode> stopped{TWRT_OK};

  bool hasToStop() {
    TwrtCode code = stop ? stop->check() : TWRT_OK;
    if (code != TWRT_OK)
      stopped.store(code, std::memory_order_relaxed);
    return code != TWRT_OK;
  }

  uint8_t *scratchOf(uint32_t thread) const {
    return queue->scratch + thread * queue->scratchBytes;
  }
};

/// A thread of a team, as its kernel's barrier knows it.
struct Member {
  Pool *pool;
  uint32_t thread, members;

  static void wait(void *state) {
    const Member &member = *static_cast<const Member *>(state);
    member.pool->barrier(member.thread, member.members);
  }
};
} // namespace

TWRT_CALLS_KERNELS static void runPrograms(void *user, uint32_t thread, uint32_t begin,
                                           uint32_t end) {
  LaunchJob &job = *static_cast<LaunchJob *>(user);
  if (!job.hasToStop())
    job.kernel(&job.launch, begin, end, job.scratchOf(thread));
}

TWRT_CALLS_KERNELS static void runMember(void *user, uint32_t thread, uint32_t members) {
  const LaunchJob &job = *static_cast<const LaunchJob *>(user);
  Pool &pool = job.queue->device->pool;
  Member member = {&pool, thread, members};
  // Behind the memory of the last thread.
  TwrtHostTeam team = {thread, members, Member::wait, &member, job.scratchOf(pool.threadCount())};
  TwrtHostLaunch launch = job.launch;
  launch.team = &team;
  job.kernel(&launch, 0, job.programs, job.scratchOf(thread));
}

/// Where a binding lies. Kernels may read at the place of an element that is not there, whose value
/// goes nowhere: where there is none at all, which may have no address, those are zeros.
static void *bindingOf(const PlanRange &range) {
  alignas(64) static uint8_t empty[64];
  return range.bytes ? address(range) : empty;
}

/// Says why parts of it were left out, if any were.
static TwrtCode runLaunch(HostQueue &queue, Pool::Caller &caller, const Plan &plan,
                          const PlanStep &step) {
  void *bindings[16] = {};
  for (uint32_t i = 0; i < step.rangeCount; ++i)
    bindings[i] = bindingOf(plan.ranges[step.firstRange + i]);
  const Image *image = static_cast<const Image *>(step.executable);
  LaunchJob job = {
      reinterpret_cast<TwrtHostKernel *>(static_cast<uint8_t *>(image->memory) + step.entry),
      {bindings,
       plan.scalars.data() + step.firstScalar,
       {step.grid[0], step.grid[1], step.grid[2]},
       nullptr},
      step.grid[0] * step.grid[1] * step.grid[2],
      &queue,
      plan.stop};
  if (!step.together)
    queue.device->pool.run(caller, job.programs, runPrograms, &job);
  else if (job.programs != 0 && !job.hasToStop())
    queue.device->pool.runTogether(caller, runMember, &job);
  return job.stopped.load(std::memory_order_relaxed);
}

TwrtCode host::submitPlan(void *handle, const Plan &plan, uint64_t *point, TwrtError *error) {
  HostQueue &queue = *static_cast<HostQueue *>(handle);
  if (TwrtCode code = reserveScratch(queue, plan.scratchBytes, plan.sharedBytes, error);
      code != TWRT_OK)
    return code;
  Pool::Caller caller(queue.device->pool, plan.threads);
  uint32_t launch = 0;
  for (const PlanStep &step : plan.steps) {
    switch (step.kind) {
    case PlanStep::Launch:
      if (plan.samples)
        plan.samples[launch].beginNs = now();
      if (TwrtCode code = runLaunch(queue, caller, plan, step); code != TWRT_OK)
        return failStopped(code, launch, error);
      if (plan.samples)
        plan.samples[launch].endNs = now();
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
