// Prepares a call: settles symbols, runs the launch program's registers, plans the arena.
#include "Call.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Element.h"
#include "tw/Format/Planner.h"

#include <algorithm>
#include <cinttypes>

using namespace tw::runtime;
using namespace tw::format;

namespace {

/// One run over the commands. Everything new is kept here until all of it has worked.
struct Preparer {
  TwrtCall &call;
  TwrtError *error;
  const Allocator &allocator = call.program->module->instance->allocator;
  const fb::Function *function = call.program->function;
  const fb::Program *program = call.program->program;
  const fb::Module *root = call.program->module->root;
  Array<int64_t> symbols{allocator}, registers{allocator};
  Array<MemoryRef> buffers{allocator};
  Array<uint64_t> intervalBytes{allocator};
  Array<Array<int64_t>> resultDims{allocator};
  Array<uint64_t> resultBytes{allocator};
  Prepared plan{allocator};
  uint32_t stepCount = 0, rangeCount = 0, scalarCount = 0, launchCount = 0;

  TwrtCode prepare();
  TwrtCode settleSymbols();
  TwrtCode settleResults();
  TwrtCode reserveSpace();
  TwrtCode run();
  TwrtCode runCommand(uint32_t index, const fb::Command *command, const uint32_t *operands);
  TwrtCode compute(uint32_t index, const fb::Command *command, const uint32_t *operands);
  TwrtCode slice(uint32_t index, const uint32_t *operands, MemoryRef &made);
  TwrtCode launch(uint32_t index, const fb::Command *command, const uint32_t *operands);
  TwrtCode planSlots();
  TwrtCode planSlot(uint32_t slot);
  TwrtCode getMemory();

  MemoryRef bind(BindKind kind, uint32_t index) const;
  void addRange(const MemoryRef &ref, uint32_t kernel, uint32_t alignment);
  TwrtCode failAt(uint32_t index, TwrtCode code, const char *what);
};

} // namespace

TwrtCode Preparer::failAt(uint32_t index, TwrtCode code, const char *what) {
  const fb::Location *where = nullptr;
  if (program->locations() && program->locations()->Get(index) != UINT32_MAX)
    where = root->locations()->Get(program->locations()->Get(index));
  const char *node = where && where->node() ? where->node()->c_str() : "";
  return fail(error, code, "command %u%s%.80s: %s", index, *node ? " of " : "", node, what);
}

TwrtCode Preparer::settleSymbols() {
  uint32_t count = function->symbols() ? function->symbols()->size() : 0;
  if (!symbols.reset(count))
    return failMemory(error, "a call");
  std::fill(symbols.begin(), symbols.end(), -1);
  for (uint32_t a = 0; a < call.arguments.size(); ++a) {
    const fb::Argument *argument = function->arguments()->Get(a);
    const CallValue &value = call.arguments[a];
    if (!value.buffer)
      return fail(error, TWRT_INVALID_ARGUMENT, "argument %u '%.80s' is not set", a,
                  argument->name()->c_str());
    for (uint32_t d = 0; d < value.dims.size(); ++d) {
      int64_t dim = argument->type()->dims()->Get(d), found = value.dims[d];
      if (dim >= 0)
        continue;
      const fb::Symbol *symbol = function->symbols()->Get(uint32_t(-1 - dim));
      int64_t &settled = symbols[size_t(-1 - dim)];
      if (settled >= 0 && settled != found)
        return fail(error, TWRT_INVALID_ARGUMENT,
                    "dimension %u of argument '%.80s' is %" PRId64 ", but %.40s is %" PRId64
                    " from an earlier argument",
                    d, argument->name()->c_str(), found, symbol->name()->c_str(), settled);
      if (found < symbol->min() || (symbol->max() >= 0 && found > symbol->max()) ||
          found % symbol->multiple() != 0)
        return fail(error, TWRT_INVALID_ARGUMENT,
                    "dimension %u of argument '%.80s' is %" PRId64 ", %.40s must be from %" PRId64
                    " to %" PRId64 " and a multiple of %" PRId64,
                    d, argument->name()->c_str(), found, symbol->name()->c_str(), symbol->min(),
                    symbol->max(), symbol->multiple());
      settled = found;
    }
  }
  return TWRT_OK;
}

TwrtCode Preparer::settleResults() {
  if (!resultDims.reset(call.results.size()) || !resultBytes.reset(call.results.size()))
    return failMemory(error, "a call");
  for (uint32_t r = 0; r < call.results.size(); ++r) {
    const fb::Result *result = function->results()->Get(r);
    const fb::TensorType *type = result->type();
    uint32_t rank = type->dims() ? type->dims()->size() : 0;
    Array<int64_t> dims(allocator);
    if (!dims.reset(rank))
      return failMemory(error, "a call");
    uint64_t bytes = elementBytes(ElementType(type->element()));
    for (uint32_t d = 0; d < rank; ++d) {
      int64_t dim = type->dims()->Get(d);
      dims[d] = dim < 0 ? symbols[size_t(-1 - dim)] : dim;
      if (dims[d] < 0)
        return fail(error, TWRT_INVALID_MODULE,
                    "no argument settles dimension %u of result '%.80s'", d,
                    result->name()->c_str());
      if (!checkedMul(bytes, uint64_t(dims[d]), bytes))
        return fail(error, TWRT_OUT_OF_MEMORY, "the size of result '%.80s' overflows",
                    result->name()->c_str());
    }
    const CallValue &value = call.results[r];
    if (value.buffer && !value.own &&
        !std::equal(dims.begin(), dims.end(), value.dims.begin(), value.dims.end()))
      return fail(error, TWRT_INVALID_ARGUMENT,
                  "the tensor set for result '%.80s' has another shape than the result",
                  result->name()->c_str());
    resultDims[r] = std::move(dims);
    resultBytes[r] = bytes;
  }
  return TWRT_OK;
}

/// Counts what the plan will hold.
TwrtCode Preparer::reserveSpace() {
  for (const fb::Command *command : *program->code()) {
    switch (Opcode(command->opcode())) {
    case Opcode::Launch: {
      const fb::Kernel *kernel = root->kernels()->Get(command->target());
      ++launchCount;
      ++stepCount;
      rangeCount += kernel->bindings()->size();
      scalarCount += kernel->scalars();
      break;
    }
    case Opcode::Copy:
      ++stepCount;
      rangeCount += 2;
      break;
    case Opcode::Fill:
      ++stepCount;
      rangeCount += 1;
      break;
    default:
      break;
    }
  }
  size_t intervals = program->intervals() ? program->intervals()->size() : 0;
  if (!plan.steps.reset(stepCount) || !plan.ranges.reset(rangeCount) ||
      !plan.relocations.reset(rangeCount) || !plan.scalars.reset(scalarCount) ||
      !plan.samples.reset(launchCount) || !plan.places.reset(intervals) ||
      !registers.reset(program->registers()) || !buffers.reset(program->buffers()) ||
      !intervalBytes.reset(intervals))
    return failMemory(error, "a call's plan");
  stepCount = rangeCount = scalarCount = launchCount = 0;
  return TWRT_OK;
}

MemoryRef Preparer::bind(BindKind kind, uint32_t index) const {
  switch (kind) {
  case BindKind::Argument:
    return {MemoryRef::Argument, index, 0, call.arguments[index].bytes};
  case BindKind::Result:
    return {MemoryRef::Result, index, 0, resultBytes[index]};
  case BindKind::Constant:
    break;
  }
  return {MemoryRef::Constant, index, 0, call.program->constants[index].bytes};
}

TwrtCode Preparer::slice(uint32_t index, const uint32_t *operands, MemoryRef &made) {
  const MemoryRef &whole = buffers[operands[0]];
  int64_t offset = registers[operands[1]], bytes = registers[operands[2]];
  if (offset < 0 || bytes < 0 || !rangeWithin(uint64_t(offset), uint64_t(bytes), whole.bytes))
    return failAt(index, TWRT_INVALID_MODULE, "a slice lies outside its buffer");
  made = {whole.kind, whole.index, whole.offset + uint64_t(offset), uint64_t(bytes)};
  return TWRT_OK;
}

void Preparer::addRange(const MemoryRef &ref, uint32_t kernel, uint32_t alignment) {
  plan.relocations[rangeCount++] = {ref, kernel, alignment};
}

TwrtCode Preparer::launch(uint32_t index, const fb::Command *command, const uint32_t *operands) {
  const fb::Kernel *kernel = root->kernels()->Get(command->target());
  const LoadedKernel &loaded = call.program->kernels[command->target()];
  PlanStep &step = plan.steps[stepCount++];
  step.kind = PlanStep::Launch;
  step.kernel = command->target();
  step.executable = loaded.executable;
  step.entry = loaded.entry;
  plan.scratchBytes = std::max<uint64_t>(plan.scratchBytes, loaded.scratchBytes);
  uint64_t programs = 1;
  for (uint32_t i = 0; i < 3; ++i) {
    int64_t extent = registers[operands[i]];
    if (extent < 0 || !checkedMul(programs, uint64_t(extent), programs) || programs > UINT32_MAX)
      return failAt(index, TWRT_INVALID_MODULE, "the grid is negative or has over 2^32 programs");
    step.grid[i] = uint32_t(extent);
  }
  step.firstRange = rangeCount;
  step.rangeCount = kernel->bindings()->size();
  for (uint32_t i = 0; i < step.rangeCount; ++i) {
    const fb::Binding *binding = kernel->bindings()->Get(i);
    const MemoryRef &ref = buffers[operands[3 + i]];
    if (ref.bytes < typeBytes(binding->type()))
      return failAt(index, TWRT_INVALID_MODULE, "a kernel is bound to less memory than it uses");
    addRange(ref, command->target(), binding->alignment());
  }
  step.firstScalar = scalarCount;
  for (uint32_t i = 0; i < kernel->scalars(); ++i)
    plan.scalars[scalarCount++] = registers[operands[3 + step.rangeCount + i]];
  TwrtSample &sample = plan.samples[launchCount++];
  sample = {sizeof(TwrtSample), command->target(), 0, 0, kernel->flops(), kernel->bytes()};
  return TWRT_OK;
}

TwrtCode Preparer::compute(uint32_t index, const fb::Command *command, const uint32_t *operands) {
  int64_t &result = registers[command->target()];
  auto input = [&](uint32_t i) { return registers[operands[i]]; };
  bool fits = true;
  switch (Opcode(command->opcode())) {
  case Opcode::Const:
    result = program->literals()->Get(operands[0]);
    break;
  case Opcode::Dim:
    result = call.arguments[operands[0]].dims[operands[1]];
    break;
  case Opcode::Add:
    fits = checkedAdd(input(0), input(1), result);
    break;
  case Opcode::Sub:
    fits = checkedSub(input(0), input(1), result);
    break;
  case Opcode::Mul:
    fits = checkedMul(input(0), input(1), result);
    break;
  case Opcode::FloorDiv:
    fits = checkedFloorDiv(input(0), input(1), result);
    break;
  case Opcode::CeilDiv:
    fits = checkedCeilDiv(input(0), input(1), result);
    break;
  case Opcode::Mod:
    fits = checkedMod(input(0), input(1), result);
    break;
  case Opcode::Min:
    result = std::min(input(0), input(1));
    break;
  case Opcode::Max:
    result = std::max(input(0), input(1));
    break;
  case Opcode::Cmp: {
    int64_t a = input(1), b = input(2);
    bool holds[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    result = holds[operands[0]];
    break;
  }
  case Opcode::Select:
    result = input(0) != 0 ? input(1) : input(2);
    break;
  default:
    return failAt(index, TWRT_INVALID_MODULE, "unknown opcode");
  }
  return fits ? TWRT_OK
              : failAt(index, TWRT_INVALID_MODULE, "arithmetic overflows or divides by zero");
}

TwrtCode Preparer::runCommand(uint32_t index, const fb::Command *command,
                              const uint32_t *operands) {
  switch (Opcode(command->opcode())) {
  case Opcode::Guard:
    return registers[operands[0]] != 0
               ? TWRT_OK
               : failAt(index, TWRT_UNSUPPORTED, "the program is not made for these shapes");
  case Opcode::Reserve: {
    const fb::Interval *interval = program->intervals()->Get(operands[0]);
    int64_t bytes = registers[interval->size()];
    if (bytes < 0)
      return failAt(index, TWRT_INVALID_MODULE, "memory of negative size");
    intervalBytes[operands[0]] = uint64_t(bytes);
    buffers[command->target()] = {MemoryRef::Arena, operands[0], 0, uint64_t(bytes)};
    return TWRT_OK;
  }
  case Opcode::Slice:
    return slice(index, operands, buffers[command->target()]);
  case Opcode::Bind:
    buffers[command->target()] = bind(BindKind(operands[0]), operands[1]);
    return TWRT_OK;
  case Opcode::Launch:
    return launch(index, command, operands);
  case Opcode::Copy: {
    const MemoryRef &to = buffers[operands[0]], &from = buffers[operands[1]];
    if (to.bytes != from.bytes)
      return failAt(index, TWRT_INVALID_MODULE, "a copy between buffers of different sizes");
    plan.steps[stepCount].kind = PlanStep::Copy;
    plan.steps[stepCount].firstRange = rangeCount;
    plan.steps[stepCount++].rangeCount = 2;
    addRange(to, 0, 1);
    addRange(from, 0, 1);
    return TWRT_OK;
  }
  case Opcode::Fill: {
    const MemoryRef &to = buffers[operands[0]];
    if (to.bytes % operands[2] != 0)
      return failAt(index, TWRT_INVALID_MODULE, "a fill of part of an element");
    PlanStep &step = plan.steps[stepCount++];
    step.kind = PlanStep::Fill;
    step.pattern = program->literals()->Get(operands[1]);
    step.width = uint8_t(operands[2]);
    step.firstRange = rangeCount;
    step.rangeCount = 1;
    addRange(to, 0, 1);
    return TWRT_OK;
  }
  case Opcode::Return:
    return TWRT_OK;
  default:
    return compute(index, command, operands);
  }
}

TwrtCode Preparer::run() {
  for (uint32_t i = 0; i < program->code()->size(); ++i) {
    const fb::Command *command = program->code()->Get(i);
    const uint32_t *operands =
        command->count() ? program->operands()->data() + command->first() : nullptr;
    TWRT_TRY(runCommand(i, command, operands));
  }
  return TWRT_OK;
}

/// Plans one slot whose places the module leaves to us; its slabs come after those there are.
TwrtCode Preparer::planSlot(uint32_t slotIndex) {
  const fb::Slot *slot = program->slots()->Get(slotIndex);
  size_t count = plan.places.size(), members = 0;
  Array<PlanInterval> intervals(allocator);
  Array<uint32_t> which(allocator);
  Array<Placement> placements(allocator);
  Array<uint64_t> slabs(allocator), all(allocator);
  if (!intervals.reset(count) || !which.reset(count) || !placements.reset(count) ||
      !slabs.reset(count))
    return failMemory(error, "an arena plan");
  for (uint32_t i = 0; i < count; ++i) {
    const fb::Interval *interval = program->intervals()->Get(i);
    if (interval->slot() != slotIndex)
      continue;
    which[members] = i;
    intervals[members++] = {intervalBytes[i],
                            std::max(interval->alignment(), slot->offset_alignment()),
                            interval->first(), interval->last()};
  }
  PlanLimits limits;
  limits.maxSlabBytes = call.program->device->info.maxSlabBytes;
  if (slot->max_slab())
    limits.maxSlabBytes = std::min<uint64_t>(limits.maxSlabBytes, slot->max_slab());
  PlanSummary summary;
  uint32_t bad = 0;
  PlanResult result = planArena({intervals.data(), members}, limits, {placements.data(), members},
                                {slabs.data(), members}, summary, bad);
  if (result == PlanResult::OutOfMemory)
    return failMemory(error, "an arena plan");
  if (result == PlanResult::BadInterval)
    return fail(error, TWRT_OUT_OF_MEMORY, "interval %u of %" PRIu64 " bytes is larger than a slab",
                which[bad], intervals[bad].bytes);
  size_t before = plan.slabBytes.size();
  if (!all.reset(before + summary.slabCount))
    return failMemory(error, "an arena plan");
  std::copy(plan.slabBytes.begin(), plan.slabBytes.end(), all.begin());
  std::copy_n(slabs.begin(), summary.slabCount, all.begin() + before);
  plan.slabBytes = std::move(all);
  for (size_t i = 0; i < members; ++i)
    plan.places[which[i]] = {nullptr, placements[i].offset, before + placements[i].slab};
  return TWRT_OK;
}

/// places[i].bytes holds the index of the interval's slab until there are slabs to point to.
TwrtCode Preparer::planSlots() {
  for (uint32_t s = 0; s < program->slots()->size(); ++s) {
    const fb::Slot *slot = program->slots()->Get(s);
    bool dynamic = false;
    for (uint32_t i = 0; i < plan.places.size(); ++i) {
      const fb::Interval *interval = program->intervals()->Get(i);
      dynamic |= interval->slot() == s && interval->offset() < 0;
    }
    if (dynamic) {
      TWRT_TRY(planSlot(s));
      continue;
    }
    size_t before = plan.slabBytes.size(), count = slot->slabs() ? slot->slabs()->size() : 0;
    Array<uint64_t> all(allocator);
    if (!all.reset(before + count))
      return failMemory(error, "an arena plan");
    std::copy(plan.slabBytes.begin(), plan.slabBytes.end(), all.begin());
    for (uint32_t i = 0; i < count; ++i)
      all[before + i] = slot->slabs()->Get(i);
    plan.slabBytes = std::move(all);
    for (uint32_t i = 0; i < plan.places.size(); ++i)
      if (const fb::Interval *interval = program->intervals()->Get(i); interval->slot() == s)
        plan.places[i] = {nullptr, uint64_t(interval->offset()), before + interval->slab()};
  }
  for (uint64_t bytes : plan.slabBytes)
    if (!checkedAdd(plan.arenaBytes, bytes, plan.arenaBytes))
      return fail(error, TWRT_OUT_OF_MEMORY, "the size of the arena overflows");
  return TWRT_OK;
}

/// Gets slabs and the results that the caller left to the call, then makes the new plan current.
TwrtCode Preparer::getMemory() {
  TwrtDevice &device = *call.program->device;
  bool keep = call.slabs.size() == plan.slabBytes.size();
  for (size_t i = 0; keep && i < call.slabs.size(); ++i)
    keep = call.slabs[i].bytes >= plan.slabBytes[i];
  Array<DriverMemory> slabs(allocator);
  Array<TwrtBuffer *> made(allocator);
  TwrtCode code = TWRT_OK;
  if (!made.reset(call.results.size()) || (!keep && !slabs.reset(plan.slabBytes.size())))
    code = failMemory(error, "an arena");
  for (size_t i = 0; code == TWRT_OK && i < slabs.size(); ++i)
    code = allocateMemory(device, plan.slabBytes[i], "the arena", &slabs[i], error);
  for (size_t r = 0; code == TWRT_OK && r < call.results.size(); ++r) {
    const CallValue &value = call.results[r];
    if (!findAlias(call, r) && (!value.buffer || (value.own && value.bytes < resultBytes[r])))
      code = twrtBufferCreate(&device, resultBytes[r], 0, &made[r], error);
  }
  if (code != TWRT_OK) {
    for (DriverMemory &slab : slabs)
      freeMemory(device, &slab, true);
    for (TwrtBuffer *buffer : made)
      twrtBufferRelease(buffer);
    return code;
  }
  if (!keep) {
    for (DriverMemory &slab : call.slabs)
      freeMemory(device, &slab, true);
    call.slabs = std::move(slabs);
  }
  for (size_t r = 0; r < call.results.size(); ++r) {
    CallValue &value = call.results[r];
    if (made[r]) {
      twrtBufferRelease(value.buffer);
      value.buffer = made[r];
      value.offset = 0;
      value.own = true;
    }
    value.dims = std::move(resultDims[r]);
    value.bytes = resultBytes[r];
  }
  for (PlanRange &place : plan.places)
    place.memory = &call.slabs[place.bytes];
  call.plan = std::move(plan);
  return TWRT_OK;
}

TwrtCode Preparer::prepare() {
  TWRT_TRY(settleSymbols());
  TWRT_TRY(settleResults());
  TWRT_TRY(reserveSpace());
  TWRT_TRY(run());
  TWRT_TRY(planSlots());
  return getMemory();
}

TwrtCode tw::runtime::prepareCall(TwrtCall &call, TwrtError *error) {
  Preparer preparer{call, error};
  TWRT_TRY(preparer.prepare());
  call.prepared = true;
  call.ran = false;
  return TWRT_OK;
}

const CallValue *tw::runtime::findAlias(const TwrtCall &call, size_t result) {
  const fb::Function *function = call.program->function;
  for (uint32_t i = 0; i < call.arguments.size(); ++i)
    if (function->arguments()->Get(i)->aliases_result() == int64_t(result))
      return &call.arguments[i];
  return nullptr;
}

static const CallValue &resultValue(const TwrtCall &call, uint32_t result) {
  const CallValue *alias = findAlias(call, result);
  return alias ? *alias : call.results[result];
}

TwrtCode tw::runtime::relocate(TwrtCall &call, TwrtError *error) {
  Prepared &plan = call.plan;
  for (size_t i = 0; i < plan.ranges.size(); ++i) {
    const Relocation &relocation = plan.relocations[i];
    const MemoryRef &ref = relocation.ref;
    PlanRange &range = plan.ranges[i];
    switch (ref.kind) {
    case MemoryRef::Arena:
      range = {plan.places[ref.index].memory, plan.places[ref.index].offset, ref.bytes};
      break;
    case MemoryRef::Argument:
    case MemoryRef::Result: {
      const CallValue &value = ref.kind == MemoryRef::Argument ? call.arguments[ref.index]
                                                               : resultValue(call, ref.index);
      range = {&value.buffer->memory, value.offset, ref.bytes};
      break;
    }
    case MemoryRef::Constant: {
      const ConstantPlace &place = call.program->constants[ref.index];
      range = {place.memory, place.offset, ref.bytes};
      break;
    }
    }
    range.offset += ref.offset;
    uint64_t start = reinterpret_cast<uintptr_t>(range.memory->host) + range.offset;
    if (start % relocation.alignment != 0)
      return fail(error, TWRT_INVALID_ARGUMENT,
                  "kernel '%.80s' needs a binding aligned to %u bytes, %s %u is not",
                  call.program->module->root->kernels()->Get(relocation.kernel)->name()->c_str(),
                  relocation.alignment,
                  ref.kind == MemoryRef::Argument   ? "argument"
                  : ref.kind == MemoryRef::Result   ? "result"
                  : ref.kind == MemoryRef::Constant ? "constant"
                                                    : "interval",
                  ref.index);
  }
  return TWRT_OK;
}
