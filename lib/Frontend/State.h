// What is behind the front end's handles, and the frame of each op function: it finds the function,
// passes poison on, converts operands and reports errors under the name that the caller called.
#pragma once

#include "tw/Dialect/Graph/Create.h"
#include "tw/Frontend/Bridge.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/ElementTypes.h"

#include "mlir/IR/Diagnostics.h"

namespace tw::fe {

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;
using tw::Code;
namespace format = tw::format;
namespace graph = tw::graph;

namespace detail {

struct ModuleState {
  explicit ModuleState(mlir::MLIRContext *context);

  std::unique_ptr<mlir::MLIRContext> own; ///< null where the context is the caller's
  mlir::MLIRContext *context;
  std::vector<Error> errors;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::unique_ptr<FunctionState>> functions;
  bool failed = false;
};

struct FunctionState {
  FunctionState(ModuleState &module, mlir::func::FuncOp op)
      : module(module), op(op), builder(op.getContext()) {}

  ModuleState &module;
  mlir::func::FuncOp op;
  mlir::OpBuilder builder;
  /// Of the outermost call of an op function, and how many are running.
  std::string name;
  mlir::Location location = builder.getUnknownLoc();
  unsigned depth = 0;
  bool returned = false;
  /// Values whose ops others have replaced, which handles still name.
  llvm::DenseMap<mlir::Value, mlir::Value> replaced;
};

struct Access {
  static ModuleState &state(const Module &module) { return *module.state; }
  static std::unique_ptr<ModuleState> &owner(Module &module) { return module.state; }
  static Module makeModule(std::unique_ptr<ModuleState> state) { return Module(std::move(state)); }
  static FunctionState *state(const Function &function) { return function.state; }
  static FunctionState *state(const Value &value) { return value.function; }
  static Function makeFunction(FunctionState *state) { return Function(state); }
  static mlir::Value get(const Value &value) {
    auto found = mlir::Value::getFromOpaquePointer(value.value);
    while (value.function && found) {
      auto it = value.function->replaced.find(found);
      if (it == value.function->replaced.end())
        break;
      found = it->second;
    }
    return found;
  }
  static Value make(FunctionState *function, mlir::Value value) {
    Value made;
    made.function = function;
    made.value = value.getAsOpaquePointer();
    return made;
  }
};

} // namespace detail

/// A value where it does not belong.
inline constexpr Code misuse = Code::T0208;

inline std::string nameOf(DType dtype) { return std::string(format::elementName(dtype)); }
mlir::Location getLocation(mlir::MLIRContext *context, const Where &where);
tw::Dim toDim(mlir::MLIRContext *context, const Dim &dim);
Dim fromDim(const tw::Dim &dim);
graph::Shape toShape(mlir::MLIRContext *context, const Shape &shape);
Shape fromShape(ArrayRef<tw::Dim> shape);
/// The type of both operands; nothing where they have none in common.
std::optional<DType> promote(DType a, DType b);
bool isFloating(DType dtype);
bool isInteger(DType dtype);

/// What elementwise functions do to the types of their operands.
enum class Promotion {
  Any,      ///< the common type
  Floating, ///< integers and bools as f32
  Integer,  ///< floats are refused
  Bool      ///< compared with 0
};

/// The frame of an op function. Functions with mlir::Value give null after an error, and take null
/// as what an error left.
class Scope {
public:
  template <typename... Operands> Scope(StringRef name, const Operands &...operands) {
    (note(operands), ...);
    begin(name);
  }
  ~Scope();
  Scope(const Scope &) = delete;

  /// Whether something can be built.
  explicit operator bool() const { return function && !failed; }
  bool ok() const { return bool(*this); }

  /// Poisoned.
  Value poison() const { return detail::Access::make(function, {}); }
  Values poison(size_t count) const { return Values(count, poison()); }
  Value done(mlir::Value value) const { return detail::Access::make(function, value); }
  Function self() const { return detail::Access::makeFunction(function); }

  /// Reports; the text goes behind the name of the function.
  Value error(Code code, const Twine &text);

  mlir::OpBuilder &builder() { return function->builder; }
  mlir::MLIRContext *context() { return function->op.getContext(); }
  mlir::Location loc() { return function->location; }

  /// The operand as it is; a number as a scalar of `dtype` (of its own: bool, i64, f32).
  mlir::Value get(const Arg &arg, std::optional<DType> dtype = std::nullopt);
  /// The same with integers converted to f32.
  mlir::Value floating(const Arg &arg);
  /// An operand that may be missing; null then.
  mlir::Value optional(const Arg &arg);
  SmallVector<mlir::Value> get(const Args &args);
  /// Operands broadcast to one shape and converted to one type; `like` numbers are of the type that
  /// the others ask for. Empty after an error.
  SmallVector<mlir::Value> unify(ArrayRef<const Arg *> args, Promotion promotion);
  /// Broadcast alone.
  SmallVector<mlir::Value> broadcast(ArrayRef<mlir::Value> values);
  /// With numpy's rules, dimensions of size 1 and new ones in front.
  mlir::Value broadcastTo(mlir::Value value, ArrayRef<tw::Dim> shape);
  mlir::Value cast(mlir::Value value, DType dtype);
  mlir::Value cast(mlir::Value value, mlir::Type element);
  mlir::Value reshape(mlir::Value value, ArrayRef<tw::Dim> shape);
  mlir::Value permute(mlir::Value value, ArrayRef<int64_t> permutation);
  mlir::Value contract(StringRef spec, mlir::Value a, mlir::Value b);
  mlir::Value splat(double value, mlir::Value like);

  /// Sizes are not negative and their symbols the function's; an error else.
  bool check(ArrayRef<Dim> shape);
  graph::Shape shape(mlir::Value value);
  int64_t rank(mlir::Value value);
  mlir::Type element(mlir::Value value);
  DType dtype(mlir::Value value);
  /// The axis from 0, where it counts from the end too; 0 after an error.
  int64_t axis(int64_t axis, int64_t rank);
  /// Ascending, none twice; all for none.
  SmallVector<int64_t> axes(const Ints &axes, int64_t rank);
  /// One number for each of `count` things: one for all, or a list of that length.
  SmallVector<int64_t> list(const Ints &ints, size_t count, StringRef what);
  /// One number for each of `count` dimensions before, then behind them; see conv.
  std::pair<SmallVector<int64_t>, SmallVector<int64_t>> padding(const Ints &padding, size_t count);

  mlir::NamedAttribute attribute(StringRef name, int64_t value) {
    return builder().getNamedAttr(name, builder().getI64IntegerAttr(value));
  }
  mlir::NamedAttribute attribute(StringRef name, ArrayRef<int64_t> values) {
    return builder().getNamedAttr(name, builder().getDenseI64ArrayAttr(values));
  }
  mlir::NamedAttribute attribute(StringRef name, mlir::Attribute value) {
    return builder().getNamedAttr(name, value);
  }

  /// An op whose result type is inferred, or `type` where that is given. The dialect's own checks
  /// decide; what they say is reported under the function's name.
  mlir::Value create(StringRef name, mlir::ValueRange operands,
                     ArrayRef<mlir::NamedAttribute> attributes = {}, mlir::Type type = {});
  template <typename Op>
  mlir::Value make(mlir::ValueRange operands, ArrayRef<mlir::NamedAttribute> attributes = {},
                   mlir::Type type = {}) {
    return create(Op::getOperationName(), operands, attributes, type);
  }
  /// An op whose result is of its first operand's type.
  template <typename Op>
  mlir::Value same(mlir::ValueRange operands, ArrayRef<mlir::NamedAttribute> attributes = {}) {
    mlir::Value first = operands.empty() ? mlir::Value() : operands.front();
    return first ? create(Op::getOperationName(), operands, attributes, first.getType())
                 : mlir::Value();
  }
  mlir::Attribute combine(graph::CombineKind kind) {
    return graph::CombineKindAttr::get(context(), kind);
  }
  /// Runs `build` and reports its diagnostics under the function's name; false if it fails.
  bool checked(llvm::function_ref<llvm::LogicalResult()> build);

private:
  void note(const Arg &arg) { note(arg.value, arg.where); }
  void note(const Args &args);
  void note(const On &on);
  void note(const Value &value, const Where &where);
  void note(detail::FunctionState *state, const Where &where);
  void begin(StringRef name);

  detail::FunctionState *function = nullptr;
  Where where;
  bool failed = false, mixed = false;
};

/// The type of a tensor; null, and reported, if there is none.
mlir::Type makeType(Scope &s, DType dtype, const Shape &shape);

} // namespace tw::fe
