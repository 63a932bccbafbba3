// Constants of a model.
#include "Constants.h"

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

/// Data up to this size is printed with the program; larger data stays in its file.
static constexpr size_t maxInlineBytes = 64;

Value Constants::materialize(const Tensor &tensor, Emitter &emit) {
  MLIRContext *context = emit.ops().getContext();
  TensorData data;
  if (std::optional<DataError> error =
          locateData(context, tensor, modelFile, modelBytes, files, data)) {
    emit.error(error->code) << error->message;
    return {};
  }
  if (data.inFile() && data.bytes.size() > maxInlineBytes) {
    auto file = graph::FileAttr::get(context, data.type, data.file, data.offset, data.bytes.size());
    return graph::ConstantOp::create(emit.ops(), emit.location(), file);
  }
  return emit.constant(denseFromBytes(data.type, data.bytes));
}
