// Attention of fewer queries than lanes: a program for each, or for several that share what is
// read, which reads keys and values once, as they lie in memory where that repays combining lanes.
#include "Attention.h"

#include "Accesses.h"
#include "Balance.h"

#include "tw/Schedule/Strides.h"
#include "tw/Schedule/Tile.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

namespace {

class FewQueries : Attention {
public:
  explicit FewQueries(const Attention &of) : Attention(of), list(kernel) {}

  void propose(SmallVectorImpl<HostCandidate> &candidates) {
    if (extent(keyAxis) < lanes)
      return;
    int64_t queries = laneAxis ? extent(*laneAxis) : 1;
    bool isLessThanVector = queries < std::max<int64_t>(2, lanes / kFewQueries);
    tile.scoreRows = lanes;
    tile.resultRows =
        shareEvenly(extent(resultAxis), std::clamp<int64_t>(traits.registers / 2, 1, lanes));
    unsigned inner = *longest(innerAxes);
    bool inOrder = runsAlong(key, inner) && runsAlong(values.getDefiningOp(), resultAxis) &&
                   extent(inner) >= lanes / 2 && extent(resultAxis) >= lanes / 2;
    for (bool skips : {true, false}) {
      if (skips && !mask)
        continue;
      for (InOrder form :
           inOrder ? findForms(inner, queries, isLessThanVector) : SmallVector<InOrder>())
        addInOrder(candidates, form, inner, skips);
      if (isLessThanVector)
        addTransposed(candidates, skips);
    }
  }

private:
  ListBuilder list;
  int64_t lanes = countLanes();
  AttentionTile tile;

  /// Rows of queries in a program's tile, where it has several; the vectors of results that each of
  /// them has in registers; vectors of keys that all rows meet before the next ones, 0 for all.
  struct InOrder {
    int64_t rows = 0, width = 1, block = 0;
  };

  /// Forms of lists that read keys and values in order. Registers hold a row of values and a weight
  /// beside the sums, a tile all lanes of the keys and of what is summed, the nearest cache the
  /// keys that rows share.
  SmallVector<InOrder> findForms(unsigned inner, int64_t queries, bool isLessThanVector) {
    SmallVector<InOrder> forms;
    int64_t vectors = llvm::divideCeil(extent(resultAxis), lanes);
    if (isLessThanVector)
      forms.push_back({0, shareEvenly(vectors, std::max<int64_t>(1, traits.registers / 4)), 0});
    int64_t terms = 1;
    for (unsigned axis : innerAxes.set_bits())
      terms *= extent(axis);
    int64_t blocks = llvm::divideCeil(extent(keyAxis), lanes);
    int64_t most = std::max<int64_t>(1, traits.l1Bytes / 2 / (terms * lanes * bits() / 8));
    int64_t block = most < blocks ? findEven(blocks, most) : 0, last = 0;
    for (int64_t width = traits.registers / 4; width > 1 && queries > 1; width /= 2) {
      int64_t shared = shareEvenly(vectors, width);
      int64_t held =
          std::min<int64_t>((traits.registers - 1) / shared - 1, kMaxTileElements / lanes / lanes);
      int64_t rows = findEven(queries, std::max<int64_t>(1, held));
      if (shared != last && rows > 1)
        forms.push_back({rows, shared, block});
      last = shared;
    }
    return forms;
  }

  /// Whether memory is contiguous along the axis of what the op loads, or converts.
  bool runsAlong(Operation *op, unsigned axis) {
    if (auto converted = dyn_cast<arith::ExtFOp>(op))
      op = converted.getIn().getDefiningOp();
    auto load = dyn_cast_or_null<LoadOp>(op);
    return load && getUsualStride(load, kernel.getAxis(axis)) == 1;
  }

  /// Begins a list; `rows` are the parts of the axis of queries, if a program has several.
  void start(ArrayRef<StringAttr> rows = {}) {
    for (unsigned axis : sets.of(score->getResult(0)).set_bits())
      if (!keyAxes[axis] && (rows.empty() || axis != *laneAxis))
        list.grid.push_back(list.name(axis));
    if (rows.size() > 1)
      list.grid.push_back(rows.front());
    for (unsigned axis : resultAxes.set_bits())
      if (axis != resultAxis)
        list.order.push_back(list.name(axis));
  }

  /// Keys and values as they lie in memory: lanes along what scores sum over, combined for a block
  /// of keys, and along the results. What is between the two products has the keys along the lanes.
  void addInOrder(SmallVectorImpl<HostCandidate> &candidates, InOrder form, unsigned inner,
                  bool skips) {
    list = ListBuilder(kernel);
    SmallVector<StringAttr> rows, query;
    if (form.rows)
      rows = list.divide(*laneAxis, {{"_r", form.rows}});
    start(rows);
    if (form.rows)
      query.push_back(rows.back());
    SmallVector<StringAttr> keys = form.block
                                       ? list.divide(keyAxis, {{"_m", form.block}, {"_l", lanes}})
                                       : list.divide(keyAxis, {{"_l", lanes}});
    SmallVector<StringAttr> terms = list.divide(inner, {{"_l", lanes}});
    SmallVector<StringAttr> results = list.divide(resultAxis, {{"_r", form.width * lanes}});
    llvm::append_range(list.order, results);
    SmallVector<StringAttr> sums(ArrayRef(list.order).drop_back()), panel;
    llvm::append_range(sums, query);
    sums.push_back(results.back());
    for (unsigned axis : keyAxes.set_bits()) {
      SmallVector<StringAttr> whole{list.name(axis)};
      llvm::append_range(panel, axis == keyAxis ? ArrayRef(keys).drop_back() : ArrayRef(whole));
    }
    llvm::append_range(list.order, panel);
    auto place = form.block ? llvm::find(panel, keys.front()) + 1 : panel.begin();
    panel.insert(place, query.begin(), query.end());
    for (unsigned axis : innerAxes.set_bits())
      if (axis != inner || terms.size() > 1)
        list.order.push_back(axis == inner ? terms.front() : list.name(axis));
    list.tile = {terms.back()};
    llvm::append_range(list.tile, query);
    list.tile.push_back(keys.back());
    panel.push_back(keys.back());
    list.stage(isScoreExpensive() ? score : scores.getOperation(), "score", panel,
               /*global=*/false);
    list.stage(sum, "sum", sums, /*global=*/false);
    finish(candidates, skips);
  }

  void finish(SmallVectorImpl<HostCandidate> &candidates, bool skips) {
    keepWeights(list);
    if (skips)
      list.skip(list.name(keyAxis));
    candidates.push_back({"attention", list.finish()});
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
  void addTransposed(SmallVectorImpl<HostCandidate> &candidates, bool skips) {
    list = ListBuilder(kernel);
    start();
    SmallVector<StringAttr> keys = list.divide(keyAxis, {{"_l", lanes}});
    SmallVector<StringAttr> results = list.divide(resultAxis, {{"_r", tile.resultRows}});
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
    finish(candidates, skips);
  }
};

} // namespace

void tw::schedule::host::proposeFewQueries(const Attention &of,
                                           SmallVectorImpl<HostCandidate> &candidates) {
  FewQueries(of).propose(candidates);
}
