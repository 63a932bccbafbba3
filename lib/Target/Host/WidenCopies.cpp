// The pass host-widen-copies: loops that copy a few neighbours at a time copy many.
//
//   scf.for %k = 0 to 2816 { 2 elements }   ->   scf.for %k = 0 to 2816 step 32 { 64 elements }
//
// A panel whose last dimension is the group of a dot product is filled group by group, also where
// groups follow each other in memory and in the panel.
#include "BlockAccess.h"

#include "tw/Dialect/Tile/Ranges.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace tw {
#define GEN_PASS_DEF_HOSTWIDENCOPIESPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::host;

namespace {

/// A loop that loads a few neighbours, stores them, and does nothing else.
class CopyLoop {
public:
  explicit CopyLoop(scf::ForOp loop) : loop(loop) {}

  bool match() {
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                           upper = getConstantIntValue(loop.getUpperBound());
    if (!lower || !upper || getConstantIntValue(loop.getStep()) != 1 || loop.getNumResults() != 0)
      return false;
    first = *lower;
    trips = *upper - *lower;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (auto found = dyn_cast<tile::LoadOp>(op); found && !load)
        load = found;
      else if (auto found = dyn_cast<tile::StoreOp>(op); found && !store)
        store = found;
      else if (!isa<affine::AffineApplyOp, arith::ConstantOp>(op))
        return false;
    }
    if (!load || !store || store.getValue() != load.getResult() || store.getStreaming() ||
        !load.getResult().hasOneUse())
      return false;
    auto tile = cast<RankedTensorType>(load.getResult().getType());
    points = tile.getNumElements();
    // Whole registers already, or none at all.
    constexpr int64_t kMostPoints = 8;
    if (tile.getRank() == 0 || tile.getShape().back() != points || points > kMostPoints ||
        trips * points <= kPoints || kPoints % points != 0)
      return false;
    from = follow(load, load.getSource());
    to = follow(store, store.getDestination());
    return from && to;
  }

  void replace() {
    OpBuilder builder(loop);
    Location location = loop.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, location, value);
    };
    int64_t each = kPoints / points, whole = trips / each * each, left = trips - whole;
    auto wide = scf::ForOp::create(builder, location, constant(first), constant(first + whole),
                                   constant(each));
    OpBuilder inside(wide.getBody()->getTerminator());
    copy(inside, wide.getInductionVar(), kPoints);
    if (left)
      copy(builder, constant(first + whole), left * points);
    loop.erase();
  }

private:
  /// Elements that are copied at once.
  static constexpr int64_t kPoints = 64;

  scf::ForOp loop;
  tile::LoadOp load;
  tile::StoreOp store;
  std::optional<LoopAccess> from, to;
  int64_t first = 0, trips = 0, points = 0;

  /// Whether iterations follow each other in memory, all inside of it.
  template <typename Op> std::optional<LoopAccess> follow(Op op, Value memory) {
    std::optional<ArrayRef<bool>> inBounds = op.getInBounds();
    if (!inBounds || llvm::is_contained(*inBounds, false) || op->hasAttr(tile::straysAttrName) ||
        op->hasAttr(tile::LoadOp::getAheadAttrName()) || !op.getMap().getGuards().empty())
      return std::nullopt;
    unsigned rank = cast<RankedTensorType>(load.getResult().getType()).getRank();
    std::optional<LoopAccess> found = getAccess(loop, rank, op.getMap(), op.getIndices());
    if (!found)
      return std::nullopt;
    BlockAccess access(found->map, cast<MemRefType>(memory.getType()));
    bool follows =
        (points == 1 || access.getStride(rank - 1) == 1) && access.getStride(rank) == points;
    return follows ? found : std::nullopt;
  }

  void copy(OpBuilder &builder, Value index, int64_t count) {
    auto tile = cast<RankedTensorType>(load.getResult().getType());
    SmallVector<int64_t> shape(tile.getShape());
    shape.back() = count;
    auto indices = [&](const LoopAccess &access) {
      SmallVector<Value> all{index};
      llvm::append_range(all, access.operands);
      return all;
    };
    unsigned last = tile.getRank() - 1;
    auto read = tile::LoadOp::create(
        builder, load.getLoc(), tile.clone(shape), load.getSource(), indices(*from),
        from->join(shape, last, points, load.getMap().getOutside()), load.getInBoundsAttr());
    tile::StoreOp::create(builder, store.getLoc(), read.getResult(), store.getDestination(),
                          indices(*to), to->join(shape, last, points, store.getMap().getOutside()),
                          store.getInBoundsAttr(), /*streaming=*/false);
  }
};

class HostWidenCopiesPass : public tw::impl::HostWidenCopiesPassBase<HostWidenCopiesPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    for (auto program : getOperation().getOps<tile::FuncOp>())
      program.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (CopyLoop copy(loop); copy.match())
        copy.replace();
  }
};

} // namespace
