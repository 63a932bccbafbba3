// Filling the caller's TwrtError.
#pragma once

#include "tw/Format/Error.h"
#include "twrt/twrt.h"

namespace tw::runtime {

/// Fills `error` (may be NULL) and returns `code`.
[[gnu::format(printf, 3, 4)]] TwrtCode fail(TwrtError *error, TwrtCode code, const char *text, ...);

/// For a call of the system or of a driver that failed: `number` is errno or the driver's code.
[[gnu::format(printf, 5, 6)]] TwrtCode failCall(TwrtError *error, TwrtCode code, const char *call,
                                                int64_t number, const char *text, ...);

/// For errno after a call of the system; the message ends with the system's reason.
[[gnu::format(printf, 4, 5)]] TwrtCode failSystem(TwrtError *error, const char *call, int number,
                                                  const char *text, ...);

/// Fails again as `failure` says, which is TWRT_OK where nothing has failed.
TwrtCode repeatFailure(const TwrtError &failure, TwrtError *error);

TwrtCode failMemory(TwrtError *error, const char *what);

/// For an error found by the format's verifier; `path` may be empty.
TwrtCode failModule(TwrtError *error, const char *path, const format::Error &reason);

} // namespace tw::runtime
