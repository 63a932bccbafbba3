// Sizes as numbers of a program, and parts that begin at them and are as long as they say.
#include "GatherParts.h"

#include "tw/Dialect/Graph/Graph.h"

using namespace mlir;
using namespace tw;

Value onnx::makeSizeNumber(OpBuilder &builder, Location loc, const graph::Dim &size,
                           bool isReciprocal, Type element) {
  Value number =
      graph::SizeOp::create(builder, loc, RankedTensorType::get({}, element),
                            graph::DimsAttr::get(builder.getContext(), ArrayRef<graph::Dim>(size)));
  return isReciprocal ? graph::ReciprocalOp::create(builder, loc, number).getResult() : number;
}

Value onnx::gatherParts(Operation *op, ArrayRef<SizedPart> parts) {
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  Type held = cast<RankedTensorType>(result.getType()).getElementType();
  graph::Shape shape = *graph::getShape(result.getType()), whole(shape);
  for (const SizedPart &part : parts)
    whole[part.dim] = graph::getShape(op->getOperand(0).getType())->data()[part.dim];
  result.setType(graph::getTensorType(whole, held));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Type element = builder.getI64Type();
  for (const SizedPart &part : parts) {
    RankedTensorType type = graph::getTensorType({shape[part.dim]}, element);
    Value position = graph::IotaOp::create(builder, loc, type, /*dim=*/0);
    auto spread = [&](Value scalar) {
      auto one = RankedTensorType::get({1}, element);
      Value single = graph::ReshapeOp::create(builder, loc, one, scalar);
      return single.getType() == type
                 ? single
                 : graph::ExpandOp::create(builder, loc, type, single).getResult();
    };
    if (part.stride != 1)
      position =
          graph::MulOp::create(builder, loc, position,
                               spread(makeSizeNumber(builder, loc, part.stride, false, element)));
    if (part.offset != graph::Dim(0))
      position =
          graph::AddOp::create(builder, loc, position,
                               spread(makeSizeNumber(builder, loc, part.offset, false, element)));
    whole[part.dim] = shape[part.dim];
    result = graph::GatherOp::create(builder, loc, graph::getTensorType(whole, held), result,
                                     ValueRange(position), uint64_t(part.dim), 0);
  }
  return result;
}
