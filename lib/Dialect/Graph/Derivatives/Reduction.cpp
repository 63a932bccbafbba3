// reduce, scan, window.
#include "Adjoint.h"

#include <limits>

using namespace mlir;
using namespace tw;
using namespace tw::graph;

/// Equal winners share it.
static void deriveExtremumOfAll(ReduceOp op, Adjoint &a) {
  Value x = op.getInput();
  Shape shape = a.shapeOf(x);
  Value best = a.repeatAlong(op.getResult(), op.getDims(), shape);
  Value isBest = a.compare(ComparePredicate::Eq, x, best);
  Value count = a.sum(a.cast(isBest, a.elementOf(x)), op.getDims());
  Value share = a.repeatAlong(a.div(a.g(), count), op.getDims(), shape);
  a.give(0, a.select(isBest, share, a.zero(x)));
}

/// The product of all others, those before times those behind, which is exact with zeros too.
static LogicalResult deriveProduct(ReduceOp op, Adjoint &a) {
  Value x = op.getInput();
  Shape shape = a.shapeOf(x), moved, flat;
  SmallVector<int64_t> order, inverse(shape.size());
  Dim count(1);
  for (int64_t d = 0; d < int64_t(shape.size()); ++d)
    if (!llvm::is_contained(op.getDims(), d)) {
      order.push_back(d);
      flat.push_back(shape[d]);
    }
  for (int64_t d : op.getDims()) {
    order.push_back(d);
    if (!shape[d].isStatic())
      return a.fail("products whose number a call settles; give it a value");
    count = count * shape[d].getConstant();
  }
  for (auto [to, from] : llvm::enumerate(order)) {
    inverse[from] = int64_t(to);
    moved.push_back(shape[from]);
  }
  int64_t last = int64_t(flat.size());
  flat.push_back(count);
  Value rows = a.reshape(a.permute(x, order), flat);
  auto others = [&](bool reverse) -> Value {
    return ScanOp::create(a.builder, a.loc, rows.getType(), CombineKind::Mul, rows, last,
                          /*exclusive=*/true, reverse);
  };
  Value g = a.repeatAlong(a.g(), last, flat);
  Value result = a.mul(g, a.mul(others(false), others(true)));
  a.give(0, a.permute(a.reshape(result, moved), inverse));
  return success();
}

static LogicalResult deriveReduce(ReduceOp op, Adjoint &a) {
  switch (op.getKind()) {
  case CombineKind::Add:
    a.give(0, a.repeatAlong(a.g(), op.getDims(), a.shapeOf(op.getInput())));
    return success();
  case CombineKind::Mul:
    return deriveProduct(op, a);
  case CombineKind::Max:
  case CombineKind::Min:
    deriveExtremumOfAll(op, a);
    return success();
  case CombineKind::All:
  case CombineKind::Any:
    return success();
  }
  llvm_unreachable("all kinds are listed");
}

namespace {

/// A scan as if it began at the first slice of its first dimension and held each element's own.
class Scan {
public:
  Scan(ScanOp op, Adjoint &a) : op(op), a(a), dim(op.getDim()) {
    x = turn(op.getInput());
    g = turn(a.g());
    // What is behind the last element is in no other one's.
    if (op.getExclusive())
      g = shift(g);
  }

  /// With u the sum of what follows, u_i = g_i + x_(i+1) u_(i+1), times what is before: exact with
  /// zeros, since nothing is divided.
  void deriveProduct() {
    Shape shape = a.shapeOf(x);
    Value before = ScanOp::create(a.builder, a.loc, x.getType(), CombineKind::Mul, x, dim,
                                  /*exclusive=*/true, /*reverse=*/false);
    if (shape[dim].isStatic())
      return give(a.mul(before, sumFollowing()));
    SmallVector<int64_t> order{dim}, inverse(shape.size());
    for (int64_t d = 0; d < int64_t(shape.size()); ++d)
      if (d != dim)
        order.push_back(d);
    for (auto [to, from] : llvm::enumerate(order))
      inverse[from] = int64_t(to);
    Value rows = a.permute(x, order), weights = a.permute(g, order);
    Value start = a.real(ArrayRef(a.shapeOf(rows)).drop_front(), a.elementOf(x), 0);
    auto loop = ForOp::create(a.builder, a.loc, shape[dim], start, ValueRange{rows, weights},
                              rows.getType(), /*reverse=*/true);
    {
      OpBuilder::InsertionGuard guard(a.builder);
      Block &body = loop.getBody().front();
      a.builder.setInsertionPointToEnd(&body);
      Value sum = a.add(body.getArgument(0), body.getArgument(2));
      YieldOp::create(a.builder, a.loc, ValueRange{a.mul(body.getArgument(1), sum), sum});
    }
    give(a.mul(before, a.permute(loop.getResult(1), inverse)));
  }

  /// Each goes to the first of the elements so far that are as good.
  void deriveExtremum() {
    Value before = ScanOp::create(a.builder, a.loc, x.getType(), op.getKind(), x, dim,
                                  /*exclusive=*/true, /*reverse=*/false);
    Shape shape = a.shapeOf(x);
    Value places = a.iota(shape, dim, a.builder.getI64Type()), first = a.like(places, 0);
    bool isMax = op.getKind() == CombineKind::Max;
    Value isBetter = a.compare(isMax ? ComparePredicate::Gt : ComparePredicate::Lt, x, before);
    Value winners = a.select(isBetter, places, first);
    Value winner = ScanOp::create(a.builder, a.loc, places.getType(), CombineKind::Max, winners,
                                  dim, /*exclusive=*/false, /*reverse=*/false);
    // The dimension last, since what is before is shared with the positions.
    int64_t last = int64_t(shape.size()) - 1;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, last + 1));
    std::swap(order[dim], order[last]);
    Value rows = a.permute(g, order), positions = a.permute(winner, order);
    auto add = CombineKindAttr::get(a.builder.getContext(), CombineKind::Add);
    Value sum = ScatterOp::create(a.builder, a.loc, rows.getType(), add, a.zero(rows), rows,
                                  positions, last, last);
    give(a.permute(sum, order));
  }

private:
  /// u along a dimension of known size, by one scan from its end.
  Value sumFollowing() {
    auto scan = AssociativeScanOp::create(a.builder, a.loc, ValueRange{shift(x), g}, dim,
                                          /*reverse=*/true);
    OpBuilder::InsertionGuard guard(a.builder);
    Block &block = scan.getCombine().front();
    a.builder.setInsertionPointToEnd(&block);
    ValueRange before = block.getArguments().take_front(2),
               next = block.getArguments().drop_front(2);
    Value factor = a.mul(next[0], before[0]);
    YieldOp::create(a.builder, a.loc,
                    ValueRange{factor, a.add(next[1], a.mul(next[0], before[1]))});
    return scan.getResult(1);
  }
  Value turn(Value value) {
    if (!op.getReverse())
      return value;
    return FlipOp::create(a.builder, a.loc, value.getType(), value, ArrayRef<int64_t>(dim));
  }
  void give(Value cotangent) { a.give(0, turn(cotangent)); }
  /// Each element where the one before it was, and 0 at the end.
  Value shift(Value value) {
    bool isEmpty = a.shapeOf(value)[dim].getConstant() == 0;
    return isEmpty ? value : a.padOrCrop(value, dim, -1, 1);
  }

  ScanOp op;
  Adjoint &a;
  int64_t dim;
  Value x, g;
};

} // namespace

static LogicalResult deriveScan(ScanOp op, Adjoint &a) {
  if (op.getKind() == CombineKind::Add) {
    a.give(0, ScanOp::create(a.builder, a.loc, a.g().getType(), CombineKind::Add, a.g(),
                             op.getDim(), op.getExclusive(), !op.getReverse()));
    return success();
  }
  if (op.getExclusive() && !a.shapeOf(op.getInput())[op.getDim()].isStatic())
    return a.fail("a dimension whose size a call settles; give it a value");
  if (op.getKind() == CombineKind::Mul)
    Scan(op, a).deriveProduct();
  else
    Scan(op, a).deriveExtremum();
  return success();
}

namespace {

/// The places of a window, one after the other, on an operand with the padding around it.
class Window {
public:
  Window(WindowOp op, Adjoint &a) : op(op), a(a), rank(int64_t(op.getWindow().size())) {}

  /// What was added up goes back to all that it came from.
  void deriveSum() {
    Value g = a.g();
    for (int64_t d = 0; d < rank; ++d)
      if (!isWhole(d)) {
        int64_t reach = op.getDilations()[d] * (op.getWindow()[d] - 1), low = op.getPadLow()[d];
        g = a.dilate(g, d, op.getStrides()[d]);
        int64_t length = a.shapeOf(g)[d].getConstant();
        g = a.padOrCrop(g, d, reach - low, sizeOf(d) - length + low);
      }
    SmallVector<int64_t> ones(rank, 1), none(rank, 0);
    a.give(0, WindowOp::create(a.builder, a.loc, CombineKind::Add, g, op.getWindow(), ones,
                               op.getDilations(), none, none));
  }

  /// The first winner of each window has it.
  void deriveExtremum() {
    double limit = std::numeric_limits<double>::infinity();
    if (op.getKind() == CombineKind::Max)
      limit = -limit;
    Value x = op.getInput();
    for (int64_t d = 0; d < rank; ++d)
      if (!isWhole(d))
        x = a.padOrCrop(x, d, op.getPadLow()[d], op.getPadHigh()[d], limit);
    Value result = op.getResult(), isOpen, sum;
    SmallVector<int64_t> place(rank, 0);
    do {
      Value own = at(x, place), isBest = a.compare(ComparePredicate::Eq, own, result);
      Value wins = isOpen ? a.same<AndOp>({isBest, isOpen}) : isBest;
      Value isOther = a.same<NotOp>({isBest});
      isOpen = isOpen ? a.same<AndOp>({isOpen, isOther}) : isOther;
      Value part = back(a.select(wins, a.g(), a.zero(a.g())), place);
      sum = sum ? a.add(sum, part) : part;
    } while (next(place));
    a.give(0, sum);
  }

  /// Each element gets what all others of its window make together.
  void deriveProduct() {
    Value x = op.getInput();
    for (int64_t d = 0; d < rank; ++d)
      if (!isWhole(d))
        x = a.padOrCrop(x, d, op.getPadLow()[d], op.getPadHigh()[d], 1);
    SmallVector<SmallVector<int64_t>> places;
    SmallVector<Value> own, behind;
    SmallVector<int64_t> place(rank, 0);
    do {
      places.push_back(place);
      own.push_back(at(x, place));
    } while (next(place));
    auto product = [&](Value some, Value more) { return some ? a.mul(some, more) : more; };
    behind.resize(own.size());
    for (size_t i = own.size() - 1; i > 0; --i)
      behind[i - 1] = product(behind[i], own[i]);
    Value before, sum;
    for (auto [i, factor] : llvm::enumerate(own)) {
      Value others = before && behind[i] ? a.mul(before, behind[i]) : before ? before : behind[i];
      Value part = back(others ? a.mul(a.g(), others) : a.g(), places[i]);
      sum = sum ? a.add(sum, part) : part;
      before = product(before, factor);
    }
    a.give(0, sum);
  }

private:
  /// A dimension that takes no part; its size need not be known.
  bool isWhole(int64_t d) {
    return op.getWindow()[d] == 1 && op.getStrides()[d] == 1 && op.getPadLow()[d] == 0 &&
           op.getPadHigh()[d] == 0;
  }
  int64_t sizeOf(int64_t d) { return a.shapeOf(op.getInput())[d].getConstant(); }
  int64_t resultOf(int64_t d) { return a.shapeOf(op.getResult())[d].getConstant(); }

  bool next(SmallVectorImpl<int64_t> &place) {
    for (int64_t d = rank; d-- > 0; place[d] = 0)
      if (++place[d] < op.getWindow()[d])
        return true;
    return false;
  }
  /// The padded operand's element at that place of each window.
  Value at(Value padded, ArrayRef<int64_t> place) {
    for (int64_t d = 0; d < rank; ++d)
      if (!isWhole(d))
        padded =
            a.sliceBy(padded, d, place[d] * op.getDilations()[d], resultOf(d), op.getStrides()[d]);
    return padded;
  }
  /// Elements of windows at that place in the operand.
  Value back(Value g, ArrayRef<int64_t> place) {
    for (int64_t d = 0; d < rank; ++d) {
      if (isWhole(d))
        continue;
      g = a.dilate(g, d, op.getStrides()[d]);
      int64_t low = place[d] * op.getDilations()[d] - op.getPadLow()[d];
      g = a.padOrCrop(g, d, low, sizeOf(d) - low - a.shapeOf(g)[d].getConstant());
    }
    return g;
  }

  WindowOp op;
  Adjoint &a;
  int64_t rank;
};

} // namespace

static LogicalResult deriveWindow(WindowOp op, Adjoint &a) {
  int64_t places = 1;
  for (auto [d, size] : llvm::enumerate(op.getWindow())) {
    places *= size;
    bool isWhole =
        size == 1 && op.getStrides()[d] == 1 && !op.getPadLow()[d] && !op.getPadHigh()[d];
    if (!isWhole && !a.shapeOf(op.getInput())[d].isStatic())
      return a.fail("windows along a dimension whose size a call settles; give it a value");
  }
  if (op.getKind() == CombineKind::Add) {
    Window(op, a).deriveSum();
    return success();
  }
  constexpr int64_t kMostPlaces = 1024;
  if (places > kMostPlaces)
    return a.fail("more than 1024 elements in a sliding window that does not add them");
  if (op.getKind() == CombineKind::Mul)
    Window(op, a).deriveProduct();
  else
    Window(op, a).deriveExtremum();
  return success();
}

void tw::graph::addReductionDerivatives(DerivativeRules &rules) {
  rules.add<ReduceOp>(deriveReduce);
  rules.add<ScanOp>(deriveScan);
  rules.add<WindowOp>(deriveWindow);
  rules.addConstant<ArgReduceOp, ArgSortOp, RandomOp, ConstantOp, IotaOp, SizeOp>();
}
