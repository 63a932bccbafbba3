// Runs a launch program's commands into a plan: registers, buffers, steps.
#include "Preparer.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Element.h"
#include "tw/Format/Metadata.h"

#include <algorithm>

using namespace tw::runtime;
using namespace tw::format;

TwrtCode CommandRunner::failAt(uint32_t index, TwrtCode code, const char *what) {
  const fb::Location *where = nullptr;
  if (program->locations() && program->locations()->Get(index) != UINT32_MAX)
    where = root->locations()->Get(program->locations()->Get(index));
  const char *node = where && where->node() ? where->node()->c_str() : "";
  return tw::runtime::fail(error, code, "command %u%s%.80s: %s", index, *node ? " of " : "", node,
                           what);
}

/// Counts what the plan will hold at most.
uint32_t CommandRunner::countMaps(uint32_t kernel) const {
  const fb::Variant *variant = call.program->kernels[kernel].variant;
  return variant->maps() ? variant->maps()->size() : 0;
}

TwrtCode CommandRunner::reserveSpace() {
  for (const fb::Command *command : *program->code()) {
    switch (Opcode(command->opcode())) {
    case Opcode::Launch: {
      const fb::Kernel *kernel = root->kernels()->Get(command->target());
      ++launchCount;
      ++stepCount;
      rangeCount += kernel->bindings()->size();
      scalarCount += kernel->scalars();
      mapCount += countMaps(command->target());
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
  bool hasLate = false;
  for (uint32_t i = 0; i < plan.symbols.size(); ++i)
    hasLate |= function->symbols()->Get(i)->late();
  if (!plan.steps.reset(stepCount) || !plan.ranges.reset(rangeCount) ||
      !plan.relocations.reset(rangeCount) || !plan.scalars.reset(scalarCount) ||
      !plan.samples.reset(launchCount) || !plan.launchCommands.reset(launchCount) ||
      !plan.maps.reset(mapCount) || !plan.places.reset(intervals) ||
      !plan.registers.reset(program->registers()) || !plan.buffers.reset(program->buffers()) ||
      !intervalBytes.reset(intervals) ||
      (hasLate &&
       (!isLate.reset(program->registers()) || !plan.late.reset(program->code()->size()))))
    return failMemory(error, "a call's plan");
  stepCount = rangeCount = scalarCount = mapCount = launchCount = 0;
  return reserveNodes();
}

void CommandRunner::truncateSpace() {
  plan.steps.truncate(stepCount);
  plan.ranges.truncate(rangeCount);
  plan.relocations.truncate(rangeCount);
  plan.scalars.truncate(scalarCount);
  plan.samples.truncate(launchCount);
  plan.launchCommands.truncate(launchCount);
  plan.late.truncate(lateCount);
  if (lateCount == 0) {
    plan.registers.clear();
    plan.buffers.clear();
  }
}

MemoryRef CommandRunner::bind(BindKind kind, uint32_t index) const {
  switch (kind) {
  case BindKind::Argument: {
    const fb::Argument *argument = function->arguments()->Get(index);
    return {MemoryRef::Argument, index, 0, call.arguments[index].bytes,
            !isLate.empty() && findLateSymbol(*function, storageType(*argument))};
  }
  case BindKind::Result: {
    int32_t alias = call.results[index].alias;
    uint64_t bytes = alias < 0 ? resultBytes[index] : call.arguments[size_t(alias)].bytes;
    return {MemoryRef::Result, index, 0, bytes};
  }
  case BindKind::Constant:
    break;
  }
  return {MemoryRef::Constant, index, 0, call.program->constants[index].bytes};
}

TwrtCode CommandRunner::reserve(uint32_t index, const uint32_t *operands, MemoryRef &made) {
  int64_t bytes = plan.registers[program->intervals()->Get(operands[0])->size()];
  if (bytes < 0)
    return failAt(index, TWRT_INVALID_MODULE, "memory of negative size");
  intervalBytes[operands[0]] = uint64_t(bytes);
  made = {MemoryRef::Arena, operands[0], 0, uint64_t(bytes)};
  return TWRT_OK;
}

TwrtCode CommandRunner::slice(uint32_t index, const uint32_t *operands, MemoryRef &made) {
  const MemoryRef &whole = plan.buffers[operands[0]];
  int64_t offset = plan.registers[operands[1]], bytes = plan.registers[operands[2]];
  if (offset < 0 || bytes < 0 || !rangeWithin(uint64_t(offset), uint64_t(bytes), whole.bytes))
    return failAt(index, TWRT_INVALID_MODULE, "a slice lies outside its buffer");
  made = {whole.kind,      whole.index, whole.offset + uint64_t(offset),
          uint64_t(bytes), false,       whole.advance};
  return TWRT_OK;
}

void CommandRunner::addRange(const MemoryRef &ref, uint32_t kernel, uint32_t alignment) {
  plan.relocations[rangeCount++] = {ref, kernel, alignment};
}

TwrtCode CommandRunner::computeGrid(uint32_t index, const uint32_t *operands, uint32_t (&grid)[3]) {
  uint64_t programs = 1;
  for (uint32_t i = 0; i < 3; ++i) {
    int64_t extent = plan.registers[operands[i]];
    if (extent < 0 || extent > int64_t(UINT32_MAX) ||
        !checkedMul(programs, uint64_t(extent), programs) || programs > UINT32_MAX)
      return failSizes(index, "the grid is negative or has over 2^32 programs");
    grid[i] = uint32_t(extent);
  }
  return TWRT_OK;
}

TwrtCode CommandRunner::bindLaunch(uint32_t index, const uint32_t *operands, const PlanStep &step) {
  const fb::Kernel *kernel = root->kernels()->Get(step.kernel);
  int64_t *scalars = plan.scalars.data() + step.firstScalar;
  for (uint32_t i = 0; i < kernel->scalars(); ++i)
    scalars[i] = plan.registers[operands[3 + step.rangeCount + i]];
  for (uint32_t i = 0; i < step.rangeCount; ++i) {
    const fb::Binding *binding = kernel->bindings()->Get(i);
    const MemoryRef &ref = plan.buffers[operands[3 + i]];
    uint64_t bytes = 0;
    if (!computeTypeBytes(*binding->type(), {scalars, kernel->scalars()}, bytes))
      return failSizes(index, "the size of a kernel's binding is negative or overflows");
    if (ref.bytes < bytes)
      return failAt(index, TWRT_INVALID_MODULE, "a kernel is bound to less memory than it uses");
    plan.relocations[step.firstRange + i] = {ref, step.kernel, binding->alignment()};
  }
  return TWRT_OK;
}

TwrtCode CommandRunner::launch(uint32_t index, const fb::Command *command,
                               const uint32_t *operands) {
  const fb::Kernel *kernel = root->kernels()->Get(command->target());
  const LoadedKernel &loaded = call.program->kernels[command->target()];
  PlanStep step;
  step.kind = PlanStep::Launch;
  step.kernel = command->target();
  step.executable = loaded.executable;
  step.entry = loaded.entry;
  step.together = loaded.variant->format()->string_view() == teamFormat;
  step.firstRange = rangeCount;
  step.rangeCount = kernel->bindings()->size();
  step.firstScalar = scalarCount;
  TWRT_TRY(computeGrid(index, operands, step.grid));
  bool isEmpty = step.grid[0] == 0 || step.grid[1] == 0 || step.grid[2] == 0;
  if (!isLate.empty() && isLateLaunch(command, operands))
    plan.late[lateCount++] = {index, isEmpty ? noStep : stepCount};
  if (isEmpty)
    return TWRT_OK;
  TWRT_TRY(bindLaunch(index, operands, step));
  step.maps = plan.maps.data() + mapCount;
  mapCount += countMaps(command->target());
  plan.steps[stepCount++] = step;
  rangeCount += step.rangeCount;
  scalarCount += kernel->scalars();
  plan.scratchBytes = std::max<uint64_t>(plan.scratchBytes, loaded.variant->scratch_bytes());
  plan.sharedBytes = std::max<uint64_t>(plan.sharedBytes, loaded.variant->shared_bytes());
  plan.launchCommands[launchCount] = index;
  TwrtSample &sample = plan.samples[launchCount++] = {sizeof(TwrtSample), command->target(), 0, 0,
                                                      kernel->flops(),    kernel->bytes()};
  // What the compiler counted is that of the most points.
  if (kernel->scalars() > 0)
    sample.flops = sample.bytes = 0;
  return TWRT_OK;
}

TwrtCode CommandRunner::copy(uint32_t index, const uint32_t *operands) {
  const MemoryRef &to = plan.buffers[operands[0]], &from = plan.buffers[operands[1]];
  if (to.bytes != from.bytes)
    return failAt(index, TWRT_INVALID_MODULE, "a copy between buffers of different sizes");
  PlanStep &step = plan.steps[stepCount++];
  step.kind = PlanStep::Copy;
  step.firstRange = rangeCount;
  step.rangeCount = 2;
  addRange(to, 0, 0);
  addRange(from, 0, 0);
  return TWRT_OK;
}

TwrtCode CommandRunner::fill(uint32_t index, const uint32_t *operands) {
  const MemoryRef &to = plan.buffers[operands[0]];
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

TwrtCode CommandRunner::compute(uint32_t index, const fb::Command *command,
                                const uint32_t *operands) {
  int64_t &result = plan.registers[command->target()];
  auto input = [&](uint32_t i) { return plan.registers[operands[i]]; };
  switch (Opcode opcode = Opcode(command->opcode())) {
  case Opcode::Const:
    result = program->literals()->Get(operands[0]);
    return TWRT_OK;
  case Opcode::Dim:
    result = call.arguments[operands[0]].dims[operands[1]];
    return TWRT_OK;
  case Opcode::Symbol:
    result = plan.symbols[operands[0]];
    return TWRT_OK;
  case Opcode::Cmp: {
    int64_t a = input(1), b = input(2);
    bool holds[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    result = holds[operands[0]];
    return TWRT_OK;
  }
  case Opcode::Select:
    result = input(0) != 0 ? input(1) : input(2);
    return TWRT_OK;
  default:
    if (!isArith(command->opcode()))
      return failAt(index, TWRT_INVALID_MODULE, "unknown opcode");
    return computeArith(opcode, input(0), input(1), result)
               ? TWRT_OK
               : failSizes(index, "arithmetic overflows or divides by zero");
  }
}

/// Blocks are the caller's.
TwrtCode CommandRunner::run(uint32_t index, const fb::Command *command, const uint32_t *operands) {
  switch (Opcode(command->opcode())) {
  case Opcode::Guard:
    return plan.registers[operands[0]] != 0
               ? TWRT_OK
               : failAt(index, TWRT_UNSUPPORTED, "the program is not made for these shapes");
  case Opcode::Reserve:
    return reserve(index, operands, plan.buffers[command->target()]);
  case Opcode::Slice:
    return slice(index, operands, plan.buffers[command->target()]);
  case Opcode::Bind:
    plan.buffers[command->target()] = bind(BindKind(operands[0]), operands[1]);
    return TWRT_OK;
  case Opcode::Launch:
    return launch(index, command, operands);
  case Opcode::Copy:
    return copy(index, operands);
  case Opcode::Fill:
    return fill(index, operands);
  case Opcode::Advance:
    return advance(index, operands, plan.buffers[command->target()]);
  case Opcode::Rotate:
    rotate(operands);
    return TWRT_OK;
  case Opcode::EndWhen:
  case Opcode::Return:
    return TWRT_OK;
  default:
    return compute(index, command, operands);
  }
}

uint32_t CommandRunner::skip(uint32_t index) const {
  bool isFirstSide = beginsBlock(Opcode(program->code()->Get(index)->opcode()));
  uint32_t depth = 0;
  for (++index;; ++index) {
    Opcode opcode = Opcode(program->code()->Get(index)->opcode());
    bool isOther = opcode == Opcode::Otherwise || opcode == Opcode::Else;
    if (depth == 0 && (endsBlock(opcode) || (isOther && isFirstSide)))
      return index + 1;
    depth += beginsBlock(opcode);
    depth -= endsBlock(opcode);
  }
}

bool CommandRunner::isLateLaunch(const fb::Command *command, const uint32_t *operands) const {
  uint32_t bindings = root->kernels()->Get(command->target())->bindings()->size();
  for (uint32_t i = 0; i < command->count(); ++i)
    if (i >= 3 && i < 3 + bindings ? plan.buffers[operands[i]].isLate : isLate[operands[i]])
      return true;
  return false;
}

bool CommandRunner::comesFromLate(const fb::Command *command, const uint32_t *operands) {
  const OpcodeInfo &info = *findOpcode(command->opcode());
  if (info.opcode == Opcode::Bind)
    return plan.buffers[command->target()].isLate;
  bool late = info.target == TargetKind::Register &&
              isLateRegister(*function, info, operands, isLate.data());
  if (info.target == TargetKind::Register)
    isLate[command->target()] = late;
  return late || (info.opcode == Opcode::Guard && isLate[operands[0]]);
}

TwrtCode CommandRunner::runAll() {
  TWRT_TRY(reserveSpace());
  for (uint32_t i = 0; i < program->code()->size();) {
    const fb::Command *command = program->code()->Get(i);
    const uint32_t *operands = operandsOf(command);
    Opcode opcode = Opcode(command->opcode());
    if (opcode == Opcode::When || opcode == Opcode::Otherwise) {
      bool enters = opcode == Opcode::When && plan.registers[operands[0]] != 0;
      i = enters ? i + 1 : skip(i);
      continue;
    }
    if (isRunBlock(opcode)) {
      TWRT_TRY(runBlock(i, opcode, operands));
      continue;
    }
    TWRT_TRY(run(i, command, operands));
    if (!isLate.empty() && opcode != Opcode::Launch && comesFromLate(command, operands))
      plan.late[lateCount++] = {i, noStep};
    ++i;
  }
  truncateSpace();
  return finishNodes();
}

TwrtCode CommandRunner::follow(std::span<const int64_t> symbols, bool &changed) {
  plan.isStale = true;
  std::copy(symbols.begin(), symbols.end(), plan.symbols.begin());
  for (const LateCommand &late : plan.late) {
    const fb::Command *command = program->code()->Get(late.command);
    const uint32_t *operands = operandsOf(command);
    if (Opcode(command->opcode()) != Opcode::Launch) {
      TWRT_TRY(run(late.command, command, operands));
      continue;
    }
    uint32_t grid[3];
    TWRT_TRY(computeGrid(late.command, operands, grid));
    bool isEmpty = grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
    changed = isEmpty != (late.step == noStep);
    if (changed)
      return TWRT_OK;
    if (isEmpty)
      continue;
    PlanStep &step = plan.steps[late.step];
    std::copy(grid, grid + 3, step.grid);
    TWRT_TRY(bindLaunch(late.command, operands, step));
  }
  plan.isStale = false;
  return TWRT_OK;
}
