// Imports a program: reads its text, names the arguments of its main function, and gives them
// sizes.
#include "Importer.h"
#include "Sizes.h"
#include "Syntax.h"
#include "tw/Dialect/Graph/ComplexNumbers.h"
#include "tw/Import/StableHLO/StableHLO.h"
#include "tw/Support/Nesting.h"
#include "tw/Support/ReadFile.h"

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

/// "params['w'][0]" is called "params.w.0".
static std::string cleanName(StringRef text) {
  std::string name;
  for (char c : text)
    if (c == '[' || c == '.')
      name += '.';
    else if (llvm::isAlnum(c) || c == '_')
      name += c;
  return name;
}

static StringAttr nameValue(Builder &builder, StringRef info, const Twine &fallback,
                            llvm::StringSet<> &taken) {
  std::string name = cleanName(info);
  if (name.empty() || !taken.insert(name).second) {
    name = fallback.str();
    while (!taken.insert(name).second)
      name += "_";
  }
  return builder.getStringAttr(name);
}

/// What is called "main", or the only function that is not private.
static func::FuncOp findMain(ModuleOp module) {
  if (auto main = module.lookupSymbol<func::FuncOp>("main"))
    return main;
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isPrivate()) {
      if (found)
        return {};
      found = function;
    }
  return found;
}

/// How main takes and gives a tensor: of complex numbers real and imaginary parts along one more
/// dimension, the last, as they lie in memory, which callers see as complex numbers by
/// `tgraph.complex`; of quantised ones the integers.
static Type typeOutside(Type type) {
  auto parts = dyn_cast<RankedTensorType>(partTypeOf(type));
  if (isQuantizedType(type))
    return parts;
  if (!isComplexType(type) || !parts)
    return type;
  Shape shape(parts.getShape());
  shape.push_back(2);
  return RankedTensorType::get(shape, parts.getElementType(), parts.getEncoding());
}

static Value partOf(Emitter &emit, Value both, int64_t part) {
  int64_t dim = Emitter::rank(both) - 1;
  return emit.squeeze(emit.sliceDim(both, dim, part, 1), dim);
}

static Value joinParts(Emitter &emit, Value real, Value imaginary) {
  int64_t dim = Emitter::rank(real);
  return emit.concat({emit.unsqueeze(real, dim), emit.unsqueeze(imaginary, dim)}, dim);
}

/// What stands beside functions and means nothing to one device.
static bool isIgnored(Operation &op) {
  return op.getName().getStringRef() == "sdy.mesh" && !op.hasAttr("axes");
}

static StringRef givenName(BlockArgument argument) {
  auto named = dyn_cast<NameLoc>(argument.getLoc());
  return named ? named.getName().getValue() : StringRef();
}

/// What a function that takes the argument as it is calls it: jax.export puts one without names
/// around the user's.
static StringRef nameInCallee(BlockArgument argument, const SymbolTable &symbols) {
  for (OpOperand &use : argument.getUses()) {
    auto call = dyn_cast<func::CallOp>(use.getOwner());
    auto callee = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
    if (callee && use.getOperandNumber() < callee.getNumArguments() && !callee.isExternal())
      return givenName(callee.getArgument(use.getOperandNumber()));
  }
  return {};
}

/// What the arguments of main are called.
static SmallVector<StringAttr> nameArguments(func::FuncOp main, llvm::StringSet<> &taken) {
  SymbolTable symbols(main->getParentOp());
  Builder builder(main.getContext());
  SmallVector<StringAttr> names;
  for (auto [i, argument] : llvm::enumerate(main.getArguments())) {
    StringRef info;
    if (auto text = main.getArgAttrOfType<StringAttr>(unsigned(i), "jax.arg_info"))
      info = text;
    else if (info = givenName(argument); info.empty())
      info = nameInCallee(argument, symbols);
    names.push_back(nameValue(builder, info, "arg" + Twine(i), taken));
  }
  return names;
}

/// The type with sizes in place of those that it leaves open.
static FailureOr<Type> settle(Type type, const onnx::InputSizes &input, const SymbolSizes &sizes,
                              Location loc) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.hasStaticShape())
    return type;
  Shape shape;
  for (const SizeExpression &dim : input.dims) {
    std::optional<int64_t> size = dim.evaluate(sizes);
    if (!size || *size < 0)
      return tw::emitError(loc, Code::T0116)
             << "argument '" << input.name << "' has no size of 0 and more as dimension "
             << shape.size() << " for these sizes of its symbols";
    shape.push_back(*size);
  }
  return Type(tensor.clone(shape));
}

static OwningOpRef<ModuleOp> import(ModuleOp source, func::FuncOp main,
                                    const onnx::ImportOptions &options) {
  MLIRContext *context = source.getContext();
  OpBuilder builder(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(source.getLoc());
  builder.setInsertionPointToEnd(module->getBody());
  FunctionType type = main.getFunctionType();
  llvm::StringSet<> taken;
  SmallVector<StringAttr> names = nameArguments(main, taken);
  std::vector<onnx::InputSizes> inputs =
      readSizes(main, llvm::map_to_vector(names, [](StringAttr name) { return name.getValue(); }));
  SymbolSizes sizes;
  if (failed(onnx::settleSizes(main.getLoc(), inputs, {}, options, sizes)))
    return {};
  SmallVector<Type> given;
  for (auto [argument, input] : llvm::zip(main.getArguments(), inputs)) {
    FailureOr<Type> settled = settle(argument.getType(), input, sizes, argument.getLoc());
    if (failed(settled))
      return {};
    given.push_back(typeOutside(*settled));
  }
  auto outside = builder.getFunctionType(given, {});
  auto function = func::FuncOp::create(builder, main.getLoc(), "main", outside);
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  Importer importer(builder, source, options.isSample, options.counted);
  for (Operation &op : *source.getBody())
    if (!isa<func::FuncOp>(op) && !isIgnored(op))
      importer.report.add(op.getLoc(), op.getName().getStringRef(), "", "programs across devices",
                          "functions alone", op.getName().getStringRef());
  for (auto [i, argument] : llvm::enumerate(main.getArguments())) {
    if (std::string problem = problemOf(outside.getInput(i), false); !problem.empty()) {
      importer.report.add(argument.getLoc(), "func.func", problem, "such arguments",
                          "tensors of sizes that are known", "argument " + Twine(i).str());
      continue;
    }
    Value given = body->getArgument(i);
    if (isComplexType(argument.getType())) {
      importer.emit.begin(argument.getLoc(), "");
      importer.set(argument, partOf(importer.emit, given, 0));
      importer.setImaginary(argument, partOf(importer.emit, given, 1));
    } else {
      importer.set(argument, given);
    }
    function.setArgAttr(i, "tgraph.name", names[i]);
    if (isComplexType(argument.getType()))
      function.setArgAttr(i, graph::complexName, builder.getUnitAttr());
  }
  for (auto [i, result] : llvm::enumerate(type.getResults()))
    if (isTokenType(result)) // other types are reported where they are made
      importer.report.add(main.getLoc(), "func.func", problemOf(result, false), "such results",
                          "tensors of sizes that are known", "result " + Twine(i).str());
  std::optional<Values> results = importer.importBlock(main.getBody().front());
  if (!importer.report.empty())
    (void)importer.report.emit(source.getLoc(), "op");
  if (importer.errors || !importer.report.empty() || !results)
    return {};
  importer.emit.begin(main.getLoc(), "");
  for (auto [operand, value] : llvm::zip(main.getBody().front().back().getOperands(), *results))
    if (isComplexType(operand.getType()))
      value = joinParts(importer.emit, value, importer.getImaginary(operand));
  func::ReturnOp::create(builder, main.getLoc(), *results);
  function.setType(builder.getFunctionType(given, ValueRange(*results).getTypes()));
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    auto text = main.getResultAttrOfType<StringAttr>(i, "jax.result_info");
    function.setResultAttr(
        i, "tgraph.name",
        nameValue(builder, text ? text.getValue() : StringRef(), "result" + Twine(i), taken));
    if (isComplexType(type.getResult(i)))
      function.setResultAttr(i, graph::complexName, builder.getUnitAttr());
  }
  IRRewriter rewriter(context);
  (void)runRegionDCE(rewriter, function->getRegions());
  if (failed(verify(*module)))
    return {};
  return module;
}

static OwningOpRef<ModuleOp> read(MLIRContext &context, std::unique_ptr<llvm::MemoryBuffer> text,
                                  const onnx::ImportOptions &options) {
  CodeForOthers syntax(context, Code::T0514);
  context.loadDialect<func::FuncDialect, graph::GraphDialect, quant::QuantDialect>();
  if (failed(loadDialects(context)))
    return {};
  StringRef bytes = text->getBuffer(), name = text->getBufferIdentifier();
  if (!options.assumptions.empty()) {
    tw::emitError(UnknownLoc::get(&context), Code::T0602)
        << "--assume is for ONNX models alone, found " << name;
    return {};
  }
  if (bytes.starts_with("ML\xefR")) {
    tw::emitError(FileLineColLoc::get(&context, name, 0, 0), Code::T0514)
        << "expected StableHLO as text, found bytecode: write str(exported.mlir_module()) instead";
    return {};
  }
  if (failed(checkNesting(&context, bytes, name)))
    return {};
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  OwningOpRef<ModuleOp> source = parseSourceFile<ModuleOp>(sources, &context);
  if (!source)
    return {};
  func::FuncOp main = findMain(*source);
  if (!main || !main.getBody().hasOneBlock()) {
    tw::emitError(source->getLoc(), Code::T0117)
        << "expected a function 'main' of one block, or one function that is not private";
    return {};
  }
  return onnx::importForAll(main.getLoc(), options, [&](const onnx::ImportOptions &own) {
    return import(*source, main, own);
  });
}

OwningOpRef<ModuleOp> stablehlo::importText(MLIRContext &context, StringRef text, StringRef name,
                                            const onnx::ImportOptions &options) {
  return read(context, llvm::MemoryBuffer::getMemBufferCopy(text, name), options);
}

OwningOpRef<ModuleOp> stablehlo::importModel(MLIRContext &context, StringRef path,
                                             const onnx::ImportOptions &options) {
  auto text = readText(path, programLimit);
  if (!text) {
    tw::emitError(UnknownLoc::get(&context), Code::T0603) << llvm::toString(text.takeError());
    return {};
  }
  return read(context, std::move(*text), options);
}
