// Branches and loops: ops whose regions are computed where data say so, or again and again.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_DIALECT_GRAPH_CONTROLOPS_TD
#define TW_DIALECT_GRAPH_CONTROLOPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "tw/Dialect/Graph/GraphBase.td"

// Regions are of one block, which sees the values around it and ends in tgraph.yield.
class Graph_RegionOp<string mnemonic, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, !listconcat([SingleBlock, RecursiveMemoryEffects, RecursivelySpeculatable,
        DeclareOpInterfaceMethods<RegionBranchOpInterface>], traits)> {
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

class Graph_LoopOp<string mnemonic, list<Trait> traits = []>
    : Graph_RegionOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<RegionBranchOpInterface, ["getEntrySuccessorOperands"]>,
        DeclareOpInterfaceMethods<LoopLikeOpInterface,
          ["getInitsMutable", "getRegionIterArgs", "getYieldedValuesMutable", "getLoopResults"]>], traits)> {
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

def Graph_YieldOp : Op<Graph_Dialect, "yield", [Pure, Terminator,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>,
    ParentOneOf<["::tw::graph::IfOp", "::tw::graph::ForOp", "::tw::graph::WhileOp", "::tw::graph::AssociativeScanOp"]>]> {
  let summary = "the values of a region";
  let description = [{
    Ends a region: the results of a side, what is combined, or what a loop carries to its next iteration,
    and after that what it stacks.

    ```mlir
    %r = tgraph.if %c -> tensor<4xf32> {
      tgraph.yield %x : tensor<4xf32>
    } else {
      tgraph.yield %y : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Graph_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Graph_IfOp : Graph_RegionOp<"if"> {
  let summary = "the values of one of two sides";
  let description = [{
    The results are what the first side yields where the condition holds, else what the second one
    yields. The other side is not computed.

    ```mlir
    %r = tgraph.if %c -> tensor<4xf32> {
      %0 = tgraph.exp %x : tensor<4xf32>
      tgraph.yield %0 : tensor<4xf32>
    } else {
      tgraph.yield %x : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Graph_Predicate:$condition);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, SizedRegion<1>:$elseRegion);
  let assemblyFormat = [{
    $condition (`->` type($results)^)? $thenRegion `else` $elseRegion attr-dict
  }];
}

def Graph_ForOp : Graph_LoopOp<"for", [AttrSizedOperandSegments]> {
  let summary = "a number of iterations, with slices in and out";
  let description = [{
    Runs its region a number of times. That number is known, or a size of the call, or the value of a
    tensor, which counts as 0 below 0; it may not be above `limit` then, or the call fails.

    A value that is `carried` begins as its initial value and is in each iteration what the one before
    yielded for it; the first results are what the last iteration yielded for each, or the initial values
    of a loop that does not run. `slices` are of tensors whose first dimension is the number of iterations:
    iteration i sees slice i. What the region yields beyond carried values is stacked along a new first
    dimension: slice i of such a result is from iteration i. With `reverse` slices go from the last one to
    the first one, of what is read and of what is stacked. If the number is the value of a tensor there are
    neither.

    ```mlir
    %h, %ys = tgraph.for 10 carried(%s = %h0 : tensor<4xf32>) slices(%x = %xs : tensor<10x4xf32>) -> tensor<4xf32>, tensor<10x4xf32> {
      %0 = tgraph.add %s, %x : tensor<4xf32>
      %1 = tgraph.exp %0 : tensor<4xf32>
      tgraph.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
    }
    %g = tgraph.for %n : tensor<i64> limit 4096 carried(%s = %h0 : tensor<4xf32>) -> tensor<4xf32> {
      %2 = tgraph.add %s, %s : tensor<4xf32>
      tgraph.yield %2 : tensor<4xf32>
    }
    ```

    The number of an iteration is a slice of `tgraph.iota`, or a carried value.
  }];
  let arguments = (ins OptionalAttr<Graph_DimsAttr>:$count, OptionalAttr<I64Attr>:$limit, UnitAttr:$reverse,
                       Optional<Graph_Amount>:$amount, Variadic<Graph_Tensor>:$inits,
                       Variadic<Graph_Tensor>:$slices);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let builders = [
    OpBuilder<(ins "const ::tw::Dim &":$count, "::mlir::ValueRange":$inits, "::mlir::ValueRange":$slices,
                   "::mlir::TypeRange":$stacked, CArg<"bool", "false">:$reverse)>,
    OpBuilder<(ins "::mlir::Value":$amount, "int64_t":$limit, "::mlir::ValueRange":$inits)>];
  let extraClassDeclaration = [{
    /// The number of iterations where it is no tensor's value.
    std::optional<::tw::Dim> getIterations();
    /// The same where it is known.
    std::optional<int64_t> getKnownIterations();
    unsigned getNumCarried() { return getInits().size(); }
    ::mlir::Block::BlockArgListType getSliceArguments() {
      return getBody().getArguments().drop_front(getNumCarried());
    }
    ::mlir::Operation::result_range getStacked() {
      return (*this)->getResults().drop_front(getNumCarried());
    }
    ::tw::graph::YieldOp getYield();
  }];
}

def Graph_WhileOp : Graph_LoopOp<"while"> {
  let summary = "iterations as long as a carried predicate holds";
  let description = [{
    Carries values as `tgraph.for` does. The first one, a `tensor<i1>`, says before each iteration whether it
    is to run; it is the region's own to compute the next one. If more than `limit` iterations are to
    run the call fails.

    ```mlir
    %c, %r = tgraph.while (%more = %c0 : tensor<i1>, %x = %x0 : tensor<f32>) limit 4096 {
      %0 = tgraph.mul %x, %half : tensor<f32>
      %1 = tgraph.compare gt, %0, %end : tensor<f32>
      tgraph.yield %1, %0 : tensor<i1>, tensor<f32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$limit, Variadic<Graph_Tensor>:$inits);
  let results = (outs Variadic<Graph_Tensor>:$results);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inits, "int64_t":$limit)>];
  let extraClassDeclaration = [{
    ::tw::graph::YieldOp getYield();
  }];
}

#endif // TW_DIALECT_GRAPH_CONTROLOPS_TD
