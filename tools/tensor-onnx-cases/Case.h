// One case of ONNX's layout: model.onnx and test_data_set_N/{input,output}_M.pb.
#pragma once

#include "tw-c/Compiler.h"
#include "twrt/twrt.h"

#include "llvm/Support/JSON.h"

#include <string>

/// What a worker holds for all of its cases.
struct Tools {
  const TwcApi *compiler;
  TwcContext *context;
  TwrtInstance *instance;
  TwrtDevice *device;
  TwrtQueue *queue;
};

/// Compiles the model for the host and runs every data set, there and in the interpreter. The
/// answer has `result`: "pass", "diagnostic" or "mismatch", and what tools/dev/onnx-suite prints
/// with it.
llvm::json::Object runCase(const Tools &tools, const std::string &folder);
