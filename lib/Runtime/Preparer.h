// The steps of preparing a call.
#pragma once

#include "Call.h"
#include "tw/Format/Commands.h"

namespace tw::runtime {

/// One run over the commands. Everything new is kept here until all of it has worked.
struct Preparer {
  TwrtCall &call;
  TwrtError *error;
  const Allocator &allocator = call.program->module->instance->allocator;
  const format::fb::Function *function = call.program->function;
  const format::fb::Program *program = call.commands;
  const format::fb::Module *root = call.program->module->root;
  Array<int64_t> symbols{allocator}, registers{allocator};
  Array<MemoryRef> buffers{allocator};
  Array<uint64_t> intervalBytes{allocator};
  Array<Array<int64_t>> resultDims{allocator};
  Array<uint64_t> resultBytes{allocator};
  Prepared plan{allocator};
  uint32_t stepCount = 0, rangeCount = 0, scalarCount = 0, launchCount = 0;

  TwrtCode prepare();
  TwrtCode settleSymbols();
  TwrtCode settleResults();
  TwrtCode reserveSpace();
  TwrtCode run();
  TwrtCode runCommand(uint32_t index, const format::fb::Command *command, const uint32_t *operands);
  TwrtCode compute(uint32_t index, const format::fb::Command *command, const uint32_t *operands);
  TwrtCode slice(uint32_t index, const uint32_t *operands, MemoryRef &made);
  TwrtCode launch(uint32_t index, const format::fb::Command *command, const uint32_t *operands);
  bool plannedFor(uint32_t slot) const;
  TwrtCode planSlots();
  TwrtCode planSlot(uint32_t slot);
  TwrtCode getMemory();

  MemoryRef bind(format::BindKind kind, uint32_t index) const;
  void addRange(const MemoryRef &ref, uint32_t kernel, uint32_t alignment);
  TwrtCode failAt(uint32_t index, TwrtCode code, const char *what);
};

} // namespace tw::runtime
