// Attributes of the tkernel dialect: the schedule and its primitives.
#ifndef TW_KERNEL_ATTRS_TD
#define TW_KERNEL_ATTRS_TD

include "tw/Dialect/Kernel/KernelDialect.td"
include "tw/Dialect/Kernel/KernelEnums.td"
include "mlir/IR/AttrTypeBase.td"

class Kernel_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Kernel_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

// A primitive, whose format is what follows its keyword in a schedule: `split m = [mo, mi 8]`. Alone
// it is `#tkernel<split m = [mo, mi 8]>`. The directives are in lib/Dialect/Kernel/ScheduleSyntax.h;
// others that a primitive needs are beside them.
class Kernel_Primitive<string name, string attrMnemonic, string format> : Kernel_Attr<name, attrMnemonic> {
  let assemblyFormat = format;
}

// `grid [m, n]`, `online k`
class Kernel_AxesPrimitive<string name, string attrMnemonic>
    : Kernel_Primitive<name, attrMnemonic, "custom<Axes>($axes, \"getMnemonic()\")"> {
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes);
}
class Kernel_AxisPrimitive<string name, string attrMnemonic>
    : Kernel_Primitive<name, attrMnemonic, "custom<Name>($axis)"> {
  let parameters = (ins "::mlir::StringAttr":$axis);
}

def Kernel_MergeAttr
    : Kernel_Primitive<"Merge", "merge",
                       "custom<Name>($axis) `=` custom<MergedAxes>($parts)"> {
  let summary = "makes one axis of several";
  let description = [{
    `merge p = [n, h, w]` replaces the axes by `p`, of the product of their extents, the last one running
    fastest: `w = p mod W`, `h = (p floordiv W) mod H`. The merged axes are all reduced by the same ops and
    stored by the same stores, and no scan runs along them. It rewrites the kernel, so it belongs to
    the head of the list. Class: exact when the axes are not reduced, else exact as long as the order of
    the loops stays.
  }];
  let parameters = (ins "::mlir::StringAttr":$axis, ArrayRefParameter<"::mlir::StringAttr">:$parts);
}

def Kernel_WidenAttr
    : Kernel_Primitive<"Widen", "widen",
                       "custom<Name>($value) `=` `[` custom<Name>($lhs) `,` custom<Name>($rhs) `]`"> {
  let summary = "extends the operands of a contraction before it";
  let description = [{
    `widen s = [a, b]`: the operands of the contraction with `name = "s"`, of bf16 or f16 with sums in f32, are
    extended to f32, and the extended values are called `a` and `b`. Panels that `stage` makes of them hold f32:
    numbers are converted while they are packed, not at each use. It rewrites the kernel, so it belongs
    to the head of the list; no dot instruction takes the products then. Class: exact.
  }];
  let parameters = (ins "::mlir::StringAttr":$value, "::mlir::StringAttr":$lhs, "::mlir::StringAttr":$rhs);
}

def Kernel_RfactorAttr
    : Kernel_Primitive<"Rfactor", "rfactor",
                       "custom<Name>($value) `over` custom<Name>($axis) `=` `[` "
                     # "custom<Name>($part) `,` custom<Name>($inner) custom<PartLength>($length) `]`"> {
  let summary = "reduces an axis in parts";
  let description = [{
    `rfactor s over k = [kp, ki 1024]` computes the reduction with `name = "s"` in parts of 1024 points of `k`: a
    kernel in front, with axes `kp` and `ki` in place of `k`, gives one partial result for each whole part,
    another one reduces what is left, and this kernel combines them. What the reduction takes is computed
    from loads alone. It belongs to the head of the list, after merges; the primitives that follow are the
    schedule of the kernel in front. Parts are those of the schedule, never those of threads, so that
    results do not depend on the number of threads. Class: reassociating.

    A sum that depends on a maximum over `k` by a factor, as those of a softmax do (see `online`), takes the
    maximum and all other sums over `k` with it: a part has them under its own maximum, and the kernel that
    combines takes the largest one and multiplies by `exp(maximum of the part - maximum)`. Parts divide `k` then. A
    part of minus infinities alone adds nothing, also where its zeros would meet infinities or NaN.
  }];
  let parameters = (ins "::mlir::StringAttr":$value, "::mlir::StringAttr":$axis, "::mlir::StringAttr":$part,
                        "::mlir::StringAttr":$inner, "int64_t":$length);
}

def Kernel_SplitAttr
    : Kernel_Primitive<"Split", "split",
                       "custom<Name>($axis) `=` custom<SplitParts>($parts, $factors)"> {
  let summary = "splits an axis into nested ones";
  let description = [{
    `split m = [mo, mi 8, mr 12]` replaces axis `m` by `mo`, `mi` of extent 8 and `mr` of extent 12:
    `m = (mo * 8 + mi) * 12 + mr`. The first part takes what is left, rounded up; where the factors do
    not divide the extent, `edge` says what happens. Class: exact.
  }];
  let parameters = (ins "::mlir::StringAttr":$axis, ArrayRefParameter<"::mlir::StringAttr">:$parts,
                        ArrayRefParameter<"int64_t">:$factors);
}

def Kernel_OrderAttr : Kernel_AxesPrimitive<"Order", "order"> {
  let summary = "orders the loops, outermost first";
  let description = [{
    `order [no, k]` runs the named axes as loops in that order inside each program of the grid. Axes
    that are neither in `grid` nor in `tile` and are not named follow in the order of the kernel.
    Class: exact when no reduced axis changes its place among reduced axes, else reassociating.
  }];
}

def Kernel_GridAttr : Kernel_AxesPrimitive<"Grid", "grid"> {
  let summary = "makes axes the grid of programs";
  let description = [{
    `grid [b, mo]`: one program per point of the named axes, row-major. A reduced axis cannot be in
    the grid. Class: exact.
  }];
}

def Kernel_TeamAttr : Kernel_AxesPrimitive<"Team", "team"> {
  let summary = "lets the threads of a launch share loops, and buffers outside of them";
  let description = [{
    `team [mo]`: all threads of a CPU run each program together and share the iterations of the loops over the
    named axes, which follow each other in the order; each thread runs a fixed, contiguous part of them. Loops
    before them in the order run in every thread. What is staged there, or `at grid`, is shared: all threads
    fill it, then wait for each other. What is staged at the last of the team's loops or inside is each
    thread's own.

    `split m = [mo, mr 12], split n = [no, nr 32], team [mo], order [no, mo, k], tile [mr, nr],
    stage b as (k, nr) at no local` packs a panel of `b` once for all threads, `stage a at mo local` one of `a` for each.

    Every store and reduction varies along the axes, none reduces or scans along them. What is reduced along a
    loop before the team's is kept in the result or in local memory: `split k = [ko, ki 256], order [ko, mo, ki],
    team [mo], keep c result`. Values that are kept vary along the axes too. Loops with `skip` or `online` come
    after the team's, not before; of its own, none is unrolled, nothing is staged at one but the last, and of an
    axis with `edge peel` they have one part alone.

    Programs of the grid run one after another, so there are few or none. Results do not depend on the number of
    threads. For CPUs alone. Class: exact.
  }];
}

def Kernel_TileAttr : Kernel_AxesPrimitive<"Tile", "tile"> {
  let summary = "makes axes the dimensions of register tiles";
  let description = [{
    `tile [mr, nr]`: every value becomes a tile over those of the named axes that it depends on; the
    last axis runs along vector lanes. Class: exact, reassociating when a tile axis is reduced.
  }];
}

def Kernel_WarpsAttr
    : Kernel_Primitive<"Warps", "warps",
                       "custom<Warps>($count, $loading, $walking)"> {
  let summary = "gives each program a group of threads";
  let description = [{
    `warps 8` runs each program on 8 subgroups of threads, which share the elements of its tiles. The
    number is a power of two up to 32, and so are then the extents of tiles. Without it a program is one
    thread with vector registers. Class: exact; a reduced tile axis is reassociated by `tile` already.

    `warps 8 loading 4`: four more subgroups do nothing but have the rings of what is prefetched filled, ahead of the others, which
    neither fill them nor meet each other in the loop. Where a chip has no copies for that, or not all rings are filled by such,
    the program runs as with `warps 8`; `--report` says why.

    `warps 8 loading 4 walking 132`: 132 programs at most are launched, which take the points of the grid in turn. Those that load
    run ahead into the next point while the others store the results of one.
  }];
  let parameters = (ins "int64_t":$count, "int64_t":$loading, "int64_t":$walking);
}

def Kernel_StageAttr
    : Kernel_Primitive<"Stage", "stage",
                       "custom<Staged>($value, $order, $loop, $global, $window)"> {
  let summary = "copies what is used several times into memory of its own";
  let description = [{
    `stage a at ko local`: each iteration of the loop over `ko` first writes the value with `name = "a"`
    into local memory, for all points of the loops inside `ko` and of the tile axes that it depends on;
    inside, it is read from there. `at grid` does so once, before all loops. `stage a as (mi, k, mr) at
    mo local` gives the order of the buffer's dimensions, which is otherwise that of the loops, then of
    the tile axes: a packed panel. On groups of threads local memory is shared by the group and every
    extent is a power of two; on a CPU it is the thread's own, or its team's.

    `stage x window at po local`: the part of its tensor that a load reads there is copied, whatever is
    outside of the tensor being the load's fill; the coordinates are linear in the axes. Windows that
    overlap are copied once, and no point inside needs a guard. What a load is extended to may be staged so
    too, and is extended while it is copied. Where a dimension is cut into groups for `contract .. dot`, the
    elements of a group lie together in the buffer.

    `stage m window as (hi, r, c, s, wl) at ho local` of a value that is computed, also by contractions and reductions: of
    axes that stand in all that it is computed from in one sum, `2 * h + r`, the buffer has one dimension
    for the sum, a box, where the last of them stands in the list. Windows of a pool or a convolution read
    the box at their places, and each of its points is computed once, however many windows see it; what
    the boxes of two iterations share is computed in both. One of the axes has the factor 1 in the sum. It
    is filled as any buffer, in tiles of the kernel's lanes along a sum that comes last. For CPUs.

    `stage b as (no, k, nr) at kernel global` packs the value once for all programs: a kernel of its own
    runs before this one. The value is a load or is computed from loads. Class: exact.

    `stage s as (jo, jr, il) at grid local` of what a contraction computes runs that contraction there, on a
    CPU: loops over the buffer, around a register tile of its last two dimensions, or of the last one where
    both are of one axis. Elsewhere the same axes may be loops. An axis of the tile that it sums over is the
    last dimension of that register tile if memory is read along it, and a loop if not. It may read what a
    reduction has kept in local memory before.
  }];
  let parameters = (ins "::mlir::StringAttr":$value, OptionalArrayRefParameter<"::mlir::StringAttr">:$order,
                        OptionalParameter<"::mlir::StringAttr">:$loop, DefaultValuedParameter<"bool", "false">:$global,
                        DefaultValuedParameter<"bool", "false">:$window);
}

def Kernel_KeepAttr
    : Kernel_Primitive<"Keep", "keep",
                       "custom<Name>($value) custom<Place>($place)"> {
  let summary = "says where a value lives between stages";
  let description = [{
    `keep e result`: the value with `name = "e"` that one stage computes and a later one uses again is
    kept in the kernel's result (it is stored there and read back), in local memory of the program, in
    registers, or recomputed, which is the default. `keep s result` on a reduction lets loops of its
    result lie inside of loops that it reduces: its partial results are in the result. Class: exact;
    reassociating on a reduction.
  }];
  let parameters = (ins "::mlir::StringAttr":$value, "::tw::kernel::KeepPlace":$place);
}

def Kernel_OnlineAttr : Kernel_AxisPrimitive<"Online", "online"> {
  let summary = "reduces in one sweep what needs a maximum or a mean over the same axis";
  let description = [{
    `online jb`, a loop over a part of a reduced axis: the maximum over the axis, and the sums and contractions over
    it that depend on the maximum through `exp(x - maximum)` alone, advance together from one iteration to
    the next. Where an iteration raises the maximum, what has been summed is multiplied by
    `exp(before - after)`. The stages inside of an iteration, and what is kept between them, then
    span its part of the axis only. Where nothing but minus infinity has been seen yet, sums are 0.

    Without a maximum, a sum that is used as a mean, divided by the number of its points, leads sums of
    `(x - mean) * (x - mean)`: these grow by the points so far times `(before - after)^2`. The parts of the axis
    divide it then.

    Parts of the axis in the tile have leads and sums of their own, which are combined likewise after the
    loop. In a list with `warps` they are combined in each iteration, so that threads that share a row follow one maximum,
    and contractions sum such parts by matrix units (`contract jr dot`); no mean leads there. Stores and scans along the axis come in a sweep behind. Class: reassociating.
  }];
}

def Kernel_SkipAttr : Kernel_AxisPrimitive<"Skip", "skip"> {
  let summary = "leaves out what a comparison masks of an axis, or what lies outside of a tensor";
  let description = [{
    `skip j`: loops over the reduced axis `j` end where a `select` by a comparison of affine functions of
    axes gives the identity of all that is reduced over `j`, or what becomes it: minus infinity for a
    maximum, the exponential of that for sums. Tiles of which all points are seen do not compare.
    Every point of the results sees a point of `j`. Likewise loops over `j` begin and end where coordinates of a
    load, which are affine functions of `j` and other axes, are inside of its tensor for some point of a tile, if the
    load is zero outside and all that is reduced over `j` are sums of it and products of it with what is known to be
    finite (loads that say `finite`, constants, integers). Where the loop is unrolled and the other axes are in the
    tile, single points of a tile are left out. With `warps` comparisons count alone. The bits are the same unless a point that a comparison masks
    multiplies its zero with an infinity or a NaN. Class: reassociating.
  }];
}

def Kernel_StreamAttr
    : Kernel_Primitive<"Stream", "stream",
                       "custom<Streamed>($result, $from)"> {
  let summary = "stores a result past the caches";
  let description = [{
    `stream 0` writes result 0 with stores that leave the caches alone, where addresses allow it: for
    results that the last cache has no room for, which would be read before they are written and
    push out what is still needed. No value is kept in a result then. Class: exact.

    `stream 0 from 25165824` does so in calls that settle at least so many bytes for the result.
  }];
  let parameters = (ins "int64_t":$result, DefaultValuedParameter<"int64_t", "0">:$from);
}

def Kernel_PrefetchAttr
    : Kernel_Primitive<"Prefetch", "prefetch",
                       "custom<Prefetched>($value, $ahead)"> {
  let summary = "fetches what is read later";
  let description = [{
    `prefetch v`: where the load with `name = "v"` is read by a second stage, from the caches, the same
    place is fetched that the next program along the last axis of the grid reads first: memory is
    busy while the program computes.

    `prefetch v 1024`: the stage that reads it first fetches what lies 1024 elements ahead, for tiles along
    contiguous memory: the hardware's own prefetchers stop at pages. Of a value that is packed at kernel
    global, in its panel.

    `prefetch v 3`, in a list with `warps`, of a value that is staged in local memory: the stage has four
    buffers, a ring, and what the third iteration from now reads is copied while this one computes,
    asynchronously where the chip can (`cp.async` from sm_80 on), through registers elsewhere. Class: exact.
  }];
  let parameters = (ins "::mlir::StringAttr":$value, "int64_t":$ahead);
}

def Kernel_ContractAttr
    : Kernel_Primitive<"Contract", "contract",
                       "custom<Name>($axis) `dot`"> {
  let summary = "sums groups of products with dot instructions";
  let description = [{
    `contract kg dot`: each step of the contraction over the tile axis `kg`, of 2 elements of 16 bits or 4 of 8
    bits, adds the products of a group to the accumulator, which has no dimension for it. The target has an
    instruction for that (AVX512-BF16, VNNI) or does the same by conversions and multiply-adds. `kg` is an
    axis of the tile but not its last one. It is fast where the group lies together in memory, as in
    `split k = [ko, kg 2], tile [kg, mr, nr], contract kg dot`.

    In a list with `warps` the group is the depth of a matrix unit's step: `kg` has a multiple of its elements,
    16 for bf16 and f16 of `mma.sync`, and warps hold whole tiles of it. Chips without such a unit refuse
    the list. Other reductions over the axis combine what the tile has of it. Where one contraction sums over what is
    computed of the results of another, subgroups have whole rows of both, and no element leaves its thread.

    Class: integers exact; f32 sums of bf16 approximate, since the instruction takes what is below 2^-126 as
    0.
  }];
  let parameters = (ins "::mlir::StringAttr":$axis);
}

def Kernel_UnrollAttr
    : Kernel_Primitive<"Unroll", "unroll",
                       "custom<Unrolled>($axis, $factor)"> {
  let summary = "unrolls a loop";
  let description = [{
    `unroll r 3` unrolls the loop over `r` by 3; without a number, fully. Class: exact.
  }];
  let parameters = (ins "::mlir::StringAttr":$axis, "int64_t":$factor);
}

def Kernel_EdgeAttr
    : Kernel_Primitive<"Edge", "edge",
                       "custom<Name>($axis) custom<Mode>($mode)"> {
  let summary = "says what happens at the end of a split that does not divide";
  let description = [{
    `edge m mask` keeps one loop whose accesses are guarded; `edge m peel` gives the last, partial
    iteration a copy of the body of its own, so that the main loop has no guards. On a CPU the tile
    of that copy is only as large as what is left of the axis, so it has none either; the parts of
    the axis are then nested in their order.

    `edge m pad` runs whole tiles to the end, without guards in the loops of reductions: what they read
    along `m` is staged, and the panels are as long as the tiles reach. Stores drop what is beyond. Along a
    reduced axis the panels hold the neutral element there: zeros for sums and products, minus infinity for a
    maximum. Each operand of the reduction is then itself staged (or extended from what is), not as a window,
    and varies along the axis: both operands of a product of floats, since infinity times zero is no zero. No
    store and no scan works along an axis that is reduced, and no scan along any. Default: mask. Class:
    exact.

    `edge m switch` is `peel` for an axis whose size a call settles: the last, partial iteration is a switch over how
    much is left, with a copy of the body for each number of points, of which the first that is enough runs; for 1, 2,
    3, 4, 6, 9, 13 ... where what is reduced is read from buffers, and along the lanes for 8, 16, 32 .... The axis has two
    parts, of which the inner one alone is in the tile, or a loop between them, whose last iteration is the switch then;
    nothing is reduced or scanned along it. Of an axis of fixed size it is `peel`.
  }];
  let parameters = (ins "::mlir::StringAttr":$axis, "::tw::kernel::EdgeMode":$mode);
}

def Kernel_ScheduleAttr : Kernel_Attr<"Schedule", "schedule"> {
  let summary = "how a kernel runs: an ordered list of primitives on named axes";
  let description = [{
    ```
    #tkernel.schedule<[split n = [no, ni 16], grid [m], order [no, k], tile [ni], edge n mask]>
    ```
    Primitives are applied in order; each is checked against what the earlier ones made.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$primitives);
  let hasCustomAssemblyFormat = 1;
}

#endif
