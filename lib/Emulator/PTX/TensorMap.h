// What cuTensorMapEncodeTiled makes and bulk copies of tensors read: a tensor in global memory, and
// the box of it that a copy moves. The form is the emulator's own; a GPU's is not published.
#pragma once

#include <cstdint>

namespace tw::emulator::ptx {

struct TensorMap {
  static constexpr uint64_t magicNumber = 0x70616d726f736e74;
  uint64_t magic = 0;
  uint64_t address = 0;
  /// Bytes from one point to the next, of all dimensions but the innermost.
  uint64_t strides[4] = {};
  /// Innermost first.
  uint32_t extents[5] = {};
  uint16_t box[5] = {};
  uint8_t rank = 0, elementBytes = 0;
  /// Bytes of a row among which chunks of 16 trade places: 0, 32, 64 or 128.
  uint8_t swizzle = 0;
};
static_assert(sizeof(TensorMap) <= 128);

/// A tensor map as the call describes it: data type, interleave, swizzle and fill are the numbers
/// of the CUDA driver API. False: the driver would refuse it.
bool encodeTiled(TensorMap &map, uint32_t dataType, uint32_t rank, uint64_t address,
                 const uint64_t *extents, const uint64_t *strides, const uint32_t *box,
                 const uint32_t *elementStrides, uint32_t interleave, uint32_t swizzle,
                 uint32_t fill);

/// Address of a byte in local memory whose rows have `swizzle` bytes: chunks of 16 bytes are
/// exchanged by the number of the row of 128 bytes, of which there are 8, 4 or 2 kinds.
inline uint64_t swizzleAddress(uint64_t address, uint32_t swizzle) {
  return swizzle ? address ^ (address >> 3 & (swizzle - 16)) : address;
}

} // namespace tw::emulator::ptx
