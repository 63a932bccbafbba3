// Rings of rows whose runs trade places, which copies of boxes fill and matrix units read.
//
//   ttile.store %tile, %ring {ttile.asynchronous}   ->   the same {ttile.box}: one thread has it
//                                                        copied
//   ttile.barrier {ttile.wait}                      ->   ttile.await %arrivals[slot] filling %n
//
//   memref<4x64x256xbf16, strided<[16896, 264, 1]>>   ->   memref<4x4x64x64xbf16> {ttile.swizzle}
//   (slot, row, column)                               ->   (slot, column floordiv 64, row,
//                                                           column mod 64)
#include "RingBoxes.h"

#include "Boxes.h"
#include "LocalOperands.h"
#include "Scalars.h"

#include "tw/Dialect/Tile/GroupAttrs.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

/// Rows after which the pattern begins anew by which runs trade places, and bytes of these rows at
/// least and at most.
static constexpr int64_t patternRows = 8, leastSwizzle = 32, mostSwizzle = 128;

static int64_t getElementBytes(MemRefType type) { return type.getElementTypeBitWidth() / 8; }

RingBoxes::Ring *RingBoxes::lookup(Value memory) {
  auto *ring = llvm::find_if(rings, [&](Ring &own) { return own.alloc.getMemory() == memory; });
  return ring == rings.end() ? nullptr : ring;
}

std::string RingBoxes::addRing(tile::AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getMemory().getType());
  ArrayRef<int64_t> shape = type.getShape();
  if (!inPlace.contains(alloc) || shape.size() != 3 ||
      llvm::any_of(alloc.getMemory().getUsers(), [](Operation *user) {
        return isa<tile::LoadOp>(user) && !user->hasAttr(tile::inPlaceAttrName);
      }))
    return "threads read a ring";
  int64_t bytes = shape[2] * getElementBytes(type), swizzle = std::min(bytes, mostSwizzle);
  if (!llvm::isPowerOf2_64(swizzle) || swizzle < leastSwizzle || bytes % swizzle != 0 ||
      shape[1] % patternRows != 0)
    return ("a slot has " + Twine(shape[1]) + " rows of " + Twine(bytes) + " bytes").str();
  if (!rings.empty() && rings.front().slots != shape[0])
    return "rings have different numbers of slots";
  rings.push_back({alloc, shape[0], shape[1], shape[2], swizzle / getElementBytes(type)});
  return "";
}

std::string RingBoxes::addFilling(tile::StoreOp store) {
  auto alloc = store.getDestination().getDefiningOp<tile::AllocOp>();
  auto load = store.getValue().getDefiningOp<tile::LoadOp>();
  if (!alloc || !load)
    return "a ring is filled with what is computed";
  if (!lookup(alloc.getMemory()))
    if (std::string why = addRing(alloc); !why.empty())
      return why;
  const Ring &ring = *lookup(alloc.getMemory());
  auto buffer = dyn_cast<BlockArgument>(load.getSource());
  if (!buffer || buffer.getOwner() != &func.getBody().front() || func.getBufferSizes() ||
      func.isResult(buffer.getArgNumber()))
    return "a ring is filled from memory that is no operand of fixed sizes";
  if (llvm::any_of(load.getIndices(), [](Value index) { return !index.getType().isIndex(); }))
    return "an operand is gathered";
  ArrayRef<AffineExpr> places = store.getMap().getMap().getResults();
  auto row = dyn_cast<AffineDimExpr>(places[1]), column = dyn_cast<AffineDimExpr>(places[2]);
  auto tile = cast<RankedTensorType>(load.getResult().getType());
  if (!isa<AffineConstantExpr>(places[0]) || !row || !column ||
      tile.getNumElements() != ring.rows * ring.columns)
    return "a slot is filled otherwise than in rows";
  std::string why;
  FailureOr<tile::BoxAttr> box = findBox(
      {load, row.getPosition(), column.getPosition(), ring.rows, ring.columns, ring.width}, why);
  if (failed(box))
    return why;
  fillings.push_back({store, *box});
  return "";
}

static std::optional<int64_t> findSlotOf(tile::LoadOp load) {
  auto slot = dyn_cast<AffineConstantExpr>(load.getMap().getMap().getResult(0));
  return slot ? std::optional(slot.getValue()) : std::nullopt;
}

/// The slot of boxes that is read behind a barrier; below 0 if there are several.
std::optional<int64_t> RingBoxes::findSlot(tile::BarrierOp barrier) {
  std::optional<int64_t> slot;
  if (auto known = barrier->getAttrOfType<IntegerAttr>(tile::slotAttrName))
    return known.getInt();
  for (Operation *op = barrier->getNextNode(); op; op = op->getNextNode()) {
    if (isa<tile::BarrierOp>(op) && op->hasAttr(tile::waitAttrName))
      break;
    auto load = dyn_cast<tile::LoadOp>(op);
    if (!load || !lookup(load.getSource()))
      continue;
    int64_t own = findSlotOf(load).value_or(-1);
    slot = slot.value_or(own) == own ? own : -1;
  }
  return slot;
}

/// Counts how often each slot is awaited.
std::string RingBoxes::addStep(tile::BarrierOp barrier, MutableArrayRef<int64_t> counts) {
  std::optional<int64_t> slot = findSlot(barrier);
  if (!slot)
    return "";
  if (*slot < 0)
    return "several slots are read at once";
  auto loop = dyn_cast<scf::ForOp>(barrier->getParentOp());
  if ((!loop && barrier->getParentOp() != func) || (loop && loop->getParentOp() != func))
    return "a ring is filled again and again";
  steps.push_back({barrier, *slot, counts[*slot]});
  if (!loop) {
    ++counts[*slot];
    return "";
  }
  std::optional<APInt> trips = loop.getStaticTripCount();
  bool isAgain = llvm::any_of(ArrayRef(steps).drop_back(), [&](const Step &step) {
    return step.slot == *slot && step.barrier->getParentOp() == loop;
  });
  if (!trips || isAgain || getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1)
    return "a loop over a ring is not one of tile-pipeline";
  counts[*slot] += trips->getSExtValue();
  return "";
}

/// How often a store of a filling runs, without iterations that there are not; nothing if that is
/// not known.
static std::optional<int64_t> countFillings(tile::StoreOp store) {
  auto loop = dyn_cast<scf::ForOp>(store->getParentOp());
  std::optional<APInt> trips = loop ? loop.getStaticTripCount() : APInt(64, 1);
  auto load = store.getValue().getDefiningOp<tile::LoadOp>();
  auto end = load->getAttrOfType<IntegerAttr>(tile::beforeAttrName);
  if (!trips || !end)
    return trips ? std::optional(trips->getSExtValue()) : std::nullopt;
  // Its index grows with that of the loop.
  bool isLoop = true;
  layout::Expr index = getExpr(load.getIndices().back(), [&](Value root) {
    isLoop &= loop && root == loop.getInductionVar();
    return 0u;
  });
  std::span<const layout::Term> terms = index.getTerms();
  if (!isLoop || terms.size() != 1 || !terms[0].atom.isDim() || terms[0].coefficient < 1)
    return std::nullopt;
  int64_t there = llvm::divideCeilSigned(end.getInt() - index.getConstant(), terms[0].coefficient);
  return std::clamp<int64_t>(there, 0, trips->getSExtValue());
}

/// Whether each filling is awaited: none may be under way when the program ends.
bool RingBoxes::awaitsAll(ArrayRef<int64_t> awaited) {
  for (const Ring &ring : rings) {
    SmallVector<int64_t> filled(ring.slots);
    for (const Filling &filling : fillings) {
      tile::StoreOp store = filling.store;
      if (lookup(store.getDestination()) != &ring)
        continue;
      std::optional<int64_t> count = countFillings(store);
      if (!count)
        return false;
      auto slot = cast<AffineConstantExpr>(store.getMap().getMap().getResult(0));
      filled[slot.getValue()] += *count;
    }
    if (ArrayRef<int64_t>(filled) != awaited)
      return false;
  }
  return true;
}

std::string RingBoxes::addSteps() {
  SmallVector<int64_t> counts(rings.front().slots);
  std::string why;
  func.walk<WalkOrder::PreOrder>([&](tile::BarrierOp barrier) {
    if (why.empty() && barrier->hasAttr(tile::waitAttrName))
      why = addStep(barrier, counts);
  });
  if (why.empty() && !awaitsAll(counts))
    why = "a slot is filled that nobody waits for";
  return why;
}

int64_t RingBoxes::Ring::getBytes() const {
  return rows * columns *
         getElementBytes(cast<MemRefType>(tile::AllocOp(alloc).getMemory().getType()));
}

/// Never more than the memory had, which is what schedules count.
bool RingBoxes::hasRoom() {
  int64_t before = 0, after = 0;
  for (const Ring &ring : rings) {
    auto alloc = tile::AllocOp(ring.alloc);
    before +=
        alloc.getNumElements() * getElementBytes(cast<MemRefType>(alloc.getMemory().getType()));
    after += ring.slots * ring.getBytes();
  }
  // Words that count what arrives and what is released, and the begin of a pattern.
  int64_t words = rings.front().slots * (func->hasAttr(tile::loadingAttrName) ? 2 : 1);
  return after + words * int64_t(sizeof(uint64_t)) + patternRows * mostSwizzle <= before;
}

/// Leaves the ring to threads, and says why.
void RingBoxes::refuse(Operation *alloc, StringRef why) {
  llvm::erase_if(fillings, [&](const Filling &filling) {
    return tile::StoreOp(filling.store).getDestination().getDefiningOp() == alloc;
  });
  llvm::erase_if(rings, [&](const Ring &ring) { return ring.alloc == alloc; });
  refused.insert(alloc);
  if (alloc)
    alloc->setAttr(tile::byThreadsAttrName, StringAttr::get(func.getContext(), why));
}

bool RingBoxes::find() {
  func.walk([&](tile::StoreOp store) {
    if (!store->hasAttr(tile::asynchronousAttrName))
      return;
    stores.push_back(store);
    Operation *alloc = store.getDestination().getDefiningOp();
    if (refused.contains(alloc))
      return;
    if (std::string why = addFilling(store); !why.empty())
      refuse(alloc, why);
  });
  if (rings.empty())
    return false;
  std::string why = addSteps();
  if (why.empty() && !hasRoom())
    why = "local memory has no room for rows that begin where patterns do";
  while (!why.empty() && !rings.empty())
    refuse(rings.back().alloc, why);
  return !rings.empty();
}

void RingBoxes::layInParts(const Ring &ring) {
  tile::AllocOp alloc = ring.alloc;
  auto type = cast<MemRefType>(alloc.getMemory().getType());
  alloc.getMemory().setType(
      MemRefType::get({ring.slots, ring.columns / ring.width, ring.rows, ring.width},
                      type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace()));
  alloc->setAttr(tile::swizzleAttrName,
                 Builder(func.getContext()).getI64IntegerAttr(ring.width * getElementBytes(type)));
  accessParts(alloc, ring.width);
}

/// Memory with a word for each slot, behind the rings.
Value RingBoxes::makeArrivals() {
  Operation *last = rings.front().alloc;
  for (const Ring &ring : rings)
    if (ring.alloc->getBlock() == last->getBlock() && last->isBeforeInBlock(ring.alloc))
      last = ring.alloc;
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  auto type =
      MemRefType::get({rings.front().slots}, builder.getI64Type(), MemRefLayoutAttrInterface(),
                      cast<MemRefType>(last->getResult(0).getType()).getMemorySpace());
  auto alloc = tile::AllocOp::create(builder, last->getLoc(), type);
  alloc->setAttr(tile::arrivalsAttrName, builder.getUnitAttr());
  return alloc.getMemory();
}

/// Says of each box which filling of its slot it is.
void RingBoxes::countEach() {
  Builder builder(func.getContext());
  llvm::DenseMap<std::pair<Operation *, int64_t>, int64_t> counts;
  for (const Filling &filling : fillings) {
    tile::StoreOp store = filling.store;
    auto slot = cast<AffineConstantExpr>(store.getMap().getMap().getResult(0));
    int64_t &count = counts[{store.getDestination().getDefiningOp(), slot.getValue()}];
    store->setAttr(tile::fillingAttrName, builder.getI64IntegerAttr(count));
    count += *countFillings(store);
  }
}

/// Stores become boxes, filling by filling; a filling of threads ends with the last store of
/// theirs.
void RingBoxes::placeBoxes(int64_t bytes) {
  Builder builder(func.getContext());
  bool isFirst = true;
  tile::StoreOp byThreads;
  for (tile::StoreOp store : stores) {
    auto *filling = llvm::find_if(fillings, [&](Filling &own) { return own.store == store; });
    bool ends = store->hasAttr(tile::commitAttrName);
    if (filling == fillings.end()) {
      byThreads = store;
    } else {
      store->setAttr(tile::boxAttrName, filling->box);
      if (std::exchange(isFirst, false))
        store->setAttr(tile::expectsAttrName, builder.getI64IntegerAttr(bytes));
      store->removeAttr(tile::asynchronousAttrName);
      store->removeAttr(tile::commitAttrName);
    }
    if (!ends)
      continue;
    if (byThreads)
      byThreads->setAttr(tile::commitAttrName, builder.getUnitAttr());
    byThreads = {};
    isFirst = true;
  }
}

SmallVector<Operation *> RingBoxes::place() {
  Value arrivals = makeArrivals();
  OpBuilder builder(func.getContext());
  int64_t bytes = 0;
  SmallVector<Value> memory;
  SmallVector<Operation *> placed;
  for (const Ring &ring : rings) {
    bytes += ring.getBytes();
    layInParts(ring);
    placed.push_back(ring.alloc);
    memory.push_back(placed.back()->getResult(0));
  }
  placeBoxes(bytes);
  if (func->hasAttr(tile::loadingAttrName))
    countEach();
  for (const Step &step : steps) {
    tile::BarrierOp barrier = step.barrier;
    builder.setInsertionPoint(barrier);
    Location location = barrier.getLoc();
    Value filling;
    if (auto loop = dyn_cast<scf::ForOp>(barrier->getParentOp())) {
      filling = loop.getInductionVar();
      if (step.before != 0)
        filling = affine::AffineApplyOp::create(
            builder, location, AffineMap::get(1, 0, builder.getAffineDimExpr(0) + step.before),
            filling);
    } else {
      filling = arith::ConstantIndexOp::create(builder, location, step.before);
    }
    tile::AwaitOp::create(builder, location, arrivals, builder.getI64IntegerAttr(step.slot),
                          filling, memory);
    // What threads copied is waited for behind it.
    if (refused.empty())
      barrier.erase();
  }
  return placed;
}
