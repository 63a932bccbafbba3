// Where the elements of a tensor lie: in a file, unchanged, or decoded in memory.
#pragma once

#include "tw/Import/ONNX/Model.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/FileResolver.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tw::onnx {

/// Elements in row-major order, little-endian, one byte per bool.
struct TensorData {
  mlir::RankedTensorType type;
  llvm::StringRef bytes;   ///< into a mapping or into `owned`
  llvm::StringRef file;    ///< name of the file relative to the model's folder, if `owned` is empty
  uint64_t offset = 0;     ///< of `bytes` in `file`
  std::vector<char> owned; ///< decoded elements
  bool inFile() const { return owned.empty() && !file.empty(); }
};

/// An error that is not yet tied to a location.
struct DataError {
  Code code;
  std::string message;
};

/// The element type for an ONNX data type; null for strings, complex numbers and unknown types.
mlir::Type elementType(mlir::MLIRContext *context, int32_t type);

/// Finds the elements of `tensor`, which was read from `modelFile` (its name relative to the
/// resolver's folder, its bytes `modelBytes`); external data is found through `resolver`.
/// Nothing is copied where the file holds the elements in their layout in memory.
std::optional<DataError> locateData(mlir::MLIRContext *context, const Tensor &tensor,
                                    llvm::StringRef modelFile, llvm::StringRef modelBytes,
                                    FileResolver &resolver, TensorData &data);

} // namespace tw::onnx
