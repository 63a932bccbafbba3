// Sizes that no sample is made at.
#include "SizeChecks.h"

#include "tw/Support/Diagnostics.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

/// Keeps what is decided alike.
static void intersect(Decisions &decided, const CountedSizes &sample) {
  for (auto &[node, values] : decided)
    if (auto found = sample.decided.find(node); found != sample.decided.end())
      for (auto [own, other] : llvm::zip(values, found->second))
        if (own != other)
          own.reset();
}

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

void SampleNotes::add(const CountedSizes &sample, std::set<std::string> &open) {
  if (results.empty())
    for (const auto &[node, values] : sample.decided)
      decided[node].assign(values.begin(), values.end());
  for (const std::string &node : sample.ways)
    if (decidesOtherwise(decided, sample, node))
      open.insert(node);
  intersect(decided, sample);
  between.add(sample);
  firsts.push_back(sample.firsts);
  sides.push_back(sample.sideSizes);
  resized.push_back(sample.resized);
  results.push_back(sample.results);
}

bool SampleNotes::decides() const {
  return llvm::any_of(decided, [](const auto &node) {
    return llvm::any_of(node.second,
                        [](std::optional<int64_t> value) { return value.has_value(); });
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

std::vector<std::vector<int64_t>> onnx::chooseSmallest(ArrayRef<SizeRange> ranges, size_t given) {
  std::vector<std::vector<int64_t>> all;
  for (size_t changed = 0; changed < ranges.size(); ++changed)
    for (int64_t size : {1, 0}) {
      const SizeRange &own = ranges[changed];
      if (size < own.min || size > own.max || size % own.step != 0)
        continue;
      std::vector<int64_t> &sizes = all.emplace_back();
      for (const SizeRange &range : ranges)
        sizes.push_back(range.max);
      sizes[changed] = size;
      if (changed < given)
        std::fill(sizes.begin() + int64_t(given), sizes.end(), -1);
    }
  for (int64_t size : {1, 0}) {
    if (all.size() < 2)
      break;
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

bool onnx::isNoProgram(std::optional<Code> code) {
  return code == Code::T0108 || code == Code::T0111;
}

LogicalResult Between::check(ModuleOp module, ArrayRef<int64_t> asked, std::set<std::string> &open,
                             std::string &other) const {
  OwningOpRef<ModuleOp> sample;
  std::string problem;
  {
    ScopedDiagnosticHandler quiet(loc.getContext(), [&](Diagnostic &diagnostic) {
      if (problem.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        problem = diagnostic.str();
      return success();
    });
    sample = importAt(asked);
  }
  std::vector<int64_t> sizes = findSizes(names, asked, given, counted);
  for (const std::string &node : counted.ways)
    if (decidesOtherwise(notes.decided, counted, node))
      open.insert(node);
  // It is imported again, as another program.
  if (!open.empty() &&
      llvm::any_of(open, [&](const auto &node) { return !counted.open.count(node); }))
    return success();
  auto [where, remedy] = describeSizes(names, asked, given);
  if (std::string node = findOther(notes.decided, counted); !node.empty())
    return emitError(loc, Code::T0118)
           << "where " << where << ", the node that gives '" << node
           << "' takes another branch, number of iterations or of elements than at "
           << "all other sizes" << remedy;
  if (std::string node = findOtherFirst(findWhole(notes.firsts), counted); !node.empty())
    return emitError(loc, Code::T0118)
           << "where " << where << ", the node that gives '" << StringRef(node).rsplit('.').first
           << "' takes fewer of the first elements of dimension "
           << StringRef(node).rsplit('.').second << " than at all other sizes" << remedy;
  if (auto shapes = sample ? findOtherShape(module, *sample, names, sizes) : std::nullopt)
    return emitError(loc, Code::T0118)
           << "where " << where << ", a result has the shape " << graph::toString(shapes->first)
           << ", not that of all other sizes, " << graph::toString(shapes->second) << remedy;
  // Of sizes that data decide nobody says what calls have.
  StringRef text(problem);
  bool isGiven =
      given != 0 && llvm::all_of(asked.drop_front(given), [](int64_t size) { return size < 0; });
  if (!sample && isGiven && isNoProgram(takeCode(text)) && !existsAt(asked))
    return emitError(loc, Code::T0118)
           << "where " << where << ", there is no such program: " << text << remedy;
  // What cannot be imported there says what nodes give that can be.
  SizeSolver solver(loc.getContext(), known, names, ranges, paired);
  solver.setKnown(solved);
  auto found = findOtherResult(notes.results, solver, counted, sizes);
  if (found && other.empty())
    other = "where " + where + ", the node that gives '" + found->first + "' gives " +
            found->second + ", a shape that does not follow from those of all other sizes" + remedy;
  return success();
}

LogicalResult onnx::checkOthers(const Between &between, ModuleOp module, const SizeTrace &trace,
                                ArrayRef<CountedSizes::Reading> readings,
                                const std::set<size_t> &doubtful, std::set<std::string> &open) {
  std::string other;
  size_t before = open.size();
  for (const std::vector<int64_t> &sizes : chooseSmallest(between.ranges, between.given))
    if (failed(between.check(module, sizes, open, other)))
      return failure();
  for (const CountedSizes::Reading &reading : readings)
    if (other.empty() && !reading.probe) {
      other = "the node that gives '" + reading.node +
              "' reads a value that follows from sizes in a way that is not known at all sizes of "
              "the ranges: give smaller ranges (--dim=NAME=MIN..MAX[/STEP]), or one of the symbols "
              "one size (--symbol=NAME=SIZE)";
    } else if (other.empty()) {
      auto [where, remedy] =
          describeSizes(between.names, trace.getProbe(*reading.probe), between.given);
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

/// Adds sizes on both sides of where `least` turns along symbol `i`, the others being these.
static void addTurn(const SizeLeast &least, std::vector<int64_t> sizes, size_t i,
                    ArrayRef<std::string> names, const SizeRange &range,
                    std::vector<std::vector<int64_t>> &turns) {
  constexpr size_t kMost = 32;
  auto isSecond = [&](int64_t place) -> std::optional<bool> {
    sizes[i] = range.min + place * range.step;
    std::optional<int64_t> apart = (least.first - least.second).evaluate([&](StringAttr name) {
      size_t index = size_t(llvm::find(names, name.getValue()) - names.begin());
      return index < names.size() ? std::optional(sizes[index]) : std::nullopt;
    });
    return apart ? std::optional(*apart > 0) : std::nullopt;
  };
  int64_t low = 0, high = (range.max - range.min) / range.step;
  std::optional<bool> first = isSecond(low), last = isSecond(high);
  if (!first || !last || first == last)
    return;
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (isSecond(middle) == first ? low : high) = middle;
  }
  for (int64_t place = low - 1; place <= high + 2; ++place) {
    sizes[i] = range.min + place * range.step;
    bool isWithin = sizes[i] >= std::max<int64_t>(range.min, 2) && sizes[i] <= range.max;
    if (isWithin && turns.size() < kMost && !llvm::is_contained(turns, sizes))
      turns.push_back(sizes);
  }
}

/// The least ones of two that the size is made of, also those within another one.
static void findLeasts(const Dim &dim, SmallVectorImpl<SizeLeast> &leasts) {
  for (auto [name, factor] : dim.getTerms())
    for (StringAttr part : getFactors(name)) {
      if (std::optional<SizeQuotient> quotient = getQuotient(part))
        findLeasts(quotient->numerator, leasts);
      std::optional<SizeLeast> least = getLeast(part);
      if (!least)
        continue;
      leasts.push_back(*least);
      findLeasts(least->first, leasts);
      findLeasts(least->second, leasts);
    }
}

std::vector<std::vector<int64_t>> onnx::findTurns(ArrayRef<Dim> parts, ArrayRef<std::string> names,
                                                  ArrayRef<SizeRange> ranges) {
  std::vector<int64_t> most, few;
  for (const SizeRange &range : ranges) {
    most.push_back(range.max);
    few.push_back(std::min(range.max, std::max(range.min, range.step == 1 ? 2 : range.step)));
  }
  SmallVector<SizeLeast> leasts;
  for (const Dim &part : parts)
    findLeasts(part, leasts);
  std::vector<std::vector<int64_t>> turns;
  for (const SizeLeast &least : leasts)
    for (size_t i = 0; i < ranges.size(); ++i) {
      addTurn(least, most, i, names, ranges[i], turns);
      addTurn(least, few, i, names, ranges[i], turns);
    }
  return turns;
}
