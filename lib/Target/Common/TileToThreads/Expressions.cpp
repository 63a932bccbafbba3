// Code for index expressions and conditions.
#include "Expressions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::threads;

unsigned Dims::add(Value value, layout::Range range, unsigned depth) {
  values.push_back(value);
  ranges.push_back(range);
  depths.push_back(depth);
  return values.size() - 1;
}

void Mask::require(layout::Constraint constraint, layout::DimRanges ranges) {
  switch (layout::simplify(constraint, ranges)) {
  case layout::Truth::Always:
    return;
  case layout::Truth::Never:
    never = true;
    return;
  case layout::Truth::Maybe:
    if (std::find(constraints.begin(), constraints.end(), constraint) == constraints.end())
      constraints.push_back(std::move(constraint));
  }
}

void Mask::require(const Mask &other) {
  never |= other.never;
  for (const layout::Constraint &constraint : other.constraints)
    if (std::find(constraints.begin(), constraints.end(), constraint) == constraints.end())
      constraints.push_back(constraint);
}

void Mask::requireInside(const layout::Expr &expr, int64_t extent, layout::DimRanges ranges) {
  require({expr, false}, ranges);
  require({layout::Expr(extent - 1) - expr, false}, ranges);
}

int64_t tw::threads::getAlignment(const layout::Expr &expr, layout::DimRanges ranges,
                                  int64_t limit) {
  layout::Pieces parts = layout::pieces(expr, ranges);
  int64_t alignment = std::gcd(limit, parts.constant);
  for (const layout::Piece &piece : parts.summands) {
    int64_t own = 1;
    if (piece.kind == layout::Piece::Mod)
      own = getAlignment(piece.operand, ranges, std::gcd(limit, piece.divisor));
    alignment = std::gcd(alignment, own * std::abs(piece.coefficient));
  }
  // 8 * floor(t / 4) is 2 * t - 2 * (t mod 4) where t and t mod 4 appear besides: the sum of floors
  // may say more.
  int64_t ofFloors = std::gcd(limit, expr.getConstant());
  for (const layout::Term &term : expr.getTerms())
    ofFloors = std::gcd(ofFloors, std::abs(term.coefficient));
  return std::max(alignment & -alignment, ofFloors & -ofFloors);
}

Value ExprEmitter::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, location, value);
}

unsigned ExprEmitter::depthOf(const layout::Expr &expr) const {
  unsigned depth = 0;
  for (const layout::Term &term : expr.getTerms())
    depth = std::max(depth, term.atom.isDim() ? dims.depths[term.atom.dim]
                                              : depthOf(*term.atom.numerator));
  return depth;
}

Value ExprEmitter::emit(const layout::Expr &expr) {
  if (auto it = known.find(expr); it != known.end())
    return it->second;
  Value sum;
  if (expr.getConstant() != 0 && !expr.isConstant()) {
    // The sum without its constant serves many registers.
    Value base = emit(expr - expr.getConstant());
    sum = arith::AddIOp::create(builder, location, base, constant(expr.getConstant()));
  } else if (expr.isConstant()) {
    sum = constant(expr.getConstant());
  } else {
    layout::Pieces parts = layout::pieces(expr, dims.ranges);
    std::sort(parts.summands.begin(), parts.summands.end(),
              [&](const layout::Piece &a, const layout::Piece &b) {
                unsigned left = depthOf(a.operand), right = depthOf(b.operand);
                return left != right ? left < right : compare(a.value(), b.value()) < 0;
              });
    for (const layout::Piece &piece : parts.summands) {
      Value value = emitPiece(piece);
      if (!sum && piece.coefficient != 1)
        sum = arith::MulIOp::create(builder, location, value, constant(piece.coefficient));
      else if (!sum)
        sum = value;
      else if (piece.coefficient == -1)
        sum = arith::SubIOp::create(builder, location, sum, value);
      else if (piece.coefficient == 1)
        sum = arith::AddIOp::create(builder, location, sum, value);
      else
        sum = arith::AddIOp::create(
            builder, location, sum,
            arith::MulIOp::create(builder, location, value, constant(piece.coefficient)));
    }
    if (parts.constant != 0)
      sum = arith::AddIOp::create(builder, location, sum, constant(parts.constant));
  }
  known[expr] = sum;
  return sum;
}

Value ExprEmitter::emitPiece(const layout::Piece &piece) {
  if (piece.kind == layout::Piece::Dim)
    return dims.values[piece.operand.getTerms()[0].atom.dim];
  bool isNatural = layout::rangeOf(piece.operand, dims.ranges).min >= 0;
  return divide(emit(piece.operand), piece.divisor, isNatural, piece.kind == layout::Piece::Mod);
}

Value ExprEmitter::divide(Value operand, int64_t divisor, bool isNatural, bool remainder) {
  if (llvm::isPowerOf2_64(divisor)) {
    // Shifts and masks round towards negative infinity.
    if (remainder)
      return arith::AndIOp::create(builder, location, operand, constant(divisor - 1));
    Value shift = constant(llvm::Log2_64(divisor));
    if (isNatural)
      return arith::ShRUIOp::create(builder, location, operand, shift);
    return arith::ShRSIOp::create(builder, location, operand, shift);
  }
  Value by = constant(divisor);
  if (isNatural && remainder)
    return arith::RemUIOp::create(builder, location, operand, by);
  if (isNatural)
    return arith::DivUIOp::create(builder, location, operand, by);
  Value truncated = arith::RemSIOp::create(builder, location, operand, by);
  Value negative =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::slt, truncated, constant(0));
  Value raised = arith::AddIOp::create(builder, location, truncated, by);
  Value modulo = arith::SelectOp::create(builder, location, negative, raised, truncated);
  if (remainder)
    return modulo;
  Value multiple = arith::SubIOp::create(builder, location, operand, modulo);
  return arith::DivSIOp::create(builder, location, multiple, by);
}

Value ExprEmitter::emit(const layout::Constraint &constraint) {
  int64_t offset = constraint.expr.getConstant();
  layout::Expr rest = constraint.expr - offset;
  auto predicate = constraint.equality ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge;
  // c - x >= 0 reads better, and shares x, as x <= c.
  bool flip = llvm::all_of(rest.getTerms(), [](auto &term) { return term.coefficient < 0; });
  if (flip) {
    rest = -rest;
    offset = -offset;
    if (!constraint.equality)
      predicate = arith::CmpIPredicate::sle;
  }
  return arith::CmpIOp::create(builder, location, predicate, emit(rest), constant(-offset));
}

Value ExprEmitter::emit(const Mask &mask) {
  if (mask.always())
    return nullptr;
  if (mask.never)
    return arith::ConstantIntOp::create(builder, location, 0, 1);
  for (auto &[other, value] : masks)
    if (other == mask)
      return value;
  Value all;
  auto add = [&](Value condition) {
    all = all ? arith::AndIOp::create(builder, location, all, condition) : condition;
  };
  SmallVector<bool> done(mask.constraints.size(), false);
  for (auto [i, first] : llvm::enumerate(mask.constraints)) {
    if (done[i])
      continue;
    // x >= 0 and k - x >= 0: one unsigned comparison.
    for (size_t j = 0; j < mask.constraints.size() && !first.equality && !done[i]; ++j) {
      const layout::Constraint &second = mask.constraints[j];
      layout::Expr sum = first.expr + second.expr;
      if (j == i || done[j] || second.equality || !sum.isConstant() || sum.getConstant() < 0)
        continue;
      bool swap = llvm::all_of((first.expr - first.expr.getConstant()).getTerms(),
                               [](auto &term) { return term.coefficient < 0; });
      add(arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ule,
                                emit(swap ? second.expr : first.expr),
                                constant(sum.getConstant())));
      done[i] = done[j] = true;
    }
    if (!done[i])
      add(emit(first));
    done[i] = true;
  }
  masks.push_back({mask, all});
  return all;
}
