// Attributes of the ttile dialect: the layout of a tile over threads, and loops that threads share.
#ifndef TW_TILE_ATTRS_TD
#define TW_TILE_ATTRS_TD

include "tw/Dialect/Tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"

def Tile_LayoutAttr : AttrDef<Tile_Dialect, "Layout",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "which thread of a program holds which element of a tile, in which register";
  let description = [{
    The encoding of a tile's type in programs that run on threads, from the assignment of layouts on.
    The shape is an atom, linear over the bits of register, lane and warp numbers (an element's
    coordinates are the exclusive or of the bases of the set bits; a zero basis means copies), repeated
    any number of times along dimensions; repetitions are listed outermost first, each a digit of its
    resource's number above the atom's bits. A repetition without a dimension means copies.

    Example: 12 x 32 elements, three rows of blocks of 4 x 32, 8 lanes along rows, 4 registers each.
    ```mlir
    tensor<12x32xf32, #ttile.layout<12x32, rep [reg 0 x 3], atom 4x32 {reg [(0, 1), (0, 2)],
        lane [(0, 4), (0, 8), (0, 16)], warp [(1, 0), (2, 0)]}>>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, ArrayRefParameter<"int64_t">:$atom,
                        ArrayRefParameter<"int64_t">:$repetitions, ArrayRefParameter<"int64_t">:$regBases,
                        ArrayRefParameter<"int64_t">:$laneBases, ArrayRefParameter<"int64_t">:$warpBases);
  let builders = [AttrBuilder<(ins "const ::tw::layout::TileLayout &":$layout)>];
  let extraClassDeclaration = [{
    /// The layout in the form of the algebra.
    ::tw::layout::TileLayout getLayout() const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_BlocksAttr : AttrDef<Tile_Dialect, "Blocks",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "blocks";
  let summary = "a tile of a product as blocks in the registers of a matrix unit";
  let description = [{
    The encoding of a tile's type in programs of a CPU that has a unit for products of matrices, whose registers hold
    blocks. The tile has the three dimensions of a `ttile.mma` with a group: the group, rows and columns. A result
    has a group of 1 and is cut into blocks of `rows` x `columns`, the operands along the rows, or the columns, that they have.
    The blocks are in the registers from `first` on: a value of that type is no more once another one is made in
    them. While the sums of `product` live, registers have the shapes of its blocks.

    Example: a product of four blocks from two on each side.
    ```mlir
    ttile.mma %a, %b, %c : tensor<32x32x1xbf16, #ttile.blocks<16 x 16 at 4 of 0>>,
        tensor<32x1x32xbf16, #ttile.blocks<16 x 16 at 6 of 0>>, tensor<1x32x32xf32, #ttile.blocks<16 x 16 at 0 of 0>>
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$first, "int64_t":$product);
  let assemblyFormat = "`<` $rows `x` $columns `at` $first `of` $product `>`";
}

def Tile_TeamAttr : AttrDef<Tile_Dialect, "Team", [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let mnemonic = "team";
  let summary = "the threads of a CPU that run a launch together share the iterations of a loop";
  let description = [{
    The mapping of each dimension of an `scf.forall` in a program of a CPU. Every iteration runs once, in
    any thread, in any order; nobody goes on behind the loop before all iterations are done. What is
    outside of such loops runs in every thread and stores nothing. Memory allocated outside of them is
    shared by the team, memory allocated inside is the thread's own and undefined when an iteration begins.
    Programs of the grid run one after another, each by all threads.

    Example: a panel that all fill, then read.
    ```mlir
    %s = ttile.alloc : memref<64x16xf32, #gpu.address_space<workgroup>>
    scf.forall (%k) in (64) {
      ...
      ttile.store %row, %s through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%k) : tensor<16xf32> -> memref<64x16xf32, #gpu.address_space<workgroup>>
    } {mapping = [#ttile.team]}
    scf.forall (%i) in (8) {
      ...
    } {mapping = [#ttile.team]}
    ```
  }];
}

def Tile_BoxAttr : AttrDef<Tile_Dialect, "Box"> {
  let mnemonic = "box";
  let summary = "a box of a tensor in memory, which one thread may have copied at once";
  let description = [{
    What a load reads, as a box of a tensor, innermost dimension first. `at` are the coordinates where it
    begins, over the indices of the load; `strides` count elements from one point to the next, of all
    dimensions but the innermost. What lies outside of the tensor is zero. The box goes to memory point by
    point, the innermost dimension first.

    On a `ttile.store` of what such a load reads as `ttile.box`: one thread has it copied. If the tile has more points
    than the box, as many boxes beside each other along the innermost dimension are the tile.

    Example: 64 columns of 128 rows of a matrix of 8192 x 8192.
    ```mlir
    #ttile.box<affine_map<(d0, d1) -> (d1 * 64, d0 * 128)> extents [8192, 8192] strides [8192] box [64, 128]>
    ```
  }];
  let parameters = (ins "::mlir::AffineMapAttr":$at, ArrayRefParameter<"int64_t">:$extents,
                        ArrayRefParameter<"int64_t">:$strides, ArrayRefParameter<"int64_t">:$box);
  let assemblyFormat = [{
    `<` $at `extents` `[` $extents `]` `strides` `[` $strides `]` `box` `[` $box `]` `>`
  }];
}

#endif
