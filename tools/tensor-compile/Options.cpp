// Command line of tensor-compile: options grouped by task, and what needs no input.
#include "Options.h"

#include "tw/Support/Similar.h"
#include "tw/Support/Tool.h"
#include "tw/Target/Host/Description.h"
#include "tw/Target/Target.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;

static cl::OptionCategory inputs("Input and output");
static cl::OptionCategory target("Target");
static cl::OptionCategory look("Looking inside");
static cl::OptionCategory help("Help");

static cl::opt<std::string> input(cl::Positional, cl::desc("<model.onnx or program.mlir>"),
                                  cl::cat(inputs));
static cl::opt<std::string>
    output("o", cl::desc("the module to write; with --to the IR, by default to standard output"),
           cl::value_desc("FILE"), cl::cat(inputs));
static cl::list<std::string> symbols("symbol",
                                     cl::desc("size of a symbolic dimension (default: 1)"),
                                     cl::value_desc("NAME=SIZE"), cl::cat(inputs));
static cl::list<std::string> dims(
    "dim",
    cl::desc("a symbolic dimension that keeps its symbol, and the sizes that a call may have; "
             "or an integer of an ONNX model that says a size, such as a number of iterations"),
    cl::value_desc("NAME=MIN..MAX[/STEP][:TYPICAL]"), cl::cat(inputs));
static cl::list<std::string> aliases(
    "alias",
    cl::desc("an input that a call gives up, and the output that takes its memory; one star "
             "in both stands for the same text: past.*=present.*"),
    cl::value_desc("INPUT=OUTPUT"), cl::cat(inputs));
static cl::list<std::string>
    assumptions("assume", cl::desc("value of an input where a result's shape depends on it"),
                cl::value_desc("NAME=tensor.pb"), cl::cat(inputs));
static cl::opt<bool>
    embedWeights("embed-weights",
                 cl::desc("copy the weights into the module, which then needs no other file"),
                 cl::cat(inputs));
static cl::opt<std::string> weights(
    "weights",
    cl::desc("folder of the files that a program's constants name (default: the program's)"),
    cl::value_desc("FOLDER"), cl::cat(inputs));
static cl::opt<bool>
    followLinks("follow-links",
                cl::desc("read weights also where symbolic links lead out of the model's folder"),
                cl::cat(inputs));
static cl::opt<std::string> targetName("target", cl::desc("what to compile for (default: host)"),
                                       cl::value_desc("NAME[:CHIP],..."), cl::init("host"),
                                       cl::cat(target));
static cl::opt<std::string>
    describeTarget("describe-target",
                   cl::desc("print a chip, or that of --target, as JSON: each number with unit and "
                            "source; --target=host:@FILE reads such a file"),
                   cl::value_desc("NAME[:CHIP]"), cl::ValueOptional, cl::cat(target));
static cl::opt<std::string>
    measure("measure",
            cl::desc("with --describe-target=host: measure this machine first, for all programs "
                     "compiled on it from then on; a number: how often in a round (default: 50)"),
            cl::value_desc("SAMPLES"), cl::ValueOptional, cl::cat(target));
static cl::opt<unsigned> optimize("O",
                                  cl::desc("effort of the code generator, 0 to 3 (default: 3)"),
                                  cl::Prefix, cl::init(3), cl::cat(target));
static cl::opt<bool>
    noInitializer("no-initializer",
                  cl::desc("compute what depends on constants alone in every call"),
                  cl::cat(target));
static cl::opt<bool> strip("strip", cl::desc("leave the kernels' sources out of the module"),
                           cl::cat(target));
static cl::opt<std::string> from("from",
                                 cl::desc("the stage the program is at (default: found out)"),
                                 cl::value_desc("STAGE"), cl::cat(look));
static cl::opt<std::string>
    to("to", cl::desc("stop after this stage and write its IR; loops: the loops of its kernels"),
       cl::value_desc("STAGE"), cl::cat(look));
static cl::opt<std::string> dumpStages("dump-stages",
                                       cl::desc("write the IR after each stage here"),
                                       cl::value_desc("DIR"), cl::cat(look));
static cl::opt<std::string>
    schedule("schedule",
             cl::desc("schedules written by hand: #tkernel.schedule<[...]>, "
                      "or several in braces by kernel"),
             cl::value_desc("FILE"), cl::cat(target));
static cl::list<std::string>
    compileOptions("option",
                   cl::desc("as for programs that compile: threads=16 chooses schedules for as "
                            "many (default: the CPU's), search-states=0 takes what is proposed, "
                            "fusion=elementwise or off joins fewer kernels, fusion-seed=N joins at "
                            "random (for tests), layouts=false leaves the dimensions of tensors "
                            "in their order, layout-seed=N draws it (for tests)"),
                   cl::value_desc("NAME=VALUE"), cl::cat(target));
static cl::opt<bool> deterministic("deterministic",
                                   cl::desc("the same bits on every target: sums in the "
                                            "kernel's order, functions computed alike"),
                                   cl::cat(target));
static cl::opt<std::string>
    fastMath("fast-math",
             cl::desc("what may be changed of numbers: none, fast, or some of reassoc, nnan, ninf, "
                      "nsz, arcp, contract, afn, separated by commas"),
             cl::value_desc("FLAGS"), cl::cat(target));
static cl::opt<std::string>
    report("report", cl::desc("print kernels, bytes, arena, time by stage: text or json"),
           cl::value_desc("FORM"), cl::ValueOptional, cl::cat(look));
static cl::opt<std::string>
    explain("explain",
            cl::desc("how each kernel runs and why, as text or json; fusion: which kernels "
                     "became one, and which did not; with the code of an error, what it means"),
            cl::value_desc("FORM or CODE"), cl::ValueOptional, cl::cat(look));
static cl::opt<bool> listStages("list-stages", cl::desc("the stages and their passes"),
                                cl::cat(help));
static cl::opt<bool> listTargets("list-targets", cl::desc("the targets of this build"),
                                 cl::cat(help));

static int failUsage(const llvm::Twine &message) {
  return tw::fail(message, tw::Code::T0602, /*status=*/2);
}

static int printExplanation(llvm::StringRef name) {
  std::optional<tw::Code> code = tw::findCode(name);
  if (!code)
    return failUsage("no error code '" + name + "'");
  const tw::CodeInfo &info = tw::codeInfo(*code);
  llvm::outs() << info.id << " (" << info.name << ")\n" << info.text << "\n";
  return 0;
}

static void printTargets() {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (const tw::Target *known : tw::allTargets())
    llvm::outs() << known->name << "\n  " << known->summary << "\n"
                 << (known->chips.empty() ? "" : "  chips: ") << llvm::join(known->chips, ", ")
                 << (known->checksChips ? ", ..." : "") << (known->chips.empty() ? "" : "\n")
                 << "  elements: " << tw::listElementTypes(&context, *known) << "\n";
}

/// --measure, as far as it can be carried out; 0: it is not asked for.
static std::optional<unsigned> getMeasuredSamples() {
  if (measure.getNumOccurrences() == 0)
    return 0;
  unsigned samples = 50;
  if (describeTarget.getNumOccurrences() == 0)
    failUsage("--measure: expected --describe-target=host beside it");
  else if (!describeTarget.empty() ? describeTarget != "host" : targetName != "host")
    failUsage("--measure: this machine is described by target host without a chip");
  else if (!measure.empty() &&
           (llvm::StringRef(measure).getAsInteger(10, samples) || samples < 1 || samples > 1000))
    failUsage("--measure=" + measure + ": expected how often, 1 to 1000");
  else
    return samples;
  return std::nullopt;
}

static int printTarget(unsigned samples) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  tw::DiagnosticPrinter printer(context, llvm::errs());
  auto location = mlir::UnknownLoc::get(&context);
  // A copy: the linker, which measuring runs, resets all options.
  std::string name = describeTarget.empty() ? targetName : describeTarget;
  if (samples > 0) {
    auto note = [&](const std::string &text) { mlir::emitRemark(location) << text; };
    std::string error;
    if (!tw::host::measureHost(samples, note, error))
      return tw::fail("cannot measure this machine: " + error, tw::Code::T0401);
  }
  mlir::FailureOr<std::string> text = tw::describeTargets(location, name);
  if (failed(text))
    return 1;
  llvm::outs() << *text;
  return 0;
}

std::optional<Options> parseCommandLine(int argc, char **argv, int &status) {
  cl::HideUnrelatedOptions({&inputs, &target, &look, &help});
  status = 2;
  if (!tw::parseCommandLine(argc, argv, "Compiles a model or a program at any stage to a module\n"))
    return std::nullopt;
  status = 0;
  // "--explain=T0310" and "--explain T0310", which is no file.
  bool explains = explain.getNumOccurrences() > 0;
  bool explainsCode =
      !explain.empty() && explain != "text" && explain != "json" && explain != "fusion";
  if (explains && (explainsCode || llvm::Regex("^[Tt][0-9]{4}$").match(input))) {
    status = printExplanation(explainsCode ? explain : input);
    return std::nullopt;
  }
  if (listStages) {
    tw::printStages(llvm::outs());
    return std::nullopt;
  }
  if (listTargets) {
    printTargets();
    return std::nullopt;
  }
  std::optional<unsigned> samples = getMeasuredSamples();
  if (!samples) {
    status = 2;
    return std::nullopt;
  }
  if (describeTarget.getNumOccurrences() > 0) {
    status = printTarget(*samples);
    return std::nullopt;
  }
  Options options;
  auto stop = [&](int code) {
    status = code;
    return std::nullopt;
  };
  if (input.empty())
    return stop(failUsage("no input; give a model.onnx or a program.mlir"));
  bool wantsReport = report.getNumOccurrences() > 0;
  if (wantsReport && !report.empty() && report != "text" && report != "json")
    return stop(failUsage("--report=" + report + ": expected text or json"));
  if (output.empty() && to.empty() && !wantsReport && !explains)
    return stop(failUsage("nothing to do; name the module to write with -o, or a stage with --to"));
  if (optimize > 3)
    return stop(failUsage("-O" + llvm::Twine(optimize) + ": expected 0 to 3"));
  if (!weights.empty() && llvm::StringRef(input).ends_with(".onnx"))
    return stop(
        failUsage("--weights=" + weights + ": a model names its files from its own folder"));
  options.input = input;
  options.weights = weights;
  options.import.followLinks = followLinks;
  options.compile.embedWeights = embedWeights;
  options.output = output;
  // What is explained is part of the report as JSON.
  bool explainsJson = explain == "json";
  options.report = wantsReport || explainsJson;
  options.reportJson = report == "json" || explainsJson;
  options.explainFusion = explain == "fusion";
  options.explainText = explains && !explainsJson && !options.explainFusion;
  options.compile.explain = explains;
  options.compile.scheduleFile = schedule;
  options.compile.deterministic = deterministic;
  options.compile.target = targetName;
  options.compile.dumpFolder = dumpStages;
  options.compile.optimize = optimize;
  options.compile.debugInfo = !strip;
  options.compile.initializer = !noInitializer;
  if (std::string error; !tw::setOption(options.compile, "kernel-cache=true", error))
    return stop(failUsage(error));
  std::vector<std::string> words = compileOptions;
  if (!fastMath.empty())
    words.push_back("fast-math=" + fastMath);
  for (const std::string &word : words)
    if (std::string error; !tw::setOption(options.compile, word, error))
      return stop(failUsage(error));
  if (!from.empty() &&
      (!(options.compile.from = tw::findStage(from)) || *options.compile.from == tw::codeStage()))
    return stop(failUsage("--from=" + from + ": no stage to begin at" +
                          tw::listKnown(from, llvm::ArrayRef(tw::getStageNames()).drop_back())));
  options.writesLoops = to == tw::loopsName;
  llvm::SmallVector<llvm::StringRef> stages = tw::getStageNames();
  stages.push_back(tw::loopsName);
  if (!to.empty() &&
      !(options.to = tw::findStage(options.writesLoops ? llvm::StringRef("launch") : to)))
    return stop(failUsage("--to=" + to + ": no such stage" + tw::listKnown(to, stages)));
  std::string problem;
  for (const std::string &entry : symbols)
    if (!tw::onnx::addImportOption("symbol=" + entry, options.import, problem))
      return stop(failUsage("--symbol=" + entry + ": expected NAME=SIZE"));
  for (const std::string &entry : dims)
    if (!tw::onnx::addImportOption("dim=" + entry, options.import, problem))
      return stop(failUsage("--dim=" + entry + ": " + problem));
  for (const std::string &entry : aliases)
    if (!tw::onnx::addImportOption("alias=" + entry, options.import, problem))
      return stop(
          failUsage("--alias=" + entry + ": expected INPUT=OUTPUT, at most one star in each"));
  for (const std::string &entry : assumptions)
    if (!tw::onnx::addImportOption("assume=" + entry, options.import, problem))
      return stop(failUsage("--assume=" + entry + ": expected NAME=tensor.pb"));
  return options;
}
