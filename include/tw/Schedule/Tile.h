// How large a register tile may be.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// The largest tile of one thread, in elements: 128 rows of 16 lanes would never stay in registers,
/// and compile time grows with it.
inline constexpr int64_t kMaxTileElements = 2048;

/// Whether a program's registers hold a tile over the leaves; else `why` says what to change.
mlir::LogicalResult checkElements(const Plan &plan, llvm::ArrayRef<unsigned> leaves,
                                  std::string &why);

} // namespace tw::schedule
