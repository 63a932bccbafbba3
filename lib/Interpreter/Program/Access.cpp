// Loads and stores of lanes through guarded index maps.
//
// A coordinate is base + lane part, where the lane part rarely changes. Its least and greatest
// values are kept with it, so that most accesses are proved to be inside by two comparisons per
// dimension; only the others look at each lane.
//===---------------------------------------------------------------------------------------===//
#include "Program.h"

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
  /// Whether the offsets rise by 1 from lane to lane.
  Register *isContiguous = nullptr;
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

static Coordinate makeCoordinate(Program &program, SplitIndex index) {
  Coordinate result{index.constant, index.uniform, index.varying};
  if (!index.varying)
    return result;
  Register *varying = index.varying;
  Register *least = program.newRegister(varying->type, /*isUniform=*/true, varying->depth);
  Register *greatest = program.newRegister(varying->type, /*isUniform=*/true, varying->depth);
  program.before(varying->depth, [=, &program] {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int64_t lane = 0; lane < program.getCount(); ++lane) {
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
static void addOffsets(Program &program, Address &address) {
  SmallVector<std::pair<Register *, int64_t>> terms;
  unsigned depth = 0;
  for (auto [coordinate, stride] : llvm::zip(address.coordinates, address.strides)) {
    if (!coordinate.varying)
      continue;
    terms.push_back({coordinate.varying, stride});
    depth = std::max(depth, coordinate.varying->depth);
  }
  if (terms.empty())
    return;
  Type index = terms[0].first->type;
  address.offsets = program.newRegister(index, /*isUniform=*/false, depth);
  address.isContiguous = program.newRegister(index, /*isUniform=*/true, depth);
  program.before(depth, [=, &program, offsets = address.offsets, flag = address.isContiguous] {
    int64_t *result = offsets->as<int64_t>(), count = program.getCount();
    for (int64_t lane = 0; lane < count; ++lane)
      result[lane] = terms[0].first->as<int64_t>()[lane] * terms[0].second;
    for (auto [varying, stride] : ArrayRef(terms).drop_front())
      for (int64_t lane = 0; lane < count; ++lane)
        result[lane] += varying->as<int64_t>()[lane] * stride;
    int64_t run = 1;
    while (run < count && result[run] == result[0] + run)
      ++run;
    *flag->as<int64_t>() = run >= count;
    return success();
  });
}

/// Fill numbers beyond those of a map: a lane that is inside, and one whose access was proved to
/// be.
static constexpr uint8_t insideFill = 255, brokenProof = 254;

static Address makeAddress(Program &program, const Access &access, ArrayRef<SplitIndex> indices) {
  Address address;
  address.depth = access.depth;
  auto add = [&](AffineExpr expr, int64_t low, int64_t high, size_t fill) {
    Coordinate coordinate = makeCoordinate(program, program.split(expr, indices));
    address.conditions.push_back({coordinate, low, high, uint8_t(fill)});
    address.depth = std::max(address.depth, coordinate.depth());
    return coordinate;
  };
  ArrayRef<view::GuardAttr> guards = access.map.getGuards();
  assert(guards.size() < brokenProof);
  for (auto [i, guard] : llvm::enumerate(guards))
    for (auto [expr, isEquality] :
         llvm::zip(guard.getSet().getConstraints(), guard.getSet().getEqFlags()))
      add(expr, 0, isEquality ? 0 : INT64_MAX, i);
  ArrayRef<int64_t> shape = access.tensor.getShape();
  address.strides = getRowMajorStrides(shape);
  for (auto [d, expr] : llvm::enumerate(access.map.getMap().getResults())) {
    bool isProved = d < access.inBounds.size() && access.inBounds[d];
    address.coordinates.push_back(
        add(expr, 0, shape[d] - 1, isProved ? brokenProof : guards.size()));
  }
  addOffsets(program, address);
  return address;
}

// For each lane the number of the fill that it reads. Fails where a proof does not hold.
static LogicalResult findFills(const Address &address, const Access &access, uint8_t *fills,
                               int64_t count) {
  std::fill_n(fills, count, insideFill);
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
  const uint8_t *broken = std::find(fills, fills + count, brokenProof);
  if (broken == fills + count)
    return success();
  auto diagnostic = tw::emitOpError(access.op, Code::T0705)
                    << "accesses " << access.tensor.getType() << " at [";
  llvm::interleaveComma(address.coordinates, diagnostic,
                        [&](const Coordinate &c) { diagnostic << c.at(broken - fills); });
  return diagnostic << "], which was proved to be inside";
}

template <typename Visitor> static void visitSize(int64_t bytes, Visitor &&visit) {
  if (bytes == 1)
    visit(Tag<uint8_t>());
  else if (bytes == 2)
    visit(Tag<uint16_t>());
  else if (bytes == 4)
    visit(Tag<uint32_t>());
  else
    visit(Tag<uint64_t>());
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
  if (address.isContiguous->integer()) {
    std::copy_n(elements + offsets[0], count, out);
    return;
  }
  for (int64_t lane = 0; lane < count; ++lane)
    out[lane] = elements[offsets[lane]];
}

template <typename T>
static void loadGuarded(const Address &address, const char *memory, ArrayRef<uint64_t> fillValues,
                        const uint8_t *fills, char *result, int64_t count) {
  const T *elements = reinterpret_cast<const T *>(memory);
  T *out = reinterpret_cast<T *>(result);
  int64_t base = address.base();
  for (int64_t lane = 0; lane < count; ++lane) {
    int64_t offset = base + (address.offsets ? address.offsets->as<int64_t>()[lane] : 0);
    out[lane] = fills[lane] == insideFill ? elements[offset] : T(fillValues[fills[lane]]);
  }
}

Register *Program::load(const Access &access) {
  Address address = makeAddress(*this, access, access.indices);
  Type type = access.tensor.getElementType();
  if (type.isUnsignedInteger())
    type = IntegerType::get(context, type.getIntOrFloatBitWidth());
  std::vector<uint64_t> fillValues;
  for (view::GuardAttr guard : access.map.getGuards())
    fillLanes(guard.getFill(), &fillValues.emplace_back(0), 1);
  fillLanes(access.map.getOutsideFill(type), &fillValues.emplace_back(0), 1);

  bool isUniform = address.isUniform();
  Register *result = newRegister(type, isUniform, address.depth);
  visitSize(getElementBytes(type), [&](auto tag) {
    using T = typename decltype(tag)::type;
    before(address.depth, [=, this] {
      int64_t lanes = isUniform ? 1 : count;
      if (address.holdsEverywhere()) {
        loadInside<T>(address, access.tensor.bytes(), result->lanes, lanes);
        return success();
      }
      if (failed(findFills(address, access, fills.data(), lanes)))
        return failure();
      loadGuarded<T>(address, access.tensor.bytes(), fillValues, fills.data(), result->lanes,
                     lanes);
      return success();
    });
  });
  return result;
}

void Program::store(Register *value, const Access &access, unsigned depth, bool atEnd) {
  Address address = makeAddress(*this, access, access.indices);
  bool isUniform = address.isUniform();
  Register *lanes = isUniform ? value : toLanes(value);
  visitSize(getElementBytes(access.tensor.getElementType()), [&](auto tag) {
    using T = typename decltype(tag)::type;
    Step step = [=, this, tensor = access.tensor]() mutable {
      int64_t end = isUniform ? 1 : count;
      bool isInside = address.holdsEverywhere();
      if (!isInside && failed(findFills(address, access, fills.data(), end)))
        return failure();
      T *elements = reinterpret_cast<T *>(tensor.bytes());
      int64_t base = address.base();
      for (int64_t lane = 0; lane < end; ++lane)
        if (isInside || fills[lane] == insideFill)
          elements[base + (address.offsets ? address.offsets->as<int64_t>()[lane] : 0)] =
              lanes->as<T>()[lane];
      return success();
    };
    atEnd ? after(depth, std::move(step)) : before(depth, std::move(step));
  });
}
