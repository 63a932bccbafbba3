// Compares what every launch computes with the interpreter.
#include "KernelCheck.h"

using namespace tw::run;

namespace {

struct Checker {
  Session &session;
  CompilerLibrary &compiler;
  const Options &options;
  Progress &progress;
  Problems &problems;
  KernelReport &report;
  bool initializer = false;

  TwrtCode check(const TwrtLaunch &launch);
};

} // namespace

TwrtCode Checker::check(const TwrtLaunch &launch) {
  std::string name(launch.name.data, launch.name.size);
  progress.set("checking kernel " + name, launch.launch, launch.launchCount);
  TwrtError error = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  TwrtString source = {};
  if (twrtModuleKernelSource(session.module(), launch.kernel, &source, &error) != TWRT_OK) {
    problems.add("T0612", std::string("--check-every-kernel: ") + error.message +
                              "; compile the model again with this release");
    return TWRT_CANCELLED;
  }
  std::vector<TwcTensor> bindings;
  size_t inputs = 0;
  uint32_t resultElement = TWRT_F32;
  for (uint32_t i = 0; i < launch.bindingCount; ++i) {
    const TwrtBinding &binding = launch.bindings[i];
    bindings.push_back({binding.element, binding.rank, binding.dims, binding.data});
    if (binding.access == TWRT_READ)
      ++inputs;
    else
      resultElement = binding.element;
  }
  TwcKernelCheck check;
  if (!compiler.checkKernel({source.data, source.size}, bindings, inputs, check, problems)) {
    if (!problems.any())
      problems.add("T0612", "the interpreter cannot run kernel '" + name + "'");
    return TWRT_CANCELLED;
  }
  KernelResult result;
  result.launch = launch.launch;
  result.initializer = initializer;
  result.kernel = name;
  result.binding = check.worstBinding;
  result.comparison.maxError = check.maxError;
  result.comparison.maxReference = check.maxReference;
  result.comparison.worst = check.worstElement;
  result.comparison.expected = check.expected;
  result.comparison.found = check.found;
  result.comparison.limit = errorLimit(options, resultElement);
  ++report.launches;
  if (report.launches == 1 || result.comparison.relative() > report.worst.comparison.relative())
    report.worst = result;
  if (!result.comparison.holds()) {
    ++report.failed;
    report.failures.push_back(result);
  }
  return TWRT_OK;
}

static TwrtCode checkLaunch(void *user, const TwrtLaunch *launch) {
  return static_cast<Checker *>(user)->check(*launch);
}

bool tw::run::checkInitializer(Session &session, const Options &options, Progress &progress,
                               Problems &problems, KernelReport &report) {
  CompilerLibrary *compiler = session.compiler();
  if (!compiler)
    return false;
  Checker checker{session, *compiler, options, progress, problems, report, true};
  bool done = session.initialize(checkLaunch, &checker);
  progress.clear();
  return done;
}

bool tw::run::checkEveryKernel(Session &session, const Options &options, Progress &progress,
                               Problems &problems, KernelReport &report) {
  CompilerLibrary *compiler = session.compiler();
  if (!compiler)
    return false;
  Checker checker{session, *compiler, options, progress, problems, report};
  TwrtError error = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  if (twrtCallSetLaunchHook(session.call(), checkLaunch, &checker, &error) != TWRT_OK) {
    problems.add(error);
    return false;
  }
  uint64_t nanoseconds;
  bool done = session.run(nanoseconds);
  progress.clear();
  twrtCallSetLaunchHook(session.call(), nullptr, nullptr, nullptr);
  return done;
}
