// The conversions between the stages of the compiler, one pass each.
#ifndef TW_CONVERSION_PASSES_TD
#define TW_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def KernelToLaunchPass : Pass<"kernel-to-launch", "::mlir::ModuleOp"> {
  let summary = "Makes functions host programs and gives kernels functions of their own";
  let description = [{
    Each public `func.func` of kernels and constants becomes a `tlaunch.func`: tensors become buffers,
    kernels become launches of private functions. Kernels that are equal but for locations and names are
    one function. Constants move to the module.
  }];
  let dependentDialects = ["::tw::launch::LaunchDialect"];
  let options = [Option<"target", "target", "std::string", "\"host\"", "the target the program is for">];
}

def KernelToTilePass : Pass<"kernel-to-tile", "::mlir::ModuleOp"> {
  let summary = "Writes the tile program of each kernel, as its schedule says";
  let description = [{
    Each `func.func` that holds one kernel becomes a `ttile.func` of the same name. A kernel without a
    schedule runs as one program of loops in the order of its axes, one element at a time.
  }];
  let dependentDialects = ["::tw::tile::TileDialect"];
}

#endif // TW_CONVERSION_PASSES_TD
