// What tests of the C API share: a context, and the diagnostics of the last call.
#pragma once

#include "tw-c/Compiler.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tw::test {

class CApiTest : public testing::Test {
protected:
  static const TwcApi &api() { return *twcGetApi(TWC_ABI); }
  void SetUp() override { ASSERT_EQ(api().contextCreate(nullptr, &context), TWC_OK); }
  void TearDown() override { api().contextRelease(context); }

  TwcSink sink() {
    messages.clear();
    return {[](void *user, const TwcDiagnostic *diagnostic) {
              std::string place = diagnostic->line ? std::string(diagnostic->file) + ":" +
                                                         std::to_string(diagnostic->line) + ":" +
                                                         std::to_string(diagnostic->column) + ": "
                                                   : "";
              static_cast<CApiTest *>(user)->messages +=
                  place + diagnostic->message + " [" + diagnostic->code + "]\n";
            },
            this};
  }
  /// Takes the blob.
  static std::string take(TwcBlob *blob) {
    TwcBytes bytes = api().blobBytes(blob);
    std::string text(static_cast<const char *>(bytes.data), bytes.size);
    api().blobRelease(blob);
    return text;
  }
  TwcModule *parse(const std::string &text) {
    TwcInput input = {};
    input.size = sizeof(input);
    input.bytes = {text.data(), text.size()};
    TwcModule *module = nullptr;
    EXPECT_EQ(api().moduleRead(context, &input, sink(), &module), TWC_OK) << messages;
    return module;
  }
  static std::string print(const TwcModule *module, uint32_t flags = 0) {
    TwcBlob *text = nullptr;
    EXPECT_EQ(api().modulePrint(module, flags, &text), TWC_OK);
    return take(text);
  }
  static bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
  }

  TwcContext *context = nullptr;
  std::string messages;
};

inline const std::string relu = "func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {\n"
                                "  %y = tgraph.relu %x : tensor<64xf32>\n"
                                "  return %y : tensor<64xf32>\n"
                                "}\n";

} // namespace tw::test
