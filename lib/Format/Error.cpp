// Formatting of module errors into fixed memory.
#include "tw/Format/Error.h"

#include <cstdio>

using namespace tw::format;

bool tw::format::fail(Error &error, const char *section, uint64_t offset, const char *text, ...) {
  error.section = section;
  error.offset = offset;
  error.outOfMemory = false;
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(error.message, sizeof(error.message), text, arguments);
  va_end(arguments);
  return false;
}

bool tw::format::failMemory(Error &error, const char *section) {
  fail(error, section, 0, "not enough memory to check the module");
  error.outOfMemory = true;
  return false;
}
