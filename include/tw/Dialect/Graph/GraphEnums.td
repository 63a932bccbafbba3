// Enumerations of the tgraph dialect.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_GRAPHENUMS_TD
#define TW_DIALECT_GRAPH_GRAPHENUMS_TD

include "mlir/IR/EnumAttr.td"

class Graph_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tw::graph";
  let genSpecializedAttr = 0;
}

def Graph_ComparePredicate : Graph_Enum<"ComparePredicate", "predicate of a comparison", [
  I32EnumAttrCase<"Eq", 0, "eq">, I32EnumAttrCase<"Ne", 1, "ne">, I32EnumAttrCase<"Lt", 2, "lt">,
  I32EnumAttrCase<"Le", 3, "le">, I32EnumAttrCase<"Gt", 4, "gt">, I32EnumAttrCase<"Ge", 5, "ge">]>;

def Graph_CombineKind : Graph_Enum<"CombineKind", "how elements are combined", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Mul", 1, "mul">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"All", 4, "all">, I32EnumAttrCase<"Any", 5, "any">]>;

def Graph_GeluKind : Graph_Enum<"GeluKind", "formula of gelu", [
  I32EnumAttrCase<"Erf", 0, "erf">, I32EnumAttrCase<"Tanh", 1, "tanh">]>;

def Graph_RandomKind : Graph_Enum<"RandomKind", "distribution of random numbers", [
  I32EnumAttrCase<"Bits", 0, "bits">, I32EnumAttrCase<"Uniform", 1, "uniform">,
  I32EnumAttrCase<"Normal", 2, "normal">]>;

#endif // TW_DIALECT_GRAPH_GRAPHENUMS_TD
