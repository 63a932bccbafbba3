// The host program, its terminator, and the constants of a module.
#ifndef TW_LAUNCH_STRUCTURE_OPS_TD
#define TW_LAUNCH_STRUCTURE_OPS_TD

include "tw/Dialect/Launch/LaunchTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def FuncOp : Launch_Op<"func", [IsolatedFromAbove, Symbol, SingleBlock]> {
  let summary = "the host program of one function for one target";
  let description = [{
    The block arguments are the buffers of the arguments, then of the results, which the caller gives.
    `names` are those of the function's signature. After planning, `arena_bytes` is the size of the
    arena and `live_bytes` the largest sum of buffers alive at once. `steps` are the `tgraph.step` of
    the results, 0 for those without one, and absent where none has one. `aliases` says for each argument which
    result shares its memory, -1 for none, and is absent where none does: once such a result is written, its argument
    is not read any more. `complex` says for each argument and result whether callers see complex numbers, the pairs
    of floats along its last dimension, and is absent where none is. `counts` has the `tgraph.counts` of each
    result, and is absent where none is counted. `assumed` has the `tgraph.assumed` of each argument, a unit
    for those without one, and is absent where none has one.

    Example:
    ```mlir
    tlaunch.func @main(%x: !tlaunch.buffer<tensor<4xf32>>) results(%y: !tlaunch.buffer<tensor<4xf32>>) names ["x", "y"] target "host" {
      tlaunch.launch @relu reads(%x : !tlaunch.buffer<tensor<4xf32>>) writes(%y : !tlaunch.buffer<tensor<4xf32>>)
      tlaunch.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeArrayAttr:$buffer_types, I64Attr:$num_outputs,
                       StrArrayAttr:$names, StrAttr:$target, OptionalAttr<I64Attr>:$arena_bytes,
                       OptionalAttr<I64Attr>:$live_bytes,
                       OptionalAttr<DenseF64ArrayAttr>:$steps,
                       OptionalAttr<DenseI64ArrayAttr>:$aliases,
                       OptionalAttr<DenseBoolArrayAttr>:$complex,
                       OptionalAttr<TypedArrayAttrBase<DenseI64ArrayAttr, "counts of results">>:$counts,
                       OptionalAttr<ArrayAttr>:$assumed);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$buffers,
      "int64_t":$numOutputs, "::llvm::ArrayRef<::llvm::StringRef>":$names, "::llvm::StringRef":$target)>];
  let extraClassDeclaration = [{
    unsigned getNumArguments() { return getBufferTypes().size() - getNumOutputs(); }
    ::mlir::BlockArgument getArgument(unsigned i) { return getBody().getArgument(i); }
    ::mlir::BlockArgument getResultBuffer(unsigned i) {
      return getBody().getArgument(getNumArguments() + i);
    }
    ::llvm::StringRef getName(unsigned i) {
      return ::mlir::cast<::mlir::StringAttr>(getNames()[i]).getValue();
    }
    /// The result that shares the memory of argument `i`, -1 for none.
    int64_t getAlias(unsigned i) { return getAliases() ? (*getAliases())[i] : -1; }
    /// The elements that argument `i` must have, or null.
    ::mlir::DenseElementsAttr getAssumedValue(unsigned i) {
      return getAssumed() ? ::mlir::dyn_cast<::mlir::DenseElementsAttr>((*getAssumed())[i])
                          : ::mlir::DenseElementsAttr();
    }
    /// Of each result the results that count its elements, by dimension; empty for most.
    ::tw::ResultCounts getResultCounts();
    /// Whether callers see complex numbers in buffer `i`, of an argument or a result.
    bool isComplex(unsigned i) { return getComplex() && (*getComplex())[i]; }
  }];
}

def InitializeOp : Launch_Op<"initialize", [IsolatedFromAbove, SingleBlock, HasParent<"FuncOp">]> {
  let summary = "commands that run once for a loaded program, and the buffers they leave";
  let description = [{
    What depends on constants alone is computed once, on the device, before the first call: the derived
    constants of the program. A reservation that is yielded lives as long as the program and is shared by
    its calls, which only read it; the others lie in an arena of the initializer's own, planned like a
    call's, which is freed when it has run. A program has at most one initializer.

    Example:
    ```mlir
    %packed = tlaunch.initialize -> !tlaunch.buffer<tensor<8x4xf32>> {
      %w = tlaunch.get_constant @w : !tlaunch.buffer<tensor<4x8xf32>>
      %p = tlaunch.reserve : !tlaunch.buffer<tensor<8x4xf32>>
      tlaunch.launch @pack reads(%w : !tlaunch.buffer<tensor<4x8xf32>>) writes(%p : !tlaunch.buffer<tensor<8x4xf32>>)
      tlaunch.yield %p : !tlaunch.buffer<tensor<8x4xf32>>
    }
    ```
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$arena_bytes, OptionalAttr<I64Attr>:$live_bytes);
  let results = (outs Variadic<Launch_BufferType>:$derived);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`->` qualified(type($derived)) attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
}

def YieldOp : Launch_Op<"yield", [Pure, Terminator, HasParent<"InitializeOp">]> {
  let summary = "ends an initializer and names the buffers that stay";
  let arguments = (ins Variadic<Launch_BufferType>:$buffers);
  let assemblyFormat = "($buffers^ `:` qualified(type($buffers)))? attr-dict";
}

def ReturnOp : Launch_Op<"return", [Pure, Terminator, HasParent<"FuncOp">]> {
  let summary = "ends a host program";
  let assemblyFormat = "attr-dict";
}

def ConstantOp : Launch_Op<"constant", [Symbol]> {
  let summary = "a constant of the module, shared by its programs";
  let description = [{
    The value is inline elements or `#tgraph.file`.

    Example:
    ```mlir
    tlaunch.constant @c0 : tensor<2xf32> = dense<[1.0, 2.0]> : tensor<2xf32>
    tlaunch.constant @c1 : tensor<64x3x7x7xf32> = #tgraph.file<"model.onnx", 128, 37632>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<AnyRankedTensor>:$type, AnyAttr:$value);
  let assemblyFormat = "$sym_name `:` $type `=` $value attr-dict";
}

#endif
