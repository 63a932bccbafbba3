// Passes on the ttile dialect.
#ifndef TW_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TW_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileProveBoundsPass : Pass<"tile-prove-bounds"> {
  let summary = "marks coordinates that cannot leave memory, and drops guards that always hold";
  let description = [{
    Ranges of tile coordinates, program ids, loop counters and constants bound the coordinates of each
    `ttile.load` and `ttile.store`. A coordinate that stays inside its dimension is marked in `in_bounds`,
    which no lowering checks again; a guard that always holds is dropped from the map, and divisions that the
    ranges decide are simplified. What is not proved keeps its guard: nothing is ever assumed.
  }];
  let statistics = [
    Statistic<"proved", "proved", "Coordinates proved to be inside their memory">,
    Statistic<"kept", "kept", "Coordinates that keep a check">
  ];
  let dependentDialects = ["::tw::tile::TileDialect"];
}

def TileInsertBarriersPass : Pass<"tile-insert-barriers"> {
  let summary = "orders accesses of different threads to the same memory";
  let description = [{
    Inserts `ttile.barrier` where, since the last one, an access touched an element that the next access
    touches from another thread and one of them writes: read after write, write after read, write after
    write, on local memory and on global memory that the program writes. Threads follow from the
    layouts of the tiles; elements and iterations are enumerated, so that what each thread keeps to itself,
    or a slot of the iteration before, costs no barrier. What depends on data, or is too large to
    enumerate, is ordered. Barriers that stand there already are kept and counted on.
  }];
  let statistics = [Statistic<"inserted", "inserted", "Barriers inserted">];
  let dependentDialects = ["::tw::tile::TileDialect"];
}

#endif
