// Sums of products: matmul, einsum and what they are used for, convolutions.
#include "State.h"

#include "llvm/ADT/StringExtras.h"

using namespace tw::fe;
namespace fe = tw::fe;

/// `count` letters from the `first` on; 52 there are.
static std::string letters(size_t first, size_t count) {
  std::string text;
  for (size_t i = first; i != first + count; ++i)
    text += char(i < 26 ? 'a' + i : 'A' + (i - 26));
  return text;
}

/// a[batch..., free of a, summed], b[batch..., ...] whose leading dimensions broadcast: a letter
/// stands for a dimension of both, those of size 1 beside a larger one are dropped.
static mlir::Value product(Scope &s, mlir::Value a, mlir::Value b, StringRef aTail, StringRef bTail,
                           StringRef resultTail) {
  if (!a || !b)
    return {};
  graph::Shape x = s.shape(a), y = s.shape(b), batch;
  size_t xBatch = x.size() - aTail.size(), yBatch = y.size() - bTail.size();
  size_t count = std::max(xBatch, yBatch);
  if (count > 40) {
    s.error(Code::T0208, "expected at most 40 leading dimensions, found " + Twine(count));
    return {};
  }
  std::string all = letters(3, count), xLetters, yLetters;
  graph::Shape xShape, yShape;
  for (size_t i = 0; i != count; ++i) {
    // From the end, where shapes are aligned.
    bool inX = i + xBatch >= count, inY = i + yBatch >= count;

    tw::Dim xDim = inX ? x[i + xBatch - count] : tw::Dim(1),
            yDim = inY ? y[i + yBatch - count] : tw::Dim(1);
    if (xDim != yDim && xDim != tw::Dim(1) && yDim != tw::Dim(1)) {
      s.error(Code::T0208,
              "cannot broadcast shapes " + graph::toString(x) + " and " + graph::toString(y));
      return {};
    }
    batch.push_back(xDim == tw::Dim(1) ? yDim : xDim);
    if (inX && (xDim != tw::Dim(1) || yDim == tw::Dim(1))) {
      xLetters += all[i];
      xShape.push_back(xDim);
    }
    if (inY && (yDim != tw::Dim(1) || xDim == tw::Dim(1))) {
      yLetters += all[i];
      yShape.push_back(yDim);
    }
  }
  xShape.append(x.end() - aTail.size(), x.end());
  yShape.append(y.end() - bTail.size(), y.end());
  std::string spec =
      xLetters + aTail.str() + "," + yLetters + bTail.str() + "->" + all + resultTail.str();
  return s.contract(spec, s.reshape(a, xShape), s.reshape(b, yShape));
}

Value fe::matmul(Arg a, Arg b) {
  Scope s("matmul", a, b);
  // The types are unified, the shapes are not.
  if (a.isNone() || b.isNone() || a.kind != Arg::Kind::Tensor || b.kind != Arg::Kind::Tensor)
    return s.error(Code::T0208, "expected two tensors of rank 1 or more");
  if (!s)
    return s.poison();
  std::optional<DType> common = promote(a.value.dtype(), b.value.dtype());
  if (!common)
    return s.error(Code::T0213, "expected operands of one element type, found " +
                                    nameOf(a.value.dtype()) + " and " + nameOf(b.value.dtype()));
  mlir::Value x = s.cast(s.get(a), *common), y = s.cast(s.get(b), *common);
  if (s.rank(x) == 0 || s.rank(y) == 0)
    return s.error(Code::T0208, "expected two tensors of rank 1 or more");
  bool xIsVector = s.rank(x) == 1, yIsVector = s.rank(y) == 1;
  tw::Dim inner = s.shape(x).back(), other = s.shape(y)[yIsVector ? 0 : s.rank(y) - 2];
  if (inner != other)
    return s.error(Code::T0208, "expected one inner size, found " + tw::toString(inner) + " of " +
                                    graph::toString(s.shape(x)) + " and " + tw::toString(other) +
                                    " of " + graph::toString(s.shape(y)));
  return s.done(product(s, x, y, xIsVector ? "b" : "ab", yIsVector ? "b" : "bc",
                        xIsVector ? (yIsVector ? "" : "c") : (yIsVector ? "a" : "ac")));
}

Value fe::matrix_transpose(Arg x) {
  Scope s("matrix_transpose", x);
  mlir::Value value = s.get(x);
  if (value && s.rank(value) < 2)
    return s.error(Code::T0208, "expected rank 2 or more, found " + Twine(s.rank(value)));
  return swapaxes(x, -1, -2);
}

Value fe::einsum(Text spec, Args operands) {
  Scope s("einsum", operands);
  if (!s)
    return s.poison();
  auto [inputs, output] = StringRef(spec).split("->");
  std::string text;
  for (char c : inputs)
    if (c != ' ')
      text += c;
  SmallVector<StringRef> parts;
  StringRef(text).split(parts, ',');
  std::string result;
  for (char c : output)
    if (c != ' ')
      result += c;
  if (!StringRef(spec).contains("->"))
    for (char c = 'A'; c <= 'z'; ++c)
      if (llvm::count(text, c) == 1)
        result += c;
  if (parts.size() != operands.values.size() || parts.empty())
    return s.error(Code::T0207, "expected a spec of " + Twine(operands.values.size()) +
                                    " operands, found \"" + StringRef(spec) + "\"");
  std::optional<DType> common = operands.values.front().dtype();
  for (const Value &value : operands.values)
    common = common ? promote(*common, value.dtype()) : common;
  if (!common)
    return s.error(Code::T0213, "expected operands of one element type");
  SmallVector<mlir::Value> values = s.get(operands);
  if (values.empty())
    return s.poison();
  for (mlir::Value &value : values)
    value = s.cast(value, *common);
  if (parts.size() == 1) {
    // The product with 1; canonical forms are those of reduce and permute.
    if (int64_t(parts[0].size()) != s.rank(values[0]))
      return s.error(Code::T0207, "expected " + Twine(s.rank(values[0])) + " letters, found \"" +
                                      parts[0] + "\"");
    std::vector<int64_t> summed, order;
    std::string kept;
    for (auto [i, letter] : llvm::enumerate(parts[0])) {
      if (parts[0].take_front(i).contains(letter))
        return s.error(Code::T0207, "expected each letter once in \"" + parts[0] + "\"");
      if (result.find(letter) == std::string::npos)
        summed.push_back(int64_t(i));
      else
        kept += letter;
    }
    for (char letter : result) {
      size_t place = kept.find(letter);
      if (place == std::string::npos || order.size() >= kept.size())
        return s.error(Code::T0207, "expected letters of the result from the operand, found \"" +
                                        StringRef(result) + "\"");
      order.push_back(int64_t(place));
    }
    Value left = s.done(values[0]);
    if (!summed.empty())
      left = sum(left, summed);
    return permute_dims(left, order);
  }
  std::string known = parts[0].str();
  mlir::Value product = values[0];
  for (size_t i = 1; i != parts.size(); ++i) {
    std::string kept;
    if (i + 1 == parts.size())
      kept = result;
    else
      for (char letter : known + parts[i].str()) {
        bool later = result.find(letter) != std::string::npos;
        for (size_t j = i + 1; j != parts.size(); ++j)
          later |= parts[j].contains(letter);
        if (later && kept.find(letter) == std::string::npos)
          kept += letter;
      }
    product = s.contract(known + "," + parts[i].str() + "->" + kept, product, values[i]);
    known = kept;
  }
  return s.done(product);
}

Value fe::tensordot(Arg a, Arg b, Ints axes1, Ints axes2) {
  Scope s("tensordot", a, b);
  Value x = s.done(s.get(a)), y = s.done(s.get(b));
  if (axes1.get().size() != axes2.get().size())
    return s.error(Code::T0205, "expected as many axes of x1 as of x2, found " +
                                    Twine(axes1.get().size()) + " and " +
                                    Twine(axes2.get().size()));
  std::string xLetters = letters(0, x.rank()), yLetters = letters(x.rank(), y.rank()), left;
  for (auto [i, j] : llvm::zip(axes1.get(), axes2.get())) {
    int64_t p = s.axis(i, x.rank()), q = s.axis(j, y.rank());
    if (!s)
      return s.poison();
    yLetters[q] = xLetters[p];
  }
  for (char letter : xLetters + yLetters)
    if ((xLetters.find(letter) == std::string::npos) !=
        (yLetters.find(letter) == std::string::npos))
      left += letter;
  return einsum(xLetters + "," + yLetters + "->" + left, {x, y});
}

Value fe::vecdot(Arg a, Arg b, int64_t axis) {
  Scope s("vecdot", a, b);
  return sum(multiply(a, b), axis);
}

Value fe::outer(Arg a, Arg b) {
  Scope s("outer", a, b);
  return einsum("a,b->ab", {s.done(s.get(a)), s.done(s.get(b))});
}

/// [o] along dimension 1 of what it is added to.
static Value addBias(Scope &s, Value result, const Arg &bias) {
  if (bias.isNone() || !s || !result.ok())
    return result;
  mlir::Value value = s.get(bias);
  if (s.rank(value) != 1)
    return s.error(Code::T0208,
                   "expected a bias of rank 1, found " + graph::toString(s.shape(value)));
  Shape shape(size_t(result.rank() - 1), Dim(1));
  shape[0] = fromDim(s.shape(value)[0]);
  return result + reshape(s.done(value), shape);
}

Value fe::conv(Arg x, Arg weights, Arg bias, Ints strides, Ints padding, Ints dilations,
               int64_t groups) {
  Scope s("conv", x, weights, bias);
  mlir::Value input = s.get(x), filter = s.get(weights);
  if (!input || !filter)
    return s.poison();
  size_t spatial = size_t(std::max<int64_t>(s.rank(input) - 2, 0));
  auto [low, high] = s.padding(padding, spatial);
  auto stride = s.list(strides, spatial, "strides"),
       dilation = s.list(dilations, spatial, "dilations");
  if (!s)
    return s.poison();
  Value result = s.done(s.make<graph::ConvOp>(
      {input, filter},
      {s.attribute("strides", stride), s.attribute("dilations", dilation),
       s.attribute("pad_low", low), s.attribute("pad_high", high), s.attribute("groups", groups)}));
  return addBias(s, result, bias);
}

// Zeros between the elements, then a convolution with the flipped and transposed weights.
Value fe::conv_transpose(Arg x, Arg weights, Arg bias, Ints strides, Ints padding,
                         Ints output_padding, Ints dilations, int64_t groups) {
  Scope s("conv_transpose", x, weights, bias);
  Value input = s.done(s.get(x)), filter = s.done(s.get(weights));
  if (!s)
    return s.poison();
  int64_t rank = input.rank();
  if (rank < 3 || filter.rank() != rank)
    return s.error(Code::T0208,
                   "expected an operand and weights of one rank of at least 3, found ranks " +
                       Twine(rank) + " and " + Twine(filter.rank()));
  size_t spatial = size_t(rank - 2);
  auto [low, high] = s.padding(padding, spatial);
  auto stride = s.list(strides, spatial, "strides"),
       dilation = s.list(dilations, spatial, "dilations"),
       extra = s.list(output_padding, spatial, "output_padding");
  for (ArrayRef<int64_t> list :
       {ArrayRef<int64_t>(low), ArrayRef<int64_t>(high), ArrayRef<int64_t>(stride),
        ArrayRef<int64_t>(dilation), ArrayRef<int64_t>(extra)})
    for (int64_t entry : list)
      if (entry < (list.data() == stride.data() || list.data() == dilation.data()) ||
          entry > UINT16_MAX)
        return s.error(Code::T0206,
                       "expected strides and dilations from 1, padding from 0, to 65535, found " +
                           Twine(entry));
  if (!s)
    return s.poison();
  Shape shape = filter.shape();
  for (const Dim &dim : shape)
    if (!dim.isStatic())
      return s.error(Code::T0208, "expected weights of static sizes, found " + fe::str(shape));
  int64_t in = shape[0].getConstant(), out = shape[1].getConstant();
  if (groups < 1 || in % groups)
    return s.error(Code::T0206, "expected groups that divide " + Twine(in) + " channels, found " +
                                    Twine(groups));
  std::vector<int64_t> axes, before, behind;
  for (size_t i = 0; i != spatial; ++i) {
    int64_t axis = int64_t(i) + 2;
    axes.push_back(axis);
    if (stride[i] > 1) {
      // [x] -> [x, 1] -> [x, stride] -> [x * stride], without the zeros behind the last one.
      Dim size = input.size(axis);
      Shape apart = input.shape();
      apart.insert(apart.begin() + axis + 1, Dim(1));
      std::vector<int64_t> none(size_t(rank + 1), 0), right = none;
      right[size_t(axis) + 1] = stride[i] - 1;
      Shape together = input.shape();
      together[size_t(axis)] = size * stride[i];
      input = reshape(pad(reshape(input, apart), none, right), together);
      if (!size.isStatic())
        return s.error(Code::T0208, "expected static spatial sizes with strides, found " +
                                        fe::str(input.shape()));
      input = slice(input, 0, size.getConstant() * stride[i] - (stride[i] - 1), 1, axis);
    }
    int64_t reach = dilation[i] * (shape[size_t(axis)].getConstant() - 1);
    before.push_back(reach - low[i]);
    behind.push_back(reach - high[i] + extra[i]);
  }
  // Negative padding crops.
  for (size_t i = 0; i != spatial; ++i) {
    int64_t axis = int64_t(i) + 2;
    if (before[i] >= 0 && behind[i] >= 0)
      continue;
    Dim size = input.size(axis);
    if (!size.isStatic())
      return s.error(Code::T0208, "expected static sizes to crop, found " + fe::str(input.shape()));
    int64_t first = std::max<int64_t>(-before[i], 0),
            last = size.getConstant() - std::max<int64_t>(-behind[i], 0);
    input = slice(input, first, std::max(first, last), 1, axis);
    before[i] = std::max<int64_t>(before[i], 0);
    behind[i] = std::max<int64_t>(behind[i], 0);
  }
  // [groups, in / groups, out / groups, ...] to [groups * out / groups, in / groups, ...]
  Shape split{groups, in / groups, out}, joined{groups * out, in / groups};
  split.insert(split.end(), shape.begin() + 2, shape.end());
  joined.insert(joined.end(), shape.begin() + 2, shape.end());
  filter = flip(reshape(swapaxes(reshape(filter, split), 1, 2), joined), axes);
  before.insert(before.end(), behind.begin(), behind.end());
  return conv(input, filter, bias, 1, before,
              std::vector<int64_t>(dilation.begin(), dilation.end()), groups);
}

Value fe::linear(Arg x, Arg weight, Arg bias) {
  Scope s("linear", x, weight, bias);
  mlir::Value input = s.get(x), matrix = s.get(weight);
  if (!input || !matrix)
    return s.poison();
  if (s.rank(input) < 1 || s.rank(matrix) != 2)
    return s.error(Code::T0208,
                   "expected an operand of rank 1 or more and a weight of rank 2, found " +
                       graph::toString(s.shape(input)) + " and " +
                       graph::toString(s.shape(matrix)));
  if (s.shape(input).back() != s.shape(matrix)[1])
    return s.error(Code::T0208, "expected a weight [n, " + tw::toString(s.shape(input).back()) +
                                    "], found " + graph::toString(s.shape(matrix)));
  std::string rest = letters(2, size_t(s.rank(input) - 1));
  Value result = s.done(s.contract(rest + "a,ba->" + rest + "b", input, matrix));
  return bias.isNone() ? result : result + s.done(s.get(bias));
}
