// Registration of the ttile dialect.
#include "tw/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace tw::tile;

#include "tw/Dialect/Tile/TileDialect.cpp.inc"

void TileDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Tile/StructureOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Tile/AccessOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Tile/ComputeOps.cpp.inc"
      >();
}
