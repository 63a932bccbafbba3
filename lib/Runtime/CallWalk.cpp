// Runs plans with blocks: reads what decides about them, and hands straight pieces to the driver.
//
// Steps are put together in a piece, with ranges that stand for the iteration at hand, until a
// piece is full, something has to be read, or the plan ends. So a loop whose count is known goes to
// the driver in a few pieces, and one that reads its condition in one for each iteration.
#include "Call.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <utility>

using namespace tw::runtime;
using namespace tw::format;

namespace {

class Walker {
public:
  Walker(TwrtCall &call, void *queue, TwrtError *error)
      : call(call), plan(call.plan), piece(call.piece), queue(queue), error(error) {}

  TwrtCode run();
  /// Of the last piece.
  uint64_t point = 0;

private:
  TwrtCode runNodes(uint32_t begin, uint32_t end);
  TwrtCode runLoop(uint32_t node);
  TwrtCode runBody(uint32_t node, int64_t iteration);
  TwrtCode addSteps(const PlanNode &node);
  TwrtCode addStep(const PlanStep &step);
  TwrtCode submit();
  TwrtCode waitForPiece();
  template <typename T> TwrtCode read(const MemoryRef &ref, T &value);
  PlanRange moved(const MemoryRef &ref) const;
  TwrtCode takeStep();
  TwrtCode failLimit(const PlanNode &node, const char *what, int64_t number);

  TwrtCall &call;
  Prepared &plan;
  Piece &piece;
  void *queue;
  TwrtError *error;
  uint32_t steps = 0, ranges = 0, launches = 0;
  uint64_t stepsLeft = call.stepLimit;
  bool hasPoint = false;
  /// The loops that run, outermost first, and their iterations.
  uint32_t loops[maxBlockDepth] = {};
  int64_t iterations[maxBlockDepth] = {};
  uint32_t depth = 0;
};

} // namespace

/// The name that a loop has in the model, or its command.
static void nameLoop(const TwrtCall &call, const PlanNode &node, char (&text)[120]) {
  const auto *locations = call.commands->locations();
  const fb::Module *root = call.program->module->root;
  const fb::Location *where = locations && locations->Get(node.command) != UINT32_MAX
                                  ? root->locations()->Get(locations->Get(node.command))
                                  : nullptr;
  if (where && where->node())
    snprintf(text, sizeof(text), "loop '%.80s'", where->node()->c_str());
  else
    snprintf(text, sizeof(text), "the loop at command %u", node.command);
}

TwrtCode Walker::failLimit(const PlanNode &node, const char *what, int64_t number) {
  char name[120];
  nameLoop(call, node, name);
  return fail(error, TWRT_LIMIT, "%s %s %" PRId64 " iterations, its limit is %" PRId64, name, what,
              number, node.limit);
}

TwrtCode Walker::takeStep() {
  if (stepsLeft-- != 0)
    return TWRT_OK;
  char name[120];
  nameLoop(call, plan.nodes[loops[depth - 1]], name);
  return fail(error, TWRT_LIMIT,
              "the call takes more than %" PRIu64 " steps, in iteration %" PRId64 " of %s",
              call.stepLimit, iterations[depth - 1], name);
}

PlanRange Walker::moved(const MemoryRef &ref) const {
  PlanRange range = locate(call, ref, {piece.places.data(), plan.places.size()});
  for (uint32_t i = ref.advance; i != noAdvance; i = plan.advances[i].outer)
    range.offset += uint64_t(plan.advances[i].step * iterations[plan.advances[i].loop]);
  return range;
}

TwrtCode Walker::waitForPiece() {
  if (!hasPoint)
    return TWRT_OK;
  TWRT_TRY(call.program->device->driver->pointWait(queue, point, waitForever, error));
  tellTimes(call);
  return TWRT_OK;
}

TwrtCode Walker::submit() {
  Submission submission = {{piece.steps.data(), steps},
                           {piece.ranges.data(), ranges},
                           call.wasTimed ? piece.samples.data() : nullptr,
                           piece.launches.data()};
  TWRT_TRY(submitSteps(call, queue, submission, &point, error));
  piece.untold = call.wasTimed ? launches : 0;
  hasPoint = true;
  steps = ranges = launches = 0;
  return TWRT_OK;
}

template <typename T> TwrtCode Walker::read(const MemoryRef &ref, T &value) {
  // What the queue ran before may have written it.
  if (steps != 0 || !hasPoint)
    TWRT_TRY(submit());
  TWRT_TRY(waitForPiece());
  PlanRange range = moved(ref);
  if (range.memory->host) {
    memcpy(&value, static_cast<const uint8_t *>(range.memory->host) + range.offset, sizeof(T));
    return TWRT_OK;
  }
  const Driver &driver = *call.program->device->driver;
  TWRT_TRY(driver.read(queue, range, &value, &point, error));
  hasPoint = true;
  return driver.pointWait(queue, point, waitForever, error);
}

TwrtCode Walker::addStep(const PlanStep &step) {
  if (depth != 0)
    TWRT_TRY(takeStep());
  if (steps == piece.steps.size() || ranges + step.rangeCount > piece.ranges.size())
    TWRT_TRY(submit());
  // What it is made of is free again once the times of the last one have been told.
  if (steps == 0 && piece.untold != 0)
    TWRT_TRY(waitForPiece());
  PlanStep &made = piece.steps[steps++];
  made = step;
  made.firstRange = ranges;
  for (uint32_t i = step.firstRange; i < step.firstRange + step.rangeCount; ++i) {
    PlanRange &range = piece.ranges[ranges++];
    range = plan.ranges[i];
    if (!plan.isMoving[i])
      continue;
    range = moved(plan.relocations[i].ref);
    TWRT_TRY(checkPlace(call, plan.relocations[i], range, error));
  }
  return TWRT_OK;
}

TwrtCode Walker::addSteps(const PlanNode &node) {
  uint32_t launch = node.firstLaunch;
  for (uint32_t i = node.firstStep; i < node.firstStep + node.stepCount; ++i) {
    TWRT_TRY(addStep(plan.steps[i]));
    if (plan.steps[i].kind != PlanStep::Launch)
      continue;
    ++plan.runs[launch];
    piece.launches[launches++] = launch++;
  }
  return TWRT_OK;
}

TwrtCode Walker::runBody(uint32_t index, int64_t iteration) {
  const PlanNode &node = plan.nodes[index];
  loops[depth] = index;
  iterations[depth++] = iteration;
  TWRT_TRY(takeStep());
  TWRT_TRY(runNodes(index + 1, node.end));
  --depth;
  for (uint32_t i = 0; i < node.rotationCount; ++i) {
    const Rotation &rotation = plan.rotations[node.firstRotation + i];
    std::swap(piece.places[rotation.a], piece.places[rotation.b]);
  }
  return TWRT_OK;
}

TwrtCode Walker::runLoop(uint32_t index) {
  const PlanNode &node = plan.nodes[index];
  int64_t count = node.limit;
  if (node.kind == PlanNode::RepeatRead) {
    TWRT_TRY(read(node.data, count));
    if (count > node.limit)
      return failLimit(node, "is to run", count);
  }
  for (int64_t i = 0; node.kind == PlanNode::While || i < count; ++i) {
    if (node.kind == PlanNode::While) {
      uint8_t holds = 0;
      TWRT_TRY(read(node.data, holds));
      if (!holds)
        break;
      if (i == node.limit)
        return failLimit(node, "would go on after", i);
    }
    TWRT_TRY(runBody(index, i));
  }
  return TWRT_OK;
}

TwrtCode Walker::runNodes(uint32_t begin, uint32_t end) {
  for (uint32_t i = begin; i < end; i = plan.nodes[i].end) {
    const PlanNode &node = plan.nodes[i];
    if (node.kind == PlanNode::Steps) {
      TWRT_TRY(addSteps(node));
    } else if (node.kind == PlanNode::If) {
      uint8_t holds = 0;
      TWRT_TRY(read(node.data, holds));
      TWRT_TRY(holds ? runNodes(i + 1, node.other) : runNodes(node.other, node.end));
    } else {
      TWRT_TRY(runLoop(i));
    }
  }
  return TWRT_OK;
}

TwrtCode Walker::run() {
  for (uint32_t i = 0; i < plan.places.size(); ++i)
    piece.places[i] = i;
  for (TwrtSample &sample : plan.samples)
    sample.beginNs = sample.endNs = 0;
  std::fill(plan.runs.begin(), plan.runs.end(), 0);
  TwrtCode code = runNodes(0, uint32_t(plan.nodes.size()));
  if (code == TWRT_OK && (steps != 0 || !hasPoint))
    code = submit();
  if (code != TWRT_OK && hasPoint)
    call.program->device->driver->pointWait(queue, point, waitForever, nullptr);
  return code;
}

TwrtCode tw::runtime::walkPlan(TwrtCall &call, void *queue, uint64_t *point, TwrtError *error) {
  freePiece(call);
  Walker walker(call, queue, error);
  TWRT_TRY(walker.run());
  *point = walker.point;
  return TWRT_OK;
}

void tw::runtime::freePiece(TwrtCall &call) {
  if (call.piece.untold != 0)
    settle(call, nullptr);
  call.piece.untold = 0;
}

void tw::runtime::tellTimes(TwrtCall &call) {
  for (uint32_t i = 0; i < call.piece.untold; ++i) {
    const TwrtSample &time = call.piece.samples[i];
    TwrtSample &sample = call.plan.samples[call.piece.launches[i]];
    if (sample.endNs == 0)
      sample.beginNs = sample.endNs = time.beginNs;
    sample.endNs += time.endNs - time.beginNs;
  }
  call.piece.untold = 0;
}

TwrtCode tw::runtime::growPiece(TwrtCall &call, const Prepared &plan, TwrtError *error) {
  Piece &piece = call.piece;
  auto grow = [](auto &array, size_t count) { return array.size() >= count || array.reset(count); };
  if (plan.nodes.empty() ||
      (grow(piece.steps, plan.pieceSteps) &&
       grow(piece.ranges, plan.pieceSteps * plan.stepRanges) &&
       grow(piece.samples, plan.pieceSteps) && grow(piece.launches, plan.pieceSteps) &&
       grow(piece.places, plan.places.size())))
    return TWRT_OK;
  return failMemory(error, "a call's plan");
}
