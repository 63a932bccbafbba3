// The constants of a model, in place in its file, and the values that are known while it is
// imported.
#pragma once

#include "../Common/Emitter.h"
#include "../Common/KnownValues.h"
#include "TensorData.h"

namespace tw::onnx {

using namespace importer;

class Constants : public KnownValues {
public:
  /// The model's file: its name relative to the folder of `files`, and its bytes.
  Constants(FileResolver &files, llvm::StringRef modelFile, llvm::StringRef modelBytes)
      : KnownValues(files), modelFile(modelFile), modelBytes(modelBytes) {}

  /// Emits `tensor` as a constant: in place in its file, or inline if it is small or was decoded.
  /// Reports what is wrong with it and returns null.
  Value materialize(const Tensor &tensor, Emitter &emit);

private:
  llvm::StringRef modelFile, modelBytes;
};

} // namespace tw::onnx
