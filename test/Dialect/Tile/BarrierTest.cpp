// tile-insert-barriers against the race checker, on random programs with local memory: no race is
// left, and nearly every barrier is needed.
#include "tw/Dialect/Tile/Transforms/Passes.h"
#include "tw/Interpreter/Interpreter.h"
#include "tw/Pipeline/Registration.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using tw::interp::Tensor;
using tw::layout::TileLayout;

namespace {

constexpr int64_t lanes = 4, warps = 2;

/// Writes random tile programs as text.
class Generator {
public:
  explicit Generator(uint64_t seed) : engine(seed) {}

  std::string program() {
    text.clear();
    names = 0;
    llvm::raw_string_ostream os(text);
    os << "ttile.func @main() results(%y: memref<16xi32>) grid(%g = 2) warps(" << warps << ") {\n";
    for (int64_t c = 0; c < 4; ++c)
      os << "%c" << c << " = arith.constant " << c << " : index\n";
    memories.clear();
    int64_t count = pick(1, 2);
    for (int64_t i = 0; i < count; ++i) {
      int64_t slots = pick(1, 2);
      std::string type =
          "memref<" + std::to_string(slots) + "x16xi32, #gpu.address_space<workgroup>>";
      os << "%m" << i << " = ttile.alloc : " << type << "\n";
      memories.push_back({"%m" + std::to_string(i), type, slots});
    }
    statements(os, pick(2, 6), 0);
    os << "ttile.return\n}\n";
    return text;
  }

private:
  struct Memory {
    std::string name, type;
    int64_t slots;
  };

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }
  std::string fresh() { return "%v" + std::to_string(names++); }

  void statements(llvm::raw_ostream &os, int64_t count, unsigned depth) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t kind = pick(0, 9);
      if (kind < 2 && depth < 2) {
        std::string index = fresh();
        os << "scf.for " << index << " = %c0 to %c" << pick(1, 3) << " step %c1 {\n";
        loops.push_back(index);
        statements(os, pick(1, 4), depth + 1);
        loops.pop_back();
        os << "}\n";
      } else if (kind == 2 && depth < 2) {
        std::string condition = fresh();
        os << condition << " = arith.cmpi eq, %g, %c" << pick(0, 1) << " : index\nscf.if "
           << condition << " {\n";
        statements(os, pick(1, 2), depth + 1);
        if (pick(0, 1)) {
          os << "} else {\n";
          statements(os, pick(1, 2), depth + 1);
        }
        os << "}\n";
      } else {
        access(os, kind < 6);
      }
    }
  }

  std::string layout(int64_t extent) {
    TileLayout layout =
        TileLayout::distribute(std::vector<int64_t>{extent}, std::vector<int64_t>{1 << pick(0, 2)},
                               std::vector<unsigned>{0}, lanes, warps);
    if (pick(0, 1))
      std::swap(layout.bases[1][0], layout.bases[2][0]);
    if (pick(0, 2) == 0)
      std::swap(layout.bases[1][0], layout.bases[1][1]);
    MLIRContext *context = shared();
    std::string result;
    llvm::raw_string_ostream(result) << tw::tile::LayoutAttr::get(context, layout);
    return result;
  }

  /// Stores are injective; loads read through any map.
  void access(llvm::raw_ostream &os, bool isStore) {
    const Memory &memory = memories[size_t(pick(0, int64_t(memories.size()) - 1))];
    int64_t extent = int64_t(4) << pick(0, 2);
    std::string type = "tensor<" + std::to_string(extent) + "xi32, " + layout(extent) + ">";
    std::string index = loops.empty() || pick(0, 1) ? "%c0" : loops.back();
    std::string slot = memory.slots == 1 ? "0" : "(d1 + " + std::to_string(pick(0, 1)) + ") mod 2";
    std::string column;
    switch (pick(0, isStore ? 2 : 4)) {
    case 0:
      column = "d0 + " + std::to_string(pick(0, 16 - extent));
      break;
    case 1:
      column = "(d0 + d1 * " + std::to_string(pick(0, 4)) + ") mod 16";
      break;
    case 2:
      column = std::to_string(extent - 1) + " - d0";
      break;
    case 3:
      column = "d0 floordiv 2";
      break;
    default:
      column = std::to_string(pick(0, 15));
    }
    std::string map =
        "#tview.map<affine_map<(d0, d1) -> (" + slot + ", " + column + ")>>(" + index + ")";
    std::string value = fresh();
    if (isStore)
      os << value << " = arith.constant dense<1> : " << type << "\nttile.store " << value << ", "
         << memory.name << " through " << map << " : " << type << " -> " << memory.type << "\n";
    else
      os << value << " = ttile.load " << memory.name << " through " << map << " : " << memory.type
         << " -> " << type << "\n";
  }

public:
  static MLIRContext *shared() {
    static MLIRContext *context = [] {
      DialectRegistry registry;
      tw::registerDialects(registry);
      auto *made = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
      made->loadAllAvailableDialects();
      return made;
    }();
    return context;
  }

private:
  std::mt19937_64 engine;
  std::string text;
  int64_t names = 0;
  std::vector<Memory> memories;
  std::vector<std::string> loops;
};

bool hasRace(tw::tile::FuncOp func) {
  SmallVector<Tensor> buffers = {
      Tensor::allocate(RankedTensorType::get({16}, IntegerType::get(func.getContext(), 32)))};
  ScopedDiagnosticHandler silence(func.getContext(), [](Diagnostic &) { return success(); });
  return failed(tw::interp::run(func, buffers, /*checkRaces=*/true));
}

TEST(Barriers, LeaveNoRaceAndAreNeeded) {
  uint64_t seed = std::random_device()();
  if (const char *given = std::getenv("TW_SEED"))
    seed = std::strtoull(given, nullptr, 10);
  SCOPED_TRACE("TW_SEED=" + std::to_string(seed));
  std::printf("TW_SEED=%llu\n", (unsigned long long)seed);
  MLIRContext *context = Generator::shared();
  constexpr int programs = 10000;
  int64_t racy = 0, barriers = 0, harmless = 0;
  for (int i = 0; i < programs; ++i) {
    std::string text = Generator(seed + uint64_t(i)).program();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context);
    ASSERT_TRUE(module) << text;
    auto func = *module->getOps<tw::tile::FuncOp>().begin();
    racy += hasRace(func);
    PassManager passes(context);
    passes.addPass(tw::createTileInsertBarriersPass());
    ASSERT_TRUE(succeeded(passes.run(*module))) << text;
    ASSERT_FALSE(hasRace(func)) << "program " << i << "\n" << text;
    SmallVector<tw::tile::BarrierOp> inserted;
    func.walk([&](tw::tile::BarrierOp barrier) { inserted.push_back(barrier); });
    for (tw::tile::BarrierOp barrier : inserted) {
      Operation *next = barrier->getNextNode();
      barrier->remove();
      harmless += !hasRace(func);
      next->getBlock()->getOperations().insert(next->getIterator(), barrier);
    }
    barriers += int64_t(inserted.size());
  }
  std::printf(
      "%d programs, %lld racy without barriers, %lld barriers, %lld of them harmless to remove\n",
      programs, (long long)racy, (long long)barriers, (long long)harmless);
  EXPECT_GT(racy, programs / 4);
  EXPECT_LT(harmless * 10, barriers);
}

} // namespace
