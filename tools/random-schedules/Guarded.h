// Memory that tells when it is written or read beyond its ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tw::fuzz {

/// `size` bytes between pages that cannot be touched. Either the last byte or the first one is
/// beside such a page; the rest of the pages, and `size` bytes at first, are words of a signalling
/// NaN.
class Guarded {
public:
  /// `atEnd`: the last byte is the last one that can be touched. Otherwise, and where there is
  /// none, the first one is 64-byte aligned, and read without harm, as kernels read the first
  /// element of tensors without any.
  Guarded(size_t size, bool atEnd);
  ~Guarded();
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;

  uint8_t *data() const { return memory; }
  size_t size() const { return bytes; }
  /// Fills the memory with the poison.
  void poison();
  /// Whether nothing was written around it.
  bool isIntact() const;

private:
  uint8_t *base = nullptr, *usable = nullptr, *memory = nullptr;
  size_t bytes, usableBytes, mapped;
};

} // namespace tw::fuzz
