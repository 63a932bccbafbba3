// Strided loads: all vectors between the first and the last lane, then one shuffle for each but
// one.
//
// 16 lanes of stride 2   ->   %a = vector.load %x[%i], %b = vector.load %x[%i + 15]
//                             vector.shuffle %a, %b [0, 2, .., 14, 17, 19, .., 31]
//
// The last vector ends with the last lane: nothing beyond it is read. What is inside or not as a
// whole is a branch: LLVM folds a masked load into a masked shuffle, which reads all of its memory.
#include "Strided.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tw::host;

bool tw::host::isShortStride(int64_t stride, unsigned lanes) {
  return stride == -1 || (std::abs(stride) > 1 && std::abs(stride) <= lanes / 2);
}

Value tw::host::loadStrided(OpBuilder &builder, Location location, Value memory, const Part &part,
                            int64_t stride, const LaneMask &inside, Value fill,
                            function_ref<Value(int64_t)> at) {
  if (inside.uniform) {
    LaneMask varying = inside;
    varying.uniform = nullptr;
    auto branch = scf::IfOp::create(
        builder, location, inside.uniform,
        [&](OpBuilder &, Location) {
          Value loaded = loadStrided(builder, location, memory, part, stride, varying, fill, at);
          scf::YieldOp::create(builder, location, loaded);
        },
        [&](OpBuilder &, Location) { scf::YieldOp::create(builder, location, fill); });
    return branch.getResult(0);
  }
  int64_t lanes = part.lanes, valid = part.valid;
  int64_t lowest = std::min<int64_t>(0, stride * (valid - 1));
  int64_t span = std::abs(stride) * (valid - 1) + 1;
  auto type = VectorType::get({lanes}, cast<MemRefType>(memory.getType()).getElementType());
  auto elementOf = [&](int64_t lane) { return stride * lane - lowest; };

  // Which of the elements from `first` on are read; null for all of them.
  auto maskFrom = [&](int64_t first) {
    Value mask;
    Value none = splatConstant(builder, location, builder.getBoolAttr(false), lanes);
    if (inside.varying) {
      SmallVector<int64_t> source(lanes, lanes);
      for (int64_t lane = 0; lane < valid; ++lane)
        if (int64_t element = elementOf(lane) - first; element >= 0 && element < lanes)
          source[element] = lane;
      mask = vector::ShuffleOp::create(builder, location, inside.varying, none, source);
    } else if (span < lanes) {
      SmallVector<bool> within(lanes, false);
      std::fill_n(within.begin(), span, true);
      auto maskType = cast<VectorType>(none.getType());
      mask = arith::ConstantOp::create(builder, location, DenseElementsAttr::get(maskType, within));
    }
    return mask;
  };

  Value result;
  for (int64_t next = 0, done = 0; next < span; next += lanes) {
    int64_t first = std::max<int64_t>(0, std::min(next, span - lanes));
    Value base = at(first + lowest), mask = maskFrom(first), loaded;
    if (mask)
      loaded = vector::MaskedLoadOp::create(builder, location, type, memory, base, mask, fill);
    else
      loaded = vector::LoadOp::create(builder, location, type, memory, base);
    if (!result && next + lanes < span) {
      result = loaded;
      continue;
    }
    // The first two vectors are taken apart at once, the others added to what is there.
    Value before = result ? result : loaded;
    bool isFirst = done == 0;
    SmallVector<int64_t> source(lanes, 0);
    for (int64_t lane = 0; lane < valid; ++lane) {
      int64_t element = elementOf(lane);
      if (element < next)
        source[lane] = isFirst ? element : lane;
      else if (element < first + lanes)
        source[lane] = (result ? lanes : 0) + element - first;
    }
    result = vector::ShuffleOp::create(builder, location, before, loaded, source);
    ++done;
  }
  return result;
}
