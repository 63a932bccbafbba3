// Tensor programs written in C++: values with operators that build tgraph and know their shapes.
//
//   tw::fe::Module module;
//   tw::fe::Function f(module, "main");
//   Value x = f.argument("x", f32, {8, 64}), w = f.argument("w", f32, {64, 10});
//   f.returns({{"y", softmax(matmul(x, w))}});
//   std::optional<Bytes> program = compile(module, {.target = "host"});
//
// Functions are named as in the array API standard and in JAX, and broadcast and promote as those
// do; Ops.def lists them. Nothing throws: an error is recorded in the module, with the place in the
// caller's source, and gives a poisoned value, which later calls pass on in silence. No header of
// MLIR is needed; Bridge.h has the way there and back.
//
// Threads: a module, its functions and values are used by one thread at a time.
#pragma once

#include "tw/Frontend/Types.h"

#include <concepts>
#include <functional>
#include <memory>
#include <utility>

namespace tw::fe {

class Function;
class Value;
using Values = std::vector<Value>;
using Bytes = std::vector<uint8_t>;

namespace detail {
struct ModuleState;
struct FunctionState;
struct Access;
} // namespace detail

/// A program that is being built: functions, and the errors that were made. Compiling leaves it as
/// it is.
class Module {
public:
  Module();
  ~Module();
  Module(Module &&);
  Module &operator=(Module &&);

  /// No error so far.
  bool ok() const;
  /// In the order in which they were found; of errors in a context that was handed in (Bridge.h)
  /// its handlers are told instead.
  const std::vector<Error> &errors() const;
  /// All errors, a line each; empty if there are none.
  std::string errorText() const;
  /// The program as MLIR text.
  std::string str() const;

private:
  friend struct detail::Access;
  explicit Module(std::unique_ptr<detail::ModuleState> state);
  std::unique_ptr<detail::ModuleState> state;
};

/// A tensor of a function: a handle, valid as long as the module. Empty by default; poisoned where
/// an error kept it from being made.
class Value {
public:
  Value() = default;

  /// Whether it is a tensor: neither empty nor poisoned.
  bool ok() const { return value; }
  bool isEmpty() const { return !function; }
  /// f32, and rank 0, where it is none.
  DType dtype() const;
  Shape shape() const;
  int64_t rank() const;
  /// The size along an axis, which counts from the end where negative; 0 where there is none.
  Dim size(int64_t axis) const;
  /// The last two dimensions exchanged.
  Value t(std::source_location at = std::source_location::current()) const;

private:
  friend struct detail::Access;
  detail::FunctionState *function = nullptr;
  void *value = nullptr;
};

/// What an op takes: a value, or a number, which is of the type that the other operands ask for (an
/// integer of any type, a float of f32 where there are integers alone).
class Arg {
public:
  Arg() = default; ///< none, where an argument is optional
  Arg(const Value &value, Where at = std::source_location::current())
      : value(value), where(at), kind(Kind::Tensor) {}
  template <std::integral T>
  Arg(T number, Where at = std::source_location::current())
      : where(at), integer(int64_t(number)),
        kind(std::is_same_v<T, bool> ? Kind::Bool : Kind::Integer) {}
  template <std::floating_point T>
  Arg(T number, Where at = std::source_location::current())
      : where(at), number(double(number)), kind(Kind::Float) {}

  enum class Kind { None, Tensor, Bool, Integer, Float };
  bool isNone() const { return kind == Kind::None || (kind == Kind::Tensor && value.isEmpty()); }

  Value value;
  Where where;
  int64_t integer = 0;
  double number = 0;
  Kind kind = Kind::None;
};

/// Several values.
class Args {
public:
  Args() = default;
  Args(std::initializer_list<Value> values, Where at = std::source_location::current())
      : values(values), where(at) {}
  Args(Values values, Where at = std::source_location::current())
      : values(std::move(values)), where(at) {}

  Values values;
  Where where;
};

/// A result of a function and its name; without one it is "result0" and so on by its number.
struct Result {
  Result(const Value &value) : value(value) {}
  Result(std::string_view name, const Value &value) : name(name), value(value) {}
  std::string name;
  Value value;
};

/// A function of a module: a handle, valid as long as that. Ops on its values are added to its end,
/// or to the region that is being built (Control.h).
class Function {
public:
  Function(Module &module, std::string_view name);

  /// A size that each call settles: a multiple of `step` from `min` to `max`.
  Dim symbol(std::string_view name, int64_t min, int64_t max, int64_t step = 1,
             Where at = std::source_location::current());
  /// Says which size of a symbol calls have most: it counts for more in what is chosen. An error
  /// where there is no such symbol, or the size is none of its range.
  void setTypical(std::string_view symbol, int64_t size,
                  Where at = std::source_location::current());
  /// The next argument. Dimensions may be affine in symbols.
  Value argument(std::string_view name, DType dtype, Shape shape,
                 Where at = std::source_location::current());
  /// Lets result `result` take the memory of an argument, which the caller gives up. Its dimensions
  /// there are those of `storage`, at least as large as the argument's.
  void alias(const Value &argument, int64_t result, Shape storage,
             Where at = std::source_location::current());
  /// A constant in a file beneath the folder that compile is told of: row-major, little-endian,
  /// `offset` bytes into it.
  Value fileConstant(std::string_view file, uint64_t offset, DType dtype, Shape shape,
                     Where at = std::source_location::current());
  /// A constant: row-major, copied.
  Value constant(const void *data, DType dtype, Shape shape,
                 Where at = std::source_location::current());
  template <typename T>
  requires std::is_arithmetic_v<T> Value constant(const std::vector<T> &data, Shape shape,
                                                  Where at = std::source_location::current()) {
    return constantOf(data.data(), data.size(), dtypeOf<T>(), std::move(shape), at);
  }
  /// Ends the function.
  void returns(std::vector<Result> results, Where at = std::source_location::current());

  template <typename T> static constexpr DType dtypeOf() {
    if constexpr (std::is_same_v<T, double>)
      return f64;
    else if constexpr (std::is_same_v<T, float>)
      return f32;
    else if constexpr (std::is_signed_v<T>)
      return sizeof(T) == 1 ? i8 : sizeof(T) == 2 ? i16 : sizeof(T) == 4 ? i32 : i64;
    else
      return sizeof(T) == 1 ? u8 : sizeof(T) == 2 ? u16 : sizeof(T) == 4 ? u32 : u64;
  }

private:
  friend struct detail::Access;
  Function(detail::FunctionState *state) : state(state) {}
  Value constantOf(const void *data, size_t count, DType dtype, Shape shape, Where at);
  detail::FunctionState *state;
};

/// Where an op without operands goes.
class On {
public:
  On(const Function &function, Where at = std::source_location::current())
      : function(function), where(at) {}
  Function function;
  Where where;
};

//===---------------------------------------------------------------------------------------===//
// The ops: Value name(...), or Values name(...), as Ops.def declares and describes them.

#define TW_OP(result, name, parameters, text) result name parameters;
#include "tw/Frontend/Ops.def"

//===---------------------------------------------------------------------------------------===//
// Operators

// clang-format off
inline Value operator+(Arg a, Arg b) { return add(a, b); }
inline Value operator-(Arg a, Arg b) { return subtract(a, b); }
inline Value operator*(Arg a, Arg b) { return multiply(a, b); }
inline Value operator/(Arg a, Arg b) { return divide(a, b); }
inline Value operator%(Arg a, Arg b) { return remainder(a, b); }
inline Value operator-(Arg x) { return negative(x); }
inline Value operator~(Arg x) { return bitwise_invert(x); }
inline Value operator&(Arg a, Arg b) { return bitwise_and(a, b); }
inline Value operator|(Arg a, Arg b) { return bitwise_or(a, b); }
inline Value operator^(Arg a, Arg b) { return bitwise_xor(a, b); }
inline Value operator==(Arg a, Arg b) { return equal(a, b); }
inline Value operator!=(Arg a, Arg b) { return not_equal(a, b); }
inline Value operator<(Arg a, Arg b) { return less(a, b); }
inline Value operator<=(Arg a, Arg b) { return less_equal(a, b); }
inline Value operator>(Arg a, Arg b) { return greater(a, b); }
inline Value operator>=(Arg a, Arg b) { return greater_equal(a, b); }
// clang-format on

//===---------------------------------------------------------------------------------------===//
// Branches and loops. The functions handed in are called once, while the op is built; they may use
// values around it.

/// What `then` gives where the predicate, a bool scalar, holds, else what `otherwise` gives; the
/// other one is not computed.
Values cond(Arg predicate, const std::function<Values()> &then,
            const std::function<Values()> &otherwise);

/// Iterations as long as the condition holds, at most `limit`, above which the call fails. The
/// condition gives a bool scalar, the body as many values of the same types as it takes.
Values while_loop(const std::function<Value(const Values &)> &condition,
                  const std::function<Values(const Values &)> &body, Args init, int64_t limit);

/// What one iteration of `scan` leaves: values carried to the next one, and slices of results.
struct Step {
  Values carried, stacked;
};
/// `length` iterations over the slices of `xs` along their first dimension, from the last one with
/// `reverse`; gives the values carried out of the last one, then one tensor of all slices for each
/// value that is stacked.
Values scan(const std::function<Step(const Values &carried, const Values &slices)> &body, Args init,
            Args xs, Dim length, bool reverse = false);

/// The running combination of `xs`, of one shape, along an axis, or from its end with `reverse`; a
/// result of each. `combine`, which must be associative, takes scalars: what has been combined of
/// each, then the next elements. It uses no tensors around it but constants. Narrow floats come as
/// f32.
Values
associative_scan(const std::function<Values(const Values &before, const Values &next)> &combine,
                 Args xs, int64_t axis = 0, bool reverse = false);

/// The body `length` times on what the one before gave; it is told its number, an i64 scalar.
Values fori_loop(Dim length, const std::function<Values(const Value &i, const Values &)> &body,
                 Args init);

//===---------------------------------------------------------------------------------------===//
// Compilation

/// See CompileOptions of Pipeline/Compiler.h for what they mean.
struct Options {
  std::string target = "host";
  /// Folder of fileConstant's files.
  std::string weights = "";
  /// "name=value name=value", as the tools take them.
  std::string options = "";
};

/// The bytes of a module file, which twrt runs (twrt/Program.h). Nothing where the module has
/// errors, or gets one.
std::optional<Bytes> compile(Module &module, const Options &options = {});

} // namespace tw::fe
