// ldmatrix, stmatrix and mma.sync.
//
// The fragments are written as the closed formulas of the PTX manual, apart from the tables of
// bases from which the compiler derives its layouts: a test compares the two. With g = lane / 4 and
// t = lane % 4, a register holds elements of row g (and g + 8) and of a column that grows with t.
#include "Checks.h"
#include "MatrixElements.h"

#include <algorithm>
#include <bit>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

namespace {

bool checkWhole(Warp &warp, const Op &op) {
  if (warp.mask == allLanes)
    return true;
  fault(warp, op, "an instruction of the whole warp in divergent code");
  return false;
}

/// Rows of 16 bytes whose addresses lanes 0 to 8 count - 1 give.
bool resolveRows(Warp &warp, const Op &op, uint32_t row, bool writes, Addresses &at) {
  if (!checkWhole(warp, op))
    return false;
  if (op.count < 4)
    warp.mask = (1u << 8 * op.count) - 1;
  addressesOf(warp, row, op.wide, op.offset, 16, at);
  bool fine = writes ? checkLocalWrite(warp, op, at, 16) : checkLocalRead(warp, op, at, 16);
  if (fine)
    warp.mask = allLanes;
  return fine;
}

/// Register i of lane l: of matrix i the elements (l / 4, 2 (l % 4)) and the next; transposed:
/// (2 (l % 4), l / 4) and the one below.
template <bool transposed> void loadMatrix(Warp &warp, const Op &op) {
  Addresses at;
  if (!resolveRows(warp, op, op.rows[op.results], false, at))
    return;
  const uint8_t *local = warp.block->local.data();
  for (uint32_t i = 0; i < op.count; ++i) {
    uint32_t *to = warp.row<uint32_t>(op.rows[i]);
    TW_LANES {
      uint16_t halves[2];
      for (uint32_t h = 0; h < 2; ++h) {
        uint32_t row = transposed ? 2 * (lane % 4) + h : lane / 4;
        uint32_t column = transposed ? lane / 4 : 2 * (lane % 4) + h;
        memcpy(&halves[h], local + at.of[8 * i + row] + 2 * column, 2);
      }
      to[lane] = halves[0] | uint32_t(halves[1]) << 16;
    }
  }
}

template <bool transposed> void storeMatrix(Warp &warp, const Op &op) {
  Addresses at;
  if (!resolveRows(warp, op, op.rows[0], true, at))
    return;
  uint8_t *local = warp.block->local.data();
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t *from = warp.row<const uint32_t>(op.rows[1 + i]);
    TW_LANES for (uint32_t h = 0; h < 2; ++h) {
      uint16_t half = uint16_t(from[lane] >> 16 * h);
      uint32_t row = transposed ? 2 * (lane % 4) + h : lane / 4;
      uint32_t column = transposed ? lane / 4 : 2 * (lane % 4) + h;
      memcpy(local + at.of[8 * i + row] + 2 * column, &half, 2);
    }
  }
}

/// A (16 x K) from its rows, registers of 32 bits. A register holds e = 32 / bits neighbours of one
/// row; registers alternate between rows g and g + 8, then go on by 4 e columns.
template <typename T, uint32_t K, typename V>
void readA(Warp &warp, const uint32_t *rows, V (&a)[16][K]) {
  constexpr uint32_t e = 32 / T::bits, count = K / (2 * e);
  for (uint32_t r = 0; r < count; ++r) {
    const uint32_t *row = warp.row<const uint32_t>(rows[r]);
    TW_LANES for (uint32_t h = 0; h < e; ++h) {
      uint32_t raw = uint32_t(row[lane] >> (T::bits * h)) & uint32_t((uint64_t(1) << T::bits) - 1);
      a[lane / 4 + 8 * (r & 1)][lane % 4 * e + h + 4 * e * (r >> 1)] = T::value(raw);
    }
  }
}

/// B (K x 8): a register holds e neighbours of one column.
template <typename T, uint32_t K, typename V>
void readB(Warp &warp, const uint32_t *rows, V (&b)[K][8]) {
  constexpr uint32_t e = 32 / T::bits, count = K / (4 * e);
  for (uint32_t r = 0; r < count; ++r) {
    const uint32_t *row = warp.row<const uint32_t>(rows[r]);
    TW_LANES for (uint32_t h = 0; h < e; ++h) {
      uint32_t raw = uint32_t(row[lane] >> (T::bits * h)) & uint32_t((uint64_t(1) << T::bits) - 1);
      b[lane % 4 * e + h + 4 * e * r][lane / 4] = T::value(raw);
    }
  }
}

/// mma m16n8kK with sums of 32 bits in 4 registers. Float products are exact in double precision,
/// summed there, and rounded once.
template <typename A, typename B, uint32_t K, typename Sum, typename Wide>
void multiply(Warp &warp, const Op &op) {
  using V = decltype(A::value(0));
  if (!checkWhole(warp, op))
    return;
  constexpr uint32_t countA = K * A::bits / 64, countB = K * B::bits / 128;
  const uint32_t *rows = op.rows + op.results;
  V a[16][K], b[K][8];
  readA<A, K>(warp, rows, a);
  readB<B, K>(warp, rows + countA, b);
  Wide c[16][8];
  for (uint32_t r = 0; r < 4; ++r) {
    const Sum *row = warp.row<const Sum>(rows[countA + countB + r]);
    TW_LANES c[lane / 4 + 8 * (r >> 1)][2 * (lane % 4) + (r & 1)] = Wide(row[lane]);
  }
  for (uint32_t i = 0; i < 16; ++i) {
    Wide sums[8];
    memcpy(sums, c[i], sizeof(sums));
    for (uint32_t k = 0; k < K; ++k)
      for (uint32_t j = 0; j < 8; ++j)
        sums[j] += Wide(a[i][k]) * Wide(b[k][j]);
    memcpy(c[i], sums, sizeof(sums));
  }
  for (uint32_t r = 0; r < 4; ++r) {
    Sum *row = warp.row<Sum>(op.rows[r]);
    TW_LANES row[lane] = Sum(c[lane / 4 + 8 * (r >> 1)][2 * (lane % 4) + (r & 1)]);
  }
}

/// The same with sums of 16 bits, two in a register.
template <typename A, uint32_t K> void multiplyHalf(Warp &warp, const Op &op) {
  if (!checkWhole(warp, op))
    return;
  constexpr uint32_t countA = K / 4, countB = K / 8;
  const uint32_t *rows = op.rows + op.results;
  float a[16][K], b[K][8];
  readA<A, K>(warp, rows, a);
  readB<A, K>(warp, rows + countA, b);
  double c[16][8];
  for (uint32_t r = 0; r < 2; ++r) {
    const uint32_t *row = warp.row<const uint32_t>(rows[countA + countB + r]);
    TW_LANES for (uint32_t h = 0; h < 2; ++h) c[lane / 4 + 8 * r][2 * (lane % 4) + h] =
        Half::value(uint16_t(row[lane] >> 16 * h));
  }
  for (uint32_t i = 0; i < 16; ++i)
    for (uint32_t k = 0; k < K; ++k)
      for (uint32_t j = 0; j < 8; ++j)
        c[i][j] += double(a[i][k]) * double(b[k][j]);
  for (uint32_t r = 0; r < 2; ++r) {
    uint32_t *row = warp.row<uint32_t>(op.rows[r]);
    TW_LANES row[lane] = Half::round(c[lane / 4 + 8 * r][2 * (lane % 4)]) |
                         uint32_t(Half::round(c[lane / 4 + 8 * r][2 * (lane % 4) + 1])) << 16;
  }
}

/// 8 x 8 elements of 16 bits, transposed among the lanes.
void moveMatrix(Warp &warp, const Op &op) {
  if (!checkWhole(warp, op))
    return;
  uint32_t from[32];
  memcpy(from, warp.row<const uint32_t>(op.rows[1]), sizeof(from));
  uint32_t *to = warp.row<uint32_t>(op.rows[0]);
  TW_LANES {
    uint32_t result = 0;
    for (uint32_t h = 0; h < 2; ++h) {
      uint32_t row = 2 * (lane % 4) + h, column = lane / 4;
      result |= (from[4 * row + column / 2] >> 16 * (column & 1) & 0xffff) << 16 * h;
    }
    to[lane] = result;
  }
}

} // namespace

void addMatrices(InstructionSet &set) {
  set.special["ldmatrix"] = loadMatrix<false>;
  set.special["ldmatrix.trans"] = loadMatrix<true>;
  set.special["stmatrix"] = storeMatrix<false>;
  set.special["stmatrix.trans"] = storeMatrix<true>;
  set.lanewise["movmatrix.sync.aligned.m8n8.trans.b16"] = {moveMatrix, "w=w"};
#define TW_MMA(shape, types, ...)                                                                  \
  set.special["mma.sync.aligned." shape ".row.col." types] = __VA_ARGS__
  TW_MMA("m16n8k16", "f32.f16.f16.f32", multiply<Half16, Half16, 16, float, double>);
  TW_MMA("m16n8k16", "f32.bf16.bf16.f32", multiply<Brain16, Brain16, 16, float, double>);
  TW_MMA("m16n8k16", "f16.f16.f16.f16", multiplyHalf<Half16, 16>);
  TW_MMA("m16n8k8", "f32.f16.f16.f32", multiply<Half16, Half16, 8, float, double>);
  TW_MMA("m16n8k8", "f32.bf16.bf16.f32", multiply<Brain16, Brain16, 8, float, double>);
  TW_MMA("m16n8k8", "f16.f16.f16.f16", multiplyHalf<Half16, 8>);
  TW_MMA("m16n8k8", "f32.tf32.tf32.f32", multiply<Tf32, Tf32, 8, float, double>);
  TW_MMA("m16n8k4", "f32.tf32.tf32.f32", multiply<Tf32, Tf32, 4, float, double>);
  TW_MMA("m16n8k32", "f32.e4m3.e4m3.f32", multiply<Float8E4M3, Float8E4M3, 32, float, double>);
  TW_MMA("m16n8k32", "f32.e5m2.e5m2.f32", multiply<Float8E5M2, Float8E5M2, 32, float, double>);
  TW_MMA("m16n8k32", "s32.s8.s8.s32", multiply<Signed8, Signed8, 32, uint32_t, uint32_t>);
  TW_MMA("m16n8k32", "s32.u8.u8.s32", multiply<Unsigned8, Unsigned8, 32, uint32_t, uint32_t>);
  TW_MMA("m16n8k32", "s32.s8.u8.s32", multiply<Signed8, Unsigned8, 32, uint32_t, uint32_t>);
  TW_MMA("m16n8k32", "s32.u8.s8.s32", multiply<Unsigned8, Signed8, 32, uint32_t, uint32_t>);
  TW_MMA("m16n8k16", "s32.s8.s8.s32", multiply<Signed8, Signed8, 16, uint32_t, uint32_t>);
#undef TW_MMA
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
