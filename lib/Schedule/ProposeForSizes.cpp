// Schedules for kernels whose sizes a call settles: those for some sizes that stand for all.
//
// Strategies propose for copies of the kernel at fixed sizes. Where one list loses at some sizes
// what others do not, there are several, for ranges of one symbol: 1, up to 4, 8, 16 and 64,
// and all beyond, of which neighbours are one where a list for more points
// loses little.
#include "ProposeForSizes.h"

#include "LoopTree/TreeBuilder.h"
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Equality.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Schedule/LoopTree.h"
#include "tw/Schedule/PlanBuilder.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cmath>
#include <deque>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

namespace {

/// The size of a symbol that the program expects most, that of its factors where it is a product.
std::optional<int64_t> getTypical(KernelOp kernel, StringAttr symbol) {
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  auto all = function ? function->getAttrOfType<DictionaryAttr>("tgraph.typical") : nullptr;
  int64_t product = 1;
  for (StringAttr factor : getFactors(symbol)) {
    auto size = all ? all.getAs<IntegerAttr>(factor) : IntegerAttr();
    if (!size || llvm::MulOverflow(product, size.getInt(), product))
      return std::nullopt;
  }
  return product;
}

/// Sizes that stand for all of a symbol, or for those of a range: from few points to the most, by
/// way of what is typical. Few tiles divide them, as those to come: schedules then say what is done
/// at the ends of axes.
SmallVector<int64_t> getRepresentatives(KernelOp kernel, StringAttr symbol,
                                        const SizeRange *range) {
  int64_t least = 1, most = kernel::getMost(kernel, symbol).value_or(1);
  std::optional<int64_t> typical = getTypical(kernel, symbol);
  int64_t between = typical.value_or(most / 8);
  if (range && range->symbol == symbol) {
    least = range->least;
    most = std::min(most, range->most);
    if (!typical || between < least || between > most)
      between = int64_t(std::sqrt(double(least) * double(most)));
  }
  SmallVector<int64_t> sizes{least};
  for (int64_t size : {std::min(between, most), most}) {
    size = size > 8 && size % 2 == 0 ? size - 1 : size;
    if (size > sizes.back())
      sizes.push_back(size);
  }
  return sizes;
}

/// The number of sizes that kernels are priced at, and what a launch takes beside what it computes:
/// how few cycles they are does not matter below that.
constexpr unsigned kSizes = 3;
constexpr double kLaunchCycles = 300;

using SizesOf = llvm::function_ref<int64_t(StringAttr)>;

/// Whether the list is legal for any size, and has a tree of loops.
bool isLegalForAll(KernelOp kernel, const Candidate &candidate, bool exactOnly) {
  // With its operands: whether they are constants decides what rewrites do.
  OwningOpRef<KernelOp> copy(kernel.clone());
  giveNames(*copy, candidate.names);
  std::string why;
  if (!isLegal(*copy, candidate.schedule, why) ||
      (exactOnly && !isExact(*copy, candidate.schedule, why)))
    return false;
  if (makesKernels(candidate.schedule))
    return true;
  copy->setScheduleAttr(candidate.schedule);
  mlir::Block block;
  KernelOp placed = copy.release();
  block.push_back(placed);
  if (failed(applyRewrites(placed, why)))
    return false;
  FailureOr<Plan> plan = PlanBuilder(placed, why).build(placed.getScheduleAttr());
  Refusal refusal;
  return succeeded(plan) && buildLoopTree(placed, *plan, refusal);
}

/// The list with masks where an end is apart: what runs where an axis has fewer points than a tile.
ScheduleAttr withMasks(ScheduleAttr list) {
  SmallVector<Attribute> primitives(list.getPrimitives());
  for (Attribute &primitive : primitives)
    if (auto edge = dyn_cast<EdgeAttr>(primitive); edge && edge.getMode() == EdgeMode::Peel)
      primitive = EdgeAttr::get(list.getContext(), edge.getAxis(), EdgeMode::Mask);
  return ScheduleAttr::get(list.getContext(), primitives);
}

/// The list with a switch over the rest of each axis whose size a call settles and along which
/// tiles have rows, in a kernel of products or sums: a tile of few rows costs as much as it has. Of
/// more rows than that there would be too many bodies.
ScheduleAttr withSwitches(KernelOp kernel, ScheduleAttr list) {
  constexpr int64_t kMostRows = 16;
  SmallVector<Attribute> primitives(list.getPrimitives());
  StringAttr lanes;
  for (Attribute primitive : primitives)
    if (auto tile = dyn_cast<TileAttr>(primitive); tile && !tile.getAxes().empty())
      lanes = tile.getAxes().back();
  if ((kernel.getBody().getOps<ContractOp>().empty() &&
       kernel.getBody().getOps<ReduceOp>().empty()) ||
      !lanes)
    return list;
  AxisSets sets(kernel);
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i) {
    auto splits = llvm::make_filter_range(list.getPrimitives(), [&](Attribute primitive) {
      auto split = dyn_cast<SplitAttr>(primitive);
      return split && split.getAxis().getValue() == kernel.getAxisName(i);
    });
    if (!kernel.isSymbolic(i) || splits.empty())
      continue;
    auto split = cast<SplitAttr>(*splits.begin());
    bool isLanes = split.getParts().back() == lanes;
    bool isReduced = llvm::any_of(kernel.getBody().front(),
                                  [&](Operation &op) { return sets.reducedBy(&op)[i]; });
    if (split.getFactors().size() != 1 || isReduced || split.getFactors()[0] == 1 ||
        (!isLanes && split.getFactors()[0] > kMostRows))
      continue;
    llvm::erase_if(primitives, [&](Attribute primitive) {
      auto edge = dyn_cast<EdgeAttr>(primitive);
      return edge && edge.getAxis() == split.getAxis();
    });
    primitives.push_back(EdgeAttr::get(list.getContext(), split.getAxis(), EdgeMode::Switch));
  }
  return ScheduleAttr::get(list.getContext(), primitives);
}

/// Two parts of axes whose size a call settles, in place of those that a list for one size has
/// whole in a tile or as a dimension of a buffer.
struct WholeAxes {
  llvm::DenseMap<StringAttr, std::pair<StringAttr, StringAttr>> parts;
  SmallVector<Attribute> splits;
  /// The outer parts of those in tiles, as loops of the result and as reduced ones.
  SmallVector<StringAttr> outer, outerReduced;

  /// Both parts, or the inner one alone, in place of such axes.
  SmallVector<StringAttr> rename(ArrayRef<StringAttr> axes, bool both) const {
    SmallVector<StringAttr> renamed;
    for (StringAttr axis : axes) {
      auto it = parts.find(axis);
      if (it == parts.end()) {
        renamed.push_back(axis);
        continue;
      }
      if (both && !llvm::is_contained(outer, it->second.first) &&
          !llvm::is_contained(outerReduced, it->second.first))
        renamed.push_back(it->second.first);
      renamed.push_back(it->second.second);
    }
    return renamed;
  }
};

WholeAxes findWholeAxes(KernelOp kernel, KernelOp atSize, ScheduleAttr list) {
  // Rows of a register tile that fills a buffer.
  constexpr int64_t kStagedRows = 8;
  WholeAxes whole;
  AxisSets sets(kernel);
  auto add = [&](StringAttr axis, bool inTile) {
    for (unsigned i = 0; i < kernel.getNumAxes(); ++i) {
      int64_t extent = atSize.getExtents()[i], most = kernel.getExtents()[i];
      if (!kernel.isSymbolic(i) || kernel.getAxisName(i) != axis.getValue() || extent < 1 ||
          whole.parts.count(axis))
        continue;
      auto name = [&](StringRef part) {
        return StringAttr::get(list.getContext(), (axis.getValue() + part).str());
      };
      int64_t points = extent + 1 >= most ? most : extent;
      if (!inTile)
        points = std::min(points, kStagedRows);
      whole.parts[axis] = {name("_p"), name("_w")};
      whole.splits.push_back(
          SplitAttr::get(list.getContext(), axis, {name("_p"), name("_w")}, {points}));
      bool isReduced = llvm::any_of(kernel.getBody().front(),
                                    [&](Operation &op) { return sets.reducedBy(&op)[i]; });
      if (inTile)
        (isReduced ? whole.outerReduced : whole.outer).push_back(name("_p"));
    }
  };
  for (Attribute primitive : list.getPrimitives())
    if (auto tile = dyn_cast<TileAttr>(primitive))
      for (StringAttr axis : tile.getAxes())
        add(axis, /*inTile=*/true);
  for (Attribute primitive : list.getPrimitives())
    if (auto stage = dyn_cast<StageAttr>(primitive))
      for (StringAttr axis : stage.getOrder())
        add(axis, /*inTile=*/false);
  return whole;
}

/// The list with two parts of each axis whose size a call settles and that is whole in a tile or in
/// a buffer, at a size of it: tiles have as many points as there are then, or the most where that
/// is near.
ScheduleAttr withParts(KernelOp kernel, KernelOp atSize, ScheduleAttr list) {
  MLIRContext *context = list.getContext();
  WholeAxes whole = findWholeAxes(kernel, atSize, list);
  if (whole.splits.empty())
    return list;
  // A kernel of its own fills a buffer for all programs, with axes that end where the tensor does.
  for (Attribute primitive : list.getPrimitives())
    if (auto stage = dyn_cast<StageAttr>(primitive); stage && stage.getGlobal())
      for (StringAttr axis : stage.getOrder())
        if (whole.parts.count(axis))
          return list;
  SmallVector<Attribute> primitives(list.getPrimitives());
  bool hasGrid = llvm::any_of(primitives, llvm::IsaPred<GridAttr>);
  for (Attribute &primitive : primitives) {
    if (auto tile = dyn_cast<TileAttr>(primitive)) {
      primitive = TileAttr::get(context, whole.rename(tile.getAxes(), /*both=*/false));
    } else if (auto stage = dyn_cast<StageAttr>(primitive)) {
      primitive =
          StageAttr::get(context, stage.getValue(), whole.rename(stage.getOrder(), /*both=*/true),
                         stage.getLoop(), stage.getGlobal(), stage.getWindow());
    } else if (auto grid = dyn_cast<GridAttr>(primitive)) {
      SmallVector<StringAttr> axes(grid.getAxes());
      axes.append(whole.outer);
      primitive = GridAttr::get(context, axes);
    } else if (auto order = dyn_cast<OrderAttr>(primitive)) {
      SmallVector<StringAttr> axes;
      if (!hasGrid)
        axes = whole.outer;
      axes.append(whole.rename(order.getAxes(), /*both=*/true));
      axes.append(whole.outerReduced);
      primitive = OrderAttr::get(context, axes);
    }
  }
  whole.splits.append(primitives);
  return ScheduleAttr::get(context, whole.splits);
}

/// The list without blocks of tiles along axes whose size a call settles, which run whole at the
/// end; null if it has none, or says more of them than where their loops are.
ScheduleAttr withoutBlocks(KernelOp kernel, ScheduleAttr list) {
  MLIRContext *context = list.getContext();
  SmallVector<Attribute> primitives(list.getPrimitives());
  SmallVector<StringAttr> dropped;
  for (Attribute &primitive : primitives) {
    auto split = dyn_cast<SplitAttr>(primitive);
    if (!split || split.getParts().size() != 3)
      continue;
    for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
      if (kernel.isSymbolic(i) && split.getAxis().getValue() == kernel.getAxisName(i)) {
        dropped.push_back(split.getParts()[1]);
        primitive = SplitAttr::get(context, split.getAxis(),
                                   {split.getParts().front(), split.getParts().back()},
                                   {split.getFactors().back()});
        break;
      }
  }
  auto without = [&](ArrayRef<StringAttr> axes) {
    SmallVector<StringAttr> kept(axes);
    llvm::erase_if(kept, [&](StringAttr axis) { return llvm::is_contained(dropped, axis); });
    return kept;
  };
  for (Attribute &primitive : primitives) {
    if (auto order = dyn_cast<OrderAttr>(primitive))
      primitive = OrderAttr::get(context, without(order.getAxes()));
    else if (auto grid = dyn_cast<GridAttr>(primitive))
      primitive = GridAttr::get(context, without(grid.getAxes()));
  }
  return dropped.empty() ? ScheduleAttr() : ScheduleAttr::get(context, primitives);
}

/// The points of the axis that run where it ends, by the list: those of a tile, of one that fills a
/// buffer, or of programs, unless a switch runs what is left. Loops end where the axis does.
int64_t getBlock(KernelOp kernel, unsigned axis, ScheduleAttr list) {
  llvm::SmallDenseSet<StringAttr> whole;
  StringAttr lanes;
  for (Attribute primitive : list.getPrimitives()) {
    if (auto tile = dyn_cast<TileAttr>(primitive)) {
      whole.insert_range(tile.getAxes());
      lanes = tile.getAxes().empty() ? lanes : tile.getAxes().back();
    } else if (auto grid = dyn_cast<GridAttr>(primitive))
      whole.insert_range(grid.getAxes());
    else if (auto stage = dyn_cast<StageAttr>(primitive))
      whole.insert_range(stage.getOrder().take_back(2));
  }
  int64_t block = 1, factor = 1;
  bool isLanes = false;
  for (Attribute primitive : list.getPrimitives()) {
    if (auto split = dyn_cast<SplitAttr>(primitive);
        split && split.getAxis().getValue() == kernel.getAxisName(axis)) {
      int64_t inner = 1;
      factor = split.getFactors().back();
      isLanes = split.getParts().back() == lanes;
      for (size_t i = split.getFactors().size(); i-- > 0;) {
        inner *= split.getFactors()[i];
        if (whole.contains(split.getParts()[i + 1]))
          block = inner;
      }
    }
    if (auto edge = dyn_cast<EdgeAttr>(primitive);
        edge && edge.getMode() == EdgeMode::Switch &&
        edge.getAxis().getValue() == kernel.getAxisName(axis))
      return isLanes ? std::min(kLeastLanes, factor) : 1;
  }
  return block;
}

/// What the list takes at some sizes of the kernel: what is beyond the end of an axis runs, too.
double getCycles(const Strategy &strategy, KernelOp kernel, const Candidate &candidate,
                 SizesOf valueOf, bool isSmall) {
  KernelOp copy = instantiate(kernel, [&](StringAttr symbol) {
                    int64_t value = valueOf(symbol), block = 1;
                    for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
                      if (kernel.isSymbolic(i) && kernel.getSize(i) == Dim::symbol(symbol))
                        block = std::max(block, getBlock(kernel, i, candidate.schedule));
                    return int64_t(llvm::alignTo(uint64_t(value), uint64_t(block)));
                  }).release();
  mlir::Block own;
  own.push_back(copy);
  giveNames(copy, candidate.names);
  double cycles =
      strategy.getCycles(copy, isSmall ? withMasks(candidate.schedule) : candidate.schedule);
  return cycles > 0 ? cycles + kLaunchCycles : 0;
}

/// The kernel at the sizes of that number, in a block of its own.
struct Instance {
  Instance(KernelOp general, unsigned number, const SizeRange *range)
      : general(general), number(number), range(range) {
    kernel = instantiate(general, [&](StringAttr symbol) { return getValue(symbol); }).release();
    block.push_back(kernel);
  }

  int64_t getValue(StringAttr symbol) const {
    SmallVector<int64_t> sizes = getRepresentatives(general, symbol, range);
    return sizes[std::min<size_t>(number, sizes.size() - 1)];
  }

  double getCycles(const Strategy &strategy, const Candidate &candidate) const {
    return ::getCycles(
        strategy, general, candidate, [&](StringAttr symbol) { return getValue(symbol); },
        number == 0);
  }

  mlir::Block block;
  KernelOp kernel, general;
  unsigned number;
  const SizeRange *range;
};

} // namespace

SmallVector<Candidate> schedule::proposeForSizes(const Strategy &strategy, KernelOp kernel,
                                                 bool exactOnly, unsigned searchStates,
                                                 const SizeRange *range) {
  SmallVector<StringAttr> symbols = getSymbols(kernel);
  if (symbols.empty())
    return strategy.propose(kernel, exactOnly, searchStates);
  constexpr unsigned kMostOfEach = 6, kMostTried = 24;
  std::deque<Instance> instances;
  SmallVector<Candidate> candidates;
  for (unsigned i = kSizes; i-- > 0;) {
    Instance &instance = instances.emplace_back(kernel, i, range);
    // What a search finds for few points is for those alone.
    SmallVector<Candidate> proposed =
        strategy.propose(instance.kernel, exactOnly, instances.size() == 1 ? searchStates : 0);
    if (!proposed.empty())
      if (ScheduleAttr flat = withoutBlocks(kernel, proposed.front().schedule)) {
        Candidate candidate = proposed.front();
        candidate.schedule = flat;
        proposed.insert(proposed.begin(), candidate);
      }
    unsigned taken = 0;
    for (Candidate &candidate :
         MutableArrayRef(proposed).take_front(std::min<size_t>(proposed.size(), kMostTried))) {
      candidate.schedule = withParts(kernel, instance.kernel, candidate.schedule);
      Candidate given = candidate;
      candidate.schedule = withSwitches(kernel, candidate.schedule);
      bool isNew = llvm::none_of(candidates, [&](const Candidate &other) {
        return other.schedule == candidate.schedule && other.names == candidate.names;
      });
      if (taken == kMostOfEach || !isNew)
        continue;
      if (!isLegalForAll(kernel, candidate, exactOnly)) {
        candidate = given;
        if (!isLegalForAll(kernel, candidate, exactOnly))
          continue;
      }
      candidates.push_back(std::move(candidate));
      ++taken;
    }
  }
  SmallVector<double> losses(candidates.size(), 0);
  for (auto [i, instance] : llvm::enumerate(instances)) {
    SmallVector<double> cycles;
    double best = 0;
    for (Candidate &candidate : candidates) {
      cycles.push_back(instance.getCycles(strategy, candidate));
      // Kernels are compared, as joined and apart, at the most of their sizes.
      if (i == 0 && candidate.cycles != cycles.back()) {
        candidate.cycles = cycles.back();
        candidate.terms.clear();
      }
      if (cycles.back() > 0 && (best == 0 || cycles.back() < best))
        best = cycles.back();
    }
    // What has no price comes last.
    // What is typical counts as much as all others.
    bool isTypical = i == 1 && llvm::any_of(symbols, [&](StringAttr symbol) {
                       return getTypical(kernel, symbol).has_value();
                     });
    for (auto [loss, each] : llvm::zip(losses, cycles))
      loss += each > 0 ? std::log(each / best) * (isTypical ? kSizes - 1 : 1) : 100;
  }
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, candidates.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(losses[a], a) < std::pair(losses[b], b);
  });
  return llvm::map_to_vector(order, [&](unsigned i) { return candidates[i]; });
}

/// Whether another value of the symbol moves nothing in memory (a position in a cache): a choice by
/// it would have calls planned anew.
static bool isPosition(KernelOp kernel, StringAttr symbol) {
  auto function = kernel->getParentOfType<FunctionOpInterface>();
  bool inRoom = false, elsewhere = false;
  for (Type type : function ? function.getArgumentTypes() : ArrayRef<Type>()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !view::hasSymbols(tensor))
      continue;
    for (const Dim &size : view::getSizes(tensor))
      for (auto [name, factor] : size.getTerms())
        if (llvm::is_contained(getFactors(symbol), name))
          (view::hasRoom(tensor) ? inRoom : elsewhere) = true;
  }
  return inRoom && !elsewhere;
}

/// The symbols whose number of points decides how a kernel is best computed: sizes of axes that are
/// summed over, or along which something that is loaded is used again.
static SmallVector<StringAttr> getDecidingSymbols(KernelOp kernel) {
  AxisSets sets(kernel);
  llvm::SmallBitVector deciding(kernel.getNumAxes());
  bool reduces = false;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<ReduceOp, ContractOp>(op)) {
      deciding |= sets.reducedBy(&op);
      reduces = true;
    } else if (isa<ScanOp>(op) || (isa<StoreOp>(op) && sets.orderedBy(&op).any())) {
      return {};
    }
  }
  for (auto load : kernel.getBody().getOps<LoadOp>())
    if (reduces) {
      llvm::SmallBitVector others = sets.of(load.getResult());
      deciding |= others.flip();
    }
  SmallVector<StringAttr> symbols;
  for (StringAttr symbol : getSymbols(kernel))
    for (unsigned axis : deciding.set_bits())
      if (kernel.getSize(axis) == Dim::symbol(symbol) && !isPosition(kernel, symbol)) {
        symbols.push_back(symbol);
        break;
      }
  return symbols;
}

namespace {

/// The lists for ranges of one symbol, and what they save beside one list.
struct Ranges {
  RangeCandidates lists;
  double gain = 0;
};

/// The kernel in a range, with what is proposed for it.
struct RangeKernel {
  RangeKernel(KernelOp general, const SizeRange &range) : range(range) {
    kernel = narrow(general, range.symbol, range.least, range.most).release();
    block.push_back(kernel);
  }

  mlir::Block block;
  KernelOp kernel;
  SizeRange range;
};

} // namespace

static bool stagesForAll(ScheduleAttr list) {
  return llvm::any_of(list.getPrimitives(), [](Attribute primitive) {
    auto stage = dyn_cast<StageAttr>(primitive);
    return stage && makesKernels(ScheduleAttr::get(primitive.getContext(), primitive));
  });
}

static Ranges proposeRanges(const Strategy &strategy, KernelOp kernel, bool exactOnly,
                            const Candidate &all, StringAttr symbol) {
  constexpr double kWorthIt = 0.05;
  Ranges ranges;
  int64_t most = kernel::getMost(kernel, symbol).value_or(1);
  SmallVector<SizeRange> classes;
  int64_t least = 1;
  for (int64_t end : {1, 4, 8, 16, 64}) {
    if (end >= most)
      break;
    classes.push_back({symbol, least, end});
    least = end + 1;
  }
  classes.push_back({symbol, least, most});
  auto findBest = [&](KernelOp narrowed, const SizeRange &range) -> std::optional<Candidate> {
    for (Candidate &candidate : proposeForSizes(strategy, narrowed, exactOnly, 0,
                                                range.least == range.most ? nullptr : &range))
      if (!makesKernels(candidate.schedule) && candidate.cycles > 0)
        return candidate;
    return std::nullopt;
  };
  auto price = [&](KernelOp narrowed, const Candidate &candidate, const SizeRange &range) {
    double sum = 0;
    for (unsigned i = 0; i < kSizes; ++i) {
      auto valueOf = [&](StringAttr each) {
        SmallVector<int64_t> sizes = getRepresentatives(kernel, each, &range);
        return sizes[std::min<size_t>(i, sizes.size() - 1)];
      };
      double cycles = getCycles(strategy, narrowed, candidate, valueOf, i == 0);
      if (cycles <= 0)
        return std::numeric_limits<double>::infinity();
      sum += std::log(cycles);
    }
    return sum / kSizes;
  };
  std::optional<Candidate> last = findBest(kernel, classes.back());
  if (!last)
    return ranges;
  std::deque<RangeKernel> narrowed;
  SmallVector<std::optional<Candidate>> bests;
  for (const SizeRange &range : ArrayRef(classes).drop_back()) {
    narrowed.emplace_back(kernel, range);
    bests.push_back(findBest(narrowed.back().kernel, range));
  }
  // From many points to few.
  const Candidate *chosen = &*last;
  KernelOp within = kernel;
  ranges.lists = {{classes.back(), *chosen}};
  ranges.gain = price(kernel, all, classes.back()) - price(kernel, *chosen, classes.back());
  for (size_t i = narrowed.size(); i-- > 0;) {
    double before = price(within, *chosen, classes[i]);
    double after = bests[i] ? price(narrowed[i].kernel, *bests[i], classes[i]) : before;
    if (before - after > kWorthIt) {
      chosen = &*bests[i];
      within = narrowed[i].kernel;
      before = after;
      ranges.lists.insert(ranges.lists.begin(), {classes[i], *chosen});
    }
    ranges.gain += price(kernel, all, classes[i]) - before;
  }
  // Ranges that were not worth a list are those of the next one.
  int64_t next = 1;
  for (RangeCandidate &list : ranges.lists) {
    list.range.least = std::min(list.range.least, next);
    next = list.range.most + 1;
  }
  ranges.gain /= double(classes.size());
  return ranges;
}

RangeCandidates schedule::proposeVariants(const Strategy &strategy, KernelOp kernel, bool exactOnly,
                                          ArrayRef<Candidate> candidates) {
  constexpr double kLeastGain = 0.03;
  // Weights that are packed once serve all sizes; they are not to be in memory twice.
  bool readsConstant = llvm::any_of(kernel.getOperands(),
                                    [](Value value) { return matchPattern(value, m_Constant()); });
  if (candidates.empty() || (readsConstant && stagesForAll(candidates.front().schedule)))
    return {};
  Ranges best;
  for (StringAttr symbol : getDecidingSymbols(kernel)) {
    Ranges ranges = proposeRanges(strategy, kernel, exactOnly, candidates.front(), symbol);
    if (ranges.lists.size() > 1 && ranges.gain > std::max(best.gain, kLeastGain))
      best = std::move(ranges);
  }
  return best.lists;
}
