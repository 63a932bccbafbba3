// Operations of vectors, lane by lane.
#include "Floats.h"
#include "Lanes.h"

#include <array>
#include <cmath>
#include <tuple>

namespace tw::emulator::amdgcn {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

/// What differs between the two widths of a division.
template <typename T> struct Division;
template <> struct Division<float> {
  using Wide = double;
  static constexpr int scale = 64, far = 96, tiny = 23, bias = 127, underflow = -150;
  static int exponent(float v) { return int(std::bit_cast<uint32_t>(v) >> 23 & 0xff); }
};
template <> struct Division<double> {
  using Wide = __float128;
  static constexpr int scale = 128, far = 768, tiny = 53, bias = 1023, underflow = -1075;
  static int exponent(double v) { return int(std::bit_cast<uint64_t>(v) >> 52 & 0x7ff); }
};

template <typename T> static bool isSubnormal(T v) { return std::fpclassify(v) == FP_SUBNORMAL; }

/// V_DIV_SCALE: scales one of numerator and denominator, or both, so that the steps stay in range.
/// By the manual, but for a denominator whose inverse and whose quotient are both subnormal: scaled
/// up, as is written there, it would be infinite.
template <typename T> static T divideScale(T value, T denominator, T numerator, bool &scaled) {
  using D = Division<T>;
  scaled = false;
  if (denominator == 0 || numerator == 0)
    return std::numeric_limits<T>::quiet_NaN();
  bool isDenominator = std::bit_cast<BitsOf<T>>(value) == std::bit_cast<BitsOf<T>>(denominator);
  bool isNumerator = std::bit_cast<BitsOf<T>>(value) == std::bit_cast<BitsOf<T>>(numerator);
  bool inverse = isSubnormal(T(1) / denominator), quotient = isSubnormal(numerator / denominator);
  if (D::exponent(numerator) - D::exponent(denominator) >= D::far) {
    scaled = true;
    return isDenominator ? std::ldexp(value, D::scale) : value;
  }
  if (isSubnormal(denominator))
    return std::ldexp(value, D::scale);
  if (inverse && quotient) {
    scaled = true;
    return isDenominator ? std::ldexp(value, -D::scale) : value;
  }
  if (inverse)
    return std::ldexp(value, -D::scale);
  if (quotient) {
    scaled = true;
    return isNumerator ? std::ldexp(value, D::scale) : value;
  }
  return D::exponent(numerator) <= D::tiny ? std::ldexp(value, D::scale) : value;
}

template <typename T> static void runDivideScale(Wave &wave, const Op &op) {
  alignas(64) T rows[3][lanes], result[lanes];
  bool scaled[lanes];
  const T *a = fetch<T>(wave, op.from[0], rows[0]), *b = fetch<T>(wave, op.from[1], rows[1]),
          *c = fetch<T>(wave, op.from[2], rows[2]);
  TW_WAVE_LANES result[lane] = divideScale(a[lane], b[lane], c[lane], scaled[lane]);
  store(wave, op, op.to[0], result);
  storeMask(wave, op.to[1], scaled);
}

/// V_DIV_FMAS takes back what V_DIV_SCALE did to one of the two. Manuals up to RDNA 3 print another
/// factor (2^32, 2^64), with which the quotients that need it would be wrong.
template <typename T> static void runDivideFmas(Wave &wave, const Op &op) {
  using D = Division<T>;
  alignas(64) T rows[3][lanes], result[lanes];
  const T *a = fetch<T>(wave, op.from[0], rows[0]), *b = fetch<T>(wave, op.from[1], rows[1]),
          *c = fetch<T>(wave, op.from[2], rows[2]);
  uint64_t vcc = wave.mask(Vcc);
  TW_WAVE_LANES {
    T value = std::fma(a[lane], b[lane], c[lane]);
    if (vcc >> lane & 1) {
      // One rounding, of what may become subnormal.
      using W = typename D::Wide;
      W scaled = D::exponent(c[lane]) > D::bias ? W(std::ldexp(1.0, D::scale))
                                                : W(std::ldexp(1.0, -D::scale));
      value = T((W(a[lane]) * W(b[lane]) + W(c[lane])) * scaled);
    }
    result[lane] = value;
  }
  store(wave, op, op.to[0], result);
}

template <typename T> static T divideFixup(T value, T denominator, T numerator) {
  using D = Division<T>;
  T sign = std::signbit(denominator) != std::signbit(numerator) ? T(-1) : T(1);
  if (numerator != numerator)
    return quiet(numerator);
  if (denominator != denominator)
    return quiet(denominator);
  bool infinite = std::isinf(denominator);
  if ((denominator == 0 && numerator == 0) || (infinite && std::isinf(numerator)))
    return -std::numeric_limits<T>::quiet_NaN();
  if (denominator == 0 || std::isinf(numerator))
    return sign * std::numeric_limits<T>::infinity();
  if (infinite || numerator == 0)
    return sign * T(0);
  if (D::exponent(numerator) - D::exponent(denominator) < D::underflow)
    return sign * T(0);
  // The steps subtract infinities where the quotient is too large.
  return std::copysign(value == value ? value : std::numeric_limits<T>::infinity(), sign);
}

/// Sums with a carry out, and in. The carry in is the last source.
template <auto F> static void withCarry(Wave &wave, const Op &op) {
  alignas(64) u32 rows[2][lanes], result[lanes];
  bool carry[lanes];
  const u32 *a = fetch<u32>(wave, op.from[0], rows[0]), *b = fetch<u32>(wave, op.from[1], rows[1]);
  uint64_t in = op.sources > 2 ? wave.mask(op.from[2].index) : 0;
  TW_WAVE_LANES {
    u64 sum = F(a[lane], b[lane], in >> lane & 1);
    result[lane] = u32(sum);
    carry[lane] = sum >> 32 & 1;
  }
  store(wave, op, op.to[0], result);
  storeMask(wave, op.to[1], carry);
}

/// Sums and differences of T; clamped ones stop at its bounds.
template <typename T, auto F> static void bounded(Wave &wave, const Op &op) {
  alignas(64) T rows[2][lanes];
  alignas(64) BitsOf<T> result[lanes];
  const T *a = fetch<T>(wave, op.from[0], rows[0]), *b = fetch<T>(wave, op.from[1], rows[1]);
  TW_WAVE_LANES {
    i64 exact = F(i64(a[lane]), i64(b[lane]));
    if (op.clamped)
      exact =
          std::clamp(exact, i64(std::numeric_limits<T>::min()), i64(std::numeric_limits<T>::max()));
    result[lane] = BitsOf<T>(exact);
  }
  store(wave, op, op.to[0], result);
}
template <typename T, auto F>
static void addBounded(InstructionSet &set, std::initializer_list<const char *> names) {
  for (const char *name : names) {
    set[name].run = bounded<T, F>;
    set[name].clamps = true;
  }
}

/// a * b + c in 64 bits, with the carry out.
template <typename T> static void runWideProduct(Wave &wave, const Op &op) {
  alignas(64) u32 rows[2][lanes];
  alignas(64) u64 addends[lanes], result[lanes];
  bool carry[lanes];
  const u32 *a = fetch<u32>(wave, op.from[0], rows[0]), *b = fetch<u32>(wave, op.from[1], rows[1]);
  const u64 *c = fetch<u64>(wave, op.from[2], addends);
  TW_WAVE_LANES {
    u64 product =
        std::is_signed_v<T> ? u64(i64(i32(a[lane])) * i32(b[lane])) : u64(a[lane]) * b[lane];
    result[lane] = product + c[lane];
    carry[lane] = result[lane] < product;
  }
  store(wave, op, op.to[0], result);
  storeMask(wave, op.to[1], carry);
}

/// Two operations of 32 bits on pairs of registers, each with elements of its own.
template <auto F> static void packed(Wave &wave, const Op &op) {
  alignas(64) float rows[3][lanes], result[2][lanes];
  for (int half = 0; half < 2; ++half) {
    const float *from[3] = {};
    for (int i = 0; i < op.sources; ++i) {
      Operand part = op.from[i];
      part.part = Part::All;
      part.negated = half ? part.negatedHigh : part.negated;
      if (part.kind == Operand::Vector || (part.kind == Operand::Scalar && part.count == 2))
        part.index = uint16_t(part.index + (half ? part.high : part.low));
      from[i] = fetch<float>(wave, part, rows[i]);
    }
    if (op.sources == 2)
      from[2] = from[1];
    TW_WAVE_LANES result[half][lane] = F(from[0][lane], from[1][lane], from[2][lane]);
  }
  Operand to = op.to[0];
  store(wave, op, to, result[0]);
  ++to.index;
  store(wave, op, to, result[1]);
}

/// Two operations of 16 bits in the halves of registers, on elements T.
template <typename T, auto F> static void packedHalves(Wave &wave, const Op &op) {
  alignas(64) T rows[3][lanes];
  alignas(64) u32 result[lanes] = {};
  for (int half = 0; half < 2; ++half) {
    const T *from[3];
    for (int i = 0; i < 3; ++i) {
      Operand part = op.from[i];
      part.part = (half ? part.high : part.low) ? Part::High : Part::Low;
      part.negated = half ? part.negatedHigh : part.negated;
      // Operations on integers see what the constant is in f32.
      if (part.kind == Operand::Float && !isFloat<T>) {
        part.kind = Operand::Literal;
        part.integer = std::bit_cast<u32>(float(part.number));
      }
      from[i] = fetch<T>(wave, part, rows[i]);
    }
    TW_WAVE_LANES result[lane] |=
        u32(std::bit_cast<u16>(F(from[0][lane], from[1][lane], from[2][lane]))) << 16 * half;
  }
  store(wave, op, op.to[0], result);
}

/// The products of four bytes each, summed, and a third number; sums wrap.
static i32 dotOfBytes(u32 a, u32 b, u32 sum, bool aSigned, bool bSigned) {
  auto element = [](u32 word, int i, bool isSigned) {
    u32 byte = word >> 8 * i & 0xff;
    return isSigned ? u32(i32(int8_t(byte))) : byte;
  };
  for (int i = 0; i < 4; ++i)
    sum += element(a, i, aSigned) * element(b, i, bSigned);
  return i32(sum);
}

/// The same where the bits that negate floats say whose bytes are signed.
static void runDotOfBytes(Wave &wave, const Op &op) {
  alignas(64) u32 rows[3][lanes];
  const u32 *from[3];
  for (int i = 0; i < 3; ++i)
    from[i] = fetch<u32>(wave, op.from[i], rows[i]);
  alignas(64) i32 result[lanes];
  TW_WAVE_LANES result[lane] = dotOfBytes(from[0][lane], from[1][lane], from[2][lane],
                                          op.from[0].negated, op.from[1].negated);
  store(wave, op, op.to[0], result);
}

/// a * b + c in 32 bits of sources that are of 32 bits each or, where op_sel_hi is set, of 16. R:
/// float, or F16 for the half `high` of the result.
template <typename R, bool high> static void runMixed(Wave &wave, const Op &op) {
  alignas(64) float rows[3][lanes];
  const float *from[3];
  for (int i = 0; i < 3; ++i) {
    Operand part = op.from[i];
    if (!part.high) {
      part.part = Part::All;
      from[i] = fetch<float>(wave, part, rows[i]);
      continue;
    }
    part.part = part.low ? Part::High : Part::Low;
    alignas(64) F16 halves[lanes];
    const F16 *values = fetch<F16>(wave, part, halves);
    TW_WAVE_LANES rows[i][lane] = values[lane].value();
    from[i] = rows[i];
  }
  alignas(64) R result[lanes];
  TW_WAVE_LANES {
    float value = std::fma(from[0][lane], from[1][lane], from[2][lane]);
    if constexpr (std::is_same_v<R, F16>)
      result[lane] = F16::of(value);
    else
      result[lane] = value;
  }
  Operand to = op.to[0];
  if (high)
    to.part = Part::High;
  store(wave, op, to, result);
}

/// One register of each source.
static void runPackedMove(Wave &wave, const Op &op) {
  alignas(64) u32 rows[2][lanes], result[2][lanes];
  for (int half = 0; half < 2; ++half) {
    Operand part = op.from[half];
    part.part = Part::All;
    if (part.kind == Operand::Vector || (part.kind == Operand::Scalar && part.count == 2))
      part.index = uint16_t(part.index + part.low);
    const u32 *from = fetch<u32>(wave, part, rows[half]);
    std::copy(from, from + lanes, result[half]);
  }
  Operand to = op.to[0];
  store(wave, op, to, result[0]);
  ++to.index;
  store(wave, op, to, result[1]);
}

/// Both halves of a dual operation read before either writes.
static void runDual(Wave &wave, const Op &op) {
  uint32_t before[lanes], after[lanes];
  uint32_t *row = wave.vector[op.first->to[0].index];
  memcpy(before, row, sizeof(before));
  op.first->run(wave, *op.first);
  memcpy(after, row, sizeof(after));
  memcpy(row, before, sizeof(before));
  op.second->run(wave, *op.second);
  memcpy(row, after, sizeof(after));
}

static void runReadFirstLane(Wave &wave, const Op &op) {
  uint64_t exec = wave.exec();
  uint32_t lane = exec ? uint32_t(std::countr_zero(exec)) : 0;
  uint32_t row[lanes];
  wave.scalar[op.to[0].index] = fetch<u32>(wave, op.from[0], row)[lane];
}
static void runReadLane(Wave &wave, const Op &op) {
  uint32_t row[lanes], which[lanes];
  uint32_t lane = fetch<u32>(wave, op.from[1], which)[0] % wave.kernel->chip.waveLanes;
  wave.scalar[op.to[0].index] = fetch<u32>(wave, op.from[0], row)[lane];
}
static void runWriteLane(Wave &wave, const Op &op) {
  uint32_t row[lanes], which[lanes];
  uint32_t lane = fetch<u32>(wave, op.from[1], which)[0] % wave.kernel->chip.waveLanes;
  wave.vector[op.to[0].index][lane] = fetch<u32>(wave, op.from[0], row)[0];
}

static u32 bytesByIndex(u32 a, u32 b, u32 selector) {
  u64 bytes = u64(a) << 32 | b;
  u32 result = 0;
  for (int i = 0; i < 4; ++i) {
    u32 which = selector >> 8 * i & 0xff;
    u32 byte = which < 8     ? u32(bytes >> 8 * which) & 0xff
               : which < 12  ? (bytes >> (16 * (which - 8) + 15) & 1 ? 0xffu : 0)
               : which == 12 ? 0
                             : 0xff;
    result |= byte << 8 * i;
  }
  return result;
}

static i32 signed24(u32 v) { return i32(v << 8) >> 8; }

/// Any function of three bits: bit 4 a + 2 b + c of the table.
template <typename T> static void runTableOfBits(Wave &wave, const Op &op) {
  alignas(64) T rows[3][lanes], result[lanes];
  const T *a = fetch<T>(wave, op.from[0], rows[0]), *b = fetch<T>(wave, op.from[1], rows[1]),
          *c = fetch<T>(wave, op.from[2], rows[2]);
  TW_WAVE_LANES {
    u32 bits = 0;
    for (u32 i = 0; i < 8; ++i)
      if (op.table >> i & 1)
        bits |= (i & 4 ? a[lane] : ~a[lane]) & (i & 2 ? b[lane] : ~b[lane]) &
                (i & 1 ? c[lane] : ~c[lane]);
    result[lane] = T(bits);
  }
  store(wave, op, op.to[0], result);
}

#define LANES(name, ...) set[name] = lanewiseInstruction<__VA_ARGS__>()

static void addFloats(InstructionSet &set) {
  LANES("v_add_f32", [](float a, float b) { return a + b; });
  LANES("v_sub_f32", [](float a, float b) { return a - b; });
  LANES("v_subrev_f32", [](float a, float b) { return b - a; });
  LANES("v_mul_f32", [](float a, float b) { return a * b; });
  constexpr auto fma = [](float a, float b, float c) { return std::fma(a, b, c); };
  for (const char *name : {"v_fma_f32", "v_fmaak_f32", "v_fmamk_f32", "v_fmac_f32"})
    LANES(name, fma);
  set["v_fmac_f32"].accumulates = true;
  // Two roundings, and subnormal numbers are 0.
  for (const char *name : {"v_mad_f32", "v_madak_f32", "v_madmk_f32", "v_mac_f32"})
    LANES(name, [](float a, float b, float c) {
      return flushed(flushed(flushed(a) * flushed(b)) + flushed(c));
    });
  set["v_mac_f32"].accumulates = true;
  LANES("v_fma_f64", [](double a, double b, double c) { return std::fma(a, b, c); });
  set["v_fmac_f64"] = set["v_fma_f64"];
  set["v_fmac_f64"].accumulates = true;
  for (const char *name : {"v_max_f32", "v_max_num_f32"})
    LANES(name, [](float a, float b) { return largest(a, b); });
  for (const char *name : {"v_min_f32", "v_min_num_f32"})
    LANES(name, [](float a, float b) { return least(a, b); });
  LANES("v_maximum_f32", [](float a, float b) { return maximum(a, b); });
  LANES("v_minimum_f32", [](float a, float b) { return minimum(a, b); });
  for (const char *name : {"v_max3_f32", "v_max3_num_f32"})
    LANES(name, [](float a, float b, float c) { return largest(largest(a, b), c); });
  for (const char *name : {"v_min3_f32", "v_min3_num_f32"})
    LANES(name, [](float a, float b, float c) { return least(least(a, b), c); });
  LANES("v_maximumminimum_f32",
        [](float a, float b, float c) { return minimum(maximum(a, b), c); });
  LANES("v_minimummaximum_f32",
        [](float a, float b, float c) { return maximum(minimum(a, b), c); });
  for (const char *name : {"v_maxmin_f32", "v_maxmin_num_f32"})
    LANES(name, [](float a, float b, float c) { return least(largest(a, b), c); });
  for (const char *name : {"v_minmax_f32", "v_minmax_num_f32"})
    LANES(name, [](float a, float b, float c) { return largest(least(a, b), c); });
  LANES("v_maximum3_f32", [](float a, float b, float c) { return maximum(maximum(a, b), c); });
  LANES("v_minimum3_f32", [](float a, float b, float c) { return minimum(minimum(a, b), c); });
  for (const char *name : {"v_med3_f32", "v_med3_num_f32"})
    LANES(name, [](float a, float b, float c) {
      if (a != a || b != b || c != c)
        return least(least(a, b), c);
      return largest(least(a, b), least(largest(a, b), c));
    });
  for (const char *name : {"v_rcp_f32", "v_rcp_iflag_f32"})
    LANES(name, [](float a) { return flushed(1 / flushed(a)); });
  LANES("v_rsq_f32", [](float a) { return float(1 / std::sqrt(double(flushed(a)))); });
  LANES("v_sqrt_f32", [](float a) { return std::sqrt(flushed(a)); });
  LANES("v_exp_f32", [](float a) { return flushed(std::exp2(flushed(a))); });
  LANES("v_log_f32", [](float a) { return flushed(std::log2(flushed(a))); });
  LANES("v_sin_f32", [](float a) { return float(std::sin(double(a) * 6.283185307179586)); });
  LANES("v_cos_f32", [](float a) { return float(std::cos(double(a) * 6.283185307179586)); });
  LANES("v_floor_f32", [](float a) { return std::floor(a); });
  LANES("v_ceil_f32", [](float a) { return std::ceil(a); });
  LANES("v_trunc_f32", [](float a) { return std::trunc(a); });
  LANES("v_rndne_f32", [](float a) { return std::nearbyint(a); });
  LANES("v_fract_f32", [](float a) { return std::fmin(a - std::floor(a), 0x1.fffffep-1f); });
  LANES("v_ldexp_f32", [](float a, i32 b) { return std::ldexp(a, b); });
  LANES("v_frexp_mant_f32", [](float a) {
    int exponent;
    return std::isfinite(a) ? std::frexp(a, &exponent) : a;
  });
  LANES("v_frexp_exp_i32_f32", [](float a) {
    int exponent = 0;
    if (std::isfinite(a))
      std::frexp(a, &exponent);
    return exponent;
  });
  LANES("v_div_fixup_f32", [](float a, float b, float c) { return divideFixup(a, b, c); });
  LANES("v_div_fixup_f64", [](double a, double b, double c) { return divideFixup(a, b, c); });
  set["v_div_fmas_f32"] = {runDivideFmas<float>};
  set["v_div_fmas_f64"] = {runDivideFmas<double>};
  set["v_div_scale_f32"] = {runDivideScale<float>, 2};
  set["v_div_scale_f64"] = {runDivideScale<double>, 2};
  set["v_pk_fma_f32"] = {packed<[](float a, float b, float c) { return std::fma(a, b, c); }>};
  set["v_pk_add_f32"] = {packed<[](float a, float b, float) { return a + b; }>};
  set["v_pk_mul_f32"] = {packed<[](float a, float b, float) { return a * b; }>};
  for (const char *name : {"v_pk_fma_f32", "v_pk_add_f32", "v_pk_mul_f32"})
    set[name].clamps = true;
}

static void addDoubles(InstructionSet &set) {
  LANES("v_add_f64", [](double a, double b) { return a + b; });
  LANES("v_mul_f64", [](double a, double b) { return a * b; });
  for (const char *name : {"v_max_f64", "v_max_num_f64"})
    LANES(name, [](double a, double b) { return largest(a, b); });
  for (const char *name : {"v_min_f64", "v_min_num_f64"})
    LANES(name, [](double a, double b) { return least(a, b); });
  LANES("v_maximum_f64", [](double a, double b) { return maximum(a, b); });
  LANES("v_minimum_f64", [](double a, double b) { return minimum(a, b); });
  LANES("v_floor_f64", [](double a) { return std::floor(a); });
  LANES("v_ceil_f64", [](double a) { return std::ceil(a); });
  LANES("v_trunc_f64", [](double a) { return std::trunc(a); });
  LANES("v_rndne_f64", [](double a) { return std::nearbyint(a); });
  LANES("v_rcp_f64", [](double a) { return 1 / a; });
  LANES("v_rsq_f64", [](double a) { return 1 / std::sqrt(a); });
  LANES("v_sqrt_f64", [](double a) { return std::sqrt(a); });
  LANES("v_ldexp_f64", [](double a, i32 b) { return std::ldexp(a, b); });
}

/// The results, and products in a sum, are exact before they are rounded.
static void addHalves(InstructionSet &set) {
  LANES("v_add_f16", [](F16 a, F16 b) { return F16::of(double(a.value()) + b.value()); });
  LANES("v_sub_f16", [](F16 a, F16 b) { return F16::of(double(a.value()) - b.value()); });
  LANES("v_subrev_f16", [](F16 a, F16 b) { return F16::of(double(b.value()) - a.value()); });
  LANES("v_mul_f16", [](F16 a, F16 b) { return F16::of(double(a.value()) * b.value()); });
  for (const char *name : {"v_fma_f16", "v_fmac_f16", "v_fmaak_f16", "v_fmamk_f16"}) {
    LANES(name, [](F16 a, F16 b, F16 c) {
      return F16::of(ptx::TW_EMULATOR_VARIANT::fusedToOdd(a.value(), b.value(), double(c.value())));
    });
    set[name].keepsHalf = true;
  }
  set["v_fmac_f16"].accumulates = true;
  for (const char *name : {"v_max_f16", "v_max_num_f16"})
    LANES(name, [](F16 a, F16 b) { return F16::of(largest(a.value(), b.value())); });
  for (const char *name : {"v_min_f16", "v_min_num_f16"})
    LANES(name, [](F16 a, F16 b) { return F16::of(least(a.value(), b.value())); });
  LANES("v_maximum_f16", [](F16 a, F16 b) { return F16::of(maximum(a.value(), b.value())); });
  LANES("v_minimum_f16", [](F16 a, F16 b) { return F16::of(minimum(a.value(), b.value())); });
  LANES("v_div_fixup_f16", [](F16 value, F16 denominator, F16 numerator) {
    float a = numerator.value(), b = denominator.value();
    float sign = std::signbit(a) != std::signbit(b) ? -1.0f : 1.0f;
    if (a != a || b != b)
      return F16::of(double(a != a ? a : b));
    if ((a == 0 && b == 0) || (std::isinf(a) && std::isinf(b)))
      return F16::of(-std::numeric_limits<double>::quiet_NaN());
    if (b == 0 || std::isinf(a))
      return F16::of(double(sign) * std::numeric_limits<double>::infinity());
    if (std::isinf(b) || a == 0)
      return F16::of(double(sign) * 0.0);
    return F16::of(double(std::copysign(value.value(), sign)));
  });
  set["v_pk_add_f16"] = {
      packedHalves<F16, [](F16 a, F16 b, F16) { return F16::of(double(a.value()) + b.value()); }>};
  set["v_pk_mul_f16"] = {
      packedHalves<F16, [](F16 a, F16 b, F16) { return F16::of(double(a.value()) * b.value()); }>};
  set["v_pk_fma_f16"] = {packedHalves<F16, [](F16 a, F16 b, F16 c) {
    return F16::of(ptx::TW_EMULATOR_VARIANT::fusedToOdd(a.value(), b.value(), double(c.value())));
  }>};
  for (const char *name : {"v_pk_max_f16", "v_pk_max_num_f16"})
    set[name] = {packedHalves<F16, [](F16 a, F16 b, F16) {
      return F16::of(largest(a.value(), b.value()));
    }>};
  for (const char *name : {"v_pk_min_f16", "v_pk_min_num_f16"})
    set[name] = {
        packedHalves<F16, [](F16 a, F16 b, F16) { return F16::of(least(a.value(), b.value())); }>};
  set["v_pk_maximum_f16"] = {
      packedHalves<F16, [](F16 a, F16 b, F16) { return F16::of(maximum(a.value(), b.value())); }>};
  set["v_pk_minimum_f16"] = {
      packedHalves<F16, [](F16 a, F16 b, F16) { return F16::of(minimum(a.value(), b.value())); }>};
  set["v_pk_minimum3_f16"] = {packedHalves<F16, [](F16 a, F16 b, F16 c) {
    return F16::of(minimum(minimum(a.value(), b.value()), c.value()));
  }>};
  set["v_pk_maximum3_f16"] = {packedHalves<F16, [](F16 a, F16 b, F16 c) {
    return F16::of(maximum(maximum(a.value(), b.value()), c.value()));
  }>};
}

static void addConversions(InstructionSet &set) {
  LANES("v_cvt_f32_i32", [](i32 a) { return float(a); });
  LANES("v_cvt_f32_u32", [](u32 a) { return float(a); });
  LANES("v_cvt_i32_f32", [](float a) { return saturated<i32>(double(a)); });
  LANES("v_cvt_u32_f32", [](float a) { return saturated<u32>(double(a)); });
  LANES("v_cvt_f32_ubyte0", [](u32 a) { return float(a & 0xff); });
  LANES("v_cvt_f32_ubyte1", [](u32 a) { return float(a >> 8 & 0xff); });
  LANES("v_cvt_f32_ubyte2", [](u32 a) { return float(a >> 16 & 0xff); });
  LANES("v_cvt_f32_ubyte3", [](u32 a) { return float(a >> 24); });
  LANES("v_cvt_f32_fp8", [](u32 a) { return Float8E4M3::value(a & 0xff); });
  LANES("v_cvt_f32_bf8", [](u32 a) { return Float8E5M2::value(a & 0xff); });
  LANES("v_cvt_f32_fp8_fnuz", [](u32 a) { return fnuzValue<4, 3>(a); });
  LANES("v_cvt_f32_bf8_fnuz", [](u32 a) { return fnuzValue<5, 2>(a); });
  LANES("v_cvt_f64_f32", [](float a) { return double(a); });
  LANES("v_cvt_f32_f64", [](double a) { return float(a); });
  LANES("v_cvt_f64_i32", [](i32 a) { return double(a); });
  LANES("v_cvt_f64_u32", [](u32 a) { return double(a); });
  LANES("v_cvt_i32_f64", [](double a) { return saturated<i32>(a); });
  LANES("v_cvt_u32_f64", [](double a) { return saturated<u32>(a); });
  LANES("v_cvt_f32_f16", [](F16 a) { return a.value(); });
  LANES("v_cvt_f16_f32", [](float a) { return F16::of(a); });
  LANES("v_cvt_pk_f16_f32",
        [](float a, float b) { return u32(Half::round(a) | Half::round(b) << 16); });
  LANES("v_cvt_pk_bf16_f32",
        [](float a, float b) { return u32(Brain::round(a) | Brain::round(b) << 16); });
}

static void addIntegers(InstructionSet &set) {
  constexpr auto plus = [](i64 a, i64 b) { return a + b; };
  constexpr auto minus = [](i64 a, i64 b) { return a - b; };
  constexpr auto minusReversed = [](i64 a, i64 b) { return b - a; };
  addBounded<u32, plus>(set, {"v_add_u32", "v_add_nc_u32"});
  addBounded<i32, plus>(set, {"v_add_i32", "v_add_nc_i32"});
  addBounded<u32, minus>(set, {"v_sub_u32", "v_sub_nc_u32"});
  addBounded<i32, minus>(set, {"v_sub_i32", "v_sub_nc_i32"});
  addBounded<u32, minusReversed>(set, {"v_subrev_u32", "v_subrev_nc_u32"});
  addBounded<u16, plus>(set, {"v_add_u16", "v_add_nc_u16"});
  addBounded<i16, plus>(set, {"v_add_i16", "v_add_nc_i16"});
  addBounded<u16, minus>(set, {"v_sub_u16", "v_sub_nc_u16"});
  addBounded<i16, minus>(set, {"v_sub_i16", "v_sub_nc_i16"});
  addBounded<u16, minusReversed>(set, {"v_subrev_u16"});
  LANES("v_add3_u32", [](u32 a, u32 b, u32 c) { return a + b + c; });
  LANES("v_lshl_add_u32", [](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; });
  LANES("v_add_lshl_u32", [](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); });
  LANES("v_lshl_or_b32", [](u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; });
  LANES("v_and_or_b32", [](u32 a, u32 b, u32 c) { return (a & b) | c; });
  LANES("v_or3_b32", [](u32 a, u32 b, u32 c) { return a | b | c; });
  LANES("v_xad_u32", [](u32 a, u32 b, u32 c) { return (a ^ b) + c; });
  LANES("v_xor3_b32", [](u32 a, u32 b, u32 c) { return a ^ b ^ c; });
  for (const char *name : {"v_lshl_add_u64"})
    LANES(name, [](u64 a, u32 b, u64 c) { return (a << (b & 63)) + c; });
  for (const char *name : {"v_mul_lo_u32"})
    LANES(name, [](u32 a, u32 b) { return a * b; });
  LANES("v_mul_hi_u32", [](u32 a, u32 b) { return u32(u64(a) * b >> 32); });
  LANES("v_mul_hi_i32", [](i32 a, i32 b) { return i32(i64(a) * b >> 32); });
  LANES("v_mul_u32_u24", [](u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); });
  LANES("v_mul_hi_u32_u24",
        [](u32 a, u32 b) { return u32(u64(a & 0xffffff) * (b & 0xffffff) >> 32); });
  LANES("v_mul_hi_i32_i24",
        [](u32 a, u32 b) { return u32(u64(i64(signed24(a)) * signed24(b)) >> 32); });
  LANES("v_mul_i32_i24", [](u32 a, u32 b) { return u32(i64(signed24(a)) * signed24(b)); });
  LANES("v_mad_u32_u24", [](u32 a, u32 b, u32 c) { return (a & 0xffffff) * (b & 0xffffff) + c; });
  LANES("v_mad_i32_i24",
        [](u32 a, u32 b, u32 c) { return u32(i64(signed24(a)) * signed24(b)) + c; });
  for (const char *name : {"v_mad_u64_u32", "v_mad_co_u64_u32"})
    set[name] = {runWideProduct<u32>, 2};
  for (const char *name : {"v_mad_i64_i32", "v_mad_co_i64_i32"})
    set[name] = {runWideProduct<i32>, 2};
  for (const char *name : {"v_add_co_u32", "v_addc_co_u32", "v_add_co_ci_u32"})
    set[name] = {withCarry<[](u64 a, u64 b, u64 c) { return a + b + c; }>, 2};
  for (const char *name : {"v_sub_co_u32", "v_subb_co_u32", "v_sub_co_ci_u32"})
    set[name] = {withCarry<[](u64 a, u64 b, u64 c) { return a - b - c; }>, 2};
  for (const char *name : {"v_subrev_co_u32", "v_subbrev_co_u32", "v_subrev_co_ci_u32"})
    set[name] = {withCarry<[](u64 a, u64 b, u64 c) { return b - a - c; }>, 2};
  LANES("v_max_i32", [](i32 a, i32 b) { return a > b ? a : b; });
  LANES("v_min_i32", [](i32 a, i32 b) { return a < b ? a : b; });
  LANES("v_max_u32", [](u32 a, u32 b) { return a > b ? a : b; });
  LANES("v_min_u32", [](u32 a, u32 b) { return a < b ? a : b; });
  LANES("v_med3_i32",
        [](i32 a, i32 b, i32 c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); });
  LANES("v_max3_i32", [](i32 a, i32 b, i32 c) { return std::max(std::max(a, b), c); });
  LANES("v_min3_i32", [](i32 a, i32 b, i32 c) { return std::min(std::min(a, b), c); });
  LANES("v_max3_u32", [](u32 a, u32 b, u32 c) { return std::max(std::max(a, b), c); });
  LANES("v_min3_u32", [](u32 a, u32 b, u32 c) { return std::min(std::min(a, b), c); });
}

static void addBits(InstructionSet &set) {
  LANES("v_mov_b32", [](u32 a) { return a; });
  for (const char *name : {"v_accvgpr_read_b32", "v_accvgpr_write_b32", "v_accvgpr_mov_b32",
                           "v_accvgpr_read", "v_accvgpr_write"})
    set[name] = set["v_mov_b32"];
  LANES("v_mov_b64", [](u64 a) { return a; });
  LANES("v_not_b32", [](u32 a) { return ~a; });
  LANES("v_and_b32", [](u32 a, u32 b) { return a & b; });
  LANES("v_or_b32", [](u32 a, u32 b) { return a | b; });
  LANES("v_xor_b32", [](u32 a, u32 b) { return a ^ b; });
  LANES("v_xnor_b32", [](u32 a, u32 b) { return ~(a ^ b); });
  LANES("v_lshlrev_b32", [](u32 a, u32 b) { return b << (a & 31); });
  LANES("v_lshrrev_b32", [](u32 a, u32 b) { return b >> (a & 31); });
  LANES("v_ashrrev_i32", [](u32 a, i32 b) { return b >> (a & 31); });
  LANES("v_lshlrev_b64", [](u32 a, u64 b) { return b << (a & 63); });
  LANES("v_lshrrev_b64", [](u32 a, u64 b) { return b >> (a & 63); });
  LANES("v_ashrrev_i64", [](u32 a, i64 b) { return b >> (a & 63); });
  LANES("v_bfe_u32",
        [](u32 a, u32 b, u32 c) { return u32(u64(a) >> (b & 31) & ((u64(1) << (c & 31)) - 1)); });
  LANES("v_bfe_i32", [](i32 a, u32 b, u32 c) {
    u32 width = c & 31, at = b & 31;
    return width == 0         ? 0
           : at + width >= 32 ? a >> at
                              : i32(u32(a) << (32 - at - width)) >> (32 - width);
  });
  LANES("v_bfi_b32", [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); });
  LANES("v_bfrev_b32", [](u32 a) {
    u32 result = 0;
    for (int i = 0; i < 32; ++i)
      result |= (a >> i & 1) << (31 - i);
    return result;
  });
  LANES("v_perm_b32", [](u32 a, u32 b, u32 c) { return bytesByIndex(a, b, c); });
  LANES("v_alignbit_b32", [](u32 a, u32 b, u32 c) { return u32((u64(a) << 32 | b) >> (c & 31)); });
  LANES("v_alignbyte_b32",
        [](u32 a, u32 b, u32 c) { return u32((u64(a) << 32 | b) >> 8 * (c & 3)); });
  for (const char *name : {"v_ffbh_u32", "v_clz_i32_u32"})
    LANES(name, [](u32 a) { return a ? u32(std::countl_zero(a)) : ~0u; });
  for (const char *name : {"v_ffbh_i32", "v_cls_i32"})
    LANES(name, [](i32 a) {
      u32 other = u32(a ^ a >> 31);
      return other ? u32(std::countl_zero(other)) : ~0u;
    });
  for (const char *name : {"v_ffbl_b32", "v_ctz_i32_b32"})
    LANES(name, [](u32 a) { return a ? u32(std::countr_zero(a)) : ~0u; });
  LANES("v_bcnt_u32_b32", [](u32 a, u32 b) { return u32(std::popcount(a)) + b; });
  // Of floats, as signs may be changed.
  LANES("v_cndmask_b32", [](float a, float b, Bit c) { return c.set ? b : a; });
  LANES("v_cndmask_b16", [](u16 a, u16 b, Bit c) { return c.set ? b : a; });
  LANES("v_mov_b16", [](u16 a) { return a; });
  LANES("v_pack_b32_f16", [](u16 a, u16 b) { return u32(a | u32(b) << 16); });
  set["v_bitop3_b32"] = {runTableOfBits<u32>};
  set["v_bitop3_b16"] = {runTableOfBits<u16>};
  set["v_fma_mix_f32"] = {runMixed<float, false>};
  set["v_fma_mixlo_f16"] = {runMixed<F16, false>};
  set["v_fma_mixhi_f16"] = {runMixed<F16, true>};
  for (const char *name : {"v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16"})
    set[name].clamps = set[name].keepsHalf = true;
  set["v_pk_mov_b32"] = {runPackedMove};
  set["v_readfirstlane_b32"] = {runReadFirstLane};
  set["v_readlane_b32"] = {runReadLane};
  set["v_writelane_b32"] = {runWriteLane};
  set["dual"] = {runDual};
}

static void addNarrow(InstructionSet &set) {
  set["v_pk_mul_lo_u16"] = {packedHalves<u16, [](u16 a, u16 b, u16) { return u16(u32(a) * b); }>};
  set["v_pk_mad_u16"] = {
      packedHalves<u16, [](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); }>};
  for (const char *name : {"v_pk_add_u16", "v_pk_add_i16"})
    set[name] = {packedHalves<u16, [](u16 a, u16 b, u16) { return u16(a + b); }>};
  for (const char *name : {"v_pk_sub_u16", "v_pk_sub_i16"})
    set[name] = {packedHalves<u16, [](u16 a, u16 b, u16) { return u16(a - b); }>};
  for (const char *name : {"v_dot4_i32_i8", "v_dot4c_i32_i8"})
    LANES(name, [](u32 a, u32 b, u32 c) { return dotOfBytes(a, b, c, true, true); });
  set["v_dot4c_i32_i8"].accumulates = true;
  LANES("v_dot4_u32_u8", [](u32 a, u32 b, u32 c) { return dotOfBytes(a, b, c, false, false); });
  set["v_dot4_i32_iu8"] = {runDotOfBytes};
  LANES("v_mul_lo_u16", [](u16 a, u16 b) { return u16(u32(a) * b); });
  for (const char *name : {"v_mad_u16", "v_mad_legacy_u16", "v_mad_i16", "v_mad_legacy_i16"}) {
    LANES(name, [](u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); });
    set[name].keepsHalf = std::string_view(name).find("legacy") == std::string_view::npos;
  }
  LANES("v_lshlrev_b16", [](u16 a, u16 b) { return u16(b << (a & 15)); });
  LANES("v_lshrrev_b16", [](u16 a, u16 b) { return u16(b >> (a & 15)); });
  LANES("v_ashrrev_i16", [](u16 a, i16 b) { return u16(b >> (a & 15)); });
  LANES("v_and_b16", [](u16 a, u16 b) { return u16(a & b); });
  LANES("v_or_b16", [](u16 a, u16 b) { return u16(a | b); });
  LANES("v_xor_b16", [](u16 a, u16 b) { return u16(a ^ b); });
  LANES("v_max_i16", [](i16 a, i16 b) { return a > b ? a : b; });
  LANES("v_min_i16", [](i16 a, i16 b) { return a < b ? a : b; });
  LANES("v_max_u16", [](u16 a, u16 b) { return a > b ? a : b; });
  LANES("v_min_u16", [](u16 a, u16 b) { return a < b ? a : b; });
  LANES("v_max3_i16", [](i16 a, i16 b, i16 c) { return std::max(std::max(a, b), c); });
  LANES("v_min3_i16", [](i16 a, i16 b, i16 c) { return std::min(std::min(a, b), c); });
  LANES("v_max3_u16", [](u16 a, u16 b, u16 c) { return std::max(std::max(a, b), c); });
  LANES("v_min3_u16", [](u16 a, u16 b, u16 c) { return std::min(std::min(a, b), c); });
  for (const char *name : {"v_max3_i16", "v_min3_i16", "v_max3_u16", "v_min3_u16"})
    set[name].keepsHalf = true;
  set["v_pk_max_i16"] = {packedHalves<i16, [](i16 a, i16 b, i16) { return std::max(a, b); }>};
  set["v_pk_min_i16"] = {packedHalves<i16, [](i16 a, i16 b, i16) { return std::min(a, b); }>};
  set["v_pk_max_u16"] = {packedHalves<u16, [](u16 a, u16 b, u16) { return std::max(a, b); }>};
  set["v_pk_min_u16"] = {packedHalves<u16, [](u16 a, u16 b, u16) { return std::min(a, b); }>};
}

void addVectors(InstructionSet &set) {
  addFloats(set);
  addDoubles(set);
  addHalves(set);
  addConversions(set);
  addIntegers(set);
  addBits(set);
  addNarrow(set);
}

} // namespace tw::emulator::amdgcn
