// The conversions between the stages of the compiler, one pass each.
#ifndef TW_CONVERSION_PASSES_TD
#define TW_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def GraphToViewPass : Pass<"graph-to-view", "::mlir::func::FuncOp"> {
  let summary = "Makes movement ops views and collapses their chains";
  let description = [{
    `tgraph.permute`, `reshape`, `expand`, `pad`, `slice` and `flip` become `tview.view`. A view of a view
    is one view: whatever chain of movements lies between two other ops, what comes after reads through
    one map, simplified by the extents. Views that move nothing disappear. Shapes must be static.

    ```mlir
    %p = tgraph.pad %x low [1, 0] high [1, 0] value 0.0 : f32 : tensor<6x4xf32> -> tensor<8x4xf32>
    %t = tgraph.permute %p [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
    %y = tgraph.reshape %t : tensor<4x8xf32> -> tensor<16x2xf32>
    // becomes
    %y = tview.view %x through <affine_map<(d0, d1) -> (d1 + (d0 mod 4) * 2 - 1, d0 floordiv 4)>> : tensor<6x4xf32> -> tensor<16x2xf32>
    ```
  }];
  let dependentDialects = ["::tw::view::ViewDialect"];
}

def ViewToKernelPass : Pass<"view-to-kernel", "::mlir::func::FuncOp"> {
  let summary = "forms one kernel for each tensor op";
  let description = [{
    Every tgraph op but constants, and every view, becomes one `tkernel.kernel` that computes it point by
    point. Composites and movement ops are gone before (`graph-decompose`, `graph-to-view`); fusion
    comes after (`kernel-fuse`). Constants of one value become scalars of the kernels that read them.

    ```mlir
    %y = tgraph.add %a, %b : tensor<4x8xf32>
    // becomes
    %y = tkernel.kernel @add (%i : 4, %j : 8) reads(%0 = %a : tensor<4x8xf32>, %1 = %b : tensor<4x8xf32>) -> tensor<4x8xf32> {
      %2 = tkernel.load %0[%i, %j] : tensor<4x8xf32>
      %3 = tkernel.load %1[%i, %j] : tensor<4x8xf32>
      %4 = arith.addf %2, %3 : f32
      tkernel.store %4, 0[%i, %j] : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::affine::AffineDialect", "::tw::kernel::KernelDialect"];
}

def KernelToLaunchPass : Pass<"kernel-to-launch", "::mlir::ModuleOp"> {
  let summary = "Makes functions host programs and gives kernels functions of their own";
  let description = [{
    Each public `func.func` of kernels and constants becomes a `tlaunch.func`: tensors become buffers,
    kernels become launches of private functions. Kernels that are equal but for locations and names are
    one function. Constants move to the module.

    Where a kernel reads rows at constant places of an operand, as a step of an unrolled loop does, its
    launch reads the buffer from the byte on at which they begin, so that all steps are one function.
  }];
  let dependentDialects = ["::tw::launch::LaunchDialect"];
  let options = [Option<"target", "target", "std::string", "\"host\"", "the target the program is for">,
    Option<"offsetAlignment", "offset-alignment", "int64_t", "256",
      "bytes that a launch begins to read at a multiple of, by default what every API of devices admits; 0: always at the first">];
}

def KernelToTilePass : Pass<"kernel-to-tile", "::mlir::ModuleOp"> {
  let summary = "Writes the tile program of each kernel, as its schedule says";
  let description = [{
    Each `func.func` that holds one kernel becomes a `ttile.func` of the same name. A kernel without a
    schedule runs as one program of loops in the order of its axes, one element at a time.
  }];
  let dependentDialects = ["::tw::tile::TileDialect"];
}

def SettleSizesPass : Pass<"settle-sizes", "::mlir::ModuleOp"> {
  let summary = "Gives sizes that calls settle fixed values, at any stage from kernels on";
  let description = [{
    `sizes=S=37,T=5` makes of a program for all sizes the one that runs for those: axes, tensors, buffers and
    grids have them, and the schedules are those for all. The interpreter runs programs of fixed sizes.

    ```mlir
    %y = tkernel.kernel (%i : S <= 512) reads(%a = %x : tensor<512xf32, #tview.sizes<[S]>>) -> ...
    // becomes
    %y = tkernel.kernel (%i : 37) reads(%a = %x : tensor<37xf32>) -> ...
    ```
  }];
  let options = [ListOption<"sizes", "sizes", "std::string", "a value for each symbol, S=37">];
}

#endif // TW_CONVERSION_PASSES_TD
