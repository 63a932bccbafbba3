// Sizes for the symbolic dimensions of a program in MLIR.
#include "tw/Pipeline/Compiler.h"

#include "tw/Dialect/Graph/ComplexNumbers.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Similar.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tw;

static constexpr StringLiteral symbolsName = "tgraph.symbols", typicalName = "tgraph.typical";

static std::optional<SizeExpression> toExpression(const graph::Dim &dim) {
  std::optional<SizeExpression> sum = SizeExpression(dim.getConstant());
  for (auto [name, factor] : dim.getTerms()) {
    std::optional<SizeExpression> term = SizeExpression(factor);
    for (StringAttr each : getFactors(name)) {
      // Symbols are not solved for through what is divided.
      if (getQuotient(each) || getLeast(each))
        return std::nullopt;
      term = term ? term->times(SizeExpression::symbol(each.getValue())) : std::nullopt;
    }
    sum = sum && term ? sum->plus(*term) : std::nullopt;
  }
  return sum;
}

/// What the shapes that are known of @main's arguments say.
static std::vector<SizeEquation> getEquations(ModuleOp module, const onnx::ImportOptions &options) {
  std::vector<SizeEquation> equations;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || options.shapes.empty())
    return equations;
  SmallVector<StringRef> names;
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    auto name = main.getArgAttrOfType<StringAttr>(i, "tgraph.name");
    names.push_back(name ? name.getValue() : "");
  }
  for (auto [i, given] : llvm::enumerate(onnx::findShapes(options, names))) {
    std::optional<graph::Shape> shape = graph::getShape(main.getArgumentTypes()[i]);
    // Callers do not see that complex numbers have two parts.
    if (shape && main.getArgAttr(unsigned(i), graph::complexName))
      shape->pop_back();
    if (given && shape && shape->size() == given->size())
      for (auto [dim, size] : llvm::zip(*shape, *given))
        if (std::optional<SizeExpression> expression = toExpression(dim))
          equations.push_back({*expression, size});
  }
  return equations;
}

/// The symbols that types of the program use, in their order.
static SmallVector<StringRef> getSymbols(ModuleOp module) {
  SmallVector<StringRef> names;
  AttrTypeWalker walker;
  walker.addWalk([&](graph::DimsAttr dims) {
    for (StringAttr symbol : dims.getSymbols())
      for (StringAttr each : getBases(symbol))
        if (!llvm::is_contained(names, each.getValue()))
          names.push_back(each.getValue());
  });
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    walker.walk(op->getAttrDictionary());
    for (Type type : op->getResultTypes())
      walker.walk(type);
  });
  return names;
}

/// Symbols that are set must be there, with sizes that functions declare for them.
static LogicalResult check(ModuleOp module, const onnx::ImportOptions &options,
                           const SymbolSizes &sizes) {
  SmallVector<StringRef> names = getSymbols(module);
  for (const auto &[name, size] : options.symbols)
    if (!llvm::is_contained(names, name))
      return emitError(module.getLoc(), Code::T0116)
             << "the program has no symbolic dimension '" << name << "'"
             << (names.empty() ? "" : listKnown(name, names));
  for (auto function : module.getOps<func::FuncOp>())
    if (auto declared = function->getAttrOfType<DictionaryAttr>(symbolsName))
      for (NamedAttribute symbol : declared) {
        auto range = cast<graph::SymbolAttr>(symbol.getValue());
        auto found = sizes.find(symbol.getName().str());
        int64_t size = found == sizes.end() ? range.getMin() : found->second;
        if (size < range.getMin() || size > range.getMax() || size % range.getStep() != 0)
          return emitError(function.getLoc(), Code::T0209)
                 << "symbol '" << found->first << "' is declared from " << range.getMin() << " to "
                 << range.getMax() << " in steps of " << range.getStep() << ", found size " << size;
      }
  return success();
}

/// Ranges that are given take the place of those that functions declare.
static LogicalResult declareRanges(ModuleOp module, const onnx::ImportOptions &options) {
  if (options.dims.empty())
    return success();
  SmallVector<StringRef> names = getSymbols(module);
  for (const auto &[name, range] : options.dims)
    if (!llvm::is_contained(names, name))
      return emitError(module.getLoc(), Code::T0116)
             << "the program has no symbolic dimension '" << name << "'"
             << (names.empty() ? "" : listKnown(name, names));
  for (auto function : module.getOps<func::FuncOp>()) {
    NamedAttrList declared(function->getAttrOfType<DictionaryAttr>(symbolsName));
    for (const auto &[name, range] : options.dims)
      declared.set(name,
                   graph::SymbolAttr::get(module.getContext(), range.min, range.max, range.step));
    function->setAttr(symbolsName, declared.getDictionary(module.getContext()));
    NamedAttrList typical(function->getAttrOfType<DictionaryAttr>(typicalName));
    for (const auto &[name, range] : options.dims)
      if (range.typical >= 0)
        typical.set(name, Builder(module.getContext()).getI64IntegerAttr(range.typical));
    if (!typical.empty())
      function->setAttr(typicalName, typical.getDictionary(module.getContext()));
  }
  return success();
}

LogicalResult tw::setSymbols(ModuleOp module, const onnx::ImportOptions &options) {
  SymbolSizes sizes = options.symbols;
  settleSymbols(getEquations(module, options), sizes);
  for (const auto &[name, range] : options.dims)
    if (options.symbols.contains(name))
      return emitError(module.getLoc(), Code::T0602)
             << "'" << name << "' has a size and a range: give one of them";
    else
      sizes.erase(name);
  if (failed(declareRanges(module, options)) || failed(check(module, options, sizes)))
    return failure();
  for (const auto &[symbol, size] : sizes)
    if (!options.symbols.contains(symbol))
      emitRemark(module.getLoc()) << "'" << symbol << "' is " << size << " by the shapes of inputs";
  if (sizes.empty())
    return success();
  bool negative = false;
  auto settle = [&](const graph::Dim &dim) {
    std::optional<graph::Dim> value =
        substitute(dim, [&](StringAttr name) -> std::optional<int64_t> {
          auto size = sizes.find(name.str());
          return size == sizes.end() ? std::nullopt : std::optional(size->second);
        });
    bool isWhole = value && (!value->isStatic() || value->getConstant() >= 0);
    if (!isWhole && !negative)
      emitError(module.getLoc(), Code::T0116)
          << "dimension " << toString(dim) << " comes to "
          << (value ? std::to_string(value->getConstant()) : "no whole number");
    negative |= !isWhole;
    return isWhole ? *value : dim;
  };
  // Declarations of symbols that are set go first: nothing is checked before the end.
  for (auto function : module.getOps<func::FuncOp>())
    if (auto declared = function->getAttrOfType<DictionaryAttr>(symbolsName)) {
      SmallVector<NamedAttribute> left = llvm::to_vector(llvm::make_filter_range(
          declared, [&](NamedAttribute a) { return !sizes.contains(a.getName().str()); }));
      function->removeAttr(symbolsName);
      if (!left.empty())
        function->setAttr(symbolsName, DictionaryAttr::get(module.getContext(), left));
    }
  graph::changeSizes(module, settle);
  return failure(negative || failed(verify(module)));
}
