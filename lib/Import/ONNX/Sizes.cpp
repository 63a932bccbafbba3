// Sizes of the symbols of a model's inputs, and a model at several of them.
#include "State.h"
#include "tw/Dialect/Graph/SymbolicShape.h"
#include "tw/Import/ONNX/Generalize.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Similar.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

LogicalResult onnx::settleSizes(Location loc, ArrayRef<InputSizes> inputs,
                                std::vector<SizeEquation> equations, const ImportOptions &options,
                                SymbolSizes &sizes) {
  SmallVector<StringRef> names;
  std::vector<std::string> symbols;
  for (const InputSizes &input : inputs) {
    names.push_back(input.name);
    for (const SizeExpression &dim : input.dims)
      for (std::string &symbol : dim.getSymbols())
        if (!llvm::is_contained(symbols, symbol))
          symbols.push_back(std::move(symbol));
  }
  std::vector<SizeEquation> given;
  for (const auto &[name, size] : options.symbols) {
    given.push_back({SizeExpression::parse(name), size});
    for (const std::string &symbol : given.back().size.getSymbols())
      if (!llvm::is_contained(symbols, symbol))
        return emitError(loc, Code::T0116)
               << "the model has no symbolic dimension '" << symbol << "'"
               << (symbols.empty()
                       ? std::string()
                       : listKnown(symbol, SmallVector<StringRef>(symbols.begin(), symbols.end())));
  }
  equations.insert(equations.begin(), given.begin(), given.end());
  settleSymbols(equations, sizes);
  SymbolSizes before = sizes;
  for (auto [input, shape] : llvm::zip(inputs, findShapes(options, names)))
    if (shape && shape->size() == input.dims.size())
      for (auto [dim, size] : llvm::zip(input.dims, *shape))
        if (!dim.getSymbols().empty())
          equations.push_back({dim, size});
  settleSymbols(equations, sizes);
  for (const auto &[symbol, size] : sizes)
    if (!before.contains(symbol))
      emitRemark(loc) << "'" << symbol << "' is " << size << " by the shapes of inputs";
  SmallVector<StringRef> defaulted;
  for (const std::string &symbol : symbols)
    if (sizes.try_emplace(symbol, 1).second)
      defaulted.push_back(symbol);
  for (const auto &[text, size] : options.symbols)
    if (SizeExpression::parse(text).evaluate(sizes) != size)
      return emitError(loc, Code::T0116)
             << "no sizes of its symbols give '" << text << "' the size " << size;
  if (!defaulted.empty())
    emitWarning(loc) << "size 1 was taken for '" << llvm::join(defaulted, "', '")
                     << "'; set it with --symbol=NAME=VALUE";
  return success();
}

using Firsts = std::map<std::string, std::pair<int64_t, int64_t>>;

using Decisions = std::map<std::string, std::vector<std::optional<int64_t>>>;

/// Keeps what is decided alike.
static void intersect(Decisions &decided, const CountedSizes &sample) {
  for (auto &[node, values] : decided)
    if (auto found = sample.decided.find(node); found != sample.decided.end())
      for (auto [own, other] : llvm::zip(values, found->second))
        if (own != other)
          own.reset();
}

/// A node that asks whether a size is one that no sample has: it is below that in one sample and
/// above it in another.
class BetweenSamples {
public:
  void add(const CountedSizes &sample) {
    for (const auto &[node, signs] : sample.differences) {
      std::vector<std::pair<bool, bool>> &seen = all[node];
      seen.resize(std::max(seen.size(), signs.size()));
      for (auto [own, sign] : llvm::zip(seen, signs))
        own = {own.first || sign < 0, own.second || sign > 0};
    }
  }
  std::string find() const {
    for (const auto &[node, seen] : all)
      for (auto [below, above] : seen)
        if (below && above)
          return node;
    return {};
  }

private:
  std::map<std::string, std::vector<std::pair<bool, bool>>> all;
};

/// The node that decides otherwise in the sample, or none.
static std::string findOther(const Decisions &decided, const CountedSizes &sample) {
  for (const auto &[node, values] : decided)
    if (auto found = sample.decided.find(node); found != sample.decided.end())
      for (auto [own, other] : llvm::zip(values, found->second))
        if (own && *own != other)
          return node;
  return {};
}

/// Nodes that take all elements of a dimension in every sample.
static std::set<std::string> findWhole(ArrayRef<Firsts> samples) {
  std::set<std::string> whole;
  for (const auto &[node, first] : samples.front())
    if (llvm::all_of(samples, [&, &node = node](const Firsts &sample) {
          auto found = sample.find(node);
          return found != sample.end() && found->second.first == found->second.second;
        }))
      whole.insert(node);
  return whole;
}

/// A node of which others than the first elements are taken in the sample than in all that the
/// program was made from, or none.
static std::string findOtherFirst(const std::set<std::string> &whole, const CountedSizes &sample) {
  for (const auto &[node, first] : sample.firsts) {
    auto [size, taken] = first;
    auto part = sample.parts.find(node);
    if ((part != sample.parts.end() && taken != std::min(size, part->second.most)) ||
        (whole.count(node) && taken != size))
      return node;
  }
  return {};
}

/// Checks results at sizes that no sample is made at, 0 and 1, where operators make other programs:
/// of as many elements and by the same decisions, or the program for all sizes is none there. What
/// cannot be imported at one of them does not say what there would be.
static LogicalResult
checkSmallest(ModuleOp module, Location loc, ArrayRef<std::string> names,
              ArrayRef<SizeRange> ranges, size_t given, const Decisions &decided,
              const std::set<std::string> &whole, const CountedSizes &counted,
              llvm::function_ref<OwningOpRef<ModuleOp>(ArrayRef<int64_t>)> importAt) {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  for (size_t changed = 0; changed < ranges.size(); ++changed)
    for (int64_t size = ranges[changed].min; size <= std::min<int64_t>(1, ranges[changed].max);
         size += ranges[changed].step) {
      std::vector<int64_t> sizes;
      for (const SizeRange &range : ranges)
        sizes.push_back(range.max);
      sizes[changed] = size;
      OwningOpRef<ModuleOp> sample;
      {
        ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
        sample = importAt(sizes);
      }
      if (!sample)
        continue;
      auto getRemedy = [&] {
        return changed < given
                   ? ": begin its range behind " + std::to_string(size) + " (--dim=NAME=MIN..MAX)"
                   : std::string(", and data may decide on it");
      };
      if (std::string node = findOther(decided, counted); !node.empty())
        return emitError(loc, Code::T0118)
               << "where '" << names[changed] << "' is " << size << ", the node that gives '"
               << node << "' takes another branch, number of iterations or of elements than at "
               << "all other sizes" << getRemedy();
      if (std::string node = findOtherFirst(whole, counted); !node.empty())
        return emitError(loc, Code::T0118)
               << "where '" << names[changed] << "' is " << size << ", the node that gives '"
               << StringRef(node).rsplit('.').first << "' takes fewer of the first elements of "
               << "dimension " << StringRef(node).rsplit('.').second << " than at all other sizes"
               << getRemedy();
      auto at = [&](StringAttr symbol) -> std::optional<int64_t> {
        auto *found = llvm::find(names, symbol.getValue());
        return found == names.end() ? std::optional<int64_t>() : sizes[found - names.begin()];
      };
      auto found = sample->lookupSymbol<func::FuncOp>("main");
      for (auto [all, one] : llvm::zip(function.getResultTypes(), found.getResultTypes())) {
        std::optional<graph::Shape> shape = graph::getShape(all), expected = graph::getShape(one);
        if (!shape || !expected)
          continue;
        bool isSame = shape->size() == expected->size();
        for (auto [own, other] : llvm::zip(*shape, *expected))
          isSame &= !isSame || !other.isStatic() || own.evaluate(at) == other.getConstant();
        if (!isSame)
          return emitError(loc, Code::T0118)
                 << "where '" << names[changed] << "' is " << size << ", a result has the shape "
                 << graph::toString(*expected) << ", not that of all other sizes, "
                 << graph::toString(*shape) << getRemedy();
      }
    }
  return success();
}

/// Adds nodes that take as many elements as a dimension has, up to a number, where data decide on
/// its size. The first sample has the most of all sizes, the next ones fewer of one each, those of
/// ranges that are `given` first. False if there are none but those that are known.
static bool findParts(ArrayRef<Firsts> samples, size_t given, size_t symbols,
                      std::map<std::string, CountedSizes::Part> &parts) {
  size_t known = parts.size();
  std::map<std::vector<std::pair<int64_t, int64_t>>, std::string> names;
  for (const auto &[node, first] : samples.front()) {
    std::vector<std::pair<int64_t, int64_t>> all;
    for (const Firsts &sample : samples)
      if (auto found = sample.find(node); found != sample.end())
        all.push_back(found->second);
    if (all.size() != samples.size() || parts.count(node))
      continue;
    int64_t most = 0, room = 0;
    for (auto [size, taken] : all) {
      most = std::max(most, taken);
      room = std::max(room, size);
    }
    bool isLeast =
        llvm::all_of(all, [&](auto each) { return each.second == std::min(each.first, most); });
    bool isCounted = false;
    for (size_t i = given; i < symbols; ++i)
      isCounted |= all[1 + i].first != first.first;
    if (isLeast && isCounted && most > 0 && most < room)
      parts[node] = {names.try_emplace(all, node + ".count").first->second, most, room};
  }
  return parts.size() != known;
}

/// Nothing, and no error, where `parts` have been found that it has to be imported with.
static OwningOpRef<ModuleOp>
importAtSizes(Location loc, const ImportOptions &options,
              llvm::function_ref<OwningOpRef<ModuleOp>(const ImportOptions &)> import,
              std::map<std::string, CountedSizes::Part> &parts, bool &isAgain) {
  isAgain = false;
  auto finish = [&](OwningOpRef<ModuleOp> module) {
    return !module || options.aliases.empty() || succeeded(shareState(*module, options))
               ? std::move(module)
               : OwningOpRef<ModuleOp>();
  };
  // Sizes that data decide are known when the model has been imported once.
  CountedSizes counted;
  counted.parts = parts;
  if (options.dims.empty()) {
    ImportOptions own = options;
    own.counted = &counted;
    OwningOpRef<ModuleOp> module = import(own);
    if (!module || counted.found.empty())
      return finish(std::move(module));
  }
  std::vector<std::string> names;
  std::vector<SizeRange> ranges;
  for (const auto &[name, range] : options.dims) {
    if (options.symbols.contains(name)) {
      emitError(loc, Code::T0602) << "'" << name << "' has a size and a range: give one of them";
      return {};
    }
    names.push_back(name);
    ranges.push_back(range);
  }
  size_t given = names.size();
  auto importAt = [&](ArrayRef<int64_t> each) {
    ImportOptions own = options;
    own.dims.clear();
    if (given != 0)
      own.shapes.clear();
    own.isSample = true;
    own.counted = &counted;
    counted = {};
    counted.parts = parts;
    for (size_t i = 0; i < names.size(); ++i)
      (i < given ? own.symbols : counted.sizes)[names[i]] = each[i];
    if (given != 0)
      return import(own);
    // What the first import has said is not said again.
    ScopedDiagnosticHandler quiet(loc.getContext(), [](Diagnostic &diagnostic) {
      return success(diagnostic.getSeverity() != DiagnosticSeverity::Error);
    });
    return import(own);
  };
  std::vector<OwningOpRef<ModuleOp>> samples;
  std::vector<std::vector<int64_t>> sizes;
  auto addRanges = [&] {
    for (const auto &[name, most] : counted.found) {
      names.push_back(name);
      ranges.push_back({0, most, 1, -1});
    }
    sizes = chooseSizes(ranges);
  };
  if (given == 0) {
    addRanges();
  } else {
    sizes = chooseSizes(ranges);
    samples.push_back(importAt(sizes.front()));
    if (samples.back() && !counted.found.empty()) {
      samples.clear();
      addRanges();
    }
  }
  Decisions decided;
  BetweenSamples between;
  std::vector<Firsts> firsts;
  for (const std::vector<int64_t> &each : sizes) {
    if (&each != &sizes.front() || samples.empty())
      samples.push_back(importAt(each));
    if (samples.back()) {
      if (&each == &sizes.front())
        for (const auto &[node, values] : counted.decided)
          decided[node].assign(values.begin(), values.end());
      intersect(decided, counted);
      between.add(counted);
      firsts.push_back(counted.firsts);
      continue;
    }
    std::string text;
    for (auto [name, size] : llvm::zip(names, each))
      text += (text.empty() ? "'" : ", '") + name + "' is " + std::to_string(size);
    if (given == names.size())
      emitError(loc, Code::T0118) << "at one of the sizes of the ranges that --dim gives, where "
                                  << text
                                  << ", there is no such program: give ranges of sizes that it "
                                     "takes, in steps where it takes "
                                     "multiples alone (--dim=NAME=MIN..MAX/STEP)";
    else
      emitError(loc, Code::T0118) << "at one of the sizes that data may decide on, where " << text
                                  << ", there is no such program: expected one of all of them";
    return {};
  }
  if (given != names.size() && findParts(firsts, given, names.size(), parts)) {
    isAgain = true;
    return {};
  }
  bool decides = llvm::any_of(decided, [](const auto &node) {
    return llvm::any_of(node.second,
                        [](std::optional<int64_t> value) { return value.has_value(); });
  });
  if (std::string node = between.find(); decides && !node.empty()) {
    emitError(loc, Code::T0118) << "the node that gives '" << node << "' compares with one of the "
                                << "sizes, and a branch, a number of iterations or of elements may "
                                   "follow from it: expected comparisons that one size alone does "
                                   "not decide";
    return {};
  }
  if (failed(generalize(samples, sizes, names, ranges, given)) ||
      failed(checkSmallest(*samples.front(), loc, names, ranges, given, decided, findWhole(firsts),
                           counted, importAt)))
    return {};
  return finish(std::move(samples.front()));
}

OwningOpRef<ModuleOp>
onnx::importForAll(Location loc, const ImportOptions &options,
                   llvm::function_ref<OwningOpRef<ModuleOp>(const ImportOptions &)> import) {
  std::map<std::string, CountedSizes::Part> parts;
  bool isAgain = true;
  OwningOpRef<ModuleOp> module;
  while (isAgain)
    module = importAtSizes(loc, options, import, parts, isAgain);
  return module;
}
