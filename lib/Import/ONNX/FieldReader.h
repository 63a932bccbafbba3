// The fields of ONNX's messages by the kinds that their numbers stand for.
#pragma once

#include "WireReader.h"
#include "tw/Import/ONNX/Model.h"

namespace tw::onnx {

/// Reads fields of messages that begin in `bytes`. Every function is false, and `status` says why,
/// where a field is not of its kind.
class FieldReader {
public:
  explicit FieldReader(llvm::StringRef bytes) : status{bytes.begin(), std::nullopt} {}

  WireStatus status;

protected:
  bool is(const Field &field, WireKind kind);
  bool string(const Field &field, llvm::StringRef &out);
  bool integer(const Field &field, int64_t &out);
  /// A repeated integer field: packed, or one value.
  bool integers(const Field &field, llvm::SmallVectorImpl<int64_t> &out);
  /// A repeated numeric field whose bytes stay where they are; `width` 0 means varints.
  bool packed(const Field &field, PackedField &out, unsigned width);
  bool done() const { return !status.error; }
};

} // namespace tw::onnx
