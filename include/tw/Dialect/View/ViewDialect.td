// The tview dialect: movement of tensor elements as algebra of index maps.
#ifndef TW_DIALECT_VIEW_VIEWDIALECT_TD
#define TW_DIALECT_VIEW_VIEWDIALECT_TD

include "mlir/IR/DialectBase.td"

def View_Dialect : Dialect {
  let name = "tview";
  let cppNamespace = "::tw::view";
  let summary = "index maps with guards: movement of elements without movement of memory";
  let description = [{
    Permute, reshape, expand, pad, slice, flip and their like only say from which source element a
    result element is read. Each is a `#tview.map`, and a chain of them is the composition of their
    maps, which is again one map. Nothing in this dialect moves memory except `tview.materialize`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{ void registerAttributes(); }];
}

#endif // TW_DIALECT_VIEW_VIEWDIALECT_TD
