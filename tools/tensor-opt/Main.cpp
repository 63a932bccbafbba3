// tensor-opt: runs passes and pipelines on .mlir files.
#include "tw/Pipeline/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tw::registerDialects(registry);
  tw::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tensorwright optimiser\n", registry));
}
