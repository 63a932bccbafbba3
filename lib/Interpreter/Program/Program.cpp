// Registers and steps.
//===---------------------------------------------------------------------------------------===//
#include "Program.h"

#include "tw/Support/Diagnostics.h"

#include <cstring>

using namespace mlir;
using namespace tw;
using namespace tw::interp;

Register *Program::newRegister(Type type, bool isUniform, unsigned depth, void *lanes) {
  registers.push_back({type, isUniform, depth, static_cast<char *>(lanes)});
  return &registers.back();
}

Register *Program::newRegister(Type type, bool isUniform, unsigned depth) {
  storage.push_back(std::make_unique<uint64_t[]>(size_t(isUniform || !capacity ? 1 : capacity)));
  return newRegister(type, isUniform, depth, storage.back().get());
}

Register *Program::constant(TypedAttr value) {
  Register *result = newRegister(value.getType(), /*isUniform=*/true, 0);
  fillLanes(value, result->lanes, 1);
  return result;
}

Register *Program::toLanes(Register *uniform) {
  if (!uniform->isUniform || !hasLanes())
    return uniform;
  Register *&result = splats[uniform];
  if (result)
    return result;
  result = newRegister(uniform->type, /*isUniform=*/false, uniform->depth);
  before(uniform->depth, [=, this, bytes = getElementBytes(uniform->type), result = result] {
    splatLanes(uniform->lanes, bytes, result->lanes, count);
    return success();
  });
  return result;
}

LogicalResult tw::interp::reportPoison(Operation *op, ArrayRef<Type> types,
                                       ArrayRef<const void *> operands, int64_t lane) {
  auto diagnostic = tw::emitOpError(op, Code::T0704) << "poison: the result is undefined for";
  for (auto [i, type, operand] : llvm::enumerate(types, operands)) {
    int64_t bytes = getElementBytes(type);
    uint64_t bits = 0;
    std::memcpy(&bits, static_cast<const char *>(operand) + lane * bytes, size_t(bytes));
    diagnostic << (i ? ", " : " ");
    if (auto real = dyn_cast<FloatType>(type)) {
      APFloat value(real.getFloatSemantics(), APInt(real.getWidth(), bits));
      SmallString<16> text;
      value.toString(text);
      diagnostic << text.str();
    } else {
      diagnostic << (type.isInteger(1) ? int64_t(bits)
                                       : llvm::SignExtend64(bits, unsigned(bytes * 8)));
    }
  }
  return diagnostic;
}

Register *Program::apply(LaneFunction function, Type type, ArrayRef<Register *> operands,
                         Operation *op) {
  bool isUniform = llvm::all_of(operands, [](Register *r) { return r->isUniform; });
  unsigned depth = 0;
  SmallVector<Type> types;
  SmallVector<const void *> pointers;
  for (Register *operand : operands) {
    Register *input = isUniform ? operand : toLanes(operand);
    depth = std::max(depth, input->depth);
    types.push_back(input->type);
    pointers.push_back(input->lanes);
  }
  Register *result = newRegister(type, isUniform, depth);
  before(depth, [=, this] {
    int64_t poison = function(pointers.data(), result->lanes, isUniform ? 1 : count);
    return poison < 0 ? success() : reportPoison(op, types, pointers, poison);
  });
  return result;
}
