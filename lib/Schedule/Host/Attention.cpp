// The strategy for attention and its like: a contraction whose result is reduced, and contracted
// again, over an axis of its own.
//
//   s = sum over d of q[i, d] * k[j, d]    m = max over j of s    p = exp(s - m)
//   l = sum over j of p                    o = sum over j of p * v[j, e]
//
// Vectors run along i in every stage: rows of a score tile are points of j, those of a result tile
// points of e, and what both need of k and v are scalars where they are. Only q is packed, once a
// program. Reductions over j are elementwise then, and so is all else. The scores of a program's
// rows stay in the second-level cache, where the exponentials take their places.
#include "Accesses.h"
#include "ListBuilder.h"
#include "Strategies.h"

#include "../Mask.h"
#include "../Strides.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

class Attention {
public:
  Attention(KernelOp kernel, const HostTraits &traits)
      : kernel(kernel), traits(traits), sets(kernel), list(kernel) {}

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (!match() || !findAxes())
      return;
    std::string why;
    mask = findMask(kernel, keyAxis, why);
    if (mask && !isa<arith::SelectOp>(mask->mask))
      mask = std::nullopt;
    int64_t lanes = std::max<int64_t>(1, traits.lanes * 32 / bits());
    if (!laneAxis || extent(*laneAxis) < lanes / kFewQueries)
      return proposeFew(lanes, candidates);
    // Rows and vectors of accumulators beside one row of vectors and a scalar.
    vectors = std::min<int64_t>(kVectors, llvm::divideCeil(extent(*laneAxis), lanes));
    width = vectors * lanes;
    int64_t rows = (traits.registers - 1 - vectors) / vectors;
    if (rows < 1)
      return;
    scoreRows = even(extent(keyAxis), rows);
    resultRows = even(extent(resultAxis), rows);
    int64_t most = traits.l1Bytes / 2 / (width * bits() / 8) / scoreRows;
    int64_t part =
        balance(llvm::divideCeil(extent(keyAxis), scoreRows), std::max<int64_t>(2, most));
    // Fewer queries than lanes are filled up with zeros to a power of two: a vector without a mask.
    int64_t filled = int64_t(llvm::PowerOf2Ceil(extent(*laneAxis)));
    bool canFill = filled < lanes && filled > extent(*laneAxis);
    for (bool skips : {true, false})
      for (int64_t block : {int64_t(0), part})
        for (bool fills : {true, false}) {
          if ((skips && !mask) || (block && block * scoreRows >= extent(keyAxis)) ||
              (fills && !canFill))
            continue;
          list = ListBuilder(kernel);
          addSchedule(block, skips, fills ? filled : width, fills ? EdgeMode::Pad : EdgeMode::Peel);
          candidates.push_back({"attention", list.finish(), estimate(block, skips)});
        }
  }

private:
  /// Vectors of a tile: each scalar that is loaded serves two multiply-adds.
  static constexpr int64_t kVectors = 2;
  /// Vectors of queries that fill less than one of so many parts do not pay.
  static constexpr int64_t kFewQueries = 4;

  KernelOp kernel;
  const HostTraits &traits;
  AxisSets sets;
  ListBuilder list;
  /// The two products; the operands of the first that has the lanes and of the one that has not;
  /// the last value before a reduction; what the second product sums, and with what.
  ContractOp scores, sum;
  Operation *query = nullptr, *key = nullptr, *score = nullptr;
  Value weights, values;
  std::optional<unsigned> laneAxis;
  unsigned keyAxis = 0, resultAxis = 0;
  llvm::SmallBitVector keyAxes, innerAxes, resultAxes;
  int64_t vectors = 1, width = 1, scoreRows = 1, resultRows = 1;
  std::optional<SkippedAxis> mask;

  int64_t extent(unsigned axis) const { return const_cast<KernelOp &>(kernel).getExtents()[axis]; }
  int64_t bits() { return scores.getType().getIntOrFloatBitWidth(); }

  static int64_t balance(int64_t extent, int64_t most) {
    return llvm::divideCeil(extent, llvm::divideCeil(extent, most));
  }

  /// Rows that divide the extent, where more than half of the most do: tiles at an edge are code of
  /// their own, and of every stage.
  static int64_t even(int64_t extent, int64_t most) {
    for (int64_t rows = most; rows * 2 > most; --rows)
      if (extent % rows == 0)
        return rows;
    return balance(extent, most);
  }

  static bool needs(Value value, Operation *producer) {
    SmallVector<Value> work{value};
    llvm::DenseSet<Operation *> seen;
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (op == producer)
        return true;
      if (op && seen.insert(op).second)
        llvm::append_range(work, op->getOperands());
    }
    return false;
  }

  bool match() {
    for (Operation &op : kernel.getBody().front()) {
      if (isa<ScanOp>(op))
        return false;
      auto contract = dyn_cast<ContractOp>(op);
      if (contract && sum)
        return false;
      if (contract)
        (scores ? sum : scores) = contract;
    }
    if (!sum)
      return false;
    bool swapped = needs(sum.getOperand(1), scores);
    weights = sum.getOperand(swapped);
    values = sum.getOperand(!swapped);
    if (!needs(weights, scores) || needs(values, scores) || !isa<FloatType>(scores.getType()))
      return false;
    for (ContractOp contract : {scores, sum})
      for (Value operand : contract->getOperands().take_front(2))
        if (operand.getType() != scores.getType() || !operand.getDefiningOp())
          return false;
    keyAxes = sets.reducedBy(sum);
    innerAxes = sets.reducedBy(scores);
    for (auto reduce : kernel.getBody().getOps<ReduceOp>())
      if (sets.reducedBy(reduce) != keyAxes)
        return false;
    // As far as nothing else needs it, one value after another becomes the score.
    Value last = scores.getResult();
    while (last.hasOneUse()) {
      Operation *user = *last.user_begin();
      if (isa<ReduceOp, ContractOp, StoreOp>(user) || user->getNumResults() != 1 ||
          sets.of(user->getResult(0)) != sets.of(last))
        break;
      last = user->getResult(0);
    }
    score = last.getDefiningOp();
    return true;
  }

  /// The longest axis of the set.
  std::optional<unsigned> longest(const llvm::SmallBitVector &axes) {
    std::optional<unsigned> best;
    for (unsigned axis : axes.set_bits())
      if (!best || extent(axis) > extent(*best))
        best = axis;
    return best;
  }

  bool findAxes() {
    auto own = [&](Value value, Value other) {
      llvm::SmallBitVector axes = sets.of(value);
      axes.reset(sets.of(other)).reset(innerAxes).reset(keyAxes);
      return axes;
    };
    for (auto [i, operand] : llvm::enumerate(scores->getOperands().take_front(2))) {
      Value other = scores->getOperand(1 - i);
      if (sets.of(operand).anyCommon(keyAxes))
        continue;
      query = operand.getDefiningOp();
      key = other.getDefiningOp();
      laneAxis = longest(own(operand, other).reset(sets.of(values)));
    }
    resultAxes = own(values, weights);
    std::optional<unsigned> longestKey = longest(keyAxes), longestResult = longest(resultAxes);
    llvm::SmallBitVector stored(kernel.getNumAxes());
    for (auto store : kernel.getBody().getOps<StoreOp>())
      for (Value index : store.getIndices())
        stored |= sets.of(index);
    if (!query || !longestKey || !longestResult || stored != sets.of(sum.getResult()))
      return false;
    keyAxis = *longestKey;
    resultAxis = *longestResult;
    return true;
  }

  /// Whether so many rows at this distance push each other out of the nearest cache.
  bool collides(Operation *operand, unsigned axis, int64_t rows) {
    auto load = dyn_cast<LoadOp>(operand);
    if (!load)
      return false;
    std::optional<int64_t> stride =
        getStride(cast<RankedTensorType>(load.getSource().getType()), load.getMap().getMap(),
                  load.getIndices(), kernel.getAxis(axis));
    int64_t cacheSets = traits.l1Bytes / traits.lineBytes / traits.l1Ways;
    int64_t step =
        std::max<int64_t>(1, std::abs(stride.value_or(1)) * bits() / 8 / traits.lineBytes);
    return rows > traits.l1Ways * (cacheSets / std::gcd(step, cacheSets));
  }

  /// Few queries: a program for each, which reads keys and values once.
  void proposeFew(int64_t lanes, SmallVectorImpl<HostCandidate> &candidates) {
    if (extent(keyAxis) < lanes)
      return;
    vectors = 1;
    width = 1;
    scoreRows = lanes;
    resultRows = balance(extent(resultAxis), std::min(lanes, traits.registers / 2));
    unsigned inner = *longest(innerAxes);
    bool inOrder = runsAlong(key, inner) && runsAlong(values.getDefiningOp(), resultAxis) &&
                   extent(inner) >= lanes / 2 && extent(resultAxis) >= lanes / 2;
    double points = double(sets.points(sets.of(scores.getResult())));
    for (bool skips : {true, false}) {
      if (skips && !mask)
        continue;
      HostEstimate cost = estimate(/*block=*/0, skips);
      // Lanes are combined once for each score, and results are scalars.
      HostEstimate read = cost;
      constexpr double kCombined = 4, kScalar = 8;
      read.overhead += points / double(lanes) * kCombined +
                       double(sets.points(sets.of(sum.getResult()))) * kScalar;
      cost.overhead += points * double(sets.points(innerAxes) + extent(resultAxis)) *
                       (2 * std::log2(double(lanes)) + 2) / double(lanes);
      if (inOrder) {
        addFewInOrder(inner, lanes, skips);
        candidates.push_back({"attention", list.finish(), read});
      }
      addFewTransposed(lanes, skips);
      candidates.push_back({"attention", list.finish(), cost});
    }
  }

  /// Whether memory is contiguous along the axis of what the op loads, or converts.
  bool runsAlong(Operation *op, unsigned axis) {
    if (auto converted = dyn_cast<arith::ExtFOp>(op))
      op = converted.getIn().getDefiningOp();
    auto load = dyn_cast_or_null<LoadOp>(op);
    return load && getUsualStride(load, kernel.getAxis(axis)) == 1;
  }

  void startFew() {
    list = ListBuilder(kernel);
    for (unsigned axis : sets.of(score->getResult(0)).set_bits())
      if (!keyAxes[axis])
        list.grid.push_back(list.name(axis));
    for (unsigned axis : resultAxes.set_bits())
      if (axis != resultAxis)
        list.order.push_back(list.name(axis));
  }

  /// Keys and values as they lie in memory: lanes along what scores sum over, combined for a block
  /// of keys, and along the results. What is between the two products has the keys along the lanes.
  void addFewInOrder(unsigned inner, int64_t lanes, bool skips) {
    startFew();
    int64_t width = balance(llvm::divideCeil(extent(resultAxis), lanes), traits.registers / 4);
    SmallVector<StringAttr> keys = list.divide(keyAxis, {{"_l", lanes}});
    SmallVector<StringAttr> terms = list.divide(inner, {{"_l", lanes}});
    SmallVector<StringAttr> results = list.divide(resultAxis, {{"_r", width * lanes}});
    llvm::append_range(list.order, results);
    SmallVector<StringAttr> sums(list.order), panel;
    for (unsigned axis : keyAxes.set_bits())
      if (axis != keyAxis || keys.size() > 1)
        panel.push_back(axis == keyAxis ? keys.front() : list.name(axis));
    llvm::append_range(list.order, panel);
    for (unsigned axis : innerAxes.set_bits())
      if (axis != inner || terms.size() > 1)
        list.order.push_back(axis == inner ? terms.front() : list.name(axis));
    list.tile = {terms.back(), keys.back()};
    panel.push_back(keys.back());
    list.stage(isScoreExpensive() ? score : scores.getOperation(), "score", panel,
               /*global=*/false);
    list.stage(sum, "sum", sums, /*global=*/false);
    keepWeights();
    if (skips)
      list.skip(list.name(keyAxis));
  }

  /// Whether a function is between the first product and the score.
  bool isScoreExpensive() {
    for (Operation *op = score; op != scores; op = op->getPrevNode())
      if (isExpensive(op) && needs(score->getResult(0), op) && needs(op->getResult(0), scores))
        return true;
    return false;
  }

  /// The keys along the lanes in both products: blocks are transposed in registers where memory is
  /// contiguous along another axis.
  void addFewTransposed(int64_t lanes, bool skips) {
    startFew();
    SmallVector<StringAttr> keys = list.divide(keyAxis, {{"_l", lanes}});
    SmallVector<StringAttr> results = list.divide(resultAxis, {{"_r", resultRows}});
    llvm::append_range(list.order, ArrayRef(results).drop_back());
    SmallVector<StringAttr> panel, rows;
    for (unsigned axis : keyAxes.set_bits())
      if (axis != keyAxis || keys.size() > 1)
        panel.push_back(axis == keyAxis ? keys.front() : list.name(axis));
    llvm::append_range(list.order, panel);
    for (unsigned axis : innerAxes.set_bits()) {
      list.order.push_back(list.name(axis));
      rows.push_back(list.name(axis));
    }
    list.tile = {results.back(), keys.back()};
    rows.push_back(keys.back());
    panel.push_back(keys.back());
    if (keys.size() > 1)
      list.stage(key, "key", rows, /*global=*/false, /*window=*/false, keys.front());
    list.stage(score, "score", panel, /*global=*/false);
    keepWeights();
    if (skips)
      list.skip(list.name(keyAxis));
  }

  void keepWeights() {
    for (Operation &op : kernel.getBody().front())
      if (op.getNumResults() == 1 && isExpensive(&op) && &op != score &&
          sets.of(op.getResult(0)).anyCommon(keyAxes) && needs(op.getResult(0), score))
        list.keep(&op, KeepPlace::Local, "weight");
  }

  /// Scalars of bf16 or f16 are converted once for all programs, not again for each one's rows.
  /// They stay in the order in which they are in memory.
  void packConverted(Operation *op,
                     llvm::function_ref<SmallVector<StringAttr>(unsigned axis)> getParts) {
    auto converted = dyn_cast<arith::ExtFOp>(op);
    auto load = converted ? converted.getIn().getDefiningOp<LoadOp>() : LoadOp();
    if (!load)
      return;
    SmallVector<unsigned> axes(sets.of(load.getResult()).set_bits());
    auto rank = [&](unsigned axis) {
      return std::pair(-getUsualStride(load, kernel.getAxis(axis)).value_or(0), axis);
    };
    llvm::sort(axes, [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
    SmallVector<StringAttr> dims;
    for (unsigned axis : axes)
      llvm::append_range(dims, getParts(axis));
    list.stage(op, "converted", dims, /*global=*/true);
  }

  /// With the keys in blocks of so many tiles, or all at once where there are none, and so many
  /// queries in a tile.
  void addSchedule(int64_t block, bool skips, int64_t queries, EdgeMode edge) {
    auto divide = [&](unsigned axis, int64_t inner) { return list.divide(axis, {{"_r", inner}}); };
    SmallVector<StringAttr> lane = list.divide(*laneAxis, {{"_l", queries}}, edge);
    SmallVector<StringAttr> keys = block ? list.divide(keyAxis, {{"_m", block}, {"_r", scoreRows}})
                                         : divide(keyAxis, scoreRows);
    SmallVector<StringAttr> results = divide(resultAxis, resultRows);
    for (unsigned axis : sets.of(score->getResult(0)).set_bits())
      if (axis != *laneAxis && !keyAxes[axis])
        list.grid.push_back(list.name(axis));
    if (lane.size() > 1)
      list.grid.push_back(lane.front());

    if (block)
      list.order.push_back(keys.front());
    for (unsigned axis : resultAxes.set_bits())
      if (axis != resultAxis)
        list.order.push_back(list.name(axis));
    llvm::append_range(list.order, ArrayRef(results).drop_back());
    ArrayRef<StringAttr> inner = ArrayRef(keys).drop_front(block ? 1 : 0);
    SmallVector<StringAttr> panel, packed;
    for (unsigned axis : keyAxes.set_bits()) {
      SmallVector<StringAttr> whole{list.name(axis)};
      llvm::append_range(list.order, axis == keyAxis ? inner : ArrayRef(whole));
      llvm::append_range(panel, axis == keyAxis ? inner.drop_back() : ArrayRef(whole));
    }
    panel.push_back(keys.back());
    for (unsigned axis : innerAxes.set_bits()) {
      list.order.push_back(list.name(axis));
      packed.push_back(list.name(axis));
    }
    list.tile = {results.back(), lane.back()};

    SmallVector<StringAttr> rows(packed);
    packed.push_back(lane.back());
    panel.push_back(lane.back());
    rows.push_back(keys.back());
    list.stage(query, "query", packed, /*global=*/false);
    auto getParts = [&](unsigned axis) {
      return axis == keyAxis      ? keys
             : axis == resultAxis ? results
                                  : SmallVector<StringAttr>{list.name(axis)};
    };
    for (Operation *op : {key, values.getDefiningOp()})
      packConverted(op, getParts);
    if (inner.size() > 1 && collides(key, keyAxis, scoreRows))
      list.stage(key, "key", rows, /*global=*/false, /*window=*/false, inner.front());
    list.stage(score, "score", panel, /*global=*/false, /*window=*/false,
               block ? keys.front() : StringAttr());
    keepWeights();
    if (block && results.size() > 1)
      list.keep(sum, KeepPlace::Local, "sum");
    if (block)
      list.online(keys.front());
    if (skips)
      list.skip(list.name(keyAxis));
  }

  /// The share of the keys that are seen, on average over the lanes' axis.
  double getSeen() {
    const SkippedAxis::Bound &bound = mask->bounds.front();
    double least = bound.constant, most = bound.constant;
    for (auto [axis, coefficient] : llvm::enumerate(bound.coefficients)) {
      double reach = double(coefficient) * double(extent(axis) - 1);
      if (axis != mask->axis)
        (reach < 0 ? least : most) += reach;
    }
    auto share = [&](double value) {
      return std::clamp((value / double(-bound.coefficients[mask->axis]) + 1) /
                            double(extent(mask->axis)),
                        0.0, 1.0);
    };
    return (share(least) + share(most)) / 2;
  }

  HostEstimate estimate(int64_t block, bool skips) {
    constexpr double kFunction = 16;
    // How much of the traffic with the next level does not hide behind multiply-adds: measured, a
    // few per cent.
    constexpr double kStreamShare = 0.05;
    HostEstimate estimate;
    double registersPerVector = std::max<int64_t>(1, bits() / 32);
    auto count = [&](Value value) {
      return double(sets.points(sets.of(value))) / double(traits.lanes) * registersPerVector;
    };
    double seen = skips ? getSeen() : 1;
    double scorePoints = count(scores.getResult()) * seen, resultPoints = count(sum.getResult());
    double products = scorePoints * double(sets.points(innerAxes)) +
                      resultPoints * double(sets.points(keyAxes)) * seen;
    double elementwise = 0;
    for (Operation &op : kernel.getBody().front())
      if (!isa<ContractOp, LoadOp, StoreOp>(op) && op.getNumResults() == 1 &&
          sets.of(op.getResult(0)).anyCommon(keyAxes) && needs(op.getResult(0), scores))
        elementwise += scorePoints * (isExpensive(&op) ? kFunction : 1);
    estimate.compute = (products + elementwise) / traits.fmaPerCycle;
    estimate.l1 =
        products * (1.0 / double(vectors) + 1.0 / double(scoreRows)) / traits.loadsPerCycle;
    // Scores are written and read twice, weights once per tile of results.
    double tiles = double(llvm::divideCeil(extent(resultAxis), resultRows));
    double bytes = scorePoints * double(traits.lanes) * 4 * (4 + tiles);
    if (block) {
      // Sums are read, scaled and written once more for each block.
      double blocks = double(extent(keyAxis)) / double(block * scoreRows) * seen;
      estimate.overhead =
          resultPoints * blocks *
          (1 / traits.fmaPerCycle + 1 / traits.loadsPerCycle + 1 / traits.storesPerCycle);
    } else {
      double panel = double(extent(keyAxis)) * double(width * bits() / 8);
      estimate.l2 = panel > double(traits.l1Bytes) / 2 ? bytes / traits.l2BytesPerCycle : 0;
      if (panel > double(traits.l2Bytes))
        estimate.l2 += bytes / (panel > double(traits.l3Bytes) ? traits.memoryBytesPerCycle
                                                               : traits.l3BytesPerCycle);
      estimate.overhead = estimate.l2 * kStreamShare;
    }
    double programs =
        double(sets.points(sets.of(weights))) / double(extent(keyAxis)) / double(width) * seen;
    estimate.memory = programs * double(extent(keyAxis)) *
                      double(sets.points(innerAxes) + extent(resultAxis)) * double(bits()) / 8 /
                      traits.l3BytesPerCycle;
    estimate.registers = std::max(scoreRows, resultRows) * vectors + vectors + 1;
    return estimate;
  }
};

} // namespace

void tw::schedule::host::proposeAttention(KernelOp kernel, const HostTraits &traits,
                                          SmallVectorImpl<HostCandidate> &candidates) {
  Attention(kernel, traits).propose(candidates);
}
