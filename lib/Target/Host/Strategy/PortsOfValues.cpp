// What computes values elementwise.
#include "Ports.h"

#include "Accesses.h"
#include "tw/Schedule/Online.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

double PortCounter::functionCycles(Operation *op) const {
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
          math::SqrtOp>(op))
    return 0;
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op) &&
      !llvm::any_of(op->getOperands(),
                    [](Value operand) { return matchPattern(operand, m_Constant()); }))
    return extremumInstructions(op->getResult(0).getType(), traits);
  return isExpensive(op) ? countOperations(op) : 1;
}

double PortCounter::functionLatencies(Operation *op) const {
  double operations = functionCycles(op);
  return std::max(1.0, isExpensive(op) ? std::max(std::min(operations, kFunction), operations / 2)
                                       : operations);
}

/// Whether the value comes from dot instructions alone, also where loops carry it. `assumed` are
/// nodes on whose way this one lies.
bool PortCounter::isOfDots(Ref ref, llvm::SmallPtrSetImpl<const Node *> &assumed) const {
  const Node &node = *ref.node;
  if (!assumed.insert(&node).second || node.kind == NodeKind::Start)
    return true;
  if (auto *loop = dyn_cast<LoopNode>(&node)) {
    const LoopNode::Carried &carried = loop->carried[ref.number % loop->carried.size()];
    return isOfDots(carried.initial, assumed) && isOfDots(carried.next, assumed);
  }
  bool isDot =
      node.kind == NodeKind::Accumulate && llvm::any_of(node.scope.frame, [&](unsigned leaf) {
        return plan.leaves[leaf].dot && tree.isGroup(node.op, leaf);
      });
  return isDot && llvm::all_of(node.before, [&](Ref before) { return isOfDots(before, assumed); });
}

bool PortCounter::isRounded(const Node &node) const {
  auto truncate = dyn_cast<arith::TruncFOp>(node.op);
  if (!truncate || !truncate.getType().isBF16())
    return false;
  llvm::SmallPtrSet<const Node *, 8> assumed;
  return node.shape.back() == 1 || !isOfDots(node.uses[0].ref, assumed);
}

void PortCounter::round(const Registers &registers, Ports &ports) const {
  constexpr double kTurns = 4, kInstructions = 8;
  ports.arithmetic += kTurns * registers.turns / traits.fmaPerCycle;
  ports.shuffle += registers.turns / traits.shufflesPerCycle;
  ports.instructions += kInstructions * registers.count;
}

void PortCounter::countValue(const Node &node, Ports &ports) {
  Type type = node.op && node.op->getNumResults() ? node.op->getResult(0).getType() : Type();
  switch (node.kind) {
  case NodeKind::Compute: {
    if (isa<arith::ConstantOp>(node.op))
      break;
    Registers registers = registersOf(node.scope, node.shape, type);
    double times = functionCycles(node.op);
    if (isRounded(node))
      return round(registers, ports);
    addArithmetic(ports, registers, times);
    // A narrow float by itself is shifted in a general register and moved over, in the time of two
    // shuffles: with that of spreading it 1.8 cycles were measured for each (Zen 3).
    if (registers.isScalar && isa<arith::ExtFOp>(node.op)) {
      constexpr double kShuffles = 2;
      ports.shuffle += kShuffles * registers.count / traits.shufflesPerCycle;
      ports.instructions += kShuffles * registers.count;
    }
    if (times == 0) {
      ports.divide += registers.turns * traits.divideCycles;
      ports.instructions += registers.count;
    }
    if (node.mask)
      addArithmetic(ports, registers, 1);
    break;
  }
  case NodeKind::Index:
    ports.instructions += 1;
    break;
  case NodeKind::Mask:
    addArithmetic(
        ports,
        registersOf(
            node.scope, node.shape,
            Builder(node.op ? node.op->getContext() : tree.kernel->getContext()).getI32Type()),
        1);
    break;
  case NodeKind::AddPartial:
  case NodeKind::Rescale:
    addArithmetic(ports, registersOf(node.scope, node.shape, type), 1);
    break;
  case NodeKind::Online:
    addArithmetic(ports, registersOf(node.scope, node.shape, type),
                  getMean(*plan.online) ? 8 : kFunction + 3);
    break;
  case NodeKind::Poison:
    addArithmetic(ports, registersOf(node.scope, node.shape, type), 2);
    break;
  case NodeKind::Start:
    ports.instructions += registersOf(node.scope, node.shape, type).count;
    break;
  default:
    break;
  }
}
