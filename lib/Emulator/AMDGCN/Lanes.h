// Functions of a lane as handlers of rows of 64.
#pragma once

#include "../PTX/SmallFloats.h"
#include "Wave.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>
#include <type_traits>

namespace tw::emulator::amdgcn {

using Half = ptx::TW_EMULATOR_VARIANT::Half;
using Float8E4M3 = ptx::TW_EMULATOR_VARIANT::E4M3;
using Float8E5M2 = ptx::TW_EMULATOR_VARIANT::E5M2;
using Brain = ptx::TW_EMULATOR_VARIANT::Brain;

/// A number of 16 bits.
struct F16 {
  uint16_t bits;
  float value() const { return Half::value(bits); }
  static F16 of(double value) { return {Half::round(value)}; }
};

/// A lane's bit of a mask.
struct Bit {
  bool set;
};

#define TW_WAVE_LANES for (uint32_t lane = 0; lane < lanes; ++lane)

template <typename T>
constexpr bool isFloat =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, F16>;
template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, uint64_t,
                                  std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>>;

/// A constant as a type sees it.
template <typename T> T constantOf(const Operand &from) {
  using U = BitsOf<T>;
  if (from.kind == Operand::Float) {
    if constexpr (sizeof(T) == 8)
      return std::bit_cast<T>(std::bit_cast<uint64_t>(from.number));
    else if constexpr (sizeof(T) == 4)
      return std::bit_cast<T>(std::bit_cast<uint32_t>(float(from.number)));
    else
      return std::bit_cast<T>(U(from.part == Part::High ? 0 : Half::round(from.number)));
  }
  // A literal is the high half of a double.
  if (std::is_same_v<T, double> && from.kind == Operand::Literal)
    return std::bit_cast<T>(BitsOf<T>(uint64_t(from.integer) << (sizeof(T) == 8 ? 32 : 0)));
  // Integers have their sign in all 32 bits, of which an operation on pairs takes a half.
  bool isHigh = sizeof(T) == 2 && from.part == Part::High;
  return std::bit_cast<T>(U(from.integer >> (isHigh ? 16 : 0)));
}

inline uint32_t partOf(uint32_t value, Part part, bool extended) {
  switch (part) {
  case Part::All:
    return value;
  case Part::Low:
    return extended ? uint32_t(int16_t(value)) : value & 0xffff;
  case Part::High:
    return extended ? uint32_t(int32_t(value) >> 16) : value >> 16;
  default:
    value = value >> 8 * (uint32_t(part) - uint32_t(Part::Byte0)) & 0xff;
    return extended ? uint32_t(int8_t(value)) : value;
  }
}

template <typename T> void modify(const Operand &from, T *row) {
  if constexpr (isFloat<T>) {
    using U = BitsOf<T>;
    constexpr U sign = U(U(1) << (8 * sizeof(T) - 1));
    if (from.absolute)
      TW_WAVE_LANES row[lane] = std::bit_cast<T>(U(std::bit_cast<U>(row[lane]) & U(~sign)));
    if (from.negated)
      TW_WAVE_LANES row[lane] = std::bit_cast<T>(U(std::bit_cast<U>(row[lane]) ^ sign));
  }
}

/// The lanes' values of an operand: the register itself, or a copy in `row`.
template <typename T> const T *fetch(Wave &wave, const Operand &from, T *row) {
  using U = BitsOf<T>;
  if (from.kind == Operand::Vector) {
    const uint32_t *low = wave.vector[from.index];
    if constexpr (sizeof(T) == 8) {
      const uint32_t *high = wave.vector[from.index + 1];
      TW_WAVE_LANES row[lane] = std::bit_cast<T>(low[lane] | uint64_t(high[lane]) << 32);
    } else if constexpr (sizeof(T) == 4) {
      if (from.part == Part::All && !from.negated && !from.absolute)
        return reinterpret_cast<const T *>(low);
      TW_WAVE_LANES row[lane] = std::bit_cast<T>(partOf(low[lane], from.part, from.extended));
    } else {
      TW_WAVE_LANES row[lane] = std::bit_cast<T>(U(partOf(low[lane], from.part, from.extended)));
    }
  } else {
    T value;
    if (from.kind == Operand::Scalar) {
      if constexpr (sizeof(T) == 8)
        value =
            std::bit_cast<T>(wave.scalar[from.index] | uint64_t(wave.scalar[from.index + 1]) << 32);
      else
        value = std::bit_cast<T>(U(partOf(wave.scalar[from.index], from.part, from.extended)));
    } else {
      value = constantOf<T>(from);
    }
    TW_WAVE_LANES row[lane] = value;
  }
  modify(from, row);
  return row;
}
template <> inline const Bit *fetch<Bit>(Wave &wave, const Operand &from, Bit *row) {
  uint64_t mask = from.kind == Operand::Scalar ? wave.mask(from.index) : uint64_t(from.integer);
  TW_WAVE_LANES row[lane].set = mask >> lane & 1;
  return row;
}

inline void blend(Wave &wave, uint16_t index, const uint32_t *row) {
  uint64_t exec = wave.exec();
  uint32_t *to = wave.vector[index];
  if (exec == ~uint64_t(0)) {
    memcpy(to, row, sizeof(wave.vector[0]));
    return;
  }
  TW_WAVE_LANES to[lane] = exec >> lane & 1 ? row[lane] : to[lane];
}

/// Clamped results: NaN is 0.
template <typename T> void finishFloat(const Op &op, T *row) {
  if (!op.clamped)
    return;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
    TW_WAVE_LANES row[lane] = row[lane] > 0 ? (row[lane] < 1 ? row[lane] : T(1)) : T(0);
  else if constexpr (std::is_same_v<T, F16>)
    TW_WAVE_LANES row[lane] = F16::of(std::min(std::max(0.0, double(row[lane].value())), 1.0));
}

/// Results that go to a part of their register.
inline void storePart(Wave &wave, const Op &op, const Operand &to, uint32_t *row) {
  uint32_t shift = to.part == Part::Low    ? 0
                   : to.part == Part::High ? 16
                                           : 8 * (uint32_t(to.part) - uint32_t(Part::Byte0));
  uint32_t width = to.part >= Part::Byte0 ? 8 : 16, mask = ((1u << width) - 1) << shift;
  const uint32_t *old = wave.vector[to.index];
  TW_WAVE_LANES {
    uint32_t value = row[lane] << shift & mask;
    if (op.beside == Beside::Kept)
      value |= old[lane] & ~mask;
    else if (op.beside == Beside::Sign && shift + width < 32 && value >> (shift + width - 1) & 1)
      value |= ~0u << (shift + width);
    row[lane] = value;
  }
  blend(wave, to.index, row);
}

template <typename T> void store(Wave &wave, const Op &op, const Operand &to, T *row) {
  finishFloat(op, row);
  if constexpr (sizeof(T) == 8) {
    alignas(64) uint32_t low[lanes], high[lanes];
    TW_WAVE_LANES {
      uint64_t bits = std::bit_cast<uint64_t>(row[lane]);
      low[lane] = uint32_t(bits);
      high[lane] = uint32_t(bits >> 32);
    }
    blend(wave, to.index, low);
    blend(wave, uint16_t(to.index + 1), high);
  } else if constexpr (sizeof(T) == 4) {
    if (!op.partly)
      return blend(wave, to.index, reinterpret_cast<const uint32_t *>(row));
    alignas(64) uint32_t bits[lanes];
    TW_WAVE_LANES bits[lane] = std::bit_cast<uint32_t>(row[lane]);
    storePart(wave, op, to, bits);
  } else {
    alignas(64) uint32_t bits[lanes];
    if (op.partly) {
      TW_WAVE_LANES bits[lane] = std::bit_cast<uint16_t>(row[lane]);
      return storePart(wave, op, to, bits);
    }
    const uint32_t *old = wave.vector[to.index];
    bool high = op.toHigh || to.part == Part::High;
    TW_WAVE_LANES {
      uint32_t value = std::bit_cast<uint16_t>(row[lane]);
      uint32_t kept = high ? old[lane] & 0xffff : op.keepsHalf ? old[lane] & 0xffff0000 : 0;
      bits[lane] = (high ? value << 16 : value) | kept;
    }
    blend(wave, to.index, bits);
  }
}

/// Comparisons write masks: 0 for lanes that are off.
inline void storeMask(Wave &wave, const Operand &to, const bool *row) {
  uint64_t mask = 0;
  TW_WAVE_LANES mask |= uint64_t(row[lane]) << lane;
  wave.setMask(to.index, mask & wave.exec());
}

template <auto F, typename R, typename... A, size_t... I>
void runLanewise(Wave &wave, const Op &op, R (*)(A...), std::index_sequence<I...>) {
  alignas(64) std::tuple<std::array<A, lanes>...> rows;
  std::tuple<const A *...> from{fetch<A>(wave, op.from[I], std::get<I>(rows).data())...};
  alignas(64) R result[lanes];
  TW_WAVE_LANES result[lane] = F(std::get<I>(from)[lane]...);
  if constexpr (std::is_same_v<R, bool>)
    storeMask(wave, op.to[0], result);
  else
    store(wave, op, op.to[0], result);
}
template <typename R, typename... A> constexpr size_t arity(R (*)(A...)) { return sizeof...(A); }

/// `F`, a function of a lane's values, as a handler.
template <auto F> void lanewise(Wave &wave, const Op &op) {
  constexpr auto function = +F;
  runLanewise<F>(wave, op, function, std::make_index_sequence<arity(+F)>());
}
template <typename R, typename... A> constexpr bool givesFloat(R (*)(A...)) { return isFloat<R>; }
template <auto F> Instruction lanewiseInstruction() {
  Instruction made;
  made.run = lanewise<F>;
  made.clamps = givesFloat(+F);
  return made;
}

void addVectors(InstructionSet &set);
void addComparisons(InstructionSet &set);
void addScalars(InstructionSet &set);
void addAccesses(InstructionSet &set);
void addMatrices(InstructionSet &set);

} // namespace tw::emulator::amdgcn
