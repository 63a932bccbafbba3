/* Builds softmax(x * w + b) op by op through the C API of the compiler, looks at it at a stage,
 * compiles it and writes the module.
 *
 * Usage: build-c MODULE.twm */
#include <tw-c/Compiler.h>

#include <stdio.h>

enum { F32 = 18 }; /* TWRT_F32 of twrt.h */

static void tell(void *user, const TwcDiagnostic *d) {
  (void)user;
  fprintf(stderr, "%s:%u: %s [%s]\n", d->file, d->line, d->message, d->code);
}

static const TwcSink sink = {tell, NULL};

/* Where this line is, for messages. */
#define HERE                                                                                       \
  &(const TwcPlace) { __FILE__, __LINE__, 1 }

static TwcArgument of(TwcValue value) {
  TwcArgument argument = {0};
  argument.kind = TWC_ARGUMENT_VALUE;
  argument.value = value;
  return argument;
}

static void progress(void *user, const char *stage, uint32_t done, uint32_t total) {
  (void)user;
  printf("%u/%u %s\n", done, total, stage);
}

static int afterError(const char *what) {
  fprintf(stderr, "build-c: %s\n", what);
  return 1;
}

int main(int argc, char **argv) {
  const TwcApi *api = twcGetApi(TWC_ABI);
  TwcContext *context = NULL;
  TwcModule *module = NULL;
  TwcFunction *f = NULL;
  if (argc != 2 || !api)
    return afterError("usage: build-c MODULE.twm");
  if (api->contextCreate(NULL, &context) != TWC_OK ||
      api->moduleCreate(context, NULL, &module) != TWC_OK ||
      api->functionCreate(module, "main", &f) != TWC_OK)
    return afterError("no context");

  const int64_t xDims[] = {4, 8}, wDims[] = {8, 3}, bDims[] = {3};
  const TwcType xType = {F32, 2, xDims, NULL}, wType = {F32, 2, wDims, NULL};
  float bias[] = {0.5f, 0, -0.5f};
  const TwcTensor b = {F32, 1, bDims, bias};
  TwcValue x, w, constant, y;
  size_t one = 1;
  if (api->functionArgument(f, "x", &xType, HERE, sink, &x) != TWC_OK ||
      api->functionArgument(f, "w", &wType, HERE, sink, &w) != TWC_OK ||
      api->functionConstant(f, &b, HERE, sink, &constant) != TWC_OK)
    return afterError("no arguments");
  const TwcArgument product[] = {of(x), of(w)};
  if (api->functionCall(f, "matmul", product, 2, HERE, sink, &y, &one) != TWC_OK)
    return afterError("no product");
  const TwcArgument sum[] = {of(y), of(constant)};
  if (api->functionCall(f, "add", sum, 2, HERE, sink, &y, &one) != TWC_OK)
    return afterError("no sum");
  TwcArgument softmax[2] = {of(y)};
  softmax[1].name = "axis";
  softmax[1].kind = TWC_ARGUMENT_INTEGER;
  softmax[1].integer = -1;
  const char *names[] = {"y"};
  if (api->functionCall(f, "softmax", softmax, 2, HERE, sink, &y, &one) != TWC_OK ||
      api->functionReturn(f, &y, names, 1, HERE, sink) != TWC_OK)
    return afterError("no result");

  /* A copy at another stage, as text. */
  TwcModule *kernels = NULL;
  TwcBlob *text = NULL, *bytes = NULL;
  if (api->moduleClone(module, &kernels) != TWC_OK ||
      api->moduleRunTo(kernels, "kernel", NULL, sink) != TWC_OK ||
      api->modulePrint(kernels, 0, &text) != TWC_OK)
    return afterError("no kernels");
  printf("%.*s", (int)api->blobBytes(text).size, (const char *)api->blobBytes(text).data);
  api->blobRelease(text);
  api->moduleRelease(kernels);

  TwcCompileOptions options = {0};
  options.size = sizeof options;
  options.progress = progress;
  if (api->moduleCompile(module, &options, sink, &bytes, NULL) != TWC_OK)
    return afterError("not compiled");
  TwcBytes all = api->blobBytes(bytes);
  FILE *file = fopen(argv[1], "wb");
  int written = file && fwrite(all.data, 1, all.size, file) == all.size;
  if (!file || fclose(file) != 0 || !written)
    return afterError("cannot write the module");
  api->blobRelease(bytes);
  api->moduleRelease(module);
  api->contextRelease(context);
  return 0;
}
