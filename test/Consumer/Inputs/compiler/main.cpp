// Compiles a program in a context that knows the dialects it is written in and nothing else.
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Pipeline/Compiler.h"
#include "tw/Support/Version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cstdio>

int main() {
  mlir::MLIRContext context;
  context.loadDialect<mlir::func::FuncDialect, tw::graph::GraphDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  %y = tgraph.relu %x : tensor<4xf32>\n"
      "  return %y : tensor<4xf32>\n"
      "}",
      &context);
  tw::FileResolver files(".");
  if (!module || mlir::failed(tw::compile(*module, files, {})))
    return 1;
  std::printf("compiler %s\n", tw::version());
  return 0;
}
