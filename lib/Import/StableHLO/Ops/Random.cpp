// Random bits of a state, the same as XLA's on the CPU: Threefry 2x32-20 and Philox 4x32-10 (Salmon
// and others, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011).
//
// The state is a key and a counter of 64 bits each; the next state has a later counter.
#include "../Importer.h"
#include "../Registry.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

namespace {

class Generator {
public:
  explicit Generator(OpImport &op)
      : e(op.emit), u32(IntegerType::get(op.op.getContext(), 32, IntegerType::Unsigned)),
        u64(IntegerType::get(op.op.getContext(), 64, IntegerType::Unsigned)) {}

  Value low(Value x) { return e.cast(x, u32); }
  Value high(Value x) { return e.cast(e.binary<graph::ShrOp>(x, e.splat({}, u64, 32)), u32); }
  Value join(Value low, Value high) {
    Value above = e.binary<graph::ShlOp>(e.cast(high, u64), e.splat({}, u64, 32));
    return e.binary<graph::OrOp>(e.cast(low, u64), above);
  }
  Value exclusiveOr(Value a, Value b) { return e.binary<graph::XorOp>(a, b); }
  Value number(uint32_t value) { return e.splat({}, u32, value); }
  /// Two vectors of words for counters.
  std::pair<Value, Value> threefry(Value counters, Value key);
  /// Four of them.
  SmallVector<Value, 4> philox(Value counters, Value key);

  Emitter &e;
  Type u32, u64;
};

} // namespace

std::pair<Value, Value> Generator::threefry(Value counters, Value key) {
  constexpr unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Value keys[3] = {low(key), high(key), {}};
  keys[2] = exclusiveOr(exclusiveOr(keys[0], keys[1]), number(0x1BD11BDA));
  Value a = e.add(low(counters), keys[0]), b = e.add(high(counters), keys[1]);
  for (unsigned i = 0; i < 5; ++i) {
    for (unsigned rotation : rotations[i % 2]) {
      a = e.add(a, b);
      b = e.binary<graph::OrOp>(e.binary<graph::ShlOp>(b, number(rotation)),
                                e.binary<graph::ShrOp>(b, number(32 - rotation)));
      b = exclusiveOr(a, b);
    }
    a = e.add(a, keys[(i + 1) % 3]);
    b = e.add(e.add(b, keys[(i + 2) % 3]), number(i + 1));
  }
  return {a, b};
}

// The key is the upper half of the 128 bits that are counted, too.
SmallVector<Value, 4> Generator::philox(Value counters, Value key) {
  Value keys[2] = {low(key), high(key)};
  ShapeRef shape = Emitter::shape(counters);
  SmallVector<Value, 4> x{low(counters), high(counters), e.expand(keys[0], shape),
                          e.expand(keys[1], shape)};
  auto multiply = [&](Value a, uint32_t b) { return e.mul(e.cast(a, u64), e.splat({}, u64, b)); };
  for (unsigned round = 0; round < 10; ++round) {
    Value first = multiply(x[0], 0xD2511F53), second = multiply(x[2], 0xCD9E8D57);
    x = {exclusiveOr(exclusiveOr(high(second), x[1]), keys[0]), low(second),
         exclusiveOr(exclusiveOr(high(first), x[3]), keys[1]), low(first)};
    keys[0] = e.add(keys[0], number(0x9E3779B9));
    keys[1] = e.add(keys[1], number(0xBB67AE85));
  }
  return x;
}

/// Tensors of one shape side by side along a new dimension.
static Value inTurn(Emitter &e, ArrayRef<Value> values, int64_t dim) {
  Values lifted;
  for (Value value : values)
    lifted.push_back(e.unsqueeze(value, dim));
  return e.concat(lifted, dim);
}

/// The dimension whose elements come from the two words in turn: the first one of an even size,
/// else the first of the greatest, which is one longer then.
static size_t findSplit(Shape &shape) {
  for (auto [i, size] : llvm::enumerate(shape))
    if (size % 2 == 0)
      return i;
  size_t greatest = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] > shape[greatest])
      greatest = i;
  ++shape[greatest];
  return greatest;
}

static void importRngBitGenerator(OpImport &op) {
  Emitter &e = op.emit;
  Generator generator(op);
  Value state = op.operand(0);
  RankedTensorType type = op.resultType(1);
  auto element = dyn_cast<IntegerType>(type.getElementType());
  if (op.failed())
    return;
  if (!type.hasStaticShape())
    return op.unsupported("sizes that are not known, of a result", "such sizes",
                          "sizes that are known when the function is lowered");
  if (!element || element.getWidth() < 8)
    return op.unsupported("numbers that are no integers of 8 bits and more", "their distribution",
                          "integers");
  if (Emitter::element(state) != generator.u64 || Emitter::shape(state) != ShapeRef({2}))
    return op.unsupported("a state other than two ui64", "its layout", "tensor<2xui64>");
  StringRef algorithm = op.text("rng_algorithm", "DEFAULT");
  bool isThreefry = algorithm == "THREE_FRY";
  if (!isThreefry && algorithm != "PHILOX" && algorithm != "DEFAULT") {
    op.error(Code::T0108) << "expected DEFAULT, THREE_FRY or PHILOX as algorithm, found '"
                          << algorithm << "'";
    return;
  }
  Value key = e.reshape(e.sliceDim(state, 0, 0, 1), {}),
        counter = e.reshape(e.sliceDim(state, 0, 1, 1), {});
  bool isWide = element.getWidth() == 64;
  ShapeRef shape = type.getShape();
  int64_t count = importer::elementCount(shape), used = 0;
  auto counters = [&](int64_t n) { return e.add(e.iota({n}, 0, generator.u64), counter); };
  Value bits;
  if (count == 0) {
    bits = e.splat(shape, isWide ? generator.u64 : generator.u32, 0);
  } else if (isThreefry && isWide) {
    used = count;
    auto [a, b] = generator.threefry(counters(used), key);
    bits = e.reshape(generator.join(a, b), shape);
  } else if (isThreefry) {
    Shape whole(shape);
    if (whole.empty())
      whole.push_back(1);
    size_t split = findSplit(whole);
    Shape half(whole);
    half[split] /= 2;
    used = importer::elementCount(half);
    auto [a, b] = generator.threefry(counters(used), key);
    bits = inTurn(e, {e.reshape(a, half), e.reshape(b, half)}, int64_t(split) + 1);
    bits = e.reshape(bits, whole);
    if (shape.empty())
      bits = e.reshape(e.sliceDim(bits, 0, 0, 1), {});
    else
      bits = e.sliceDim(bits, int64_t(split), 0, shape[split]);
  } else {
    int64_t words = isWide ? 2 : 4;
    used = llvm::divideCeil(count, words);
    SmallVector<Value, 4> x = generator.philox(counters(used), key);
    Values parts(x.begin(), x.end());
    if (isWide)
      parts = {generator.join(x[0], x[1]), generator.join(x[2], x[3])};
    bits = e.reshape(inTurn(e, parts, 1), {used * words});
    bits = e.reshape(e.sliceDim(bits, 0, 0, count), shape);
  }
  Value next = e.add(counter, double(used));
  op.result(0, e.concat({e.reshape(key, {1}), e.reshape(next, {1})}, 0));
  op.result(1, e.cast(bits, element));
}

/// Numbers of a generator whose state the program does not see: here a counter, with the number of
/// the op in the program as the key. So two ops have other numbers, and an op has the same ones at
/// each call; in a loop it would have the same ones in each iteration, and is refused.
static void importRng(OpImport &op) {
  Emitter &e = op.emit;
  op.readFrom("shape", 2);
  StringRef distribution = op.text("rng_distribution");
  Type element = op.resultType().getElementType();
  bool isNormal = distribution == "NORMAL";
  if (op.failed())
    return;
  if (!isNormal && distribution != "UNIFORM") {
    op.error(Code::T0108) << "expected UNIFORM or NORMAL as distribution, found '" << distribution
                          << "'";
    return;
  }
  for (size_t i : {size_t(0), size_t(1)})
    if (Emitter::rank(op.operand(i)) != 0 || Emitter::element(op.operand(i)) != element) {
      op.error(Code::T0107) << "expected scalars of the result's element type, found "
                            << op.operand(i).getType();
      return;
    }
  if (isNormal && !isa<FloatType>(element)) {
    op.error(Code::T0107) << "expected floats of a normal distribution, found " << element;
    return;
  }
  if (!isa<func::FuncOp>(e.ops().getInsertionBlock()->getParentOp()))
    return op.unsupported("a place in a loop or a branch", "a state that is carried",
                          "rng_bit_generator, as jax.random has it");
  Shape shape = op.resultShape("shape");
  if (op.failed())
    return;
  Type u64 = IntegerType::get(op.op.getContext(), 64, IntegerType::Unsigned);
  // Integers come from f64, which has those of 32 bits and less exactly.
  bool isWide = !isa<FloatType>(element) || element.isF64();
  if (isa<IntegerType>(element) && element.getIntOrFloatBitWidth() > 32)
    return op.unsupported("integers of 64 bits", "their distribution", "integers of 32 bits");
  Type in = isWide ? Type(e.ops().getF64Type()) : e.f32();
  auto kind = graph::RandomKindAttr::get(op.op.getContext(), isNormal ? graph::RandomKind::Normal
                                                                      : graph::RandomKind::Uniform);
  Value key = e.splat({}, u64, double(op.importer.takeNumber())), zero = e.splat({}, u64, 0);
  Value drawn = e.make<graph::RandomOp>(RankedTensorType::get(shape, in), kind, key, zero);
  Value a = e.cast(op.operand(0), in), b = e.cast(op.operand(1), in);
  Value scaled = e.add(e.mul(drawn, isNormal ? b : e.sub(b, a)), a);
  // What rounding brings to the upper end is below it.
  if (isa<IntegerType>(element))
    scaled = e.minimum(e.floor(scaled), e.sub(b, 1.0));
  scaled = e.cast(scaled, element);
  if (!isNormal && isa<FloatType>(element))
    scaled = e.select(e.compare(graph::ComparePredicate::Lt, scaled, op.operand(1)), scaled,
                      e.expand(op.operand(0), shape));
  op.result(scaled);
}

void tw::stablehlo::addRandom(Registry &registry) {
  registry.add("stablehlo.rng", importRng);
  registry.add("stablehlo.rng_bit_generator", importRngBitGenerator);
}
