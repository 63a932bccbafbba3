// Reads tensors and types; field numbers as in onnx.proto.
#include "ValueReader.h"

using namespace tw::onnx;
using llvm::StringRef;

bool ValueReader::pair(StringRef bytes, StringPair &out) {
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    if (field.number == 1 && !string(field, out.key))
      return false;
    if (field.number == 2 && !string(field, out.value))
      return false;
  }
  return done();
}

bool ValueReader::tensor(StringRef bytes, Tensor &out) {
  out.offset = static_cast<uint64_t>(bytes.begin() - status.begin);
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    bool ok = true;
    int64_t number;
    switch (field.number) {
    case 1:
      ok = integers(field, out.dims);
      break;
    case 2:
      ok = integer(field, number);
      if (ok)
        out.type = static_cast<int32_t>(number);
      break;
    case 3:
      out.segmented = true;
      break;
    case 4:
      ok = packed(field, out.floats, 4);
      break;
    case 5:
      ok = packed(field, out.int32s, 0);
      break;
    case 6:
      ++out.strings;
      break;
    case 7:
      ok = packed(field, out.int64s, 0);
      break;
    case 8:
      ok = string(field, out.name);
      break;
    case 9: {
      StringRef raw;
      ok = string(field, raw);
      out.raw = raw;
      break;
    }
    case 10:
      ok = packed(field, out.doubles, 8);
      break;
    case 11:
      ok = packed(field, out.uint64s, 0);
      break;
    case 13:
      ok = is(field, WireKind::Bytes) && pair(field.bytes, out.externalData.emplace_back());
      break;
    case 14:
      ok = integer(field, number);
      out.external = ok && number == 1;
      break;
    }
    if (!ok)
      return false;
  }
  return done();
}

bool ValueReader::valueInfo(StringRef bytes, ValueInfo &out) {
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    if (field.number == 1 && !string(field, out.name))
      return false;
    if (field.number == 2 && !(is(field, WireKind::Bytes) && type(field.bytes, out)))
      return false;
  }
  return done();
}

bool ValueReader::type(StringRef bytes, ValueInfo &out) {
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    switch (field.number) {
    case 1:
      out.kind = ValueInfo::TensorKind;
      if (!is(field, WireKind::Bytes) || !tensorType(field.bytes, out))
        return false;
      break;
    case 4:
      out.kind = ValueInfo::SequenceKind;
      break;
    case 5:
      out.kind = ValueInfo::MapKind;
      break;
    case 8:
      out.kind = ValueInfo::SparseKind;
      break;
    case 9:
      out.kind = ValueInfo::OptionalKind;
      break;
    }
  }
  return done();
}

bool ValueReader::tensorType(StringRef bytes, ValueInfo &out) {
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    int64_t number;
    if (field.number == 1) {
      if (!integer(field, number))
        return false;
      out.elementType = static_cast<int32_t>(number);
    }
    if (field.number == 2 && !(is(field, WireKind::Bytes) && shape(field.bytes, out)))
      return false;
  }
  return done();
}

bool ValueReader::shape(StringRef bytes, ValueInfo &out) {
  out.hasShape = true;
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    if (field.number != 1)
      continue;
    if (!is(field, WireKind::Bytes))
      return false;
    Dimension &dimension = out.shape.emplace_back();
    WireReader inner(status, field.bytes);
    for (Field part; inner.next(part);) {
      int64_t number;
      if (part.number == 1) {
        if (!integer(part, number))
          return false;
        dimension.value = number;
      }
      if (part.number == 2 && !string(part, dimension.symbol))
        return false;
    }
  }
  return done();
}

std::optional<ReadError> tw::onnx::readTensor(StringRef bytes, Tensor &tensor) {
  ValueReader reader(bytes);
  reader.tensor(bytes, tensor);
  return reader.status.error;
}
