// Finds or decodes the elements of tensors.
#include "TensorData.h"

#include "WireReader.h"
#include "tw/Format/Element.h"
#include "tw/Support/ElementTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace tw;
using namespace tw::onnx;
using llvm::StringRef;
using llvm::Twine;

std::string tw::onnx::dataTypeName(int32_t type) {
  static constexpr const char *names[] = {
      "undefined",      "float32",  "uint8",        "int8",           "uint16",
      "int16",          "int32",    "int64",        "string",         "bool",
      "float16",        "float64",  "uint32",       "uint64",         "complex64",
      "complex128",     "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
      "float8e5m2fnuz", "uint4",    "int4",         "float4e2m1",     "float8e8m0",
      "uint2",          "int2"};
  if (type >= 0 && type < static_cast<int32_t>(std::size(names)))
    return names[type];
  return "type " + std::to_string(type);
}

unsigned tw::onnx::dataTypeBytes(int32_t type) {
  const format::ElementInfo *info = format::findOnnxElement(type);
  return info ? unsigned(format::elementBytes(info->type)) : 0;
}

mlir::Type tw::onnx::elementType(mlir::MLIRContext *context, int32_t type) {
  const format::ElementInfo *info = format::findOnnxElement(type);
  return info ? getElementType(context, info->type) : mlir::Type();
}

namespace {

struct ExternalLocation {
  StringRef location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

} // namespace

static std::optional<DataError> readExternalLocation(const Tensor &tensor, ExternalLocation &out) {
  for (const StringPair &pair : tensor.externalData) {
    uint64_t number;
    if (pair.key == "location") {
      out.location = pair.value;
    } else if (pair.key == "offset" || pair.key == "length") {
      if (pair.value.getAsInteger(10, number))
        return DataError{Code::T0115, ("external data of tensor '" + tensor.name + "' has the " +
                                       pair.key + " '" + pair.value + "', expected a number")
                                          .str()};
      if (pair.key == "offset")
        out.offset = number;
      else
        out.length = number;
    }
  }
  if (!FileResolver::isInside(out.location))
    return DataError{Code::T0114, ("tensor '" + tensor.name + "' keeps its data in '" +
                                   out.location + "', expected a path beneath the model's folder")
                                      .str()};
  return std::nullopt;
}

/// The packed field that holds the elements of a tensor of this type when there is no raw data.
static const PackedField &typedField(const Tensor &tensor) {
  switch (static_cast<DataType>(tensor.type)) {
  case DataType::Float:
    return tensor.floats;
  case DataType::Double:
    return tensor.doubles;
  case DataType::Int64:
    return tensor.int64s;
  case DataType::Uint32:
  case DataType::Uint64:
    return tensor.uint64s;
  default:
    return tensor.int32s;
  }
}

static std::string countMessage(const Tensor &tensor, uint64_t expected, uint64_t found,
                                StringRef unit) {
  return ("tensor '" + tensor.name + "' of type " + dataTypeName(tensor.type) + " expected " +
          Twine(expected) + " " + unit + ", found " + Twine(found))
      .str();
}

/// Decodes varints to `width` bytes each, little-endian.
static bool decodeVarints(const PackedField &field, unsigned width, bool isBool, size_t limit,
                          std::vector<char> &out) {
  for (StringRef piece : field.pieces) {
    const char *at = piece.begin(), *end = piece.end();
    while (at != end) {
      uint64_t value;
      at = decodeVarint(at, end, value);
      if (!at || out.size() > limit)
        return false;
      if (isBool)
        value = value != 0;
      for (unsigned i = 0; i < width; ++i)
        out.push_back(static_cast<char>(value >> (8 * i)));
    }
  }
  return true;
}

std::optional<DataError> tw::onnx::locateData(mlir::MLIRContext *context, const Tensor &tensor,
                                              StringRef modelFile, StringRef modelBytes,
                                              FileResolver &resolver, TensorData &data) {
  mlir::Type element = elementType(context, tensor.type);
  unsigned width = dataTypeBytes(tensor.type);
  if (!element || !width)
    return DataError{Code::T0107, ("tensor '" + tensor.name + "' has the element type " +
                                   dataTypeName(tensor.type) + ", which is not supported")
                                      .str()};
  if (tensor.segmented)
    return DataError{Code::T0117, ("tensor '" + tensor.name + "' is stored in segments").str()};
  uint64_t count = 1;
  for (int64_t dim : tensor.dims) {
    if (dim < 0)
      return DataError{Code::T0115, ("tensor '" + tensor.name + "' has the dimension " +
                                     Twine(dim) + ", expected 0 or more")
                                        .str()};
    bool overflow = false;
    count = llvm::SaturatingMultiply(count, static_cast<uint64_t>(dim), &overflow);
    if (overflow || count > (uint64_t(1) << 40))
      return DataError{Code::T0103,
                       ("tensor '" + tensor.name + "' has more than 2^40 elements").str()};
  }
  uint64_t expected = count * width;
  data.type = mlir::RankedTensorType::get(tensor.dims, element);
  data.owned.clear();

  if (tensor.external) {
    ExternalLocation where;
    if (auto error = readExternalLocation(tensor, where))
      return error;
    if (where.length && *where.length != expected)
      return DataError{Code::T0115, countMessage(tensor, expected, *where.length, "bytes")};
    llvm::Expected<StringRef> bytes = resolver.bytes(where.location, where.offset, expected);
    if (!bytes)
      return DataError{
          Code::T0113,
          ("data of tensor '" + tensor.name + "': " + llvm::toString(bytes.takeError())).str()};
    data.bytes = *bytes;
    data.file = where.location;
    data.offset = where.offset;
  } else if (tensor.raw) {
    if (tensor.raw->size() != expected)
      return DataError{Code::T0115, countMessage(tensor, expected, tensor.raw->size(), "bytes")};
    data.bytes = *tensor.raw;
    data.file = modelFile;
    data.offset = static_cast<uint64_t>(data.bytes.begin() - modelBytes.begin());
  } else {
    const PackedField &field = typedField(tensor);
    bool fixed = &field == &tensor.floats || &field == &tensor.doubles;
    if (fixed && field.pieces.size() == 1) {
      data.bytes = field.pieces.front();
      data.file = modelFile;
      data.offset = static_cast<uint64_t>(data.bytes.begin() - modelBytes.begin());
    } else if (fixed) {
      for (StringRef piece : field.pieces)
        data.owned.insert(data.owned.end(), piece.begin(), piece.end());
      data.bytes = StringRef(data.owned.data(), data.owned.size());
    } else {
      bool isBool = static_cast<DataType>(tensor.type) == DataType::Bool;
      if (!decodeVarints(field, width, isBool, expected, data.owned))
        return DataError{Code::T0115, countMessage(tensor, count, count + 1, "elements or fewer")};
      data.bytes = StringRef(data.owned.data(), data.owned.size());
    }
    if (data.bytes.size() != expected)
      return DataError{Code::T0115,
                       countMessage(tensor, count, data.bytes.size() / width, "elements")};
  }
  if (static_cast<DataType>(tensor.type) == DataType::Bool && data.owned.empty() &&
      llvm::any_of(data.bytes, [](char byte) { return byte != 0 && byte != 1; })) {
    for (char byte : data.bytes)
      data.owned.push_back(byte != 0);
    data.bytes = StringRef(data.owned.data(), data.owned.size());
  }
  return std::nullopt;
}
