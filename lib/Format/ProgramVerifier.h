// One program while it is verified: what its commands have made so far.
#pragma once

#include "Verify.h"

#include "tw/Format/Commands.h"
#include "tw/Format/Metadata.h"

#include <algorithm>
#include <memory>

namespace tw::format {

/// What a buffer is a part of.
struct BufferRoot {
  enum Kind : uint8_t { Arena, Argument, Result, Constant } kind;
  /// Interval or constant.
  uint32_t index;
  /// The buffer that is the whole of it.
  uint32_t whole;
  /// Its size comes from a late symbol.
  bool isLate = false;
};

/// Registers and buffers are numbered in the order in which they are made, so that "made before
/// used" is a comparison.
struct ProgramVerifier {
  VerifyContext &context;
  const fb::Function *function;
  const fb::Program *program;
  /// Of an initializer: NULL, and `isInitializer` is set. Of a program: its own, verified, or NULL.
  const ProgramVerifier *initializer = nullptr;
  bool isInitializer = false;
  std::unique_ptr<BufferRoot[]> buffers;
  /// Index of a literal, plus one, for registers that hold constants.
  std::unique_ptr<uint32_t[]> constants;
  /// By interval: in how many blocks it is reserved, plus one; 0: it is not yet.
  std::unique_ptr<uint8_t[]> reserved;
  /// In an initializer, the derived constants written so far; sorted by `finishDerived`.
  std::unique_ptr<uint32_t[]> derived;
  /// By buffer: is it the whole of a derived constant that has been written?
  std::unique_ptr<uint8_t[]> isWritten;
  uint32_t registerCount = 0, bufferCount = 0, derivedCount = 0;
  /// By register: does it come from a late symbol?
  std::unique_ptr<bool[]> isLate;
  /// By register and buffer: the side of a block that it is made in, 0 outside of all. By side: is
  /// it still open?
  std::unique_ptr<uint32_t[]> registerSides, bufferSides;
  std::unique_ptr<uint8_t[]> isOpen;
  /// A block that is open.
  struct Block {
    /// Of its command that begins it: `when`, `if`, or that of a loop.
    Opcode opcode;
    uint32_t begin = 0, side = 0;
    bool hasOtherSide = false, hasRotated = false;
    /// Of a loop: the interval from outside of it that ends first of those used in it, and where.
    uint32_t firstToEnd = 0, leastLast = UINT32_MAX;

    bool isLoop() const { return opcode != Opcode::When && opcode != Opcode::If; }
  };
  Block blocks[maxBlockDepth] = {};
  uint32_t depth = 0, sideCount = 0;

  ProgramVerifier(VerifyContext &context, const fb::Function *function, const fb::Program *program)
      : context(context), function(function), program(program) {}

  bool verify();
  bool verifyCounts();
  bool allocate();
  bool verifyChecks();
  bool verifySlots();
  bool verifyOrder(uint32_t slot);
  bool verifyInterval(uint32_t index);
  /// The commands before it are verified.
  bool verifyCommand(uint32_t index);
  bool verifyOperand(uint32_t index, const fb::Command *command, OperandKind kind, uint32_t value);
  bool verifyMeaning(uint32_t index, const fb::Command *command, const uint32_t *operands);
  bool verifyReserve(uint32_t index, uint32_t interval);
  bool verifyLaunch(uint32_t index, const fb::Command *command, const uint32_t *operands);
  bool verifyUse(uint32_t index, uint32_t buffer, bool written);
  bool verifyDerived(uint32_t index, const BufferRoot &root, bool written);
  bool verifyBind(uint32_t index, const fb::Command *command, const uint32_t *operands);
  bool verifySlice(uint32_t index, const uint32_t *operands);
  bool verifyCopy(uint32_t index, const uint32_t *operands);
  /// Commands that begin a block, its other side, and end it.
  bool verifyBlock(uint32_t index, Opcode opcode, const uint32_t *operands);
  bool openBlock(uint32_t index, Opcode opcode, const uint32_t *operands);
  bool closeBlock(uint32_t index);
  void openSide(Block &block);
  bool verifyLoopUse(uint32_t index, uint32_t interval);
  bool verifyRotate(uint32_t index, const uint32_t *operands);
  bool verifyAdvance(uint32_t index, const uint32_t *operands);
  uint32_t currentSide() const { return depth ? blocks[depth - 1].side : 0; }
  bool isDerived(uint32_t constant) const {
    return Storage(context.root->constants()->Get(constant)->storage()) == Storage::Derived;
  }
  void finishDerived() { std::sort(derived.get(), derived.get() + derivedCount); }
  const fb::Command *command(uint32_t index) const { return program->code()->Get(index); }
};

} // namespace tw::format
