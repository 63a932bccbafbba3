// Reads the tensors of ONNX test data: one TensorProto message per .pb file.
//
// A reader of its own, so that the importer that is judged does not also read the verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// A dense, row-major tensor in memory; bool takes a byte.
struct CaseTensor {
  std::string name;
  uint32_t element = 0; ///< TwrtElement
  std::vector<int64_t> dims;
  /// 64-byte aligned through over-allocation by the element type of the vector.
  struct alignas(64) Line {
    char bytes[64];
  };
  std::vector<Line> lines;
  uint64_t size = 0; ///< bytes

  char *data() { return lines.empty() ? nullptr : lines.front().bytes; }
  const char *data() const { return lines.empty() ? nullptr : lines.front().bytes; }
  void resize(uint64_t bytes);
  uint64_t elements() const;
};

/// Reads a whole .pb file; on failure says why in `error`. Strings and types below a byte fail.
std::optional<CaseTensor> readTensorFile(const std::string &path, std::string &error);
