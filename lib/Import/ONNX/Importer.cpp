// Imports a model: its graph's inputs become arguments, its nodes tgraph ops, in the order of the
// file.
#include "tw/Import/ONNX/ONNX.h"

#include "GraphImporter.h"
#include "SizeTrace.h"
#include "tw/Dialect/Graph/AssumedValues.h"
#include "tw/Import/ONNX/Generalize.h"
#include "tw/Support/Similar.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

namespace {

class Importer {
public:
  /// `modelFile` is the model's name in `files`, empty if it does not lie there.
  Importer(MLIRContext &context, llvm::StringRef fileName, llvm::StringRef modelFile,
           llvm::StringRef bytes, FileResolver &files, const ImportOptions &options, int64_t opset,
           int64_t irVersion)
      : options(options), builder(&context), constants(files, modelFile, bytes),
        nodes(builder, fileName.str(), constants, opset, irVersion, options.counted,
              options.values),
        emit(nodes.emit) {
    emit.keepsWholeSlices = options.isSample;
  }

  OwningOpRef<ModuleOp> run(const Graph &graph);

private:
  LogicalResult declareInputs(const Graph &graph);
  LogicalResult readAssumptions(ArrayRef<const ValueInfo *> inputs);
  LogicalResult settleSizes(ArrayRef<const ValueInfo *> inputs);
  RankedTensorType inputType(const ValueInfo &info);
  void checkInitializer(const ValueInfo &info, const Tensor &value);
  LogicalResult returnOutputs(const Graph &graph);
  double stepOf(const Graph &graph, llvm::StringRef name);
  void removeUnused();

  const ImportOptions &options;
  OpBuilder builder;
  Constants constants;
  GraphImporter nodes;
  Emitter &emit;
  func::FuncOp function;
  llvm::StringMap<DenseElementsAttr> assumed;
  SymbolSizes sizes;
};

} // namespace

/// Refuses what is no plain graph, and finds the version of the default operator set.
static FailureOr<int64_t> checkModel(Location loc, const Model &model) {
  if (!model.hasGraph)
    return emitError(loc, Code::T0101) << "the file holds no graph";
  if (!model.functions.empty())
    return emitError(loc, Code::T0117)
           << "the model has " << model.functions.size() << " local functions, the first '"
           << model.functions.front() << "'; inline them when exporting";
  if (!model.graph.sparseInitializers.empty())
    return emitError(loc, Code::T0117) << "initializer '" << model.graph.sparseInitializers.front()
                                       << "' is sparse; store it as a dense tensor";
  // Models that name no set are older than the sets; without the default one they have none of its
  // operators.
  int64_t opset = model.operatorSets.empty() && model.irVersion < 3 ? oldestOperatorSet
                  : model.operatorSets.empty()                      ? 0
                                                                    : newestOperatorSet;
  for (const OperatorSet &set : model.operatorSets)
    if (set.domain.empty() || set.domain == "ai.onnx")
      opset = set.version;
  if (opset < oldestOperatorSet || opset > newestOperatorSet)
    return emitError(loc, Code::T0105)
           << "the model uses version " << opset << " of the default operator set, expected "
           << oldestOperatorSet << " to " << newestOperatorSet;
  return opset;
}

/// The size of a dimension that is no number.
static SizeExpression sizeOf(const ValueInfo &info, size_t index) {
  StringRef text = info.shape[index].symbol;
  if (text.empty())
    return SizeExpression::symbol((info.name + "." + llvm::Twine(index)).str());
  return SizeExpression::parse(text);
}

LogicalResult Importer::readAssumptions(ArrayRef<const ValueInfo *> inputs) {
  SmallVector<StringRef> names =
      llvm::map_to_vector(inputs, [](const ValueInfo *info) { return info->name; });
  for (const auto &[name, path] : options.assumptions) {
    if (!llvm::is_contained(names, name))
      return emitError(nodes.at(0), Code::T0116)
             << "the model has no input '" << name << "'" << listKnown(name, names);
    FailureOr<DenseElementsAttr> value = readTensorFile(*builder.getContext(), path);
    if (failed(value))
      return failure();
    assumed[name] = *value;
  }
  return success();
}

/// Gives every symbol a size.
LogicalResult Importer::settleSizes(ArrayRef<const ValueInfo *> inputs) {
  std::vector<InputSizes> shapes;
  std::vector<SizeEquation> equations;
  for (const ValueInfo *info : inputs) {
    InputSizes &input = shapes.emplace_back();
    input.name = info->name.str();
    for (size_t i = 0; i < info->shape.size(); ++i)
      input.dims.push_back(info->shape[i].value ? SizeExpression(*info->shape[i].value)
                                                : sizeOf(*info, i));
    DenseElementsAttr value = assumed.lookup(info->name);
    if (!value || value.getType().getRank() != int64_t(input.dims.size()))
      continue;
    for (auto [dim, size] : llvm::zip(input.dims, value.getType().getShape()))
      equations.push_back({dim, size});
  }
  return onnx::settleSizes(nodes.at(0), shapes, std::move(equations), options, sizes);
}

RankedTensorType Importer::inputType(const ValueInfo &info) {
  static constexpr const char *kinds[] = {"missing", "a tensor",    "a sequence",
                                          "a map",   "an optional", "a sparse tensor"};
  if (info.kind != ValueInfo::TensorKind) {
    emit.error(Code::T0107) << "the type is " << kinds[info.kind] << ", expected a tensor";
    return {};
  }
  Type element = elementType(builder.getContext(), info.elementType);
  if (!element) {
    emit.error(Code::T0107) << "the element type is " << dataTypeName(info.elementType)
                            << ", which is not supported";
    return {};
  }
  if (!info.hasShape) {
    emit.error(Code::T0116) << "no shape is given; give it one in the model";
    return {};
  }
  Shape shape;
  for (auto [i, dim] : llvm::enumerate(info.shape)) {
    std::optional<int64_t> size = dim.value ? *dim.value : sizeOf(info, i).evaluate(sizes);
    if (!size) {
      emit.error(Code::T0116) << "the size of dimension " << i << ", '" << dim.symbol
                              << "', does not fit 64 bits";
      return {};
    }
    shape.push_back(*size);
  }
  if (!emit.checkShape(shape))
    return {};
  return RankedTensorType::get(shape, element);
}

/// An input that has a value must have been declared as what the value is.
void Importer::checkInitializer(const ValueInfo &info, const Tensor &value) {
  emit.begin(nodes.at(0), ("input '" + info.name + "'").str());
  if (info.kind == ValueInfo::TensorKind && info.elementType != value.type)
    emit.error(Code::T0107) << "declared as " << dataTypeName(info.elementType)
                            << ", its initializer is " << dataTypeName(value.type);
  bool differs = info.hasShape && info.shape.size() != value.dims.size();
  for (auto [declared, dim] : llvm::zip(info.shape, value.dims))
    differs |= declared.value && *declared.value != dim;
  if (differs)
    emit.error(Code::T0111) << "declared with another shape than its initializer's "
                            << shapeText(value.dims);
  nodes.errors += emit.failed();
}

LogicalResult Importer::declareInputs(const Graph &graph) {
  nodes.declareInitializers(graph);
  SmallVector<Type> types;
  SmallVector<const ValueInfo *> arguments;
  for (const ValueInfo &info : graph.inputs)
    if (const Tensor *initializer = nodes.initializer(info.name))
      checkInitializer(info, *initializer);
    else
      arguments.push_back(&info);
  if (failed(readAssumptions(arguments)) || failed(settleSizes(arguments)))
    return failure();
  for (const ValueInfo *info : arguments) {
    emit.begin(nodes.at(0), ("input '" + info->name + "'").str());
    types.push_back(inputType(*info));
    nodes.errors += emit.failed();
  }
  if (nodes.errors)
    return failure();
  function = func::FuncOp::create(builder, nodes.at(0), "main", builder.getFunctionType(types, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  for (auto [i, info] : llvm::enumerate(arguments)) {
    function.setArgAttr(i, "tgraph.name", builder.getStringAttr(info->name));
    Value argument = function.getArgument(i);
    emit.begin(nodes.at(0), "");
    Value value = nodes.takeSize(info->name, argument);
    nodes.define(info->name, value);
    if (emit.failed())
      return failure();
    if (auto value = assumed.find(info->name); value != assumed.end()) {
      if (value->second.getType() != argument.getType())
        return emitError(nodes.at(0), Code::T0111)
               << "input '" << info->name << "' has the type " << argument.getType()
               << ", the value assumed for it " << value->second.getType();
      constants.assume(argument, value->second);
    }
    // Only then, since what is unknown once stays so.
    if (options.counted)
      noteResult(*options.counted, info->name.str(), value, constants);
  }
  return success();
}

LogicalResult Importer::returnOutputs(const Graph &graph) {
  Location end = nodes.at(graph.nodes.size() + 1);
  if (graph.outputs.empty())
    return emitError(end, Code::T0101) << "the graph has no outputs, so that nothing is computed; "
                                          "name what it computes when exporting";
  SmallVector<Value> results;
  for (const ValueInfo &info : graph.outputs) {
    emit.begin(end, ("output '" + info.name + "'").str());
    SmallVector<Value> found;
    bool unknown = false;
    if (!nodes.lookUp(info.name, found, unknown) || unknown)
      return failure();
    if (!found.front())
      return emit.error(Code::T0109) << "the name is empty";
    RankedTensorType type = Emitter::type(found.front());
    if (info.kind == ValueInfo::TensorKind &&
        elementType(builder.getContext(), info.elementType) != type.getElementType())
      return emit.error(Code::T0107)
             << "declared as " << dataTypeName(info.elementType) << ", its node gives " << type;
    bool differs = info.hasShape && info.shape.size() != static_cast<size_t>(type.getRank());
    for (auto [i, dim] : llvm::enumerate(info.shape))
      differs |= !differs && dim.value && *dim.value != type.getDimSize(i);
    if (differs && !options.isSample && options.counted->found.empty())
      emitWarning(emit.location())
          << "output '" << info.name
          << "' is declared with another shape than its node gives: " << type;
    results.push_back(found.front());
  }
  func::ReturnOp::create(builder, end, results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), ValueRange(results)));
  for (BlockArgument argument : function.getArguments())
    if (DenseElementsAttr value = constants.getRelied(argument); value && !value.empty())
      function.setArgAttr(argument.getArgNumber(), graph::assumedName, value);
  for (auto [i, info] : llvm::enumerate(graph.outputs)) {
    function.setResultAttr(i, "tgraph.name", builder.getStringAttr(info.name));
    if (double step = stepOf(graph, info.name))
      function.setResultAttr(i, "tgraph.step", builder.getF64FloatAttr(step));
  }
  return success();
}

/// The step of the numbers that QuantizeLinear or DequantizeLinear gave `name` and that only moved
/// since; 0 for others. The largest where each channel has its own.
double Importer::stepOf(const Graph &graph, llvm::StringRef name) {
  static constexpr StringLiteral movements[] = {"Reshape",   "Flatten",  "Squeeze", "Unsqueeze",
                                                "Transpose", "Identity", "Slice"};
  for (const Node &node : llvm::reverse(graph.nodes)) {
    if (node.outputs.empty() || node.outputs.front() != name)
      continue;
    if (llvm::is_contained(movements, node.op) && !node.inputs.empty()) {
      name = node.inputs.front();
      continue;
    }
    if (node.op == "QuantizeLinear")
      return 1;
    if (node.op != "DequantizeLinear" || node.inputs.size() < 2)
      return 0;
    SmallVector<Value> scale;
    bool unknown = false;
    DenseElementsAttr value;
    if (nodes.lookUp(node.inputs[1], scale, unknown) && !unknown && scale.front())
      value = constants.get(scale.front());
    double step = 0;
    if (value && isa<FloatType>(value.getElementType()))
      for (const APFloat &one : value.getValues<APFloat>()) {
        double size = std::fabs(FloatAttr::getValueAsDouble(one));
        step = std::isfinite(size) ? std::max(step, size) : step;
      }
    return step;
  }
  return 0;
}

/// Chains that only computed shapes have no use left. Sizes that data decide may be used where what
/// has them is not.
void Importer::removeUnused() {
  auto remove = [](auto &self, Block &block) -> void {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op) && !isa<graph::PrefixOp>(op))
        op.erase();
      else
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            self(self, inner);
  };
  remove(remove, function.front());
}

OwningOpRef<ModuleOp> Importer::run(const Graph &graph) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(nodes.at(0));
  builder.setInsertionPointToStart(module->getBody());
  if (failed(declareInputs(graph)))
    return {};
  nodes.importNodes(graph);
  if (!nodes.report.empty()) {
    (void)nodes.report.emit(nodes.at(0));
    return {};
  }
  if (nodes.errors || failed(returnOutputs(graph)))
    return {};
  removeUnused();
  if (failed(verify(*module)))
    return {};
  return module;
}

bool tw::onnx::addImportOption(llvm::StringRef entry, ImportOptions &options,
                               std::string &problem) {
  if (entry.consume_front("symbol="))
    return parseSymbolSize(entry, options.symbols);
  if (entry.consume_front("dim="))
    return parseSizeRange(entry, options.dims, problem);
  if (entry.consume_front("shape=")) {
    auto [name, text] = entry.rsplit('=');
    std::vector<int64_t> shape;
    for (StringRef size : llvm::split(text, ','))
      if (!text.empty() && (size.getAsInteger(10, shape.emplace_back()) || shape.back() < 0))
        return false;
    options.shapes.push_back({name.str(), std::move(shape)});
    return entry.contains('=');
  }
  if (entry == "follow-links=true" || entry == "follow-links=false") {
    options.followLinks = entry.ends_with("true");
    return true;
  }
  if (entry.consume_front("alias=")) {
    auto [input, output] = entry.split('=');
    options.aliases.push_back({input.str(), output.str()});
    return !input.empty() && !output.empty() && input.count('*') == output.count('*') &&
           input.count('*') <= 1;
  }
  auto [name, path] = entry.rsplit('=');
  if (!name.consume_front("assume=") || name.empty() || path.empty())
    return false;
  options.assumptions[name.str()] = path.str();
  return true;
}

std::vector<const std::vector<int64_t> *>
tw::onnx::findShapes(const ImportOptions &options, llvm::ArrayRef<llvm::StringRef> inputs) {
  std::vector<const std::vector<int64_t> *> shapes(inputs.size());
  for (auto &[name, shape] : options.shapes)
    if (auto *input = llvm::find(inputs, name); !name.empty() && input != inputs.end())
      shapes[input - inputs.begin()] = &shape;
  size_t next = 0;
  for (auto &[name, shape] : options.shapes) {
    while (next < shapes.size() && shapes[next])
      ++next;
    if (name.empty() && next < shapes.size())
      shapes[next] = &shape;
  }
  return shapes;
}

namespace {

/// A model and the mapping it points into.
struct OpenModel {
  std::unique_ptr<FileResolver> files;
  llvm::StringRef name, bytes;
  Model model;
};

} // namespace

/// Beside ranges, too, shapes of inputs settle symbols that have none.
static void settleOthers(Location loc, const Graph &graph, ImportOptions &options) {
  llvm::StringSet<> initializers;
  for (const Tensor &tensor : graph.initializers)
    initializers.insert(tensor.name);
  SmallVector<const ValueInfo *> inputs;
  SmallVector<StringRef> names;
  for (const ValueInfo &input : graph.inputs)
    if (!initializers.contains(input.name)) {
      inputs.push_back(&input);
      names.push_back(input.name);
    }
  std::vector<SizeEquation> equations;
  for (const auto &[name, size] : options.symbols)
    equations.push_back({SizeExpression::parse(name), size});
  SymbolSizes listed, sizes;
  settleSymbols(equations, listed);
  sizes = listed;
  for (auto [input, shape] : llvm::zip(inputs, findShapes(options, names)))
    for (size_t i = 0; shape && i < input->shape.size(); ++i)
      if (!input->shape[i].value && input->shape.size() == shape->size())
        equations.push_back({sizeOf(*input, i), (*shape)[i]});
  settleSymbols(equations, sizes);
  for (const auto &[symbol, size] : sizes)
    if (!listed.contains(symbol) && !options.dims.contains(symbol)) {
      options.symbols[symbol] = size;
      emitRemark(loc) << "'" << symbol << "' is " << size << " by the shapes of inputs";
    }
}

/// What is a range of no dimension is one of a value, if the graph has it; and one of a single size
/// is that size.
static ImportOptions sortRanges(Location loc, const Graph &graph, const ImportOptions &options) {
  ImportOptions own = options;
  llvm::StringSet<> symbols, values;
  for (const ValueInfo &input : graph.inputs) {
    values.insert(input.name);
    for (size_t i = 0; i < input.shape.size(); ++i)
      if (!input.shape[i].value)
        for (const std::string &symbol : sizeOf(input, i).getSymbols())
          symbols.insert(symbol);
  }
  for (const Node &node : graph.nodes)
    for (StringRef output : node.outputs)
      values.insert(output);
  for (const auto &[name, range] : options.dims)
    if (!symbols.contains(name) && values.contains(name)) {
      own.values.emplace(name, range);
      own.dims.erase(name);
    } else if (range.min == range.max && !options.symbols.contains(name)) {
      own.symbols[name] = range.min;
      own.dims.erase(name);
    }
  if (!own.dims.empty())
    settleOthers(loc, graph, own);
  return own;
}

static LogicalResult parseModel(Location loc, llvm::StringRef bytes, Model &model) {
  if (std::optional<ReadError> error = readModel(bytes, model))
    return emitError(loc, Code::T0101)
           << "not an ONNX model: at byte " << error->offset << ", " << error->message;
  return success();
}

static LogicalResult openModel(MLIRContext &context, llvm::StringRef path, bool followLinks,
                               OpenModel &open) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  open.files.reset(new FileResolver(FileResolver::around(path, followLinks)));
  open.name = open.files->getNamed();
  llvm::Expected<llvm::StringRef> bytes = open.files->file(open.name);
  if (!bytes)
    return emitError(loc, Code::T0102) << llvm::toString(bytes.takeError());
  open.bytes = *bytes;
  return parseModel(loc, open.bytes, open.model);
}

OwningOpRef<ModuleOp> tw::onnx::importModel(MLIRContext &context, llvm::StringRef path,
                                            const ImportOptions &options) {
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  OpenModel open;
  if (failed(openModel(context, path, options.followLinks, open)))
    return {};
  FailureOr<int64_t> opset = checkModel(FileLineColLoc::get(&context, open.name, 0, 0), open.model);
  if (failed(opset))
    return {};
  Location loc = FileLineColLoc::get(&context, open.name, 0, 0);
  return importForAll(loc, sortRanges(loc, open.model.graph, options),
                      [&](const ImportOptions &own) {
                        return Importer(context, open.name, open.name, open.bytes, *open.files, own,
                                        *opset, open.model.irVersion)
                            .run(open.model.graph);
                      });
}

OwningOpRef<ModuleOp> tw::onnx::importBytes(MLIRContext &context, llvm::StringRef bytes,
                                            llvm::StringRef name, FileResolver &files,
                                            const ImportOptions &options) {
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  Location loc = FileLineColLoc::get(&context, name, 0, 0);
  Model model;
  if (failed(parseModel(loc, bytes, model)))
    return {};
  FailureOr<int64_t> opset = checkModel(loc, model);
  if (failed(opset))
    return {};
  return importForAll(loc, sortRanges(loc, model.graph, options), [&](const ImportOptions &own) {
    return Importer(context, name, /*modelFile=*/"", bytes, files, own, *opset, model.irVersion)
        .run(model.graph);
  });
}

FailureOr<std::vector<std::string>> tw::onnx::readInputNames(MLIRContext &context,
                                                             llvm::StringRef path) {
  OpenModel open;
  if (failed(openModel(context, path, /*followLinks=*/false, open)))
    return failure();
  llvm::StringSet<> initializers;
  for (const Tensor &tensor : open.model.graph.initializers)
    initializers.insert(tensor.name);
  std::vector<std::string> names;
  for (const ValueInfo &input : open.model.graph.inputs)
    if (!initializers.contains(input.name))
      names.push_back(input.name.str());
  return names;
}

FailureOr<DenseElementsAttr> tw::onnx::readTensorFile(MLIRContext &context, llvm::StringRef path) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  FileResolver files = FileResolver::around(path);
  llvm::StringRef name = files.getNamed();
  llvm::Expected<llvm::StringRef> bytes = files.file(name);
  if (!bytes)
    return emitError(loc, Code::T0102) << llvm::toString(bytes.takeError());
  Tensor tensor;
  if (std::optional<ReadError> error = readTensor(*bytes, tensor))
    return emitError(loc, Code::T0101)
           << "not an ONNX tensor: at byte " << error->offset << ", " << error->message;
  TensorData data;
  if (std::optional<DataError> error = locateData(&context, tensor, name, *bytes, files, data))
    return emitError(loc, error->code) << error->message;
  return denseFromBytes(data.type, data.bytes);
}
