// Evaluation of affine expressions and sets for one part.
#include "LaneMaps.h"

#include "tw/Dialect/View/Algebra.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::host;

namespace {

/// A sum: lane * laneCoefficient + constant + other terms, each with a factor.
struct Sum {
  int64_t lane = 0;
  int64_t constant = 0;
  SmallVector<std::pair<AffineExpr, int64_t>> terms;

  void add(const Sum &other, int64_t factor) {
    lane += factor * other.lane;
    constant += factor * other.constant;
    for (auto [term, coefficient] : other.terms) {
      auto same = llvm::find_if(terms, [&](auto &entry) { return entry.first == term; });
      if (same != terms.end())
        same->second += factor * coefficient;
      else
        terms.push_back({term, factor * coefficient});
    }
  }

  /// Without the lane.
  AffineExpr rest(MLIRContext *context) const {
    AffineExpr sum = getAffineConstantExpr(constant, context);
    for (auto [term, coefficient] : terms)
      sum = sum + term * coefficient;
    return sum;
  }
};

class Splitter {
public:
  Splitter(MLIRContext *context, unsigned lanes) : context(context), lanes(lanes) {}

  /// None if the lane stands below a division that it decides.
  std::optional<Sum> split(AffineExpr expression) const {
    Sum sum;
    switch (expression.getKind()) {
    case AffineExprKind::Constant:
      sum.constant = cast<AffineConstantExpr>(expression).getValue();
      return sum;
    case AffineExprKind::DimId:
      if (cast<AffineDimExpr>(expression).getPosition() == 0)
        sum.lane = 1;
      else
        sum.terms.push_back({expression, 1});
      return sum;
    case AffineExprKind::SymbolId:
      sum.terms.push_back({expression, 1});
      return sum;
    default:
      break;
    }
    auto binary = cast<AffineBinaryOpExpr>(expression);
    std::optional<Sum> lhs = split(binary.getLHS());
    if (!lhs)
      return std::nullopt;
    if (expression.getKind() == AffineExprKind::Add) {
      std::optional<Sum> rhs = split(binary.getRHS());
      if (!rhs)
        return std::nullopt;
      lhs->add(*rhs, 1);
      return lhs;
    }
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!factor)
      return std::nullopt;
    if (expression.getKind() == AffineExprKind::Mul) {
      sum.add(*lhs, factor.getValue());
      return sum;
    }
    return divide(expression.getKind(), *lhs, factor.getValue());
  }

private:
  MLIRContext *context;
  unsigned lanes;

  /// (S + c + a lane) floordiv k, S a sum of multiples of g, g a divisor of k: if c + a lane stays
  /// in [m g, (m + 1) g) for all lanes, the quotient is (S + m g) floordiv k, the remainder (S + m
  /// g) mod k + (c + a lane - m g).
  std::optional<Sum> divide(AffineExprKind kind, Sum lhs, int64_t divisor) const {
    if (divisor <= 0)
      return std::nullopt;
    if (kind == AffineExprKind::CeilDiv)
      lhs.constant += divisor - 1;
    bool remainder = kind == AffineExprKind::Mod;
    int64_t granule = divisor;
    for (auto [term, coefficient] : lhs.terms)
      granule = std::gcd(granule, std::abs(coefficient));
    int64_t first = lhs.constant, last = lhs.constant + lhs.lane * int64_t(lanes - 1);
    int64_t bucket = llvm::divideFloorSigned(first, granule);
    if (lhs.lane != 0 && llvm::divideFloorSigned(last, granule) != bucket)
      return std::nullopt;
    Sum base;
    base.terms = lhs.terms;
    base.constant = lhs.lane == 0 ? lhs.constant : bucket * granule;
    AffineExpr argument = base.rest(context);
    AffineExpr quotient = remainder ? argument % divisor : argument.floorDiv(divisor);
    Sum result;
    if (auto constant = dyn_cast<AffineConstantExpr>(quotient))
      result.constant = constant.getValue();
    else
      result.terms.push_back({quotient, 1});
    if (remainder && lhs.lane != 0) {
      result.lane = lhs.lane;
      result.constant += lhs.constant - bucket * granule;
    }
    return result;
  }
};

/// The bound of magnitudes that masks compare in 32 bits; values beyond are clamped to it.
constexpr int64_t clampBound = int64_t(1) << 30;

} // namespace

LaneMaps::LaneMaps(OpBuilder &builder, Location location, const Part &part, ArrayRef<Value> indices,
                   int64_t sureLanes)
    : builder(builder), location(location), part(part), indices(indices),
      isSure(!part.coordinates.empty() && part.coordinates.back() + part.valid <= sureLanes) {}

AffineExpr LaneMaps::bind(AffineExpr expression) const {
  MLIRContext *context = builder.getContext();
  SmallVector<AffineExpr> replacements;
  for (auto [dim, at] : llvm::enumerate(part.coordinates)) {
    AffineExpr constant = getAffineConstantExpr(at, context);
    bool varies = part.lanes != 1 && dim + 1 == part.coordinates.size();
    replacements.push_back(varies ? getAffineDimExpr(0, context) + constant : constant);
  }
  for (auto [i, index] : llvm::enumerate(indices)) {
    std::optional<int64_t> constant = getConstantIntValue(index);
    replacements.push_back(constant ? getAffineConstantExpr(*constant, context)
                                    : getAffineDimExpr(1 + i, context));
  }
  return simplifyAffineExpr(expression.replaceDims(replacements), 1 + indices.size(), 0);
}

std::optional<LaneMaps::Linear> LaneMaps::linear(AffineExpr bound) const {
  for (auto [i, index] : llvm::enumerate(indices))
    if (isa<VectorType>(index.getType()) && bound.isFunctionOfDim(1 + i))
      return std::nullopt;
  std::optional<Sum> sum = Splitter(builder.getContext(), part.valid).split(bound);
  if (!sum)
    return std::nullopt;
  return Linear{sum->lane, sum->rest(builder.getContext())};
}

Value LaneMaps::scalar(AffineExpr bound) {
  SmallVector<OpFoldResult> operands;
  // Dimension 0, the lane, does not appear.
  operands.push_back(builder.getIndexAttr(0));
  for (Value index : indices) {
    if (isa<VectorType>(index.getType()))
      operands.push_back(builder.getIndexAttr(0));
    else
      operands.push_back(index);
  }
  OpFoldResult result = affine::makeComposedFoldedAffineApply(
      builder, location, AffineMap::get(operands.size(), 0, bound), operands);
  return getValueOrCreateConstantIndexOp(builder, location, result);
}

Value LaneMaps::laneConstants(int64_t coefficient, Type element) {
  SmallVector<APInt> values;
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  for (unsigned lane = 0; lane < part.lanes; ++lane)
    values.push_back(APInt(width, uint64_t(coefficient * lane), false, /*implicitTrunc=*/true));
  auto type = VectorType::get({int64_t(part.lanes)}, element);
  return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, values));
}

Value LaneMaps::perLane(AffineExpr bound) {
  if (std::optional<Linear> form = linear(bound)) {
    Value rest = scalar(form->rest);
    if (part.lanes == 1)
      return rest;
    Value base = splat(builder, location, rest, part.lanes);
    if (form->coefficient == 0)
      return base;
    return arith::AddIOp::create(builder, location, base,
                                 laneConstants(form->coefficient, builder.getIndexType()));
  }
  switch (bound.getKind()) {
  case AffineExprKind::DimId: {
    unsigned position = cast<AffineDimExpr>(bound).getPosition();
    return indices[position - 1];
  }
  case AffineExprKind::Constant:
  case AffineExprKind::SymbolId:
    llvm_unreachable("constants are linear and maps have no symbols");
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(bound);
  Value lhs = perLane(binary.getLHS()), rhs = perLane(binary.getRHS());
  switch (bound.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, location, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, location, lhs, rhs);
  default:
    break;
  }
  if (bound.getKind() == AffineExprKind::CeilDiv) {
    Value one = splatConstant(builder, location, builder.getIndexAttr(1), part.lanes);
    lhs = arith::AddIOp::create(builder, location, lhs,
                                arith::SubIOp::create(builder, location, rhs, one));
  }
  // The remainder with the sign of the (positive) divisor.
  Value zero = splatConstant(builder, location, builder.getIndexAttr(0), part.lanes);
  Value truncated = arith::RemSIOp::create(builder, location, lhs, rhs);
  Value negative =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, truncated, zero);
  Value raised = arith::AddIOp::create(builder, location, truncated, rhs);
  Value remainder = arith::SelectOp::create(builder, location, negative, raised, truncated);
  if (bound.getKind() == AffineExprKind::Mod)
    return remainder;
  Value multiple = arith::SubIOp::create(builder, location, lhs, remainder);
  return arith::DivSIOp::create(builder, location, multiple, rhs);
}

void LaneMaps::addUniform(LaneMask &mask, Value condition) {
  mask.uniform =
      mask.uniform ? arith::AndIOp::create(builder, location, mask.uniform, condition) : condition;
}

void LaneMaps::addVarying(LaneMask &mask, Value condition, AffineExpr end) {
  if (!isa<VectorType>(condition.getType()))
    return addUniform(mask, condition);
  mask.varying =
      mask.varying ? arith::AndIOp::create(builder, location, mask.varying, condition) : condition;
  if (!end)
    mask.isOther = true;
  else if (!llvm::is_contained(mask.ends, end))
    mask.ends.push_back(end);
}

void LaneMaps::require(LaneMask &mask, AffineExpr bound, bool equality) {
  auto predicate = equality ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge;
  std::optional<Linear> form = linear(bound);
  if (!form) {
    Value zero = splatConstant(builder, location, builder.getIndexAttr(0), part.lanes);
    return addVarying(mask,
                      arith::CmpIOp::create(builder, location, predicate, perLane(bound), zero));
  }
  if (form->coefficient == 0) {
    if (auto constant = dyn_cast<AffineConstantExpr>(form->rest)) {
      if (equality ? constant.getValue() != 0 : constant.getValue() < 0)
        mask.never = true;
      return;
    }
    Value zero = arith::ConstantIndexOp::create(builder, location, 0);
    return addUniform(
        mask, arith::CmpIOp::create(builder, location, predicate, scalar(form->rest), zero));
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(form->rest)) {
    auto holds = [&](int64_t lane) {
      int64_t value = constant.getValue() + form->coefficient * lane;
      return equality ? value == 0 : value >= 0;
    };
    auto range = llvm::seq<int64_t>(0, part.valid);
    if (llvm::all_of(range, holds))
      return;
    if (llvm::none_of(range, holds)) {
      mask.never = true;
      return;
    }
    auto lanes = llvm::map_to_vector(llvm::seq<int64_t>(0, part.lanes), holds);
    auto type = VectorType::get({int64_t(part.lanes)}, builder.getI1Type());
    return addVarying(
        mask, arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, lanes)));
  }
  if (isSure && !equality)
    return;
  AffineExpr end;
  if (!equality && form->coefficient == -1)
    end = simplifyAffineExpr(form->rest + 1, 1 + indices.size(), 0);
  // rest + coefficient * lane (>=, ==) 0, as rest (>=, ==) -coefficient * lane, in 32 bits where
  // the latter are few: a rest beyond the bound decides alike when clamped to it.
  Value rest = scalar(form->rest);
  Type element = builder.getIndexType();
  if (std::abs(form->coefficient) < clampBound / int64_t(part.lanes)) {
    Value low = arith::ConstantIndexOp::create(builder, location, -clampBound);
    Value high = arith::ConstantIndexOp::create(builder, location, clampBound);
    rest = arith::MaxSIOp::create(builder, location,
                                  arith::MinSIOp::create(builder, location, rest, high), low);
    element = builder.getI32Type();
    rest = arith::IndexCastOp::create(builder, location, element, rest);
  }
  addVarying(mask,
             arith::CmpIOp::create(builder, location, predicate,
                                   splat(builder, location, rest, part.lanes),
                                   laneConstants(-form->coefficient, element)),
             end);
}

void LaneMaps::requireInside(LaneMask &mask, AffineExpr bound, int64_t extent) {
  // A remainder is below its divisor, and what a quotient is below is multiplied out: no division
  // is needed.
  view::Between condition = view::multiplyOut({bound, extent}, 1 + indices.size());
  bound = condition.expr;
  extent = condition.end;
  if (bound.getKind() == AffineExprKind::Mod) {
    auto divisor = dyn_cast<AffineConstantExpr>(cast<AffineBinaryOpExpr>(bound).getRHS());
    if (divisor && divisor.getValue() > 0 && divisor.getValue() <= extent)
      return;
  }
  std::optional<Linear> form = linear(bound);
  bool uniform = form && form->coefficient == 0;
  if (uniform && !isa<AffineConstantExpr>(form->rest)) {
    // One unsigned comparison: a negative coordinate is a huge one.
    Value limit = arith::ConstantIndexOp::create(builder, location, extent);
    return addUniform(mask, arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult,
                                                  scalar(form->rest), limit));
  }
  if (!form) {
    Value limit = splatConstant(builder, location, builder.getIndexAttr(extent), part.lanes);
    return addVarying(mask, arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult,
                                                  perLane(bound), limit));
  }
  require(mask, bound, /*equality=*/false);
  require(mask, simplifyAffineExpr(extent - 1 - bound, 1 + indices.size(), 0), /*equality=*/false);
}

void LaneMaps::require(LaneMask &mask, IntegerSet set) {
  for (auto [constraint, equality] : llvm::zip(set.getConstraints(), set.getEqFlags()))
    require(mask, bind(constraint), equality);
}

void LaneMaps::require(LaneMask &mask, const LaneMask &other) {
  mask.never |= other.never;
  if (other.uniform)
    addUniform(mask, other.uniform);
  if (!other.varying)
    return;
  bool isOther = mask.isOther || other.isOther;
  addVarying(mask, other.varying);
  mask.isOther = isOther;
  for (AffineExpr end : other.ends)
    if (!llvm::is_contained(mask.ends, end))
      mask.ends.push_back(end);
}

void LaneMaps::requireValid(LaneMask &mask) {
  if (part.valid == part.lanes)
    return;
  SmallVector<bool> lanes(part.lanes, false);
  std::fill_n(lanes.begin(), part.valid, true);
  auto type = VectorType::get({int64_t(part.lanes)}, builder.getI1Type());
  addVarying(mask,
             arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, lanes)));
}

Value LaneMaps::materialize(const LaneMask &mask) {
  if (mask.never || mask.always())
    return splatConstant(builder, location, builder.getBoolAttr(!mask.never), part.lanes);
  if (!mask.varying)
    return splat(builder, location, mask.uniform, part.lanes);
  if (!mask.uniform)
    return mask.varying;
  return arith::AndIOp::create(builder, location,
                               splat(builder, location, mask.uniform, part.lanes), mask.varying);
}
