// Arithmetic of sizes, and what the ends of ranges say of them.
#include "SizeForms.h"

#include "SizeSolver.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/SizeProducts.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::onnx;

using Bounds = std::optional<std::pair<int64_t, int64_t>>;

int64_t SizeForms::stepOf(StringAttr symbol) const {
  size_t index = size_t(llvm::find(symbols, symbol) - symbols.begin());
  return index < ranges.size() ? ranges[index].step : 1;
}

Bounds SizeForms::getBounds(const Dim &dim) const {
  return tw::getBounds(dim, [&](StringAttr name) -> Bounds {
    size_t index = size_t(llvm::find(symbols, name) - symbols.begin());
    if (index >= ranges.size())
      return std::nullopt;
    // At samples, too, of which sizes are learned.
    return std::pair(ranges[index].min, getMostSampled(ranges[index]));
  });
}

/// Of what is not negative, where rounding down and towards zero is the same.
SizeForms::Form SizeForms::divide(const Dim &dim, const Dim &divisor) const {
  Bounds bounds = getBounds(dim);
  if (!bounds || bounds->first < 0 || !divisor.isStatic() || divisor.getConstant() <= 0)
    return std::nullopt;
  int64_t by = divisor.getConstant();
  if (bounds->first / by == bounds->second / by)
    return Dim(bounds->first / by);
  return divideDown(dim, by, [&](StringAttr symbol) { return stepOf(symbol); });
}

SizeForms::Form SizeForms::compare(Operation *op, const Dim &a, const Dim &b) const {
  Bounds apart = getBounds(a - b);
  if (!apart)
    return std::nullopt;
  auto decide = [](bool always, bool never) -> Form {
    return always ? Form(Dim(1)) : never ? Form(Dim(0)) : std::nullopt;
  };
  auto [least, most] = *apart;
  using Predicate = graph::ComparePredicate;
  switch (cast<graph::CompareOp>(op).getPredicate()) {
  case Predicate::Eq:
    return decide(least == 0 && most == 0, least > 0 || most < 0);
  case Predicate::Ne:
    return decide(least > 0 || most < 0, least == 0 && most == 0);
  case Predicate::Lt:
    return decide(most < 0, least >= 0);
  case Predicate::Le:
    return decide(most <= 0, least > 0);
  case Predicate::Gt:
    return decide(least > 0, most <= 0);
  case Predicate::Ge:
    return decide(least >= 0, most < 0);
  }
  return std::nullopt;
}

/// The smaller or the larger one, which is one of them where the ranges say so.
static SizeForms::Form pick(const SizeForms &forms, const Dim &a, const Dim &b, bool isLeast) {
  Bounds apart = forms.getBounds(a - b);
  if (!apart)
    return std::nullopt;
  if (apart->first >= 0 || apart->second <= 0)
    return (apart->second <= 0) == isLeast ? a : b;
  return isLeast ? takeLeast(a, b) : takeMost(a, b);
}

/// Of bools one may decide what all are together.
static SizeForms::Form decide(ArrayRef<SizeForms::Form> operands, bool decisive) {
  bool areKnown = true;
  for (const SizeForms::Form &form : operands) {
    if (form && form->isStatic() && bool(form->getConstant()) == decisive)
      return Dim(decisive);
    areKnown &= form && form->isStatic();
  }
  return areKnown ? SizeForms::Form(Dim(!decisive)) : std::nullopt;
}

SizeForms::Form SizeForms::combine(graph::CombineKind kind, const Dim &a, const Dim &b) const {
  switch (kind) {
  case graph::CombineKind::Add:
    return a + b;
  case graph::CombineKind::Mul:
    return multiply(a, b);
  case graph::CombineKind::Max:
  case graph::CombineKind::Min:
    return pick(*this, a, b, kind == graph::CombineKind::Min);
  default:
    return std::nullopt;
  }
}

/// Floats hold integers of so many bits, and are no sizes beyond.
bool SizeForms::fits(Type type, const Form &form) const {
  auto floating = dyn_cast<FloatType>(type);
  if (!floating || !form)
    return true;
  int64_t most =
      int64_t(1) << std::min(APFloat::semanticsPrecision(floating.getFloatSemantics()), 62u);
  Bounds bounds = getBounds(*form);
  return bounds && bounds->first >= -most && bounds->second <= most;
}

SizeForms::Form SizeForms::compute(Operation *op, Type type, ArrayRef<Form> operands) const {
  const Dim &a = *operands[0], &b = *operands.back();
  if (auto reduce = dyn_cast<graph::ReduceOp>(op)) {
    Form all = a;
    for (const Form &each : operands.drop_front())
      all = all && fits(type, all) ? combine(reduce.getKind(), *all, *each) : std::nullopt;
    return all;
  }
  if (isa<graph::CompareOp>(op))
    return compare(op, a, b);
  if (isa<graph::NotOp>(op) && type.isInteger(1))
    return a.isStatic() ? Form(Dim(!a.getConstant())) : std::nullopt;
  // Numbers that the type may not hold are no sizes.
  if (type.isIntOrIndex() && type.getIntOrFloatBitWidth() < 32)
    return std::nullopt;
  if (isa<graph::CastOp, graph::FloorOp, graph::CeilOp>(op))
    return a;
  if (isa<graph::AddOp>(op))
    return combine(graph::CombineKind::Add, a, b);
  if (isa<graph::SubOp>(op))
    return a - b;
  if (isa<graph::NegOp>(op))
    return a * -1;
  if (isa<graph::MulOp>(op))
    return combine(graph::CombineKind::Mul, a, b);
  if (isa<graph::MinimumOp, graph::MaximumOp>(op))
    return combine(isa<graph::MinimumOp>(op) ? graph::CombineKind::Min : graph::CombineKind::Max, a,
                   b);
  if (isa<FloatType>(type))
    return std::nullopt;
  if (isa<graph::DivOp>(op))
    return divide(a, b);
  if (isa<graph::RemOp, graph::ModOp>(op)) {
    Form quotient = divide(a, b);
    return quotient ? Form(a - *quotient * b.getConstant()) : std::nullopt;
  }
  return std::nullopt;
}

/// What a quotient is taken off is one, too: S - S floordiv 2 -> (S + 1) floordiv 2
static SizeForms::Form makePlain(const SizeForms::Form &form) {
  SizeForms::Form plain = form;
  if (form)
    for (auto [name, factor] : form->getTerms())
      if (std::optional<SizeQuotient> quotient = getQuotient(name);
          quotient && !quotient->isExact && factor == -1)
        plain = *plain + Dim::symbol(name) +
                divideDown(quotient->numerator * -1 + (quotient->divisor - 1), quotient->divisor);
  return plain;
}

SizeForms::Form SizeForms::apply(Operation *op, ArrayRef<Form> operands) const {
  if (operands.empty())
    return std::nullopt;
  if (isa<graph::SelectOp>(op))
    return !operands[0] || !operands[0]->isStatic() ? std::nullopt
           : operands[0]->getConstant()             ? operands[1]
                                                    : operands[2];
  Type type = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  auto reduce = dyn_cast<graph::ReduceOp>(op);
  bool isAny = isa<graph::OrOp>(op) || (reduce && reduce.getKind() == graph::CombineKind::Any);
  bool isAll = isa<graph::AndOp>(op) || (reduce && reduce.getKind() == graph::CombineKind::All);
  if (type.isInteger(1) && (isAny || isAll))
    return decide(operands, isAny);
  auto isKnown = [](Value value) {
    Type own = cast<RankedTensorType>(value.getType()).getElementType();
    return own.isSignlessInteger() || isa<FloatType>(own);
  };
  if (!llvm::all_of(operands, [](const Form &form) { return !!form; }) ||
      !llvm::all_of(op->getOperands(), isKnown) || !isKnown(op->getResult(0)))
    return std::nullopt;
  Form form = compute(op, type, operands);
  return fits(type, form) ? makePlain(form) : std::nullopt;
}
