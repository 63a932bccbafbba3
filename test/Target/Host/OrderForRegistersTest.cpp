// What the order of a block may change, on LLVM's form: stores that pass each other, and constants
// that become operands in memory.
#include "../../../lib/Target/Host/OrderForRegisters.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace {

constexpr unsigned registers = 4;
/// The stack begins at multiples of 16 bytes, as on x86-64.
constexpr const char *layout = "target datalayout = \"e-i64:64-n8:16:32:64-S128\"\n";

class OrderForRegistersTest : public testing::Test {
protected:
  /// Orders the function for a CPU of four vector registers; null if the text is wrong.
  std::unique_ptr<Module> order(const std::string &text) {
    SMDiagnostic diagnostic;
    std::unique_ptr<Module> module = parseAssemblyString(layout + text, diagnostic, context);
    if (!module) {
      ADD_FAILURE() << diagnostic.getLineNo() << ": " << diagnostic.getMessage().str() << "\n"
                    << text;
      return module;
    }
    PassBuilder builder;
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager components;
    ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    FunctionPassManager passes;
    passes.addPass(tw::host::OrderForRegistersPass(registers, /*hasMaskRegisters=*/true,
                                                   /*hasMemoryOperands=*/true));
    passes.run(*module->getFunction("f"), functions);
    EXPECT_FALSE(verifyModule(*module, &errs()));
    return module;
  }

  /// The indices of the stores to %q, as the block has them.
  static std::vector<int> storesOf(Module &module) {
    std::vector<int> stores;
    for (Instruction &instruction : module.getFunction("f")->getEntryBlock())
      if (auto *store = dyn_cast<StoreInst>(&instruction))
        if (StringRef name = store->getPointerOperand()->getName(); name.consume_front("q"))
          stores.push_back(std::stoi(name.str()));
    return stores;
  }

  LLVMContext context;
};

constexpr int count = 8;
const std::vector<int> ascending{0, 1, 2, 3, 4, 5, 6, 7}, descending{7, 6, 5, 4, 3, 2, 1, 0};

struct Stores {
  /// Of %p, which is read, and %q, which is written.
  const char *read = "noalias", *written = "noalias";
  const char *kind = "store", *suffix = "", *between = "";
};

/// Running sums of eight vectors, stored from the last one to the first: eight live at once unless
/// stores pass each other.
std::string runningSums(const Stores &with) {
  std::string text = "declare void @g()\n"
                     "declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, <16 x i1>)\n"
                     "define void @f(ptr " +
                     std::string(with.read) + " %p, ptr " + with.written +
                     " %q, ptr %r, i64 %n, <16 x i1> %m) {\n"
                     "  %any = getelementptr float, ptr %q, i64 %n\n";
  for (int i = 0; i < count; ++i) {
    std::string n = std::to_string(i), offset = std::to_string(16 * i);
    text += "  %p" + n + " = getelementptr float, ptr %p, i64 " + offset + "\n";
    text += "  %q" + n + " = getelementptr float, ptr %q, i64 " + offset + "\n";
    text += "  %x" + n + " = load <16 x float>, ptr %p" + n + ", align 64\n";
    text += "  %s" + n + " = fadd <16 x float> %x" + n + ", " +
            (i ? "%s" + std::to_string(i - 1) : "%x0") + "\n";
  }
  for (int i = count; i-- > 0;) {
    std::string n = std::to_string(i);
    text += "  " + std::string(with.kind) + " <16 x float> %s" + n + ", ptr %q" + n + ", align 64" +
            with.suffix + "\n";
    if (i == count / 2)
      text += std::string(with.between) + "\n";
  }
  return text + "  ret void\n}\n!0 = !{i32 1}\n";
}

TEST_F(OrderForRegistersTest, storesToPlacesOfTheirOwnPassEachOther) {
  std::unique_ptr<Module> module = order(runningSums({}));
  ASSERT_TRUE(module);
  EXPECT_EQ(storesOf(*module), ascending);
}

/// What keeps all stores of the block in their order.
struct Kept {
  const char *name;
  Stores stores;
};

class KeptStoresTest : public OrderForRegistersTest, public testing::WithParamInterface<Kept> {};

TEST_P(KeptStoresTest, staysInOrder) {
  std::unique_ptr<Module> module = order(runningSums(GetParam().stores));
  ASSERT_TRUE(module);
  EXPECT_EQ(storesOf(*module), descending);
}

INSTANTIATE_TEST_SUITE_P(
    OrderForRegisters, KeptStoresTest,
    testing::Values(
        Kept{"isVolatile", {.kind = "store volatile"}},
        Kept{"isPastTheCaches", {.suffix = ", !nontemporal !0"}},
        // The block reads what it may write.
        Kept{"isReadAgain", {.read = "", .written = ""}},
        // A store to somewhere in the same object.
        Kept{"mayMeet", {.between = "  store float 0.0, ptr %any, align 4"}},
        // What writes and is no store.
        Kept{"isMasked",
             {.between = "  call void @llvm.masked.store.v16f32.p0(<16 x float> %x0, ptr align 64 "
                         "%r, <16 x i1> %m)"}},
        Kept{"calls", {.between = "  call void @g()"}},
        Kept{"isAtomic", {.between = "  %o = atomicrmw add ptr %r, i32 1 monotonic"}},
        Kept{"fences", {.between = "  fence seq_cst"}}),
    [](const testing::TestParamInfo<Kept> &tested) { return std::string(tested.param.name); });

/// A chain of eight instructions, each with another constant vector.
std::string chain(const std::string &instruction, const std::string &element) {
  std::string vector = "<8 x " + element + ">", last = "%x";
  bool isFloat = element == "float" || element == "double";
  std::string text =
      "define void @f(ptr noalias %p, ptr noalias %q) {\n  %x = load " + vector + ", ptr %p\n";
  for (int i = 0; i < count; ++i) {
    std::string constant;
    // Lanes that differ: no vector that is made in a register.
    for (int lane = 0; lane < 8; ++lane)
      constant += (lane ? ", " : "") + element + " " +
                  (isFloat ? std::to_string(3 + i) + "." + std::to_string(25 * (lane % 4))
                           : std::to_string(1 + 3 * i + lane % 3));
    std::string result = "%y" + std::to_string(i);
    text +=
        "  " + result + " = " + instruction + " " + vector + " " + last + ", <" + constant + ">\n";
    last = result;
  }
  return text + "  store " + vector + " " + last + ", ptr %q\n  ret void\n}\n";
}

struct Operation {
  const char *name, *instruction, *element;
  bool readsMemory;
};

class ConstantOperandsTest : public OrderForRegistersTest,
                             public testing::WithParamInterface<Operation> {};

TEST_P(ConstantOperandsTest, readsFromMemoryWhatOneInstructionCan) {
  const Operation &tested = GetParam();
  std::unique_ptr<Module> module = order(chain(tested.instruction, tested.element));
  ASSERT_TRUE(module);
  EXPECT_EQ(module->global_empty(), !tested.readsMemory);
}

INSTANTIATE_TEST_SUITE_P(ConstantOperands, ConstantOperandsTest,
                         testing::Values(Operation{"additionOfFloats", "fadd", "float", true},
                                         Operation{"productOfDoubles", "fmul", "double", true},
                                         Operation{"addition", "add", "i32", true},
                                         Operation{"exclusiveOr", "xor", "i64", true},
                                         Operation{"product", "mul", "i32", true},
                                         // No instruction has such a product.
                                         Operation{"productOfBytes", "mul", "i8", false},
                                         Operation{"productOfLongs", "mul", "i64", false},
                                         // Made of what is known of the constant.
                                         Operation{"division", "udiv", "i32", false},
                                         Operation{"shift", "shl", "i32", false}),
                         [](const testing::TestParamInfo<Operation> &tested) {
                           return std::string(tested.param.name);
                         });

/// Rows times a vector, added to as many sums: the scalars come first, then a prefetch of
/// `address`, then the vector.
std::string rowsBehindPrefetch(int rows, const std::string &address, int lanes = 16) {
  std::string vector = "<" + std::to_string(lanes) + " x float>", head, loads, sums, stores;
  for (int i = 0; i < rows; ++i) {
    std::string n = std::to_string(i);
    head += ", " + vector + " %a" + n;
    loads += "  %p" + n + " = getelementptr float, ptr %p, i64 " + n + "\n  %s" + n +
             " = load float, ptr %p" + n + "\n";
    sums += "  %i" + n + " = insertelement " + vector + " poison, float %s" + n + ", i64 0\n";
    sums += "  %b" + n + " = shufflevector " + vector + " %i" + n + ", " + vector + " poison, <" +
            std::to_string(lanes) + " x i32> zeroinitializer\n";
    sums += "  %m" + n + " = fmul " + vector + " %b" + n + ", %v\n";
    sums += "  %t" + n + " = fadd " + vector + " %a" + n + ", %m" + n + "\n";
    stores += "  %q" + n + " = getelementptr float, ptr %q, i64 " + std::to_string(16 * i) +
              "\n  store " + vector + " %t" + n + ", ptr %q" + n + "\n";
  }
  return "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n"
         "define void @f(ptr noalias %p, ptr noalias %q, ptr noalias %r, i64 %n" +
         head + ") {\n" + loads + "  %there = getelementptr float, ptr %r, i64 %n\n" +
         "  %kept = load ptr, ptr %r\n  call void @llvm.prefetch.p0(ptr %" + address +
         ", i32 0, i32 2, i32 1)\n  %v = load " + vector + ", ptr %r\n" + sums + stores +
         "  ret void\n}\n";
}

/// How many floats and vectors are loaded ahead of the prefetch.
int countAhead(Module &module) {
  int ahead = 0;
  for (Instruction &instruction : module.getFunction("f")->getEntryBlock())
    if (isa<CallInst>(instruction))
      return ahead;
    else
      ahead += isa<LoadInst>(instruction) && !instruction.getType()->isPointerTy();
  return -1;
}

TEST_F(OrderForRegistersTest, prefetchesComeBeforeLoadsThatHaveNoRoom) {
  std::unique_ptr<Module> module = order(rowsBehindPrefetch(3, "there"));
  ASSERT_TRUE(module);
  EXPECT_EQ(countAhead(*module), 0);
}

TEST_F(OrderForRegistersTest, prefetchesStayWhereLoadsHaveRoom) {
  std::unique_ptr<Module> module = order(rowsBehindPrefetch(1, "there"));
  ASSERT_TRUE(module);
  EXPECT_EQ(countAhead(*module), 1);
}

TEST_F(OrderForRegistersTest, prefetchesStayBehindTheirAddresses) {
  // The verifier sees whether the address is loaded first.
  EXPECT_TRUE(order(rowsBehindPrefetch(3, "kept")));
}

TEST_F(OrderForRegistersTest, stacksAreAlignedWhereVectorsMayBeSpilled) {
  auto isAligned = [&](int rows, int lanes) {
    std::unique_ptr<Module> module = order(rowsBehindPrefetch(rows, "there", lanes));
    return module && module->getFunction("f")->hasFnAttribute("stackrealign");
  };
  EXPECT_TRUE(isAligned(3, 16));
  EXPECT_FALSE(isAligned(1, 16));
  // As wide as the stack is aligned anyway.
  EXPECT_FALSE(isAligned(3, 4));
}

} // namespace
