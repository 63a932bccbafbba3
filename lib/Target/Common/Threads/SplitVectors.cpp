// The pass threads-split-vectors: computations on vectors that the languages of threads do not have
// become computations on their elements.
//
// It runs after math is expanded and folded, when all operations are those that will be printed.
#include "tw/Target/Common/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tw {
#define GEN_PASS_DEF_THREADSSPLITVECTORSPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

bool isVector(Type type) { return isa<VectorType>(type); }

bool isMask(Type type) { return isVector(type) && getElementTypeOrSelf(type).isInteger(1); }

bool computesWithVectors(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         !isa<arith::ConstantOp>(op) && llvm::any_of(op->getOperandTypes(), isVector);
}

/// Elements of 32 bits and truth values about them, none converted but as bits.
bool hasWords(Operation *op) {
  if (isa<CastOpInterface>(op) && !isa<arith::BitcastOp>(op))
    return false;
  for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (Type element = getElementTypeOrSelf(type);
        isVector(type) && !element.isInteger(1) &&
        (element.isIndex() || element.getIntOrFloatBitWidth() != 32))
      return false;
  return true;
}

class ThreadsSplitVectorsPass
    : public tw::impl::ThreadsSplitVectorsPassBase<ThreadsSplitVectorsPass> {
public:
  using ThreadsSplitVectorsPassBase::ThreadsSplitVectorsPassBase;

  void runOnOperation() override {
    llvm::SetVector<Operation *> whole;
    SmallVector<Operation *> all;
    getOperation()->walk([&](Operation *op) {
      if (!computesWithVectors(op))
        return;
      all.push_back(op);
      if (hasWords(op))
        whole.insert(op);
    });
    // A vector of truth values has no elements to take or to be made of: all that make or use it
    // stay whole, or none does.
    auto mustSplit = [&](Operation *op) {
      return llvm::any_of(op->getOperands(),
                          [&](Value value) {
                            Operation *producer = value.getDefiningOp();
                            return isMask(value.getType()) &&
                                   !(producer && (whole.contains(producer) ||
                                                  isa<arith::ConstantOp>(producer)));
                          }) ||
             llvm::any_of(op->getResults(), [&](Value value) {
               return isMask(value.getType()) &&
                      !llvm::all_of(value.getUsers(),
                                    [&](Operation *user) { return whole.contains(user); });
             });
    };
    for (size_t before = 0; before != whole.size();) {
      before = whole.size();
      whole.remove_if(mustSplit);
    }
    for (Operation *op : all)
      if (!whole.contains(op))
        split(op);
    getOperation()->walk([](vector::ReductionOp op) { combine(op); });
  }

private:
  /// One element after another. What makes a vector of truth values for it is split.
  static void combine(vector::ReductionOp op) {
    OpBuilder builder(op);
    Value result = op.getAcc();
    for (int64_t i = 0; i < op.getSourceVectorType().getNumElements(); ++i) {
      Value element = vector::ExtractOp::create(builder, op.getLoc(), op.getVector(), i);
      result = result ? vector::makeArithReduction(builder, op.getLoc(), op.getKind(), result,
                                                   element, op.getFastmathAttr())
                      : element;
    }
    op.replaceAllUsesWith(result);
    op.erase();
  }

  static void split(Operation *op) {
    OpBuilder builder(op);
    auto type = cast<VectorType>(op->getResult(0).getType());
    SmallVector<Value> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands())
        operands.push_back(isVector(operand.getType())
                               ? vector::ExtractOp::create(builder, op->getLoc(), operand, i)
                               : operand);
      elements.push_back(builder
                             .create(op->getLoc(), op->getName().getIdentifier(), operands,
                                     type.getElementType(), op->getAttrs())
                             ->getResult(0));
    }
    Value vector = vector::FromElementsOp::create(builder, op->getLoc(), type, elements);
    op->getResult(0).replaceAllUsesWith(vector);
    op->erase();
  }
};

} // namespace
