// Verifies the launch programs of a module, so that running one touches only its own memory.
#include "Verify.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Commands.h"
#include "tw/Format/Metadata.h"

#include <algorithm>
#include <cinttypes>
#include <memory>
#include <new>

using namespace tw::format;

namespace {

constexpr uint32_t maxSlots = 16;
/// Arenas start on pages.
constexpr uint32_t maxAlignment = 4096;

/// What a buffer is a part of.
struct BufferRoot {
  enum Kind : uint8_t { Arena, Argument, Result, Constant } kind;
  /// Interval or constant.
  uint32_t index;
  /// The buffer that is the whole of it.
  uint32_t whole;
};

/// Registers and buffers are numbered in the order in which they are made, so that "made before
/// used" is a comparison.
struct ProgramVerifier {
  VerifyContext &context;
  const fb::Function *function;
  const fb::Program *program;
  /// Of an initialiser: NULL, and `isInitializer` is set. Of a program: its own, verified, or NULL.
  const ProgramVerifier *initializer = nullptr;
  bool isInitializer = false;
  std::unique_ptr<BufferRoot[]> buffers;
  /// Index of a literal, plus one, for registers that hold constants.
  std::unique_ptr<uint32_t[]> constants;
  std::unique_ptr<uint8_t[]> reserved;
  /// In an initialiser, the derived constants written so far; sorted by `finishDerived`.
  std::unique_ptr<uint32_t[]> derived;
  /// By buffer: is it the whole of a derived constant that has been written?
  std::unique_ptr<uint8_t[]> isWritten;
  uint32_t registerCount = 0, bufferCount = 0, derivedCount = 0;

  ProgramVerifier(VerifyContext &context, const fb::Function *function, const fb::Program *program)
      : context(context), function(function), program(program) {}

  bool verify();
  bool verifySlots();
  bool verifyInterval(uint32_t index);
  bool verifyCommand(uint32_t index);
  bool verifyOperand(uint32_t index, const fb::Command *command, OperandKind kind, uint32_t value);
  bool verifyMeaning(uint32_t index, const fb::Command *command, const uint32_t *operands);
  bool verifyReserve(uint32_t index, uint32_t interval);
  bool verifyLaunch(uint32_t index, const fb::Command *command, const uint32_t *operands);
  bool verifyUse(uint32_t index, uint32_t buffer, bool written);
  bool verifyDerived(uint32_t index, const BufferRoot &root, bool written);
  bool verifyBind(uint32_t index, const fb::Command *command, const uint32_t *operands);
  bool isDerived(uint32_t constant) const {
    return Storage(context.root->constants()->Get(constant)->storage()) == Storage::Derived;
  }
  void finishDerived() { std::sort(derived.get(), derived.get() + derivedCount); }
  const fb::Command *command(uint32_t index) const { return program->code()->Get(index); }
};

} // namespace

bool ProgramVerifier::verifySlots() {
  if (program->slots()->size() == 0 || program->slots()->size() > maxSlots)
    return TW_META_FAIL(context, program, "a program has %u slots, expected 1 to %u",
                        program->slots()->size(), maxSlots);
  for (const fb::Slot *slot : *program->slots()) {
    if (!isPowerOfTwo(slot->offset_alignment()) || slot->offset_alignment() > maxAlignment)
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
  if (!isPowerOfTwo(interval->alignment()) || interval->alignment() > maxAlignment)
    return TW_META_FAIL(context, interval, "interval %u has alignment %u", index,
                        interval->alignment());
  if (interval->offset() < -1)
    return TW_META_FAIL(context, interval, "interval %u lies at offset %" PRId64, index,
                        interval->offset());
  return true;
}

bool ProgramVerifier::verifyReserve(uint32_t index, uint32_t which) {
  const fb::Interval *interval = program->intervals()->Get(which);
  if (reserved[which])
    return TW_META_FAIL(context, command(index), "interval %u is reserved twice", which);
  reserved[which] = 1;
  if (interval->size() >= registerCount)
    return TW_META_FAIL(context, interval,
                        "interval %u has its size in register %u, of %u made "
                        "so far",
                        which, interval->size(), registerCount);
  if (interval->first() < index)
    return TW_META_FAIL(context, interval,
                        "interval %u lives from command %u, before command %u "
                        "that reserves it",
                        which, interval->first(), index);
  if (interval->offset() < 0)
    return true;
  const fb::Slot *slot = program->slots()->Get(interval->slot());
  if (constants[interval->size()] == 0)
    return TW_META_FAIL(context, interval, "interval %u has a place but no constant size", which);
  int64_t bytes = program->literals()->Get(constants[interval->size()] - 1);
  if (interval->slab() >= length(slot->slabs()) || bytes < 0 ||
      !rangeWithin(uint64_t(interval->offset()), uint64_t(bytes),
                   slot->slabs()->Get(interval->slab())))
    return TW_META_FAIL(context, interval,
                        "interval %u (offset %" PRId64 ", %" PRId64 " bytes) lies outside slab %u",
                        which, interval->offset(), bytes, interval->slab());
  uint32_t alignment = std::max(interval->alignment(), slot->offset_alignment());
  if (uint64_t(interval->offset()) % alignment != 0)
    return TW_META_FAIL(context, interval, "interval %u at offset %" PRId64 " is not aligned to %u",
                        which, interval->offset(), alignment);
  return true;
}

/// A use of memory by a launch, copy or fill.
bool ProgramVerifier::verifyUse(uint32_t index, uint32_t buffer, bool written) {
  const BufferRoot &root = buffers[buffer];
  if (root.kind == BufferRoot::Arena) {
    const fb::Interval *interval = program->intervals()->Get(root.index);
    if (index < interval->first() || index > interval->last())
      return TW_META_FAIL(context, command(index),
                          "command %u uses interval %u, which lives from "
                          "command %u to %u",
                          index, root.index, interval->first(), interval->last());
  } else if (isInitializer && root.kind == BufferRoot::Constant && isDerived(root.index)) {
    return verifyDerived(index, root, written);
  } else if (written && root.kind != BufferRoot::Result) {
    return TW_META_FAIL(context, command(index), "command %u writes to %s", index,
                        root.kind == BufferRoot::Argument ? "an argument" : "a constant");
  }
  return true;
}

/// A use of a derived constant by an initialiser, which writes it before it reads it.
bool ProgramVerifier::verifyDerived(uint32_t index, const BufferRoot &root, bool written) {
  uint8_t &mark = isWritten[root.whole];
  if (!written && !mark)
    return TW_META_FAIL(context, command(index),
                        "command %u reads derived constant '%.80s' before it is written", index,
                        context.root->constants()->Get(root.index)->name()->c_str());
  if (!mark) {
    mark = 1;
    derived[derivedCount++] = root.index;
  }
  return true;
}

bool ProgramVerifier::verifyBind(uint32_t index, const fb::Command *at, const uint32_t *operands) {
  static constexpr BufferRoot::Kind kinds[] = {BufferRoot::Argument, BufferRoot::Result,
                                               BufferRoot::Constant};
  uint32_t limits[] = {isInitializer ? 0 : length(function->arguments()),
                       isInitializer ? 0 : length(function->results()),
                       length(context.root->constants())};
  uint32_t value = operands[1];
  if (value >= limits[operands[0]])
    return TW_META_FAIL(context, at, "command %u binds value %u of %u", index, value,
                        limits[operands[0]]);
  buffers[at->target()] = {kinds[operands[0]], value, at->target()};
  if (isInitializer || BindKind(operands[0]) != BindKind::Constant || !isDerived(value))
    return true;
  if (!initializer ||
      !std::binary_search(initializer->derived.get(),
                          initializer->derived.get() + initializer->derivedCount, value))
    return TW_META_FAIL(context, at,
                        "command %u binds derived constant '%.80s', which the program's "
                        "initialiser does not write",
                        index, context.root->constants()->Get(value)->name()->c_str());
  return true;
}

bool ProgramVerifier::verifyOperand(uint32_t index, const fb::Command *at, OperandKind kind,
                                    uint32_t value) {
  uint32_t limit = 0;
  const char *what = "";
  switch (kind) {
  case OperandKind::Register:
    limit = registerCount;
    what = "register";
    break;
  case OperandKind::Buffer:
    limit = bufferCount;
    what = "buffer";
    break;
  case OperandKind::Literal:
    limit = length(program->literals());
    what = "literal";
    break;
  case OperandKind::Argument:
    limit = isInitializer ? 0 : length(function->arguments());
    what = "argument";
    break;
  case OperandKind::Interval:
    limit = length(program->intervals());
    what = "interval";
    break;
  case OperandKind::Predicate:
    limit = uint32_t(Predicate::Ge) + 1;
    what = "predicate";
    break;
  case OperandKind::BindKind:
    limit = uint32_t(BindKind::Constant) + 1;
    what = "kind of binding";
    break;
  case OperandKind::Width:
    if (value == 1 || value == 2 || value == 4 || value == 8)
      return true;
    return TW_META_FAIL(context, at, "command %u fills with a width of %u", index, value);
  case OperandKind::Axis:
  case OperandKind::BindIndex:
    return true;
  }
  if (value >= limit)
    return TW_META_FAIL(context, at, "command %u uses %s %u, of %u there", index, what, value,
                        limit);
  return true;
}

bool ProgramVerifier::verifyLaunch(uint32_t index, const fb::Command *at,
                                   const uint32_t *operands) {
  if (at->target() >= length(context.root->kernels()))
    return TW_META_FAIL(context, at, "command %u launches kernel %u of %u", index, at->target(),
                        length(context.root->kernels()));
  const fb::Kernel *kernel = context.root->kernels()->Get(at->target());
  uint32_t bindings = kernel->bindings()->size();
  if (at->count() != 3 + bindings + kernel->scalars())
    return TW_META_FAIL(context, at, "command %u has %u operands, kernel '%.80s' takes %u", index,
                        at->count(), kernel->name()->c_str(), 3 + bindings + kernel->scalars());
  for (uint32_t i = 3; i < at->count(); ++i) {
    bool isBinding = i < 3 + bindings;
    if (!verifyOperand(index, at, isBinding ? OperandKind::Buffer : OperandKind::Register,
                       operands[i]))
      return false;
    if (isBinding &&
        !verifyUse(index, operands[i], (kernel->bindings()->Get(i - 3)->access() & 2) != 0))
      return false;
  }
  return true;
}

/// What the table of opcodes cannot say.
bool ProgramVerifier::verifyMeaning(uint32_t index, const fb::Command *at,
                                    const uint32_t *operands) {
  switch (Opcode(at->opcode())) {
  case Opcode::Const:
    constants[at->target()] = operands[0] + 1;
    return true;
  case Opcode::Dim: {
    const fb::TensorType *type = function->arguments()->Get(operands[0])->type();
    if (operands[1] >= length(type->dims()))
      return TW_META_FAIL(context, at, "command %u asks for dimension %u of an argument of rank %u",
                          index, operands[1], length(type->dims()));
    return true;
  }
  case Opcode::Reserve:
    buffers[at->target()] = {BufferRoot::Arena, operands[0], at->target()};
    return verifyReserve(index, operands[0]);
  case Opcode::Slice:
    buffers[at->target()] = buffers[operands[0]];
    return true;
  case Opcode::Bind:
    return verifyBind(index, at, operands);
  case Opcode::Launch:
    return verifyLaunch(index, at, operands);
  case Opcode::Copy:
    return verifyUse(index, operands[0], true) && verifyUse(index, operands[1], false);
  case Opcode::Fill:
    return verifyUse(index, operands[0], true);
  case Opcode::Return:
    if (index + 1 != program->code()->size())
      return TW_META_FAIL(context, at, "command %u returns before the end", index);
    return true;
  default:
    return true;
  }
}

bool ProgramVerifier::verifyCommand(uint32_t index) {
  const fb::Command *at = command(index);
  const OpcodeInfo *info = findOpcode(at->opcode());
  if (!info)
    return TW_META_FAIL(context, at, "command %u has unknown opcode %u", index, at->opcode());
  if (at->queue() != 0)
    return TW_META_FAIL(context, at, "command %u runs on queue %u of 1", index, at->queue());
  if (!rangeWithin(at->first(), at->count(), length(program->operands())))
    return TW_META_FAIL(context, at, "command %u has operands %u + %u of %u", index, at->first(),
                        at->count(), length(program->operands()));
  if (!context.charge(at, sizeof(fb::Command) + 4 * uint64_t(at->count())))
    return false;
  bool counted = info->opcode == Opcode::Launch ? at->count() >= info->operandCount
                                                : at->count() == info->operandCount;
  if (!counted)
    return TW_META_FAIL(context, at, "command %u (%s) has %u operands, expected %u", index,
                        info->name.data(), at->count(), info->operandCount);
  // The verifier runs on little-endian hosts, where vectors of scalars are plain arrays.
  const uint32_t *operands = at->count() ? program->operands()->data() + at->first() : nullptr;
  for (uint32_t i = 0; i < info->operandCount; ++i)
    if (!verifyOperand(index, at, info->operands[i], operands[i]))
      return false;
  uint32_t *made = info->target == TargetKind::Register ? &registerCount
                   : info->target == TargetKind::Buffer ? &bufferCount
                                                        : nullptr;
  uint32_t total = made == &registerCount ? program->registers() : program->buffers();
  if (made && (at->target() != *made || *made >= total))
    return TW_META_FAIL(context, at, "command %u makes %s %u, expected %u of %u", index,
                        made == &registerCount ? "register" : "buffer", at->target(), *made, total);
  if (info->target == TargetKind::None && at->target() != 0)
    return TW_META_FAIL(context, at, "command %u (%s) has target %u, expected 0", index,
                        info->name.data(), at->target());
  if (!verifyMeaning(index, at, operands))
    return false;
  if (made)
    ++*made;
  return true;
}

bool ProgramVerifier::verify() {
  if (!context.charge(program, 16) || !verifySlots() ||
      !verifyAligned(context, program->intervals()) || !verifyAligned(context, program->literals()))
    return false;
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
  if (!context.charge(program, sizeof(fb::Interval) * uint64_t(intervals) +
                                   4 * uint64_t(length(program->locations()))))
    return false;
  buffers.reset(new (std::nothrow) BufferRoot[program->buffers() + 1]);
  constants.reset(new (std::nothrow) uint32_t[program->registers() + 1]());
  reserved.reset(new (std::nothrow) uint8_t[intervals + 1]());
  if (isInitializer) {
    derived.reset(new (std::nothrow) uint32_t[program->buffers() + 1]);
    isWritten.reset(new (std::nothrow) uint8_t[program->buffers() + 1]());
  }
  if (!buffers || !constants || !reserved || (isInitializer && (!derived || !isWritten)))
    return failMemory(context.error, "META");
  for (uint32_t i = 0; i < intervals; ++i)
    if (!verifyInterval(i))
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

/// Says that what is wrong is wrong in an initialiser.
static bool failInitializer(Error &error) {
  Error inner = error;
  if (!error.outOfMemory)
    fail(error, inner.section, inner.offset, "initialiser: %.300s", inner.message);
  return false;
}

bool tw::format::verifyProgram(VerifyContext &context, const fb::Function *function,
                               const fb::Program *program) {
  ProgramVerifier verifier(context, function, program);
  const fb::Program *initializer = program->initializer();
  if (!initializer)
    return verifier.verify();
  if (initializer->initializer())
    return TW_META_FAIL(context, initializer, "an initialiser has an initialiser");
  if (initializer->target()->string_view() != program->target()->string_view())
    return TW_META_FAIL(context, initializer,
                        "an initialiser is for target '%.40s', its program for '%.40s'",
                        initializer->target()->c_str(), program->target()->c_str());
  ProgramVerifier first(context, function, initializer);
  first.isInitializer = true;
  if (!first.verify())
    return failInitializer(context.error);
  first.finishDerived();
  verifier.initializer = &first;
  return verifier.verify();
}
