// The same header in C++.
#include <twrt/twrt.h>

extern "C" const char *versionFromCxx() { return twrtVersion(); }
