// Functions of a program, built op by op through the compiler's C API while Python traces one.
#include "Array.h"
#include "Compiler.h"
#include "Elements.h"

#include "twrt/twrt.h"

#include <deque>

using namespace tw::python;

namespace {

/// What a call of an op takes, and what keeps it alive.
class Arguments {
public:
  Arguments(TwcFunction *function, nb::handle kinds, nb::handle given) : function(function) {
    std::string letters = nb::cast<std::string>(kinds);
    nb::tuple values = nb::cast<nb::tuple>(given);
    for (size_t i = 0; i != values.size(); ++i) {
      TwcArgument argument = {};
      nb::handle value = values[i];
      if (!value.is_none())
        set(argument, letters[i], value);
      all.push_back(argument);
    }
  }

  std::vector<TwcArgument> all;

private:
  TwcValue toValue(nb::handle value) const {
    return {function, reinterpret_cast<void *>(nb::cast<uintptr_t>(value))};
  }

  /// "v" a value, "V" several, "n" a number, "b" a bool, "i" an integer, "I" one or several, "T"
  /// the name of an element type, "s" a text.
  void set(TwcArgument &argument, char kind, nb::handle value) {
    switch (kind) {
    case 'v':
      argument.kind = TWC_ARGUMENT_VALUE;
      argument.value = toValue(value);
      return;
    case 'V': {
      argument.kind = TWC_ARGUMENT_VALUES;
      std::vector<TwcValue> &list = values.emplace_back();
      for (nb::handle one : value)
        list.push_back(toValue(one));
      argument.values = list.data();
      argument.count = uint32_t(list.size());
      return;
    }
    case 'n':
      argument.kind = TWC_ARGUMENT_NUMBER;
      argument.number = nb::cast<double>(value);
      return;
    case 'b':
      argument.kind = TWC_ARGUMENT_BOOL;
      argument.integer = nb::cast<bool>(value);
      return;
    case 'i':
      argument.kind = TWC_ARGUMENT_INTEGER;
      argument.integer = nb::cast<int64_t>(value);
      return;
    case 'I': {
      argument.kind = TWC_ARGUMENT_INTEGERS;
      std::vector<int64_t> &list = integers.emplace_back();
      for (nb::handle one : value)
        list.push_back(nb::cast<int64_t>(one));
      argument.integers = list.data();
      argument.count = uint32_t(list.size());
      return;
    }
    case 'T': {
      argument.kind = TWC_ARGUMENT_TYPE;
      std::string name = nb::cast<std::string>(value);
      std::optional<uint32_t> element = findElement(name);
      if (!element)
        raise("ArgumentError", "T0213", "unknown element type '" + name + "'");
      argument.integer = *element;
      return;
    }
    default:
      argument.kind = TWC_ARGUMENT_TEXT;
      argument.text = texts.emplace_back(nb::cast<std::string>(value)).c_str();
    }
  }

  TwcFunction *function;
  // Elements stay where they are.
  std::deque<std::vector<TwcValue>> values;
  std::deque<std::vector<int64_t>> integers;
  std::deque<std::string> texts;
};

/// One function in a module of its own. Values are numbers; each call returns what it made, or the
/// diagnostics, beside the compiler's code.
class Trace {
public:
  explicit Trace(const std::string &library) : api(getCompiler(library)) {
    TwcOptions options = {sizeof(options), 1, 0};
    if (api->contextCreate(&options, &context) != TWC_OK ||
        api->moduleCreate(context, nullptr, &module) != TWC_OK ||
        api->functionCreate(module, "main", &function) != TWC_OK) {
      release();
      raise("CompileError", "T0610", "the compiler cannot begin a program");
    }
  }
  Trace(const Trace &) = delete;
  ~Trace() { release(); }

  nb::tuple argument(const std::string &name, const std::string &dtype, nb::tuple shape,
                     nb::tuple place) {
    std::optional<uint32_t> element = findElement(dtype);
    if (!element)
      raise("ArgumentError", "T0213", "'" + name + "' is of the unknown element type " + dtype);
    std::vector<int64_t> dims;
    for (nb::handle size : shape)
      dims.push_back(nb::cast<int64_t>(size));
    TwcType type = {*element, uint32_t(dims.size()), dims.data(), nullptr};
    Place at(place);
    TwcValue value = {};
    TwcCode code = api->functionArgument(function, name.c_str(), &type, &at.place, sink(), &value);
    return finish(code, value.value);
  }

  /// Lets a result take the memory of an argument of its type.
  nb::tuple alias(uintptr_t argument, uint32_t result, nb::tuple shape, nb::tuple place) {
    std::vector<int64_t> dims;
    for (nb::handle size : shape)
      dims.push_back(nb::cast<int64_t>(size));
    TwcType storage = {0, uint32_t(dims.size()), dims.data(), nullptr};
    Place at(place);
    TwcCode code =
        api->functionAlias(function, toValue(argument), result, &storage, &at.place, sink());
    return finish(code, nullptr);
  }

  /// Of an array; of a number or a list with that element type.
  nb::tuple constant(nb::handle object, const std::string &dtype, nb::tuple place) {
    Array array;
    array.set(object, findElement(dtype).value_or(TWRT_F32), "a constant");
    std::vector<char> copy;
    if (!array.data || !array.isDense()) {
      if (!array.data && array.bytes())
        raise("ArgumentError", "T0605", "a constant is expected to lie on the host");
      copy.resize(std::max<uint64_t>(array.bytes(), 1));
      array.copyTo(copy.data());
    }
    TwcTensor tensor = {array.element, array.rank, array.dims,
                        copy.empty() ? array.data : copy.data()};
    Place at(place);
    TwcValue value = {};
    TwcCode code = api->functionConstant(function, &tensor, &at.place, sink(), &value);
    return finish(code, value.value);
  }

  /// Of a file in the folder of weights.
  nb::tuple fileConstant(const std::string &file, uint64_t offset, const std::string &dtype,
                         nb::tuple shape, nb::tuple place) {
    std::optional<uint32_t> element = findElement(dtype);
    if (!element)
      raise("ArgumentError", "T0213", "unknown element type '" + dtype + "'");
    std::vector<int64_t> dims;
    for (nb::handle size : shape)
      dims.push_back(nb::cast<int64_t>(size));
    TwcType type = {*element, uint32_t(dims.size()), dims.data(), nullptr};
    Place at(place);
    TwcValue value = {};
    TwcCode code =
        api->functionFileConstant(function, file.c_str(), offset, &type, &at.place, sink(), &value);
    return finish(code, value.value);
  }

  nb::tuple call(const std::string &op, nb::handle kinds, nb::handle given, nb::tuple place) {
    Arguments arguments(function, kinds, given);
    Place at(place);
    Results results;
    TwcCode code =
        api->functionCall(function, op.c_str(), arguments.all.data(), arguments.all.size(),
                          &at.place, sink(), results.values, &results.count);
    return finish(code, results);
  }

  nb::tuple cond(uintptr_t predicate, nb::object then, nb::object otherwise, nb::tuple place) {
    Place at(place);
    Results results;
    Region first{this, then}, second{this, otherwise};
    TwcCode code = api->functionCond(function, toValue(predicate), first.get(), second.get(),
                                     &at.place, sink(), results.values, &results.count);
    return finish(code, results);
  }

  nb::tuple whileLoop(nb::object condition, nb::object body, nb::tuple init, int64_t limit,
                      nb::tuple place) {
    Place at(place);
    Results results;
    Region first{this, condition}, second{this, body};
    std::vector<TwcValue> values = toValues(init);
    TwcCode code =
        api->functionWhile(function, first.get(), second.get(), values.data(), values.size(), limit,
                           &at.place, sink(), results.values, &results.count);
    return finish(code, results);
  }

  nb::tuple scan(nb::object body, nb::tuple init, nb::tuple xs, int64_t length, bool reverse,
                 nb::tuple place) {
    Place at(place);
    Results results;
    Region region{this, body};
    std::vector<TwcValue> values = toValues(init), slices = toValues(xs);
    TwcCode code = api->functionScan(function, region.get(), values.data(), values.size(),
                                     slices.data(), slices.size(), length, reverse, &at.place,
                                     sink(), results.values, &results.count);
    return finish(code, results);
  }

  nb::tuple associativeScan(nb::object combine, nb::tuple xs, int64_t axis, bool reverse,
                            nb::tuple place) {
    Place at(place);
    Results results;
    Region region{this, combine};
    std::vector<TwcValue> values = toValues(xs);
    TwcCode code =
        api->functionAssociativeScan(function, region.get(), values.data(), values.size(), axis,
                                     reverse, &at.place, sink(), results.values, &results.count);
    return finish(code, results);
  }

  nb::tuple type(uintptr_t value) const {
    uint32_t element = 0, rank = 0;
    int64_t dims[maxRank] = {};
    api->valueType(toValue(value), &element, &rank, dims, maxRank);
    nb::list shape;
    for (uint32_t i = 0; i != std::min<uint32_t>(rank, maxRank); ++i)
      shape.append(dims[i]);
    return nb::make_tuple(nameOf(element), nb::tuple(shape));
  }

  /// Ends the function and gives the program as MLIR's bytecode.
  nb::tuple finishProgram(nb::tuple results, nb::tuple names, nb::tuple place) {
    std::vector<TwcValue> values = toValues(results);
    std::deque<std::string> texts;
    std::vector<const char *> pointers;
    for (nb::handle name : names)
      pointers.push_back(texts.emplace_back(nb::cast<std::string>(name)).c_str());
    Place at(place);
    TwcCode code = api->functionReturn(function, values.data(), pointers.data(), values.size(),
                                       &at.place, sink());
    TwcBlob *blob = nullptr;
    if (code == TWC_OK)
      code = api->modulePrint(module, TWC_PRINT_BYTECODE | TWC_PRINT_LOCATIONS, &blob);
    if (code != TWC_OK)
      return nb::make_tuple(uint32_t(code), nb::bytes("", 0), takeDiagnostics());
    TwcBytes bytes = api->blobBytes(blob);
    nb::bytes program(bytes.data, bytes.size);
    api->blobRelease(blob);
    return nb::make_tuple(uint32_t(code), program, takeDiagnostics());
  }

private:
  static constexpr size_t kMost = 1024;

  struct Results {
    TwcValue values[kMost];
    size_t count = kMost;
  };

  struct Place {
    explicit Place(nb::tuple from)
        : file(nb::cast<std::string>(from[0])), place{file.c_str(), nb::cast<uint32_t>(from[1]),
                                                      nb::cast<uint32_t>(from[2])} {}
    std::string file;
    TwcPlace place;
  };

  /// A Python function from numbers of values to numbers of values. What it raises ends the call
  /// that builds, and is raised then.
  struct Region {
    Trace *trace;
    nb::object function;

    TwcRegion get() { return {build, this}; }
    static size_t build(void *user, const TwcValue *arguments, size_t count, TwcValue *values,
                        size_t capacity) {
      auto &self = *static_cast<Region *>(user);
      if (self.trace->raised)
        return capacity + 1;
      try {
        nb::list given;
        for (size_t i = 0; i != count; ++i)
          given.append(reinterpret_cast<uintptr_t>(arguments[i].value));
        std::vector<TwcValue> made =
            self.trace->toValues(nb::cast<nb::tuple>(self.function(nb::tuple(given))));
        if (made.size() > capacity)
          return capacity + 1;
        std::copy(made.begin(), made.end(), values);
        return made.size();
      } catch (nb::python_error &error) {
        self.trace->raised.emplace(error);
      } catch (std::exception &error) {
        PyErr_SetString(PyExc_TypeError, error.what());
        self.trace->raised.emplace();
      }
      return capacity + 1;
    }
  };

  TwcValue toValue(uintptr_t value) const { return {function, reinterpret_cast<void *>(value)}; }
  std::vector<TwcValue> toValues(nb::tuple numbers) const {
    std::vector<TwcValue> values;
    for (nb::handle number : numbers)
      values.push_back(toValue(nb::cast<uintptr_t>(number)));
    return values;
  }

  TwcSink sink() { return {collect, &diagnostics}; }
  nb::list takeDiagnostics() {
    nb::list list = toList(diagnostics);
    diagnostics.clear();
    return list;
  }

  nb::tuple finish(TwcCode code, void *value) {
    return nb::make_tuple(uint32_t(code), reinterpret_cast<uintptr_t>(value), takeDiagnostics());
  }
  nb::tuple finish(TwcCode code, const Results &results) {
    if (raised) {
      nb::python_error error = std::move(*raised);
      raised.reset();
      diagnostics.clear();
      throw error;
    }
    nb::list numbers;
    for (size_t i = 0; code == TWC_OK && i != results.count; ++i)
      numbers.append(reinterpret_cast<uintptr_t>(results.values[i].value));
    return nb::make_tuple(uint32_t(code), numbers, takeDiagnostics());
  }

  void release() {
    if (module)
      api->moduleRelease(module);
    if (context)
      api->contextRelease(context);
  }

  const TwcApi *api;
  TwcContext *context = nullptr;
  TwcModule *module = nullptr;
  TwcFunction *function = nullptr;
  std::vector<Diagnostic> diagnostics;
  std::optional<nb::python_error> raised;
};

} // namespace

#define DIAGNOSTICS "list[tuple[int, str, str, str, int, int, str, str, str]]"
#define PLACE "place: tuple[str, int, int]"
#define MADE "tuple[int, list[int], " DIAGNOSTICS "]"
#define BUILD "collections.abc.Callable[[tuple[int, ...]], tuple[int, ...]]"

void tw::python::bindTrace(nb::module_ &module) {
  nb::class_<Trace>(module, "Trace",
                    "A function in the making; its values are numbers. Each method returns a code "
                    "of the compiler, what it made, and the diagnostics.")
      .def(nb::init<const std::string &>(), nb::arg("library"))
      .def("argument", &Trace::argument, nb::arg("name"), nb::arg("dtype"), nb::arg("shape"),
           nb::arg("place"),
           nb::sig("def argument(self, name: str, dtype: str, shape: tuple[int, ...], " PLACE
                   ") -> tuple[int, int, " DIAGNOSTICS "]"))
      .def("alias", &Trace::alias, nb::arg("argument"), nb::arg("result"), nb::arg("shape"),
           nb::arg("place"),
           nb::sig("def alias(self, argument: int, result: int, shape: tuple[int, ...], " PLACE
                   ") -> tuple[int, int, " DIAGNOSTICS "]"))
      .def("constant", &Trace::constant, nb::arg("array"), nb::arg("dtype"), nb::arg("place"),
           nb::sig("def constant(self, array: object, dtype: str, " PLACE
                   ") -> tuple[int, int, " DIAGNOSTICS "]"))
      .def("file_constant", &Trace::fileConstant, nb::arg("file"), nb::arg("offset"),
           nb::arg("dtype"), nb::arg("shape"), nb::arg("place"),
           nb::sig("def file_constant(self, file: str, offset: int, dtype: str, "
                   "shape: tuple[int, ...], " PLACE ") -> tuple[int, int, " DIAGNOSTICS "]"))
      .def("call", &Trace::call, nb::arg("op"), nb::arg("kinds"), nb::arg("arguments"),
           nb::arg("place"),
           nb::sig("def call(self, op: str, kinds: str, arguments: tuple[object, ...], " PLACE
                   ") -> " MADE))
      .def("cond", &Trace::cond, nb::arg("predicate"), nb::arg("then"), nb::arg("otherwise"),
           nb::arg("place"),
           nb::sig("def cond(self, predicate: int, then: " BUILD ", otherwise: " BUILD ", " PLACE
                   ") -> " MADE))
      .def("while_loop", &Trace::whileLoop, nb::arg("condition"), nb::arg("body"), nb::arg("init"),
           nb::arg("limit"), nb::arg("place"),
           nb::sig("def while_loop(self, condition: " BUILD ", body: " BUILD
                   ", init: tuple[int, ...], limit: int, " PLACE ") -> " MADE))
      .def("scan", &Trace::scan, nb::arg("body"), nb::arg("init"), nb::arg("xs"), nb::arg("length"),
           nb::arg("reverse"), nb::arg("place"),
           nb::sig("def scan(self, body: " BUILD ", init: tuple[int, ...], xs: tuple[int, ...], "
                   "length: int, reverse: bool, " PLACE ") -> " MADE))
      .def("associative_scan", &Trace::associativeScan, nb::arg("combine"), nb::arg("xs"),
           nb::arg("axis"), nb::arg("reverse"), nb::arg("place"),
           nb::sig("def associative_scan(self, combine: " BUILD ", xs: tuple[int, ...], axis: int, "
                   "reverse: bool, " PLACE ") -> " MADE))
      .def("type", &Trace::type, nb::arg("value"),
           nb::sig("def type(self, value: int) -> tuple[str, tuple[int, ...]]"))
      .def("finish", &Trace::finishProgram, nb::arg("results"), nb::arg("names"), nb::arg("place"),
           nb::sig("def finish(self, results: tuple[int, ...], names: tuple[str, ...], " PLACE
                   ") -> tuple[int, bytes, " DIAGNOSTICS "]"));
}
