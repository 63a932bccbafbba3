// Contiguous lanes are one vector, lanes a few elements apart whole vectors that are shuffled
// together, lanes that may lie outside masked, all others gathered or scattered.
#include "PartAccess.h"

#include "Strided.h"
#include "tw/Dialect/View/Algebra.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace tw::host;

/// A gather or scatter of few lanes becomes a load or store for each of them; so the places are
/// known as they are, and none is computed in a vector.
static constexpr int64_t kFewLanes = 8;

PartAccess::PartAccess(OpBuilder &builder, Location location, const Parts &parts,
                       RankedTensorType tile, const Part &part, TypeRange indexTypes,
                       ArrayRef<ValueRange> indices, MemRefType memory, tw::view::MapAttr map,
                       std::optional<ArrayRef<bool>> inBounds, bool strays, int64_t sureLanes)
    : builder(builder), location(location), part(part),
      indexValues(select(parts, part, indexTypes, indices)),
      lanes(builder, location, part, indexValues, sureLanes), map(map), strays(strays),
      hasMasks(parts.hasMasks()) {
  for (tw::view::GuardAttr guard : map.getGuards()) {
    LaneMask &mask = guards.emplace_back();
    lanes.require(mask, guard.getSet());
    lanes.require(all, mask);
  }
  AffineExpr address = getAffineConstantExpr(0, builder.getContext());
  SmallVector<int64_t> strides = stridesOf(memory);
  for (auto [dim, coordinate] : llvm::enumerate(map.getMap().getResults())) {
    AffineExpr bound = lanes.bind(coordinate);
    if (!inBounds || !(*inBounds)[dim])
      lanes.requireInside(all, bound, memory.getDimSize(dim));
    address = address + bound * strides[dim];
  }
  inside = all;
  lanes.requireValid(all);
  // What coordinates take apart that lie together in memory, the address has together.
  this->address = tw::view::simplify(AffineMap::get(1 + indexValues.size(), 0, address),
                                     SmallVector<int64_t>(1 + indexValues.size(), -1))
                      .getResult(0);
}

Value PartAccess::load(Value memory, Type element, bool longRuns) {
  Value fill = constant(map.getOutsideFill(element), element);
  Value value = all.never ? fill : loadInside(memory, element, fill, longRuns);
  return applyGuards(value, element);
}

void PartAccess::prefetch(Value memory, int64_t ahead, bool isFar, AffineExpr &fetched,
                          int64_t size) {
  constexpr int64_t kLineBits = 512;
  std::optional<LaneMaps::Linear> form = lanes.linear(address);
  if (all.never || !form || (part.lanes != 1 && form->coefficient != size))
    return;
  if (fetched) {
    AffineExpr apart = simplifyAffineExpr(form->rest - fetched, 1 + indexValues.size(), 0);
    auto elements = dyn_cast<AffineConstantExpr>(apart);
    int64_t bits = cast<MemRefType>(memory.getType()).getElementTypeBitWidth();
    if (elements && elements.getValue() >= 0 && elements.getValue() * bits < kLineBits)
      return;
  }
  fetched = form->rest;
  memref::PrefetchOp::create(builder, location, memory, lanes.scalar(form->rest + ahead),
                             /*isWrite=*/false, /*localityHint=*/isFar ? 2 : 3,
                             /*isDataCache=*/true);
}

void PartAccess::store(Value memory, Value value, bool streaming) {
  if (all.never)
    return;
  Type type = cast<MemRefType>(memory.getType()).getElementType();
  if (getElementTypeOrSelf(value.getType()) != type)
    value = arith::ExtUIOp::create(builder, location, laneType(type, part.lanes), value);
  if (part.lanes == 1)
    return storeScalar(memory, value);
  std::optional<LaneMaps::Linear> form = lanes.linear(address);
  if (form && form->coefficient == 1) {
    Value base = readable(lanes.scalar(form->rest));
    if (all.always())
      storeVector(memory, value, base, streaming, isWhole(form->rest));
    else if (isMaskSplit(type) || (!hasMasks && all.uniform && !all.varying))
      storeIfInside(memory, value, base);
    else
      vector::MaskedStoreOp::create(builder, location, memory, base, lanes.materialize(all), value);
    return;
  }
  if (form && all.always() && (part.lanes <= kFewLanes || !hasMasks))
    return storeApart(memory, value, *form);
  auto [base, offsets] = scattered(form);
  vector::ScatterOp::create(builder, location, Type(), memory, base, offsets,
                            lanes.materialize(all), value);
}

void PartAccess::storeApart(Value memory, Value value, const LaneMaps::Linear &form) {
  for (int64_t lane = 0; lane < part.lanes; ++lane) {
    Value element = vector::ExtractOp::create(builder, location, value, lane);
    memref::StoreOp::create(builder, location, element, memory,
                            lanes.scalar(form.rest + lane * form.coefficient));
  }
}

std::optional<AffineExpr> PartAccess::getEnd() const {
  std::optional<LaneMaps::Linear> form = lanes.linear(address);
  if (part.lanes == 1 || all.never || !all.varying || all.uniform || all.isOther ||
      all.ends.size() != 1 || !form || form->coefficient != 1)
    return std::nullopt;
  return all.ends.front();
}

bool PartAccess::endsWith(const PartAccess &other) const {
  std::optional<AffineExpr> end = getEnd(), otherEnd = other.getEnd();
  return end && otherEnd && *end == *otherEnd && part.lanes == other.part.lanes &&
         llvm::all_of(llvm::seq<unsigned>(0, indexValues.size()), [&](unsigned i) {
           return !end->isFunctionOfDim(1 + i) || indexValues[i] == other.indexValues[i];
         });
}

Value PartAccess::computeEnd() { return lanes.scalar(all.ends.front()); }

Value PartAccess::computeBase() { return lanes.scalar(lanes.linear(address)->rest); }

void PartAccess::storeAll(Value memory, Value value, Value base, bool streaming) {
  storeVector(memory, value, base, streaming, isWhole(lanes.linear(address)->rest));
}

bool PartAccess::arePacked(ArrayRef<PartAccess *> group, bool allowSpare) {
  PartAccess &first = *group.front();
  int64_t size = group.size();
  std::optional<LaneMaps::Linear> start;
  for (auto [g, access] : llvm::enumerate(group)) {
    std::optional<LaneMaps::Linear> form = access->lanes.linear(access->address);
    if (!form || !(allowSpare ? access->inside : access->all).always() ||
        access->indexValues != first.indexValues ||
        (access->part.lanes != 1 && form->coefficient != size))
      return false;
    if (g == 0)
      start = form;
    AffineExpr offset =
        simplifyAffineExpr(form->rest - start->rest, 1 + first.indexValues.size(), 0);
    if (offset != getAffineConstantExpr(int64_t(g), first.builder.getContext()))
      return false;
  }
  return true;
}

SmallVector<Value> PartAccess::loadPacked(Value memory, Type element, int64_t size) {
  // No more than lies in the tile, and zeros.
  int64_t valid = size * part.valid;
  auto type = VectorType::get({valid}, element);
  Value all = vector::LoadOp::create(builder, location, type, memory,
                                     lanes.scalar(lanes.linear(address)->rest));
  if (part.valid < part.lanes) {
    Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(type));
    SmallVector<int64_t> mask(size * part.lanes, valid);
    std::iota(mask.begin(), mask.begin() + valid, 0);
    all = vector::ShuffleOp::create(builder, location, all, zero, mask);
  }
  SmallVector<Value> values;
  for (int64_t g = 0; g < size; ++g) {
    if (part.lanes == 1) {
      values.push_back(vector::ExtractOp::create(builder, location, all, g));
      continue;
    }
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < part.lanes; ++lane)
      mask.push_back(lane * size + g);
    values.push_back(vector::ShuffleOp::create(builder, location, all, all, mask));
  }
  return values;
}

void PartAccess::storePacked(Value memory, ArrayRef<Value> values) {
  Value all;
  if (part.lanes == 1) {
    auto type = VectorType::get({int64_t(values.size())}, values.front().getType());
    all = vector::FromElementsOp::create(builder, location, type, values);
  } else {
    auto interleave = [&](Value a, Value b) -> Value {
      return vector::InterleaveOp::create(builder, location, a, b);
    };
    all = values.size() == 2
              ? interleave(values[0], values[1])
              : interleave(interleave(values[0], values[2]), interleave(values[1], values[3]));
  }
  vector::StoreOp::create(builder, location, all, memory,
                          lanes.scalar(lanes.linear(address)->rest));
}

SmallVector<Value> PartAccess::select(const Parts &parts, const Part &part, TypeRange types,
                                      ArrayRef<ValueRange> indices) {
  SmallVector<Value> values;
  for (auto [type, index] : llvm::zip(types, indices)) {
    auto tile = dyn_cast<RankedTensorType>(type);
    values.push_back(index[tile ? parts.indexOf(tile, part.coordinates) : 0]);
  }
  return values;
}

/// Whether the address is that of a whole vector, counted from the start of the memory.
bool PartAccess::isWhole(AffineExpr rest) const { return rest.isMultipleOf(part.lanes); }

void PartAccess::storeVector(Value memory, Value value, Value base, bool streaming, bool isWhole) {
  auto store = vector::StoreOp::create(builder, location, value, memory, base);
  if (!streaming)
    return;
  if (!isWhole) {
    store->setAttr(streamedAttribute, builder.getUnitAttr());
    return;
  }
  auto type = cast<VectorType>(value.getType());
  store.setNontemporal(true);
  store.setAlignment(part.lanes * type.getElementTypeBitWidth() / 8);
}

Value PartAccess::constant(TypedAttr attribute, Type element) {
  // Booleans that are loaded as the bytes that memory holds.
  if (auto boolean = dyn_cast<BoolAttr>(attribute); boolean && !element.isInteger(1))
    attribute = builder.getIntegerAttr(element, boolean.getValue());
  return splatConstant(builder, location, attribute, part.lanes);
}

Value PartAccess::zeroIndex() { return arith::ConstantIndexOp::create(builder, location, 0); }

/// Base index and per-lane offsets of an access that is not contiguous.
std::pair<Value, Value> PartAccess::scattered(const std::optional<LaneMaps::Linear> &form) {
  if (!form)
    return {zeroIndex(), lanes.perLane(address)};
  AffineExpr lane = getAffineDimExpr(0, builder.getContext());
  return {lanes.scalar(form->rest), lanes.perLane(lane * form->coefficient)};
}

/// Memory holds booleans as bytes.
Value PartAccess::fromMemory(Value value, Type element) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(value.getType()));
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, value, zero);
}

/// The index of a vector that one condition lets through whole or not at all, and 0 where not: an
/// access without lanes to a page that is not there takes the processor hundreds of cycles.
Value PartAccess::readable(Value index) {
  if (!all.uniform || !strays)
    return index;
  return arith::SelectOp::create(builder, location, all.uniform, index, zeroIndex());
}

/// A scalar that may not be read: element 0 is read instead, and dropped.
Value PartAccess::loadScalar(Value memory, Value index, Value condition) {
  if (condition)
    index = arith::SelectOp::create(builder, location, condition, index, zeroIndex());
  return memref::LoadOp::create(builder, location, memory, index);
}

/// Whether any lane is inside; null where that is known.
Value PartAccess::isAnyInside() {
  if (!inside.varying || part.lanes == 1)
    return all.uniform;
  Value any =
      vector::ReductionOp::create(builder, location, vector::CombiningKind::OR, all.varying);
  if (!all.uniform)
    return any;
  return arith::AndIOp::create(builder, location, all.uniform, any);
}

/// Whether lanes may take several registers and the mask is a condition for all lanes and one for
/// each. Where constants leave none of a register's lanes, LLVM 22 takes them to be inside: it
/// reads the whole register. A branch on the condition for all lanes keeps the two apart.
bool PartAccess::isMaskSplit(Type stored) {
  return all.uniform && all.varying && stored.getIntOrFloatBitWidth() > 32;
}

Value PartAccess::materializeVarying() {
  LaneMask varying = all;
  varying.uniform = nullptr;
  return lanes.materialize(varying);
}

/// A branch on the condition for all lanes: what it lets through whole needs no mask. Of masked
/// accesses some processors read nothing ahead, even where all lanes are there (EPYC of Zen 5: a
/// stream from memory at 11.6 GB/s for 31.2).
Value PartAccess::loadIfInside(Value memory, VectorType type, Value index, Value passThrough) {
  Value mask = all.varying ? materializeVarying() : Value();
  auto branch = scf::IfOp::create(
      builder, location, all.uniform,
      [&](OpBuilder &inner, Location at) -> void {
        Value loaded =
            mask ? vector::MaskedLoadOp::create(inner, at, type, memory, index, mask, passThrough)
                       .getResult()
                 : vector::LoadOp::create(inner, at, type, memory, index).getResult();
        scf::YieldOp::create(inner, at, loaded);
      },
      [&](OpBuilder &inner, Location at) { scf::YieldOp::create(inner, at, passThrough); });
  return branch.getResult(0);
}

void PartAccess::storeIfInside(Value memory, Value value, Value index) {
  Value mask = all.varying ? materializeVarying() : Value();
  scf::IfOp::create(builder, location, all.uniform, [&](OpBuilder &inner, Location at) {
    if (mask)
      vector::MaskedStoreOp::create(inner, at, memory, index, mask, value);
    else
      vector::StoreOp::create(inner, at, value, memory, index);
    scf::YieldOp::create(inner, at);
  });
}

Value PartAccess::loadInside(Value memory, Type element, Value fill, bool longRuns) {
  std::optional<LaneMaps::Linear> form = lanes.linear(address);
  if (part.lanes == 1 || (form && form->coefficient == 0)) {
    Value loaded = loadScalar(memory, lanes.scalar(form->rest), isAnyInside());
    loaded = splat(builder, location, fromMemory(loaded, element), part.lanes);
    if (all.always())
      return loaded;
    return arith::SelectOp::create(builder, location, lanes.materialize(all), loaded, fill);
  }
  Type stored = cast<MemRefType>(memory.getType()).getElementType();
  auto type = VectorType::get({int64_t(part.lanes)}, stored);
  bool contiguous = form && form->coefficient == 1;
  if (contiguous && all.always())
    return fromMemory(
        vector::LoadOp::create(builder, location, type, memory, lanes.scalar(form->rest)), element);
  Value passThrough = fill;
  if (stored != element)
    passThrough = arith::ExtUIOp::create(builder, location, type, fill);
  if (form && isShortStride(form->coefficient, part.lanes))
    return fromMemory(
        loadStrided(builder, location, memory, part, form->coefficient, inside, passThrough,
                    [&](int64_t element) { return lanes.scalar(form->rest + element); }),
        element);
  if (form && !contiguous && all.always() && part.lanes <= kFewLanes) {
    SmallVector<Value> loaded;
    for (int64_t lane = 0; lane < part.lanes; ++lane)
      loaded.push_back(memref::LoadOp::create(builder, location, memory,
                                              lanes.scalar(form->rest + lane * form->coefficient)));
    return fromMemory(vector::FromElementsOp::create(builder, location, type, loaded), element);
  }
  if (contiguous && (isMaskSplit(stored) || (longRuns && all.uniform)))
    return fromMemory(loadIfInside(memory, type, lanes.scalar(form->rest), passThrough), element);
  Value mask = lanes.materialize(all);
  Value loaded;
  if (contiguous) {
    loaded = vector::MaskedLoadOp::create(builder, location, type, memory,
                                          readable(lanes.scalar(form->rest)), mask, passThrough);
  } else {
    auto [base, offsets] = scattered(form);
    loaded =
        vector::GatherOp::create(builder, location, type, memory, base, offsets, mask, passThrough);
  }
  return fromMemory(loaded, element);
}

/// The first guard that fails gives its fill; what all of them let through stays.
Value PartAccess::applyGuards(Value value, Type element) {
  TypedAttr outside = map.getOutsideFill(element);
  if (llvm::all_of(map.getGuards(), [&](auto guard) { return guard.getFill() == outside; }))
    return value;
  for (auto [guard, mask] : llvm::reverse(llvm::zip(map.getGuards(), guards))) {
    if (mask.always())
      continue;
    value = arith::SelectOp::create(builder, location, lanes.materialize(mask), value,
                                    constant(guard.getFill(), element));
  }
  return value;
}

void PartAccess::storeScalar(Value memory, Value value) {
  Value index = lanes.scalar(lanes.linear(address)->rest);
  if (all.always()) {
    memref::StoreOp::create(builder, location, value, memory, index);
    return;
  }
  scf::IfOp::create(builder, location, all.uniform, [&](OpBuilder &inner, Location at) {
    memref::StoreOp::create(inner, at, value, memory, index);
    scf::YieldOp::create(inner, at);
  });
}
