// Verifies the blocks of a launch program, and what depends on late symbols.
#include "ProgramVerifier.h"

using namespace tw::format;

void ProgramVerifier::openSide(Block &block) {
  isOpen[block.side] = 0;
  block.side = ++sideCount;
  isOpen[block.side] = 1;
}

bool ProgramVerifier::verifyBlock(uint32_t index, Opcode opcode, const uint32_t *operands) {
  if (isInitializer)
    return TW_META_FAIL(context, command(index), "command %u begins or ends a block", index);
  if (opcode == Opcode::When) {
    if (isLate[operands[0]])
      return TW_META_FAIL(context, command(index), "command %u decides by a late symbol", index);
    if (depth == maxBlockDepth)
      return TW_META_FAIL(context, command(index), "command %u begins a block inside of %u", index,
                          depth);
    blocks[depth++] = {++sideCount, false};
    isOpen[sideCount] = 1;
    return true;
  }
  if (depth == 0)
    return TW_META_FAIL(context, command(index), "command %u lies in no block", index);
  Block &block = blocks[depth - 1];
  if (opcode == Opcode::EndWhen) {
    isOpen[block.side] = 0;
    --depth;
    return true;
  }
  if (block.hasOtherwise)
    return TW_META_FAIL(context, command(index), "command %u begins the third side of a block",
                        index);
  block.hasOtherwise = true;
  openSide(block);
  return true;
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
