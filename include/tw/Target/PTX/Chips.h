// NVIDIA chips by compute capability, and what the compiler must know of each.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tw::ptx {

struct Chip {
  llvm::StringLiteral name;
  /// LLVM's feature for the oldest PTX version that knows the chip (and min.NaN, 7.0): the older,
  /// the more drivers take it. Source: the PTX ISA's release notes.
  llvm::StringLiteral features;
  /// Bytes of local memory that one program may have, dynamic above 48 KB. Source: the CUDA
  /// programming guide's table of compute capabilities.
  uint32_t localBytes;
};

/// The default first.
llvm::ArrayRef<llvm::StringLiteral> chipNames();

/// The chip that stands in for one that is not in the table: the nearest older one, whose PTX later
/// chips run. Null for what is older than all, or no name of a chip.
const Chip *findOlder(llvm::StringRef name);

/// The chip of that name or its stand-in, the default for an empty one; null if unknown.
const Chip *findChip(llvm::StringRef name);

/// What a kernel may declare; more must be asked for by the launch.
inline constexpr uint32_t staticLocalBytes = 48 * 1024;

} // namespace tw::ptx
