// Operations of scalars, branches, barriers and waits.
#include "Floats.h"
#include "Lanes.h"

namespace tw::emulator::amdgcn {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;

template <typename T> static T read(Wave &wave, const Operand &from) {
  if constexpr (sizeof(T) == 8) {
    if (from.kind != Operand::Scalar)
      return constantOf<T>(from);
    return T(wave.scalar[from.index] | u64(wave.scalar[from.index + 1]) << 32);
  } else {
    u32 bits = from.kind == Operand::Scalar ? wave.scalar[from.index] : constantOf<u32>(from);
    // Signs of floats.
    if (from.absolute)
      bits &= 0x7fffffff;
    return std::bit_cast<T>(from.negated ? bits ^ 0x80000000 : bits);
  }
}
template <typename T> static void write(Wave &wave, const Operand &to, T value) {
  if (to.index == Null)
    return;
  if constexpr (sizeof(T) == 8) {
    wave.scalar[to.index] = u32(value);
    wave.scalar[to.index + 1] = u32(u64(value) >> 32);
  } else {
    wave.scalar[to.index] = std::bit_cast<u32>(value);
  }
}

template <auto F, typename R, typename... A, size_t... I>
static void runScalar(Wave &wave, const Op &op, R (*)(bool &, A...), std::index_sequence<I...>) {
  if constexpr (std::is_void_v<R>)
    F(wave.scc, read<A>(wave, op.from[I])...);
  else
    write<R>(wave, op.to[0], F(wave.scc, read<A>(wave, op.from[I])...));
}
/// `F` takes SCC, which it may change, and the sources.
template <auto F> static void scalar(Wave &wave, const Op &op) {
  runScalar<F>(wave, op, +F, std::make_index_sequence<arity(+F) - 1>());
}
#define SCALAR(name, ...) set[name] = {scalar<__VA_ARGS__>}
#define COMPARE(name, T, expression)                                                               \
  set[name] = {scalar<[](bool &c, T a, T b) { c = expression; }>, 0}

/// SCC is what does not fit in 32 bits.
template <unsigned by> static u32 shiftAndAdd(bool &c, u32 a, u32 b) {
  u64 sum = (u64(a) << by) + b;
  c = sum >> 32;
  return u32(sum);
}

template <typename T> static T field(bool &c, T a, u32 b) {
  u32 at = b & (8 * sizeof(T) - 1), width = b >> 16 & 0x7f;
  using U = std::make_unsigned_t<T>;
  T value = 0;
  if (width >= 8 * sizeof(T) - at)
    value = T(a >> at);
  else if (width)
    value = T(U(a) << (8 * sizeof(T) - at - width)) >> (8 * sizeof(T) - width);
  c = value != 0;
  return value;
}

static void addArithmetic(InstructionSet &set) {
  for (const char *name : {"s_add_u32", "s_add_co_u32"})
    SCALAR(name, [](bool &c, u32 a, u32 b) {
      c = u64(a) + b > 0xffffffff;
      return a + b;
    });
  for (const char *name : {"s_sub_u32", "s_sub_co_u32"})
    SCALAR(name, [](bool &c, u32 a, u32 b) {
      c = b > a;
      return a - b;
    });
  for (const char *name : {"s_add_i32", "s_add_co_i32"})
    SCALAR(name, [](bool &c, i32 a, i32 b) {
      i32 r;
      c = __builtin_add_overflow(a, b, &r);
      return r;
    });
  for (const char *name : {"s_sub_i32", "s_sub_co_i32"})
    SCALAR(name, [](bool &c, i32 a, i32 b) {
      i32 r;
      c = __builtin_sub_overflow(a, b, &r);
      return r;
    });
  for (const char *name : {"s_addc_u32", "s_add_co_ci_u32"})
    SCALAR(name, [](bool &c, u32 a, u32 b) {
      u64 r = u64(a) + b + c;
      c = r >> 32;
      return u32(r);
    });
  for (const char *name : {"s_subb_u32", "s_sub_co_ci_u32"})
    SCALAR(name, [](bool &c, u32 a, u32 b) {
      u64 r = u64(a) - b - c;
      c = r >> 63;
      return u32(r);
    });
  for (const char *name : {"s_add_nc_u64", "s_add_u64"})
    SCALAR(name, [](bool &, u64 a, u64 b) { return a + b; });
  for (const char *name : {"s_sub_nc_u64", "s_sub_u64"})
    SCALAR(name, [](bool &, u64 a, u64 b) { return a - b; });
  SCALAR("s_mul_u64", [](bool &, u64 a, u64 b) { return a * b; });
  SCALAR("s_mul_i32", [](bool &, u32 a, u32 b) { return a * b; });
  SCALAR("s_mul_hi_u32", [](bool &, u32 a, u32 b) { return u32(u64(a) * b >> 32); });
  SCALAR("s_mul_hi_i32", [](bool &, i32 a, i32 b) { return i32(int64_t(a) * b >> 32); });
  SCALAR("s_lshl1_add_u32", shiftAndAdd<1>);
  SCALAR("s_lshl2_add_u32", shiftAndAdd<2>);
  SCALAR("s_lshl3_add_u32", shiftAndAdd<3>);
  SCALAR("s_lshl4_add_u32", shiftAndAdd<4>);
  SCALAR("s_min_i32", [](bool &c, i32 a, i32 b) {
    c = a < b;
    return a < b ? a : b;
  });
  // Manuals say that SCC is set for equal numbers, and those who asked a GPU that it is not.
  SCALAR("s_max_i32", [](bool &c, i32 a, i32 b) {
    c = a > b;
    return a > b ? a : b;
  });
  SCALAR("s_min_u32", [](bool &c, u32 a, u32 b) {
    c = a < b;
    return a < b ? a : b;
  });
  SCALAR("s_max_u32", [](bool &c, u32 a, u32 b) {
    c = a > b;
    return a > b ? a : b;
  });
  SCALAR("s_abs_i32", [](bool &c, i32 a) {
    u32 r = a < 0 ? 0 - u32(a) : u32(a);
    c = r;
    return r;
  });
  SCALAR("s_sext_i32_i16", [](bool &, u32 a) { return u32(int16_t(a)); });
  SCALAR("s_sext_i32_i8", [](bool &, u32 a) { return u32(int8_t(a)); });
}

template <typename T> static void addLogic(InstructionSet &set, const char *const (&names)[12]) {
  set[names[0]] = {scalar<[](bool &c, T a, T b) {
    T r = a & b;
    c = r;
    return r;
  }>};
  set[names[1]] = {scalar<[](bool &c, T a, T b) {
    T r = a | b;
    c = r;
    return r;
  }>};
  set[names[2]] = {scalar<[](bool &c, T a, T b) {
    T r = a ^ b;
    c = r;
    return r;
  }>};
  for (int i : {3, 4})
    set[names[i]] = {scalar<[](bool &c, T a, T b) {
      T r = a & ~b;
      c = r;
      return r;
    }>};
  for (int i : {5, 6})
    set[names[i]] = {scalar<[](bool &c, T a, T b) {
      T r = a | ~b;
      c = r;
      return r;
    }>};
  set[names[7]] = {scalar<[](bool &c, T a) {
    T r = ~a;
    c = r;
    return r;
  }>};
  set[names[8]] = {scalar<[](bool &, T a) { return a; }>};
  set[names[9]] = {scalar<[](bool &c, T a, T b) { return c ? a : b; }>};
  set[names[10]] = {scalar<[](bool &c, T a, u32 b) {
    T r = a << (b & (8 * sizeof(T) - 1));
    c = r;
    return r;
  }>};
  set[names[11]] = {scalar<[](bool &c, T a, u32 b) {
    T r = a >> (b & (8 * sizeof(T) - 1));
    c = r;
    return r;
  }>};
}

static void addScalarBits(InstructionSet &set) {
  addLogic<u32>(set, {"s_and_b32", "s_or_b32", "s_xor_b32", "s_andn2_b32", "s_and_not1_b32",
                      "s_orn2_b32", "s_or_not1_b32", "s_not_b32", "s_mov_b32", "s_cselect_b32",
                      "s_lshl_b32", "s_lshr_b32"});
  addLogic<u64>(set, {"s_and_b64", "s_or_b64", "s_xor_b64", "s_andn2_b64", "s_and_not1_b64",
                      "s_orn2_b64", "s_or_not1_b64", "s_not_b64", "s_mov_b64", "s_cselect_b64",
                      "s_lshl_b64", "s_lshr_b64"});
  SCALAR("s_ashr_i32", [](bool &c, i32 a, u32 b) {
    i32 r = a >> (b & 31);
    c = r;
    return r;
  });
  SCALAR("s_ashr_i64", [](bool &c, int64_t a, u32 b) {
    int64_t r = a >> (b & 63);
    c = r;
    return r;
  });
  SCALAR("s_bfe_u32", [](bool &c, u32 a, u32 b) { return field<u32>(c, a, b); });
  SCALAR("s_bfe_i32", [](bool &c, i32 a, u32 b) { return field<i32>(c, a, b); });
  SCALAR("s_bfe_u64", [](bool &c, u64 a, u32 b) { return field<u64>(c, a, b); });
  // Which bit is the first from above or below; -1: none is.
  for (const char *name : {"s_flbit_i32_b32", "s_clz_i32_u32"})
    SCALAR(name, [](bool &, u32 a) { return a ? u32(std::countl_zero(a)) : ~0u; });
  for (const char *name : {"s_flbit_i32_b64", "s_clz_i32_u64"})
    SCALAR(name, [](bool &, u64 a) { return a ? u32(std::countl_zero(a)) : ~0u; });
  for (const char *name : {"s_ff1_i32_b32", "s_ctz_i32_b32"})
    SCALAR(name, [](bool &, u32 a) { return a ? u32(std::countr_zero(a)) : ~0u; });
  for (const char *name : {"s_ff1_i32_b64", "s_ctz_i32_b64"})
    SCALAR(name, [](bool &, u64 a) { return a ? u32(std::countr_zero(a)) : ~0u; });
  // The first from above that is not like the sign.
  for (const char *name : {"s_flbit_i32", "s_cls_i32"})
    SCALAR(name, [](bool &, i32 a) {
      u32 other = u32(a ^ a >> 31);
      return other ? u32(std::countl_zero(other)) : ~0u;
    });
  for (const char *name : {"s_flbit_i32_i64", "s_cls_i32_i64"})
    SCALAR(name, [](bool &, int64_t a) {
      u64 other = u64(a ^ a >> 63);
      return other ? u32(std::countl_zero(other)) : ~0u;
    });
  SCALAR("s_bfm_b32", [](bool &, u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); });
  SCALAR("s_brev_b32", [](bool &, u32 a) {
    u32 result = 0;
    for (int i = 0; i < 32; ++i)
      result |= (a >> i & 1) << (31 - i);
    return result;
  });
  SCALAR("s_pack_ll_b32_b16", [](bool &, u32 a, u32 b) { return (a & 0xffff) | b << 16; });
  SCALAR("s_movk_i32", [](bool &, u32 a) { return u32(int16_t(a)); });
  for (const char *name : {"s_addk_i32", "s_addk_co_i32"}) {
    SCALAR(name, [](bool &c, u32 b, i32 a) {
      i32 r;
      c = __builtin_add_overflow(a, int16_t(b), &r);
      return r;
    });
    set[name].accumulates = true;
  }
  SCALAR("s_bitset0_b32", [](bool &, u32 b, u32 a) { return a & ~(1u << (b & 31)); });
  SCALAR("s_bitset1_b32", [](bool &, u32 b, u32 a) { return a | 1u << (b & 31); });
  SCALAR("s_bitset0_b64", [](bool &, u32 b, u64 a) { return a & ~(u64(1) << (b & 63)); });
  SCALAR("s_bitset1_b64", [](bool &, u32 b, u64 a) { return a | u64(1) << (b & 63); });
  for (const char *name : {"s_bitset0_b32", "s_bitset1_b32", "s_bitset0_b64", "s_bitset1_b64"})
    set[name].accumulates = true;
  SCALAR("s_mulk_i32", [](bool &, u32 b, u32 a) { return a * u32(int16_t(b)); });
  set["s_mulk_i32"].accumulates = true;
}

static void addComparisonsOfScalars(InstructionSet &set) {
  COMPARE("s_cmp_eq_u32", u32, a == b);
  COMPARE("s_cmp_lg_u32", u32, a != b);
  COMPARE("s_cmp_gt_u32", u32, a > b);
  COMPARE("s_cmp_ge_u32", u32, a >= b);
  COMPARE("s_cmp_lt_u32", u32, a < b);
  COMPARE("s_cmp_le_u32", u32, a <= b);
  COMPARE("s_cmp_eq_i32", i32, a == b);
  COMPARE("s_cmp_lg_i32", i32, a != b);
  COMPARE("s_cmp_gt_i32", i32, a > b);
  COMPARE("s_cmp_ge_i32", i32, a >= b);
  COMPARE("s_cmp_lt_i32", i32, a < b);
  COMPARE("s_cmp_le_i32", i32, a <= b);
  COMPARE("s_cmp_eq_u64", u64, a == b);
  COMPARE("s_cmp_lg_u64", u64, a != b);
  COMPARE("s_cmpk_eq_u32", u32, a == uint16_t(b));
  COMPARE("s_cmpk_lg_u32", u32, a != uint16_t(b));
  COMPARE("s_cmpk_gt_u32", u32, a > uint16_t(b));
  COMPARE("s_cmpk_ge_u32", u32, a >= uint16_t(b));
  COMPARE("s_cmpk_lt_u32", u32, a < uint16_t(b));
  COMPARE("s_cmpk_le_u32", u32, a <= uint16_t(b));
  COMPARE("s_cmpk_eq_i32", i32, a == int16_t(b));
  COMPARE("s_cmpk_lg_i32", i32, a != int16_t(b));
  COMPARE("s_cmpk_gt_i32", i32, a > int16_t(b));
  COMPARE("s_cmpk_ge_i32", i32, a >= int16_t(b));
  COMPARE("s_cmpk_lt_i32", i32, a < int16_t(b));
  COMPARE("s_cmpk_le_i32", i32, a <= int16_t(b));
  set["s_bitcmp0_b32"] = {scalar<[](bool &c, u32 a, u32 b) { c = !(a >> (b & 31) & 1); }>, 0};
  set["s_bitcmp1_b32"] = {scalar<[](bool &c, u32 a, u32 b) { c = a >> (b & 31) & 1; }>, 0};
}

/// From gfx11.5 on.
static void addFloatsOfScalars(InstructionSet &set) {
  SCALAR("s_add_f32", [](bool &, float a, float b) { return a + b; });
  SCALAR("s_sub_f32", [](bool &, float a, float b) { return a - b; });
  SCALAR("s_mul_f32", [](bool &, float a, float b) { return a * b; });
  for (const char *name : {"s_fmac_f32", "s_fmaak_f32", "s_fmamk_f32"})
    SCALAR(name, [](bool &, float a, float b, float c) { return std::fma(a, b, c); });
  set["s_fmac_f32"].accumulates = true;
  for (const char *name : {"s_min_f32", "s_min_num_f32"})
    SCALAR(name, [](bool &, float a, float b) { return least(a, b); });
  for (const char *name : {"s_max_f32", "s_max_num_f32"})
    SCALAR(name, [](bool &, float a, float b) { return largest(a, b); });
  SCALAR("s_minimum_f32", [](bool &, float a, float b) { return minimum(a, b); });
  SCALAR("s_maximum_f32", [](bool &, float a, float b) { return maximum(a, b); });
  SCALAR("s_ceil_f32", [](bool &, float a) { return std::ceil(a); });
  SCALAR("s_floor_f32", [](bool &, float a) { return std::floor(a); });
  SCALAR("s_trunc_f32", [](bool &, float a) { return std::trunc(a); });
  SCALAR("s_rndne_f32", [](bool &, float a) { return std::nearbyint(a); });
  SCALAR("s_cvt_f32_i32", [](bool &, i32 a) { return float(a); });
  SCALAR("s_cvt_f32_u32", [](bool &, u32 a) { return float(a); });
  SCALAR("s_cvt_i32_f32", [](bool &, float a) { return saturated<i32>(double(a)); });
  SCALAR("s_cvt_u32_f32", [](bool &, float a) { return saturated<u32>(double(a)); });
  SCALAR("v_s_rcp_f32", [](bool &, float a) { return flushed(1 / flushed(a)); });
  SCALAR("v_s_rsq_f32", [](bool &, float a) { return float(1 / std::sqrt(double(flushed(a)))); });
  SCALAR("v_s_sqrt_f32", [](bool &, float a) { return std::sqrt(flushed(a)); });
  SCALAR("v_s_exp_f32", [](bool &, float a) { return flushed(std::exp2(flushed(a))); });
  SCALAR("v_s_log_f32", [](bool &, float a) { return flushed(std::log2(flushed(a))); });
  COMPARE("s_cmp_lt_f32", float, a < b);
  COMPARE("s_cmp_eq_f32", float, a == b);
  COMPARE("s_cmp_le_f32", float, a <= b);
  COMPARE("s_cmp_gt_f32", float, a > b);
  COMPARE("s_cmp_lg_f32", float, a<b || a> b);
  COMPARE("s_cmp_ge_f32", float, a >= b);
  COMPARE("s_cmp_o_f32", float, a == a && b == b);
  COMPARE("s_cmp_u_f32", float, a != a || b != b);
  COMPARE("s_cmp_nge_f32", float, !(a >= b));
  COMPARE("s_cmp_nlg_f32", float, !(a < b || a > b));
  COMPARE("s_cmp_ngt_f32", float, !(a > b));
  COMPARE("s_cmp_nle_f32", float, !(a <= b));
  COMPARE("s_cmp_neq_f32", float, a != b);
  COMPARE("s_cmp_nlt_f32", float, !(a < b));
}

template <auto F> static void saveExec(Wave &wave, const Op &op) {
  uint64_t before = wave.exec();
  bool wide = wave.kernel->chip.waveLanes == 64;
  uint64_t source = wide ? read<u64>(wave, op.from[0]) : read<u32>(wave, op.from[0]);
  uint64_t after = F(source, before);
  wave.setMask(Exec, wide ? after : uint32_t(after));
  wave.setMask(op.to[0].index, before);
  wave.scc = wave.exec() != 0;
}

template <auto F> static void branch(Wave &wave, const Op &op) {
  if (F(wave))
    wave.pc = op.target;
}

/// What a wave says when it arrives at a barrier must be true: its accesses have been made.
static void arriveAtBarrier(Wave &wave, const Op &op) {
  if (wave.exec() != wave.alive)
    return fault(wave, op, "a barrier in divergent code: lanes %#llx of %#llx are here",
                 (unsigned long long)wave.exec(), (unsigned long long)wave.alive);
  if (wave.arrived[size_t(Counter::Local)] < wave.lastLocal)
    return fault(wave, op, "a barrier while accesses to local memory have not been waited for");
  wave.signalled = true;
}

/// Both halves at once, which gfx12 has apart.
static void runBarrier(Wave &wave, const Op &op) {
  arriveAtBarrier(wave, op);
  wave.signalled = false;
  if (wave.state == Wave::State::Running)
    wave.state = Wave::State::AtBarrier;
}

static void waitAtBarrier(Wave &wave, const Op &op) {
  if (!wave.signalled)
    return fault(wave, op, "a wait at a barrier that the wave did not arrive at");
  wave.signalled = false;
  wave.state = Wave::State::AtBarrier;
}

static void runWait(Wave &wave, const Op &op) {
  uint64_t stored = wave.arrived[size_t(Counter::Local)];
  for (size_t i = 0; i < size_t(Counter::Count); ++i) {
    if (op.waits[i] < 0 || wave.issued[i] <= uint64_t(op.waits[i]))
      continue;
    // Loads of scalars come in any order: only a wait for all says that they are here.
    if (Counter(i) == Counter::Scalar && op.waits[i] > 0)
      continue;
    wave.arrived[i] = std::max(wave.arrived[i], wave.issued[i] - uint64_t(op.waits[i]));
  }
  size_t loads = std::erase_if(wave.pending, [&](const Pending &load) {
    return load.ticket <= wave.arrived[size_t(load.counter)];
  });
  // One wave needs no wait for what it stored: it comes in order.
  const Group &group = *wave.group;
  bool alone =
      group.threads[0] * group.threads[1] * group.threads[2] <= wave.kernel->chip.waveLanes;
  if (wave.group->counters && (loads || (!alone && stored != wave.arrived[size_t(Counter::Local)])))
    (*wave.group->counters)[op.line].waited++;
}

static void addFlow(InstructionSet &set) {
  for (const char *name : {"s_and_saveexec_b32", "s_and_saveexec_b64"})
    set[name] = {saveExec<[](uint64_t a, uint64_t exec) { return a & exec; }>};
  for (const char *name : {"s_or_saveexec_b32", "s_or_saveexec_b64"})
    set[name] = {saveExec<[](uint64_t a, uint64_t exec) { return a | exec; }>};
  for (const char *name : {"s_xor_saveexec_b32", "s_xor_saveexec_b64"})
    set[name] = {saveExec<[](uint64_t a, uint64_t exec) { return a ^ exec; }>};
  for (const char *name :
       {"s_andn2_saveexec_b64", "s_and_not1_saveexec_b32", "s_and_not1_saveexec_b64"})
    set[name] = {saveExec<[](uint64_t a, uint64_t exec) { return a & ~exec; }>};
  set["s_branch"] = {branch<[](Wave &) { return true; }>, 0};
  set["s_cbranch_scc0"] = {branch<[](Wave &w) { return !w.scc; }>, 0};
  set["s_cbranch_scc1"] = {branch<[](Wave &w) { return w.scc; }>, 0};
  set["s_cbranch_vccz"] = {branch<[](Wave &w) { return w.mask(Vcc) == 0; }>, 0};
  set["s_cbranch_vccnz"] = {branch<[](Wave &w) { return w.mask(Vcc) != 0; }>, 0};
  set["s_cbranch_execz"] = {branch<[](Wave &w) { return w.exec() == 0; }>, 0};
  set["s_cbranch_execnz"] = {branch<[](Wave &w) { return w.exec() != 0; }>, 0};
  set["s_endpgm"] = {[](Wave &wave, const Op &) { wave.state = Wave::State::Done; }, 0};
  set["s_barrier"] = {runBarrier, 0, false, true};
  set["s_barrier_signal"] = {arriveAtBarrier, 0, false, true};
  set["s_barrier_wait"] = {waitAtBarrier, 0, false, true};
  // Caches are made empty behind the loads, and written behind the stores.
  set["global_inv"] = {[](Wave &wave, const Op &op) {
                         issue(wave, op, Counter::Vector, {true, 0, 0});
                       },
                       0, false, true};
  set["global_wb"] = {[](Wave &wave, const Op &op) {
                        issue(wave, op, Counter::Store, {true, 0, 0});
                      },
                      0, false, true};
  set["wait"] = {runWait, 0};
  for (const char *name :
       {"s_nop", "v_nop", "s_delay_alu", "s_clause", "s_sendmsg", "s_waitcnt_depctr", "s_wait_alu",
        "s_setprio", "buffer_gl0_inv", "buffer_inv", "buffer_wbl2", "s_sethalt", "s_code_end",
        "s_set_inst_prefetch_distance", "s_inst_prefetch"})
    set[name] = {[](Wave &, const Op &) {}, 0, false, true};
}

void addScalars(InstructionSet &set) {
  addArithmetic(set);
  addScalarBits(set);
  addComparisonsOfScalars(set);
  addFloatsOfScalars(set);
  addFlow(set);
}

} // namespace tw::emulator::amdgcn
