// The functions of Ops.def as data, and calls of them by name: what the C API and bindings are made
// of.
#pragma once

#include "tw/Frontend/Frontend.h"

#include <span>
#include <variant>

namespace tw::fe {

enum class Kind : uint8_t {
  Function, ///< where an op without operands goes; not an argument of calls by name
  Value,    ///< or a number
  Values,
  Integer,
  Number,
  Bool,
  Integers, ///< one, several, or none
  Shape,
  Type,
  Text
};

/// What a call by name is given for one parameter. Nothing (monostate) is the default. Numbers are
/// taken where values are, integers where numbers and lists are, lists of integers where shapes
/// are.
using Argument = std::variant<std::monostate, bool, int64_t, double, std::string,
                              std::vector<int64_t>, Shape, DType, Value, Values>;

struct Parameter {
  std::string name;
  Kind kind;
  /// As Ops.def writes the default, empty where the parameter is needed.
  std::string text;
  Argument standard;
};

struct OpInfo {
  std::string_view section, name, text;
  bool severalResults;
  std::vector<Parameter> parameters;
  /// One argument per parameter, already matched.
  Values (*call)(const Function &function, const OpInfo &op, std::span<const Argument> arguments,
                 Where where);
};

/// In the order of Ops.def.
std::span<const OpInfo> ops();
/// Null if there is none.
const OpInfo *findOp(std::string_view name);
/// "add", "value", ...
std::string_view str(Kind kind);

/// An argument of a call: by name, or the next one without.
struct Named {
  std::string name;
  Argument value;
};

/// Calls an op. What does not fit is an error of the function's module, with the place `where`.
Values call(const Function &function, std::string_view op, std::span<const Named> arguments,
            Where where);

/// All of it as JSON: [{section, name, text, results, parameters: [{name, kind, default}]}].
std::string opsAsJson();

} // namespace tw::fe
