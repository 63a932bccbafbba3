// First fit over slabs; neighbours that are free are joined.
#include "Pool.h"

using namespace tw::runtime;
using namespace tw::runtime::stream;

uint64_t Pool::roundUp(uint64_t bytes) {
  uint64_t wanted = bytes ? bytes : 1;
  return wanted > UINT64_MAX - alignment ? 0 : (wanted + alignment - 1) / alignment * alignment;
}

Block *Pool::place(uint64_t rounded) {
  for (Slab *slab = slabs; slab; slab = slab->next) {
    for (Block *block = slab->shared ? slab->first : nullptr; block; block = block->next) {
      if (block->used || block->bytes < rounded)
        continue;
      if (block->bytes > rounded) {
        Block *rest =
            create<Block>(allocator, Block{slab, block, block->next, block->offset + rounded,
                                           block->bytes - rounded, false});
        if (!rest)
          return nullptr;
        if (rest->next)
          rest->next->previous = rest;
        block->next = rest;
        block->bytes = rounded;
      }
      block->used = true;
      return block;
    }
  }
  return nullptr;
}

Slab *Pool::addSlab(uint64_t address, uint64_t bytes, bool shared) {
  Slab *slab = create<Slab>(allocator, Slab{slabs, address, bytes, nullptr, shared});
  Block *block =
      slab ? create<Block>(allocator, Block{slab, nullptr, nullptr, 0, bytes, false}) : nullptr;
  if (!block) {
    destroy(allocator, slab);
    return nullptr;
  }
  slab->first = block;
  slabs = slab;
  return slab;
}

Block *Pool::takeWhole(Slab *slab) {
  slab->first->used = true;
  return slab->first;
}

/// Joins a block to the one before it.
void Pool::erase(Block *block) {
  block->previous->bytes += block->bytes;
  block->previous->next = block->next;
  if (block->next)
    block->next->previous = block->previous;
  destroy(allocator, block);
}

Slab *Pool::release(Block *block) {
  Slab *slab = block->slab;
  block->used = false;
  if (block->next && !block->next->used)
    erase(block->next);
  if (block->previous && !block->previous->used)
    erase(block);
  bool empty = !slab->first->used && !slab->first->next;
  if (!empty)
    return nullptr;
  // One empty slab is kept, so that a call made again and again does not ask the driver each time.
  for (Slab *other = slabs; slab->shared && other; other = other->next)
    if (other != slab && other->shared)
      return slab;
  return slab->shared ? nullptr : slab;
}

void Pool::forget(Slab *slab) {
  for (Slab **link = &slabs; *link; link = &(*link)->next)
    if (*link == slab) {
      *link = slab->next;
      break;
    }
  while (Block *block = slab->first) {
    slab->first = block->next;
    destroy(allocator, block);
  }
  destroy(allocator, slab);
}
