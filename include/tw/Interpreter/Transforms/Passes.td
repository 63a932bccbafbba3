// Passes that evaluate programs with the interpreter.
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

def GraphFoldConstants : Pass<"graph-fold-constants"> {
  let summary = "evaluates small subgraphs of constants";
  let description = [{
    Asks the interpreter for every value that depends on constants only and is read by something that
    does not, and puts an inline constant in its place if it is small. Constants in files take part
    when `folder` is given and they are small, so the parameters of a batch normalisation become one
    factor and one offset; weights are never read. What only repeats a value (`tgraph.expand`,
    `tgraph.iota`, a splat) stays as it is: reading it repeatedly is cheaper than a bigger constant. Runs
    after `graph-decompose` and `canonicalize`, whose folders leave to it what is not exact.

    A constant along two dimensions that is what comparisons of their indices give becomes these: bools that are
    true on one side of a line, or between two, as causal masks and windows have them, and floats that are 0 there
    and minus infinity elsewhere and that something is added to. Schedules leave out what such a mask
    hides, NaN and infinities, too.

    ```mlir
    %a = tgraph.constant dense<[1.0, 4.0]> : tensor<2xf32>
    %r = tgraph.rsqrt %a : tensor<2xf32>
    ```
    becomes
    ```mlir
    %r = tgraph.constant dense<[1.000000e+00, 5.000000e-01]> : tensor<2xf32>
    ```
  }];
  let options = [
    Option<"folder", "folder", "std::string", "\"\"",
           "Folder beneath which #tgraph.file constants lie (the model's); none: they stay untouched">,
    Option<"named", "named", "std::string", "\"\"",
           "File of the folder that may be a link to elsewhere: the one that the user has named">,
    Option<"followLinks", "follow-links", "bool", "false",
           "Let other files be links to elsewhere, too">,
    Option<"maxResult", "max-result", "int64_t", "65536",
           "Largest constant to put into the program, in bytes">,
    Option<"maxOperand", "max-operand", "int64_t", "1048576",
           "Largest constant to read, and largest value on the way, in bytes">,
    Option<"maxMask", "max-mask", "int64_t", "16777216",
           "The same of what may be a mask">];
}

#endif // TW_INTERPRETER_TRANSFORMS_PASSES_TD
