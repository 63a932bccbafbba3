// Dispatch of lane functions, combiners of reductions, and filling of lanes.
//===---------------------------------------------------------------------------------------===//
#include "LaneTemplates.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <cstring>

using namespace mlir;
using namespace tw::interp;
using arith::AtomicRMWKind;

LaneFunction tw::interp::getLaneFunction(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return nullptr;
  if (LaneFunction function = getArithLanes(op))
    return function;
  if (LaneFunction function = getCastLanes(op))
    return function;
  return getMathLanes(op);
}

// The op of arith that a kind of reduction stands for, made on undefined operands so that it has
// one definition: in ArithLanes.cpp.
LaneFunction tw::interp::getKindFunction(AtomicRMWKind kind, Type type) {
  OpBuilder builder(type.getContext());
  Location loc = builder.getUnknownLoc();
  OwningOpRef<Operation *> operand =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)).getOperation();
  Value value = (*operand)->getResult(0);
  Value combined = arith::getReductionOp(kind, builder, loc, value, value);
  if (!combined)
    return nullptr;
  OwningOpRef<Operation *> op = combined.getDefiningOp();
  LaneFunction function = getLaneFunction(*op);
  return function;
}

Combiner tw::interp::getCombiner(AtomicRMWKind kind, Type type) {
  bool isWide = kind == AtomicRMWKind::addf || kind == AtomicRMWKind::mulf;
  Type accumulator = isWide ? Type(Float64Type::get(type.getContext())) : type;
  return {accumulator, getKindFunction(kind, accumulator)};
}

void tw::interp::fillIdentity(AtomicRMWKind kind, Type type, void *lanes, int64_t count) {
  OpBuilder builder(type.getContext());
  fillLanes(arith::getIdentityValueAttr(kind, type, builder, builder.getUnknownLoc()), lanes,
            count);
}

void tw::interp::splatLanes(const void *element, int64_t bytes, void *lanes, int64_t count) {
  auto splat = [&](auto tag) {
    using T = typename decltype(tag)::type;
    T value;
    std::memcpy(&value, element, sizeof(T));
    std::fill_n(static_cast<T *>(lanes), count, value);
  };
  if (bytes == 1)
    splat(Tag<uint8_t>());
  else if (bytes == 2)
    splat(Tag<uint16_t>());
  else if (bytes == 4)
    splat(Tag<uint32_t>());
  else
    splat(Tag<uint64_t>());
}

void tw::interp::fillLanes(Attribute scalar, void *lanes, int64_t count) {
  uint64_t bits;
  unsigned width;
  if (auto real = dyn_cast<FloatAttr>(scalar)) {
    APInt value = real.getValue().bitcastToAPInt();
    bits = value.getZExtValue();
    width = value.getBitWidth();
  } else {
    APInt value = cast<IntegerAttr>(scalar).getValue();
    bits = value.getZExtValue();
    width = value.getBitWidth();
  }
  // Little-endian: the low bytes come first.
  splatLanes(&bits, width == 1 ? 1 : width / 8, lanes, count);
}

void tw::interp::convertLanes(Type from, const void *source, Type to, void *result, int64_t count) {
  if (from == to) {
    int64_t bits = from.isIndex() ? 64 : from.isInteger(1) ? 8 : from.getIntOrFloatBitWidth();
    std::memmove(result, source, size_t(count * bits / 8));
    return;
  }
  visitFloat(from, [&](auto fromTag) {
    visitFloat(to, [&](auto toTag) {
      using From = typename decltype(fromTag)::type;
      using To = typename decltype(toTag)::type;
      for (int64_t lane = 0; lane < count; ++lane)
        static_cast<To *>(result)[lane] = To(static_cast<const From *>(source)[lane]);
      return LaneFunction();
    });
    return LaneFunction();
  });
}
