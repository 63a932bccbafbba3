// Passes of the interpreter.
//===---------------------------------------------------------------------------------------===//
#ifndef TW_INTERPRETER_TRANSFORMS_PASSES_TD
#define TW_INTERPRETER_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def InterpretPass : Pass<"interpret", "::mlir::ModuleOp"> {
  let summary = "runs a program of any stage on random inputs and prints its results";
  let description = [{
    Prints one line per result: its number, type and values, or the first values and a sum over all of
    them, each weighted by its place, where there are many. The same program prints the same at every
    stage, up to rounding; with `integers=true` sums are exact and so are the lines. The module is left
    as it is.

    The program is the function `entry` (or the only one) of func, tlaunch or ttile.

    ```
    $ tensor-opt add.mlir --interpret="seed=1 integers=true" -o /dev/null
    result 0 : tensor<4xf32> = 3 -2 0 7
    ```
  }];
  let options = [
    Option<"seed", "seed", "uint64_t", "1", "seed of the random inputs">,
    Option<"integers", "integers", "bool", "false", "give float inputs integer values from -4 to 4">,
    Option<"checkRaces", "check-races", "bool", "false",
           "report accesses of different threads of a tile program that no barrier orders">,
    Option<"digits", "digits", "unsigned", "4", "significant digits of a float">,
    Option<"elements", "elements", "unsigned", "64", "print all values of a result up to this many">,
    Option<"entry", "entry", "std::string", "\"main\"", "name of the function to run">,
    Option<"files", "files", "std::string", "\"\"", "folder of the files of #tgraph.file constants">
  ];
}

#endif // TW_INTERPRETER_TRANSFORMS_PASSES_TD
