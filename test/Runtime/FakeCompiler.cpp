// A stand-in for libtensorwright behind its C API, so that tensor-run is tested without LLVM. A
// model is a text file: "affine" compiles to the sample module y = 3 * (x + w), "fail" to two
// diagnostics, "silent" to none, "slow" takes over a second; after "wrong" on the line the
// interpreter disagrees.
#include "SampleModules.h"
#include "tw-c/Compiler.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

struct TwcContext {
  int unused = 0;
};
struct TwcBlob {
  std::vector<uint8_t> bytes;
};

static std::string readModel(const TwcInput *input) {
  std::ifstream file(input->path);
  std::string line;
  std::getline(file, line);
  return line;
}

static TwcCode contextCreate(const TwcOptions *, TwcContext **context) {
  *context = new TwcContext;
  return TWC_OK;
}

static void contextRelease(TwcContext *context) { delete context; }

static TwcCode compile(TwcContext *, const TwcInput *input, const TwcCompileOptions *options,
                       TwcSink sink, TwcBlob **module) {
  std::string model = readModel(input);
  if (model.rfind("slow", 0) == 0) {
    options->progress(options->progressUser, "view", 1, 6);
    std::this_thread::sleep_for(std::chrono::milliseconds(1600));
  }
  if (model.rfind("fail", 0) == 0) {
    TwcDiagnostic diagnostic = {};
    diagnostic.size = sizeof(diagnostic);
    diagnostic.severity = TWC_ERROR;
    diagnostic.code = "T0106";
    diagnostic.file = "m.onnx";
    diagnostic.line = 7;
    diagnostic.column = 1;
    diagnostic.node = "Node_3";
    diagnostic.message = "operator 'Foo' is not supported";
    diagnostic.remedy = "";
    sink.handler(sink.user, &diagnostic);
    diagnostic.severity = TWC_NOTE;
    diagnostic.message = "the nearest form is Bar";
    diagnostic.code = "";
    sink.handler(sink.user, &diagnostic);
    return TWC_UNSUPPORTED;
  }
  if (model.rfind("silent", 0) == 0)
    return TWC_FAILED;
  *module = new TwcBlob{tw::test::makeAffineModule()};
  return TWC_OK;
}

static TwcBytes blobBytes(const TwcBlob *blob) { return {blob->bytes.data(), blob->bytes.size()}; }
static void blobRelease(TwcBlob *blob) { delete blob; }
static TwcCode listTargets(TwcContext *, TwcBlob **) { return TWC_UNSUPPORTED; }
static const char *explain(const char *) { return nullptr; }
static const char *version() { return "0.0.0"; }

static TwcCode interpret(TwcContext *, const TwcInput *input, const TwcTensor *arguments,
                         size_t argumentCount, TwcTensor *results, size_t resultCount, TwcSink) {
  if (argumentCount != 1 || resultCount != 1)
    return TWC_INVALID_ARGUMENT;
  const float *x = static_cast<const float *>(arguments[0].data);
  float *y = static_cast<float *>(results[0].data);
  for (int i = 0; i < 64; ++i)
    y[i] = 3 * (x[i] + float(i % 16));
  if (readModel(input).find("wrong") != std::string::npos)
    y[5] += 100;
  return TWC_OK;
}

static TwcCode checkKernel(TwcContext *, const TwcKernelRun *run, TwcSink, TwcKernelCheck *check) {
  bool isAdd = std::string(run->source.data, run->source.size).find("@add") != std::string::npos;
  const TwcTensor *bindings = run->bindings;
  size_t inputCount = run->inputCount;
  if (run->bindingCount != inputCount + 1 || inputCount != (isAdd ? 2u : 1u))
    return TWC_INVALID_ARGUMENT;
  const float *x = static_cast<const float *>(bindings[0].data);
  const float *found = static_cast<const float *>(bindings[inputCount].data);
  float factor = getenv("FAKE_WRONG_KERNEL") ? 4 : 3;
  for (uint32_t i = 0; i < 64; ++i) {
    double expected =
        isAdd ? x[i] + static_cast<const float *>(bindings[1].data)[i % 16] : factor * x[i];
    check->maxReference = std::fmax(check->maxReference, std::fabs(expected));
    double error = std::fabs(found[i] - expected);
    if (error > check->maxError) {
      check->maxError = error;
      check->worstElement = i;
      check->expected = expected;
      check->found = found[i];
    }
  }
  return TWC_OK;
}

const TwcApi *twcGetApi(uint32_t abi) {
  static const TwcApi api = [] {
    TwcApi api = {};
    api.size = sizeof(TwcApi);
    api.abi = TWC_ABI;
    api.contextCreate = contextCreate;
    api.contextRelease = contextRelease;
    api.compile = compile;
    api.blobBytes = blobBytes;
    api.blobRelease = blobRelease;
    api.listTargets = listTargets;
    api.explain = explain;
    api.version = version;
    api.interpret = interpret;
    api.checkKernel = checkKernel;
    return api;
  }();
  return abi == TWC_ABI ? &api : nullptr;
}
