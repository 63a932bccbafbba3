"""Ops that compute each element from those at its place."""

# mypy: allow-untyped-defs, allow-untyped-calls, no-warn-return-any
from __future__ import annotations

import math

from tensorwright import _functions as tw
from tensorwright._trace import Tensor
from tensorwright.torch._graph import Unsupported
from tensorwright.torch._rules import (
    cast,
    convert,
    is_float,
    is_small,
    promote,
    rule,
    tensor,
    torch,
    widened,
)

# Of floats; integers are taken as float32.
_FLOATING = {
    "acos": tw.acos,
    "acosh": tw.acosh,
    "asin": tw.asin,
    "asinh": tw.asinh,
    "atan": tw.atan,
    "atanh": tw.atanh,
    "cos": tw.cos,
    "cosh": tw.cosh,
    "erf": tw.erf,
    "exp": tw.exp,
    "exp2": tw.exp2,
    "expm1": tw.expm1,
    "log": tw.log,
    "log10": tw.log10,
    "log1p": tw.log1p,
    "log2": tw.log2,
    "reciprocal": tw.reciprocal,
    "rsqrt": tw.rsqrt,
    "sigmoid": tw.sigmoid,
    "sin": tw.sin,
    "sinh": tw.sinh,
    "sqrt": tw.sqrt,
    "tan": tw.tan,
    "tanh": tw.tanh,
    "special_erf": tw.erf,
    "special_exp2": tw.exp2,
    "special_expm1": tw.expm1,
}

_OWN = {
    "abs": tw.abs,
    "ceil": tw.ceil,
    "floor": tw.floor,
    "neg": tw.negative,
    "relu": tw.relu,
    "round": tw.round,
    "sign": tw.sign,
    "trunc": tw.trunc,
    "square": tw.square,
    "bitwise_not": tw.bitwise_invert,
}


def _floating(function):
    def apply(c, x):
        return cast(function(cast(x, widened(c.dtype))), c.dtype)

    return apply


def _own(function):
    def apply(c, x):
        return cast(function(x), c.dtype)

    return apply


def _note_all(names, make):
    for name, function in names.items():
        rule(name)(make(function))


_note_all(_FLOATING, _floating)
_note_all(_OWN, _own)


@rule("abs")
def absolute(c, x):
    return x if x.dtype == "bool" or x.dtype.startswith("uint") else tw.abs(x)


@rule("sign", "sgn")
def sign(c, x):
    if x.dtype == "bool":
        return x
    if is_float(x):
        # torch's sign of NaN is 0.
        return cast(x > 0, c.dtype) - cast(x < 0, c.dtype)
    return tw.sign(x)


@rule("round.decimals")
def round_decimals(c, x, decimals):
    if not is_float(x):
        if decimals >= 0:
            return x
        raise Unsupported("integers are rounded to no tens")
    scale = 10.0 ** abs(decimals)
    if decimals >= 0:
        return tw.round(x * scale) / scale
    return tw.round(x / scale) * scale


@rule("frac")
def frac(c, x):
    return x - tw.trunc(x)


@rule("erfc", "special_erfc")
def erfc(c, x):
    return cast(1.0 - tw.erf(cast(x, widened(c.dtype))), c.dtype)


def _binary(of_numbers, of_bools=None):
    """In the type of the result; small floats with numbers in float32, as torch does."""

    def apply(c, x, y, alpha=1):
        dtype = c.dtype
        if dtype == "bool":
            if of_bools is None:
                raise Unsupported("it is not there for bools")
            return of_bools(tensor(x, "bool"), tensor(y, "bool"))
        if is_small(dtype) and (alpha != 1 or not (isinstance(x, Tensor) and isinstance(y, Tensor))):
            x, y = cast(x, "float32"), cast(y, "float32")
        else:
            x, y = cast(x, dtype), cast(y, dtype)
        if alpha != 1:
            y = y * cast(alpha, "float32" if is_small(dtype) else dtype)
        return cast(of_numbers(x, y), dtype)

    return apply


add = _binary(tw.add, tw.logical_or)
subtract = _binary(tw.subtract)
multiply = _binary(tw.multiply, tw.logical_and)
rule("add.Tensor", "add.Scalar")(add)
rule("sub.Tensor", "sub.Scalar")(subtract)
rule("mul.Tensor", "mul.Scalar")(multiply)
rule("maximum", "max.other")(_binary(tw.maximum, tw.logical_or))
rule("minimum", "min.other")(_binary(tw.minimum, tw.logical_and))
rule("fmod.Tensor", "fmod.Scalar")(_binary(tw.fmod))
rule("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")(_binary(tw.remainder))


@rule("rsub.Tensor", "rsub.Scalar")
def reverse_subtract(c, x, y, alpha=1):
    if alpha != 1:
        x = multiply(c, x, alpha)
    return subtract(c, y, x)


def _skipping_nan(function):
    def apply(c, x, y):
        if c.dtype == "bool":
            return (tw.logical_or if function is tw.maximum else tw.logical_and)(x, y)
        x, y = cast(x, c.dtype), cast(y, c.dtype)
        if not is_float(x):
            return function(x, y)
        return tw.where(tw.isnan(x), y, tw.where(tw.isnan(y), x, function(x, y)))

    return apply


rule("fmax")(_skipping_nan(tw.maximum))
rule("fmin")(_skipping_nan(tw.minimum))


def _divide(c, x, y):
    dtype = widened(c.dtype)
    return cast(tw.divide(tensor(x, dtype), cast(y, dtype)), c.dtype)


def floor_divide(x, y):
    """Of floats as torch: exact where the quotient is rounded up to an integer."""
    if not is_float(x) and not is_float(y):
        return tw.floor_divide(x, y)
    left = tw.fmod(x, y)
    quotient = (x - left) / y
    quotient = tw.where(tw.logical_and(left != 0, tw.less(y, 0) != (left < 0)), quotient - 1.0, quotient)
    whole = tw.floor(quotient)
    whole = tw.where(quotient - whole > 0.5, whole + 1.0, whole)
    whole = tw.where(quotient == 0, tw.divide(x, y) * 0.0, whole)
    return tw.where(tw.equal(y, 0), tw.divide(x, y), whole)


@rule("div.Tensor", "div.Scalar", "true_divide.Tensor")
def divide(c, x, y):
    return _divide(c, x, y)


@rule("div.Tensor_mode", "div.Scalar_mode")
def divide_mode(c, x, y, rounding_mode):
    if rounding_mode is None:
        return _divide(c, x, y)
    dtype = widened(c.dtype)
    x, y = tensor(x, dtype), tensor(y, dtype)
    if rounding_mode == "floor":
        return cast(floor_divide(x, y), c.dtype)
    if is_float(x):
        return cast(tw.trunc(x / y), c.dtype)
    return tw.floor_divide(x - tw.fmod(x, y), y)


@rule("floor_divide", "floor_divide.Scalar")
def floor_divide_op(c, x, y):
    dtype = widened(c.dtype)
    return cast(floor_divide(tensor(x, dtype), tensor(y, dtype)), c.dtype)


@rule("pow.Tensor_Tensor", "pow.Tensor_Scalar", "pow.Scalar")
def power(c, x, y):
    dtype = widened(c.dtype)
    if dtype == "bool":
        return tw.logical_or(tensor(x, "bool"), tw.logical_not(tensor(y, "bool")))
    if isinstance(y, (int, float)) and not isinstance(y, bool):
        x = cast(x, dtype)
        if y == 2:
            return cast(tw.square(x), c.dtype)
        if y == 1:
            return cast(x, c.dtype)
        if y == 0.5 and "float" in dtype:
            # pow(-inf, 0.5) is inf.
            root = tw.sqrt(x)
            return cast(tw.where(tw.equal(x, -math.inf), math.inf, root), c.dtype)
        if y == 3:
            return cast(x * x * x, c.dtype)
        if y == -1 and "float" in dtype:
            return cast(tw.reciprocal(x), c.dtype)
    return cast(tw.pow(tensor(x, dtype), tensor(y, dtype)), c.dtype)


def _comparison(function):
    def apply(c, x, y):
        dtype = promote(x, y)
        return function(tensor(x, dtype), cast(y, dtype))

    return apply


_COMPARISONS = {
    "eq": tw.equal,
    "ne": tw.not_equal,
    "lt": tw.less,
    "le": tw.less_equal,
    "gt": tw.greater,
    "ge": tw.greater_equal,
}
for _name in _COMPARISONS:
    rule(f"{_name}.Tensor", f"{_name}.Scalar")(_comparison(_COMPARISONS[_name]))


def _logical(function):
    def apply(c, x, y):
        return function(tensor(x, "bool"), tensor(y, "bool"))

    return apply


rule("logical_and")(_logical(tw.logical_and))
rule("logical_or")(_logical(tw.logical_or))
rule("logical_xor")(_logical(tw.logical_xor))


@rule("logical_not")
def logical_not(c, x):
    return tw.logical_not(cast(x, "bool"))


def _bitwise(function):
    def apply(c, x, y):
        return function(tensor(x, c.dtype), tensor(y, c.dtype))

    return apply


def _note_bitwise(name, function, *kinds):
    rule(*[f"bitwise_{name}.{kind}" for kind in kinds])(_bitwise(function))


_note_bitwise("and", tw.bitwise_and, "Tensor", "Scalar", "Scalar_Tensor")
_note_bitwise("or", tw.bitwise_or, "Tensor", "Scalar", "Scalar_Tensor")
_note_bitwise("xor", tw.bitwise_xor, "Tensor", "Scalar", "Scalar_Tensor")
_note_bitwise("left_shift", tw.bitwise_left_shift, "Tensor", "Tensor_Scalar", "Scalar_Tensor")
_note_bitwise("right_shift", tw.bitwise_right_shift, "Tensor", "Tensor_Scalar", "Scalar_Tensor")
rule("__lshift__.Scalar", "__lshift__.Tensor")(_bitwise(tw.bitwise_left_shift))
rule("__rshift__.Scalar", "__rshift__.Tensor")(_bitwise(tw.bitwise_right_shift))


@rule("isnan")
def isnan(c, x):
    return tw.isnan(x) if is_float(x) else tw.full(x.shape, False, "bool")


@rule("isinf")
def isinf(c, x):
    return tw.isinf(x) if is_float(x) else tw.full(x.shape, False, "bool")


@rule("isfinite")
def isfinite(c, x):
    return tw.isfinite(x) if is_float(x) else tw.full(x.shape, True, "bool")


def signbit(x):
    """Also of zeros and NaN."""
    if not is_float(x):
        return tw.full(x.shape, False, "bool") if x.dtype == "bool" or x.dtype.startswith("uint") else x < 0
    return tw.bitcast(x, {"float16": "int16", "bfloat16": "int16", "float32": "int32", "float64": "int64"}[x.dtype]) < 0


rule("signbit")(lambda c, x: signbit(x))


@rule("copysign.Tensor", "copysign.Scalar")
def copysign(c, x, y):
    size = tw.abs(tensor(x, c.dtype))
    y = tensor(y, c.dtype)
    return tw.where(signbit(y), -size, size)


@rule("atan2")
def atan2(c, y, x):
    dtype = widened(c.dtype)
    y, x = tensor(y, dtype), tensor(x, dtype)
    ay, ax = tw.abs(y), tw.abs(x)
    small, large = tw.minimum(ax, ay), tw.maximum(ax, ay)
    ratio = tw.where(tw.logical_or(large == 0, small == large), tw.where(large == 0, 0.0, tw.sign(large)), small / large)
    angle = tw.atan(ratio)
    angle = tw.where(ay > ax, math.pi / 2 - angle, angle)
    angle = tw.where(signbit(x), math.pi - angle, angle)
    angle = tw.where(signbit(y), -angle, angle)
    angle = tw.where(tw.logical_or(tw.isnan(x), tw.isnan(y)), math.nan, angle)
    return cast(angle, c.dtype)


@rule("hypot")
def hypot(c, x, y):
    dtype = widened(c.dtype)
    x, y = tw.abs(tensor(x, dtype)), tw.abs(tensor(y, dtype))
    large = tw.maximum(x, y)
    ratio = tw.minimum(x, y) / tw.where(large == 0, 1.0, large)
    # An infinity beside NaN is one.
    is_infinite = tw.logical_or(tw.isinf(x), tw.isinf(y))
    return cast(tw.where(is_infinite, math.inf, large * tw.sqrt(1.0 + ratio * ratio)), c.dtype)


@rule("where.self", "where.ScalarSelf", "where.ScalarOther", "where.Scalar")
def where(c, condition, x, y):
    return tw.where(cast(condition, "bool"), tensor(x, c.dtype), tensor(y, c.dtype))


@rule("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(c, x, mask, value):
    return tw.where(cast(mask, "bool"), tensor(value, c.dtype), x)


@rule("clamp", "clamp.Tensor")
def clamp(c, x, low=None, high=None):
    x = cast(x, c.dtype)
    # As torch: the upper limit last, and NaN where a limit is.
    if low is not None:
        x = tw.maximum(x, tensor(low, c.dtype))
    if high is not None:
        x = tw.minimum(x, tensor(high, c.dtype))
    return x


@rule("clamp_min", "clamp_min.Tensor")
def clamp_min(c, x, low):
    return clamp(c, x, low)


@rule("clamp_max", "clamp_max.Tensor")
def clamp_max(c, x, high):
    return clamp(c, x, None, high)


@rule("hardtanh")
def hardtanh(c, x, low=-1, high=1):
    return clamp(c, x, low, high)


@rule("relu6")
def relu6(c, x):
    return clamp(c, x, 0, 6)


@rule("_to_copy", "to.dtype", "prims.convert_element_type.default")
def to_copy(c, x, *_):
    return convert(x, c.dtype)


@rule("gelu")
def gelu(c, x, approximate="none"):
    return cast(tw.gelu(cast(x, widened(c.dtype)), approximate == "tanh"), c.dtype)


@rule("elu")
def elu(c, x, alpha=1, scale=1, input_scale=1):
    dtype = widened(c.dtype)
    x = cast(x, dtype)
    low = tw.expm1(tw.minimum(x, 0.0) * float(input_scale)) * float(alpha) * float(scale)
    return cast(tw.where(x > 0, x * float(scale), low), c.dtype)


@rule("leaky_relu")
def leaky_relu(c, x, slope=0.01):
    if is_small(c.dtype):
        return cast(leaky_relu_of(cast(x, "float32"), slope), c.dtype)
    return leaky_relu_of(x, slope)


def leaky_relu_of(x, slope):
    return tw.where(x > 0, x, x * cast(slope, x.dtype))


@rule("silu")
def silu(c, x):
    return cast(tw.silu(cast(x, widened(c.dtype))), c.dtype)


@rule("softplus")
def softplus(c, x, beta=1, threshold=20):
    wide = cast(x, widened(c.dtype))
    scaled = wide * float(beta)
    return cast(tw.where(scaled > float(threshold), wide, tw.log1p(tw.exp(scaled)) / float(beta)), c.dtype)


@rule("logaddexp")
def logaddexp(c, x, y):
    dtype = widened(c.dtype)
    return cast(tw.logaddexp(cast(x, dtype), cast(y, dtype)), c.dtype)


@rule("fill.Scalar", "fill.Tensor")
def fill(c, x, value):
    return tw.broadcast_to(tensor(value, c.dtype), c.shape)


@rule("lerp.Scalar", "lerp.Tensor")
def lerp(c, x, y, weight):
    weight = tensor(weight, c.dtype)
    near = x + weight * (y - x)
    far = y - (y - x) * (1.0 - weight)
    return tw.where(tw.abs(weight) < 0.5, near, far)


@rule("addcmul")
def addcmul(c, x, a, b, value=1):
    dtype = c.dtype
    product = cast(a, dtype) * cast(b, dtype)
    return cast(x, dtype) + (product if value == 1 else product * cast(value, dtype))


@rule("addcdiv")
def addcdiv(c, x, a, b, value=1):
    return x + tw.divide(a, b) * cast(value, c.dtype)


@rule("nan_to_num")
def nan_to_num(c, x, nan=None, posinf=None, neginf=None):
    if not is_float(x):
        return x
    info = torch.finfo(getattr(torch, x.dtype))
    y = tw.where(tw.isnan(x), float(nan or 0), x)
    y = tw.where(tw.equal(x, math.inf), float(info.max if posinf is None else posinf), y)
    return tw.where(tw.equal(x, -math.inf), float(info.min if neginf is None else neginf), y)


# ---------------------------------------------------------------------------------------------
# Functions of which polynomials are known, in float64.

# Lanczos' approximation of the gamma function with g = 7.
_LANCZOS = (
    676.5203681218851,
    -1259.1392167224028,
    771.32342877765313,
    -176.61502916214059,
    12.507343278686905,
    -0.13857109526572012,
    9.9843695780195716e-6,
    1.5056327351493116e-7,
)


def _log_gamma(x):
    """Of what is at least 1 / 2."""
    x = x - 1.0
    total = tw.full(x.shape, 0.99999999999980993, "float64")
    for i, factor in enumerate(_LANCZOS):
        total = total + factor / (x + float(i + 1))
    t = x + 7.5
    return 0.5 * math.log(2 * math.pi) + (x + 0.5) * tw.log(t) - t + tw.log(total)


def _wide(function):
    def apply(c, x, *rest):
        return cast(function(cast(x, "float64"), *rest), c.dtype)

    return apply


@rule("lgamma", "special_gammaln")
@_wide
def lgamma(x):
    reflected = x < 0.5
    made = _log_gamma(tw.where(reflected, 1.0 - x, x))
    # sin(pi x) of the distance from the nearest integer, which is exact.
    part = x - tw.round(x)
    other = math.log(math.pi) - tw.log(tw.abs(tw.sin(part * math.pi))) - made
    made = tw.where(reflected, tw.where(part == 0, math.inf, other), made)
    made = tw.where(tw.logical_or(x == 1, x == 2), 0.0, made)
    return tw.where(tw.isinf(x), math.inf, made)


@rule("digamma", "special_digamma", "special_psi")
@_wide
def digamma(x):
    reflected = x <= 0
    y = tw.where(reflected, 1.0 - x, x)
    made = tw.zeros(x.shape, "float64")
    for i in range(8):
        made = made - 1.0 / (y + float(i))
    z = y + 8.0
    square = 1.0 / (z * z)
    series = tw.zeros(x.shape, "float64")
    for factor in (-691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12):
        series = (series + factor) * square
    made = made + tw.log(z) - 0.5 / z - series
    part = x - tw.round(x)
    made = tw.where(reflected, made - math.pi / tw.tan(part * math.pi), made)
    made = tw.where(tw.logical_and(reflected, part == 0), math.nan, made)
    return tw.where(x == 0, -tw.where(signbit(x), -math.inf, math.inf), made)


@rule("polygamma", "special_polygamma")
def polygamma(c, n, x):
    if n == 0:
        return digamma(c, x)
    if n > 1:
        raise Unsupported("derivatives of digamma above the first are not compiled")
    x = cast(x, "float64")
    reflected = x < 0.5
    y = tw.where(reflected, 1.0 - x, x)
    made = tw.zeros(x.shape, "float64")
    for i in range(8):
        made = made + 1.0 / tw.square(y + float(i))
    z = y + 8.0
    square = 1.0 / (z * z)
    series = tw.zeros(x.shape, "float64")
    for factor in (-691 / 2730, 5 / 66, -1 / 30, 1 / 42, -1 / 30, 1 / 6):
        series = (series + factor) * square
    made = made + (1.0 + 0.5 / z + series) / z
    part = x - tw.round(x)
    other = (math.pi * math.pi) / tw.square(tw.sin(part * math.pi)) - made
    return cast(tw.where(reflected, other, made), c.dtype)


@rule("erfinv", "special_erfinv")
@_wide
def erfinv(x):
    # Giles' approximation, and two steps of Newton's.
    w = -tw.log((1.0 - x) * (1.0 + x))
    near, far = w - 2.5, tw.sqrt(w) - 3.0
    p = tw.full(x.shape, 2.81022636e-08, "float64")
    for factor in (
        3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941,
    ):  # fmt: skip
        p = p * near + factor
    q = tw.full(x.shape, -0.000200214257, "float64")
    for factor in (
        0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682,
    ):  # fmt: skip
        q = q * far + factor
    made = tw.where(w < 5.0, p, q) * x
    for _ in range(2):
        slope = 2.0 / math.sqrt(math.pi) * tw.exp(-tw.square(made))
        step = (tw.erf(made) - x) / tw.where(slope == 0, 1.0, slope)
        made = made - tw.where(tw.abs(x) < 0.999999, step, 0.0)
    made = tw.where(tw.abs(x) == 1.0, tw.where(x > 0, math.inf, -math.inf), made)
    return tw.where(tw.abs(x) > 1.0, math.nan, made)


# Chebyshev's series of exp(-x) I0(x) up to 8 and of sqrt(x) exp(-x) I0(x) beyond (Cephes).
_I0_NEAR = (
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16, 1.71539128555513303061e-15,
    -1.16853328779934516808e-14, 7.67618549860493561688e-14, -4.85644678311192946090e-13, 2.95505266312963983461e-12,
    -1.72682629144155570723e-11, 9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7, 1.11738753912010371815e-6,
    -4.41673835845875056359e-6, 1.64484480707288970893e-5, -5.75419501008210370398e-5, 1.88502885095841655729e-4,
    -5.76375574538582365885e-4, 1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2, 1.71620901522208775349e-1,
    -3.04682672343198398683e-1, 6.76795274409476084995e-1,
)  # fmt: skip
_I0_FAR = (
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17, 3.46122286769746109310e-17,
    -2.82762398051658348494e-16, -3.42548561967721913462e-16, 1.77256013305652638360e-15, 3.81168066935262242075e-15,
    -9.55484669882830764870e-15, -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11, -3.14991652796324136454e-11,
    1.18891471078464383424e-11, 4.94060238822496958910e-10, 3.39623202570838634515e-9, 2.26666899049817806459e-8,
    2.04891858946906374183e-7, 2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
)  # fmt: skip


def _chebyshev(x, factors):
    first = tw.full(x.shape, factors[0], "float64")
    second = third = tw.zeros(x.shape, "float64")
    for factor in factors[1:]:
        first, second, third = x * first - second + factor, first, second
    return 0.5 * (first - third)


def _scaled_i0(x):
    x = tw.abs(x)
    near = _chebyshev(x / 2.0 - 2.0, _I0_NEAR)
    return tw.where(x <= 8.0, near, _chebyshev(32.0 / tw.maximum(x, 8.0) - 2.0, _I0_FAR) / tw.sqrt(tw.maximum(x, 8.0)))


@rule("i0", "special_i0")
@_wide
def i0(x):
    return _scaled_i0(x) * tw.exp(tw.abs(x))


@rule("special_i0e")
@_wide
def i0e(x):
    return _scaled_i0(x)


@rule("angle")
def angle(c, x):
    if not is_float(x):
        return tw.where(cast(x, "int64") < 0, math.pi, 0.0)
    made = cast(tw.where(x < 0, math.pi, 0.0), c.dtype)
    return tw.where(tw.isnan(x), x, made)


@rule("nextafter")
def nextafter(c, x, y):
    kind = {"float16": "int16", "bfloat16": "int16", "float32": "int32", "float64": "int64"}[c.dtype]
    x, y = tw.broadcast_to(x, c.shape), tw.broadcast_to(y, c.shape)
    bits = tw.bitcast(x, kind)
    moved = tw.bitcast(tw.where((y > x) == (x > 0), bits + 1, bits - 1), c.dtype)
    least = tw.bitcast(tw.full(c.shape, 1, kind), c.dtype)
    made = tw.where(x == 0, tw.where(y > 0, least, -least), moved)
    made = tw.where(x == y, y, made)
    return tw.where(tw.logical_or(tw.isnan(x), tw.isnan(y)), math.nan, made)
