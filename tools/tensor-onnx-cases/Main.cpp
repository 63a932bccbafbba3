// tensor-onnx-cases: a worker of tools/dev/onnx-suite.
//
// Reads the folder of a case per line of its input and answers each by one line of JSON. Cases run
// on the device that --device=URI names, by default the host.
#include "Case.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <iostream>
#include <string_view>

static int fail(const char *what, const char *why) {
  std::fprintf(stderr, "tensor-onnx-cases: %s: %s\n", what, why);
  return 1;
}

int main(int argc, char **argv) {
  constexpr std::string_view flag = "--device=";
  Tools tools = {};
  tools.uri = "host";
  if (argc > 2 || (argc == 2 && !std::string_view(argv[1]).starts_with(flag)))
    return fail("arguments", "expected at most --device=URI");
  if (argc == 2)
    tools.uri = argv[1] + flag.size();
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
  if (twrtInstanceCreate(&instance, TWRT_ABI, &tools.instance, &error) != TWRT_OK ||
      twrtInstanceOpenDevice(tools.instance, tools.uri.c_str(), &tools.device, &error) != TWRT_OK ||
      twrtQueueCreate(tools.device, &tools.queue, &error) != TWRT_OK)
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
