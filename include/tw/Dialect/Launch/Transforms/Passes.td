// Passes on host programs.
#ifndef TW_LAUNCH_TRANSFORMS_PASSES_TD
#define TW_LAUNCH_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LaunchHoistInitializerPass : Pass<"launch-hoist-initializer", "::mlir::ModuleOp"> {
  let summary = "Moves commands that depend on constants alone into the program's initializer";
  let description = [{
    A launch or copy moves into `tlaunch.initialize` if every buffer it touches is a constant or a
    reservation that only such commands write; so a kernel that packs a weight is found without marks, in
    a side or a loop as well: there, what it writes is written once.
    Equal commands on equal constants become one. What calls read of the results are derived constants:
    computed once, when the program is first prepared, and resident as long as it is.

    Memory decides what is not worth it: a buffer that calls would read stays theirs if it is larger than
    `free-bytes` and than `max-growth` times the constants it is computed from, such as a broadcast; what
    led to it may still be hoisted. Small results never come here, `graph-fold-constants` computes them
    when it compiles and puts them into the module; those above its limit are computed where they are
    used, so that modules do not grow.

    Runs before `launch-plan-arena`; leaves programs that are planned or have an initializer as they are.

    ```mlir
    %w = tlaunch.get_constant @w : !tlaunch.buffer<tensor<512x256xf32>>
    %t = tlaunch.reserve : !tlaunch.buffer<tensor<256x512xf32>>
    tlaunch.launch @transpose reads(%w : !tlaunch.buffer<tensor<512x256xf32>>) writes(%t : !tlaunch.buffer<tensor<256x512xf32>>)
    ```
    becomes
    ```mlir
    %t = tlaunch.initialize -> !tlaunch.buffer<tensor<256x512xf32>> {
      %w = tlaunch.get_constant @w : !tlaunch.buffer<tensor<512x256xf32>>
      %0 = tlaunch.reserve : !tlaunch.buffer<tensor<256x512xf32>>
      tlaunch.launch @transpose reads(%w : !tlaunch.buffer<tensor<512x256xf32>>) writes(%0 : !tlaunch.buffer<tensor<256x512xf32>>)
      tlaunch.yield %0 : !tlaunch.buffer<tensor<256x512xf32>>
    }
    ```
  }];
  let options = [
    Option<"maxGrowth", "max-growth", "double", "4.0",
      "bytes of a derived constant for each byte of the constants it is computed from">,
    Option<"freeBytes", "free-bytes", "int64_t", "262144", "bytes up to which growth does not matter">];
}

def LaunchCopyPartsPass : Pass<"launch-copy-parts", "::mlir::ModuleOp"> {
  let summary = "Copies parts of buffers that a kernel cannot bind where they lie";
  let description = [{
    A `tlaunch.part` lies at any multiple of its size. Devices bind memory at multiples of `alignment` bytes
    only: a part of another size is copied to a reservation before a launch that reads it, and from one
    behind a launch that writes it.

    ```mlir
    %x = tlaunch.part %xs : !tlaunch.buffer<tensor<8x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
    tlaunch.launch @relu reads(%x : !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<4xf32>>)
    ```
    becomes, with an alignment of 256,
    ```mlir
    %x = tlaunch.part %xs : !tlaunch.buffer<tensor<8x4xf32>> -> !tlaunch.buffer<tensor<4xf32>>
    %0 = tlaunch.reserve : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.copy %x to %0 : !tlaunch.buffer<tensor<4xf32>>
    tlaunch.launch @relu reads(%0 : !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<4xf32>>)
    ```
  }];
  let options = [Option<"alignment", "alignment", "int64_t", "1", "bytes that the parts' places are multiples of">];
}

def LaunchPlanArenaPass : Pass<"launch-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Places the buffers of host programs in their arenas";
  let description = [{
    Every `tlaunch.reserve` gets its offset, in the arena of the call or in that of the initializer, unless
    it is a derived constant: buffers whose lifetimes, from the first to the last command
    that uses them, overlap get disjoint bytes. One that is used in a loop and reserved outside of it lives
    over the whole loop; those that rotate share their lifetimes. The program gets `arena_bytes` and `live_bytes`, the
    largest sum alive at one command, which no plan can go below. The arena is as many slabs of at most
    `max-slab` bytes as that takes. A buffer that spans more than `max-binding` bytes, reserved or given,
    is an error.
  }];
  let options = [Option<"alignment", "alignment", "int64_t", "64", "bytes that offsets are multiples of">,
    Option<"maxSlab", "max-slab", "uint64_t", "UINT64_MAX", "bytes of the largest slab">,
    Option<"maxBinding", "max-binding", "uint64_t", "UINT64_MAX",
      "bytes of the largest buffer that a kernel can bind">];
}

#endif
