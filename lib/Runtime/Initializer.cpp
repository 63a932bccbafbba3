// Runs a program's initializer: commands on constants alone whose results all calls read.
#include "Call.h"
#include "Clock.h"

using namespace tw::runtime;
using namespace tw::format;

/// Gives `reason` to the caller with what was being done in front.
static TwrtCode failDuring(const char *what, const char *name, const TwrtError &reason,
                           TwrtError *error) {
  return failCall(error, reason.code, reason.call, reason.driverCode,
                  "the program's initializer failed at %s%.80s%s: %.300s", what, name,
                  *name ? "'" : "", reason.message);
}

/// One step after the other, each waited for, so that the one that fails can be named.
static TwrtCode runSteps(TwrtCall &call, void *queue, TwrtError *error) {
  const fb::Module *root = call.program->module->root;
  uint32_t launches = 0;
  for (size_t i = 0; i < call.plan.steps.size(); ++i) {
    const PlanStep &step = call.plan.steps[i];
    TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
    uint64_t point = 0;
    Submission submission = {{&step, 1}, call.plan.ranges, nullptr, nullptr, launches};
    TwrtCode code = handInSteps(call, queue, submission, nullptr, &point, &reason);
    if (code == TWRT_OK)
      code = call.program->device->driver->pointWait(queue, point, waitForever, &reason);
    if (code != TWRT_OK && step.kind == PlanStep::Launch)
      return failDuring("kernel '", root->kernels()->Get(step.kernel)->name()->c_str(), reason,
                        error);
    if (code != TWRT_OK)
      return failDuring(step.kind == PlanStep::Copy ? "a copy" : "a fill", "", reason, error);
    launches += step.kind == PlanStep::Launch;
  }
  return TWRT_OK;
}

static TwrtCode run(TwrtProgram &program, TwrtLaunchHook hook, void *user, TwrtError *error) {
  const Allocator &allocator = program.module->instance->allocator;
  TwrtCall *call = create<TwrtCall>(allocator, &program, program.program->initializer());
  if (!call)
    return failMemory(error, "the program's initializer");
  const Driver &driver = *program.device->driver;
  void *queue = nullptr;
  TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  TwrtCode code = prepareCall(*call, &reason);
  if (code == TWRT_OK)
    code = relocate(*call, &reason);
  if (code != TWRT_OK)
    failDuring("its preparation", "", reason, error);
  if (code == TWRT_OK && hook)
    code = twrtCallSetLaunchHook(call, hook, user, error);
  if (code == TWRT_OK)
    code = driver.queueCreate(program.device->handle, &queue, error);
  if (code == TWRT_OK)
    code = runSteps(*call, queue, error);
  if (code == TWRT_OK) {
    program.initialization.launches = uint32_t(call->plan.samples.size());
    program.initialization.arenaBytes = call->plan.arenaBytes;
  }
  if (queue)
    driver.queueDestroy(queue);
  twrtCallRelease(call);
  return code;
}

TwrtCode tw::runtime::initialize(TwrtProgram &program, TwrtLaunchHook hook, void *user,
                                 TwrtError *error) {
  if (program.isInitialized.load(std::memory_order_acquire))
    return TWRT_OK;
  std::lock_guard lock(program.initializerMutex);
  if (program.isInitialized.load(std::memory_order_relaxed))
    return TWRT_OK;
  uint64_t start = now();
  Span span(program.module->instance->context.trace, TWRT_EVENT_INITIALIZE,
            program.function->name()->string_view(), program.device->slot->uri);
  TWRT_TRY(span.end(run(program, hook, user, error)));
  freeSources(program);
  program.initialization.nanoseconds = now() - start;
  program.isInitialized.store(true, std::memory_order_release);
  return TWRT_OK;
}

TwrtCode twrtProgramInitialize(TwrtProgram *program, TwrtLaunchHook hook, void *user,
                               TwrtError *error) {
  TWRT_TRY(checkNotNull(program, "program", error));
  return initialize(*program, hook, user, error);
}

TwrtCode twrtProgramInitialization(const TwrtProgram *program, TwrtInitialization *initialization,
                                   TwrtError *error) {
  TWRT_TRY(checkNotNull(program, "program", error));
  TWRT_TRY(checkNotNull(initialization, "initialization", error));
  TWRT_TRY(checkSize(initialization, "TwrtInitialization", error));
  bool done = program->isInitialized.load(std::memory_order_acquire);
  TwrtInitialization known = {};
  if (done)
    known = program->initialization;
  known.derivedBytes = program->derivedBytes;
  known.sourceBytes = program->sourceBytes;
  tw::writeSized(*initialization, known);
  return TWRT_OK;
}
