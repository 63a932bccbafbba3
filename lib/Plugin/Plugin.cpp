// What the stock mlir-opt loads: dialects by --load-dialect-plugin, passes by --load-pass-plugin.
#include "tw/Pipeline/Registration.h"
#include "tw/Support/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#define TW_PLUGIN extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default")))

TW_PLUGIN mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tensorwright", tw::version(),
          [](mlir::DialectRegistry *registry) { tw::registerDialects(*registry); }};
}

TW_PLUGIN mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tensorwright", tw::version(), [] { tw::registerPasses(); }};
}
