// Contexts and diagnostics of the C API.
#include "Context.h"

#include "tw/Pipeline/Registration.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Place.h"
#include "tw/Support/Suggest.h"

using namespace mlir;
using namespace tw;

TwcContext::TwcContext(const TwcOptions &options)
    : threads(options.threads), memoryLimit(options.memoryLimit),
      mlir(
          [] {
            DialectRegistry registry;
            registerDialects(registry);
            registerPasses();
            return registry;
          }(),
          MLIRContext::Threading::DISABLED) {
  mlir.loadAllAvailableDialects();
  // The op as generic IR says little to those who did not write it so.
  mlir.printOpOnDiagnostic(false);
}

TwcCode tw::getResult(Code code) {
  switch (code) {
  case Code::T0102:
  case Code::T0113:
  case Code::T0114:
  case Code::T0218:
  case Code::T0504:
  case Code::T0601:
  case Code::T0603:
  case Code::T0706:
    return TWC_IO_ERROR;
  // Sizes and kinds that are beyond what there is.
  case Code::T0103:
  case Code::T0105:
  case Code::T0106:
  case Code::T0107:
  case Code::T0112:
  case Code::T0116:
  case Code::T0117:
  case Code::T0215:
  case Code::T0332:
  case Code::T0333:
  case Code::T0405:
  case Code::T0406:
  case Code::T0409:
  case Code::T0412:
  case Code::T0413:
  case Code::T0421:
  case Code::T0423:
  case Code::T0430:
  case Code::T0503:
  case Code::T0701:
  case Code::T0702:
    return TWC_UNSUPPORTED;
  case Code::T0517:
  case Code::T0708:
    return TWC_OUT_OF_MEMORY;
  case Code::T0401:
  case Code::T0505:
  case Code::T0506:
  case Code::T0507:
  case Code::T0510:
  case Code::T0602:
    return TWC_INVALID_ARGUMENT;
  default:
    return TWC_FAILED;
  }
}

namespace {

void send(TwcSink sink, TwcSeverity severity, Location location, std::string message) {
  StringRef text(message);
  std::optional<Code> found = takeCode(text);
  std::string code = found ? codeInfo(*found).id.str() : "";
  std::string remedy = found ? codeInfo(*found).text.str() : "";
  std::string body = text.str();
  Place place = getPlace(location);
  std::string excerpt = quoteFile(place);
  TwcDiagnostic diagnostic{
      sizeof(TwcDiagnostic), severity,           code.c_str(), place.file.c_str(), place.line,
      place.column,          place.node.c_str(), body.c_str(), remedy.c_str(),     excerpt.c_str()};
  sink.handler(sink.user, &diagnostic);
}

} // namespace

DiagnosticForwarder::DiagnosticForwarder(MLIRContext &context, TwcSink sink)
    : handler(&context, [this, sink](Diagnostic &diagnostic) {
        std::string message = diagnostic.str();
        StringRef text(message);
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error && !std::exchange(failed, true))
          if (std::optional<Code> code = takeCode(text))
            failure = getResult(*code);
        if (!sink.handler)
          return success();
        suggest(diagnostic);
        TwcSeverity severity = diagnostic.getSeverity() == DiagnosticSeverity::Error ? TWC_ERROR
                               : diagnostic.getSeverity() == DiagnosticSeverity::Warning
                                   ? TWC_WARNING
                                   : TWC_NOTE;
        send(sink, severity, diagnostic.getLocation(), std::move(message));
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
  TwcDiagnostic diagnostic{
      sizeof(TwcDiagnostic), TWC_ERROR, codeText.c_str(), "", 0, 0, "", body.c_str(),
      remedy.c_str(),        ""};
  sink.handler(sink.user, &diagnostic);
}
