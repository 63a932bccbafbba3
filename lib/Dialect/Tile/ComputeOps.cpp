// Ops on register tiles: syntax and verifiers.
#include "tw/Dialect/Tile/Tile.h"

#include "tw/Support/ElementTypes.h"

using namespace mlir;
using namespace tw;
using namespace tw::tile;

namespace {

OptionalParseResult parseKind(OpAsmParser &parser, arith::AtomicRMWKindAttr &kind) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return std::nullopt;
  auto value = arith::symbolizeAtomicRMWKind(keyword);
  if (!value)
    return parser.emitError(loc, "expected a kind of reduction, found '") << keyword << "'";
  kind = arith::AtomicRMWKindAttr::get(parser.getContext(), *value);
  return ParseResult::success();
}

void printKind(OpAsmPrinter &printer, Operation *, arith::AtomicRMWKindAttr kind) {
  if (kind)
    printer << arith::stringifyAtomicRMWKind(kind.getValue());
}

/// Whether the extents of `part` are those of `whole` or 1.
bool broadcastsTo(RankedTensorType part, RankedTensorType whole) {
  return part.getRank() == whole.getRank() &&
         llvm::all_of(llvm::zip(part.getShape(), whole.getShape()), [](auto extents) {
           return std::get<0>(extents) == 1 || std::get<0>(extents) == std::get<1>(extents);
         });
}

} // namespace

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (source.getElementType() != result.getElementType() || !broadcastsTo(source, result))
    return emitOpError(
               "expected a result of the source's element type and extents, 1 replaced, found ")
           << source << " -> " << result;
  return success();
}

/// The type of a reduction's result; fails without a message where layouts are missing.
static FailureOr<RankedTensorType> getReducedType(ReduceOp op, RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t dim : op.getDims())
    shape[dim] = 1;
  if (!op.getWithin())
    return RankedTensorType::get(shape, type.getElementType());
  auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding());
  if (!layout || !layout.getLayout().isPlain())
    return failure();
  SmallVector<unsigned> dims(op.getDims().begin(), op.getDims().end());
  tw::layout::TileLayout folded = layout.getLayout().fold(dims, *op.getWithin() == "subgroup");
  return RankedTensorType::get(folded.shape, type.getElementType(),
                               LayoutAttr::get(op.getContext(), folded));
}

LogicalResult ScanOp::verify() {
  auto type = cast<RankedTensorType>(getValue().getType());
  if (getDim() >= uint64_t(type.getRank()))
    return emitOpError("expected a dim below ")
           << type.getRank() << ", found " << int64_t(getDim());
  SmallVector<int64_t> shape(type.getShape());
  auto before = getBefore() ? cast<RankedTensorType>(getBefore().getType()) : RankedTensorType();
  bool hasParts = before && before.getRank() == type.getRank() && before.getDimSize(getDim()) > 0 &&
                  shape[getDim()] % before.getDimSize(getDim()) == 0;
  shape[getDim()] = hasParts ? before.getDimSize(getDim()) : 1;
  auto expected = RankedTensorType::get(shape, type.getElementType());
  auto isExpected = [&](RankedTensorType found) {
    return found.getShape() == expected.getShape() &&
           found.getElementType() == expected.getElementType();
  };
  if (before && (!hasParts || !isExpected(before)))
    return emitOpError("expected to begin from one element for each of some equal parts of ")
           << type << " along dim " << getDim() << ", found " << before;
  if (!isExpected(cast<RankedTensorType>(getTotal().getType())))
    return emitOpError("expected a total of type ")
           << expected << ", found " << getTotal().getType();
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getValues().empty() || getValues().size() != getResults().size())
    return emitOpError("expected one result per value, found ")
           << getResults().size() << " for " << getValues().size();
  if (getWithin() && *getWithin() != "thread" && *getWithin() != "subgroup")
    return emitOpError("expected within to be \"thread\" or \"subgroup\", found \"")
           << *getWithin() << "\"";
  for (auto [value, result] : llvm::zip(getValues(), getResults())) {
    auto type = cast<RankedTensorType>(value.getType());
    if (isNarrowFloat(type.getElementType()))
      return emitOpError("expected ")
             << type.getElementType() << " to be combined in f32, found " << type;
    for (int64_t dim : getDims())
      if (dim < 0 || dim >= type.getRank())
        return emitOpError("expected dims below ") << type.getRank() << ", found " << dim;
    FailureOr<RankedTensorType> expected = getReducedType(*this, type);
    if (failed(expected))
      return emitOpError("expected tiles with layouts of bits that do not overlap, found ") << type;
    auto found = cast<RankedTensorType>(result.getType());
    if (!getWithin())
      found = RankedTensorType::get(found.getShape(), found.getElementType());
    if (found != *expected)
      return emitOpError("expected a result of type ")
             << *expected << ", found " << result.getType();
  }
  if (getKind() ? (getValues().size() != 1 || !getCombine().empty())
                : (getCombine().empty() || !getIdentities() ||
                   getIdentities()->size() != getValues().size()))
    return emitOpError("expected a kind and one value, or a region and one identity per value");
  return success();
}

std::optional<unsigned> MmaOp::getGroupDim() {
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto accumulator = cast<RankedTensorType>(getAccumulator().getType());
  for (int64_t dim = 0; dim + 1 < accumulator.getRank(); ++dim)
    if (accumulator.getDimSize(dim) == 1 && lhs.getDimSize(dim) > 1)
      return dim;
  return std::nullopt;
}

/// Whether sums of products of `operand` are held in `accumulator`.
static bool sumsIn(Type operand, Type accumulator) {
  if (isNarrowFloat(operand))
    return accumulator.isF32();
  return operand == accumulator ||
         (operand.isSignlessInteger(8) && accumulator.isSignlessInteger(32));
}

LogicalResult MmaOp::verify() {
  auto accumulator = cast<RankedTensorType>(getAccumulator().getType());
  auto lhs = cast<RankedTensorType>(getLhs().getType());
  auto rhs = cast<RankedTensorType>(getRhs().getType());
  if (lhs.getElementType() != rhs.getElementType() ||
      !sumsIn(lhs.getElementType(), accumulator.getElementType()))
    return emitOpError("expected operands of the accumulator's element type, of narrow floats for "
                       "f32, or of i8 for i32, found ")
           << lhs << " and " << rhs << " for " << accumulator;
  bool isByte = lhs.getElementType() != accumulator.getElementType() &&
                accumulator.getElementType().isInteger();
  if ((getLhsUnsigned() || getRhsUnsigned()) && !isByte)
    return emitOpError("expected unsigned operands of i8 for i32 only, found ")
           << lhs << " for " << accumulator;
  // With the extent of the group, the accumulator's extents are what all operands broadcast to.
  SmallVector<int64_t> whole(accumulator.getShape());
  std::optional<unsigned> group;
  if (lhs.getRank() == accumulator.getRank() && (group = getGroupDim()))
    whole[*group] = lhs.getDimSize(*group);
  auto full = RankedTensorType::get(whole, accumulator.getElementType());
  for (RankedTensorType type : {lhs, rhs})
    if (!broadcastsTo(type, full) || (group && type.getDimSize(*group) != whole[*group]))
      return emitOpError("expected operands of the accumulator's extents or 1, and of one extent "
                         "in one dimension before the last where the accumulator has 1, found ")
             << lhs << " and " << rhs << " for " << accumulator;
  return success();
}

#define GET_OP_CLASSES
#include "tw/Dialect/Tile/ComputeOps.cpp.inc"
