// The elementary functions of the math expansion; one source file per family.
//
// All functions are correct for NaN (result NaN), infinities, signed zeros and denormals, and round
// overflow to infinity and underflow to denormals or zero. Bounds are in tw/Target/Common/Math.h.
#pragma once

#include "Emitter.h"

namespace tw::math {

inline constexpr double ln2 = 0x1.62e42fefa39efp-1;

// Exponential.cpp
Float exp(Float x);
/// The same bits for an x that is not above 0 and whose result is normal, else the same or 0;
/// anything else for other numbers.
Float expNotPositive(Float x);
/// e^x - 1 and e^x + 1 for x in [-80, 0], the former as exact near 0 as elsewhere: 1.3 units in the
/// last place in f32. NaN for NaN.
struct BesideOne {
  Float below, above;
};
BesideOne expBesideOne(Float x);
/// The same bits as exp where the result is at least twice the least normal number, else anything
/// below that: the same sums with numbers that have no such bits (see `hidesDenormals`).
Float expAdded(Float x);
Float exp2(Float x);
Float expm1(Float x);
/// e^x * 2^shift with one rounding at the end, for |shift| <= 2.
Float expShifted(Float x, int shift);
/// 2^(x.high + x.low), f64 only, |x.low| small; any x.high but NaN.
Float exp2(Double x);

// Logarithm.cpp
Float log(Float x);
Float log2(Float x);
Float log10(Float x);
Float log1p(Float x);
/// log2 of a positive, finite x to about 2^-65 relative, f64 only.
Double log2Precise(Float x);

// Trigonometric.cpp, f64 only
Float sin(Float x);
Float cos(Float x);
Float tan(Float x);

// InverseTrigonometric.cpp, f64 only
Float asin(Float x);
Float acos(Float x);
Float atan(Float x);

// Hyperbolic.cpp; tanh in both types, the rest f64 only
Float tanh(Float x);
Float sinh(Float x);
Float cosh(Float x);
Float asinh(Float x);
Float acosh(Float x);
Float atanh(Float x);

// Erf.cpp
Float erf(Float x);

// Power.cpp, f64 only
Float pow(Float x, Float y);

// Approximate.cpp, f32 only: shorter forms for operations with `afn`
Float approximateTanh(Float x, mlir::arith::FastMathFlags flags);
Float approximateErf(Float x, mlir::arith::FastMathFlags flags);
/// By the target's own power of two and logarithm.
Float expByPower(Float x, mlir::arith::FastMathFlags flags);
/// Of what is not positive; exact to 2^-22 of 1.
Float fractionByPower(Float x, mlir::arith::FastMathFlags flags);
Float logByPower(Float x, mlir::arith::FastMathFlags flags);
// Logarithm.cpp
Float approximateLog(Float x, mlir::arith::FastMathFlags flags);

// Remainder.cpp: C's fmod, exact
Float remainder(Float x, Float y);

/// Parts of an argument reduced by multiples of pi / 2: x = quadrant * pi/2 + high + low.
struct Quadrant {
  Int quadrant;
  Double rest;
};

} // namespace tw::math
