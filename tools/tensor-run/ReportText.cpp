// Reports as text.
#include "Profile.h"
#include "Report.h"
#include "ReportForms.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

using namespace tw::run;

bool Report::holds() const {
  for (const Comparison &comparison : comparisons)
    if (!comparison.holds())
      return false;
  return kernels.failed == 0;
}

static void printComparison(const char *what, const Comparison &c) {
  printf("%s: max error %.3g (%.3g of the largest reference %.6g), limit %.3g", what, c.maxError,
         c.relative(), c.maxReference, c.limit);
  if (c.step > 0)
    printf(" or one quantisation step of %.3g", c.step);
  printf(": %s\n", c.holds() ? "ok" : "DIFFERS");
  if (!c.holds())
    printf("  worst at element %zu: expected %.9g, found %.9g\n", c.worst, c.expected, c.found);
}

static void printOutput(const Tensor &tensor, uint64_t top) {
  Statistics s = computeStatistics(tensor);
  printf("output   %s %s: min %.6g, max %.6g, mean %.6g, deviation %.6g, %zu distinct",
         tensor.name.c_str(),
         tw::support::formatType(tensor.array.element, tensor.array.dims).c_str(), s.min, s.max,
         s.mean, s.deviation, s.distinct);
  if (s.nans || s.infinities)
    printf(", %zu NaN, %zu infinite", s.nans, s.infinities);
  printf("\n");
  for (size_t index : largest(tensor, top))
    printf("  top    %6zu  %.6g\n", index, tensor.size(index));
}

/// " (Conv_0, Conv_3 and 5 more)"
static std::string listNodes(const KernelTime &kernel) {
  constexpr size_t shown = 3;
  std::string text;
  for (size_t i = 0; i < std::min(shown, kernel.nodes.size()); ++i)
    text += (i ? ", " : " (") + kernel.nodes[i];
  if (kernel.nodes.size() > shown)
    text += " and " + std::to_string(kernel.nodes.size() - shown) + " more";
  return text.empty() ? text : text + ")";
}

static void printProfile(const std::vector<KernelTime> &profile) {
  uint64_t total = 0;
  for (const KernelTime &kernel : profile)
    total += kernel.nanoseconds;
  printf("profile  %12s %6s %8s %9s %8s %8s  kernel (nodes)\n", "ns", "%", "launches", "GFLOP/s",
         "GB/s", "% limit");
  for (const KernelTime &kernel : profile) {
    double time = kernel.nanoseconds ? double(kernel.nanoseconds) : 1;
    char flops[16] = "-", bytes[16] = "-", share[16] = "-";
    if (kernel.isCounted()) {
      snprintf(flops, sizeof(flops), "%.2f", double(kernel.flops) / time);
      snprintf(bytes, sizeof(bytes), "%.2f", double(kernel.bytes) / time);
    }
    if (kernel.limitShare > 0)
      snprintf(share, sizeof(share), "%.1f", 100 * kernel.limitShare);
    printf("         %12" PRIu64 " %6.1f %8" PRIu64 " %9s %8s %8s  %s%s\n", kernel.nanoseconds,
           100 * time / double(total ? total : 1), kernel.launches, flops, bytes, share,
           kernel.name.c_str(), listNodes(kernel).c_str());
  }
}

static void printKernels(const KernelReport &kernels) {
  printf("kernels  %u launches checked, %u differ\n", kernels.launches, kernels.failed);
  size_t shown = 0;
  for (const KernelResult &failure : kernels.failures) {
    if (++shown > 10) {
      printf("  ... and %zu more\n", kernels.failures.size() - 10);
      break;
    }
    std::string what = std::string(failure.initializer ? "  initializer's" : " ") + " launch " +
                       std::to_string(failure.launch) + " " + failure.kernel + ", binding " +
                       std::to_string(failure.binding);
    printComparison(what.c_str(), failure.comparison);
  }
  if (kernels.failed == 0 && kernels.launches)
    printf("  worst  %s: %.3g of the largest reference\n", kernels.worst.kernel.c_str(),
           kernels.worst.comparison.relative());
}

/// Names hold no escapes.
std::string tw::run::deviceName(const std::string &description) {
  constexpr std::string_view key = "\"name\":\"";
  size_t at = description.find(key);
  if (at == description.npos)
    return "unknown";
  at += key.size();
  return description.substr(at, description.find('"', at) - at);
}

/// At most eleven numbers of all.
static void printCourse(const std::string &name, const std::vector<double> &numbers) {
  printf("course   %s:", name.c_str());
  size_t last = numbers.size() - 1, parts = std::min<size_t>(last, 10);
  for (size_t i = 0; i <= parts; ++i)
    printf(" %.6g", numbers[parts ? i * last / parts : 0]);
  printf("\n");
}

static void printText(const Options &options, const Session &session, const Report &report) {
  for (const std::string &note : report.notes)
    printf("note     %s\n", note.c_str());
  printf("model    %s%s\n", options.model.c_str(),
         session.fromCache  ? " (from the cache)"
         : session.compiled ? " (compiled)"
                            : "");
  std::string description = session.description();
  printf("device   %s: %s", options.device.c_str(), deviceName(description).c_str());
  if (options.device == "host")
    printf(", %" PRIu64 " threads", session.threadCount());
  printf("%s\n", options.capture ? ", captured" : "");
  printf("load     %.3f s%s\n", session.loadSeconds,
         session.compiled ? ", compilation included" : "");
  if (const TwrtInitialization &once = session.initialization; once.launches)
    printf("once     %.6f s, %u launches, %" PRIu64 " bytes derived\n",
           double(once.nanoseconds) * 1e-9, once.launches, once.derivedBytes);
  printf("arena    %" PRIu64 " bytes\n", session.arenaBytes);
  printf("run      %.6f s\n", double(report.runNanoseconds) * 1e-9);
  std::vector<uint64_t> sorted(report.stepNanoseconds);
  std::sort(sorted.begin(), sorted.end());
  if (size_t steps = sorted.size(); steps > 1)
    printf("steps    %zu, median %" PRIu64 " ns, last %" PRIu64 " ns, %.1f a second\n", steps,
           medianOf(sorted), report.stepNanoseconds.back(),
           double(steps) / (double(report.runNanoseconds) * 1e-9));
  for (const Report::Course &course : report.courses)
    printCourse(session.outputValues()[course.output].name, course.numbers);
  for (const Tensor &tensor : report.outputs)
    printOutput(tensor, options.top);
  for (const Comparison &comparison : report.comparisons)
    printComparison(("compare  " + comparison.output + " with " + comparison.reference).c_str(),
                    comparison);
  if (report.checkedKernels)
    printKernels(report.kernels);
  if (report.benchmarked)
    printf("time     min %" PRIu64 " ns, median %" PRIu64 " ns, spread %" PRIu64 " ns, %" PRIu64
           " runs\n",
           report.benchmark.min, report.benchmark.median, report.benchmark.spread,
           report.benchmark.runs);
  if (!report.profile.empty())
    printProfile(report.profile);
}

void tw::run::printReport(const Options &options, const Session &session, const Report &report,
                          const Problems &problems) {
  if (options.json)
    printJson(options, session, report, problems);
  else
    printText(options, session, report);
  fflush(stdout);
}
