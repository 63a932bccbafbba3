// What every tool does around its work.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tw {

/// The body of a tool's main; the result is the exit status. Writing past a limit on file sizes, to
/// a full device or to a stream that is closed is an error with a message rather than a signal or
/// silence: standard output is flushed and checked at exit. A failure of which nothing was said on
/// standard error gets a message.
int runTool(const char *name, int &argc, char **&argv, llvm::function_ref<int()> work);

} // namespace tw
