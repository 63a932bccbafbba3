// Attention, as the compiler knows it: products, a mask, a softmax in f32.
#include "State.h"

#include <cmath>
#include <limits>

using namespace tw::fe;
namespace fe = tw::fe;

Value fe::attention(Arg query, Arg key, Arg value, Arg mask, bool is_causal, double scale) {
  Scope s("attention", query, key, value, mask);
  Value q = s.done(s.floating(query)), k = s.done(s.floating(key)), v = s.done(s.floating(value));
  if (!s)
    return s.poison();
  int64_t rank = q.rank();
  auto shapes = [&] {
    return fe::str(q.shape()) + ", " + fe::str(k.shape()) + " and " + fe::str(v.shape());
  };
  if (rank < 3 || k.rank() != rank || v.rank() != rank)
    return s.error(Code::T0208, "expected operands of one rank of 3 or more, found " + shapes());
  Dim heads = q.size(-3), groups = k.size(-3), rows = q.size(-2), keys = k.size(-2),
      width = q.size(-1);
  bool grouped = heads != groups;
  bool fits = k.size(-1) == width && v.size(-2) == keys && v.size(-3) == groups &&
              width.isStatic() &&
              (!grouped || (heads.isStatic() && groups.isStatic() && groups.getConstant() > 0 &&
                            heads.getConstant() % groups.getConstant() == 0));
  for (int64_t i = 0; i < rank - 3; ++i)
    fits &= q.size(i) == k.size(i) && q.size(i) == v.size(i);
  if (!fits)
    return s.error(
        Code::T0208,
        "expected [..., h, s, d], [..., g, t, d] and [..., g, t, e], g dividing h, found " +
            shapes());
  DType dtype = q.dtype();
  Shape front = q.shape();
  front.resize(size_t(rank - 3));
  Shape scored = front, out = front;
  scored.insert(scored.end(), {heads, rows, keys});
  out.insert(out.end(), {heads, rows, v.size(-1)});
  // Heads that share keys are dimensions of their own: nothing is repeated.
  if (grouped) {
    Shape split = front;
    split.insert(split.end(), {groups, heads.getConstant() / groups.getConstant(), rows, width});
    q = reshape(q, split);
  }
  std::string batch;
  for (int64_t i = 0; i < rank - 3; ++i)
    batch += char('A' + i);
  std::string h = grouped ? "gh" : "g";
  Value scores = einsum(batch + h + "sd," + batch + "gtd->" + batch + h + "st", {q, k});
  scores = reshape(dtype == f64 ? scores : astype(scores, f32), scored);
  scores = scores * (scale == 0 ? 1 / std::sqrt(double(width.getConstant())) : scale);
  constexpr double never = -std::numeric_limits<double>::infinity();
  if (is_causal) {
    Value row = iota(s.self(), {rows, keys}, 0, i32), column = iota(s.self(), {rows, keys}, 1, i32);
    scores = where(column <= row, scores, never);
  }
  if (!mask.isNone()) {
    Value seen = s.done(s.get(mask));
    scores = seen.dtype() == boolean ? where(seen, scores, never)
                                     : scores + astype(seen, scores.dtype());
  }
  Value weights = astype(softmax(scores, -1), dtype);
  if (grouped) {
    Shape split = front;
    split.insert(split.end(), {groups, heads.getConstant() / groups.getConstant(), rows, keys});
    weights = reshape(weights, split);
  }
  return reshape(einsum(batch + h + "st," + batch + "gte->" + batch + h + "se", {weights, v}), out);
}

Value fe::multi_head_attention(Arg query, Arg key, Arg value, int64_t num_heads, Arg mask,
                               bool is_causal) {
  Scope s("multi_head_attention", query, key, value, mask);
  auto cut = [&](const Arg &arg) -> Value {
    Value x = s.done(s.floating(arg));
    if (!s)
      return x;
    if (x.rank() != 3 || !x.size(2).isStatic() || num_heads < 1 ||
        x.size(2).getConstant() % num_heads)
      return s.error(Code::T0208, "expected [b, s, e] with " + Twine(num_heads) +
                                      " heads dividing e, found " + fe::str(x.shape()));
    return permute_dims(
        reshape(x, {x.size(0), x.size(1), num_heads, x.size(2).getConstant() / num_heads}),
        {0, 2, 1, 3});
  };
  Value out =
      permute_dims(attention(cut(query), cut(key), cut(value), mask, is_causal), {0, 2, 1, 3});
  return s ? reshape(out, {out.size(0), out.size(1),
                           out.size(2).getConstant() * out.size(3).getConstant()})
           : s.poison();
}

Value fe::rotary_embedding(Arg x, Arg cosine, Arg sine) {
  Scope s("rotary_embedding", x, cosine, sine);
  Value value = s.done(s.floating(x)), c = s.done(s.floating(cosine)), d = s.done(s.floating(sine));
  if (!s)
    return s.poison();
  DType dtype = value.dtype();
  Dim width = value.size(-1);
  if (value.rank() == 0 || !width.isStatic() || width.getConstant() % 2)
    return s.error(Code::T0208, "expected an even last dimension, found " + fe::str(value.shape()));
  DType wide = dtype == f64 ? f64 : f32;
  Values halves = split(value, 2, -1);
  Value a = astype(halves[0], wide), b = astype(halves[1], wide);
  return astype(concat({a * c - b * d, b * c + a * d}, -1), dtype);
}
