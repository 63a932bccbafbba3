// The protobuf wire format.
#include "WireReader.h"

using namespace tw::onnx;

const char *tw::onnx::decodeVarint(const char *at, const char *end, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 70 && at != end; shift += 7) {
    uint8_t byte = static_cast<uint8_t>(*at++);
    if (shift == 63 && byte > 1)
      return nullptr;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return at;
  }
  return nullptr;
}

bool WireReader::varint(uint64_t &value, const char *what) {
  const char *after = decodeVarint(at, end, value);
  if (!after)
    return status.fail(at, llvm::Twine("malformed ") + what);
  at = after;
  return true;
}

bool WireReader::next(Field &field) {
  if (status.error || at == end)
    return false;
  field.at = at;
  uint64_t tag;
  if (!varint(tag, "field tag"))
    return false;
  if (tag >> 3 == 0 || tag >> 3 > (1u << 29) - 1)
    return status.fail(field.at, "field number " + llvm::Twine(tag >> 3) + " is out of range");
  field.number = static_cast<uint32_t>(tag >> 3);
  uint64_t length;
  switch (tag & 7) {
  case 0:
    field.kind = WireKind::Varint;
    return varint(field.varint, "integer");
  case 1:
    field.kind = WireKind::Fixed64;
    length = 8;
    break;
  case 2:
    field.kind = WireKind::Bytes;
    if (!varint(length, "length"))
      return false;
    break;
  case 5:
    field.kind = WireKind::Fixed32;
    length = 4;
    break;
  default:
    return status.fail(field.at, "field " + llvm::Twine(field.number) + " has the wire type " +
                                     llvm::Twine(tag & 7) + ", which ONNX does not use");
  }
  uint64_t left = static_cast<uint64_t>(end - at);
  if (length > left)
    return status.fail(at, "field " + llvm::Twine(field.number) + " needs " + llvm::Twine(length) +
                               " bytes, " + llvm::Twine(left) + " are left");
  field.bytes = llvm::StringRef(at, length);
  at += length;
  return true;
}
