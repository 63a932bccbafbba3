// Maps, poisons and checks guarded memory.
#include "Guarded.h"

#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace tw::fuzz;

/// The bytes of 0x7fa1fafa, a signalling NaN in f32, and of one in f64.
static uint8_t poisonAt(const uint8_t *at) {
  constexpr uint8_t word[] = {0xfa, 0xfa, 0xa1, 0x7f};
  return word[uintptr_t(at) % 4];
}

static void fill(uint8_t *begin, uint8_t *end) {
  for (uint8_t *at = begin; at != end; ++at)
    *at = poisonAt(at);
}

static bool isFilled(const uint8_t *begin, const uint8_t *end) {
  for (const uint8_t *at = begin; at != end; ++at)
    if (*at != poisonAt(at))
      return false;
  return true;
}

Guarded::Guarded(size_t size, bool atEnd) : bytes(size) {
  const size_t page = size_t(sysconf(_SC_PAGESIZE));
  usableBytes = (size + page) / page * page;
  mapped = usableBytes + 2 * page;
  void *pages = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    abort();
  base = static_cast<uint8_t *>(pages);
  usable = base + page;
  mprotect(base, page, PROT_NONE);
  mprotect(usable + usableBytes, page, PROT_NONE);
  memory = atEnd && size > 0 ? usable + usableBytes - size : usable;
  fill(usable, usable + usableBytes);
}

Guarded::~Guarded() { munmap(base, mapped); }

void Guarded::poison() { fill(memory, memory + bytes); }

bool Guarded::isIntact() const {
  return isFilled(usable, memory) && isFilled(memory + bytes, usable + usableBytes);
}
