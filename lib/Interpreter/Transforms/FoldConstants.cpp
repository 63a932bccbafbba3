// graph-fold-constants: evaluates small subgraphs of constants with the interpreter. Runs after the
// folders, which do what is exact; relies on ops being pure.
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

  // Puts a constant in the place of `value`, or of what it is made of.
  void fold(Value value, const interp::Options &options) {
    Operation *op = value.getDefiningOp();
    if (!visited.insert(op).second || isa<ConstantOp, IotaOp>(op))
      return;
    std::optional<uint64_t> length = getByteLength(cast<RankedTensorType>(value.getType()));
    if (!isa<ExpandOp>(op) && length && *length <= uint64_t(maxResult)) {
      FailureOr<DenseElementsAttr> result = interp::evaluateConstant(value, options, maxOperand);
      if (succeeded(result)) {
        OpBuilder builder(op);
        value.replaceAllUsesWith(ConstantOp::create(builder, op->getLoc(), *result));
        return;
      }
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
