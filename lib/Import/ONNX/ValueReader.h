// The messages of ONNX that say what values are: tensors, and the types of inputs and outputs.
#pragma once

#include "FieldReader.h"

namespace tw::onnx {

class ValueReader : public FieldReader {
public:
  using FieldReader::FieldReader;

  bool tensor(llvm::StringRef bytes, Tensor &out);
  bool valueInfo(llvm::StringRef bytes, ValueInfo &out);

private:
  bool pair(llvm::StringRef bytes, StringPair &out);
  bool type(llvm::StringRef bytes, ValueInfo &out);
  bool tensorType(llvm::StringRef bytes, ValueInfo &out);
  bool shape(llvm::StringRef bytes, ValueInfo &out);
};

} // namespace tw::onnx
