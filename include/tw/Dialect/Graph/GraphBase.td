// What the op categories of tgraph share: tensor types, traits, the base classes of ops.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_GRAPHBASE_TD
#define TW_DIALECT_GRAPH_GRAPHBASE_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tw/Dialect/Graph/GraphAttrs.td"
include "tw/Dialect/Graph/GraphDialect.td"
include "tw/Dialect/Graph/GraphInterfaces.td"

// What Format/ElementTypes.def lists and the IR has.
def Graph_Element : Type<CPred<"::tw::isElementType($_self)">, "integer or float">;
def Graph_IntegerElement : Type<And<[CPred<"::llvm::isa<::mlir::IntegerType>($_self)">, Graph_Element.predicate]>,
                                "integer">;
def Graph_FloatElement : Type<And<[CPred<"::llvm::isa<::mlir::FloatType>($_self)">, Graph_Element.predicate]>,
                              "float">;

def Graph_Bool : RankedTensorOf<[I1]>;
def Graph_Integers : RankedTensorOf<[Graph_IntegerElement]>;
def Graph_Floats : RankedTensorOf<[Graph_FloatElement]>;
def Graph_Indices : RankedTensorOf<[I32, I64]>;
def Graph_Tensor : RankedTensorOf<[Graph_Element]>;

class Graph_ScalarTensor<string element, string build, string text>
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 0">,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getElementType()." # element>]>, text>,
      BuildableType<"::mlir::RankedTensorType::get({}, $_builder." # build # ")">;
def Graph_Predicate : Graph_ScalarTensor<"isSignlessInteger(1)", "getI1Type()", "tensor<i1>">;
def Graph_Amount : Graph_ScalarTensor<"isSignlessInteger(64)", "getI64Type()", "tensor<i64>">;

// Dynamic dimensions are symbols that the function declares.
def Graph_DeclaredSymbols : NativeOpTrait<"DeclaredSymbols"> {
  let cppNamespace = "::tw::graph";
}
// All operands and the result are of one type; names the operand that is not.
def Graph_EqualTypes : NativeOpTrait<"EqualTypes"> { let cppNamespace = "::tw::graph"; }
// The result's type is exactly the inferred one.
def Graph_InferredResult : NativeOpTrait<"InferredResult"> { let cppNamespace = "::tw::graph"; }

class Graph_Op<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, !listconcat([Pure, Graph_DeclaredSymbols], traits)>;

// An op whose result type follows from its operands and attributes. `inferReturnTypes` checks those,
// so the op needs no further verifier.
class Graph_InferredOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([Graph_InferredResult, InferTypeOpAdaptor], traits)>;

// An elementwise op whose operands and result are of one type.
class Graph_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Graph_Op<mnemonic, !listconcat([Graph_EqualTypes, SameOperandsAndResultType,
        DeclareOpInterfaceMethods<ElementwiseOpInterface>], traits)>;

#endif // TW_DIALECT_GRAPH_GRAPHBASE_TD
