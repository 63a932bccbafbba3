// Registration of the tview dialect.
#include "Simplified.h"
#include "tw/Dialect/View/View.h"

using namespace mlir;
using namespace tw::view;

#include "tw/Dialect/View/ViewDialect.cpp.inc"

void ViewDialect::initialize() {
  registerAttributes();
  addInterfaces<Simplified>();
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/View/ViewOps.cpp.inc"
      >();
}
