// random: Philox 4x32-10 as operations on words, and the distributions made of them.
#include "PartsBuilder.h"

#include "tw/Support/Diagnostics.h"

#include <array>
#include <numbers>

using namespace mlir;
using namespace tw;
using namespace tw::graph;

LogicalResult RandomOp::verify() {
  Type element = getType().getElementType();
  bool isBits = getKind() == RandomKind::Bits;
  if (isBits ? element.isUnsignedInteger(32)
             : isa<FloatType>(element) && element.getIntOrFloatBitWidth() > 8)
    return success();
  return tw::emitOpError(*this, Code::T0213)
         << "expected a result of " << (isBits ? "ui32" : "f16, bf16, f32 or f64") << " for "
         << stringifyRandomKind(getKind()) << ", found " << element;
}

namespace {

/// Four words for each of some values of the counter, a tensor ui32 of their shape each.
class Philox : PartsBuilder {
public:
  Philox(OpBuilder &builder, Location loc, ArrayRef<Dim> shape)
      : PartsBuilder{builder, loc}, shape(shape), word(builder.getIntegerType(32, false)),
        wide(builder.getIntegerType(64, false)) {}

  /// From the counter on, for what `index` counts, ui64.
  std::array<Value, 4> make(Value key, Value counter, Value index) {
    // Multipliers and increments of the paper's table 2 and section 4.3.
    constexpr uint64_t kMultipliers[] = {0xD2511F53, 0xCD9E8D57};
    constexpr uint64_t kWeyl[] = {0x9E3779B9, 0xBB67AE85};
    constexpr int kRounds = 10;
    Shape ones(shape.size(), Dim(1));
    Value at = same<AddOp>({expand(reshape(counter, ones), shape), index});
    Value zero = splat(shape, word, 0);
    std::array<Value, 4> x{low(at), high(at), zero, zero};
    Value keys = reshape(key, ones);
    std::array<Value, 2> k{low(keys), high(keys)};
    for (int round = 0; round < kRounds; ++round) {
      std::array<Value, 2> products;
      for (int i : {0, 1})
        products[i] = same<MulOp>({cast(x[2 * i], wide), splat(shape, wide, kMultipliers[i])});
      auto mix = [&](Value a, Value b, Value key) {
        return same<XorOp>({same<XorOp>({a, b}), expand(key, shape)});
      };
      x = {mix(high(products[1]), x[1], k[0]), low(products[1]), mix(high(products[0]), x[3], k[1]),
           low(products[0])};
      for (int i : {0, 1})
        k[i] = same<AddOp>({k[i], like(k[i], kWeyl[i])});
    }
    return x;
  }

private:
  Value low(Value x) { return cast(x, word); }
  Value high(Value x) { return cast(same<ShrOp>({x, like(x, 32)}), word); }

  Shape shape;
  Type word, wide;
};

/// What becomes of words.
struct Distribution : PartsBuilder {
  Type element;

  /// From 0 up to 1: the high bits of one word, or of two, the low one first.
  Value uniform(ArrayRef<Value> words) {
    Type wide = builder.getIntegerType(64, false);
    Value bits = words[0];
    int dropped = 8, kept = 24;
    if (element.isF64()) {
      Value high = cast(words[1], wide);
      bits = same<OrOp>({same<ShlOp>({high, like(high, 32)}), cast(words[0], wide)});
      dropped = 11;
      kept = 53;
    }
    Value fraction = cast(same<ShrOp>({bits, like(bits, dropped)}), element);
    return same<MulOp>({fraction, real(shapeOf(fraction), element, std::ldexp(1.0, -kept))});
  }

  /// Two of mean 0 and deviation 1.
  std::array<Value, 2> normal(Value u, Value v) {
    auto constant = [&](double value) { return real(shapeOf(u), element, value); };
    Value log = same<LogOp>({same<SubOp>({constant(1), u})});
    Value radius = same<SqrtOp>({same<MulOp>({log, constant(-2)})});
    Value angle = same<MulOp>({v, constant(2 * std::numbers::pi)});
    return {same<MulOp>({radius, same<CosOp>({angle})}),
            same<MulOp>({radius, same<SinOp>({angle})})};
  }
};

/// How an op becomes words, and these its elements.
struct Drawing : PartsBuilder {
  RandomOp op;
  Type element = op.getType().getElementType();
  /// Elements that one value of the counter gives.
  int64_t perCounter = element.isF64() ? 2 : 4;

  /// Those elements, for each value of the counter.
  SmallVector<Value> draw(ArrayRef<Dim> shape, Value index) {
    std::array<Value, 4> words =
        Philox(builder, loc, shape).make(op.getKey(), op.getCounter(), index);
    Distribution d{{builder, loc}, element};
    SmallVector<Value> values(words.begin(), words.end());
    if (op.getKind() == RandomKind::Bits)
      return values;
    int64_t each = 4 / perCounter;
    for (int64_t i = 0; i < perCounter; ++i)
      values[i] = d.uniform(ArrayRef<Value>(words).slice(i * each, each));
    values.resize(perCounter);
    if (op.getKind() == RandomKind::Normal)
      for (int64_t i = 0; i < perCounter; i += 2) {
        auto [first, second] = d.normal(values[i], values[i + 1]);
        values[i] = first;
        values[i + 1] = second;
      }
    return values;
  }

  Value drawStatic() {
    Type wide = builder.getIntegerType(64, false);
    int64_t elements = op.getType().getNumElements();
    int64_t count = (elements + perCounter - 1) / perCounter;
    SmallVector<Value> values = draw({Dim(count)}, iota({Dim(count)}, 0, wide));
    for (Value &value : values)
      value = reshape(value, {Dim(count), Dim(1)});
    Value all = reshape(concat(values, 1), {Dim(count * perCounter)});
    if (count * perCounter != elements)
      all = slice(all, 0, 0, elements);
    return ReshapeOp::create(builder, loc, op.getType(), all);
  }

  /// Where a size is settled by a call, elements do not come in fours: each one takes its own of
  /// all that its value of the counter gives.
  Value drawForSizes() {
    Type wide = builder.getIntegerType(64, false);
    Shape shape = shapeOf(op.getResult());
    Value place = iota(shape, 0, wide);
    for (size_t i = 1; i < shape.size(); ++i) {
      Value size = SizeOp::create(builder, loc, RankedTensorType::get({}, wide),
                                  DimsAttr::get(builder.getContext(), ArrayRef<Dim>(shape[i])));
      size = expand(reshape(size, Shape(shape.size(), Dim(1))), shape);
      place = same<AddOp>({same<MulOp>({place, size}), iota(shape, i, wide)});
    }
    int64_t shift = perCounter == 4 ? 2 : 1;
    SmallVector<Value> values = draw(shape, same<ShrOp>({place, like(place, shift)}));
    Value which = same<AndOp>({place, like(place, perCounter - 1)});
    Value chosen = values[0];
    for (int64_t i = 1; i < perCounter; ++i)
      chosen = select(compare(ComparePredicate::Eq, which, like(which, i)), values[i], chosen);
    return chosen;
  }
};

} // namespace

SmallVector<Value> RandomOp::decompose(OpBuilder &builder) {
  Drawing d{{builder, getLoc()}, *this};
  if (!getType().hasStaticShape())
    return {d.drawForSizes()};
  if (getType().getNumElements() == 0)
    return {d.splat(PartsBuilder::shapeOf(getResult()), d.element, 0)};
  return {d.drawStatic()};
}
