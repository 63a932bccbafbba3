// What the driver reads of a SPIR-V module and takes out of it.
#pragma once

#include "Memory.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tw::runtime::vulkan {

/// A GLCompute entry point.
struct EntryPoint {
  /// Of its function; 0: there is none of that name, or the module is malformed.
  uint32_t id = 0;
  /// Threads of a group; 0 if they are not known.
  uint64_t group = 0;
  /// The first extent of the group is a specialisation constant, of this number, and `group` what
  /// it is unless it is set. The others are 1.
  std::optional<uint32_t> groupConstant;
};

/// Looks in a module, whose header is there, for an entry point by its name.
EntryPoint findEntryPoint(std::span<const uint32_t> module, std::string_view name);

/// `kernel` becomes the part of `module` that the entry point with this id needs: its functions and
/// the variables they name. Drivers read a whole module for each pipeline, and some count the local
/// memory of all kernels together. What cannot be taken apart is copied whole. False: no memory.
bool extractKernel(const Allocator &allocator, std::span<const uint32_t> module, uint32_t id,
                   Array<uint32_t> &kernel);

/// What a kernel reads at a binding.
enum class Texels : uint8_t { None, Float, Uint, Float4, Uint4, Unknown };

/// Fills what each of the kernel's bindings of set 0 is: `None` for storage buffers, `Float`,
/// `Uint` and those of 4 for storage texel buffers of one or four words of 32 bits, `Unknown` for
/// others, and where variables of one binding differ. False: no memory.
bool findTexels(const Allocator &allocator, std::span<const uint32_t> kernel,
                std::span<Texels> bindings);

/// Makes the local size of the entry point with this id a literal, if it is made of constants:
/// LocalSizeId needs Vulkan 1.3, or a feature of it. What else depends on the constants stays.
void setLocalSize(std::span<uint32_t> module, uint32_t id, uint32_t group);

} // namespace tw::runtime::vulkan
