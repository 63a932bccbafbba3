// Inputs from files or a seed, and which file is for which value.
#include "Support/Arguments.h"
#include "Support/File.h"
#include "Tensors.h"
#include "tw/Format/Checked.h"
#include "tw/Format/Element.h"
#include "twrt/twrt.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unistd.h>

using namespace tw::run;
using namespace tw::support;

static std::string listNames(const std::vector<Value> &values) {
  std::string names;
  for (const Value &value : values)
    names += (names.empty() ? "" : ", ") + value.name;
  return names;
}

static size_t findValue(const std::vector<Value> &values, std::string_view name) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].name == name)
      return i;
  return values.size();
}

std::vector<Assignment> tw::run::assign(const std::vector<std::string> &arguments,
                                        const std::vector<Value> &values, const char *what,
                                        Problems &problems) {
  std::vector<Assignment> assignments;
  std::vector<bool> taken(values.size());
  std::vector<std::string> unnamed;
  for (const std::string &argument : arguments) {
    size_t equals = argument.find('=');
    if (equals == argument.npos) {
      unnamed.push_back(argument);
      continue;
    }
    std::string name = argument.substr(0, equals);
    size_t index = findValue(values, name);
    if (index == values.size()) {
      std::vector<std::string_view> names;
      for (const Value &value : values)
        names.push_back(value.name);
      std::string_view similar = findSimilar(name, names);
      problems.add("T0606",
                   std::string("no ") + what + " '" + name + "'; the " + what +
                       "s are: " + listNames(values) +
                       (similar.empty() ? "" : "; did you mean '" + std::string(similar) + "'?"));
    } else if (taken[index]) {
      problems.add("T0606", std::string(what) + " '" + name + "' is given twice");
    } else {
      taken[index] = true;
      assignments.push_back({index, argument.substr(equals + 1)});
    }
  }
  size_t next = 0;
  for (const std::string &file : unnamed) {
    while (next < values.size() && taken[next])
      ++next;
    if (next == values.size()) {
      problems.add("T0606", std::string("no ") + what + " is left for " + file + "; the " + what +
                                "s are: " + listNames(values));
      break;
    }
    taken[next] = true;
    assignments.push_back({next, file});
  }
  return assignments;
}

bool tw::run::readTensor(const std::string &path, const Value &value, const char *role,
                         Tensor &tensor, Problems &problems) {
  MappedFile file;
  std::string error;
  if (!file.open(path, error)) {
    problems.add("T0603", error);
    return false;
  }
  if (!parseNpy(file.bytes(), tensor.array, error)) {
    problems.add("T0604", path + ": " + error);
    return false;
  }
  tensor.name = value.name;
  if (tensor.array.saysBytesAlone && shareNpyName(tensor.array.element, value.element))
    tensor.array.element = value.element;
  bool same =
      tensor.array.element == value.element && tensor.array.dims.size() == value.dims.size();
  for (size_t i = 0; same && i < value.dims.size(); ++i)
    same = value.dims[i] < 0 || value.dims[i] == tensor.array.dims[i];
  if (!same) {
    std::string expected = formatType(value.element, value.dims);
    for (size_t at; (at = expected.find('-')) != expected.npos;)
      expected.replace(at, std::min(expected.find_first_of(",]", at), expected.size()) - at, "?");
    problems.add("T0605", path + ": " + role + " '" + value.name + "': expected " + expected +
                              ", found " + formatType(tensor.array.element, tensor.array.dims) +
                              "; convert it with numpy's astype and reshape");
  }
  return same;
}

namespace {
/// SplitMix64: the same numbers on every machine.
struct Random {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
};
} // namespace

/// Floats between -1 and 1, integers between 0 and 9.
template <typename T> static void storeAll(std::vector<uint8_t> &data, Random &random) {
  for (size_t i = 0; i + sizeof(T) <= data.size(); i += sizeof(T)) {
    uint64_t bits = random.next();
    T value = std::is_integral_v<T> ? T(bits % 10) : T(double(bits >> 11) * 0x1p-52 - 1);
    memcpy(data.data() + i, &value, sizeof(T));
  }
}

static bool fillRandom(Tensor &tensor, Random random) {
  std::vector<uint8_t> &data = tensor.array.data;
  return tw::format::visitElement(tw::format::ElementType(tensor.element()), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bool>)
      for (uint8_t &byte : data)
        byte = random.next() >> 63;
    else
      storeAll<T>(data, random);
  });
}

/// False if there is no such memory, which the system need not notice before it is used.
static bool allocate(std::vector<uint8_t> &data, uint64_t bytes) {
  uint64_t machine = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  if (bytes > machine)
    return false;
  void *there = malloc(bytes);
  free(there);
  if (!there && bytes)
    return false;
  data.resize(bytes);
  return true;
}

bool tw::run::isDeclared(const std::string &symbol) {
  return symbol.find(' ') == std::string::npos &&
         symbol.find_first_not_of("0123456789") != std::string::npos;
}

/// The size of a dimension. While it follows from no other, declared symbols are the least: itself,
/// else in order.
static int64_t settle(int64_t dim, const OpenSizes &open, SymbolSizes &symbols) {
  auto set = [&](size_t symbol) {
    symbols.try_emplace(-1 - int64_t(symbol), open.least[symbol]);
    open.deduce(symbols);
  };
  if (isDeclared(open.names[size_t(-1 - dim)]))
    set(size_t(-1 - dim));
  for (size_t i = 0; i < open.names.size() && !symbols.count(dim); ++i)
    if (isDeclared(open.names[i]))
      set(i);
  return symbols.try_emplace(dim, open.least[size_t(-1 - dim)]).first->second;
}

std::vector<Tensor> tw::run::makeInputs(const Options &options, const std::vector<Value> &values,
                                        const OpenSizes &open, Problems &problems,
                                        std::vector<std::string> &notes) {
  std::vector<Tensor> inputs(values.size());
  std::vector<bool> given(values.size());
  SymbolSizes symbols;
  for (const Assignment &assignment : assign(options.inputs, values, "input", problems)) {
    const Value &value = values[assignment.value];
    Tensor &tensor = inputs[assignment.value];
    given[assignment.value] = true;
    if (readTensor(assignment.file, value, "input", tensor, problems))
      for (size_t d = 0; d < value.dims.size(); ++d)
        if (value.dims[d] < 0)
          symbols.try_emplace(value.dims[d], tensor.array.dims[d]);
  }
  for (const std::string &symbol : options.symbols) {
    size_t equals = symbol.rfind('=');
    auto it = std::find(open.names.begin(), open.names.end(), symbol.substr(0, equals));
    if (it != open.names.end())
      symbols.try_emplace(-1 - (it - open.names.begin()), std::stoll(symbol.substr(equals + 1)));
  }
  open.deduce(symbols);
  for (size_t i = 0; i < values.size(); ++i) {
    if (given[i])
      continue;
    const Value &value = values[i];
    Tensor &tensor = inputs[i];
    tensor.name = value.name;
    tensor.array.element = value.element;
    uint64_t bytes = twrtElementBytes(value.element);
    bool fits = true;
    for (size_t d = 0; d < value.dims.size(); ++d) {
      int64_t dim = value.dims[d];
      if (dim < 0) {
        bool isOpen = !symbols.count(dim);
        dim = settle(dim, open, symbols);
        if (isOpen)
          notes.push_back("dimension " + std::to_string(d) + " of input '" + value.name +
                          "' is open: set to " + std::to_string(dim));
      }
      tensor.array.dims.push_back(dim);
      fits = fits && format::checkedMul(bytes, uint64_t(dim), bytes);
    }
    if (!fits || !allocate(tensor.array.data, bytes))
      problems.add("T0610", "not enough memory for input '" + value.name + "' of type " +
                                formatType(value.element, tensor.array.dims));
    else if (!value.assumed.empty())
      std::copy(value.assumed.begin(), value.assumed.end(), tensor.array.data.begin());
    else if (!fillRandom(tensor, {options.seed * 0x2545f4914f6cdd1d + i}))
      problems.add("T0605", "input '" + value.name + "' is of type " +
                                twrtElementName(value.element) +
                                ", for which there are no random values; give it with --input");
  }
  return inputs;
}
