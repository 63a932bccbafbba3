// reduce, contract and scan as nests that end in an accumulator.
//===---------------------------------------------------------------------------------------===//
#include "../Program/LaneTemplates.h"
#include "Body.h"

using namespace mlir;
using namespace tw::interp;
using namespace tw::kernel;

namespace {

/// An accumulator of one lane per result, set to the identity before the reduced loops.
struct Accumulator {
  Accumulator(Nest &nest, Type type, uint64_t identity, unsigned resultDepth, bool horizontal)
      : nest(nest), lanes(nest.newRegister(type, horizontal || !nest.hasLanes(), resultDepth)) {
    nest.before(resultDepth, [lanes = lanes, &nest, identity, bytes = getElementBytes(type)] {
      splatLanes(&identity, bytes, lanes->lanes, lanes->isUniform ? 1 : nest.getCount());
      return success();
    });
  }
  int64_t count() const { return lanes->isUniform ? 1 : nest.getCount(); }

  Nest &nest;
  Register *lanes;
};

uint64_t identityOf(arith::AtomicRMWKind kind, Type type) {
  uint64_t bits = 0;
  fillIdentity(kind, type, &bits, 1);
  return bits;
}

/// The accumulator rounded to the type of the result, once the reduced loops are through.
Register *roundAtEnd(Nest &nest, Register *accumulator, Type type, unsigned depth) {
  if (accumulator->type == type)
    return accumulator;
  Register *rounded = nest.newRegister(type, accumulator->isUniform, depth);
  nest.after(depth, [=, &nest] {
    convertLanes(accumulator->type, accumulator->lanes, type, rounded->lanes,
                 accumulator->isUniform ? 1 : nest.getCount());
    return success();
  });
  return rounded;
}

/// `value` in the type of the accumulator, with all lanes.
Register *widen(Nest &nest, Register *value, Type type) {
  value = nest.toLanes(value);
  if (value->type == type)
    return value;
  Register *wide = nest.newRegister(type, value->isUniform, value->depth);
  nest.before(value->depth, [=, &nest] {
    convertLanes(value->type, value->lanes, type, wide->lanes,
                 value->isUniform ? 1 : nest.getCount());
    return success();
  });
  return wide;
}

LogicalResult runKindReduce(KernelState &state, ReduceOp op) {
  bool horizontal;
  unsigned depth;
  Body body(state, chooseReductionShape(state, op, horizontal, depth));
  Nest &nest = body.nest;
  Value result = op.getResults()[0];
  Combiner combiner = getCombiner(*op.getKind(), result.getType());
  Register *value = body.emit(op.getValues()[0]);
  if (!value || !combiner.combine)
    return failure();
  Accumulator sum(nest, combiner.accumulator, identityOf(*op.getKind(), combiner.accumulator),
                  depth, horizontal);
  Register *wide = widen(nest, value, combiner.accumulator);
  int64_t bytes = getElementBytes(combiner.accumulator);
  nest.before(nest.getDepth(), [=, &nest, accumulator = sum.lanes->lanes] {
    if (!horizontal) {
      const void *operands[] = {accumulator, wide->lanes};
      combiner.combine(operands, accumulator, nest.hasLanes() ? nest.getCount() : 1);
      return success();
    }
    for (int64_t lane = 0; lane < nest.getCount(); ++lane) {
      const void *operands[] = {accumulator, wide->lanes + lane * bytes};
      combiner.combine(operands, accumulator, 1);
    }
    return success();
  });
  state.addTemporary(result);
  body.storeTemporary(result, roundAtEnd(nest, sum.lanes, result.getType(), depth), depth,
                      /*atEnd=*/true, op);
  return nest.run();
}

/// The accumulators of a combining region, and what it yields at a point.
struct Combination {
  SmallVector<Register *> accumulators, next;

  LogicalResult emit(Body &body, ValueRange values, ArrayAttr identities, Block &block,
                     unsigned depth) {
    Nest &nest = body.nest;
    for (auto [i, value] : llvm::enumerate(values)) {
      uint64_t identity = 0;
      fillLanes(identities[i], &identity, 1);
      Register *lanes = body.emit(value);
      if (!lanes)
        return failure();
      accumulators.push_back(Accumulator(nest, value.getType(), identity, depth, false).lanes);
      // Seen from the region, the accumulator changes at every point.
      accumulators.back()->depth = nest.getDepth();
      body.bind(block.getArgument(i), accumulators.back());
      body.bind(block.getArgument(values.size() + i), lanes);
    }
    SmallVector<Register *> yielded;
    for (Value value : block.getTerminator()->getOperands()) {
      Register *lanes = body.emit(value);
      if (!lanes)
        return failure();
      yielded.push_back(nest.toLanes(lanes));
    }
    // All are read before one is written: a region may yield its accumulators in another order.
    next = copy(nest, yielded);
    return success();
  }

  /// Copies of registers at each point.
  static SmallVector<Register *> copy(Nest &nest, ArrayRef<Register *> from) {
    SmallVector<Register *> copies;
    for (Register *lanes : from)
      copies.push_back(nest.newRegister(lanes->type, lanes->isUniform, nest.getDepth()));
    move(nest, from, copies);
    return copies;
  }

  static void move(Nest &nest, ArrayRef<Register *> from, ArrayRef<Register *> to) {
    SmallVector<Register *> sources(from), results(to);
    nest.before(nest.getDepth(), [=, &nest] {
      for (auto [source, result] : llvm::zip(sources, results))
        convertLanes(source->type, source->lanes, result->type, result->lanes,
                     nest.hasLanes() ? nest.getCount() : 1);
      return success();
    });
  }
};

/// What a region combines: `store` moves on and stores, where accumulators of this depth are known.
template <typename OpTy>
LogicalResult
combineByRegion(KernelState &state, OpTy op,
                llvm::function_ref<void(Body &, Combination &, unsigned depth)> store) {
  bool horizontal;
  unsigned depth;
  Body body(state, chooseReductionShape(state, op, horizontal, depth));
  Combination combination;
  if (failed(combination.emit(body, op.getValues(), *op.getIdentities(), op.getCombine().front(),
                              depth)))
    return failure();
  store(body, combination, depth);
  return body.nest.run();
}

LogicalResult runRegionReduce(KernelState &state, ReduceOp op) {
  return combineByRegion(state, op, [&](Body &body, Combination &combination, unsigned depth) {
    Combination::move(body.nest, combination.next, combination.accumulators);
    for (auto [result, accumulator] : llvm::zip(op.getResults(), combination.accumulators)) {
      state.addTemporary(result);
      body.storeTemporary(result, accumulator, depth, /*atEnd=*/true, op);
    }
  });
}

LogicalResult runRegionScan(KernelState &state, ScanOp op) {
  return combineByRegion(state, op, [&](Body &body, Combination &combination, unsigned) {
    Nest &nest = body.nest;
    SmallVector<Register *> seen =
        op.getExclusive() ? Combination::copy(nest, combination.accumulators) : combination.next;
    Combination::move(nest, combination.next, combination.accumulators);
    for (auto [result, lanes] : llvm::zip(op.getResults(), seen)) {
      state.addTemporary(result);
      body.storeTemporary(result, lanes, nest.getDepth(), /*atEnd=*/false, op);
    }
  });
}

/// sum + x * y in the type of the sums; integers wrap.
template <typename Sum, typename A, typename B> Sum addProduct(Sum sum, A x, B y) {
  if constexpr (std::is_floating_point_v<Sum>)
    return sum + Sum(x) * Sum(y);
  else
    return wrap<Sum>(asUnsigned(sum) + uint64_t(int64_t(x)) * uint64_t(int64_t(y)));
}

/// sums[lane] += a[lane] * b[lane].
template <typename Sum, typename A, typename B>
void addProducts(Sum *sums, const A *a, bool aIsUniform, const B *b, bool bIsUniform,
                 int64_t count) {
  if (aIsUniform && !bIsUniform)
    return addProducts(sums, b, false, a, true, count);
  if (bIsUniform) {
    B y = *b;
    for (int64_t lane = 0; lane < count; ++lane)
      sums[lane] = addProduct(sums[lane], a[aIsUniform ? 0 : lane], y);
    return;
  }
  for (int64_t lane = 0; lane < count; ++lane)
    sums[lane] = addProduct(sums[lane], a[lane], b[lane]);
}

/// The sum of a[lane] * b[lane].
template <typename Sum, typename A, typename B>
void addDot(Sum &sum, const A *a, const B *b, int64_t count) {
  constexpr int64_t width = 8;
  Sum partial[width] = {};
  int64_t lane = 0;
  for (; lane + width <= count; lane += width)
    addProducts(partial, a + lane, false, b + lane, false, width);
  addProducts(partial, a + lane, false, b + lane, false, count - lane);
  for (Sum value : partial)
    sum = addProduct(sum, value, Sum(1));
}

} // namespace

Register *tw::interp::combine(Nest &nest, arith::AtomicRMWKind kind, Register *before,
                              Register *value) {
  Combiner combiner = getCombiner(kind, value->type);
  Register *left = widen(nest, before, combiner.accumulator);
  Register *right = widen(nest, value, combiner.accumulator);
  unsigned depth = nest.getDepth();
  Register *result = nest.newRegister(combiner.accumulator, !nest.hasLanes(), depth);
  Register *rounded = combiner.accumulator == value->type
                          ? result
                          : nest.newRegister(value->type, !nest.hasLanes(), depth);
  nest.before(depth, [=, &nest] {
    int64_t lanes = nest.hasLanes() ? nest.getCount() : 1;
    const void *operands[] = {left->lanes, right->lanes};
    combiner.combine(operands, result->lanes, lanes);
    if (rounded != result)
      convertLanes(result->type, result->lanes, rounded->type, rounded->lanes, lanes);
    return success();
  });
  return rounded;
}

LogicalResult tw::interp::runReduce(KernelState &state, ReduceOp op) {
  return op.getKind() ? runKindReduce(state, op) : runRegionReduce(state, op);
}

LogicalResult tw::interp::runContract(KernelState &state, ContractOp op) {
  bool horizontal;
  unsigned depth;
  Body body(state, chooseReductionShape(state, op, horizontal, depth));
  Nest &nest = body.nest;
  Register *lhs = body.emit(op.getLhs()), *rhs = body.emit(op.getRhs());
  if (!lhs || !rhs)
    return failure();
  Type type = op.getResult().getType();
  auto run = [&](auto lhsTag, auto rhsTag, auto resultTag) {
    using A = typename decltype(lhsTag)::type;
    using B = typename decltype(rhsTag)::type;
    using R = typename decltype(resultTag)::type;
    using Sum = std::conditional_t<std::is_floating_point_v<R>, double, R>;
    Type sumType = std::is_floating_point_v<R> ? Type(Float64Type::get(type.getContext())) : type;
    Accumulator sum(nest, sumType, 0, depth, horizontal);
    Register *sums = sum.lanes;
    if (horizontal) {
      Register *a = nest.toLanes(lhs), *b = nest.toLanes(rhs);
      nest.before(nest.getDepth(), [=, &nest] {
        addDot(*sums->as<Sum>(), a->as<A>(), b->as<B>(), nest.getCount());
        return success();
      });
    } else {
      nest.before(nest.getDepth(), [=, &nest] {
        addProducts(sums->as<Sum>(), lhs->as<A>(), lhs->isUniform, rhs->as<B>(), rhs->isUniform,
                    sums->isUniform ? 1 : nest.getCount());
        return success();
      });
    }
    state.addTemporary(op.getResult());
    body.storeTemporary(op.getResult(), roundAtEnd(nest, sums, type, depth), depth, /*atEnd=*/true,
                        op);
  };
  visitProduct(op.getLhs().getType(), op.getLhsUnsigned(), op.getRhsUnsigned(), type, run);
  return nest.run();
}

LogicalResult tw::interp::runScan(KernelState &state, ScanOp op) {
  if (!op.getKind())
    return runRegionScan(state, op);
  bool horizontal;
  unsigned depth;
  Body body(state, chooseReductionShape(state, op, horizontal, depth));
  Nest &nest = body.nest;
  Type type = op.getResult().getType();
  Combiner combiner = getCombiner(*op.getKind(), type);
  Register *value = body.emit(op.getValue());
  if (!value || !combiner.combine)
    return failure();
  Accumulator sum(nest, combiner.accumulator, identityOf(*op.getKind(), combiner.accumulator),
                  depth, false);
  Register *wide = widen(nest, value, combiner.accumulator), *sums = sum.lanes;
  Register *rounded = nest.newRegister(type, sums->isUniform, nest.getDepth());
  bool isExclusive = op.getExclusive();
  nest.before(nest.getDepth(), [=, &nest] {
    int64_t count = sums->isUniform ? 1 : nest.getCount();
    if (isExclusive)
      convertLanes(sums->type, sums->lanes, type, rounded->lanes, count);
    const void *operands[] = {sums->lanes, wide->lanes};
    combiner.combine(operands, sums->lanes, count);
    if (!isExclusive)
      convertLanes(sums->type, sums->lanes, type, rounded->lanes, count);
    return success();
  });
  state.addTemporary(op.getResult());
  body.storeTemporary(op.getResult(), rounded, nest.getDepth(), /*atEnd=*/false, op);
  return nest.run();
}
