// The work of tensor-run, from options to exit status.
#pragma once

#include "Options.h"

namespace tw::run {

enum ExitStatus { Done = 0, Failed = 1, WrongUse = 2, Differs = 3 };

ExitStatus runTool(const Options &options);

} // namespace tw::run
