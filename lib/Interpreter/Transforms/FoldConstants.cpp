// graph-fold-constants: evaluates small subgraphs of constants with the interpreter, and finds
// masks among them. Runs after the folders, which do what is exact; relies on ops being pure.
#include "MaskComparison.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Interpreter/Interpreter.h"
#include "tw/Interpreter/Transforms/Passes.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/FileResolver.h"

#include "mlir/IR/Iterators.h"

namespace tw {
#define GEN_PASS_DEF_GRAPHFOLDCONSTANTS
#include "tw/Interpreter/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::graph;

namespace {
struct GraphFoldConstants : tw::impl::GraphFoldConstantsBase<GraphFoldConstants> {
  using GraphFoldConstantsBase::GraphFoldConstantsBase;

  void runOnOperation() override {
    FileResolver files(folder, named, followLinks);
    interp::Options options;
    options.resolve = [&](FileAttr file) -> FailureOr<ArrayRef<char>> {
      llvm::Expected<StringRef> bytes =
          files.bytes(file.getName(), file.getOffset(), file.getLength());
      if (bytes)
        return ArrayRef<char>(bytes->data(), bytes->size());
      failedToRead = true;
      tw::emitError(getOperation()->getLoc(), Code::T0218)
          << "cannot read the constant " << file << ": " << llvm::toString(bytes.takeError());
      return failure();
    };
    constants.clear();
    visited.clear();
    failedToRead = false;
    foldEmpty();

    // Operands come before their users, so one walk finds what is constant.
    SmallVector<Value> frontier;
    getOperation()->walk([&](Operation *op) {
      if (isConstant(op))
        constants.insert(op);
      else
        for (Value operand : op->getOperands())
          if (constants.contains(operand.getDefiningOp()))
            frontier.push_back(operand);
    });
    for (Value value : frontier)
      fold(value, options);
    if (failedToRead)
      return signalPassFailure();
    eraseUnused();
  }

  // Replaces what has no elements by the constant of none, so that nothing after this computes it
  // or reads it: what is left are sums over nothing and the like, of constants.
  void foldEmpty() {
    auto isEmpty = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0;
    };
    getOperation()->walk([&](Operation *op) {
      if (!isa_and_nonnull<GraphDialect>(op->getDialect()))
        return;
      OpBuilder builder(op);
      for (OpOperand &operand : op->getOpOperands())
        if (isEmpty(operand.get().getType()) && !operand.get().getDefiningOp<ConstantOp>())
          operand.set(makeEmpty(builder, operand.get()));
      for (Value result : op->getResults())
        if (isEmpty(result.getType()) && !isa<ConstantOp>(op))
          result.replaceAllUsesWith(makeEmpty(builder, result));
    });
  }

  Value makeEmpty(OpBuilder &builder, Value value) {
    return ConstantOp::create(
        builder, value.getLoc(),
        DenseElementsAttr::get(cast<ShapedType>(value.getType()), ArrayRef<Attribute>()));
  }

  // Whether the op's value depends on constants only, and the interpreter can tell it.
  bool isConstant(Operation *op) {
    // What a region reads is no operand of its op.
    if (!isa_and_nonnull<GraphDialect>(op->getDialect()) || op->getNumResults() != 1 ||
        op->getNumRegions() != 0)
      return false;
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || !type.hasStaticShape() || interp::getElementBytes(type.getElementType()) == 0)
      return false;
    // Sizes that a call settles.
    if (llvm::any_of(op->getAttrs(), [](NamedAttribute each) {
          auto sizes = dyn_cast<DimsAttr>(each.getValue());
          return sizes && !sizes.getSymbols().empty();
        }))
      return false;
    if (auto constant = dyn_cast<ConstantOp>(op))
      return !folder.empty() || !isa<FileAttr>(constant.getValue());
    return llvm::all_of(op->getOperands(),
                        [&](Value operand) { return constants.contains(operand.getDefiningOp()); });
  }

  // Whether the value may take elements out of something: a bool, or a float that is added.
  bool mayMask(Value value) {
    if (!isMaskType(value.getType()))
      return false;
    auto isAdded = [](Value result, auto &self) -> bool {
      return llvm::any_of(result.getUsers(), [&](Operation *user) {
        return isa<AddOp>(user) ||
               (isa<ExpandOp, ReshapeOp>(user) && self(user->getResult(0), self));
      });
    };
    return getElementTypeOrSelf(value).isInteger(1) || isAdded(value, isAdded);
  }

  // What takes the value's place: comparisons of indices, else a constant if it is small. What only
  // repeats stays as it is.
  Value evaluate(Value value, const interp::Options &options) {
    Operation *op = value.getDefiningOp();
    std::optional<uint64_t> length = getByteLength(cast<RankedTensorType>(value.getType()));
    bool isSmall =
        !isa<ConstantOp, ExpandOp>(op) && length && *length <= uint64_t(maxResult.getValue());
    bool isMask = length && *length <= uint64_t(maxMask) && mayMask(value);
    if (!isSmall && !isMask)
      return nullptr;
    FailureOr<DenseElementsAttr> elements =
        interp::evaluateConstant(value, options, isMask ? maxMask : maxOperand);
    if (failed(elements))
      return nullptr;
    OpBuilder builder(op);
    if (Value comparison = isMask ? makeComparison(builder, op->getLoc(), *elements) : Value())
      return comparison;
    return isSmall ? ConstantOp::create(builder, op->getLoc(), *elements) : Value();
  }

  // Puts what it is in the place of `value`, or of what that is made of.
  void fold(Value value, const interp::Options &options) {
    Operation *op = value.getDefiningOp();
    if (!visited.insert(op).second || isa<IotaOp>(op))
      return;
    if (Value known = evaluate(value, options)) {
      value.replaceAllUsesWith(known);
      return;
    }
    for (Value operand : op->getOperands())
      if (constants.contains(operand.getDefiningOp()))
        fold(operand, options);
  }

  void eraseUnused() {
    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (isa_and_nonnull<GraphDialect>(op->getDialect()) && isOpTriviallyDead(op))
        op->erase();
    });
  }

  DenseSet<Operation *> constants, visited;
  bool failedToRead = false;
};
} // namespace
