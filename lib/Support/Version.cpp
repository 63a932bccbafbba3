// The version of the compiler.
#include "tw/Support/Version.h"

const char *tw::version() { return "0.1.0"; }
