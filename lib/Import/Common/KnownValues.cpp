// Evaluation of what does not depend on inputs while a program is imported.
#include "KnownValues.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Interpreter/Inputs.h"

#include "mlir/IR/IRMapping.h"

using namespace tw;
using namespace tw::importer;
using namespace mlir;

/// Values that decide shapes are small; nothing larger is evaluated.
static constexpr int64_t maxKnownElements = 65536;
static constexpr size_t maxChain = 4096;

DenseElementsAttr tw::importer::denseFromBytes(RankedTensorType type, llvm::StringRef bytes) {
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bools(llvm::map_range(bytes, [](char byte) { return byte != 0; }));
    return DenseElementsAttr::get(type, ArrayRef<bool>(bools));
  }
  return DenseElementsAttr::getFromRawBuffer(type, ArrayRef<char>(bytes.data(), bytes.size()));
}

/// Collects the ops that `value` depends on, operands first, up to `leaves` that are known already.
/// False if it depends on an argument that has no assumed value, or on too many ops.
bool KnownValues::collect(Value value, llvm::SetVector<Operation *> &ops,
                          llvm::SetVector<Value> &leaves) const {
  if (auto known = values.find(value); known != values.end() && known->second)
    return leaves.insert(value), true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return assumed.contains(value);
  if (ops.contains(op))
    return true;
  // What a region reads is no operand, and of what data count the size is a sample.
  if (ops.size() >= maxChain || op->getNumRegions() != 0 || isa<graph::PrefixOp>(op))
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, ops, leaves))
      return false;
  ops.insert(op);
  return true;
}

DenseElementsAttr KnownValues::get(Value value) {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  if (cast<RankedTensorType>(value.getType()).getNumElements() > maxKnownElements)
    return values[value];
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> leaves;
  if (!collect(value, ops, leaves))
    return values[value];
  DenseElementsAttr &result = values[value];
  interp::Options options;
  options.resolve = interp::resolveFrom(files);
  // Assumed arguments stand for constants: the chain is evaluated on a copy of its own.
  Block scratch;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointToEnd(&scratch);
  IRMapping mapping;
  for (auto &[argument, constant] : assumed) {
    auto reads = [&, own = argument](Operation *op) {
      return llvm::is_contained(op->getOperands(), own);
    };
    if (argument == value || llvm::any_of(ops, reads))
      relied.insert(argument);
    mapping.map(argument, graph::ConstantOp::create(builder, argument.getLoc(), constant));
  }
  for (Value leaf : leaves)
    if (!mapping.contains(leaf))
      mapping.map(leaf, graph::ConstantOp::create(builder, leaf.getLoc(), values.lookup(leaf)));
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  FailureOr<DenseElementsAttr> known =
      interp::evaluateConstant(mapping.lookup(value), options, maxKnownElements * 8);
  if (succeeded(known))
    result = *known;
  return result;
}
