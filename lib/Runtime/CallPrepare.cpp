// Prepares a call: settles its sizes, and finds the plan for them or makes it.
#include "Preparer.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Element.h"

#include <algorithm>
#include <cinttypes>

using namespace tw::runtime;
using namespace tw::format;

namespace {

/// What a call's results will be, kept until everything has worked.
struct Results {
  TwrtCall &call;
  TwrtError *error;
  const Allocator &allocator = call.program->module->instance->allocator;
  /// The dims of all results, one after the other, and bytes by result.
  Array<int64_t> dims{allocator};
  Array<uint64_t> bytes{allocator};
  Array<TwrtBuffer *> made{allocator};

  Results(TwrtCall &call, TwrtError *error) : call(call), error(error) {}
  ~Results() {
    for (TwrtBuffer *buffer : made)
      twrtBufferRelease(buffer);
  }

  TwrtCode settle(std::span<const int64_t> symbols);
  /// Gets buffers for results that the caller left to the call.
  TwrtCode getBuffers();
  /// False if memory is short for the dims of a result; nothing has changed then.
  bool commit();

private:
  const fb::TensorType *type(size_t result) const {
    return call.program->function->results()->Get(uint32_t(result))->type();
  }
  static uint32_t rank(const fb::TensorType *type) {
    return type->dims() ? type->dims()->size() : 0;
  }
  TwrtCode settleOne(size_t result, std::span<const int64_t> symbols, int64_t *to);
};

} // namespace

/// Dims and bytes of a result, which go with its tensor or with the memory of its argument.
TwrtCode Results::settleOne(size_t result, std::span<const int64_t> symbols, int64_t *to) {
  const fb::TensorType *shape = type(result);
  const char *name = call.program->function->results()->Get(uint32_t(result))->name()->c_str();
  uint32_t count = rank(shape);
  for (uint32_t d = 0; d < count; ++d) {
    int64_t dim = shape->dims()->Get(d);
    to[d] = dim < 0 ? symbols[size_t(-1 - dim)] : dim;
  }
  if (!computeTypeBytes(*shape, symbols, bytes[result]))
    return fail(error, TWRT_OUT_OF_MEMORY, "the size of result '%.80s' overflows", name);
  const CallValue &value = call.results[result];
  if (value.alias >= 0) {
    const CallValue &argument = call.arguments[size_t(value.alias)];
    const Array<int64_t> &room = argument.storage.empty() ? argument.dims : argument.storage;
    for (uint32_t d = 0; d < count; ++d)
      if (to[d] > room[d])
        return fail(error, TWRT_INVALID_ARGUMENT,
                    "dimension %u of result '%.80s' is %" PRId64
                    ", the memory of its argument has %" PRId64,
                    d, name, to[d], room[d]);
  } else if (value.buffer && !value.own &&
             !std::equal(to, to + count, value.dims.begin(), value.dims.end())) {
    return fail(error, TWRT_INVALID_ARGUMENT,
                "the tensor set for result '%.80s' has another shape than the result", name);
  }
  return TWRT_OK;
}

TwrtCode Results::settle(std::span<const int64_t> symbols) {
  size_t count = call.results.size(), numbers = 0;
  for (size_t r = 0; r < count; ++r)
    numbers += rank(type(r));
  if (!dims.reset(numbers) || !bytes.reset(count) || !made.reset(count))
    return failMemory(error, "a call");
  int64_t *to = dims.data();
  for (size_t r = 0; r < count; to += rank(type(r)), ++r)
    TWRT_TRY(settleOne(r, symbols, to));
  return TWRT_OK;
}

TwrtCode Results::getBuffers() {
  for (size_t r = 0; r < call.results.size(); ++r) {
    const CallValue &value = call.results[r];
    if (value.alias < 0 &&
        (!value.buffer || (value.own && twrtBufferBytes(value.buffer) < bytes[r])))
      TWRT_TRY(twrtBufferCreate(call.program->device, bytes[r], 0, &made[r], error));
  }
  return TWRT_OK;
}

bool Results::commit() {
  Array<Array<int64_t>> changed(allocator);
  if (!changed.reset(call.results.size()))
    return false;
  const int64_t *from = dims.data();
  for (size_t r = 0; r < call.results.size(); ++r) {
    std::span<const int64_t> shape(from, rank(type(r)));
    from += shape.size();
    changed[r] = Array<int64_t>(allocator);
    const Array<int64_t> &known = call.results[r].dims;
    if (!std::equal(shape.begin(), shape.end(), known.begin(), known.end()) &&
        !changed[r].assign(shape))
      return false;
  }
  for (size_t r = 0; r < call.results.size(); ++r) {
    CallValue &value = call.results[r];
    if (made[r]) {
      twrtBufferRelease(value.buffer);
      value.buffer = made[r];
      value.offset = 0;
      value.own = true;
      made[r] = nullptr;
    }
    if (!changed[r].empty())
      value.dims = std::move(changed[r]);
    value.bytes = bytes[r];
  }
  return true;
}

/// Whether a plan made for `known` serves `symbols`, but for what follows late ones.
static bool serves(const fb::Function *function, std::span<const int64_t> known,
                   std::span<const int64_t> symbols) {
  for (uint32_t i = 0; i < symbols.size(); ++i)
    if (known[i] != symbols[i] && !function->symbols()->Get(i)->late())
      return false;
  return true;
}

/// The call's plan for these symbols, or NULL.
static Prepared *findPlan(TwrtCall &call, std::span<const int64_t> symbols) {
  const fb::Function *function = call.program->function;
  if (call.plan.isMade && serves(function, call.plan.symbols, symbols))
    return &call.plan;
  for (Prepared *other : call.otherPlans)
    if (other && other->isMade && serves(function, other->symbols, symbols))
      return other;
  return nullptr;
}

/// Puts the current plan aside, in the place of the one that was left longest ago. Where memory is
/// short it is lost, and made again when it is needed.
static void putAside(TwrtCall &call) {
  if (!call.plan.isMade || call.plan.symbols.empty())
    return;
  call.plan.lastUsed = ++call.planChanges;
  Prepared **place = call.otherPlans;
  for (Prepared *&other : call.otherPlans)
    if (*place && (!other || other->lastUsed < (*place)->lastUsed))
      place = &other;
  const Allocator &allocator = call.program->module->instance->allocator;
  if (!*place)
    *place = create<Prepared>(allocator, allocator);
  if (*place)
    std::swap(**place, call.plan);
}

static void makeCurrent(TwrtCall &call, Prepared &plan) {
  if (&plan == &call.plan)
    return;
  call.plan.lastUsed = ++call.planChanges;
  std::swap(call.plan, plan);
}

/// Makes a plan and its memory.
static TwrtCode makePlan(TwrtCall &call, Prepared &plan, const Results &results, TwrtError *error) {
  CommandRunner runner{call, plan, results.bytes, error};
  TWRT_TRY(runner.runAll());
  TWRT_TRY(planSlabs(call, plan, runner.intervalBytes, error));
  plan.isMade = true;
  // What runs now may use the slabs, and a plan that goes.
  settle(call, nullptr);
  TWRT_TRY(growPiece(call, plan, error));
  return growSlabs(call, plan, error);
}

/// Brings a known plan to these values of late symbols. `changed`: it has to be made anew.
static TwrtCode followPlan(TwrtCall &call, Prepared &plan, std::span<const int64_t> symbols,
                           const Results &results, bool &changed, TwrtError *error) {
  changed = false;
  if (!plan.isStale && std::equal(symbols.begin(), symbols.end(), plan.symbols.begin()))
    return TWRT_OK;
  CommandRunner runner{call, plan, results.bytes, error};
  return runner.follow(symbols, changed);
}

TwrtCode tw::runtime::prepareCall(TwrtCall &call, TwrtError *error) {
  const Allocator &allocator = call.program->module->instance->allocator;
  const fb::Function *function = call.program->function;
  bool isInitializer = call.commands != call.program->program;
  TWRT_TRY(checkMappedFiles(*call.program, error));
  Array<int64_t> symbols(allocator);
  if (!symbols.reset(!isInitializer && function->symbols() ? function->symbols()->size() : 0))
    return failMemory(error, "a call");
  if (!isInitializer)
    TWRT_TRY(settleSymbols(call, {symbols.data(), symbols.size()}, error));
  Results results(call, error);
  TWRT_TRY(results.settle(symbols));
  Prepared *known = findPlan(call, symbols);
  bool changed = !known;
  if (known)
    TWRT_TRY(followPlan(call, *known, symbols, results, changed, error));
  Prepared fresh(allocator);
  if (changed) {
    fresh.symbols = std::move(symbols);
    TWRT_TRY(makePlan(call, fresh, results, error));
  }
  TWRT_TRY(results.getBuffers());
  if (!results.commit())
    return failMemory(error, "a call");
  freePiece(call);
  if (known)
    makeCurrent(call, *known);
  else
    putAside(call);
  if (changed)
    call.plan = std::move(fresh);
  call.prepared = true;
  call.ran = false;
  return TWRT_OK;
}
