// Thread programs: values, and what becomes of each operation.
#include "Emitter.h"

#include "Scalars.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

std::optional<unsigned> ThreadTile::findRegister(ArrayRef<int64_t> coordinates) const {
  for (auto [reg, own] : llvm::enumerate(registers)) {
    bool same = true;
    for (size_t d = 0; d < own.size() && same; ++d)
      same = own[d] == (layout.shape[d] == 1 ? 0 : coordinates[d]);
    if (same)
      return reg;
  }
  return std::nullopt;
}

/// The digits of a lane's or warp's number as a sum of coordinates, and those that change nothing.
static void addThreadDigits(ThreadTile &tile, layout::Resource resource, const layout::Expr &number,
                            layout::DimRanges ranges) {
  const layout::TileLayout &layout = tile.layout;
  int64_t stride = 1;
  auto addDigit = [&](int64_t radix, std::optional<unsigned> dim, int64_t weight) {
    layout::Expr digit = layout::mod(layout::floorDiv(number, stride, ranges), radix, ranges);
    if (dim)
      tile.coordinates[*dim] = tile.coordinates[*dim] + digit * weight;
    else
      tile.replica = tile.replica + digit * stride;
    stride *= radix;
  };
  for (const layout::Basis &basis : layout.bases[size_t(resource)]) {
    auto used = llvm::find_if(basis, [](int64_t offset) { return offset != 0; });
    if (used == basis.end())
      addDigit(2, std::nullopt, 0);
    else
      addDigit(2, used - basis.begin(), *used);
  }
  std::vector<int64_t> weights = layout.atom;
  for (const layout::Repetition &repetition : llvm::reverse(layout.repetitions)) {
    if (repetition.resource == resource)
      addDigit(repetition.count, repetition.dim, repetition.dim ? weights[*repetition.dim] : 0);
    if (repetition.dim)
      weights[*repetition.dim] *= repetition.count;
  }
}

const ThreadTile &ThreadEmitter::get(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto [it, isNew] = known.try_emplace(TypeAttr::get(type));
  ThreadTile &tile = it->second;
  if (!isNew)
    return tile;
  tile.layout = cast<tile::LayoutAttr>(type.getEncoding()).getLayout();
  tile.element = type.getElementType();
  tile.coordinates.resize(type.getRank());
  for (int64_t reg = 0; reg < tile.layout.count(layout::Resource::Reg); ++reg)
    tile.registers.push_back(tile.layout.registerCoordinates(reg));
  layout::Range range = layout::Range::ofExtent(countThreads());
  layout::DimRanges ranges(&range, 1);
  layout::Expr number = layout::Expr::dim(0);
  addThreadDigits(tile, layout::Resource::Lane, layout::mod(number, traits.subgroup, ranges),
                  ranges);
  // Replicas are counted by lane, then by warp.
  layout::Expr lanes = tile.replica;
  tile.replica = 0;
  addThreadDigits(tile, layout::Resource::Warp, layout::floorDiv(number, traits.subgroup, ranges),
                  ranges);
  tile.replica = lanes + tile.replica * traits.subgroup;
  for (layout::Expr &coordinate : tile.coordinates)
    coordinate = layout::simplify(coordinate, ranges);
  return tile;
}

LogicalResult ThreadEmitter::checkTypes(Operation *op) {
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      continue;
    auto attribute = dyn_cast_or_null<tile::LayoutAttr>(tile.getEncoding());
    if (!attribute)
      return emitOpError(op, Code::T0422) << "expected tiles with layouts, found " << tile;
    layout::TileLayout layout = attribute.getLayout();
    if (!layout.isPlain())
      return emitOpError(op, Code::T0422)
             << "expected layouts of bits that do not overlap, found " << attribute;
    int64_t lanes = layout.count(layout::Resource::Lane);
    int64_t warps = layout.count(layout::Resource::Warp), wanted = func.getWarps().value_or(1);
    if (lanes != traits.subgroup || warps != wanted)
      return emitOpError(op, Code::T0422)
             << "expected layouts over " << traits.subgroup << " lanes and " << wanted
             << " warps, found " << lanes << " and " << warps;
  }
  return success();
}

ValueRange ThreadEmitter::lookup(Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return tiles.find(value)->second;
  // A range of one value that lives in the map.
  auto &single = tiles[value];
  single.assign({scalars.lookup(value)});
  return single;
}

ThreadEmitter::Registers ThreadEmitter::lookupAll(ValueRange values) {
  Registers all;
  for (Value value : values)
    llvm::append_range(all, lookup(value));
  return all;
}

SmallVector<Type> ThreadEmitter::flatten(TypeRange types) {
  SmallVector<Type> all;
  for (Type type : types) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile) {
      all.push_back(type);
      continue;
    }
    all.append(cast<tile::LayoutAttr>(tile.getEncoding()).getLayout().count(layout::Resource::Reg),
               tile.getElementType());
  }
  return all;
}

/// Takes what a loop or branch carries of `value` from the front of `values`.
void ThreadEmitter::define(Value value, ValueRange &values) {
  if (!isa<RankedTensorType>(value.getType())) {
    scalars.map(value, values.front());
    values = values.drop_front();
    return;
  }
  size_t count = get(value).registers.size();
  tiles[value] = Registers(values.take_front(count));
  values = values.drop_front(count);
}

void ThreadEmitter::define(ValueRange originals, ValueRange values) {
  for (Value original : originals)
    define(original, values);
}

LogicalResult ThreadEmitter::emit(gpu::GPUModuleOp parent) {
  SmallVector<tile::AllocOp> allocations;
  SmallVector<LocalBuffer> locals;
  llvm::SmallSetVector<Attribute, 2> copies;
  func.walk([&](Operation *op) {
    if (auto allocation = dyn_cast<tile::AllocOp>(op)) {
      allocations.push_back(allocation);
      locals.push_back({getFlatMemory(cast<MemRefType>(allocation.getMemory().getType()),
                                      allocation.getNumElements(), gpu::AddressSpace::Workgroup),
                        getLocalAlignment(allocation)});
    }
    if (auto store = dyn_cast<tile::StoreOp>(op); store && op->hasAttr(tile::boxAttrName))
      boxMaps[describeMap(store)] = Value();
    if (auto load = dyn_cast<tile::LoadOp>(op); load && op->hasAttr(tile::inPlaceAttrName))
      sharesLocal |= !load.getSource().getDefiningOp()->hasAttr(tile::swizzleAttrName);
    if (auto await = dyn_cast<tile::AwaitOp>(op))
      for (Value ring : await.getRings())
        arrivalsOf[ring] = await.getArrivals();
    if (auto release = dyn_cast<tile::ReleaseOp>(op))
      for (Value ring : release.getRings())
        releasedOf[ring] = release.getReleased();
    if (auto counts = op->getAttrOfType<DenseI64ArrayAttr>(tile::releasesAttrName))
      fillings.assign(counts.asArrayRef().begin(), counts.asArrayRef().end());
    if (auto why = op->getAttrOfType<StringAttr>(tile::byThreadsAttrName))
      copies.insert(builder.getStringAttr("copies by threads (" + why.getValue() + ")"));
    if (op->hasAttr(tile::arrivalsAttrName))
      copies.insert(builder.getStringAttr("copies of boxes"));
  });
  if (walks() && countLoadingThreads() == 0)
    return emitOpError(func, Code::T0422) << "expected threads that load in a program that walks";
  FailureOr<gpu::GPUFuncOp> kernel = emitFrame(parent, locals, boxMaps.size());
  if (failed(kernel))
    return failure();
  SmallVector<Attribute> maps;
  for (auto &[map, argument] : boxMaps) {
    argument = kernel->getArgument(kernel->getNumArguments() - boxMaps.size() + maps.size());
    maps.push_back(map);
  }
  if (!maps.empty())
    (*kernel)->setAttr(mapsAttribute, builder.getArrayAttr(maps));
  for (auto [op, local] : llvm::zip(allocations, kernel->getWorkgroupAttributions()))
    scalars.map(op.getMemory(), local);
  emitArrivals();
  if (countLoadingThreads() != 0 && failed(emitRoles()))
    return failure();
  if (failed(emitBlock(func.getBody().front())))
    return failure();
  // What is in local memory is read before the next point's is written.
  if (walks() && sharesOtherMemory())
    emitMeeting(func.getLoc());
  if (countLoadingThreads() != 0)
    copies.insert(builder.getStringAttr("loads by threads of their own"));
  if (auto why = func->getAttrOfType<StringAttr>(tile::noLoadingAttrName))
    copies.insert(builder.getStringAttr("loads by the same threads (" + why.getValue() + ")"));
  units.insert_range(copies);
  if (!units.empty())
    (*kernel)->setAttr(unitsAttribute, builder.getArrayAttr(units.getArrayRef()));
  return success();
}

LogicalResult ThreadEmitter::emitBlock(Block &block) {
  SmallVector<Operation *> group;
  auto emitGroup = [&] {
    LogicalResult result = group.empty() ? success() : emitElementwise(group);
    group.clear();
    return result;
  };
  for (Operation &op : block) {
    // Results of products that are under way are awaited where they are first read.
    if (!running && isElementwise(op)) {
      if (failed(checkTypes(&op)))
        return failure();
      if (!group.empty() && countRegisters(op) != countRegisters(*group.front()) &&
          failed(emitGroup()))
        return failure();
      group.push_back(&op);
      continue;
    }
    // What no operation of the group makes may be named before it.
    bool isName = isa<arith::ConstantOp, tile::BroadcastOp>(op) &&
                  llvm::none_of(op.getOperands(), [&](Value operand) {
                    return llvm::is_contained(group, operand.getDefiningOp());
                  });
    if (!isName && failed(emitGroup()))
      return failure();
    awaitRunning(op);
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(emitOp(op)))
      return failure();
  }
  return emitGroup();
}

bool ThreadEmitter::isElementwise(Operation &op) {
  return OpTrait::hasElementwiseMappableTraits(&op) &&
         llvm::any_of(op.getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); });
}

size_t ThreadEmitter::countRegisters(Operation &op) {
  return get(op.getResult(0)).registers.size();
}

LogicalResult ThreadEmitter::emitOp(Operation &op) {
  if (failed(checkTypes(&op)))
    return failure();
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](tile::LoadOp op) { return emitLoad(op); })
      .Case([&](tile::StoreOp op) { return emitStore(op); })
      .Case([&](tile::IndexOp op) { return emitIndex(op); })
      .Case([&](tile::InsideOp op) { return emitInside(op); })
      .Case([&](tile::BroadcastOp op) { return emitBroadcast(op); })
      .Case([&](tile::ConvertOp op) { return emitConvert(op); })
      .Case([&](tile::MmaOp op) { return emitMma(op); })
      .Case([&](tile::ReduceOp op) { return emitReduce(op); })
      .Case([&](tile::ScanOp op) { return emitScan(op); })
      .Case([&](tile::AllocOp) { return success(); })
      .Case([&](tile::BarrierOp op) {
        auto groups = op->getAttrOfType<IntegerAttr>(tile::waitAttrName);
        if (groups && instructions.copies())
          callIntrinsic(op.getLoc(), instructions.wait, Type(),
                        constant(builder.getI32IntegerAttr(int32_t(groups.getInt()))));
        if (sharesLocal && !op->hasAttr(tile::spentAttrName))
          emitText(op.getLoc(), Type(), {}, instructions.publish, "~{memory}");
        emitMeeting(op.getLoc());
        return success();
      })
      .Case([&](tile::AwaitOp op) { return emitAwait(op); })
      .Case([&](tile::ReleaseOp op) { return emitRelease(op); })
      .Case([&](scf::ForOp op) { return emitFor(op); })
      .Case([&](scf::IfOp op) { return emitIf(op); })
      .Case([&](scf::WhileOp op) { return emitWhile(op); })
      .Default([&](Operation *op) -> LogicalResult {
        auto constant = dyn_cast<arith::ConstantOp>(op);
        if (constant && isTile(constant.getType()))
          return emitConstant(constant);
        if (isElementwise(*op))
          return emitElementwise(op);
        if (op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
            llvm::none_of(op->getOperandTypes(), isTile) &&
            llvm::none_of(op->getResultTypes(), isTile)) {
          builder.clone(*op, scalars);
          return success();
        }
        return emitOpError(op, Code::T0422) << "expected an operation of tile form";
      });
}
