// Shows launches to the caller's hook, one at a time: what each read and what it made.
//
// With a hook, steps are handed to the driver one by one and waited for. So drivers know nothing of
// hooks, and what a launch overwrites can be copied before it.
#include "Call.h"
#include "tw/Format/Metadata.h"

using namespace tw::runtime;
using namespace tw::format;

namespace {

/// One launch on its way: copies before it, and the hook after it.
class Watched {
public:
  Watched(TwrtCall &call, void *queue, const Submission &one, uint32_t number)
      : call(call), queue(queue), step(one.steps.front()),
        ranges(one.ranges.data() + step.firstRange),
        kernel(call.program->module->root->kernels()->Get(step.kernel)), number(number) {}

  /// Before it is handed in.
  TwrtCode keep(TwrtError *error);
  /// When it has run.
  TwrtCode show(TwrtError *error);

private:
  void describe(uint32_t binding);
  bool isOverwritten(uint32_t binding) const;
  TwrtCode copy(uint32_t binding, Array<uint8_t> &copy, void **data, TwrtError *error);

  TwrtCall &call;
  void *queue;
  const PlanStep &step;
  const PlanRange *ranges;
  const fb::Kernel *kernel;
  uint32_t number;
  TwrtBinding bindings[maxKernelBindings] = {};
  int64_t dims[maxKernelBindings][maxRank];
};

} // namespace

void Watched::describe(uint32_t index) {
  TwrtBinding &binding = bindings[index];
  std::span<const int64_t> scalars(call.plan.scalars.data() + step.firstScalar, kernel->scalars());
  const fb::Binding *known = kernel->bindings()->Get(index);
  const fb::TensorType *type = known->type();
  binding.access = known->access();
  binding.element = type->element();
  binding.rank = type->dims() ? type->dims()->size() : 0;
  for (uint32_t d = 0; d < binding.rank; ++d) {
    int64_t dim = type->dims()->Get(d);
    dims[index][d] = dim < 0 ? scalars[size_t(-1 - dim)] : dim;
  }
  binding.dims = binding.rank ? dims[index] : nullptr;
  // It does not overflow: preparing has seen to that.
  if (!computeTypeBytes(*type, scalars, binding.bytes))
    binding.bytes = 0;
}

/// Whether the launch writes bytes that it reads through this binding: results may lie where
/// arguments do.
bool Watched::isOverwritten(uint32_t index) const {
  const PlanRange &own = ranges[index];
  for (uint32_t i = 0; i < step.rangeCount; ++i) {
    const PlanRange &other = ranges[i];
    if (bindings[i].access == TWRT_READ || other.memory != own.memory)
      continue;
    if (own.offset < other.offset + bindings[i].bytes &&
        other.offset < own.offset + bindings[index].bytes)
      return true;
  }
  return false;
}

TwrtCode Watched::copy(uint32_t index, Array<uint8_t> &copy, void **data, TwrtError *error) {
  const PlanRange &range = ranges[index];
  const Driver *driver = call.program->device->driver;
  uint64_t bytes = bindings[index].bytes, point = 0;
  if (copy.size() < bytes && !copy.reset(bytes))
    return failMemory(error, "a copy of a binding");
  TWRT_TRY(driver->read(queue, {range.memory, range.offset, bytes}, copy.data(), &point, error));
  TWRT_TRY(driver->pointWait(queue, point, waitForever, error));
  *data = copy.data();
  return TWRT_OK;
}

TwrtCode Watched::keep(TwrtError *error) {
  for (uint32_t i = 0; i < step.rangeCount; ++i)
    describe(i);
  for (uint32_t i = 0; i < step.rangeCount; ++i) {
    TwrtBinding &binding = bindings[i];
    void *before = nullptr;
    if (binding.access == TWRT_READ_WRITE)
      TWRT_TRY(copy(i, call.kept[i], &before, error));
    else if (binding.access == TWRT_READ && isOverwritten(i))
      TWRT_TRY(copy(i, call.kept[i], &binding.data, error));
    binding.before = before;
  }
  return TWRT_OK;
}

TwrtCode Watched::show(TwrtError *error) {
  for (uint32_t i = 0; i < step.rangeCount; ++i) {
    const PlanRange &range = ranges[i];
    if (bindings[i].data)
      continue;
    if (range.memory->host)
      bindings[i].data = static_cast<uint8_t *>(range.memory->host) + range.offset;
    else
      TWRT_TRY(copy(i, call.shown[i], &bindings[i].data, error));
  }
  TwrtLaunch shown = {};
  shown.size = sizeof(shown);
  shown.kernel = step.kernel;
  shown.launch = number;
  shown.launchCount = uint32_t(call.plan.samples.size());
  shown.bindingCount = step.rangeCount;
  shown.scalarCount = kernel->scalars();
  shown.bindings = bindings;
  shown.scalars = call.plan.scalars.data() + step.firstScalar;
  shown.name = {kernel->name()->c_str(), kernel->name()->size()};
  if (call.hook(call.hookUser, &shown) == TWRT_OK)
    return TWRT_OK;
  return fail(error, TWRT_CANCELLED, "the launch hook stopped the call at launch %u", number);
}

TwrtCode tw::runtime::watchSteps(TwrtCall &call, void *queue, const Submission &all,
                                 uint32_t *launching, uint64_t *point, TwrtError *error) {
  if (all.steps.empty())
    return handInPlan(call, queue, all, launching, point, error);
  uint32_t launch = 0;
  for (size_t i = 0; i < all.steps.size(); ++i) {
    Submission one = all;
    one.steps = all.steps.subspan(i, 1);
    if (one.steps.front().kind != PlanStep::Launch) {
      TWRT_TRY(handInPlan(call, queue, one, nullptr, point, error));
      continue;
    }
    uint32_t number = all.launches ? all.launches[launch] : all.firstLaunch + launch;
    one.samples = all.samples ? all.samples + launch : nullptr;
    one.launches = nullptr;
    one.firstLaunch = number;
    Watched watched(call, queue, one, number);
    TWRT_TRY(watched.keep(error));
    TwrtCode code = handInPlan(call, queue, one, nullptr, point, error);
    if (code == TWRT_OK)
      code = call.program->device->driver->pointWait(queue, *point, waitForever, error);
    if (code != TWRT_OK) {
      if (launching)
        *launching = launch;
      return code;
    }
    TWRT_TRY(watched.show(error));
    ++launch;
  }
  return TWRT_OK;
}
