// Registration of the tlaunch dialect and its types.
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/View/View.h"

using namespace mlir;
using namespace tw::launch;

#include "tw/Dialect/Launch/LaunchDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tw/Dialect/Launch/LaunchTypes.cpp.inc"

int64_t BufferType::getBytes() const {
  int64_t bits = getTensor().getElementType().getIntOrFloatBitWidth();
  return ShapedType::getNumElements(tw::view::getStorageShape(getTensor())) * ((bits + 7) / 8);
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
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Launch/ControlOps.cpp.inc"
      >();
}
