// AMD chips, and what the compiler must know of each.
#pragma once

#include "tw/Target/Common/GpuMachine.h"
#include "tw/Target/Common/Instructions.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace tw::amdgcn {

struct Chip {
  /// What follows the colon: the processor, with "-wave64" where both sizes of subgroup are to be
  /// had.
  llvm::StringLiteral name;
  llvm::StringRef processor;
  /// LLVM's features.
  llvm::StringLiteral features;
  /// Threads of a subgroup. gfx9 (CDNA) has 64 only; gfx10 and later (RDNA) run 32 at full rate.
  uint32_t subgroup;
  /// Bytes of local memory that one program may have. Source: LLVM's AMDGPUUsage, HIP's device
  /// properties.
  uint32_t localBytes;
  /// What schedules are chosen for: the GPU that is named. Compute units and what they have room
  /// for, operations, caches and memory at the peak engine clock are from AMD's white papers (CDNA
  /// 2, 3 and 4, RDNA 2 to 4) and data sheets; of a device with an Infinity Cache that feeds all
  /// units, that one is the cache on CDNA 3 and 4. Cycles are rounded from published measurements
  /// of the architectures (chipsandcheese.com). None of it was measured here.
  schedule::GpuMachine machine;
};

/// The default first.
llvm::ArrayRef<llvm::StringLiteral> chipNames();

/// The chip whose numbers hold for one that is not in the table: the nearest older one of its
/// generation, or of the last one for a later generation; null if there is none.
const Chip *findOlder(llvm::StringRef name);

/// The chip of that name, the default for an empty one; nothing if unknown. One with a stand-in has
/// the stand-in's numbers, and its own processor, a part of `name`, where LLVM knows it. Code for
/// the stand-in's processor is refused by drivers of all others.
std::optional<Chip> findChip(llvm::StringRef name);

/// What the chip has beyond the instructions of thread form.
const ChipInstructions &getChipInstructions(llvm::StringRef name);

} // namespace tw::amdgcn
