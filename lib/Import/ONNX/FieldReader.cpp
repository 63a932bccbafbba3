// Fields of messages, checked against the kinds that their numbers stand for.
#include "FieldReader.h"

using namespace tw::onnx;
using llvm::StringRef;

bool FieldReader::is(const Field &field, WireKind kind) {
  if (field.kind == kind)
    return true;
  return status.fail(field.at, "field " + llvm::Twine(field.number) + " has the wire type " +
                                   llvm::Twine(unsigned(field.kind)) + ", expected " +
                                   llvm::Twine(unsigned(kind)));
}

bool FieldReader::string(const Field &field, StringRef &out) {
  if (!is(field, WireKind::Bytes))
    return false;
  out = field.bytes;
  return true;
}

bool FieldReader::integer(const Field &field, int64_t &out) {
  if (!is(field, WireKind::Varint))
    return false;
  out = static_cast<int64_t>(field.varint);
  return true;
}

bool FieldReader::integers(const Field &field, llvm::SmallVectorImpl<int64_t> &out) {
  if (field.kind == WireKind::Varint) {
    out.push_back(static_cast<int64_t>(field.varint));
    return true;
  }
  if (!is(field, WireKind::Bytes))
    return false;
  const char *at = field.bytes.begin(), *end = field.bytes.end();
  while (at != end) {
    uint64_t value;
    const char *after = decodeVarint(at, end, value);
    if (!after)
      return status.fail(at, "malformed integer");
    out.push_back(static_cast<int64_t>(value));
    at = after;
  }
  return true;
}

bool FieldReader::packed(const Field &field, PackedField &out, unsigned width) {
  WireKind single = width == 4   ? WireKind::Fixed32
                    : width == 8 ? WireKind::Fixed64
                                 : WireKind::Varint;
  if (field.kind == WireKind::Varint && single == WireKind::Varint) {
    const char *value = field.at;
    uint64_t tag;
    value = decodeVarint(value, value + 10, tag);
    uint64_t ignored;
    const char *end = decodeVarint(value, value + 10, ignored);
    out.pieces.push_back(StringRef(value, static_cast<size_t>(end - value)));
    return true;
  }
  if (field.kind != single && !is(field, WireKind::Bytes))
    return false;
  if (width && field.bytes.size() % width)
    return status.fail(field.at, "field " + llvm::Twine(field.number) + " holds " +
                                     llvm::Twine(field.bytes.size()) +
                                     " bytes, which is no multiple of " + llvm::Twine(width));
  if (!field.bytes.empty())
    out.pieces.push_back(field.bytes);
  return true;
}
