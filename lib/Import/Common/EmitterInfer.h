// Builds an op whose result type tgraph infers, without the abort that generated builders end in
// when inference fails: the op is made with a placeholder type, then gets the inferred one.
#pragma once

#include "Emitter.h"

namespace tw::importer {

template <typename OpTy, typename... Args>
Value Emitter::infer(mlir::Type placeholder, Args &&...args) {
  auto op = OpTy::create(builder, loc, placeholder, std::forward<Args>(args)...);
  llvm::SmallVector<mlir::Type, 1> types;
  bool isInferred = accepted([&] {
    return OpTy::inferReturnTypes(builder.getContext(), loc, op->getOperands(),
                                  op->getAttrDictionary(), op->getPropertiesStorage(), {}, types);
  });
  if (!isInferred || !checkShape(llvm::cast<mlir::RankedTensorType>(types.front()).getShape())) {
    op->erase();
    return {};
  }
  op->getResult(0).setType(types.front());
  return done(op);
}

} // namespace tw::importer
