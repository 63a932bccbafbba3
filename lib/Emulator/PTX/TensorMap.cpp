// Which tensor maps there are: the rules of cuTensorMapEncodeTiled (CUDA Driver API, "Tensor Map
// Object Management").
#include "TensorMap.h"

using namespace tw::emulator::ptx;

bool tw::emulator::ptx::encodeTiled(TensorMap &map, uint32_t dataType, uint32_t rank,
                                    uint64_t address, const uint64_t *extents,
                                    const uint64_t *strides, const uint32_t *box,
                                    const uint32_t *elementStrides, uint32_t interleave,
                                    uint32_t swizzle, uint32_t fill) {
  // u8, u16, u32, s32, u64, s64, f16, f32, f64, bf16, f32 with subnormals as 0, tf32, tf32 so.
  constexpr uint8_t bytesOf[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  constexpr uint8_t swizzles[] = {0, 32, 64, 128};
  if (dataType >= sizeof(bytesOf) || rank < 1 || rank > 5 || address % 16 || interleave != 0 ||
      swizzle >= sizeof(swizzles) || fill != 0)
    return false;
  map = {};
  map.elementBytes = bytesOf[dataType];
  map.swizzle = swizzles[swizzle];
  for (uint32_t d = 0; d < rank; ++d) {
    if (extents[d] < 1 || extents[d] > uint64_t(1) << 32 || box[d] < 1 || box[d] > 256 ||
        elementStrides[d] != 1)
      return false;
    if (d + 1 < rank) {
      if (strides[d] % 16 || strides[d] >= uint64_t(1) << 40)
        return false;
      map.strides[d] = strides[d];
    }
    map.extents[d] = uint32_t(extents[d]);
    map.box[d] = uint16_t(box[d]);
  }
  uint32_t row = map.box[0] * map.elementBytes;
  if (row % 16 || (map.swizzle && row > map.swizzle))
    return false;
  map.address = address;
  map.rank = uint8_t(rank);
  map.magic = TensorMap::magicNumber;
  return true;
}
