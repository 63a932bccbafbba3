// Finding the digits that a sum is made of.
#include "Digits.h"

#include "Arithmetic.h"

#include <algorithm>

using namespace tw::layout;

/// The dim and divisor of `dim` or `floor(dim / divisor)`.
static std::optional<std::pair<unsigned, int64_t>> asQuotient(const Expr &expr) {
  if (expr.getConstant() != 0 || expr.getTerms().size() != 1 || expr.getTerms()[0].coefficient != 1)
    return std::nullopt;
  const Atom &atom = expr.getTerms()[0].atom;
  if (atom.isDim())
    return std::pair(atom.dim, int64_t(1));
  std::span<const Term> terms = atom.numerator->getTerms();
  if (terms.size() == 1 && terms[0].atom.isDim() && atom.numerator->isDim(terms[0].atom.dim))
    return std::pair(terms[0].atom.dim, atom.divisor);
  return std::nullopt;
}

std::optional<Digits> tw::layout::findDigits(const Expr &sum, std::span<const int64_t> extents) {
  Pieces parts = pieces(sum, rangesOfExtents(extents));
  Digits found{parts.constant, {}};
  for (const Piece &piece : parts.summands) {
    auto quotient = asQuotient(piece.kind == Piece::Floor ? piece.value() : piece.operand);
    if (!quotient)
      return std::nullopt;
    auto [dim, divisor] = *quotient;
    if (extents[dim] % divisor != 0)
      return std::nullopt;
    int64_t radix = piece.kind == Piece::Mod ? piece.divisor : extents[dim] / divisor;
    bool flipped = piece.coefficient < 0;
    // -c * v is c * (radix - 1 - v) - c * (radix - 1).
    if (flipped)
      found.constant = wrapAdd(found.constant, wrapMul(piece.coefficient, radix - 1));
    found.digits.push_back(
        {dim, divisor, radix, flipped ? -piece.coefficient : piece.coefficient, flipped});
  }
  std::sort(found.digits.begin(), found.digits.end(),
            [](const Digit &a, const Digit &b) { return a.place < b.place; });
  return found;
}

bool tw::layout::cover(DimDigits digits, int64_t extent) {
  std::sort(digits.begin(), digits.end());
  int64_t next = 1;
  for (auto [divisor, radix] : digits) {
    if (divisor != next)
      return false;
    next *= radix;
  }
  return next == extent;
}
