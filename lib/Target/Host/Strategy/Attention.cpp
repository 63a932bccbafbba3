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
#include "Attention.h"

#include "Accesses.h"
#include "Balance.h"
#include "Strategies.h"

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

/// Vectors of a tile: each scalar that is loaded serves two multiply-adds.
constexpr int64_t kVectors = 2;

/// The keys in blocks of so many tiles, or all at once where there are none; what is left out and
/// kept, and so many queries in a tile.
struct AttentionForm {
  int64_t block;
  bool skips, keepsLast;
  int64_t queries;
  EdgeMode edge;
};

class ManyQueries : Attention {
public:
  explicit ManyQueries(const Attention &of) : Attention(of), list(kernel) {}

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    int64_t lanes = countLanes();
    // Rows and vectors of accumulators beside one row of vectors and a scalar.
    tile.vectors = std::min<int64_t>(kVectors, llvm::divideCeil(extent(*laneAxis), lanes));
    tile.queries = tile.vectors * lanes;
    int64_t rows = (traits.registers - 1 - tile.vectors) / tile.vectors;
    if (rows < 1)
      return;
    tile.scoreRows = chooseScoreRows(rows);
    tile.resultRows = findEven(extent(resultAxis), rows);
    int64_t most = traits.l1Bytes / 2 / (tile.queries * bits() / 8) / tile.scoreRows;
    int64_t part =
        shareEvenly(llvm::divideCeil(extent(keyAxis), tile.scoreRows), std::max<int64_t>(2, most));
    // Queries that are no whole vectors are filled up with zeros: rows of a buffer whose vectors
    // reach into the next ones, under masks, would each wait until the row before is stored.
    int64_t queries = extent(*laneAxis);
    int64_t filled = queries < lanes ? int64_t(llvm::PowerOf2Ceil(queries))
                                     : llvm::alignTo(queries, uint64_t(lanes));
    bool fills = filled <= tile.queries && filled > queries;
    AttentionForm form{0, false, false, fills ? filled : tile.queries,
                       fills ? EdgeMode::Pad : EdgeMode::Peel};
    for (bool skips : {true, false})
      for (bool keepsLast : {false, true})
        for (int64_t block : {int64_t(0), part}) {
          if ((skips && !mask) || (block && block * tile.scoreRows >= extent(keyAxis)) ||
              (keepsLast && (block || !computesWeights())) || (block && !above.empty()))
            continue;
          form.block = block, form.skips = skips, form.keepsLast = keepsLast;
          list = ListBuilder(kernel);
          addSchedule(form);
          candidates.push_back({"attention", list.finish()});
        }
  }

private:
  ListBuilder list;
  AttentionTile tile;

  /// Of keys whose number a call settles tiles with fewer rows have less behind the last key and
  /// behind the last one that a mask shows, and loops over them are unrolled as a whole, as long as
  /// they hide the latency twice over. Where a scalar of a key is loaded for one vector, the rows
  /// share the load of that, and only a mask makes up for fewer of them.
  int64_t chooseScoreRows(int64_t most) {
    auto fewer = int64_t(llvm::bit_floor(uint64_t(most)));
    bool hides = double(fewer * tile.vectors) >= 2 * double(traits.fmaLatency) * traits.fmaPerCycle;
    if (isSettled(kernel, keyAxis) && hides && (tile.vectors > 1 || mask) && extent(keyAxis) > most)
      return fewer;
    return findEven(extent(keyAxis), most);
  }

  /// Whether so many rows at this distance push each other out of the nearest cache.
  bool collides(Operation *operand, unsigned axis, int64_t rows) {
    auto load = dyn_cast<LoadOp>(operand);
    if (!load)
      return false;
    std::optional<int64_t> stride =
        getStride(cast<RankedTensorType>(load.getSource().getType()), load.getMap().getMap(),
                  load.getIndices(), kernel.getAxis(axis));
    return rows > countUsableLines(std::abs(stride.value_or(1)) * bits() / 8, traits);
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

  /// The queries, or what is reduced of them and multiplied by that.
  void stageQueries(ArrayRef<StringAttr> packed) {
    if (above.empty())
      return list.stage(query, "query", packed, /*global=*/false);
    for (auto load : kernel.getBody().getOps<LoadOp>())
      if (needs(query->getResult(0), load) && sets.of(load.getResult())[*laneAxis] &&
          innerAxes.subsetOf(sets.of(load.getResult())))
        list.stage(load, "row", packed, /*global=*/false);
    list.keep(query, KeepPlace::Local, "query");
  }

  void addSchedule(const AttentionForm &form) {
    int64_t block = form.block;
    auto divide = [&](unsigned axis, int64_t inner) { return list.divide(axis, {{"_r", inner}}); };
    SmallVector<StringAttr> lane = list.divide(*laneAxis, {{"_l", form.queries}}, form.edge);
    SmallVector<StringAttr> keys =
        block ? list.divide(keyAxis, {{"_m", block}, {"_r", tile.scoreRows}})
              : divide(keyAxis, tile.scoreRows);
    SmallVector<StringAttr> results = divide(resultAxis, tile.resultRows);
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
    stageQueries(packed);
    auto getParts = [&](unsigned axis) {
      return axis == keyAxis      ? keys
             : axis == resultAxis ? results
                                  : SmallVector<StringAttr>{list.name(axis)};
    };
    for (Operation *op : {key, values.getDefiningOp()})
      packConverted(op, getParts);
    if (inner.size() > 1 && collides(key, keyAxis, tile.scoreRows))
      list.stage(key, "key", rows, /*global=*/false, /*window=*/false, inner.front());
    list.stage(score, "score", panel, /*global=*/false, /*window=*/false,
               block ? keys.front() : StringAttr());
    keepWeights(list, form.keepsLast);
    if (block && results.size() > 1)
      list.keep(sum, KeepPlace::Local, "sum");
    if (block)
      list.online(keys.front());
    if (form.skips)
      list.skip(list.name(keyAxis));
  }
};

} // namespace

void tw::schedule::host::proposeAttention(KernelOp kernel, const HostTraits &traits,
                                          SmallVectorImpl<HostCandidate> &candidates) {
  Attention attention(kernel, traits);
  if (!attention.match())
    return;
  int64_t queries = attention.laneAxis ? attention.extent(*attention.laneAxis) : 1;
  if (queries < attention.countLanes() && attention.above.empty())
    proposeFewQueries(attention, candidates);
  if (attention.laneAxis && queries >= attention.countLanes() / kFewQueries)
    ManyQueries(attention).propose(candidates);
}
