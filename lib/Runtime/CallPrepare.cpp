// Prepares a call: settles symbols and runs the launch program's registers.
#include "Preparer.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Element.h"
#include "tw/Format/Metadata.h"

#include <algorithm>
#include <cinttypes>

using namespace tw::runtime;
using namespace tw::format;

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
      !plan.samples.reset(launchCount) || !plan.launchCommands.reset(launchCount) ||
      !plan.places.reset(intervals) || !registers.reset(program->registers()) ||
      !buffers.reset(program->buffers()) || !intervalBytes.reset(intervals))
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
  step.together = loaded.variant->format()->string_view() == teamFormat;
  plan.scratchBytes = std::max<uint64_t>(plan.scratchBytes, loaded.variant->scratch_bytes());
  plan.sharedBytes = std::max<uint64_t>(plan.sharedBytes, loaded.variant->shared_bytes());
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
  plan.launchCommands[launchCount] = index;
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
    addRange(to, 0, 0);
    addRange(from, 0, 0);
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
    addRange(to, 0, 0);
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
