// Floats of 8 bits in f32 by instructions. Those to 8 bits are not used: what they give beyond the
// largest number depends on a mode, of which nothing here has been run.
//
// Sources: the instruction set references of MI300 and RDNA 4, V_CVT_F32_FP8 and V_CVT_F32_BF8.
#include "SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

/// The first byte of a register.
static Value extendBy(OpBuilder &builder, Location location, StringRef name, Value byte) {
  Type i32 = builder.getI32Type();
  Value word = arith::ExtUIOp::create(builder, location, i32, byte);
  Value first = arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(0));
  return LLVM::CallIntrinsicOp::create(builder, location, builder.getF32Type(),
                                       builder.getStringAttr(name), ValueRange{word, first})
      .getResults();
}

Value tw::amdgcn::extendE4M3(OpBuilder &builder, Location location, Value byte) {
  return extendBy(builder, location, "llvm.amdgcn.cvt.f32.fp8", byte);
}

Value tw::amdgcn::extendE5M2(OpBuilder &builder, Location location, Value byte) {
  return extendBy(builder, location, "llvm.amdgcn.cvt.f32.bf8", byte);
}
