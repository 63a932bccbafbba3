// Structs of the C APIs that begin with their size, so that they can grow by members at the end:
// callers compiled against an earlier release give, and have room for, the members they know.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tw {

/// The sizes that a struct had in earlier releases and has now, to be specialised with all of them
/// when it grows.
template <typename T> inline constexpr uint32_t knownSizes[] = {sizeof(T)};

template <typename T> bool hasKnownSize(const T &record) {
  return std::find(std::begin(knownSizes<T>), std::end(knownSizes<T>), record.size) !=
         std::end(knownSizes<T>);
}

/// What the caller gives, with zero for members that it does not know. Its size is known.
template <typename T> T readSized(const T &given) {
  static_assert(std::is_trivially_copyable_v<T>);
  T whole = {};
  memcpy(static_cast<void *>(&whole), &given, given.size);
  return whole;
}

/// Fills the members that the caller knows. Its size is known, and stays.
template <typename T> void writeSized(T &to, T from) {
  static_assert(std::is_trivially_copyable_v<T>);
  from.size = to.size;
  memcpy(static_cast<void *>(&to), &from, to.size);
}

} // namespace tw
