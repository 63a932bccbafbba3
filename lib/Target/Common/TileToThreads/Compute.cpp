// Constants, elementwise operations, broadcast, convert and mma, register by register.
#include "Emitter.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Layout/Axes.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

/// arith.constant dense<..>   ->   one constant per register, or where threads differ a choice by
/// the element's number.
LogicalResult ThreadEmitter::emitConstant(arith::ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return emitOpError(op, Code::T0422) << "expected a dense constant";
  const ThreadTile &tile = get(op.getResult());
  Registers values;
  if (elements.isSplat()) {
    values.assign(tile.registers.size(),
                  constant(cast<TypedAttr>(elements.getSplatValue<Attribute>())));
    tiles[op.getResult()] = values;
    return success();
  }
  Dims dims;
  dims.add(thread, layout::Range::ofExtent(countThreads()), 0);
  ExprEmitter exprs(builder, op.getLoc(), dims);
  SmallVector<Attribute> all(elements.getValues<Attribute>());
  std::vector<int64_t> strides = layout::rowMajorStrides(tile.layout.shape);
  for (const std::vector<int64_t> &coordinates : tile.registers) {
    layout::Expr number;
    for (auto [d, stride] : llvm::enumerate(strides))
      number = number + (tile.coordinates[d] + coordinates[d]) * stride;
    // The elements that some thread has in this register.
    llvm::SmallSetVector<int64_t, 8> held;
    for (int64_t id = 0; id < countThreads(); ++id)
      held.insert(number.evaluate(std::vector<int64_t>{id}));
    Value value;
    for (int64_t element : held) {
      Value own = constant(cast<TypedAttr>(all[element]));
      if (!value) {
        value = own;
        continue;
      }
      Value here = arith::CmpIOp::create(builder, op.getLoc(), arith::CmpIPredicate::eq,
                                         exprs.emit(number), exprs.constant(element));
      value = arith::SelectOp::create(builder, op.getLoc(), here, own, value);
    }
    values.push_back(value);
  }
  tiles[op.getResult()] = values;
  return success();
}

/// op %a, %b   ->   the same op on every register; operands that are no tiles (the condition of a
/// select) are shared. Some registers go through all operations before the next ones begin, so that
/// what lies between these has no register of its own for each element of a large tile.
LogicalResult ThreadEmitter::emitElementwise(ArrayRef<Operation *> ops) {
  constexpr size_t together = 8;
  size_t count = countRegisters(*ops.front());
  for (Operation *op : ops)
    for (Value result : op->getResults())
      tiles[result].clear();
  for (size_t first = 0; first < count; first += together)
    for (Operation *op : ops)
      emitElementwise(*op, first, std::min(count, first + together));
  return success();
}

void ThreadEmitter::emitElementwise(Operation &op, size_t first, size_t end) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(getElementTypeOrSelf(type));
  SmallVector<Registers> operands;
  for (Value operand : op.getOperands())
    operands.push_back(Registers(lookup(operand)));
  for (size_t reg = first; reg < end; ++reg) {
    SmallVector<Value> inputs;
    for (auto [own, operand] : llvm::zip(operands, op.getOperands()))
      inputs.push_back(isa<RankedTensorType>(operand.getType()) ? own[reg] : own.front());
    Operation *copy =
        builder.create(op.getLoc(), op.getName().getIdentifier(), inputs, types, op.getAttrs());
    for (auto [result, value] : llvm::zip(op.getResults(), copy->getResults()))
      tiles[result].push_back(value);
  }
}

LogicalResult ThreadEmitter::emitBroadcast(tile::BroadcastOp op) {
  const ThreadTile source = get(op.getSource());
  const ThreadTile &tile = get(op.getResult());
  Registers inputs(lookup(op.getSource())), values;
  // What is repeated must be in the same threads.
  for (auto [d, extent] : llvm::enumerate(source.layout.shape))
    if (extent != 1 && !(source.coordinates[d] == tile.coordinates[d]))
      return emitOpError(op, Code::T0422)
             << "expected a source whose layout is a slice of the result's, found "
             << op.getSource().getType() << " for " << op.getResult().getType();
  for (const std::vector<int64_t> &coordinates : tile.registers) {
    std::optional<unsigned> from = source.findRegister(coordinates);
    if (!from)
      return emitOpError(op, Code::T0422)
             << "expected a source whose layout is a slice of the result's, found "
             << op.getSource().getType() << " for " << op.getResult().getType();
    values.push_back(inputs[*from]);
  }
  tiles[op.getResult()] = values;
  return success();
}

/// %a, %b: registers whose numbers differ in the bit   ->   %a and its neighbour's %a, or its
/// neighbour's %b and %b. Neighbours of less than 32 bits go together.
ThreadEmitter::Registers ThreadEmitter::tradeLanes(Location location, ValueRange values,
                                                   const layout::LaneTrade &bits) {
  Type element = values.front().getType();
  size_t width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  size_t each = width == 8 || width == 16 ? 32 / width : 1, step = size_t(1) << bits.reg;
  if (step < each || values.size() % each != 0)
    each = 1;
  auto packed = VectorType::get({int64_t(each)}, element);
  auto pack = [&](size_t reg) -> Value {
    if (each == 1)
      return values[reg];
    Value word = vector::FromElementsOp::create(builder, location, packed, values.slice(reg, each));
    return LLVM::BitcastOp::create(builder, location, builder.getI32Type(), word);
  };
  Registers results(values);
  auto unpack = [&](size_t reg, Value word) {
    if (each > 1)
      word = LLVM::BitcastOp::create(builder, location, packed, word);
    for (size_t i = 0; i < each; ++i)
      results[reg + i] =
          each == 1 ? word : vector::ExtractOp::create(builder, location, word, int64_t(i));
  };
  Dims dims;
  dims.add(thread, layout::Range::ofExtent(countThreads()), 0);
  ExprEmitter exprs(builder, location, dims);
  layout::Expr lane = layout::floorDiv(layout::Expr::dim(0), int64_t(1) << bits.lane, dims.ranges);
  Value isOdd =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne,
                            exprs.emit(layout::mod(lane, 2, dims.ranges)), exprs.constant(0));
  auto select = [&](Value ifOdd, Value ifEven) -> Value {
    return arith::SelectOp::create(builder, location, isOdd, ifOdd, ifEven);
  };
  for (size_t reg = 0; reg < values.size(); reg += each) {
    if ((reg & step) != 0)
      continue;
    Value low = pack(reg), high = pack(reg + step);
    Value got = shuffle(location, select(low, high), int64_t(1) << bits.lane);
    unpack(reg, select(got, low));
    unpack(reg + step, select(high, got));
  }
  return results;
}

/// A conversion within each thread: registers change their places, perhaps behind a trade between
/// lanes.
LogicalResult ThreadEmitter::emitConvert(tile::ConvertOp op) {
  ThreadTile source = get(op.getSource());
  const ThreadTile &tile = get(op.getResult());
  Registers inputs(lookup(op.getSource())), values;
  if (auto bits = layout::findLaneTrade(source.layout, tile.layout)) {
    inputs = tradeLanes(op.getLoc(), inputs, *bits);
    source.layout = layout::trade(source.layout, *bits);
  }
  auto permutation = [&]() -> std::optional<SmallVector<int64_t>> {
    SmallVector<int64_t> from(tile.registers.size(), -1);
    for (auto [reg, at] : llvm::enumerate(from))
      for (int64_t id = 0; id < countThreads(); ++id) {
        int64_t lane = id % traits.subgroup, warp = id / traits.subgroup;
        std::optional<int64_t> found = source.layout.findRegister(
            tile.layout.coordinates({int64_t(reg), lane, warp}), lane, warp);
        if (!found || (at >= 0 && at != *found))
          return std::nullopt;
        at = *found;
      }
    return from;
  }();
  if (!permutation)
    return emitOpError(op, Code::T0422)
           << "moves elements between threads: expected tile-expand-exchanges to run before";
  for (int64_t from : *permutation)
    values.push_back(inputs[from]);
  tiles[op.getResult()] = values;
  return success();
}

/// ttile.mma %a, %b, %c   ->   math.fma (floats) or arith.muli and addi, on every register of %c
LogicalResult ThreadEmitter::emitMma(tile::MmaOp op) {
  if (op->hasAttr(tile::unitAttrName))
    return emitUnit(op);
  const ThreadTile lhs = get(op.getLhs()), rhs = get(op.getRhs());
  const ThreadTile &tile = get(op.getResult());
  Registers lhsValues(lookup(op.getLhs())), rhsValues(lookup(op.getRhs())),
      sums(lookup(op.getAccumulator()));
  // The products are exact in the type of the sums.
  auto widen = [&](Registers &own, bool isUnsigned) {
    for (Value &value : own) {
      if (value.getType() == tile.element)
        continue;
      if (isa<FloatType>(tile.element))
        value = arith::ExtFOp::create(builder, op.getLoc(), tile.element, value);
      else if (isUnsigned)
        value = arith::ExtUIOp::create(builder, op.getLoc(), tile.element, value);
      else
        value = arith::ExtSIOp::create(builder, op.getLoc(), tile.element, value);
    }
  };
  widen(lhsValues, op.getLhsUnsigned());
  widen(rhsValues, op.getRhsUnsigned());
  std::optional<unsigned> group = op.getGroupDim();
  int64_t members = group ? lhs.layout.shape[*group] : 1;
  for (int64_t member = 0; member < members; ++member) {
    for (auto [sum, of] : llvm::zip(sums, tile.registers)) {
      std::vector<int64_t> coordinates = of;
      if (group)
        coordinates[*group] = member;
      std::optional<unsigned> left = lhs.findRegister(coordinates);
      std::optional<unsigned> right = rhs.findRegister(coordinates);
      if (!left || !right)
        return emitOpError(op, Code::T0422) << "expected operands whose layouts are slices of the "
                                               "accumulator's";
      Value a = lhsValues[*left], b = rhsValues[*right];
      if (isa<FloatType>(tile.element)) {
        sum = math::FmaOp::create(builder, op.getLoc(), a, b, sum);
      } else {
        Value product = arith::MulIOp::create(builder, op.getLoc(), a, b);
        sum = arith::AddIOp::create(builder, op.getLoc(), sum, product);
      }
    }
  }
  tiles[op.getResult()] = sums;
  return success();
}
