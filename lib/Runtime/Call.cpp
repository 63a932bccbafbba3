// Calls: setting values, submitting, results, profile.
#include "Call.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Element.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

using namespace tw::runtime;
using namespace tw::format;

TwrtCall::TwrtCall(TwrtProgram *program, const fb::Program *commands)
    : program(program), commands(commands), arguments(program->module->instance->allocator),
      results(program->module->instance->allocator), plan(program->module->instance->allocator),
      slabs(program->module->instance->allocator) {
  program->references.retain();
  for (Array<uint8_t> &copy : shown)
    copy = Array<uint8_t>(program->module->instance->allocator);
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
  if (hookQueue)
    program->device->driver->queueDestroy(hookQueue);
  for (DriverMemory &slab : slabs)
    freeMemory(*program->device, &slab, true);
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
      !made->results.reset(twrtProgramResultCount(program))) {
    twrtCallRelease(made);
    return failMemory(error, "a call");
  }
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

/// "[1, 3, 224, 224]", cut if it is long.
static void printDims(char (&text)[160], const int64_t *dims, uint32_t rank,
                      const fb::Function *function) {
  size_t length = size_t(snprintf(text, sizeof(text), "["));
  for (uint32_t i = 0; i < rank && length < sizeof(text) - 30; ++i) {
    const char *comma = i ? ", " : "";
    if (dims[i] < 0 && function)
      length += size_t(snprintf(text + length, sizeof(text) - length, "%s%.20s", comma,
                                function->symbols()->Get(uint32_t(-1 - dims[i]))->name()->c_str()));
    else
      length +=
          size_t(snprintf(text + length, sizeof(text) - length, "%s%" PRId64, comma, dims[i]));
  }
  snprintf(text + length, sizeof(text) - length, "]");
}

/// Checks a tensor against the type of the value it is for; `bytes` is its size.
static TwrtCode checkTensor(const TwrtCall &call, const TwrtTensor *tensor, const char *role,
                            const char *name, const fb::TensorType *type, uint64_t alignment,
                            uint64_t &bytes, TwrtError *error) {
  TWRT_TRY(checkNotNull(tensor, "tensor", error));
  TWRT_TRY(checkSize(tensor, "TwrtTensor", error));
  TWRT_TRY(checkNotNull(tensor->buffer, "the tensor's buffer", error));
  if (tensor->element != type->element())
    return fail(error, TWRT_INVALID_ARGUMENT, "%s '%.80s' has element type %s, expected %s", role,
                name, twrtElementName(tensor->element), twrtElementName(type->element()));
  uint32_t rank = type->dims() ? type->dims()->size() : 0;
  if (tensor->rank)
    TWRT_TRY(checkNotNull(tensor->dims, "the tensor's dims", error));
  bool same = tensor->rank == rank;
  for (uint32_t i = 0; same && i < rank; ++i) {
    int64_t expected = type->dims()->Get(i);
    same = expected < 0 ? tensor->dims[i] >= 0 : tensor->dims[i] == expected;
  }
  if (!same) {
    char found[160], expected[160];
    printDims(found, tensor->dims, tensor->rank, nullptr);
    printDims(expected, rank ? type->dims()->data() : nullptr, rank, call.program->function);
    return fail(error, TWRT_INVALID_ARGUMENT, "%s '%.80s' has shape %s, expected %s", role, name,
                found, expected);
  }
  bytes = elementBytes(ElementType(type->element()));
  for (uint32_t i = 0; i < rank; ++i)
    if (!checkedMul(bytes, uint64_t(tensor->dims[i]), bytes))
      return fail(error, TWRT_INVALID_ARGUMENT, "the size of %s '%.80s' overflows", role, name);
  const TwrtBuffer *buffer = tensor->buffer;
  if (buffer->device != call.program->device)
    return fail(error, TWRT_INVALID_ARGUMENT, "%s '%.80s' is on device %s, the program on %s", role,
                name, buffer->device->slot->uri, call.program->device->slot->uri);
  if (!rangeWithin(tensor->offset, bytes, buffer->memory.bytes))
    return fail(error, TWRT_INVALID_ARGUMENT,
                "%s '%.80s' takes %" PRIu64 " bytes at offset %" PRIu64 " of a buffer of %" PRIu64
                " bytes",
                role, name, bytes, tensor->offset, buffer->memory.bytes);
  if (!isAligned(*buffer->device, buffer->memory, tensor->offset, alignment))
    return fail(error, TWRT_INVALID_ARGUMENT, "%s '%.80s' is not aligned to %" PRIu64 " bytes",
                role, name, std::max<uint64_t>(alignment, buffer->device->info.offsetAlignment));
  return TWRT_OK;
}

/// Stores the tensor. The call stays prepared if the shape is the one it was prepared for.
static TwrtCode store(TwrtCall &call, CallValue &value, const TwrtTensor &tensor, uint64_t bytes,
                      TwrtError *error) {
  std::span<const int64_t> dims(tensor.dims, tensor.rank);
  bool same = value.dims.size() == dims.size() && value.buffer &&
              std::equal(dims.begin(), dims.end(), value.dims.begin());
  if (!same) {
    Array<int64_t> copy(call.program->module->instance->allocator);
    if (!copy.assign(dims))
      return failMemory(error, "a call");
    value.dims = std::move(copy);
    call.prepared = false;
  }
  twrtBufferRetain(tensor.buffer);
  twrtBufferRelease(value.buffer);
  value.buffer = tensor.buffer;
  value.offset = tensor.offset;
  value.bytes = bytes;
  value.own = false;
  return TWRT_OK;
}

TwrtCode twrtCallSetArgument(TwrtCall *call, size_t index, const TwrtTensor *tensor,
                             TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  if (index >= call->arguments.size())
    return fail(error, TWRT_INVALID_ARGUMENT, "argument %zu of %zu", index, call->arguments.size());
  const fb::Argument *argument = call->program->function->arguments()->Get(uint32_t(index));
  uint64_t bytes, element = elementBytes(ElementType(argument->type()->element()));
  TWRT_TRY(checkTensor(*call, tensor, "argument", argument->name()->c_str(), argument->type(),
                       std::max<uint64_t>(argument->alignment(), element), bytes, error));
  if (argument->aliases_result() >= 0 && tensor->buffer->readOnly)
    return fail(error, TWRT_INVALID_ARGUMENT,
                "argument '%.80s' is written in place, its buffer is "
                "mapped for reading",
                argument->name()->c_str());
  return store(*call, call->arguments[index], *tensor, bytes, error);
}

TwrtCode twrtCallSetResult(TwrtCall *call, size_t index, const TwrtTensor *tensor,
                           TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  if (index >= call->results.size())
    return fail(error, TWRT_INVALID_ARGUMENT, "result %zu of %zu", index, call->results.size());
  CallValue &value = call->results[index];
  if (!tensor) {
    if (!value.own) {
      twrtBufferRelease(value.buffer);
      value.buffer = nullptr;
      value.dims.clear();
      call->prepared = false;
    }
    return TWRT_OK;
  }
  const fb::Result *result = call->program->function->results()->Get(uint32_t(index));
  if (findAlias(*call, index))
    return fail(error, TWRT_INVALID_ARGUMENT, "result '%.80s' has the memory of an argument",
                result->name()->c_str());
  uint64_t bytes, element = elementBytes(ElementType(result->type()->element()));
  TWRT_TRY(checkTensor(*call, tensor, "result", result->name()->c_str(), result->type(), element,
                       bytes, error));
  if (tensor->buffer->readOnly)
    return fail(error, TWRT_INVALID_ARGUMENT, "the buffer of result '%.80s' is mapped for reading",
                result->name()->c_str());
  return store(*call, value, *tensor, bytes, error);
}

TwrtCode twrtCallPrepare(TwrtCall *call, uint64_t *arenaBytes, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  if (!call->prepared) {
    TWRT_TRY(initialize(*call->program, nullptr, nullptr, error));
    TWRT_TRY(prepareCall(*call, error));
  }
  if (arenaBytes)
    *arenaBytes = call->plan.arenaBytes;
  return TWRT_OK;
}

/// The memory of a binding as the host sees it, or a copy.
static TwrtCode showBinding(TwrtCall &call, uint32_t index, const PlanRange &range, uint64_t bytes,
                            void **data) {
  if (range.memory->host) {
    *data = static_cast<uint8_t *>(range.memory->host) + range.offset;
    return TWRT_OK;
  }
  Array<uint8_t> &copy = call.shown[index];
  const Driver *driver = call.program->device->driver;
  if (copy.size() < bytes && !copy.reset(bytes))
    return failMemory(&call.hookError, "a copy of a binding");
  uint64_t point = 0;
  TWRT_TRY(driver->read(call.hookQueue, {range.memory, range.offset, bytes}, copy.data(), &point,
                        &call.hookError));
  TWRT_TRY(driver->pointWait(call.hookQueue, point, waitForever, &call.hookError));
  *data = copy.data();
  return TWRT_OK;
}

/// Shows a finished launch to the caller's hook.
static TwrtCode showLaunch(void *user, uint32_t step, uint32_t launch) {
  TwrtCall &call = *static_cast<TwrtCall *>(user);
  const PlanStep &at = call.plan.steps[call.firstStep + step];
  const fb::Kernel *kernel = call.program->module->root->kernels()->Get(at.kernel);
  TwrtBinding bindings[16] = {};
  for (uint32_t i = 0; i < at.rangeCount; ++i) {
    const PlanRange &range = call.plan.ranges[at.firstRange + i];
    const fb::Binding *binding = kernel->bindings()->Get(i);
    const fb::TensorType *type = binding->type();
    bindings[i].access = binding->access();
    bindings[i].element = type->element();
    bindings[i].rank = type->dims() ? type->dims()->size() : 0;
    bindings[i].dims = bindings[i].rank ? type->dims()->data() : nullptr;
    bindings[i].bytes = typeBytes(type);
    TWRT_TRY(showBinding(call, i, range, bindings[i].bytes, &bindings[i].data));
  }
  TwrtLaunch shown = {};
  shown.size = sizeof(shown);
  shown.kernel = at.kernel;
  shown.launch = call.firstLaunch + launch;
  shown.launchCount = uint32_t(call.plan.samples.size());
  shown.bindingCount = at.rangeCount;
  shown.bindings = bindings;
  shown.name = {kernel->name()->c_str(), kernel->name()->size()};
  return call.hook(call.hookUser, &shown);
}

TwrtCode tw::runtime::submitSteps(TwrtCall &call, void *queue, std::span<const PlanStep> steps,
                                  uint32_t firstLaunch, uint64_t *point, TwrtError *error) {
  Plan plan = {steps,
               call.plan.ranges,
               call.plan.scalars,
               call.plan.scratchBytes,
               call.plan.samples.data() + firstLaunch,
               call.hook ? showLaunch : nullptr,
               &call,
               call.plan.sharedBytes};
  call.firstStep = uint32_t(steps.data() - call.plan.steps.data());
  call.firstLaunch = firstLaunch;
  call.hookError.code = TWRT_OK;
  TwrtCode code = call.program->device->driver->submitPlan(queue, plan, point, error);
  if (code == TWRT_CANCELLED && call.hookError.code != TWRT_OK)
    return failCall(error, call.hookError.code, call.hookError.call, call.hookError.driverCode,
                    "%s", call.hookError.message);
  return code;
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
  TWRT_TRY(waitForPoints(after, afterCount, error));
  uint64_t value = 0;
  TWRT_TRY(submitSteps(*call, queue->handle, call->plan.steps, 0, &value, error));
  call->ran = true;
  if (!call->lastQueue)
    queue->references.retain();
  call->lastQueue = queue;
  call->lastPoint = value;
  if (point)
    *point = {queue, value};
  return TWRT_OK;
}

TwrtCode twrtCallGetResult(TwrtCall *call, size_t index, TwrtTensor *tensor, int64_t *dims,
                           uint32_t capacity, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  TWRT_TRY(checkNotNull(tensor, "tensor", error));
  TWRT_TRY(checkSize(tensor, "TwrtTensor", error));
  if (index >= call->results.size())
    return fail(error, TWRT_INVALID_ARGUMENT, "result %zu of %zu", index, call->results.size());
  if (!call->prepared)
    return fail(error, TWRT_INVALID_ARGUMENT, "the call is not prepared");
  const CallValue *alias = findAlias(*call, index);
  const CallValue &value = alias ? *alias : call->results[index];
  if (capacity < value.dims.size() || (!dims && !value.dims.empty()))
    return fail(error, TWRT_INVALID_ARGUMENT, "room for %u dims, the result has %zu", capacity,
                value.dims.size());
  std::copy(value.dims.begin(), value.dims.end(), dims);
  const fb::Result *result = call->program->function->results()->Get(uint32_t(index));
  tw::writeSized(*tensor, {0, result->type()->element(), uint32_t(value.dims.size()), 0,
                           value.buffer, value.offset, dims});
  return TWRT_OK;
}

TwrtCode twrtCallProfile(TwrtCall *call, TwrtSample *samples, size_t *count, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  TWRT_TRY(checkNotNull(count, "count", error));
  if (!call->ran)
    return fail(error, TWRT_INVALID_ARGUMENT, "the call has not run");
  TWRT_TRY(settle(*call, error));
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

TwrtCode twrtCallSetLaunchHook(TwrtCall *call, TwrtLaunchHook hook, void *user, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  const TwrtDevice &device = *call->program->device;
  if (hook && !device.info.hostVisible && !call->hookQueue)
    TWRT_TRY(device.driver->queueCreate(device.handle, &call->hookQueue, error));
  call->hook = hook;
  call->hookUser = user;
  return TWRT_OK;
}
