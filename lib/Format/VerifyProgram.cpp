// Verifies the launch programs of a module, so that running one touches only its own memory.
#include "ProgramVerifier.h"

#include "tw/Format/Checked.h"

#include <cinttypes>
#include <new>

using namespace tw::format;

namespace {

constexpr uint32_t maxSlots = 16;
/// Arenas start on pages.
constexpr uint32_t maxArenaAlignment = 4096;

} // namespace

bool ProgramVerifier::verifySlots() {
  if (program->slots()->size() == 0 || program->slots()->size() > maxSlots)
    return TW_META_FAIL(context, program, "a program has %u slots, expected 1 to %u",
                        program->slots()->size(), maxSlots);
  for (const fb::Slot *slot : *program->slots()) {
    if (!isPowerOfTwo(slot->offset_alignment()) || slot->offset_alignment() > maxArenaAlignment)
      return TW_META_FAIL(context, slot, "a slot has offset alignment %u",
                          slot->offset_alignment());
    if (!verifyAligned(context, slot->slabs()))
      return false;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < length(slot->slabs()); ++i)
      if (slot->max_slab() != 0 && slot->slabs()->Get(i) > slot->max_slab())
        return TW_META_FAIL(context, slot,
                            "a slab of %" PRIu64 " bytes is larger than its slot's limit, %" PRIu64,
                            slot->slabs()->Get(i), slot->max_slab());
      else if (!checkedAdd(sum, slot->slabs()->Get(i), sum) || sum > uint64_t(INT64_MAX))
        return TW_META_FAIL(context, slot, "the slabs' sizes overflow");
    if (!context.charge(slot, 12 + 8 * uint64_t(length(slot->slabs()))))
      return false;
  }
  return true;
}

bool ProgramVerifier::verifyInterval(uint32_t index) {
  const fb::Interval *interval = program->intervals()->Get(index);
  if (interval->slot() >= program->slots()->size())
    return TW_META_FAIL(context, interval, "interval %u lies in slot %u of %u", index,
                        interval->slot(), program->slots()->size());
  if (interval->first() > interval->last() || interval->last() >= program->code()->size())
    return TW_META_FAIL(context, interval, "interval %u lives from command %u to %u of %u", index,
                        interval->first(), interval->last(), program->code()->size());
  if (!isPowerOfTwo(interval->alignment()) || interval->alignment() > maxArenaAlignment)
    return TW_META_FAIL(context, interval, "interval %u has alignment %u", index,
                        interval->alignment());
  if (interval->offset() < -1)
    return TW_META_FAIL(context, interval, "interval %u lies at offset %" PRId64, index,
                        interval->offset());
  return true;
}

/// The slot's intervals, each once.
bool ProgramVerifier::verifyOrder(uint32_t index) {
  const fb::Slot *slot = program->slots()->Get(index);
  uint32_t count = length(slot->order()), members = 0;
  if (count == 0)
    return true;
  uint32_t intervals = length(program->intervals());
  std::unique_ptr<uint8_t[]> isListed(new (std::nothrow) uint8_t[intervals + 1]());
  if (!isListed)
    return failMemory(context.error, "META");
  for (uint32_t i = 0; i < intervals; ++i)
    members += program->intervals()->Get(i)->slot() == index;
  if (!requireFeatures(context, slot, "an order of intervals"))
    return false;
  if (count != members)
    return TW_META_FAIL(context, slot, "slot %u orders %u of its %u intervals", index, count,
                        members);
  for (uint32_t which : *slot->order()) {
    if (which >= intervals || program->intervals()->Get(which)->slot() != index || isListed[which])
      return TW_META_FAIL(context, slot, "slot %u orders interval %u, which it has not, or twice",
                          index, which);
    isListed[which] = 1;
  }
  return context.charge(slot, 4 * uint64_t(count));
}

bool ProgramVerifier::verifyChecks() {
  uint32_t count = length(program->checks()), symbols = length(function->symbols());
  if (count == 0)
    return true;
  if (isInitializer)
    return TW_META_FAIL(context, program, "%u checks of symbols, which it has not", count);
  if (!requireFeatures(context, program, "a check of symbols") ||
      !context.charge(program, sizeof(fb::Check) * uint64_t(count)))
    return false;
  for (uint32_t i = 0; i < count; ++i) {
    const fb::Check *check = program->checks()->Get(i);
    if (check->a() >= symbols || check->b() >= symbols)
      return TW_META_FAIL(context, check, "check %u is of symbols %u and %u of %u", i, check->a(),
                          check->b(), symbols);
    if (check->location() != UINT32_MAX && check->location() >= length(context.root->locations()))
      return TW_META_FAIL(context, check, "check %u has location %u of %u", i, check->location(),
                          length(context.root->locations()));
  }
  return true;
}

/// That the numbers of things go together, and every location is one.
bool ProgramVerifier::verifyCounts() {
  uint32_t commands = program->code()->size(), intervals = length(program->intervals());
  if (commands == 0 || commands > maxCommands)
    return TW_META_FAIL(context, program, "a program has %u commands, expected 1 to %u", commands,
                        maxCommands);
  if (program->registers() > commands || program->buffers() > commands || intervals > commands)
    return TW_META_FAIL(context, program,
                        "%u commands cannot make %u registers, %u buffers and "
                        "%u intervals",
                        commands, program->registers(), program->buffers(), intervals);
  if (program->locations() && program->locations()->size() != commands)
    return TW_META_FAIL(context, program, "%u commands have %u locations", commands,
                        program->locations()->size());
  for (uint32_t i = 0; i < length(program->locations()); ++i)
    if (uint32_t location = program->locations()->Get(i);
        location != UINT32_MAX && location >= length(context.root->locations()))
      return TW_META_FAIL(context, program, "command %u has location %u of %u", i, location,
                          length(context.root->locations()));
  return context.charge(program, sizeof(fb::Interval) * uint64_t(intervals) +
                                     4 * uint64_t(length(program->locations())));
}

template <typename T> static bool allocateArray(std::unique_ptr<T[]> &array, uint32_t count) {
  array.reset(new (std::nothrow) T[uint64_t(count) + 1]());
  return array != nullptr;
}

bool ProgramVerifier::allocate() {
  bool made = allocateArray(buffers, program->buffers()) &&
              allocateArray(constants, program->registers()) &&
              allocateArray(reserved, length(program->intervals())) &&
              allocateArray(isLate, program->registers()) &&
              allocateArray(registerSides, program->registers()) &&
              allocateArray(bufferSides, program->buffers()) &&
              allocateArray(isOpen, program->code()->size());
  if (made && isInitializer)
    made =
        allocateArray(derived, program->buffers()) && allocateArray(isWritten, program->buffers());
  if (made)
    isOpen[0] = 1;
  return made || failMemory(context.error, "META");
}

bool ProgramVerifier::verify() {
  if (!context.charge(program, 16) || !verifySlots() ||
      !verifyAligned(context, program->intervals()) ||
      !verifyAligned(context, program->literals()) || !verifyCounts() || !allocate())
    return false;
  uint32_t commands = program->code()->size(), intervals = length(program->intervals());
  for (uint32_t i = 0; i < intervals; ++i)
    if (!verifyInterval(i))
      return false;
  for (uint32_t i = 0; i < program->slots()->size(); ++i)
    if (!verifyOrder(i))
      return false;
  if (!verifyChecks())
    return false;
  for (uint32_t i = 0; i < commands; ++i)
    if (!verifyCommand(i))
      return false;
  if (Opcode(command(commands - 1)->opcode()) != Opcode::Return)
    return TW_META_FAIL(context, program, "the last command is not a return");
  if (registerCount != program->registers() || bufferCount != program->buffers())
    return TW_META_FAIL(context, program,
                        "commands make %u registers and %u buffers, the program "
                        "says %u and %u",
                        registerCount, bufferCount, program->registers(), program->buffers());
  for (uint32_t i = 0; i < intervals; ++i)
    if (!reserved[i])
      return TW_META_FAIL(context, program->intervals()->Get(i), "interval %u is never reserved",
                          i);
  return verifyArena(context, program, constants.get());
}

/// Says that what is wrong is wrong in an initializer.
static bool failInitializer(Error &error) {
  Error inner = error;
  if (!error.outOfMemory)
    fail(error, inner.section, inner.offset, "initializer: %.300s", inner.message);
  return false;
}

bool tw::format::verifyProgram(VerifyContext &context, const fb::Function *function,
                               const fb::Program *program) {
  ProgramVerifier verifier(context, function, program);
  const fb::Program *initializer = program->initializer();
  if (!initializer)
    return verifier.verify();
  if (initializer->initializer())
    return TW_META_FAIL(context, initializer, "an initializer has an initializer");
  if (initializer->target()->string_view() != program->target()->string_view())
    return TW_META_FAIL(context, initializer,
                        "an initializer is for target '%.40s', its program for '%.40s'",
                        initializer->target()->c_str(), program->target()->c_str());
  ProgramVerifier first(context, function, initializer);
  first.isInitializer = true;
  if (!first.verify())
    return failInitializer(context.error);
  first.finishDerived();
  verifier.initializer = &first;
  return verifier.verify();
}
