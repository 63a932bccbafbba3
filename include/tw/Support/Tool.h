// What every tool does around its work.
#pragma once

#include "tw/Support/Diagnostics.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tw {

/// The body of a tool's main; the result is the exit status. Writing past a limit on file sizes, to
/// a full device or to a stream that is closed is an error with a message rather than a signal or
/// silence: standard output is flushed and checked at exit. A failure of which nothing was said on
/// standard error gets a message. "--version" is answered without the work, with "--json" as an
/// object. Where the command line asks for JSON ("--json" or "=json" after an option), a failure
/// writes one object to standard output: {"tool", "exitStatus", "diagnostics"}.
int runTool(const char *name, int &argc, char **&argv, llvm::function_ref<int()> work);

/// Whether the command line has "--version", which is answered then: for workers whose main is
/// their own.
bool answerVersion(const char *name, int argc, char **argv);

/// Tells an error of the tool's own, "tool: error: message [code]"; returns `status`.
int fail(const llvm::Twine &message, Code code, int status = 1);
int fail(llvm::Error error, Code code, int status = 1);

/// Adds what was told to the object that a failure writes, if JSON is asked for.
void record(const mlir::Diagnostic &diagnostic);

/// cl::ParseCommandLineOptions with mistakes told as other errors are; false after one.
bool parseCommandLine(int argc, char **argv, llvm::StringRef overview);

} // namespace tw
