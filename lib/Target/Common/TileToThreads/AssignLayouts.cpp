// The pass tile-assign-layouts: components, their base layouts, and accesses with layouts of their
// own.
#include "BaseLayout.h"
#include "LaneTrades.h"
#include "UnitLayouts.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Common/Gpu.h"
#include "tw/Target/Common/Instructions.h"
#include "tw/Target/Common/KernelFrame.h"
#include "tw/Target/Common/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace tw {
#define GEN_PASS_DEF_TILEASSIGNLAYOUTSPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::threads;

namespace {

void setLayout(Value value, const layout::TileLayout &base) {
  auto type = cast<RankedTensorType>(value.getType());
  auto encoding = tile::LayoutAttr::get(value.getContext(), sliceFor(base, type.getShape()));
  auto laidOut = RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
  value.setType(laidOut);
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return;
  auto elements = cast<DenseElementsAttr>(constant.getValue());
  constant.setValueAttr(elements.isSplat() ? elements.resizeSplat(laidOut)
                                           : elements.reshape(laidOut));
}

/// What is copied without registers is read as wide as it is written.
void limitToCopies(AccessShape &access, int64_t vectorBytes) {
  auto load = dyn_cast<tile::LoadOp>(access.op);
  auto store =
      load && load->hasOneUse() ? dyn_cast<tile::StoreOp>(*load->user_begin()) : tile::StoreOp();
  if (!store || !store->hasAttr(tile::asynchronousAttrName))
    return;
  AccessShape written = *describeAccess(store, vectorBytes);
  for (auto [width, other] : llvm::zip(access.widths, written.widths))
    width = std::min(width, other);
}

/// %t = load   ->   %u = load in a layout of its own, %t = convert %u; stores alike.
void detach(const AccessShape &access, const layout::TileLayout &own) {
  OpBuilder builder(access.op);
  if (auto load = dyn_cast<tile::LoadOp>(access.op)) {
    builder.setInsertionPointAfter(load);
    Value result = load.getResult();
    auto convert = tile::ConvertOp::create(builder, load.getLoc(), result.getType(), result);
    result.replaceAllUsesExcept(convert.getResult(), convert);
    setLayout(result, own);
    return;
  }
  auto store = cast<tile::StoreOp>(access.op);
  Value stored = store.getValue();
  auto convert = tile::ConvertOp::create(builder, store.getLoc(), stored.getType(), stored);
  setLayout(convert.getResult(), own);
  store.getValueMutable().assign(convert);
}

/// %s, %t = scan %x   ->   the same in a layout in which it goes from thread to thread, between
/// conversions.
void detach(tile::ScanOp scan, const ThreadShape &threads) {
  auto type = cast<RankedTensorType>(scan.getValue().getType());
  unsigned dim = scan.getDim();
  layout::TileLayout own = chooseScanLayout(type.getShape(), dim, threads);
  OpBuilder builder(scan);
  auto convert = [&](Value from, Type to) {
    return tile::ConvertOp::create(builder, scan.getLoc(), to, from);
  };
  auto input = convert(scan.getValue(), type);
  setLayout(input.getResult(), own);
  scan.getValueMutable().assign(input);
  builder.setInsertionPointAfter(scan);
  for (Value result : scan.getResults()) {
    auto back = convert(result, result.getType());
    result.replaceAllUsesExcept(back.getResult(), back);
    setLayout(result, own);
  }
}

class TileAssignLayoutsPass : public tw::impl::TileAssignLayoutsPassBase<TileAssignLayoutsPass> {
public:
  using TileAssignLayoutsPassBase::TileAssignLayoutsPassBase;

  void runOnOperation() override {
    if (subgroup < 1 || !llvm::isPowerOf2_64(subgroup)) {
      tw::emitError(getOperation()->getLoc(), Code::T0423)
          << "expected subgroup to be a power of two, found " << subgroup.getValue();
      return signalPassFailure();
    }
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>([&](tile::FuncOp func) {
      return failed(assign(func)) ? WalkResult::interrupt() : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult assign(tile::FuncOp func) {
    if (failed(refuseTeam(func)))
      return failure();
    WalkResult sparse = func.walk([](arith::ConstantOp op) {
      if (!isa<RankedTensorType>(op.getType()) || isa<DenseElementsAttr>(op.getValue()))
        return WalkResult::advance();
      tw::emitOpError(op, Code::T0422) << "expected a dense constant";
      return WalkResult::interrupt();
    });
    if (sparse.wasInterrupted())
      return failure();
    WalkResult empty = func.walk([](Operation *op) {
      for (Type type : op->getResultTypes())
        if (auto tile = dyn_cast<RankedTensorType>(type); tile && tile.getNumElements() == 0) {
          tw::emitOpError(op, Code::T0422)
              << "expected tiles of at least one element, found " << tile;
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    if (empty.wasInterrupted())
      return failure();
    // As many threads as subgroups of the nominal size have.
    if (std::optional<uint64_t> warps = func.getWarps(); warps && subgroup > nominalSubgroup)
      func.setWarps(std::max<int64_t>(int64_t(*warps) * nominalSubgroup / subgroup, 1));
    ThreadShape threads{subgroup, int64_t(func.getWarps().value_or(1)), vectorBytes};
    Components components(func);
    UnitAssignment units(components, chip.getValue(), threads);
    if (failed(units.run(func)))
      return failure();
    llvm::MapVector<Component *, SmallVector<AccessShape>> accesses;
    for (Component &component : components.all())
      accesses[&component];
    bool copies = getInstructions(chip.getValue()).copies();
    func.walk([&](Operation *op) {
      std::optional<AccessShape> access = describeAccess(op, vectorBytes);
      if (!access)
        return;
      if (copies)
        limitToCopies(*access, vectorBytes);
      accesses[&components.of(access->tile)].push_back(*access);
    });
    for (auto &[component, own] : accesses) {
      const layout::TileLayout *required = units.find(*component);
      layout::TileLayout base =
          required ? *required : chooseLayout(component->frame, own, component->tiles, threads);
      for (Value tile : component->tiles)
        setLayout(tile, base);
      // Sums of units fill the other half of a sector by their next store.
      int64_t leastGain = required ? 8 : 2;
      for (const AccessShape &access : own)
        if (std::optional<layout::TileLayout> row = findRowLayout(access, base, threads, leastGain))
          detach(access, *row);
        else if (required && isa<tile::StoreOp>(access.op))
          for (const layout::TileLayout &traded : findLaneTrades(access, base))
            detach(access, traded);
    }
    for (const auto &[value, own] : units.getConverted())
      setLayout(value, own);
    func.walk([&](tile::ScanOp scan) {
      auto type = cast<RankedTensorType>(scan.getValue().getType());
      if (!isScannable(cast<tile::LayoutAttr>(type.getEncoding()).getLayout(), scan.getDim()))
        detach(scan, threads);
    });
    return success();
  }
};

} // namespace
