// The pass kernel-multiply-bytes: products of floats that are bytes become products of the bytes.
//
//   %a = arith.sitofp (arith.subi (arith.extui %x), 128)        %a = arith.xori %x, 128 : i8
//   %b = arith.sitofp %w : i8 to f32                        ->
//   %s = contract %a, %b over (%k) : f32                        %i = contract %a, %w over (%k)
//                                                                      : i8, i8 -> i32
//                                                               %s = arith.sitofp %i
//
// The sum is exact, and rounded once. What is read as f32 or i32 may be a constant that holds
// bytes, or made by another kernel of bytes: then bytes are what is kept, and what that makes.
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Pieces.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tw {
#define GEN_PASS_DEF_KERNELMULTIPLYBYTESPASS
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

namespace {

/// A float, or an integer of 32 bits, that is one of 8 bits.
struct ByteFactor {
  /// Of 8 bits; null where `load` reads it wider.
  Value byte;
  LoadOp load;
  bool isUnsigned = false;
  /// Whether 128 is subtracted of the unsigned byte, which makes it a signed one.
  bool isShifted = false;
  /// Where there is one, what has to hold; elsewhere the number is 0.
  Value condition;

  bool countsUnsigned() const { return isUnsigned && !isShifted; }
  int64_t getMost() const { return countsUnsigned() ? 255 : 128; }
};

Value getReadTensor(LoadOp load) {
  auto kernel = load->getParentOfType<KernelOp>();
  unsigned number = cast<BlockArgument>(load.getSource()).getArgNumber();
  return kernel->getOperand(number - kernel.getNumAxes());
}

/// The numbers as integers of 8 bits, signed where they can be; what they are not has no value.
std::optional<SmallVector<APInt>> findBytes(DenseElementsAttr elements, bool &isUnsigned) {
  SmallVector<int64_t> numbers;
  if (isa<FloatType>(elements.getElementType())) {
    for (const APFloat &value : elements.getValues<APFloat>()) {
      double number = value.convertToDouble();
      if (!(number >= -128 && number <= 255) || number != std::trunc(number))
        return std::nullopt;
      numbers.push_back(int64_t(number));
    }
  } else {
    for (const APInt &value : elements.getValues<APInt>())
      numbers.push_back(value.getSExtValue());
  }
  if (numbers.empty())
    return std::nullopt;
  auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  isUnsigned = *most > 127;
  if (*least < (isUnsigned ? 0 : -128) || *most > 255)
    return std::nullopt;
  SmallVector<APInt> bytes;
  for (int64_t number : numbers)
    bytes.push_back(APInt(8, uint64_t(number) & 0xff));
  return bytes;
}

std::optional<ByteFactor> findByte(Value factor);

/// What a kernel makes of bytes alone, all of it in one place.
StoreOp findMaker(Value tensor) {
  auto maker = tensor.getDefiningOp<KernelOp>();
  if (!maker || maker->getNumResults() != 1 || maker.getSchedule() || maker.findUpdated(0))
    return {};
  return getWholeStore(maker, 0);
}

/// A constant of bytes, or what another kernel makes of them, as f32 or i32.
std::optional<ByteFactor> findReadByte(LoadOp load) {
  Type type = load.getType();
  if ((!type.isF32() && !type.isInteger(32)) || load.getMap().getOutside() ||
      !load.getMap().getGuards().empty())
    return std::nullopt;
  ByteFactor found;
  found.load = load;
  Value tensor = getReadTensor(load);
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements)))
    return findBytes(elements, found.isUnsigned) ? std::optional(found) : std::nullopt;
  StoreOp store = findMaker(tensor);
  std::optional<ByteFactor> made = store ? findByte(store.getValue()) : std::nullopt;
  if (!made || made->load)
    return std::nullopt;
  found.isUnsigned = made->countsUnsigned();
  return found;
}

std::optional<ByteFactor> findByte(Value factor) {
  if (auto load = factor.getDefiningOp<LoadOp>(); load && !load.getType().isInteger(8))
    return findReadByte(load);
  // As paddings of windows are.
  if (auto select = factor.getDefiningOp<arith::SelectOp>()) {
    bool isZero = matchPattern(select.getFalseValue(), m_PosZeroFloat()) ||
                  matchPattern(select.getFalseValue(), m_Zero());
    if (!isZero || select.getTrueValue().getDefiningOp<arith::SelectOp>())
      return std::nullopt;
    std::optional<ByteFactor> found = findByte(select.getTrueValue());
    // A load of a constant becomes one of its bytes, for others than the choice too.
    if (!found || found->load)
      return std::nullopt;
    found->condition = select.getCondition();
    return found;
  }
  ByteFactor found;
  Value integer = factor;
  Operation *conversion = factor.getDefiningOp();
  bool isFloat = isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(conversion);
  if (isFloat)
    integer = conversion->getOperand(0);
  bool readsSigned = !isFloat || isa<arith::SIToFPOp>(conversion);
  if (integer.getType().isSignlessInteger(8)) {
    found.byte = integer;
    found.isUnsigned = !readsSigned;
    return found;
  }
  if (auto difference = integer.getDefiningOp<arith::SubIOp>()) {
    APInt zeroPoint;
    if (!matchPattern(difference.getRhs(), m_ConstantInt(&zeroPoint)) || zeroPoint != 128 ||
        !readsSigned)
      return std::nullopt;
    found.isShifted = true;
    integer = difference.getLhs();
  }
  Operation *extension = integer.getDefiningOp();
  if (!isa_and_nonnull<arith::ExtUIOp, arith::ExtSIOp>(extension))
    return std::nullopt;
  found.byte = extension->getOperand(0);
  found.isUnsigned = isa<arith::ExtUIOp>(extension);
  bool isSame = found.isUnsigned || readsSigned;
  if (!found.byte.getType().isSignlessInteger(8) || !isSame ||
      (found.isShifted && !found.isUnsigned))
    return std::nullopt;
  return found;
}

/// Whether the operands have as many rows and columns of their own as units take, and no sum
/// overflows that did not before.
bool suitsUnits(ContractOp op, const AxisSets &sets, int64_t most) {
  constexpr int64_t leastSide = 16;
  llvm::SmallBitVector rows = sets.of(op.getLhs()), columns = sets.of(op.getRhs());
  llvm::SmallBitVector shared = rows;
  shared &= columns;
  rows.reset(shared);
  columns.reset(shared);
  int64_t depth = sets.points(sets.reducedBy(op));
  return sets.points(rows) >= leastSide && sets.points(columns) >= leastSide &&
         (op.getResult().getType().isInteger(32) ||
          depth <= std::numeric_limits<int32_t>::max() / most);
}

/// What was converted is not read any more.
void eraseUnused(KernelOp kernel) {
  for (Operation &own : llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (isOpTriviallyDead(&own))
      own.erase();
}

/// The byte as it counts.
Value makeByte(OpBuilder &builder, Location location, const ByteFactor &factor) {
  auto number = [&](int8_t value) -> Value {
    return arith::ConstantOp::create(builder, location, builder.getI8IntegerAttr(value));
  };
  Value byte = factor.byte;
  if (factor.isShifted)
    byte = arith::XOrIOp::create(builder, location, byte, number(-128));
  if (factor.condition)
    byte = arith::SelectOp::create(builder, location, factor.condition, byte, number(0));
  return byte;
}

/// The tensor as bytes.
Value makeBytes(Value tensor, bool isUnsigned) {
  Operation *op = tensor.getDefiningOp();
  OpBuilder builder(op);
  Type element = builder.getIntegerType(8);
  if (isUnsigned)
    element = builder.getIntegerType(8, /*isSigned=*/false);
  auto type = cast<RankedTensorType>(tensor.getType()).clone(element);
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements))) {
    auto bytes = DenseElementsAttr::get(type, *findBytes(elements, isUnsigned));
    return op->getDialect()->materializeConstant(builder, bytes, type, op->getLoc())->getResult(0);
  }
  auto maker = cast<KernelOp>(builder.clone(*op));
  StoreOp store = getWholeStore(maker, 0);
  std::optional<ByteFactor> made = findByte(store.getValue());
  builder.setInsertionPoint(store);
  store.getValueMutable().assign(makeByte(builder, store.getLoc(), *made));
  maker.getResult(0).setType(type);
  eraseUnused(maker);
  return maker.getResult(0);
}

/// Reads the tensor of bytes instead; what was read before goes unless something else needs it.
Value readBytes(const ByteFactor &factor) {
  LoadOp load = factor.load;
  auto kernel = load->getParentOfType<KernelOp>();
  Value before = getReadTensor(load), tensor = makeBytes(before, factor.isUnsigned);
  auto argument = cast<BlockArgument>(load.getSource());
  if (argument.hasOneUse() && load.getResult().hasOneUse()) {
    kernel->setOperand(argument.getArgNumber() - kernel.getNumAxes(), tensor);
    argument.setType(tensor.getType());
  } else {
    OpBuilder builder(load);
    load = cast<LoadOp>(builder.clone(*load));
    load.getSourceMutable().assign(kernel.addOperand(tensor));
  }
  load.getResult().setType(IntegerType::get(load.getContext(), 8));
  if (isOpTriviallyDead(before.getDefiningOp()))
    before.getDefiningOp()->erase();
  return load.getResult();
}

struct KernelMultiplyBytesPass : tw::impl::KernelMultiplyBytesPassBase<KernelMultiplyBytesPass> {
  using KernelMultiplyBytesPassBase::KernelMultiplyBytesPassBase;

  void runOnOperation() override {
    getOperation().walk([&](KernelOp kernel) {
      if (kernel.getSchedule())
        return;
      SmallVector<ContractOp> contracts(kernel.getBody().getOps<ContractOp>());
      for (ContractOp op : contracts)
        multiplyBytes(op, kernel);
    });
  }

private:
  void multiplyBytes(ContractOp op, KernelOp kernel) {
    Type type = op.getResult().getType();
    if (op.getLhs().getType() != type || (!type.isF32() && !type.isInteger(32)))
      return;
    std::optional<ByteFactor> factors[] = {findByte(op.getLhs()), findByte(op.getRhs())};
    if (!factors[0] || !factors[1] ||
        (onlySigned && (factors[0]->countsUnsigned() || factors[1]->countsUnsigned())) ||
        !suitsUnits(op, AxisSets(kernel), factors[0]->getMost() * factors[1]->getMost()))
      return;
    OpBuilder builder(op);
    Location location = op.getLoc();
    for (std::optional<ByteFactor> &factor : factors)
      factor->byte = factor->load ? readBytes(*factor) : makeByte(builder, location, *factor);
    auto product = cast<ContractOp>(builder.clone(*op));
    product.getLhsMutable().assign(factors[0]->byte);
    product.getRhsMutable().assign(factors[1]->byte);
    product.setLhsUnsigned(factors[0]->countsUnsigned());
    product.setRhsUnsigned(factors[1]->countsUnsigned());
    product.getResult().setType(builder.getI32Type());
    Value sum = product.getResult();
    if (type.isF32())
      sum = arith::SIToFPOp::create(builder, location, type, sum);
    op.getResult().replaceAllUsesWith(sum);
    op->erase();
    eraseUnused(kernel);
  }
};

} // namespace
