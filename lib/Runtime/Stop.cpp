// Ends calls that were cancelled or whose time is over.
#include "Stop.h"
#include "Clock.h"
#include "Error.h"

using namespace tw::runtime;

TwrtCode Stop::check() const {
  if (cancelled.load(std::memory_order_relaxed))
    return TWRT_CANCELLED;
  return deadlineNs != 0 && now() >= deadlineNs ? TWRT_TIMEOUT : TWRT_OK;
}

TwrtCode tw::runtime::failStopped(TwrtCode code, uint32_t launch, TwrtError *error) {
  if (code == TWRT_CANCELLED)
    return fail(error, code, "the call was cancelled before launch %u", launch);
  return fail(error, code, "the call's time was over before launch %u", launch);
}
