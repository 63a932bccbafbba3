// Plans recorded as graphs: a stream of the queue's own captures the commands once, and what is
// handed in later is one graph. Where addresses, grids or scalars are not those that were recorded,
// the plan is recorded again and the executable graph updated.
#include "Stream.h"

using namespace tw::runtime;
using namespace tw::runtime::stream;

/// CU_STREAM_CAPTURE_MODE_RELAXED: no call that another thread makes meanwhile matters.
static constexpr int relaxed = 2;

/// What a graph was recorded from, and the graph.
struct stream::RecordedGraph {
  void *executable = nullptr;
  /// What the library was told of each step; `count` 0: nothing that holds.
  Array<uint64_t> words;
  size_t count = 0;

  explicit RecordedGraph(const Allocator &allocator) : words(allocator) {}
};

TwrtCode stream::checkRecording(void *handle, TwrtError *error) {
  const Api &api = static_cast<const Device *>(handle)->api;
  const char *missing = nullptr;
  auto need = [&](const auto &entry) {
    if (entry.name && !entry.function && !missing)
      missing = entry.name;
  };
  need(api.beginCapture);
  need(api.endCapture);
  need(api.instantiateGraph);
  need(api.updateGraph);
  need(api.updateGraphInParts);
  need(api.launchGraph);
  need(api.destroyGraph);
  need(api.destroyExecutableGraph);
  if (missing)
    return fail(error, TWRT_UNSUPPORTED, "calls cannot be captured: %s has no %s, it is too old",
                api.libraries[0], missing);
  return TWRT_OK;
}

void stream::freeRecording(void *handle, void *recorded) {
  Device &device = *static_cast<Device *>(handle);
  RecordedGraph *recording = static_cast<RecordedGraph *>(recorded);
  if (recording->executable)
    if (Current current(device); current)
      device.api.destroyExecutableGraph.function(recording->executable);
  destroy(device.allocator, recording);
}

namespace {

/// Takes the place of the words that are there, and knows whether they were the same.
class Writer {
public:
  explicit Writer(RecordedGraph &recording) : recording(recording) {}

  void take(uint64_t word) {
    uint64_t &place = recording.words[at];
    same = same && at < recording.count && place == word;
    place = word;
    ++at;
  }
  void take(const void *pointer) { take(uint64_t(reinterpret_cast<uintptr_t>(pointer))); }
  /// Whether all that there was is the same as all that was taken.
  bool finish() {
    same = same && at == recording.count;
    recording.count = at;
    return same;
  }

private:
  RecordedGraph &recording;
  size_t at = 0;
  bool same = true;
};

} // namespace

/// What a step takes at most, beside its ranges and scalars.
static constexpr size_t wordsOfStep = 5;

static TwrtCode describeStep(Queue &queue, const Plan &plan, const PlanStep &step, Writer &writer,
                             TwrtError *error) {
  const PlanRange *ranges = plan.ranges.data() + step.firstRange;
  switch (step.kind) {
  case PlanStep::Launch: {
    LaunchArguments arguments;
    TWRT_TRY(getArguments(queue, plan, step, arguments, error));
    writer.take(arguments.kernel);
    writer.take(arguments.width);
    writer.take(arguments.height);
    for (uint32_t i = 0; i < step.rangeCount; ++i)
      writer.take(arguments.addresses[i]);
    for (uint32_t i = 0; i < arguments.kernel->scalars; ++i)
      writer.take(uint64_t(plan.scalars[step.firstScalar + i]));
    break;
  }
  case PlanStep::Copy: {
    uint64_t bounce = 0;
    TWRT_TRY(getBounce(queue, ranges[0], ranges[1], &bounce, error));
    writer.take(addressOf(ranges[0]));
    writer.take(addressOf(ranges[1]));
    writer.take(ranges[0].bytes);
    writer.take(bounce);
    break;
  }
  case PlanStep::Fill:
    writer.take(addressOf(ranges[0]));
    writer.take(ranges[0].bytes);
    writer.take(uint64_t(step.pattern));
    writer.take(step.width);
    break;
  }
  return TWRT_OK;
}

/// Notes what the library is told of the steps, and gets the memory that it is told of. `same`: it
/// is what was told before.
static TwrtCode describePlan(Queue &queue, const Plan &plan, RecordedGraph &recording, bool &same,
                             TwrtError *error) {
  size_t most = 0;
  for (const PlanStep &step : plan.steps)
    most += wordsOfStep + step.rangeCount +
            (step.kind == PlanStep::Launch
                 ? static_cast<const Executable *>(step.executable)->kernels[step.entry].scalars
                 : 0);
  if (recording.words.size() < most) {
    recording.count = 0;
    if (!recording.words.reset(most))
      return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory to capture a call");
  }
  Writer writer(recording);
  for (const PlanStep &step : plan.steps)
    if (TwrtCode code = describeStep(queue, plan, step, writer, error); code != TWRT_OK) {
      recording.count = 0;
      return code;
    }
  same = writer.finish();
  return TWRT_OK;
}

/// CUDA says in one place what cannot be updated, HIP in two.
static int updateGraph(const Api &api, void *executable, void *graph) {
  if (api.updateGraphInParts.function) {
    void *node = nullptr;
    int reason = 0;
    return api.updateGraphInParts.function(executable, graph, &node, &reason);
  }
  // CUgraphExecUpdateResultInfo: a number and two nodes.
  void *information[3] = {};
  return api.updateGraph.function(executable, graph, information);
}

/// Makes the recording's executable graph one of `graph`: the one there is, or, where the library
/// cannot, another.
static TwrtCode makeExecutable(Queue &queue, RecordedGraph &recording, void *graph,
                               TwrtError *error) {
  Device &device = queue.device;
  const Api &api = device.api;
  if (recording.executable) {
    // It may run.
    if (!api.updatesRunning)
      TWRT_TRY(invoke(device, api.streamSynchronize, error, queue.stream));
    int result = updateGraph(api, recording.executable, graph);
    if (result == success)
      return TWRT_OK;
    api.destroyExecutableGraph.function(recording.executable);
    recording.executable = nullptr;
    // Whatever the library has against it, another graph is made, unless nothing can be.
    if (isSticky(result))
      return failOn(device,
                    api.updateGraph.name ? api.updateGraph.name : api.updateGraphInParts.name,
                    result, error);
  }
  void *made = nullptr;
  TWRT_TRY(invoke(device, api.instantiateGraph, error, &made, graph, 0ull));
  recording.executable = made;
  return TWRT_OK;
}

/// Whatever fails, the queue's own stream has not been told of anything.
static TwrtCode record(Queue &queue, const Plan &plan, RecordedGraph &recording, TwrtError *error) {
  Device &device = queue.device;
  const Api &api = device.api;
  if (!queue.capturing)
    TWRT_TRY(invoke(device, api.streamCreate, error, &queue.capturing, streamNonBlocking));
  TWRT_TRY(invoke(device, api.beginCapture, error, queue.capturing, relaxed));
  TwrtCode code = runSteps(queue, queue.capturing, plan, nullptr, error);
  void *graph = nullptr;
  TwrtCode ended =
      invoke(device, api.endCapture, code == TWRT_OK ? error : nullptr, queue.capturing, &graph);
  if (ended != TWRT_OK) {
    // Nobody knows whether it still captures.
    api.streamDestroy.function(queue.capturing);
    queue.capturing = nullptr;
  }
  if (code == TWRT_OK)
    code = ended;
  if (code == TWRT_OK)
    code = makeExecutable(queue, recording, graph, error);
  if (graph)
    api.destroyGraph.function(graph);
  return code;
}

TwrtCode stream::runRecorded(Queue &queue, const Plan &plan, TwrtError *error) {
  Device &device = queue.device;
  if (!*plan.recording)
    *plan.recording = create<RecordedGraph>(device.allocator, device.allocator);
  RecordedGraph *recording = static_cast<RecordedGraph *>(*plan.recording);
  if (!recording)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory to capture a call");
  bool same = false;
  TWRT_TRY(describePlan(queue, plan, *recording, same, error));
  if (!same || !recording->executable)
    if (TwrtCode code = record(queue, plan, *recording, error); code != TWRT_OK) {
      recording->count = 0;
      return code;
    }
  return invoke(device, device.api.launchGraph, error, recording->executable, queue.stream);
}
