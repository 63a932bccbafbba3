// Windows: the part of a tensor that a stage reads, copied as it lies there, borders included.
#include "WindowCopy.h"

#include "tw/Schedule/LoopTree.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

Value WindowCopy::constant(int64_t number) {
  return arith::ConstantIndexOp::create(builder, location, number);
}

bool WindowCopy::isInside(const Dim &dim) {
  return dim.least >= 0 && dim.most + dim.extent <= dim.whole;
}

Value WindowCopy::getBound(const Dim &dim, int64_t coordinate) {
  int64_t first = coordinate - dim.most, last = coordinate - dim.least;
  if (first == last || last <= 0 || first >= dim.extent)
    return constant(std::clamp<int64_t>(first, 0, dim.extent));
  AffineExpr expr = coordinate - dim.corner;
  Value bound = affine::AffineApplyOp::create(
      builder, location, AffineMap::get(1 + operands.size(), 0, expr), withLane(operands));
  if (first < 0)
    bound = arith::MaxSIOp::create(builder, location, bound, constant(0));
  if (last > dim.extent)
    bound = arith::MinSIOp::create(builder, location, bound, constant(dim.extent));
  return bound;
}

SmallVector<Value> WindowCopy::withLane(ValueRange values) {
  SmallVector<Value> all{constant(0)};
  llvm::append_range(all, values);
  return all;
}

void WindowCopy::emitLoop(Value lower, Value upper, int64_t step,
                          function_ref<void(Value)> emitBody, bool isOfRow) {
  std::optional<int64_t> first = getConstantIntValue(lower), last = getConstantIntValue(upper);
  if (first && last && *first >= *last)
    return;
  bool isOnce = first && last && *first + step >= *last;
  if (isShareLeft && (isOfRow || !isOnce)) {
    auto loop =
        tile::createTeamLoop(builder, location, getAsOpFoldResult(lower), getAsOpFoldResult(upper),
                             OpFoldResult(builder.getIndexAttr(step)));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    isShareLeft = false;
    emitBody(loop.getInductionVar(0));
    isShareLeft = true;
    return;
  }
  if (isOnce)
    return emitBody(lower);
  auto loop = scf::ForOp::create(builder, location, lower, upper, constant(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  emitBody(loop.getInductionVar());
}

void WindowCopy::emit(unsigned d, bool inside) {
  const Dim &dim = dims[d];
  if (d + 1 == dims.size())
    return emitRow(dim, inside);
  if (dim.group > 1)
    return emitGroups(d, inside);
  auto part = [&](Value lower, Value upper, bool isInsidePart) {
    emitLoop(lower, upper, 1, [&](Value index) {
      indices.push_back(index);
      emit(d + 1, isInsidePart);
      indices.pop_back();
    });
  };
  Value begin = constant(0), end = constant(dim.extent);
  if (!inside || isInside(dim))
    return part(begin, end, inside);
  Value lower = getBound(dim, 0), upper = getBound(dim, dim.whole);
  part(begin, lower, false);
  part(lower, upper, true);
  part(upper, end, false);
}

void WindowCopy::emitGroups(unsigned d, bool inside) {
  const Dim &dim = dims[d];
  int64_t count = dim.extent / dim.group, whole = count;
  if (inside && !isInside(dim))
    whole = dim.least < 0 ? 0 : std::clamp<int64_t>((dim.whole - dim.most) / dim.group, 0, count);
  for (bool isWhole : {true, false})
    emitLoop(constant(isWhole ? 0 : whole), constant(isWhole ? whole : count), 1, [&](Value index) {
      indices.push_back(index);
      hasWholeGroups = isWhole;
      emit(d + 1, inside);
      hasWholeGroups = true;
      indices.pop_back();
    });
}

int64_t WindowCopy::getChunk(int64_t elements, bool isGrouped) {
  if (elements >= schedule::kFillRow || !isGrouped)
    return std::min(elements, schedule::kFillRow);
  return elements >= schedule::kFillLanes ? elements / schedule::kFillLanes * schedule::kFillLanes
                                          : int64_t(llvm::bit_floor(uint64_t(elements)));
}

void WindowCopy::emitRow(const Dim &dim, bool inside) {
  bool isGrouped = llvm::any_of(dims, [](const Dim &other) { return other.group > 1; });
  auto chunks = [&](int64_t begin, int64_t end, bool isInsidePart) {
    while (begin < end) {
      int64_t chunk = getChunk(end - begin, isGrouped), whole = (end - begin) / chunk * chunk;
      emitLoop(
          constant(begin), constant(begin + whole), chunk,
          [&](Value first) { move(first, chunk, isInsidePart); }, /*isOfRow=*/true);
      begin += whole;
    }
  };
  if (!inside || isInside(dim) || dim.least != dim.most)
    return chunks(0, dim.extent, inside);
  int64_t lower = std::clamp<int64_t>(-dim.least, 0, dim.extent);
  int64_t upper = std::clamp<int64_t>(dim.whole - dim.least, 0, dim.extent);
  chunks(0, lower, false);
  chunks(lower, upper, true);
  chunks(upper, dim.extent, false);
}

view::MapAttr WindowCopy::linearize(AffineMap map, ArrayRef<bool> inBounds) {
  AffineExpr address = builder.getAffineConstantExpr(0);
  SmallVector<AffineExpr> constraints;
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    AffineExpr index = map.getResult(d);
    address = address + index * stride;
    stride *= dims[d].whole;
    if (!inBounds[d])
      llvm::append_values(constraints, index, dims[d].whole - 1 - index);
  }
  SmallVector<view::GuardAttr> guards;
  TypedAttr outside = load.getMap().getOutside();
  if (!constraints.empty()) {
    SmallVector<bool> isEquality(constraints.size(), false);
    Type element = load.getResult().getType();
    auto fill = cast<TypedAttr>(Attribute(load.getMap().getOutsideFill(element)));
    guards.push_back(view::GuardAttr::get(
        builder.getContext(), IntegerSet::get(map.getNumDims(), 0, constraints, isEquality), fill));
    outside = fill;
  }
  return view::MapAttr::get(AffineMap::get(map.getNumDims(), 0, address), guards,
                            guards.empty() ? TypedAttr() : outside);
}

void WindowCopy::move(Value first, int64_t elements, bool inside) {
  SmallVector<Value> all(operands);
  llvm::append_range(all, indices);
  all.push_back(first);
  auto *grouped = llvm::find_if(dims, [](const Dim &dim) { return dim.group > 1; });
  SmallVector<int64_t> shape{elements};
  if (grouped != dims.end())
    shape.insert(shape.begin(), grouped->group);
  unsigned rank = shape.size();
  SmallVector<AffineExpr> from, to;
  for (auto [d, dim] : llvm::enumerate(dims)) {
    AffineExpr corner = dim.corner.shiftDims(1 + operands.size(), rank - 1);
    AffineExpr index = builder.getAffineDimExpr(rank + operands.size() + d);
    if (d + 1 == dims.size())
      index = index + builder.getAffineDimExpr(rank - 1);
    to.push_back(index);
    from.push_back(corner +
                   (dim.group > 1 ? index * dim.group + builder.getAffineDimExpr(0) : index));
  }
  if (rank > 1)
    to.push_back(builder.getAffineDimExpr(0));
  auto mapOf = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(rank + all.size(), 0, exprs, builder.getContext());
  };
  Type element = load.getResult().getType(), wide = value.getType();
  auto type = RankedTensorType::get(shape, element);
  Value tile;
  if (inside) {
    SmallVector<bool> inBounds(dims.size(), true);
    inBounds.back() = isInside(dims.back()) || dims.back().least == dims.back().most;
    if (!hasWholeGroups)
      inBounds[grouped - dims.begin()] = false;
    bool isProved = llvm::all_of(inBounds, [](bool proved) { return proved; });
    bool isLinear = view::hasSymbols(load.getSource().getType());
    view::MapAttr map =
        isLinear ? linearize(mapOf(from), inBounds)
                 : view::MapAttr::get(mapOf(from), {},
                                      isProved ? TypedAttr() : load.getMap().getOutside());
    if (isLinear)
      inBounds.assign(1, true);
    tile = tile::LoadOp::create(builder, location, type, source, all, map,
                                builder.getDenseBoolArrayAttr(inBounds));
  } else {
    tile = arith::ConstantOp::create(
        builder, location,
        DenseElementsAttr::get(type, Attribute(load.getMap().getOutsideFill(element))));
  }
  if (element != wide)
    tile = arith::ExtFOp::create(builder, location, type.clone(wide), tile);
  tile::StoreOp::create(builder, location, tile, buffer, all, view::MapAttr::get(mapOf(to)),
                        DenseBoolArrayAttr());
}
