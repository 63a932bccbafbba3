// The protobuf wire format: a cursor over the fields of one message.
//
// A field is a tag (number and kind) followed by a varint, four or eight bytes, or a length and
// that many bytes. The cursor never leaves its bytes; the first violation is recorded with its
// offset and ends every cursor that shares the status.
#pragma once

#include "tw/Import/ONNX/Model.h"

#include "llvm/ADT/Twine.h"

namespace tw::onnx {

enum class WireKind : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// Shared by all cursors over one file.
struct WireStatus {
  const char *begin;
  std::optional<ReadError> error;

  /// Records the first error; always false.
  bool fail(const char *at, llvm::Twine message) {
    if (!error)
      error = ReadError{static_cast<uint64_t>(at - begin), message.str()};
    return false;
  }
};

struct Field {
  uint32_t number = 0;
  WireKind kind = WireKind::Varint;
  uint64_t varint = 0;   ///< Varint only
  llvm::StringRef bytes; ///< the value's bytes, of any other kind
  const char *at = nullptr;
};

class WireReader {
public:
  WireReader(WireStatus &status, llvm::StringRef bytes)
      : status(status), at(bytes.begin()), end(bytes.end()) {}

  /// Moves to the next field; false at the end and after an error.
  bool next(Field &field);

private:
  bool varint(uint64_t &value, const char *what);

  WireStatus &status;
  const char *at, *end;
};

/// Decodes one varint from [at, end); nullptr if it is cut or longer than ten bytes.
const char *decodeVarint(const char *at, const char *end, uint64_t &value);

} // namespace tw::onnx
