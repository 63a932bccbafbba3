// Passes over the point form of kernels.
#ifndef TW_DIALECT_KERNEL_TRANSFORMS_PASSES_TD
#define TW_DIALECT_KERNEL_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def KernelCanonicalizePass : Pass<"kernel-canonicalize", "::mlir::func::FuncOp"> {
  let summary = "brings kernels into their simplest form";
  let description = [{
    Index maps are simplified by the extents of the axes: indices that are `affine.apply` are folded into
    the map, guards that always hold are dropped. Constants of one value become scalars, equal values
    are computed once, operands are distinct and used, axes of one point, axes that no op works along
    and kernels without uses are gone.

    ```mlir
    %y = tkernel.kernel (%n : 1, %i : 4) reads(%a = %x : tensor<4xf32>, %b = %x : tensor<4xf32>) -> tensor<1x4xf32> {
      %0 = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)>(%n, %i)
      %1 = tkernel.load %a[%0] : tensor<4xf32>
      %2 = tkernel.load %b[%i] : tensor<4xf32>
      %3 = arith.addf %1, %2 : f32
      tkernel.store %3, 0[%n, %i] : f32
    }
    // becomes
    %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<1x4xf32> {
      %0 = tkernel.load %a[%i] : tensor<4xf32>
      %1 = arith.addf %0, %0 : f32
      tkernel.store %1, 0[0, %i] : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
}

def KernelFusePass : Pass<"kernel-fuse", "::mlir::func::FuncOp"> {
  let summary = "inlines kernels into the kernels that read them";
  let description = [{
    One mechanism: the load of a producer's result is replaced by the producer's body, with its axes
    replaced by what the load's map makes of them. Which producers are inlined:

    - copies through a map, casts and constants always: so views are read through;
    - elementwise producers into the kernel that alone reads them, where nothing is computed twice;
    - reductions and contractions into the elementwise kernel that alone reads them, element by element
      (an epilogue); never where they would be computed again.

    A reduction whose operand does not vary along an axis of its result is computed and stored once; a
    copy reads it along that axis.

    A kernel never has more than 16 operands and results.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
}

def KernelCoalesceAxesPass : Pass<"kernel-coalesce-axes", "::mlir::func::FuncOp"> {
  let summary = "makes axes one that go through the same elements";
  let description = [{
    Two loads of one operand vote for the axes that would make them equal; pairs of axes become one, the
    heaviest votes first, where no op works along both and one order of loops still serves all reductions.
    Loads that are equal then become one, and all that is computed from them alike.

    ```mlir
    %y = tkernel.kernel (%i : 4, %j : 8, %k : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = tkernel.load %a[%i, %k] : tensor<4x8xf32>
      %1 = tkernel.reduce maximumf %0 over (%k) : f32
      %2 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
      %3 = arith.subf %2, %1 : f32
      tkernel.store %3, 0[%i, %j] : f32
    }
    // becomes
    %y = tkernel.kernel (%i : 4, %j : 8) reads(%a = %x : tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = tkernel.load %a[%i, %j] : tensor<4x8xf32>
      %1 = tkernel.reduce maximumf %0 over (%j) : f32
      %2 = arith.subf %0, %1 : f32
      tkernel.store %2, 0[%i, %j] : f32
    }
    ```

    Kernels with a schedule keep their axes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
}

def KernelMarkFinitePass : Pass<"kernel-mark-finite", "::mlir::func::FuncOp"> {
  let summary = "says which constants hold neither infinities nor NaN";
  let description = [{
    A load of zero outside of its tensor, as a padded convolution has it, is multiplied with the weights there as
    anywhere else: the product is NaN for an infinite weight. Schedules may leave such products out (`skip`) where
    the other factor is known to be finite: its load gets the attribute `finite` if it reads a constant of
    which all elements are. Only constants that contractions multiply with such loads are read.

    ```mlir
    %0 = tkernel.load %in[%n, %c, %p + %r - 1] else 0.0 : tensor<1x3x8xf32>
    %1 = tkernel.load %weights[%c, %r] : tensor<3x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    // becomes, if %weights is a constant of finite numbers,
    %1 = tkernel.load %weights[%c, %r] {finite} : tensor<3x3xf32>
    ```
  }];
  let options = [
    Option<"folder", "folder", "std::string", "\"\"",
           "Folder beneath which #tgraph.file constants lie (the model's); none: nothing is known of them">,
    Option<"named", "named", "std::string", "\"\"",
           "File of the folder that may be a link to elsewhere: the one that the user has named">,
    Option<"followLinks", "follow-links", "bool", "false",
           "Let other files be links to elsewhere, too">,
    Option<"finiteFiles", "finite-files", "bool", "false",
           "All #tgraph.file constants are finite, by the word of who supplies them">];
}

def KernelDropPaddingPass : Pass<"kernel-drop-padding", "::mlir::func::FuncOp"> {
  let summary = "leaves out terms of sums that are padding at every point";
  let description = [{
    A window that is dilated beyond its tensor, or is larger than it, has terms that read padding wherever it
    stands. They are zero where the other factor is known to be finite (`kernel-mark-finite`): the first and the last
    ones of an axis of a contraction are left out. What is in between stays.

    ```mlir
    %0 = tkernel.load %in[%c, %p + %r * 8 - 8] else 0.0 : tensor<4x8xf32>
    %1 = tkernel.load %weights[%c, %r] {finite} : tensor<4x3xf32>
    %2 = tkernel.contract %0, %1 over (%c, %r) : f32
    // becomes
    %0 = tkernel.load %in[%c, %p] : tensor<4x8xf32>
    %1 = tkernel.load %weights[%c, 1] {finite} : tensor<4x3xf32>
    %2 = tkernel.contract %0, %1 over (%c) : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect"];
}

def KernelMultiplyBytesPass : Pass<"kernel-multiply-bytes", "::mlir::func::FuncOp"> {
  let summary = "multiplies bytes as bytes, where kernels multiply them as floats";
  let description = [{
    A product of f32 or i32 whose factors are converted from integers of 8 bits, as those of quantised networks are,
    becomes one of these with sums of 32 bits, which is converted to f32. Matrix units multiply such. The sum is exact and
    rounded once. An unsigned byte of which 128 is subtracted is a signed one. Products with less than 16 rows or
    columns, or whose sums may not have room in 32 bits, stay as they are, and kernels that have a schedule do.

    A product of f32 whose factors are extended from floats of 8 bits becomes one of these, with the same sums, where
    units multiply such (`floats`), also where their sums have fewer bits than those of f32 (`short-floats`) if it allows
    `reassoc` and `afn`. Of any others it becomes one of `wider`, in which both are exact. Factors move behind sums before
    where they may.

    ```mlir
    %0 = arith.uitofp %x : i8 to f32
    %1 = arith.sitofp %w : i8 to f32
    %2 = tkernel.contract %0, %1 over (%k) : f32
    // becomes
    %0 = tkernel.contract %x, %w over (%k) lhs_unsigned : i8, i8 -> i32
    %2 = arith.sitofp %0 : i32 to f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [
    Option<"integers", "integers", "bool", "true", "whether units multiply integers of 8 bits">,
    Option<"onlySigned", "only-signed", "bool", "false", "whether both factors have to be signed">,
    ListOption<"floats", "floats", "std::string", "floats of 8 bits that units multiply with sums of f32">,
    ListOption<"shortFloats", "short-floats", "std::string", "those with sums of fewer bits">,
    Option<"wider", "wider", "std::string", "\"\"", "the float of 16 bits by which others are multiplied">];
}

def KernelOrderDimensionsPass : Pass<"kernel-order-dimensions", "::mlir::func::FuncOp"> {
  let summary = "orders the dimensions of tensors for products by matrix units";
  let description = [{
    Where products of `elements` with sums of 32 bits read a tensor that kernels alone make and read, the dimension that is
    summed becomes the innermost one, if rows along the one that is there are windows, or if dimensions that the
    product keeps lie on both sides of what it sums: such rows are no boxes, and their elements are copied one by one.
    Products of bytes have it innermost in any case.
    Of several products the one of most points decides, and what kernels without products read point by point, or in
    windows, has the order of their results. A constant that the other factor of such a product reads has
    that dimension behind the others that are summed, too, by a kernel that depends on it alone. Of products of `constants`,
    which threads multiply, these are ordered alone, and only where a summed dimension lies innermost.

    ```mlir
    %0 = tkernel.load %x[%n, %c, %p + %r - 1, %q + %s - 1] : tensor<8x64x56x56xbf16>
    %1 = tkernel.load %w[%o, %c, %r, %s] : tensor<64x64x3x3xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : bf16, bf16 -> f32
    // becomes
    %0 = tkernel.load %x[%n, %p + %r - 1, %q + %s - 1, %c] : tensor<8x56x56x64xbf16>
    %1 = tkernel.load %w[%o, %r, %s, %c] : tensor<64x3x3x64xbf16>
    %2 = tkernel.contract %0, %1 over (%c, %r, %s) : bf16, bf16 -> f32
    ```
  }];
  let dependentDialects = ["::tw::kernel::KernelDialect"];
  let options = [
    ListOption<"elements", "elements", "std::string", "types of the factors of such products">,
    ListOption<"constants", "constants", "std::string", "types of factors that threads multiply">,
  ];
}

def KernelUnflattenAxesPass : Pass<"kernel-unflatten-axes"> {
  let summary = "makes an axis several where a reshape has its sizes apart";
  let description = [{
    Models flatten batch and tokens before a product and take them apart behind it. Sizes that a call settles need a
    reshape for that, which kernels do not fuse through. So an axis that is the product of several such sizes becomes an
    axis for each, if what the kernel reads or makes has them apart on the other side of a reshape, and all tensors of the kernel have
    the axis as a dimension. The reshapes move on to the next kernels, and are gone where they meet. Kernels for which one axis
    is better get it back when they are fused (`kernel-flatten-axes`).

    ```mlir
    %r = tgraph.reshape %x : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>> -> tensor<320x16xf32, #tview.sizes<[B * S, 16]>>
    %y = tkernel.kernel (%i : B * S <= 320, %j : 16) reads(%a = %r : tensor<320x16xf32, #tview.sizes<[B * S, 16]>>) -> tensor<320x16xf32, #tview.sizes<[B * S, 16]>> {
      %0 = tkernel.load %a[%i, %j] : tensor<320x16xf32, #tview.sizes<[B * S, 16]>>
      tkernel.store %0, 0[%i, %j] : f32
    }
    // becomes
    %z = tkernel.kernel (%i : B <= 8, %i_0 : S <= 40, %j : 16) reads(%a = %x : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>) -> tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>> {
      %0 = tkernel.load %a[%i, %i_0, %j] : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>
      tkernel.store %0, 0[%i, %i_0, %j] : f32
    }
    %y = tgraph.reshape %z : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>> -> tensor<320x16xf32, #tview.sizes<[B * S, 16]>>
    ```

    Kernels with a schedule keep their axes.
  }];
  let dependentDialects = ["::tw::graph::GraphDialect"];
}

def KernelFlattenAxesPass : Pass<"kernel-flatten-axes", "::mlir::ModuleOp"> {
  let summary = "makes axes one whose sizes a call settles";
  let description = [{
    Axes through which all tensors of a kernel run as one, the second behind the first and its size one that a call
    settles, are one axis. Its size is the product of theirs; what the kernel reads and makes has a dimension for
    it, and is reshaped, which moves nothing. So the rows of many short sequences are rows of one product, whose
    weights are read once. Where one tensor has an axis alone, both stay: no call divides by a size. Axes of fixed size are
    merged by schedules.

    ```mlir
    %y = tkernel.kernel (%b : B <= 8, %s : S <= 40, %n : 32, %k : 16) reads(%a = %x : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>, %c = %w : tensor<16x32xf32>) -> tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>> {
      %0 = tkernel.load %a[%b, %s, %k] : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>>
      %1 = tkernel.load %c[%k, %n] : tensor<16x32xf32>
      %2 = tkernel.contract %0, %1 over(%k) : f32
      tkernel.store %2, 0[%b, %s, %n] : f32
    }
    // becomes
    %r = tgraph.reshape %x : tensor<8x40x16xf32, #tview.sizes<[B, S, 16]>> -> tensor<320x16xf32, #tview.sizes<[B * S, 16]>>
    %z = tkernel.kernel (%bs : B * S <= 320, %n : 32, %k : 16) reads(%a = %r : tensor<320x16xf32, #tview.sizes<[B * S, 16]>>, %c = %w : tensor<16x32xf32>) -> tensor<320x32xf32, #tview.sizes<[B * S, 32]>> {
      %0 = tkernel.load %a[%bs, %k] : tensor<320x16xf32, #tview.sizes<[B * S, 16]>>
      %1 = tkernel.load %c[%k, %n] : tensor<16x32xf32>
      %2 = tkernel.contract %0, %1 over(%k) : f32
      tkernel.store %2, 0[%bs, %n] : f32
    }
    %y = tgraph.reshape %z : tensor<320x32xf32, #tview.sizes<[B * S, 32]>> -> tensor<8x40x32xf32, #tview.sizes<[B, S, 32]>>
    ```

    Kernels with a schedule keep their axes.
  }];
  let dependentDialects = ["::tw::graph::GraphDialect"];
}

def KernelDropResultsPass : Pass<"kernel-drop-results", "::mlir::func::FuncOp"> {
  let summary = "removes results of kernels that nothing reads";
  let description = [{
    With a result go its store, what is computed for it alone, operands and axes that nothing else uses,
    and producers that were read there alone; so does what a kernel computes for no result at all.
    Kernels with a schedule keep their results, because the schedule may name any of these.

    ```mlir
    %y:2 = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = tkernel.load %a[%i] : tensor<4xf32>
      %1 = math.exp %0 : f32
      tkernel.store %1, 0[%i] : f32
      tkernel.store %0, 1[%i] : f32
    }
    return %y#1
    // becomes
    %y = tkernel.kernel (%i : 4) reads(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
      %0 = tkernel.load %a[%i] : tensor<4xf32>
      tkernel.store %0, 0[%i] : f32
    }
    return %y
    ```
  }];
}

def KernelNarrowResultsPass : Pass<"kernel-narrow-results", "::mlir::func::FuncOp"> {
  let summary = "computes of results what is read of them";
  let description = [{
    Where all that read a result read one point along a dimension, or every so many-th of fewer points, the kernel computes these
    alone, and so does in turn what it reads: behind the last attention of a language model the last token of each sequence, of
    which one query is left. A point may be a size (`%size - 1` of so many). What is reduced along the dimension, too, stays, and so do kernels with
    a schedule or several results, and those whose result others than kernels read.

    ```mlir
    %y = tkernel.kernel (%i : 64, %n : 16, %k : 8) reads(%a = %x : tensor<64x8xf32>, %b = %w : tensor<8x16xf32>) -> tensor<64x16xf32> {
      %0 = tkernel.load %a[%i, %k] : tensor<64x8xf32>
      %1 = tkernel.load %b[%k, %n] : tensor<8x16xf32>
      %2 = tkernel.contract %0, %1 over(%k) : f32
      tkernel.store %2, 0[%i, %n] : f32
    }
    %z = tkernel.kernel (%n : 16) reads(%a = %y : tensor<64x16xf32>) -> tensor<16xf32> {
      %0 = tkernel.load %a[63, %n] : tensor<64x16xf32>
      %1 = math.tanh %0 : f32
      tkernel.store %1, 0[%n] : f32
    }
    // becomes
    %y = tkernel.kernel (%n : 16, %k : 8) reads(%a = %x : tensor<64x8xf32>, %b = %w : tensor<8x16xf32>) -> tensor<1x16xf32> {
      %0 = tkernel.load %a[63, %k] : tensor<64x8xf32>
      %1 = tkernel.load %b[%k, %n] : tensor<8x16xf32>
      %2 = tkernel.contract %0, %1 over(%k) : f32
      tkernel.store %2, 0[0, %n] : f32
    }
    %z = tkernel.kernel (%n : 16) reads(%a = %y : tensor<1x16xf32>) -> tensor<16xf32> {
      %0 = tkernel.load %a[0, %n] : tensor<1x16xf32>
      %1 = math.tanh %0 : f32
      tkernel.store %1, 0[%n] : f32
    }
    ```
  }];
}

def KernelVerifyPass : Pass<"kernel-verify", "::mlir::func::FuncOp"> {
  let summary = "checks that only kernels and constants are left";
  let description = [{
    The border of the kernel stage: functions hold `tkernel.kernel`, `tgraph.constant` and `return` only,
    shapes are static, and no kernel has more than 16 operands and results.
  }];
}

#endif // TW_DIALECT_KERNEL_TRANSFORMS_PASSES_TD
