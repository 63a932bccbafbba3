// Loads and stores of lanes through guarded index maps.
//
// A coordinate is base + lane part, where the lane part rarely changes. Its least and greatest
// values are kept with it, so that most accesses are proved to be inside by two comparisons per
// dimension; only the others look at each lane.
//===---------------------------------------------------------------------------------------===//
#include "Nest.h"

#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::interp;

namespace {

/// An index expression with the least and greatest value of its varying part.
struct Coordinate {
  int64_t constant;
  Register *uniform, *varying;
  Register *least = nullptr, *greatest = nullptr;

  int64_t base() const { return constant + (uniform ? uniform->integer() : 0); }
  /// The values over all lanes lie in [low(), high()].
  int64_t low() const { return base() + (least ? least->integer() : 0); }
  int64_t high() const { return base() + (greatest ? greatest->integer() : 0); }
  int64_t at(int64_t lane) const { return base() + (varying ? varying->as<int64_t>()[lane] : 0); }
  unsigned depth() const {
    return std::max(uniform ? uniform->depth : 0u, varying ? varying->depth : 0u);
  }
};

/// Holds where low <= value <= high. Number `fill` is what is read where it does not.
struct Condition {
  Coordinate value;
  int64_t low, high;
  uint8_t fill;

  bool holdsEverywhere() const { return value.low() >= low && value.high() <= high; }
};

/// Where an access goes: base + offsets[lane], under conditions of falling priority.
struct Address {
  SmallVector<Coordinate> coordinates;
  SmallVector<int64_t> strides;
  Register *offsets = nullptr;
  SmallVector<Condition> conditions;
  unsigned depth = 0;

  bool isUniform() const {
    return !offsets &&
           llvm::none_of(conditions, [](const Condition &c) { return c.value.varying; });
  }
  bool holdsEverywhere() const {
    return llvm::all_of(conditions, [](const Condition &c) { return c.holdsEverywhere(); });
  }
  int64_t base() const {
    int64_t sum = 0;
    for (auto [coordinate, stride] : llvm::zip(coordinates, strides))
      sum += coordinate.base() * stride;
    return sum;
  }
};

} // namespace

static Coordinate makeCoordinate(Nest &nest, SplitIndex index) {
  Coordinate result{index.constant, index.uniform, index.varying};
  if (!index.varying)
    return result;
  Register *varying = index.varying;
  Register *least = nest.newRegister(varying->type, /*isUniform=*/true, varying->depth);
  Register *greatest = nest.newRegister(varying->type, /*isUniform=*/true, varying->depth);
  nest.before(varying->depth, [=, &nest] {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int64_t lane = 0; lane < nest.getCount(); ++lane) {
      low = std::min(low, varying->as<int64_t>()[lane]);
      high = std::max(high, varying->as<int64_t>()[lane]);
    }
    *least->as<int64_t>() = low;
    *greatest->as<int64_t>() = high;
    return success();
  });
  result.least = least;
  result.greatest = greatest;
  return result;
}

// Offsets of lanes in elements: the varying parts, weighted by the strides.
static Register *makeOffsets(Nest &nest, const Address &address) {
  SmallVector<std::pair<Register *, int64_t>> terms;
  unsigned depth = 0;
  for (auto [coordinate, stride] : llvm::zip(address.coordinates, address.strides)) {
    if (!coordinate.varying)
      continue;
    terms.push_back({coordinate.varying, stride});
    depth = std::max(depth, coordinate.varying->depth);
  }
  if (terms.empty())
    return nullptr;
  Register *offsets = nest.newRegister(terms[0].first->type, /*isUniform=*/false, depth);
  nest.before(depth, [=, &nest] {
    int64_t *result = offsets->as<int64_t>();
    for (int64_t lane = 0; lane < nest.getCount(); ++lane)
      result[lane] = terms[0].first->as<int64_t>()[lane] * terms[0].second;
    for (auto [varying, stride] : ArrayRef(terms).drop_front())
      for (int64_t lane = 0; lane < nest.getCount(); ++lane)
        result[lane] += varying->as<int64_t>()[lane] * stride;
    return success();
  });
  return offsets;
}

static Address makeAddress(Nest &nest, ArrayRef<int64_t> shape, AffineMap map,
                           ArrayRef<view::GuardAttr> guards, ArrayRef<SplitIndex> indices) {
  Address address;
  auto add = [&](AffineExpr expr, int64_t low, int64_t high, uint8_t fill) {
    Coordinate coordinate = makeCoordinate(nest, nest.split(expr, indices));
    address.conditions.push_back({coordinate, low, high, fill});
    address.depth = std::max(address.depth, coordinate.depth());
    return coordinate;
  };
  for (auto [i, guard] : llvm::enumerate(guards))
    for (auto [expr, isEquality] :
         llvm::zip(guard.getSet().getConstraints(), guard.getSet().getEqFlags()))
      add(expr, 0, isEquality ? 0 : INT64_MAX, uint8_t(i));
  address.strides = getRowMajorStrides(shape);
  for (auto [expr, extent] : llvm::zip(map.getResults(), shape))
    address.coordinates.push_back(add(expr, 0, extent - 1, uint8_t(guards.size())));
  address.offsets = makeOffsets(nest, address);
  return address;
}

// Lanes of `T`, all inside.
template <typename T>
static void loadInside(const Address &address, const char *memory, char *result, int64_t count) {
  const T *elements = reinterpret_cast<const T *>(memory) + address.base();
  T *out = reinterpret_cast<T *>(result);
  if (!address.offsets) {
    std::fill_n(out, count, *elements);
    return;
  }
  const int64_t *offsets = address.offsets->as<int64_t>();
  for (int64_t lane = 0; lane < count; ++lane)
    out[lane] = elements[offsets[lane]];
}

// For each lane the number of the fill that it reads, or 255 where it is inside.
static void findFills(const Address &address, uint8_t *fills, int64_t count) {
  std::fill_n(fills, count, uint8_t(255));
  for (const Condition &condition : llvm::reverse(address.conditions)) {
    if (condition.holdsEverywhere())
      continue;
    int64_t base = condition.value.base();
    if (!condition.value.varying || condition.high < condition.low) {
      std::fill_n(fills, count, condition.fill);
      continue;
    }
    // One unsigned comparison; a condition without upper bound has a range of half of all values.
    const int64_t *varying = condition.value.varying->as<int64_t>();
    uint64_t range = uint64_t(condition.high) - uint64_t(condition.low);
    for (int64_t lane = 0; lane < count; ++lane)
      if (uint64_t(base + varying[lane] - condition.low) > range)
        fills[lane] = condition.fill;
  }
}

template <typename T>
static void loadGuarded(const Address &address, const char *memory, const char *fillValues,
                        char *result, int64_t count) {
  uint8_t fills[Nest::maxLanes];
  findFills(address, fills, count);
  const T *elements = reinterpret_cast<const T *>(memory);
  T *out = reinterpret_cast<T *>(result);
  int64_t base = address.base();
  for (int64_t lane = 0; lane < count; ++lane) {
    int64_t offset = base + (address.offsets ? address.offsets->as<int64_t>()[lane] : 0);
    out[lane] = fills[lane] == 255 ? elements[offset]
                                   : *reinterpret_cast<const T *>(fillValues + 8 * fills[lane]);
  }
}

Register *Nest::load(Tensor tensor, view::MapAttr map, ArrayRef<SplitIndex> indices) {
  Address address = makeAddress(*this, tensor.getShape(), map.getMap(), map.getGuards(), indices);
  Type type = tensor.getElementType();
  if (type.isUnsignedInteger())
    type = IntegerType::get(context, type.getIntOrFloatBitWidth());
  std::vector<uint64_t> fills;
  for (view::GuardAttr guard : map.getGuards())
    fillLanes(guard.getFill(), &fills.emplace_back(0), 1);
  fillLanes(map.getOutsideFill(type), &fills.emplace_back(0), 1);

  bool isUniform = address.isUniform();
  Register *result = newRegister(type, isUniform, address.depth);
  auto visit = [&](auto tag) {
    using T = typename decltype(tag)::type;
    before(address.depth, [=, this] {
      int64_t lanes = isUniform ? 1 : count;
      if (address.holdsEverywhere())
        loadInside<T>(address, tensor.bytes(), result->lanes, lanes);
      else
        loadGuarded<T>(address, tensor.bytes(), reinterpret_cast<const char *>(fills.data()),
                       result->lanes, lanes);
      return success();
    });
  };
  int64_t bytes = getElementBytes(type);
  if (bytes == 1)
    visit(Tag<uint8_t>());
  else if (bytes == 2)
    visit(Tag<uint16_t>());
  else if (bytes == 4)
    visit(Tag<uint32_t>());
  else
    visit(Tag<uint64_t>());
  return result;
}

template <typename T>
static void storeInside(const Address &address, char *memory, const Register *value,
                        int64_t count) {
  T *elements = reinterpret_cast<T *>(memory) + address.base();
  const T *lanes = value->as<T>();
  if (!address.offsets) {
    *elements = lanes[0];
    return;
  }
  const int64_t *offsets = address.offsets->as<int64_t>();
  for (int64_t lane = 0; lane < count; ++lane)
    elements[offsets[lane]] = lanes[lane];
}

void Nest::store(Register *value, Tensor tensor, AffineMap map, ArrayRef<SplitIndex> indices,
                 unsigned depth, bool atEnd, Operation *op) {
  Address address = makeAddress(*this, tensor.getShape(), map, {}, indices);
  Register *lanes = address.offsets ? toLanes(value) : value;
  auto visit = [&](auto tag) {
    using T = typename decltype(tag)::type;
    Step step = [=, this]() mutable -> LogicalResult {
      if (!address.holdsEverywhere())
        return emitOpError(op, Code::T0705)
               << "stores outside of a result of type " << tensor.getType();
      storeInside<T>(address, tensor.bytes(), lanes, address.offsets ? count : 1);
      return success();
    };
    atEnd ? after(depth, std::move(step)) : before(depth, std::move(step));
  };
  int64_t bytes = getElementBytes(tensor.getElementType());
  if (bytes == 1)
    visit(Tag<uint8_t>());
  else if (bytes == 2)
    visit(Tag<uint16_t>());
  else if (bytes == 4)
    visit(Tag<uint32_t>());
  else
    visit(Tag<uint64_t>());
}
