// The dialect of a small compiler: sums of money by weight, which become tensor programs, and printing, which stays its
// own.
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ledger_Dialect : Dialect {
  let name = "ledger";
  let cppNamespace = "::ledger";
}

class Ledger_Op<string mnemonic, list<Trait> traits = []> : Op<Ledger_Dialect, mnemonic, traits>;

// Rows of amounts, each weighted and summed, and none below zero.
def Ledger_WeightedSumOp : Ledger_Op<"weighted_sum", [Pure]> {
  let arguments = (ins RankedTensorOf<[F32]>:$amounts, RankedTensorOf<[F32]>:$weights);
  let results = (outs RankedTensorOf<[F32]>:$sums);
  let assemblyFormat = "$amounts `by` $weights attr-dict `:` type($amounts) `,` type($weights) `->` type($sums)";
}

// Not a tensor program: the compiler's own business.
def Ledger_PrintOp : Ledger_Op<"print"> {
  let arguments = (ins StrAttr:$title, AnyRankedTensor:$values);
  let assemblyFormat = "$title $values attr-dict `:` type($values)";
}
