// arg_sort. One is found as it goes; few elements are ranked by comparing all pairs; few out of
// many are first narrowed to the blocks that can hold one; many are distributed digit by digit. Of
// a number that a call settles there are the most, and those that are not there come last.
#include "PartsBuilder.h"
#include "ShapeInference.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tw;
using namespace tw::graph;

LogicalResult ArgSortOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ShapeChecker check(location, getOperationName());
  FailureOr<Shape> shape = check.shape(adaptor.getInput().getType());
  int64_t dim = adaptor.getDim(), first = adaptor.getFirst();
  if (failed(shape) || failed(check.dims("dim", dim, shape->size())))
    return failure();
  Dim &size = (*shape)[dim];
  if (first < SliceOp::whole || (size.isStatic() && first > size.getConstant()))
    return check.error(Code::T0206, "expected the first 0 to ", toString(size),
                       " elements of dimension ", dim, ", or -1 for all of them, found ", first);
  if (first != SliceOp::whole)
    size = Dim(first);
  types.push_back(getTensorType(*shape, IntegerType::get(context, 64)));
  return success();
}

namespace {

/// A total order of the elements along the last dimension of tensors.
class Order : PartsBuilder {
public:
  Order(OpBuilder &builder, Location loc, bool descending)
      : PartsBuilder{builder, loc}, descending(descending), position(builder.getI32Type()) {}

  /// The positions i32 [.., k] of the first k of `x` [.., n], in order; of the most elements that
  /// there are where that is not known.
  Value first(Value x, int64_t most, int64_t k) {
    bool isStatic = shapeOf(x).back().isStatic();
    // NaN is the greatest of all, which wins either way among floats as they are.
    if (k == 1 && isStatic && descending && isa<FloatType>(elementOf(x)))
      return firstOf(CombineKind::Max, x);
    Value keys = getKeys(x);
    if (k == 1 && isStatic)
      return firstOf(CombineKind::Min, toSigned(keys));
    if (!isStatic)
      keys = fill(keys, most);
    int64_t rows = rowsOf(x), n = sizeOf(keys);
    if (costOfDigits(elementOf(x), rows * n) < getWay(rows, n, k).cost)
      return take(sortByDigits(keys, digitsOf(elementOf(x))), k);
    return firstOfKeys(toSigned(keys), k);
  }

private:
  static int64_t sizeOf(Value x) { return shapeOf(x).back().getConstant(); }
  /// How many are sorted apart; of sizes that a call settles, 1.
  static int64_t rowsOf(Value x) {
    int64_t rows = 1;
    for (Dim dim : ArrayRef(shapeOf(x)).drop_back())
      rows *= dim.isStatic() ? dim.getConstant() : 1;
    return rows;
  }
  static int64_t lastOf(Value x) { return int64_t(shapeOf(x).size()) - 1; }
  /// The position [.., 1] of the one that wins.
  Value firstOf(CombineKind kind, Value x) {
    Shape shape = shapeOf(x);
    shape.back() = Dim(1);
    Value at = ArgReduceOp::create(builder, loc, kind, x, lastOf(x));
    return reshape(cast(at, position), shape);
  }
  Value take(Value positions, int64_t k) {
    return k == sizeOf(positions) ? positions : slice(positions, lastOf(positions), 0, k);
  }
  /// The keys that there are, and behind them the greatest up to one more than there may be: an
  /// axis that is as long as a size is at most would be taken for one of that size.
  Value fill(Value keys, int64_t most) {
    int64_t last = lastOf(keys);
    SmallVector<int64_t> low(size_t(last) + 1, 0), high = low;
    high[size_t(last)] = most + 1;
    Type element = elementOf(keys);
    auto greatest =
        builder.getIntegerAttr(element, llvm::APInt::getMaxValue(element.getIntOrFloatBitWidth()));
    keys = PadOp::create(builder, loc, keys, low, high, greatest);
    return slice(keys, last, 0, most + 1);
  }

  /// How the first are found, and the work of that, in comparisons of a vectorised loop.
  struct Way {
    double cost;
    /// 0: all pairs are compared.
    int64_t block = 0;
  };
  /// What starting a handful of kernels takes.
  static constexpr double kStarted = 1 << 16;

  /// All pairs of an element and another, and of an element and a place, or: n / b blocks are
  /// compared to find k of them, then their k b elements, least where both are even.
  static Way getWay(int64_t rows, int64_t n, int64_t k) {
    Way way{double(rows) * double(n) * double(n + k)};
    int64_t block = k ? std::llround(std::sqrt(double(n) / double(k))) : 0;
    if (block < 2 || way.cost < kStarted)
      return way;
    double cost = double(rows) * double(n) + kStarted +
                  getWay(rows, llvm::divideCeil(n, block), k).cost +
                  getWay(rows, k * block, k).cost;
    return cost < way.cost ? Way{cost, block} : way;
  }
  /// Each digit counts its values in as many lanes, and moves keys and positions one by one.
  static double costOfDigits(Type element, int64_t elements) {
    constexpr double kMoved = 64;
    return digitsOf(element) * (double(elements) * (kDigitValues + kMoved) + kStarted);
  }

  Value firstOfKeys(Value keys, int64_t k) {
    int64_t block = getWay(rowsOf(keys), sizeOf(keys), k).block;
    return block ? firstByBlocks(keys, k, block) : firstByRank(keys, k);
  }

  /// An element's rank is the number of those before it.
  Value firstByRank(Value keys, int64_t k) {
    int64_t rank = lastOf(keys) + 1;
    Dim n = shapeOf(keys).back();
    Value mine = repeat(keys, rank, n), other = repeat(keys, rank - 1, n); // [.., i, j]
    Shape pairs = shapeOf(mine);
    Value earlier =
        compare(ComparePredicate::Lt, iota(pairs, rank, position), iota(pairs, rank - 1, position));
    earlier = same<AndOp>({compare(ComparePredicate::Eq, other, mine), earlier});
    Value before = same<OrOp>({compare(ComparePredicate::Lt, other, mine), earlier});
    return at(reduce(CombineKind::Add, cast(before, position), rank), k);
  }

  /// The position [.., k] of the element that has each `place` [.., n], which are distinct.
  Value at(Value place, int64_t k) {
    int64_t rank = lastOf(place) + 1;
    Value wanted = repeat(place, rank - 1, Dim(k)); // [.., place, i]
    Shape picks = shapeOf(wanted);
    Value chosen = compare(ComparePredicate::Eq, wanted, iota(picks, rank - 1, position));
    return reduce(CombineKind::Add,
                  select(chosen, iota(picks, rank, position), splat(picks, position, 0)), rank);
  }

  /// Distinct integers [.., n], sorted.
  Value ascending(Value distinct) {
    int64_t rank = lastOf(distinct) + 1;
    Dim n = shapeOf(distinct).back();
    Value less =
        compare(ComparePredicate::Lt, repeat(distinct, rank - 1, n), repeat(distinct, rank, n));
    Value place = reduce(CombineKind::Add, cast(less, position), rank);
    return PartsBuilder::take(distinct, at(place, n.getConstant()));
  }

  /// The first k elements lie in the k blocks whose own first elements come first: an element of
  /// another block has the first elements of k blocks before it. The blocks chosen are put into
  /// their order again, so that positions among their elements order equals as positions in `x` do.
  Value firstByBlocks(Value keys, int64_t k, int64_t block) {
    int64_t rank = lastOf(keys) + 1, n = sizeOf(keys), blocks = (n + block - 1) / block;
    Shape shape = shapeOf(keys);
    if (int64_t missing = blocks * block - n) {
      // Nothing comes after the largest key and a later position.
      shape.back() = Dim(missing);
      llvm::APInt largest = llvm::APInt::getSignedMaxValue(elementOf(keys).getIntOrFloatBitWidth());
      Value last = splat(shape, elementOf(keys), largest.getZExtValue());
      keys = concat({keys, last}, rank - 1);
    }
    shape.back() = Dim(blocks);
    Shape split(shape), flat(shape);
    split.push_back(Dim(block));
    Value least = reduce(CombineKind::Min, reshape(keys, split), rank);
    Value chosen = ascending(firstOfKeys(least, k)); // [.., k]
    Value starts = same<MulOp>({chosen, like(chosen, uint64_t(block))});
    Value candidates = repeat(starts, rank, Dim(block));
    candidates = same<AddOp>({candidates, iota(shapeOf(candidates), rank, position)});
    flat.back() = Dim(k * block);
    candidates = reshape(candidates, flat);
    return PartsBuilder::take(candidates, firstOfKeys(PartsBuilder::take(keys, candidates), k));
  }

  static constexpr int64_t kDigitBits = 4, kDigitValues = 1 << kDigitBits;
  /// Digits of the keys of a type: an integer of its own width.
  static int64_t digitsOf(Type element) {
    int64_t bits = element.getIntOrFloatBitWidth();
    return (bits + kDigitBits - 1) / kDigitBits;
  }

  /// The same order in signed integers, which every vector unit compares.
  Value toSigned(Value keys) {
    unsigned bits = elementOf(keys).getIntOrFloatBitWidth();
    keys = same<XorOp>({keys, like(keys, uint64_t(1) << (bits - 1))});
    return bitcast(keys, builder.getIntegerType(bits));
  }

  /// Unsigned integers, sorted as the elements are to be.
  Value getKeys(Value x) {
    Type element = elementOf(x);
    unsigned bits = element.getIntOrFloatBitWidth();
    Type type = builder.getIntegerType(bits > 32 ? 64 : 32, /*isSigned=*/false);
    uint64_t sign = uint64_t(1) << (bits - 1), ones = ~uint64_t(0) >> (64 - bits);
    Value keys;
    if (isa<FloatType>(element)) {
      // Zero of one sign. Of negative numbers all bits are inverted, of others the sign.
      Value isNumber = compare(ComparePredicate::Eq, x, x);
      keys = bitcast(same<AddOp>({x, like(x, 0)}), builder.getIntegerType(bits, false));
      Value isNegative = compare(ComparePredicate::Ge, keys, like(keys, sign));
      keys = same<XorOp>({keys, select(isNegative, like(keys, ones), like(keys, sign))});
      keys = select(isNumber, keys, like(keys, ones));
    } else if (isUnsigned(element)) {
      keys = cast(x, type);
    } else {
      keys = bits > 32 ? bitcast(x, type) : cast(x, builder.getI32Type());
      keys = bits > 32 ? keys : bitcast(keys, type);
      keys = same<AndOp>({same<XorOp>({keys, like(keys, sign)}), like(keys, ones)});
    }
    keys = cast(keys, type);
    return descending ? same<XorOp>({keys, like(keys, ones)}) : keys;
  }

  /// Keys and positions [.., n] move to where their digit says, those of one digit in their order;
  /// the lowest digit first.
  Value sortByDigits(Value keys, int64_t count) {
    Shape shape = shapeOf(keys);
    Value positions = iota(shape, lastOf(keys), position);
    Value shift = splat({}, elementOf(keys), 0);
    auto loop = ForOp::create(builder, loc, Dim(count), ValueRange{keys, positions, shift},
                              ValueRange(), TypeRange());
    OpBuilder::InsertionGuard guard(builder);
    Block &body = loop.getBody().front();
    builder.setInsertionPointToEnd(&body);
    keys = body.getArgument(0);
    positions = body.getArgument(1);
    shift = body.getArgument(2);
    int64_t rank = lastOf(keys) + 1;
    Shape ones(shape.size(), Dim(1));
    Value digits = same<ShrOp>({keys, expand(reshape(shift, ones), shape)});
    digits = cast(same<AndOp>({digits, like(digits, kDigitValues - 1)}), position);
    Value wide = repeat(digits, rank, Dim(kDigitValues)); // [.., n, digit]
    Value isOwn = compare(ComparePredicate::Eq, wide, iota(shapeOf(wide), rank, position));
    Value counts = cast(isOwn, position);
    Value before = sumsBefore(counts, rank - 1);
    Value among = reduce(CombineKind::Add, select(isOwn, before, like(before, 0)), rank);
    Value starts = sumsBefore(reduce(CombineKind::Add, counts, rank - 1), rank - 1); // [.., digit]
    Value places = same<AddOp>({among, PartsBuilder::take(starts, digits)});
    Value next = same<AddOp>({shift, like(shift, kDigitBits)});
    YieldOp::create(builder, loc, ValueRange{put(keys, places), put(positions, places), next});
    return loop->getResult(1);
  }

  bool descending;
  Type position;
};

} // namespace

SmallVector<Value> ArgSortOp::decompose(OpBuilder &builder) {
  PartsBuilder p{builder, getLoc()};
  Value x = getInput();
  Shape shape = PartsBuilder::shapeOf(x);
  int64_t rank = int64_t(shape.size()), dim = getDim();
  auto function = getOperation()->getParentOfType<func::FuncOp>();
  std::optional<int64_t> most = shape[dim].isStatic() ? std::optional(shape[dim].getConstant())
                                : function            ? getMost(shape[dim], function)
                                                      : std::nullopt;
  if (!most || *most > std::numeric_limits<int32_t>::max())
    return {};
  Shape result = *getShape(getType());
  bool isWhole = int64_t(getFirst()) == SliceOp::whole;
  if (getFirst() == 0 || *most == 0)
    return {p.splat(result, builder.getI64Type(), 0)};
  if (isNarrowFloat(PartsBuilder::elementOf(x)))
    x = p.cast(x, builder.getF32Type());
  if (PartsBuilder::elementOf(x).isInteger(1))
    x = p.cast(x, builder.getIntegerType(8, /*isSigned=*/false));
  SmallVector<int64_t> order, back(rank);
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim)
      order.push_back(d);
  order.push_back(dim);
  for (int64_t d = 0; d < rank; ++d)
    back[order[d]] = d;
  bool isLast = dim == rank - 1;
  int64_t count = isWhole ? *most : std::min<int64_t>(getFirst(), *most);
  Value first = Order(builder, getLoc(), getDescending())
                    .first(isLast ? x : p.permute(x, order), *most, count);
  // As many as there are; of what is not there the places behind them.
  if (PartsBuilder::shapeOf(first).back() != result[dim]) {
    Value position = p.iota({result[dim]}, 0, builder.getI32Type());
    first = GatherOp::create(builder, getLoc(), first, position, rank - 1, 0);
  }
  return {p.cast(isLast ? first : p.permute(first, back), builder.getI64Type())};
}
