// Memory with pages of a size, and rings of addresses in it.
#include "Buffers.h"

#include <cstring>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <utility>
#include <vector>

using namespace tw::host::measure;

Buffer::Buffer(int64_t bytes, Pages pages) : size(bytes) {
  constexpr int64_t largest = 2 << 20;
  mappedBytes = bytes + largest;
  mapped = mmap(nullptr, size_t(mappedBytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
  if (mapped == MAP_FAILED)
    return;
  base = reinterpret_cast<char *>((uintptr_t(mapped) + largest - 1) / largest * largest);
  // A wish: without it the numbers are those of the pages that there are.
  (void)madvise(base, size_t(size), pages == Pages::Large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  for (int64_t i = 0; i + 4 <= size; i += 4) {
    float value = 0.7f + 0.0001f * float(i / 4 % 1024);
    std::memcpy(base + i, &value, sizeof(value));
  }
}

Buffer::~Buffer() {
  if (base)
    munmap(mapped, size_t(mappedBytes));
}

void tw::host::measure::makeChase(char *data, int64_t count, int64_t apart, int64_t shift) {
  constexpr int64_t line = 64;
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::minstd_rand random(1);
  for (size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[random() % (i + 1)]);
  auto place = [&](int64_t i) { return data + i * apart + (i + shift) * line % apart; };
  for (size_t i = 0; i < order.size(); ++i) {
    char *next = place(order[(i + 1) % order.size()]);
    std::memcpy(place(order[i]), &next, sizeof(next));
  }
}
