// Error codes and the diagnostics that carry them.
//
// A coded diagnostic is an MLIR diagnostic whose message ends in its code:
//   return emitError(loc, Code::T0104) << "expected 2 inputs, found " << n;
//   // error: expected 2 inputs, found 3 [T0104]
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace tw {

/// The codes of ErrorCodes.def.
enum class Code : uint16_t {
#define TW_ERROR(code, name, text) code,
#include "tw/Support/ErrorCodes.def"
};

/// What is known of a code: "T0104", its short name, and the explanation for the user.
struct CodeInfo {
  Code code;
  llvm::StringLiteral id;
  llvm::StringLiteral name;
  llvm::StringLiteral text;
};

/// All codes, sorted.
llvm::ArrayRef<CodeInfo> allCodes();
const CodeInfo &codeInfo(Code code);

/// Finds a code by id ("T0104", case does not matter) or name ("onnx-operand-count").
std::optional<Code> findCode(llvm::StringRef idOrName);

/// "message [T0104]", for errors that are no MLIR diagnostics.
std::string withCode(const llvm::Twine &message, Code code);

/// The code that such a message or the text of a diagnostic ends with, which is cut off.
std::optional<Code> takeCode(llvm::StringRef &message);

/// A diagnostic in flight that appends its code when it is reported, which is when it dies. Use it
/// like mlir::InFlightDiagnostic: stream into it, attach notes, return it as a failure.
class CodedDiagnostic {
public:
  CodedDiagnostic(mlir::InFlightDiagnostic &&diagnostic, Code code)
      : diagnostic(std::move(diagnostic)), code(code) {}
  CodedDiagnostic(CodedDiagnostic &&other)
      : diagnostic(std::move(other.diagnostic)), code(other.code) {
    other.active = false;
  }
  CodedDiagnostic(const CodedDiagnostic &) = delete;
  CodedDiagnostic &operator=(const CodedDiagnostic &) = delete;
  ~CodedDiagnostic() {
    if (active)
      diagnostic << " [" << codeInfo(code).id << "]";
  }

  template <typename T> CodedDiagnostic &operator<<(T &&value) & {
    diagnostic << std::forward<T>(value);
    return *this;
  }
  template <typename T> CodedDiagnostic &&operator<<(T &&value) && {
    diagnostic << std::forward<T>(value);
    return std::move(*this);
  }

  /// Reports nothing.
  void abandon() { diagnostic.abandon(); }

  mlir::Diagnostic &attachNote(std::optional<mlir::Location> location = std::nullopt) {
    return diagnostic.attachNote(location);
  }

  operator llvm::LogicalResult() const { return llvm::failure(); }
  operator mlir::ParseResult() const { return llvm::failure(); }
  template <typename T> operator llvm::FailureOr<T>() const { return llvm::failure(); }

private:
  mlir::InFlightDiagnostic diagnostic;
  Code code;
  bool active = true;
};

/// An error at `location` whose message will end in ` [code]`.
inline CodedDiagnostic emitError(mlir::Location location, Code code) {
  return CodedDiagnostic(mlir::emitError(location), code);
}

/// An error at `op` that begins with the op's name, as mlir::Operation::emitOpError.
inline CodedDiagnostic emitOpError(mlir::Operation *op, Code code) {
  return CodedDiagnostic(op->emitOpError(), code);
}

/// Gives the errors of a context that have no code this one, and leaves the op in generic form out
/// of them, for as long as it lives: what upstream and verifiers say of ops that the user did not
/// write. No two of one context at a time in several threads.
class CodeForOthers {
public:
  CodeForOthers(mlir::MLIRContext &context, Code code);
  ~CodeForOthers();
  CodeForOthers(const CodeForOthers &) = delete;
  CodeForOthers &operator=(const CodeForOthers &) = delete;

private:
  mlir::MLIRContext &context;
  bool printedOps;
  mlir::ScopedDiagnosticHandler handler;
};

/// Prints every diagnostic of a context as `where: error: message`, with the line of the text that
/// it is about where that can be read, notes below it, for as long as it lives; on a terminal in
/// colour. From then on the context adds no generic IR to errors.
class DiagnosticPrinter {
public:
  DiagnosticPrinter(mlir::MLIRContext &context, llvm::raw_ostream &os);

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tw
