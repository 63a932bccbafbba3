/* Our dialects, passes and pipelines through MLIR's own C API. */
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/Diagnostics.h>
#include <tw-c/Dialects.h>

#include <stdio.h>

static void print(MlirStringRef text, void *user) {
  (void)user;
  fwrite(text.data, 1, text.length, stdout);
}

static MlirLogicalResult tell(MlirDiagnostic diagnostic, void *user) {
  mlirDiagnosticPrint(diagnostic, print, user);
  printf("\n");
  return mlirLogicalResultSuccess();
}

static MlirStringRef text(const char *words) { return mlirStringRefCreateFromCString(words); }

int main(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirTensorwrightAppendDialects(registry);
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__tgraph__(), registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirContextAttachDiagnosticHandler(context, tell, NULL, NULL);
  MlirDialect graph = mlirDialectHandleLoadDialect(mlirGetDialectHandle__tgraph__(), context);
  mlirContextLoadAllAvailableDialects(context);
  MlirStringRef name = mlirDialectGetNamespace(graph);
  printf("dialect %.*s\n", (int)name.length, name.data);
  mlirTypePrint(mlirTensorwrightTensorTypeGet(text("[S + 1, 4]"), mlirF32TypeGet(context)), print,
                NULL);
  printf("\n");

  MlirModule module =
      mlirModuleCreateParse(context, text("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                                          "  %0 = tgraph.relu %x : tensor<4xf32>\n"
                                          "  return %0 : tensor<4xf32>\n"
                                          "}"));
  if (mlirModuleIsNull(module))
    return 1;
  mlirRegisterTensorwrightPasses();
  MlirPassManager passes = mlirPassManagerCreate(context);
  MlirOpPassManager top = mlirPassManagerGetAsOpPassManager(passes);
  if (mlirLogicalResultIsSuccess(mlirTensorwrightAddPipeline(context, top, text("graph"),
                                                             text("kernels"), text("host"))) ||
      mlirLogicalResultIsFailure(mlirTensorwrightAddPipeline(
          context, top, text("graph"), text("kernel"), text("host:x86-64-v3"))) ||
      mlirLogicalResultIsFailure(mlirPassManagerRunOnOp(passes, mlirModuleGetOperation(module))))
    return 1;
  mlirOperationPrint(mlirModuleGetOperation(module), print, NULL);
  mlirPassManagerDestroy(passes);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  mlirDialectRegistryDestroy(registry);
  return 0;
}
