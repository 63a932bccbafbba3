// Assembles launch programs: numbering, lifetimes, static arena plan.
#include "tw/Format/ProgramBuilder.h"
#include "tw/Format/Planner.h"

#include <algorithm>
#include <cassert>

using namespace tw::format;

ProgramBuilder::ProgramBuilder(std::string target) {
  program.target = std::move(target);
  program.slots.push_back({"host", 0, 64, {}});
}

uint32_t ProgramBuilder::emit(Opcode opcode, uint32_t target,
                              std::initializer_list<uint32_t> operands) {
  Command command;
  command.opcode = uint16_t(opcode);
  command.first = uint32_t(program.operands.size());
  command.count = uint32_t(operands.size());
  command.target = target;
  program.code.push_back(command);
  program.operands.insert(program.operands.end(), operands);
  program.locations.push_back(currentLocation);
  hasLocations |= currentLocation != UINT32_MAX;
  return target;
}

uint32_t ProgramBuilder::literal(int64_t value) {
  auto [it, inserted] = literals.try_emplace(value, uint32_t(program.literals.size()));
  if (inserted)
    program.literals.push_back(value);
  return it->second;
}

RegisterRef ProgramBuilder::constant(int64_t value) {
  auto [it, inserted] = constants.try_emplace(value, program.registers);
  if (inserted) {
    emit(Opcode::Const, program.registers++, {literal(value)});
    constantOf.push_back(value);
  }
  return {it->second};
}

RegisterRef ProgramBuilder::dim(uint32_t argument, uint32_t axis) {
  constantOf.push_back(std::nullopt);
  return {emit(Opcode::Dim, program.registers++, {argument, axis})};
}

RegisterRef ProgramBuilder::arith(Opcode opcode, RegisterRef a, RegisterRef b) {
  assert(opcode >= Opcode::Add && opcode <= Opcode::Max);
  constantOf.push_back(std::nullopt);
  return {emit(opcode, program.registers++, {a.index, b.index})};
}

RegisterRef ProgramBuilder::compare(Predicate predicate, RegisterRef a, RegisterRef b) {
  constantOf.push_back(std::nullopt);
  return {emit(Opcode::Cmp, program.registers++, {uint32_t(predicate), a.index, b.index})};
}

RegisterRef ProgramBuilder::select(RegisterRef condition, RegisterRef a, RegisterRef b) {
  constantOf.push_back(std::nullopt);
  return {emit(Opcode::Select, program.registers++, {condition.index, a.index, b.index})};
}

void ProgramBuilder::guard(RegisterRef condition) { emit(Opcode::Guard, 0, {condition.index}); }

BufferRef ProgramBuilder::bind(BindKind kind, uint32_t index) {
  auto [it, inserted] = binds.try_emplace({uint32_t(kind), index}, program.buffers);
  if (inserted) {
    emit(Opcode::Bind, program.buffers++, {uint32_t(kind), index});
    intervalOf.push_back(-1);
  }
  return {it->second};
}

BufferRef ProgramBuilder::reserve(RegisterRef bytes, uint32_t alignment,
                                  std::optional<uint64_t> offset) {
  Interval interval;
  interval.size = bytes.index;
  interval.alignment = alignment;
  interval.first = UINT32_MAX;
  if (offset)
    interval.offset = int64_t(*offset);
  intervalOf.push_back(int64_t(program.intervals.size()));
  emit(Opcode::Reserve, program.buffers, {uint32_t(program.intervals.size())});
  program.intervals.push_back(interval);
  return {program.buffers++};
}

BufferRef ProgramBuilder::reserve(uint64_t bytes, uint32_t alignment,
                                  std::optional<uint64_t> offset) {
  return reserve(constant(int64_t(bytes)), alignment, offset);
}

BufferRef ProgramBuilder::slice(BufferRef buffer, RegisterRef offset, RegisterRef bytes) {
  intervalOf.push_back(intervalOf[buffer.index]);
  return {emit(Opcode::Slice, program.buffers++, {buffer.index, offset.index, bytes.index})};
}

/// Widens the lifetime of the interval behind `buffer` to the command about to be emitted.
void ProgramBuilder::use(BufferRef buffer) {
  int64_t index = intervalOf[buffer.index];
  if (index < 0)
    return;
  Interval &interval = program.intervals[size_t(index)];
  uint32_t command = uint32_t(program.code.size());
  interval.first = std::min(interval.first, command);
  interval.last = command;
}

void ProgramBuilder::launch(uint32_t kernel, Grid grid, std::span<const BufferRef> bindings,
                            std::span<const RegisterRef> scalars) {
  RegisterRef x = constant(grid.x), y = constant(grid.y), z = constant(grid.z);
  launch(kernel, {x, y, z}, bindings, scalars);
}

void ProgramBuilder::launch(uint32_t kernel, const RegisterRef (&grid)[3],
                            std::span<const BufferRef> bindings,
                            std::span<const RegisterRef> scalars) {
  for (BufferRef buffer : bindings)
    use(buffer);
  emit(Opcode::Launch, kernel, {grid[0].index, grid[1].index, grid[2].index});
  for (BufferRef buffer : bindings)
    program.operands.push_back(buffer.index);
  for (RegisterRef scalar : scalars)
    program.operands.push_back(scalar.index);
  program.code.back().count += uint32_t(bindings.size() + scalars.size());
}

void ProgramBuilder::copy(BufferRef to, BufferRef from) {
  use(to);
  use(from);
  emit(Opcode::Copy, 0, {to.index, from.index});
}

void ProgramBuilder::fill(BufferRef buffer, int64_t pattern, uint32_t width) {
  use(buffer);
  emit(Opcode::Fill, 0, {buffer.index, literal(pattern), width});
}

void ProgramBuilder::plan(ArenaReport *report) {
  std::vector<PlanInterval> intervals;
  bool placed = false;
  for (Interval &interval : program.intervals) {
    std::optional<int64_t> bytes = constantOf[interval.size];
    if (!bytes || *bytes < 0)
      return;
    placed |= interval.offset >= 0;
    intervals.push_back({uint64_t(*bytes), interval.alignment, interval.first, interval.last});
  }
  std::vector<Placement> placements(intervals.size());
  std::vector<uint64_t> slabs(intervals.size());
  PlanSummary summary;
  uint32_t bad = 0;
  if (planArena(intervals, {}, placements, slabs, summary, bad) != PlanResult::Ok)
    return;
  if (placed) {
    // Places given by the caller are kept; those left open come after them.
    uint64_t total = 0;
    for (size_t i = 0; i < intervals.size(); ++i)
      if (program.intervals[i].offset >= 0)
        total = std::max(total, uint64_t(program.intervals[i].offset) + intervals[i].bytes);
    uint64_t base = (total + 4095) / 4096 * 4096;
    for (size_t i = 0; i < intervals.size(); ++i) {
      if (program.intervals[i].offset < 0)
        program.intervals[i].offset = int64_t(base + placements[i].offset);
      total = std::max(total, uint64_t(program.intervals[i].offset) + intervals[i].bytes);
    }
    program.slots[0].slabs = {total};
    summary.totalBytes = total;
  } else {
    for (size_t i = 0; i < intervals.size(); ++i) {
      program.intervals[i].slab = uint16_t(placements[i].slab);
      program.intervals[i].offset = int64_t(placements[i].offset);
    }
    program.slots[0].slabs.assign(slabs.begin(), slabs.begin() + summary.slabCount);
  }
  if (report)
    *report = {summary.totalBytes, summary.peakLiveBytes};
}

Program ProgramBuilder::finish(ArenaReport *report) {
  for (Interval &interval : program.intervals)
    if (interval.first == UINT32_MAX)
      interval.first = interval.last = uint32_t(program.code.size());
  emit(Opcode::Return, 0, {});
  if (!hasLocations)
    program.locations.clear();
  plan(report);
  Program done = std::move(program);
  *this = ProgramBuilder(done.target);
  return done;
}
