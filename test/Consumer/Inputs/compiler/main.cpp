// Registers every dialect and pass of the installed compiler and parses a module with them.
#include "tw/Pipeline/Registration.h"
#include "tw/Support/Version.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cstdio>

int main() {
  mlir::DialectRegistry registry;
  tw::registerDialects(registry);
  tw::registerPasses();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>("func.func private @main()", &context);
  if (!module)
    return 1;
  std::printf("compiler %s\n", tw::version());
  return 0;
}
