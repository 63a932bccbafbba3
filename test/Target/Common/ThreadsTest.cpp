// What the targets that compile thread form put into their artefacts.
#include "tw/Pipeline/Registration.h"
#include "tw/Target/AMDGCN/CodeObject.h"
#include "tw/Target/PTX/Assembler.h"
#include "tw/Target/Target.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace mlir;

namespace {

/// Two kernels; the first turns a row around through local memory, the second needs 80,000 bytes of
/// it.
const char *const source = R"(
#global = #gpu.address_space<global>
#local = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @turn(%x: memref<4096xf32, #global>, %y: memref<4096xf32, #global>)
      workgroup(%s : memref<256xf32, #local>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, tw.programs = 16 : i64} {
    %c255 = arith.constant 255 : index
    %c256 = arith.constant 256 : index
    %t = gpu.thread_id x
    %p = gpu.block_id x
    %base = arith.muli %p, %c256 : index
    %i = arith.addi %base, %t : index
    %v = memref.load %x[%i] : memref<4096xf32, #global>
    memref.store %v, %s[%t] : memref<256xf32, #local>
    gpu.barrier
    %o = arith.subi %c255, %t : index
    %w = memref.load %s[%o] : memref<256xf32, #local>
    memref.store %w, %y[%i] : memref<4096xf32, #global>
    gpu.return
  }
  gpu.func @large(%x: memref<128xf32, #global>, %y: memref<128xf32, #global>)
      workgroup(%a : memref<LARGExf32, #local>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, tw.programs = 1 : i64} {
    %t = gpu.thread_id x
    %c100 = arith.constant 100 : index
    %far = arith.muli %t, %c100 : index
    %v = memref.load %x[%t] : memref<128xf32, #global>
    memref.store %v, %a[%far] : memref<LARGExf32, #local>
    gpu.barrier
    %w = memref.load %a[%c100] : memref<LARGExf32, #local>
    memref.store %w, %y[%t] : memref<128xf32, #global>
    gpu.return
  }
}
}
)";

class ThreadsTest : public testing::Test {
protected:
  ThreadsTest()
      : context(makeRegistry()), handler(&context, [this](Diagnostic &diagnostic) {
          messages.push_back(diagnostic.str());
        }) {}

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    tw::registerDialects(registry);
    return registry;
  }

  FailureOr<SmallVector<tw::Artefact>> compile(StringRef target, const std::string &chip,
                                               StringRef largeElements) {
    std::string text = source;
    for (size_t at; (at = text.find("LARGE")) != std::string::npos;)
      text.replace(at, 5, largeElements);
    context.loadAllAvailableDialects();
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure();
    return tw::findTarget(target)->compile(*module, {chip, 3});
  }

  MLIRContext context;
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler;
};

TEST_F(ThreadsTest, PTXWithoutAssembler) {
  setenv("TENSORWRIGHT_PTXAS", "", 1);
  auto artefacts = compile("cuda", "sm_80", "20000");
  unsetenv("TENSORWRIGHT_PTXAS");
  ASSERT_TRUE(succeeded(artefacts)) << (messages.empty() ? "" : messages[0]);
  ASSERT_EQ(artefacts->size(), 1u);
  const tw::Artefact &ptx = artefacts->front();
  EXPECT_EQ(ptx.format, "ptx");
  EXPECT_EQ(ptx.requiredFeatures, std::vector<std::string>{"sm_80"});
  ASSERT_EQ(ptx.entries.size(), 2u);
  EXPECT_EQ(ptx.entries[0].name, "turn");
  EXPECT_EQ(ptx.entries[0].programs, 16u);
  EXPECT_EQ(ptx.entries[0].group, 256u);
  EXPECT_EQ(ptx.entries[0].subgroup, 32u);
  EXPECT_EQ(ptx.entries[0].localBytes, 1024u);
  EXPECT_EQ(ptx.entries[0].registers, 0u);
  // Above what may be static, the launch asks for exactly these bytes.
  EXPECT_EQ(ptx.entries[1].localBytes, 80000u);
  StringRef text(reinterpret_cast<const char *>(ptx.bytes.data()), ptx.bytes.size());
  EXPECT_TRUE(text.contains(".entry large("));
  EXPECT_TRUE(text.contains(".extern .shared .align 16 .b8 local[]"));
}

TEST_F(ThreadsTest, MachineCodeAndItsReport) {
  if (tw::ptx::findAssembler().empty())
    GTEST_SKIP() << "no ptxas here";
  auto artefacts = compile("cuda", "sm_90a", "20000");
  ASSERT_TRUE(succeeded(artefacts)) << (messages.empty() ? "" : messages[0]);
  ASSERT_EQ(artefacts->size(), 2u);
  EXPECT_EQ((*artefacts)[0].format, "cubin");
  EXPECT_EQ((*artefacts)[1].format, "ptx");
  for (const tw::Artefact &artefact : *artefacts) {
    EXPECT_EQ(artefact.requiredFeatures, std::vector<std::string>{"sm_90a"});
    ASSERT_EQ(artefact.entries.size(), 2u);
    for (const tw::ArtefactEntry &entry : artefact.entries) {
      EXPECT_GT(entry.registers, 0u);
      EXPECT_EQ(entry.spills, 0u);
    }
    EXPECT_EQ(artefact.entries[0].group, 256u);
    EXPECT_EQ(artefact.entries[0].localBytes, 1024u);
    EXPECT_EQ(artefact.entries[1].group, 128u);
    EXPECT_EQ(artefact.entries[1].localBytes, 80000u);
  }
}

TEST_F(ThreadsTest, PTXIsTheSameEachTime) {
  setenv("TENSORWRIGHT_PTXAS", "", 1);
  auto first = compile("cuda", "sm_90a", "20000"), second = compile("cuda", "sm_90a", "20000");
  unsetenv("TENSORWRIGHT_PTXAS");
  ASSERT_TRUE(succeeded(first) && succeeded(second));
  EXPECT_EQ(first->front().bytes, second->front().bytes);
}

TEST_F(ThreadsTest, CodeObjectsSayWhatWasAsked) {
  for (auto [chip, processor, subgroup] : {std::tuple("gfx942", "gfx942", 64u),
                                           {"gfx90a", "gfx90a", 64u},
                                           {"gfx950", "gfx950", 64u},
                                           {"gfx1030", "gfx1030", 32u},
                                           {"gfx1100", "gfx1100", 32u},
                                           {"gfx1201", "gfx1201", 32u},
                                           {"gfx1100-wave64", "gfx1100", 64u}}) {
    auto artefacts = compile("amd", chip, "13000");
    ASSERT_TRUE(succeeded(artefacts)) << chip << (messages.empty() ? "" : messages[0]);
    ASSERT_EQ(artefacts->size(), 1u);
    const tw::Artefact &object = artefacts->front();
    EXPECT_EQ(object.format, "hsaco");
    EXPECT_EQ(object.requiredFeatures, std::vector<std::string>{processor});
    ASSERT_EQ(object.entries.size(), 2u);
    EXPECT_EQ(object.entries[0].group, 256u);
    EXPECT_EQ(object.entries[0].subgroup, subgroup);
    EXPECT_EQ(object.entries[0].localBytes, 1024u);
    EXPECT_GT(object.entries[0].registers, 0u);
    EXPECT_EQ(object.entries[0].spills, 0u);
    EXPECT_EQ(object.entries[1].localBytes, 52000u);
    std::map<std::string, tw::amdgcn::KernelMetadata> kernels;
    std::string error;
    StringRef bytes(reinterpret_cast<const char *>(object.bytes.data()), object.bytes.size());
    ASSERT_TRUE(tw::amdgcn::readMetadata(bytes, kernels, error)) << error;
    EXPECT_EQ(kernels.at("turn").arguments, 2u);
    EXPECT_EQ(kernels.at("turn").scratchBytes, 0u);
  }
}

TEST_F(ThreadsTest, DamagedCodeObjectsAreRefused) {
  std::map<std::string, tw::amdgcn::KernelMetadata> kernels;
  std::string error;
  EXPECT_FALSE(tw::amdgcn::readMetadata("no object", kernels, error));
  EXPECT_EQ(error.find("the code object cannot be read: "), 0u) << error;
  auto artefacts = compile("amd", "gfx942", "13000");
  ASSERT_TRUE(succeeded(artefacts));
  std::string object(artefacts->front().bytes.begin(), artefacts->front().bytes.end());
  size_t at = object.find("amdhsa.kernels");
  ASSERT_NE(at, std::string::npos);
  object[at] = 'x';
  EXPECT_FALSE(tw::amdgcn::readMetadata(object, kernels, error));
  EXPECT_EQ(error, "the metadata of the code object lists no kernels");
}

} // namespace
