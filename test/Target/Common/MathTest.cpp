// Every function of the math expansion, compiled for this machine and measured against long double.
#include "../Host/Loader.h"

#include "tw/Pipeline/Registration.h"
#include "tw/Target/Common/Math.h"
#include "tw/Target/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace mlir;

namespace {

constexpr size_t blockSize = 4096;
/// Blocks of points per function, type and kind of distribution.
constexpr size_t blocks = 20;

struct Reference {
  const char *operation;
  std::function<long double(long double, long double)> function;
  /// Where the function is interesting; beyond lies what random bit patterns find.
  double low, high;
  bool binary = false;
};

long double one(long double (*function)(long double), long double x) { return function(x); }

const std::vector<Reference> &references() {
#define UNARY(name, function, low, high)                                                           \
  {                                                                                                \
    "math." name, [](long double x, long double) { return one(function, x); }, low, high           \
  }
  static const std::vector<Reference> all = {
      UNARY("exp", expl, -20, 20),
      UNARY("exp2", exp2l, -20, 20),
      UNARY("expm1", expm1l, -2, 2),
      UNARY("log", logl, 0, 4),
      UNARY("log2", log2l, 0, 4),
      UNARY("log10", log10l, 0, 4),
      UNARY("log1p", log1pl, -1, 2),
      UNARY("sin", sinl, -100, 100),
      UNARY("cos", cosl, -100, 100),
      UNARY("tan", tanl, -100, 100),
      UNARY("asin", asinl, -1, 1),
      UNARY("acos", acosl, -1, 1),
      UNARY("atan", atanl, -5, 5),
      UNARY("sinh", sinhl, -5, 5),
      UNARY("cosh", coshl, -5, 5),
      UNARY("tanh", tanhl, -5, 5),
      UNARY("asinh", asinhl, -5, 5),
      UNARY("acosh", acoshl, 1, 5),
      UNARY("atanh", atanhl, -1, 1),
      UNARY("erf", erfl, -5, 5),
      {"math.rsqrt", [](long double x, long double) { return 1 / sqrtl(x); }, 0, 10},
      {"math.powf", [](long double x, long double y) { return powl(x, y); }, -3, 6, true},
      {"arith.remf", [](long double x, long double y) { return fmodl(x, y); }, -9, 20, true},
  };
#undef UNARY
  return all;
}

template <typename T> struct Bits;
template <> struct Bits<float> {
  using Type = uint32_t;
  static constexpr const char *name = "f32";
};
template <> struct Bits<double> {
  using Type = uint64_t;
  static constexpr const char *name = "f64";
};

template <typename T> T fromBits(typename Bits<T>::Type bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The error of `found` in units in the last place of T at `exact`; infinite for a wrong class or
/// sign.
template <typename T> double errorInUlps(T found, long double exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(found))
    return std::isnan(exact) == std::isnan(found) ? 0.0 : wrong;
  T rounded = T(exact);
  if (std::signbit(found) != std::signbit(exact))
    return wrong;
  if (std::isinf(exact) || (std::isinf(rounded) && std::isinf(found)))
    return std::isinf(found) ? 0.0 : wrong;
  int exponent =
      std::max(exact == 0 ? Limits::min_exponent : std::ilogb(exact), Limits::min_exponent - 1);
  exponent = std::min(exponent, Limits::max_exponent - 1);
  long double ulp = std::ldexp(1.0L, exponent - Limits::digits + 1);
  long double value = std::isinf(found)
                          ? std::copysign(std::ldexp(1.0L, Limits::max_exponent), exact)
                          : (long double)found;
  return double(std::fabs(value - exact) / ulp);
}

/// What is measured: a host with wide vectors has functions of its own for 16 lanes of f32.
struct Form {
  const char *type;
  size_t lanes;
  const char *flags = "";
};
constexpr Form forms[] = {{"f32", 16},
                          {"f32", 8},
                          {"f64", 16},
                          {"f32", 16, " fastmath<afn>"},
                          {"f32", 8, " fastmath<afn>"}};

class MathTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    std::string source;
    for (const Reference &reference : references())
      for (const Form &form : forms)
        source += kernel(reference, form);
    image = new tw::host::Image;
    compile(source, *image);
    loaded = new tw::test::LoadedImage(*image);
  }
  static void TearDownTestSuite() {
    delete loaded;
    delete image;
  }

  static void compile(const std::string &source, tw::host::Image &image) {
    DialectRegistry registry;
    tw::registerDialects(registry);
    MLIRContext context(registry);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    ASSERT_TRUE(module);
    auto artefacts = tw::findTarget("host")->compile(*module, {"native", 2});
    ASSERT_TRUE(succeeded(artefacts));
    tw::Artefact *artefact = artefacts->data();
    image.bytes = artefact->bytes;
    for (auto &entry : artefact->entries)
      image.entries.push_back({entry.name, entry.offset});
  }

  /// As many points to a program as the form has lanes.
  static std::string kernel(const Reference &reference, const Form &form) {
    std::string type = form.type, lanes = std::to_string(form.lanes);
    std::string memory = "memref<" + std::to_string(blockSize) + "x" + type + ">";
    std::string tile = "tensor<" + lanes + "x" + type + ">";
    std::string map = " through #tview.map<affine_map<(d0, d1) -> (d1 * " + lanes + " + d0)>>(%i) ";
    std::string attributes = "{in_bounds = array<i1: true>} : ";
    auto load = [&](std::string result, std::string from) {
      return result + " = ttile.load " + from + map + attributes + memory + " -> " + tile + "\n";
    };
    bool hasFlags = *form.flags && std::string(reference.operation) != "arith.remf";
    std::string flags = hasFlags ? form.flags : "";
    return std::string("ttile.func @\"") + reference.operation + "." + type + "." + lanes +
           (*form.flags ? ".afn" : "") + "\"(%x: " + memory + ", %y: " + memory +
           ") results(%z: " + memory + ") grid(%i = " + std::to_string(blockSize / form.lanes) +
           ") {\n" + load("%a", "%x") + load("%b", "%y") + "%c = " + reference.operation +
           (reference.binary ? " %a, %b" : " %a") + flags + " : " + tile + "\nttile.store %c, %z" +
           map + attributes + tile + " -> " + memory + "\nttile.return\n}\n";
  }

  template <typename T>
  void evaluate(size_t kernel, uint32_t programs, const std::vector<T> &x, const std::vector<T> &y,
                std::vector<T> &z) {
    void *bindings[] = {const_cast<T *>(x.data()), const_cast<T *>(y.data()), z.data()};
    tw::test::Launch launch{bindings, nullptr, {programs, 1, 1}};
    loaded->kernel(kernel)(&launch, 0, programs, nullptr);
  }

  template <typename T> void measure(size_t index, size_t form) {
    const Reference &reference = references()[index];
    bool f64 = sizeof(T) == 8;
    double bound = -1.0;
    for (const tw::math::ErrorBound &entry : tw::math::errorBounds())
      if (entry.operation == reference.operation)
        bound = f64                                           ? entry.f64
                : *forms[form].flags && entry.afn > entry.f32 ? entry.afn
                                                              : entry.f32;
    ASSERT_GE(bound, 0.0) << reference.operation;

    std::mt19937_64 random(index);
    std::vector<T> x(blockSize), y(blockSize), z(blockSize);
    double worst = 0.0;
    T worstX = 0, worstY = 0, worstZ = 0;
    for (size_t block = 0; block < 3 * blocks + 1; ++block) {
      fill(reference, block, random, x, y);
      evaluate(std::size(forms) * index + form, uint32_t(blockSize / forms[form].lanes), x, y, z);
      for (size_t i = 0; i < blockSize; ++i) {
        double error = errorInUlps<T>(z[i], reference.function(x[i], y[i]));
        if (error > worst) {
          worst = error;
          worstX = x[i], worstY = y[i], worstZ = z[i];
        }
      }
    }
    std::printf("%-11s %s x %-2zu%s %6.3f ulp, bound %.1f\n", reference.operation, Bits<T>::name,
                forms[form].lanes, forms[form].flags, worst, bound);
    EXPECT_LE(worst, bound) << reference.operation << ' ' << Bits<T>::name << " at "
                            << std::hexfloat << worstX << ' ' << worstY << ": found " << worstZ
                            << ", expected " << T(reference.function(worstX, worstY));
  }

  /// One third random bits, one third the interesting range, one third its surroundings on a
  /// logarithmic scale or (trigonometric functions) neighbours of multiples of pi / 2; first of all
  /// every pair of special values.
  template <typename T>
  static void fill(const Reference &reference, size_t block, std::mt19937_64 &random,
                   std::vector<T> &x, std::vector<T> &y) {
    if (block == 0)
      return fillSpecial(x, y);
    std::uniform_real_distribution<double> range(reference.low, reference.high), unit(0, 1);
    for (size_t i = 0; i < blockSize; ++i) {
      switch (block % 3) {
      case 0:
        x[i] = fromBits<T>(typename Bits<T>::Type(random()));
        y[i] = fromBits<T>(typename Bits<T>::Type(random()));
        break;
      case 1:
        x[i] = T(range(random));
        y[i] = T(range(random));
        break;
      default:
        x[i] = T(std::copysign(std::exp((unit(random) - 0.7) * 30), range(random)));
        y[i] = T(std::copysign(std::exp((unit(random) - 0.5) * 12), range(random)));
        if (i % 2) {
          x[i] = T(std::floor(std::exp(unit(random) * 40)) * 1.57079632679489661923L);
          y[i] = std::round(y[i]);
        }
        break;
      }
    }
  }

  template <typename T> static void compareExponentials(tw::test::LoadedImage &run, size_t lanes) {
    using Word = typename Bits<T>::Type;
    std::mt19937_64 random(2);
    std::vector<T> x(blockSize), y(blockSize), e(blockSize), n(blockSize);
    for (size_t block = 0; block < blocks; ++block) {
      fill(references()[0], block, random, x, y);
      for (T &value : x)
        value = -std::fabs(value);
      void *bindings[] = {x.data(), e.data(), n.data()};
      uint32_t programs(blockSize / lanes);
      tw::test::Launch launch{bindings, nullptr, {programs, 1, 1}};
      run.kernel(0)(&launch, 0, programs, nullptr);
      for (size_t i = 0; i < blockSize; ++i)
        if (std::isnan(x[i]))
          EXPECT_TRUE(std::isnan(n[i]));
        else if (e[i] < std::numeric_limits<T>::min() / 2)
          EXPECT_EQ(n[i], 0) << std::hexfloat << x[i];
        else if (e[i] >= std::numeric_limits<T>::min() || n[i] != 0)
          EXPECT_EQ(std::bit_cast<Word>(e[i]), std::bit_cast<Word>(n[i])) << std::hexfloat << x[i];
    }
  }

  template <typename T>
  static void compareSums(tw::test::LoadedImage &run, size_t lanes, T constant) {
    using Word = typename Bits<T>::Type;
    std::mt19937_64 random(3);
    std::vector<T> x(blockSize), y(blockSize), e(blockSize), sum(blockSize);
    for (size_t block = 0; block < blocks; ++block) {
      fill(references()[0], block, random, x, y);
      uint32_t programs(blockSize / lanes);
      for (unsigned kernel : {0, 1}) {
        void *bindings[] = {x.data(), kernel == 0 ? e.data() : sum.data()};
        tw::test::Launch launch{bindings, nullptr, {programs, 1, 1}};
        run.kernel(kernel)(&launch, 0, programs, nullptr);
      }
      for (size_t i = 0; i < blockSize; ++i)
        if (std::isnan(x[i]))
          EXPECT_TRUE(std::isnan(sum[i]));
        else
          EXPECT_EQ(std::bit_cast<Word>(e[i] + constant), std::bit_cast<Word>(sum[i]))
              << std::hexfloat << x[i] << " with " << constant;
    }
  }

  template <typename T> static void fillSpecial(std::vector<T> &x, std::vector<T> &y) {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values = {0,
                             1,
                             2,
                             3,
                             T(0.5),
                             T(1.5),
                             T(0.7),
                             10,
                             T(1) + Limits::epsilon(),
                             T(1) - Limits::epsilon(),
                             Limits::denorm_min(),
                             Limits::min() / 3,
                             Limits::min(),
                             Limits::max(),
                             Limits::infinity(),
                             Limits::quiet_NaN(),
                             T(0x1p20),
                             T(0x1p24) - 1,
                             T(0x1p53),
                             T(0x1p53) + 2,
                             T(88.7228394),
                             T(88.73),
                             T(-103.9),
                             T(709.782712893384),
                             T(709.79),
                             T(745.13),
                             T(127.99999),
                             T(149.5),
                             T(1023.99999),
                             T(1074.5),
                             T(4),
                             T(6)};
    size_t count = values.size();
    for (size_t i = 0; i < count; ++i)
      values.push_back(-values[i]);
    for (size_t i = 0; i < blockSize; ++i) {
      x[i] = values[i / values.size() % values.size()];
      y[i] = values[i % values.size()];
    }
  }

  static tw::host::Image *image;
  static tw::test::LoadedImage *loaded;
};

tw::host::Image *MathTest::image = nullptr;
tw::test::LoadedImage *MathTest::loaded = nullptr;

TEST_F(MathTest, EveryExpansionIsMeasured) {
  EXPECT_EQ(references().size(), tw::math::errorBounds().size());
}

TEST_F(MathTest, ErrorsInF32AreWithinBounds) {
  for (size_t i = 0; i < references().size(); ++i)
    measure<float>(i, 0);
}

TEST_F(MathTest, ErrorsInF32OfFewerLanesAreWithinBounds) {
  for (size_t i = 0; i < references().size(); ++i)
    measure<float>(i, 1);
}

TEST_F(MathTest, ErrorsInF64AreWithinBounds) {
  for (size_t i = 0; i < references().size(); ++i)
    measure<double>(i, 2);
}

TEST_F(MathTest, ErrorsOfApproximationsAreWithinBounds) {
  for (size_t i = 0; i < references().size(); ++i)
    for (size_t form : {3, 4})
      measure<float>(i, form);
}

/// Below a maximum there is a shorter form, and quotients of what it gives are not corrected.
TEST_F(MathTest, ErrorsOfExponentialsBelowMaximaAreWithinBounds) {
  constexpr size_t row = 32;
  std::string memory = "memref<" + std::to_string(blockSize) + "xf32>", tile = "tensor<32xf32>";
  std::string map = " through #tview.map<affine_map<(d0, d1) -> (d1 * 32 + d0)>>(%i) ";
  std::string whole = "{in_bounds = array<i1: true>} : ";
  std::string source =
      "ttile.func @softmax(%x: " + memory + ", %s: memref<1xf32>) results(%e: " + memory +
      ", %q: " + memory + ") grid(%i = " + std::to_string(blockSize / row) + ") {\n" +
      "%a = ttile.load %x" + map + whole + memory + " -> " + tile + "\n" +
      "%b = ttile.load %s through #tview.map<affine_map<(d0) -> (d0)>>() " + whole +
      "memref<1xf32> -> tensor<1xf32>\n%c = ttile.broadcast %b : tensor<1xf32> -> " + tile + "\n" +
      "%d = math.exp %a {ttile.not_positive} : " + tile + "\n" +
      "%r = arith.divf %d, %c {ttile.fraction} : " + tile + "\n" + "ttile.store %d, %e" + map +
      whole + tile + " -> " + memory + "\nttile.store %r, %q" + map + whole + tile + " -> " +
      memory + "\nttile.return\n}\n";
  tw::host::Image code;
  compile(source, code);
  tw::test::LoadedImage run(code);
  std::mt19937_64 random(1);
  std::vector<float> x(blockSize), y(blockSize), e(blockSize), q(blockSize);
  double worst = 0, worstQuotient = 0;
  for (float divisor : {1.0f, 0.75f, 3.0f, 1023.9f, 7e5f, 3e7f, 1e-30f, -3.0f}) {
    for (size_t block = 0; block < blocks; ++block) {
      fill(references()[0], block, random, x, y);
      for (float &value : x)
        value = -std::fabs(value);
      void *bindings[] = {x.data(), &divisor, e.data(), q.data()};
      tw::test::Launch launch{bindings, nullptr, {uint32_t(blockSize / row), 1, 1}};
      run.kernel(0)(&launch, 0, uint32_t(blockSize / row), nullptr);
      for (size_t i = 0; i < blockSize; ++i) {
        if (expl(x[i]) < std::numeric_limits<float>::min())
          // 0, or what forms without a power of two of their own give up to half a power below.
          EXPECT_TRUE(e[i] == 0 ||
                      (x[i] > -126.5f * float(M_LN2) && errorInUlps<float>(e[i], expl(x[i])) < 2))
              << x[i] << " gives " << e[i];
        else
          worst = std::max(worst, errorInUlps<float>(e[i], expl(x[i])));
        long double exact = (long double)e[i] / divisor;
        // Between denormal numbers both terms of the quotient are rounded.
        double error = errorInUlps<float>(q[i], exact);
        EXPECT_LE(error, std::fabs(q[i]) < 0x1p-100f ? 1.0 : 0.5001) << e[i] << " / " << divisor;
        worstQuotient = std::max(worstQuotient, error);
      }
    }
  }
  std::printf("exp below maxima %.3f ulp, its quotients %.6f\n", worst, worstQuotient);
  EXPECT_LE(worst, 1.5);
}

/// On CPUs without instructions for it, the shorter form below a maximum gives the same bits, and 0
/// where that is less than half of a normal number.
TEST_F(MathTest, ExponentialsBelowMaximaHaveTheBitsOfOthers) {
  for (const Form &form : ArrayRef(forms).drop_front()) {
    std::string type = form.type, lanes = std::to_string(form.lanes);
    std::string memory = "memref<" + std::to_string(blockSize) + "x" + type + ">";
    std::string tile = "tensor<" + lanes + "x" + type + ">";
    std::string map = " through #tview.map<affine_map<(d0, d1) -> (d1 * " + lanes +
                      " + d0)>>(%i) {in_bounds = array<i1: true>} : ";
    tw::host::Image code;
    compile("ttile.func @exp(%x: " + memory + ") results(%e: " + memory + ", %n: " + memory +
                ") grid(%i = " + std::to_string(blockSize / form.lanes) + ") {\n" +
                "%a = ttile.load %x" + map + memory + " -> " + tile + "\n" + "%b = math.exp %a : " +
                tile + "\n" + "%c = math.exp %a {ttile.not_positive} : " + tile + "\n" +
                "ttile.store %b, %e" + map + tile + " -> " + memory + "\nttile.store %c, %n" + map +
                tile + " -> " + memory + "\nttile.return\n}\n",
            code);
    tw::test::LoadedImage run(code);
    type == "f32" ? compareExponentials<float>(run, form.lanes)
                  : compareExponentials<double>(run, form.lanes);
  }
}

/// Where only sums with a constant are seen, their bits are those of the whole function, whether
/// the constant hides denormal numbers or not.
TEST_F(MathTest, SumsWithExponentialsHaveTheBitsOfOthers) {
  for (const Form &form : ArrayRef(forms).take_front(3))
    for (const char *constant : {"1.0", "-1.0", "7.9e-31", "1.1754943508222875e-38"}) {
      std::string type = form.type, lanes = std::to_string(form.lanes);
      std::string memory = "memref<" + std::to_string(blockSize) + "x" + type + ">";
      std::string tile = "tensor<" + lanes + "x" + type + ">";
      std::string map = " through #tview.map<affine_map<(d0, d1) -> (d1 * " + lanes +
                        " + d0)>>(%i) {in_bounds = array<i1: true>} : ";
      tw::host::Image code;
      auto kernel = [&](StringRef name, const std::string &compute) {
        return "ttile.func @" + name.str() + "(%x: " + memory + ") results(%y: " + memory +
               ") grid(%i = " + std::to_string(blockSize / form.lanes) + ") {\n" +
               "%a = ttile.load %x" + map + memory + " -> " + tile + "\n" +
               "%b = math.exp %a : " + tile + "\n" + compute + "ttile.store %c, %y" + map + tile +
               " -> " + memory + "\nttile.return\n}\n";
      };
      std::string zero = "%z = arith.constant dense<-0.0> : " + tile + "\n";
      compile(kernel("alone", zero + "%c = arith.maximumf %b, %z : " + tile + "\n") +
                  kernel("sum", "%d = arith.constant dense<" + std::string(constant) +
                                    "> : " + tile + "\n%c = arith.addf %b, %d : " + tile + "\n"),
              code);
      tw::test::LoadedImage run(code);
      type == "f32" ? compareSums<float>(run, form.lanes, std::strtof(constant, nullptr))
                    : compareSums<double>(run, form.lanes, std::strtod(constant, nullptr));
    }
}

} // namespace
