// The pass kernel-multiply-bytes: products of floats that are bytes become products of the bytes.
//
//   %a = arith.sitofp (arith.subi (arith.extui %x), 128)        %a = arith.xori %x, 128 : i8
//   %b = arith.sitofp %w : i8 to f32                        ->
//   %s = contract %a, %b over (%k) : f32                        %i = contract %a, %w over (%k)
//                                                                      : i8, i8 -> i32
//                                                               %s = arith.sitofp %i
//
// The sum is exact, and rounded once. Products of floats of 8 bits are exact in f32, and summed
// there by units that have such sums; others multiply them as floats of 16 bits:
//
//   %a = arith.extf %x : f8E5M2 to f32                          %i = contract %x, %w over (%k)
//   %b = arith.extf %w : f8E5M2 to f32                      ->           : f8E5M2, f8E5M2 -> f32
//
// What is read as f32 or i32 may be a constant that holds bytes, or made by another kernel of
// bytes: then bytes are what is kept, and what that makes.
#include "Cleaning.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Pieces.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/FastMath.h"

#include "mlir/AsmParser/AsmParser.h"
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
  /// An integer of 8 bits without sign, or a float.
  Type type;
  bool isUnsigned = false;
  /// Whether 128 is subtracted of the unsigned byte, which makes it a signed one.
  bool isShifted = false;
  /// Where there is one, what has to hold; elsewhere the number is 0.
  Value condition;

  bool countsUnsigned() const { return isUnsigned && !isShifted; }
  int64_t getMost() const { return countsUnsigned() ? 255 : 128; }
  bool isFloat() const { return isa<FloatType>(type); }
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

/// The numbers as floats of 8 bits; what they are not, and what is no number, has no value.
std::optional<SmallVector<APFloat>> findFloats(DenseElementsAttr elements, FloatType type) {
  if (!isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  bool hasMinusZero = APFloat::getZero(semantics, /*Negative=*/true).isNegative();
  SmallVector<APFloat> floats;
  for (APFloat value : elements.getValues<APFloat>()) {
    bool losesInfo = false;
    if (!value.isFinite() || (value.isNegZero() && !hasMinusZero) ||
        value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo) != APFloat::opOK ||
        losesInfo)
      return std::nullopt;
    floats.push_back(value);
  }
  return floats;
}

/// Constants are looked at as such floats, or, without one, as integers.
std::optional<ByteFactor> findByte(Value factor, FloatType wanted = {});

/// What a kernel makes of bytes alone, all of it in one place.
StoreOp findMaker(Value tensor) {
  auto maker = tensor.getDefiningOp<KernelOp>();
  if (!maker || maker->getNumResults() != 1 || maker.getSchedule() || maker.findUpdated(0))
    return {};
  return getWholeStore(maker, 0);
}

/// A constant of bytes, or what another kernel makes of them, as f32 or i32.
std::optional<ByteFactor> findReadByte(LoadOp load, FloatType wanted) {
  Type type = load.getType();
  if ((!type.isF32() && !type.isInteger(32)) || load.getMap().getOutside() ||
      !load.getMap().getGuards().empty())
    return std::nullopt;
  ByteFactor found;
  found.load = load;
  found.type = wanted ? Type(wanted) : IntegerType::get(type.getContext(), 8);
  Value tensor = getReadTensor(load);
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements))) {
    bool holds = wanted ? findFloats(elements, wanted).has_value()
                        : findBytes(elements, found.isUnsigned).has_value();
    return holds ? std::optional(found) : std::nullopt;
  }
  StoreOp store = findMaker(tensor);
  std::optional<ByteFactor> made = store ? findByte(store.getValue()) : std::nullopt;
  if (!made || made->load)
    return std::nullopt;
  found.isUnsigned = made->countsUnsigned();
  found.type = made->type;
  return found;
}

std::optional<ByteFactor> findByte(Value factor, FloatType wanted) {
  if (auto load = factor.getDefiningOp<LoadOp>(); load && !load.getType().isInteger(8))
    return findReadByte(load, wanted);
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
  if (auto extension = factor.getDefiningOp<arith::ExtFOp>()) {
    found.byte = extension.getIn();
    found.type = found.byte.getType();
    return found.type.getIntOrFloatBitWidth() == 8 ? std::optional(found) : std::nullopt;
  }
  found.type = IntegerType::get(factor.getContext(), 8);
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

/// Whether the operands have as many rows and columns of their own as units take.
bool suitsUnits(ContractOp op, const AxisSets &sets) {
  constexpr int64_t leastSide = 16;
  llvm::SmallBitVector rows = sets.of(op.getLhs()), columns = sets.of(op.getRhs());
  llvm::SmallBitVector shared = rows;
  shared &= columns;
  rows.reset(shared);
  columns.reset(shared);
  return sets.points(rows) >= leastSide && sets.points(columns) >= leastSide;
}

/// Whether sums of integers overflow that did not before.
bool mayOverflow(ContractOp op, const AxisSets &sets, int64_t most) {
  return op.getResult().getType().isF32() &&
         sets.points(sets.reducedBy(op)) > std::numeric_limits<int32_t>::max() / most;
}

/// What was converted is not read any more.
void eraseUnused(KernelOp kernel) {
  for (Operation &own : llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
    if (isOpTriviallyDead(&own))
      own.erase();
}

/// The byte as it counts.
Value makeByte(OpBuilder &builder, Location location, const ByteFactor &factor) {
  auto make = [&](TypedAttr value) -> Value {
    return arith::ConstantOp::create(builder, location, value);
  };
  Value byte = factor.byte;
  if (factor.isShifted)
    byte = arith::XOrIOp::create(builder, location, byte, make(builder.getI8IntegerAttr(-128)));
  if (factor.condition)
    byte = arith::SelectOp::create(builder, location, factor.condition, byte,
                                   make(builder.getZeroAttr(factor.type)));
  return byte;
}

/// The tensor that the factor's load reads, as bytes.
Value makeBytes(Value tensor, const ByteFactor &factor) {
  Operation *op = tensor.getDefiningOp();
  OpBuilder builder(op);
  Type element = factor.type;
  bool isUnsigned = factor.isUnsigned;
  if (isUnsigned)
    element = builder.getIntegerType(8, /*isSigned=*/false);
  auto type = cast<RankedTensorType>(tensor.getType()).clone(element);
  DenseElementsAttr elements;
  if (matchPattern(tensor, m_Constant(&elements))) {
    auto bytes = factor.isFloat()
                     ? DenseElementsAttr::get(
                           type, ArrayRef(*findFloats(elements, cast<FloatType>(factor.type))))
                     : DenseElementsAttr::get(type, *findBytes(elements, isUnsigned));
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
  Value before = getReadTensor(load), tensor = makeBytes(before, factor);
  auto argument = cast<BlockArgument>(load.getSource());
  if (argument.hasOneUse() && load.getResult().hasOneUse()) {
    kernel->setOperand(argument.getArgNumber() - kernel.getNumAxes(), tensor);
    argument.setType(tensor.getType());
  } else {
    OpBuilder builder(load);
    load = cast<LoadOp>(builder.clone(*load));
    load.getSourceMutable().assign(kernel.addOperand(tensor));
  }
  load.getResult().setType(factor.type);
  if (isOpTriviallyDead(before.getDefiningOp()))
    before.getDefiningOp()->erase();
  return load.getResult();
}

struct KernelMultiplyBytesPass : tw::impl::KernelMultiplyBytesPassBase<KernelMultiplyBytesPass> {
  using KernelMultiplyBytesPassBase::KernelMultiplyBytesPassBase;

  void runOnOperation() override {
    SmallVector<Type> wideTypes;
    if (!parseFloats(floats, floatTypes) || !parseFloats(shortFloats, shortTypes) ||
        (!wider.empty() && !parseFloats(wider.getValue(), wideTypes)))
      return signalPassFailure();
    if (!wideTypes.empty())
      wideType = cast<FloatType>(wideTypes.front());
    getOperation().walk([&](KernelOp kernel) {
      if (kernel.getSchedule())
        return;
      SmallVector<ContractOp> contracts(kernel.getBody().getOps<ContractOp>());
      // Scales, where the program lets them move.
      if (!contracts.empty())
        hoistFactors(kernel);
      for (ContractOp op : contracts)
        multiplyBytes(op, kernel);
    });
  }

private:
  SmallVector<Type> floatTypes, shortTypes;
  FloatType wideType;

  bool parseFloats(ArrayRef<std::string> names, SmallVector<Type> &types) {
    types.clear();
    for (const std::string &name : names) {
      types.push_back(parseType(name, &getContext()));
      if (!isa_and_nonnull<FloatType>(types.back())) {
        tw::emitError(getOperation().getLoc(), Code::T0602)
            << "kernel-multiply-bytes: expected types of floats, found '" << name << "'";
        return false;
      }
    }
    return true;
  }

  /// The elements that units multiply such floats as, or nothing.
  Type findMultiplied(ContractOp op, const ByteFactor &lhs, const ByteFactor &rhs) {
    auto has = [&](ArrayRef<Type> types) {
      return lhs.type == rhs.type && llvm::is_contained(types, lhs.type);
    };
    using Flags = arith::FastMathFlags;
    if (has(floatTypes) || (has(shortTypes) && allows(op, Flags::reassoc | Flags::afn)))
      return lhs.type;
    auto isExact = [&](Type type) {
      return APFloat::isRepresentableBy(cast<FloatType>(type).getFloatSemantics(),
                                        wideType.getFloatSemantics());
    };
    return wideType && isExact(lhs.type) && isExact(rhs.type) ? Type(wideType) : Type();
  }

  void multiplyBytes(ContractOp op, KernelOp kernel) {
    Type type = op.getResult().getType();
    AxisSets sets(kernel);
    if (op.getLhs().getType() != type || (!type.isF32() && !type.isInteger(32)) ||
        !suitsUnits(op, sets))
      return;
    std::optional<ByteFactor> lhs = findByte(op.getLhs()), rhs = findByte(op.getRhs());
    // A constant is what the other factor is.
    if (lhs && lhs->isFloat())
      rhs = findByte(op.getRhs(), cast<FloatType>(lhs->type));
    else if (rhs && rhs->isFloat())
      lhs = findByte(op.getLhs(), cast<FloatType>(rhs->type));
    if (!lhs || !rhs || lhs->isFloat() != rhs->isFloat())
      return;
    if (lhs->isFloat())
      return multiplyFloats(op, *lhs, *rhs);
    bool isUnsigned = lhs->countsUnsigned() || rhs->countsUnsigned();
    if (integers && !(onlySigned && isUnsigned) &&
        !mayOverflow(op, sets, lhs->getMost() * rhs->getMost()))
      multiplyIntegers(op, *lhs, *rhs);
  }

  static Value findOrMake(OpBuilder &builder, Location location, const ByteFactor &factor) {
    return factor.load ? readBytes(factor) : makeByte(builder, location, factor);
  }

  static void replace(ContractOp op, Value sum) {
    auto kernel = op->getParentOfType<KernelOp>();
    op.getResult().replaceAllUsesWith(sum);
    op->erase();
    eraseUnused(kernel);
  }

  void multiplyFloats(ContractOp op, const ByteFactor &lhs, const ByteFactor &rhs) {
    Type multiplied = findMultiplied(op, lhs, rhs);
    if (!multiplied)
      return;
    OpBuilder builder(op);
    Location location = op.getLoc();
    auto make = [&](const ByteFactor &factor) {
      Value value = findOrMake(builder, location, factor);
      if (multiplied == factor.type)
        return value;
      value = arith::ExtFOp::create(builder, location, builder.getF32Type(), value);
      return Value(arith::TruncFOp::create(builder, location, multiplied, value));
    };
    Value factors[] = {make(lhs), make(rhs)};
    auto product = cast<ContractOp>(builder.clone(*op));
    product.getLhsMutable().assign(factors[0]);
    product.getRhsMutable().assign(factors[1]);
    replace(op, product.getResult());
  }

  void multiplyIntegers(ContractOp op, const ByteFactor &lhs, const ByteFactor &rhs) {
    Type type = op.getResult().getType();
    OpBuilder builder(op);
    Location location = op.getLoc();
    Value bytes[] = {findOrMake(builder, location, lhs), findOrMake(builder, location, rhs)};
    auto product = cast<ContractOp>(builder.clone(*op));
    product.getLhsMutable().assign(bytes[0]);
    product.getRhsMutable().assign(bytes[1]);
    product.setLhsUnsigned(lhs.countsUnsigned());
    product.setRhsUnsigned(rhs.countsUnsigned());
    product.getResult().setType(builder.getI32Type());
    Value sum = product.getResult();
    if (type.isF32())
      sum = arith::SIToFPOp::create(builder, location, type, sum);
    replace(op, sum);
  }
};

} // namespace
