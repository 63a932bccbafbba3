// Kernels of sums of products: einsum-like contraction and convolution.
#include "Formation.h"

using namespace mlir;
using namespace tw;
using namespace tw::formation;

namespace {

/// The sum of `lhs * rhs` over `axes`, in f32 for bf16 and f16 and rounded; of bools, whether both
/// are true anywhere.
Value buildSum(Formation &form, Value lhs, Value rhs, ValueRange axes) {
  OpBuilder &b = form.body;
  if (lhs.getType().isInteger(1)) {
    Value both = arith::AndIOp::create(b, form.loc, lhs, rhs);
    if (axes.empty())
      return both;
    auto kind = arith::AtomicRMWKindAttr::get(b.getContext(), arith::AtomicRMWKind::ori);
    return kernel::ReduceOp::create(b, form.loc, TypeRange(both.getType()), both, axes, kind,
                                    ArrayAttr(), StringAttr())
        .getResult(0);
  }
  Type type = lhs.getType();
  if (!axes.empty())
    return form.round(kernel::ContractOp::create(b, form.loc, graph::getComputedType(type), lhs,
                                                 rhs, axes, StringAttr()),
                      type);
  if (isa<FloatType>(type))
    return form.round(arith::MulFOp::create(b, form.loc, form.widen(lhs), form.widen(rhs)), type);
  return arith::MulIOp::create(b, form.loc, lhs, rhs);
}

// "bmk,bkn->bmn": the axes are the letters, those of the result first.
LogicalResult formContract(graph::ContractOp op, PatternRewriter &rewriter) {
  StringRef lhs = op.getLhsLetters(), rhs = op.getRhsLetters(), result = op.getResultLetters();
  std::string letters = result.str();
  for (char letter : (lhs + rhs).str())
    if (letters.find(letter) == std::string::npos)
      letters += letter;
  SmallVector<kernel::Extent> extents(letters.size(), 0);
  SmallVector<std::string> names;
  for (char letter : letters)
    names.push_back(std::string(1, letter));
  auto note = [&](StringRef operand, Value tensor) {
    for (auto [letter, extent] : llvm::zip(operand, shapeOf(tensor)))
      extents[letters.find(letter)] = extent;
  };
  note(lhs, op.getLhs());
  note(rhs, op.getRhs());

  Formation form(rewriter, op.getLoc(), "contract", op.getType(), extents, names);
  auto coordinates = [&](StringRef operand) {
    SmallVector<AffineExpr> exprs;
    for (char letter : operand)
      exprs.push_back(form.dim(letters.find(letter)));
    return exprs;
  };
  Value a = form.load(op.getLhs(), coordinates(lhs));
  Value b = form.load(op.getRhs(), coordinates(rhs));
  Value sum = buildSum(form, a, b, form.axes().drop_front(result.size()));
  rewriter.replaceOp(op, form.store(sum, coordinates(result)));
  return success();
}

// x[n, g*C + c, p*stride + r*dilation - pad], w[g*O + o, c, r] -> [n, g*O + o, p]: axes n, g (when
// there are groups), o, p.., c, r... Padding is read as zero outside of x.
LogicalResult formConv(graph::ConvOp op, PatternRewriter &rewriter) {
  SmallVector<kernel::Extent> result = shapeOf(op.getResult()), weights = shapeOf(op.getWeights());
  unsigned spatial = result.size() - 2;
  int64_t groups = op.getGroups();
  SmallVector<kernel::Extent> extents{result[0]};
  SmallVector<std::string> names{"n"};
  auto add = [&](const kernel::Extent &extent, StringRef name) {
    extents.push_back(extent);
    names.push_back(name.str());
    return extents.size() - 1;
  };
  std::optional<unsigned> group;
  if (groups != 1)
    group = add(groups, "g");
  unsigned o = add(result[1].most / groups, "o"), p = extents.size();
  for (auto [extent, name] : llvm::zip(ArrayRef(result).drop_front(2), getSpatialNames(spatial)))
    add(extent, name);
  unsigned c = add(weights[1], "c"), r = extents.size();
  for (auto [extent, name] : llvm::zip(ArrayRef(weights).drop_front(2), getWindowNames(spatial)))
    add(extent, name);

  Formation form(rewriter, op.getLoc(), "conv", op.getType(), extents, names);
  auto inGroup = [&](unsigned axis) {
    return group ? form.dim(*group) * extents[axis].most + form.dim(axis) : form.dim(axis);
  };
  SmallVector<AffineExpr> x{form.dim(0), inGroup(c)}, w{inGroup(o), form.dim(c)},
      y{form.dim(0), inGroup(o)};
  for (unsigned i = 0; i < spatial; ++i) {
    x.push_back(form.dim(p + i) * op.getStrides()[i] + form.dim(r + i) * op.getDilations()[i] -
                op.getPadLow()[i]);
    w.push_back(form.dim(r + i));
    y.push_back(form.dim(p + i));
  }
  Value a = form.load(op.getInput(), x), b = form.load(op.getWeights(), w);
  Value sum = buildSum(form, a, b, form.axes().drop_front(c));
  rewriter.replaceOp(op, form.store(sum, y));
  return success();
}

} // namespace

void formation::populateContractions(RewritePatternSet &patterns) {
  patterns.add(formContract);
  patterns.add(formConv);
}
