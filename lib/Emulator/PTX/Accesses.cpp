// ld and st, of global, local and generic addresses, with all checks; atom and red.
#include "Checks.h"

#include <algorithm>

namespace tw::emulator::ptx::TW_EMULATOR_VARIANT {

namespace {

enum Space { Global, Local, Generic };

/// Checks the access; false: there was a fault. Else addresses count from `base`, which is 0 for
/// global memory, whose addresses are the host's.
template <Space space, bool writes>
bool resolve(Warp &warp, const Op &op, Addresses &at, uint32_t bytes, uintptr_t &base) {
  if constexpr (space == Generic) {
    if (at.least >= localWindow) {
      TW_LANES at.of[lane] -= localWindow;
      at.least -= localWindow;
      at.largest -= localWindow;
      return resolve<Local, writes>(warp, op, at, bytes, base);
    }
    return resolve<Global, writes>(warp, op, at, bytes, base);
  }
  if constexpr (space == Local) {
    base = reinterpret_cast<uintptr_t>(warp.block->local.data());
    return writes ? checkLocalWrite(warp, op, at, bytes) : checkLocalRead(warp, op, at, bytes);
  }
  base = 0;
  return checkGlobal(warp, op, at, bytes, writes);
}

/// T in memory, in a register as V, in a row as D.
template <typename T, typename D, Space space, typename V = T> void load(Warp &warp, const Op &op) {
  Addresses at;
  uint32_t count = op.count;
  addressesOf(warp, op.rows[op.results], op.wide, op.offset, sizeof(T) * count, at);
  uintptr_t base;
  if (!resolve<space, false>(warp, op, at, sizeof(T) * count, base))
    return;
  uint32_t mask = warp.mask;
  if (at.sequential) {
    const T *from = reinterpret_cast<const T *>(base + at.least);
    for (uint32_t k = 0; k < count; ++k) {
      if (op.rows[k] == none)
        continue;
      D *result = warp.row<D>(op.rows[k]);
#pragma clang loop vectorize(assume_safety)
      TW_LANES result[lane] = D(V(from[lane * count + k]));
    }
    return;
  }
  if (count == 1) {
    D *result = warp.row<D>(op.rows[0]);
    TW_LANES if (mask >> lane & 1) result[lane] =
        D(V(*reinterpret_cast<const T *>(base + at.of[lane])));
    return;
  }
  for (uint32_t k = 0; k < count; ++k) {
    if (op.rows[k] == none)
      continue;
    D *result = warp.row<D>(op.rows[k]);
    TW_LANES if (mask >> lane & 1) result[lane] =
        D(V(reinterpret_cast<const T *>(base + at.of[lane])[k]));
  }
}

/// Two lanes that store different values at one address: which one stays is open.
template <typename T, typename D> bool checkSame(Warp &warp, const Op &op, const Addresses &at) {
  if (!warp.block->sameTwice)
    return true;
  warp.block->sameTwice = false;
  for (uint32_t a = 1; a < 32; ++a)
    for (uint32_t b = 0; b < a; ++b) {
      if (!(warp.mask >> a & 1) || !(warp.mask >> b & 1) || at.of[a] != at.of[b])
        continue;
      for (uint32_t k = 0; k < op.count; ++k) {
        const D *values = warp.row<const D>(op.rows[1 + k]);
        if (T(values[a]) != T(values[b])) {
          fault(warp, op,
                "race: lanes %u and %u store different values at offset %llu of local memory", b, a,
                (unsigned long long)at.of[a]);
          return false;
        }
      }
    }
  return true;
}

template <typename T, typename D, Space space> void store(Warp &warp, const Op &op) {
  Addresses at;
  uint32_t count = op.count;
  addressesOf(warp, op.rows[0], op.wide, op.offset, sizeof(T) * count, at);
  uintptr_t base;
  if (!resolve<space, true>(warp, op, at, sizeof(T) * count, base) ||
      !checkSame<T, D>(warp, op, at))
    return;
  uint32_t mask = warp.mask;
  for (uint32_t k = 0; k < count; ++k) {
    const D *values = warp.row<const D>(op.rows[1 + k]);
    if (at.sequential) {
      T *to = reinterpret_cast<T *>(base + at.least);
#pragma clang loop vectorize(assume_safety)
      TW_LANES to[lane * count + k] = T(values[lane]);
    } else {
      TW_LANES if (mask >> lane & 1) reinterpret_cast<T *>(base + at.of[lane])[k] = T(values[lane]);
    }
  }
}

template <Space space> void addSpace(Accesses &table) {
  table.load[space][0][0][0] = load<uint8_t, uint32_t, space>;
  table.load[space][0][1][0] = load<int8_t, uint32_t, space>;
  table.load[space][0][2][0] = load<int8_t, uint32_t, space, uint16_t>;
  table.load[space][1][2][0] = load<uint16_t, uint32_t, space>;
  table.load[space][1][0][0] = load<uint16_t, uint32_t, space>;
  table.load[space][1][1][0] = load<int16_t, uint32_t, space>;
  table.load[space][2][0][0] = table.load[space][2][1][0] = load<uint32_t, uint32_t, space>;
  table.load[space][0][0][1] = load<uint8_t, uint64_t, space>;
  table.load[space][0][1][1] = load<int8_t, uint64_t, space>;
  table.load[space][1][0][1] = load<uint16_t, uint64_t, space>;
  table.load[space][1][1][1] = load<int16_t, uint64_t, space>;
  table.load[space][2][0][1] = load<uint32_t, uint64_t, space>;
  table.load[space][2][1][1] = load<int32_t, uint64_t, space>;
  table.load[space][3][0][1] = table.load[space][3][1][1] = load<uint64_t, uint64_t, space>;
  table.store[space][0][0] = store<uint8_t, uint32_t, space>;
  table.store[space][1][0] = store<uint16_t, uint32_t, space>;
  table.store[space][2][0] = store<uint32_t, uint32_t, space>;
  table.store[space][0][1] = store<uint8_t, uint64_t, space>;
  table.store[space][1][1] = store<uint16_t, uint64_t, space>;
  table.store[space][2][1] = store<uint32_t, uint64_t, space>;
  table.store[space][3][1] = store<uint64_t, uint64_t, space>;
}

} // namespace

void addAccesses(InstructionSet &set) {
  addSpace<Global>(set.accesses);
  addSpace<Local>(set.accesses);
  addSpace<Generic>(set.accesses);
}

} // namespace tw::emulator::ptx::TW_EMULATOR_VARIANT
