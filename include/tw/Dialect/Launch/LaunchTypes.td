// Types of the tlaunch dialect.
#ifndef TW_LAUNCH_TYPES_TD
#define TW_LAUNCH_TYPES_TD

include "tw/Dialect/Launch/LaunchDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Launch_BufferType : TypeDef<Launch_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "memory that holds one tensor, row-major and dense";
  let description = [{
    `!tlaunch.buffer<tensor<4x8xf32>>`. i1 takes one byte per element.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
  let extraClassDeclaration = [{
    /// Bytes of the tensor in memory; what a call settles counts as its most.
    int64_t getBytes() const;
  }];
}

#endif
