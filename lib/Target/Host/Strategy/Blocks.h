// Loops over groups of products that a matrix unit takes (FormBlocks.cpp), as a price sees them.
#pragma once

#include "Guards.h"

#include "tw/Target/Host/HostTraits.h"

#include <optional>

namespace tw::schedule::host {

/// A step of as many groups as a block has rows.
struct BlockLoop {
  /// Cycles of the unit, rows that are loaded, and instructions.
  double cycles = 0, loads = 0, instructions = 0;
  /// Rows of the sums, which are in registers of the unit.
  double sums = 0;
};

/// What the unit takes for a step of `rows` x `columns` sums.
double blockCycles(int64_t rows, int64_t columns, const HostTraits &traits);

/// Whether code for groups of the contraction is made for a matrix unit.
bool hasBlocks(kernel::ContractOp contract, const HostTraits &traits);

/// The loop, in what is around it, as steps of a matrix unit; none if code is made for vectors.
std::optional<BlockLoop> findBlockLoop(const LoopTree &tree, const LoopNode &loop,
                                       const Around &around, const HostTraits &traits);

} // namespace tw::schedule::host
