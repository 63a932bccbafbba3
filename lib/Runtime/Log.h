// What the instance tells its caller beside the results of calls.
#pragma once

#include <cstdarg>
#include <cstdio>

namespace tw::runtime {

/// As TwrtInstanceOptions::log numbers them: what failed with nobody to be told, what works but not
/// as it was asked for, what was found and opened.
enum class LogLevel { Error = 0, Warning = 1, Information = 2 };

/// Lines go nowhere where the caller gave no function.
struct Log {
  void (*function)(void *user, int level, const char *text) = nullptr;
  void *user = nullptr;

  [[gnu::format(printf, 3, 4)]] void write(LogLevel level, const char *text, ...) const {
    if (!function)
      return;
    char line[640];
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(line, sizeof(line), text, arguments);
    va_end(arguments);
    function(user, int(level), line);
  }
};

} // namespace tw::runtime
