// What stands behind a count, and who says that a call counts too few.
#include "CountParts.h"

#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

Value graph::makeFill(PartsBuilder &p, ArrayRef<Dim> shape, Type element, Fill fill) {
  if (fill == Fill::Zero || fill == Fill::One)
    return p.splat(shape, element, fill == Fill::One);
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    bool isLeast = fill == Fill::Least;
    llvm::APFloat value = fill == Fill::Last    ? llvm::APFloat::getQNaN(semantics)
                          : hasInfinities(type) ? llvm::APFloat::getInf(semantics, isLeast)
                                                : llvm::APFloat::getLargest(semantics, isLeast);
    return p.real(shape, element, value.convertToDouble());
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool hasSign = !element.isUnsignedInteger() && width > 1;
  if (fill == Fill::Nowhere)
    return p.splat(shape, element, ~uint64_t(0));
  llvm::APInt least = hasSign ? llvm::APInt::getSignedMinValue(width) : llvm::APInt(width, 0);
  llvm::APInt most =
      hasSign ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
  return p.splat(shape, element, (fill == Fill::Least ? least : most).getZExtValue());
}

Fill graph::getIdentity(CombineKind kind) {
  switch (kind) {
  case CombineKind::Add:
  case CombineKind::Any:
    return Fill::Zero;
  case CombineKind::Mul:
  case CombineKind::All:
    return Fill::One;
  case CombineKind::Max:
    return Fill::Least;
  case CombineKind::Min:
    return Fill::Greatest;
  }
  llvm_unreachable("all kinds are known");
}

FailureOr<std::pair<unsigned, int64_t>> graph::findTeller(func::FuncOp function,
                                                          ValueRange results) {
  for (auto [i, result] : llvm::enumerate(results)) {
    bool isAlias = false;
    for (unsigned k = 0; k < function.getNumArguments(); ++k) {
      auto alias = function.getArgAttrOfType<IntegerAttr>(k, aliasName);
      isAlias |= alias && alias.getInt() == int64_t(i);
    }
    if (!isAlias && !getShape(result.getType())->empty())
      return std::pair(unsigned(i), int64_t(0));
  }
  return tw::emitOpError(function, Code::T0215)
         << "needs elements of which data may decide that there are fewer, and "
            "has no result with a dimension that would say so: return what is "
            "counted, too";
}

bool graph::areEqual(Value a, Value b, unsigned depth) {
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  return a == b ||
         (x && y && depth < 8 &&
          cast<OpResult>(a).getResultNumber() == cast<OpResult>(b).getResultNumber() &&
          OperationEquivalence::isEquivalentTo(
              x, y,
              [&](Value own, Value other) { return success(areEqual(own, other, depth + 1)); },
              nullptr, OperationEquivalence::IgnoreLocations));
}

LogicalResult tw::graph::refuseInRegion(Operation *count, StringRef symbol, int64_t least) {
  return tw::emitOpError(count, Code::T0215)
         << "counts in a branch or a loop a size '" << symbol << "', of which the program needs "
         << least
         << " elements at least, and data may decide that there are fewer: count it before the "
            "branch or loop, or ask there for how many there are";
}
