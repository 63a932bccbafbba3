// Functions of the C API, built op by op on the front end.
#include "Program.h"

#include "tw/Format/Element.h"
#include "tw/Frontend/Table.h"

using namespace mlir;
using namespace tw;

namespace {

fe::Where toWhere(const TwcPlace *place) {
  return place && place->line
             ? fe::Where(place->file ? place->file : "", place->line, place->column)
             : fe::Where();
}

/// One call: its diagnostics go to the sink.
class Call {
public:
  Call(TwcFunction *function, TwcSink sink, const TwcPlace *place)
      : function(function), sink(sink), where(toWhere(place)),
        forwarder(function->module->context->mlir, sink) {}

  fe::Value get(TwcValue value) const {
    if (!value.value || value.function != function)
      return {};
    return fe::wrap(function->function, mlir::Value::getFromOpaquePointer(value.value));
  }
  fe::Values get(const TwcValue *values, size_t count) const {
    fe::Values all;
    for (size_t i = 0; i != count; ++i)
      all.push_back(get(values[i]));
    return all;
  }
  TwcValue give(const fe::Value &value) const {
    return value.ok() ? TwcValue{function, fe::unwrap(value).getAsOpaquePointer()} : TwcValue{};
  }

  /// Operands that are no values say nothing of themselves.
  TwcCode fail() const {
    if (!forwarder.hasFailed())
      report(sink, "T0507",
             "expected values of this function, found none, or what an earlier error has left");
    return forwarder.getFailure();
  }

  TwcCode give(const fe::Value &value, TwcValue *result) const {
    if (!value.ok())
      return fail();
    *result = give(value);
    return TWC_OK;
  }
  TwcCode give(const fe::Values &values, TwcValue *results, size_t *count) const {
    if (values.empty() || llvm::any_of(values, [](const fe::Value &value) { return !value.ok(); }))
      return fail();
    if (values.size() > *count) {
      report(sink, "T0507",
             "there are " + std::to_string(values.size()) +
                 " results, expected room for them, found " + std::to_string(*count));
      return TWC_INVALID_ARGUMENT;
    }
    for (size_t i = 0; i != values.size(); ++i)
      results[i] = give(values[i]);
    *count = values.size();
    return TWC_OK;
  }

  /// Nothing, and a report, where a dimension is no expression.
  std::optional<fe::Shape> toShape(const int64_t *dims, const char *const *expressions,
                                   size_t rank) const {
    fe::Shape shape;
    for (size_t i = 0; i != rank; ++i) {
      if (!expressions || !expressions[i]) {
        shape.push_back(dims[i]);
        continue;
      }
      std::optional<fe::Dim> dim = fe::Dim::parse(expressions[i]);
      if (!dim) {
        report(sink, "T0209",
               "expected a sum of symbols such as P + 2 * S + 1, found '" +
                   std::string(expressions[i]) + "'");
        return std::nullopt;
      }
      shape.push_back(*dim);
    }
    return shape;
  }
  std::optional<fe::Shape> toShape(const TwcType &type) const {
    return toShape(type.dims, type.expressions, type.rank);
  }

  /// What a region that the caller builds gives; a function for the front end.
  fe::Values build(const TwcRegion &region, const fe::Values &arguments) const {
    constexpr size_t kMost = 1024;
    std::vector<TwcValue> given, made(kMost);
    for (const fe::Value &argument : arguments)
      given.push_back(give(argument));
    size_t count = region.build(region.user, given.data(), given.size(), made.data(), kMost);
    // What it could not build is poisoned.
    if (count > kMost)
      return {fe::wrap(function->function, {})};
    fe::Values values;
    for (size_t i = 0; i != count; ++i)
      values.push_back(get(made[i]));
    return values;
  }

  TwcFunction *function;
  TwcSink sink;
  fe::Where where;
  DiagnosticForwarder forwarder;
};

/// Passes replace what is in a module, and functions that were built in it with it.
bool isUsable(const TwcFunction *function, TwcSink sink) {
  if (function && function->isGone)
    report(sink, "T0507",
           "passes have run on the module since the function was made: expected one that was made "
           "after them");
  return function && !function->isGone;
}
bool isUsable(TwcValue value) {
  return value.function && value.value && !static_cast<TwcFunction *>(value.function)->isGone;
}

TwcCode functionCreate(TwcModule *module, const char *name, TwcFunction **function) {
  if (!module || !name || !*name || !function || fe::getModule(module->module).lookupSymbol(name))
    return TWC_INVALID_ARGUMENT;
  module->functions.emplace_back(new TwcFunction{module, fe::Function(module->module, name)});
  *function = module->functions.back().get();
  return TWC_OK;
}

TwcCode functionSymbol(TwcFunction *function, const char *name, int64_t min, int64_t max,
                       int64_t step, const TwcPlace *place, TwcSink sink) {
  if (!isUsable(function, sink) || !name)
    return TWC_INVALID_ARGUMENT;
  Call call(function, sink, place);
  function->function.symbol(name, min, max, step, call.where);
  return call.forwarder.hasFailed() ? call.forwarder.getFailure() : TWC_OK;
}

TwcCode functionTypical(TwcFunction *function, const char *symbol, int64_t size,
                        const TwcPlace *place, TwcSink sink) {
  if (!isUsable(function, sink) || !symbol)
    return TWC_INVALID_ARGUMENT;
  Call call(function, sink, place);
  function->function.setTypical(symbol, size, call.where);
  return call.forwarder.hasFailed() ? call.forwarder.getFailure() : TWC_OK;
}

TwcCode functionArgument(TwcFunction *function, const char *name, const TwcType *type,
                         const TwcPlace *place, TwcSink sink, TwcValue *argument) {
  if (!isUsable(function, sink) || !type || !argument || (type->rank && !type->dims))
    return TWC_INVALID_ARGUMENT;
  Call call(function, sink, place);
  auto shape = call.toShape(*type);
  if (!shape)
    return TWC_INVALID_ARGUMENT;
  return call.give(
      function->function.argument(name ? name : "", fe::DType(type->element), *shape, call.where),
      argument);
}

TwcCode functionAlias(TwcFunction *function, TwcValue argument, uint32_t result,
                      const TwcType *storage, const TwcPlace *place, TwcSink sink) {
  if (!isUsable(function, sink) || !storage || (storage->rank && !storage->dims))
    return TWC_INVALID_ARGUMENT;
  Call call(function, sink, place);
  auto shape = call.toShape(*storage);
  if (!shape)
    return TWC_INVALID_ARGUMENT;
  function->function.alias(call.get(argument), result, *shape, call.where);
  return call.forwarder.hasFailed() ? call.forwarder.getFailure() : TWC_OK;
}

TwcCode functionConstant(TwcFunction *function, const TwcTensor *tensor, const TwcPlace *place,
                         TwcSink sink, TwcValue *constant) {
  if (!isUsable(function, sink) || !tensor || !constant || !tensor->data ||
      (tensor->rank && !tensor->dims))
    return TWC_INVALID_ARGUMENT;
  Call call(function, sink, place);
  return call.give(function->function.constant(tensor->data, fe::DType(tensor->element),
                                               fe::Shape(tensor->dims, tensor->dims + tensor->rank),
                                               call.where),
                   constant);
}

TwcCode functionFileConstant(TwcFunction *function, const char *file, uint64_t offset,
                             const TwcType *type, const TwcPlace *place, TwcSink sink,
                             TwcValue *constant) {
  if (!isUsable(function, sink) || !file || !type || !constant || (type->rank && !type->dims))
    return TWC_INVALID_ARGUMENT;
  Call call(function, sink, place);
  auto shape = call.toShape(*type);
  if (!shape)
    return TWC_INVALID_ARGUMENT;
  return call.give(
      function->function.fileConstant(file, offset, fe::DType(type->element), *shape, call.where),
      constant);
}

/// Nothing where it is malformed.
std::optional<fe::Argument> toArgument(const Call &call, const TwcArgument &given) {
  bool hasList = given.count == 0 || given.integers;
  switch (TwcArgumentKind(given.kind)) {
  case TWC_ARGUMENT_DEFAULT:
    return fe::Argument();
  case TWC_ARGUMENT_BOOL:
    return fe::Argument(given.integer != 0);
  case TWC_ARGUMENT_INTEGER:
    return fe::Argument(given.integer);
  case TWC_ARGUMENT_NUMBER:
    return fe::Argument(given.number);
  case TWC_ARGUMENT_TEXT:
    return given.text ? std::optional(fe::Argument(std::string(given.text))) : std::nullopt;
  case TWC_ARGUMENT_INTEGERS:
    return hasList ? std::optional(fe::Argument(
                         std::vector<int64_t>(given.integers, given.integers + given.count)))
                   : std::nullopt;
  case TWC_ARGUMENT_SHAPE: {
    if (!hasList)
      return std::nullopt;
    auto shape = call.toShape(given.integers, given.expressions, given.count);
    return shape ? std::optional(fe::Argument(*shape)) : std::nullopt;
  }
  case TWC_ARGUMENT_TYPE:
    return fe::Argument(fe::DType(given.integer));
  case TWC_ARGUMENT_VALUE:
    return fe::Argument(call.get(given.value));
  case TWC_ARGUMENT_VALUES:
    return given.count == 0 || given.values
               ? std::optional(fe::Argument(call.get(given.values, given.count)))
               : std::nullopt;
  }
  return std::nullopt;
}

TwcCode functionCall(TwcFunction *function, const char *op, const TwcArgument *arguments,
                     size_t argumentCount, const TwcPlace *place, TwcSink sink, TwcValue *results,
                     size_t *count) {
  if (!isUsable(function, sink) || !op || (argumentCount && !arguments) || !count ||
      (*count && !results))
    return TWC_INVALID_ARGUMENT;
  Call call(function, sink, place);
  std::vector<fe::Named> named;
  for (size_t i = 0; i != argumentCount; ++i) {
    std::optional<fe::Argument> argument = toArgument(call, arguments[i]);
    if (!argument)
      return TWC_INVALID_ARGUMENT;
    named.push_back({arguments[i].name ? arguments[i].name : "", std::move(*argument)});
  }
  return call.give(fe::call(function->function, op, named, call.where), results, count);
}

TwcCode functionCond(TwcFunction *function, TwcValue predicate, TwcRegion then, TwcRegion otherwise,
                     const TwcPlace *place, TwcSink sink, TwcValue *results, size_t *count) {
  if (!isUsable(function, sink) || !then.build || !otherwise.build || !count ||
      (*count && !results))
    return TWC_INVALID_ARGUMENT;
  Call call(function, sink, place);
  return call.give(fe::cond(
                       fe::Arg(call.get(predicate), call.where),
                       [&] { return call.build(then, {}); },
                       [&] { return call.build(otherwise, {}); }),
                   results, count);
}

TwcCode functionWhile(TwcFunction *function, TwcRegion condition, TwcRegion body,
                      const TwcValue *init, size_t initCount, int64_t limit, const TwcPlace *place,
                      TwcSink sink, TwcValue *results, size_t *count) {
  if (!isUsable(function, sink) || !condition.build || !body.build || !initCount || !init ||
      !count || (*count && !results))
    return TWC_INVALID_ARGUMENT;
  Call call(function, sink, place);
  return call.give(fe::while_loop(
                       [&](const fe::Values &values) {
                         fe::Values made = call.build(condition, values);
                         return made.size() == 1 ? made.front() : fe::wrap(function->function, {});
                       },
                       [&](const fe::Values &values) { return call.build(body, values); },
                       fe::Args(call.get(init, initCount), call.where), limit),
                   results, count);
}

TwcCode functionScan(TwcFunction *function, TwcRegion body, const TwcValue *init, size_t initCount,
                     const TwcValue *xs, size_t xCount, int64_t length, int reverse,
                     const TwcPlace *place, TwcSink sink, TwcValue *results, size_t *count) {
  if (!isUsable(function, sink) || !body.build || (initCount && !init) || (xCount && !xs) ||
      !count || (*count && !results) || (length < 0 && !xCount))
    return TWC_INVALID_ARGUMENT;
  Call call(function, sink, place);
  fe::Values slices = call.get(xs, xCount);
  fe::Dim iterations = length >= 0 ? fe::Dim(length) : slices.front().size(0);
  return call.give(fe::scan(
                       [&](const fe::Values &carried, const fe::Values &parts) -> fe::Step {
                         fe::Values all = carried;
                         all.insert(all.end(), parts.begin(), parts.end());
                         fe::Values made = call.build(body, all);
                         size_t kept = std::min(made.size(), initCount);
                         return {fe::Values(made.begin(), made.begin() + kept),
                                 fe::Values(made.begin() + kept, made.end())};
                       },
                       fe::Args(call.get(init, initCount), call.where),
                       fe::Args(slices, call.where), iterations, reverse != 0),
                   results, count);
}

TwcCode functionAssociativeScan(TwcFunction *function, TwcRegion combine, const TwcValue *xs,
                                size_t xCount, int64_t axis, int reverse, const TwcPlace *place,
                                TwcSink sink, TwcValue *results, size_t *count) {
  if (!isUsable(function, sink) || !combine.build || !xCount || !xs || !count ||
      (*count && !results))
    return TWC_INVALID_ARGUMENT;
  Call call(function, sink, place);
  auto combined = [&](const fe::Values &before, const fe::Values &next) {
    fe::Values all = before;
    all.insert(all.end(), next.begin(), next.end());
    return call.build(combine, all);
  };
  return call.give(fe::associative_scan(combined, fe::Args(call.get(xs, xCount), call.where), axis,
                                        reverse != 0),
                   results, count);
}

TwcCode functionReturn(TwcFunction *function, const TwcValue *values, const char *const *names,
                       size_t count, const TwcPlace *place, TwcSink sink) {
  if (!isUsable(function, sink) || (count && !values))
    return TWC_INVALID_ARGUMENT;
  Call call(function, sink, place);
  std::vector<fe::Result> results;
  for (size_t i = 0; i != count; ++i)
    results.emplace_back(names && names[i] ? names[i] : "", call.get(values[i]));
  function->function.returns(std::move(results), call.where);
  return call.forwarder.hasFailed() ? call.forwarder.getFailure() : TWC_OK;
}

TwcCode valueType(TwcValue value, uint32_t *element, uint32_t *rank, int64_t *dims,
                  uint32_t capacity) {
  if (!isUsable(value) || (capacity && !dims))
    return TWC_INVALID_ARGUMENT;
  fe::Value known = fe::wrap(static_cast<TwcFunction *>(value.function)->function,
                             mlir::Value::getFromOpaquePointer(value.value));
  fe::Shape shape = known.shape();
  if (element)
    *element = uint32_t(known.dtype());
  if (rank)
    *rank = uint32_t(shape.size());
  for (size_t i = 0; i != std::min<size_t>(shape.size(), capacity); ++i)
    dims[i] = shape[i].isStatic() ? shape[i].getConstant() : -1;
  return TWC_OK;
}

TwcCode valueDim(TwcValue value, uint32_t axis, TwcBlob **text) {
  if (!isUsable(value) || !text)
    return TWC_INVALID_ARGUMENT;
  fe::Value known = fe::wrap(static_cast<TwcFunction *>(value.function)->function,
                             mlir::Value::getFromOpaquePointer(value.value));
  if (int64_t(axis) >= known.rank())
    return TWC_INVALID_ARGUMENT;
  *text = makeBlob(known.size(axis).str());
  return TWC_OK;
}

} // namespace

void tw::fillBuild(TwcApi &api) {
  api.functionCreate = functionCreate;
  api.functionSymbol = functionSymbol;
  api.functionArgument = functionArgument;
  api.functionAlias = functionAlias;
  api.functionConstant = functionConstant;
  api.functionFileConstant = functionFileConstant;
  api.functionCall = functionCall;
  api.functionCond = functionCond;
  api.functionWhile = functionWhile;
  api.functionScan = functionScan;
  api.functionReturn = functionReturn;
  api.valueType = valueType;
  api.valueDim = valueDim;
  api.functionAssociativeScan = functionAssociativeScan;
  api.functionTypical = functionTypical;
}
