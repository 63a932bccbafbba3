// Memory of a device in slabs: small allocations share one, large ones have their own.
#pragma once

#include "Memory.h"

namespace tw::runtime::stream {

struct Slab;

/// A part of a slab. All blocks of a slab form a list in the order of their addresses.
struct Block {
  Slab *slab = nullptr;
  Block *previous = nullptr, *next = nullptr;
  uint64_t offset = 0, bytes = 0;
  bool used = false;
};

struct Slab {
  Slab *next = nullptr;
  uint64_t address = 0, bytes = 0;
  Block *first = nullptr;
  bool shared = false;
};

/// Places blocks; its user gets and returns the slabs' memory. Not for several threads at once.
class Pool {
public:
  /// Slabs of small blocks have this size; allocations of more than a quarter have their own.
  static constexpr uint64_t slabBytes = 16u << 20;
  static constexpr uint64_t alignment = 256;

  explicit Pool(const Allocator &allocator) : allocator(allocator) {}

  /// Rounded up to the alignment, at least once that; 0 if that overflows.
  static uint64_t roundUp(uint64_t bytes);
  static bool sharesSlab(uint64_t rounded) { return rounded <= slabBytes / 4; }

  /// A block of a slab there is; NULL: none has room, or no memory for the block.
  Block *place(uint64_t rounded);
  /// Adds a slab of `bytes` at `address` with one free block. NULL when there is no memory.
  Slab *addSlab(uint64_t address, uint64_t bytes, bool shared);
  /// Takes the slab's only, free block.
  Block *takeWhole(Slab *slab);
  /// Gives a block back. Returns the slab if its memory is to be returned: forget it then.
  Slab *release(Block *block);
  void forget(Slab *slab);
  /// Any slab, or NULL.
  Slab *first() const { return slabs; }

private:
  void erase(Block *block);

  Allocator allocator;
  Slab *slabs = nullptr;
};

} // namespace tw::runtime::stream
