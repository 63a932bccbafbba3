// Threads that libraries of others start.
#pragma once

#include "twrt/twrt.h"

namespace tw::runtime {

/// Fails where the system gives this process fewer threads at once than a driver that runs on the
/// CPU starts, one for each core and two more: without them PoCL ends the process, and llvmpipe
/// waits for ever.
TwrtCode checkThreads(TwrtError *error);

} // namespace tw::runtime
