// The default allocator and growing text.
#include "Memory.h"

#include <algorithm>
#include <cstdlib>

using namespace tw::runtime;

static void *allocateAligned(void *, size_t bytes, size_t alignment) {
  if (alignment <= alignof(std::max_align_t))
    return malloc(bytes);
  void *memory = nullptr;
  return posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

static void releaseAligned(void *, void *memory, size_t) { free(memory); }

Allocator tw::runtime::defaultAllocator() { return {allocateAligned, releaseAligned, nullptr}; }

void Text::append(std::string_view piece) {
  if (outOfMemory || piece.empty())
    return;
  if (length + piece.size() + 1 > capacity) {
    size_t grown = std::max(capacity * 2, length + piece.size() + 1);
    char *memory = static_cast<char *>(allocator.allocate(grown, 1));
    if (!memory) {
      outOfMemory = true;
      return;
    }
    if (length)
      memcpy(memory, characters, length);
    allocator.release(characters, capacity);
    characters = memory;
    capacity = grown;
  }
  memcpy(characters + length, piece.data(), piece.size());
  length += piece.size();
  characters[length] = 0;
}
