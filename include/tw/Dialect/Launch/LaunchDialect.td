// The tlaunch dialect: the host program of a function.
#ifndef TW_LAUNCH_DIALECT_TD
#define TW_LAUNCH_DIALECT_TD

include "mlir/IR/OpBase.td"

def Launch_Dialect : Dialect {
  let name = "tlaunch";
  let cppNamespace = "::tw::launch";
  let summary = "The host program: buffers, constants, launches";
  let description = [{
    One `tlaunch.func` per function and target. Its commands run in order; every buffer is an argument,
    a result given by the caller, a constant of the module, one that the program's initializer derived
    from those, or reserved in the call's arena. Sides and loops (`tlaunch.if`, `tlaunch.repeat`,
    `tlaunch.while`) are decided while a call runs.
  }];
  let dependentDialects = ["::tw::view::ViewDialect"];
  let useDefaultTypePrinterParser = 1;
}

class Launch_Op<string mnemonic, list<Trait> traits = []> : Op<Launch_Dialect, mnemonic, traits>;

#endif
