// Processes of trials, and the messages of crashes.
#include "Apart.h"

#include "Run.h"

#include "tw/Schedule/Exactness.h"

#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace tw;
using namespace tw::fuzz;

/// Seconds of a processor that a batch may take: one that never ends is a crash.
static constexpr rlim_t mostSeconds = 300;

std::string fuzz::crashKeyword;

/// What runs in this process, for the message of a crash.
static char current[1 << 16];
/// This process is one of trials, whose end another one reports.
static volatile sig_atomic_t isApart = 0;

static void onCrash(int signal) {
  recoverFrom(signal);
  if (!isApart) {
    char head[64];
    int length = snprintf(head, sizeof(head), "crash: signal %d in one of\n", signal);
    (void)!write(1, head, size_t(length));
    (void)!write(1, current, strlen(current));
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void fuzz::installCrashHandlers() {
  // LLVM has given this thread another stack for handlers; others use their own.
  struct sigaction action = {};
  action.sa_handler = onCrash;
  action.sa_flags = SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
}

void fuzz::announceReading(StringRef file) {
  snprintf(current, sizeof(current), "%s, without a schedule\n", file.str().c_str());
}

static void report(Program &program, Trial &trial, const Settings &settings) {
  llvm::outs() << program.name << ": " << trial.wrong << "\n  schedule " << toText(trial.schedule)
               << "\n";
  llvm::outs().flush();
  auto isWrong = [&](Trial shorter) {
    std::vector<Trial> one{shorter};
    Random random(1);
    runTrials(program, one, settings, random);
    return !one[0].wrong.empty();
  };
  llvm::outs() << "  reduced  " << toText(reduceTrial(program, trial, isWrong)) << "\n";
  llvm::outs().flush();
}

/// Deeper than any stack: each call keeps a page.
static char overflowStack(uint64_t depth) {
  volatile char page[4096];
  page[depth % sizeof(page)] = 1;
  return depth ? overflowStack(depth - 1) + page[0] : 0;
}

static void crashWhereAsked(ArrayRef<Trial> trials) {
  if (crashKeyword.empty())
    return;
  for (const Trial &trial : trials)
    for (Attribute primitive : trial.schedule.getPrimitives())
      if (StringRef(schedule::getPrimitiveText(primitive)).split(' ').first == crashKeyword)
        overflowStack(UINT64_MAX);
}

Ran fuzz::runApart(Program &program, std::vector<Trial> &trials, const Settings &settings,
                   Random &random) {
  int ends[2];
  if (pipe(ends) != 0)
    abort();
  llvm::outs().flush();
  pid_t child = fork();
  if (child < 0)
    abort();
  if (child == 0) {
    isApart = 1;
    close(ends[0]);
    rlimit seconds{mostSeconds, mostSeconds}, core{0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &core);
    crashWhereAsked(trials);
    runTrials(program, trials, settings, random);
    std::vector<Outcome> outcomes;
    for (const Trial &trial : trials)
      outcomes.push_back(trial.tooLarge        ? Outcome::TooLarge
                         : trial.wrong.empty() ? Outcome::Good
                                               : Outcome::Wrong);
    (void)!write(ends[1], outcomes.data(), outcomes.size());
    for (Trial &trial : trials)
      if (!trial.wrong.empty())
        report(program, trial, settings);
    _exit(0);
  }
  close(ends[1]);
  Ran ran;
  ran.outcomes.resize(trials.size());
  ssize_t bytes = read(ends[0], ran.outcomes.data(), ran.outcomes.size());
  ran.outcomes.resize(std::max<ssize_t>(0, bytes));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  ran.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  return ran;
}

static std::string describe(const Ran &ran) {
  if (!ran.signal)
    return "ends its process with status " + std::to_string(ran.status);
  return "ends its process by signal " + std::to_string(ran.signal) + " (" + strsignal(ran.signal) +
         ")";
}

/// A trial that ends its process, and what is left of it.
static void reportCrash(Program &program, const Trial &trial, const Settings &settings,
                        const Ran &ran, const Twine &where) {
  llvm::outs() << program.name << ": " << describe(ran) << ", " << where << "\n  schedule "
               << toText(trial.schedule) << "\n";
  // One that never ends takes as long again each time.
  if (!ran.signal || ran.signal == SIGXCPU || ran.signal == SIGKILL)
    return;
  auto crashes = [&](Trial shorter) {
    std::vector<Trial> one{shorter};
    Random random(1);
    return runApart(program, one, settings, random).signal == ran.signal;
  };
  llvm::outs() << "  reduced  " << toText(reduceTrial(program, trial, crashes)) << "\n";
}

std::vector<Outcome> fuzz::runWatched(Program &program, std::vector<Trial> &trials,
                                      const Settings &settings, Random &random, StringRef where,
                                      unsigned first, unsigned &unexplained) {
  Ran together = runApart(program, trials, settings, random);
  if (together.isWhole() && together.outcomes.size() == trials.size())
    return together.outcomes;
  std::vector<Outcome> outcomes;
  bool isExplained = false;
  for (auto [i, trial] : llvm::enumerate(trials)) {
    std::vector<Trial> alone{trial};
    Ran ran = runApart(program, alone, settings, random);
    bool isWhole = ran.isWhole() && ran.outcomes.size() == 1;
    if (!isWhole)
      reportCrash(program, trial, settings, ran, where + Twine(first + i));
    outcomes.push_back(isWhole ? ran.outcomes[0] : Outcome::Wrong);
    isExplained |= outcomes.back() == Outcome::Wrong;
  }
  if (isExplained)
    return outcomes;
  ++unexplained;
  llvm::outs() << program.name << ": " << describe(together) << ", " << where << first << " to "
               << first + trials.size() - 1 << " together, none of them alone\n";
  for (const Trial &trial : trials)
    llvm::outs() << "  schedule " << toText(trial.schedule) << "\n";
  return outcomes;
}
