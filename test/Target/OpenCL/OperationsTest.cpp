// Every operation that the printer writes, run by an OpenCL driver on edge cases and random bits,
// and compared bit by bit with the meaning that arith and math give it.
#include "Runner.h"

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace tw::test;

namespace {

constexpr size_t points = 4096;

/// One line of MLIR that makes %r from %a and %b, with what it means.
template <typename T, typename R> struct Case {
  std::string text;
  std::function<R(T, T)> meaning;
};

/// A kernel with one thread per pair of operands, whose k-th result goes to k * points + thread.
template <typename T, typename R>
std::string makeKernel(const std::string &name, const std::string &memory,
                       const std::string &resultMemory, const std::vector<Case<T, R>> &cases) {
  std::string in =
      "memref<" + std::to_string(points) + "x" + memory + ", #gpu.address_space<global>>";
  std::string out = "memref<" + std::to_string(points * cases.size()) + "x" + resultMemory +
                    ", #gpu.address_space<global>>";
  std::string text =
      "gpu.func @" + name + "(%x: " + in + ", %y: " + in + ", %z: " + out +
      ") kernel attributes {known_block_size = array<i32: 64, 1, 1>, tw.num_outputs = 1 : i64} {\n"
      "%t = gpu.thread_id x\n%g = gpu.block_id x\n%c = arith.constant 64 : index\n"
      "%o = arith.muli %g, %c : index\n%i = arith.addi %o, %t : index\n"
      "%a = memref.load %x[%i] : " +
      in + "\n%b = memref.load %y[%i] : " + in + "\n";
  for (size_t k = 0; k < cases.size(); ++k) {
    // Names of the case are its own; so are its constants.
    std::string number = std::to_string(k), line = cases[k].text;
    for (size_t at = 0; (at = line.find("%r", at)) != std::string::npos; at += 2 + number.size())
      line.replace(at, 2, "%r" + number);
    text += line + "\n%k" + number + " = arith.constant " + std::to_string(k * points) +
            " : index\n" + "%p" + number + " = arith.addi %i, %k" + number + " : index\n" +
            "memref.store %r" + number + ", %z[%p" + number + "] : " + out + "\n";
  }
  return "gpu.module @kernels {\n" + text + "gpu.return\n}\n}\n";
}

template <typename R> bool areSame(R a, R b) {
  if constexpr (std::is_floating_point_v<R>)
    if (std::isnan(a) && std::isnan(b))
      return true;
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <typename T, typename R>
void check(const std::string &memory, const std::string &resultMemory,
           const std::vector<Case<T, R>> &cases, const std::vector<T> &left,
           const std::vector<T> &right) {
  Runner runner;
  runner.build(makeKernel("operations", memory, resultMemory, cases));
  if (testing::Test::HasFatalFailure())
    return;
  std::vector<uint8_t> a = toBytes(left), b = toBytes(right);
  std::vector<uint8_t> z(points * cases.size() * sizeof(R), 0xcd);
  runner.run("operations", {&a, &b, &z}, points / 64, 64);
  std::vector<R> results = fromBytes<R>(z);
  for (size_t k = 0; k < cases.size(); ++k)
    for (size_t i = 0; i < points; ++i) {
      R expected = cases[k].meaning(left[i], right[i]);
      if (!areSame<R>(results[k * points + i], expected)) {
        ADD_FAILURE() << cases[k].text << " of " << +left[i] << " and " << +right[i] << " is "
                      << +results[k * points + i] << ", expected " << +expected;
        break;
      }
    }
  if (testing::Test::HasFailure())
    std::fputs(runner.text.c_str(), stderr);
}

template <typename U> std::vector<U> makeIntegers(unsigned seed) {
  std::mt19937_64 random(seed);
  const U edges[] = {0,
                     1,
                     2,
                     3,
                     U(-1),
                     U(-2),
                     U(std::numeric_limits<std::make_signed_t<U>>::min()),
                     U(std::numeric_limits<std::make_signed_t<U>>::max()),
                     7,
                     U(-7),
                     100};
  std::vector<U> values(points);
  for (size_t i = 0; i < points; ++i)
    values[i] =
        random() % 4 == 0 ? edges[random() % std::size(edges)] : U(random() >> (random() % 60));
  return values;
}

/// Integer operations of one width. Divisors are never 0 and quotients never overflow; shifts stay
/// below the width: arith leaves the rest undefined.
template <typename U> void checkIntegers(const std::string &type) {
  using S = std::make_signed_t<U>;
  constexpr unsigned width = sizeof(U) * 8;
  auto op = [&](const std::string &name) { return "%r = arith." + name + " %a, %b : " + type; };
  auto withConstant = [&](const std::string &name, int64_t value) {
    return "%rc = arith.constant " + std::to_string(value) + " : " + type + "\n%r = arith." + name +
           " %a, %rc : " + type;
  };
  auto fromConstant = [&](const std::string &name, int64_t value) {
    return "%rc = arith.constant " + std::to_string(value) + " : " + type + "\n%r = arith." + name +
           " %rc, %a : " + type;
  };
  std::string smallShift = "%rw = arith.constant " + std::to_string(width - 1) + " : " + type +
                           "\n%rs = arith.andi %b, %rw : " + type + "\n";
  auto shift = [&](const std::string &name) {
    return smallShift + "%r = arith." + name + " %a, %rs : " + type;
  };
  auto predicate = [&](const std::string &name) {
    return "%rp = arith.cmpi " + name + ", %a, %b : " + type + "\n%r = arith.extui %rp : i1 to " +
           type;
  };
  std::string guard =
      "%rz = arith.constant 0 : " + type + "\n%ro = arith.constant 3 : " + type +
      "\n%rm = arith.constant -1 : " + type + "\n%re = arith.cmpi eq, %b, %rz : " + type +
      "\n%rf = arith.cmpi eq, %b, %rm : " + type +
      "\n%rg = arith.ori %re, %rf : i1\n%rd = arith.select %rg, %ro, %b : " + type + "\n";
  auto divide = [&](const std::string &name) {
    return guard + "%r = arith." + name + " %a, %rd : " + type;
  };
  auto divisor = [](U b) { return b == 0 || b == U(-1) ? U(3) : b; };
  using C = Case<U, U>;
  std::vector<C> cases = {
      {op("addi"), [](U a, U b) { return U(a + b); }},
      {op("subi"), [](U a, U b) { return U(a - b); }},
      {op("muli"), [](U a, U b) { return U(uint64_t(a) * uint64_t(b)); }},
      {op("andi"), [](U a, U b) { return U(a & b); }},
      {op("ori"), [](U a, U b) { return U(a | b); }},
      {op("xori"), [](U a, U b) { return U(a ^ b); }},
      {op("minsi"), [](U a, U b) { return U(std::min(S(a), S(b))); }},
      {op("maxsi"), [](U a, U b) { return U(std::max(S(a), S(b))); }},
      {op("minui"), [](U a, U b) { return std::min(a, b); }},
      {op("maxui"), [](U a, U b) { return std::max(a, b); }},
      {withConstant("addi", -5), [](U a, U) { return U(a - 5); }},
      {withConstant("muli", -3), [](U a, U) { return U(a * -3); }},
      {withConstant("andi", -8), [](U a, U) { return U(a & -8); }},
      {withConstant("minsi", -8), [](U a, U) { return U(std::min<S>(S(a), -8)); }},
      {withConstant("maxui", -8), [](U a, U) { return std::max<U>(a, U(-8)); }},
      {withConstant("divsi", -3), [](U a, U) { return U(S(a) / S(-3)); }},
      {withConstant("divui", -3), [](U a, U) { return U(a / U(-3)); }},
      {withConstant("remsi", 5), [](U a, U) { return U(S(a) % S(5)); }},
      {withConstant("shrsi", 3), [](U a, U) { return U(S(a) >> 3); }},
      {fromConstant("subi", 1), [](U a, U) { return U(1 - a); }},
      {fromConstant("subi", -1), [](U a, U) { return U(-1 - S(a)); }},
      {smallShift + "%rc = arith.constant -64 : " + type + "\n%r = arith.shrsi %rc, %rs : " + type,
       [](U, U b) { return U(S(-64) >> (b & (width - 1))); }},
      {smallShift + "%rc = arith.constant 1 : " + type + "\n%r = arith.shli %rc, %rs : " + type,
       [](U, U b) { return U(U(1) << (b & (width - 1))); }},
      {shift("shli"), [](U a, U b) { return U(a << (b & (width - 1))); }},
      {shift("shrui"), [](U a, U b) { return U(a >> (b & (width - 1))); }},
      {shift("shrsi"), [](U a, U b) { return U(S(a) >> (b & (width - 1))); }},
      {divide("divsi"), [=](U a, U b) { return U(S(a) / S(divisor(b))); }},
      {divide("divui"), [=](U a, U b) { return U(a / divisor(b)); }},
      {divide("remsi"), [=](U a, U b) { return U(S(a) % S(divisor(b))); }},
      {divide("remui"), [=](U a, U b) { return U(a % divisor(b)); }},
      {divide("floordivsi"),
       [=](U a, U b) {
         S x = S(a), y = S(divisor(b));
         return U(x / y - (x % y != 0 && (x < 0) != (y < 0)));
       }},
      {divide("ceildivsi"),
       [=](U a, U b) {
         S x = S(a), y = S(divisor(b));
         return U(x / y + (x % y != 0 && (x < 0) == (y < 0)));
       }},
      {divide("ceildivui"), [=](U a, U b) { return U(a / divisor(b) + (a % divisor(b) != 0)); }},
      {"%r = math.absi %a : " + type, [](U a, U) { return S(a) < 0 ? U(-a) : a; }},
      {"%r = math.ctpop %a : " + type, [](U a, U) { return U(std::popcount(a)); }},
      {"%r = math.ctlz %a : " + type, [](U a, U) { return U(std::countl_zero(a)); }},
      {"%r = math.cttz %a : " + type, [](U a, U) { return U(std::countr_zero(a)); }},
      {predicate("eq"), [](U a, U b) { return U(a == b); }},
      {predicate("ne"), [](U a, U b) { return U(a != b); }},
      {predicate("slt"), [](U a, U b) { return U(S(a) < S(b)); }},
      {predicate("sle"), [](U a, U b) { return U(S(a) <= S(b)); }},
      {predicate("sgt"), [](U a, U b) { return U(S(a) > S(b)); }},
      {predicate("sge"), [](U a, U b) { return U(S(a) >= S(b)); }},
      {predicate("ult"), [](U a, U b) { return U(a < b); }},
      {predicate("ule"), [](U a, U b) { return U(a <= b); }},
      {predicate("ugt"), [](U a, U b) { return U(a > b); }},
      {predicate("uge"), [](U a, U b) { return U(a >= b); }},
      {"%rc = arith.constant -3 : " + type + "\n%rp = arith.cmpi slt, %a, %rc : " + type +
           "\n%r = arith.extsi %rp : i1 to " + type,
       [](U a, U) { return U(S(a) < -3 ? -1 : 0); }},
      {"%rc = arith.constant -3 : " + type + "\n%rp = arith.cmpi ult, %a, %rc : " + type +
           "\n%r = arith.extui %rp : i1 to " + type,
       [](U a, U) { return U(a < U(-3)); }},
      {"%rc = arith.constant " + std::to_string(int64_t(std::numeric_limits<S>::min())) + " : " +
           type + "\n%rp = arith.cmpi sgt, %a, %rc : " + type +
           "\n%r = arith.select %rp, %rc, %b : " + type,
       [](U a, U b) {
         return S(a) > std::numeric_limits<S>::min() ? U(std::numeric_limits<S>::min()) : b;
       }},
      {"%rt = arith.trunci %a : " + type + " to i1\n%ru = arith.trunci %b : " + type +
           " to i1\n%rv = arith.xori %rt, %ru : i1\n%rw = arith.andi %rt, %rv : i1\n%rx = "
           "arith.ori %rw, %ru : i1\n"
           "%r = arith.extui %rx : i1 to " +
           type,
       [](U a, U b) { return U(((a & 1) & ((a ^ b) & 1)) | (b & 1)); }},
      {"%rt = arith.trunci %a : " + type +
           " to i1\n%rc = arith.constant true\n%rv = arith.xori %rt, %rc : i1\n"
           "%r = arith.extui %rv : i1 to " +
           type,
       [](U a, U) { return U(!(a & 1)); }},
  };
  check<U, U>(type, type, cases, makeIntegers<U>(1), makeIntegers<U>(2));
}

TEST(OpenCLOperationsTest, Integers8) { checkIntegers<uint8_t>("i8"); }
TEST(OpenCLOperationsTest, Integers32) { checkIntegers<uint32_t>("i32"); }
TEST(OpenCLOperationsTest, Integers64) { checkIntegers<uint64_t>("i64"); }

template <typename T> std::vector<T> makeFloats(unsigned seed) {
  using L = std::numeric_limits<T>;
  std::mt19937_64 random(seed);
  const T edges[] = {T(0),           -T(0),    T(1),     T(-1),           T(0.5),
                     T(-0.5),        T(1.5),   T(2.5),   L::infinity(),   -L::infinity(),
                     L::quiet_NaN(), L::max(), L::min(), L::denorm_min(), -L::denorm_min(),
                     L::lowest()};
  std::vector<T> values(points);
  for (T &value : values) {
    if (random() % 3 == 0)
      value = edges[random() % std::size(edges)];
    else if (random() % 2 == 0)
      value = T(int64_t(random() % 2000) - 1000) / 8;
    else if constexpr (sizeof(T) == 4)
      value = std::bit_cast<float>(uint32_t(random()));
    else
      value = std::bit_cast<double>(uint64_t(random()));
  }
  return values;
}

template <typename T> T maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

template <typename T> T minimum(T a, T b) { return -maximum<T>(-a, -b); }

template <typename T> void checkFloats(const std::string &type) {
  auto op = [&](const std::string &name) { return "%r = " + name + " %a, %b : " + type; };
  auto unary = [&](const std::string &name) { return "%r = " + name + " %a : " + type; };
  auto bounded = [&](const std::string &name, const std::string &bound) {
    return "%rc = arith.constant " + bound + " : " + type + "\n%r = arith." + name +
           " %a, %rc : " + type;
  };
  auto predicate = [&](const std::string &name) {
    return "%rp = arith.cmpf " + name + ", %a, %b : " + type + "\n%r = arith.uitofp %rp : i1 to " +
           type;
  };
  auto kind = [&](const std::string &name) {
    return "%rp = math." + name + " %a : " + type + "\n%r = arith.uitofp %rp : i1 to " + type;
  };
  auto isOrdered = [](T a, T b) { return !std::isnan(a) && !std::isnan(b); };
  std::string bits = type == "f32" ? "i32" : "i64";
  std::string nan = type == "f32" ? "0x7FC00000" : "0x7FF8000000000000";
  std::string infinity = type == "f32" ? "0x7F800000" : "0x7FF0000000000000";
  std::vector<Case<T, T>> cases = {
      {op("arith.addf"), [](T a, T b) { return a + b; }},
      {op("arith.subf"), [](T a, T b) { return a - b; }},
      {op("arith.mulf"), [](T a, T b) { return a * b; }},
      {op("arith.divf"), [](T a, T b) { return a / b; }},
      // Not contracted to one rounding.
      {"%rm = arith.mulf %a, %a : " + type + "\n%r = arith.addf %rm, %b : " + type,
       [](T a, T b) {
         volatile T product = a * a;
         return T(product + b);
       }},
      {"%r = math.fma %a, %a, %b : " + type, [](T a, T b) { return std::fma(a, a, b); }},
      {"%rm = arith.subf %a, %b : " + type + "\n%r = arith.subf %b, %rm : " + type,
       [](T a, T b) { return b - (a - b); }},
      {op("arith.maximumf"), maximum<T>},
      {op("arith.minimumf"), minimum<T>},
      {bounded("maximumf", "0.0"), [](T a, T) { return maximum<T>(a, 0); }},
      {bounded("maximumf", "-0.0"), [](T a, T) { return maximum<T>(a, -T(0)); }},
      {bounded("minimumf", "0.0"), [](T a, T) { return minimum<T>(a, 0); }},
      {bounded("minimumf", "-0.0"), [](T a, T) { return minimum<T>(a, -T(0)); }},
      {bounded("minimumf", "6.0"), [](T a, T) { return minimum<T>(a, 6); }},
      {bounded("maximumf", nan), [](T, T) { return std::numeric_limits<T>::quiet_NaN(); }},
      {bounded("minimumf", infinity), [](T a, T) { return a; }},
      {bounded("addf", "0.1"), [](T a, T) { return a + T(0.1); }},
      {bounded("addf", "-3.0e-7"), [](T a, T) { return a + T(-3.0e-7); }},
      {bounded("mulf", "1.0e30"), [](T a, T) { return a * T(1.0e30); }},
      {bounded("mulf", "1.17549435E-38"), [](T a, T) { return a * T(1.17549435E-38L); }},
      {bounded("subf", infinity), [](T a, T) { return a - std::numeric_limits<T>::infinity(); }},
      {unary("arith.negf"), [](T a, T) { return -a; }},
      {unary("math.absf"), [](T a, T) { return std::fabs(a); }},
      {unary("math.sqrt"), [](T a, T) { return std::sqrt(a); }},
      {unary("math.floor"), [](T a, T) { return std::floor(a); }},
      {unary("math.ceil"), [](T a, T) { return std::ceil(a); }},
      {unary("math.trunc"), [](T a, T) { return std::trunc(a); }},
      {unary("math.roundeven"), [](T a, T) { return std::nearbyint(a); }},
      {op("math.copysign"), [](T a, T b) { return std::copysign(a, b); }},
      {kind("isnan"), [](T a, T) { return T(std::isnan(a)); }},
      {kind("isinf"), [](T a, T) { return T(std::isinf(a)); }},
      {kind("isfinite"), [](T a, T) { return T(std::isfinite(a)); }},
      {kind("isnormal"), [](T a, T) { return T(std::isnormal(a)); }},
      {predicate("oeq"), [](T a, T b) { return T(a == b); }},
      {predicate("ogt"), [](T a, T b) { return T(a > b); }},
      {predicate("oge"), [](T a, T b) { return T(a >= b); }},
      {predicate("olt"), [](T a, T b) { return T(a < b); }},
      {predicate("ole"), [](T a, T b) { return T(a <= b); }},
      {predicate("one"), [=](T a, T b) { return T(isOrdered(a, b) && a != b); }},
      {predicate("ord"), [=](T a, T b) { return T(isOrdered(a, b)); }},
      {predicate("ueq"), [=](T a, T b) { return T(!isOrdered(a, b) || a == b); }},
      {predicate("ugt"), [](T a, T b) { return T(!(a <= b)); }},
      {predicate("uge"), [](T a, T b) { return T(!(a < b)); }},
      {predicate("ult"), [](T a, T b) { return T(!(a >= b)); }},
      {predicate("ule"), [](T a, T b) { return T(!(a > b)); }},
      {predicate("une"), [](T a, T b) { return T(a != b); }},
      {predicate("uno"), [=](T a, T b) { return T(!isOrdered(a, b)); }},
      {"%rp = arith.cmpf uno, %a, %a : " + type + "\n%r = arith.select %rp, %b, %a : " + type,
       [](T a, T b) { return std::isnan(a) ? b : a; }},
      {"%rb = arith.bitcast %a : " + type + " to " + bits + "\n%rc = arith.constant 1 : " + bits +
           "\n%rd = arith.xori %rb, %rc : " + bits + "\n%r = arith.bitcast %rd : " + bits + " to " +
           type,
       [](T a, T) {
         using U = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
         return std::bit_cast<T>(std::bit_cast<U>(a) ^ U(1));
       }},
      {"%r = ub.poison : " + type + "\n%rx = arith.constant 0.0 : " + type +
           "\n%ry = arith.mulf %r, %rx : " + type,
       [](T, T) { return T(0); }},
  };
  check<T, T>(type, type, cases, makeFloats<T>(3), makeFloats<T>(4));
}

TEST(OpenCLOperationsTest, Floats32) { checkFloats<float>("f32"); }
TEST(OpenCLOperationsTest, Floats64) { checkFloats<double>("f64"); }

/// Conversions from T to R. Values beyond R's range are left out: arith leaves them undefined.
template <typename T, typename R>
void checkCast(const std::string &operation, const std::string &from, const std::string &to,
               const std::vector<T> &values, R (*meaning)(T)) {
  std::vector<Case<T, R>> cases = {{"%r = arith." + operation + " %a : " + from + " to " + to,
                                    [=](T a, T) { return meaning(a); }}};
  SCOPED_TRACE(operation + " " + from + " " + to);
  check<T, R>(from, to, cases, values, values);
}

template <typename T, typename R> R convert(T value) { return R(value); }
template <typename T, typename R> R convertSigned(T value) {
  return R(std::make_signed_t<T>(value));
}

TEST(OpenCLOperationsTest, Casts) {
  auto bytes = makeIntegers<uint8_t>(5);
  auto words = makeIntegers<uint32_t>(6);
  auto longs = makeIntegers<uint64_t>(7);
  checkCast<uint8_t, uint32_t>("extsi", "i8", "i32", bytes, convertSigned);
  checkCast<uint8_t, uint64_t>("extui", "i8", "i64", bytes, convert);
  checkCast<uint32_t, uint64_t>("extsi", "i32", "i64", words, convertSigned);
  checkCast<uint64_t, uint8_t>("trunci", "i64", "i8", longs, convert);
  checkCast<uint8_t, float>("sitofp", "i8", "f32", bytes, convertSigned);
  checkCast<uint32_t, float>("uitofp", "i32", "f32", words, convert);
  checkCast<uint64_t, float>("sitofp", "i64", "f32", longs, convertSigned);
  checkCast<uint64_t, double>("uitofp", "i64", "f64", longs, convert);
  std::vector<float> small(points);
  std::vector<double> large(points);
  for (size_t i = 0; i < points; ++i) {
    small[i] = float(int64_t(i % 250) - 125) + 0.75f * (i % 2);
    large[i] = (double(i) - points / 2) * 1e15 + 0.5;
  }
  checkCast<float, uint8_t>("fptosi", "f32", "i8", small,
                            [](float x) { return uint8_t(int8_t(x)); });
  checkCast<float, uint32_t>("fptosi", "f32", "i32", small,
                             [](float x) { return uint32_t(int32_t(x)); });
  checkCast<double, uint64_t>("fptosi", "f64", "i64", large,
                              [](double x) { return uint64_t(int64_t(x)); });
  for (double &value : large)
    value = std::fabs(value);
  checkCast<double, uint64_t>("fptoui", "f64", "i64", large, convert);
  checkCast<float, double>("extf", "f32", "f64", makeFloats<float>(8), convert);
  checkCast<double, float>("truncf", "f64", "f32", makeFloats<double>(9), convert);
}

} // namespace
