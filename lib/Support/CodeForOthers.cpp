// Codes for errors that come without one.
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Suggest.h"

using namespace mlir;

tw::CodeForOthers::CodeForOthers(MLIRContext &context, Code code)
    : context(context), printedOps(context.shouldPrintOpOnDiagnostic()),
      handler(&context, [code](Diagnostic &diagnostic) {
        std::string message = diagnostic.str();
        StringRef text(message);
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error && !takeCode(text)) {
          suggest(diagnostic);
          diagnostic << " [" << codeInfo(code).id << "]";
        }
        // Printed by the handler before this one.
        return failure();
      }) {
  context.printOpOnDiagnostic(false);
}

tw::CodeForOthers::~CodeForOthers() { context.printOpOnDiagnostic(printedOps); }
