// Assembles launch programs: numbering, lifetimes, static arena plan.
#include "tw/Format/ProgramBuilder.h"

#include <algorithm>
#include <cassert>

using namespace tw::format;

ProgramBuilder::ProgramBuilder(std::string target, uint64_t maxSlab, uint32_t offsetAlignment) {
  program.target = std::move(target);
  program.slots.push_back(
      {program.target == "host" ? "host" : "device", maxSlab, offsetAlignment, {}});
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
                                  std::optional<Placement> place) {
  Interval interval;
  interval.size = bytes.index;
  interval.alignment = alignment;
  interval.first = UINT32_MAX;
  if (place) {
    interval.slab = uint16_t(place->slab);
    interval.offset = int64_t(place->offset);
  }
  intervalOf.push_back(int64_t(program.intervals.size()));
  emit(Opcode::Reserve, program.buffers, {uint32_t(program.intervals.size())});
  program.intervals.push_back(interval);
  return {program.buffers++};
}

BufferRef ProgramBuilder::reserve(uint64_t bytes, uint32_t alignment,
                                  std::optional<Placement> place) {
  return reserve(constant(int64_t(bytes)), alignment, place);
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
  std::vector<PlanInterval> all, open;
  std::vector<size_t> openIndices;
  std::vector<uint64_t> &slabs = program.slots[0].slabs;
  for (size_t i = 0; i < program.intervals.size(); ++i) {
    const Interval &interval = program.intervals[i];
    std::optional<int64_t> bytes = constantOf[interval.size];
    if (!bytes || *bytes < 0)
      return;
    all.push_back({uint64_t(*bytes), interval.alignment, interval.first, interval.last});
    if (interval.offset < 0) {
      open.push_back(all.back());
      openIndices.push_back(i);
    }
  }
  PlanLimits limits;
  if (uint64_t maxSlab = program.slots[0].maxSlab)
    limits.maxSlabBytes = maxSlab;
  std::vector<Placement> placements(all.size());
  std::vector<uint64_t> sizes(all.size());
  PlanSummary total, summary;
  uint32_t bad = 0;
  if (planArena(all, limits, placements, sizes, total, bad) != PlanResult::Ok ||
      planArena(open, limits, placements, sizes, summary, bad) != PlanResult::Ok)
    return;
  // Places given by the caller are kept; those left open come in slabs after them.
  for (size_t i = 0; i < all.size(); ++i) {
    const Interval &interval = program.intervals[i];
    if (interval.offset < 0)
      continue;
    slabs.resize(std::max<size_t>(slabs.size(), interval.slab + 1u));
    slabs[interval.slab] = std::max(slabs[interval.slab], uint64_t(interval.offset) + all[i].bytes);
  }
  for (size_t i = 0; i < open.size(); ++i) {
    Interval &interval = program.intervals[openIndices[i]];
    interval.slab = uint16_t(slabs.size() + placements[i].slab);
    interval.offset = int64_t(placements[i].offset);
  }
  slabs.insert(slabs.end(), sizes.begin(), sizes.begin() + summary.slabCount);
  if (!report)
    return;
  *report = {0, total.peakLiveBytes};
  for (uint64_t bytes : slabs)
    report->totalBytes += bytes;
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
