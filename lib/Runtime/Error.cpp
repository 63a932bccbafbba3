// Filling the caller's TwrtError.
#include "Error.h"

#include <cinttypes>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

using namespace tw;

static_assert(offsetof(TwrtError, code) == 4, "callers know the first members");

/// Writes only what the caller's struct has room for.
static TwrtCode fill(TwrtError *error, TwrtCode code, const char *call, int64_t number,
                     const char *text, va_list arguments) {
  if (!error || error->size < sizeof(TwrtError))
    return code;
  error->code = code;
  error->driverCode = number;
  snprintf(error->call, sizeof(error->call), "%s", call);
  vsnprintf(error->message, sizeof(error->message), text, arguments);
  return code;
}

TwrtCode runtime::fail(TwrtError *error, TwrtCode code, const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  fill(error, code, "", 0, text, arguments);
  va_end(arguments);
  return code;
}

TwrtCode runtime::failCall(TwrtError *error, TwrtCode code, const char *call, int64_t number,
                           const char *text, ...) {
  va_list arguments;
  va_start(arguments, text);
  fill(error, code, call, number, text, arguments);
  va_end(arguments);
  return code;
}

TwrtCode runtime::failSystem(TwrtError *error, const char *call, int number, const char *text,
                             ...) {
  char reason[300];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(reason, sizeof(reason), text, arguments);
  va_end(arguments);
  char name[80] = "";
  const char *system = strerror_r(number, name, sizeof(name));
  return failCall(error, TWRT_IO_ERROR, call, number, "%s: %s", reason, system);
}

TwrtCode runtime::repeatFailure(const TwrtError &failure, TwrtError *error) {
  return failure.code == TWRT_OK ? TWRT_OK
                                 : failCall(error, failure.code, failure.call, failure.driverCode,
                                            "%s", failure.message);
}

TwrtCode runtime::failMemory(TwrtError *error, const char *what) {
  return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for %s", what);
}

TwrtCode runtime::failModule(TwrtError *error, const char *path, const format::Error &reason) {
  return fail(error, reason.outOfMemory ? TWRT_OUT_OF_MEMORY : TWRT_INVALID_MODULE,
              "%s%ssection %s, offset %" PRIu64 ": %s", path, *path ? ": " : "", reason.section,
              reason.offset, reason.message);
}
