// Modules of the C API: reading, printing, stages, passes, code, and lists of what there is.
#include "Program.h"

#include "tw/Frontend/Table.h"
#include "tw/Pipeline/Emit.h"
#include "tw/Pipeline/Stages.h"
#include "tw/Support/Similar.h"
#include "tw/Support/Workers.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tw;

namespace {

ModuleOp get(const TwcModule *module) { return fe::getModule(module->module); }

/// A function without an end is not yet a program.
LogicalResult verifyProgram(const TwcModule *module) {
  CodeForOthers syntax(module->context->mlir, Code::T0514);
  for (auto function : get(module).getOps<func::FuncOp>())
    if (!function.isExternal() &&
        (function.getBody().front().empty() ||
         !function.getBody().front().back().hasTrait<OpTrait::IsTerminator>()))
      return tw::emitError(function.getLoc(), Code::T0208)
             << "function '" << function.getSymName() << "' has not returned";
  return verify(get(module));
}

/// Runs something on a copy, which the module becomes if that succeeds.
LogicalResult change(TwcModule *module, llvm::function_ref<LogicalResult(ModuleOp)> run) {
  OwningOpRef<ModuleOp> copy = get(module).clone();
  if (failed(run(*copy)))
    return failure();
  get(module).getBodyRegion().takeBody(copy->getBodyRegion());
  for (auto &function : module->functions)
    function->isGone = true;
  get(module)->setAttrs(copy->getOperation()->getAttrDictionary());
  return success();
}

void listStages(llvm::json::OStream &json) {
  for (const Stage &stage : getStages())
    json.object([&] {
      json.attribute("name", stage.name);
      json.attribute("summary", stage.summary);
      json.attribute("pipeline", getPipelineText(stage, {}));
    });
}

void listForms(llvm::json::OStream &json) {
  for (const Target *target : allTargets())
    for (const EmitForm &form : target->forms)
      json.object([&] {
        json.attribute("name", form.name);
        json.attribute("summary", form.summary);
        json.attribute("target", target->name);
      });
}

void listErrors(llvm::json::OStream &json) {
  for (const CodeInfo &info : allCodes())
    json.object([&] {
      json.attribute("code", info.id);
      json.attribute("name", info.name);
      json.attribute("text", info.text);
    });
}

TwcCode list(TwcContext *context, const char *what, TwcSink sink, TwcBlob **json) {
  if (!context || !what || !json)
    return TWC_INVALID_ARGUMENT;
  StringRef kind(what);
  if (kind == "targets")
    return twcGetApi(TWC_ABI)->listTargets(context, json);
  if (kind == "ops") {
    *json = makeBlob(fe::opsAsJson());
    return TWC_OK;
  }
  void (*write)(llvm::json::OStream &) = kind == "stages"   ? listStages
                                         : kind == "forms"  ? listForms
                                         : kind == "errors" ? listErrors
                                                            : nullptr;
  if (!write) {
    report(sink, "T0506",
           "no list of '" + kind.str() + "'" +
               listKnown(kind, {"targets", "stages", "forms", "ops", "errors"}));
    return TWC_INVALID_ARGUMENT;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream stream(os);
  stream.array([&] { write(stream); });
  *json = makeBlob(text);
  return TWC_OK;
}

TwcCode moduleRead(TwcContext *context, const TwcInput *input, TwcSink sink, TwcModule **module) {
  if (!context || !input || !module)
    return TWC_INVALID_ARGUMENT;
  DiagnosticForwarder forwarder(context->mlir, sink);
  ReadProgram read;
  if (TwcCode code = readInput(context, input, context->limitMemory(), sink, forwarder, read);
      code != TWC_OK)
    return code;
  *module = new TwcModule(context, fe::makeModule(std::move(read.program)), std::move(read.files));
  return TWC_OK;
}

TwcCode moduleCreate(TwcContext *context, const char *weightsFolder, TwcModule **module) {
  if (!context || !module)
    return TWC_INVALID_ARGUMENT;
  *module = new TwcModule(context, fe::makeModule(context->mlir),
                          std::make_shared<FileResolver>(weightsFolder ? weightsFolder : "."));
  return TWC_OK;
}

TwcCode moduleClone(const TwcModule *module, TwcModule **clone) {
  if (!module || !clone)
    return TWC_INVALID_ARGUMENT;
  OwningOpRef<ModuleOp> copy = get(module).clone();
  *clone = new TwcModule(module->context, fe::makeModule(std::move(copy)), module->files);
  return TWC_OK;
}

void moduleRelease(TwcModule *module) {
  if (!module)
    return;
  TwcContext *context = module->context;
  delete module;
  releaseContext(context);
}

TwcCode moduleVerify(const TwcModule *module, TwcSink sink) {
  if (!module)
    return TWC_INVALID_ARGUMENT;
  DiagnosticForwarder forwarder(module->context->mlir, sink);
  return succeeded(verifyProgram(module)) ? TWC_OK : forwarder.getFailure();
}

TwcCode modulePrint(const TwcModule *module, uint32_t flags, TwcBlob **text) {
  if (!module || !text || flags >= 16)
    return TWC_INVALID_ARGUMENT;
  std::string printed;
  llvm::raw_string_ostream os(printed);
  if (flags & TWC_PRINT_BYTECODE) {
    if (failed(writeBytecodeToFile(get(module), os)))
      return TWC_FAILED;
  } else {
    OpPrintingFlags how;
    if (flags & TWC_PRINT_LOCATIONS)
      how.enableDebugInfo(true);
    if (!(flags & TWC_PRINT_WHOLE))
      how.elideLargeElementsAttrs(64);
    if (flags & TWC_PRINT_GENERIC)
      how.printGenericOpForm();
    get(module).print(os, how);
    os << "\n";
  }
  *text = makeBlob(printed);
  return TWC_OK;
}

const char *moduleStage(const TwcModule *module) {
  return module ? getStages()[detectStage(get(module))].name.data() : nullptr;
}

TwcCode moduleRunTo(TwcModule *module, const char *stage, const TwcCompileOptions *caller,
                    TwcSink sink) {
  if (!module || !stage)
    return TWC_INVALID_ARGUMENT;
  DiagnosticForwarder forwarder(module->context->mlir, sink);
  auto options = readOptions(module->context, caller, sink);
  if (!options)
    return TWC_INVALID_ARGUMENT;
  std::optional<unsigned> to = findStage(stage);
  if (!to) {
    report(sink, "T0506",
           "no stage '" + std::string(stage) + "'" + listKnown(stage, getStageNames()));
    return TWC_INVALID_ARGUMENT;
  }
  bool done = succeeded(verifyProgram(module)) && succeeded(change(module, [&](ModuleOp program) {
                return compileTo(program, *to, options->compile, module->files.get());
              }));
  return done ? TWC_OK : getFailure(forwarder, *options);
}

TwcCode moduleRunPasses(TwcModule *module, const char *pipeline, const TwcCompileOptions *caller,
                        TwcSink sink) {
  if (!module || !pipeline)
    return TWC_INVALID_ARGUMENT;
  MLIRContext &context = module->context->mlir;
  DiagnosticForwarder forwarder(context, sink);
  auto options = readOptions(module->context, caller, sink);
  if (!options)
    return TWC_INVALID_ARGUMENT;
  PassManager passes(&context);
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  StringRef text = StringRef(pipeline).trim();
  if (text.starts_with("builtin.module(") && text.ends_with(")"))
    text = text.drop_front(sizeof("builtin.module(") - 1).drop_back();
  if (failed(parsePassPipeline(text, passes, stream))) {
    // "<unknown>:1:1: error: 'x' does not refer to ..."
    StringRef first = StringRef(reason).split('\n').first;
    size_t start = first.find("error: ");
    report(sink, "T0501",
           "pipeline '" + text.str() + "' cannot be built: " +
               (start == StringRef::npos ? first : first.drop_front(start + 7)).str() +
               suggestPass(first));
    return TWC_INVALID_ARGUMENT;
  }
  if (failed(verifyProgram(module)))
    return forwarder.getFailure();
  CodeForOthers defects(context, Code::T0515);
  HookScope hooks(context, options->compile.hooks);
  bool done = succeeded(change(module, [&](ModuleOp program) -> LogicalResult {
    return success(succeeded(passes.run(program)) && !hooks.isCancelled());
  }));
  return done ? TWC_OK : getFailure(forwarder, *options);
}

TwcCode moduleEmit(const TwcModule *module, const char *form, const TwcCompileOptions *caller,
                   TwcSink sink, TwcBlob **code) {
  if (!module || !form || !code)
    return TWC_INVALID_ARGUMENT;
  DiagnosticForwarder forwarder(module->context->mlir, sink);
  auto options = readOptions(module->context, caller, sink);
  if (!options)
    return TWC_INVALID_ARGUMENT;
  // The form says which target, unless the caller does.
  if (!caller || (!caller->target && !caller->device))
    if (const Target *target = findTargetOfForm(form))
      options->compile.target = target->name.str();
  if (failed(verifyProgram(module)))
    return forwarder.getFailure();
  OwningOpRef<ModuleOp> program = get(module).clone();
  FailureOr<std::string> text = emitCode(*program, form, options->compile, module->files.get());
  if (failed(text))
    return getFailure(forwarder, *options);
  *code = makeBlob(*text);
  return TWC_OK;
}

TwcCode moduleCompile(const TwcModule *module, const TwcCompileOptions *caller, TwcSink sink,
                      TwcBlob **bytes, TwcBlob **report) {
  if (!module || !bytes)
    return TWC_INVALID_ARGUMENT;
  DiagnosticForwarder forwarder(module->context->mlir, sink);
  auto options = readOptions(module->context, caller, sink);
  if (!options)
    return TWC_INVALID_ARGUMENT;
  if (failed(verifyProgram(module)))
    return forwarder.getFailure();
  // Compiling consumes what it is given.
  OwningOpRef<ModuleOp> program = get(module).clone();
  return compileProgram(module->context, *program, *module->files, *options, forwarder, bytes,
                        report);
}

TwcCode moduleInterpret(const TwcModule *module, const TwcTensor *arguments, size_t argumentCount,
                        TwcTensor *results, size_t resultCount, TwcSink sink) {
  if (!module || (argumentCount && !arguments) || (resultCount && !results))
    return TWC_INVALID_ARGUMENT;
  DiagnosticForwarder forwarder(module->context->mlir, sink);
  if (failed(verifyProgram(module)))
    return forwarder.getFailure();
  return interpretProgram(get(module), *module->files, module->context->limitMemory(), arguments,
                          argumentCount, results, resultCount, sink, forwarder);
}

} // namespace

void tw::fillModules(TwcApi &api) {
  api.list = list;
  api.moduleRead = moduleRead;
  api.moduleCreate = moduleCreate;
  api.moduleClone = moduleClone;
  api.moduleRelease = moduleRelease;
  api.moduleVerify = moduleVerify;
  api.modulePrint = modulePrint;
  api.moduleStage = moduleStage;
  api.moduleRunTo = moduleRunTo;
  api.moduleRunPasses = moduleRunPasses;
  api.moduleEmit = moduleEmit;
  api.moduleCompile = moduleCompile;
  api.moduleInterpret = moduleInterpret;
}
