// The few fields of TensorProto that test data uses, in protobuf's wire format.
#include "TensorFile.h"

#include "tw/Format/Element.h"
#include "tw/Support/ReadFile.h"
#include "twrt/twrt.h"

#include <cstring>

void CaseTensor::resize(uint64_t bytes) {
  size = bytes;
  lines.assign((bytes + sizeof(Line) - 1) / sizeof(Line) + 1, Line());
}

uint64_t CaseTensor::elements() const {
  uint64_t count = 1;
  for (int64_t dim : dims)
    count *= static_cast<uint64_t>(dim);
  return count;
}

namespace {

/// TensorProto.DataType -> TwrtElement, or nothing for what has no memory layout here.
std::optional<uint32_t> elementOf(uint64_t type) {
  const tw::format::ElementInfo *info = tw::format::findOnnxElement(int64_t(type));
  return info ? std::optional<uint32_t>(uint32_t(info->type)) : std::nullopt;
}

/// A message's bytes, read field by field.
struct Wire {
  const char *at, *end;
  bool good = true;

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
      auto byte = static_cast<unsigned char>(*at++);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
    good = false;
    return 0;
  }

  Wire take(uint64_t length) {
    if (length > static_cast<uint64_t>(end - at)) {
      good = false;
      length = 0;
    }
    Wire part{at, at + length};
    at += length;
    return part;
  }

  uint64_t size() const { return static_cast<uint64_t>(end - at); }
};

/// Numbers from the typed fields; at most one of them and `raw` is filled.
struct Elements {
  std::vector<uint64_t> integers; ///< of int32_data, int64_data, uint64_data
  std::string floats;             ///< bytes of float_data or double_data
  std::optional<std::string> raw;
};

void readField(Wire &wire, CaseTensor &tensor, uint64_t &type, Elements &elements) {
  uint64_t key = wire.varint(), field = key >> 3, kind = key & 7;
  uint64_t single = 0;
  Wire part{wire.at, wire.at};
  if (kind == 0)
    single = wire.varint();
  else if (kind == 1)
    part = wire.take(8);
  else if (kind == 2)
    part = wire.take(wire.varint());
  else if (kind == 5)
    part = wire.take(4);
  else
    wire.good = false;
  auto integers = [&](auto &&append) {
    if (kind == 0)
      append(single);
    while (part.good && part.at < part.end)
      append(part.varint());
    wire.good &= part.good;
  };
  if (field == 1)
    integers([&](uint64_t v) { tensor.dims.push_back(static_cast<int64_t>(v)); });
  else if (field == 2)
    type = single;
  else if (field == 4 || field == 10)
    elements.floats.append(part.at, part.size());
  else if (field == 5 || field == 7 || field == 11)
    integers([&](uint64_t v) { elements.integers.push_back(v); });
  else if (field == 8)
    tensor.name.assign(part.at, part.size());
  else if (field == 9)
    elements.raw = std::string(part.at, part.size());
}

bool fill(CaseTensor &tensor, const Elements &elements) {
  size_t width = twrtElementBytes(tensor.element);
  tensor.resize(tensor.elements() * width);
  if (elements.raw || !elements.floats.empty()) {
    const std::string &bytes = elements.raw ? *elements.raw : elements.floats;
    if (bytes.size() != tensor.size)
      return false;
    std::memcpy(tensor.data(), bytes.data(), bytes.size());
    return true;
  }
  if (elements.integers.size() != tensor.elements())
    return false;
  for (size_t i = 0; i < elements.integers.size(); ++i)
    std::memcpy(tensor.data() + i * width, &elements.integers[i], width);
  return true;
}

} // namespace

std::optional<CaseTensor> readTensorFile(const std::string &path, std::string &error) {
  auto bytes = tw::mapFile(path);
  if (!bytes) {
    error = llvm::toString(bytes.takeError());
    return std::nullopt;
  }
  CaseTensor tensor;
  Elements elements;
  uint64_t type = 0;
  Wire wire{(*bytes)->getBufferStart(), (*bytes)->getBufferEnd()};
  while (wire.good && wire.at < wire.end)
    readField(wire, tensor, type, elements);
  std::optional<uint32_t> element = elementOf(type);
  if (!wire.good || !element) {
    error = path + " holds no tensor of a known element type (type " + std::to_string(type) + ")";
    return std::nullopt;
  }
  tensor.element = *element;
  if (!fill(tensor, elements)) {
    error = path + " does not hold the elements that its shape asks for";
    return std::nullopt;
  }
  return tensor;
}
