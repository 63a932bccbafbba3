// What the handlers are made of: one function over 32 lanes of rows.
//
// Included by the files that are compiled once for each instruction set of the host, in a namespace
// of that name.
#pragma once

#include "Instructions.h"
#include "Warp.h"

#include <cstring>
#include <type_traits>
#include <utility>

#define TW_LANES for (uint32_t lane = 0; lane < 32; ++lane)

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

/// What a lane of a row holds for a value of type T.
template <typename T> using Slot = std::conditional_t<(sizeof(T) < 4), uint32_t, T>;

template <typename T> [[gnu::always_inline]] inline Slot<T> toSlot(T value) {
  if constexpr (sizeof(T) < 4)
    return std::make_unsigned_t<T>(value);
  else
    return value;
}

/// results[0] = F(sources...), lane by lane.
template <auto F, typename D, typename... S, size_t... I>
[[gnu::always_inline]] inline void lanewiseRows(uint32_t mask, uint8_t *registers,
                                                const uint32_t *rows, std::index_sequence<I...>) {
  Slot<D> *result = reinterpret_cast<Slot<D> *>(registers + rows[0]);
  auto value = [&](uint32_t lane) __attribute__((always_inline)) {
    return toSlot<D>(D(F(S(reinterpret_cast<const Slot<S> *>(registers + rows[I + 1])[lane])...)));
  };
  if (mask == allLanes) {
#pragma clang loop vectorize(assume_safety)
    TW_LANES result[lane] = value(lane);
  } else {
#pragma clang loop vectorize(assume_safety)
    TW_LANES result[lane] = mask >> lane & 1 ? value(lane) : result[lane];
  }
}

template <auto F, typename D, typename... S> void lanewise(Warp &warp, const Op &op) {
  lanewiseRows<F, D, S...>(warp.mask, warp.registers, op.rows,
                           std::make_index_sequence<sizeof...(S)>());
}

inline void putMask(Warp &warp, uint32_t row, uint32_t bits) {
  uint32_t &result = *warp.row<uint32_t>(row);
  result = (result & ~warp.mask) | (bits & warp.mask);
}

template <auto F, typename T> uint32_t compare(const Slot<T> *a, const Slot<T> *b) {
  uint32_t bits = 0;
  TW_LANES bits |= uint32_t(F(T(a[lane]), T(b[lane]))) << lane;
  return bits;
}

template <auto F, typename T> void setp(Warp &warp, const Op &op) {
  putMask(warp, op.rows[0],
          compare<F, T>(warp.row<const Slot<T>>(op.rows[1]), warp.row<const Slot<T>>(op.rows[2])));
}

/// The comparison, combined with a third operand.
template <auto F, typename T, auto Combine> void setpWith(Warp &warp, const Op &op) {
  uint32_t bits =
      compare<F, T>(warp.row<const Slot<T>>(op.rows[1]), warp.row<const Slot<T>>(op.rows[2]));
  putMask(warp, op.rows[0], Combine(bits, *warp.row<uint32_t>(op.rows[3])));
}

/// A predicate of predicates.
template <auto F> void combine(Warp &warp, const Op &op) {
  putMask(warp, op.rows[0],
          F(*warp.row<uint32_t>(op.rows[1]), *warp.row<uint32_t>(op.rows[op.sources > 1 ? 2 : 1])));
}

template <typename T> void selp(Warp &warp, const Op &op) {
  uint32_t mask = warp.mask, chosen = *warp.row<uint32_t>(op.rows[3]);
  T *result = warp.row<T>(op.rows[0]);
  const T *a = warp.row<const T>(op.rows[1]), *b = warp.row<const T>(op.rows[2]);
#pragma clang loop vectorize(assume_safety)
  TW_LANES {
    T value = chosen >> lane & 1 ? a[lane] : b[lane];
    result[lane] = mask >> lane & 1 ? value : result[lane];
  }
}

template <typename T> constexpr char letterOf() {
  return std::is_same_v<T, bool> ? 'p'
         : sizeof(T) == 1        ? 'b'
         : sizeof(T) == 2        ? 'h'
         : sizeof(T) == 4        ? 'w'
                                 : 'd';
}

template <typename D, typename... S>
inline constexpr char signatureOf[] = {letterOf<D>(), '=', letterOf<S>()..., 0};

/// Adds an instruction that gives F(S...) as a D.
template <typename D, auto F, typename... S> void add(InstructionSet &set, std::string_view name) {
  set.lanewise[name] = {lanewise<F, D, S...>, signatureOf<D, S...>};
}

// The groups of instructions.
void addIntegers(InstructionSet &set);
void addFloats(InstructionSet &set);
void addComparisons(InstructionSet &set);
void addConversions(InstructionSet &set);
void addAccesses(InstructionSet &set);
void addExchanges(InstructionSet &set);
void addMatrices(InstructionSet &set);
void addAsynchronous(InstructionSet &set);
void addAsynchronousProducts(InstructionSet &set);
void addBulkCopies(InstructionSet &set);
void addMbarriers(InstructionSet &set);

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
