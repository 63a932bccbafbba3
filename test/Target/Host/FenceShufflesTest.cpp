// Where fences stand among shuffles that read one another.
#include "../../../lib/Target/Host/FenceShuffles.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace {

/// Shuffles of `element`, each of the one before, up to the store of the last one.
std::string chain(int length, const std::string &element) {
  std::string type = "<4 x " + element + ">";
  std::string text = "define void @f(ptr %p, " + type + " %s0) {\n";
  for (int i = 1; i <= length; ++i)
    text += "  %s" + std::to_string(i) + " = shufflevector " + type + " %s" +
            std::to_string(i - 1) + ", " + type + " %s0, <4 x i32> <i32 0, i32 4, i32 1, i32 5>\n";
  return text + "  store " + type + " %s" + std::to_string(length) + ", ptr %p\n  ret void\n}\n";
}

/// The names of what is fenced, in order, after it was checked that all others read the fences.
std::vector<std::string> fence(const std::string &text) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(text, diagnostic, context);
  std::vector<std::string> fenced;
  if (!module) {
    ADD_FAILURE() << diagnostic.getMessage().str() << "\n" << text;
    return fenced;
  }
  Function &function = *module->getFunction("f");
  FunctionAnalysisManager analyses;
  tw::host::FenceShufflesPass().run(function, analyses);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
      EXPECT_EQ(call->getIntrinsicID(), Intrinsic::arithmetic_fence);
      EXPECT_TRUE(call->getArgOperand(0)->hasOneUse());
      fenced.push_back(call->getArgOperand(0)->getName().str());
    }
  return fenced;
}

using Names = std::vector<std::string>;

TEST(FenceShufflesTest, endsEveryThird) {
  EXPECT_EQ(fence(chain(2, "float")), Names());
  EXPECT_EQ(fence(chain(7, "float")), Names({"s3", "s6"}));
  EXPECT_EQ(fence(chain(4, "double")), Names({"s3"}));
}

TEST(FenceShufflesTest, leavesWhatFencesDoNotHold) {
  EXPECT_EQ(fence(chain(7, "i32")), Names());
  EXPECT_EQ(fence(chain(7, "half")), Names());
}

TEST(FenceShufflesTest, beginsAgainInEachBlock) {
  std::string text = chain(4, "float");
  size_t third = text.find("  %s3");
  text.insert(third, "  br label %next\nnext:\n");
  EXPECT_EQ(fence(text), Names());
}

} // namespace
