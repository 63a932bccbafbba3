// Polynomials and split constants of the math expansion, lowest coefficient first.
// Written by tools/dev/math-coefficients; change that and run it again.
#pragma once

#include <cstdint>

namespace tw::math {

/// (exp(r) - 1 - r) / r^2 on [-0.346574, 0.346574], relative error 2^-57.2.
inline constexpr double expF64[] = {
    0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555552p-5,  0x1.11111111100dfp-7,
    0x1.6c16c16c1770dp-10, 0x1.a01a01abe62ddp-13, 0x1.a01a01a0d4a74p-16, 0x1.71de02375656cp-19,
    0x1.27e4e7ea9dae8p-22, 0x1.af4ddd84882fep-26, 0x1.1f600c20c72cep-29,
};

/// (exp(r) - 1 - r) / r^2 on [-0.346574, 0.346574], relative error 2^-22.8.
inline constexpr double expF32[] = {
    0x1.0000000000000p-1, 0x1.5554de0000000p-3,  0x1.55551a0000000p-5,
    0x1.120b620000000p-7, 0x1.6d10fc0000000p-10,
};

/// (exp(r) - 1 - r) / r^2 on [-0.346574, 0.346574], relative error 2^-26.7.
inline constexpr double expm1F32[] = {
    0x1.0000000000000p-1, 0x1.5555560000000p-3,  0x1.5554ea0000000p-5,
    0x1.1110e00000000p-7, 0x1.6d43160000000p-10, 0x1.a124e40000000p-13,
};

/// (log((1+s)/(1-s)) / s - 2) / s^2 in s^2 on [0, 0.0294667], relative error 2^-54.0.
inline constexpr double logF64[] = {
    0x1.5555555555555p-1, 0x1.9999999999a39p-2, 0x1.2492492476a1ap-2, 0x1.c71c7201a55d7p-3,
    0x1.745cf8e4bba1bp-3, 0x1.3b1c3c1c81c8fp-3, 0x1.0fbde0f4ad17bp-3, 0x1.0c0aff044a970p-3,
};

/// (log((1+s)/(1-s)) / s - 2) / s^2 in s^2 on [0, 0.0294667], relative error 2^-24.8.
inline constexpr double logF32[] = {
    0x1.5555560000000p-1,
    0x1.9999ec0000000p-2,
    0x1.245c280000000p-2,
    0x1.ddd4da0000000p-3,
};

/// (log((1+s)/(1-s)) / 2s - 1 - s^2/3) / s^4 in s^2 on [9.53674e-07, 0.0294667], relative error
/// 2^-53.8.
inline constexpr double powF64[] = {
    0x1.999999999999ap-3, 0x1.2492492492523p-3, 0x1.c71c71c6ea534p-4, 0x1.745d177ad8f4dp-4,
    0x1.3b1395b69d407p-4, 0x1.1118cdab84abep-4, 0x1.df7b95dd1b014p-5, 0x1.e03ae848026d5p-5,
};

/// (tanh(x) / x - 1) / x^2 in x^2 on [0, 0.316406], relative error 2^-53.8.
inline constexpr double tanhF64[] = {
    -0x1.5555555555555p-2,  0x1.1111111111105p-3,  -0x1.ba1ba1ba19d5dp-5,  0x1.664f4881ec346p-6,
    -0x1.226e352b6a427p-7,  0x1.d6d3c26abcbe7p-9,  -0x1.7da216499f72dp-10, 0x1.354431e18ea6cp-11,
    -0x1.f3e303d937561p-13, 0x1.8b6e011d560bfp-14, -0x1.1798f633d339fp-15, 0x1.002b1e55e95d8p-17,
};

/// (tanh(x) / x - 1) / x^2 in x^2 on [0, 0.316406], relative error 2^-24.0.
inline constexpr double tanhF32[] = {
    -0x1.5555540000000p-2, 0x1.110fb40000000p-3,  -0x1.b9902c0000000p-5,
    0x1.5c60f80000000p-6,  -0x1.aba8f00000000p-8,
};

/// (sinh(x) / x - 1) / x^2 in x^2 on [0, 1], relative error 2^-54.0.
inline constexpr double sinhF64[] = {
    0x1.5555555555555p-3,  0x1.1111111111111p-7,  0x1.a01a01a01a01ap-13,
    0x1.71de3a556c724p-19, 0x1.ae64567f56d72p-26, 0x1.61246136ddcb0p-33,
    0x1.ae7f44a89136cp-41, 0x1.952654734b725p-49, 0x1.328de90012662p-57,
};

/// (sin(x) / x - 1) / x^2 in x^2 on [0, 0.617467], relative error 2^-54.0.
inline constexpr double sinF64[] = {
    -0x1.5555555555555p-3,  0x1.1111111111110p-7,  -0x1.a01a01a01992fp-13, 0x1.71de3a545f836p-19,
    -0x1.ae645410e937bp-26, 0x1.61217d9252c03p-33, -0x1.ab16f5caa198ap-41,
};

/// (cos(x) - 1 + x^2/2) / x^4 in x^2 on [9.53674e-07, 0.617467], relative error 2^-54.0.
inline constexpr double cosF64[] = {
    0x1.5555555555555p-5,  -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d06p-16, -0x1.27e4fb77125bfp-22,
    0x1.1eed8deac366ap-29, -0x1.9394b8bcb388ep-37, 0x1.ab7795027abb6p-45,
};

/// (atan(x) / x - 1) / x^2 in x^2 on [0, 0.171744], relative error 2^-53.7.
inline constexpr double atanF64[] = {
    -0x1.5555555555555p-2, 0x1.999999999999ap-3, -0x1.2492492492492p-3, 0x1.c71c71c71c6eep-4,
    -0x1.745d1745d0468p-4, 0x1.3b13b13aca025p-4, -0x1.111111053db89p-4, 0x1.e1e1df41020f9p-5,
    -0x1.af283642f9901p-5, 0x1.861545097bb7ap-5, -0x1.640a54e9a0273p-5, 0x1.46980806342e2p-5,
    -0x1.28e9f4e542d8ep-5, 0x1.fcd1b7a0e8a09p-6, -0x1.65e4bd8ba5808p-6, 0x1.24f4b1a36e54cp-7,
};

/// (asin(x) / x - 1) / x^2 in x^2 on [0, 0.25], relative error 2^-54.0.
inline constexpr double asinF64[] = {
    0x1.5555555555555p-3, 0x1.333333333332dp-4,  0x1.6db6db6db7c7fp-5, 0x1.f1c71c70ee54ap-6,
    0x1.6e8ba31c9dc09p-6, 0x1.1c4ebd7735bf2p-6,  0x1.c99afe79266f3p-7, 0x1.7a70c2a695fe0p-7,
    0x1.40e38d543d8d2p-7, 0x1.0a9849ba5937fp-7,  0x1.2031dbbbbad45p-7, 0x1.8f5a75293b096p-12,
    0x1.7184808eff5eep-6, -0x1.898d77b6dddb2p-6, 0x1.f74bdb0d4b5bep-6,
};

/// erf(x) / x - 1 in x^2 on [0, 1], relative error 2^-56.3.
inline constexpr double erfF64[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379e7p-2,  0x1.ce2f21a042be2p-4,  -0x1.b82ce31288b47p-6,
    0x1.565bcd0e6a2eep-8,  -0x1.c02db40035f1ep-11, 0x1.f9a326f7ac5b1p-14, -0x1.f4d25bf9af03ap-17,
    0x1.b9e6c38e5cf3dp-20, -0x1.5f73c3bf14b91p-23, 0x1.fcbb312b48443p-27, -0x1.517ce02f1265fp-30,
    0x1.9a0fcb5e22c5bp-34, -0x1.b40e7abf9f000p-38, 0x1.3c01fd3a74542p-42,
};

/// exp(x^2) erfc(x) in u = (x-3)/(x+3), x in [1, 6], on [-0.5, 0.333333], relative error 2^-52.8.
inline constexpr double erfcxF64[] = {
    0x1.6e9827d229d2dp-3,   -0x1.4e102b9cf8513p-2, 0x1.f6ff204105976p-3,  -0x1.336ffbef08b18p-3,
    0x1.258b13b017934p-4,   -0x1.8fa58eb5e1d42p-6, 0x1.17c838eec7b56p-8,  0x1.73101ea1b3803p-11,
    -0x1.39084c8034bb3p-11, 0x1.7ba0ce14ddbbep-15, 0x1.0cac3a11fe28fp-14, -0x1.af7cf3e087bcfp-17,
    -0x1.0bafe44deb848p-17, 0x1.1b86fc353f5b6p-19, 0x1.4e75dccc737abp-20, -0x1.20ffd2643b2abp-22,
    -0x1.b521f5e62b937p-23,
};

/// log(erfc(x)) / x in x on [0, 4],
/// relative error of what is made of it 2^-27.9; the constant term in two parts.
inline constexpr double erfF32[] = {
    -0x1.20dd760000000p+0,  0x1.d0e9000000000p-25, -0x1.45f2fa0000000p-1,  -0x1.a4fa5e0000000p-4,
    0x1.39cdba0000000p-6,   0x1.506b500000000p-13, -0x1.b501da0000000p-10, 0x1.4bcbb80000000p-11,
    -0x1.ed70a40000000p-14, 0x1.369ac40000000p-17,
};

/// tanh(x) / x on [0, 9.02] as a ratio of polynomials in x^2, relative error
/// 2^-25.5.
inline constexpr double tanhRatioTop[] = {
    0x1.0000000000000p+0,  0x1.12064c0000000p-3,  0x1.ca073e0000000p-9,
    0x1.5971760000000p-16, 0x1.c9e6b00000000p-27,
};

inline constexpr double tanhRatioBottom[] = {
    0x1.0000000000000p+0,  0x1.de58700000000p-2,  0x1.a7e6700000000p-6,
    0x1.5854740000000p-12, 0x1.a0e7660000000p-21,
};

/// erf(x) / x on [0, 3.93] as a ratio of polynomials in x^2, relative error
/// 2^-25.6.
inline constexpr double erfRatioTop[] = {
    0x1.20dd740000000p+0, 0x1.8678860000000p-3,  0x1.b050220000000p-5,
    0x1.eea9cc0000000p-9, 0x1.2a752e0000000p-12, 0x1.121a6e0000000p-19,
};

inline constexpr double erfRatioBottom[] = {
    0x1.0000000000000p+0, 0x1.012d840000000p-1,  0x1.d3c8a60000000p-4,
    0x1.eb10e80000000p-7, 0x1.3112740000000p-10, 0x1.3ebf240000000p-15,
};

/// (log(1+f) - f + f^2/2) / f^3 on [-0.2931, 0.4145], relative error 2^-21.1.
inline constexpr double logShortF32[] = {
    0x1.5555540000000p-2, -0x1.0000ce0000000p-2, 0x1.999f1a0000000p-3, -0x1.54cfca0000000p-3,
    0x1.231bbe0000000p-3, -0x1.0a38f20000000p-3, 0x1.028dea0000000p-3, -0x1.43b1aa0000000p-4,
};

/// erf(x) / x in x - i width for x in [i - 1/2, i + 1/2] * width: first the constant term in two
/// parts, the second of which goes with the rest; from the limit on the last piece goes on.
inline constexpr double erfPiecesWidth = 0x1.0800000000000p-2,
                        erfPiecesLimit = 0x1.fc00000000000p+1;
inline constexpr float erfPieces[][16] = {
    {0x1.20dd760000000p+0f, 0x1.1a97360000000p+0f, 0x1.092f1a0000000p+0f, 0x1.e0921c0000000p-1f,
     0x1.a8a1260000000p-1f, 0x1.720f260000000p-1f, 0x1.417dbe0000000p-1f, 0x1.18ab380000000p-1f,
     0x1.eebaaa0000000p-2f, 0x1.b8dd320000000p-2f, 0x1.8d15040000000p-2f, 0x1.690eda0000000p-2f,
     0x1.4afc620000000p-2f, 0x1.31874a0000000p-2f, 0x1.1bb49e0000000p-2f, 0x1.08caba0000000p-2f},
    {-0x1.f72a9c0000000p-25f, -0x1.b9dd880000000p-27f, 0x1.ce5e680000000p-27f,
     0x1.5b54ca0000000p-26f, 0x1.5b51ec0000000p-26f, 0x1.2166b60000000p-26f, 0x1.b5f4160000000p-29f,
     -0x1.9db1f80000000p-27f, -0x1.6a7d320000000p-29f, -0x1.1d10c00000000p-28f,
     0x1.d6d79e0000000p-30f, 0x1.337bfc0000000p-27f, 0x1.c3b66c0000000p-27f, 0x1.74ecdc0000000p-27f,
     -0x1.34b47e0000000p-29f, 0x1.b9fadc0000000p-28f},
    {-0x1.1b99740000000p-25f, -0x1.7db8120000000p-3f, -0x1.5373ce0000000p-2f,
     -0x1.a554840000000p-2f, -0x1.b4af9a0000000p-2f, -0x1.9401a80000000p-2f, -0x1.5b6a060000000p-2f,
     -0x1.1e63b40000000p-2f, -0x1.cfd13e0000000p-3f, -0x1.776eb80000000p-3f, -0x1.32e0300000000p-3f,
     -0x1.fcbcaa0000000p-4f, -0x1.abd6540000000p-4f, -0x1.6c9f2e0000000p-4f, -0x1.3a68220000000p-4f,
     -0x1.11e2a80000000p-4f},
    {-0x1.81267e0000000p-2f, -0x1.54d9ac0000000p-2f, -0x1.c6bf980000000p-3f, -0x1.6a15d40000000p-4f,
     0x1.88616c0000000p-6f, 0x1.7852d80000000p-4f, 0x1.dc0f3a0000000p-4f, 0x1.c8cb440000000p-4f,
     0x1.8018460000000p-4f, 0x1.2e644e0000000p-4f, 0x1.d01f700000000p-5f, 0x1.63cea00000000p-5f,
     0x1.13efec0000000p-5f, 0x1.b2ebe00000000p-6f, 0x1.5c647e0000000p-6f, 0x1.1b49140000000p-6f},
    {-0x1.9fb1240000000p-14f, 0x1.b83d9e0000000p-4f, 0x1.59b3300000000p-3f, 0x1.559dea0000000p-3f,
     0x1.e622180000000p-4f, 0x1.d64a060000000p-5f, 0x1.25f8800000000p-7f, -0x1.1f6ef60000000p-6f,
     -0x1.aa2d200000000p-6f, -0x1.9238160000000p-6f, -0x1.41e5ee0000000p-6f, -0x1.e0c76a0000000p-7f,
     -0x1.5fbae20000000p-7f, -0x1.027d420000000p-7f, -0x1.81b8a20000000p-8f,
     -0x1.24f49c0000000p-8f},
    {0x1.d445bc0000000p-4f, 0x1.650d8c0000000p-4f, 0x1.d297500000000p-6f, -0x1.d7e1880000000p-6f,
     -0x1.db0bb00000000p-5f, -0x1.c99d660000000p-5f, -0x1.2ad3160000000p-5f, -0x1.033d3a0000000p-6f,
     -0x1.20efd00000000p-9f, 0x1.f42aac0000000p-9f, 0x1.4d35800000000p-8f, 0x1.1ef3400000000p-8f,
     0x1.ab5d620000000p-9f, 0x1.2e9b720000000p-9f, 0x1.a9ae200000000p-10f, 0x1.2f13c40000000p-10f},
    {-0x1.51586a0000000p-7f, -0x1.2b7a400000000p-5f, -0x1.978da40000000p-5f, -0x1.23b0fe0000000p-5f,
     -0x1.33aabe0000000p-7f, 0x1.5f40b60000000p-7f, 0x1.1a93ae0000000p-6f, 0x1.c3a7020000000p-7f,
     0x1.e13e2c0000000p-8f, 0x1.3a1d5e0000000p-9f, -0x1.3090860000000p-14f, -0x1.b57f180000000p-11f,
     -0x1.b6325c0000000p-11f, -0x1.4bae580000000p-11f, -0x1.cadfc00000000p-12f,
     -0x1.3715da0000000p-12f},
};

/// 1 / ln 2.
inline constexpr double log2e = 0x1.71547652b82fep+0;

/// 1 / ln 10.
inline constexpr double log10e = 0x1.bcb7b1526e50ep-2;

/// 1 / ln 2 as an unevaluated sum of two f64.
inline constexpr double log2eSplit[] = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};

/// 1 / 3 as an unevaluated sum of two f64.
inline constexpr double thirdSplit[] = {0x1.5555555555555p-2, 0x1.5555555555555p-56};

/// ln 2; the first part times any exponent is exact.
inline constexpr double ln2F64[] = {0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33};

/// ln 2; the first part times any exponent is exact.
inline constexpr double ln2F32[] = {0x1.62e4000000000p-1, 0x1.7f7d1c0000000p-20};

/// 2 / pi.
inline constexpr double twoOverPi = 0x1.45f306dc9c883p-1;

/// pi / 2; the first two parts times 20 bits are exact.
inline constexpr double halfPiReduction[] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34,
                                             0x1.3198a2e037073p-69};

/// pi / 2 as an unevaluated sum of two f64.
inline constexpr double halfPiSplit[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/// pi / 4 as an unevaluated sum of two f64.
inline constexpr double quarterPiSplit[] = {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};

/// 64 zeros, then the bits of 2 / pi, highest first.
inline constexpr uint32_t twoOverPiBits[] = {
    0x00000000u, 0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
    0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu,
    0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u,
    0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu,
    0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u,
    0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu,
};

} // namespace tw::math
