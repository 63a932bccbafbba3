// A kernel under construction: axes, loads, the store.
#include "Formation.h"

#include "tw/Dialect/Kernel/Access.h"

using namespace mlir;
using namespace tw;
using namespace tw::formation;

Formation::Formation(OpBuilder &builder, Location loc, StringRef hint, TypeRange types,
                     ArrayRef<kernel::Extent> extents, ArrayRef<std::string> names)
    : body(builder.getContext()), loc(loc) {
  SmallVector<StringRef> views(names.begin(), names.end());
  kernel = kernel::KernelOp::create(builder, loc, types, ValueRange(), extents, views);
  kernel.setSymHint(hint);
  body.setInsertionPointToEnd(&kernel.getBody().front());
}

SmallVector<AffineExpr> Formation::dims(unsigned first, unsigned count) {
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0; i < count; ++i)
    exprs.push_back(dim(first + i));
  return exprs;
}

Value Formation::load(Value tensor, ArrayRef<AffineExpr> coordinates, TypedAttr outside,
                      ValueRange moreIndices) {
  auto map =
      AffineMap::get(kernel.getNumAxes() + moreIndices.size(), 0, coordinates, body.getContext());
  return load(tensor, view::MapAttr::get(map, {}, outside), moreIndices);
}

Value Formation::load(Value tensor, view::MapAttr map, ValueRange moreIndices) {
  SmallVector<Value> indices(kernel.getAxes());
  indices.append(moreIndices.begin(), moreIndices.end());
  if (TypedAttr scalar = kernel::getSplatScalar(tensor))
    if (kernel::isTotal(map, kernel::getExtents(kernel, indices),
                        cast<RankedTensorType>(tensor.getType())))
      return arith::ConstantOp::create(body, loc, scalar);
  auto operand = llvm::find(kernel.getOperands(), tensor);
  BlockArgument source = operand == kernel.getOperands().end()
                             ? kernel.addOperand(tensor)
                             : kernel.getOperandArgument(operand - kernel.getOperands().begin());
  return kernel::createLoad(body, loc, kernel, source, map, indices);
}

Value Formation::convertIndex(Value index, Type elementType) {
  Type scalar = kernel::getScalarType(elementType);
  if (!isa<FloatType>(scalar))
    return arith::IndexCastOp::create(body, loc, scalar, index);
  Type type = isNarrowFloat(scalar) ? Type(body.getF64Type()) : scalar;
  Value value = arith::IndexCastOp::create(body, loc, body.getI64Type(), index);
  return round(arith::SIToFPOp::create(body, loc, type, value), scalar);
}

Value Formation::widen(Value scalar) {
  if (!isNarrowFloat(scalar.getType()))
    return scalar;
  return arith::ExtFOp::create(body, loc, body.getF32Type(), scalar);
}

Value Formation::round(Value scalar, Type elementType) {
  if (!isNarrowFloat(elementType) || scalar.getType() == elementType)
    return scalar;
  return arith::TruncFOp::create(body, loc, elementType, scalar);
}

Value Formation::store(Value scalar, ArrayRef<AffineExpr> coordinates, unsigned result) {
  // The store names the axes it uses and no others.
  AffineMap map = AffineMap::get(kernel.getNumAxes(), 0, coordinates, body.getContext());
  SmallVector<Value> indices(kernel.getAxes());
  affine::canonicalizeMapAndOperands(&map, &indices);
  kernel::StoreOp::create(body, loc, scalar, indices, result, map);
  return kernel.getResult(result);
}

Value Formation::update(Value scalar, Value updated, ValueRange offsets) {
  return update(scalar, updated, dims(0, kernel.getNumAxes()), offsets, std::nullopt);
}

Value Formation::update(Value scalar, Value updated, ArrayRef<AffineExpr> coordinates,
                        ValueRange offsets, std::optional<arith::AtomicRMWKind> kind) {
  BlockArgument old = kernel.addOperand(updated);
  AffineMap map = AffineMap::get(kernel.getNumAxes(), 0, coordinates, body.getContext());
  SmallVector<Value> indices(kernel.getAxes());
  affine::canonicalizeMapAndOperands(&map, &indices);
  auto combine =
      kind ? arith::AtomicRMWKindAttr::get(body.getContext(), *kind) : arith::AtomicRMWKindAttr();
  kernel::StoreOp::create(body, loc, scalar, indices, offsets, old, 0, map, combine);
  return kernel.getResult(0);
}

static std::string nameAt(StringRef letters, unsigned i) {
  return i < letters.size() ? letters.substr(i, 1).str() : "a" + std::to_string(i);
}

SmallVector<std::string> formation::getPointNames(unsigned rank) {
  SmallVector<std::string> names;
  for (unsigned i = 0; i < rank; ++i)
    names.push_back(nameAt("ijklmn", i));
  return names;
}

SmallVector<std::string> formation::getSpatialNames(unsigned rank) {
  SmallVector<std::string> names;
  for (unsigned i = 0; i < rank; ++i)
    names.push_back(nameAt("pquv", i));
  return names;
}

SmallVector<std::string> formation::getWindowNames(unsigned rank) {
  SmallVector<std::string> names;
  for (unsigned i = 0; i < rank; ++i) {
    std::string name = nameAt("rstw", i);
    names.push_back(name[0] == 'a' ? "w" + std::to_string(i) : name);
  }
  return names;
}

SmallVector<kernel::Extent> formation::shapeOf(Value tensor) {
  return kernel::getExtents(cast<RankedTensorType>(tensor.getType()));
}

Type formation::elementTypeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

arith::AtomicRMWKind formation::getReductionKind(graph::CombineKind kind, Type elementType) {
  using Kind = arith::AtomicRMWKind;
  bool isFloat = isa<FloatType>(elementType), isUnsigned = graph::isUnsigned(elementType);
  switch (kind) {
  case graph::CombineKind::Add:
    return isFloat ? Kind::addf : Kind::addi;
  case graph::CombineKind::Mul:
    return isFloat ? Kind::mulf : Kind::muli;
  case graph::CombineKind::Max:
    return isFloat ? Kind::maximumf : isUnsigned ? Kind::maxu : Kind::maxs;
  case graph::CombineKind::Min:
    return isFloat ? Kind::minimumf : isUnsigned ? Kind::minu : Kind::mins;
  case graph::CombineKind::All:
    return Kind::andi;
  case graph::CombineKind::Any:
    return Kind::ori;
  }
  llvm_unreachable("all kinds are listed");
}
