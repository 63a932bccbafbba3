// Modules, functions and values: creation, arguments, constants, results.
#include "State.h"

#include "tw/Frontend/Bridge.h"
#include "tw/Pipeline/Registration.h"
#include "tw/Support/Place.h"

#include "mlir/IR/Verifier.h"

using namespace tw::fe;
namespace fe = tw::fe;
using tw::fe::detail::Access;

std::string fe::Error::str() const {
  std::string text;
  if (!file.empty())
    text = file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": ";
  text += (isWarning ? "warning: " : "error: ") + message;
  return code.empty() ? text : text + " [" + code + "]";
}

mlir::Location fe::getLocation(mlir::MLIRContext *context, const Where &where) {
  if (!where.line)
    return mlir::UnknownLoc::get(context);
  return mlir::FileLineColLoc::get(context, where.file, where.line, where.column);
}

detail::ModuleState::ModuleState(mlir::MLIRContext *given) : context(given) {
  if (!context) {
    own = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    context = own.get();
    tw::prepareContext(*context);
    context->printOpOnDiagnostic(false);
    handler.emplace(context, [this](mlir::Diagnostic &diagnostic) {
      std::string text = diagnostic.str();
      StringRef message(text);
      std::optional<Code> code = tw::takeCode(message);
      tw::Place place = tw::getPlace(diagnostic.getLocation());
      bool isError = diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
      failed |= isError;
      errors.push_back({code ? tw::codeInfo(*code).id.str() : "", message.str(),
                        code ? tw::codeInfo(*code).text.str() : "", place.file, place.line,
                        place.column, !isError});
      return mlir::success();
    });
  }
  module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context));
}

Module::Module() : state(std::make_unique<detail::ModuleState>(nullptr)) {}
Module::Module(std::unique_ptr<detail::ModuleState> state) : state(std::move(state)) {}
Module::~Module() = default;
Module::Module(Module &&) = default;
Module &Module::operator=(Module &&) = default;

bool Module::ok() const { return !state->failed; }
const std::vector<Error> &Module::errors() const { return state->errors; }

std::string Module::errorText() const {
  std::string text;
  for (const Error &error : state->errors)
    text += error.str() + "\n";
  return text;
}

std::string Module::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  state->module->print(os, mlir::OpPrintingFlags().elideLargeElementsAttrs(64));
  return text;
}

Module fe::makeModule(mlir::MLIRContext &context) {
  return Access::makeModule(std::make_unique<detail::ModuleState>(&context));
}

Module fe::makeModule(mlir::OwningOpRef<mlir::ModuleOp> program) {
  auto state = std::make_unique<detail::ModuleState>(program->getContext());
  state->module = std::move(program);
  return Access::makeModule(std::move(state));
}

mlir::ModuleOp fe::getModule(const Module &module) { return *Access::state(module).module; }
mlir::OwningOpRef<mlir::ModuleOp> fe::takeModule(Module &module) {
  return std::move(Access::state(module).module);
}
mlir::func::FuncOp fe::getFunction(const Function &function) { return Access::state(function)->op; }
mlir::Value fe::unwrap(const Value &value) {
  return value.ok() ? Access::get(value) : mlir::Value();
}
Value fe::wrap(const Function &function, mlir::Value value) {
  return Access::make(Access::state(function), value);
}

//===---------------------------------------------------------------------------------------===//
// Value

DType Value::dtype() const {
  return value ? *tw::getElement(mlir::getElementTypeOrSelf(Access::get(*this))) : f32;
}

Shape Value::shape() const {
  return value ? fromShape(*graph::getShape(Access::get(*this).getType())) : Shape();
}

int64_t Value::rank() const {
  return value ? mlir::cast<mlir::RankedTensorType>(Access::get(*this).getType()).getRank() : 0;
}

fe::Dim Value::size(int64_t axis) const {
  Shape all = shape();
  int64_t rank = int64_t(all.size());
  return axis >= -rank && axis < rank ? all[size_t(axis < 0 ? axis + rank : axis)] : Dim(0);
}

Value Value::t(std::source_location at) const { return matrix_transpose(Arg(*this, at)); }

//===---------------------------------------------------------------------------------------===//
// Function

Function::Function(Module &module, std::string_view name) {
  fe::detail::ModuleState &owner = Access::state(module);
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(owner.module->getBody());
  auto op = mlir::func::FuncOp::create(builder, mlir::UnknownLoc::get(owner.context),
                                       StringRef(name), builder.getFunctionType({}, {}));
  state = owner.functions.emplace_back(std::make_unique<detail::FunctionState>(owner, op)).get();
  state->builder.setInsertionPointToStart(op.addEntryBlock());
}

fe::Dim Function::symbol(std::string_view name, int64_t min, int64_t max, int64_t step, Where at) {
  Scope s("symbol", On(*this, at));
  mlir::NamedAttrList symbols(state->op->getAttrOfType<mlir::DictionaryAttr>("tgraph.symbols"));
  if (symbols.get(name)) {
    s.error(Code::T0209, "symbol '" + StringRef(name) + "' is there already");
    return Dim::symbol(name);
  }
  s.checked([&]() -> mlir::LogicalResult {
    auto emit = mlir::detail::getDefaultDiagnosticEmitFn(s.loc());
    auto symbol = graph::SymbolAttr::getChecked(emit, s.context(), min, max, step);
    if (!symbol)
      return mlir::failure();
    symbols.set(name, symbol);
    state->op->setAttr("tgraph.symbols", symbols.getDictionary(s.context()));
    return mlir::success();
  });
  return Dim::symbol(name);
}

void Function::setTypical(std::string_view symbol, int64_t size, Where at) {
  Scope s("setTypical", On(*this, at));
  auto symbols = state->op->getAttrOfType<mlir::DictionaryAttr>("tgraph.symbols");
  auto range =
      mlir::dyn_cast_or_null<graph::SymbolAttr>(symbols ? symbols.get(symbol) : mlir::Attribute());
  if (!range) {
    s.error(Code::T0209, "there is no symbol '" + StringRef(symbol) + "'; declare it first");
    return;
  }
  if (size < range.getMin() || size > range.getMax() || size % range.getStep() != 0) {
    s.error(Code::T0209, "the typical size of '" + StringRef(symbol) + "' is " + llvm::Twine(size) +
                             ", expected a multiple of " + llvm::Twine(range.getStep()) + " from " +
                             llvm::Twine(range.getMin()) + " to " + llvm::Twine(range.getMax()));
    return;
  }
  mlir::NamedAttrList typical(state->op->getAttrOfType<mlir::DictionaryAttr>("tgraph.typical"));
  typical.set(symbol, mlir::Builder(s.context()).getI64IntegerAttr(size));
  state->op->setAttr("tgraph.typical", typical.getDictionary(s.context()));
}

/// The type of a tensor whose symbols the function declares; null after an error.
mlir::Type tw::fe::makeType(Scope &s, DType dtype, const Shape &shape) {
  if (!s)
    return {};
  mlir::Type element = tw::getElementType(s.context(), dtype);
  if (!element || !format::findElement(dtype) || !format::findElement(dtype)->isHeld) {
    s.error(Code::T0213, "no tensor has the element type " + nameOf(dtype));
    return {};
  }
  if (!s.check(shape))
    return {};
  return graph::getTensorType(toShape(s.context(), shape), element);
}

Value Function::argument(std::string_view name, DType dtype, Shape shape, Where at) {
  Scope s("argument", On(*this, at));
  mlir::Type type = makeType(s, dtype, shape);
  if (!type)
    return s.poison();
  mlir::Block &body = state->op.getBody().front();
  mlir::BlockArgument argument = body.addArgument(type, s.loc());
  state->op.setType(mlir::FunctionType::get(s.context(), body.getArgumentTypes(), {}));
  if (!name.empty())
    state->op.setArgAttr(argument.getArgNumber(), "tgraph.name", s.builder().getStringAttr(name));
  return s.done(argument);
}

void Function::alias(const Value &argument, int64_t result, Shape storage, Where at) {
  Scope s("alias", Arg(argument, at), On(*this, at));
  auto value = mlir::dyn_cast_or_null<mlir::BlockArgument>(unwrap(argument));
  if (!s)
    return;
  if (!value || value.getOwner() != &state->op.getBody().front()) {
    s.error(misuse, "expected an argument of the function");
    return;
  }
  unsigned number = value.getArgNumber();
  state->op.setArgAttr(number, graph::aliasName, s.builder().getI64IntegerAttr(result));
  state->op.setArgAttr(number, graph::storageName,
                       graph::DimsAttr::get(s.context(), toShape(s.context(), storage)));
}

Value Function::fileConstant(std::string_view file, uint64_t offset, DType dtype, Shape shape,
                             Where at) {
  Scope s("fileConstant", On(*this, at));
  auto type = mlir::cast_or_null<mlir::RankedTensorType>(makeType(s, dtype, shape));
  if (!type)
    return s.poison();
  auto value = graph::FileAttr::get(s.context(), type, StringRef(file), offset,
                                    graph::getByteLength(type).value_or(0));
  return s.done(s.make<graph::ConstantOp>({}, s.attribute("value", value), type));
}

Value Function::constant(const void *data, DType dtype, Shape shape, Where at) {
  Scope s("constant", On(*this, at));
  auto type = mlir::cast_or_null<mlir::RankedTensorType>(makeType(s, dtype, shape));
  if (!type)
    return s.poison();
  if (!type.hasStaticShape())
    return s.error(Code::T0211, "expected a static shape, found " +
                                    graph::toString(toShape(s.context(), shape)));
  size_t bytes = *graph::getByteLength(type);
  ArrayRef<char> raw(static_cast<const char *>(data), bytes);
  mlir::DenseElementsAttr value;
  if (dtype == boolean) {
    // A byte for each, of which any that is not 0 is true.
    SmallVector<bool> bools(llvm::map_range(raw, [](char c) { return c != 0; }));
    value = mlir::DenseElementsAttr::get(type, ArrayRef<bool>(bools));
  } else {
    value = mlir::DenseElementsAttr::getFromRawBuffer(type, raw);
  }
  return s.done(s.make<graph::ConstantOp>({}, s.attribute("value", value), type));
}

Value Function::constantOf(const void *data, size_t count, DType dtype, Shape shape, Where at) {
  int64_t elements = 1;
  for (const Dim &dim : shape)
    elements *= dim.getConstant();
  if (int64_t(count) == elements)
    return constant(data, dtype, std::move(shape), at);
  Scope s("constant", On(*this, at));
  return s.error(Code::T0211, "expected " + Twine(elements) + " elements, found " + Twine(count));
}

void Function::returns(std::vector<Result> results, Where at) {
  Args values;
  values.where = at;
  for (const Result &result : results)
    values.values.push_back(result.value);
  Scope s("returns", values, On(*this, at));
  if (!s)
    return;
  SmallVector<mlir::Value> returned = s.get(values);
  if (returned.size() != results.size())
    return;
  if (s.builder().getBlock() != &state->op.getBody().front()) {
    s.error(misuse, "expected to end the function outside of branches and loops");
    return;
  }
  mlir::func::ReturnOp::create(s.builder(), s.loc(), returned);
  mlir::Block &body = state->op.getBody().front();
  state->op.setType(
      mlir::FunctionType::get(s.context(), body.getArgumentTypes(),
                              llvm::to_vector(mlir::ValueRange(returned).getTypes())));
  for (auto [i, result] : llvm::enumerate(results))
    if (!result.name.empty())
      state->op.setResultAttr(i, "tgraph.name", s.builder().getStringAttr(result.name));
  state->returned = true;
  s.checked([&] { return mlir::verify(state->op, /*verifyRecursively=*/false); });
}
