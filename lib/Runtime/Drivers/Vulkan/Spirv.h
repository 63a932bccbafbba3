// What the driver reads of a SPIR-V module and takes out of it.
#pragma once

#include "Memory.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tw::runtime::vulkan {

/// A GLCompute entry point.
struct EntryPoint {
  /// Of its function; 0: there is none of that name, or the module is malformed.
  uint32_t id = 0;
  /// Threads of a group; 0 if it is not a literal.
  uint64_t group = 0;
};

/// Looks in a module, whose header is there, for an entry point by its name.
EntryPoint findEntryPoint(std::span<const uint32_t> module, std::string_view name);

/// `kernel` becomes the part of `module` that the entry point with this id needs: its functions and
/// the variables they name. Drivers read a whole module for each pipeline, and some count the local
/// memory of all kernels together. What cannot be taken apart is copied whole. False: no memory.
bool extractKernel(const Allocator &allocator, std::span<const uint32_t> module, uint32_t id,
                   Array<uint32_t> &kernel);

} // namespace tw::runtime::vulkan
