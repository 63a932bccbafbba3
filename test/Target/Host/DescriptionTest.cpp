// What machines are called.
#include "../../../lib/Target/Host/InstructionSet.h"

#include <gtest/gtest.h>

using namespace tw::host;

static std::string nameOf(llvm::StringRef model, llvm::StringRef features) {
  return nameMachine(*findInstructionSet("x86-64"), model, features);
}

TEST(MachineName, IsTheModelsWhereItHasAllExtensions) {
  EXPECT_EQ(nameOf("znver3", ""), "znver3");
  EXPECT_EQ(nameOf("sapphirerapids", ""), "sapphirerapids");
  EXPECT_EQ(nameOf("sapphirerapids", "-amx-tile,-amx-int8,-amx-bf16"), "sapphirerapids");
}

TEST(MachineName, IsOfTheCpuWithTheExtensionsWhereTheModelHasNone) {
  std::string vnni = "+avx512vnni,+avx512bf16,+avxvnni";
  EXPECT_EQ(nameOf("rocketlake", vnni + ",+amx-tile,+amx-int8,+amx-bf16,+avx512fp16"),
            "sapphirerapids");
  EXPECT_EQ(nameOf("skylake-avx512", "+avx512vnni"), "cascadelake");
  EXPECT_EQ(nameOf("haswell", "+sha,+vaes,+vpclmulqdq"), "znver3");
}

TEST(MachineName, IsTheModelsWhereNoCpuHasSuchExtensions) {
  EXPECT_EQ(nameOf("znver3", "+amx-tile,+avxifma,+avxvnniint8,+sha"), "znver3");
}
