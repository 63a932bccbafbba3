// Counts of programs of threads against what the interpreter does when it plays all of them
// through, thread by thread.
#include "../../../lib/Target/Common/Strategy/GpuCounts.h"

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Interpreter/Interpreter.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Target/Common/GpuPrice.h"
#include "tw/Target/Common/GpuStrategy.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace mlir;
using namespace tw;
using tw::interp::Tensor;

namespace {

/// A device with few processors, so that small kernels have several rounds of programs.
const char *const device = "processors=4,cacheBytes=65536";

std::string product(int64_t m, int64_t n, int64_t k, const char *rhs) {
  std::string text = R"(
func.func @main(%a: tensor<MxKxf32>, %b: tensor<RHSxf32>) -> tensor<MxNxf32> {
  %y = tkernel.kernel (%m : M, %n : N, %k : K) reads(%x = %a : tensor<MxKxf32>, %w = %b : tensor<RHSxf32>) -> tensor<MxNxf32> {
    %0 = tkernel.load %x[%m, %k] : tensor<MxKxf32>
    %1 = tkernel.load %w[INDICES] : tensor<RHSxf32>
    %2 = tkernel.contract %0, %1 over (%k) : f32, f32 -> f32
    tkernel.store %2, 0[%m, %n] : f32
  }
  return %y : tensor<MxNxf32>
})";
  bool isTransposed = rhs == std::string("nt");
  auto put = [&](const std::string &name, const std::string &value) {
    for (size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + value.size()))
      text.replace(at, name.size(), value);
  };
  put("INDICES", isTransposed ? "%n, %k" : "%k, %n");
  put("RHS", isTransposed ? "NxK" : "KxN");
  put("tensor<M", "tensor<" + std::to_string(m));
  put("tensor<N", "tensor<" + std::to_string(n));
  put("tensor<K", "tensor<" + std::to_string(k));
  put("xKx", "x" + std::to_string(k) + "x");
  put("xNx", "x" + std::to_string(n) + "x");
  put(": M,", ": " + std::to_string(m) + ",");
  put(": N,", ": " + std::to_string(n) + ",");
  put(": K)", ": " + std::to_string(k) + ")");
  return text;
}

const char *const softmax = R"(
func.func @main(%a: tensor<48x512xf32>) -> tensor<48x512xf32> {
  %y = tkernel.kernel (%i : 48, %j : 512) reads(%x = %a : tensor<48x512xf32>) -> tensor<48x512xf32> {
    %v = tkernel.load %x[%i, %j] : tensor<48x512xf32>
    %m = tkernel.reduce maximumf %v over (%j) : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %s = tkernel.reduce addf %e over (%j) : f32
    %q = arith.divf %e, %s : f32
    tkernel.store %q, 0[%i, %j] : f32
  }
  return %y : tensor<48x512xf32>
})";

const char *const transposition = R"(
func.func @main(%a: tensor<128x96xf32>) -> tensor<96x128xf32> {
  %y = tkernel.kernel (%j : 96, %i : 128) reads(%x = %a : tensor<128x96xf32>) -> tensor<96x128xf32> {
    %v = tkernel.load %x[%i, %j] : tensor<128x96xf32>
    tkernel.store %v, 0[%j, %i] : f32
  }
  return %y : tensor<96x128xf32>
})";

const char *const columns = R"(
func.func @main(%a: tensor<300x64xf32>) -> tensor<64xf32> {
  %y = tkernel.kernel (%j : 64, %i : 300) reads(%x = %a : tensor<300x64xf32>) -> tensor<64xf32> {
    %v = tkernel.load %x[%i, %j] : tensor<300x64xf32>
    %s = tkernel.reduce addf %v over (%i) : f32
    tkernel.store %s, 0[%j] : f32
  }
  return %y : tensor<64xf32>
})";

/// What the programs did.
struct Played {
  double programs = 0, bytes = 0, localCycles = 0;
  /// Segments that were touched at all.
  double distinctBytes = 0;
};

class GpuCountsTest : public testing::Test {
protected:
  GpuCountsTest() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    std::string why;
    EXPECT_TRUE(schedule::getGpuTraits().parse(device, machine, why)) << why;
  }

  static DialectRegistry makeRegistry() {
    tw::registerPasses();
    DialectRegistry registry;
    tw::registerDialects(registry);
    return registry;
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, &context);
  }

  static kernel::KernelOp getKernel(ModuleOp module) {
    kernel::KernelOp found;
    module.walk([&](kernel::KernelOp kernel) { found = kernel; });
    return found;
  }

  schedule::GpuCounts count(StringRef text, kernel::ScheduleAttr list) {
    OwningOpRef<ModuleOp> module = parse(text);
    kernel::KernelOp kernel = getKernel(*module);
    schedule::makeGpuSchedule(kernel, machine, /*exact=*/false); // names values
    kernel.setScheduleAttr(list);
    FailureOr<schedule::Plan> plan = schedule::makePlan(kernel);
    EXPECT_TRUE(succeeded(plan));
    schedule::Refusal refusal;
    auto tree = schedule::buildLoopTree(kernel, *plan, refusal);
    EXPECT_TRUE(tree) << refusal.text;
    return schedule::countGroups(*tree, machine);
  }

  Played play(StringRef text, kernel::ScheduleAttr list) {
    OwningOpRef<ModuleOp> module = parse(text);
    kernel::KernelOp kernel = getKernel(*module);
    schedule::makeGpuSchedule(kernel, machine, /*exact=*/false);
    kernel.setScheduleAttr(list);
    PassManager passes(&context);
    EXPECT_TRUE(succeeded(parsePassPipeline(
        "kernel-to-launch,kernel-to-tile,canonicalize,cse,tile-prove-bounds,tile-assign-layouts",
        passes)));
    EXPECT_TRUE(succeeded(passes.run(*module)));
    auto func = *module->getOps<tile::FuncOp>().begin();
    SmallVector<Tensor> buffers;
    for (unsigned i = 0; i < func.getNumBuffers(); ++i) {
      auto type = cast<MemRefType>(func.getBuffer(i).getType());
      buffers.push_back(
          Tensor::allocate(RankedTensorType::get(type.getShape(), type.getElementType())));
    }
    Played played;
    std::map<const void *, std::set<int64_t>> distinct;
    auto observe = [&](Operation *op, ArrayRef<std::pair<int64_t, int64_t>> touched) {
      visit(op, touched, played, distinct);
    };
    EXPECT_TRUE(succeeded(interp::run(func, buffers, /*checkRaces=*/false, observe)));
    for (auto &[memory, segments] : distinct)
      played.distinctBytes += double(segments.size()) * double(machine.segmentBytes);
    return played;
  }

  void visit(Operation *op, ArrayRef<std::pair<int64_t, int64_t>> touched, Played &played,
             std::map<const void *, std::set<int64_t>> &distinct) {
    Value memory = isa<tile::StoreOp>(op) ? cast<tile::StoreOp>(op).getDestination()
                                          : cast<tile::LoadOp>(op).getSource();
    auto type = cast<MemRefType>(memory.getType());
    int64_t bytes = type.getElementTypeBitWidth() / 8;
    if (!tile::isLocal(type)) {
      std::set<int64_t> segments;
      for (auto [thread, element] : touched)
        segments.insert(element * bytes / machine.segmentBytes);
      played.bytes += double(segments.size()) * double(machine.segmentBytes);
      distinct[memory.getAsOpaquePointer()].insert(segments.begin(), segments.end());
      return;
    }
    // A thread moves words that lie beside each other at once. Of each of these accesses of a
    // subgroup the bank that has most different words.
    std::map<std::pair<int64_t, int64_t>, std::map<int64_t, std::set<int64_t>>> words;
    int64_t before = -1, last = -2, length = 0, number = 0;
    for (auto [thread, index] : touched) {
      int64_t element = getAddress(type, index);
      if (thread != before)
        number = 0;
      else if (element != last + 1 || length == machine.accessWords)
        ++number;
      length =
          thread == before && element == last + 1 && length < machine.accessWords ? length + 1 : 1;
      before = thread;
      last = element;
      words[{thread / machine.subgroup, number}][element % machine.banks].insert(element);
    }
    for (auto &[access, banks] : words) {
      size_t most = 0;
      for (auto &[bank, own] : banks)
        most = std::max(most, own.size());
      played.localCycles += double(most);
    }
  }

  /// Where an element lies in a buffer whose rows may be padded.
  static int64_t getAddress(MemRefType type, int64_t element) {
    SmallVector<int64_t> strides;
    int64_t offset = 0, address = 0;
    EXPECT_TRUE(succeeded(type.getStridesAndOffset(strides, offset)));
    for (int64_t d = type.getRank(); d-- > 0; element /= type.getDimSize(d))
      address += element % type.getDimSize(d) * strides[d];
    return address;
  }

  /// Compares what is counted with what is done, under the list that is chosen.
  void compare(StringRef text, double share, double localShare) {
    OwningOpRef<ModuleOp> module = parse(text);
    kernel::ScheduleAttr list =
        schedule::makeGpuSchedule(getKernel(*module), machine, /*exact=*/false);
    compare(text, list, share, localShare);
  }

  void compare(StringRef text, kernel::ScheduleAttr list, double share, double localShare) {
    std::string printed;
    llvm::raw_string_ostream(printed) << list;
    SCOPED_TRACE(printed);
    schedule::GpuCounts counts = count(text, list);
    Played played = play(text, list);
    double bytes = counts.getBytes() * counts.programs;
    EXPECT_NEAR(bytes / played.bytes, 1, share)
        << bytes << " bytes are counted, " << played.bytes << " are moved";
    double distinct = 0;
    for (const schedule::GpuAccess &access : counts.accesses)
      distinct += access.tensorBytes;
    EXPECT_NEAR(distinct / played.distinctBytes, 1, share);
    double local = counts.localCycles * counts.programs;
    if (played.localCycles > 0)
      EXPECT_NEAR(local / played.localCycles, 1, localShare)
          << local << " cycles of local memory are counted, " << played.localCycles
          << " are needed";
  }

  MLIRContext context;
  schedule::GpuMachine machine;
};

TEST_F(GpuCountsTest, Product) { compare(product(128, 96, 64, "nn"), 0.01, 0.05); }
TEST_F(GpuCountsTest, ProductWithRest) { compare(product(130, 97, 65, "nn"), 0.25, 0.35); }
TEST_F(GpuCountsTest, ProductOfTransposed) { compare(product(128, 96, 64, "nt"), 0.01, 0.05); }
TEST_F(GpuCountsTest, Rows) { compare(softmax, 0.01, 0.25); }
TEST_F(GpuCountsTest, Transposition) { compare(transposition, 0.01, 0.25); }
TEST_F(GpuCountsTest, Columns) { compare(columns, 0.1, 0.25); }

/// Programs of a thread for each column of the matrix that is summed along its rows touch a segment
/// for each element.
TEST_F(GpuCountsTest, SegmentsOfWhatLiesApart) {
  auto list = cast<kernel::ScheduleAttr>(
      parseAttribute("#tkernel.schedule<[split i = [i_o, i_i 32], grid [i_o], order [j], "
                     "tile [i_i], warps 1]>",
                     &context));
  const char *const rows = R"(
func.func @main(%a: tensor<64x40xf32>) -> tensor<64xf32> {
  %y = tkernel.kernel (%i : 64, %j : 40) reads(%x = %a : tensor<64x40xf32>) -> tensor<64xf32> {
    %v = tkernel.load %x[%i, %j] : tensor<64x40xf32>
    %s = tkernel.reduce addf %v over (%j) : f32
    tkernel.store %s, 0[%i] : f32
  }
  return %y : tensor<64xf32>
})";
  compare(rows, list, 0.01, 0.01);
  schedule::GpuCounts counts = count(rows, list);
  EXPECT_EQ(counts.getBytes(), 32 * (40 * 32 + 4));
}

/// Of two lists the one that any device is faster with.
TEST_F(GpuCountsTest, KnownPairs) {
  std::string why;
  ASSERT_TRUE(schedule::getGpuTraits().parse("processors=132,cacheBytes=52428800", machine, why));
  auto price = [&](StringRef text, StringRef list) {
    OwningOpRef<ModuleOp> module = parse(text);
    kernel::KernelOp kernel = getKernel(*module);
    schedule::makeGpuSchedule(kernel, machine, /*exact=*/false);
    auto schedule = cast<kernel::ScheduleAttr>(
        parseAttribute("#tkernel.schedule<[" + list.str() + "]>", &context));
    auto found = schedule::priceGroups(kernel, schedule, machine, [&](kernel::KernelOp made) {
      return schedule::makeGpuSchedule(made, machine, /*exact=*/false);
    });
    EXPECT_TRUE(found) << list.str();
    return found ? found->cycles() : 0;
  };
  // Threads side by side along memory, and across it.
  const char *const along = "split i = [i_o, i_i 32], grid [j, i_o], tile [i_i], warps 1";
  const char *const across = "split j = [j_o, j_i 32], grid [i, j_o], tile [j_i], warps 1";
  std::string square = transposition;
  EXPECT_LT(price(square, "split j = [j_o, j_i 32], split i = [i_o, i_i 32], grid [j_o, i_o], "
                          "tile [j_i, i_i], warps 8"),
            std::min(price(square, along), price(square, across)));
  // Operands staged for a tile, and read by each thread for one element.
  std::string large = product(2048, 2048, 512, "nn");
  auto staged = [&](int64_t side, int64_t warps) {
    std::string s = std::to_string(side);
    return price(large, "split m = [m_o, m_i " + s + "], split n = [n_o, n_i " + s +
                            "], split k = [k_o, k_i 16], grid [m_o, n_o], order [k_o, k_i], tile "
                            "[m_i, n_i], unroll k_i, warps " +
                            std::to_string(warps) +
                            ", stage lhs at k_o local, stage rhs at k_o local");
  };
  double element = price(large, "split n = [n_o, n_i 128], grid [m, n_o], order [k], tile [n_i], "
                                "warps 4");
  EXPECT_LT(staged(64, 8), element);
  // Where there are programs enough, more of the result for each thread.
  EXPECT_LT(staged(64, 2), staged(32, 4));
}

/// The processors that have most to do have no more than a tenth above their share, where there are
/// programs enough.
TEST_F(GpuCountsTest, ProcessorsEndTogether) {
  for (int64_t processors : {4, 16, 64}) {
    machine.processors = processors;
    for (const std::string &text : {product(1024, 1024, 64, "nn"), product(1000, 999, 64, "nt")}) {
      OwningOpRef<ModuleOp> module = parse(text);
      schedule::GpuCounts counts =
          count(text, schedule::makeGpuSchedule(getKernel(*module), machine, /*exact=*/false));
      double share = counts.programs / double(processors);
      EXPECT_LE(std::ceil(share), 1.1 * share) << counts.programs << " programs";
    }
  }
}

} // namespace
