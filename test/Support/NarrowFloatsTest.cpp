// NarrowFloats against LLVM's arbitrary-precision floats.
#include "tw/Format/Element.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"

#include "gtest/gtest.h"

#include <limits>
#include <random>

using llvm::APFloat;
using namespace tw;

namespace {

uint16_t reference(const llvm::fltSemantics &semantics, double value) {
  APFloat exact(value);
  bool losesInfo;
  exact.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return uint16_t(exact.bitcastToAPInt().getZExtValue());
}

template <typename T> void checkAll(const llvm::fltSemantics &semantics) {
  constexpr unsigned width = 8 * sizeof(T);
  for (uint32_t bits = 0; bits < 1u << width; ++bits) {
    APFloat exact(semantics, llvm::APInt(width, bits));
    float value = T::fromBits(typename T::Bits(bits));
    if (exact.isNaN()) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_TRUE(std::isnan(float(T(double(value))))) << bits;
      continue;
    }
    EXPECT_EQ(double(value), exact.convertToDouble()) << bits;
    EXPECT_EQ(T(double(value)).getBits(), bits);
    if (exact.isInfinity())
      continue;
    // The tie with the next number away from 0, and its neighbours.
    APFloat next = exact;
    bool isNegative = exact.isNegative();
    next.next(/*nextDown=*/isNegative);
    if (!next.isFinite())
      continue;
    double tie = (exact.convertToDouble() + next.convertToDouble()) / 2;
    for (double near : {tie, std::nextafter(tie, -HUGE_VAL), std::nextafter(tie, HUGE_VAL)})
      EXPECT_EQ(T(near).getBits(), reference(semantics, near)) << near;
  }
}

template <typename T> void checkRandom(const llvm::fltSemantics &semantics) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    double value = std::bit_cast<double>(random());
    if (!std::isnan(value))
      EXPECT_EQ(T(value).getBits(), reference(semantics, value)) << value;
    value = std::ldexp(double(int64_t(random())) * 0x1p-63, int(random() % 60) - 40);
    EXPECT_EQ(T(value).getBits(), reference(semantics, value)) << value;
  }
}

/// Calls `check(T(), semantics)` with each C++ type of ElementTypes.def that C++ itself lacks.
template <typename F> void forEachNarrowFloat(F check) {
  mlir::MLIRContext context;
  auto visit = [&]<typename T>(tw::format::ElementTag<T>, mlir::FloatType type) {
    if constexpr (!std::is_void_v<T> && !std::is_arithmetic_v<T>)
      check(T(), type.getFloatSemantics());
  };
#define TW_FLOAT_ELEMENT(enumerator, number, name, bits, storage, onnx, npy, irType)               \
  visit(tw::format::ElementTag<storage>(), mlir::irType::get(&context));
#include "tw/Format/ElementTypes.def"
}

} // namespace

TEST(NarrowFloats, EveryNumberAndTie) {
  forEachNarrowFloat(
      []<typename T>(T, const llvm::fltSemantics &semantics) { checkAll<T>(semantics); });
}

TEST(NarrowFloats, RandomNumbers) {
  forEachNarrowFloat(
      []<typename T>(T, const llvm::fltSemantics &semantics) { checkRandom<T>(semantics); });
}

TEST(NarrowFloats, Extremes) {
  EXPECT_EQ(tw::Float16(65519.0).getBits(), 0x7bff);
  EXPECT_EQ(tw::Float16(65520.0).getBits(), 0x7c00);
  EXPECT_EQ(tw::Float16(-1e300).getBits(), 0xfc00);
  EXPECT_EQ(tw::BFloat16(std::numeric_limits<double>::infinity()).getBits(), 0x7f80);
  EXPECT_EQ(tw::BFloat16(-0.0).getBits(), 0x8000);
  EXPECT_EQ(tw::BFloat16(0x1p-134).getBits(), 0x0000); // half of the least, to even
  EXPECT_EQ(tw::BFloat16(0x1.8p-134).getBits(), 0x0001);
}
