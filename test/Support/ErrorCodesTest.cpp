// The table of error codes is sorted and complete, and coded diagnostics end in their code.
#include "tw/Support/Diagnostics.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace tw;

TEST(ErrorCodes, SortedUniqueAndExplained) {
  llvm::StringRef last;
  for (const CodeInfo &info : allCodes()) {
    EXPECT_LT(last, info.id);
    EXPECT_EQ(info.id.size(), 5u);
    EXPECT_FALSE(info.name.empty());
    EXPECT_TRUE(info.text.ends_with(".")) << info.id.str();
    EXPECT_EQ(findCode(info.id), info.code);
    EXPECT_EQ(findCode(info.name), info.code);
    last = info.id;
  }
  EXPECT_EQ(findCode("T9999"), std::nullopt);
}

TEST(ErrorCodes, DiagnosticEndsInItsCode) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::string text;
  unsigned notes = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    text += diagnostic.str() + "\n";
    for ([[maybe_unused]] mlir::Diagnostic &note : diagnostic.getNotes())
      ++notes;
  });
  auto fail = [&]() -> llvm::LogicalResult {
    return emitError(mlir::UnknownLoc::get(&context), Code::T0104)
           << "expected 2 inputs, found " << 3;
  };
  EXPECT_TRUE(llvm::failed(fail()));
  {
    CodedDiagnostic first = emitError(mlir::UnknownLoc::get(&context), Code::T0106);
    CodedDiagnostic moved = std::move(first);
    moved << "moved";
    moved.attachNote() << "a note";
  }
  EXPECT_EQ(text, "expected 2 inputs, found 3 [T0104]\nmoved [T0106]\n");
  EXPECT_EQ(notes, 1u);
  EXPECT_EQ(withCode("no such file", Code::T0102), "no such file [T0102]");
}
