// tensor-onnx-cases: a worker of tools/dev/onnx-suite.
//
// Reads the folder of a case per line of its input and answers each by one line of JSON. Cases run
// on the device that --device=URI names, by default the host (with --device=interpreter on none);
// --absolute=E is the difference of floats near zero that is no error, by default that of ONNX's
// backend tests.
#include "Case.h"

#include "tw/Support/Tool.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <iostream>

static int fail(const char *what, const char *why) {
  std::fprintf(stderr, "tensor-onnx-cases: %s: %s\n", what, why);
  return 1;
}

int main(int argc, char **argv) {
  if (tw::answerVersion("tensor-onnx-cases", argc, argv))
    return 0;
  Tools tools = {};
  tools.uri = "host";
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef option = argv[i];
    if (option.consume_front("--device="))
      tools.uri = option.str();
    else if (!option.consume_front("--absolute=") || option.getAsDouble(tools.absolute))
      return fail(argv[i], "expected --device=URI or --absolute=E");
  }
  tools.compiler = twcGetApi(TWC_ABI);
  if (!tools.compiler)
    return fail("compiler", "another version of the interface");
  TwcOptions options = {};
  options.size = sizeof options;
  options.threads = 1;
  if (tools.compiler->contextCreate(&options, &tools.context) != TWC_OK)
    return fail("compiler", "no context");
  TwrtError error = {};
  error.size = sizeof error;
  TwrtInstanceOptions instance = {};
  instance.size = sizeof instance;
  instance.hostThreads = 1;
  if (tools.uri != interpreterUri &&
      (twrtInstanceCreate(&instance, TWRT_ABI, &tools.instance, &error) != TWRT_OK ||
       twrtInstanceOpenDevice(tools.instance, tools.uri.c_str(), &tools.device, &error) !=
           TWRT_OK ||
       twrtQueueCreate(tools.device, &tools.queue, &error) != TWRT_OK))
    return fail(tools.uri.c_str(), error.message);
  std::string folder;
  while (std::getline(std::cin, folder)) {
    llvm::outs() << llvm::json::Value(runCase(tools, folder)) << "\n";
    llvm::outs().flush();
  }
  twrtQueueRelease(tools.queue);
  twrtDeviceRelease(tools.device);
  twrtInstanceRelease(tools.instance);
  tools.compiler->contextRelease(tools.context);
  return 0;
}
