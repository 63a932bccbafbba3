// Verifies the blocks of a launch program, what loops do to memory, and what depends on late
// symbols.
#include "ProgramVerifier.h"

using namespace tw::format;

void ProgramVerifier::openSide(Block &block) {
  isOpen[block.side] = 0;
  block.side = ++sideCount;
  isOpen[block.side] = 1;
}

/// Whether the register that decides about a block comes from a late symbol.
static bool decidesLate(Opcode opcode, const uint32_t *operands, const bool *isLate) {
  switch (opcode) {
  case Opcode::When:
  case Opcode::Repeat:
    return isLate[operands[0]];
  case Opcode::RepeatRead:
  case Opcode::While:
    return isLate[operands[1]];
  default:
    return false;
  }
}

bool ProgramVerifier::openBlock(uint32_t index, Opcode opcode, const uint32_t *operands) {
  if (decidesLate(opcode, operands, isLate.get()))
    return TW_META_FAIL(context, command(index), "command %u decides by a late symbol", index);
  if (depth == maxBlockDepth)
    return TW_META_FAIL(context, command(index), "command %u begins a block inside of %u", index,
                        depth);
  bool reads = opcode != Opcode::When && opcode != Opcode::Repeat;
  if (reads && buffers[operands[0]].isLate)
    return TW_META_FAIL(context, command(index),
                        "command %u reads a buffer whose size depends on a late symbol", index);
  bool readsOnce = opcode == Opcode::If || opcode == Opcode::RepeatRead;
  if (readsOnce && !verifyUse(index, operands[0], false))
    return false;
  Block &block = blocks[depth++];
  block = {opcode, index, ++sideCount};
  isOpen[block.side] = 1;
  // It is read again before each iteration.
  return opcode != Opcode::While || verifyUse(index, operands[0], false);
}

bool ProgramVerifier::closeBlock(uint32_t index) {
  const Block &block = blocks[--depth];
  isOpen[block.side] = 0;
  if (block.leastLast >= index)
    return true;
  return TW_META_FAIL(context, command(index),
                      "interval %u lives to command %u, but is used in the loop from command %u to "
                      "%u",
                      block.firstToEnd, block.leastLast, block.begin, index);
}

bool ProgramVerifier::verifyBlock(uint32_t index, Opcode opcode, const uint32_t *operands) {
  if (isInitializer)
    return TW_META_FAIL(context, command(index), "command %u begins or ends a block", index);
  if (beginsBlock(opcode))
    return openBlock(index, opcode, operands);
  if (depth == 0)
    return TW_META_FAIL(context, command(index), "command %u lies in no block", index);
  Block &block = blocks[depth - 1];
  bool isOther = opcode == Opcode::Otherwise || opcode == Opcode::Else;
  bool belongs = block.isLoop() ? opcode == Opcode::EndLoop
                 : block.opcode == Opcode::When
                     ? opcode == Opcode::Otherwise || opcode == Opcode::EndWhen
                     : opcode == Opcode::Else || opcode == Opcode::EndIf;
  if (!belongs)
    return TW_META_FAIL(context, command(index),
                        "command %u (%s) lies in the block that command %u (%s) begins", index,
                        findOpcode(uint16_t(opcode))->name.data(), block.begin,
                        findOpcode(uint16_t(block.opcode))->name.data());
  if (!isOther)
    return closeBlock(index);
  if (block.hasOtherSide)
    return TW_META_FAIL(context, command(index), "command %u begins the third side of a block",
                        index);
  block.hasOtherSide = true;
  openSide(block);
  return true;
}

/// What is used in a loop and reserved outside of it is alive in all iterations, so that what lives
/// from one command to another of the list does so when these run again.
bool ProgramVerifier::verifyLoopUse(uint32_t index, uint32_t which) {
  const fb::Interval *interval = program->intervals()->Get(which);
  for (uint32_t i = reserved[which] - 1u; i < depth; ++i) {
    Block &block = blocks[i];
    if (!block.isLoop())
      continue;
    if (interval->first() > block.begin)
      return TW_META_FAIL(
          context, command(index),
          "command %u uses interval %u, which lives from command %u on, in the loop "
          "that command %u begins",
          index, which, interval->first(), block.begin);
    if (interval->last() < block.leastLast) {
      block.leastLast = interval->last();
      block.firstToEnd = which;
    }
  }
  return true;
}

bool ProgramVerifier::verifyRotate(uint32_t index, const uint32_t *operands) {
  if (depth == 0 || !blocks[depth - 1].isLoop())
    return TW_META_FAIL(context, command(index), "command %u rotates outside of a loop", index);
  const BufferRoot &a = buffers[operands[0]], &b = buffers[operands[1]];
  if (a.kind != BufferRoot::Arena || b.kind != BufferRoot::Arena || a.whole != operands[0] ||
      b.whole != operands[1] || a.index == b.index)
    return TW_META_FAIL(context, command(index),
                        "command %u rotates what is not two reserved buffers", index);
  const fb::Interval *first = program->intervals()->Get(a.index);
  const fb::Interval *second = program->intervals()->Get(b.index);
  if (bufferSides[operands[0]] != bufferSides[operands[1]] || reserved[a.index] > depth)
    return TW_META_FAIL(context, command(index),
                        "command %u rotates buffers that are not reserved side by side outside of "
                        "the loop",
                        index);
  if (first->size() != second->size() || first->alignment() != second->alignment() ||
      first->slot() != second->slot() || first->first() != second->first() ||
      first->last() != second->last())
    return TW_META_FAIL(context, command(index),
                        "command %u rotates intervals %u and %u, which differ in size, alignment, "
                        "slot or lifetime",
                        index, a.index, b.index);
  blocks[depth - 1].hasRotated = true;
  return verifyUse(index, operands[0], true) && verifyUse(index, operands[1], true);
}

bool ProgramVerifier::verifyAdvance(uint32_t index, const uint32_t *operands) {
  if (std::none_of(blocks, blocks + depth, [](const Block &block) { return block.isLoop(); }))
    return TW_META_FAIL(context, command(index), "command %u advances outside of a loop", index);
  if (!isLate[operands[3]])
    return verifySlice(index, operands);
  return TW_META_FAIL(context, command(index),
                      "command %u takes a slice whose place or size depends on a late symbol",
                      index);
}

bool ProgramVerifier::verifySlice(uint32_t index, const uint32_t *operands) {
  if (buffers[operands[0]].isLate || isLate[operands[1]] || isLate[operands[2]])
    return TW_META_FAIL(context, command(index),
                        "command %u takes a slice whose place or size depends on a late symbol",
                        index);
  return true;
}

bool ProgramVerifier::verifyCopy(uint32_t index, const uint32_t *operands) {
  if (buffers[operands[1]].isLate)
    return TW_META_FAIL(context, command(index),
                        "command %u copies a buffer whose size depends on a late symbol", index);
  return verifyUse(index, operands[0], true) && verifyUse(index, operands[1], false);
}
