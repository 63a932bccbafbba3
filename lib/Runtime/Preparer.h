// The steps of preparing a call.
#pragma once

#include "Call.h"
#include "tw/Format/Commands.h"

namespace tw::runtime {

/// Runs commands: all of them into a new plan, or those that late symbols change in one there is.
struct CommandRunner {
  TwrtCall &call;
  Prepared &plan;
  /// By result.
  std::span<const uint64_t> resultBytes;
  TwrtError *error;
  const Allocator &allocator = call.program->module->instance->allocator;
  const format::fb::Function *function = call.program->function;
  const format::fb::Program *program = call.commands;
  const format::fb::Module *root = call.program->module->root;
  Array<uint64_t> intervalBytes{allocator};
  /// By register; empty where the function has no late symbols.
  Array<bool> isLate{allocator};
  uint32_t stepCount = 0, rangeCount = 0, scalarCount = 0, mapCount = 0, launchCount = 0,
           lateCount = 0;
  /// Of a program with blocks that are decided while a call runs.
  uint32_t nodeCount = 0, advanceCount = 0, rotationCount = 0;
  struct OpenNode {
    uint32_t node;
    bool isLoop;
    /// Steps that it may add to a piece, at most maxPieceSteps; of the side before that of an `If`.
    uint64_t steps, otherSteps;
  };
  OpenNode open[format::maxBlockDepth + 1] = {};
  uint32_t openCount = 0, leafStep = 0, leafLaunch = 0;

  /// Makes the plan for `plan.symbols`, but for its memory.
  TwrtCode runAll();
  /// Makes a plan for other values of late symbols follow `symbols`. Sets `changed` where its steps
  /// are not those that it has: a grid became empty, or is no longer.
  TwrtCode follow(std::span<const int64_t> symbols, bool &changed);

private:
  TwrtCode reserveSpace();
  /// Maps of tensors that a kernel takes.
  uint32_t countMaps(uint32_t kernel) const;
  void truncateSpace();
  TwrtCode run(uint32_t index, const format::fb::Command *command, const uint32_t *operands);
  TwrtCode compute(uint32_t index, const format::fb::Command *command, const uint32_t *operands);
  TwrtCode reserve(uint32_t index, const uint32_t *operands, MemoryRef &made);
  TwrtCode slice(uint32_t index, const uint32_t *operands, MemoryRef &made);
  TwrtCode launch(uint32_t index, const format::fb::Command *command, const uint32_t *operands);
  TwrtCode copy(uint32_t index, const uint32_t *operands);
  TwrtCode fill(uint32_t index, const uint32_t *operands);
  TwrtCode computeGrid(uint32_t index, const uint32_t *operands, uint32_t (&grid)[3]);
  /// Binds the step's ranges and scalars, which it knows the places of.
  TwrtCode bindLaunch(uint32_t index, const uint32_t *operands, const PlanStep &step);
  /// Whether late symbols change what the command does; marks the register that it makes.
  bool comesFromLate(const format::fb::Command *command, const uint32_t *operands);
  bool isLateLaunch(const format::fb::Command *command, const uint32_t *operands) const;
  /// The command where the block's other side, or what follows the block, begins.
  uint32_t skip(uint32_t index) const;
  bool hasNodes() const { return !plan.nodes.empty(); }
  TwrtCode reserveNodes();
  /// A command that begins or ends such a block; `next` is the one to go on with.
  TwrtCode runBlock(uint32_t &next, format::Opcode opcode, const uint32_t *operands);
  TwrtCode openNode(uint32_t &next, format::Opcode opcode, const uint32_t *operands);
  void closeNode();
  /// Ends the straight piece before a command.
  void endLeaf();
  void rotate(const uint32_t *operands);
  TwrtCode advance(uint32_t index, const uint32_t *operands, MemoryRef &made);
  TwrtCode finishNodes();
  MemoryRef bind(format::BindKind kind, uint32_t index) const;
  void addRange(const MemoryRef &ref, uint32_t kernel, uint32_t alignment);
  const uint32_t *operandsOf(const format::fb::Command *command) const {
    return command->count() ? program->operands()->data() + command->first() : nullptr;
  }
  TwrtCode failAt(uint32_t index, TwrtCode code, const char *what);
  /// For numbers that do not fit: the fault is the sizes' where there are symbols.
  TwrtCode failSizes(uint32_t index, const char *what) {
    bool hasSymbols = function->symbols() && function->symbols()->size();
    return failAt(index, hasSymbols ? TWRT_UNSUPPORTED : TWRT_INVALID_MODULE, what);
  }
};

/// Places the intervals of a plan in slabs.
TwrtCode planSlabs(TwrtCall &call, Prepared &plan, std::span<const uint64_t> intervalBytes,
                   TwrtError *error);

/// Makes the call's slabs large enough for a plan. A failure leaves them as they were.
TwrtCode growSlabs(TwrtCall &call, const Prepared &plan, TwrtError *error);

} // namespace tw::runtime
