// Imports a model: its graph's inputs become arguments, its nodes tgraph ops, in the order of the
// file.
#include "tw/Import/ONNX/ONNX.h"

#include "GraphImporter.h"
#include "tw/Support/Similar.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

namespace {

class Importer {
public:
  Importer(MLIRContext &context, llvm::StringRef fileName, llvm::StringRef bytes,
           FileResolver &files, const ImportOptions &options, int64_t opset)
      : options(options), builder(&context), constants(files, fileName, bytes),
        nodes(builder, fileName.str(), constants, opset), emit(nodes.emit) {}

  OwningOpRef<ModuleOp> run(const Graph &graph);

private:
  LogicalResult declareInputs(const Graph &graph);
  RankedTensorType inputType(const ValueInfo &info);
  void warnOfDefaults();
  void warnOfUnknown(const Graph &graph);
  LogicalResult returnOutputs(const Graph &graph);
  void removeUnused();

  const ImportOptions &options;
  OpBuilder builder;
  Constants constants;
  GraphImporter nodes;
  Emitter &emit;
  func::FuncOp function;
  llvm::StringMap<DenseElementsAttr> assumed;
  SmallVector<std::string> symbols, defaulted;
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
  DenseElementsAttr value;
  if (auto path = options.assumptions.find(info.name.str()); path != options.assumptions.end()) {
    FailureOr<DenseElementsAttr> read = readTensorFile(*builder.getContext(), path->second);
    if (failed(read)) {
      ++nodes.errors;
      return {};
    }
    assumed[info.name] = value = *read;
  }
  Shape shape;
  for (auto [i, dim] : llvm::enumerate(info.shape)) {
    if (dim.value) {
      shape.push_back(*dim.value);
      continue;
    }
    std::string symbol =
        dim.symbol.empty() ? (info.name + "." + llvm::Twine(i)).str() : dim.symbol.str();
    if (!llvm::is_contained(symbols, symbol))
      symbols.push_back(symbol);
    auto found = options.symbols.find(symbol);
    if (found != options.symbols.end()) {
      shape.push_back(found->second);
    } else if (value && i < static_cast<size_t>(value.getType().getRank())) {
      shape.push_back(value.getType().getDimSize(static_cast<unsigned>(i)));
    } else {
      shape.push_back(1);
      if (!llvm::is_contained(defaulted, symbol))
        defaulted.push_back(symbol);
    }
  }
  if (!emit.checkShape(shape))
    return {};
  return RankedTensorType::get(shape, element);
}

LogicalResult Importer::declareInputs(const Graph &graph) {
  nodes.declareInitializers(graph);
  SmallVector<Type> types;
  SmallVector<const ValueInfo *> arguments;
  for (const ValueInfo &info : graph.inputs) {
    if (nodes.isInitializer(info.name))
      continue;
    emit.begin(nodes.at(0), ("input '" + info.name + "'").str());
    RankedTensorType type = inputType(info);
    nodes.errors += emit.failed();
    types.push_back(type);
    arguments.push_back(&info);
  }
  if (nodes.errors)
    return failure();
  function = func::FuncOp::create(builder, nodes.at(0), "main", builder.getFunctionType(types, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  for (auto [i, info] : llvm::enumerate(arguments)) {
    function.setArgAttr(i, "tgraph.name", builder.getStringAttr(info->name));
    Value argument = function.getArgument(i);
    emit.begin(nodes.at(0), "");
    nodes.define(info->name, argument);
    if (emit.failed())
      return failure();
    auto value = assumed.find(info->name);
    if (value == assumed.end())
      continue;
    if (value->second.getType() != argument.getType())
      return emitError(nodes.at(0), Code::T0111)
             << "input '" << info->name << "' has the type " << argument.getType()
             << ", the value assumed for it " << value->second.getType();
    constants.assume(argument, value->second);
  }
  return success();
}

void Importer::warnOfDefaults() {
  if (defaulted.empty())
    return;
  InFlightDiagnostic warning = emitWarning(nodes.at(0)) << "size 1 was taken for ";
  llvm::interleaveComma(defaulted, warning,
                        [&](llvm::StringRef symbol) { warning << "'" << symbol << "'"; });
  warning << "; set it with --symbol=NAME=VALUE";
}

/// Of options that say nothing of this model, by a slip of the pen for the most part.
void Importer::warnOfUnknown(const Graph &graph) {
  auto warn = [&](llvm::StringRef what, llvm::StringRef name, ArrayRef<llvm::StringRef> known) {
    if (!llvm::is_contained(known, name))
      emitWarning(nodes.at(0)) << "the model has no " << what << " '" << name << "'"
                               << (known.empty() ? std::string() : listKnown(name, known));
  };
  SmallVector<llvm::StringRef> inputs, dims(symbols.begin(), symbols.end());
  for (const ValueInfo &info : graph.inputs)
    if (!nodes.isInitializer(info.name))
      inputs.push_back(info.name);
  for (const auto &[name, size] : options.symbols)
    warn("symbolic dimension", name, dims);
  for (const auto &[name, path] : options.assumptions)
    warn("input", name, inputs);
}

LogicalResult Importer::returnOutputs(const Graph &graph) {
  Location end = nodes.at(graph.nodes.size() + 1);
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
    if (differs)
      emitWarning(emit.location())
          << "output '" << info.name
          << "' is declared with another shape than its node gives: " << type;
    results.push_back(found.front());
  }
  func::ReturnOp::create(builder, end, results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), ValueRange(results)));
  for (auto [i, info] : llvm::enumerate(graph.outputs))
    function.setResultAttr(i, "tgraph.name", builder.getStringAttr(info.name));
  return success();
}

/// Chains that only computed shapes have no use left.
void Importer::removeUnused() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

OwningOpRef<ModuleOp> Importer::run(const Graph &graph) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(nodes.at(0));
  builder.setInsertionPointToStart(module->getBody());
  if (failed(declareInputs(graph)))
    return {};
  warnOfDefaults();
  warnOfUnknown(graph);
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

bool tw::onnx::addImportOption(llvm::StringRef entry, ImportOptions &options) {
  if (entry.consume_front("symbol=")) {
    auto [name, value] = entry.rsplit('=');
    int64_t size;
    if (name.empty() || value.getAsInteger(10, size) || size < 0)
      return false;
    options.symbols[name.str()] = size;
    return true;
  }
  auto [name, path] = entry.rsplit('=');
  if (!name.consume_front("assume=") || name.empty() || path.empty())
    return false;
  options.assumptions[name.str()] = path.str();
  return true;
}

namespace {

/// A model and the mapping it points into.
struct OpenModel {
  std::unique_ptr<FileResolver> files;
  llvm::StringRef name, bytes;
  Model model;
};

} // namespace

static LogicalResult openModel(MLIRContext &context, llvm::StringRef path, OpenModel &open) {
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  open.files = std::make_unique<FileResolver>(folder.empty() ? "." : folder);
  open.name = llvm::sys::path::filename(path);
  llvm::Expected<llvm::StringRef> bytes = open.files->file(open.name);
  if (!bytes)
    return emitError(loc, Code::T0102) << llvm::toString(bytes.takeError());
  open.bytes = *bytes;
  if (std::optional<ReadError> error = readModel(open.bytes, open.model))
    return emitError(loc, Code::T0101)
           << "not an ONNX model: at byte " << error->offset << ", " << error->message;
  return success();
}

OwningOpRef<ModuleOp> tw::onnx::importModel(MLIRContext &context, llvm::StringRef path,
                                            const ImportOptions &options) {
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  OpenModel open;
  if (failed(openModel(context, path, open)))
    return {};
  FailureOr<int64_t> opset = checkModel(FileLineColLoc::get(&context, open.name, 0, 0), open.model);
  if (failed(opset))
    return {};
  return Importer(context, open.name, open.bytes, *open.files, options, *opset)
      .run(open.model.graph);
}

FailureOr<std::vector<std::string>> tw::onnx::readInputNames(MLIRContext &context,
                                                             llvm::StringRef path) {
  OpenModel open;
  if (failed(openModel(context, path, open)))
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
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  llvm::StringRef name = llvm::sys::path::filename(path);
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  FileResolver files(folder.empty() ? "." : folder);
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
