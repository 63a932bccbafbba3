// Spans of time that the instance tells its caller of, as TwrtInstanceOptions::trace has them.
#pragma once

#include "Clock.h"
#include "twrt/twrt.h"

#include <string_view>

namespace tw::runtime {

/// Goes nowhere where the caller gave no function.
struct Trace {
  void (*function)(void *user, const TwrtEvent *event) = nullptr;
  void *user = nullptr;

  void write(TwrtEventKind kind, std::string_view name, const char *device, uint64_t beginNs,
             uint64_t endNs, uint64_t bytes, TwrtCode code) const {
    if (!function)
      return;
    TwrtEvent event = {};
    event.size = sizeof(event);
    event.kind = kind;
    event.code = code;
    event.name = {name.data(), name.size()};
    event.device = device;
    event.beginNs = beginNs;
    event.endNs = endNs;
    event.bytes = bytes;
    function(user, &event);
  }
};

/// One span: from where it is made to where it ends.
class Span {
public:
  Span(const Trace &trace, TwrtEventKind kind, std::string_view name, const char *device = "",
       uint64_t bytes = 0)
      : trace(trace), kind(kind), name(name), device(device), bytes(bytes),
        beginNs(trace.function ? now() : 0) {}

  /// Ends it, with what the work came to, and returns that.
  TwrtCode end(TwrtCode code) const {
    if (trace.function)
      trace.write(kind, name, device, beginNs, now(), bytes, code);
    return code;
  }

private:
  const Trace &trace;
  TwrtEventKind kind;
  std::string_view name;
  const char *device;
  uint64_t bytes, beginNs;
};

} // namespace tw::runtime
