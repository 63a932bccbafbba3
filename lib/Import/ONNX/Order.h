// The first elements in an order, by comparisons alone. Small sets are ranked by comparing all
// pairs of elements; large ones are first narrowed to the blocks that can hold a result.
#pragma once

#include "Emitter.h"

namespace tw::onnx {

/// More pairs than this take too long to compare.
inline constexpr double maxPairs = 4294967296.0;

/// A total order of the elements along the last dimension: by value, NaN as the greatest, and the
/// lower position first among equals.
class Order {
public:
  Order(Emitter &e, bool largest) : e(e), largest(largest) {}

  /// The positions i32 [.., k] of the first k of `x` [.., n], in order.
  Value first(Value x, int64_t k);
  /// Pairs that `first` compares and elements that it reads to find k of n.
  static double cost(int64_t n, int64_t k);
  /// source [.., n] at positions [.., k].
  Value take(Value source, Value positions) {
    return e.gather(source, {positions}, e.rank(source) - 1, e.rank(source) - 1);
  }

private:
  Value firstByRank(Value x, int64_t k);
  Value firstByBlocks(Value x, int64_t k, int64_t block);
  Value ascending(Value distinct);
  Value at(Value place, int64_t k);
  Value best(Value blocks);
  Value last(ShapeRef shape, mlir::Type element);
  static int64_t blockFor(int64_t n, int64_t k);
  mlir::Type position() { return e.ops().getI32Type(); }

  Emitter &e;
  bool largest;
};

} // namespace tw::onnx
