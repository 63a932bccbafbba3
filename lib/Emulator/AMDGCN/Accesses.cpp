// Memory: loads of scalars, global, local and private memory, and exchanges between lanes.
#include "Lanes.h"

namespace tw::emulator::amdgcn {

/// Register bytes as loads fill them: whole registers, or one of 16 bits or fewer.
enum class Fill : uint8_t {
  Words,
  Unsigned8,
  Signed8,
  Unsigned16,
  Signed16,
  LowHalf,
  HighHalf,
  LowUnsigned8,
  HighUnsigned8,
  LowSigned8,
  HighSigned8
};

static uint64_t pairOf(Wave &wave, const Operand &from) {
  return wave.scalar[from.index] | uint64_t(wave.scalar[from.index + 1]) << 32;
}

/// The bytes at `address`, or NULL after a fault. Vectors of addresses may be of any bytes:
/// programs of HSA run with unaligned accesses on, which LLVM counts on ("unaligned-access-mode" of
/// amdhsa).
static uint8_t *globalBytes(Wave &wave, const Op &op, uint64_t address, uint32_t bytes, bool writes,
                            uint32_t lane) {
  const Range *&range = wave.group->range;
  if (!range || !range->holds(address, address + bytes))
    range = wave.group->memory->find(address);
  if (!range || !range->holds(address, address + bytes)) {
    fault(wave, op, "lane %u %s %u bytes at %#llx, which is in no allocation", lane,
          writes ? "writes" : "reads", bytes, (unsigned long long)address);
    return nullptr;
  }
  uint64_t at = address - range->begin;
  uint64_t bits = ((uint64_t(1) << bytes) - 1) << at % 64;
  uint64_t beyond = at % 64 + bytes > 64 ? ((uint64_t(1) << bytes) - 1) >> (64 - at % 64) : 0;
  if (writes) {
    range->written[at / 64] |= bits;
    if (beyond)
      range->written[at / 64 + 1] |= beyond;
  } else if ((range->written[at / 64] & bits) != bits ||
             (beyond && (range->written[at / 64 + 1] & beyond) != beyond)) {
    fault(wave, op, "lane %u reads %u bytes at %#llx, which nobody has written", lane, bytes,
          (unsigned long long)address);
    return nullptr;
  }
  return reinterpret_cast<uint8_t *>(address);
}

/// The same of local memory, at any address too.
static uint8_t *localBytes(Wave &wave, const Op &op, uint64_t address, uint32_t bytes, bool writes,
                           uint32_t lane) {
  Group &group = *wave.group;
  if (address + bytes > group.local.size()) {
    fault(wave, op, "lane %u %s %u bytes of local memory at %llu, the kernel has %zu", lane,
          writes ? "writes" : "reads", bytes, (unsigned long long)address, group.local.size());
    return nullptr;
  }
  for (uint64_t i = address >> group.cellShift; i <= (address + bytes - 1) >> group.cellShift;
       ++i) {
    Cell &cell = group.cells[i];
    if (cell.written == group.clock && cell.writer != wave.id)
      fault(wave, op,
            "a race in local memory at %llu: wave %u wrote it and no barrier lies between",
            (unsigned long long)address, cell.writer);
    else if (writes && cell.read == group.clock && cell.reader != wave.id)
      fault(wave, op,
            "a race in local memory at %llu: another wave read it and no barrier lies between",
            (unsigned long long)address);
    else if (!writes && cell.written < group.began)
      fault(wave, op, "lane %u reads local memory at %llu, which nobody has written", lane,
            (unsigned long long)address);
    if (!group.fault.empty())
      return nullptr;
    if (writes) {
      cell.written = group.clock;
      cell.writer = uint16_t(wave.id);
    } else {
      bool other = cell.read == group.clock && cell.reader != wave.id;
      cell.reader = other ? severalReaders : uint16_t(wave.id);
      cell.read = group.clock;
    }
  }
  return &group.local[address];
}

/// Fills lane `lane` of a register's half. Chips with ECC for their registers, which are those of
/// gfx9 here, write the whole register.
static void fillHalf(Wave &wave, uint32_t index, uint32_t lane, uint16_t half, bool high) {
  uint32_t old = wave.kernel->chip.generation < 10 ? 0 : wave.vector[index][lane];
  wave.vector[index][lane] =
      high ? (old & 0xffff) | uint32_t(half) << 16 : (old & 0xffff0000) | half;
}

/// Fills lane `lane` of registers from `index` with bytes.
static void fill(Wave &wave, uint32_t index, uint32_t lane, const uint8_t *bytes, uint32_t count,
                 Fill how) {
  uint32_t word = 0;
  switch (how) {
  case Fill::Words:
    for (uint32_t i = 0; i < count / 4; ++i)
      memcpy(&wave.vector[index + i][lane], bytes + 4 * i, 4);
    return;
  case Fill::Unsigned8:
    word = *bytes;
    break;
  case Fill::Signed8:
    word = uint32_t(int8_t(*bytes));
    break;
  case Fill::Unsigned16:
    memcpy(&word, bytes, 2);
    break;
  case Fill::Signed16: {
    int16_t half;
    memcpy(&half, bytes, 2);
    word = uint32_t(half);
    break;
  }
  case Fill::LowHalf:
  case Fill::HighHalf: {
    uint16_t half;
    memcpy(&half, bytes, 2);
    return fillHalf(wave, index, lane, half, how == Fill::HighHalf);
  }
  case Fill::LowUnsigned8:
  case Fill::HighUnsigned8:
    return fillHalf(wave, index, lane, *bytes, how == Fill::HighUnsigned8);
  case Fill::LowSigned8:
  case Fill::HighSigned8:
    return fillHalf(wave, index, lane, uint16_t(int8_t(*bytes)), how == Fill::HighSigned8);
  }
  wave.vector[index][lane] = word;
}

/// What a store writes: registers from `index`, of narrow ones the low or the high half.
static void take(Wave &wave, uint32_t index, uint32_t lane, uint8_t *bytes, uint32_t count,
                 bool high) {
  if (count < 4) {
    uint32_t word = wave.vector[index][lane] >> (high ? 16 : 0);
    memcpy(bytes, &word, count);
    return;
  }
  for (uint32_t i = 0; i < count / 4; ++i)
    memcpy(bytes + 4 * i, &wave.vector[index + i][lane], 4);
}

static uint64_t globalAddress(Wave &wave, const Operand &vector, const Operand &scalar,
                              uint32_t lane, int64_t offset) {
  uint64_t address = wave.vector[vector.index][lane];
  if (scalar.kind == Operand::Scalar)
    return pairOf(wave, scalar) + address + uint64_t(offset);
  return (address | uint64_t(wave.vector[vector.index + 1][lane]) << 32) + uint64_t(offset);
}

/// The lanes that are on, from the lowest.
template <typename F> static void eachLane(uint64_t exec, F body) {
  for (; exec; exec &= exec - 1)
    body(uint32_t(std::countr_zero(exec)));
}

/// Addresses of the lanes that are on, counted if somebody asks.
static void globalAddresses(Wave &wave, const Op &op, const Operand &vector, const Operand &scalar,
                            uint64_t *at) {
  eachLane(wave.exec(),
           [&](uint32_t lane) { at[lane] = globalAddress(wave, vector, scalar, lane, op.offset); });
  if (wave.group->counters)
    countGlobal((*wave.group->counters)[op.line], at, wave.exec(), lanes, op.bytes);
}
static void localAddresses(Wave &wave, const Op &op, int64_t offset, uint64_t *at) {
  const uint32_t *base = wave.vector[op.from[0].index];
  TW_WAVE_LANES at[lane] = base[lane] + uint64_t(offset);
  if (wave.group->counters)
    countLocal((*wave.group->counters)[op.line], at, wave.exec(), lanes, op.bytes);
}

static Counter storeCounter(const Wave &wave) {
  return wave.kernel->chip.generation >= 10 ? Counter::Store : Counter::Vector;
}

template <Fill how> static void loadGlobal(Wave &wave, const Op &op) {
  uint64_t exec = wave.exec(), at[lanes];
  globalAddresses(wave, op, op.from[0], op.from[1], at);
  for (; exec; exec &= exec - 1) {
    uint32_t lane = uint32_t(std::countr_zero(exec));
    const uint8_t *bytes = globalBytes(wave, op, at[lane], op.bytes, false, lane);
    if (!bytes)
      return;
    fill(wave, op.to[0].index, lane, bytes, op.bytes, how);
  }
  issue(wave, op, Counter::Vector, {true, op.to[0].index, uint16_t((op.bytes + 3) / 4)});
}

template <bool high> static void storeGlobal(Wave &wave, const Op &op) {
  uint64_t exec = wave.exec(), at[lanes];
  globalAddresses(wave, op, op.from[0], op.from[2], at);
  for (; exec; exec &= exec - 1) {
    uint32_t lane = uint32_t(std::countr_zero(exec));
    uint8_t *bytes = globalBytes(wave, op, at[lane], op.bytes, true, lane);
    if (!bytes)
      return;
    take(wave, op.from[1].index, lane, bytes, op.bytes, high);
  }
  issue(wave, op, storeCounter(wave), {true, 0, 0});
}

static uint64_t privateAddress(Wave &wave, const Op &op, const Operand &vector,
                               const Operand &scalar, uint32_t lane) {
  uint64_t address = uint64_t(op.offset);
  if (vector.kind == Operand::Vector)
    address += wave.vector[vector.index][lane];
  if (scalar.kind == Operand::Scalar)
    address += wave.scalar[scalar.index];
  if (address + op.bytes > wave.kernel->privateBytes) {
    fault(wave, op, "lane %u accesses its private memory at %llu, it has %u bytes", lane,
          (unsigned long long)address, wave.kernel->privateBytes);
    return ~uint64_t(0);
  }
  return lane * uint64_t(wave.kernel->privateBytes) + address;
}

template <Fill how> static void loadPrivate(Wave &wave, const Op &op) {
  uint64_t exec = wave.exec();
  for (; exec; exec &= exec - 1) {
    uint32_t lane = uint32_t(std::countr_zero(exec));
    uint64_t at = privateAddress(wave, op, op.from[0], op.from[1], lane);
    if (at == ~uint64_t(0))
      return;
    fill(wave, op.to[0].index, lane, &wave.scratch[at], op.bytes, how);
  }
  issue(wave, op, Counter::Vector, {true, op.to[0].index, uint16_t((op.bytes + 3) / 4)});
}

template <bool high> static void storePrivate(Wave &wave, const Op &op) {
  uint64_t exec = wave.exec();
  for (; exec; exec &= exec - 1) {
    uint32_t lane = uint32_t(std::countr_zero(exec));
    uint64_t at = privateAddress(wave, op, op.from[0], op.from[2], lane);
    if (at == ~uint64_t(0))
      return;
    take(wave, op.from[1].index, lane, &wave.scratch[at], op.bytes, high);
  }
  issue(wave, op, storeCounter(wave), {true, 0, 0});
}

/// One element, or two `unit` bytes apart.
template <Fill how, bool two> static void loadLocal(Wave &wave, const Op &op) {
  // The address may be in a register that is filled.
  uint64_t exec = wave.exec(), at[lanes], at2[lanes];
  localAddresses(wave, op, op.offset, at);
  if (two)
    localAddresses(wave, op, op.offset2, at2);
  for (; exec; exec &= exec - 1) {
    uint32_t lane = uint32_t(std::countr_zero(exec)), words = op.bytes / 4;
    const uint8_t *first = localBytes(wave, op, at[lane], op.bytes, false, lane);
    const uint8_t *other =
        two && first ? localBytes(wave, op, at2[lane], op.bytes, false, lane) : first;
    if (!other)
      return;
    fill(wave, op.to[0].index, lane, first, op.bytes, how);
    if (two)
      fill(wave, op.to[0].index + words, lane, other, op.bytes, how);
  }
  uint32_t count = (op.bytes + 3) / 4 * (two ? 2 : 1);
  issue(wave, op, Counter::Local, {true, op.to[0].index, uint16_t(count)});
  wave.lastLocal = wave.issued[size_t(Counter::Local)];
}

template <bool high, bool two> static void storeLocal(Wave &wave, const Op &op) {
  uint64_t exec = wave.exec(), at[lanes], at2[lanes];
  localAddresses(wave, op, op.offset, at);
  if (two)
    localAddresses(wave, op, op.offset2, at2);
  for (; exec; exec &= exec - 1) {
    uint32_t lane = uint32_t(std::countr_zero(exec));
    uint8_t *first = localBytes(wave, op, at[lane], op.bytes, true, lane);
    if (!first)
      return;
    take(wave, op.from[1].index, lane, first, op.bytes, high);
    if (!two)
      continue;
    uint8_t *other = localBytes(wave, op, at2[lane], op.bytes, true, lane);
    if (!other)
      return;
    take(wave, op.from[2].index, lane, other, op.bytes, high);
  }
  issue(wave, op, Counter::Local, {true, 0, 0});
  wave.lastLocal = wave.issued[size_t(Counter::Local)];
}

/// Less than a register comes as `how` says.
template <Fill how = Fill::Words> static void loadScalars(Wave &wave, const Op &op) {
  uint64_t address = pairOf(wave, op.from[0]) + uint64_t(op.offset);
  if (op.from[1].kind == Operand::Scalar)
    address += wave.scalar[op.from[1].index];
  else if (op.sources > 1)
    address += uint64_t(op.from[1].integer);
  Group &group = *wave.group;
  bool parameter =
      address >= group.parameters && address + op.bytes <= group.parameters + group.parameterBytes;
  if (address % std::min(op.bytes, 4u)) {
    fault(wave, op, "a scalar load of %u bytes at %#llx, which is not a multiple of %u", op.bytes,
          (unsigned long long)address, std::min(op.bytes, 4u));
    return;
  }
  const uint8_t *bytes = parameter
                             ? reinterpret_cast<const uint8_t *>(address)
                             : globalBytes(wave, op, address, std::min(op.bytes, 4u), false, 0);
  for (uint32_t at = 4; bytes && !parameter && at < op.bytes; at += 4)
    if (!globalBytes(wave, op, address + at, 4, false, 0))
      return;
  if (!bytes)
    return;
  uint32_t &to = wave.scalar[op.to[0].index];
  switch (how) {
  case Fill::Unsigned8:
    to = *bytes;
    break;
  case Fill::Signed8:
    to = uint32_t(int8_t(*bytes));
    break;
  case Fill::Unsigned16:
  case Fill::Signed16: {
    int16_t half;
    memcpy(&half, bytes, 2);
    to = how == Fill::Signed16 ? uint32_t(half) : uint16_t(half);
    break;
  }
  default:
    memcpy(&to, bytes, op.bytes);
  }
  issue(wave, op, Counter::Scalar, {false, op.to[0].index, uint16_t((op.bytes + 3) / 4)});
}

/// Reads from the lane that the address names; lanes that are off give 0.
static void permuteBack(Wave &wave, const Op &op) {
  uint64_t exec = wave.exec();
  uint32_t count = wave.kernel->chip.waveLanes, result[lanes];
  const uint32_t *at = wave.vector[op.from[0].index], *data = wave.vector[op.from[1].index];
  TW_WAVE_LANES {
    uint32_t from = ((at[lane] + uint32_t(op.offset)) >> 2) & (count - 1);
    result[lane] = exec >> from & 1 ? data[from] : 0;
  }
  blend(wave, op.to[0].index, result);
  issue(wave, op, Counter::Local, {true, op.to[0].index, 1});
}

static void addLocal(InstructionSet &set) {
  for (const char *name : {"ds_read_b32", "ds_read_b64", "ds_read_b96", "ds_read_b128"})
    set[name] = {loadLocal<Fill::Words, false>};
  for (const char *name : {"ds_read2_b32", "ds_read2_b64", "ds_read2st64_b32", "ds_read2st64_b64"})
    set[name] = {loadLocal<Fill::Words, true>};
  set["ds_read_u8"] = {loadLocal<Fill::Unsigned8, false>};
  set["ds_read_i8"] = {loadLocal<Fill::Signed8, false>};
  set["ds_read_u16"] = {loadLocal<Fill::Unsigned16, false>};
  set["ds_read_i16"] = {loadLocal<Fill::Signed16, false>};
  set["ds_read_u16_d16"] = {loadLocal<Fill::LowHalf, false>};
  set["ds_read_u16_d16_hi"] = {loadLocal<Fill::HighHalf, false>};
  set["ds_read_u8_d16"] = {loadLocal<Fill::LowUnsigned8, false>};
  set["ds_read_u8_d16_hi"] = {loadLocal<Fill::HighUnsigned8, false>};
  set["ds_read_i8_d16"] = {loadLocal<Fill::LowSigned8, false>};
  set["ds_read_i8_d16_hi"] = {loadLocal<Fill::HighSigned8, false>};
  for (const char *name : {"ds_write_b8", "ds_write_b16", "ds_write_b32", "ds_write_b64",
                           "ds_write_b96", "ds_write_b128"})
    set[name] = {storeLocal<false, false>, 0};
  for (const char *name : {"ds_write_b8_d16_hi", "ds_write_b16_d16_hi"})
    set[name] = {storeLocal<true, false>, 0};
  for (const char *name :
       {"ds_write2_b32", "ds_write2_b64", "ds_write2st64_b32", "ds_write2st64_b64"})
    set[name] = {storeLocal<false, true>, 0};
  set["ds_bpermute_b32"] = {permuteBack};
}

void addAccesses(InstructionSet &set) {
  addLocal(set);
  for (const char *name :
       {"global_load_b32", "global_load_b64", "global_load_b96", "global_load_b128"})
    set[name] = {loadGlobal<Fill::Words>};
  for (const char *name :
       {"scratch_load_b32", "scratch_load_b64", "scratch_load_b96", "scratch_load_b128"})
    set[name] = {loadPrivate<Fill::Words>};
  set["global_load_u8"] = {loadGlobal<Fill::Unsigned8>};
  set["global_load_i8"] = {loadGlobal<Fill::Signed8>};
  set["global_load_u16"] = {loadGlobal<Fill::Unsigned16>};
  set["global_load_i16"] = {loadGlobal<Fill::Signed16>};
  set["global_load_d16_b16"] = {loadGlobal<Fill::LowHalf>};
  set["global_load_d16_hi_b16"] = {loadGlobal<Fill::HighHalf>};
  set["global_load_d16_u8"] = {loadGlobal<Fill::LowUnsigned8>};
  set["global_load_d16_hi_u8"] = {loadGlobal<Fill::HighUnsigned8>};
  set["global_load_d16_i8"] = {loadGlobal<Fill::LowSigned8>};
  set["global_load_d16_hi_i8"] = {loadGlobal<Fill::HighSigned8>};
  set["scratch_load_u8"] = {loadPrivate<Fill::Unsigned8>};
  set["scratch_load_i8"] = {loadPrivate<Fill::Signed8>};
  set["scratch_load_i16"] = {loadPrivate<Fill::Signed16>};
  set["scratch_load_u16"] = {loadPrivate<Fill::Unsigned16>};
  set["scratch_load_d16_b16"] = {loadPrivate<Fill::LowHalf>};
  set["scratch_load_d16_hi_b16"] = {loadPrivate<Fill::HighHalf>};
  for (const char *name : {"global_store_b8", "global_store_b16", "global_store_b32",
                           "global_store_b64", "global_store_b96", "global_store_b128"})
    set[name] = {storeGlobal<false>, 0};
  for (const char *name : {"global_store_d16_hi_b8", "global_store_d16_hi_b16"})
    set[name] = {storeGlobal<true>, 0};
  for (const char *name : {"scratch_store_b8", "scratch_store_b16", "scratch_store_b32",
                           "scratch_store_b64", "scratch_store_b96", "scratch_store_b128"})
    set[name] = {storePrivate<false>, 0};
  set["scratch_store_d16_hi_b16"] = {storePrivate<true>, 0};
  for (const char *name :
       {"s_load_b32", "s_load_b64", "s_load_b96", "s_load_b128", "s_load_b256", "s_load_b512"})
    set[name] = {loadScalars<>};
  set["s_load_u8"] = {loadScalars<Fill::Unsigned8>};
  set["s_load_i8"] = {loadScalars<Fill::Signed8>};
  set["s_load_u16"] = {loadScalars<Fill::Unsigned16>};
  set["s_load_i16"] = {loadScalars<Fill::Signed16>};
}

} // namespace tw::emulator::amdgcn
