// Calls: their life, submitting, profile.
#include "Call.h"
#include "Clock.h"
#include "tw/Format/Metadata.h"

#include <algorithm>

using namespace tw::runtime;
using namespace tw::format;

TwrtCall::TwrtCall(TwrtProgram *program, const fb::Program *commands)
    : program(program), commands(commands), arguments(program->module->instance->allocator),
      results(program->module->instance->allocator), plan(program->module->instance->allocator),
      slabs(program->module->instance->allocator),
      timed(program->module->instance->context.trace.function),
      piece(program->module->instance->allocator) {
  program->references.retain();
  for (uint32_t i = 0; i < maxKernelBindings; ++i) {
    kept[i] = Array<uint8_t>(program->module->instance->allocator);
    shown[i] = Array<uint8_t>(program->module->instance->allocator);
  }
}

tw::runtime::Recording::~Recording() {
  if (handle)
    device->driver->freeRecording(device->handle, handle);
}

TwrtCode tw::runtime::settle(TwrtCall &call, TwrtError *error) {
  if (!call.lastQueue)
    return TWRT_OK;
  TwrtCode code = twrtPointWait({call.lastQueue, call.lastPoint}, waitForever, error);
  twrtQueueRelease(call.lastQueue);
  call.lastQueue = nullptr;
  return code;
}

/// Waits for a run whose outcome the caller has not asked for.
static void settleUnasked(TwrtCall &call) {
  TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  if (settle(call, &reason) != TWRT_OK)
    call.program->module->instance->context.log.write(
        LogLevel::Error, "a call of '%s' failed and nobody waited for it: %s",
        call.program->function->name()->c_str(), reason.message);
}

TwrtCall::~TwrtCall() {
  settleUnasked(*this);
  if (countQueue)
    program->device->driver->queueDestroy(countQueue);
  for (DriverMemory &slab : slabs)
    freeMemory(*program->device, &slab, true);
  for (Prepared *other : otherPlans)
    destroy(program->module->instance->allocator, other);
  for (CallValue &value : arguments)
    twrtBufferRelease(value.buffer);
  for (CallValue &value : results)
    twrtBufferRelease(value.buffer);
}

TwrtCode twrtCallCreate(TwrtProgram *program, TwrtCall **call, TwrtError *error) {
  TWRT_TRY(checkNotNull(program, "program", error));
  TWRT_TRY(checkNotNull(call, "call", error));
  TwrtCall *made =
      create<TwrtCall>(program->module->instance->allocator, program, program->program);
  if (!made)
    return failMemory(error, "a call");
  if (!made->arguments.reset(twrtProgramArgumentCount(program)) ||
      !made->results.reset(program->function->results() ? program->function->results()->size()
                                                        : 0)) {
    twrtCallRelease(made);
    return failMemory(error, "a call");
  }
  for (uint32_t i = 0; i < made->arguments.size(); ++i)
    if (int32_t shared = program->function->arguments()->Get(i)->aliases_result(); shared >= 0)
      made->results[size_t(shared)].alias = int32_t(i);
  *call = made;
  return TWRT_OK;
}

void twrtCallRelease(TwrtCall *call) {
  if (!call)
    return;
  TwrtProgram *program = call->program;
  destroy(program->module->instance->allocator, call);
  twrtProgramRelease(program);
}

/// Whether two values have bytes in common.
static bool overlap(const CallValue &a, const CallValue &b) {
  if (!a.buffer || !b.buffer || a.bytes == 0 || b.bytes == 0)
    return false;
  if (a.buffer == b.buffer)
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  // Both may be made around one memory of the host.
  const auto *first = static_cast<const uint8_t *>(a.buffer->memory.host);
  const auto *second = static_cast<const uint8_t *>(b.buffer->memory.host);
  return first && second && first + a.offset < second + b.offset + b.bytes &&
         second + b.offset < first + a.offset + a.bytes;
}

/// An argument that a result takes over shares its memory with nothing else.
static TwrtCode checkApart(TwrtCall &call, TwrtError *error) {
  const fb::Function *function = call.program->function;
  for (const CallValue &result : call.results) {
    if (result.alias < 0)
      continue;
    const CallValue &own = call.arguments[size_t(result.alias)];
    auto refuse = [&](const char *kind, const char *name) {
      return fail(error, TWRT_INVALID_ARGUMENT,
                  "argument '%.80s' is written in place and shares memory with %s '%.80s'",
                  function->arguments()->Get(uint32_t(result.alias))->name()->c_str(), kind, name);
    };
    for (uint32_t i = 0; i < call.arguments.size(); ++i)
      if (int32_t(i) != result.alias && overlap(own, call.arguments[i]))
        return refuse("argument", function->arguments()->Get(i)->name()->c_str());
    for (uint32_t i = 0; i < call.results.size(); ++i)
      if (call.results[i].alias < 0 && overlap(own, call.results[i]))
        return refuse("result", function->results()->Get(i)->name()->c_str());
  }
  call.isApart = true;
  return TWRT_OK;
}

static void traceCall(const TwrtCall &call, TwrtEventKind kind, uint64_t beginNs, uint64_t bytes,
                      TwrtCode code) {
  const TwrtProgram &program = *call.program;
  if (const Trace &trace = program.module->instance->context.trace; trace.function)
    trace.write(kind, program.function->name()->string_view(), program.device->slot->uri, beginNs,
                now(), bytes, code);
}

/// Whether the times of a run are there when it has been submitted. What runs in loops has its
/// times put together later.
static bool isTracedAtOnce(const TwrtCall &call) {
  return call.program->device->driver == &hostDriver && call.plan.nodes.empty();
}

/// The launches of the last run, at their times.
static void traceLaunches(const TwrtCall &call) {
  const TwrtProgram &program = *call.program;
  const Trace &trace = program.module->instance->context.trace;
  if (!trace.function)
    return;
  const fb::Module *root = program.module->root;
  for (const TwrtSample &sample : call.plan.samples)
    if (sample.endNs != 0)
      trace.write(TWRT_EVENT_LAUNCH, root->kernels()->Get(sample.kernel)->name()->string_view(),
                  program.device->slot->uri, sample.beginNs, sample.endNs, sample.bytes, TWRT_OK);
}

TwrtCode twrtCallPrepare(TwrtCall *call, uint64_t *arenaBytes, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  if (!call->prepared) {
    TWRT_TRY(initialize(*call->program, nullptr, nullptr, error));
    uint64_t beginNs = now();
    TwrtCode code = prepareCall(*call, error);
    traceCall(*call, TWRT_EVENT_PREPARE, beginNs, call->plan.arenaBytes, code);
    TWRT_TRY(code);
  }
  if (!call->isApart)
    TWRT_TRY(checkApart(*call, error));
  if (arenaBytes)
    *arenaBytes = call->plan.arenaBytes;
  return TWRT_OK;
}

TwrtCode tw::runtime::handInPlan(TwrtCall &call, void *queue, const Submission &submission,
                                 uint32_t *launching, uint64_t *point, TwrtError *error) {
  if (TwrtCode code = call.stop.check(); code != TWRT_OK)
    return failStopped(code, submission.launches ? *submission.launches : submission.firstLaunch,
                       error);
  Plan plan = {submission.steps,     submission.ranges,
               call.plan.scalars,    call.plan.scratchBytes,
               submission.samples,   call.plan.sharedBytes,
               call.threads,         &call.stop,
               submission.recording, launching};
  return call.program->device->driver->submitPlan(queue, plan, point, error);
}

TwrtCode tw::runtime::handInSteps(TwrtCall &call, void *queue, const Submission &submission,
                                  uint32_t *launching, uint64_t *point, TwrtError *error) {
  return (call.hook ? watchSteps : handInPlan)(call, queue, submission, launching, point, error);
}

TwrtCode tw::runtime::submitSteps(TwrtCall &call, void *queue, const Submission &submission,
                                  uint64_t *point, TwrtError *error) {
  uint32_t launching = UINT32_MAX;
  TwrtCode code = handInSteps(call, queue, submission, &launching, point, error);
  // A device that is lost was so before the launch.
  if (launching == UINT32_MAX || !error ||
      (code != TWRT_DRIVER_ERROR && code != TWRT_OUT_OF_MEMORY))
    return code;
  uint32_t launch =
      submission.launches ? submission.launches[launching] : submission.firstLaunch + launching;
  const fb::Module *root = call.program->module->root;
  TwrtError reason = *error;
  return failCall(error, code, reason.call, reason.driverCode, "kernel '%.80s': %.300s",
                  root->kernels()->Get(call.plan.samples[launch].kernel)->name()->c_str(),
                  reason.message);
}

static TwrtCode submitPlan(TwrtCall &call, void *queue, uint64_t *point, TwrtError *error) {
  Prepared &plan = call.plan;
  if (!plan.nodes.empty())
    return walkPlan(call, queue, point, error);
  Submission submission = {plan.steps, plan.ranges, call.wasTimed ? plan.samples.data() : nullptr};
  if (call.captured && !call.wasTimed && !call.hook)
    submission.recording = plan.recording.place(*call.program->device);
  return submitSteps(call, queue, submission, point, error);
}

TwrtCode twrtCallSubmit(TwrtCall *call, TwrtQueue *queue, const TwrtPoint *after, size_t afterCount,
                        TwrtPoint *point, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  TWRT_TRY(checkNotNull(queue, "queue", error));
  if (queue->device != call->program->device)
    return fail(error, TWRT_INVALID_ARGUMENT, "the queue is of device %s, the program on %s",
                queue->device->slot->uri, call->program->device->slot->uri);
  // A queue runs its work in order; two would share the arena. A run that failed is over, too.
  if (call->lastQueue != queue)
    settleUnasked(*call);
  TWRT_TRY(twrtCallPrepare(call, nullptr, error));
  TWRT_TRY(relocate(*call, error));
  TWRT_TRY(waitForPoints(*queue, after, afterCount, error));
  TWRT_TRY(checkAssumed(*call, queue->handle, error));
  uint64_t value = 0;
  Span span(queue->device->instance->context.trace, TWRT_EVENT_SUBMIT,
            call->program->function->name()->string_view(), queue->device->slot->uri);
  call->stop.deadlineNs = call->timeLimit ? now() + call->timeLimit : 0;
  call->wasTimed = call->timed;
  TWRT_TRY(span.end(submitPlan(*call, queue->handle, &value, error)));
  call->ran = true;
  if (!call->lastQueue)
    queue->references.retain();
  call->lastQueue = queue;
  call->lastPoint = value;
  if (call->wasTimed && isTracedAtOnce(*call))
    traceLaunches(*call);
  if (point)
    *point = {queue, value};
  return TWRT_OK;
}

TwrtCode twrtCallProfile(TwrtCall *call, TwrtSample *samples, size_t *count, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  TWRT_TRY(checkNotNull(count, "count", error));
  if (!call->ran)
    return fail(error, TWRT_INVALID_ARGUMENT, "the call has not run");
  TWRT_TRY(settle(*call, error));
  tellTimes(*call);
  if (!call->wasTimed)
    for (TwrtSample &sample : call->plan.samples)
      sample.beginNs = sample.endNs = 0;
  else if (!isTracedAtOnce(*call))
    traceLaunches(*call);
  if (samples)
    std::copy_n(call->plan.samples.begin(), std::min(*count, call->plan.samples.size()), samples);
  *count = call->plan.samples.size();
  return TWRT_OK;
}

TwrtString twrtCallLaunchNode(const TwrtCall *call, size_t index) {
  if (!call || index >= call->plan.launchCommands.size() || !call->commands->locations())
    return {"", 0};
  uint32_t location = call->commands->locations()->Get(call->plan.launchCommands[index]);
  const fb::Module *root = call->program->module->root;
  if (location == UINT32_MAX || !root->locations()->Get(location)->node())
    return {"", 0};
  const flatbuffers::String *node = root->locations()->Get(location)->node();
  return {node->c_str(), node->size()};
}

uint64_t twrtCallLaunchRuns(const TwrtCall *call, size_t index) {
  if (!call || !call->ran || index >= call->plan.samples.size())
    return 0;
  return call->plan.nodes.empty() ? 1 : call->plan.runs[index];
}

TwrtCode twrtCallSetStepLimit(TwrtCall *call, uint64_t steps, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  call->stepLimit = steps;
  return TWRT_OK;
}

TwrtCode twrtCallSetThreads(TwrtCall *call, uint32_t threads, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  call->threads = threads;
  return TWRT_OK;
}

TwrtCode twrtCallSetTimed(TwrtCall *call, int timed, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  call->timed = timed != 0;
  return TWRT_OK;
}

TwrtCode twrtCallSetCaptured(TwrtCall *call, int captured, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  const TwrtDevice &device = *call->program->device;
  if (captured && !device.driver->checkRecording)
    return fail(error, TWRT_UNSUPPORTED,
                "calls cannot be captured on device %s, which has no graphs", device.slot->uri);
  if (captured)
    TWRT_TRY(device.driver->checkRecording(device.handle, error));
  call->captured = captured != 0;
  return TWRT_OK;
}

TwrtCode twrtCallSetTimeLimit(TwrtCall *call, uint64_t nanoseconds, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  call->timeLimit = nanoseconds;
  return TWRT_OK;
}

TwrtCode twrtCallSetCancelled(TwrtCall *call, int cancelled, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  call->stop.cancelled.store(cancelled != 0, std::memory_order_relaxed);
  return TWRT_OK;
}

TwrtCode twrtCallSetLaunchHook(TwrtCall *call, TwrtLaunchHook hook, void *user, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  call->hook = hook;
  call->hookUser = user;
  return TWRT_OK;
}
