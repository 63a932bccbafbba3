// ptxas: where it is looked for, and what is read from its report.
#include "tw/Target/PTX/Assembler.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace tw::ptx;

namespace {

TEST(AssemblerTest, ReportIsReadByKernel) {
  auto kernels = parseReport(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'gemm' for 'sm_80'
ptxas info    : Function properties for gemm
    24 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers, 24 bytes cumulative stack size, 4352 bytes smem, 376 bytes cmem[0]
ptxas info    : Compile time = 12.000 ms
ptxas info    : Compiling entry function 'relu' for 'sm_80'
ptxas info    : Function properties for relu
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers, 368 bytes cmem[0]
)");
  ASSERT_EQ(kernels.size(), 2u);
  const KernelCost &gemm = kernels["gemm"], &relu = kernels["relu"];
  EXPECT_EQ(gemm.registers, 168u);
  EXPECT_EQ(gemm.stack, 24u);
  EXPECT_EQ(gemm.spillStores, 16u);
  EXPECT_EQ(gemm.spillLoads, 20u);
  EXPECT_EQ(gemm.localBytes, 4352u);
  EXPECT_EQ(relu.registers, 12u);
  EXPECT_EQ(relu.spillStores, 0u);
  EXPECT_EQ(relu.localBytes, 0u);
}

TEST(AssemblerTest, ReportSaysWhatIsLost) {
  auto kernels = parseReport(
      R"(ptxas info    : (C7517) warpgroup.wait is injected in around line 16 by compiler to allow use of registers defined by GMMA in function 'k'
ptxas info    : (C7515) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage in the function 'k'
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_90a'
ptxas info    : Used 30 registers, used 0 barriers, 32768 bytes smem
ptxas info    : Compiling entry function 'other' for 'sm_90a'
)");
  EXPECT_EQ(kernels["k"].loss,
            "wgmma.mma_async instructions are serialized due to non wgmma instructions defining "
            "accumulator registers of a wgmma between start and end of the pipeline stage");
  EXPECT_EQ(kernels["k"].registers, 30u);
  EXPECT_EQ(kernels["other"].loss, "");
}

TEST(AssemblerTest, ReportOfSomethingElseIsEmpty) {
  EXPECT_TRUE(parseReport("").empty());
  EXPECT_TRUE(parseReport("Used 3 registers\n1 bytes stack frame").empty());
}

TEST(AssemblerTest, EnvironmentNamesOneOrNone) {
  setenv("TENSORWRIGHT_PTXAS", "/opt/other/ptxas", 1);
  EXPECT_EQ(findAssembler(), "/opt/other/ptxas");
  setenv("TENSORWRIGHT_PTXAS", "", 1);
  EXPECT_EQ(findAssembler(), "");
  unsetenv("TENSORWRIGHT_PTXAS");
}

TEST(AssemblerTest, MissingAssemblerIsAnError) {
  Assembly assembly;
  std::string error;
  EXPECT_EQ(assemble("/nowhere/ptxas", "", "sm_80", 3, assembly, error), AssemblerResult::Failed);
  EXPECT_NE(error.find("'/nowhere/ptxas' failed: "), std::string::npos) << error;
}

} // namespace
