// atom and red: one lane after the other, in the order of their numbers.
//
// Among themselves they race with nothing, so clocks of local memory are left alone; bounds,
// alignment and, of global memory, values that nobody wrote are checked.
#include "Atomics.h"
#include "Checks.h"

#include <algorithm>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

namespace {

template <typename T> T combineValues(AtomicOperation operation, T old, T value, T other) {
  switch (operation) {
  case AtomicOperation::Add:
    if constexpr (std::is_integral_v<T>)
      return T(std::make_unsigned_t<T>(old) + std::make_unsigned_t<T>(value));
    else
      return old + value;
  case AtomicOperation::Min:
    return std::min(old, value);
  case AtomicOperation::Max:
    return std::max(old, value);
  case AtomicOperation::Exchange:
    return value;
  case AtomicOperation::CompareAndSwap:
    return old == value ? other : old;
  default:
    break;
  }
  if constexpr (std::is_integral_v<T>)
    switch (operation) {
    case AtomicOperation::And:
      return old & value;
    case AtomicOperation::Or:
      return old | value;
    case AtomicOperation::Xor:
      return old ^ value;
    case AtomicOperation::Increment:
      return old >= value ? T(0) : T(old + 1);
    case AtomicOperation::Decrement:
      return old == 0 || old > value ? value : T(old - 1);
    default:
      break;
    }
  return old;
}

/// rows: the result, if there is one; the address; the value; the second value of compare and swap.
template <typename T> void atomic(Warp &warp, const Op &op) {
  const uint32_t *rows = op.rows + op.results;
  AtomicOperation operation = AtomicOperation(op.count);
  Addresses at;
  addressesOf(warp, rows[0], op.wide, op.offset, sizeof(T), at);
  uintptr_t base = 0;
  bool isLocal = op.bytes == 1;
  if (op.bytes == 2 && at.least >= localWindow) {
    TW_LANES at.of[lane] -= localWindow;
    at.least -= localWindow;
    at.largest -= localWindow;
    isLocal = true;
  }
  if (isLocal) {
    if (!checkLocalBounds(warp, op, at, sizeof(T)))
      return;
    base = reinterpret_cast<uintptr_t>(warp.block->local.data());
  } else if (!checkGlobal(warp, op, at, sizeof(T), false)) {
    return;
  }
  const T *values = warp.row<const T>(rows[1]);
  const T *others = warp.row<const T>(rows[op.sources > 2 ? 2 : 1]);
  T *result = op.results && op.rows[0] != none ? warp.row<T>(op.rows[0]) : nullptr;
  TW_LANES if (warp.mask >> lane & 1) {
    T *place = reinterpret_cast<T *>(base + at.of[lane]);
    T old = *place;
    *place = combineValues(operation, old, values[lane], others[lane]);
    if (result)
      result[lane] = old;
  }
}

} // namespace

void addAtomics(InstructionSet &set) {
  set.special["atom.u32"] = set.special["atom.b32"] = atomic<uint32_t>;
  set.special["atom.s32"] = atomic<int32_t>;
  set.special["atom.u64"] = set.special["atom.b64"] = atomic<uint64_t>;
  set.special["atom.s64"] = atomic<int64_t>;
  set.special["atom.f32"] = atomic<float>;
  set.special["atom.f64"] = atomic<double>;
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
