// Passes of the host target, from tile form to the llvm dialect.
#ifndef TW_TARGET_HOST_PASSES_TD
#define TW_TARGET_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileToVectorPass : Pass<"tile-to-vector", "::mlir::ModuleOp"> {
  let summary = "splits tiles into scalars and 1-D vectors";
  let description = [{
    Every `ttile.func` becomes a `func.func` over flat memory (booleans in bytes) and grid coordinates,
    with its grid in the attribute `tw.grid`. A tile whose last dimension is 1 becomes scalars, any other
    vectors of at most `lanes` lanes along it; what remains of a row takes a vector of its own with
    lanes to spare. Accesses that are contiguous along the last dimension become vector loads and
    stores, those that repeat one element a scalar load, the rest gathers; guards and bounds not proved
    become masks. Where a dimension of the tile runs over 2 elements of 16 bits or 4 of 8 bits that lie
    together in memory, its elements are loaded and stored as one vector: what `ttile.mma` wants for
    its groups. Of a loop that a team shares each thread runs a fixed, contiguous share and then waits for the
    others, by what the launch's `TwrtHostTeam` says.
  }];
  let options = [
    Option<"lanes", "lanes", "unsigned", "16",
           "Lanes of a vector, a power of two, counted in f32">,
    Option<"longest", "longest", "unsigned", "0",
           "Elements of the longest vector that there is, a power of two; 0: any">,
    Option<"masks", "masks", "bool", "true",
           "Whether vectors are stored under masks as fast as whole; else rows that may be outside are stored behind a branch">,
    Option<"dearMasks", "dear-masks", "bool", "false",
           "Whether a store under a mask takes longer than several others; then rows that end in a vector are stored in powers of two of lanes behind branches">,
    ListOption<"dots", "dots", "std::string",
               "Dot products of the instruction set, by name, for groups in ttile.mma; without one "
               "of their kind they are multiplied one element after the other">,
    ListOption<"units", "units", "std::string",
               "Matrix units of the instruction set, by name, for tiles in blocks (#ttile.blocks)">,
    Option<"exactDivision", "exact-division", "bool", "true",
           "Whether quotients are rounded correctly where a faithful one is shorter">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def HostFormBlocksPass : Pass<"host-form-blocks", "::mlir::ModuleOp"> {
  let summary = "makes loops over groups of products steps of a matrix unit";
  let description = [{
    A loop that does nothing but multiply groups (`ttile.mma` of 2 elements of 16 bits, or 4 of 8) of two operands in memory
    becomes a loop over as many groups as the unit sums at once, on tiles in its blocks (`#ttile.blocks`). Groups of the
    left operand follow each other in memory, and so do the columns of a group of the right one, as packed panels
    have them; other loops stay. Sums are in blocks in the loops around that only carry them; what computes with them behind
    those reads them from the stack, but stores of whole rows take blocks. A sum that is added to its other parts in memory,
    or to any integers there, begins with these. With `dots` memory to which nothing but sums of bf16 and zeros are stored has
    the attribute `host.sums`, the name of dot products that leave no denormals either: expand-narrow-floats reads it.

    ```mlir
    scf.for %k = 0 to 512 iter_args(%c) ..          //   scf.for %k = 0 to 512 step 16 iter_args(%c) ..
      ttile.mma %a, %b, %c : tensor<2x32x1xbf16>    //     ttile.mma %a, %b, %c : tensor<32x32x1xbf16, #ttile.blocks<16 x 16>>
    ```
  }];
  let options = [
    ListOption<"units", "units", "std::string",
               "Matrix units of the instruction set, by name; without one of their kind loops stay">,
    ListOption<"dots", "dots", "std::string",
               "Dot products that the CPU has, by name; those of bf16 narrow what a unit sums, as what they sum themselves">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::tw::tile::TileDialect"
  ];
}

def HostWidenCopiesPass : Pass<"host-widen-copies", "::mlir::ModuleOp"> {
  let summary = "copies many neighbours at a time where loops copy few";
  let description = [{
    A loop that loads a tile of at most 8 neighbours and stores it, whose iterations follow each other in both memories,
    copies 64 elements at a time, and what is left at once: panels of groups that follow each other in memory.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tw::tile::TileDialect"];
}

def HostLoopRowsPass : Pass<"host-loop-rows", "::mlir::ModuleOp"> {
  let summary = "computes functions of tall tiles in loops over their rows";
  let description = [{
    What is computed elementwise with a function (`math.exp`, `math.erf` ...) of a tile that takes a fourth of the
    registers or more, straight behind a product, becomes a loop over the rows of the tile, which reads the product from
    the stack. Values are the same; code is a part of what it was, and accumulators do not have to stay in registers
    beside what functions keep. Loads and stores along the rows go into the loop; a store that is transposed stays
    behind it, and reads what the loop left on the stack.

    ```mlir
    %e = math.exp %sum : tensor<14x32xf32>       //   ttile.store %sum, %stack
    ttile.store %e, %out ..                      //   scf.for %row = 0 to 14 {
                                                 //     %e = math.exp (ttile.load %stack .. (%row)) : tensor<1x32xf32>
                                                 //     ttile.store %e, %out .. (%row) }
    ```
  }];
  let options = [
    Option<"lanes", "lanes", "unsigned", "16", "Lanes of a vector, as of tile-to-vector">,
    Option<"registers", "registers", "unsigned", "32", "Vector registers">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def HostFunctionsPass : Pass<"host-functions", "::mlir::ModuleOp"> {
  let summary = "replaces elementary functions by better code of an instruction set";
  let description = [{
    `math.exp`, `math.erf`, `math.tanh`, `arith.maximumf` and `arith.minimumf` become what the instruction
    set has special instructions for, on the vectors for which it has them: lookups of lanes of a table, say.
    The bounds on the error of `expand-math` hold; results are not the same bits.
  }];
  let options = [
    Option<"set", "set", "std::string", "", "Name of the instruction set">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect"
  ];
}

def HostMergeEqualPass : Pass<"host-merge-equal", "::mlir::ModuleOp"> {
  let summary = "computes and reads nothing twice";
  let description = [{
    Of operations that are equal but for their results the first one is read, of those that read memory where the
    block writes none between them; what nobody reads goes. Code is what it is behind upstream's `cse`, whose
    time grows with the distance between equal loads.
  }];
}

def HostNarrowFloatsPass : Pass<"host-narrow-floats", "::mlir::ModuleOp"> {
  let summary = "computes in f32 what is computed in bf16 or f16";
  let description = [{
    Upstream's `arith-emulate-unsupported-floats` and `math-extend-to-supported-types`, then
    `expand-narrow-floats`, if the module has such an element at all.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::LLVM::LLVMDialect"
  ];
}

def ExpandNarrowFloatsPass : Pass<"expand-narrow-floats"> {
  let summary = "expands conversions from and to bf16 and f16";
  let description = [{
    f32 to bf16 is integer arithmetic on the bits, on every CPU: the instructions there are take denormals as
    0. Those instructions convert what dot instructions leave, which is never denormal. f64 to bf16 or f16
    goes through f32, rounded to odd, so that the result is rounded once. Conversions between f32 and f16
    stay: every CPU has instructions for them. Elements that are only moved become i16, in memory too: LLVM has
    vectors of bf16 for some CPUs alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def HostToLLVMPass : Pass<"host-to-llvm", "::mlir::ModuleOp"> {
  let summary = "takes kernels without tiles to the llvm dialect";
  let description = [{
    `affine`, `arith`, `cf`, `func` with bare pointers, `math`, `memref`, `scf`, `ub` and `vector` of rank 1, in one
    conversion with upstream's patterns: each of theirs by itself walks through all of the code again.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect"
  ];
}

def HostWrapKernelsPass : Pass<"host-wrap-kernels", "::mlir::ModuleOp"> {
  let summary = "gives kernels the calling convention of the runtime";
  let description = [{
    Every `llvm.func` with `tw.grid` becomes the internal body of a function of the same name with the
    signature `TwrtHostKernel`: it runs the programs `[begin, end)`, numbered row-major over the grid,
    with buffers loaded from the launch's bindings. With `tw.team` it is given the launch's team.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def HostPrintPricesPass : Pass<"host-print-prices", "::mlir::ModuleOp"> {
  let summary = "Prints what kernels are expected to take on a CPU";
  let description = [{
    For each `tkernel.kernel` with a schedule, a line of JSON on standard output: its name, and the cycles of its
    price by what takes them; before it one for each kernel that the schedule makes of it (`kernel-stage-global`). For
    each without, a line for every schedule that strategies propose, cheapest first: its function, name, the
    strategy, the schedule, and the same cycles.
  }];
  let dependentDialects = ["::tw::kernel::KernelDialect"];
  let options = [
    Option<"traits", "traits", "std::string", [{""}],
           "the CPU, as of kernel-schedule">
  ];
}

#endif
