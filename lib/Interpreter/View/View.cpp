// tview.view, element by element as #tview.map says.
//===---------------------------------------------------------------------------------------===//
#include "View.h"

#include "../Program/Lanes.h"

#include <cstring>

using namespace mlir;
using namespace tw::interp;
using namespace tw::view;

int64_t tw::interp::evaluate(AffineExpr expr, ArrayRef<int64_t> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a = evaluate(binary.getLHS(), dims), b = evaluate(binary.getRHS(), dims);
  int64_t floor = b == 0 ? 0 : a / b - (a % b < 0);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::FloorDiv:
    return floor;
  case AffineExprKind::CeilDiv:
    return floor + (a % b != 0);
  default:
    return a - floor * b;
  }
}

bool tw::interp::holds(IntegerSet set, ArrayRef<int64_t> dims) {
  for (auto [constraint, isEquality] : llvm::zip(set.getConstraints(), set.getEqFlags())) {
    int64_t value = evaluate(constraint, dims);
    if (isEquality ? value != 0 : value < 0)
      return false;
  }
  return true;
}

Tensor tw::interp::readThrough(const Tensor &source, MapAttr map, RankedTensorType type) {
  Tensor result = Tensor::allocate(type);
  SmallVector<int64_t> strides = getRowMajorStrides(source.getShape());
  int64_t bytes = getElementBytes(type.getElementType());
  TypedAttr outside = map.getOutsideFill(type.getElementType());
  char *out = result.bytes();
  SmallVector<int64_t> at(type.getRank(), 0);
  auto readElement = [&] {
    for (GuardAttr guard : map.getGuards())
      if (!holds(guard.getSet(), at))
        return fillLanes(guard.getFill(), out, 1);
    int64_t offset = 0;
    for (auto [expr, size, stride] :
         llvm::zip(map.getMap().getResults(), source.getShape(), strides)) {
      int64_t coordinate = evaluate(expr, at);
      if (coordinate < 0 || coordinate >= size)
        return fillLanes(outside, out, 1);
      offset += coordinate * stride;
    }
    std::memcpy(out, source.bytes() + offset * bytes, size_t(bytes));
  };
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    readElement();
    out += bytes;
    for (int64_t d = type.getRank() - 1; d >= 0 && ++at[d] == type.getDimSize(d); --d)
      at[d] = 0;
  }
  return result;
}
