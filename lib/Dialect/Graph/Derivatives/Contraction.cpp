// Products and convolutions: linear in each operand, the other one held.
#include "Adjoint.h"

#include <numeric>

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

  /// Convolutions of the cotangent with the weights flipped and their channels exchanged. Elements
  /// whose positions have one remainder by the strides meet the same weights, a phase: each is a
  /// convolution without strides, and no zero between elements of the cotangent is multiplied. Null
  /// where no element of the operand is met.
  Value byData() {
    int64_t outs = w[0].getConstant() / groups, ins = w[1].getConstant();
    Shape apart{Dim(groups), Dim(outs), Dim(ins)}, together{Dim(groups * ins), Dim(outs)};
    SmallVector<int64_t> order{0, 2, 1}, flipped;
    for (int64_t i = 0; i < spatial; ++i) {
      apart.push_back(w[2 + i]);
      together.push_back(w[2 + i]);
      order.push_back(3 + i);
      flipped.push_back(2 + i);
    }
    Value weights = a.reshape(a.permute(a.reshape(op.getWeights(), apart), order), together);
    return collectPhases(a.g(), weights, SmallVector<int64_t>());
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
  /// The dimensions from the one after `dilations` on, by phases; those before are done: the
  /// cotangent is padded and the weights are taken. With all of them done, one convolution.
  Value collectPhases(Value g, Value weights, SmallVector<int64_t> dilations) {
    int64_t i = int64_t(dilations.size());
    if (i == spatial) {
      SmallVector<int64_t> ones(spatial, 1), none(spatial, 0), dims;
      for (int64_t d = 0; d < spatial; ++d)
        dims.push_back(2 + d);
      Value flipped = FlipOp::create(a.builder, a.loc, weights.getType(), weights, dims);
      return ConvOp::create(a.builder, a.loc, g, flipped, ones, dilations, none, none, groups);
    }
    int64_t stride = op.getStrides()[i], dilation = op.getDilations()[i], low = op.getPadLow()[i];
    int64_t common = std::gcd(stride, dilation), step = stride / common;
    int64_t length = llvm::divideCeil(size(x, i), stride);
    SmallVector<Value> phases;
    for (int64_t phase = 0; phase < stride; ++phase) {
      // Weight k meets element (phase + low - k * dilation) / stride of the cotangent, if that is
      // whole.
      int64_t first = 0;
      while (first < size(w, i) && (phase + low - first * dilation) % stride != 0)
        ++first;
      int64_t count = first < size(w, i) ? (size(w, i) - first + step - 1) / step : 0;
      if (count == 0) {
        phases.push_back(Value());
        continue;
      }
      int64_t apart = dilation / common, reach = (count - 1) * apart;
      int64_t before = reach - (phase + low - first * dilation) / stride;
      int64_t after = length + reach - size(y, i) - before;
      SmallVector<int64_t> known(dilations);
      known.push_back(apart);
      phases.push_back(collectPhases(a.padOrCrop(g, 2 + i, before, after),
                                     a.sliceBy(weights, 2 + i, first, count, step), known));
    }
    return interleave(phases, i, length);
  }

  /// Element q of phase f is element q * stride + f. A phase without weights is zeros.
  Value interleave(MutableArrayRef<Value> phases, int64_t i, int64_t length) {
    Value *some = llvm::find_if(phases, [](Value phase) { return bool(phase); });
    if (some == phases.end())
      return Value();
    Shape whole = a.shapeOf(*some);
    Shape one(whole);
    one.insert(one.begin() + 3 + i, Dim(1));
    for (Value &phase : phases)
      phase = a.reshape(phase ? phase : a.zero(*some), one);
    whole[2 + i] = Dim(length * int64_t(phases.size()));
    Value all = phases.size() == 1 ? phases.front() : a.concat(phases, 3 + i);
    all = a.reshape(all, whole);
    return whole[2 + i] == x[2 + i] ? all : a.slice(all, 2 + i, 0, size(x, i));
  }

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
