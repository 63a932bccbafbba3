// What is wrong with a module: where and why, in fixed memory.
#pragma once

#include <cstdarg>
#include <cstdint>

namespace tw::format {

/// Filled by functions of Format that return false. Never allocates, so reporting works when
/// memory is short. `section` is a static name ("header", "META" ...), `offset` counts from the
/// start of the file where the place is known, else of the section.
struct Error {
  const char *section = "";
  uint64_t offset = 0;
  bool outOfMemory = false;
  char message[320] = {};
};

/// Sets `error` and returns false, so that callers can `return fail(...)`.
[[gnu::format(printf, 4, 5)]] bool fail(Error &error, const char *section, uint64_t offset,
                                        const char *text, ...);

/// The error for an allocation that failed.
bool failMemory(Error &error, const char *section);

} // namespace tw::format
