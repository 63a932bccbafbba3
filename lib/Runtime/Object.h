// Reference counts and struct sizes, common to all objects of the C API.
#pragma once

#include "Error.h"
#include "tw/Support/SizedStruct.h"

#include <atomic>
#include <cstdint>

namespace tw::runtime {

/// A count of owners that may be threads of their own.
class References {
public:
  void retain() { count.fetch_add(1, std::memory_order_relaxed); }
  /// True if this was the last owner.
  bool release() { return count.fetch_sub(1, std::memory_order_acq_rel) == 1; }

private:
  std::atomic<uint32_t> count{1};
};

inline TwrtCode checkNotNull(const void *pointer, const char *what, TwrtError *error) {
  return pointer ? TWRT_OK : fail(error, TWRT_INVALID_ARGUMENT, "%s is NULL", what);
}

/// For structs that start with their size, as the caller's header has it. NULL will do.
template <typename T> TwrtCode checkSize(const T *record, const char *what, TwrtError *error) {
  if (record && !hasKnownSize(*record))
    return fail(error, TWRT_INVALID_ARGUMENT, "%s has size %u, expected %zu", what, record->size,
                sizeof(T));
  return TWRT_OK;
}

} // namespace tw::runtime

#define TWRT_TRY(expression)                                                                       \
  do {                                                                                             \
    if (TwrtCode code_ = (expression); code_ != TWRT_OK)                                           \
      return code_;                                                                                \
  } while (false)
