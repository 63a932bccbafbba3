/* What MLIR's own C API expects of dialects, passes and pipelines, for bindings and compilers that
 * are written against mlir-c: libTensorwrightC, which holds the functions of mlir-c/IR.h, Pass.h
 * and their neighbours too, since libMLIR.so has none. Contexts, modules and pass managers are
 * mlir-c's. */
#ifndef TW_C_DIALECTS_H
#define TW_C_DIALECTS_H

#include <mlir-c/IR.h>
#include <mlir-c/Pass.h>

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TGraph, tgraph);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TView, tview);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TKernel, tkernel);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TLaunch, tlaunch);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(TTile, ttile);

/* All five, and the upstream dialects that stages use. */
MLIR_CAPI_EXPORTED void mlirTensorwrightAppendDialects(MlirDialectRegistry registry);

/* Our passes and pipelines, and the upstream passes that stages use, in the registry of the
 * process. Safe to call more than once. */
MLIR_CAPI_EXPORTED void mlirRegisterTensorwrightPasses(void);

/* Adds the stages from `from` up to and including `to` ("graph" ... "tile", "code") to a pass
 * manager of builtin.module, for a target such as "host:x86-64-v3". What is wrong is a diagnostic
 * of the context. */
MLIR_CAPI_EXPORTED MlirLogicalResult mlirTensorwrightAddPipeline(MlirContext context,
                                                                 MlirOpPassManager passes,
                                                                 MlirStringRef from,
                                                                 MlirStringRef to,
                                                                 MlirStringRef target);

/* What an error of the text of a pipeline, as mlirOpPassManagerAddPipeline says it, may have meant:
 * "; did you mean 'graph-to-view'?". The callback is not called where nothing is similar. */
MLIR_CAPI_EXPORTED void mlirTensorwrightSuggestPass(MlirStringRef message,
                                                    MlirStringCallback callback, void *userData);

/* The type of a tensor with dimensions that a call settles: `sizes` is a #tgraph.dims attribute as
 * text, "[S, 4]", and dimensions with symbols are dynamic. Null for a text that is none. */
MLIR_CAPI_EXPORTED MlirType mlirTensorwrightTensorTypeGet(MlirStringRef sizes,
                                                          MlirType elementType);

#ifdef __cplusplus
}
#endif
#endif /* TW_C_DIALECTS_H */
