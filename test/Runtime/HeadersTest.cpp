// The public headers in C and in C++, both without warnings under -pedantic.
#include "tw-c/Compiler.h"
#include "tw/Format/Element.h"
#include "tw/Format/HostAbi.h"
#include "twrt/twrt.h"

#include <gtest/gtest.h>

extern "C" int checkHeadersAsC(void);

TEST(Headers, WorkFromC) { EXPECT_EQ(checkHeadersAsC(), 0); }

TEST(Headers, ElementNumbersAgree) {
#define TWRT_Bool TWRT_BOOL
#define TW_ELEMENT(enumerator, number, ...)                                                        \
  static_assert(TWRT_##enumerator == int(tw::format::ElementType::enumerator));
#include "tw/Format/ElementTypes.def"
  EXPECT_STREQ(twrtElementName(TWRT_F32), "f32");
  EXPECT_EQ(twrtElementBytes(TWRT_F64), 8u);
  EXPECT_EQ(twrtElementBytes(TWRT_I4), 0u);
  EXPECT_STREQ(twrtElementName(1000), "?");
  EXPECT_EQ(twrtElementBytes(256 + TWRT_F32), 0u);
}
