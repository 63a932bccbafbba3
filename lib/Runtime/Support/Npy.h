// Reads and writes NumPy's .npy files, format versions 1.0 to 3.0. No LLVM.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tw::support {

/// Dense, row-major, in this machine's byte order. `element` is a TwrtElement.
struct NpyArray {
  uint32_t element = 0;
  std::vector<int64_t> dims;
  std::vector<uint8_t> data;
  /// Whether the file says how many bytes an element has and no more: `element` is one of the types
  /// that share its name then.
  bool saysBytesAlone = false;
};

/// "f32[1, 3, 224, 224]".
std::string formatType(uint32_t element, std::span<const int64_t> dims);

/// Element type and dims alone, the data is left as it is; the file need not hold it.
bool parseNpyHeader(std::span<const uint8_t> file, NpyArray &array, std::string &error);

/// Accepts booleans, integers, floats and complex numbers in either byte order (the other one is
/// swapped) and in either element order (column-major is turned). `V2` is bf16, as ml_dtypes writes
/// it, `V1` a float of 8 bits, of which it says no more: f8E4M3FN is given; `f1` is f8E5M2. Refuses
/// objects, strings and records. `error` says what was expected and what was found, with the byte
/// offset.
bool parseNpy(std::span<const uint8_t> file, NpyArray &array, std::string &error);

/// Whether .npy has one name for both element types.
bool shareNpyName(uint32_t a, uint32_t b);

/// Version 1.0, little-endian; false for element types that .npy has no name for (i4 ...).
bool formatNpy(uint32_t element, std::span<const int64_t> dims, std::span<const uint8_t> data,
               std::string &file);

} // namespace tw::support
