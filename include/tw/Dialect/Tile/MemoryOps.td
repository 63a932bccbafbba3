// Local memory and the order of its accesses.
#ifndef TW_TILE_MEMORY_OPS_TD
#define TW_TILE_MEMORY_OPS_TD

include "tw/Dialect/Tile/TileDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AllocOp : Tile_Op<"alloc", []> {
  let summary = "local memory of the program";
  let description = [{
    One allocation per program, wherever the op stands, and per thread inside of a loop that a team
    shares; its contents are undefined until they are stored. The memory is in the workgroup space; strides larger than the row pad it, so that
    threads that access a column use different banks.

    Example:
    ```mlir
    %s = ttile.alloc : memref<64x16xf32, strided<[17, 1]>, #gpu.address_space<workgroup>>
    ```
  }];
  let results = (outs Res<AnyStaticShapeMemRef, "", [MemAlloc]>:$memory);
  let assemblyFormat = "attr-dict `:` type($memory)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Elements from the first to the last one, padding included.
    int64_t getNumElements();
  }];
}

def BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders all accesses to memory before it and after it, of all threads of the program";
  let description = [{
    Every thread of the program runs it: conditions and trip counts are scalars, which are the same
    in all of them.
  }];
  let assemblyFormat = "attr-dict";
}

def AwaitOp : Tile_Op<"await", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until copies of boxes have filled a slot of rings";
  let description = [{
    Each thread waits until filling number `filling` of the slot, counted from 0, is there, in all of the
    `rings`; it has waited for all fillings of the slot before that one. It orders nothing else. `arrivals` is memory
    with a word for each slot, in which what arrives is counted.

    Example:
    ```mlir
    ttile.await %full[2] filling %n of %a, %b : memref<4xi64, #space>, memref<4x1x128x64xbf16, #space>, memref<4x4x64x64xbf16, #space>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$arrivals, I64Attr:$slot, Index:$filling,
                       Variadic<AnyStaticShapeMemRef>:$rings);
  let assemblyFormat = [{
    $arrivals `[` $slot `]` `filling` $filling `of` $rings attr-dict `:` type($arrivals) `,` type($rings)
  }];
  let hasVerifier = 1;
}

def ReleaseOp : Tile_Op<"release", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "gives a slot of rings back to who fills it";
  let description = [{
    All products that read filling number `filling` of the slot, counted from 0, are done, in each thread; below 0
    there is no such filling. Who fills the slot of any of the `rings` the next time waits until all threads have said so. It orders
    nothing else. `released` is memory with a word for each slot, in which that is counted.

    Example:
    ```mlir
    ttile.release %free[2] filling %n of %a, %b : memref<4xi64, #space>, memref<4x1x128x64xbf16, #space>, memref<4x4x64x64xbf16, #space>
    ```
  }];
  let arguments = (ins AnyStaticShapeMemRef:$released, I64Attr:$slot, Index:$filling,
                       Variadic<AnyStaticShapeMemRef>:$rings);
  let assemblyFormat = [{
    $released `[` $slot `]` `filling` $filling `of` $rings attr-dict `:` type($released) `,` type($rings)
  }];
  let hasVerifier = 1;
}

#endif
