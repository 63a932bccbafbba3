// Reads and writes NumPy's .npy files, as numpy.lib.format specifies them.
#include "Npy.h"
#include "tw/Format/Checked.h"
#include "tw/Format/ComplexElements.h"
#include "tw/Format/Element.h"
#include "twrt/twrt.h"

#include <algorithm>
#include <cstring>
#include <string_view>

using namespace tw::support;
using namespace tw::format;

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

/// Reads the header, a Python dictionary literal with exactly the keys descr, fortran_order, shape.
struct HeaderParser {
  std::string_view text;
  uint64_t start;
  std::string &error;
  size_t at = 0;
  std::string_view descr = {};
  bool fortran = false;
  std::vector<int64_t> dims = {};
  bool hasDescr = false, hasFortran = false, hasShape = false;

  bool fail(const std::string &what) {
    error = "offset " + std::to_string(start + at) + ": " + what;
    return false;
  }
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
      ++at;
  }
  bool take(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (text.substr(at, word.size()) != word)
      return false;
    at += word.size();
    return true;
  }
  bool takeString(std::string_view &string) {
    skipSpace();
    if (at >= text.size() || (text[at] != '\'' && text[at] != '"'))
      return fail("expected a string in the header");
    char quote = text[at++];
    size_t end = text.find(quote, at);
    if (end == text.npos)
      return fail("the header has a string without end");
    string = text.substr(at, end - at);
    at = end + 1;
    return true;
  }
  bool parseShape() {
    if (!take('('))
      return fail("expected the shape as a tuple");
    while (!take(')')) {
      skipSpace();
      size_t digits = at;
      int64_t value = 0;
      for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
        if (!checkedMul(value, int64_t(10), value) ||
            !tw::format::checkedAdd(value, int64_t(text[at] - '0'), value))
          return fail("a dimension of the shape is too large");
      if (digits == at)
        return fail("expected a dimension in the shape");
      dims.push_back(value);
      if (dims.size() > 32)
        return fail("the shape has more than 32 dimensions");
      take('L');
      if (!take(',')) {
        if (!take(')'))
          return fail("expected ',' or ')' in the shape");
        break;
      }
    }
    return true;
  }
  bool parse() {
    if (!take('{'))
      return fail("expected the header to be a dictionary");
    while (!take('}')) {
      std::string_view key;
      if (!takeString(key))
        return false;
      if (!take(':'))
        return fail("expected ':' after a key of the header");
      if (key == "descr" && !hasDescr) {
        hasDescr = true;
        skipSpace();
        if (at < text.size() && text[at] == '[')
          return fail("found an array of records, expected plain numbers");
        if (!takeString(descr))
          return false;
      } else if (key == "fortran_order" && !hasFortran) {
        hasFortran = true;
        fortran = takeWord("True");
        if (!fortran && !takeWord("False"))
          return fail("expected True or False for fortran_order");
      } else if (key == "shape" && !hasShape) {
        hasShape = true;
        if (!parseShape())
          return false;
      } else {
        return fail("unexpected key '" + std::string(key.substr(0, 40)) + "' in the header");
      }
      if (!take(',')) {
        if (!take('}'))
          return fail("expected ',' or '}' in the header");
        break;
      }
    }
    if (!hasDescr || !hasFortran || !hasShape)
      return fail("the header lacks descr, fortran_order or shape");
    return true;
  }
};

} // namespace

std::string tw::support::formatType(uint32_t element, std::span<const int64_t> dims) {
  std::string text = twrtElementName(element);
  text += '[';
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

/// What NumPy calls an element type; empty for what it has no name for.
static std::string_view nameOf(const ElementInfo &info) {
  if (info.kind != ElementKind::Complex)
    return info.npy;
  return info.type == ElementType::C64 ? "c8" : "c16";
}

/// The same with what it is where that only says bytes: "f4", "V2 (bf16)", "V1 (f8)".
static std::string describeKind(const ElementInfo &info) {
  std::string text(nameOf(info));
  return text[0] == 'V' ? text + " (" + std::string(info.bits == 8 ? "f8" : info.name) + ")" : text;
}

static bool parseDescr(std::string_view descr, const ElementInfo *&kind, bool &swapped,
                       std::string &error) {
  std::string_view rest = descr;
  char order = '|';
  if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != rest.npos) {
    order = rest[0];
    rest.remove_prefix(1);
  }
  // ml_dtypes calls this one a float, the others of 8 bits bytes.
  if (rest == "f1") {
    kind = findElement(ElementType(TWRT_F8E5M2));
    swapped = false;
    return true;
  }
  std::string expected, last;
  for (const ElementInfo &candidate : elementTypes) {
    if (nameOf(candidate).empty())
      continue;
    if (rest == nameOf(candidate)) {
      kind = &candidate;
      swapped = order == '>' && elementAlignment(candidate.type) > 1;
      return true;
    }
    std::string described = describeKind(candidate);
    if (described != last)
      expected += (expected.empty() ? "" : ", ") + described;
    last = described;
  }
  error =
      "found element type '" + std::string(descr.substr(0, 40)) + "', expected one of " + expected;
  return false;
}

static void swapBytes(std::vector<uint8_t> &data, uint32_t width) {
  for (size_t i = 0; i + width <= data.size(); i += width)
    std::reverse(data.begin() + long(i), data.begin() + long(i + width));
}

/// Column-major to row-major.
static std::vector<uint8_t> turn(const std::vector<uint8_t> &data, const std::vector<int64_t> &dims,
                                 uint32_t width) {
  std::vector<uint8_t> turned(data.size());
  std::vector<int64_t> index(dims.size());
  for (size_t to = 0; to + width <= data.size(); to += width) {
    size_t from = 0;
    for (size_t d = dims.size(); d-- > 0;)
      from = from * size_t(dims[d]) + size_t(index[d]);
    memcpy(turned.data() + to, data.data() + from * width, width);
    for (size_t d = dims.size(); d-- > 0;) {
      if (++index[d] < dims[d])
        break;
      index[d] = 0;
    }
  }
  return turned;
}

namespace {
struct Header {
  const ElementInfo *kind = nullptr;
  bool swapped = false, fortran = false, saysBytesAlone = false;
  std::vector<int64_t> dims;
  /// Where the data begins.
  uint64_t end = 0;
};
} // namespace

static bool parseHeader(std::span<const uint8_t> file, Header &header, std::string &error) {
  std::string_view text(reinterpret_cast<const char *>(file.data()), file.size());
  if (text.substr(0, 6) != magic || text.size() < 10) {
    error = "offset 0: not an .npy file: it does not begin with \\x93NUMPY";
    return false;
  }
  uint32_t major = file[6];
  if (major < 1 || major > 3) {
    error = "offset 6: found .npy version " + std::to_string(major) + ", expected 1 to 3";
    return false;
  }
  uint64_t start = major == 1 ? 10 : 12, length = 0;
  if (text.size() < start) {
    error = "offset 8: the file ends within the header";
    return false;
  }
  for (uint64_t i = start; i-- > 8;)
    length = length << 8 | file[i];
  if (length > text.size() - start) {
    error = "offset 8: the header takes " + std::to_string(length) + " bytes, the file has " +
            std::to_string(text.size() - start) + " after it: it is cut";
    return false;
  }
  HeaderParser parser{text.substr(start, length), start, error};
  if (!parser.parse())
    return false;
  header.fortran = parser.fortran;
  header.dims = std::move(parser.dims);
  header.end = start + length;
  header.saysBytesAlone = parser.descr.find('V') != parser.descr.npos;
  return parseDescr(parser.descr, header.kind, header.swapped, error);
}

bool tw::support::parseNpyHeader(std::span<const uint8_t> file, NpyArray &array,
                                 std::string &error) {
  Header header;
  if (!parseHeader(file, header, error))
    return false;
  array.element = uint32_t(header.kind->type);
  array.dims = std::move(header.dims);
  array.saysBytesAlone = header.saysBytesAlone;
  return true;
}

bool tw::support::parseNpy(std::span<const uint8_t> file, NpyArray &array, std::string &error) {
  Header header;
  if (!parseHeader(file, header, error))
    return false;
  uint32_t element = uint32_t(header.kind->type), width = uint32_t(elementBytes(header.kind->type));
  uint64_t bytes = width;
  for (int64_t dim : header.dims)
    if (!checkedMul(bytes, uint64_t(dim), bytes)) {
      error = "the size of the array overflows";
      return false;
    }
  uint64_t found = file.size() - header.end;
  if (found != bytes) {
    error = "offset " + std::to_string(header.end) + ": expected " + std::to_string(bytes) +
            " bytes of " + formatType(element, header.dims) + ", found " + std::to_string(found) +
            (found < bytes ? ": the file is cut" : "");
    return false;
  }
  array.element = element;
  array.dims = std::move(header.dims);
  array.saysBytesAlone = header.saysBytesAlone;
  array.data.assign(file.end() - long(bytes), file.end());
  if (header.swapped)
    swapBytes(array.data, uint32_t(elementAlignment(header.kind->type)));
  if (header.fortran && array.dims.size() > 1)
    array.data = turn(array.data, array.dims, width);
  if (element == TWRT_BOOL)
    for (uint8_t &byte : array.data)
      byte = byte != 0;
  return true;
}

bool tw::support::shareNpyName(uint32_t a, uint32_t b) {
  const ElementInfo *first = findElement(ElementType(a)), *second = findElement(ElementType(b));
  return first && second && !nameOf(*first).empty() && nameOf(*first) == nameOf(*second);
}

bool tw::support::formatNpy(uint32_t element, std::span<const int64_t> dims,
                            std::span<const uint8_t> data, std::string &file) {
  const ElementInfo *kind = findElement(ElementType(element));
  if (!kind || nameOf(*kind).empty())
    return false;
  std::string header = "{'descr': '";
  header += elementBytes(kind->type) == 1 ? '|' : '<';
  header += std::string(nameOf(*kind)) + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < dims.size(); ++i)
    header += std::to_string(dims[i]) + (i + 1 < dims.size() ? ", " : dims.size() == 1 ? "," : "");
  header += "), }";
  size_t length = (10 + header.size() + 1 + 63) / 64 * 64 - 10;
  header.resize(length - 1, ' ');
  header += '\n';
  file.assign(magic);
  file += char(1);
  file += char(0);
  file += char(length & 255);
  file += char(length >> 8);
  file += header;
  file.append(reinterpret_cast<const char *>(data.data()), data.size());
  return true;
}
