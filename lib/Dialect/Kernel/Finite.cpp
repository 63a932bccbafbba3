// Finite numbers, followed from constants and loads through the ops that keep them finite.
#include "tw/Dialect/Kernel/Finite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tw::kernel;

static bool isFinite(Attribute attribute) {
  auto number = dyn_cast_or_null<FloatAttr>(attribute);
  return number && number.getValue().isFinite();
}

/// Whether every integer of so many bits rounds to a finite number.
static bool holdsIntegers(FloatType type, unsigned bits) {
  return unsigned(APFloat::semanticsMaxExponent(type.getFloatSemantics())) >= bits;
}

static bool isFiniteLoad(LoadOp load) {
  Type type = load.getType();
  return load->hasAttr(finiteAttrName) && isFinite(load.getMap().getOutsideFill(type)) &&
         llvm::all_of(load.getMap().getGuards(),
                      [](tw::view::GuardAttr guard) { return isFinite(guard.getFill()); });
}

bool tw::kernel::isKnownFinite(Value value) {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<FloatType>(value.getType());
  if (!type || !op)
    return !type;
  if (auto load = dyn_cast<LoadOp>(op))
    return isFiniteLoad(load);
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return isFinite(constant);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    return holdsIntegers(type, op->getOperand(0).getType().getIntOrFloatBitWidth());
  }
  return isa<arith::ExtFOp, arith::NegFOp, arith::SelectOp, arith::MaximumFOp, arith::MinimumFOp,
             math::AbsFOp>(op) &&
         llvm::all_of(op->getOperands(), isKnownFinite);
}
