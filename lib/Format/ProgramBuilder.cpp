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

uint32_t SymbolTable::add(Symbol symbol) {
  symbols.push_back(std::move(symbol));
  return uint32_t(symbols.size() - 1);
}

uint32_t SymbolTable::constant(int64_t value) {
  auto [it, inserted] =
      known.try_emplace({uint8_t(Opcode::Const), value, 0}, uint32_t(symbols.size()));
  if (inserted) {
    Symbol made{std::to_string(value), value, value};
    made.equation = uint8_t(Opcode::Const);
    made.literal = value;
    symbols.push_back(std::move(made));
  }
  return it->second;
}

uint32_t SymbolTable::derive(Opcode opcode, uint32_t a, uint32_t b, std::string name,
                             std::pair<int64_t, int64_t> range) {
  assert(isArith(uint16_t(opcode)) && a < symbols.size() && b < symbols.size());
  auto [it, inserted] = known.try_emplace({uint8_t(opcode), a, b}, uint32_t(symbols.size()));
  if (!inserted)
    return it->second;
  if (name.empty())
    name = symbols[a].name + " " + std::string(arithSign(opcode)) + " " + symbols[b].name;
  Symbol made{std::move(name), range.first, range.second};
  made.equation = uint8_t(opcode);
  made.a = a;
  made.b = b;
  made.late = symbols[a].late || symbols[b].late;
  symbols.push_back(std::move(made));
  return it->second;
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

RegisterRef ProgramBuilder::make(Opcode opcode, std::initializer_list<uint32_t> operands,
                                 std::optional<int64_t> typical) {
  constantOf.push_back(std::nullopt);
  typicalOf.push_back(typical);
  return {emit(opcode, program.registers++, operands)};
}

RegisterRef ProgramBuilder::constant(int64_t value) {
  auto [it, inserted] = constants.try_emplace(value, program.registers);
  if (inserted) {
    make(Opcode::Const, {literal(value)}, value);
    constantOf.back() = value;
  }
  return {it->second};
}

RegisterRef ProgramBuilder::dim(uint32_t argument, uint32_t axis) {
  return make(Opcode::Dim, {argument, axis}, std::nullopt);
}

RegisterRef ProgramBuilder::symbol(uint32_t index, std::optional<int64_t> typical) {
  auto [it, inserted] = symbols.try_emplace(index, program.registers);
  if (inserted)
    make(Opcode::Symbol, {index}, typical);
  hasTypicals |= typical.has_value();
  return {it->second};
}

RegisterRef ProgramBuilder::arith(Opcode opcode, RegisterRef a, RegisterRef b) {
  assert(isArith(uint16_t(opcode)));
  std::optional<int64_t> typical;
  int64_t value;
  if (typicalOf[a.index] && typicalOf[b.index] &&
      computeArith(opcode, *typicalOf[a.index], *typicalOf[b.index], value))
    typical = value;
  return make(opcode, {a.index, b.index}, typical);
}

RegisterRef ProgramBuilder::compare(Predicate predicate, RegisterRef a, RegisterRef b) {
  return make(Opcode::Cmp, {uint32_t(predicate), a.index, b.index}, std::nullopt);
}

RegisterRef ProgramBuilder::select(RegisterRef condition, RegisterRef a, RegisterRef b) {
  return make(Opcode::Select, {condition.index, a.index, b.index}, std::nullopt);
}

void ProgramBuilder::guard(RegisterRef condition) { emit(Opcode::Guard, 0, {condition.index}); }

void ProgramBuilder::check(uint32_t symbol, uint32_t other) {
  program.checks.push_back({symbol, other, currentLocation});
}

void ProgramBuilder::open(Opcode opcode, std::initializer_list<uint32_t> operands) {
  uint32_t begin = uint32_t(program.code.size());
  emit(opcode, 0, operands);
  blocks.push_back(
      {opcode, program.registers, program.buffers, begin, uint32_t(program.intervals.size())});
}

/// What the side or the loop has made must not be used any more.
void ProgramBuilder::openOther(Opcode opcode) {
  Block &block = blocks.back();
  auto isRegister = [&](const auto &entry) { return entry.second >= block.registers; };
  std::erase_if(constants, isRegister);
  std::erase_if(symbols, isRegister);
  std::erase_if(binds, [&](const auto &entry) { return entry.second >= block.buffers; });
  emit(opcode, 0, {});
  block.registers = program.registers;
  block.buffers = program.buffers;
}

void ProgramBuilder::close(Opcode opcode) {
  openOther(opcode);
  uint32_t end = uint32_t(program.code.size() - 1);
  for (uint32_t interval : blocks.back().used)
    program.intervals[interval].last = end;
  blocks.pop_back();
}

void ProgramBuilder::when(RegisterRef condition) { open(Opcode::When, {condition.index}); }
void ProgramBuilder::otherwise() { openOther(Opcode::Otherwise); }
void ProgramBuilder::endWhen() { close(Opcode::EndWhen); }

void ProgramBuilder::beginIf(BufferRef condition) {
  use(condition);
  open(Opcode::If, {condition.index});
}
void ProgramBuilder::beginElse() { openOther(Opcode::Else); }
void ProgramBuilder::endIf() { close(Opcode::EndIf); }

void ProgramBuilder::repeat(RegisterRef count) { open(Opcode::Repeat, {count.index}); }

void ProgramBuilder::repeatRead(BufferRef amount, RegisterRef limit) {
  use(amount);
  open(Opcode::RepeatRead, {amount.index, limit.index});
}

void ProgramBuilder::beginWhile(BufferRef condition, RegisterRef limit) {
  open(Opcode::While, {condition.index, limit.index});
  use(condition);
}

void ProgramBuilder::endLoop() { close(Opcode::EndLoop); }

void ProgramBuilder::rotate(BufferRef a, BufferRef b) {
  use(a);
  use(b);
  rotated.push_back({uint32_t(intervalOf[a.index]), uint32_t(intervalOf[b.index])});
  emit(Opcode::Rotate, 0, {a.index, b.index});
}

BufferRef ProgramBuilder::advance(BufferRef whole, RegisterRef offset, RegisterRef step,
                                  RegisterRef bytes) {
  intervalOf.push_back(intervalOf[whole.index]);
  return {emit(Opcode::Advance, program.buffers++,
               {whole.index, offset.index, step.index, bytes.index})};
}

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
  reservesInWhen |=
      std::ranges::any_of(blocks, [](const Block &block) { return block.opcode == Opcode::When; });
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

/// Widens the lifetime of the interval behind `buffer` to the command about to be emitted, and to
/// the outermost loop that it is reserved outside of.
void ProgramBuilder::use(BufferRef buffer) {
  int64_t index = intervalOf[buffer.index];
  if (index < 0)
    return;
  Interval &interval = program.intervals[size_t(index)];
  uint32_t command = uint32_t(program.code.size());
  auto loop = std::ranges::find_if(
      blocks, [&](const Block &block) { return block.isLoop() && index < block.intervals; });
  if (loop != blocks.end())
    loop->used.push_back(uint32_t(index));
  interval.first = std::min(interval.first, loop == blocks.end() ? command : loop->begin);
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

/// Each of those that rotate is in the other's place sooner or later.
void ProgramBuilder::shareLifetimes() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [a, b] : rotated) {
      Interval &first = program.intervals[a], &second = program.intervals[b];
      changed |= first.first != second.first || first.last != second.last;
      first.first = second.first = std::min(first.first, second.first);
      first.last = second.last = std::max(first.last, second.last);
    }
  }
}

/// False if the sizes are not known.
bool ProgramBuilder::planStatically(ArenaReport *report) {
  std::vector<PlanInterval> all, open;
  std::vector<size_t> openIndices;
  std::vector<uint64_t> &slabs = program.slots[0].slabs;
  if (reservesInWhen)
    return false;
  for (size_t i = 0; i < program.intervals.size(); ++i) {
    const Interval &interval = program.intervals[i];
    std::optional<int64_t> bytes = constantOf[interval.size];
    if (!bytes || *bytes < 0)
      return false;
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
    return true;
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
    return true;
  *report = {0, total.peakLiveBytes};
  for (uint64_t bytes : slabs)
    report->totalBytes += bytes;
  return true;
}

/// The order that is best at typical sizes, where all of these are known.
void ProgramBuilder::orderIntervals() {
  std::vector<PlanInterval> all;
  for (const Interval &interval : program.intervals) {
    std::optional<int64_t> bytes = typicalOf[interval.size];
    if (!bytes || *bytes < 0)
      return;
    all.push_back({uint64_t(*bytes), interval.alignment, interval.first, interval.last});
  }
  std::vector<Placement> placements(all.size());
  std::vector<uint64_t> sizes(all.size());
  std::vector<uint32_t> order(all.size());
  PlanSummary summary;
  uint32_t bad = 0;
  if (planArena(all, {}, placements, sizes, summary, bad, order) == PlanResult::Ok)
    program.slots[0].order = std::move(order);
}

Program ProgramBuilder::finish(ArenaReport *report) {
  for (Interval &interval : program.intervals)
    if (interval.first == UINT32_MAX)
      interval.first = interval.last = uint32_t(program.code.size());
  shareLifetimes();
  emit(Opcode::Return, 0, {});
  if (!hasLocations)
    program.locations.clear();
  assert(blocks.empty());
  if (!planStatically(report) && hasTypicals)
    orderIntervals();
  Program done = std::move(program);
  *this = ProgramBuilder(done.target);
  return done;
}
