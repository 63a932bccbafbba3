// Verifies the commands of a launch program: what they use was made before, lives, and may be
// written.
#include "ProgramVerifier.h"

#include "tw/Format/Checked.h"

#include <cinttypes>

using namespace tw::format;

bool ProgramVerifier::verifyReserve(uint32_t index, uint32_t which) {
  const fb::Interval *interval = program->intervals()->Get(which);
  if (reserved[which])
    return TW_META_FAIL(context, command(index), "interval %u is reserved twice", which);
  reserved[which] = uint8_t(depth + 1);
  if (interval->size() >= registerCount)
    return TW_META_FAIL(context, interval,
                        "interval %u has its size in register %u, of %u made "
                        "so far",
                        which, interval->size(), registerCount);
  if (!isOpen[registerSides[interval->size()]])
    return TW_META_FAIL(context, interval,
                        "interval %u has its size in register %u, of a block that is over", which,
                        interval->size());
  if (isLate[interval->size()])
    return TW_META_FAIL(context, interval, "interval %u has a size that depends on a late symbol",
                        which);
  if (interval->offset() < 0)
    return true;
  // One side of a `when` takes no memory.
  if (std::any_of(blocks, blocks + depth,
                  [](const Block &block) { return block.opcode == Opcode::When; }))
    return TW_META_FAIL(context, interval, "interval %u has a place, and lies in a block", which);
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
    return verifyLoopUse(index, root.index);
  } else if (isInitializer && root.kind == BufferRoot::Constant && isDerived(root.index)) {
    return verifyDerived(index, root, written);
  } else if (written && root.kind != BufferRoot::Result) {
    return TW_META_FAIL(context, command(index), "command %u writes to %s", index,
                        root.kind == BufferRoot::Argument ? "an argument" : "a constant");
  }
  return true;
}

/// A use of a derived constant by an initializer, which writes it before it reads it.
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
  if (BindKind(operands[0]) == BindKind::Argument) {
    const fb::TensorType &type = storageType(*function->arguments()->Get(value));
    buffers[at->target()].isLate = findLateSymbol(*function, type) != nullptr;
  }
  if (isInitializer || BindKind(operands[0]) != BindKind::Constant || !isDerived(value))
    return true;
  if (!initializer ||
      !std::binary_search(initializer->derived.get(),
                          initializer->derived.get() + initializer->derivedCount, value))
    return TW_META_FAIL(context, at,
                        "command %u binds derived constant '%.80s', which the program's "
                        "initializer does not write",
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
  case OperandKind::Symbol:
    limit = isInitializer ? 0 : length(function->symbols());
    what = "symbol";
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
  bool isSeen = kind == OperandKind::Register ? isOpen[registerSides[value]]
                : kind == OperandKind::Buffer ? isOpen[bufferSides[value]]
                                              : true;
  if (!isSeen)
    return TW_META_FAIL(context, at, "command %u uses %s %u, of a block that is over", index, what,
                        value);
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
    return verifySlice(index, operands);
  case Opcode::Bind:
    return verifyBind(index, at, operands);
  case Opcode::Launch:
    return verifyLaunch(index, at, operands);
  case Opcode::Copy:
    return verifyCopy(index, operands);
  case Opcode::Fill:
    return verifyUse(index, operands[0], true);
  case Opcode::Advance:
    buffers[at->target()] = buffers[operands[0]];
    return verifyAdvance(index, operands);
  case Opcode::Rotate:
    return verifyRotate(index, operands);
  case Opcode::When:
  case Opcode::Otherwise:
  case Opcode::EndWhen:
  case Opcode::If:
  case Opcode::Else:
  case Opcode::EndIf:
  case Opcode::Repeat:
  case Opcode::RepeatRead:
  case Opcode::While:
  case Opcode::EndLoop:
    return verifyBlock(index, Opcode(at->opcode()), operands);
  case Opcode::Return:
    if (depth != 0)
      return TW_META_FAIL(context, at, "command %u returns inside a block", index);
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
  if (info->minor > 3 && !requireFeatures(context, at, info->name.data()))
    return false;
  if (depth && blocks[depth - 1].hasRotated && info->opcode != Opcode::Rotate &&
      info->opcode != Opcode::EndLoop)
    return TW_META_FAIL(context, at, "command %u comes behind a rotate in the loop's body", index);
  if (!verifyMeaning(index, at, operands))
    return false;
  if (info->target == TargetKind::Register) {
    isLate[registerCount] = isLateRegister(*function, *info, operands, isLate.get());
    registerSides[registerCount++] = currentSide();
  } else if (info->target == TargetKind::Buffer) {
    bufferSides[bufferCount++] = currentSide();
  }
  return true;
}
