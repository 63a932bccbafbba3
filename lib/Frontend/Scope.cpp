// The frame of op functions: operands, creation and errors.
#include "State.h"

#include "mlir/IR/Verifier.h"
#include "tw/Support/SizeProducts.h"

#include <cmath>

using namespace tw::fe;
using mlir::LogicalResult;

void Scope::note(detail::FunctionState *state, const Where &at) {
  if (!where.line)
    where = at;
  if (!state)
    return;
  mixed |= function && function != state;
  function = state;
}

void Scope::note(const Value &value, const Where &at) {
  detail::FunctionState *state = detail::Access::state(value);
  note(state, at);
  failed |= state && !value.ok();
}

void Scope::note(const Args &args) {
  for (const Value &value : args.values)
    note(value, args.where);
  note(nullptr, args.where);
}

void Scope::note(const On &on) { note(detail::Access::state(on.function), on.where); }

void Scope::begin(StringRef name) {
  if (!function)
    return;
  if (function->depth++ == 0) {
    function->name = name.str();
    function->location = getLocation(context(), where);
  }
  if (mixed)
    error(misuse, "expected operands of one function, found several");
  else if (function->returned)
    error(misuse, "the function has returned, nothing can be added to it");
}

Scope::~Scope() {
  if (function)
    --function->depth;
}

Value Scope::error(Code code, const Twine &text) {
  // What follows from an error is not reported.
  if (function && !failed) {
    function->module.failed = true;
    tw::emitError(function->location, code) << function->name << ": " << text;
  }
  failed = true;
  return poison();
}

bool Scope::checked(llvm::function_ref<LogicalResult()> build) {
  std::string text;
  std::optional<Code> code;
  // Of an op of the program, whose name and place are told, and not of what is built here.
  bool isElsewhere = false;
  std::string notes;
  {
    mlir::ScopedDiagnosticHandler handler(context(), [&](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error || !text.empty())
        return;
      text = diagnostic.str();
      isElsewhere = diagnostic.getLocation() != loc();
      for (mlir::Diagnostic &note : diagnostic.getNotes())
        notes += "; " + note.str();
    });
    if (mlir::succeeded(build()))
      return true;
  }
  StringRef message(text);
  code = tw::takeCode(message);
  // "'tgraph.conv' op expected ..."
  if (!isElsewhere && message.consume_front("'")) {
    size_t end = message.find("' op ");
    message = end == StringRef::npos ? message : message.drop_front(end + 5);
  }
  error(code.value_or(misuse), isElsewhere ? message + notes : Twine(message));
  return false;
}

mlir::Value Scope::create(StringRef name, mlir::ValueRange operands,
                          ArrayRef<mlir::NamedAttribute> attributes, mlir::Type type) {
  if (!ok() || llvm::any_of(operands, [](mlir::Value value) { return !value; }))
    return {};
  mlir::Operation *made = nullptr;
  checked([&]() -> LogicalResult {
    mlir::OperationState state(loc(), name);
    state.addOperands(operands);
    state.addAttributes(attributes);
    if (type) {
      state.addTypes(type);
    } else {
      auto emit = mlir::detail::getDefaultDiagnosticEmitFn(loc());
      auto *interface = state.name.getInterface<mlir::InferTypeOpInterface>();
      mlir::OperationName op = state.name;
      // Attributes become properties, which inference reads.
      std::unique_ptr<char[]> properties(new char[size_t(op.getOpPropertyByteSize())]());
      mlir::OpaqueProperties opaque(op.getOpPropertyByteSize() ? properties.get()
                                                               : static_cast<void *>(nullptr));
      LogicalResult result = mlir::success();
      if (opaque) {
        op.initOpProperties(opaque, mlir::OpaqueProperties(nullptr));
        result = op.setOpPropertiesFromAttribute(op, opaque,
                                                 state.attributes.getDictionary(context()), emit);
      }
      if (mlir::succeeded(result))
        result = interface->inferReturnTypes(context(), loc(), operands,
                                             mlir::DictionaryAttr::get(context()), opaque, {},
                                             state.types);
      if (opaque)
        op.destroyOpProperties(opaque);
      if (mlir::failed(result))
        return mlir::failure();
    }
    made = builder().create(state);
    return mlir::verify(made, /*verifyRecursively=*/false);
  });
  if (made && failed) {
    made->erase();
    made = nullptr;
  }
  return made ? made->getResult(0) : mlir::Value();
}

mlir::Value Scope::get(const Arg &arg, std::optional<DType> dtype) {
  if (!ok())
    return {};
  if (arg.isNone()) {
    error(misuse, "expected a value, found none");
    return {};
  }
  if (arg.kind == Arg::Kind::Tensor)
    return detail::Access::get(arg.value);
  if (!dtype)
    dtype = arg.kind == Arg::Kind::Bool ? boolean : arg.kind == Arg::Kind::Integer ? i64 : f32;
  mlir::Type element = tw::getElementType(context(), *dtype);
  mlir::TypedAttr attribute;
  bool isFloat = arg.kind == Arg::Kind::Float;
  if (mlir::isa<mlir::FloatType>(element)) {
    attribute = builder().getFloatAttr(element, isFloat ? arg.number : double(arg.integer));
  } else {
    unsigned bits = element.getIntOrFloatBitWidth();
    bool isUnsigned = graph::isUnsigned(element);
    bool fits = !isFloat &&
                (isUnsigned ? arg.integer >= 0 && (bits == 64 || llvm::isUIntN(bits, arg.integer))
                            : llvm::isIntN(bits, arg.integer));
    if (!fits) {
      std::string number = isFloat ? std::to_string(arg.number) : std::to_string(arg.integer);
      error(Code::T0206, "expected a number that " + nameOf(*dtype) + " holds, found " + number);
      return {};
    }
    attribute =
        builder().getIntegerAttr(element, llvm::APInt(bits, uint64_t(arg.integer), !isUnsigned,
                                                      /*implicitTrunc=*/true));
  }
  auto type = mlir::RankedTensorType::get({}, element);
  return graph::ConstantOp::create(builder(), loc(), mlir::DenseElementsAttr::get(type, attribute));
}

mlir::Value Scope::optional(const Arg &arg) { return arg.isNone() ? mlir::Value() : get(arg); }

mlir::Value Scope::floating(const Arg &arg) {
  mlir::Value value = get(arg);
  return value && !mlir::isa<mlir::FloatType>(element(value)) ? cast(value, f32) : value;
}

SmallVector<mlir::Value> Scope::get(const Args &args) {
  SmallVector<mlir::Value> values;
  for (const Value &value : args.values) {
    mlir::Value found = get(Arg(value, args.where));
    if (!found)
      return {};
    values.push_back(found);
  }
  return values;
}

bool Scope::check(ArrayRef<Dim> shape) {
  if (!ok())
    return false;
  auto declared = function->op->getAttrOfType<mlir::DictionaryAttr>("tgraph.symbols");
  for (const Dim &dim : shape) {
    if (dim.isStatic() && dim.getConstant() < 0)
      error(Code::T0206, "expected sizes of 0 or more, found " + Twine(dim.getConstant()));
    for (auto &[name, factor] : dim.getTerms())
      if (!declared ||
          llvm::any_of(getBases(mlir::StringAttr::get(function->op->getContext(), name)),
                       [&](mlir::StringAttr each) { return !declared.contains(each); }))
        error(Code::T0209,
              "symbol '" + name + "' is none of the function; make it with Function::symbol");
  }
  return ok();
}

graph::Shape Scope::shape(mlir::Value value) {
  return value ? *graph::getShape(value.getType()) : graph::Shape();
}
int64_t Scope::rank(mlir::Value value) {
  return value ? mlir::cast<mlir::RankedTensorType>(value.getType()).getRank() : 0;
}
mlir::Type Scope::element(mlir::Value value) {
  return value ? mlir::getElementTypeOrSelf(value.getType()) : mlir::Type();
}
DType Scope::dtype(mlir::Value value) { return value ? *tw::getElement(element(value)) : f32; }

mlir::Value Scope::cast(mlir::Value value, mlir::Type to) {
  if (!ok() || !value || element(value) == to)
    return value;
  return make<graph::CastOp>(value, {}, graph::withElementType(value.getType(), to));
}

mlir::Value Scope::cast(mlir::Value value, DType to) {
  if (!ok())
    return {};
  return cast(value, tw::getElementType(context(), to));
}

mlir::Value Scope::reshape(mlir::Value value, ArrayRef<tw::Dim> shape) {
  if (!ok() || !value)
    return {};
  mlir::Type type = graph::getTensorType(shape, element(value));
  return type == value.getType() ? value : make<graph::ReshapeOp>(value, {}, type);
}

mlir::Value Scope::permute(mlir::Value value, ArrayRef<int64_t> permutation) {
  if (!ok() || !value)
    return {};
  bool isIdentity = int64_t(permutation.size()) == rank(value);
  for (auto [i, dim] : llvm::enumerate(permutation))
    isIdentity &= dim == int64_t(i);
  return isIdentity ? value : make<graph::PermuteOp>(value, attribute("permutation", permutation));
}

mlir::Value Scope::contract(StringRef spec, mlir::Value a, mlir::Value b) {
  if (!ok())
    return {};
  return make<graph::ContractOp>({a, b}, attribute("spec", builder().getStringAttr(spec)));
}

mlir::Value Scope::splat(double value, mlir::Value like) {
  if (!ok() || !like)
    return {};
  return graph::splat(builder(), loc(), mlir::cast<mlir::RankedTensorType>(like.getType()), value);
}

mlir::Value Scope::broadcastTo(mlir::Value value, ArrayRef<tw::Dim> to) {
  if (!ok() || !value)
    return {};
  graph::Shape from = shape(value);
  size_t offset = to.size() - from.size();
  bool fits = from.size() <= to.size();
  for (size_t i = 0; fits && i != from.size(); ++i)
    fits = from[i] == tw::Dim(1) || from[i] == to[offset + i];
  if (!fits) {
    error(Code::T0208,
          "cannot broadcast shape " + graph::toString(from) + " to " + graph::toString(to));
    return {};
  }
  SmallVector<int64_t> dims;
  for (size_t i = 0; i != from.size(); ++i)
    dims.push_back(int64_t(offset + i));
  return graph::broadcast(builder(), loc(), value, dims, graph::getTensorType(to, element(value)));
}

SmallVector<mlir::Value> Scope::broadcast(ArrayRef<mlir::Value> values) {
  if (!ok() || llvm::is_contained(values, mlir::Value()))
    return {};
  graph::Shape common;
  for (mlir::Value value : values) {
    graph::Shape next = shape(value);
    if (next.size() > common.size())
      common.insert(common.begin(), next.size() - common.size(), tw::Dim(1));
    size_t offset = common.size() - next.size();
    for (auto [i, size] : llvm::enumerate(next)) {
      tw::Dim &known = common[offset + i];
      if (known == tw::Dim(1))
        known = size;
      else if (size != known && size != tw::Dim(1)) {
        std::string shapes;
        for (mlir::Value other : values)
          shapes += (shapes.empty()           ? ""
                     : other == values.back() ? " and "
                                              : ", ") +
                    graph::toString(shape(other));
        error(Code::T0208, "cannot broadcast shapes " + shapes);
        return {};
      }
    }
  }
  SmallVector<mlir::Value> all;
  for (mlir::Value value : values)
    all.push_back(broadcastTo(value, common));
  return all;
}

SmallVector<mlir::Value> Scope::unify(ArrayRef<const Arg *> args, Promotion promotion) {
  if (!ok())
    return {};
  std::optional<DType> common;
  bool hasFloat = false, hasInteger = false;
  for (const Arg *arg : args) {
    hasFloat |= arg->kind == Arg::Kind::Float;
    hasInteger |= arg->kind == Arg::Kind::Integer;
    if (arg->kind != Arg::Kind::Tensor || arg->isNone())
      continue;
    DType next = arg->value.dtype();
    std::optional<DType> both = common ? promote(*common, next) : next;
    if (!both) {
      error(Code::T0213, "no integer type holds " + nameOf(*common) + " and " + nameOf(next) +
                             "; convert one with astype");
      return {};
    }
    common = both;
  }
  // Numbers alone are of their own types.
  if (!common)
    common = hasFloat ? f32 : hasInteger ? i64 : boolean;
  if (hasFloat && !isFloating(*common))
    common = f32;
  if (hasInteger && *common == boolean)
    common = i64;
  if (promotion == Promotion::Floating && !isFloating(*common))
    common = f32;
  if (promotion == Promotion::Integer && isFloating(*common)) {
    error(Code::T0213, "expected integers or bools, found " + nameOf(*common));
    return {};
  }
  SmallVector<mlir::Value> values;
  for (const Arg *arg : args) {
    mlir::Value value = cast(get(*arg, common), *common);
    if (value && promotion == Promotion::Bool)
      value = cast(value, boolean);
    values.push_back(value);
  }
  return broadcast(values);
}

int64_t Scope::axis(int64_t axis, int64_t rank) {
  if (!ok())
    return 0;
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  if (rank == 0)
    error(Code::T0204, "expected an operand with dimensions, found a scalar");
  else
    error(Code::T0204, "expected an axis from " + Twine(-rank) + " to " + Twine(rank - 1) +
                           " for rank " + Twine(rank) + ", found " + Twine(axis));
  return 0;
}

SmallVector<int64_t> Scope::axes(const Ints &axes, int64_t rank) {
  SmallVector<int64_t> found;
  if (axes.isNone())
    for (int64_t i = 0; i < rank; ++i)
      found.push_back(i);
  for (int64_t one : axes.get()) {
    int64_t known = axis(one, rank);
    if (!ok())
      return {};
    if (llvm::is_contained(found, known)) {
      error(Code::T0204, "expected each axis once, found " + Twine(one) + " twice");
      return {};
    }
    found.push_back(known);
  }
  llvm::sort(found);
  return found;
}

SmallVector<int64_t> Scope::list(const Ints &ints, size_t count, StringRef what) {
  if (ints.isOne())
    return SmallVector<int64_t>(count, ints.get().front());
  if (ints.get().size() != count)
    error(Code::T0205, "expected " + Twine(count) + " entries in " + what + ", found " +
                           Twine(ints.get().size()));
  SmallVector<int64_t> found(ints.get().begin(), ints.get().end());
  found.resize(count);
  return found;
}

std::pair<SmallVector<int64_t>, SmallVector<int64_t>> Scope::padding(const Ints &padding,
                                                                     size_t count) {
  if (padding.isNone())
    return {SmallVector<int64_t>(count, 0), SmallVector<int64_t>(count, 0)};
  if (padding.get().size() != 2 * count || padding.isOne()) {
    SmallVector<int64_t> both = list(padding, count, "padding");
    return {both, both};
  }
  ArrayRef<int64_t> all = padding.get();
  return {SmallVector<int64_t>(all.take_front(count)), SmallVector<int64_t>(all.drop_front(count))};
}
