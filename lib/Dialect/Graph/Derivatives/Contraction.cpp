// Products and convolutions: linear in each operand, the other one held.
#include "Adjoint.h"

#include "tw/Dialect/Graph/TransposedConvolution.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

/// The cotangent of operand `own` of "L,R->O": the product of the result's and the other operand,
/// summed over what the own one lacks. A letter of its own alone is repeated.
static Value transposeContract(ContractOp op, Adjoint &a, bool isLeft) {
  StringRef own = isLeft ? op.getLhsLetters() : op.getRhsLetters();
  StringRef other = isLeft ? op.getRhsLetters() : op.getLhsLetters();
  StringRef result = op.getResultLetters();
  Value self = isLeft ? op.getLhs() : op.getRhs(), beside = isLeft ? op.getRhs() : op.getLhs();
  std::string kept;
  SmallVector<int64_t> missing;
  for (auto [d, letter] : llvm::enumerate(own))
    if (result.contains(letter) || other.contains(letter))
      kept += letter;
    else
      missing.push_back(int64_t(d));
  std::string spec = (result + "," + other + "->" + kept).str();
  Value part = ContractOp::create(a.builder, a.loc, spec, a.g(), beside);
  return a.repeatAlong(part, missing, a.shapeOf(self));
}

static LogicalResult deriveContract(ContractOp op, Adjoint &a) {
  if (a.needs(0))
    a.give(0, transposeContract(op, a, /*isLeft=*/true));
  if (a.needs(1))
    a.give(1, transposeContract(op, a, /*isLeft=*/false));
  return success();
}

namespace {

class Convolution {
public:
  Convolution(ConvOp op, Adjoint &a)
      : op(op), a(a), spatial(int64_t(op.getStrides().size())), groups(op.getGroups()),
        x(a.shapeOf(op.getInput())), w(a.shapeOf(op.getWeights())), y(a.shapeOf(op.getResult())) {}

  /// Null where no element of the operand is met.
  Value byData() {
    SmallVector<int64_t> sizes;
    for (int64_t i = 0; i < spatial; ++i)
      sizes.push_back(size(x, i));
    return buildTransposedConvolution(a.builder, a.loc, a.g(), op.getWeights(), sizes,
                                      op.getStrides(), op.getDilations(), op.getPadLow(), groups);
  }

  /// A convolution of the operand with the cotangent, summed over the batch: strides and dilations
  /// change places.
  Value byWeights() {
    int64_t ins = w[1].getConstant();
    const Dim &batch = x[0];
    Shape apart{batch, Dim(groups), Dim(ins)}, together{Dim(ins), batch * groups};
    SmallVector<int64_t> order{2, 1, 0}, exchange{1, 0};
    for (int64_t i = 0; i < spatial; ++i) {
      apart.push_back(x[2 + i]);
      together.push_back(x[2 + i]);
      order.push_back(3 + i);
      exchange.push_back(2 + i);
    }
    Value data = a.reshape(a.permute(a.reshape(op.getInput(), apart), order), together);
    for (int64_t i = 0; i < spatial; ++i) {
      int64_t low = op.getPadLow()[i];
      int64_t reach =
          op.getDilations()[i] * (size(w, i) - 1) + op.getStrides()[i] * (size(y, i) - 1) + 1;
      data = a.padOrCrop(data, 2 + i, low, reach - size(x, i) - low);
    }
    SmallVector<int64_t> none(spatial, 0);
    Value result = ConvOp::create(a.builder, a.loc, data, a.permute(a.g(), exchange),
                                  op.getDilations(), op.getStrides(), none, none, groups);
    return a.permute(result, exchange);
  }

  bool areSizesKnown() const {
    auto isKnown = [](const Dim &dim) { return dim.isStatic(); };
    return llvm::all_of(ArrayRef<Dim>(x).drop_front(), isKnown) && llvm::all_of(w, isKnown);
  }
  bool isEmpty() const {
    return llvm::any_of(y, [](const Dim &dim) { return dim == Dim(0); });
  }

private:
  static int64_t size(const Shape &shape, int64_t i) { return shape[2 + i].getConstant(); }

  ConvOp op;
  Adjoint &a;
  int64_t spatial, groups;
  Shape x, w, y;
};

} // namespace

static LogicalResult deriveConv(ConvOp op, Adjoint &a) {
  Convolution conv(op, a);
  if (!conv.areSizesKnown())
    return a.fail("images whose size a call settles; give it a value");
  for (unsigned i : {0, 1}) {
    if (!a.needs(i))
      continue;
    Value own = conv.isEmpty() ? Value() : i == 0 ? conv.byData() : conv.byWeights();
    a.give(i, own ? own : a.zero(op->getOperand(i)));
  }
  return success();
}

void tw::graph::addContractionDerivatives(DerivativeRules &rules) {
  rules.add<ContractOp>(deriveContract);
  rules.add<ConvOp>(deriveConv);
}
