// Ops.def as data, and calls by name: parameters are read from their text, functions called through
// their types.
#include "tw/Frontend/Table.h"

#include "State.h"

#include "tw/Support/Similar.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace tw::fe;
namespace fe = tw::fe;

//===---------------------------------------------------------------------------------------===//
// What a parameter of a C++ type is given.

namespace {

struct Given {
  const Function &function;
  const Argument &argument;
  Where where;
};

template <typename T> T read(const Given &given);

template <> On read(const Given &given) { return On(given.function, given.where); }

template <> Arg read(const Given &given) {
  if (auto *value = std::get_if<Value>(&given.argument))
    return Arg(*value, given.where);
  if (auto *number = std::get_if<int64_t>(&given.argument))
    return Arg(*number, given.where);
  if (auto *number = std::get_if<double>(&given.argument))
    return Arg(*number, given.where);
  if (auto *truth = std::get_if<bool>(&given.argument))
    return Arg(*truth, given.where);
  return Arg();
}

template <> Args read(const Given &given) {
  if (auto *value = std::get_if<Value>(&given.argument))
    return Args(Values{*value}, given.where);
  return Args(std::get<Values>(given.argument), given.where);
}

template <> int64_t read(const Given &given) { return std::get<int64_t>(given.argument); }
template <> bool read(const Given &given) { return std::get<bool>(given.argument); }
template <> DType read(const Given &given) { return std::get<DType>(given.argument); }
template <> Text read(const Given &given) { return std::get<std::string>(given.argument); }

template <> double read(const Given &given) {
  if (auto *number = std::get_if<int64_t>(&given.argument))
    return double(*number);
  return std::get<double>(given.argument);
}

template <> Ints read(const Given &given) {
  if (auto *one = std::get_if<int64_t>(&given.argument))
    return Ints(*one);
  if (auto *list = std::get_if<std::vector<int64_t>>(&given.argument))
    return Ints(*list);
  return Ints();
}

template <> Shape read(const Given &given) {
  if (auto *list = std::get_if<std::vector<int64_t>>(&given.argument))
    return Shape(list->begin(), list->end());
  if (auto *one = std::get_if<int64_t>(&given.argument))
    return Shape{*one};
  if (auto *shape = std::get_if<Shape>(&given.argument))
    return *shape;
  return {};
}

bool fits(Kind kind, const Argument &argument) {
  auto is = [&]<typename... T>() { return (std::holds_alternative<T>(argument) || ...); };
  switch (kind) {
  case Kind::Function:
    return true;
  case Kind::Value:
    return is.operator()<Value, int64_t, double, bool>();
  case Kind::Values:
    return is.operator()<Value, Values>();
  case Kind::Integer:
    return is.operator()<int64_t>();
  case Kind::Number:
    return is.operator()<double, int64_t>();
  case Kind::Bool:
    return is.operator()<bool>();
  case Kind::Integers:
    return is.operator()<int64_t, std::vector<int64_t>>();
  case Kind::Shape:
    return is.operator()<Shape, int64_t, std::vector<int64_t>>();
  case Kind::Type:
    return is.operator()<DType>() && format::findElement(std::get<DType>(argument));
  case Kind::Text:
    return is.operator()<std::string>();
  }
  return false;
}

template <typename Function> struct Caller;
template <typename Result, typename... P> struct Caller<Result (*)(P...)> {
  template <Result (*function)(P...)>
  static Values call(const fe::Function &where, const OpInfo &, std::span<const Argument> arguments,
                     Where at) {
    return [&]<size_t... I>(std::index_sequence<I...>)->Values {
      auto result = function(read<P>({where, arguments[I], at})...);
      if constexpr (std::is_same_v<Result, Value>)
        return {result};
      else
        return result;
    }
    (std::index_sequence_for<P...>());
  }
};

constexpr std::pair<llvm::StringLiteral, Kind> kinds[] = {
    {"On", Kind::Function},     {"Arg", Kind::Value},     {"Args", Kind::Values},
    {"int64_t", Kind::Integer}, {"double", Kind::Number}, {"bool", Kind::Bool},
    {"Ints", Kind::Integers},   {"Shape", Kind::Shape},   {"DType", Kind::Type},
    {"Text", Kind::Text}};

Argument parseDefault(StringRef text) {
  int64_t integer;
  double number;
  if (text.empty() || text == "{}")
    return {};
  if (text == "true" || text == "false")
    return text == "true";
  if (!text.getAsInteger(10, integer))
    return integer;
  if (!text.getAsDouble(number))
    return number;
  if (text.consume_front("\""))
    return text.drop_back().str();
  for (const format::ElementInfo &info : format::elementTypes)
    if (StringRef(info.name) == text)
      return info.type;
  llvm_unreachable("a default that Ops.def cannot have");
}

/// "(Arg x, int64_t axis = -1)"
std::vector<Parameter> parseParameters(StringRef text) {
  std::vector<Parameter> parameters;
  SmallVector<StringRef> parts;
  text.drop_front().drop_back().split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [declared, standard] = part.split('=');
    auto [type, name] = declared.trim().split(' ');
    auto *kind = llvm::find_if(kinds, [type = type](auto &known) { return known.first == type; });
    assert(kind != std::end(kinds) && "a type that Ops.def cannot have");
    parameters.push_back(
        {name.trim().str(), kind->second, standard.trim().str(), parseDefault(standard.trim())});
  }
  return parameters;
}

std::vector<OpInfo> makeTable() {
  std::vector<OpInfo> table;
  std::string_view section;
#define TW_SECTION(title) section = title;
#define TW_OP(result, name, parameters, text)                                                      \
  table.push_back({section, #name, text, std::is_same_v<result, Values>,                           \
                   parseParameters(#parameters), &Caller<decltype(&fe::name)>::call<&fe::name>});
#include "tw/Frontend/Ops.def"
  return table;
}

} // namespace

std::span<const OpInfo> fe::ops() {
  static const std::vector<OpInfo> table = makeTable();
  return table;
}

const OpInfo *fe::findOp(std::string_view name) {
  for (const OpInfo &op : ops())
    if (op.name == name)
      return &op;
  return nullptr;
}

std::string_view fe::str(Kind kind) {
  constexpr std::string_view names[] = {"function", "value", "values", "int",   "float",
                                        "bool",     "ints",  "shape",  "dtype", "str"};
  return names[size_t(kind)];
}

Values fe::call(const Function &function, std::string_view name, std::span<const Named> given,
                Where where) {
  std::string text(name);
  Scope s(text, On(function, where));
  const OpInfo *op = findOp(name);
  if (!op) {
    SmallVector<StringRef> known;
    for (const OpInfo &other : ops())
      known.push_back(other.name);
    return {s.error(Code::T0506, "no such function" + tw::listKnown(name, known))};
  }
  std::vector<Argument> arguments(op->parameters.size());
  std::vector<bool> set(arguments.size(), false);
  size_t count = op->severalResults ? 0 : 1, next = 0;
  auto fail = [&](const Twine &text) {
    s.error(Code::T0506, text);
    return s.poison(count);
  };
  for (const Named &one : given) {
    size_t place = 0;
    if (one.name.empty()) {
      while (next < arguments.size() && op->parameters[next].kind == Kind::Function)
        ++next;
      place = next++;
      if (place >= arguments.size())
        return fail("expected at most " + Twine(place) + " arguments, found " +
                    Twine(given.size()));
    } else {
      while (place < arguments.size() && (op->parameters[place].name != one.name ||
                                          op->parameters[place].kind == Kind::Function))
        ++place;
      if (place == arguments.size()) {
        SmallVector<StringRef> known;
        for (const Parameter &parameter : op->parameters)
          if (parameter.kind != Kind::Function)
            known.push_back(parameter.name);
        return fail("no argument '" + one.name + "'" + tw::listKnown(one.name, known));
      }
    }
    const Parameter &parameter = op->parameters[place];
    if (set[place])
      return fail("argument '" + parameter.name + "' is given twice");
    if (std::holds_alternative<std::monostate>(one.value))
      continue;
    set[place] = true;
    if (!fits(parameter.kind, one.value))
      return fail("expected argument '" + parameter.name + "' to be of kind " +
                  std::string(str(parameter.kind)));
    arguments[place] = one.value;
  }
  for (size_t i = 0; i != arguments.size(); ++i) {
    const Parameter &parameter = op->parameters[i];
    if (set[i] || parameter.kind == Kind::Function)
      continue;
    if (parameter.text.empty())
      return fail("argument '" + parameter.name + "' is missing");
    arguments[i] = parameter.standard;
  }
  return op->call(function, *op, arguments, where);
}

std::string fe::opsAsJson() {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.array([&] {
    for (const OpInfo &op : ops())
      json.object([&] {
        json.attribute("section", StringRef(op.section));
        json.attribute("name", StringRef(op.name));
        json.attribute("text", StringRef(op.text));
        json.attribute("results", op.severalResults ? "values" : "value");
        json.attributeArray("parameters", [&] {
          for (const Parameter &parameter : op.parameters)
            json.object([&] {
              json.attribute("name", parameter.name);
              json.attribute("kind", StringRef(str(parameter.kind)));
              if (!parameter.text.empty())
                json.attribute("default", parameter.text);
            });
        });
      });
  });
  return text;
}
