// Many command lines in one process.
#pragma once

#include "Options.h"

namespace tw::run {

/// Runs the command lines of the file `options.cases`, one after the other, each behind the
/// `arguments` of this one; prints one line of JSON for each, which has its exit status. Devices
/// stay open between them. A case that fails, or crashes, does not end the others: what comes next
/// has a process of its own. Returns the greatest exit status.
int runCases(const Options &options, int count, const char *const *arguments);

} // namespace tw::run
