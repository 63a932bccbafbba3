// random-schedules: random legal schedules of kernels, run on the host in guarded memory and
// compared with the kernels without a schedule; those whose sizes a call settles at several of
// them.
//
// Schedule N of a run is a function of the seed and the files alone.
#include "Apart.h"
#include "Prices.h"

#include "tw/Pipeline/Registration.h"
#include "tw/Schedule/Primitive.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/Tool.h"
#include "tw/Target/Host/Description.h"
#include "tw/Target/Host/HostStrategy.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mlir;
using namespace tw;
using namespace tw::fuzz;
namespace cl = llvm::cl;

static cl::list<std::string> fileOption(cl::Positional, cl::desc("<kernels.mlir> .."),
                                        cl::OneOrMore);
static cl::opt<uint64_t> seedOption("seed", cl::desc("What all draws follow from"), cl::init(0));
static cl::opt<unsigned> countOption("count", cl::desc("Schedules to draw"), cl::init(100));
static cl::opt<unsigned> depthOption("depth", cl::desc("The most primitives of a schedule"),
                                     cl::init(12));
static cl::opt<unsigned> batchOption("batch", cl::desc("Schedules compiled together"),
                                     cl::init(16));
static cl::opt<unsigned>
    optOption("opt", cl::desc("Level of LLVM's optimiser; one batch in eight has 3"), cl::init(0));

static cl::opt<std::string> scheduleOption("schedule",
                                           cl::desc("Take this one instead of drawing any"));
static cl::opt<bool> ownOption("own", cl::desc("Take each kernel's own one, once"));
static cl::opt<bool> strategiesOption(
    "strategies",
    cl::desc("Take what the target's strategies propose for each kernel, optimised by LLVM"));
static cl::opt<unsigned>
    pricesOption("prices",
                 cl::desc("Run nothing: compare the price of the schedule that is chosen for each "
                          "kernel with the least of so many that are drawn"));
static cl::opt<unsigned> searchOption("search", cl::desc("Lists that a search looks at"),
                                      cl::init(schedule::defaultSearchStates));
static cl::opt<std::string>
    cpuOption("cpu", cl::desc("The chip to compile for, this machine's by default"));
static cl::opt<std::string>
    crashOption("crash-on", cl::desc("Run out of stack at schedules with this primitive, to see "
                                     "that such ends are reported"));
static cl::opt<int64_t> pointsOption("points", cl::desc("The most points of a kernel"),
                                     cl::init(400000));

/// The best that the strategies propose, the best that leaves sums in their order, and one of the
/// others.
static SmallVector<kernel::ScheduleAttr> propose(Program &program, const Settings &settings,
                                                 Random &random) {
  llvm::SmallSetVector<Attribute, 4> chosen;
  SmallVector<Attribute> others;
  host::Description machine;
  std::string error;
  StringRef cpu = settings.target.cpu.empty() ? "native" : StringRef(settings.target.cpu);
  if (!host::describeCpu(cpu, machine, error))
    llvm::report_fatal_error(Twine(error), /*gen_crash_diag=*/false);
  for (bool deterministic : {false, true})
    for (auto [i, candidate] : llvm::enumerate(schedule::proposeHostSchedules(
             program.kernel, machine.traits, deterministic, settings.target.searchStates)))
      if (i == 0)
        chosen.insert(candidate.schedule);
      else
        others.push_back(candidate.schedule);
  if (!others.empty())
    chosen.insert(others[random() % others.size()]);
  // Where they propose nothing, the compiler takes none.
  if (chosen.empty())
    chosen.insert(kernel::ScheduleAttr::get(program.kernel.getContext(), {}));
  return llvm::map_to_vector(chosen, llvm::CastTo<kernel::ScheduleAttr>);
}

/// What is kept wrongly shows in numbers alone, so more is kept than a search would try.
static schedule::Drawn draw(kernel::KernelOp kernel, Random &random, unsigned depth) {
  schedule::Drawing drawing(kernel, random, depth);
  drawing.moreKept = 3;
  return drawing.draw();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (answerVersion("random-schedules", argc, argv))
    return 0;
  cl::ParseCommandLineOptions(argc, argv, "Random schedules of kernels, run and compared\n");
  // Linking in process resets the options.
  const std::vector<std::string> files(fileOption.begin(), fileOption.end());
  const uint64_t seed = seedOption;
  const std::string scheduleText = scheduleOption;
  const bool own = ownOption;
  const unsigned wantedCount = countOption, depth = depthOption, mostTogether = batchOption,
                 optLevel = optOption;
  Settings settings;
  settings.target.cpu = cpuOption;
  settings.mostPoints = pointsOption;
  settings.strategies = strategiesOption;
  if (settings.strategies)
    settings.mostVectors = INT64_MAX;
  settings.target.searchStates = searchOption;
  const unsigned priced = pricesOption;
  crashKeyword = crashOption;
  installCrashHandlers();
  DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  DiagnosticPrinter printer(context, llvm::errs());

  kernel::ScheduleAttr given;
  if (!scheduleText.empty()) {
    given = dyn_cast_if_present<kernel::ScheduleAttr>(parseAttribute(scheduleText, &context));
    if (!given)
      return 1;
  }
  Random random(seed);
  if (priced)
    return comparePrices(files, context, settings.target, random, depth, priced) ? 0 : 1;
  std::vector<Program> programs;
  unsigned failures = 0, silent = 0, refused = 0, large = 0, run = 0;
  for (const std::string &file : files) {
    announceReading(file);
    if (!readPrograms(file, context, settings, random, programs))
      ++failures;
  }
  if (programs.empty()) {
    llvm::errs() << "random-schedules: no kernel is small enough to run\n";
    return 1;
  }
  // Every program has its turn.
  const unsigned count = own ? programs.size() : wantedCount;
  const unsigned batch = std::min<unsigned>(mostTogether, llvm::divideCeil(count, programs.size()));
  std::map<std::string, unsigned> drawnPrimitives;
  // Schedules of kernels that admit a rare primitive, and those of them that have it.
  std::map<std::string, std::pair<unsigned, unsigned>> rare;
  auto isDone = [&](unsigned at) {
    return settings.strategies ? at == programs.size() : run >= count;
  };
  for (unsigned at = 0; !isDone(at); ++at) {
    Program &program = programs[at % programs.size()];
    if (own)
      given = program.own;
    std::vector<Trial> trials;
    auto add = [&](const schedule::Drawn &drawn) {
      refused += drawn.refused;
      silent += drawn.silent;
      Trial trial;
      trial.schedule = drawn.schedule;
      trial.admits = drawn.admits;
      trial.exact = isExact(program.kernel, drawn.schedule);
      trials.push_back(trial);
    };
    if (settings.strategies)
      for (kernel::ScheduleAttr schedule : propose(program, settings, random))
        add({schedule});
    else
      for (unsigned i = 0, wanted = std::min<unsigned>(batch, count - run); i < wanted; ++i)
        add(given ? schedule::Drawn{given} : draw(program.kernel, random, depth));
    Settings level = settings;
    level.target.optLevel = settings.strategies || random() % 8 == 0 ? 3 : optLevel;
    std::vector<Outcome> outcomes =
        runWatched(program, trials, level, random, "seed " + std::to_string(seed) + ", schedule ",
                   run + large, failures);
    for (auto [trial, outcome] : llvm::zip(trials, outcomes)) {
      if (outcome == Outcome::TooLarge && !given) {
        ++large;
        continue;
      }
      ++run;
      failures += outcome == Outcome::Wrong;
      llvm::StringSet<> kinds;
      for (Attribute primitive : trial.schedule.getPrimitives()) {
        std::string kind = schedule::getPrimitive(primitive).getCounted(primitive);
        ++drawnPrimitives[kind];
        kinds.insert(kind);
      }
      for (auto [kind, admitted] : trial.admits)
        if (admitted) {
          auto &[having, all] = rare[kind.str()];
          ++all;
          having += kinds.contains(kind);
        }
    }
  }
  llvm::outs() << "primitives:";
  for (const auto &[kind, number] : drawnPrimitives)
    llvm::outs() << " " << kind << " " << number;
  llvm::outs() << "\nwhere admitted:";
  for (const auto &[kind, counts] : rare)
    llvm::outs() << " " << kind << " " << counts.first << " of " << counts.second;
  llvm::outs() << "\n"
               << run << " schedules of " << programs.size() << " kernels, seed " << seed << ": "
               << failures << " failures; " << refused << " draws refused by the checks, " << silent
               << " without a reason, " << large << " too large\n";
  return failures || silent ? 1 : 0;
}
