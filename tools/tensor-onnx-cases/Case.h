// One case of ONNX's layout: model.onnx and test_data_set_N/{input,output}_M.pb.
#pragma once

#include "tw-c/Compiler.h"
#include "twrt/twrt.h"

#include "llvm/Support/JSON.h"

#include <string>

/// In place of a device: nothing is compiled, the models are interpreted.
inline constexpr const char *interpreterUri = "interpreter";

/// What a worker holds for all of its cases.
struct Tools {
  /// Of the device: "host", "opencl:0". What stands before the colon is the target too. Without
  /// instance, device and queue: interpreterUri.
  std::string uri;
  const TwcApi *compiler;
  TwcContext *context;
  TwrtInstance *instance;
  TwrtDevice *device;
  TwrtQueue *queue;
  double absolute = 1e-7; ///< difference of floats that is no error however small they are
};

/// Compiles the model for the device and runs every data set there; where that is the host, in the
/// interpreter too. The answer has `result`: "pass", "diagnostic" or "mismatch", and what
/// tools/dev/onnx-suite prints with it.
llvm::json::Object runCase(const Tools &tools, const std::string &folder);
