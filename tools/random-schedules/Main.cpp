// random-schedules: random legal schedules of kernels, run on the host in guarded memory and
// compared with the kernels without a schedule.
//
// Schedule N of a run is a function of the seed and the files alone.
#include "Program.h"

#include "tw/Pipeline/Registration.h"
#include "tw/Schedule/Exactness.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>
#include <map>
#include <unistd.h>

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

/// What runs, for the message of a crash.
static char current[1 << 16];

static void onCrash(int signal) {
  recoverFrom(signal);
  char head[64];
  int length = snprintf(head, sizeof(head), "crash: signal %d in one of\n", signal);
  (void)!write(1, head, size_t(length));
  (void)!write(1, current, strlen(current));
  _exit(3);
}

/// Names the trials that are about to run.
static void announce(const Program &program, ArrayRef<Trial> trials) {
  std::string text = program.name + "\n";
  for (const Trial &trial : trials)
    text += "  " + toText(trial.schedule) + "\n";
  snprintf(current, sizeof(current), "%s", text.c_str());
}

static void report(Program &program, Trial &trial, unsigned optLevel) {
  llvm::outs() << program.name << ": " << trial.wrong << "\n  schedule " << toText(trial.schedule)
               << "\n";
  llvm::outs().flush();
  announce(program, trial);
  llvm::outs() << "  reduced  " << toText(reduceTrial(program, trial, optLevel)) << "\n";
  llvm::outs().flush();
}

/// What a primitive is counted as: its keyword, and what makes it another one to lower.
static std::string getKind(Attribute primitive) {
  std::string text = schedule::getPrimitiveText(primitive);
  std::string kind = StringRef(text).split(' ').first.str();
  if (auto stage = dyn_cast<kernel::StageAttr>(primitive)) {
    for (auto [given, word] :
         {std::pair(stage.getGlobal(), "-global"), std::pair(stage.getWindow(), "-window"),
          std::pair(!stage.getOrder().empty(), "-as")})
      if (given)
        kind += word;
  } else if (auto keep = dyn_cast<kernel::KeepAttr>(primitive)) {
    kind += "-" + stringifyKeepPlace(keep.getPlace()).str();
  } else if (auto edge = dyn_cast<kernel::EdgeAttr>(primitive)) {
    kind += "-" + stringifyEdgeMode(edge.getMode()).str();
  }
  return kind;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Random schedules of kernels, run and compared\n");
  // Linking in process resets the options.
  const std::vector<std::string> files(fileOption.begin(), fileOption.end());
  const uint64_t seed = seedOption;
  const std::string scheduleText = scheduleOption;
  const unsigned count = countOption, depth = depthOption, mostTogether = batchOption,
                 optLevel = optOption;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    std::signal(signal, onCrash);
  DialectRegistry registry;
  registerDialects(registry);
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
  std::vector<Program> programs;
  unsigned failures = 0, silent = 0, refused = 0, large = 0, run = 0;
  for (const std::string &file : files) {
    snprintf(current, sizeof(current), "%s, without a schedule\n", file.c_str());
    if (!readPrograms(file, context, random, programs))
      ++failures;
  }
  if (programs.empty()) {
    llvm::errs() << "random-schedules: no kernel is small enough to run\n";
    return 1;
  }
  // Every program has its turn.
  const unsigned batch = std::min<unsigned>(mostTogether, llvm::divideCeil(count, programs.size()));
  std::map<std::string, unsigned> drawnPrimitives;
  for (unsigned at = 0; run < count; ++at) {
    Program &program = programs[at % programs.size()];
    std::vector<Trial> trials;
    unsigned wanted = std::min<unsigned>(batch, count - run);
    for (unsigned i = 0; i < wanted; ++i) {
      Drawn drawn = given ? Drawn{given} : drawSchedule(program.kernel, random, depth);
      refused += drawn.refused;
      silent += drawn.silent;
      Trial trial;
      trial.schedule = drawn.schedule;
      trial.exact = isExact(program.kernel, drawn.schedule);
      trials.push_back(trial);
    }
    announce(program, trials);
    unsigned level = random() % 8 ? optLevel : 3;
    runTrials(program, trials, level, random);
    for (Trial &trial : trials) {
      if (trial.tooLarge) {
        ++large;
        continue;
      }
      ++run;
      for (Attribute primitive : trial.schedule.getPrimitives())
        ++drawnPrimitives[getKind(primitive)];
      if (trial.wrong.empty())
        continue;
      ++failures;
      report(program, trial, level);
    }
  }
  llvm::outs() << "primitives:";
  for (const auto &[kind, number] : drawnPrimitives)
    llvm::outs() << " " << kind << " " << number;
  llvm::outs() << "\n"
               << run << " schedules of " << programs.size() << " kernels, seed " << seed << ": "
               << failures << " failures; " << refused << " draws refused by the checks, " << silent
               << " without a reason, " << large << " too large\n";
  return failures || silent ? 1 : 0;
}
