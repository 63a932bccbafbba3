// Loads flat images: no relocations, no symbols, no writable data.
#include "Image.h"

#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

using namespace tw::runtime;
using host::Image;

static bool mapFromFile(const ImageSource &source, Image &image) {
  uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
  if (source.file < 0 || source.fileOffset % page != 0)
    return false;
  void *memory = mmap(nullptr, source.bytes.size(), PROT_READ | PROT_EXEC, MAP_PRIVATE, source.file,
                      off_t(source.fileOffset));
  if (memory == MAP_FAILED)
    return false;
  image = {memory, source.bytes.size()};
  return true;
}

TwrtCode host::mapImage(const ImageSource &source, Image &image, TwrtError *error) {
  if (source.bytes.empty())
    return fail(error, TWRT_INVALID_MODULE, "section HOST_IMAGE is empty");
  if (mapFromFile(source, image))
    return TWRT_OK;
  size_t bytes = source.bytes.size();
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for an image of %zu bytes", bytes);
  memcpy(memory, source.bytes.data(), bytes);
  if (mprotect(memory, bytes, PROT_READ | PROT_EXEC) != 0) {
    int number = errno;
    munmap(memory, bytes);
    return failCall(error, TWRT_DRIVER_ERROR, "mprotect", number,
                    "the system forbids executing a module's code (errno %d)", number);
  }
  image = {memory, bytes};
  return TWRT_OK;
}

void host::unmapImage(Image &image) {
  if (image.memory)
    munmap(image.memory, image.bytes);
  image = {};
}
