// contract and conv. Floats: exact products, summed in f64, rounded once.
//===---------------------------------------------------------------------------------------===//
#include "Graph.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw::graph;
using namespace tw::interp;

namespace {

/// sum + x * y; on bools, or of and.
template <typename T> Wide<T> addProduct(Wide<T> sum, T x, T y) {
  if constexpr (std::is_same_v<T, bool>)
    return sum || (x && y);
  else if constexpr (std::is_integral_v<T>)
    return T(uint64_t(sum) + uint64_t(x) * uint64_t(y));
  else
    return sum + double(x) * double(y);
}

/// Strides of an operand by letter; 0 for letters that it does not have.
SmallVector<int64_t> stridesOf(StringRef letters, const Tensor &tensor, StringRef order) {
  SmallVector<int64_t> own = getRowMajorStrides(tensor.getShape()), strides;
  for (char letter : order)
    strides.push_back(letters.contains(letter) ? own[letters.find(letter)] : 0);
  return strides;
}

template <typename T> Tensor contract(ContractOp op, const Tensor &lhs, const Tensor &rhs) {
  StringRef a = op.getLhsLetters(), b = op.getRhsLetters(), r = op.getResultLetters();
  std::string summed;
  for (char letter : (a + b).str())
    if (!r.contains(letter) && summed.find(letter) == std::string::npos)
      summed += letter;
  auto extent = [&](char letter) {
    return a.contains(letter) ? lhs.getShape()[a.find(letter)] : rhs.getShape()[b.find(letter)];
  };
  SmallVector<int64_t> summedShape(llvm::map_range(summed, extent));

  // The last letter of the result is the innermost loop, the summed letters are around it.
  StringRef outer = r.drop_back(r.empty() ? 0 : 1), inner = r.take_back(1);
  SmallVector<int64_t> outerShape(llvm::map_range(outer, extent));
  int64_t count = inner.empty() ? 1 : extent(inner[0]);
  int64_t lhsStep = inner.empty() ? 0 : stridesOf(a, lhs, inner)[0];
  int64_t rhsStep = inner.empty() ? 0 : stridesOf(b, rhs, inner)[0];

  Tensor result = Tensor::allocate(resultType(op));
  ArrayRef<T> x = lhs.elements<T>(), y = rhs.elements<T>();
  T *out = result.elements<T>().data();
  auto sums = std::make_unique<Wide<T>[]>(size_t(count));
  // A product that is summed with nothing keeps the sign of its zero, which 0 + -0 does not.
  Wide<T> start = 0;
  if (std::is_floating_point_v<T> && summed.empty())
    start = -start;
  forEachPoint<2>(
      outerShape, {stridesOf(a, lhs, outer), stridesOf(b, rhs, outer)}, {0, 0}, [&](auto from) {
        std::fill_n(sums.get(), count, start);
        forEachPoint<2>(summedShape, {stridesOf(a, lhs, summed), stridesOf(b, rhs, summed)}, from,
                        [&](auto at) {
                          const T *p = x.data() + at[0], *q = y.data() + at[1];
                          for (int64_t i = 0; i < count; ++i)
                            sums[i] = addProduct<T>(sums[i], p[i * lhsStep], q[i * rhsStep]);
                        });
        out =
            std::transform(sums.get(), sums.get() + count, out, [](Wide<T> sum) { return T(sum); });
      });
  return result;
}

/// One tap of a kernel along one dimension: result positions [first, end) read inside the input, at
/// position * stride + shift.
struct Tap {
  int64_t first, end, shift;
};
Tap tapOf(int64_t offset, int64_t padLow, int64_t stride, int64_t input, int64_t output) {
  int64_t shift = offset - padLow;
  int64_t first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  int64_t end = input - shift <= 0 ? 0 : std::min(output, (input - shift - 1) / stride + 1);
  return {first, std::max(first, end), shift};
}

/// Adds a padding's zero times an infinity or NaN to the sums of a plane but those inside of a box.
void poisonOutside(double *sums, ArrayRef<int64_t> plane, ArrayRef<Tap> box) {
  SmallVector<int64_t> point(plane.size(), 0);
  int64_t size = 1;
  for (int64_t extent : plane)
    size *= extent;
  for (int64_t i = 0; i < size; ++i) {
    bool isInside = llvm::all_of(llvm::zip(point, box), [](auto pair) {
      auto [at, tap] = pair;
      return at >= tap.first && at < tap.end;
    });
    if (!isInside)
      sums[i] = std::numeric_limits<double>::quiet_NaN();
    for (unsigned d = plane.size(); d-- > 0 && ++point[d] == plane[d];)
      point[d] = 0;
  }
}

template <typename T> Tensor conv(ConvOp op, const Tensor &input, const Tensor &weights) {
  Tensor result = Tensor::allocate(resultType(op));
  ArrayRef<int64_t> in = input.getShape(), kernel = weights.getShape(), out = result.getShape();
  unsigned rank = unsigned(in.size()) - 2;
  ArrayRef<int64_t> plane = out.drop_front(2);
  int64_t planeSize = 1;
  for (int64_t size : plane)
    planeSize *= size;
  SmallVector<int64_t> inStrides = getRowMajorStrides(in), planeStrides = getRowMajorStrides(plane);
  SmallVector<int64_t> kernelStrides = getRowMajorStrides(kernel);
  int64_t perGroup = kernel[1], outPerGroup = kernel[0] / op.getGroups();
  SmallVector<int64_t> taps(kernel.drop_front(2));
  int64_t tapCount = 1;
  for (int64_t size : taps)
    tapCount *= size;
  const T *x = input.elements<T>().data(), *w = weights.elements<T>().data();
  auto sums = std::make_unique<Wide<T>[]>(size_t(std::max<int64_t>(planeSize, 1)));

  for (int64_t n = 0; n < out[0]; ++n) {
    for (int64_t o = 0; o < out[1]; ++o) {
      std::fill_n(sums.get(), planeSize, Wide<T>(0));
      for (int64_t c = 0; c < perGroup; ++c) {
        const T *channel = x + n * inStrides[0] + (o / outPerGroup * perGroup + c) * inStrides[1];
        for (int64_t k = 0; k < tapCount; ++k) {
          // The part of the plane that this tap reaches, and where it reads.
          T weight = w[o * kernelStrides[0] + c * kernelStrides[1] + k];
          SmallVector<int64_t> shape, steps;
          SmallVector<Tap> box(rank);
          int64_t from = 0, to = 0, rest = k;
          for (unsigned d = rank; d-- > 0;) {
            int64_t stride = op.getStrides()[d], offset = rest % taps[d] * op.getDilations()[d];
            rest /= taps[d];
            Tap tap = tapOf(offset, op.getPadLow()[d], stride, in[d + 2], plane[d]);
            box[d] = tap;
            shape.insert(shape.begin(), tap.end - tap.first);
            steps.insert(steps.begin(), stride * inStrides[d + 2]);
            from += (tap.first * stride + tap.shift) * inStrides[d + 2];
            to += tap.first * planeStrides[d];
          }
          if constexpr (std::is_floating_point_v<T>)
            if (!std::isfinite(weight))
              poisonOutside(sums.get(), plane, box);
          int64_t count = shape.pop_back_val(), step = steps.pop_back_val();
          SmallVector<int64_t> outerStrides(ArrayRef(planeStrides).drop_back());
          forEachPoint<2>(shape, {steps, outerStrides}, {from, to}, [&](auto at) {
            const T *p = channel + at[0];
            Wide<T> *sum = sums.get() + at[1];
            if (step == 1)
              for (int64_t i = 0; i < count; ++i)
                sum[i] = addProduct<T>(sum[i], p[i], weight);
            else
              for (int64_t i = 0; i < count; ++i)
                sum[i] = addProduct<T>(sum[i], p[i * step], weight);
          });
        }
      }
      T *to = result.elements<T>().data() + (n * out[1] + o) * planeSize;
      std::transform(sums.get(), sums.get() + planeSize, to, [](Wide<T> sum) { return T(sum); });
    }
  }
  return result;
}

} // namespace

Tensor tw::interp::evaluateContraction(Operation *op, ArrayRef<Tensor> x) {
  if (!isa<ContractOp, ConvOp>(op))
    return Tensor();
  return visitElementType(x[0].getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (auto contraction = dyn_cast<ContractOp>(op))
      return contract<T>(contraction, x[0], x[1]);
    return conv<T>(cast<ConvOp>(op), x[0], x[1]);
  });
}
