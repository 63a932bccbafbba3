// Floats of 8 bits in f32, of chips that have instructions for that.
#pragma once

#include "tw/Target/Common/Instructions.h"

namespace tw::amdgcn {

mlir::Value extendE4M3(mlir::OpBuilder &builder, mlir::Location location, mlir::Value byte);
mlir::Value extendE5M2(mlir::OpBuilder &builder, mlir::Location location, mlir::Value byte);

/// Of gfx942, whose instructions have the names of those of OCP.
inline constexpr SmallFloat fnuzFloats[] = {
    {format::ElementType::F8E4M3FNUZ, extendE4M3, nullptr},
    {format::ElementType::F8E5M2FNUZ, extendE5M2, nullptr},
};
inline constexpr SmallFloat ocpFloats[] = {
    {format::ElementType::F8E4M3FN, extendE4M3, nullptr},
    {format::ElementType::F8E5M2, extendE5M2, nullptr},
};

} // namespace tw::amdgcn
