// NVIDIA chips by compute capability, and what the compiler must know of each.
#pragma once

#include "tw/Target/Common/GpuMachine.h"
#include "tw/Target/Common/Instructions.h"

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
  /// What schedules are chosen for: the GPU that is named. What a processor has room for is from
  /// the CUDA programming guide's table of compute capabilities; numbers of processors, operations,
  /// the cache and memory at the boost clock from NVIDIA's white paper or data sheet of the GPU;
  /// cycles from Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking",
  /// 2018, and Luo et al., "Benchmarking and dissecting the NVIDIA Hopper GPU architecture", 2024.
  /// Bytes a cycle from the cache are published for V100 and A100; for others 64 a processor, what
  /// one takes, and no more than A100's. Products of matrix units are those of mma.sync and,
  /// of units that read local memory (wgmma), those of the white paper; Blackwell's are not there.
  /// None of it was measured here.
  schedule::GpuMachine machine;

  /// 80 of "sm_80", 90 of "sm_90a".
  unsigned getCapability() const {
    unsigned number = 0;
    llvm::StringRef(name).drop_front(3).consumeInteger(10, number);
    return number;
  }
};

/// The default first.
llvm::ArrayRef<llvm::StringLiteral> chipNames();

/// The chip that stands in for one that is not in the table: the nearest older one, whose PTX later
/// chips run. Null for what is older than all, or no name of a chip.
const Chip *findOlder(llvm::StringRef name);

/// The chip of that name or its stand-in, the default for an empty one; null if unknown.
const Chip *findChip(llvm::StringRef name);

/// What the chip, or its stand-in, has beyond the instructions of thread form.
const ChipInstructions &getChipInstructions(llvm::StringRef name);

/// What a kernel may declare; more must be asked for by the launch.
inline constexpr uint32_t staticLocalBytes = 48 * 1024;

} // namespace tw::ptx
