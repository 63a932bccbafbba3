// A processor without a folder has no features that code could need.
#if !defined(__x86_64__) && !defined(__aarch64__)
#include "Features.h"

using namespace tw::runtime;

const char *host::cpuFeatures() { return ""; }
const char *host::cpuName() { return "unknown"; }

#endif
