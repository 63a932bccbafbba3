// The compiler's library, and what it says, for those who call it.
#pragma once

#include "Runtime.h"

#include "tw-c/Compiler.h"

#include <vector>

namespace tw::python {

/// Opens the library at the first call. Raises where it cannot be. Needs the GIL.
const TwcApi *getCompiler(const std::string &path);

struct Diagnostic {
  uint32_t severity;
  std::string code, file;
  uint32_t line, column;
  std::string node, message, remedy, excerpt;
};

/// A handler of diagnostics whose user is a vector of them. No GIL needed.
void collect(void *user, const TwcDiagnostic *given);
/// (severity, code, message, file, line, column, node, remedy, excerpt) of each.
nb::list toList(const std::vector<Diagnostic> &diagnostics);

void bindTrace(nb::module_ &module);

} // namespace tw::python
