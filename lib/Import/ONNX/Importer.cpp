// Imports a model: its graph's inputs become arguments, its nodes tgraph ops, in the order of the
// file.
#include "tw/Import/ONNX/ONNX.h"

#include "Constants.h"
#include "Registry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace tw;
using namespace tw::onnx;
using namespace mlir;

/// After this many errors the rest is left out: it would only repeat the first.
static constexpr unsigned maxErrors = 20;

namespace {

class Importer {
public:
  Importer(MLIRContext &context, llvm::StringRef fileName, llvm::StringRef bytes,
           FileResolver &files, const ImportOptions &options)
      : fileName(fileName), options(options), builder(&context), emit(builder),
        constants(files, fileName, bytes) {}

  OwningOpRef<ModuleOp> run(const Model &model);

private:
  Location at(unsigned line) {
    return FileLineColLoc::get(builder.getContext(), fileName, line, line ? 1 : 0);
  }
  LogicalResult checkModel(const Model &model);
  LogicalResult declareInputs(const Graph &graph);
  RankedTensorType inputType(const ValueInfo &info);
  void warnOfDefaults();
  void importNode(const Node &node, size_t index);
  bool lookUp(const Node &node, SmallVectorImpl<Value> &inputs, bool &unknown);
  void define(llvm::StringRef name, Value value);
  LogicalResult returnOutputs(const Graph &graph);
  void removeUnused();

  std::string fileName;
  const ImportOptions &options;
  OpBuilder builder;
  Emitter emit;
  Constants constants;
  Report report;
  int64_t opset = 0;
  unsigned errors = 0;
  func::FuncOp function;
  llvm::StringMap<Value> values;                ///< null: its node could not be imported
  llvm::StringMap<const Tensor *> initializers; ///< not yet emitted
  llvm::StringMap<DenseElementsAttr> assumed;
  SmallVector<std::string> defaulted;
};

} // namespace

LogicalResult Importer::checkModel(const Model &model) {
  Location loc = at(0);
  if (!model.hasGraph)
    return emitError(loc, Code::T0101) << "the file holds no graph";
  if (!model.functions.empty())
    return emitError(loc, Code::T0117)
           << "the model has " << model.functions.size() << " local functions, the first '"
           << model.functions.front() << "'; inline them when exporting";
  if (!model.graph.sparseInitializers.empty())
    return emitError(loc, Code::T0117) << "initializer '" << model.graph.sparseInitializers.front()
                                       << "' is sparse; store it as a dense tensor";
  bool hasDefault = false;
  for (const OperatorSet &set : model.operatorSets)
    if (set.domain.empty() || set.domain == "ai.onnx") {
      opset = set.version;
      hasDefault = true;
    }
  // Models without the default domain have none of its operators (or are older than its versions).
  if (model.operatorSets.empty() && model.irVersion < 3)
    opset = oldestOperatorSet;
  else if (!model.operatorSets.empty() && !hasDefault)
    opset = newestOperatorSet;
  if (opset < oldestOperatorSet || opset > newestOperatorSet)
    return emitError(loc, Code::T0105)
           << "the model uses version " << opset << " of the default operator set, expected "
           << oldestOperatorSet << " to " << newestOperatorSet;
  return success();
}

RankedTensorType Importer::inputType(const ValueInfo &info) {
  static constexpr const char *kinds[] = {"no type", "tensor",   "sequence",
                                          "map",     "optional", "sparse tensor"};
  if (info.kind != ValueInfo::TensorKind) {
    emit.error(Code::T0107) << "has the type " << kinds[info.kind] << ", expected a tensor";
    return {};
  }
  Type element = elementType(builder.getContext(), info.elementType);
  if (!element) {
    emit.error(Code::T0107) << "has the element type " << dataTypeName(info.elementType)
                            << ", which is not supported";
    return {};
  }
  if (!info.hasShape) {
    emit.error(Code::T0116) << "has no shape; give it one in the model";
    return {};
  }
  DenseElementsAttr value;
  if (auto path = options.assumptions.find(info.name.str()); path != options.assumptions.end()) {
    FailureOr<DenseElementsAttr> read = readTensorFile(*builder.getContext(), path->second);
    if (failed(read)) {
      ++errors;
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
  for (const Tensor &tensor : graph.initializers)
    if (!initializers.insert({tensor.name, &tensor}).second)
      return emitError(at(0), Code::T0110) << "two initializers are named '" << tensor.name << "'";
  SmallVector<Type> types;
  SmallVector<const ValueInfo *> arguments;
  for (const ValueInfo &info : graph.inputs) {
    if (initializers.contains(info.name))
      continue;
    emit.begin(at(0), ("input '" + info.name + "'").str());
    RankedTensorType type = inputType(info);
    errors += emit.failed();
    types.push_back(type);
    arguments.push_back(&info);
  }
  if (errors)
    return failure();
  function = func::FuncOp::create(builder, at(0), "main", builder.getFunctionType(types, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  for (auto [i, info] : llvm::enumerate(arguments)) {
    function.setArgAttr(i, "tgraph.name", builder.getStringAttr(info->name));
    Value argument = function.getArgument(i);
    if (!values.insert({info->name, argument}).second)
      return emitError(at(0), Code::T0110) << "two inputs are named '" << info->name << "'";
    auto value = assumed.find(info->name);
    if (value == assumed.end())
      continue;
    if (value->second.getType() != argument.getType())
      return emitError(at(0), Code::T0111)
             << "input '" << info->name << "' has the type " << argument.getType()
             << ", the value assumed for it " << value->second.getType();
    constants.assume(argument, value->second);
  }
  return success();
}

void Importer::warnOfDefaults() {
  if (defaulted.empty())
    return;
  InFlightDiagnostic warning = emitWarning(at(0)) << "size 1 was taken for ";
  llvm::interleaveComma(defaulted, warning,
                        [&](llvm::StringRef symbol) { warning << "'" << symbol << "'"; });
  warning << "; set it with --symbol=NAME=VALUE";
}

/// Finds the node's inputs. False after an error; `unknown` if one comes from a node that could not
/// be imported.
bool Importer::lookUp(const Node &node, SmallVectorImpl<Value> &inputs, bool &unknown) {
  for (llvm::StringRef name : node.inputs) {
    if (name.empty()) {
      inputs.push_back({});
      continue;
    }
    auto found = values.find(name);
    if (found == values.end()) {
      auto initializer = initializers.find(name);
      if (initializer == initializers.end()) {
        emit.error(Code::T0109) << "input '" << name << "' is not defined before";
        return false;
      }
      OpBuilder::InsertionGuard guard(builder);
      const Tensor *tensor = initializer->second;
      Value value = constants.materialize(*tensor, emit);
      found = values.insert({name, value}).first;
      if (!value)
        return false;
    }
    unknown |= !found->second;
    inputs.push_back(found->second);
  }
  return true;
}

void Importer::define(llvm::StringRef name, Value value) {
  if (name.empty())
    return;
  if (initializers.contains(name) || !values.insert({name, value}).second)
    emit.error(Code::T0110) << "result '" << name << "' is already defined";
}

void Importer::importNode(const Node &node, size_t index) {
  Location line = at(static_cast<unsigned>(index) + 1);
  std::string name = node.name.empty() ? "node " + std::to_string(index) : node.name.str();
  Location loc = NameLoc::get(builder.getStringAttr(name), line);
  emit.begin(loc, displaySubject(node, index));

  SmallVector<Value> inputs;
  bool unknown = false, ok = lookUp(node, inputs, unknown);
  NodeImport n(node, opset, emit, inputs, constants, report);
  const Rule *rule = nullptr;
  if (!node.domain.empty() && node.domain != "ai.onnx")
    n.unsupported("", "an importer for the domain '" + node.domain + "'",
                  "operators of the default domain");
  else if (!(rule = Registry::instance().find(node.op, opset))) {
    int64_t first = Registry::instance().firstVersion(node.op);
    if (first)
      n.unsupported("",
                    "operator set " + llvm::Twine(first) + ", the model has " + llvm::Twine(opset),
                    "a newer operator set");
    else
      n.unsupported("", "an operator of this name in ONNX", "another operator");
  } else if (!rule->import) {
    n.unsupported("", rule->needed, rule->nearest);
  } else if (ok && !unknown) {
    size_t in = node.inputs.size(), out = node.outputs.size();
    auto range = [](Arity arity) {
      std::string text = std::to_string(arity.least);
      if (arity.most == anyNumber)
        return text + " or more";
      return arity.most == arity.least ? text : text + " to " + std::to_string(arity.most);
    };
    if (in < rule->inputs.least || in > rule->inputs.most)
      n.error(Code::T0104) << "expected " << range(rule->inputs) << " inputs, found " << in;
    else if (out < rule->outputs.least || out > rule->outputs.most)
      n.error(Code::T0104) << "expected " << range(rule->outputs) << " outputs, found " << out;
    for (size_t i = 0; i < std::min<size_t>(rule->inputs.least, in); ++i)
      if (!inputs[i])
        n.error(Code::T0104) << "input " << i << " is missing";
    if (!n.failed())
      rule->import(n);
    for (size_t i = 0; i < out && !n.failed(); ++i)
      if (!n.allResults()[i] && n.wants(i))
        n.unsupported("output " + llvm::Twine(i), "this output to be computed",
                      "the operator without this output");
  }
  for (auto [i, output] : llvm::enumerate(node.outputs))
    define(output, n.failed() || !rule ? Value() : n.allResults()[i]);
  errors += emit.failed();
}

LogicalResult Importer::returnOutputs(const Graph &graph) {
  SmallVector<Value> results;
  for (const ValueInfo &info : graph.outputs) {
    emit.begin(at(static_cast<unsigned>(graph.nodes.size()) + 1),
               ("output '" + info.name + "'").str());
    Node node;
    node.inputs.push_back(info.name);
    SmallVector<Value> found;
    bool unknown = false;
    if (!lookUp(node, found, unknown) || unknown)
      return failure();
    if (!found.front())
      return emit.error(Code::T0109) << "has no name";
    RankedTensorType type = Emitter::type(found.front());
    if (info.kind == ValueInfo::TensorKind &&
        elementType(builder.getContext(), info.elementType) != type.getElementType())
      return emit.error(Code::T0107)
             << "is declared as " << dataTypeName(info.elementType) << ", its node gives " << type;
    bool differs = info.hasShape && info.shape.size() != static_cast<size_t>(type.getRank());
    for (auto [i, dim] : llvm::enumerate(info.shape))
      differs |= !differs && dim.value && *dim.value != type.getDimSize(i);
    if (differs)
      emitWarning(emit.location())
          << "output '" << info.name
          << "' is declared with another shape than its node gives: " << type;
    results.push_back(found.front());
  }
  func::ReturnOp::create(builder, at(static_cast<unsigned>(graph.nodes.size()) + 1), results);
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

OwningOpRef<ModuleOp> Importer::run(const Model &model) {
  if (failed(checkModel(model)))
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(at(0));
  builder.setInsertionPointToStart(module->getBody());
  if (failed(declareInputs(model.graph)))
    return {};
  warnOfDefaults();
  for (auto [i, node] : llvm::enumerate(model.graph.nodes)) {
    importNode(node, i);
    if (errors >= maxErrors) {
      emitRemark(at(0)) << "import stopped after " << errors << " errors";
      break;
    }
  }
  if (!report.empty()) {
    (void)report.emit(at(0));
    return {};
  }
  if (errors || failed(returnOutputs(model.graph)))
    return {};
  removeUnused();
  if (failed(verify(*module)))
    return {};
  return module;
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
  return Importer(context, open.name, open.bytes, *open.files, options).run(open.model);
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
