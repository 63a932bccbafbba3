// graph-split-constants: contractions with weights that are too large to bind become several.
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Graph/Transforms/Passes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

namespace tw {
#define GEN_PASS_DEF_GRAPHSPLITCONSTANTS
#include "tw/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::graph;

namespace {

/// A weight in a file that is larger than `maxBytes` and has rows that are not.
struct LargeWeight {
  FileAttr file;
  RankedTensorType type;
  int64_t rowBytes;
};

std::optional<LargeWeight> matchWeight(Value value, uint64_t maxBytes) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto file = constant ? dyn_cast<FileAttr>(constant.getValue()) : FileAttr();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!file || !type || type.getRank() == 0 || file.getLength() <= maxBytes ||
      type.getDimSize(0) < 2)
    return std::nullopt;
  int64_t rowBytes = file.getLength() / type.getDimSize(0);
  if (static_cast<uint64_t>(rowBytes) > maxBytes)
    return std::nullopt;
  return LargeWeight{file, type, rowBytes};
}

RankedTensorType withDim(RankedTensorType type, unsigned dim, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

/// `value` from `start` on along the dimension of `letter`, if it has one.
Value slice(OpBuilder &builder, Location loc, Value value, StringRef letters, char letter,
            int64_t start, int64_t size) {
  size_t dim = letters.find(letter);
  if (dim == StringRef::npos)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> offsets(type.getRank(), 0), sizes(type.getShape()),
      strides(type.getRank(), 1);
  offsets[dim] = start;
  sizes[dim] = size;
  return SliceOp::create(builder, loc, withDim(type, dim, size), value, offsets, sizes, strides);
}

/// The weight's rows, its first dimension, are shared out in parts of nearly equal size: their
/// products stand beside each other in the result, or are summed.
void split(ContractOp op, bool weightIsLeft, const LargeWeight &weight, uint64_t maxBytes) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  StringRef weightLetters = weightIsLeft ? op.getLhsLetters() : op.getRhsLetters();
  StringRef otherLetters = weightIsLeft ? op.getRhsLetters() : op.getLhsLetters();
  Value other = weightIsLeft ? op.getRhs() : op.getLhs();
  char letter = weightLetters.front();
  size_t resultDim = op.getResultLetters().find(letter);
  bool summed = resultDim == StringRef::npos;
  auto resultType = cast<RankedTensorType>(op.getType());
  int64_t rows = weight.type.getDimSize(0);
  int64_t parts = llvm::divideCeil(rows, static_cast<int64_t>(maxBytes) / weight.rowBytes);
  int64_t partRows = llvm::divideCeil(rows, parts);
  SmallVector<Value> products;
  for (int64_t start = 0; start < rows; start += partRows) {
    int64_t size = std::min(partRows, rows - start);
    RankedTensorType type = withDim(weight.type, 0, size);
    auto file =
        FileAttr::get(op.getContext(), type, weight.file.getName(),
                      weight.file.getOffset() + start * weight.rowBytes, size * weight.rowBytes);
    Value part = ConstantOp::create(builder, loc, file);
    Value operand = slice(builder, loc, other, otherLetters, letter, start, size);
    products.push_back(ContractOp::create(
        builder, loc, summed ? resultType : withDim(resultType, resultDim, size), op.getSpecAttr(),
        weightIsLeft ? part : operand, weightIsLeft ? operand : part));
  }
  Value result = products.front();
  if (!summed)
    result = ConcatOp::create(builder, loc, resultType, products, resultDim);
  else
    for (Value product : ArrayRef(products).drop_front())
      result = AddOp::create(builder, loc, resultType, result, product);
  op.replaceAllUsesWith(result);
  op.erase();
}

struct GraphSplitConstants : tw::impl::GraphSplitConstantsBase<GraphSplitConstants> {
  using GraphSplitConstantsBase::GraphSplitConstantsBase;

  void runOnOperation() override {
    SmallVector<ContractOp> contractions;
    getOperation()->walk([&](ContractOp op) { contractions.push_back(op); });
    for (ContractOp op : contractions) {
      // The sum of bools is an or, which no op of tgraph adds up.
      if (getElementTypeOrSelf(op.getType()).isInteger(1))
        continue;
      for (bool left : {true, false})
        if (auto weight = matchWeight(left ? op.getLhs() : op.getRhs(), maxBytes)) {
          split(op, left, *weight, maxBytes);
          break;
        }
    }
  }
};

} // namespace
