// Accesses to memory and to coordinates.
#ifndef TW_TILE_ACCESS_OPS_TD
#define TW_TILE_ACCESS_OPS_TD

include "tw/Dialect/Tile/TileDialect.td"
include "tw/Dialect/View/ViewAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def LoadOp : Tile_Op<"load", []> {
  let summary = "reads a tile from memory through an index map; total";
  let description = [{
    The dimensions of the map are, in this order, the coordinates in the tile (as many as its rank), and
    the operands in parentheses: scalars of type `index`, or tiles of `index` of the same rank whose
    extents are those of the result or 1 (a gather). The results of the map are the coordinates in
    memory. The first guard that fails gives its fill, a coordinate outside the memory gives the map's
    `else` fill. `in_bounds` says, per dimension of the memory, that its coordinate was proved inside.
    The element type of the tile is signless; i1 is held as one byte in memory.

    The attribute `ttile.ahead = n : i64` asks to fetch the elements n after those that are read, which
    the program or another one will read.

    Example:
    ```mlir
    %t = ttile.load %x through #tview.map<affine_map<(d0, d1, d2) -> (d2 + d0, d1)>>(%i) : memref<64x16xf32> -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins Arg<AnyStaticShapeMemRef, "", [MemRead]>:$source,
                       Variadic<AnyTypeOf<[Index, Tile_IndexTile]>>:$indices, View_MapAttr:$map,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds);
  let results = (outs Tile_Tile:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getAheadAttrName() { return "ttile.ahead"; }
  }];
}

def StoreOp : Tile_Op<"store", []> {
  let summary = "writes a tile to memory through an index map; outside it is dropped";
  let description = [{
    As `load`; where a guard fails or a coordinate is outside the memory, nothing is written (fills play
    no part). The map is injective on the points of the tile that are written.

    `streaming` asks for stores past the caches: nothing reads the data soon. With `ttile.streaming_from`, a number
    of bytes, it does in calls where the buffer has as many.
  }];
  let arguments = (ins Tile_Tile:$value, Arg<AnyStaticShapeMemRef, "", [MemWrite]>:$destination,
                       Variadic<AnyTypeOf<[Index, Tile_IndexTile]>>:$indices, View_MapAttr:$map,
                       OptionalAttr<DenseBoolArrayAttr>:$in_bounds, UnitAttr:$streaming);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getStreamingFromAttrName() { return "ttile.streaming_from"; }
  }];
}

def IndexOp : Tile_Op<"index", [Pure]> {
  let summary = "a tile of indices computed from its coordinates";
  let description = [{
    The dimensions of the affine map are the coordinates in the tile and the scalars.

    Example:
    ```mlir
    %j = ttile.index affine_map<(d0, d1, d2) -> (d2 * 16 + d1)>(%jo) : tensor<1x16xindex>
    ```
  }];
  let arguments = (ins Variadic<Index>:$indices, AffineMapAttr:$map);
  let results = (outs Tile_IndexTile:$result);
  let assemblyFormat = "$map `` `(` $indices `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def InsideOp : Tile_Op<"inside", [Pure]> {
  let summary = "a mask of the coordinates that lie in a set";
  let description = [{
    True where the set, over the coordinates in the tile and the scalars, holds.

    Example:
    ```mlir
    %m = ttile.inside affine_set<(d0, d1, d2) : (99 - d2 * 16 - d1 >= 0)>(%jo) : tensor<1x16xi1>
    ```
  }];
  let arguments = (ins Variadic<Index>:$indices, IntegerSetAttr:$set);
  let results = (outs Tile_Mask:$result);
  let assemblyFormat = "$set `` `(` $indices `)` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif
