// Maps of tensors: what kernels take that have boxes of tensors copied.
#pragma once

#include "tw/Format/Element.h"

#include <string_view>
#include <vector>

namespace tw::format {

/// Dimensions of a map at most, points of a box along one, and what strides are multiples of.
inline constexpr uint32_t maxMapRank = 5, maxMapPoints = 256, mapStrideUnit = 16;

/// Maps of a kernel at most.
inline constexpr uint32_t maxKernelMaps = 16;

/// What a variant with maps needs of a device, and of the runtime: that it makes them.
inline constexpr std::string_view mapsFeature = "tensor-maps";

/// The device's driver makes it of this and of where the binding lies, and a launch passes it by
/// value. Dimensions come innermost first; what lies outside of the extents is zero.
struct TensorMap {
  uint32_t binding = 0;
  ElementType element = ElementType::F32;
  /// Bytes of rows of the box in local memory in which runs of 16 bytes trade places: 32, 64 or
  /// 128; 0: in none.
  uint32_t swizzle = 0;
  std::vector<uint64_t> extents;
  /// Bytes from one point to the next, of all dimensions but the innermost.
  std::vector<uint64_t> strides;
  std::vector<uint32_t> box;
};

} // namespace tw::format
