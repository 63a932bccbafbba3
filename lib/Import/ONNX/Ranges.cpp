// A model for ranges of sizes, or whose sizes data decide: it is imported at several of them.
#include "SizeChecks.h"
#include "State.h"
#include "tw/Support/Diagnostics.h"

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

/// Adds nodes that take as many elements as a dimension has, up to a number, where data decide on
/// its size. The first sample has the most of all sizes, the next ones fewer of one each, those of
/// ranges that are `given` first.
static void findParts(ArrayRef<Firsts> samples, ArrayRef<std::vector<int64_t>> sizes,
                      ArrayRef<SizeRange> ranges, size_t given, bool ofRanges,
                      CountedSizes &known) {
  std::map<std::vector<std::pair<int64_t, int64_t>>, std::string> names;
  for (const auto &[node, first] : samples.front()) {
    std::vector<std::pair<int64_t, int64_t>> all;
    for (const Firsts &sample : samples)
      if (auto found = sample.find(node); found != sample.end())
        all.push_back(found->second);
    if (all.size() != samples.size() || known.parts.count(node))
      continue;
    int64_t most = 0, room = 0;
    for (auto [size, taken] : all) {
      most = std::max(most, taken);
      room = std::max(room, size);
    }
    bool isLeast =
        llvm::all_of(all, [&](auto each) { return each.second == std::min(each.first, most); });
    bool isCounted = false;
    for (size_t i = given; i < ranges.size(); ++i)
      isCounted |= all[1 + i].first != first.first;
    // Calls settle those of ranges, where their number is a size that is found.
    if (ofRanges) {
      // No sample is as small as a symbol may be that the size is.
      for (size_t i = 0; i < given; ++i)
        isCounted |= ranges[i].min < most && llvm::all_of(llvm::zip(all, sizes), [&](auto each) {
                       return std::get<0>(each).first == std::get<1>(each)[i];
                     });
      isCounted |= llvm::any_of(all, [&](auto each) { return each.second < most; });
    }
    if (isLeast && isCounted && most > 0 && most < room)
      // An axis as long as a size of a range is at most would be taken for one of that size.
      known.parts[node] = {names.try_emplace(all, node + ".count").first->second, most,
                           room + (known.hasRanges ? 1 : 0)};
  }
}

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

/// Adds dimensions that are resized in one sample otherwise than in the first one, and not kept in
/// all of them.
static void addResized(CountedSizes &known, ArrayRef<Resizes> samples) {
  for (const auto &[key, first] : samples.front()) {
    bool areEqual = true, keep = true;
    for (const Resizes &sample : samples)
      if (auto found = sample.find(key); found != sample.end()) {
        areEqual &= found->second == first;
        keep &= llvm::all_of(found->second, [](const auto &each) { return each.keeps; });
      }
    if (!areEqual && !keep)
      known.openResized.insert(key);
  }
}

/// Whether the model is to be imported again with this.
static bool isMore(const CountedSizes &next, const CountedSizes &known) {
  auto areEqual = [](const auto &a, const auto &b) {
    return a.first == b.first && a.second.name == b.second.name && a.second.room == b.second.room;
  };
  return next.parts.size() != known.parts.size() || next.open.size() != known.open.size() ||
         next.openResized.size() != known.openResized.size() ||
         !std::equal(next.sides.begin(), next.sides.end(), known.sides.begin(), known.sides.end(),
                     areEqual);
}

namespace {

/// One attempt, with what is known of the model from those before.
class RangeImport {
public:
  using Import = llvm::function_ref<OwningOpRef<ModuleOp>(const ImportOptions &)>;
  using Sizes = std::vector<std::vector<int64_t>>;

  /// Sizes of symbols of calls that are sampled, too: both sides of where the least of two turns;
  /// none and one, where what follows from all others does not hold there.
  struct Further {
    Sizes turns, smallest;
    bool hasTriedSmallest = false;
    /// Ranges of few sizes have samples behind their ends.
    bool isWide = false;
  };

  RangeImport(Location loc, const ImportOptions &options, Import import, CountedSizes &known,
              Further &further)
      : loc(loc), options(options), import(import), known(known), further(further),
        counted(known.again()), next(known) {}

  /// Nothing, and no error, where more has been found that the model is to be imported with, which
  /// is known then: `isAgain`.
  OwningOpRef<ModuleOp> run();
  bool isAgain = false;
  /// What was wrong without counting or more samples, where those are tried next.
  std::optional<std::pair<Location, std::string>> problem;

private:
  Location loc;
  const ImportOptions &options;
  Import import;
  CountedSizes &known;
  Further &further;
  /// Of the last import.
  CountedSizes counted;
  /// What is found on the way, and with what of ranges may be counted where calls do not settle it.
  CountedSizes next, fallback;

  /// The first `given` symbols are those of calls. Products of the first `paired` are looked for.
  std::vector<std::string> names;
  std::vector<SizeRange> ranges;
  size_t given = 0, paired = 0;
  std::vector<std::vector<int64_t>> sizes;
  std::vector<OwningOpRef<ModuleOp>> samples;
  SampleNotes notes;

  OwningOpRef<ModuleOp> finish(OwningOpRef<ModuleOp> module) const;
  LogicalResult readRanges();
  void chooseSamples();
  void addCounted();
  OwningOpRef<ModuleOp> importAt(ArrayRef<int64_t> each, SizeTrace *trace = nullptr);
  /// Whether the model of these sizes alone can be imported.
  bool existsAt(ArrayRef<int64_t> each) const;
  LogicalResult takeSamples();
  void refuseSample(ArrayRef<int64_t> each) const;
  void raiseLeast(ModuleOp module) const;
  bool findsSides();
  bool findsTurns(const SizeTrace &trace, ArrayRef<CountedSizes::Reading> readings,
                  const std::set<size_t> &doubtful);
  bool findsSmallest();
  bool findsMore();
  std::set<size_t> traceSizes(SizeTrace &trace, std::vector<CountedSizes::Reading> &readings);
  LogicalResult generalizeSamples(const KnownSizes &solved);
  /// Makes the first sample the program of all sizes.
  LogicalResult settle(const SizeTrace &trace, ArrayRef<CountedSizes::Reading> readings,
                       const std::set<size_t> &doubtful);
  /// An error is the `problem` then.
  LogicalResult settleQuietly(const SizeTrace &trace, ArrayRef<CountedSizes::Reading> readings,
                              const std::set<size_t> &doubtful);
};

} // namespace

/// Data may decide on a size of which there is no program (`Gather` of -1 of none): a call where
/// they do is an error.
void RangeImport::raiseLeast(ModuleOp module) const {
  auto function = module.lookupSymbol<func::FuncOp>("main");
  auto declared = function->getAttrOfType<DictionaryAttr>("tgraph.symbols");
  NamedAttrList symbols(declared);
  for (size_t i = given; i < names.size() && declared; ++i) {
    auto range = declared.getAs<graph::SymbolAttr>(names[i]);
    int64_t declaredLeast = range ? range.getMin() : 0, least = declaredLeast;
    for (; range && least < std::min<int64_t>(2, range.getMax()); ++least) {
      // Branches take the side that they do there.
      CountedSizes alone = known.again();
      alone.open.clear();
      alone.sizes[names[i]] = least;
      ImportOptions own = options;
      own.dims.clear();
      own.isSample = true;
      own.counted = &alone;
      for (size_t k = 0; k < given; ++k)
        own.symbols[names[k]] = ranges[k].max;
      if (given != 0)
        own.shapes.clear();
      std::string problem;
      ScopedDiagnosticHandler quiet(loc.getContext(), [&](Diagnostic &diagnostic) {
        if (problem.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error)
          problem = diagnostic.str();
        return success();
      });
      bool isThere(import(own));
      // Iterations that are imported one by one where they are not at samples count sizes of their
      // own: that is another program, since there is none like those.
      bool isOther = isThere && llvm::any_of(alone.found, [&](const auto &found) {
                       return !llvm::is_contained(names, found.first);
                     });
      StringRef text(problem);
      if (!isOther && (isThere || !isNoProgram(takeCode(text))))
        break;
    }
    if (least > declaredLeast)
      symbols.set(names[i], graph::SymbolAttr::get(module.getContext(), least, range.getMax(),
                                                   range.getStep()));
  }
  if (declared)
    function->setAttr("tgraph.symbols", symbols.getDictionary(module.getContext()));
}

OwningOpRef<ModuleOp> RangeImport::finish(OwningOpRef<ModuleOp> module) const {
  if (module && given < names.size())
    raiseLeast(*module);
  return !module || options.aliases.empty() || succeeded(shareState(*module, options))
             ? std::move(module)
             : OwningOpRef<ModuleOp>();
}

LogicalResult RangeImport::readRanges() {
  for (const auto &[name, range] : options.dims) {
    if (options.symbols.contains(name))
      return emitError(loc, Code::T0602)
             << "'" << name << "' has a size and a range: give one of them";
    names.push_back(name);
    ranges.push_back(range);
  }
  given = names.size();
  return success();
}

void RangeImport::chooseSamples() {
  // Pairs of many sizes that data decide are looked at where there is no other way.
  constexpr size_t kMostPaired = 8;
  paired = known.hasAllPairs || names.size() <= kMostPaired ? names.size() : given;
  std::vector<SizeRange> sampled = ranges;
  for (size_t i = 0; i < given && further.isWide; ++i)
    sampled[i] = widen(ranges[i]);
  sizes = chooseSizes(sampled, paired);
  for (const Sizes *more : {&further.turns, &further.smallest})
    for (const std::vector<int64_t> &each : *more) {
      std::vector<int64_t> &own = sizes.emplace_back(each);
      for (size_t i = given; i < ranges.size(); ++i)
        own.push_back(ranges[i].max);
    }
}

/// Samples that are far from where the least of two sizes turns from one to the other do not tell
/// whether it does so in all that they say: there are to be some on both sides. What is read
/// otherwise there is told of if these make no program either.
bool RangeImport::findsTurns(const SizeTrace &trace, ArrayRef<CountedSizes::Reading> readings,
                             const std::set<size_t> &doubtful) {
  if (!further.turns.empty() || given == 0)
    return false;
  Sizes found = findTurns(trace.getKnown().parts, names, ArrayRef(ranges).take_front(given));
  if (found.empty())
    return false;
  if (!readings.empty())
    (void)settleQuietly(trace, readings, doubtful);
  if (!isAgain)
    further.turns = std::move(found);
  return isAgain = true;
}

/// What follows from all other sizes does not hold at none or one: it may be bent there.
bool RangeImport::findsSmallest() {
  if (further.hasTriedSmallest || given == 0)
    return false;
  further.hasTriedSmallest = true;
  further.smallest = chooseSmallest(ArrayRef(ranges).take_front(given), given);
  return isAgain = !further.smallest.empty();
}

void RangeImport::addCounted() {
  for (const auto &[name, most] : counted.found) {
    names.push_back(name);
    auto value = options.values.find(name);
    ranges.push_back(value == options.values.end() ? SizeRange{0, most, 1, -1} : value->second);
  }
  chooseSamples();
}

OwningOpRef<ModuleOp> RangeImport::importAt(ArrayRef<int64_t> each, SizeTrace *trace) {
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
}

bool RangeImport::existsAt(ArrayRef<int64_t> each) const {
  ImportOptions own = options;
  own.dims.clear();
  own.shapes.clear();
  for (size_t i = 0; i < given; ++i)
    own.symbols[names[i]] = each[i];
  ScopedDiagnosticHandler quiet(loc.getContext(), [](Diagnostic &) { return success(); });
  return bool(import(own));
}

/// Results of a branch that are alike may be put together, and are one size until samples tell
/// otherwise.
bool RangeImport::findsSides() {
  addSides(next, counted);
  joinSides(counted.sideSizes, next, known);
  return findsMore();
}

bool RangeImport::findsMore() {
  if (!isMore(next, known))
    return false;
  known = next;
  return isAgain = true;
}

void RangeImport::refuseSample(ArrayRef<int64_t> each) const {
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
}

LogicalResult RangeImport::takeSamples() {
  if (given == 0) {
    addCounted();
  } else {
    chooseSamples();
    samples.push_back(importAt(sizes.front()));
    if (samples.back() && findsSides())
      return success();
    if (samples.back() && !counted.found.empty()) {
      samples.clear();
      addCounted();
    }
  }
  for (const std::vector<int64_t> &each : sizes) {
    if (&each != &sizes.front() || samples.empty())
      samples.push_back(importAt(each));
    if (!samples.back()) {
      refuseSample(each);
      return failure();
    }
    notes.add(counted, next.open);
    addSides(next, counted);
  }
  joinSides(notes.sides, next);
  addResized(next, notes.resized);
  fallback = next;
  findParts(notes.firsts, sizes, ranges, given, /*ofRanges=*/true, fallback);
  findParts(notes.firsts, sizes, ranges, given, /*ofRanges=*/known.countsOfRanges, next);
  findsMore();
  return success();
}

/// Imports the first sample once more, for what nodes read at other sizes, and where nobody knows.
std::set<size_t> RangeImport::traceSizes(SizeTrace &trace,
                                         std::vector<CountedSizes::Reading> &readings) {
  ScopedDiagnosticHandler quiet(loc.getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> sample = importAt(sizes.front(), &trace);
  for (const CountedSizes::Reading &reading : counted.readings)
    if (!reading.probe && given == 0)
      continue;
    else if (reading.isWay)
      next.open.insert(reading.node);
    else
      readings.push_back(reading);
  return counted.doubtful;
}

LogicalResult RangeImport::generalizeSamples(const KnownSizes &solved) {
  if (paired == names.size())
    return generalize(samples, sizes, names, ranges, given, paired, solved);
  ScopedDiagnosticHandler quiet(loc.getContext(), [](Diagnostic &) { return success(); });
  if (succeeded(generalize(samples, sizes, names, ranges, given, paired, solved)))
    return success();
  known.hasAllPairs = isAgain = true;
  return failure();
}

OwningOpRef<ModuleOp> RangeImport::run() {
  // Sizes that data decide are known when the model has been imported once.
  if (options.dims.empty()) {
    ImportOptions own = options;
    own.counted = &counted;
    OwningOpRef<ModuleOp> module = import(own);
    if (!module || counted.found.empty())
      return finish(std::move(module));
    if (findsSides())
      return {};
  }
  if (failed(readRanges()) || failed(takeSamples()) || isAgain)
    return {};
  Probes probes = chooseProbes(ranges);
  SizeTrace trace(loc.getContext(), sizes, probes, names, ranges, paired, notes.results);
  std::vector<CountedSizes::Reading> readings;
  std::set<size_t> doubtful = traceSizes(trace, readings);
  if (findsMore() || findsTurns(trace, readings, doubtful))
    return {};
  if (std::string node = notes.between.find(); !probes.areAll && notes.decides() && !node.empty()) {
    emitError(loc, Code::T0118) << "the node that gives '" << node << "' compares with one of the "
                                << "sizes, and a branch, a number of iterations or of elements may "
                                   "follow from it: expected comparisons that one size alone does "
                                   "not decide";
    return {};
  }
  bool canCount = !known.countsOfRanges && isMore(fallback, known);
  bool isLast = !canCount && (further.hasTriedSmallest || given == 0);
  if (succeeded(isLast ? settle(trace, readings, doubtful)
                       : settleQuietly(trace, readings, doubtful)))
    return finish(std::move(samples.front()));
  if (isAgain || findsSmallest() || !further.smallest.empty())
    return {};
  if (canCount) {
    known = fallback;
    known.countsOfRanges = isAgain = true;
  }
  return {};
}

LogicalResult RangeImport::settle(const SizeTrace &trace, ArrayRef<CountedSizes::Reading> readings,
                                  const std::set<size_t> &doubtful) {
  auto importOther = [&](ArrayRef<int64_t> each) { return importAt(each); };
  auto existsOther = [&](ArrayRef<int64_t> each) { return existsAt(each); };
  Between others{loc,   names,   ranges,           given,       paired,     sizes,
                 notes, counted, trace.getKnown(), importOther, existsOther};
  return failure(
      failed(generalizeSamples(trace.getKnown())) ||
      failed(checkOthers(others, *samples.front(), trace, readings, doubtful, next.open)) ||
      findsMore());
}

LogicalResult RangeImport::settleQuietly(const SizeTrace &trace,
                                         ArrayRef<CountedSizes::Reading> readings,
                                         const std::set<size_t> &doubtful) {
  ScopedDiagnosticHandler quiet(loc.getContext(), [&](Diagnostic &diagnostic) {
    if (!problem && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      problem.emplace(diagnostic.getLocation(), diagnostic.str());
    return success();
  });
  return settle(trace, readings, doubtful);
}

static OwningOpRef<ModuleOp> importAttempts(Location loc, const ImportOptions &options,
                                            RangeImport::Import import, bool isWide) {
  CountedSizes known;
  known.hasRanges = !options.dims.empty();
  RangeImport::Further further;
  further.isWide = isWide;
  std::optional<std::pair<Location, std::string>> problem;
  while (true) {
    RangeImport attempt(loc, options, import, known, further);
    OwningOpRef<ModuleOp> module;
    {
      // Of symbols that counting makes up nobody has heard: where that fails, too, the error is
      // what was wrong with those of calls.
      ScopedDiagnosticHandler quiet(loc.getContext(), [&](Diagnostic &diagnostic) {
        return success(problem && diagnostic.getSeverity() == DiagnosticSeverity::Error);
      });
      module = attempt.run();
    }
    problem = problem ? problem : attempt.problem;
    if (!module && !attempt.isAgain && !further.smallest.empty()) {
      // They tell nothing: others are tried without them.
      further.smallest.clear();
      continue;
    }
    if (attempt.isAgain)
      continue;
    if (!module && problem) {
      StringRef text(problem->second);
      std::optional<Code> code = takeCode(text);
      emitError(problem->first, code.value_or(Code::T0118)) << text;
    }
    return module;
  }
}

OwningOpRef<ModuleOp>
onnx::importForAll(Location loc, const ImportOptions &options,
                   llvm::function_ref<OwningOpRef<ModuleOp>(const ImportOptions &)> import) {
  if (llvm::none_of(options.dims, [](const auto &each) {
        return widen(each.second).max != getMostSampled(each.second);
      }))
    return importAttempts(loc, options, import, /*isWide=*/false);
  // Few sizes are many functions': half of 2 and of 3 is one. Where nothing is right for all of
  // them, more are looked at, of which there may be no program, either.
  std::vector<Diagnostic> problems, others;
  for (bool isWide : {false, true}) {
    ScopedDiagnosticHandler keep(loc.getContext(), [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      (isWide ? others : problems).push_back(std::move(diagnostic));
      return success();
    });
    if (OwningOpRef<ModuleOp> module = importAttempts(loc, options, import, isWide))
      return module;
  }
  // A program that is not valid, of functions that few sizes do not tell apart, says nothing about
  // the model.
  bool isOfModel = llvm::all_of(problems, [](const Diagnostic &problem) {
    std::string text = problem.str();
    StringRef rest(text);
    std::optional<Code> code = takeCode(rest);
    return code && codeInfo(*code).id.starts_with("T01");
  });
  for (Diagnostic &problem : isOfModel || others.empty() ? problems : others)
    loc.getContext()->getDiagEngine().emit(std::move(problem));
  return {};
}
