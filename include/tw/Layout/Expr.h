// Index expressions over the coordinates (dims) of a tensor, in one normal form.
//
// An expression is a sum: a constant plus coefficients times atoms, where an atom is a dim or
// floor(expression / positive constant). There is no mod: x mod c is x - c * floor(x / c). Written
// so, equal sums cancel by themselves: x - x mod c is c * floor(x / c), (x mod 8) mod 4 is x mod 4,
// and 4 * (x floordiv 4) + x mod 4 is x. `pieces` finds the mods again for whoever prints or
// evaluates.
//
// What the extents of the dims make true is used wherever dim ranges are passed:
// floor((64 * d0 + d1) / 64) is d0 when 0 <= d1 < 64. Values are immutable, plain and comparable;
// arithmetic is that of 64-bit integers that wrap, and expressions are meant to stay far below.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tw::layout {

class Expr;

/// The integers from min to max, both included. The extreme values mean no bound.
struct Range {
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;

  /// [0, extent), or no bounds if the extent is below 0, which means unknown.
  static Range ofExtent(int64_t extent) {
    return extent < 0 ? Range() : Range{0, extent > 0 ? extent - 1 : 0};
  }
  bool operator==(const Range &) const = default;
};

/// Ranges of the dims, by index. A dim past the end has no bounds.
using DimRanges = std::span<const Range>;

/// The ranges of dims with these extents.
std::vector<Range> rangesOfExtents(std::span<const int64_t> extents);

/// A dim (divisor 0), or floor(numerator / divisor).
struct Atom {
  unsigned dim = 0;
  int64_t divisor = 0;
  std::shared_ptr<const Expr> numerator;

  bool isDim() const { return divisor == 0; }
};

/// A total order: dims first.
int compare(const Atom &a, const Atom &b);

struct Term {
  Atom atom;
  int64_t coefficient;
};

class Expr {
public:
  Expr(int64_t constant = 0) : constant(constant) {}
  static Expr dim(unsigned index);
  /// The atom as it is; `floorDiv` and `mod` simplify.
  static Expr of(Atom atom);

  int64_t getConstant() const { return constant; }
  /// Sorted by atom, coefficients not 0.
  std::span<const Term> getTerms() const { return terms; }
  bool isConstant() const { return terms.empty(); }
  bool isConstant(int64_t value) const { return terms.empty() && constant == value; }
  /// True when it is exactly the dim `index`.
  bool isDim(unsigned index) const;
  /// True when the dim occurs, also inside a floor.
  bool uses(unsigned dim) const;
  /// The coefficient of an atom in the sum, 0 when it does not occur.
  int64_t coefficientOf(const Atom &atom) const;

  Expr operator+(const Expr &other) const;
  Expr operator-(const Expr &other) const { return *this + other * -1; }
  Expr operator-() const { return *this * -1; }
  Expr operator*(int64_t factor) const;
  /// The sum with each coefficient and the constant divided: all must be multiples.
  Expr divideExactly(int64_t divisor) const;
  bool operator==(const Expr &other) const { return compare(*this, other) == 0; }
  friend int compare(const Expr &a, const Expr &b);

  /// The value at these coordinates.
  int64_t evaluate(std::span<const int64_t> coordinates) const;

private:
  friend Expr floorDiv(const Expr &, int64_t, DimRanges);

  int64_t constant;
  std::vector<Term> terms;
};

/// floor(expr / divisor) and expr mod divisor (in [0, divisor)), simplified; divisor > 0.
Expr floorDiv(const Expr &expr, int64_t divisor, DimRanges ranges = {});
Expr mod(const Expr &expr, int64_t divisor, DimRanges ranges = {});

/// The expression with every dim replaced by `dims[index]`; `ranges` bound the dims of `dims`.
Expr substitute(const Expr &expr, std::span<const Expr> dims, DimRanges ranges = {});

/// An equal expression, simplified by what the ranges make true.
Expr simplify(const Expr &expr, DimRanges ranges);

/// Bounds of the value: never too tight, and exact for sums of independent dims, floors and mods.
Range rangeOf(const Expr &expr, DimRanges ranges);

/// A summand as it is best computed: coefficient * operand, * floor(operand / divisor), or
/// * (operand mod divisor).
struct Piece {
  enum Kind { Dim, Floor, Mod } kind;
  int64_t coefficient;
  /// The dim itself, the numerator, or what is reduced.
  Expr operand;
  int64_t divisor = 1;

  /// The summand without its coefficient, in normal form.
  Expr value() const;
};

/// The summands besides the constant, with mods where a floor and what it divides appear together.
/// `constant` is what is left beside them.
struct Pieces {
  std::vector<Piece> summands;
  int64_t constant;
};
Pieces pieces(const Expr &expr, DimRanges ranges = {});

/// "4*d0 + (d1 mod 4) - 1", for messages.
std::string toString(const Expr &expr);

} // namespace tw::layout
