// Machine code of a module, mapped for execution.
#pragma once

#include "Driver.h"

namespace tw::runtime::host {

/// The bytes of a flat image, readable and executable, never writable while executable.
struct Image {
  void *memory = nullptr;
  size_t bytes = 0;
};

/// Maps the image from its file where that is possible, else copies it to memory of its own (for
/// modules from memory, and where the file system forbids execution).
TwrtCode mapImage(const ImageSource &source, Image &image, TwrtError *error);
void unmapImage(Image &image);

} // namespace tw::runtime::host
