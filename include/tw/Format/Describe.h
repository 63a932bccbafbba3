// Prints what a module holds, for tools and tests.
#pragma once

#include "tw/Format/Error.h"

#include <cstdint>
#include <span>
#include <string>

namespace tw::format {

struct DescribeOptions {
  /// The commands of each program.
  bool commands = true;
  /// The point form of each kernel, from the DEBUG section.
  bool sources = false;
};

/// Verifies the module completely, all digests included, and appends its description to `text`:
/// sections, files, constants, kernels, functions and programs, one per line. Never fails on a
/// module that verifies.
bool describeModule(std::span<const uint8_t> file, const DescribeOptions &options,
                    std::string &text, Error &error);

} // namespace tw::format
