// Code objects of AMD: descriptors, metadata, and instructions through LLVM's disassembler.
#pragma once

#include "Program.h"

namespace tw::emulator::amdgcn {

/// Reads the code object at `image` for a chip, "gfx942". NULL, with `error`, if a thing in it is
/// not known.
std::shared_ptr<const CodeImage> load(const void *image, const std::string &chip,
                                      std::string &error);

/// The kernels of a code object, by name. False, with `error`, as above.
bool readKernels(const void *image, const std::string &chip, std::map<std::string, Kernel> &kernels,
                 std::string &error);

} // namespace tw::emulator::amdgcn
