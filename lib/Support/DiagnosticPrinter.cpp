// Prints diagnostics for programs without a source text to quote.
#include "tw/Support/Diagnostics.h"

#include "mlir/IR/Location.h"

using namespace mlir;

/// The place that a user can look up: the file, with line and column where it is a text (a named
/// location stands for a part of a binary file, which the message names).
static void printPlace(llvm::raw_ostream &os, Location loc) {
  bool isNamed = false;
  loc->walk([&](Location inner) {
    isNamed |= isa<NameLoc>(inner);
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    os << file.getFilename().getValue();
    if (!isNamed && file.getLine())
      os << ":" << file.getLine() << ":" << file.getColumn();
    os << ": ";
    return WalkResult::interrupt();
  });
}

static void print(llvm::raw_ostream &os, const Diagnostic &diagnostic) {
  static constexpr const char *severities[] = {"note", "warning", "error", "remark"};
  printPlace(os, diagnostic.getLocation());
  os << severities[static_cast<unsigned>(diagnostic.getSeverity())] << ": " << diagnostic << "\n";
  for (const Diagnostic &note : diagnostic.getNotes())
    print(os, note);
}

tw::DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context, llvm::raw_ostream &os)
    : handler(&context, [&os](Diagnostic &diagnostic) { print(os, diagnostic); }) {}
