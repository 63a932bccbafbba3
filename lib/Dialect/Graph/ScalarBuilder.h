// Shorthand for emitting arith on scalars, or on vectors and tensors of one shape.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace tw::graph {

/// Emits ops at the builder's insertion point. Types of results follow the operands', constants are
/// splats where `like` is shaped.
struct ScalarBuilder {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  /// `elementType`, in the shape of `like`.
  static mlir::Type typeLike(mlir::Type like, mlir::Type elementType) {
    auto shaped = llvm::dyn_cast<mlir::ShapedType>(like);
    return shaped ? mlir::Type(shaped.clone(elementType)) : elementType;
  }

  mlir::Value constant(mlir::Type like, mlir::TypedAttr element) {
    if (auto shaped = llvm::dyn_cast<mlir::ShapedType>(like))
      element = mlir::DenseElementsAttr::get(shaped.clone(element.getType()), element);
    return mlir::arith::ConstantOp::create(builder, loc, element);
  }
  mlir::Value integer(mlir::Type like, const llvm::APInt &value) {
    return constant(like, builder.getIntegerAttr(mlir::getElementTypeOrSelf(like), value));
  }
  mlir::Value integer(mlir::Type like, int64_t value) {
    return integer(like, llvm::APInt(mlir::getElementTypeOrSelf(like).getIntOrFloatBitWidth(),
                                     uint64_t(value), /*isSigned=*/true, /*implicitTrunc=*/true));
  }
  mlir::Value real(mlir::Type like, const llvm::APFloat &value) {
    return constant(like, builder.getFloatAttr(mlir::getElementTypeOrSelf(like), value));
  }
  mlir::Value real(mlir::Type like, double value) {
    return constant(like, builder.getFloatAttr(mlir::getElementTypeOrSelf(like), value));
  }

  template <typename Op, typename... Args> mlir::Value create(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) {
    return create<mlir::arith::CmpIOp>(predicate, a, b);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a, mlir::Value b) {
    return create<mlir::arith::CmpFOp>(predicate, a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return create<mlir::arith::SelectOp>(condition, a, b);
  }
};

} // namespace tw::graph
