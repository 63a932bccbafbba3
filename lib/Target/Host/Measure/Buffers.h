// Memory that the timed loops go through.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tw::host::measure {

/// Memory whose pages are as large or as small as the system makes them, all of them touched and
/// filled with floats a little below one.
class Buffer {
public:
  enum class Pages { Large, Small };

  Buffer(int64_t bytes, Pages pages);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  /// Null if there was no memory.
  char *data() const { return base; }
  int64_t bytes() const { return size; }

private:
  char *base = nullptr;
  void *mapped = nullptr;
  int64_t size, mappedBytes;
};

/// Makes a ring of `count` places that lie `apart` bytes apart, in an order that nothing foretells:
/// each holds the address of the next. `shift` moves each place by so many lines within the
/// distance, and each by one line more than the one before.
void makeChase(char *data, int64_t count, int64_t apart, int64_t shift = 0);

} // namespace tw::host::measure
