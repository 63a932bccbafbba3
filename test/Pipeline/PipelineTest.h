// A context with all dialects, and the messages of what runs in it.
#pragma once

#include "tw/Pipeline/Compiler.h"
#include "tw/Pipeline/Registration.h"

#include "mlir/IR/Diagnostics.h"

#include "gtest/gtest.h"

namespace tw::test {

class PipelineTest : public testing::Test {
protected:
  PipelineTest() : handler(&context, [this](mlir::Diagnostic &d) { messages += d.str() + "\n"; }) {
    prepareContext(context);
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text) {
    return parseProgram(&context, text, "test");
  }
  static std::string print(mlir::Operation *op) {
    std::string text;
    llvm::raw_string_ostream(text) << *op;
    return text;
  }
  static CompileOptions makeOptions(llvm::StringRef target, bool explain = false) {
    CompileOptions options;
    options.target = target.str();
    options.explain = explain;
    return options;
  }
  bool says(llvm::StringRef text) const { return messages.find(text) != std::string::npos; }

  mlir::MLIRContext context;
  std::string messages;

private:
  mlir::ScopedDiagnosticHandler handler;
};

/// y = x + x of 4 x 8 elements.
inline constexpr llvm::StringLiteral sample = R"(
  func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = tgraph.add %x, %x : tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  })";

} // namespace tw::test
