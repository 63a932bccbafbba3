// What the files of this folder give its InstructionSet.
#pragma once

#include "../InstructionSet.h"

namespace tw::host::x86_64 {

/// What 64-byte vectors need (x86-64-v4 as in the x86-64 psABI, section 3.1.1, table 3.1, less
/// avx512cd).
inline constexpr llvm::StringLiteral wide[] = {"avx512bw", "avx512dq", "avx512f", "avx512vl"};

llvm::ArrayRef<Cpu> getCpus();
llvm::ArrayRef<DotProducts> getDots();
llvm::ArrayRef<MatrixUnit> getUnits();

/// exp, erf, tanh, maximumf and minimumf on vector<16xf32> in AVX-512; null for others.
mlir::Value emitFunction(mlir::Operation *function);

} // namespace tw::host::x86_64
