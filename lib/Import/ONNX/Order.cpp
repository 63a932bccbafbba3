// Finds the first elements in an order by ranks, and by blocks where there are many.
#include "Order.h"

#include <cmath>
#include <limits>

using namespace tw;
using namespace tw::onnx;
using graph::CombineKind;
using graph::ComparePredicate;

/// n / b blocks are compared to find k of them, then their k b elements: least where both are even.
int64_t Order::blockFor(int64_t n, int64_t k) {
  int64_t block = k ? std::llround(std::sqrt(static_cast<double>(n) / static_cast<double>(k))) : 0;
  return block >= 4 && n >= 256 ? block : 0;
}

double Order::cost(int64_t n, int64_t k) {
  int64_t block = blockFor(n, k);
  if (!block)
    return static_cast<double>(n) * static_cast<double>(n + k);
  int64_t blocks = (n + block - 1) / block;
  return static_cast<double>(n) + cost(blocks, k) + cost(k * block, k);
}

/// What comes after everything else.
Value Order::last(ShapeRef shape, mlir::Type element) {
  if (!largest && llvm::isa<mlir::FloatType>(element))
    return e.splat(shape, element, std::numeric_limits<double>::quiet_NaN());
  return e.limit(shape, element, !largest);
}

Value Order::first(Value x, int64_t k) {
  if (!x)
    return x;
  int64_t block = blockFor(e.size(x, e.rank(x) - 1), k);
  return block ? firstByBlocks(x, k, block) : firstByRank(x, k);
}

/// An element's rank is the number of those before it.
Value Order::firstByRank(Value x, int64_t k) {
  int64_t rank = e.rank(x);
  Shape pairs(e.shape(x)); // [.., i, j]: does element j come before element i?
  pairs.push_back(e.size(x, rank - 1));
  Value mine = e.expand(e.unsqueeze(x, rank), pairs);
  Value other = e.expand(e.unsqueeze(x, rank - 1), pairs);
  Value before, same = e.compare(ComparePredicate::Eq, other, mine);
  if (e.isFloat(x)) {
    auto isNumber = [&](Value v) { return e.compare(ComparePredicate::Eq, v, v); };
    // Not at most (or not at least) holds beside a NaN too; that one is then the greatest.
    before = e.unary<graph::NotOp>(
        e.compare(largest ? ComparePredicate::Le : ComparePredicate::Ge, other, mine));
    before = e.binary<graph::AndOp>(before, isNumber(largest ? mine : other));
    same = e.binary<graph::OrOp>(
        same, e.unary<graph::NotOp>(e.binary<graph::OrOp>(isNumber(other), isNumber(mine))));
  } else {
    before = e.compare(largest ? ComparePredicate::Gt : ComparePredicate::Lt, other, mine);
  }
  Value earlier = e.compare(ComparePredicate::Lt, e.iota(pairs, rank, position()),
                            e.iota(pairs, rank - 1, position()));
  before = e.binary<graph::OrOp>(before, e.binary<graph::AndOp>(same, earlier));
  return at(e.sum(e.cast(before, position()), {rank}), k);
}

/// The position [.., k] of the element that has each `place` [.., n], which are distinct.
Value Order::at(Value place, int64_t k) {
  int64_t rank = e.rank(place);
  if (!place)
    return place;
  Shape picks(e.shape(place)); // [.., place, i]
  picks.insert(picks.end() - 1, k);
  Value chosen = e.compare(ComparePredicate::Eq, e.expand(e.unsqueeze(place, rank - 1), picks),
                           e.iota(picks, rank - 1, position()));
  return e.sum(e.select(chosen, e.iota(picks, rank, position()), e.splat({}, position(), 0)),
               {rank});
}

/// Distinct integers [.., n], sorted.
Value Order::ascending(Value distinct) {
  int64_t rank = e.rank(distinct);
  if (!distinct)
    return distinct;
  Shape pairs(e.shape(distinct));
  pairs.push_back(e.size(distinct, rank - 1));
  Value less = e.compare(ComparePredicate::Lt, e.expand(e.unsqueeze(distinct, rank - 1), pairs),
                         e.expand(e.unsqueeze(distinct, rank), pairs));
  Value place = e.sum(e.cast(less, position()), {rank});
  return take(distinct, at(place, e.size(distinct, rank - 1)));
}

/// The first element of each block, `blocks` [.., m, b] to [.., m].
Value Order::best(Value blocks) {
  int64_t inner = e.rank(blocks) - 1;
  if (largest || !e.isFloat(blocks))
    return e.reduce(largest ? CombineKind::Max : CombineKind::Min, blocks, {inner});
  // A minimum passes NaN on, which is the last here: it counts only where there is nothing else.
  Value number = e.compare(ComparePredicate::Eq, blocks, blocks);
  Value least = e.reduce(CombineKind::Min,
                         e.select(number, blocks, e.limit({}, e.element(blocks), true)), {inner});
  return e.select(e.reduce(CombineKind::Any, number, {inner}), least, last({}, e.element(blocks)));
}

/// The first k elements lie in the k blocks whose own first elements come first: an element of
/// another block has the first elements of k blocks before it. The blocks chosen are put into their
/// order again, so that positions among their elements order equals as positions in `x` do.
Value Order::firstByBlocks(Value x, int64_t k, int64_t block) {
  int64_t rank = e.rank(x), n = e.size(x, rank - 1), blocks = (n + block - 1) / block;
  Shape shape(e.shape(x));
  if (int64_t missing = blocks * block - n) {
    shape.back() = missing;
    x = e.concat({x, last(shape, e.element(x))}, rank - 1);
  }
  shape.back() = blocks;
  Shape split(shape), flat(shape);
  split.push_back(block);
  Value chosen = ascending(first(best(e.reshape(x, split)), k)); // [.., k]
  split[rank - 1] = k;
  flat.back() = k * block;
  Value candidates =
      e.add(e.mul(e.expand(e.unsqueeze(chosen, rank), split), static_cast<double>(block)),
            e.iota(split, rank, position()));
  candidates = e.reshape(candidates, flat);
  return take(candidates, first(take(x, candidates), k));
}
