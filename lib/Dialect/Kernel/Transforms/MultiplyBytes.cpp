// The pass kernel-multiply-bytes: products of floats that are bytes become products of the bytes.
//
//   %a = arith.sitofp (arith.subi (arith.extui %x), 128)        %a = arith.xori %x, 128 : i8
//   %b = arith.sitofp %w : i8 to f32                        ->
//   %s = contract %a, %b over (%k) : f32                        %i = contract %a, %w over (%k)
//                                                                      : i8, i8 -> i32
//                                                               %s = arith.sitofp %i
//
// The sum is exact, and rounded once.
#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

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
  /// Of 8 bits.
  Value byte;
  bool isUnsigned = false;
  /// Whether 128 is subtracted of the unsigned byte, which makes it a signed one.
  bool isShifted = false;
  /// Where there is one, what has to hold; elsewhere the number is 0.
  Value condition;

  bool countsUnsigned() const { return isUnsigned && !isShifted; }
  int64_t getMost() const { return countsUnsigned() ? 255 : 128; }
};

std::optional<ByteFactor> findByte(Value factor) {
  // As paddings of windows are.
  if (auto select = factor.getDefiningOp<arith::SelectOp>()) {
    bool isZero = matchPattern(select.getFalseValue(), m_PosZeroFloat()) ||
                  matchPattern(select.getFalseValue(), m_Zero());
    if (!isZero || select.getTrueValue().getDefiningOp<arith::SelectOp>())
      return std::nullopt;
    std::optional<ByteFactor> found = findByte(select.getTrueValue());
    if (found)
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
    auto number = [&](int8_t value) -> Value {
      return arith::ConstantOp::create(builder, location, builder.getI8IntegerAttr(value));
    };
    for (std::optional<ByteFactor> &factor : factors) {
      Value &byte = factor->byte;
      if (factor->isShifted)
        byte = arith::XOrIOp::create(builder, location, byte, number(-128));
      if (factor->condition)
        byte = arith::SelectOp::create(builder, location, factor->condition, byte, number(0));
    }
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
    // What was converted is not read any more.
    for (Operation &own : llvm::make_early_inc_range(llvm::reverse(kernel.getBody().front())))
      if (isOpTriviallyDead(&own))
        own.erase();
  }
};

} // namespace
