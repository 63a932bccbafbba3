// Maps a host image and calls its kernels, as the runtime does.
#pragma once

#include "tw/Target/Host/Image.h"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>

namespace tw::test {

struct Launch {
  void *const *bindings;
  const int64_t *scalars;
  uint32_t grid[3];
};
using Kernel = void(const Launch *, uint32_t begin, uint32_t end, void *scratch);

/// An image in executable memory of this process.
class LoadedImage {
public:
  explicit LoadedImage(const host::Image &image) : image(image), size(image.bytes.size()) {
    base = static_cast<uint8_t *>(
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    assert(base != MAP_FAILED);
    std::memcpy(base, image.bytes.data(), size);
    mprotect(base, size, PROT_READ | PROT_EXEC);
  }
  ~LoadedImage() { munmap(base, size); }
  LoadedImage(const LoadedImage &) = delete;
  LoadedImage &operator=(const LoadedImage &) = delete;

  Kernel *kernel(size_t index) const {
    return reinterpret_cast<Kernel *>(base + image.entries[index].offset);
  }

private:
  const host::Image &image;
  size_t size;
  uint8_t *base;
};

} // namespace tw::test
