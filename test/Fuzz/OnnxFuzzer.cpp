// libFuzzer's entry for the reader of ONNX's protobuf messages: any bytes are read, or refused with
// the offset where they are malformed.
//
//   build/dev/test/Fuzz/fuzz-onnx CORPUS...         see tools/dev/fuzz
#include "tw/Import/ONNX/Model.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(const std::optional<tw::onnx::ReadError> &error, size_t size) {
  if (!error || (error->offset <= size && !error->message.empty()))
    return;
  fprintf(stderr, "fuzz-onnx: an error at byte %zu of %zu, '%s'\n", size_t(error->offset), size,
          error->message.c_str());
  abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The bytes end where the allocation ends: reading beyond them is seen.
  std::vector<char> bytes(data, data + size);
  llvm::StringRef text(bytes.data(), bytes.size());
  tw::onnx::Model model;
  check(tw::onnx::readModel(text, model), size);
  tw::onnx::Tensor tensor;
  check(tw::onnx::readTensor(text, tensor), size);
  return 0;
}
