// Phases of transposed convolutions.
#include "tw/Dialect/Graph/TransposedConvolution.h"

#include "PartsBuilder.h"

#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::graph;

namespace {

/// Weights first, first + step ... of a phase, and the elements before position 0 of `y` that the
/// first result reads.
struct Phase {
  int64_t first = 0, count = 0, before = 0;

  bool readsAs(const Phase &other) const { return count == other.count && before == other.before; }
};

class Transposition {
public:
  Transposition(PartsBuilder parts, Value weights, ArrayRef<int64_t> sizes,
                ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations, ArrayRef<int64_t> padLow,
                int64_t groups)
      : p(parts), sizes(sizes), strides(strides), dilations(dilations), padLow(padLow),
        groups(groups), ins(sizeOf(weights, 1)), outs(sizeOf(weights, 0) / groups) {}

  Value apply(Value y, Value weights) {
    // [groups, phases, ins, outs, k...].
    Shape apart{Dim(groups), Dim(outs), Dim(1), Dim(ins)};
    SmallVector<int64_t> order{0, 2, 3, 1};
    for (size_t i = 0; i < sizes.size(); ++i) {
      apart.push_back(Dim(sizeOf(weights, 2 + i)));
      order.push_back(int64_t(4 + i));
    }
    Value whole = collect(y, p.permute(p.reshape(weights, apart), order), {});
    if (!whole)
      return whole;
    Shape shape = p.shapeOf(whole), result{shape[0], Dim(groups * ins)};
    result.append(shape.begin() + 4, shape.end());
    return p.reshape(whole, result);
  }

private:
  PartsBuilder p;
  ArrayRef<int64_t> sizes, strides, dilations, padLow;
  int64_t groups, ins, outs;

  static int64_t sizeOf(Value x, size_t dim) { return PartsBuilder::shapeOf(x)[dim].getConstant(); }

  /// The dimensions from the one after `apart` on, by phases; those before are done: `y` is padded
  /// and the weights are taken, `apart` elements from each other. [N, groups, phases, ins, those
  /// that are done as convolved, the others as results].
  Value collect(Value y, Value weights, SmallVector<int64_t> apart) {
    size_t i = apart.size();
    if (i == sizes.size())
      return convolve(y, weights, apart);
    int64_t stride = strides[i], dilation = dilations[i];
    int64_t common = std::gcd(stride, dilation), step = stride / common;
    int64_t length = llvm::divideCeil(sizes[i], stride), reach = dilation / common;
    apart.push_back(reach);
    SmallVector<Phase> phases;
    for (int64_t phase = 0; phase < std::min(stride, sizes[i]); ++phase)
      phases.push_back(getPhase(i, phase, sizeOf(weights, 4 + i), step));
    SmallVector<Value> pieces;
    SmallVector<int64_t> widths;
    Value some;
    for (size_t begin = 0, end = 0; begin < phases.size(); begin = end) {
      while (end < phases.size() && phases[end].readsAs(phases[begin]))
        ++end;
      Value piece;
      if (int64_t count = phases[begin].count) {
        SmallVector<Value> taken;
        for (const Phase &phase : ArrayRef(phases).slice(begin, end - begin))
          taken.push_back(p.sliceBy(weights, int64_t(4 + i), phase.first, count, step));
        int64_t before = phases[begin].before;
        int64_t after = length + (count - 1) * reach - sizeOf(y, 2 + i) - before;
        piece = collect(p.padOrCrop(y, int64_t(2 + i), before, after), stack(taken), apart);
      }
      piece = piece ? spread(piece, i, int64_t(end - begin)) : piece;
      some = some ? some : piece;
      pieces.push_back(piece);
      widths.push_back(int64_t(end - begin));
    }
    return some ? interleave(pieces, widths, some, i, length) : some;
  }

  /// Weight k meets element (phase + low - k * dilation) / stride of `y`, if that is whole.
  Phase getPhase(size_t i, int64_t phase, int64_t count, int64_t step) const {
    int64_t stride = strides[i], dilation = dilations[i], begin = phase + padLow[i];
    Phase found;
    while (found.first < count && (begin - found.first * dilation) % stride != 0)
      ++found.first;
    if (found.first == count)
      return Phase();
    found.count = llvm::divideCeil(count - found.first, step);
    int64_t reach = (found.count - 1) * (dilation / std::gcd(stride, dilation));
    found.before = reach - (begin - found.first * dilation) / stride;
    return found;
  }

  /// Weights side by side, as more phases: those given first vary last.
  Value stack(ArrayRef<Value> weights) {
    if (weights.size() == 1)
      return weights.front();
    Shape shape = p.shapeOf(weights.front());
    SmallVector<Value> parts;
    for (Value part : weights) {
      Shape one(shape);
      one.insert(one.begin() + 2, Dim(1));
      parts.push_back(p.reshape(part, one));
    }
    shape[1] = shape[1] * int64_t(weights.size());
    return p.reshape(p.concat(parts, 2), shape);
  }

  Value convolve(Value y, Value weights, ArrayRef<int64_t> apart) {
    SmallVector<int64_t> ones(sizes.size(), 1), none(sizes.size(), 0), dims;
    int64_t phases = sizeOf(weights, 1);
    Shape filters{Dim(groups * phases * ins), Dim(outs)};
    for (size_t i = 0; i < sizes.size(); ++i) {
      dims.push_back(int64_t(4 + i));
      filters.push_back(Dim(sizeOf(weights, 4 + i)));
    }
    Value flipped = FlipOp::create(p.builder, p.loc, weights.getType(), weights, dims);
    Value result = ConvOp::create(p.builder, p.loc, y, p.reshape(flipped, filters), ones, apart,
                                  none, none, groups);
    Shape shape = p.shapeOf(result), whole{shape[0], Dim(groups), Dim(phases), Dim(ins)};
    whole.append(shape.begin() + 2, shape.end());
    return p.reshape(result, whole);
  }

  /// The last `width` phases as a dimension behind dimension `i` of the image.
  Value spread(Value x, size_t i, int64_t width) {
    Shape shape = p.shapeOf(x), apart(shape);
    apart[2] = Dim(shape[2].getConstant() / width);
    apart.insert(apart.begin() + 3, Dim(width));
    SmallVector<int64_t> order{0, 1, 2};
    for (size_t dim = 4; dim < apart.size(); ++dim) {
      order.push_back(int64_t(dim));
      if (dim == 5 + i)
        order.push_back(3);
    }
    return p.permute(p.reshape(x, apart), order);
  }

  /// Element q of phase f is element q * stride + f. Phases without weights are zeros.
  Value interleave(MutableArrayRef<Value> pieces, ArrayRef<int64_t> widths, Value some, size_t i,
                   int64_t length) {
    int64_t dim = int64_t(5 + i);
    Shape whole = p.shapeOf(some);
    for (auto [piece, width] : llvm::zip(pieces, widths)) {
      if (piece)
        continue;
      whole[dim] = Dim(width);
      piece = p.real(whole, p.elementOf(some), 0);
    }
    Value all = pieces.size() == 1 ? pieces.front() : p.concat(pieces, dim);
    whole = p.shapeOf(all);
    whole[dim - 1] = whole[dim - 1] * whole[dim].getConstant();
    whole.erase(whole.begin() + dim);
    all = p.reshape(all, whole);
    return whole[dim - 1] == Dim(sizes[i]) ? all : p.slice(all, dim - 1, 0, sizes[i]);
  }
};

} // namespace

Value tw::graph::buildTransposedConvolution(OpBuilder &builder, Location loc, Value y,
                                            Value weights, ArrayRef<int64_t> sizes,
                                            ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                                            ArrayRef<int64_t> padLow, int64_t groups) {
  return Transposition({builder, loc}, weights, sizes, strides, dilations, padLow, groups)
      .apply(y, weights);
}
