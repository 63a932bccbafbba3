// Products that go on while the next step of a ring begins.
//
//   barrier, fill slot i - 1, mma of slot i   ->   barrier, mma of slot i {ttile.open}, barrier,
//   fill
//
// A product that is open awaits the one before it. So behind it every thread is done with the slot
// of the step before, which may be filled, while the unit works on.
#include "LocalOperands.h"

#include "tw/Dialect/Tile/GroupAttrs.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

static bool readsInPlace(tile::MmaOp op) {
  auto load = op.getLhs().getDefiningOp<tile::LoadOp>();
  return load && load->hasAttr(tile::inPlaceAttrName);
}

/// Whether what the unit reads is filled ahead, as the slots of rings are. Other memory is filled
/// by the step that reads it: before the product, and while the one before it is open.
static bool readsRing(Value operand) {
  auto load = operand.getDefiningOp<tile::LoadOp>();
  return !load || !load->hasAttr(tile::inPlaceAttrName) ||
         llvm::all_of(load.getSource().getUsers(), [](Operation *user) {
           return !isa<tile::StoreOp>(user) || user->hasAttr(tile::asynchronousAttrName) ||
                  user->hasAttr(tile::boxAttrName);
         });
}

namespace {

/// A product in a step of a loop: what stands between the wait and it.
struct ProductStep {
  /// A barrier that waits, or ttile.await.
  Operation *begin = nullptr;
  tile::MmaOp product;
  /// What the product needs of it, in order.
  SmallVector<Operation *> needed;
  bool fills = false;
};

} // namespace

/// The step of a product that everything between the wait and it may follow.
static std::optional<ProductStep> findStep(tile::MmaOp product) {
  if (!readsRing(product.getLhs()) || !readsRing(product.getRhs()))
    return std::nullopt;
  ProductStep step;
  step.product = product;
  SmallVector<Operation *> between;
  for (Operation *op = product->getPrevNode(); !step.begin; op = op->getPrevNode()) {
    if (!op || op->getNumRegions() != 0 || isa<tile::MmaOp>(op))
      return std::nullopt;
    if (isa<tile::BarrierOp, tile::AwaitOp>(op))
      step.begin = op;
    if (isa<tile::BarrierOp>(op) && !op->hasAttr(tile::waitAttrName))
      return std::nullopt;
    between.push_back(op);
    step.fills |= isa<tile::StoreOp>(op);
  }
  between.pop_back();
  llvm::SmallPtrSet<Operation *, 8> wanted = {product};
  for (Operation *op : between) {
    if (llvm::none_of(op->getUsers(), [&](Operation *user) { return wanted.contains(user); }))
      continue;
    if (!op->hasAttr(tile::inPlaceAttrName) && !isPure(op))
      return std::nullopt;
    wanted.insert(op);
    step.needed.insert(step.needed.begin(), op);
  }
  return step;
}

/// The products that a loop adds to the sums that it carries at a place, the last one first; none
/// if something else touches these.
static SmallVector<tile::MmaOp> findProducts(scf::ForOp loop, unsigned number) {
  SmallVector<tile::MmaOp> products;
  Value sums = loop.getYieldedValues()[number];
  while (sums != loop.getRegionIterArg(number)) {
    auto product = sums.getDefiningOp<tile::MmaOp>();
    if (!product || !readsInPlace(product) || !sums.hasOneUse() ||
        product->getBlock() != loop.getBody())
      return {};
    products.push_back(product);
    sums = product.getAccumulator();
  }
  return sums.hasOneUse() ? products : SmallVector<tile::MmaOp>();
}

static void leaveOpen(const ProductStep &step) {
  Operation *last = step.begin;
  for (Operation *op : step.needed) {
    op->moveAfter(last);
    last = op;
  }
  tile::MmaOp product = step.product;
  product->moveAfter(last);
  OpBuilder builder(product->getContext());
  product->setAttr(tile::openAttrName, builder.getStringAttr("alone"));
  builder.setInsertionPointAfter(product);
  if (step.fills)
    tile::BarrierOp::create(builder, product.getLoc())
        ->setAttr(tile::spentAttrName, builder.getUnitAttr());
}

/// Whether the next product of the sums follows, and nothing between stores.
static bool isFollowed(tile::MmaOp product) {
  if (!readsInPlace(product) || product->hasAttr(tile::openAttrName) ||
      !product.getResult().hasOneUse())
    return false;
  auto next = dyn_cast<tile::MmaOp>(*product->user_begin());
  if (!next || !readsInPlace(next) || next->getBlock() != product->getBlock() ||
      next->getAttr(tile::unitAttrName) != product->getAttr(tile::unitAttrName))
    return false;
  for (Operation *op = product->getNextNode(); op != next; op = op->getNextNode())
    if (isa<tile::StoreOp>(op) || op->getNumRegions() != 0)
      return false;
  return true;
}

/// The next product, if nothing but loads of its operands stands between, and it takes its left one
/// from registers: both may go on beside each other.
static tile::MmaOp findCompanion(tile::MmaOp product) {
  if (!readsInPlace(product))
    return {};
  Operation *next = product->getNextNode();
  while (next && next->hasAttr(tile::inPlaceAttrName))
    next = next->getNextNode();
  auto other = dyn_cast_or_null<tile::MmaOp>(next);
  auto isInPlace = [](Value operand) {
    auto load = operand.getDefiningOp<tile::LoadOp>();
    return load && load->hasAttr(tile::inPlaceAttrName);
  };
  if (!other || isInPlace(other.getLhs()) == isInPlace(other.getRhs()) ||
      llvm::is_contained(other->getOperands(), product.getResult()))
    return {};
  return other;
}

void tw::threads::openProducts(tile::FuncOp func) {
  func.walk([&](scf::ForOp loop) {
    // One group of products is open at a time.
    if (llvm::count_if(loop.getYieldedValues(), [](Value value) {
          auto product = value.getDefiningOp<tile::MmaOp>();
          return product && readsInPlace(product);
        }) != 1)
      return;
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
      SmallVector<ProductStep> steps;
      SmallVector<tile::MmaOp> products = findProducts(loop, i);
      for (tile::MmaOp product : products)
        if (std::optional<ProductStep> step = findStep(product))
          steps.push_back(*step);
      if (steps.size() == products.size())
        llvm::for_each(steps, leaveOpen);
    }
  });
  // What is left over behind the loop.
  func.walk([&](tile::MmaOp product) {
    if (isFollowed(product))
      product->setAttr(tile::openAttrName, StringAttr::get(func.getContext(), "all"));
  });
  // What threads compute until they read the sums runs beside.
  func.walk([&](tile::MmaOp product) {
    tile::MmaOp other = findCompanion(product);
    if (!other || product->hasAttr(tile::openAttrName) || other->hasAttr(tile::openAttrName))
      return;
    product->setAttr(tile::openAttrName, StringAttr::get(func.getContext(), "all"));
    other->setAttr(tile::openAttrName, StringAttr::get(func.getContext(), "read"));
  });
}
