// The work of tensor-run, from options to exit status.
#include "Run.h"
#include "NanCheck.h"
#include "Report.h"
#include "State.h"
#include "Support/File.h"

#include <optional>
#include <unistd.h>

using namespace tw::run;

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash + 1);
}

/// Before anything takes time: can the outputs be written where they should go?
static void checkOutputs(const std::vector<Assignment> &outputs, Problems &problems) {
  for (const Assignment &output : outputs)
    if (std::string folder = folderOf(output.file); access(folder.c_str(), W_OK) != 0)
      problems.add("T0601", "cannot write " + output.file + ": folder " + folder +
                                " is not there or not writable");
}

static void writeOutputs(const std::vector<Assignment> &assignments,
                         const std::vector<Tensor> &outputs, Problems &problems) {
  for (const Assignment &assignment : assignments) {
    const tw::support::NpyArray &array = outputs[assignment.value].array;
    std::string file, error;
    if (!tw::support::formatNpy(array.element, array.dims, array.data, file))
      problems.add("T0601", "cannot write " + assignment.file + ": .npy has no element type " +
                                twrtElementName(array.element));
    else if (!tw::support::writeFileAtomically(assignment.file, {file}, error))
      problems.add("T0601", error);
  }
}

static void addComparison(const Options &options, const Session &session, size_t output,
                          const Tensor &expected, const std::string &reference, Report &report) {
  const Tensor &found = report.outputs[output];
  Comparison comparison = compare(found, expected, options);
  if (options.maxError < 0)
    comparison.step = session.outputValues()[output].step;
  comparison.output = found.name;
  comparison.reference = reference;
  report.comparisons.push_back(comparison);
}

static void compareWithFiles(const Options &options, const Session &session, Report &report,
                             Problems &problems) {
  std::vector<std::string> files;
  for (const std::string &reference : options.references)
    if (reference != "interpreter" && reference != "host")
      files.push_back(reference);
  for (const Assignment &assignment : assign(files, session.outputValues(), "output", problems)) {
    Tensor expected;
    const Tensor &found = report.outputs[assignment.value];
    Value value = {found.name, found.array.element, found.array.dims, 0};
    if (readTensor(assignment.file, value, "reference for output", expected, problems))
      addComparison(options, session, assignment.value, expected, assignment.file, report);
  }
}

static TwcTensor lend(Tensor &tensor) {
  return {tensor.array.element, uint32_t(tensor.array.dims.size()), tensor.array.dims.data(),
          tensor.array.data.data()};
}

static void resize(Tensor &tensor, const std::vector<int64_t> &dims) {
  size_t bytes = twrtElementBytes(tensor.array.element);
  for (int64_t dim : dims)
    bytes *= size_t(dim);
  tensor.array.dims = dims;
  tensor.array.data.assign(bytes, 0);
}

namespace {

/// Inputs of which each step has a slice.
struct Batches {
  size_t input;
  Tensor whole;

  std::span<const uint8_t> slice(uint64_t step) const {
    size_t bytes = whole.array.data.size() / size_t(whole.array.dims[0]);
    return {whole.array.data.data() + (step % uint64_t(whole.array.dims[0])) * bytes, bytes};
  }
};

} // namespace

/// The first step's are made inputs.
static std::vector<Batches> readBatches(const Options &options, const std::vector<Value> &values,
                                        std::vector<Tensor> &inputs, Problems &problems) {
  std::vector<Batches> all;
  for (const Assignment &assignment : assign(options.batches, values, "input", problems)) {
    Value value = values[assignment.value];
    // Any number of them.
    value.dims.insert(value.dims.begin(), INT64_MIN);
    Batches &batches = all.emplace_back(Batches{assignment.value, {}});
    if (!readTensor(assignment.file, value, "batches of input", batches.whole, problems))
      continue;
    if (batches.whole.array.dims[0] == 0) {
      problems.add("T0605", assignment.file + ": expected one batch or more, found none");
      continue;
    }
    Tensor &first = inputs[assignment.value];
    first.array.dims.assign(batches.whole.array.dims.begin() + 1, batches.whole.array.dims.end());
    std::span<const uint8_t> slice = batches.slice(0);
    first.array.data.assign(slice.begin(), slice.end());
  }
  return all;
}

static bool isFloat(uint32_t element) {
  return element == TWRT_F16 || element == TWRT_BF16 || element == TWRT_F32 || element == TWRT_F64;
}

/// All steps, each on the state that the one before has left.
static bool runSteps(const Options &options, Session &session, const std::vector<Batches> &batches,
                     NanCheck *check, Report &report) {
  const std::vector<Value> &outputs = session.outputValues();
  for (size_t i = 0; i < outputs.size() && options.steps > 1; ++i)
    if (outputs[i].dims.empty() && isFloat(outputs[i].element))
      report.courses.push_back({i, {}});
  for (uint64_t step = 0; step < options.steps; ++step) {
    uint64_t nanoseconds = 0;
    for (const Batches &one : batches)
      if (step != 0 && !session.write(one.input, one.slice(step)))
        return false;
    if (check)
      check->step = step;
    if ((step != 0 && !session.advance()) || !session.run(nanoseconds))
      return false;
    report.runNanoseconds += nanoseconds;
    report.stepNanoseconds.push_back(nanoseconds);
    for (Report::Course &course : report.courses)
      if (!session.readScalar(course.output, course.numbers.emplace_back()))
        return false;
    if (options.comparesWith("interpreter") && !session.readShapes(report.shapes.emplace_back()))
      return false;
  }
  return true;
}

static bool compareWithInterpreter(const Options &options, Session &session,
                                   std::vector<Tensor> &inputs, const std::vector<Batches> &batches,
                                   Progress &progress, Report &report, Problems &problems) {
  CompilerLibrary *compiler = session.compiler();
  if (!compiler)
    return false;
  std::vector<Tensor> state = inputs, expected = report.outputs;
  progress.set("running the interpreter");
  bool done = true;
  uint64_t step = 0;
  for (const std::vector<std::vector<int64_t>> &shapes : report.shapes) {
    for (const Batches &one : batches) {
      std::span<const uint8_t> slice = one.slice(step);
      state[one.input].array.data.assign(slice.begin(), slice.end());
    }
    ++step;
    for (size_t i = 0; i < expected.size(); ++i)
      resize(expected[i], shapes[i]);
    std::vector<TwcTensor> arguments, results;
    for (Tensor &input : state)
      arguments.push_back(lend(input));
    for (Tensor &result : expected)
      results.push_back(lend(result));
    done = done && compiler->interpret(options.model, session.importEntries(state), arguments,
                                       results, problems);
    for (size_t i = 0; i < state.size(); ++i)
      if (int32_t shared = session.inputValues()[i].shares; shared >= 0)
        state[i].array = expected[size_t(shared)].array;
  }
  progress.clear();
  for (size_t i = 0; done && i < expected.size(); ++i)
    addComparison(options, session, i, expected[i], "interpreter", report);
  return done;
}

/// Runs the model again on the host, on the same inputs.
static bool compareWithHost(const Options &options, const Session &session,
                            const std::vector<Tensor> &inputs, const std::vector<Batches> &batches,
                            Progress &progress, Report &report, Problems &problems) {
  Options onHost = options;
  onHost.device = "host";
  onHost.target.clear();
  onHost.capture = false;
  Session host(onHost, progress, problems);
  std::vector<Tensor> expected;
  Report steps;
  progress.set("running on the host");
  bool done = host.openDevice() && host.loadModel() && host.prepare(inputs) &&
              runSteps(onHost, host, batches, nullptr, steps) && host.readOutputs(expected);
  progress.clear();
  for (size_t i = 0; done && i < expected.size(); ++i)
    addComparison(options, session, i, expected[i], "host", report);
  return done;
}

/// Everything after the program is there; problems are printed by the caller.
static bool runModel(const Options &options, Session &session, Progress &progress, Report &report,
                     Problems &problems) {
  std::vector<Assignment> outputs =
      assign(options.outputs, session.outputValues(), "output", problems);
  checkOutputs(outputs, problems);
  OpenSizes open{session.symbolNames(), session.symbolLeast(),
                 [&](SymbolSizes &sizes) { session.deduceSymbols(sizes); }};
  std::vector<Tensor> inputs =
      makeInputs(options, session.inputValues(), open, problems, report.notes);
  std::vector<Batches> batches = readBatches(options, session.inputValues(), inputs, problems);
  if (!options.state.empty())
    readState(options.state, session.inputValues(), inputs, problems);
  if (options.comparesWith("interpreter") && session.isModule())
    problems.add("T0612", "--compare=interpreter needs the model that the module was made from; "
                          "--check-every-kernel works on a module");
  if (problems.any())
    return false;
  progress.set("initializing");
  if (options.checkEveryKernel
          ? !checkInitializer(session, options, progress, problems, report.kernels)
          : !session.initialize(nullptr, nullptr))
    return false;
  if (!session.prepare(inputs))
    return false;
  progress.set("running");
  std::optional<NanCheck> check;
  if (options.checkNan) {
    check.emplace(session, problems);
    if (!check->begin(inputs))
      return false;
  }
  if (!runSteps(options, session, batches, check ? &*check : nullptr, report))
    return false;
  check.reset();
  progress.clear();
  if (!session.readOutputs(report.outputs))
    return false;
  writeOutputs(outputs, report.outputs, problems);
  if (!options.state.empty())
    writeState(options.state, session.inputValues(), report.outputs, problems);
  compareWithFiles(options, session, report, problems);
  if (options.comparesWith("interpreter") &&
      !compareWithInterpreter(options, session, inputs, batches, progress, report, problems))
    return false;
  if (options.comparesWith("host") &&
      !compareWithHost(options, session, inputs, batches, progress, report, problems))
    return false;
  if (options.checkEveryKernel) {
    report.checkedKernels = true;
    if (!checkEveryKernel(session, options, progress, problems, report.kernels))
      return false;
  }
  if (options.benchmark || options.profile) {
    report.benchmarked = true;
    Benchmark ofProfile;
    if (options.benchmark &&
        !runBenchmark(session, options.runs, progress, report.benchmark, nullptr))
      return false;
    if (options.profile &&
        !runBenchmark(session, options.runs, progress,
                      options.benchmark ? ofProfile : report.benchmark, &report.profile))
      return false;
  }
  return !problems.any();
}

ExitStatus tw::run::runTool(const Options &options) {
  Problems problems;
  Report report;
  Progress progress(options.quiet);
  Session session(options, progress, problems);
  bool done = session.openDevice();
  if (done && options.devices) {
    printDevices(options, session.instance());
    return Done;
  }
  done = done && session.loadModel() && runModel(options, session, progress, report, problems);
  progress.clear();
  if (!done && !problems.any())
    problems.add("T0610", "the run failed without a message");
  problems.print();
  if (!done) {
    if (options.json)
      printFailure(Failed, problems);
    return Failed;
  }
  printReport(options, session, report, problems);
  return report.holds() ? Done : Differs;
}
