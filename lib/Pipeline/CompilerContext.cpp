// Contexts and diagnostics of the C API.
#include "CompilerContext.h"

#include "tw/Pipeline/Registration.h"
#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;

TwcContext::TwcContext(uint32_t threads)
    : mlir([] {
        DialectRegistry registry;
        registerDialects(registry);
        registerPasses();
        return registry;
      }()) {
  // One thread compiles unless more are asked for: on small machines the pool costs more than it
  // gives.
  mlir.disableMultithreading(threads <= 1);
  mlir.loadAllAvailableDialects();
}

namespace {

/// The parts of a location that a user can act on.
struct Place {
  std::string file, node;
  unsigned line = 0, column = 0;
};

Place getPlace(Location location) {
  Place place;
  location->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part); name && place.node.empty())
      place.node = name.getName().str();
    if (auto file = dyn_cast<FileLineColLoc>(part); file && place.file.empty()) {
      place.file = file.getFilename().str();
      place.line = file.getLine();
      place.column = file.getColumn();
    }
    return WalkResult::advance();
  });
  return place;
}

void send(TwcSink sink, TwcSeverity severity, Location location, std::string message) {
  std::string code, remedy;
  // "... [T0104]"
  StringRef text(message);
  size_t open = text.rfind(" [T");
  if (open != StringRef::npos && text.ends_with("]")) {
    code = text.slice(open + 2, text.size() - 1).str();
    text = text.take_front(open);
    if (auto known = findCode(code))
      remedy = codeInfo(*known).text.str();
  }
  std::string body = text.str();
  Place place = getPlace(location);
  TwcDiagnostic diagnostic{sizeof(TwcDiagnostic), severity,     code.c_str(),
                           place.file.c_str(),    place.line,   place.column,
                           place.node.c_str(),    body.c_str(), remedy.c_str()};
  sink.handler(sink.user, &diagnostic);
}

} // namespace

DiagnosticForwarder::DiagnosticForwarder(MLIRContext &context, TwcSink sink)
    : handler(&context, [sink](Diagnostic &diagnostic) {
        if (!sink.handler)
          return success();
        TwcSeverity severity = diagnostic.getSeverity() == DiagnosticSeverity::Error ? TWC_ERROR
                               : diagnostic.getSeverity() == DiagnosticSeverity::Warning
                                   ? TWC_WARNING
                                   : TWC_NOTE;
        send(sink, severity, diagnostic.getLocation(), diagnostic.str());
        for (Diagnostic &note : diagnostic.getNotes())
          send(sink, TWC_NOTE, note.getLocation(), note.str());
        return success();
      }) {}

void tw::report(TwcSink sink, StringRef code, StringRef message) {
  if (!sink.handler)
    return;
  std::string codeText = code.str(), body = message.str(), remedy;
  if (auto known = findCode(code))
    remedy = codeInfo(*known).text.str();
  TwcDiagnostic diagnostic{sizeof(TwcDiagnostic), TWC_ERROR,     codeText.c_str(), "", 0, 0, "",
                           body.c_str(),          remedy.c_str()};
  sink.handler(sink.user, &diagnostic);
}
