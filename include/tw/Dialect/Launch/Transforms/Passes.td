// Passes on host programs.
#ifndef TW_LAUNCH_TRANSFORMS_PASSES_TD
#define TW_LAUNCH_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LaunchPlanArenaPass : Pass<"launch-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Places the buffers of host programs in their arenas";
  let description = [{
    Every `tlaunch.reserve` gets its offset: buffers whose lifetimes, from the first to the last command
    that uses them, overlap get disjoint bytes. The program gets `arena_bytes` and `live_bytes`, the
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
