// Conversions between f32 and floats of 8 bits by instructions.
//
// Source: PTX ISA 9.0, section 9.7.9.21 (cvt). Those to 8 bits take two numbers, the first of which
// becomes the upper half, and give the largest one for what is beyond it (.satfinite); those from 8
// bits give f16, which holds them. They are texts: of instructions LLVM would make others on pairs
// of what they convert.
#include "SmallFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tw;

static Value convertBy(OpBuilder &builder, Location location, const Twine &text,
                       StringRef constraints, Type type, Value operand) {
  return LLVM::InlineAsmOp::create(
             builder, location, type, operand, builder.getStringAttr(text),
             builder.getStringAttr(constraints), /*has_side_effects=*/UnitAttr(),
             /*is_align_stack=*/UnitAttr(),
             LLVM::TailCallKindAttr::get(builder.getContext(), LLVM::TailCallKind::None),
             /*asm_dialect=*/LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr())
      .getRes();
}

static Value extendBy(OpBuilder &builder, Location location, StringRef type, Value byte) {
  Value pair = arith::ExtUIOp::create(builder, location, builder.getI16Type(), byte);
  return convertBy(builder, location,
                   "{\n.reg .b16 lower, upper;\n.reg .b32 both;\ncvt.rn.f16x2." + type +
                       " both, $1;\nmov.b32 {lower, upper}, both;\ncvt.f32.f16 $0, lower;\n}",
                   "=f,h", builder.getF32Type(), pair);
}

/// What rounds to more than the largest number has the bits that follow its own.
static Value truncateBy(OpBuilder &builder, Location location, StringRef type, Value value,
                        StringRef beyond) {
  Value pair = convertBy(
      builder, location,
      "{\n.reg .pred beyond;\n.reg .b16 pair, more;\n.reg .f32 zero, size;\nmov.f32 zero, "
      "0f00000000;\ncvt.rn.satfinite." +
          type + ".f32 pair, zero, $1;\nabs.f32 size, $1;\nsetp." + beyond +
          ";\nselp.b16 more, 1, 0, beyond;\nadd.s16 $0, pair, more;\n}",
      "=h,f", builder.getI16Type(), value);
  return arith::TruncIOp::create(builder, location, builder.getI8Type(), pair);
}

Value tw::ptx::extendE4M3(OpBuilder &builder, Location location, Value byte) {
  return extendBy(builder, location, "e4m3x2", byte);
}

Value tw::ptx::extendE5M2(OpBuilder &builder, Location location, Value byte) {
  return extendBy(builder, location, "e5m2x2", byte);
}

// The largest numbers are 448, whose last bit is even, and 57344, whose is not; the next ones would
// be 480 and 65536, so that more than 464, and 61440 or more, are beyond.
Value tw::ptx::truncateE4M3(OpBuilder &builder, Location location, Value value) {
  return truncateBy(builder, location, "e4m3x2", value, "gt.f32 beyond, size, 0f43E80000");
}

Value tw::ptx::truncateE5M2(OpBuilder &builder, Location location, Value value) {
  return truncateBy(builder, location, "e5m2x2", value, "ge.f32 beyond, size, 0f47700000");
}
