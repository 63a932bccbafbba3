// What instruction sets write dot products with.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace tw::host {

/// Groups of one operand of a product: each lane, of 32 bits, holds the elements of a group, 2 of
/// 16 bits or 4 of 8, the first in the low bits.
struct PackedGroups {
  mlir::Value lanes;
  bool isUnsigned = false;
  /// All lanes hold the same group.
  bool isUniform = false;
};

/// Writes operations on vectors of `lanes` lanes of 32 bits.
class DotEmitter {
public:
  DotEmitter(mlir::OpBuilder &builder, mlir::Location location, unsigned lanes)
      : builder(builder), location(location), lanes(lanes) {}

  mlir::OpBuilder &builder;
  const mlir::Location location;
  const unsigned lanes;

  template <typename Op, typename... Args> mlir::Value create(Args &&...args) {
    return Op::create(builder, location, std::forward<Args>(args)...);
  }
  mlir::Type lanesOf(mlir::Type element) {
    return mlir::VectorType::get({int64_t(lanes)}, element);
  }
  /// In all of `count` lanes of its type.
  mlir::Value constant(mlir::IntegerAttr value, unsigned count) {
    auto type = mlir::VectorType::get({int64_t(count)}, value.getType());
    return create<mlir::arith::ConstantOp>(mlir::DenseElementsAttr::get(type, value.getValue()));
  }
  mlir::Value constant(uint32_t value) {
    return constant(builder.getI32IntegerAttr(int32_t(value)), lanes);
  }
  /// Packed lanes as a vector of the elements of all groups.
  mlir::Value asElements(mlir::Value packed, mlir::Type element) {
    int64_t count = int64_t(lanes) * 32 / element.getIntOrFloatBitWidth();
    return create<mlir::vector::BitCastOp>(mlir::VectorType::get({count}, element), packed);
  }
  mlir::Value call(llvm::StringRef intrinsic, mlir::Type type, mlir::ValueRange operands) {
    return mlir::LLVM::CallIntrinsicOp::create(builder, location, type,
                                               builder.getStringAttr(intrinsic), operands)
        .getResult(0);
  }
};

} // namespace tw::host
