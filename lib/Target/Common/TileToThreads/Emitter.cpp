// Thread programs: the kernel's frame, values, and what becomes of each operation.
#include "Emitter.h"

#include "Scalars.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

/// Programs that a grid of one dimension may have on every device.
static constexpr int64_t maxGridX = 65535;

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
  for (Value value : values) {
    ValueRange own = lookup(value);
    int64_t lanes = 1;
    if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
      lanes = getLanes(tile.getElementType(), own.size());
    llvm::append_range(all, pack(value.getLoc(), own, lanes));
  }
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
    Type element = tile.getElementType();
    int64_t count =
        cast<tile::LayoutAttr>(tile.getEncoding()).getLayout().count(layout::Resource::Reg);
    int64_t width = getLanes(element, count);
    all.append(count / width, width == 1 ? element : VectorType::get({width}, element));
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
  const ThreadTile &tile = get(value);
  size_t count = tile.registers.size() / getLanes(tile.element, tile.registers.size());
  tiles[value] = unpack(value.getLoc(), values.take_front(count));
  values = values.drop_front(count);
}

void ThreadEmitter::define(ValueRange originals, ValueRange values) {
  for (Value original : originals)
    define(original, values);
}

Value ThreadEmitter::constant(TypedAttr value) {
  return arith::ConstantOp::create(builder, func.getLoc(), value);
}

/// Flat memory of signless elements, booleans in bytes.
static MemRefType flatten(MemRefType type, int64_t elements, gpu::AddressSpace space) {
  MLIRContext *context = type.getContext();
  Type element = type.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(context, integer.getWidth() == 1 ? 8 : integer.getWidth());
  return MemRefType::get({elements}, element, MemRefLayoutAttrInterface(),
                         gpu::AddressSpaceAttr::get(context, space));
}

FailureOr<gpu::GPUFuncOp> ThreadEmitter::emitFunction(gpu::GPUModuleOp parent) {
  int64_t threads = countThreads();
  if (threads > traits.maxThreads)
    return emitOpError(func, Code::T0420) << "has " << threads << " threads, the target has "
                                          << traits.maxThreads << " in a workgroup";
  SmallVector<Type> buffers, locals;
  for (Type type : func.getBufferTypes().getAsValueRange<TypeAttr>()) {
    auto memory = cast<MemRefType>(type);
    buffers.push_back(::flatten(memory, memory.getNumElements(), gpu::AddressSpace::Global));
  }
  SmallVector<tile::AllocOp> allocations;
  func.walk([&](tile::AllocOp op) {
    allocations.push_back(op);
    auto type = ::flatten(cast<MemRefType>(op.getMemory().getType()), op.getNumElements(),
                          gpu::AddressSpace::Workgroup);
    locals.push_back(type);
  });
  uint64_t bytes = getLocalBytes(func);
  if (bytes > uint64_t(traits.localBytes))
    return emitOpError(func, Code::T0421) << "needs " << bytes << " bytes of local memory, the "
                                          << "target has " << traits.localBytes;
  // What a call settles, behind the buffers. Sizes that are sums are there for the runtime, which
  // checks buffers by them.
  buffers.append(func.getScalars().size(), builder.getI64Type());
  func.walk([&](tile::StoreOp op) {
    if (op->hasAttr(tile::boxAttrName))
      boxMaps[describeMap(op)] = Value();
  });
  unsigned firstMap = buffers.size();
  buffers.append(boxMaps.size(), LLVM::LLVMPointerType::get(builder.getContext()));
  builder.setInsertionPointToEnd(parent.getBody());
  auto kernel = gpu::GPUFuncOp::create(builder, func.getLoc(), func.getSymName(),
                                       builder.getFunctionType(buffers, {}), locals);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  kernel.setKnownBlockSize(ArrayRef<int32_t>{int32_t(threads), 1, 1});
  kernel->setAttr(programsAttribute, builder.getI64IntegerAttr(func.getNumPrograms()));
  kernel->setAttr(numOutputsAttribute, builder.getI64IntegerAttr(func.getNumOutputs()));
  kernel->setAttr(warpsAttribute, builder.getI64IntegerAttr(func.getWarps().value_or(1)));
  for (unsigned i = 0; i < func.getNumBuffers(); ++i)
    scalars.map(func.getBuffer(i), kernel.getArgument(i));
  emitSymbols(kernel);
  SmallVector<Attribute> maps;
  for (auto &[map, argument] : boxMaps) {
    argument = kernel.getArgument(firstMap + maps.size());
    maps.push_back(map);
  }
  if (!maps.empty())
    kernel->setAttr(mapsAttribute, builder.getArrayAttr(maps));
  for (auto [i, op] : llvm::enumerate(allocations)) {
    scalars.map(op.getMemory(), kernel.getWorkgroupAttributions()[i]);
    kernel.setWorkgroupAttributionAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                                       builder.getI64IntegerAttr(int64_t(getLocalAlignment(op))));
  }
  return kernel;
}

/// The sizes that a call settles, as indices.
void ThreadEmitter::emitSymbols(gpu::GPUFuncOp kernel) {
  builder.setInsertionPointToStart(&kernel.getBody().front());
  for (unsigned i = 0; i < func.getNumSymbols(); ++i) {
    Value size = arith::IndexCastOp::create(builder, func.getLoc(), builder.getIndexType(),
                                            kernel.getArgument(func.getNumBuffers() + i));
    // Says what a call has checked.
    if (std::optional<int64_t> limit = func.getSymbolLimit(i))
      size = arith::MinUIOp::create(builder, func.getLoc(), size,
                                    constant(builder.getIndexAttr(*limit)));
    scalars.map(func.getSymbol(i), size);
  }
}

/// The programs along a dimension of the grid.
Value ThreadEmitter::emitGridSize(unsigned dim) {
  Dim size = func.getGridSizes() ? func.getGridSizes()->getSizes()[dim] : func.getGrid()[dim];
  if (size.isStatic())
    return constant(builder.getIndexAttr(func.getGrid()[dim]));
  Location location = func.getLoc();
  AffineExpr sum = builder.getAffineConstantExpr(size.getConstant());
  SmallVector<Value> operands;
  for (auto [name, factor] : size.getTerms()) {
    sum = sum + builder.getAffineDimExpr(operands.size()) * factor;
    auto symbols = func.getSymbolsAttr().getAsRange<StringAttr>();
    operands.push_back(scalars.lookup(func.getSymbol(llvm::find(symbols, name) - symbols.begin())));
  }
  Value points = affine::AffineApplyOp::create(builder, location,
                                               AffineMap::get(operands.size(), 0, sum), operands);
  int64_t step = (*func.getGridSteps())[dim];
  if (step == 1)
    return points;
  // What rounds up is not negative.
  Value more =
      arith::AddIOp::create(builder, location, points, constant(builder.getIndexAttr(step - 1)));
  return arith::DivUIOp::create(builder, location, more, constant(builder.getIndexAttr(step)));
}

/// The number of the program.
Value ThreadEmitter::emitProgram(gpu::GPUFuncOp kernel) {
  Location location = func.getLoc();
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  thread = gpu::ThreadIdOp::create(builder, location, gpu::Dimension::x);
  Value program = gpu::BlockIdOp::create(builder, location, gpu::Dimension::x);
  if (func.getNumPrograms() <= maxGridX)
    return program;
  Value row = gpu::BlockIdOp::create(builder, location, gpu::Dimension::y);
  Value width = gpu::GridDimOp::create(builder, location, gpu::Dimension::x);
  return arith::AddIOp::create(builder, location, program,
                               arith::MulIOp::create(builder, location, row, width));
}

/// The coordinates of the program in a grid of fixed extents.
void ThreadEmitter::emitCoordinates(Value program) {
  Dims dims;
  dims.add(program, {0, func.getNumPrograms() - 1}, 0);
  ExprEmitter exprs(builder, func.getLoc(), dims);
  int64_t stride = 1;
  for (size_t i = func.getGrid().size(); i-- > 0;) {
    int64_t extent = func.getGrid()[i];
    layout::Expr id;
    if (extent > 1)
      id = layout::mod(layout::floorDiv(layout::Expr::dim(0), stride, dims.ranges), extent,
                       dims.ranges);
    scalars.map(func.getProgramId(i), exprs.emit(id));
    stride *= extent;
  }
}

/// The same in one of sizes that a call settles: what is left is divided by one after another.
void ThreadEmitter::emitCoordinates(Value program, ArrayRef<Value> sizes) {
  Location location = func.getLoc();
  for (size_t i = sizes.size(); i-- > 0;) {
    bool isFirst =
        llvm::all_of(func.getGrid().take_front(i), [](int64_t most) { return most == 1; });
    Value id = func.getGrid()[i] == 1 ? constant(builder.getIndexAttr(0))
               : isFirst              ? program
                         : arith::RemUIOp::create(builder, location, program, sizes[i]).getResult();
    scalars.map(func.getProgramId(i), id);
    if (func.getGrid()[i] != 1 && !isFirst)
      program = arith::DivUIOp::create(builder, location, program, sizes[i]);
  }
}

LogicalResult ThreadEmitter::emit(gpu::GPUModuleOp parent) {
  FailureOr<gpu::GPUFuncOp> kernel = emitFunction(parent);
  if (failed(kernel))
    return failure();
  llvm::SmallSetVector<Attribute, 2> copies;
  func.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && op->hasAttr(tile::inPlaceAttrName))
      sharesLocal |= !load.getSource().getDefiningOp()->hasAttr(tile::swizzleAttrName);
    leavesOpen |= op->hasAttr(tile::openAttrName);
    if (auto await = dyn_cast<tile::AwaitOp>(op))
      for (Value ring : await.getRings())
        arrivalsOf[ring] = await.getArrivals();
    if (auto why = op->getAttrOfType<StringAttr>(tile::byThreadsAttrName))
      copies.insert(builder.getStringAttr("copies by threads (" + why.getValue() + ")"));
    if (op->hasAttr(tile::arrivalsAttrName))
      copies.insert(builder.getStringAttr("copies of boxes"));
  });
  Location location = func.getLoc();
  Value program = emitProgram(*kernel);
  SmallVector<Value> sizes;
  if (func.getGridSizes())
    for (unsigned i = 0; i < func.getGrid().size(); ++i)
      sizes.push_back(emitGridSize(i));
  Operation *end = gpu::ReturnOp::create(builder, location);
  builder.setInsertionPoint(end);
  if (func.getNumPrograms() > maxGridX) {
    Value limit = constant(builder.getIndexAttr(sizes.empty() ? func.getNumPrograms() : 1));
    for (Value size : sizes)
      limit = arith::MulIOp::create(builder, location, limit, size);
    Value inside =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult, program, limit);
    auto branch = scf::IfOp::create(builder, location, inside, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  // Row-major over the grid.
  if (sizes.empty())
    emitCoordinates(program);
  else
    emitCoordinates(program, sizes);
  emitArrivals();
  if (failed(emitBlock(func.getBody().front())))
    return failure();
  units.insert_range(copies);
  if (!units.empty())
    (*kernel)->setAttr(unitsAttribute, builder.getArrayAttr(units.getArrayRef()));
  return success();
}

LogicalResult ThreadEmitter::emitBlock(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(emitOp(op)))
      return failure();
  return success();
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
      .Case([&](tile::AllocOp) { return success(); })
      .Case([&](tile::BarrierOp op) {
        auto groups = op->getAttrOfType<IntegerAttr>(tile::waitAttrName);
        if (groups && instructions.copies())
          callIntrinsic(op.getLoc(), instructions.wait, Type(),
                        constant(builder.getI32IntegerAttr(int32_t(groups.getInt()))));
        // What is filled while products are open, is waited for.
        if (sharesLocal && (groups || !leavesOpen))
          emitText(op.getLoc(), Type(), {}, instructions.publish, "~{memory}");
        gpu::BarrierOp::create(builder, op.getLoc());
        return success();
      })
      .Case([&](tile::AwaitOp op) { return emitAwait(op); })
      .Case([&](scf::ForOp op) { return emitFor(op); })
      .Case([&](scf::IfOp op) { return emitIf(op); })
      .Case([&](scf::WhileOp op) { return emitWhile(op); })
      .Default([&](Operation *op) -> LogicalResult {
        auto constant = dyn_cast<arith::ConstantOp>(op);
        if (constant && isTile(constant.getType()))
          return emitConstant(constant);
        bool isElementwise = OpTrait::hasElementwiseMappableTraits(op);
        if (isElementwise && llvm::any_of(op->getResultTypes(), isTile))
          return emitElementwise(*op);
        if (op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
            llvm::none_of(op->getOperandTypes(), isTile) &&
            llvm::none_of(op->getResultTypes(), isTile)) {
          builder.clone(*op, scalars);
          return success();
        }
        return emitOpError(op, Code::T0422) << "expected an operation of tile form";
      });
}
