// The ttile dialect: how a kernel runs, as a tile program per grid point.
#ifndef TW_TILE_DIALECT_TD
#define TW_TILE_DIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "ttile";
  let cppNamespace = "::tw::tile";
  let summary = "Tile programs: register tiles, loops and memory";
  let description = [{
    A `ttile.func` is one program per point of a grid. Register tiles are values: builtin ranked tensors
    of static shape, on which upstream arith, math and scf work. All tiles of a program have the same
    rank, one dimension per tile axis, of extent 1 where they do not vary. Global memory is `memref`.
    Accesses are total: outside, a load yields its fill and a store is dropped.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect",
                           "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect",
                           "::tw::view::ViewDialect"];
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

def Tile_Tile : StaticShapeTensorOf<[AnyType]>;
def Tile_Mask : StaticShapeTensorOf<[I1]>;
def Tile_IndexTile : StaticShapeTensorOf<[Index]>;

#endif
