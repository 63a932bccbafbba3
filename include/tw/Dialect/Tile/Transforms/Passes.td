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
    ranges decide are simplified. The bounds of the loops around say how indices compare with others. A mask
    that is the same at all points of its tile is a constant, a load that is outside at all of them its fill. What is
    not proved keeps its guard: nothing is ever assumed.
  }];
  let dependentDialects = ["::tw::tile::TileDialect"];
}

def TileSplitLoopsPass : Pass<"tile-split-loops"> {
  let summary = "splits loops where tiles pass a border";
  let description = [{
    In a loop, some points of a tile may lie before a border and some behind it: the end of a tensor,
    or where the parts of a concatenation meet. Where a loop's index tells all iterations but one of these from one
    another, the loop becomes two, with that iteration between them, and only it compares:

    ```mlir
    scf.for %j = %c0 to %c16 step %c1 {      //   for 0 to 7: from %a
      // 64 points from 64 * %j on            //   7: points below 450 from %a, others from %b
      // those below 450 are read from %a     //   for 8 to 16: from %b
    }
    ```

    Which comparisons that decides is for `tile-prove-bounds` to see. Loops that carry sums of products stay
    whole, and longer ones.
  }];
  let options = [
    Option<"mostOps", "most-ops", "int64_t", "64", "Loops of more operations stay whole">,
    Option<"mostSplits", "most-splits", "int64_t", "8", "Loops of a program that are split at most, but for those that become a branch">
  ];
  let dependentDialects = ["::tw::tile::TileDialect", "::mlir::affine::AffineDialect"];
}

def TileMergeBranchesPass : Pass<"tile-merge-branches"> {
  let summary = "does once what both sides of a branch on an index do";
  let description = [{
    The last program along an axis that its tiles do not divide has a side of its own: with a shorter loop over the
    tiles that others have, and a smaller tile behind it. Where the two sides differ in the ends of loops
    and in what the one does at last, they become one: with chosen ends, and a branch around the rest. Indices of
    accesses are compared where the index is the constant, and what was proved on the side that stays has to be proved on the other.

    ```mlir
    scf.if %last {                         //   %end = arith.select %last, %c10, %c11
      for 0 to 10 { A(19) }; B             //   for 0 to %end { A(%z) }
    } else {                               //   scf.if %last { B }
      for 0 to 11 { A(%z) }
    }
    ```
  }];
}

def TilePipelinePass : Pass<"tile-pipeline"> {
  let summary = "fills rings of buffers ahead of the loop that reads them";
  let description = [{
    Local memory with `ttile.slots` is filled in the body of a loop and read behind that. With n slots it gets a
    dimension for them, and an iteration fills, asynchronously, the slot that the (n-1)th iteration after it reads;
    the first n - 1 are filled before the loop. An iteration begins with a wait for its own slot and a barrier,
    which also says that nobody reads any more what is then filled. What is stored is what was loaded, from memory
    that the program does not write. Where the loop's bounds are not known, iterations that are left over stand behind the
    loop in branches.

    With `trails` and three slots or more, a product for a matrix unit that comes last in an iteration, of what that
    computes and what a ring holds, is made in the next one, right behind the products there: a unit works on it while
    threads compute what it multiplies next. Slots are then read in two iterations, and one less is filled ahead.

    ```mlir
    scf.for %k = %c0 to %c64 step %c1 {          // fill 0, 1, 2; then for each %k:
      %t = ttile.load %x ..(%k)                  //   barrier {ttile.wait = 2}
      ttile.store %t, %ring ..                   //   fill %k + 3, into slot (%k + 3) mod 4
      .. reads %ring                             //   .. reads slot %k mod 4
    }
    ```
  }];
  let options = [Option<"trails", "trails", "bool", "false",
                        "make the last product of an iteration in the next one">];
  let statistics = [Statistic<"numRings", "rings", "Buffers that became rings">];
  let dependentDialects = ["::tw::tile::TileDialect", "::mlir::affine::AffineDialect"];
}

def TileShareMemoryPass : Pass<"tile-share-memory"> {
  let summary = "gives buffers that are used one after another the same memory";
  let description = [{
    Of buffers of local memory in a program's block that have one type, one whose last use stands before the first
    use of another one is that one, too. Where the first is a ring, copies of iterations that there are not may be under way:
    a barrier waits for them. What units read in place, or boxes fill, and programs with subgroups that only load keep
    buffers of their own.

    ```mlir
    scf.for .. { fills and reads %keys }             //   scf.for .. { fills and reads %keys }
    scf.for .. { fills and reads %values }           //   scf.for .. { fills and reads %keys }
    ```
  }];
  let statistics = [Statistic<"numShared", "shared", "Buffers that have another one's memory">];
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
  let dependentDialects = ["::tw::tile::TileDialect"];
}

#endif
