// The state of a program as a file of safetensors: a size, a header of JSON, the elements.
#include "State.h"
#include "Support/File.h"
#include "Support/Json.h"
#include "twrt/twrt.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

using namespace tw::run;
using namespace tw::support;

namespace {

struct Code {
  std::string_view name;
  uint32_t element;
};
constexpr Code codes[] = {{"BOOL", TWRT_BOOL},
                          {"I8", TWRT_I8},
                          {"U8", TWRT_U8},
                          {"I16", TWRT_I16},
                          {"U16", TWRT_U16},
                          {"I32", TWRT_I32},
                          {"U32", TWRT_U32},
                          {"I64", TWRT_I64},
                          {"U64", TWRT_U64},
                          {"F16", TWRT_F16},
                          {"BF16", TWRT_BF16},
                          {"F32", TWRT_F32},
                          {"F64", TWRT_F64},
                          {"F8_E4M3", TWRT_F8E4M3FN},
                          {"F8_E5M2", TWRT_F8E5M2},
                          {"F8_E4M3FNUZ", TWRT_F8E4M3FNUZ},
                          {"F8_E5M2FNUZ", TWRT_F8E5M2FNUZ}};

struct Entry {
  std::string name;
  uint32_t element = 0;
  std::vector<int64_t> dims;
  std::span<const uint8_t> data;
};

/// Reads the header: an object of objects of a text and two lists of numbers, and one of texts.
class Header {
public:
  Header(std::span<const uint8_t> file) : file(file) {}

  bool read(std::vector<Entry> &entries) {
    uint64_t size = 0;
    if (file.size() < 8)
      return false;
    memcpy(&size, file.data(), 8);
    if (size > file.size() - 8)
      return false;
    text = {reinterpret_cast<const char *>(file.data()) + 8, size};
    data = file.subspan(8 + size);
    return readObject([&](const std::string &name) {
      if (name == "__metadata__")
        return readObject([&](const std::string &) {
          std::string ignored;
          return readText(ignored);
        });
      Entry &entry = entries.emplace_back();
      entry.name = name;
      return readEntry(entry);
    });
  }

private:
  bool readEntry(Entry &entry) {
    bool isKnown = false;
    std::vector<int64_t> offsets;
    bool read = readObject([&](const std::string &key) {
      if (key == "shape")
        return readNumbers(entry.dims);
      if (key == "data_offsets")
        return readNumbers(offsets);
      std::string code;
      if (key != "dtype" || !readText(code))
        return false;
      for (const Code &known : codes)
        if (known.name == code) {
          entry.element = known.element;
          isKnown = true;
        }
      return isKnown;
    });
    if (!read || !isKnown || offsets.size() != 2 || offsets[0] > offsets[1] ||
        uint64_t(offsets[1]) > data.size())
      return false;
    entry.data = data.subspan(size_t(offsets[0]), size_t(offsets[1] - offsets[0]));
    unsigned __int128 bytes = twrtElementBytes(entry.element);
    for (int64_t dim : entry.dims)
      if ((bytes *= uint64_t(dim)) > data.size())
        return false;
    return bytes == entry.data.size();
  }

  void skipSpace() {
    while (at < text.size() && strchr(" \n\r\t", text[at]))
      ++at;
  }
  bool take(char c) {
    skipSpace();
    if (at == text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  template <typename Member> bool readObject(Member member) {
    if (!take('{'))
      return false;
    if (take('}'))
      return true;
    do {
      std::string key;
      if (!readText(key) || !take(':') || !member(key))
        return false;
    } while (take(','));
    return take('}');
  }
  bool readNumbers(std::vector<int64_t> &numbers) {
    if (!take('['))
      return false;
    if (take(']'))
      return true;
    do {
      skipSpace();
      int64_t number = 0;
      size_t start = at;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && at - start < 18; ++at)
        number = number * 10 + (text[at] - '0');
      if (at == start)
        return false;
      numbers.push_back(number);
    } while (take(','));
    return take(']');
  }
  /// Of escapes those of quotes and backslashes.
  bool readText(std::string &read) {
    if (!take('"'))
      return false;
    for (; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\' && (++at == text.size() || !strchr("\"\\/", text[at])))
        return false;
      read += text[at];
    }
    return take('"');
  }

  std::span<const uint8_t> file, data;
  std::string_view text;
  size_t at = 0;
};

/// "'w': expected f32[2], found f32[3]"; empty if it fits.
std::string findDifference(const Value &value, const std::vector<Entry> &entries) {
  auto it = std::find_if(entries.begin(), entries.end(),
                         [&](const Entry &entry) { return entry.name == value.name; });
  if (it == entries.end())
    return "'" + value.name + "' is missing";
  if (it->element == value.element && it->dims == value.dims)
    return "";
  return "'" + value.name + "': expected " + formatType(value.element, value.dims) + ", found " +
         formatType(it->element, it->dims);
}

} // namespace

void tw::run::readState(const std::string &path, const std::vector<Value> &values,
                        std::vector<Tensor> &inputs, Problems &problems) {
  if (std::none_of(values.begin(), values.end(), [](const Value &v) { return v.shares >= 0; })) {
    problems.add("T0606", "--state=" + path +
                              ": the program has no state: no result shares an input's memory "
                              "(tgraph.alias)");
    return;
  }
  if (access(path.c_str(), F_OK) != 0)
    return;
  MappedFile file;
  std::string error;
  if (!file.open(path, error)) {
    problems.add("T0603", error);
    return;
  }
  std::vector<Entry> entries;
  if (!Header(file.bytes()).read(entries)) {
    problems.add("T0603", path + " is no file of safetensors, or is damaged");
    return;
  }
  std::string differences;
  auto add = [&](const std::string &difference) {
    differences += (differences.empty() || difference.empty() ? "" : "; ") + difference;
  };
  for (const Value &value : values)
    if (value.shares >= 0)
      add(findDifference(value, entries));
  for (const Entry &entry : entries)
    if (std::none_of(values.begin(), values.end(), [&](const Value &value) {
          return value.shares >= 0 && value.name == entry.name;
        }))
      add("'" + entry.name + "' is too much");
  if (!differences.empty()) {
    problems.add("T0606", path + " is of another model: " + differences);
    return;
  }
  for (size_t i = 0; i < values.size(); ++i)
    for (const Entry &entry : entries)
      if (values[i].shares >= 0 && values[i].name == entry.name)
        inputs[i].array.data.assign(entry.data.begin(), entry.data.end());
}

void tw::run::writeState(const std::string &path, const std::vector<Value> &values,
                         const std::vector<Tensor> &outputs, Problems &problems) {
  std::string header, data;
  JsonWriter json(
      [](void *user, std::string_view piece) { static_cast<std::string *>(user)->append(piece); },
      &header);
  json.beginObject();
  for (const Value &value : values) {
    if (value.shares < 0)
      continue;
    const NpyArray &array = outputs[size_t(value.shares)].array;
    const Code *code = std::find_if(std::begin(codes), std::end(codes),
                                    [&](const Code &c) { return c.element == array.element; });
    if (code == std::end(codes)) {
      problems.add("T0601", "cannot write " + path + ": '" + value.name + "' is of type " +
                                twrtElementName(array.element));
      return;
    }
    json.key(value.name);
    json.beginObject();
    json.member("dtype", code->name);
    json.key("shape");
    json.beginArray();
    for (int64_t dim : array.dims)
      json.value(dim);
    json.endArray();
    json.key("data_offsets");
    json.beginArray();
    json.value(uint64_t(data.size()));
    data.append(array.data.begin(), array.data.end());
    json.value(uint64_t(data.size()));
    json.endArray();
    json.endObject();
  }
  json.endObject();
  header.append((8 - header.size() % 8) % 8, ' ');
  uint64_t size = header.size();
  std::string_view length(reinterpret_cast<const char *>(&size), 8);
  std::string error;
  if (!writeFileAtomically(path, {length, header, data}, error))
    problems.add("T0601", error);
}
