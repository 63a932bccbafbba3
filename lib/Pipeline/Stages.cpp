// The table of stages, and running them.
#include "tw/Pipeline/Stages.h"

#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Pass/PassRegistry.h"

#include <chrono>

using namespace mlir;
using namespace tw;

static constexpr Stage stages[] = {
    {"graph", "tensor ops, composites decomposed, simplified",
     "func.func(graph-decompose,canonicalize,graph-fold-constants{folder=$folder},canonicalize,cse),"
     "graph-verify-static"},
    {"view", "movement ops read through index maps", "func.func(graph-to-view,canonicalize,cse)"},
    {"kernel", "fused kernels over named axes",
     "func.func(view-to-kernel,cse,kernel-fuse,kernel-verify)"},
    {"schedule", "every kernel says how it runs", "$schedule"},
    {"launch", "the host program, kernels in functions of their own",
     "kernel-to-launch{target=$target},launch-plan-arena"},
    {"tile", "a tile program per kernel", "kernel-to-tile,ttile.func(canonicalize,cse)"},
};

ArrayRef<Stage> tw::getStages() { return stages; }

std::optional<unsigned> tw::findStage(StringRef name) {
  for (auto [i, stage] : llvm::enumerate(getStages()))
    if (stage.name == name)
      return i;
  return std::nullopt;
}

unsigned tw::detectStage(ModuleOp module) {
  bool tiles = !module.getOps<tile::FuncOp>().empty();
  bool programs = !module.getOps<launch::FuncOp>().empty();
  bool kernels = false, scheduled = true, views = false, graph = false;
  module.walk([&](Operation *op) {
    if (auto kernel = dyn_cast<kernel::KernelOp>(op)) {
      kernels = true;
      scheduled &= kernel.getSchedule().has_value();
    }
    StringRef dialect = op->getName().getDialectNamespace();
    views |= dialect == "tview";
    graph |= dialect == "tgraph" && op->getName().getStringRef() != "tgraph.constant";
  });
  auto at = [](StringRef name) { return *findStage(name); };
  if (tiles && !kernels)
    return at("tile");
  if (programs)
    return at("launch");
  if (kernels && !graph && !views)
    return scheduled ? at("schedule") : at("kernel");
  if (views && !graph)
    return at("view");
  return at("graph");
}

/// Text that the pass options' parser takes as one word.
static std::string quote(StringRef text) {
  bool plain = llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || StringRef("/._-+").contains(c); });
  return plain ? text.str() : ("{" + text + "}").str();
}

void tw::printStages(llvm::raw_ostream &os) {
  for (const Stage &stage : getStages())
    os << stage.name << "\n  " << stage.summary << "\n  " << getPipelineText(stage, {}) << "\n";
}

std::string tw::getPipelineText(const Stage &stage, const StageOptions &options) {
  std::string text;
  StringRef rest = stage.pipeline;
  while (!rest.empty()) {
    auto [before, after] = rest.split('$');
    text += before;
    rest = after;
    for (auto [name, value] : {std::pair<StringRef, std::string>("target", options.target),
                               {"schedule", options.schedulePass},
                               {"folder", quote(options.folder)}})
      if (rest.consume_front(name)) {
        text += value;
        break;
      }
  }
  return text;
}

LogicalResult tw::runStages(ModuleOp module, unsigned from, unsigned to,
                            const StageOptions &options, const StageObserver &observer) {
  for (unsigned i = from; i <= to; ++i) {
    auto start = std::chrono::steady_clock::now();
    PassManager manager(module.getContext());
    std::string reason;
    llvm::raw_string_ostream stream(reason);
    if (failed(parsePassPipeline(getPipelineText(stages[i], options), manager, stream)))
      return emitError(module.getLoc(), Code::T0501)
             << "stage '" << stages[i].name << "' cannot be built: " << reason;
    if (failed(manager.run(module)))
      return failure();
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (observer && failed(observer(i, time.count())))
      return failure();
  }
  return success();
}
