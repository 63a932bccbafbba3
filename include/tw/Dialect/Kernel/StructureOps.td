// The kernel op and the terminator of its combining regions.
#ifndef TW_KERNEL_STRUCTURE_OPS_TD
#define TW_KERNEL_STRUCTURE_OPS_TD

include "tw/Dialect/Kernel/KernelAttrs.td"
include "tw/Dialect/View/ViewAttrs.td"
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

    An axis whose end is settled by a call has its size and the most that it comes to, `%i : S <= 512`, and
    runs from 0 to that size. An axis along which a result is stored has the size of the result's dimension.

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
  let arguments = (ins Variadic<AnyRankedTensor>:$operands, DenseI64ArrayAttr:$extents, OptionalAttr<View_SizesAttr>:$sizes,
                       StrArrayAttr:$axis_names, OptionalAttr<Kernel_ScheduleAttr>:$schedule,
                       OptionalAttr<StrAttr>:$sym_hint);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$operands,
      "::llvm::ArrayRef<::tw::kernel::Extent>":$axes, "::llvm::ArrayRef<::llvm::StringRef>":$names)>];
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
    /// The size of axis `i`, which is its extent unless a call settles it; the extent is the most
    /// that it comes to then.
    ::tw::Dim getSize(unsigned i);
    /// Whether a call settles the size of the axis.
    bool isSymbolic(unsigned i) { return getSizes() && !getSize(i).isStatic(); }
    /// Both, for an axis like it in this kernel or another.
    ::tw::kernel::Extent getExtent(unsigned i) { return {getExtents()[i], getSize(i)}; }
    /// Of all axes; block arguments are left to the caller.
    void setAxes(::llvm::ArrayRef<::tw::kernel::Extent> axes, ::llvm::ArrayRef<::mlir::Attribute> names);
    /// Appends an axis and returns its block argument; the name is made unique.
    ::mlir::BlockArgument addAxis(const ::tw::kernel::Extent &extent, ::llvm::StringRef name);
    /// The operand whose elements result `result` has but for those that the kernel stores, if it updates one.
    std::optional<unsigned> findUpdated(unsigned result);
    /// Appends an operand and returns its block argument.
    ::mlir::BlockArgument addOperand(::mlir::Value operand);
  }];
}

def SizeOp : Kernel_Op<"size", [Pure]> {
  let summary = "a size that a call settles, as an index";
  let description = [{
    The one size of its attribute: where one part of a result ends and another one begins, or what an average is
    divided by. It is the same at all points.

    ```mlir
    %end = tkernel.size <[P + 1]>
    ```
  }];
  let arguments = (ins View_SizesAttr:$size);
  let results = (outs Index:$result);
  let assemblyFormat = "$size attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "const ::tw::Dim &":$size), [{
    build($_builder, $_state, $_builder.getIndexType(), ::tw::view::SizesAttr::get($_builder.getContext(), size));
  }]>];
  let extraClassDeclaration = [{
    ::tw::Dim getDim() { return getSize().getSizes().front(); }
  }];
}

def YieldOp : Kernel_Op<"yield", [Pure, Terminator, ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "ends a combining region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif
