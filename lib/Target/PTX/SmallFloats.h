// Conversions between f32 and floats of 8 bits, of chips that have instructions for them.
#pragma once

#include "tw/Target/Common/Instructions.h"

namespace tw::ptx {

mlir::Value extendE4M3(mlir::OpBuilder &builder, mlir::Location location, mlir::Value byte);
mlir::Value extendE5M2(mlir::OpBuilder &builder, mlir::Location location, mlir::Value byte);
mlir::Value truncateE4M3(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value);
mlir::Value truncateE5M2(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value);

inline constexpr SmallFloat smallFloats[] = {
    {format::ElementType::F8E4M3FN, extendE4M3, truncateE4M3},
    {format::ElementType::F8E5M2, extendE5M2, truncateE5M2},
};

} // namespace tw::ptx
