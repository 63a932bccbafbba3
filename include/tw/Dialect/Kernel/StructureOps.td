// The kernel op and the terminator of its combining regions.
#ifndef TW_KERNEL_STRUCTURE_OPS_TD
#define TW_KERNEL_STRUCTURE_OPS_TD

include "tw/Dialect/Kernel/KernelAttrs.td"
include "mlir/IR/OpAsmInterface.td"

include "mlir/Interfaces/SideEffectInterfaces.td"

def KernelOp : Kernel_Op<"kernel", [IsolatedFromAbove, Pure, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a fused kernel over named axes";
  let description = [{
    The block arguments are the axes (type `index`, each running from 0 to its extent) and then one
    tensor for each operand. The body computes scalars for one point of the axes and stores every
    element of each result exactly once. Value semantics; out-of-bounds loads yield a fill, so a
    kernel is total.

    Example:
    ```mlir
    %y = tkernel.kernel (%i : 4, %j : 8, %k : 16) reads(%a = %x : tensor<4x16xf32>, %b = %w : tensor<16x8xf32>) -> tensor<4x8xf32> {
      %0 = tkernel.load %a[%i, %k] : tensor<4x16xf32>
      %1 = tkernel.load %b[%k, %j] : tensor<16x8xf32>
      %2 = tkernel.contract %0, %1 over (%k) : f32
      tkernel.store %2, 0[%i, %j] : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$operands, DenseI64ArrayAttr:$extents,
                       StrArrayAttr:$axis_names, OptionalAttr<Kernel_ScheduleAttr>:$schedule,
                       OptionalAttr<StrAttr>:$sym_hint);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$operands,
      "::llvm::ArrayRef<int64_t>":$extents, "::llvm::ArrayRef<::llvm::StringRef>":$names)>];
  let extraClassDeclaration = [{
    unsigned getNumAxes() { return getExtents().size(); }
    ::mlir::BlockArgument getAxis(unsigned i) { return getBody().getArgument(i); }
    ::mlir::ValueRange getAxes() { return getBody().getArguments().take_front(getNumAxes()); }
    /// The block argument that stands for operand `i`.
    ::mlir::BlockArgument getOperandArgument(unsigned i) {
      return getBody().getArgument(getNumAxes() + i);
    }
    ::llvm::StringRef getAxisName(unsigned i) {
      return ::mlir::cast<::mlir::StringAttr>(getAxisNames()[i]).getValue();
    }
    /// Appends an axis and returns its block argument; the name is made unique.
    ::mlir::BlockArgument addAxis(int64_t extent, ::llvm::StringRef name);
    /// Appends an operand and returns its block argument.
    ::mlir::BlockArgument addOperand(::mlir::Value operand);
  }];
}

def YieldOp : Kernel_Op<"yield", [Pure, Terminator, ParentOneOf<["ReduceOp"]>]> {
  let summary = "ends a combining region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif
