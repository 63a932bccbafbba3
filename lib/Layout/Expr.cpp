// Index expressions: the normal form, arithmetic on it, evaluation, text.
#include "tw/Layout/Expr.h"

#include "Arithmetic.h"

#include <cassert>

using namespace tw::layout;

//===-- Order -------------------------------------------------------------===//

template <typename T> static int compareValues(T a, T b) { return a < b ? -1 : a > b; }

int tw::layout::compare(const Atom &a, const Atom &b) {
  if (a.divisor != b.divisor)
    return compareValues(a.divisor, b.divisor);
  if (a.isDim())
    return compareValues(a.dim, b.dim);
  return a.numerator == b.numerator ? 0 : compare(*a.numerator, *b.numerator);
}

int tw::layout::compare(const Expr &a, const Expr &b) {
  size_t common = std::min(a.terms.size(), b.terms.size());
  for (size_t i = 0; i < common; ++i) {
    if (int order = compare(a.terms[i].atom, b.terms[i].atom))
      return order;
    if (int order = compareValues(a.terms[i].coefficient, b.terms[i].coefficient))
      return order;
  }
  if (int order = compareValues(a.terms.size(), b.terms.size()))
    return order;
  return compareValues(a.constant, b.constant);
}

//===-- Sums --------------------------------------------------------------===//

Expr Expr::of(Atom atom) {
  Expr result;
  result.terms.push_back({std::move(atom), 1});
  return result;
}

Expr Expr::dim(unsigned index) { return of({index, 0, nullptr}); }

bool Expr::isDim(unsigned index) const {
  return constant == 0 && terms.size() == 1 && terms[0].coefficient == 1 && terms[0].atom.isDim() &&
         terms[0].atom.dim == index;
}

bool Expr::uses(unsigned dim) const {
  for (const Term &term : terms)
    if (term.atom.isDim() ? term.atom.dim == dim : term.atom.numerator->uses(dim))
      return true;
  return false;
}

int64_t Expr::coefficientOf(const Atom &atom) const {
  for (const Term &term : terms)
    if (compare(term.atom, atom) == 0)
      return term.coefficient;
  return 0;
}

Expr Expr::operator+(const Expr &other) const {
  Expr result(wrapAdd(constant, other.constant));
  result.terms.reserve(terms.size() + other.terms.size());
  auto a = terms.begin(), b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    int order = a == terms.end() ? 1 : b == other.terms.end() ? -1 : compare(a->atom, b->atom);
    if (order < 0) {
      result.terms.push_back(*a++);
    } else if (order > 0) {
      result.terms.push_back(*b++);
    } else {
      if (int64_t sum = wrapAdd(a->coefficient, b->coefficient))
        result.terms.push_back({a->atom, sum});
      ++a, ++b;
    }
  }
  return result;
}

Expr Expr::operator*(int64_t factor) const {
  Expr result(wrapMul(constant, factor));
  for (const Term &term : terms)
    if (int64_t product = wrapMul(term.coefficient, factor))
      result.terms.push_back({term.atom, product});
  return result;
}

Expr Expr::divideExactly(int64_t divisor) const {
  assert(constant % divisor == 0 && "not a multiple");
  Expr result(constant / divisor);
  for (const Term &term : terms) {
    assert(term.coefficient % divisor == 0 && "not a multiple");
    result.terms.push_back({term.atom, term.coefficient / divisor});
  }
  return result;
}

int64_t Expr::evaluate(std::span<const int64_t> coordinates) const {
  int64_t sum = constant;
  for (const Term &term : terms) {
    int64_t value = term.atom.isDim() ? coordinates[term.atom.dim]
                                      : floorDivide(term.atom.numerator->evaluate(coordinates),
                                                    term.atom.divisor);
    sum = wrapAdd(sum, wrapMul(term.coefficient, value));
  }
  return sum;
}

Expr tw::layout::substitute(const Expr &expr, std::span<const Expr> dims, DimRanges ranges) {
  Expr sum(expr.getConstant());
  for (const Term &term : expr.getTerms()) {
    const Atom &atom = term.atom;
    Expr value = atom.isDim()
                     ? dims[atom.dim]
                     : floorDiv(substitute(*atom.numerator, dims, ranges), atom.divisor, ranges);
    sum = sum + value * term.coefficient;
  }
  return sum;
}

//===-- Text --------------------------------------------------------------===//

/// A dim or a single quotient stands as it is, a sum in brackets.
static std::string operandText(const Expr &expr) {
  bool single =
      expr.getConstant() == 0 && expr.getTerms().size() == 1 && expr.getTerms()[0].coefficient == 1;
  return single ? toString(expr) : "(" + toString(expr) + ")";
}

std::string tw::layout::toString(const Expr &expr) {
  Pieces parts = pieces(expr);
  std::string text;
  auto append = [&](bool negative, const std::string &summand) {
    if (text.empty())
      text = negative ? "-" : "";
    else
      text += negative ? " - " : " + ";
    text += summand;
  };
  for (const Piece &piece : parts.summands) {
    std::string summand;
    if (piece.kind == Piece::Dim)
      summand = "d" + std::to_string(piece.operand.getTerms()[0].atom.dim);
    else
      summand = "(" + operandText(piece.operand) +
                (piece.kind == Piece::Mod ? " mod " : " floordiv ") +
                std::to_string(piece.divisor) + ")";
    uint64_t factor = magnitude(piece.coefficient);
    append(piece.coefficient < 0, (factor == 1 ? "" : std::to_string(factor) + "*") + summand);
  }
  if (text.empty() || parts.constant != 0)
    append(parts.constant < 0, std::to_string(magnitude(parts.constant)));
  return text;
}
