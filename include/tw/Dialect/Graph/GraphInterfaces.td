// Interfaces of tgraph ops: expansion to scalar arithmetic, decomposition of composites.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_GRAPHINTERFACES_TD
#define TW_DIALECT_GRAPH_GRAPHINTERFACES_TD

include "mlir/IR/OpBase.td"

def ElementwiseOpInterface : OpInterface<"ElementwiseOpInterface"> {
  let cppNamespace = "::tw::graph";
  let description = [{
    An op whose result element depends only on the operands' elements at the same index.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the op on scalars (or on vectors or tensors of one shape) with ops of arith and math,
      guarded so that no input makes poison. Integers arrive and leave as signless values; the
      element types say which of them are unsigned. Fast-math flags are left empty.
    }], "::mlir::Value", "buildScalar", (ins "::mlir::OpBuilder &":$builder,
        "::mlir::Location":$loc, "::mlir::ValueRange":$scalars,
        "::llvm::ArrayRef<::mlir::Type>":$operandElementTypes,
        "::mlir::Type":$resultElementType)>
  ];
}

def CompositeOpInterface : OpInterface<"CompositeOpInterface"> {
  let cppNamespace = "::tw::graph";
  let description = [{
    An op that stands for a graph of simpler tgraph ops, which a target may match whole.
  }];
  let methods = [
    InterfaceMethod<[{
      Emits the parts before the op and returns one value per result, of the result's type. The op
      itself stays.
    }], "::llvm::SmallVector<::mlir::Value>", "decompose", (ins "::mlir::OpBuilder &":$builder)>
  ];
}

#endif // TW_DIALECT_GRAPH_GRAPHINTERFACES_TD
