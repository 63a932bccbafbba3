// What masked points of an axis contribute, followed from the select, or from the load that is zero
// outside of its tensor, through the ops of a kernel.
#include "tw/Schedule/Mask.h"
#include "tw/Schedule/Strides.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Finite.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// What a value is at masked points.
enum class Masked { Unknown, NegativeInfinity, Zero };

class Finder {
public:
  Finder(KernelOp kernel, unsigned axis, std::string &why)
      : kernel(kernel), axis(axis), sets(kernel), why(why) {}

  std::optional<SkippedAxis> find() {
    for (auto select : kernel.getBody().getOps<arith::SelectOp>())
      if (std::optional<SkippedAxis> found = match(select)) {
        mask = select;
        ignored = found->seenByTrue ? select.getFalseValue() : select.getTrueValue();
        if (!checkSeen(found->bounds.front()) || !checkRoots())
          return std::nullopt;
        return found;
      }
    for (auto load : kernel.getBody().getOps<LoadOp>())
      if (std::optional<SkippedAxis> found = match(load)) {
        mask = load;
        if (!checkRoots())
          return std::nullopt;
        return found;
      }
    return fail("no value is masked along it: expected a select of a constant by a comparison of "
                "affine functions of axes that is false beyond a point of it, or a load of zero "
                "outside of its tensor; leave skip out where there is none");
  }

private:
  KernelOp kernel;
  unsigned axis;
  AxisSets sets;
  std::string &why;
  Operation *mask = nullptr;
  Value ignored; ///< what a select gives at masked points
  llvm::DenseMap<Value, Masked> known;

  std::nullopt_t fail(const Twine &reason) {
    why = ("skip '" + kernel.getAxisName(axis) + "': " + reason).str();
    return std::nullopt;
  }

  /// An index over the kernel's axes; also an integer that is made of one, if it has room for all
  /// its points.
  AffineExpr getExpr(Value index) {
    if (!index.getType().isIndex())
      return getIntegerExpr(index);
    return getIndexExpr(index, [&](BlockArgument axis) {
      return axis.getArgNumber() < kernel.getNumAxes()
                 ? getAffineDimExpr(axis.getArgNumber(), index.getContext())
                 : AffineExpr();
    });
  }

  AffineExpr getIntegerExpr(Value value) {
    IntegerAttr constant;
    AffineExpr expr;
    if (matchPattern(value, m_Constant(&constant)))
      expr = getAffineConstantExpr(constant.getValue().getSExtValue(), value.getContext());
    else if (auto cast = value.getDefiningOp<arith::IndexCastOp>())
      expr = getExpr(cast.getIn());
    else if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
      AffineExpr lhs = getExpr(sum.getLhs()), rhs = getExpr(sum.getRhs());
      expr = lhs && rhs ? lhs + rhs : AffineExpr();
    } else if (auto difference = value.getDefiningOp<arith::SubIOp>()) {
      AffineExpr lhs = getExpr(difference.getLhs()), rhs = getExpr(difference.getRhs());
      expr = lhs && rhs ? lhs - rhs : AffineExpr();
    } else if (auto product = value.getDefiningOp<arith::MulIOp>()) {
      AffineExpr factor = getExpr(product.getLhs()), constant = getExpr(product.getRhs());
      expr = factor && isa_and_nonnull<AffineConstantExpr>(constant) ? factor * constant
                                                                     : AffineExpr();
    }
    std::optional<SkippedAxis::Bound> bound = expr ? getBound(expr) : std::nullopt;
    return bound && hasRoom(*bound, value.getType().getIntOrFloatBitWidth()) ? expr : AffineExpr();
  }

  /// Whether integers of so many bits hold all values of it.
  bool hasRoom(const SkippedAxis::Bound &bound, unsigned bits) {
    int64_t least = bound.constant, greatest = bound.constant;
    for (auto [coefficient, extent] : llvm::zip(bound.coefficients, kernel.getExtents())) {
      int64_t last;
      if (coefficient != 0 &&
          (extent < 0 || llvm::MulOverflow<int64_t>(coefficient, extent - 1, last) ||
           llvm::AddOverflow(last < 0 ? least : greatest, last, last < 0 ? least : greatest)))
        return false;
    }
    return llvm::isIntN(bits, least) && llvm::isIntN(bits, greatest);
  }

  /// select(a * axes + c >= 0, value, constant), or with the operands exchanged, with a negative
  /// coefficient of the axis.
  std::optional<SkippedAxis> match(arith::SelectOp select) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!compare)
      return std::nullopt;
    AffineExpr lhs = getExpr(compare.getLhs()), rhs = getExpr(compare.getRhs());
    if (!lhs || !rhs)
      return std::nullopt;
    SkippedAxis found;
    found.axis = axis;
    found.mask = select;
    for (bool seenByTrue : {true, false}) {
      Value other = seenByTrue ? select.getFalseValue() : select.getTrueValue();
      if (!other.getDefiningOp<arith::ConstantOp>())
        continue;
      arith::CmpIPredicate predicate =
          seenByTrue ? compare.getPredicate() : arith::invertPredicate(compare.getPredicate());
      AffineExpr inside;
      switch (predicate) {
      case arith::CmpIPredicate::sge:
        inside = lhs - rhs;
        break;
      case arith::CmpIPredicate::sgt:
        inside = lhs - rhs - 1;
        break;
      case arith::CmpIPredicate::sle:
        inside = rhs - lhs;
        break;
      case arith::CmpIPredicate::slt:
        inside = rhs - lhs - 1;
        break;
      default:
        continue;
      }
      std::optional<SkippedAxis::Bound> bound = getBound(inside);
      if (!bound || bound->coefficients[axis] >= 0)
        continue;
      found.seenByTrue = seenByTrue;
      found.bounds = {*bound};
      return found;
    }
    return std::nullopt;
  }

  /// A load of zero where coordinates that move with the axis leave its tensor.
  std::optional<SkippedAxis> match(LoadOp load) {
    if (!load.getMap().getGuards().empty())
      return std::nullopt;
    SmallVector<AffineExpr> indices;
    for (Value index : load.getIndices()) {
      indices.push_back(getExpr(index));
      if (!indices.back())
        return std::nullopt;
    }
    SkippedAxis found;
    found.axis = axis;
    found.mask = load;
    auto tensor = cast<RankedTensorType>(load.getSource().getType());
    for (auto [coordinate, extent] :
         llvm::zip(load.getMap().getMap().getResults(), view::getKnownShape(tensor))) {
      if (extent < 0) // A call settles where it ends.
        continue;
      AffineExpr inside = coordinate.replaceDims(indices);
      for (AffineExpr expr : {inside, extent - 1 - inside})
        if (std::optional<SkippedAxis::Bound> bound = getBound(expr);
            bound && bound->coefficients[axis] != 0 && getLeast(*bound, /*without=*/{}) < 0)
          found.bounds.push_back(*bound);
    }
    return found.bounds.empty() ? std::nullopt : std::optional(found);
  }

  std::optional<SkippedAxis::Bound> getBound(AffineExpr expr) {
    SmallVector<int64_t> flat;
    unsigned axes = kernel.getNumAxes();
    if (failed(getFlattenedAffineExpr(simplifyAffineExpr(expr, axes, 0), axes, 0, &flat)) ||
        flat.size() != axes + 1)
      return std::nullopt;
    int64_t constant = flat.pop_back_val();
    return SkippedAxis::Bound{flat, constant};
  }

  /// The least value of the bound, at the first point of the axis `without`.
  int64_t getLeast(const SkippedAxis::Bound &bound, std::optional<unsigned> without) {
    int64_t least = bound.constant;
    for (auto [i, coefficient] : llvm::enumerate(bound.coefficients))
      if (i != without)
        least += std::min<int64_t>(0, coefficient * (kernel.getExtents()[i] - 1));
    return least;
  }

  /// Every point of the results sees the first point of the axis.
  bool checkSeen(const SkippedAxis::Bound &bound) {
    if (getLeast(bound, axis) >= 0)
      return true;
    fail("some points of the results see no point of it, and what they are would change: leave "
         "skip out");
    return false;
  }

  Masked evaluate(Value value) {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    Masked result = evaluateOp(value);
    known[value] = result;
    return result;
  }

  /// Whether zero times the value counts nothing. What a select masks is left out all the same, as
  /// the primitive says.
  bool vanishes(Value factor) { return isa<arith::SelectOp>(mask) || isKnownFinite(factor); }

  static bool isConstant(Value value, llvm::function_ref<bool(const APFloat &)> is) {
    FloatAttr attribute;
    return matchPattern(value, m_Constant(&attribute)) && is(attribute.getValue());
  }

  static Masked classify(FloatAttr constant) {
    if (!constant)
      return Masked::Unknown;
    APFloat value = constant.getValue();
    return value.isInfinity() && value.isNegative() ? Masked::NegativeInfinity
           : value.isPosZero()                      ? Masked::Zero
                                                    : Masked::Unknown;
  }

  Masked evaluateOp(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return Masked::Unknown;
    if (op == mask) {
      FloatAttr attribute;
      if (auto load = dyn_cast<LoadOp>(op))
        attribute = dyn_cast<FloatAttr>(load.getMap().getOutsideFill(value.getType()));
      else
        matchPattern(ignored, m_Constant(&attribute));
      return classify(attribute);
    }
    auto first = [&] { return evaluate(op->getOperand(0)); };
    auto isFinite = [](const APFloat &constant) { return constant.isFinite(); };
    auto isPositive = [](const APFloat &constant) {
      return constant.isFiniteNonZero() && !constant.isNegative();
    };
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      return first();
    if (isa<math::ExpOp, math::Exp2Op>(op))
      return first() == Masked::NegativeInfinity ? Masked::Zero : Masked::Unknown;
    if (isa<arith::DivFOp>(op))
      return (first() == Masked::Zero && isa<arith::SelectOp>(mask)) ||
                     isConstant(op->getOperand(1), isPositive)
                 ? first()
                 : Masked::Unknown;
    if (isa<arith::MulFOp>(op))
      for (unsigned i : {0, 1}) {
        Masked factor = evaluate(op->getOperand(i));
        if ((factor == Masked::Zero && vanishes(op->getOperand(1 - i))) ||
            (factor == Masked::NegativeInfinity && isConstant(op->getOperand(1 - i), isPositive)))
          return factor;
      }
    // The maximum of what is masked is minus infinity only where all of it is; then no sum over
    // what is seen is a number either.
    if (isa<arith::SubFOp>(op) && first() == Masked::NegativeInfinity) {
      auto maximum = op->getOperand(1).getDefiningOp<ReduceOp>();
      if (isConstant(op->getOperand(1), isFinite) ||
          (maximum && isMaximum(maximum) && maximum.getValues()[0] == op->getOperand(0)))
        return Masked::NegativeInfinity;
    }
    if (isa<arith::AddFOp>(op))
      for (unsigned i : {0, 1})
        if (evaluate(op->getOperand(i)) == Masked::NegativeInfinity &&
            (isa<arith::SelectOp>(mask) || isConstant(op->getOperand(1 - i), isFinite)))
          return Masked::NegativeInfinity;
    // Another mask: whatever it chooses.
    if (auto select = dyn_cast<arith::SelectOp>(op))
      if (Masked one = evaluateChoice(select.getTrueValue());
          one == evaluateChoice(select.getFalseValue()))
        return one;
    return Masked::Unknown;
  }

  /// What a mask chooses may be a constant, of which nothing else follows.
  Masked evaluateChoice(Value value) {
    FloatAttr attribute;
    return matchPattern(value, m_Constant(&attribute)) ? classify(attribute) : evaluate(value);
  }

  static bool isMaximum(ReduceOp reduce) {
    return reduce.getKind() == arith::AtomicRMWKind::maximumf ||
           reduce.getKind() == arith::AtomicRMWKind::maxnumf;
  }

  bool checkRoots() {
    for (Operation &op : kernel.getBody().front()) {
      std::string text;
      if (isa<StoreOp, ScanOp>(op) &&
          llvm::any_of(op.getOperands(), [&](Value operand) { return sets.of(operand)[axis]; })) {
        fail("a " + Twine(isa<StoreOp>(op) ? "store" : "scan") +
             " works along it: only what is reduced over it can be left out");
        return false;
      }
      if (!sets.reducedBy(&op)[axis])
        continue;
      auto reduce = dyn_cast<ReduceOp>(op);
      bool neutral = false;
      if (isa<ContractOp>(op)) {
        bool anyZero = false;
        for (unsigned i : {0, 1})
          if (evaluate(op.getOperand(i)) == Masked::Zero) {
            anyZero = true;
            neutral |= vanishes(op.getOperand(1 - i));
          }
        if (anyZero && !neutral) {
          fail("'" + op.getName().getStringRef() +
               "' multiplies zeros outside of a tensor with what may be infinite: expected a "
               "constant of finite numbers, whose load is 'finite'; leave skip out");
          return false;
        }
      } else if (reduce && reduce.getKind()) {
        Masked value = evaluate(reduce.getValues()[0]);
        neutral = (isMaximum(reduce) && value == Masked::NegativeInfinity) ||
                  (reduce.getKind() == arith::AtomicRMWKind::addf && value == Masked::Zero);
      }
      if (!neutral) {
        fail("'" + op.getName().getStringRef() +
             "' counts masked points: expected a maximum of minus infinity, or a sum of zero, "
             "there");
        return false;
      }
    }
    return true;
  }
};

} // namespace

std::optional<SkippedAxis> tw::schedule::findMask(KernelOp kernel, unsigned axis,
                                                  std::string &why) {
  return Finder(kernel, axis, why).find();
}
