// Copies of boxes of tensors, which one thread has made, and waits for them.
//
//   ttile.store %tile, %ring {ttile.box}   ->   the text of a copy, for thread 0 alone
//   ttile.await %arrivals[slot] filling %n ->   the text of a wait for an even or an odd filling
#include "Emitter.h"
#include "Scalars.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Support/Diagnostics.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

/// The address of local memory, in 32 bits.
Value ThreadEmitter::emitLocalAddress(Location location, Value memory) {
  Value at = memref::ExtractAlignedPointerAsIndexOp::create(builder, location, memory);
  return arith::IndexCastOp::create(builder, location, builder.getI32Type(), at);
}

Value ThreadEmitter::emitLocalAddress(Location location, Value memory, Value index) {
  int64_t bytes = cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
  index = arith::IndexCastOp::create(builder, location, builder.getI32Type(), index);
  index = arith::MulIOp::create(builder, location, index,
                                constant(builder.getI32IntegerAttr(int32_t(bytes))));
  return arith::AddIOp::create(builder, location, emitLocalAddress(location, memory), index);
}

Value ThreadEmitter::emitIsFirst(Location location) {
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, thread,
                               constant(builder.getIndexAttr(0)));
}

DictionaryAttr ThreadEmitter::describeMap(tile::StoreOp op) {
  auto box = op->getAttrOfType<tile::BoxAttr>(tile::boxAttrName);
  auto load = op.getValue().getDefiningOp<tile::LoadOp>();
  auto alloc = op.getDestination().getDefiningOp<tile::AllocOp>();
  auto add = [&](StringRef name, Attribute value) {
    return NamedAttribute(builder.getStringAttr(name), value);
  };
  return builder.getDictionaryAttr(
      {add("binding",
           builder.getI64IntegerAttr(cast<BlockArgument>(load.getSource()).getArgNumber())),
       add("box", builder.getDenseI64ArrayAttr(box.getBox())),
       add("element", TypeAttr::get(cast<MemRefType>(load.getSource().getType()).getElementType())),
       add("extents", builder.getDenseI64ArrayAttr(box.getExtents())),
       add("strides", builder.getDenseI64ArrayAttr(box.getStrides())),
       add("swizzle", alloc->getAttr(tile::swizzleAttrName))});
}

/// Before anything else: words that count what arrives, which all threads know of.
void ThreadEmitter::emitArrivals() {
  bool hasAny = false;
  func.walk([&](tile::AllocOp op) {
    bool isReleased = op->hasAttr(tile::releasesAttrName);
    if (!op->hasAttr(tile::arrivalsAttrName) && !isReleased)
      return;
    hasAny = true;
    Location location = op.getLoc();
    int64_t count = cast<MemRefType>(op.getMemory().getType()).getNumElements();
    emitText(location, Type(),
             {emitIsFirst(location), emitLocalAddress(location, scalars.lookup(op.getMemory()))},
             instructions.boxes->make(count, isReleased ? countThreads() / traits.subgroup : 1),
             "b,r,~{memory}");
  });
  if (!hasAny)
    return;
  emitText(func.getLoc(), Type(), {}, instructions.boxes->made, "~{memory}");
  gpu::BarrierOp::create(builder, func.getLoc());
}

/// Whether there is the iteration that a load is for; null if there always is. Of indices that grow
/// with a loop's that one is asked, as several loads do alike.
Value ThreadEmitter::emitIsThere(tile::LoadOp load) {
  auto attribute = load->getAttrOfType<IntegerAttr>(tile::beforeAttrName);
  if (!attribute)
    return Value();
  int64_t end = attribute.getInt();
  Value index = load.getIndices().back();
  SmallVector<Value> roots;
  layout::Expr expr = getExpr(index, [&](Value root) {
    roots.push_back(root);
    return unsigned(roots.size() - 1);
  });
  std::span<const layout::Term> terms = expr.getTerms();
  if (terms.size() == 1 && terms[0].atom.isDim() && terms[0].coefficient > 0) {
    index = roots[terms[0].atom.dim];
    end = llvm::divideCeilSigned(end - expr.getConstant(), terms[0].coefficient);
  }
  if (getRange(index).max < end)
    return Value();
  return arith::CmpIOp::create(builder, load.getLoc(), arith::CmpIPredicate::slt,
                               scalars.lookup(index), constant(builder.getIndexAttr(end)));
}

/// Has boxes copied, if their iteration is there.
LogicalResult ThreadEmitter::emitBox(tile::StoreOp op) {
  auto load = op.getValue().getDefiningOp<tile::LoadOp>();
  Location location = op.getLoc();
  // Where threads load that do nothing else, one of them has come here.
  bool isApart = role == Role::Loads;
  Value condition = load ? emitIsThere(load) : Value();
  if (!isApart) {
    Value isFirst = emitIsFirst(location);
    condition = condition ? arith::AndIOp::create(builder, location, isFirst, condition) : isFirst;
    return emitBox(op, condition);
  }
  OpBuilder::InsertionGuard guard(builder);
  if (condition) {
    auto branch = scf::IfOp::create(builder, location, condition, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  return emitBox(op, constant(builder.getBoolAttr(true)));
}

LogicalResult ThreadEmitter::emitBox(tile::StoreOp op, Value condition) {
  auto box = op->getAttrOfType<tile::BoxAttr>(tile::boxAttrName);
  auto load = op.getValue().getDefiningOp<tile::LoadOp>();
  if (!load || !instructions.boxes)
    return emitOpError(op, Code::T0422) << "expected a chip that copies boxes of tensors";
  Location location = op.getLoc();
  Value arrivals =
      emitLocalAddress(location, scalars.lookup(arrivalsOf.lookup(op.getDestination())));
  auto type = cast<MemRefType>(op.getDestination().getType());
  int64_t slot = cast<AffineConstantExpr>(op.getMap().getMap().getResult(0)).getValue();
  auto bytes = op->getAttrOfType<IntegerAttr>(tile::expectsAttrName);
  if (bytes && role == Role::Loads)
    emitReuse(op, slot);
  if (bytes)
    emitText(location, Type(), {condition, arrivals},
             instructions.boxes->expect(slot, bytes.getInt()), "b,r,~{memory}");

  Type i32 = builder.getI32Type();
  SmallVector<Value> indices, coordinates;
  for (Value index : load.getIndices())
    indices.push_back(scalars.lookup(index));
  AffineMap at = box.getAt().getValue();
  for (unsigned i = 0; i < at.getNumResults(); ++i) {
    Value coordinate = affine::AffineApplyOp::create(builder, location, at.getSubMap({i}), indices);
    coordinates.push_back(arith::IndexCastOp::create(builder, location, i32, coordinate));
  }
  int64_t points = 1, elementBytes = type.getElementTypeBitWidth() / 8;
  for (int64_t extent : box.getBox())
    points *= extent;
  int64_t elements = type.getNumElements() / type.getDimSize(0);
  Value memory = emitLocalAddress(location, scalars.lookup(op.getDestination()));
  // Boxes beside each other, if one does not reach.
  for (int64_t i = 0; i < elements / points; ++i) {
    SmallVector<Value> operands = {condition, memory, boxMaps.lookup(describeMap(op)), arrivals};
    llvm::append_range(operands, coordinates);
    if (i != 0)
      operands[4] =
          arith::AddIOp::create(builder, location, coordinates[0],
                                constant(builder.getI32IntegerAttr(int32_t(i * box.getBox()[0]))));
    std::string constraints = "b,r,l,r,";
    for (size_t d = 0; d < coordinates.size(); ++d)
      constraints += "r,";
    emitText(location, Type(), operands,
             instructions.boxes->copy(int64_t(coordinates.size()),
                                      (slot * elements + i * points) * elementBytes, slot),
             constraints + "~{memory}");
  }
  return success();
}

LogicalResult ThreadEmitter::emitAwait(tile::AwaitOp op) {
  if (!instructions.boxes)
    return emitOpError(op, Code::T0422) << "expected a chip that copies boxes of tensors";
  emitWait(op.getLoc(), op.getArrivals(), op.getSlot(), scalars.lookup(op.getFilling()));
  return success();
}

/// Waits until what `words` count at the slot was complete the time of this number.
void ThreadEmitter::emitWait(Location location, Value words, int64_t slot, Value number) {
  // Of an odd number of fillings for each point, those of the next have the other parities.
  if (turn && fillings[slot] % 2 != 0)
    number = arith::AddIOp::create(builder, location, number, turn);
  number = arith::IndexCastOp::create(builder, location, builder.getI32Type(), number);
  Value parity =
      arith::AndIOp::create(builder, location, number, constant(builder.getI32IntegerAttr(1)));
  emitText(location, Type(), {emitLocalAddress(location, scalars.lookup(words)), parity},
           instructions.boxes->await(slot), "r,r,~{memory}");
}
