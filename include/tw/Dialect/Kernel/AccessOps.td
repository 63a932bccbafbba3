// Loads and stores of points.
#ifndef TW_KERNEL_ACCESS_OPS_TD
#define TW_KERNEL_ACCESS_OPS_TD

include "tw/Dialect/Kernel/KernelDialect.td"
include "tw/Dialect/View/ViewAttrs.td"
include "mlir/Dialect/Arith/IR/ArithBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def LoadOp : Kernel_Op<"load", [Pure, InferTypeOpAdaptor]> {
  let summary = "reads one point of a tensor through an index map; total";
  let description = [{
    The indices are axes or any other `index` values; the map's dimensions are the indices, its results
    the coordinates in the tensor. The first guard that fails gives its fill, a coordinate outside the
    tensor gives the map's `else` fill. The result is the signless scalar of the element type. The unit attribute
    `finite` says that the tensor is known to hold neither infinities nor NaN (`kernel-mark-finite`).

    Example:
    ```mlir
    %0 = tkernel.load %x[%i, %j] : tensor<4x8xf32>
    %1 = tkernel.load %x[%i, %j * 2 - 1] else 0.0 : tensor<4x8xf32>
    %2 = tkernel.load %x through #tview.map<affine_map<(d0, d1) -> (d1, d0)>>(%i, %j) : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, Variadic<Index>:$indices, View_MapAttr:$map);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def StoreOp : Kernel_Op<"store", [AttrSizedOperandSegments]> {
  let summary = "writes one element of a result of the kernel";
  let description = [{
    `tkernel.store %v, 0[%i, %j] : f32` writes result 0 at (i, j) for every point of the axes in the map.
    Over all points each element of the result is written exactly once: the map is a bijection from
    the points of the axes it names to the elements of the result. Where several ops store to one result,
    they write disjoint parts that together are all of it.

    `tkernel.store %v, 0[%i, %j] at (%p, %z) into %old : f32` updates: the result is the operand `%old` of the kernel
    but for what is stored, each element at most once, at the map's coordinates moved by one `index` per
    dimension. What would lie outside of the result is dropped. The kernel does not
    read what it updates, so that both may be one memory.

    An offset that varies, `tkernel.store %v, 0[0, %j] at (%p, %z) into %old`, %p read at (%i), scatters: the map leaves its
    dimension at 0, and several points may come to one element. They do in the order of the kernel's axes; a kind,
    as in `tkernel.store addf %v, 0[0, %j] at (%p, %z) into %old`, combines each of them with what is there, in the
    type of the elements.
  }];
  let arguments = (ins AnyType:$value, Variadic<Index>:$indices, Variadic<Index>:$offsets,
                       Optional<AnyRankedTensor>:$into, I64Attr:$result_number, AffineMapAttr:$map,
                       OptionalAttr<AtomicRMWKindAttr>:$combine);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::ValueRange":$indices,
                                 "int64_t":$result, "::mlir::AffineMap":$map), [{
    build($_builder, $_state, value, indices, ::mlir::ValueRange(), ::mlir::Value(), result, map,
          /*combine=*/nullptr);
  }]>];
}

#endif
