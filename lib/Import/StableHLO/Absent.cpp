// In place of the importer, in builds without it.
#include "tw/Import/StableHLO/StableHLO.h"

#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;

static OwningOpRef<ModuleOp> refuse(MLIRContext &context) {
  emitError(UnknownLoc::get(&context), Code::T0106)
      << "this build has no importer of StableHLO: build with -DTW_FRONTENDS=ON";
  return {};
}

OwningOpRef<ModuleOp> stablehlo::importModel(MLIRContext &context, StringRef,
                                             const onnx::ImportOptions &) {
  return refuse(context);
}

OwningOpRef<ModuleOp> stablehlo::importText(MLIRContext &context, StringRef, StringRef,
                                            const onnx::ImportOptions &) {
  return refuse(context);
}

void stablehlo::printOps(raw_ostream &) {}
