// Inputs for a program: seeded random tensors, bytes of file constants.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "tw/Interpreter/Interpreter.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

namespace tw::interp {

/// The `number`-th random input under a seed; the same on every machine. Floats are uniform in [-1,
/// 1), in steps of 2^-20 so that f32 and f64 see the same values (bf16 and f16: those, rounded);
/// integers uniform in [-8, 8], unsigned ones in [0, 16]. With `integers`, floats are uniform over
/// the integers from -4 to 4, so that sums are exact.
Tensor makeInput(mlir::RankedTensorType type, uint64_t seed, unsigned number,
                 bool integers = false);

/// Maps the files of `#tgraph.file` beneath a folder. Owns the mappings, so it outlives the
/// tensors.
class FileConstants {
public:
  explicit FileConstants(std::string folder) : folder(std::move(folder)) {}
  /// The bytes of a file constant; failure where the file is missing or too short.
  llvm::FailureOr<llvm::ArrayRef<char>> read(graph::FileAttr file);
  ConstantResolver resolver();

private:
  std::string folder;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
};

} // namespace tw::interp
