// Commands of a host program: verifiers.
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/View/View.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/SizeProducts.h"

using namespace mlir;
using namespace tw::launch;

LogicalResult GetConstantOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto constant = symbols.lookupNearestSymbolFrom<ConstantOp>(*this, getConstantAttr());
  if (!constant)
    return emitOpError("expected a tlaunch.constant named ") << getConstantAttr();
  if (constant.getType() != getType().getTensor())
    return emitOpError("expected a buffer of the constant's type ")
           << constant.getType() << ", found " << getType();
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom(*this, getKernelAttr()))
    return emitOpError("expected a kernel named ") << getKernelAttr();
  return success();
}

/// Nobody but the initializer writes what it yields, and nobody what the module holds.
static LogicalResult verifyWrites(Operation *op, ValueRange buffers) {
  for (Value buffer : buffers)
    if (Operation *made = getWhole(buffer).getDefiningOp();
        isa_and_nonnull<GetConstantOp, InitializeOp>(made))
      return op->emitOpError("writes to a constant, defined by ") << made->getName();
  return success();
}

/// Whether the buffer is a part, or changes places with another one.
static bool movesInLoop(Value buffer) {
  return buffer.getDefiningOp<PartOp>() || llvm::any_of(buffer.getUsers(), llvm::IsaPred<RotateOp>);
}

LogicalResult LaunchOp::verify() {
  if (auto offsets = getOffsets()) {
    if (offsets->size() != getReads().size())
      return emitOpError("expected an offset for each of ")
             << getReads().size() << " buffers that are read, found " << offsets->size();
    for (auto [offset, buffer] : llvm::zip(*offsets, getReads())) {
      if (offset < 0 || offset > cast<BufferType>(buffer.getType()).getBytes())
        return emitOpError("begins to read ") << buffer.getType() << " at byte " << offset;
      if (offset != 0 && movesInLoop(buffer))
        return tw::emitOpError(*this, Code::T0516)
               << "begins to read at byte " << offset << " of " << buffer.getType()
               << ", which is elsewhere in each iteration of a loop";
    }
  }
  return verifyWrites(*this, getWrites());
}

LogicalResult CopyOp::verify() {
  RankedTensorType from = getSource().getType().getTensor(),
                   to = getDestination().getType().getTensor();
  if (from.getElementType() != to.getElementType() ||
      (tw::view::getStorageSizes(from) != tw::view::getStorageSizes(to) &&
       (tw::view::hasRoom(from) || tw::view::hasRoom(to) ||
        !haveEqualProducts(tw::view::getSizes(from), tw::view::getSizes(to)))))
    return emitOpError("expected buffers of the same sizes in memory, found ")
           << getSource().getType() << " and " << getDestination().getType();
  return verifyWrites(*this, getDestination());
}

// The type of both, or `a -> b` where their sizes in memory alone are the same.
static ParseResult parseCopiedTypes(OpAsmParser &parser, Type &source, Type &destination) {
  if (parser.parseType(source))
    return failure();
  destination = source;
  return failure(succeeded(parser.parseOptionalArrow()) && parser.parseType(destination));
}

static void printCopiedTypes(OpAsmPrinter &printer, Operation *, Type source, Type destination) {
  printer << source;
  if (source != destination)
    printer << " -> " << destination;
}

#define GET_OP_CLASSES
#include "tw/Dialect/Launch/BufferOps.cpp.inc"
