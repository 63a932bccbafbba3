// Registration of the ttile dialect.
#include "tw/Dialect/Tile/Tile.h"

using namespace mlir;
using namespace tw::tile;

#include "tw/Dialect/Tile/TileDialect.cpp.inc"

namespace {

/// Layouts are long: `#layout`, `#layout1` .. before the program.
struct TileAliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, llvm::raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attribute))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};

} // namespace

void TileDialect::initialize() {
  addInterfaces<TileAliases>();
  registerAttributes();
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
  addOperations<
#define GET_OP_LIST
#include "tw/Dialect/Tile/MemoryOps.cpp.inc"
      >();
}
