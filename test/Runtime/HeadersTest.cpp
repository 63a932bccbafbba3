// The public headers in C and in C++, both without warnings under -pedantic.
#include "tw-c/Compiler.h"
#include "tw/Format/Element.h"
#include "tw/Format/HostAbi.h"
#include "twrt/twrt.h"

#include <gtest/gtest.h>

extern "C" int checkHeadersAsC(void);

TEST(Headers, WorkFromC) { EXPECT_EQ(checkHeadersAsC(), 0); }

TEST(Headers, ElementNumbersAgree) {
  using tw::format::ElementType;
  static_assert(TWRT_BOOL == int(ElementType::Bool) && TWRT_I64 == int(ElementType::I64) &&
                TWRT_U64 == int(ElementType::U64) && TWRT_BF16 == int(ElementType::BF16) &&
                TWRT_F32 == int(ElementType::F32) && TWRT_C128 == int(ElementType::C128));
  EXPECT_STREQ(twrtElementName(TWRT_F32), "f32");
  EXPECT_EQ(twrtElementBytes(TWRT_F64), 8u);
  EXPECT_EQ(twrtElementBytes(TWRT_I4), 0u);
  EXPECT_STREQ(twrtElementName(1000), "?");
  EXPECT_EQ(twrtElementBytes(256 + TWRT_F32), 0u);
}
