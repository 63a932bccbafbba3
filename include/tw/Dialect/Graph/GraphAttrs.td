// Attributes of the tgraph dialect: file constants, symbolic shapes, symbols, enumerations.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_GRAPHATTRS_TD
#define TW_DIALECT_GRAPH_GRAPHATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"
include "tw/Dialect/Graph/GraphDialect.td"
include "tw/Dialect/Graph/GraphEnums.td"

class Graph_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Graph_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Graph_FileAttr : Graph_Attr<"File", "file", [TypedAttrInterface]> {
  let summary = "the contents of a constant, as a range of bytes in a file";
  let description = [{
    Names a file as the importer found it (relative names are beneath the model's folder), a byte
    offset and a byte length. The bytes are the elements in row-major order, little-endian, a bool
    in one byte. The data is mapped where it is needed and never becomes part of the IR.

    ```mlir
    #tgraph.file<"model.onnx", 1234, 37632> : tensor<64x3x7x7xf32>
    ```
  }];
  let parameters = (ins AttributeSelfTypeParameter<"">:$type,
                        StringRefParameter<"name of the file">:$name,
                        "uint64_t":$offset, "uint64_t":$length);
  let assemblyFormat = "`<` $name `,` $offset `,` $length `>`";
}

def Graph_SymbolAttr : Graph_Attr<"Symbol", "symbol"> {
  let summary = "range and divisibility of a symbolic dimension";
  let description = [{
    A symbol takes multiples of `step` from `min` to `max`, which are multiples of it themselves.

    ```mlir
    #tgraph.symbol<min = 8, max = 32768, step = 8>
    ```
  }];
  let parameters = (ins "int64_t":$min, "int64_t":$max, "int64_t":$step);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Graph_DimsAttr : Graph_Attr<"Dims", "dims", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "the symbolic shape of a tensor type";
  let description = [{
    One entry per dimension, affine in symbols that the function declares in `tgraph.symbols`. A
    static dimension has its size as its entry. Two types are equal when their entries are, so ops
    that demand equal types demand equal symbols. Entries are kept in one normal form: terms in the
    order of the symbols' names, then the constant. Products (`B * S`) and quotients of symbols are
    symbols that are named by what they are: `S floordiv 2` is rounded down, `S / 4` is exact, of a
    symbol that is declared in steps of 4. `*`, `/` and `floordiv` take what stands before them, as
    in affine maps; the divisor is a number. `(S min 5)` is the smaller of two sizes, always in
    parentheses; `max` is written as the sum of both without it, `S - (S min 5) + 5`.

    ```mlir
    tensor<?x4096x?xf32, #tgraph.dims<[S, 4096, S + 2 * T + 1]>>
    tensor<?x4x?xf32, #tgraph.dims<[S / 4, 4, (H + 1) floordiv 2]>>
    tensor<?xf32, #tgraph.dims<[(S min 5)]>>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr", "symbols, sorted by name, each used">:$symbols,
    ArrayRefParameter<"int64_t", "per entry: a factor per symbol, then the constant">:$coefficients);
  let hasCustomAssemblyFormat = 1;
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<::tw::Dim>":$shape)>];
  let extraClassDeclaration = [{
    int64_t getRank() const {
      return int64_t(getCoefficients().size() / (getSymbols().size() + 1));
    }
    ::tw::graph::Shape getShape() const;
  }];
}

class Graph_EnumAttr<EnumInfo info, string name> : EnumAttr<Graph_Dialect, info, name> {
  let assemblyFormat = "$value";
}
def Graph_ComparePredicateAttr : Graph_EnumAttr<Graph_ComparePredicate, "predicate">;
def Graph_CombineKindAttr : Graph_EnumAttr<Graph_CombineKind, "kind">;
def Graph_RandomKindAttr : Graph_EnumAttr<Graph_RandomKind, "random_kind">;
def Graph_GeluKindAttr : Graph_EnumAttr<Graph_GeluKind, "gelu_kind">;

#endif // TW_DIALECT_GRAPH_GRAPHATTRS_TD
