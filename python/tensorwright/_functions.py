"""The functions of the front end, for tensors of a function that `tensorwright.jit` traces.

Written by tools/dev/docs from include/tw/Frontend/Ops.def; edit that.
"""

from __future__ import annotations

from tensorwright._trace import many, one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright._trace import DTypeLike, Operand, Tensor

__all__ = [
    "abs",
    "acos",
    "acosh",
    "adagrad",
    "adam",
    "adamw",
    "add",
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atanh",
    "attention",
    "avg_pool",
    "batch_norm",
    "batch_norm_training",
    "binary_cross_entropy",
    "bitcast",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "broadcast_to",
    "ceil",
    "celu",
    "clip",
    "clip_by_norm",
    "concat",
    "conv",
    "conv_transpose",
    "cos",
    "cosh",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "cumulative_max",
    "cumulative_min",
    "cumulative_prod",
    "cumulative_sum",
    "divide",
    "dropout",
    "dynamic_slice",
    "einsum",
    "elu",
    "embedding",
    "equal",
    "erf",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "eye",
    "flatten",
    "flip",
    "floor",
    "floor_divide",
    "fmod",
    "full",
    "full_like",
    "gather",
    "gelu",
    "global_avg_pool",
    "glu",
    "greater",
    "greater_equal",
    "group_norm",
    "gru",
    "gru_cell",
    "hard_sigmoid",
    "hard_silu",
    "hard_tanh",
    "hinge_loss",
    "huber_loss",
    "instance_norm",
    "iota",
    "isfinite",
    "isinf",
    "isnan",
    "kl_divergence",
    "l1_loss",
    "l2_normalize",
    "layer_norm",
    "leaky_relu",
    "less",
    "less_equal",
    "linear",
    "linspace",
    "lion",
    "local_response_norm",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_sigmoid",
    "log_softmax",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "lstm",
    "lstm_cell",
    "matmul",
    "matrix_transpose",
    "max",
    "max_pool",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mish",
    "moveaxis",
    "mse_loss",
    "multi_head_attention",
    "multiply",
    "negative",
    "nll_loss",
    "norm",
    "not_equal",
    "one_hot",
    "ones",
    "ones_like",
    "outer",
    "pad",
    "permute_dims",
    "pow",
    "prelu",
    "prod",
    "random_bits",
    "random_normal",
    "random_uniform",
    "reciprocal",
    "reduce_window",
    "relu",
    "relu6",
    "remainder",
    "repeat",
    "reshape",
    "rms_norm",
    "rmsprop",
    "rnn",
    "rnn_cell",
    "roll",
    "rotary_embedding",
    "round",
    "rsqrt",
    "scatter",
    "segment_max",
    "segment_mean",
    "segment_sum",
    "select",
    "selu",
    "sgd",
    "shape_size",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "sinh",
    "slice",
    "smooth_l1_loss",
    "soft_sign",
    "softmax",
    "softplus",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "stop_gradient",
    "subtract",
    "sum",
    "swapaxes",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "top_k",
    "tril",
    "triu",
    "trunc",
    "unstack",
    "update_slice",
    "var",
    "vecdot",
    "where",
    "zeros",
    "zeros_like",
]


def add(x1: Operand, x2: Operand) -> Tensor:
    """x1 + x2; integers wrap."""
    return one("add", "vv", x1, x2)


def subtract(x1: Operand, x2: Operand) -> Tensor:
    """x1 - x2; integers wrap."""
    return one("subtract", "vv", x1, x2)


def multiply(x1: Operand, x2: Operand) -> Tensor:
    """x1 * x2; integers wrap."""
    return one("multiply", "vv", x1, x2)


def divide(x1: Operand, x2: Operand) -> Tensor:
    """x1 / x2, of integers as f32."""
    return one("divide", "vv", x1, x2)


def floor_divide(x1: Operand, x2: Operand) -> Tensor:
    """The largest integer not above x1 / x2; of integers -1 (the greatest, unsigned) by 0."""
    return one("floor_divide", "vv", x1, x2)


def remainder(x1: Operand, x2: Operand) -> Tensor:
    """What floor_divide leaves, of x2's sign; x1 for integers by 0."""
    return one("remainder", "vv", x1, x2)


def fmod(x1: Operand, x2: Operand) -> Tensor:
    """What the truncated quotient leaves, of x1's sign, as fmod of C."""
    return one("fmod", "vv", x1, x2)


def pow(x1: Operand, x2: Operand) -> Tensor:
    """x1 to the power of x2."""
    return one("pow", "vv", x1, x2)


def minimum(x1: Operand, x2: Operand) -> Tensor:
    """The smaller element; NaN where either is."""
    return one("minimum", "vv", x1, x2)


def maximum(x1: Operand, x2: Operand) -> Tensor:
    """The greater element; NaN where either is."""
    return one("maximum", "vv", x1, x2)


def logaddexp(x1: Operand, x2: Operand) -> Tensor:
    """log(exp(x1) + exp(x2)) without overflow."""
    return one("logaddexp", "vv", x1, x2)


def negative(x: Operand) -> Tensor:
    """-x."""
    return one("negative", "v", x)


def abs(x: Operand) -> Tensor:
    """The absolute value."""
    return one("abs", "v", x)


def sign(x: Operand) -> Tensor:
    """-1, 0 or 1 as x is below, at or above 0."""
    return one("sign", "v", x)


def square(x: Operand) -> Tensor:
    """x * x."""
    return one("square", "v", x)


def reciprocal(x: Operand) -> Tensor:
    """1 / x."""
    return one("reciprocal", "v", x)


def clip(x: Operand, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """Limited to the range from min to max, each of which may be left out."""
    return one("clip", "vvv", x, min, max)


def exp(x: Operand) -> Tensor:
    """The exponential."""
    return one("exp", "v", x)


def exp2(x: Operand) -> Tensor:
    """2 to the power of x."""
    return one("exp2", "v", x)


def expm1(x: Operand) -> Tensor:
    """exp(x) - 1, accurate near 0."""
    return one("expm1", "v", x)


def log(x: Operand) -> Tensor:
    """The natural logarithm."""
    return one("log", "v", x)


def log1p(x: Operand) -> Tensor:
    """log(1 + x), accurate near 0."""
    return one("log1p", "v", x)


def log2(x: Operand) -> Tensor:
    """The logarithm to the base 2."""
    return one("log2", "v", x)


def log10(x: Operand) -> Tensor:
    """The logarithm to the base 10."""
    return one("log10", "v", x)


def sqrt(x: Operand) -> Tensor:
    """The square root."""
    return one("sqrt", "v", x)


def rsqrt(x: Operand) -> Tensor:
    """1 / sqrt(x)."""
    return one("rsqrt", "v", x)


def sin(x: Operand) -> Tensor:
    """The sine of radians."""
    return one("sin", "v", x)


def cos(x: Operand) -> Tensor:
    """The cosine of radians."""
    return one("cos", "v", x)


def tan(x: Operand) -> Tensor:
    """The tangent of radians."""
    return one("tan", "v", x)


def asin(x: Operand) -> Tensor:
    """The arc sine in radians."""
    return one("asin", "v", x)


def acos(x: Operand) -> Tensor:
    """The arc cosine in radians."""
    return one("acos", "v", x)


def atan(x: Operand) -> Tensor:
    """The arc tangent in radians."""
    return one("atan", "v", x)


def sinh(x: Operand) -> Tensor:
    """The hyperbolic sine."""
    return one("sinh", "v", x)


def cosh(x: Operand) -> Tensor:
    """The hyperbolic cosine."""
    return one("cosh", "v", x)


def tanh(x: Operand) -> Tensor:
    """The hyperbolic tangent."""
    return one("tanh", "v", x)


def asinh(x: Operand) -> Tensor:
    """The inverse hyperbolic sine."""
    return one("asinh", "v", x)


def acosh(x: Operand) -> Tensor:
    """The inverse hyperbolic cosine."""
    return one("acosh", "v", x)


def atanh(x: Operand) -> Tensor:
    """The inverse hyperbolic tangent."""
    return one("atanh", "v", x)


def erf(x: Operand) -> Tensor:
    """The error function."""
    return one("erf", "v", x)


def floor(x: Operand) -> Tensor:
    """The largest integer not above; integers stay."""
    return one("floor", "v", x)


def ceil(x: Operand) -> Tensor:
    """The smallest integer not below; integers stay."""
    return one("ceil", "v", x)


def trunc(x: Operand) -> Tensor:
    """The integer next to it towards 0; integers stay."""
    return one("trunc", "v", x)


def round(x: Operand) -> Tensor:
    """The nearest integer, halves to even; integers stay."""
    return one("round", "v", x)


def bitwise_and(x1: Operand, x2: Operand) -> Tensor:
    """And of the bits of integers or bools."""
    return one("bitwise_and", "vv", x1, x2)


def bitwise_or(x1: Operand, x2: Operand) -> Tensor:
    """Or of the bits of integers or bools."""
    return one("bitwise_or", "vv", x1, x2)


def bitwise_xor(x1: Operand, x2: Operand) -> Tensor:
    """Exclusive or of the bits of integers or bools."""
    return one("bitwise_xor", "vv", x1, x2)


def bitwise_invert(x: Operand) -> Tensor:
    """The complement of the bits of integers or bools."""
    return one("bitwise_invert", "v", x)


def bitwise_left_shift(x1: Operand, x2: Operand) -> Tensor:
    """x1 shifted to the left by x2 bits; 0 at or above the width."""
    return one("bitwise_left_shift", "vv", x1, x2)


def bitwise_right_shift(x1: Operand, x2: Operand) -> Tensor:
    """x1 shifted to the right by x2 bits, with its sign where it has one."""
    return one("bitwise_right_shift", "vv", x1, x2)


def logical_and(x1: Operand, x2: Operand) -> Tensor:
    """Whether both are true (not 0)."""
    return one("logical_and", "vv", x1, x2)


def logical_or(x1: Operand, x2: Operand) -> Tensor:
    """Whether either is true (not 0)."""
    return one("logical_or", "vv", x1, x2)


def logical_xor(x1: Operand, x2: Operand) -> Tensor:
    """Whether one alone is true (not 0)."""
    return one("logical_xor", "vv", x1, x2)


def logical_not(x: Operand) -> Tensor:
    """Whether it is false (0)."""
    return one("logical_not", "v", x)


def equal(x1: Operand, x2: Operand) -> Tensor:
    """x1 == x2 as bools."""
    return one("equal", "vv", x1, x2)


def not_equal(x1: Operand, x2: Operand) -> Tensor:
    """x1 != x2 as bools."""
    return one("not_equal", "vv", x1, x2)


def less(x1: Operand, x2: Operand) -> Tensor:
    """x1 < x2 as bools."""
    return one("less", "vv", x1, x2)


def less_equal(x1: Operand, x2: Operand) -> Tensor:
    """x1 <= x2 as bools."""
    return one("less_equal", "vv", x1, x2)


def greater(x1: Operand, x2: Operand) -> Tensor:
    """x1 > x2 as bools."""
    return one("greater", "vv", x1, x2)


def greater_equal(x1: Operand, x2: Operand) -> Tensor:
    """x1 >= x2 as bools."""
    return one("greater_equal", "vv", x1, x2)


def isnan(x: Operand) -> Tensor:
    """Whether it is NaN."""
    return one("isnan", "v", x)


def isinf(x: Operand) -> Tensor:
    """Whether it is an infinity."""
    return one("isinf", "v", x)


def isfinite(x: Operand) -> Tensor:
    """Whether it is neither NaN nor an infinity."""
    return one("isfinite", "v", x)


def where(condition: Operand, x1: Operand, x2: Operand) -> Tensor:
    """The element of x1 where the condition, bools, holds, else that of x2."""
    return one("where", "vvv", condition, x1, x2)


def astype(x: Operand, dtype: DTypeLike) -> Tensor:
    """Converted: floats to integers truncate and saturate, integers to integers wrap, to bool x != 0."""
    return one("astype", "vT", x, dtype)


def bitcast(x: Operand, dtype: DTypeLike) -> Tensor:
    """The same bits as another type of as many, which are more than 8."""
    return one("bitcast", "vT", x, dtype)


def full(shape: int | Sequence[int], fill_value: Operand, dtype: DTypeLike = "float32") -> Tensor:
    """One number everywhere."""
    return one("full", "IvT", shape, fill_value, dtype)


def zeros(shape: int | Sequence[int], dtype: DTypeLike = "float32") -> Tensor:
    """Zeros."""
    return one("zeros", "IT", shape, dtype)


def ones(shape: int | Sequence[int], dtype: DTypeLike = "float32") -> Tensor:
    """Ones."""
    return one("ones", "IT", shape, dtype)


def full_like(x: Operand, fill_value: Operand) -> Tensor:
    """One number everywhere, of the shape and type of x."""
    return one("full_like", "vv", x, fill_value)


def zeros_like(x: Operand) -> Tensor:
    """Zeros of the shape and type of x."""
    return one("zeros_like", "v", x)


def ones_like(x: Operand) -> Tensor:
    """Ones of the shape and type of x."""
    return one("ones_like", "v", x)


def arange(start: int, stop: int, step: int = 1, dtype: DTypeLike = "int64") -> Tensor:
    """start, start + step ... below stop (above, with a negative step)."""
    return one("arange", "iiiT", start, stop, step, dtype)


def iota(shape: int | Sequence[int], axis: int, dtype: DTypeLike = "int64") -> Tensor:
    """Each element its own index along the axis."""
    return one("iota", "IiT", shape, axis, dtype)


def linspace(start: float, stop: float, num: int, endpoint: bool = True, dtype: DTypeLike = "float32") -> Tensor:
    """num numbers from start to stop at equal distances."""
    return one("linspace", "nnibT", start, stop, num, endpoint, dtype)


def eye(n_rows: int, n_cols: int = -1, k: int = 0, dtype: DTypeLike = "float32") -> Tensor:
    """Ones on diagonal k, else zeros; square without n_cols."""
    return one("eye", "iiiT", n_rows, n_cols, k, dtype)


def tril(x: Operand, k: int = 0) -> Tensor:
    """The last two dimensions with zeros above diagonal k."""
    return one("tril", "vi", x, k)


def triu(x: Operand, k: int = 0) -> Tensor:
    """The last two dimensions with zeros below diagonal k."""
    return one("triu", "vi", x, k)


def shape_size(x: Operand, axis: int, dtype: DTypeLike = "int64") -> Tensor:
    """The size along an axis as a scalar."""
    return one("shape_size", "viT", x, axis, dtype)


def matmul(x1: Operand, x2: Operand) -> Tensor:
    """The matrix product of [..., m, k] and [..., k, n], whose leading dimensions broadcast; vectors as numpy's."""
    return one("matmul", "vv", x1, x2)


def einsum(spec: str, operands: Sequence[Operand]) -> Tensor:
    """Einstein's sum of one or more operands: "bmk,bkn->bmn", a letter for a dimension, each once in an operand."""
    return one("einsum", "sV", spec, operands)


def tensordot(x1: Operand, x2: Operand, axes1: int | Sequence[int], axes2: int | Sequence[int]) -> Tensor:
    """Sums products over axes1 of x1 and axes2 of x2, in pairs; what is left of x1, then of x2."""
    return one("tensordot", "vvII", x1, x2, axes1, axes2)


def vecdot(x1: Operand, x2: Operand, axis: int = -1) -> Tensor:
    """The sum of products along an axis of both, which broadcast."""
    return one("vecdot", "vvi", x1, x2, axis)


def outer(x1: Operand, x2: Operand) -> Tensor:
    """All products of the elements of two vectors, [m] and [n] to [m, n]."""
    return one("outer", "vv", x1, x2)


def matrix_transpose(x: Operand) -> Tensor:
    """The last two dimensions exchanged."""
    return one("matrix_transpose", "v", x)


def conv(x: Operand, weights: Operand, bias: Operand | None = None, strides: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, dilations: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """Convolution of [n, c, spatial...] with [o, c / groups, spatial...]; padding is one number, one for each spatial dimension, or those before and then those behind."""
    return one("conv", "vvvIIIi", x, weights, bias, strides, padding, dilations, groups)


def conv_transpose(x: Operand, weights: Operand, bias: Operand | None = None, strides: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, dilations: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """The transposed convolution of [n, c, spatial...] with [c, o / groups, spatial...]: sizes (x - 1) * stride - padding + dilation * (k - 1) + output_padding + 1."""
    return one("conv_transpose", "vvvIIIIi", x, weights, bias, strides, padding, output_padding, dilations, groups)


def permute_dims(x: Operand, axes: int | Sequence[int]) -> Tensor:
    """Dimension i of the result is dimension axes[i]."""
    return one("permute_dims", "vI", x, axes)


def moveaxis(x: Operand, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Dimensions moved, the others in their order."""
    return one("moveaxis", "vII", x, source, destination)


def swapaxes(x: Operand, axis1: int, axis2: int) -> Tensor:
    """Two dimensions exchanged."""
    return one("swapaxes", "vii", x, axis1, axis2)


def reshape(x: Operand, shape: int | Sequence[int]) -> Tensor:
    """The same elements in row-major order; one size may be -1, what is left."""
    return one("reshape", "vI", x, shape)


def flatten(x: Operand, start: int = 0, stop: int = -1) -> Tensor:
    """Dimensions from start to stop, both included, as one."""
    return one("flatten", "vii", x, start, stop)


def expand_dims(x: Operand, axis: int | Sequence[int]) -> Tensor:
    """New dimensions of size 1 at these places of the result."""
    return one("expand_dims", "vI", x, axis)


def squeeze(x: Operand, axis: int | Sequence[int] | None = None) -> Tensor:
    """Without these dimensions of size 1, or without all."""
    return one("squeeze", "vI", x, axis)


def broadcast_to(x: Operand, shape: int | Sequence[int]) -> Tensor:
    """Repeated along dimensions of size 1 and new ones in front."""
    return one("broadcast_to", "vI", x, shape)


def concat(arrays: Sequence[Operand], axis: int = 0) -> Tensor:
    """One behind the other along an axis."""
    return one("concat", "Vi", arrays, axis)


def stack(arrays: Sequence[Operand], axis: int = 0) -> Tensor:
    """Side by side along a new axis."""
    return one("stack", "Vi", arrays, axis)


def split(x: Operand, sizes: int | Sequence[int], axis: int = 0) -> tuple[Tensor, ...]:
    """Parts along an axis: of the sizes listed, or that many equal ones."""
    return many("split", "vIi", x, sizes, axis)


def unstack(x: Operand, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis, which is removed."""
    return many("unstack", "vi", x, axis)


def slice(x: Operand, start: int | Sequence[int], stop: int | Sequence[int], step: int | Sequence[int] = 1, axes: int | Sequence[int] | None = None) -> Tensor:
    """x[start:stop:step] along the axes (the first ones), as Python's slices; a stop beyond the size is the end."""
    return one("slice", "vIIII", x, start, stop, step, axes)


def select(x: Operand, index: int, axis: int = 0) -> Tensor:
    """The slice of one index, which counts from the end where negative; the axis is removed."""
    return one("select", "vii", x, index, axis)


def dynamic_slice(x: Operand, start: Operand, size: int, axis: int = 0) -> Tensor:
    """size elements from start, an integer scalar, on; 0 for what lies outside."""
    return one("dynamic_slice", "vvii", x, start, size, axis)


def update_slice(x: Operand, update: Operand, start: int | Sequence[int], position: Operand | None = None, axis: int = 0) -> Tensor:
    """x with the elements of update from start on, along the axis from position, an integer scalar, on; what would lie outside is dropped."""
    return one("update_slice", "vvIvi", x, update, start, position, axis)


def pad(x: Operand, low: int | Sequence[int], high: int | Sequence[int], constant_value: Operand = 0) -> Tensor:
    """low[i] elements before and high[i] behind dimension i."""
    return one("pad", "vIIv", x, low, high, constant_value)


def flip(x: Operand, axis: int | Sequence[int] | None = None) -> Tensor:
    """Reversed along these axes, or all."""
    return one("flip", "vI", x, axis)


def roll(x: Operand, shift: int, axis: int) -> Tensor:
    """Moved by shift along an axis, what leaves on one side returning on the other."""
    return one("roll", "vii", x, shift, axis)


def tile(x: Operand, repetitions: int | Sequence[int]) -> Tensor:
    """The whole repeated, along each dimension so many times."""
    return one("tile", "vI", x, repetitions)


def repeat(x: Operand, repeats: int, axis: int) -> Tensor:
    """Each element repeated along an axis."""
    return one("repeat", "vii", x, repeats, axis)


def take(x: Operand, indices: Operand, axis: int = 0) -> Tensor:
    """The slices at integer indices along an axis, for which the dimensions of the indices stand; negative ones count from the end, 0 outside."""
    return one("take", "vvi", x, indices, axis)


def take_along_axis(x: Operand, indices: Operand, axis: int = -1) -> Tensor:
    """result[.., j, ..] = x[.., indices[.., j, ..], ..]: one element for each index; negative ones count from the end, 0 outside."""
    return one("take_along_axis", "vvi", x, indices, axis)


def gather(x: Operand, indices: Sequence[Operand], axis: int = 0, batch_dims: int = 0) -> Tensor:
    """Index tensors of one shape for the dimensions from axis on; the first batch_dims dimensions are shared. 0 outside, negative ones too."""
    return one("gather", "vVii", x, indices, axis, batch_dims)


def one_hot(x: Operand, num_classes: int, dtype: DTypeLike = "float32") -> Tensor:
    """[...] of integers to [..., num_classes]: 1 at the index, else 0."""
    return one("one_hot", "viT", x, num_classes, dtype)


def scatter(x: Operand, indices: Sequence[Operand], updates: Operand, kind: str = "set", axis: int = 0, batch_dims: int = 0) -> Tensor:
    """x with updates where gather with the same indices would read: "set" (the last one stays), "add", "mul", "max", "min", "all", "any"; what lies outside is dropped."""
    return one("scatter", "vVvsii", x, indices, updates, kind, axis, batch_dims)


def segment_sum(x: Operand, segments: Operand, num_segments: int) -> Tensor:
    """Sums of the slices along dimension 0 that have one number of segments, integers [n], each."""
    return one("segment_sum", "vvi", x, segments, num_segments)


def segment_mean(x: Operand, segments: Operand, num_segments: int) -> Tensor:
    """Means of the same, 0 of none."""
    return one("segment_mean", "vvi", x, segments, num_segments)


def segment_max(x: Operand, segments: Operand, num_segments: int) -> Tensor:
    """The greatest elements of the same, the lowest number (of floats -inf) of none."""
    return one("segment_max", "vvi", x, segments, num_segments)


def argsort(x: Operand, axis: int = -1, descending: bool = False) -> Tensor:
    """The positions, i64, of the elements along an axis in order; equal ones as they stand, NaN as the greatest."""
    return one("argsort", "vib", x, axis, descending)


def sort(x: Operand, axis: int = -1, descending: bool = False) -> Tensor:
    """The elements along an axis in order."""
    return one("sort", "vib", x, axis, descending)


def top_k(x: Operand, k: int, axis: int = -1) -> tuple[Tensor, ...]:
    """The k greatest elements along an axis, the greatest first, and their positions, i64."""
    return many("top_k", "vii", x, k, axis)


def random_bits(key: Operand, counter: Operand, shape: int | Sequence[int]) -> Tensor:
    """u32 words of Philox 4x32-10 with a 64-bit key, from a counter on; later calls continue at the counter plus a fourth of the words."""
    return one("random_bits", "vvI", key, counter, shape)


def random_uniform(key: Operand, counter: Operand, shape: int | Sequence[int], dtype: DTypeLike = "float32") -> Tensor:
    """From 0 up to 1, of the words of random_bits."""
    return one("random_uniform", "vvIT", key, counter, shape, dtype)


def random_normal(key: Operand, counter: Operand, shape: int | Sequence[int], dtype: DTypeLike = "float32") -> Tensor:
    """Of mean 0 and deviation 1, of the words of random_bits."""
    return one("random_normal", "vvIT", key, counter, shape, dtype)


def dropout(x: Operand, key: Operand, counter: Operand, rate: float = 0.5) -> Tensor:
    """Zeros where a uniform number is below the rate, elsewhere x / (1 - rate)."""
    return one("dropout", "vvvn", x, key, counter, rate)


def sum(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The sum over axes, or all; of the operand's type."""
    return one("sum", "vIb", x, axis, keepdims)


def prod(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The product over axes, or all; of the operand's type."""
    return one("prod", "vIb", x, axis, keepdims)


def max(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The greatest element over axes, or all; NaN if there is one."""
    return one("max", "vIb", x, axis, keepdims)


def min(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The smallest element over axes, or all; NaN if there is one."""
    return one("min", "vIb", x, axis, keepdims)


def all(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Whether all elements over axes, or all, are true (not 0)."""
    return one("all", "vIb", x, axis, keepdims)


def any(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """Whether an element over axes, or all, is true (not 0)."""
    return one("any", "vIb", x, axis, keepdims)


def mean(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """The mean over axes, or all."""
    return one("mean", "vIb", x, axis, keepdims)


def var(x: Operand, axis: int | Sequence[int] | None = None, correction: float = 0, keepdims: bool = False) -> Tensor:
    """The variance over axes, or all: squares of differences from the mean over their number less the correction."""
    return one("var", "vInb", x, axis, correction, keepdims)


def std(x: Operand, axis: int | Sequence[int] | None = None, correction: float = 0, keepdims: bool = False) -> Tensor:
    """The square root of var."""
    return one("std", "vInb", x, axis, correction, keepdims)


def logsumexp(x: Operand, axis: int | Sequence[int] | None = None, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))) over axes, or all, without overflow."""
    return one("logsumexp", "vIb", x, axis, keepdims)


def norm(x: Operand, axis: int | Sequence[int] | None = None, ord: float = 2, keepdims: bool = False) -> Tensor:
    """The vector norm over axes, or all: 1, 2 or inf."""
    return one("norm", "vInb", x, axis, ord, keepdims)


def argmax(x: Operand, axis: int = -1, keepdims: bool = False) -> Tensor:
    """The first index, i64, of the greatest element along an axis; NaN wins."""
    return one("argmax", "vib", x, axis, keepdims)


def argmin(x: Operand, axis: int = -1, keepdims: bool = False) -> Tensor:
    """The first index, i64, of the smallest element along an axis; NaN wins."""
    return one("argmin", "vib", x, axis, keepdims)


def cumulative_sum(x: Operand, axis: int = -1, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Sums up to each element, with it, or without it where exclusive; from the end with reverse."""
    return one("cumulative_sum", "vibb", x, axis, exclusive, reverse)


def cumulative_prod(x: Operand, axis: int = -1, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Products up to each element."""
    return one("cumulative_prod", "vibb", x, axis, exclusive, reverse)


def cumulative_max(x: Operand, axis: int = -1, reverse: bool = False) -> Tensor:
    """The greatest element up to each."""
    return one("cumulative_max", "vib", x, axis, reverse)


def cumulative_min(x: Operand, axis: int = -1, reverse: bool = False) -> Tensor:
    """The smallest element up to each."""
    return one("cumulative_min", "vib", x, axis, reverse)


def reduce_window(x: Operand, kind: str, window: int | Sequence[int], strides: int | Sequence[int] = 1, padding: int | Sequence[int] = 0, dilations: int | Sequence[int] = 1) -> Tensor:
    """"add", "mul", "max" or "min" of sliding windows, one number for each dimension; what lies outside has no influence."""
    return one("reduce_window", "vsIIII", x, kind, window, strides, padding, dilations)


def max_pool(x: Operand, window: int | Sequence[int], strides: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, dilations: int | Sequence[int] = 1) -> Tensor:
    """The greatest element of windows of the spatial dimensions of [n, c, spatial...]; windows side by side without strides."""
    return one("max_pool", "vIIII", x, window, strides, padding, dilations)


def avg_pool(x: Operand, window: int | Sequence[int], strides: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0, count_include_pad: bool = True) -> Tensor:
    """The mean of windows of the spatial dimensions of [n, c, spatial...]; padding counts as zeros, or not at all."""
    return one("avg_pool", "vIIIb", x, window, strides, padding, count_include_pad)


def global_avg_pool(x: Operand) -> Tensor:
    """The mean over the spatial dimensions of [n, c, spatial...], which stay with size 1."""
    return one("global_avg_pool", "v", x)


def relu(x: Operand) -> Tensor:
    """maximum(x, 0)."""
    return one("relu", "v", x)


def relu6(x: Operand) -> Tensor:
    """x limited to the range from 0 to 6."""
    return one("relu6", "v", x)


def leaky_relu(x: Operand, negative_slope: float = 0.01) -> Tensor:
    """x, times negative_slope where it is negative."""
    return one("leaky_relu", "vn", x, negative_slope)


def prelu(x: Operand, weight: Operand) -> Tensor:
    """x, times weight where it is negative."""
    return one("prelu", "vv", x, weight)


def elu(x: Operand, alpha: float = 1.0) -> Tensor:
    """x, or alpha * (exp(x) - 1) where it is negative."""
    return one("elu", "vn", x, alpha)


def celu(x: Operand, alpha: float = 1.0) -> Tensor:
    """x, or alpha * (exp(x / alpha) - 1) where it is negative."""
    return one("celu", "vn", x, alpha)


def selu(x: Operand) -> Tensor:
    """elu with the constants of self-normalizing networks."""
    return one("selu", "v", x)


def gelu(x: Operand, approximate: bool = True) -> Tensor:
    """x * P(X <= x) of a standard normal X, by tanh where approximate, else by erf."""
    return one("gelu", "vb", x, approximate)


def sigmoid(x: Operand) -> Tensor:
    """1 / (1 + exp(-x))."""
    return one("sigmoid", "v", x)


def log_sigmoid(x: Operand) -> Tensor:
    """log(sigmoid(x)) without overflow."""
    return one("log_sigmoid", "v", x)


def silu(x: Operand) -> Tensor:
    """x * sigmoid(x)."""
    return one("silu", "v", x)


def mish(x: Operand) -> Tensor:
    """x * tanh(softplus(x))."""
    return one("mish", "v", x)


def softplus(x: Operand) -> Tensor:
    """log(1 + exp(x)) without overflow."""
    return one("softplus", "v", x)


def soft_sign(x: Operand) -> Tensor:
    """x / (1 + abs(x))."""
    return one("soft_sign", "v", x)


def hard_sigmoid(x: Operand) -> Tensor:
    """x / 6 + 1 / 2 limited to the range from 0 to 1."""
    return one("hard_sigmoid", "v", x)


def hard_silu(x: Operand) -> Tensor:
    """x * hard_sigmoid(x)."""
    return one("hard_silu", "v", x)


def hard_tanh(x: Operand) -> Tensor:
    """x limited to the range from -1 to 1."""
    return one("hard_tanh", "v", x)


def glu(x: Operand, axis: int = -1) -> Tensor:
    """The first half along an axis times the sigmoid of the second."""
    return one("glu", "vi", x, axis)


def softmax(x: Operand, axis: int = -1) -> Tensor:
    """Exponentials scaled to the sum 1 along an axis."""
    return one("softmax", "vi", x, axis)


def log_softmax(x: Operand, axis: int = -1) -> Tensor:
    """The logarithm of softmax."""
    return one("log_softmax", "vi", x, axis)


def linear(x: Operand, weight: Operand, bias: Operand | None = None) -> Tensor:
    """[..., k] by a weight [n, k] to [..., n], plus a bias [n]."""
    return one("linear", "vvv", x, weight, bias)


def embedding(indices: Operand, weight: Operand) -> Tensor:
    """Rows of [rows, width] at integer indices [...]: [..., width]; 0 outside."""
    return one("embedding", "vv", indices, weight)


def layer_norm(x: Operand, scale: Operand | None = None, bias: Operand | None = None, axis: int | Sequence[int] = -1, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 over axes, then a scale and a bias of their shape."""
    return one("layer_norm", "vvvIn", x, scale, bias, axis, eps)


def rms_norm(x: Operand, scale: Operand | None = None, axis: int | Sequence[int] = -1, eps: float = 1e-5) -> Tensor:
    """x / sqrt(mean(x * x) + eps) over axes, then a scale of their shape; f16 and bf16 in f32."""
    return one("rms_norm", "vvIn", x, scale, axis, eps)


def batch_norm(x: Operand, scale: Operand, bias: Operand, mean: Operand, variance: Operand, eps: float = 1e-5) -> Tensor:
    """Channels, dimension 1, by given statistics [c]."""
    return one("batch_norm", "vvvvvn", x, scale, bias, mean, variance, eps)


def batch_norm_training(x: Operand, scale: Operand, bias: Operand, mean: Operand, variance: Operand, momentum: float = 0.1, eps: float = 1e-5) -> tuple[Tensor, ...]:
    """batch_norm by the statistics of this batch, and the next running mean and variance: momentum of this one's (the variance by n - 1), the rest of the last."""
    return many("batch_norm_training", "vvvvvnn", x, scale, bias, mean, variance, momentum, eps)


def group_norm(x: Operand, num_groups: int, scale: Operand | None = None, bias: Operand | None = None, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 within groups of the channels of [n, c, ...], then a scale and a bias [c]."""
    return one("group_norm", "vivvn", x, num_groups, scale, bias, eps)


def instance_norm(x: Operand, scale: Operand | None = None, bias: Operand | None = None, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 within each channel of [n, c, ...], then a scale and a bias [c]."""
    return one("instance_norm", "vvvn", x, scale, bias, eps)


def local_response_norm(x: Operand, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """x / (k + alpha * mean of squares of size channels around) ** beta, of [n, c, ...]."""
    return one("local_response_norm", "vinnn", x, size, alpha, beta, k)


def l2_normalize(x: Operand, axis: int = -1, eps: float = 1e-12) -> Tensor:
    """x / maximum(norm(x), eps) along an axis."""
    return one("l2_normalize", "vin", x, axis, eps)


def attention(query: Operand, key: Operand, value: Operand, mask: Operand | None = None, is_causal: bool = False, scale: float = 0.0) -> Tensor:
    """softmax(query @ key.T * scale) @ value of [..., h, s, d] and [..., g, t, d], g dividing h; a mask broadcasts to [..., h, s, t], bools say what is seen, numbers are added; causal: query i sees keys up to i. Scale 0: 1 / sqrt(d)."""
    return one("attention", "vvvvbn", query, key, value, mask, is_causal, scale)


def multi_head_attention(query: Operand, key: Operand, value: Operand, num_heads: int, mask: Operand | None = None, is_causal: bool = False) -> Tensor:
    """attention of [b, s, e] and [b, t, e] cut into heads, and joined again."""
    return one("multi_head_attention", "vvvivb", query, key, value, num_heads, mask, is_causal)


def rotary_embedding(x: Operand, cos: Operand, sin: Operand) -> Tensor:
    """The two halves of the last dimension as coordinates of points, turned by angles whose cosines and sines broadcast to one half."""
    return one("rotary_embedding", "vvv", x, cos, sin)


def rnn_cell(x: Operand, h: Operand, weight_ih: Operand, weight_hh: Operand, bias_ih: Operand | None = None, bias_hh: Operand | None = None) -> Tensor:
    """tanh(x @ weight_ih.T + h @ weight_hh.T + biases): x [b, i], h [b, n], weights [n, i], [n, n]."""
    return one("rnn_cell", "vvvvvv", x, h, weight_ih, weight_hh, bias_ih, bias_hh)


def lstm_cell(x: Operand, h: Operand, c: Operand, weight_ih: Operand, weight_hh: Operand, bias_ih: Operand | None = None, bias_hh: Operand | None = None) -> tuple[Tensor, ...]:
    """The next h and c, [b, n], of x [b, i]; weights [4 n, i], [4 n, n] with the gates i, f, g, o in this order."""
    return many("lstm_cell", "vvvvvvv", x, h, c, weight_ih, weight_hh, bias_ih, bias_hh)


def gru_cell(x: Operand, h: Operand, weight_ih: Operand, weight_hh: Operand, bias_ih: Operand | None = None, bias_hh: Operand | None = None) -> Tensor:
    """The next h, [b, n], of x [b, i]; weights [3 n, i], [3 n, n] with the gates r, z, n in this order."""
    return one("gru_cell", "vvvvvv", x, h, weight_ih, weight_hh, bias_ih, bias_hh)


def rnn(x: Operand, h0: Operand, weight_ih: Operand, weight_hh: Operand, bias_ih: Operand | None = None, bias_hh: Operand | None = None, reverse: bool = False) -> tuple[Tensor, ...]:
    """rnn_cell over the steps of x [t, b, i]: all h, [t, b, n], and the last one."""
    return many("rnn", "vvvvvvb", x, h0, weight_ih, weight_hh, bias_ih, bias_hh, reverse)


def lstm(x: Operand, h0: Operand, c0: Operand, weight_ih: Operand, weight_hh: Operand, bias_ih: Operand | None = None, bias_hh: Operand | None = None, reverse: bool = False) -> tuple[Tensor, ...]:
    """lstm_cell over the steps of x [t, b, i]: all h, [t, b, n], the last h and the last c."""
    return many("lstm", "vvvvvvvb", x, h0, c0, weight_ih, weight_hh, bias_ih, bias_hh, reverse)


def gru(x: Operand, h0: Operand, weight_ih: Operand, weight_hh: Operand, bias_ih: Operand | None = None, bias_hh: Operand | None = None, reverse: bool = False) -> tuple[Tensor, ...]:
    """gru_cell over the steps of x [t, b, i]: all h, [t, b, n], and the last one."""
    return many("gru", "vvvvvvb", x, h0, weight_ih, weight_hh, bias_ih, bias_hh, reverse)


def mse_loss(prediction: Operand, target: Operand, reduction: str = "mean") -> Tensor:
    """(prediction - target) ** 2; the reduction is "mean", "sum" or "none"."""
    return one("mse_loss", "vvs", prediction, target, reduction)


def l1_loss(prediction: Operand, target: Operand, reduction: str = "mean") -> Tensor:
    """abs(prediction - target)."""
    return one("l1_loss", "vvs", prediction, target, reduction)


def huber_loss(prediction: Operand, target: Operand, delta: float = 1.0, reduction: str = "mean") -> Tensor:
    """Half the squared difference up to delta, linear beyond."""
    return one("huber_loss", "vvns", prediction, target, delta, reduction)


def smooth_l1_loss(prediction: Operand, target: Operand, beta: float = 1.0, reduction: str = "mean") -> Tensor:
    """huber_loss / beta; abs(prediction - target) for beta 0."""
    return one("smooth_l1_loss", "vvns", prediction, target, beta, reduction)


def cross_entropy(logits: Operand, target: Operand, axis: int = -1, label_smoothing: float = 0.0, reduction: str = "mean", weight: Operand | None = None, ignore_index: int = -100) -> Tensor:
    """-log_softmax(logits) at the target, integer classes without the axis, or times probabilities of the logits' shape; classes as for nll_loss."""
    return one("cross_entropy", "vvinsvi", logits, target, axis, label_smoothing, reduction, weight, ignore_index)


def nll_loss(log_probabilities: Operand, target: Operand, axis: int = -1, reduction: str = "mean", weight: Operand | None = None, ignore_index: int = -100) -> Tensor:
    """-log_probabilities at integer classes, which lack the axis, times the class's weight [c]; the mean is over the weights of those that are not ignored."""
    return one("nll_loss", "vvisvi", log_probabilities, target, axis, reduction, weight, ignore_index)


def binary_cross_entropy(logits: Operand, target: Operand, reduction: str = "mean", pos_weight: Operand | None = None) -> Tensor:
    """-(pos_weight * target * log_sigmoid(logits) + (1 - target) * log_sigmoid(-logits))."""
    return one("binary_cross_entropy", "vvsv", logits, target, reduction, pos_weight)


def kl_divergence(log_probabilities: Operand, target: Operand, reduction: str = "mean") -> Tensor:
    """target * (log(target) - log_probabilities), 0 where the target is 0."""
    return one("kl_divergence", "vvs", log_probabilities, target, reduction)


def ctc_loss(log_probabilities: Operand, targets: Operand, input_lengths: Operand, target_lengths: Operand, blank: int = 0, reduction: str = "mean") -> Tensor:
    """-log of the probability of all alignments: log_probabilities [t, n, c], targets [n, s], lengths [n]; the mean is of losses over their targets' lengths."""
    return one("ctc_loss", "vvvvis", log_probabilities, targets, input_lengths, target_lengths, blank, reduction)


def hinge_loss(prediction: Operand, target: Operand, reduction: str = "mean") -> Tensor:
    """maximum(0, 1 - prediction * target) of targets -1 and 1."""
    return one("hinge_loss", "vvs", prediction, target, reduction)


def cosine_similarity(x1: Operand, x2: Operand, axis: int = -1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along an axis."""
    return one("cosine_similarity", "vvin", x1, x2, axis, eps)


def stop_gradient(x: Operand) -> Tensor:
    """x, which grad takes for a constant."""
    return one("stop_gradient", "v", x)


def clip_by_norm(gradients: Sequence[Operand], max_norm: float) -> tuple[Tensor, ...]:
    """All of them times one factor, so that the norm of all together is at most max_norm."""
    return many("clip_by_norm", "Vn", gradients, max_norm)


def sgd(parameter: Operand, gradient: Operand, rate: Operand, velocity: Operand | None = None, momentum: float = 0.0, dampening: float = 0.0, weight_decay: float = 0.0, nesterov: bool = False) -> tuple[Tensor, ...]:
    """Gradient descent: the next parameter and, if there is one, the next velocity = momentum * velocity + (1 - dampening) * gradient."""
    return many("sgd", "vvvvnnnb", parameter, gradient, rate, velocity, momentum, dampening, weight_decay, nesterov)


def adam(parameter: Operand, gradient: Operand, mean: Operand, variance: Operand, step: Operand, rate: Operand, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8, weight_decay: float = 0.0) -> tuple[Tensor, ...]:
    """The next parameter, mean and variance; step counts from 1; decay is added to the gradient."""
    return many("adam", "vvvvvvnnnn", parameter, gradient, mean, variance, step, rate, beta1, beta2, eps, weight_decay)


def adamw(parameter: Operand, gradient: Operand, mean: Operand, variance: Operand, step: Operand, rate: Operand, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8, weight_decay: float = 0.01) -> tuple[Tensor, ...]:
    """adam whose decay shrinks the parameter by rate * weight_decay."""
    return many("adamw", "vvvvvvnnnn", parameter, gradient, mean, variance, step, rate, beta1, beta2, eps, weight_decay)


def rmsprop(parameter: Operand, gradient: Operand, variance: Operand, rate: Operand, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0.0) -> tuple[Tensor, ...]:
    """The next parameter, by rate * gradient / (sqrt(variance) + eps), and the next variance."""
    return many("rmsprop", "vvvvnnn", parameter, gradient, variance, rate, alpha, eps, weight_decay)


def adagrad(parameter: Operand, gradient: Operand, total: Operand, rate: Operand, eps: float = 1e-10, weight_decay: float = 0.0) -> tuple[Tensor, ...]:
    """The next parameter, by rate * gradient / (sqrt(total) + eps), and the next total of squares."""
    return many("adagrad", "vvvvnn", parameter, gradient, total, rate, eps, weight_decay)


def lion(parameter: Operand, gradient: Operand, mean: Operand, rate: Operand, beta1: float = 0.9, beta2: float = 0.99, weight_decay: float = 0.0) -> tuple[Tensor, ...]:
    """The next parameter, by rate * sign(beta1 * mean + (1 - beta1) * gradient), and the next mean."""
    return many("lion", "vvvvnnn", parameter, gradient, mean, rate, beta1, beta2, weight_decay)
