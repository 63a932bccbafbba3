// Makes the nodes of a plan from the blocks of a program that are decided while a call runs.
#include "Preparer.h"
#include "tw/Format/Checked.h"

#include <algorithm>

using namespace tw::runtime;
using namespace tw::format;

TwrtCode CommandRunner::reserveNodes() {
  size_t blocks = 0, advances = 0, rotations = 0;
  for (const fb::Command *command : *program->code()) {
    Opcode opcode = Opcode(command->opcode());
    blocks += isRunBlock(opcode);
    advances += opcode == Opcode::Advance;
    rotations += opcode == Opcode::Rotate;
  }
  if (blocks == 0)
    return TWRT_OK;
  // One before and one behind each of them, at most.
  if (!plan.nodes.reset(2 * blocks + 1) || !plan.advances.reset(advances) ||
      !plan.rotations.reset(rotations))
    return failMemory(error, "a call's plan");
  open[openCount++] = {0, false, 0, 0};
  return TWRT_OK;
}

void CommandRunner::endLeaf() {
  if (stepCount == leafStep)
    return;
  PlanNode &node = plan.nodes[nodeCount++];
  node.firstStep = leafStep;
  node.stepCount = stepCount - leafStep;
  node.firstLaunch = leafLaunch;
  node.end = nodeCount;
  for (uint32_t i = leafStep; i < stepCount; ++i)
    plan.stepRanges = std::max<uint64_t>(plan.stepRanges, plan.steps[i].rangeCount);
  uint64_t &steps = open[openCount - 1].steps;
  steps = std::min<uint64_t>(steps + node.stepCount, maxPieceSteps);
  leafStep = stepCount;
  leafLaunch = launchCount;
}

TwrtCode CommandRunner::openNode(uint32_t &next, Opcode opcode, const uint32_t *operands) {
  bool isKnown = opcode == Opcode::Repeat;
  PlanNode node;
  node.command = next;
  node.kind = isKnown                        ? PlanNode::Repeat
              : opcode == Opcode::RepeatRead ? PlanNode::RepeatRead
              : opcode == Opcode::While      ? PlanNode::While
                                             : PlanNode::If;
  if (opcode != Opcode::If)
    node.limit = plan.registers[operands[isKnown ? 0 : 1]];
  if (isKnown && node.limit <= 0) {
    next = skip(next);
    return TWRT_OK;
  }
  if (node.limit < 0)
    return failAt(next, TWRT_INVALID_MODULE, "a loop has a limit below zero");
  if (!isKnown) {
    node.data = plan.buffers[operands[0]];
    uint64_t bytes = opcode == Opcode::RepeatRead ? sizeof(int64_t) : 1;
    if (node.data.bytes < bytes)
      return failAt(next, TWRT_INVALID_MODULE, "what decides about a block is too small");
    node.data.bytes = bytes;
  }
  endLeaf();
  open[openCount++] = {nodeCount, opcode != Opcode::If, 0, 0};
  plan.nodes[nodeCount++] = node;
  // A loop that may not run has no body, but an error where it would.
  if (opcode == Opcode::If || node.limit > 0) {
    ++next;
    return TWRT_OK;
  }
  next = skip(next);
  closeNode();
  return TWRT_OK;
}

void CommandRunner::closeNode() {
  const OpenNode &closed = open[--openCount];
  PlanNode &node = plan.nodes[closed.node];
  node.end = nodeCount;
  if (node.kind == PlanNode::If && node.other == 0)
    node.other = nodeCount;
  uint64_t steps = std::max(closed.steps, closed.otherSteps);
  bool repeats = node.kind == PlanNode::Repeat || node.kind == PlanNode::RepeatRead;
  if (repeats && !checkedMul(steps, uint64_t(node.limit), steps))
    steps = maxPieceSteps;
  uint64_t &outer = open[openCount - 1].steps;
  outer = std::min(outer + std::min(steps, maxPieceSteps), maxPieceSteps);
}

TwrtCode CommandRunner::runBlock(uint32_t &next, Opcode opcode, const uint32_t *operands) {
  if (beginsBlock(opcode))
    return openNode(next, opcode, operands);
  endLeaf();
  if (opcode == Opcode::Else) {
    OpenNode &side = open[openCount - 1];
    plan.nodes[side.node].other = nodeCount;
    side.otherSteps = std::exchange(side.steps, 0);
  } else {
    closeNode();
  }
  ++next;
  return TWRT_OK;
}

void CommandRunner::rotate(const uint32_t *operands) {
  PlanNode &loop = plan.nodes[open[openCount - 1].node];
  if (loop.rotationCount++ == 0)
    loop.firstRotation = rotationCount;
  plan.rotations[rotationCount++] = {plan.buffers[operands[0]].index,
                                     plan.buffers[operands[1]].index};
}

/// Lies in its whole in all iterations that there may be.
TwrtCode CommandRunner::advance(uint32_t index, const uint32_t *operands, MemoryRef &made) {
  const MemoryRef &whole = plan.buffers[operands[0]];
  int64_t first = plan.registers[operands[1]], step = plan.registers[operands[2]];
  int64_t bytes = plan.registers[operands[3]], last;
  uint32_t loops = 0;
  const OpenNode *innermost = nullptr;
  for (uint32_t i = 0; i < openCount; ++i)
    if (open[i].isLoop) {
      innermost = &open[i];
      ++loops;
    }
  int64_t most = plan.nodes[innermost->node].limit;
  auto isInside = [&](int64_t from) {
    return from >= 0 && bytes >= 0 && rangeWithin(uint64_t(from), uint64_t(bytes), whole.bytes);
  };
  if (!checkedMul(step, most - 1, last) || !checkedAdd(last, first, last) || !isInside(first) ||
      !isInside(last))
    return failAt(index, TWRT_INVALID_MODULE, "a part lies outside its buffer");
  plan.advances[advanceCount] = {loops - 1, whole.advance, step};
  made = {whole.kind,      whole.index, whole.offset + uint64_t(first),
          uint64_t(bytes), false,       advanceCount++};
  return TWRT_OK;
}

/// Ends the last piece, and finds what moves: parts of iterations, and all that rotates, which is
/// somewhere else behind a loop as well.
TwrtCode CommandRunner::finishNodes() {
  if (!hasNodes())
    return TWRT_OK;
  endLeaf();
  plan.nodes.truncate(nodeCount);
  plan.advances.truncate(advanceCount);
  plan.rotations.truncate(rotationCount);
  plan.pieceSteps = open[0].steps;
  if (nodeCount == 1 && plan.nodes[0].kind == PlanNode::Steps)
    plan.nodes.clear();
  Array<bool> rotates(allocator);
  if (!rotates.reset(plan.places.size()) || !plan.isMoving.reset(rangeCount) ||
      !plan.runs.reset(launchCount))
    return failMemory(error, "a call's plan");
  for (const Rotation &rotation : plan.rotations)
    rotates[rotation.a] = rotates[rotation.b] = true;
  for (size_t i = 0; i < plan.relocations.size(); ++i) {
    const MemoryRef &ref = plan.relocations[i].ref;
    plan.isMoving[i] =
        ref.advance != noAdvance || (ref.kind == MemoryRef::Arena && rotates[ref.index]);
  }
  return TWRT_OK;
}
