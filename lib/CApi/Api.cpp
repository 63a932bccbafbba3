// The C API of the compiler: the table of functions behind twcGetApi.
#include "Context.h"

#include "tw/Dialect/Graph/ComplexNumbers.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Kernel.h"
#include "tw/Format/ComplexElements.h"
#include "tw/Format/Element.h"
#include "tw/Import/ONNX/Generalize.h"
#include "tw/Import/ONNX/ONNX.h"
#include "tw/Import/StableHLO/StableHLO.h"
#include "tw/Interpreter/Compare.h"
#include "tw/Interpreter/Interpreter.h"
#include "tw/Pipeline/Compiler.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/ElementTypes.h"
#include "tw/Support/Nesting.h"
#include "tw/Support/ResultCounts.h"
#include "tw/Support/SizedStruct.h"
#include "tw/Support/Version.h"
#include "tw/Support/Workers.h"
#include "tw/Target/Target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include "mlir/AsmParser/AsmParser.h"

#include <cstddef>

using namespace mlir;
using namespace tw;

namespace {

bool isOnnx(const TwcInput &input) {
  if (input.kind != TWC_INPUT_AUTO)
    return input.kind == TWC_INPUT_ONNX;
  StringRef path = input.path ? input.path : "";
  if (path.ends_with(".onnx") || path.ends_with(".mlir") || !input.bytes.data)
    return path.ends_with(".onnx");
  // The tag of the first field, ir_version, which no text begins with.
  StringRef bytes(static_cast<const char *>(input.bytes.data), input.bytes.size);
  return bytes.starts_with("\x08");
}

bool isStableHlo(const TwcInput &input) {
  return input.kind == TWC_INPUT_STABLEHLO ||
         (input.kind == TWC_INPUT_AUTO &&
          StringRef(input.path ? input.path : "").ends_with(".stablehlo.mlir"));
}

struct ImportOptions : onnx::ImportOptions {
  /// Folder of the files that a program's constants name; empty: the program's.
  std::string weights;
  /// A program at some sizes of the symbols that have ranges, in the order of their names.
  struct Sample {
    size_t bytes = 0;
    std::vector<int64_t> sizes;
  };
  /// What the bytes hold, one behind the other.
  std::vector<Sample> samples;
  /// What some sizes are that are no sums of multiples.
  std::vector<std::string> known;

  /// BYTES:SIZE,SIZE...
  bool addSample(StringRef text) {
    auto [bytes, sizes] = text.split(':');
    Sample &sample = samples.emplace_back();
    if (bytes.getAsInteger(10, sample.bytes))
      return false;
    SmallVector<StringRef> numbers;
    sizes.split(numbers, ',');
    for (StringRef number : numbers)
      if (number.getAsInteger(10, sample.sizes.emplace_back()))
        return false;
    return true;
  }
};

/// What `input.import` says.
FailureOr<ImportOptions> getImportOptions(TwcContext *context, const TwcInput &input) {
  ImportOptions options;
  SmallVector<StringRef> entries;
  StringRef(input.import ? input.import : "").split(entries, '\n', -1, false);
  std::string problem;
  for (StringRef entry : entries)
    if (entry.consume_front("weights="))
      options.weights = entry.str();
    else if (entry.starts_with("sample=") && options.addSample(entry.drop_front(7)))
      continue;
    else if (entry.consume_front("known="))
      options.known.push_back(entry.str());
    else if (!onnx::addImportOption(entry, options, problem))
      return emitError(UnknownLoc::get(&context->mlir), Code::T0506)
             << (problem.empty()
                     ? "unknown import option '" + entry.str() +
                           "', known are symbol=NAME=SIZE, dim=NAME=MIN..MAX[/STEP][:TYPICAL], "
                           "shape=NAME=SIZE,SIZE..., assume=NAME=tensor.pb, alias=INPUT=OUTPUT, "
                           "weights=FOLDER and follow-links=true"
                     : "--" + entry.str() + ": " + problem);
  return options;
}

/// Around the input, which may be no file.
std::shared_ptr<FileResolver> getFiles(const TwcInput &input, const ImportOptions &options) {
  if (!options.weights.empty() && !isOnnx(input))
    return std::make_shared<FileResolver>(options.weights, "", options.followLinks);
  // Bytes are not what lies at their path.
  if (input.bytes.data)
    return std::make_shared<FileResolver>(
        FileResolver::around(input.path ? input.path : "").getFolder(), "", options.followLinks);
  return std::shared_ptr<FileResolver>(
      new FileResolver(FileResolver::around(input.path ? input.path : "", options.followLinks)));
}

/// Sizes, as a program writes them.
FailureOr<SmallVector<Dim>> readSizes(MLIRContext &mlir, ArrayRef<std::string> texts) {
  mlir.loadDialect<graph::GraphDialect>();
  auto dims = dyn_cast_if_present<graph::DimsAttr>(
      parseAttribute("#tgraph.dims<[" + llvm::join(texts, ", ") + "]>", &mlir));
  if (!dims)
    return emitError(UnknownLoc::get(&mlir), Code::T0506)
           << "expected known=SIZE, found '" << llvm::join(texts, "', '") << "'";
  return SmallVector<Dim>(dims.getShape());
}

/// One program for ranges of sizes, from what it is at some of them.
OwningOpRef<ModuleOp> joinSamples(MLIRContext &mlir, StringRef bytes, StringRef path,
                                  const ImportOptions &options) {
  std::vector<std::string> names;
  std::vector<SizeRange> ranges;
  for (const auto &[name, range] : options.dims) {
    names.push_back(name);
    ranges.push_back(range);
  }
  std::vector<std::vector<int64_t>> sizes = onnx::chooseSizes(ranges);
  const size_t expected = sizes.size();
  SmallVector<OwningOpRef<ModuleOp>> samples;
  for (auto [i, sample] : llvm::enumerate(options.samples)) {
    // Behind those that are expected any others, to check.
    if (i >= expected && sample.sizes.size() == ranges.size())
      sizes.push_back(sample.sizes);
    bool isExpected = i < sizes.size() && sizes[i] == sample.sizes && sample.bytes <= bytes.size();
    if (!isExpected || options.samples.size() < expected) {
      emitError(UnknownLoc::get(&mlir), Code::T0506)
          << "expected " << expected << " samples at sizes of the ranges, found "
          << options.samples.size() << ", sample " << i << " at others";
      return {};
    }
    samples.push_back(parseProgram(&mlir, bytes.take_front(sample.bytes), path));
    bytes = bytes.drop_front(sample.bytes);
    if (!samples.back())
      return {};
  }
  FailureOr<SmallVector<Dim>> dims = readSizes(mlir, options.known);
  if (failed(dims))
    return {};
  std::optional<onnx::KnownSizes> known = onnx::learnSizes(&mlir, *dims, sizes, names, ranges);
  if (!known) {
    emitError(UnknownLoc::get(&mlir), Code::T0118)
        << "two sizes of slices are alike at the samples of the ranges, and nowhere else: give "
           "ranges on one side of where they part";
    return {};
  }
  if (failed(onnx::generalize(samples, sizes, names, ranges, names.size(), SIZE_MAX, *known)))
    return {};
  return std::move(samples.front());
}

OwningOpRef<ModuleOp> read(TwcContext *context, const TwcInput &input, const ImportOptions &options,
                           FileResolver &files) {
  MLIRContext &mlir = context->mlir;
  StringRef path = input.path ? input.path : "";
  if (!input.bytes.data && isStableHlo(input))
    return stablehlo::importModel(mlir, path, options);
  if (!input.bytes.data)
    return isOnnx(input) ? onnx::importModel(mlir, path, options)
                         : readProgram(&mlir, path, options);
  StringRef bytes(static_cast<const char *>(input.bytes.data), input.bytes.size);
  if (isOnnx(input))
    return onnx::importBytes(mlir, bytes, path.empty() ? "model.onnx" : path, files, options);
  if (isStableHlo(input))
    return stablehlo::importText(mlir, bytes, path.empty() ? "input" : path, options);
  StringRef name = path.empty() ? "input" : path;
  OwningOpRef<ModuleOp> module = options.samples.empty() ? parseProgram(&mlir, bytes, name)
                                                         : joinSamples(mlir, bytes, name, options);
  if (module && failed(setSymbols(*module, options)))
    return {};
  return module;
}

TwcCode contextCreate(const TwcOptions *options, TwcContext **context) {
  if (!context)
    return TWC_INVALID_ARGUMENT;
  if (options && !hasKnownSize(*options))
    return TWC_INVALID_ARGUMENT;
  TwcOptions none = {};
  none.threads = 1;
  *context = new TwcContext(options ? readSized(*options) : none);
  return TWC_OK;
}

void contextRelease(TwcContext *context) { releaseContext(context); }

/// "name=value name=value"
LogicalResult parseOptions(const char *text, CompileOptions &options, TwcSink sink) {
  SmallVector<StringRef> words;
  StringRef(text ? text : "").split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    std::string error;
    if (!setOption(options, word, error)) {
      report(sink, "T0506", error);
      return failure();
    }
  }
  return success();
}

/// The target, with the best chip it knows, of a device that describes itself as JSON.
std::string getTargetOfDevice(StringRef description) {
  if (findDeepNesting(description))
    return "host";
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(description);
  if (!value) {
    llvm::consumeError(value.takeError());
    return "host";
  }
  const llvm::json::Object *device = value->getAsObject();
  std::optional<StringRef> name = device ? device->getString("target") : std::nullopt;
  // The null device runs anything.
  const Target *target = name ? findTarget(*name) : nullptr;
  if (!target)
    return name && *name != "*" ? name->str() : "host";
  if (target->checksChips)
    return target->name.str();
  SmallVector<StringRef> features;
  device->getString("features").value_or("").split(features, ' ', -1, /*KeepEmpty=*/false);
  // Devices name all chips whose code they run, of which the default comes first.
  StringRef best;
  for (StringRef chip : target->chips)
    if (llvm::is_contained(features, chip) && (best.empty() || best.compare_numeric(chip) < 0))
      best = chip;
  if (!best.empty())
    return (target->name + ":" + best).str();
  StringRef chip = device->getString("chip").value_or("");
  bool standsIn = !chip.empty() && target->getStandIn && !target->getStandIn(chip).empty();
  return standsIn ? (target->name + ":" + chip).str() : target->name.str();
}

TwcCode compileReport(TwcContext *context, const TwcInput *given, const TwcCompileOptions *caller,
                      TwcSink sink, TwcBlob **module, TwcBlob **report) {
  if (!context || !given || !module)
    return TWC_INVALID_ARGUMENT;
  DiagnosticForwarder forwarder(context->mlir, sink);
  ReadProgram read;
  std::unique_ptr<CallOptions> options = readOptions(context, caller, sink);
  if (!options)
    return TWC_INVALID_ARGUMENT;
  Workers workers(context->threads);
  const MemoryLimit &memory = options->compile.hooks.memory;
  if (TwcCode code = readInput(context, given, memory, sink, forwarder, read); code != TWC_OK)
    return code;
  return compileProgram(context, *read.program, *read.files, *options, forwarder, module, report);
}

TwcCode compileInput(TwcContext *context, const TwcInput *input, const TwcCompileOptions *options,
                     TwcSink sink, TwcBlob **module) {
  return compileReport(context, input, options, sink, module, nullptr);
}

TwcBytes blobBytes(const TwcBlob *blob) {
  return blob ? TwcBytes{blob->bytes.data(), blob->bytes.size()} : TwcBytes{nullptr, 0};
}

void blobRelease(TwcBlob *blob) { delete blob; }

TwcCode listTargets(TwcContext *, TwcBlob **json) {
  if (!json)
    return TWC_INVALID_ARGUMENT;
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream writer(os);
  writer.array([&] {
    for (const Target *target : allTargets())
      writer.object([&] {
        writer.attribute("name", target->name);
        writer.attribute("summary", target->summary);
        writer.attributeArray("chips", [&] {
          for (StringRef chip : target->chips)
            writer.value(chip);
        });
      });
  });
  *json = new TwcBlob{std::vector<uint8_t>(text.begin(), text.end())};
  return TWC_OK;
}

const char *explain(const char *code) {
  auto known = code ? findCode(code) : std::nullopt;
  return known ? codeInfo(*known).text.data() : nullptr;
}

TwcCode interpret(TwcContext *context, const TwcInput *given, const TwcTensor *arguments,
                  size_t argumentCount, TwcTensor *results, size_t resultCount, TwcSink sink) {
  if (!context || !given || (argumentCount && !arguments) || (resultCount && !results))
    return TWC_INVALID_ARGUMENT;
  DiagnosticForwarder forwarder(context->mlir, sink);
  ReadProgram read;
  MemoryLimit memory = context->limitMemory();
  if (TwcCode code = readInput(context, given, memory, sink, forwarder, read); code != TWC_OK)
    return code;
  return interpretProgram(*read.program, *read.files, memory, arguments, argumentCount, results,
                          resultCount, sink, forwarder);
}

TwcApi makeApi() {
  TwcApi api = {};
  api.size = sizeof(TwcApi);
  api.abi = TWC_ABI;
  api.contextCreate = contextCreate;
  api.contextRelease = contextRelease;
  api.compile = compileInput;
  api.blobBytes = blobBytes;
  api.blobRelease = blobRelease;
  api.listTargets = listTargets;
  api.explain = explain;
  api.version = tw::version;
  api.interpret = interpret;
  api.checkKernel = checkKernel;
  api.compileReport = compileReport;
#ifdef TW_NO_FRONTENDS
  // The table ends where these functions would begin.
  api.size = offsetof(TwcApi, list);
#else
  fillModules(api);
  fillBuild(api);
#endif
  return api;
}

} // namespace

LogicalResult tw::borrow(ArrayRef<Type> expected, llvm::function_ref<bool(unsigned)> isComplex,
                         const TwcTensor *tensors, size_t count, StringRef what, TwcSink sink,
                         SmallVectorImpl<interp::Tensor> &result) {
  if (expected.size() != count) {
    report(sink, "T0507",
           llvm::formatv("expected {0} {1}s, found {2}", expected.size(), what, count).str());
    return failure();
  }
  for (auto [i, type] : llvm::enumerate(expected)) {
    auto tensor = cast<RankedTensorType>(type);
    auto number = format::ElementType(tensors[i].element);
    SmallVector<int64_t> dims(ArrayRef<int64_t>(tensors[i].dims, tensors[i].rank));
    if (isComplex(unsigned(i)) && format::partOf(number) != number) {
      number = format::partOf(number);
      dims.push_back(2);
    }
    Type element = getElementType(type.getContext(), number);
    auto given = RankedTensorType::get(dims, element ? element : NoneType::get(type.getContext()));
    if (given.getShape() != tensor.getShape() ||
        given.getElementType() != tensor.getElementType()) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "expected " << what << " " << i << " of type " << tensor << ", found " << given;
      report(sink, "T0507", text);
      return failure();
    }
    result.push_back(interp::Tensor::borrow(tensor, tensors[i].data));
  }
  return success();
}

void tw::releaseContext(TwcContext *context) {
  if (context && --context->references == 0)
    delete context;
}

TwcBlob *tw::makeBlob(StringRef text) {
  return new TwcBlob{std::vector<uint8_t>(text.bytes_begin(), text.bytes_end())};
}

std::unique_ptr<CallOptions> tw::readOptions(const TwcContext *context,
                                             const TwcCompileOptions *caller, TwcSink sink) {
  auto options = std::make_unique<CallOptions>();
  CompileOptions &compile = options->compile;
  compile.hooks.memory = context->limitMemory();
  if (!caller)
    return options;
  if (failed(checkSize(*caller, "TwcCompileOptions", sink)))
    return nullptr;
  TwcCompileOptions given = readSized(*caller);
  if (given.target)
    compile.target = given.target;
  else if (given.device)
    compile.target = getTargetOfDevice(given.device);
  if (given.dumpDir)
    compile.dumpFolder = given.dumpDir;
  if (given.moduleFolder)
    compile.moduleFolder = given.moduleFolder;
  if (given.progress)
    compile.progress = [progress = given.progress,
                        user = given.progressUser](StringRef stage, unsigned done, unsigned total) {
      progress(user, stage.str().c_str(), done, total);
    };
  if (given.hooks) {
    if (failed(checkSize(*given.hooks, "TwcHooks", sink)))
      return nullptr;
    TwcHooks hooks = readSized(*given.hooks);
    auto tell = [user = hooks.user](void (*hook)(void *, const char *, const char *)) {
      return [hook, user](StringRef pass, StringRef op) {
        hook(user, pass.str().c_str(), op.str().c_str());
      };
    };
    if (hooks.beforePass)
      compile.hooks.beforePass = tell(hooks.beforePass);
    if (hooks.afterPass)
      compile.hooks.afterPass = tell(hooks.afterPass);
    if (hooks.cancelled)
      compile.hooks.cancelled = [hooks, options = options.get()] {
        return options->cancelled |= hooks.cancelled(hooks.user) != 0;
      };
  }
  if (failed(parseOptions(given.options, compile, sink)))
    return nullptr;
  return options;
}

TwcCode tw::getFailure(const DiagnosticForwarder &forwarder, const CallOptions &options) {
  return options.cancelled ? TWC_CANCELLED : forwarder.getFailure();
}

TwcCode tw::readInput(TwcContext *context, const TwcInput *given, const MemoryLimit &memory,
                      TwcSink sink, const DiagnosticForwarder &forwarder, ReadProgram &result) {
  if (failed(checkSize(*given, "TwcInput", sink)))
    return TWC_INVALID_ARGUMENT;
  TwcInput input = readSized(*given);
  if (!input.path && !input.bytes.data)
    return TWC_INVALID_ARGUMENT;
  FailureOr<ImportOptions> import = getImportOptions(context, input);
  if (failed(import))
    return TWC_INVALID_ARGUMENT;
  auto files = getFiles(input, *import);
  Hooks hooks;
  hooks.memory = memory;
  HookScope scope(context->mlir, hooks);
  // What is read is copied.
  if (!mayAllocate(UnknownLoc::get(&context->mlir), input.bytes.data ? input.bytes.size : 0))
    return forwarder.getFailure();
  OwningOpRef<ModuleOp> program = read(context, input, *import, *files);
  if (!program || scope.isCancelled())
    return forwarder.getFailure();
  result = {std::move(program), std::move(files)};
  return TWC_OK;
}

TwcCode tw::compileProgram(TwcContext *context, ModuleOp program, FileResolver &files,
                           CallOptions &options, const DiagnosticForwarder &forwarder,
                           TwcBlob **module, TwcBlob **report) {
  Workers workers(context->threads);
  options.compile.explain = report;
  CompileReport made;
  FailureOr<std::vector<uint8_t>> bytes =
      compile(program, files, options.compile, report ? &made : nullptr);
  if (failed(bytes))
    return getFailure(forwarder, options);
  *module = new TwcBlob{std::move(*bytes)};
  if (report) {
    std::string text;
    llvm::raw_string_ostream os(text);
    made.printJson(os);
    *report = makeBlob(text);
  }
  return TWC_OK;
}

TwcCode tw::interpretProgram(ModuleOp program, FileResolver &files, const MemoryLimit &memory,
                             const TwcTensor *arguments, size_t argumentCount, TwcTensor *results,
                             size_t resultCount, TwcSink sink,
                             const DiagnosticForwarder &forwarder) {
  auto functions = program.getOps<func::FuncOp>();
  if (functions.empty()) {
    report(sink, "T0507", "expected a function to interpret, found none");
    return TWC_UNSUPPORTED;
  }
  func::FuncOp function = *functions.begin();
  interp::Options options;
  options.resolve = [&](graph::FileAttr file) -> FailureOr<ArrayRef<char>> {
    llvm::Expected<StringRef> bytes =
        files.bytes(file.getName(), file.getOffset(), file.getLength());
    if (!bytes)
      return emitError(function.getLoc(), Code::T0504) << llvm::toString(bytes.takeError());
    return ArrayRef<char>(bytes->data(), bytes->size());
  };
  SmallVector<interp::Tensor> inputs, outputs;
  auto isArgument = [&](unsigned i) { return bool(function.getArgAttr(i, graph::complexName)); };
  auto isResult = [&](unsigned i) { return bool(function.getResultAttr(i, graph::complexName)); };
  auto borrowResults = [&](ArrayRef<Type> types) {
    return borrow(types, isResult, results, resultCount, "result", sink, outputs);
  };
  // Where data decide on a size, it is known when the program has run.
  bool areCounted = false;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    areCounted |= function.getResultAttr(i, countsName) ||
                  !cast<RankedTensorType>(function.getResultTypes()[i]).hasStaticShape();
  if (failed(borrow(function.getArgumentTypes(), isArgument, arguments, argumentCount, "argument",
                    sink, inputs)) ||
      (!areCounted && failed(borrowResults(function.getResultTypes()))))
    return TWC_INVALID_ARGUMENT;
  Hooks hooks;
  hooks.memory = memory;
  HookScope scope(*program.getContext(), hooks);
  FailureOr<SmallVector<interp::Tensor>> values = interp::evaluate(function, inputs, options);
  if (failed(values))
    return forwarder.getFailure();
  auto getType = [](const interp::Tensor &value) { return Type(value.getType()); };
  if (areCounted && failed(borrowResults(llvm::map_to_vector(*values, getType))))
    return TWC_INVALID_ARGUMENT;
  for (auto [value, output] : llvm::zip(*values, outputs))
    std::copy_n(value.bytes(), value.getBytes(), output.bytes());
  return TWC_OK;
}

const TwcApi *twcGetApi(uint32_t abi) {
  static const TwcApi api = makeApi();
  return abi == TWC_ABI ? &api : nullptr;
}
