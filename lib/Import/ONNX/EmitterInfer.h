// Builds an op whose result type tgraph infers, without the abort that generated builders end in
// when inference fails: the op is made with a placeholder type, then gets the inferred one.
#pragma once

#include "Emitter.h"

namespace tw::onnx {

template <typename OpTy, typename... Args>
Value Emitter::infer(mlir::Type placeholder, Args &&...args) {
  auto op = OpTy::create(builder, loc, placeholder, std::forward<Args>(args)...);
  llvm::SmallVector<mlir::Type, 1> types;
  if (mlir::failed(OpTy::inferReturnTypes(builder.getContext(), loc, op->getOperands(),
                                          op->getAttrDictionary(), op->getPropertiesStorage(), {},
                                          types))) {
    hasFailed = true;
    op->erase();
    return {};
  }
  auto type = llvm::cast<mlir::RankedTensorType>(types.front());
  op->getResult(0).setType(type);
  if (!checkShape(type.getShape())) {
    op->erase();
    return {};
  }
  return op->getResult(0);
}

} // namespace tw::onnx
