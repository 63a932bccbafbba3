// Attention of fewer queries than a part of a vector: a program for each, which reads keys and
// values once, as they lie in memory where that repays combining lanes.
#include "Attention.h"

#include "Accesses.h"
#include "Balance.h"

#include "tw/Schedule/Strides.h"

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
    tile.scoreRows = lanes;
    tile.resultRows = shareEvenly(extent(resultAxis), std::min(lanes, traits.registers / 2));
    unsigned inner = *longest(innerAxes);
    bool inOrder = runsAlong(key, inner) && runsAlong(values.getDefiningOp(), resultAxis) &&
                   extent(inner) >= lanes / 2 && extent(resultAxis) >= lanes / 2;
    for (bool skips : {true, false}) {
      if (skips && !mask)
        continue;
      if (inOrder) {
        addInOrder(inner, skips);
        candidates.push_back({"attention", list.finish()});
      }
      addTransposed(skips);
      candidates.push_back({"attention", list.finish()});
    }
  }

private:
  ListBuilder list;
  int64_t lanes = countLanes();
  AttentionTile tile;

  /// Whether memory is contiguous along the axis of what the op loads, or converts.
  bool runsAlong(Operation *op, unsigned axis) {
    if (auto converted = dyn_cast<arith::ExtFOp>(op))
      op = converted.getIn().getDefiningOp();
    auto load = dyn_cast_or_null<LoadOp>(op);
    return load && getUsualStride(load, kernel.getAxis(axis)) == 1;
  }

  void start() {
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
  void addInOrder(unsigned inner, bool skips) {
    start();
    int64_t width = shareEvenly(llvm::divideCeil(extent(resultAxis), lanes), traits.registers / 4);
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
    keepWeights(list);
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
  void addTransposed(bool skips) {
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
    keepWeights(list);
    if (skips)
      list.skip(list.name(keyAxis));
  }
};

} // namespace

void tw::schedule::host::proposeFewQueries(const Attention &of,
                                           SmallVectorImpl<HostCandidate> &candidates) {
  FewQueries(of).propose(candidates);
}
