// Passes that give kernels their schedules.
#ifndef TW_SCHEDULE_PASSES_TD
#define TW_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

def KernelJoinPass : Pass<"kernel-join"> {
  let summary = "Joins kernels where a target's price of the whole is below that of the parts";
  let description = [{
    From the last kernel of each block to the first: a kernel takes the kernels that it alone reads, the last one
    first, with all their reductions and contractions, and axes that go through the same elements become one
    (`kernel-coalesce-axes`). The first 1 to 8 of them are priced together, with the schedules that the target's
    strategy has for the whole; the cheapest number of them is taken, if that is not dearer than the kernels by
    themselves.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
  let options = [
    Option<"machine", "machine", "std::string", [{"host"}], "as for kernel-schedule">,
    Option<"traits", "traits", "std::string", [{""}], "as for kernel-schedule">,
    Option<"deterministic", "deterministic", "bool", "false", "as for kernel-schedule">,
    Option<"record", "record", "bool", "false",
           "write down what was joined and what was not, and why, as the attribute `tkernel.joins` of the program">,
    Option<"seed", "seed", "unsigned", "0",
           "join what is drawn by this seed among all that may be joined, whatever the price: all of it computes the "
           "same; 0 joins by price">
  ];
}

def KernelInlineSharedPass : Pass<"kernel-inline-shared"> {
  let summary = "Computes in all kernels that read it what one kernel made, where a target's price says so";
  let description = [{
    An elementwise kernel that several kernels read, none of them as an operand of a product, is inlined into each of
    these where their prices, by the schedules that the target's strategy has for them, are together not above those
    before, with the kernel itself. It runs before tensors are ordered and kernels are joined, so that both know what
    is made at all.

    ```mlir
    %0 = tkernel.kernel @neg (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> { ... }
    %1 = tkernel.kernel @rows (%i : 4, %j : 8) reads(%a = %0 : tensor<4x8xf32>) -> tensor<4xf32> { ... }
    %2 = tkernel.kernel @columns (%j : 8, %i : 4) reads(%a = %0 : tensor<4x8xf32>) -> tensor<8xf32> { ... }
    // becomes
    %1 = tkernel.kernel @neg_rows (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4xf32> { ... }
    %2 = tkernel.kernel @neg_columns (%j : 8, %i : 4) reads(%a = %x : tensor<4x8xf32>) -> tensor<8xf32> { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
  let options = [
    Option<"machine", "machine", "std::string", [{"host"}], "as for kernel-schedule">,
    Option<"traits", "traits", "std::string", [{""}], "as for kernel-schedule">,
    Option<"deterministic", "deterministic", "bool", "false", "as for kernel-schedule">,
    Option<"record", "record", "bool", "false",
           "write down what was inlined as kernel-join writes down what was joined">,
    Option<"seed", "seed", "unsigned", "0", "draw what is inlined by this seed, as kernel-join draws what is joined">
  ];
}

def KernelLayoutPass : Pass<"kernel-layout"> {
  let summary = "Orders the dimensions of tensors between kernels where a target's prices say so";
  let description = [{
    A tensor that kernels alone make and read lies in memory as its dimensions are in its type. Where a kernel takes far
    more than its least, and far less if one of its axes lay innermost in what it reads and makes, those tensors get
    that order. Other kernels that touch them and take more then, by the prices of the schedules that the target's
    strategy has, take their other tensors along, as long as the whole takes less and less; what saves too little of what all of
    them take stays as it is. An axis whose size a call settles is never put innermost. It runs before kernels are joined, so that what is joined is priced as tensors lie then.

    ```mlir
    %0 = tkernel.load %x[0, %g, %p + %r - 3, %q + %s - 3] : tensor<1x96x56x56xf32>
    tkernel.store %1, 0[0, %p, %q, %g] : f32
    // becomes, in both kernels that touch %x
    %0 = tkernel.load %x[0, %p + %r - 3, %q + %s - 3, %g] : tensor<1x56x56x96xf32>
    ```
  }];
  let options = [
    Option<"machine", "machine", "std::string", [{"host"}], "as for kernel-schedule">,
    Option<"traits", "traits", "std::string", [{""}], "as for kernel-schedule">,
    Option<"deterministic", "deterministic", "bool", "false", "as for kernel-schedule">,
    Option<"record", "record", "bool", "false",
           "write down what was reordered as kernel-join writes down what was joined">,
    Option<"seed", "seed", "unsigned", "0",
           "draw the order of each such tensor by this seed, whatever the price: all of them compute the same; 0 "
           "orders by price">
  ];
  let statistics = [
    Statistic<"reordered", "reordered", "tensors that got another order">,
    Statistic<"pricings", "pricings", "kernels that were priced">
  ];
}

def KernelSchedulePass : Pass<"kernel-schedule"> {
  let summary = "Gives every kernel without a schedule the default one of a target";
  let description = [{
    Runs the target's strategy on each `tkernel.kernel` that has no schedule yet. Schedules that are
    there, in the program or in `file`, are checked and kept. For a host, positions that reductions
    carry along become numbers of 32 bits first. Kernels that are equal are looked at once.

    With `make-kernels` what schedules put in kernels of their own (`kernel-stage-global`) gets such kernels at once,
    and those their schedules, until no schedule makes another one. With `record` each kernel gets an attribute that
    says which candidates there were, with their prices, who wrote them, and the whole list that was taken, before it
    rewrote the kernel; reports read it (`tensor-compile --explain`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tw::kernel::KernelDialect"];
  let options = [
    Option<"machine", "machine", "std::string", [{"host"}],
           "what runs a program: a thread with vector registers (host), a group of threads (gpu), or another kind "
           "whose strategy is registered">,
    Option<"traits", "traits", "std::string", [{""}],
           "the machine, as name=value,name=value; what is not named has its default. Of a host lanes=8,"
           "registers=16,l2Bytes=524288 ... with the names that --describe-target prints, else those of a Zen 4 core; "
           "of a gpu processors=132,banks=32 ... as --describe-target prints for chips that are known: without "
           "processors the rules choose the list, and prices are those of a small device">,
    Option<"replace", "replace", "bool", "false", "replace the schedules that are there">,
    Option<"file", "file", "std::string", [{""}],
           "a file of schedules, which come before all others: #tkernel.schedule<[...]>, or several by "
           "kernel in braces">,
    Option<"deterministic", "deterministic", "bool", "false",
           "admit only primitives that leave the order of every sum as the kernel has it">,
    Option<"makeKernels", "make-kernels", "bool", "false",
           "make the kernels that schedules ask for, and schedule those; the file's schedules are not for them">,
    Option<"record", "record", "bool", "false", "write down on each kernel what was proposed and taken">,
    Option<"search", "search", "unsigned", "0",
           "the most lists of primitives that a search looks at for a kernel of which all proposals are far from what "
           "the machine could do; 0 takes what is proposed, tensor-compile asks for 150">
  ];
}

def KernelRecomputePass : Pass<"kernel-recompute"> {
  let summary = "Computes again what a function has no memory to keep";
  let description = [{
    Where the results between the kernels of a function need more than `memory` bytes, kernels run later, or a second
    time just before their results are read again, until they fit: the cheapest ones for the bytes that they free, by
    the prices of their schedules, are taken first. What a repeated kernel reads is kept for it or computed again, too.
    Fails where the least that can be reached is above `memory` (T0502). Functions with sizes that a call
    settles stay as they are; so do branches and loops. The attribute `tkernel.memory` of the program says what
    was done, and what is kept across the largest live set; without a limit that is all.

    ```mlir
    %0 = tkernel.kernel @exp ... reads(%a = %x : tensor<1024xf32>) -> tensor<1024xf32>
    %1 = tkernel.kernel @sum ... reads(%a = %0 : tensor<1024xf32>) -> tensor<f32>
    ... // much else
    %9 = tkernel.kernel @scale ... reads(%a = %0 : tensor<1024xf32>, %b = %1 : tensor<f32>) -> tensor<1024xf32>
    ```
    becomes
    ```mlir
    %0 = tkernel.kernel @exp ... reads(%a = %x : tensor<1024xf32>) -> tensor<1024xf32>
    %1 = tkernel.kernel @sum ... reads(%a = %0 : tensor<1024xf32>) -> tensor<f32>
    ... // much else
    %8 = tkernel.kernel @exp ... reads(%a = %x : tensor<1024xf32>) -> tensor<1024xf32>
    %9 = tkernel.kernel @scale ... reads(%a = %8 : tensor<1024xf32>, %b = %1 : tensor<f32>) -> tensor<1024xf32>
    ```
  }];
  let options = [
    Option<"machine", "machine", "std::string", [{"host"}], "as for kernel-schedule">,
    Option<"traits", "traits", "std::string", [{""}], "as for kernel-schedule">,
    Option<"memory", "memory", "int64_t", "INT64_MAX",
           "the most bytes that the arena of a function may have">,
    Option<"alignment", "alignment", "int64_t", "64", "what offsets of buffers in the arena are multiples of">
  ];
}

def KernelStageGlobalPass : Pass<"kernel-stage-global"> {
  let summary = "Gives what schedules put in kernels of their own such kernels";
  let description = [{
    `stage b as (no, k, nr) at kernel global` in the schedule of a kernel: the value is packed by a
    kernel in front, without a schedule, and read from there. Of a constant the panels are a derived
    constant. `rfactor s over k = [kp, ki 1024]`: a kernel in front computes the partial results, with the
    rest of the schedule.
  }];
  let dependentDialects = ["::tw::kernel::KernelDialect"];
}

def KernelPrintLoopsPass : Pass<"kernel-print-loops"> {
  let summary = "Prints the loops that scheduled kernels become, and what is computed in them";
  let description = [{
    For each `tkernel.kernel`, whose values staged at kernel global and parts of reductions have kernels of their
    own already (`kernel-stage-global`): the loop tree between its schedule and its tile program, as text on
    standard output. A line is a node: `%n`, what it does, the op of the kernel that it is for, the shape of its
    tiles, and the nodes that it uses.
  }];
  let dependentDialects = ["::tw::kernel::KernelDialect"];
}

#endif
