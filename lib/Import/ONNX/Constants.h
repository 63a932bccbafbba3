// The constants of a model, and the values that are known while it is imported.
//
// ONNX computes shapes with tensors. Whatever needs such a value asks here; it is evaluated on
// demand from constants, `tgraph` ops on them, and the values that the caller lets us assume for
// inputs of the model.
#pragma once

#include "Emitter.h"
#include "TensorData.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tw::onnx {

class Constants {
public:
  /// The model's file: its name relative to the folder of `files`, and its bytes.
  Constants(FileResolver &files, llvm::StringRef modelFile, llvm::StringRef modelBytes)
      : files(files), modelFile(modelFile), modelBytes(modelBytes) {}

  /// Emits `tensor` as a constant: in place in its file, or inline if it is small or was decoded.
  /// Reports what is wrong with it and returns null.
  Value materialize(const Tensor &tensor, Emitter &emit);

  /// Lets `value` (an argument of the function) count as this constant where a value must be known.
  void assume(Value value, mlir::DenseElementsAttr constant) { assumed[value] = constant; }

  /// The constant that `value` is, or null if it depends on inputs or has more than 65,536
  /// elements.
  mlir::DenseElementsAttr get(Value value);

  /// Forgets what is known of values, some of which are gone.
  void forget() { values.clear(); }

private:
  bool collect(Value value, llvm::SetVector<mlir::Operation *> &ops) const;

  FileResolver &files;
  llvm::StringRef modelFile, modelBytes;
  llvm::MapVector<Value, mlir::DenseElementsAttr> assumed;
  llvm::DenseMap<Value, mlir::DenseElementsAttr> values;
};

/// Elements from their bytes in memory (one byte per bool).
mlir::DenseElementsAttr denseFromBytes(mlir::RankedTensorType type, llvm::StringRef bytes);

} // namespace tw::onnx
