// Factorisations and solvers as loops over columns and rows: of batches of matrices, in the last
// two dimensions.
#include "../Registry.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

namespace {

/// Letters of the batch's dimensions, and products of matrices of it.
struct Batch {
  Emitter &e;
  std::string letters;

  Batch(Emitter &e, Value matrices) : e(e) {
    for (int64_t dim = 0; dim + 2 < Emitter::rank(matrices); ++dim)
      letters += char('A' + dim);
  }

  /// "ij,j->i" with the batch before what is not shared.
  Value contract(StringRef left, StringRef right, StringRef result, Value a, Value b,
                 bool isShared = false) {
    return e.contract(letters + left.str() + "," + (isShared ? "" : letters) + right.str() + "->" +
                          letters + result.str(),
                      a, b);
  }
};

} // namespace

/// Whether the operand is a batch of square matrices of floats; reports.
static bool areSquare(OpImport &op, Value a) {
  int64_t rank = Emitter::rank(a);
  constexpr int64_t kMostBatch = 20;
  if (rank >= 2 && rank - 2 <= kMostBatch && Emitter::isFloat(a) &&
      Emitter::size(a, rank - 1) == Emitter::size(a, rank - 2))
    return true;
  if (a)
    op.error(Code::T0111) << "expected square matrices of floats, in at most " << kMostBatch
                          << " dimensions of batches, found " << a.getType();
  return false;
}

/// 1 at position `k`, a scalar, else 0.
static Value oneHot(Emitter &e, Value k, int64_t n, Type element) {
  return e.cast(e.compare(graph::ComparePredicate::Eq, e.iota({n}, 0, e.i64()), k), element);
}

/// `x` in the lower or the upper triangle, with the diagonal; else 0.
static Value triangle(Emitter &e, Value x, bool lower) {
  int64_t n = Emitter::size(x, Emitter::rank(x) - 1);
  Value rows = e.iota({n, n}, 0, e.i64()), columns = e.iota({n, n}, 1, e.i64());
  Value inside = lower ? e.compare(graph::ComparePredicate::Ge, rows, columns)
                       : e.compare(graph::ComparePredicate::Le, rows, columns);
  return e.select(inside, x, e.splat({}, Emitter::element(x), 0));
}

/// Swaps the last two dimensions.
static Value swapMatrixDims(Emitter &e, Value x) {
  Shape order = importer::indices(Emitter::rank(x));
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return e.permute(x, order);
}

/// L of a = L L^T, column by column: what is left of the column by those before it, over the root
/// of its first element.
static void importCholesky(OpImport &op) {
  Emitter &e = op.emit;
  Value a = op.operand(0);
  bool lower = op.integer("lower", 0) != 0;
  if (op.failed() || !areSquare(op, a))
    return;
  int64_t rank = Emitter::rank(a), n = Emitter::size(a, rank - 1);
  Type element = Emitter::element(a);
  if (!lower)
    a = swapMatrixDims(e, a);
  a = triangle(e, a, /*lower=*/true);
  Batch batch(e, a);
  Values done =
      e.repeat(n, false, {e.splat({}, e.i64(), 0), e.splatLike(a, 0)}, {},
               [&](ArrayRef<Value> carried, ArrayRef<Value>) -> Values {
                 Value k = carried[0], l = carried[1], here = oneHot(e, k, n, element);
                 Value row = batch.contract("ij", "i", "j", l, here, true);
                 Value column = batch.contract("ij", "j", "i", a, here, true);
                 Value left = e.sub(column, batch.contract("ij", "j", "i", l, row));
                 Value pivot = e.sqrt(batch.contract("i", "i", "", left, here, true));
                 // Rows before the pivot's are rounding of zeros.
                 Value below = e.compare(graph::ComparePredicate::Ge, e.iota({n}, 0, e.i64()), k);
                 Value next = e.select(below, e.div(left, e.unsqueeze(pivot, rank - 2)),
                                       e.splat({}, element, 0));
                 return {e.add(k, 1), e.add(l, batch.contract("i", "j", "ij", next, here, true))};
               });
  if (done.size() == 2)
    op.result(lower ? done[1] : swapMatrixDims(e, done[1]));
}

/// x of a x = b by rows, from the first one of a lower triangle and the last of an upper one. On
/// the right side, and of a transpose, it is the same of transposes.
static void importTriangularSolve(OpImport &op) {
  Emitter &e = op.emit;
  Value a = op.operand(0), b = op.operand(1);
  bool isLeft = op.integer("left_side", 1) != 0, lower = op.integer("lower", 1) != 0,
       isUnit = op.integer("unit_diagonal", 0) != 0;
  StringRef transpose = op.text("transpose_a", "NO_TRANSPOSE");
  if (op.failed() || !areSquare(op, a))
    return;
  int64_t rank = Emitter::rank(a), n = Emitter::size(a, rank - 1);
  if (Emitter::rank(b) != rank || Emitter::element(b) != Emitter::element(a) ||
      Emitter::size(b, isLeft ? rank - 2 : rank - 1) != n) {
    op.error(Code::T0111) << "expected matrices that fit those of " << a.getType() << ", found "
                          << b.getType();
    return;
  }
  Type element = Emitter::element(a);
  a = triangle(e, a, lower);
  if ((transpose != "NO_TRANSPOSE") == isLeft) {
    a = swapMatrixDims(e, a);
    lower = !lower;
  }
  if (!isLeft)
    b = swapMatrixDims(e, b);
  Batch batch(e, a);
  Values done =
      e.repeat(n, false, {e.splat({}, e.i64(), lower ? 0 : double(n - 1)), e.splatLike(b, 0)}, {},
               [&](ArrayRef<Value> carried, ArrayRef<Value>) -> Values {
                 Value k = carried[0], x = carried[1], here = oneHot(e, k, n, element);
                 Value row = batch.contract("ij", "i", "j", a, here, true);
                 Value left = e.sub(batch.contract("ij", "i", "j", b, here, true),
                                    batch.contract("i", "ij", "j", row, x));
                 if (!isUnit) {
                   Value pivot = batch.contract("i", "i", "", row, here, true);
                   left = e.div(left, e.unsqueeze(pivot, rank - 2));
                 }
                 return {e.add(k, lower ? 1 : -1),
                         e.add(x, batch.contract("j", "i", "ij", left, here, true))};
               });
  if (done.size() == 2)
    op.result(isLeft ? done[1] : swapMatrixDims(e, done[1]));
}

void tw::stablehlo::addLinearAlgebra(Registry &registry) {
  registry.add("stablehlo.cholesky", importCholesky);
  registry.add("stablehlo.triangular_solve", importTriangularSolve);
}
