// Passes that several targets share.
#ifndef TW_TARGET_COMMON_PASSES_TD
#define TW_TARGET_COMMON_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMathPass : Pass<"expand-math"> {
  let summary = "replaces elementary functions by polynomials of our own";
  let description = [{
    Operations of `math` that no instruction computes, and `arith.remf`, on f32 and f64, scalars and 1-D
    vectors, become arithmetic, `math.fma` and a few other operations that every target has. The bounds
    on the error are in `tw/Target/Common/Math.h` and are tested. No contraction or reassociation is
    assumed or allowed: what this pass makes gives the same bits on every target.

    Flags of operations (`arith.fastmath`) are followed: with `contract` sums of products are fused, with `nnan` and `nsz`
    extrema are one instruction, and with `afn` functions of f32 have shorter forms, or are left to the instructions
    that the option `native` names.

    ```mlir
    %0 = math.tanh %x fastmath<afn> : f32   // one division and 21 operations, at most 6 ulp
    ```
  }];
  let options = [
    ListOption<"native", "native", "std::string",
               "Operations of f32 that stay if they have `afn`: math.exp2, math.log2, math.exp, math.log">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ExpandExtremaPass : Pass<"expand-extrema"> {
  let summary = "replaces maxima and minima of floats by comparisons";
  let description = [{
    `arith.maximumf` and `arith.minimumf` with an operand that is a number become one comparison; the others, of f32
    and f64, scalars and vectors, comparisons and operations on the bits. Both order zeros and keep NaN as
    the operations promise, and leave nothing to instructions that targets have in several kinds.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandBooleansPass : Pass<"expand-booleans"> {
  let summary = "replaces arithmetic of truth values by logic";
  let description = [{
    Sums, products, quotients, remainders, shifts, maxima, minima and comparisons by order of `i1`, scalars
    and vectors, become `arith.andi`, `arith.ori` and `arith.xori`: what every language of devices has for
    truth values, most of which have no arithmetic for them.

    ```mlir
    %0 = arith.addi %a, %b : i1
    %1 = arith.cmpi ult, %a, %b : i1
    // becomes
    %0 = arith.xori %a, %b : i1
    %true = arith.constant true
    %2 = arith.xori %a, %true : i1
    %1 = arith.andi %2, %b : i1
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileAssignLayoutsPass : Pass<"tile-assign-layouts"> {
  let summary = "spreads the tiles of programs over threads";
  let description = [{
    Tiles that meet in an operation form a component; each has one base layout, and every tile of it the
    slice of that base where its extents are 1. The base follows the component's heaviest accesses: a
    register per element of the widest access that is aligned, then lanes along the dimension that is
    contiguous in memory, warps along what is left, dimensions that are not reduced first; the rest is
    repeated in registers. Where tiles are multiplied (`ttile.mma`) registers and lanes are shared out evenly between
    the dimensions of both operands. An access of a tile of two or more dimensions that would run across
    rows of memory under the base gets a layout of its own and a `ttile.convert`; so do tiles whose
    extents do not fit one frame. Constants are cloned for each use, so that they join nothing.
    Where subgroups are wider than 32, the program's `warps` become fewer by as much.
    What a matrix unit multiplies (`ttile.mma` with `ttile.unit`) has the layouts of the unit's fragments, the subgroups
    sharing the sums in blocks as square as they get.
    It runs after `tile-prove-bounds`, when loops and tiles are final.
  }];
  let options = [
    Option<"subgroup", "subgroup", "int64_t", "32", "Threads of a warp, a power of two">,
    Option<"vectorBytes", "vector-bytes", "int64_t", "16",
           "The widest access of one thread in bytes; 0: one element">,
    Option<"chip", "chip", "std::string", "",
           "Target and chip whose matrix units there are, as in cuda:sm_80; empty: any">
  ];
  let dependentDialects = ["::tw::tile::TileDialect"];
}

def TileExpandExchangesPass : Pass<"tile-expand-exchanges"> {
  let summary = "takes reductions and conversions across threads apart";
  let description = [{
    A reduction across threads becomes reductions within threads (with `shuffles`, within subgroups) and
    rounds through local memory: each stores what is left, and every thread loads 2 to 16 elements of it
    and combines them. All threads that hold a result have its value. A conversion that moves elements
    between threads becomes a store and a load through local memory, rows padded against bank conflicts.
    The local memory of a program's exchanges is two buffers per element type, used by turns, so that
    one barrier per exchange suffices. Barriers are the work of the pass after it.
  }];
  let options = [
    Option<"shuffles", "shuffles", "bool", "false", "Whether threads of a subgroup exchange registers">
  ];
  let dependentDialects = ["::tw::tile::TileDialect"];
}

def TileToThreadsPass : Pass<"tile-to-threads", "::mlir::ModuleOp"> {
  let summary = "lowers tile programs to what one thread runs";
  let description = [{
    Every `ttile.func` with layouts and barriers becomes a `gpu.func` of `gpu.module @kernels` in thread
    form (`tw/Target/Common/Gpu.h`): a tile becomes one scalar per register. Addresses are single
    expressions over the number of the thread, program ids and loop counters, simplified by their
    bounds, with unsigned divisions where those prove it. Loads outside read element 0 and select the
    fill; stores outside, and those of threads that hold copies, are under `scf.if`. Neighbouring
    registers at aligned neighbouring addresses are accessed as vectors. Matrix units, loads of matrices from local
    memory and asynchronous copies are the intrinsics of LLVM that the chip's table names.
  }];
  let options = [
    Option<"subgroup", "subgroup", "int64_t", "32", "Threads of a warp, a power of two">,
    Option<"vectorBytes", "vector-bytes", "int64_t", "16",
           "The widest access of one thread in bytes; 0: scalars only">,
    Option<"localBytes", "local-bytes", "int64_t", "32768", "Local memory that a program may have">,
    Option<"maxThreads", "max-threads", "int64_t", "1024", "Threads that a program may have">,
    Option<"chip", "chip", "std::string", "",
           "Target and chip whose loads of matrices and asynchronous copies there are, as in cuda:sm_80; empty: none">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def ThreadsNarrowFloatsPass : Pass<"threads-narrow-floats", "::mlir::ModuleOp"> {
  let summary = "computes in f32 what kernels compute in narrow floats, and stores those as integers";
  let description = [{
    In kernels in thread form, if there is a narrow float at all: upstream's `arith-emulate-unsupported-floats` and
    `math-extend-to-supported-types`, then conversions from and to bf16, f16 and floats of 8 bits as arithmetic on
    integers, but for those that the chip has instructions for. Elements that are only moved become integers, in
    memory too.

    ```mlir
    %0 = memref.load %x[%i] : memref<8xbf16>
    %1 = arith.extf %0 : bf16 to f32
    // becomes
    %0 = memref.load %x[%i] : memref<8xi16>
    %1 = arith.extui %0 : i16 to i32
    %2 = arith.shli %1, %c16 : i32
    %3 = arith.bitcast %2 : i32 to f32
    ```
  }];
  let options = [
    Option<"f16", "f16", "bool", "false", "Whether there are instructions from and to f16">,
    Option<"bf16", "bf16", "bool", "false", "Whether there are instructions from and to bf16">,
    Option<"chip", "chip", "std::string", "\"\"", "Whose instructions from and to floats of 8 bits there are: \"cuda:sm_90\"">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"
  ];
}

def ThreadsSplitVectorsPass : Pass<"threads-split-vectors", "::mlir::gpu::GPUModuleOp"> {
  let summary = "does element by element what languages cannot do with vectors";
  let description = [{
    Vectors are gathered, scattered and reduced one element after another, except for whether all or any of
    some truth values hold. Of a store of the first few elements, as many as a constant mask says, what is a power of two is
    stored at once.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ThreadsSplitShiftsPass : Pass<"threads-split-shifts", "::mlir::gpu::GPUModuleOp"> {
  let summary = "shifts 64 bits by less than 32 at a time";
  let description = [{
    `arith-int-range-narrowing` makes 32 bits of a shift whose operands and result fit them, also
    where the amount is 32 or more, which means nothing there. Behind this pass no amount is.

    ```mlir
    %0 = arith.shrui %x, %c40 : i64
    // becomes
    %1 = arith.shrui %x, %c31 : i64
    %0 = arith.shrui %1, %c9 : i64
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ThreadsBoundIdsPass : Pass<"threads-bound-ids", "::mlir::gpu::GPUModuleOp"> {
  let summary = "states upper bounds of the numbers of programs";
  let description = [{
    The ids and the size of the grid in kernels in thread form get the bounds that follow from
    `tw.programs`: a launch has that many programs in x, or rows of at least 65,535 of them. Analyses of
    ranges then know what fits 32 bits. The block size, which bounds the numbers of threads, is known.
  }];
}

def ThreadsDivideGroupsPass : Pass<"threads-divide-groups", "::mlir::gpu::GPUModuleOp"> {
  let summary = "lets a program of independent threads run as several groups";
  let description = [{
    Kernels in thread form without local memory, barriers and shuffles get the attribute `tw.divisible`,
    unless a program is one thread. Their launch may divide the threads of a program among groups of any
    divisor of `known_block_size[0]`: the groups of a program lie along z, and its threads are counted over
    them. Launched as before, with one group in z, a program is one group.

    ```mlir
    %t = gpu.thread_id x
    // becomes
    %0 = gpu.thread_id x
    %1 = gpu.block_id z
    %2 = gpu.block_dim x
    %3 = arith.muli %1, %2 : index
    %t = arith.addi %3, %0 : index
    ```

    It runs last, since `known_block_size` does not bound the numbers of threads afterwards.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect"];
}

def ThreadsPlaceLocalMemoryPass : Pass<"threads-place-local-memory", "::mlir::gpu::GPUModuleOp"> {
  let summary = "aligns local buffers; makes one external array of those that are too large to be static";
  let description = [{
    Local buffers of kernels in thread form are aligned to 16 bytes. Where a kernel's together exceed
    `static-bytes`, they become views of an external array without a size, whose size the launch gives;
    all such kernels share it.
  }];
  let options = [
    Option<"staticBytes", "static-bytes", "uint64_t", "UINT64_MAX",
           "Local memory that a kernel may declare: 49152 for PTX; without a limit all stays static">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

#endif
