// Seeded inputs and file constants.
//===---------------------------------------------------------------------------------------===//
#include <cmath>

#include "tw/Interpreter/Inputs.h"

#include "TypeSwitch.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/ReadFile.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tw::interp;

// SplitMix64, from Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Tensor tw::interp::makeInput(RankedTensorType type, uint64_t seed, unsigned number, bool integers) {
  Tensor tensor = Tensor::allocate(type);
  uint64_t state = seed * 0x2545f4914f6cdd1d + number;
  visitStoredType(type.getElementType(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T &element : tensor.elements<T>()) {
      uint64_t bits = nextRandom(state) >> 32;
      if constexpr (std::is_same_v<T, bool>)
        element = bits & 1;
      else if constexpr (isFloat<T>)
        element = T(integers ? double(int64_t(bits % 9) - 4)
                             : std::ldexp(double(int64_t(bits >> 11) - (1 << 20)), -20));
      else
        element = T(int64_t(bits % 17) - (std::is_signed_v<T> ? 8 : 0));
    }
  });
  return tensor;
}

ConstantResolver tw::interp::resolveFrom(FileResolver &files) {
  return [&files](graph::FileAttr file) -> FailureOr<ArrayRef<char>> {
    llvm::Expected<StringRef> bytes =
        files.bytes(file.getName(), file.getOffset(), file.getLength());
    if (bytes)
      return ArrayRef<char>(bytes->data(), bytes->size());
    llvm::consumeError(bytes.takeError());
    return failure();
  };
}
