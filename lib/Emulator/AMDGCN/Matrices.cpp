// Matrix units, by the manuals' closed formulas. Products are exact, summed in double precision and
// rounded once for each instruction.
#include "Floats.h"
#include "Lanes.h"

namespace tw::emulator::amdgcn {

struct HalfElement {
  static constexpr uint32_t perRegister = 2;
  static double value(uint32_t word, uint32_t i) { return Half::value(uint16_t(word >> 16 * i)); }
};
struct BrainElement {
  static constexpr uint32_t perRegister = 2;
  static double value(uint32_t word, uint32_t i) { return Brain::value(uint16_t(word >> 16 * i)); }
};
struct ByteElement {
  static constexpr uint32_t perRegister = 4;
  static double value(uint32_t word, uint32_t i) { return int8_t(word >> 8 * i); }
};
/// OCP 8-bit floating point specification.
template <typename Small> struct Float8Element {
  static constexpr uint32_t perRegister = 4;
  static double value(uint32_t word, uint32_t i) { return Small::value(word >> 8 * i & 0xff); }
};
template <int exponentBits, int mantissaBits> struct FnuzElement {
  static constexpr uint32_t perRegister = 4;
  static double value(uint32_t word, uint32_t i) {
    return fnuzValue<exponentBits, mantissaBits>(word >> 8 * i);
  }
};
/// The bit that negates floats says whether bytes are signed.
struct AnyByteElement {
  static constexpr uint32_t perRegister = 4;
  static double value(uint32_t word, uint32_t i, bool isSigned) {
    return isSigned ? double(int8_t(word >> 8 * i)) : double(uint8_t(word >> 8 * i));
  }
};
struct FloatElement {
  static constexpr uint32_t perRegister = 1;
  static double value(uint32_t word, uint32_t) { return std::bit_cast<float>(word); }
};

/// The elements of a (rows) or b (columns): k of each, where lanes beyond m hold further ones, or
/// copies.
template <typename Element>
static void gather(Wave &wave, const Operand &from, const Op &op, uint32_t width, bool copies,
                   double *into) {
  uint32_t m = op.extent, k = op.depth;
  uint32_t perLane = copies ? k : k * m / width;
  for (uint32_t lane = 0; lane < (copies ? m : width); ++lane)
    for (uint32_t i = 0; i < perLane; ++i) {
      uint32_t word = wave.vector[from.index + i / Element::perRegister][lane];
      uint32_t at = copies ? i : perLane * (lane / m) + i;
      double &element = into[lane % m * k + at];
      if constexpr (std::is_same_v<Element, AnyByteElement>)
        element = Element::value(word, i % Element::perRegister, from.negated);
      else
        element = Element::value(word, i % Element::perRegister);
    }
}

static double addendOf(Wave &wave, const Operand &from, uint32_t i, uint32_t lane, bool integers) {
  if (from.kind != Operand::Vector)
    return integers ? double(constantOf<int32_t>(from)) : constantOf<float>(from);
  uint32_t word = wave.vector[from.index + i][lane];
  return integers ? double(int32_t(word)) : std::bit_cast<float>(word);
}

/// The row of the result that register `i` of a lane holds.
enum class Rows { Mfma, WmmaOlder, WmmaNewer };
static uint32_t rowOf(Rows rows, uint32_t i, uint32_t lane, uint32_t m, uint32_t width) {
  uint32_t group = lane / m, groups = width / m;
  switch (rows) {
  case Rows::Mfma:
    return 4 * groups * (i / 4) + 4 * group + i % 4;
  case Rows::WmmaOlder:
    return groups * i + group;
  case Rows::WmmaNewer:
    return i + m / groups * group;
  }
  return 0;
}

template <typename Element, Rows rows, bool integers>
static void multiply(Wave &wave, const Op &op) {
  if (wave.exec() != wave.alive)
    return fault(wave, op, "a matrix instruction with lanes %#llx on, it needs all of its wave",
                 (unsigned long long)wave.exec());
  uint32_t width = wave.kernel->chip.waveLanes, m = op.extent, k = op.depth;
  constexpr bool copies = rows == Rows::WmmaOlder;
  double a[32 * 64], b[32 * 64];
  uint32_t result[16][lanes];
  gather<Element>(wave, op.from[0], op, width, copies, a);
  gather<Element>(wave, op.from[1], op, width, copies, b);
  uint32_t registers = m * m / width;
  for (uint32_t lane = 0; lane < width; ++lane)
    for (uint32_t i = 0; i < registers; ++i) {
      const double *row = a + rowOf(rows, i, lane, m, width) * k, *column = b + lane % m * k;
      double sum = addendOf(wave, op.from[2], i, lane, integers);
      for (uint32_t inner = 0; inner < k; ++inner)
        sum += row[inner] * column[inner];
      result[i][lane] = integers ? uint32_t(int64_t(sum)) : std::bit_cast<uint32_t>(float(sum));
    }
  for (uint32_t i = 0; i < registers; ++i)
    memcpy(wave.vector[op.to[0].index + i], result[i], width * 4);
}

template <typename Element, Rows rows, bool integers = false>
static void addUnit(InstructionSet &set, const char *name) {
  Instruction &made = set[name];
  made.run = multiply<Element, rows, integers>;
  made.elements = Element::perRegister;
  made.copies = rows == Rows::WmmaOlder;
}

void addMatrices(InstructionSet &set) {
  addUnit<HalfElement, Rows::Mfma>(set, "v_mfma_f32_f16");
  addUnit<BrainElement, Rows::Mfma>(set, "v_mfma_f32_bf16");
  addUnit<FloatElement, Rows::Mfma>(set, "v_mfma_f32_f32");
  addUnit<ByteElement, Rows::Mfma, true>(set, "v_mfma_i32_i8");
  addUnit<Float8Element<Float8E4M3>, Rows::Mfma>(set, "v_mfma_f32_fp8_fp8");
  addUnit<Float8Element<Float8E5M2>, Rows::Mfma>(set, "v_mfma_f32_bf8_bf8");
  addUnit<FnuzElement<4, 3>, Rows::Mfma>(set, "v_mfma_f32_fp8_fp8_fnuz");
  addUnit<FnuzElement<5, 2>, Rows::Mfma>(set, "v_mfma_f32_bf8_bf8_fnuz");
  addUnit<Float8Element<Float8E4M3>, Rows::WmmaNewer>(set, "v_wmma12_f32_fp8_fp8");
  addUnit<Float8Element<Float8E5M2>, Rows::WmmaNewer>(set, "v_wmma12_f32_bf8_bf8");
  addUnit<HalfElement, Rows::WmmaOlder>(set, "v_wmma_f32_f16");
  addUnit<BrainElement, Rows::WmmaOlder>(set, "v_wmma_f32_bf16");
  addUnit<AnyByteElement, Rows::WmmaOlder, true>(set, "v_wmma_i32_iu8");
  addUnit<AnyByteElement, Rows::WmmaNewer, true>(set, "v_wmma12_i32_iu8");
  addUnit<HalfElement, Rows::WmmaNewer>(set, "v_wmma12_f32_f16");
  addUnit<BrainElement, Rows::WmmaNewer>(set, "v_wmma12_f32_bf16");
}

} // namespace tw::emulator::amdgcn
