// Dialects, passes and pipelines for MLIR's C API.
#include "tw-c/Dialects.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Dialect/View/View.h"
#include "tw/Pipeline/Compiler.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Pipeline/Stages.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Similar.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"

using namespace mlir;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TGraph, tgraph, tw::graph::GraphDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TView, tview, tw::view::ViewDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TKernel, tkernel, tw::kernel::KernelDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TLaunch, tlaunch, tw::launch::LaunchDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(TTile, ttile, tw::tile::TileDialect)

void mlirTensorwrightAppendDialects(MlirDialectRegistry registry) {
  tw::registerDialects(*unwrap(registry));
}

void mlirRegisterTensorwrightPasses(void) { tw::registerPasses(); }

MlirLogicalResult mlirTensorwrightAddPipeline(MlirContext context, MlirOpPassManager passes,
                                              MlirStringRef from, MlirStringRef to,
                                              MlirStringRef target) {
  Location location = UnknownLoc::get(unwrap(context));
  std::optional<unsigned> first = tw::findStage(unwrap(from)), last = tw::findStage(unwrap(to));
  if (!first || !last) {
    StringRef name = unwrap(first ? to : from);
    tw::emitError(location, tw::Code::T0506)
        << "no stage '" << name << "'" << tw::listKnown(name, tw::getStageNames());
    return wrap(failure());
  }
  tw::CompileOptions options;
  options.target = unwrap(target).str();
  return wrap(tw::buildPipeline(*unwrap(passes), options, *first, *last, location));
}

void mlirTensorwrightSuggestPass(MlirStringRef message, MlirStringCallback callback,
                                 void *userData) {
  if (std::string text = tw::suggestPass(unwrap(message)); !text.empty())
    callback(wrap(StringRef(text)), userData);
}

MlirType mlirTensorwrightTensorTypeGet(MlirStringRef sizes, MlirType elementType) {
  MLIRContext *context = unwrap(elementType).getContext();
  std::string text = "#tgraph.dims<" + unwrap(sizes).str() + ">";
  auto dims = dyn_cast_or_null<tw::graph::DimsAttr>(parseAttribute(text, context));
  return wrap(dims ? Type(tw::graph::getTensorType(dims.getShape(), unwrap(elementType))) : Type());
}
