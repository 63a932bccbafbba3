// Sizes of the symbols of a model's inputs.
#include "tw/Import/ONNX/Generalize.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Similar.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

LogicalResult onnx::settleSizes(Location loc, ArrayRef<InputSizes> inputs,
                                std::vector<SizeEquation> equations, const ImportOptions &options,
                                SymbolSizes &sizes) {
  SmallVector<StringRef> names;
  std::vector<std::string> symbols;
  for (const InputSizes &input : inputs) {
    names.push_back(input.name);
    for (const SizeExpression &dim : input.dims)
      for (std::string &symbol : dim.getSymbols())
        if (!llvm::is_contained(symbols, symbol))
          symbols.push_back(std::move(symbol));
  }
  std::vector<SizeEquation> given;
  for (const auto &[name, size] : options.symbols) {
    given.push_back({SizeExpression::parse(name), size});
    for (const std::string &symbol : given.back().size.getSymbols())
      if (!llvm::is_contained(symbols, symbol))
        return emitError(loc, Code::T0116)
               << "the model has no symbolic dimension '" << symbol << "'"
               << (symbols.empty()
                       ? std::string()
                       : listKnown(symbol, SmallVector<StringRef>(symbols.begin(), symbols.end())));
  }
  equations.insert(equations.begin(), given.begin(), given.end());
  settleSymbols(equations, sizes);
  SymbolSizes before = sizes;
  for (auto [input, shape] : llvm::zip(inputs, findShapes(options, names)))
    if (shape && shape->size() == input.dims.size())
      for (auto [dim, size] : llvm::zip(input.dims, *shape))
        if (!dim.getSymbols().empty())
          equations.push_back({dim, size});
  settleSymbols(equations, sizes);
  for (const auto &[symbol, size] : sizes)
    if (!before.contains(symbol))
      emitRemark(loc) << "'" << symbol << "' is " << size << " by the shapes of inputs";
  SmallVector<StringRef> defaulted;
  for (const std::string &symbol : symbols)
    if (sizes.try_emplace(symbol, 1).second)
      defaulted.push_back(symbol);
  for (const auto &[text, size] : options.symbols)
    if (SizeExpression::parse(text).evaluate(sizes) != size)
      return emitError(loc, Code::T0116)
             << "no sizes of its symbols give '" << text << "' the size " << size;
  if (!defaulted.empty())
    emitWarning(loc) << "size 1 was taken for '" << llvm::join(defaulted, "', '")
                     << "'; set it with --symbol=NAME=VALUE";
  return success();
}
