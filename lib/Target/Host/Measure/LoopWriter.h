// The timed loops as programs in the llvm dialect.
#pragma once

#include "Loops.h"

#include "mlir/IR/BuiltinOps.h"

namespace tw::host::measure {

/// Operations that wait for nothing in a loop: as many as registers have room for, beside operands.
inline int64_t countIndependent(const Description &machine) { return machine.traits.registers - 4; }

/// Writes a function for each loop; their names.
std::vector<std::string> writeLoops(mlir::ModuleOp module, const Description &machine);

} // namespace tw::host::measure
