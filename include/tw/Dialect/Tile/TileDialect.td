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
    of static shape, on which upstream arith, math and scf work. Tiles that meet in an op have the same
    rank, one dimension per tile axis, of extent 1 where they do not vary. Global memory is `memref`;
    local memory, shared by the threads of a program, is `memref` in the workgroup space (`alloc`).
    Accesses are total: outside, a load yields its fill and a store is dropped. A program with `warps`
    runs on that many subgroups of threads; its tiles are spread over them by `#ttile.layout`. Scalars
    are the same in all threads. On a CPU a program is one thread, but for loops whose iterations a team of
    threads shares (`#ttile.team`).
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect",
                           "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::gpu::GPUDialect",
                           "::tw::view::ViewDialect"];
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

class Tile_TileOf<list<Type> elements> : Type<
    And<[StaticShapeTensorOf<elements>.predicate,
         CPred<"::tw::tile::isWithinLimit(::llvm::cast<::mlir::ShapedType>($_self))">]>,
    StaticShapeTensorOf<elements>.summary # " (a tile of at most 65536 elements)", "::mlir::RankedTensorType">;
def Tile_Tile : Tile_TileOf<[AnyType]>;
def Tile_Mask : Tile_TileOf<[I1]>;
def Tile_IndexTile : Tile_TileOf<[Index]>;

#endif
