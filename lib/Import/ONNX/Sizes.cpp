// Sizes of the symbols of a model's inputs, and a model at several of them.
#include "SizeTrace.h"
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

/// Whether the branch or loop goes on in another way than in the samples before.
static bool decidesOtherwise(const Decisions &decided, const CountedSizes &sample,
                             const std::string &node) {
  auto before = decided.find(node);
  auto now = sample.decided.find(node);
  return before != decided.end() && now != sample.decided.end() &&
         llvm::any_of(llvm::zip(before->second, now->second), [](auto pair) {
           return std::get<0>(pair) && *std::get<0>(pair) != std::get<1>(pair);
         });
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

/// Sizes that no sample is made at: each of 0 and 1 beside the most of all others, and all
/// together. Beside a range, data decide on as much as there may be, -1.
static std::vector<std::vector<int64_t>> chooseSmallest(ArrayRef<SizeRange> ranges, size_t given) {
  std::vector<std::vector<int64_t>> all;
  for (size_t changed = 0; changed < ranges.size(); ++changed)
    for (int64_t size = ranges[changed].min; size <= std::min<int64_t>(1, ranges[changed].max);
         size += ranges[changed].step) {
      std::vector<int64_t> &sizes = all.emplace_back();
      for (const SizeRange &range : ranges)
        sizes.push_back(range.max);
      sizes[changed] = size;
      if (changed < given)
        std::fill(sizes.begin() + int64_t(given), sizes.end(), -1);
    }
  for (int64_t size = 0; size < 2 && all.size() > 1; ++size) {
    std::vector<int64_t> &sizes = all.emplace_back();
    for (const SizeRange &range : ranges)
      sizes.push_back(size % range.step == 0 ? std::clamp(size, range.min, range.max) : range.min);
    if (given != 0)
      std::fill(sizes.begin() + int64_t(given), sizes.end(), -1);
  }
  return all;
}

/// "'n' is 0", of those that are 0 or 1 in the sample; and what can be done about it.
static std::pair<std::string, std::string> describeSmallest(ArrayRef<std::string> names,
                                                            ArrayRef<int64_t> sizes, size_t given) {
  std::string where, remedy = ", and data may decide on it";
  for (size_t i = names.size(); i-- > 0;)
    if (sizes[i] == 0 || sizes[i] == 1) {
      std::string size = std::to_string(sizes[i]);
      where = "'" + names[i] + "' is " + size + (where.empty() ? "" : ", ") + where;
      if (i < given)
        remedy = ": begin its range behind " + size + " (--dim=NAME=MIN..MAX)";
    }
  return {where, remedy};
}

/// The same of any sizes.
static std::pair<std::string, std::string> describeSizes(ArrayRef<std::string> names,
                                                         ArrayRef<int64_t> sizes, size_t given) {
  if (llvm::any_of(sizes, [](int64_t size) { return size == 0 || size == 1; }))
    return describeSmallest(names, sizes, given);
  std::string where;
  for (auto [name, size] : llvm::zip(names, sizes))
    if (size >= 0)
      where += (where.empty() ? "'" : ", '") + name + "' is " + std::to_string(size);
  return {where, given == 0 ? ", and data may decide on it"
                            : ": give a range on one side of it (--dim=NAME=MIN..MAX)"};
}

/// The sizes that the sample was made at. What is not counted in it has no size there, -1.
static std::vector<int64_t> findSizes(ArrayRef<std::string> names, ArrayRef<int64_t> sizes,
                                      size_t given, const CountedSizes &counted) {
  std::vector<int64_t> found(sizes.begin(), sizes.end());
  for (size_t i = given; i < names.size(); ++i) {
    bool isThere =
        llvm::any_of(counted.found, [&](const auto &each) { return each.first == names[i]; });
    auto size = counted.sizes.find(names[i]);
    found[i] = isThere && size != counted.sizes.end() ? size->second : -1;
  }
  return found;
}

/// The shapes of a result that is another one in the sample, and of all sizes; or nothing.
static std::optional<std::pair<graph::Shape, graph::Shape>>
findOtherShape(ModuleOp module, ModuleOp sample, ArrayRef<std::string> names,
               ArrayRef<int64_t> sizes) {
  auto at = [&](StringAttr symbol) -> std::optional<int64_t> {
    size_t index = llvm::find(names, symbol.getValue()) - names.begin();
    return index < names.size() && sizes[index] >= 0 ? std::optional(sizes[index]) : std::nullopt;
  };
  auto function = module.lookupSymbol<func::FuncOp>("main");
  auto found = sample.lookupSymbol<func::FuncOp>("main");
  for (auto [all, one] : llvm::zip(function.getResultTypes(), found.getResultTypes())) {
    std::optional<graph::Shape> shape = graph::getShape(all), expected = graph::getShape(one);
    if (!shape || !expected)
      continue;
    bool isSame = shape->size() == expected->size();
    for (auto [own, other] : llvm::zip(*shape, *expected)) {
      std::optional<int64_t> there = own.evaluate(at);
      isSame &= !isSame || !other.isStatic() || !there || there == other.getConstant();
    }
    if (!isSame)
      return std::pair(*expected, *shape);
  }
  return std::nullopt;
}

/// The node that gives another shape in the sample at these sizes than it does at all that the
/// program was made from, and the shape; or nothing.
static std::optional<std::pair<std::string, std::string>>
findOtherResult(ArrayRef<CountedSizes::Results> samples, SizeSolver &solver,
                const CountedSizes &counted, ArrayRef<int64_t> at) {
  // Sizes are the same few ones.
  std::map<std::vector<int64_t>, std::optional<graph::Dim>> known;
  for (const auto &[node, first] : samples.front()) {
    SmallVector<const std::vector<CountedSizes::Result> *> all;
    for (const CountedSizes::Results &sample : samples)
      if (auto found = sample.find(node);
          found != sample.end() && found->second.size() == first.size())
        all.push_back(&found->second);
    auto there = counted.results.find(node);
    if (all.size() != samples.size() || there == counted.results.end() ||
        there->second.size() != first.size())
      continue;
    for (size_t i = 0; i < first.size(); ++i) {
      ArrayRef<int64_t> found(there->second[i].shape);
      bool isAlike = llvm::all_of(
          all, [&](const auto *each) { return (*each)[i].shape.size() == first[i].shape.size(); });
      bool isSame = !isAlike || found.size() == first[i].shape.size();
      for (size_t d = 0; isAlike && isSame && d < found.size(); ++d) {
        std::vector<int64_t> values;
        for (const auto *each : all)
          values.push_back((*each)[i].shape[d]);
        auto [dim, isNew] = known.try_emplace(values);
        if (isNew)
          dim->second = solver.solve(values);
        std::optional<int64_t> expected;
        if (dim->second)
          expected = solver.evaluate(*dim->second, at);
        isSame = !expected || *expected == found[d];
      }
      if (!isSame)
        return std::pair(node, graph::toString(graph::Shape(found.begin(), found.end())));
    }
  }
  return std::nullopt;
}

namespace {

/// A model for sizes that it is not imported at.
struct Between {
  Location loc;
  ArrayRef<std::string> names;
  ArrayRef<SizeRange> ranges;
  size_t given, paired;
  /// The samples and what they say.
  ArrayRef<std::vector<int64_t>> known;
  const Decisions &decided;
  const std::set<std::string> &whole;
  ArrayRef<CountedSizes::Results> results;
  const CountedSizes &counted;
  llvm::function_ref<OwningOpRef<ModuleOp>(ArrayRef<int64_t>)> importAt;

  /// Checks results at these sizes: of as many elements and by the same decisions as at the
  /// samples, or the program for all sizes is none there. Ways that are other ones there become
  /// `open`. The first node that gives another shape is told of in `other`, as what results and
  /// decisions say is nearer to what can be done about it.
  LogicalResult check(ModuleOp module, ArrayRef<int64_t> asked, std::set<std::string> &open,
                      std::string &other) const;
};

} // namespace

LogicalResult Between::check(ModuleOp module, ArrayRef<int64_t> asked, std::set<std::string> &open,
                             std::string &other) const {
  OwningOpRef<ModuleOp> sample;
  {
    ScopedDiagnosticHandler quiet(loc.getContext(), [](Diagnostic &) { return success(); });
    sample = importAt(asked);
  }
  std::vector<int64_t> sizes = findSizes(names, asked, given, counted);
  for (const std::string &node : counted.ways)
    if (decidesOtherwise(decided, counted, node))
      open.insert(node);
  // It is imported again, as another program.
  if (!open.empty() &&
      llvm::any_of(open, [&](const auto &node) { return !counted.open.count(node); }))
    return success();
  auto [where, remedy] = describeSizes(names, asked, given);
  if (std::string node = findOther(decided, counted); !node.empty())
    return emitError(loc, Code::T0118)
           << "where " << where << ", the node that gives '" << node
           << "' takes another branch, number of iterations or of elements than at "
           << "all other sizes" << remedy;
  if (std::string node = findOtherFirst(whole, counted); !node.empty())
    return emitError(loc, Code::T0118)
           << "where " << where << ", the node that gives '" << StringRef(node).rsplit('.').first
           << "' takes fewer of the first elements of dimension "
           << StringRef(node).rsplit('.').second << " than at all other sizes" << remedy;
  if (auto shapes = sample ? findOtherShape(module, *sample, names, sizes) : std::nullopt)
    return emitError(loc, Code::T0118)
           << "where " << where << ", a result has the shape " << graph::toString(shapes->first)
           << ", not that of all other sizes, " << graph::toString(shapes->second) << remedy;
  // What cannot be imported there says what nodes give that can be.
  SizeSolver solver(loc.getContext(), known, names, ranges, paired);
  auto found = findOtherResult(results, solver, counted, sizes);
  if (found && other.empty())
    other = "where " + where + ", the node that gives '" + found->first + "' gives " +
            found->second + ", a shape that does not follow from those of all other sizes" + remedy;
  return success();
}

/// Checks sizes that no sample is made at: 0 and 1, where operators make other programs, those that
/// the trace has doubts about, and what it has found that nodes read otherwise.
static LogicalResult checkOthers(const Between &between, ModuleOp module, const SizeTrace &trace,
                                 ArrayRef<CountedSizes::Reading> readings,
                                 const std::set<size_t> &doubtful, std::set<std::string> &open) {
  std::string other;
  size_t before = open.size();
  for (const std::vector<int64_t> &sizes : chooseSmallest(between.ranges, between.given))
    if (failed(between.check(module, sizes, open, other)))
      return failure();
  for (const CountedSizes::Reading &reading : readings)
    if (other.empty()) {
      auto [where, remedy] =
          describeSizes(between.names, trace.getProbe(reading.probe), between.given);
      other = "where " + where + ", the node that gives '" + reading.node +
              "' reads another number than follows from all other sizes" + remedy;
    }
  constexpr size_t kMostDoubts = 32;
  size_t apart = doubtful.size() / kMostDoubts + 1, i = 0;
  for (size_t probe : doubtful)
    if (i++ % apart == 0 && failed(between.check(module, trace.getProbe(probe), open, other)))
      return failure();
  if (open.size() == before && !other.empty())
    return emitError(between.loc, Code::T0118) << other;
  return success();
}

/// Adds nodes that take as many elements as a dimension has, up to a number, where data decide on
/// its size. The first sample has the most of all sizes, the next ones fewer of one each, those of
/// ranges that are `given` first.
static void findParts(ArrayRef<Firsts> samples, size_t given, size_t symbols,
                      std::map<std::string, CountedSizes::Part> &parts) {
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
}

using SideSizes = std::map<std::string, std::pair<int64_t, int64_t>>;

/// Adds results of branches that are of other sizes in the sample; there is room for all.
static void addSides(CountedSizes &known, const CountedSizes &sample) {
  for (const auto &[key, side] : sample.sides) {
    auto [own, isNew] = known.sides.try_emplace(key, side);
    own->second.room = std::max(own->second.room, side.room);
  }
}

/// Gives results of one branch that are of the same sizes in all samples one name. Not those
/// `before`, of which more samples have told already.
static void joinSides(ArrayRef<SideSizes> samples, CountedSizes &known,
                      const CountedSizes &before = {}) {
  std::map<std::pair<std::string, SmallVector<std::pair<int64_t, int64_t>>>, std::string> names;
  for (auto &[key, side] : known.sides) {
    if (before.sides.count(key))
      continue;
    SmallVector<std::pair<int64_t, int64_t>> all;
    for (const SideSizes &sample : samples)
      if (auto found = sample.find(key); found != sample.end())
        all.push_back(found->second);
    if (all.size() == samples.size())
      side.name = names.try_emplace({side.node, std::move(all)}, key + ".count").first->second;
  }
}

/// Whether the model is to be imported again with this.
static bool isMore(const CountedSizes &next, const CountedSizes &known) {
  auto areEqual = [](const auto &a, const auto &b) {
    return a.first == b.first && a.second.name == b.second.name && a.second.room == b.second.room;
  };
  return next.parts.size() != known.parts.size() || next.open.size() != known.open.size() ||
         !std::equal(next.sides.begin(), next.sides.end(), known.sides.begin(), known.sides.end(),
                     areEqual);
}

/// Imports the first sample once more, for what nodes read at other sizes and where nobody knows.
/// Ways that are other ones somewhere become `open`.
static std::pair<std::vector<CountedSizes::Reading>, std::set<size_t>>
traceSizes(Location loc, SizeTrace &trace, const CountedSizes &counted,
           llvm::function_ref<OwningOpRef<ModuleOp>(ArrayRef<int64_t>, SizeTrace *)> importAt,
           ArrayRef<int64_t> first, std::set<std::string> &open) {
  ScopedDiagnosticHandler quiet(loc.getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> sample = importAt(first, &trace);
  std::vector<CountedSizes::Reading> others;
  for (const CountedSizes::Reading &reading : counted.readings)
    if (reading.isWay)
      open.insert(reading.node);
    else
      others.push_back(reading);
  return {others, counted.doubtful};
}

/// Nothing, and no error, where `parts` have been found that it has to be imported with.
static OwningOpRef<ModuleOp>
importAtSizes(Location loc, const ImportOptions &options,
              llvm::function_ref<OwningOpRef<ModuleOp>(const ImportOptions &)> import,
              CountedSizes &known, bool &isAgain) {
  isAgain = false;
  auto finish = [&](OwningOpRef<ModuleOp> module) {
    return !module || options.aliases.empty() || succeeded(shareState(*module, options))
               ? std::move(module)
               : OwningOpRef<ModuleOp>();
  };
  // Sizes that data decide are known when the model has been imported once.
  CountedSizes counted = known.again();
  // Results of a branch that are alike there may be put together, and are one size until samples
  // tell otherwise.
  auto findsSides = [&] {
    CountedSizes next = known;
    addSides(next, counted);
    joinSides(counted.sideSizes, next, known);
    if (!isMore(next, known))
      return false;
    known = std::move(next);
    return isAgain = true;
  };
  if (options.dims.empty()) {
    ImportOptions own = options;
    own.counted = &counted;
    OwningOpRef<ModuleOp> module = import(own);
    if (!module || counted.found.empty())
      return finish(std::move(module));
    if (findsSides())
      return {};
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
  auto importAt = [&](ArrayRef<int64_t> each, SizeTrace *trace = nullptr) {
    ImportOptions own = options;
    own.dims.clear();
    if (given != 0)
      own.shapes.clear();
    own.isSample = true;
    own.counted = &counted;
    counted = known.again();
    counted.trace = trace;
    for (size_t i = 0; i < names.size(); ++i)
      if (each[i] >= 0)
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
  // Pairs of many sizes that data decide are looked at where there is no other way.
  constexpr size_t kMostPaired = 8;
  size_t paired = 0;
  auto choose = [&] {
    paired = known.hasAllPairs || names.size() <= kMostPaired ? names.size() : given;
    return chooseSizes(ranges, paired);
  };
  auto addRanges = [&] {
    for (const auto &[name, most] : counted.found) {
      names.push_back(name);
      ranges.push_back({0, most, 1, -1});
    }
    sizes = choose();
  };
  if (given == 0) {
    addRanges();
  } else {
    sizes = choose();
    samples.push_back(importAt(sizes.front()));
    if (samples.back() && findsSides())
      return {};
    if (samples.back() && !counted.found.empty()) {
      samples.clear();
      addRanges();
    }
  }
  Decisions decided;
  BetweenSamples between;
  std::vector<Firsts> firsts;
  std::vector<SideSizes> sides;
  std::vector<CountedSizes::Results> results;
  CountedSizes next = known;
  for (const std::vector<int64_t> &each : sizes) {
    if (&each != &sizes.front() || samples.empty())
      samples.push_back(importAt(each));
    if (samples.back()) {
      if (&each == &sizes.front())
        for (const auto &[node, values] : counted.decided)
          decided[node].assign(values.begin(), values.end());
      for (const std::string &node : counted.ways)
        if (decidesOtherwise(decided, counted, node))
          next.open.insert(node);
      intersect(decided, counted);
      between.add(counted);
      firsts.push_back(counted.firsts);
      sides.push_back(counted.sideSizes);
      results.push_back(counted.results);
      addSides(next, counted);
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
  joinSides(sides, next);
  if (given != names.size())
    findParts(firsts, given, names.size(), next.parts);
  if (isMore(next, known)) {
    known = next;
    isAgain = true;
    return {};
  }
  bool areAll = false;
  std::vector<std::vector<int64_t>> probes = chooseProbes(ranges, areAll);
  SizeTrace trace(loc.getContext(), sizes, probes, names, ranges, paired, results);
  auto [readings, doubtful] = traceSizes(loc, trace, counted, importAt, sizes.front(), next.open);
  if (isMore(next, known)) {
    known = next;
    isAgain = true;
    return {};
  }
  bool decides = !areAll && llvm::any_of(decided, [](const auto &node) {
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
  std::set<std::string> whole = findWhole(firsts);
  auto importOther = [&](ArrayRef<int64_t> each) { return importAt(each, nullptr); };
  Between others{loc,     names, ranges,  given,   paired,     sizes,
                 decided, whole, results, counted, importOther};
  if (paired < names.size()) {
    ScopedDiagnosticHandler quiet(loc.getContext(), [](Diagnostic &) { return success(); });
    known.hasAllPairs = isAgain = failed(generalize(samples, sizes, names, ranges, given, paired));
    if (isAgain)
      return {};
  } else if (failed(generalize(samples, sizes, names, ranges, given, paired))) {
    return {};
  }
  if (failed(checkOthers(others, *samples.front(), trace, readings, doubtful, next.open)))
    return {};
  if (isMore(next, known)) {
    known = next;
    isAgain = true;
    return {};
  }
  return finish(std::move(samples.front()));
}

OwningOpRef<ModuleOp>
onnx::importForAll(Location loc, const ImportOptions &options,
                   llvm::function_ref<OwningOpRef<ModuleOp>(const ImportOptions &)> import) {
  CountedSizes known;
  known.hasRanges = !options.dims.empty();
  bool isAgain = true;
  OwningOpRef<ModuleOp> module;
  while (isAgain)
    module = importAtSizes(loc, options, import, known, isAgain);
  return module;
}
