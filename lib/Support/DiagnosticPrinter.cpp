// Prints diagnostics with the lines that they are about.
#include "tw/Support/Diagnostics.h"

#include "tw/Support/Place.h"
#include "tw/Support/Suggest.h"
#include "tw/Support/Tool.h"

#include "llvm/Support/WithColor.h"

using namespace mlir;
using llvm::WithColor;

/// Notes at the place of what they belong to do not quote it again.
static void print(llvm::raw_ostream &os, const Diagnostic &diagnostic, std::string &quoted) {
  tw::Place place = tw::getPlace(diagnostic.getLocation());
  if (!place.file.empty()) {
    os << place.file;
    if (place.node.empty() && place.line)
      os << ":" << place.line << ":" << place.column;
    os << ": ";
  }
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    WithColor::error(os);
    break;
  case DiagnosticSeverity::Warning:
    WithColor::warning(os);
    break;
  case DiagnosticSeverity::Note:
    WithColor::note(os);
    break;
  case DiagnosticSeverity::Remark:
    WithColor::remark(os);
    break;
  }
  os << diagnostic << "\n";
  if (std::string text = tw::quoteFile(place); text != quoted) {
    os << text;
    quoted = text;
  }
  for (const Diagnostic &note : diagnostic.getNotes())
    print(os, note, quoted);
}

tw::DiagnosticPrinter::DiagnosticPrinter(MLIRContext &context, llvm::raw_ostream &os)
    : handler(&context, [&os](Diagnostic &diagnostic) {
        suggest(diagnostic);
        std::string quoted;
        print(os, diagnostic, quoted);
        record(diagnostic);
      }) {
  // The op as generic IR says little to those who did not write it so.
  context.printOpOnDiagnostic(false);
}
