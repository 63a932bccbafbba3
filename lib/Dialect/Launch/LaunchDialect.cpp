// Registration of the tlaunch dialect and its types.
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw::launch;

#include "tw/Dialect/Launch/LaunchDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tw/Dialect/Launch/LaunchTypes.cpp.inc"

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 RankedTensorType tensor) {
  if (tensor.hasStaticShape() && tensor.getElementType().isIntOrFloat())
    return success();
  return tw::CodedDiagnostic(emitError(), tw::Code::T0332)
         << "expected a tensor of static shape and of integers or floats, found " << tensor;
}

int64_t BufferType::getBytes() const {
  int64_t bits = getTensor().getElementType().getIntOrFloatBitWidth();
  return getTensor().getNumElements() * ((bits + 7) / 8);
}

void LaunchDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tw/Dialect/Launch/LaunchTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Launch/StructureOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Launch/BufferOps.cpp.inc"
      >();
}
