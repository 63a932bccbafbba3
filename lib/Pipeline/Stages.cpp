// The table of stages, and running them.
#include "tw/Pipeline/Stages.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Dialect/View/View.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Similar.h"

#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace mlir;
using namespace tw;

static constexpr Stage ownStages[] = {
    {"graph", "tensor ops, composites decomposed, simplified",
     "func.func(graph-bound-counts,graph-decompose,canonicalize,graph-flatten,loop-invariant-code-"
     "motion,"
     "graph-fold-constants{$files},graph-resolve-gathers,canonicalize,cse$split),"
     "graph-verify-static",
     "func tgraph tview.materialize tkernel arith math affine"},
    {"view", "movement ops read through index maps", "func.func(graph-to-view,canonicalize,cse)",
     "func tgraph tview tkernel arith math affine",
     "tgraph.permute tgraph.reshape tgraph.expand tgraph.pad tgraph.slice tgraph.flip"},
    {"kernel", "fused kernels over named axes",
     "func.func(view-to-kernel,cse,kernel-unflatten-axes$fuse,kernel-verify)",
     "func tgraph tkernel arith math affine"},
    {"schedule", "every kernel says how it runs",
     "func.func(kernel-drop-results,kernel-narrow-results,kernel-mark-finite{$finite},"
     "kernel-drop-padding),"
     "$inline$layout$joinkernel-flatten-axes,$order$schedule$recompute,"
     "func.func(loop-invariant-code-motion)",
     "func tgraph tkernel arith math affine"},
    {"launch", "the host program, kernels in functions of their own",
     "kernel-to-launch{target=$target}$initializer,"
     "launch-copy-parts$parts,launch-plan-arena$arena",
     "func tkernel arith math affine tlaunch"},
    {"tile", "a tile program per kernel", "kernel-to-tile,ttile.func(canonicalize,cse)",
     "tlaunch ttile arith math affine scf"},
};

/// What a tensor program may say of its memory, beside tgraph ops and beside views.
static constexpr StringLiteral materialize = "tview.materialize";

static SmallVector<Stage> &getTable() {
  static SmallVector<Stage> table(std::begin(ownStages), std::end(ownStages));
  return table;
}

ArrayRef<Stage> tw::getStages() { return getTable(); }

bool tw::registerStage(const Stage &stage, StringRef after) {
  SmallVector<Stage> &table = getTable();
  auto find = [&](StringRef name) {
    return llvm::find_if(table, [&](const Stage &other) { return other.name == name; });
  };
  if (after == stage.name || find(after) == table.end())
    return false;
  if (auto *earlier = find(stage.name); earlier != table.end())
    table.erase(earlier);
  table.insert(std::next(find(after)), stage);
  return true;
}

unsigned tw::codeStage() { return getStages().size(); }

std::optional<unsigned> tw::findStage(StringRef name) {
  for (auto [i, stage] : llvm::enumerate(getStages()))
    if (stage.name == name || (name.starts_with("t") && stage.name == name.drop_front()))
      return i;
  return name == codeStageName ? std::optional(codeStage()) : std::nullopt;
}

SmallVector<StringRef> tw::getStageNames() {
  SmallVector<StringRef> names;
  for (const Stage &stage : getStages())
    names.push_back(stage.name);
  names.push_back(codeStageName);
  return names;
}

unsigned tw::detectStage(ModuleOp module) {
  bool tiles = !module.getOps<tile::FuncOp>().empty();
  bool programs = !module.getOps<launch::FuncOp>().empty();
  bool kernels = false, scheduled = true, views = false, graph = false;
  module.walk([&](Operation *op) {
    if (auto kernel = dyn_cast<kernel::KernelOp>(op)) {
      kernels = true;
      // What is staged for all programs, or reduced in parts, still becomes a kernel of its own.
      scheduled &= kernel.getSchedule() && !schedule::makesKernels(*kernel.getSchedule());
    }
    StringRef dialect = op->getName().getDialectNamespace();
    views |= dialect == "tview" && op->getName().getStringRef() != materialize;
    // A reshape along sizes that a call settles may stand beside kernels.
    auto reshape = dyn_cast<graph::ReshapeOp>(op);
    graph |= dialect == "tgraph" && !(reshape && view::hasSymbols(reshape.getType())) &&
             !isa<graph::ConstantOp, graph::IfOp, graph::ForOp, graph::WhileOp, graph::YieldOp>(op);
    graph |= op->getName().getStringRef() == materialize;
  });
  auto at = [](StringRef name) { return *findStage(name); };
  if (tiles && !kernels)
    return at("tile");
  if (programs)
    return at("launch");
  if (kernels && !graph && !views)
    return scheduled ? at("schedule") : at("kernel");
  return at(views ? "view" : "graph");
}

/// A type of, or in, what an op makes or its blocks take whose shape has a dynamic dimension.
/// Before kernels, sizes that a call settles are dynamic dimensions, whose ranges are known by the
/// end of the graph stage.
static Type findDynamicType(Operation *op, bool beforeKernels) {
  Type found;
  auto visit = [&](TypeRange types) {
    for (Type type : types)
      type.walk([&](ShapedType shaped) {
        auto tensor = dyn_cast<RankedTensorType>(shaped);
        bool isSettled =
            beforeKernels && tensor && isa_and_nonnull<graph::DimsAttr>(tensor.getEncoding());
        if (!shaped.hasStaticShape() && !isSettled)
          found = shaped;
      });
  };
  visit(op->getResultTypes());
  for (Region &region : op->getRegions())
    for (mlir::Block &block : region)
      visit(block.getArgumentTypes());
  return found;
}

/// Text that the pass options' parser takes as one word.
static std::string quote(StringRef text) {
  bool plain =
      llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || StringRef("/._-+").contains(c); });
  return plain ? text.str() : ("{" + text + "}").str();
}

void tw::printStages(llvm::raw_ostream &os) {
  for (const Stage &stage : getStages())
    os << stage.name << "\n  " << stage.summary << "\n  " << getPipelineText(stage, {}) << "\n";
  os << loopsName
     << "\n  of each kernel, the loops between its schedule and its tile program, as text\n";
  os << codeStageName << "\n  the kernels as the code generator of the target takes them\n";
}

/// Only where there is a limit.
static std::string getSplitPass(const StageOptions &options) {
  if (options.maxBinding == UINT64_MAX)
    return "";
  return llvm::formatv(",graph-split-constants{{max-bytes={0}}", options.maxBinding).str();
}

void StageOptions::setFiles(const FileResolver &files) {
  folder = files.getFolder().str();
  followLinks = files.followsLinks();
  SmallString<128> named(folder);
  llvm::sys::path::append(named, files.getNamed());
  if (llvm::sys::fs::is_symlink_file(named))
    namedFile = files.getNamed().str();
}

/// Where graph-fold-constants and kernel-mark-finite read.
static std::string getFileOptions(const StageOptions &options) {
  std::string text = "folder=" + quote(options.folder);
  if (!options.namedFile.empty())
    text += " named=" + quote(options.namedFile);
  return text + (options.followLinks ? " follow-links=true" : "");
}

static std::string fillIn(StringRef rest, const StageOptions &options) {
  std::string text;
  while (!rest.empty()) {
    auto [before, after] = rest.split('$');
    text += before;
    rest = after;
    [[maybe_unused]] size_t length = rest.size();
    for (auto [name, value] :
         {std::pair<StringRef, std::string>("target", options.target),
          {"schedule", options.schedulePass},
          {"fuse", options.fuse ? ",kernel-fuse" : ""},
          {"join", options.joinPass.empty() ? "" : options.joinPass + ","},
          {"inline", options.inlinePass.empty() ? "" : options.inlinePass + ","},
          {"layout", options.layoutPass.empty() ? "" : options.layoutPass + ","},
          {"order", options.orderPass.empty() ? "" : options.orderPass + ","},
          {"recompute", options.recomputePass.empty() ? "" : "," + options.recomputePass},
          {"arena", options.arenaOptions},
          {"parts", options.partsOptions},
          {"split", getSplitPass(options)},
          {"initializer", options.initializer ? ",launch-hoist-initializer" : ""},
          {"finite", options.finiteFiles ? "finite-files=true" : getFileOptions(options)},
          {"files", getFileOptions(options)}})
      if (rest.consume_front(name)) {
        text += value;
        break;
      }
    assert((rest.size() < length || length == 0) && "no such part of a stage");
  }
  return text;
}

std::string tw::getPipelineText(const Stage &stage, const StageOptions &options) {
  return fillIn(stage.pipeline, options);
}

LogicalResult tw::buildStage(OpPassManager &passes, const Stage &stage, const StageOptions &options,
                             llvm::raw_ostream &errors) {
  registerPasses();
  return parsePassPipeline(getPipelineText(stage, options), passes, errors);
}

static LogicalResult runStage(ModuleOp module, const Stage &stage, const StageOptions &options) {
  PassManager manager(module.getContext());
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (failed(buildStage(manager, stage, options, stream)))
    return emitError(module.getLoc(), Code::T0501)
           << "stage '" << stage.name << "' cannot be built: " << reason;
  return manager.run(module);
}

LogicalResult tw::verifyStage(ModuleOp module, unsigned stage) {
  SmallVector<StringRef> dialects, removed;
  StringRef(getStages()[stage].dialects).split(dialects, ' ');
  StringRef(getStages()[stage].removed).split(removed, ' ', -1, /*KeepEmpty=*/false);
  llvm::StringSet<> reported;
  module.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef(), dialect = op->getName().getDialectNamespace();
    // Along sizes that a call settles there may be no map that takes its place.
    auto reshape = dyn_cast<graph::ReshapeOp>(op);
    bool isKept = reshape && !reshape.getType().hasStaticShape();
    bool legal = dialect == "builtin" || isKept ||
                 ((llvm::is_contained(dialects, dialect) || llvm::is_contained(dialects, name)) &&
                  !llvm::is_contained(removed, name));
    if (!legal && reported.insert(name).second) {
      emitError(op->getLoc(), Code::T0508)
          << "'" << name << "' does not belong in a program at stage '" << getStages()[stage].name
          << "', which holds " << llvm::join(dialects, ", ");
      return;
    }
    if (Type type = findDynamicType(op, stage <= *findStage("view"));
        type && reported.insert("shapes").second)
      emitError(op->getLoc(), Code::T0332)
          << "'" << name << "' has the type " << type << ", expected static shapes at stage '"
          << getStages()[stage].name << "'";
  });
  return success(reported.empty());
}

LogicalResult tw::runStages(ModuleOp module, unsigned from, unsigned to,
                            const StageOptions &options, const StageObserver &observer) {
  if (from > 0 && failed(verifyStage(module, from - 1)))
    return failure();
  for (unsigned i = from; i <= to; ++i) {
    auto start = std::chrono::steady_clock::now();
    auto isCancelled = [&] { return options.cancelled && options.cancelled(); };
    if (isCancelled() || failed(runStage(module, getStages()[i], options)) || isCancelled() ||
        failed(verifyStage(module, i)))
      return failure();
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (observer && failed(observer(i, time.count())))
      return failure();
  }
  return success();
}

std::string tw::suggestPass(StringRef message) {
  StringRef unknown = message.split("error: '").second.split('\'').first;
  std::string all;
  for (const Stage &stage : getStages())
    all += getPipelineText(stage, {}) + ",";
  SmallVector<StringRef> words, known;
  for (char &c : all)
    c = llvm::isAlnum(c) || c == '-' ? c : ',';
  StringRef(all).split(words, ',', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    if (PassInfo::lookup(word))
      known.push_back(word);
  StringRef meant = findSimilar(unknown, known);
  return meant.empty() ? "" : ("; did you mean '" + meant + "'?").str();
}
