// Compares what every launch computes with the interpreter.
#include "KernelCheck.h"

#include <algorithm>

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
  KernelResult judge(const TwrtLaunch &launch, uint32_t binding,
                     const std::vector<TwcKernelCheck> &checks) const;
};

} // namespace

/// One result, beside the largest number of all of its element type.
KernelResult Checker::judge(const TwrtLaunch &launch, uint32_t binding,
                            const std::vector<TwcKernelCheck> &checks) const {
  size_t inputs = launch.bindingCount - checks.size();
  const TwcKernelCheck &check = checks[binding - inputs];
  uint32_t element = launch.bindings[binding].element;
  KernelResult result;
  result.launch = launch.launch;
  result.initializer = initializer;
  result.kernel = std::string(launch.name.data, launch.name.size);
  result.binding = binding;
  result.comparison.maxError = check.maxError;
  for (size_t i = 0; i < checks.size(); ++i)
    if (launch.bindings[inputs + i].element == element)
      result.comparison.maxReference =
          std::max(result.comparison.maxReference, checks[i].maxReference);
  result.comparison.worst = check.worstElement;
  result.comparison.expected = check.expected;
  result.comparison.found = check.found;
  result.comparison.limit = errorLimit(options, element);
  return result;
}

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
  std::vector<const void *> before;
  for (uint32_t i = 0; i < launch.bindingCount; ++i) {
    const TwrtBinding &binding = launch.bindings[i];
    bindings.push_back({binding.element, binding.rank, binding.dims, binding.data});
    if (binding.access != TWRT_READ)
      before.push_back(binding.before);
  }
  TwcKernelRun run = {};
  run.size = sizeof(run);
  run.source = {source.data, source.size};
  run.bindings = bindings.data();
  run.bindingCount = bindings.size();
  run.inputCount = bindings.size() - before.size();
  run.before = before.data();
  run.scalars = launch.scalars;
  run.scalarCount = launch.scalarCount;
  std::vector<TwcKernelCheck> checks;
  if (!compiler.checkKernel(run, checks, problems)) {
    if (!problems.any())
      problems.add("T0612", "the interpreter cannot run kernel '" + name + "'");
    return TWRT_CANCELLED;
  }
  ++report.launches;
  const KernelResult *worst = nullptr;
  std::vector<KernelResult> results;
  for (uint32_t i = 0; i < checks.size(); ++i)
    results.push_back(judge(launch, uint32_t(run.inputCount) + i, checks));
  for (const KernelResult &result : results)
    if (!worst || (worst->comparison.holds() && !result.comparison.holds()) ||
        (worst->comparison.holds() == result.comparison.holds() &&
         result.comparison.relative() > worst->comparison.relative()))
      worst = &result;
  if (!worst)
    return TWRT_OK;
  if (report.launches == 1 || worst->comparison.relative() > report.worst.comparison.relative())
    report.worst = *worst;
  if (!worst->comparison.holds()) {
    ++report.failed;
    report.failures.push_back(*worst);
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
