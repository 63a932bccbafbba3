// Reports as JSON.
#include "ReportForms.h"
#include "Run.h"
#include "Support/Json.h"

#include <cstdio>
#include <cstring>

using namespace tw::run;
using tw::support::JsonWriter;

static void writeOut(void *, std::string_view piece) {
  fwrite(piece.data(), 1, piece.size(), stdout);
}

static void writeComparison(JsonWriter &json, const Comparison &c) {
  json.member("maxError", c.maxError);
  json.member("relativeError", c.relative());
  json.member("maxReference", c.maxReference);
  json.member("limit", c.limit);
  if (c.step > 0)
    json.member("step", c.step);
  json.member("holds", c.holds());
  json.member("worstElement", uint64_t(c.worst));
  json.member("expected", c.expected);
  json.member("found", c.found);
}

static void writeOutput(JsonWriter &json, const Tensor &tensor, uint64_t top) {
  Statistics s = computeStatistics(tensor);
  json.beginObject();
  json.member("name", tensor.name);
  json.member("element", twrtElementName(tensor.array.element));
  json.key("dims");
  json.beginArray();
  for (int64_t dim : tensor.array.dims)
    json.value(dim);
  json.endArray();
  json.member("min", s.min);
  json.member("max", s.max);
  json.member("mean", s.mean);
  json.member("deviation", s.deviation);
  json.member("distinct", uint64_t(s.distinct));
  json.member("nan", uint64_t(s.nans));
  json.member("infinite", uint64_t(s.infinities));
  if (top) {
    json.key("top");
    json.beginArray();
    for (size_t index : largest(tensor, top)) {
      json.beginObject();
      json.member("index", uint64_t(index));
      json.member("value", tensor.size(index));
      json.endObject();
    }
    json.endArray();
  }
  json.endObject();
}

static void writeKernels(JsonWriter &json, const KernelReport &kernels) {
  json.key("kernels");
  json.beginObject();
  json.member("launches", kernels.launches);
  json.member("failed", kernels.failed);
  json.member("worstKernel", kernels.worst.kernel);
  json.member("worstRelativeError", kernels.worst.comparison.relative());
  json.key("failures");
  json.beginArray();
  for (const KernelResult &failure : kernels.failures) {
    json.beginObject();
    json.member("launch", failure.launch);
    json.member("initializer", failure.initializer);
    json.member("kernel", failure.kernel);
    json.member("binding", failure.binding);
    writeComparison(json, failure.comparison);
    json.endObject();
  }
  json.endArray();
  json.endObject();
}

static void writeProfile(JsonWriter &json, const std::vector<KernelTime> &profile) {
  json.key("profile");
  json.beginArray();
  for (const KernelTime &kernel : profile) {
    json.beginObject();
    json.member("kernel", kernel.name);
    json.member("launches", kernel.launches);
    json.member("ns", kernel.nanoseconds);
    json.member("flops", kernel.flops);
    json.member("bytes", kernel.bytes);
    if (kernel.limitShare > 0)
      json.member("limitShare", kernel.limitShare);
    json.key("nodes");
    json.beginArray();
    for (const std::string &node : kernel.nodes)
      json.value(node);
    json.endArray();
    json.endObject();
  }
  json.endArray();
}

/// Notes stand within what they belong to.
static void writeDiagnostics(JsonWriter &json, const std::vector<Problem> &problems) {
  auto write = [&](const Problem &problem) {
    json.beginObject();
    json.member("severity", nameOf(problem.severity));
    json.member("message", problem.message);
    if (!problem.code.empty())
      json.member("code", problem.code);
    if (!problem.file.empty() || !problem.node.empty()) {
      json.key("location");
      json.beginObject();
      if (!problem.file.empty())
        json.member("file", problem.file);
      if (problem.line) {
        json.member("line", problem.line);
        json.member("column", problem.column);
      }
      if (!problem.node.empty())
        json.member("node", problem.node);
      json.endObject();
    }
    if (!problem.remedy.empty())
      json.member("remedy", problem.remedy);
  };
  json.key("diagnostics");
  json.beginArray();
  for (size_t i = 0; i < problems.size();) {
    write(problems[i++]);
    json.key("notes");
    json.beginArray();
    for (; i < problems.size() && problems[i].severity == Severity::Note; ++i) {
      write(problems[i]);
      json.endObject();
    }
    json.endArray();
    json.endObject();
  }
  json.endArray();
}

void tw::run::printFailure(int exitStatus, const Problems &problems) {
  JsonWriter json(writeOut, nullptr);
  json.beginObject();
  json.member("tool", "tensor-run");
  json.member("exitStatus", exitStatus);
  writeDiagnostics(json, problems.all());
  json.endObject();
  writeOut(nullptr, "\n");
}

void tw::run::printJson(const Options &options, const Session &session, const Report &report,
                        const Problems &problems) {
  JsonWriter json(writeOut, nullptr);
  json.beginObject();
  json.member("model", options.model);
  json.member("exitStatus", int(report.holds() ? Done : Differs));
  json.member("device", options.device);
  json.member("deviceDescription", session.description());
  json.member("threads", session.threadCount());
  json.member("captured", options.capture);
  json.member("fromCache", session.fromCache);
  json.member("compiled", session.compiled);
  json.member("loadSeconds", session.loadSeconds);
  json.member("arenaBytes", session.arenaBytes);
  if (const TwrtInitialization &once = session.initialization; once.launches) {
    json.key("initialization");
    json.beginObject();
    json.member("ns", once.nanoseconds);
    json.member("launches", once.launches);
    json.member("derivedBytes", once.derivedBytes);
    json.member("sourceBytes", once.sourceBytes);
    json.member("arenaBytes", once.arenaBytes);
    json.endObject();
  }
  json.member("runNs", report.runNanoseconds);
  if (options.steps > 1) {
    json.key("stepNs");
    json.beginArray();
    for (uint64_t nanoseconds : report.stepNanoseconds)
      json.value(nanoseconds);
    json.endArray();
  }
  json.key("notes");
  json.beginArray();
  for (const std::string &note : report.notes)
    json.value(note);
  json.endArray();
  json.key("outputs");
  json.beginArray();
  for (const Tensor &tensor : report.outputs)
    writeOutput(json, tensor, options.top);
  json.endArray();
  if (!report.comparisons.empty()) {
    json.key("comparisons");
    json.beginArray();
    for (const Comparison &comparison : report.comparisons) {
      json.beginObject();
      json.member("output", comparison.output);
      json.member("reference", comparison.reference);
      writeComparison(json, comparison);
      json.endObject();
    }
    json.endArray();
  }
  if (report.checkedKernels)
    writeKernels(json, report.kernels);
  if (report.benchmarked) {
    json.key("benchmark");
    json.beginObject();
    json.member("minNs", report.benchmark.min);
    json.member("medianNs", report.benchmark.median);
    json.member("spreadNs", report.benchmark.spread);
    json.member("runs", report.benchmark.runs);
    json.endObject();
  }
  if (!report.profile.empty())
    writeProfile(json, report.profile);
  json.member("holds", report.holds());
  writeDiagnostics(json, problems.all());
  json.endObject();
  writeOut(nullptr, "\n");
}

void tw::run::printDevices(const Options &options, TwrtInstance *instance) {
  JsonWriter json(writeOut, nullptr);
  TwrtError error = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  if (options.json)
    json.beginArray();
  for (size_t i = 0; i < twrtInstanceDeviceCount(instance); ++i) {
    std::string uri = twrtInstanceDeviceUri(instance, i).data;
    TwrtDevice *device = nullptr;
    bool opened = twrtInstanceOpenDevice(instance, uri.c_str(), &device, &error) == TWRT_OK;
    TwrtString text = twrtDeviceDescription(device);
    std::string description = opened ? std::string(text.data, text.size) : error.message;
    if (options.json) {
      json.beginObject();
      json.member("uri", uri);
      json.member("usable", opened);
      json.member(opened ? "description" : "error", description);
      json.endObject();
    } else {
      printf("%-9s %s%s\n", uri.c_str(), opened ? "" : "cannot be used: ",
             opened ? deviceName(description).c_str() : error.message);
    }
    twrtDeviceRelease(device);
  }
  for (size_t i = 0; i < twrtInstanceDriverCount(instance); ++i) {
    TwrtString name = {};
    if (twrtInstanceDriverStatus(instance, i, &name, &error) == TWRT_OK)
      continue;
    if (options.json) {
      json.beginObject();
      json.member("driver", std::string_view(name.data, name.size));
      json.member("usable", false);
      json.member("error", error.message);
      json.endObject();
    } else {
      printf("%-9.*s cannot be used: %s\n", int(name.size), name.data, error.message);
    }
  }
  if (options.json)
    json.endArray();
  if (options.json)
    writeOut(nullptr, "\n");
}
