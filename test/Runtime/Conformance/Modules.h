// The module that the suite runs: its functions, each with a program for every target.
#pragma once

#include "tw/Format/Metadata.h"

#include <vector>

namespace tw::test {

/// Functions:
///   affine(x: f32[64]) -> f32[64]        3 * (x + w), w = 0, 1 ... 15 repeated: two launches,
///   arena ids() -> i32[70000]                  0, 1, 2 ...: one launch of 70,000 groups reverse(x:
///   f32[64]) -> f32[64]       each 16 turned round, through local memory many(x_0 .. x_14:
///   f32[16]) -> f32[16]   sum of (k + 1) * x_k, minus 100: 16 bindings and scalars grid(x:
///   f32[384]) -> f32[384]        2 * x, on a grid of 3 x 2 x 4 empty(x: f32[16]) -> f32[16] a
///   launch of no groups, then a copy of x moves(x: f32[S]) -> f32[S]           copies; the last
///   quarter filled with 7; S a multiple of 4 twice(x: f32[64]) -> f32[64]         3 * x in place:
///   the result is the argument's memory chain(x: f32[64]) -> f32[64]         100 launches, each
///   adding w, over two arena buffers constants() -> f32[64]               embedded (unaligned),
///   splat 2.5, splat f64 1/3 as bits derived(x: f32[64]) -> f32[64]       x + 4 * (w + 2), of
///   which the initializer derives w + 2 and
///                                        3 * (w + 2) with a fill and two launches
///   joined(x: f32[S], z: f32[T]) -> f32[S + T]
///                                        x and z, three times, or five times where S is 1; T must
///                                        be S + 1: equations, a check, a block, typed bindings
///   append(x: f32[S], past: f32[P] in storage f32[256]) -> f32[P + S]
///                                        x behind what past has, in its memory; P is late, and a
///                                        buffer grows with it by 64
///   loops(x: f32[80], control: 16 bytes in an f32[4]) -> f32[80]
///                                        rows of 16. Control is how often the next row of x is
///                                        added to the first, to 4 times, each sum being a row of
///                                        the result, from the fourth back; then bytes, the sum is
///                                        doubled until one is 0, to 4 times; the last byte: it is
///                                        multiplied by 27, else set to 0, and is the last row
///   counted(x: f32[64]) -> f32[64]       x + 3 * w, in loops and a side that memory of the call's
///   own
///                                        decides about
///   long(x: f32[16], n: 8 bytes in an f32[2]) -> f32[16]
///                                        x + n * w, in n launches, to 10,000
std::vector<uint8_t> makeSuiteModule();
/// The same before it is encoded, to be changed; and the encoding.
format::Metadata makeSuiteMetadata();
/// `cubin`: the chip of one more section, an object for CUDA; 0: none.
std::vector<uint8_t> assembleSuite(const format::Metadata &metadata, int cubin = 0);
inline constexpr uint32_t cubinSection = 7;

/// The chip whose code modules have for AMD.
void setAmdChip(const char *chip);

/// An object with kernels of these names, for the fakes: an ELF header and names. For AMD the real
/// one where this build made it.
std::vector<uint8_t> makeCubin(int chip);
std::vector<uint8_t> makeHsaco(const std::string &chip);

/// Indices of the kernels of one target in the metadata, from the target's first.
enum SuiteKernel : uint32_t { Add, Scale, Ids, Reverse, Many, Put, KernelCount };
/// "host", "opencl", "vulkan", "cuda", "amd": kernels of target t begin at t * KernelCount.
inline constexpr const char *suiteTargets[] = {"host", "opencl", "vulkan", "cuda", "amd"};

} // namespace tw::test
