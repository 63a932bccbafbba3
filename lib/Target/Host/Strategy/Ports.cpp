// Tiles in registers, and what computes them.
#include "Ports.h"

#include "Accesses.h"
#include "Product.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

/// By itself two maxima, a conjunction, a comparison and a choice; of f32 where there are masks one
/// that knows zeros, a comparison and a choice.
static constexpr double kExtremum = 5, kWideExtremum = 3;
/// In a chain of straight code (Extrema.cpp) a maximum, a conjunction of bits, and half a
/// comparison and half a conjunction of masks; where there are masks one instruction conjoins
/// three, and comparisons conjoin masks. At its end two comparisons, a conjunction and a choice.
static constexpr double kLink = 3, kWideLink = 2, kEndOfChain = 4;

/// Bits of a vector lane, which a group of a dot product fills.
static constexpr int64_t kLaneBits = 32;

double tw::schedule::host::extremumInstructions(Type element, const HostTraits &traits) {
  return traits.masks && element.isF32() ? kWideExtremum : kExtremum;
}

static bool isExtremumKind(std::optional<arith::AtomicRMWKind> kind) {
  return kind == arith::AtomicRMWKind::maximumf || kind == arith::AtomicRMWKind::minimumf;
}

bool tw::schedule::host::isExtremum(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && isExtremumKind(reduce.getKind());
}

double tw::schedule::host::latenciesOfStep(Operation *root) {
  auto reduce = dyn_cast<ReduceOp>(root);
  auto scan = dyn_cast<ScanOp>(root);
  if (!(reduce && !reduce.getKind()) && !(scan && !scan.getKind()))
    return 1;
  // A choice, and logic of conditions, takes half of what arithmetic or a comparison does.
  constexpr double kChoice = 0.5;
  mlir::Block &body = root->getRegion(0).front();
  llvm::SmallDenseMap<Value, double> after;
  for (Value partial : body.getArguments().take_front(root->getNumResults()))
    after[partial] = 0;
  double longest = 0;
  for (Operation &op : body) {
    std::optional<double> before;
    for (Value operand : op.getOperands())
      if (auto found = after.find(operand); found != after.end())
        before = std::max(before.value_or(0), found->second);
    if (!before)
      continue;
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      longest = *before;
      break;
    }
    bool isChoice = isa<arith::SelectOp>(op) || op.getResult(0).getType().isInteger(1);
    bool isComparison = isa<arith::CmpFOp, arith::CmpIOp>(op);
    double own = isChoice && !isComparison ? kChoice : isExpensive(&op) ? countOperations(&op) : 1;
    for (Value result : op.getResults())
      after[result] = *before + own;
  }
  return longest;
}

int64_t tw::schedule::host::registersPerResult(Operation *root) { return isExtremum(root) ? 3 : 1; }

double PortCounter::turnsOf(int64_t bytes) const {
  int64_t whole = traits.lanes * 4;
  return double(std::max<int64_t>(1, llvm::divideCeil(bytes, traits.dataPathBytes)) *
                traits.dataPathBytes) /
         double(whole);
}

bool PortCounter::hasGroups(const Scope &scope, ArrayRef<int64_t> shape) const {
  return llvm::any_of(llvm::enumerate(scope.frame), [&](auto dim) {
    return plan.leaves[dim.value()].dot && shape[dim.index()] > 1;
  });
}

int64_t PortCounter::bytesInMemory(const Scope &scope, ArrayRef<int64_t> shape, Type type) const {
  if (hasGroups(scope, shape))
    return 4;
  return type.isIndex() ? 8 : std::max(8u, type.getIntOrFloatBitWidth()) / 8;
}

Registers PortCounter::movedOf(const Node &node, Type type) const {
  return registersOf(node.scope, node.shape, type, bytesInMemory(node.scope, node.shape, type));
}

int64_t PortCounter::getBytes(Type type) {
  if (type.isIndex())
    return 8;
  return std::max(32u, type.getIntOrFloatBitWidth()) / 8;
}

Registers PortCounter::registersOf(const Scope &scope, ArrayRef<int64_t> shape, Type type,
                                   int64_t bytesOfElement) const {
  Registers registers;
  for (auto [d, extent] : llvm::enumerate(shape.drop_back())) {
    // The elements of a dot product's group lie in one lane, if they are as narrow.
    bool isGroup = d < scope.frame.size() && plan.leaves[scope.frame[d]].dot;
    if (!isGroup || type.isIndex() || type.getIntOrFloatBitWidth() * extent > kLaneBits)
      registers.rows *= double(extent);
  }
  // None where the fewest points of a range are none.
  int64_t lanes = std::max<int64_t>(shape.back(), 1);
  registers.isScalar = lanes == 1;
  registers.width = std::min<int64_t>(traits.lanes, llvm::PowerOf2Ceil(uint64_t(lanes)));
  registers.parts = double(llvm::divideCeil(lanes, registers.width));
  registers.lastValid = lanes - (int64_t(registers.parts) - 1) * registers.width;
  registers.bytesOfElement = bytesOfElement ? bytesOfElement : getBytes(type);
  int64_t bytes = registers.width * registers.bytesOfElement;
  int64_t whole = traits.lanes * 4;
  double each = std::max(1.0, double(bytes) / double(whole));
  registers.count = registers.rows * registers.parts * each;
  registers.turns = registers.rows * registers.parts * (bytes >= whole ? each : turnsOf(bytes));
  return registers;
}

bool PortCounter::hasMasks(const Registers &registers) const {
  return traits.masks || registers.bytesOfElement >= 4;
}

void PortCounter::addRaggedLoads(const Registers &registers, double times, Ports &ports) const {
  if (registers.lastValid == registers.width || hasMasks(registers))
    return;
  double elements = registers.rows * double(registers.lastValid) * times;
  ports.load += elements / traits.loadsPerCycle;
  ports.shuffle += elements / traits.shufflesPerCycle;
  ports.instructions += elements;
}

void PortCounter::addRaggedStores(const Registers &registers, double times, Ports &ports) const {
  if (registers.lastValid == registers.width)
    return;
  // One lane is a scalar.
  if (hasMasks(registers) && registers.lastValid > 1) {
    ports.store += times * registers.rows * std::max(0.0, traits.maskedStoreCycles - 1);
    return;
  }
  double elements = times * registers.rows * double(registers.lastValid);
  ports.store += elements / traits.storesPerCycle;
  ports.shuffle += elements / traits.shufflesPerCycle;
  ports.instructions += elements;
}

void PortCounter::addArithmetic(Ports &ports, const Registers &registers, double times) const {
  ports.arithmetic += registers.turns * times / traits.fmaPerCycle;
  ports.instructions += registers.count * times;
}

double PortCounter::stepsOf(const Node &node) {
  if (!isa<ContractOp>(node.op))
    return 1;
  double steps = 1;
  llvm::SmallBitVector reduced = sets.reducedBy(node.op);
  for (auto [d, leaf] : llvm::enumerate(node.scope.frame))
    if (tree.isGroup(node.op, leaf))
      continue;
    else if (reduced[plan.leaves[leaf].axis] && node.shape[d] == 1)
      steps *= double(tree.getExtent(node.scope, leaf));
  return steps;
}

/// Instructions of a step of a reduction to the largest or smallest.
double PortCounter::extremumTimes(const Node &node) const {
  Type type = node.op->getResult(0).getType();
  double alone = extremumInstructions(type, traits), steps = 1;
  llvm::SmallBitVector reduced = sets.reducedBy(node.op);
  for (auto [leaf, count] : unrolled)
    if (reduced[plan.leaves[leaf].axis])
      steps *= count;
  if (steps <= 1)
    return alone;
  return (traits.masks ? kWideLink : kLink) + kEndOfChain / steps;
}

double PortCounter::multiply(const Node &node, ContractOp contract, double &rate, Ports &ports) {
  Type type = contract.getType();
  ArrayRef operands = ArrayRef(node.uses).take_front(2);
  bool isGrouped =
      llvm::any_of(node.scope.frame, [&](unsigned leaf) { return tree.isGroup(contract, leaf); });
  Registers results = registersOf(node.scope, node.shape, type);
  constexpr int64_t kLeastLanes = 4; // of a part that is computed by dot instructions
  if (isGrouped && results.width < kLeastLanes) {
    double group = double(getGroupSize(contract, traits));
    ports.shuffle += results.count * group / traits.shufflesPerCycle;
    ports.instructions += results.count * group;
    return group * (type.isInteger() ? 3 : 1);
  }
  if (isGrouped && (!type.isInteger() || traits.int8Dot)) {
    rate = type.isInteger() ? traits.int8DotPerCycle : traits.bf16DotPerCycle;
    return 1;
  }
  if (isGrouped) {
    // Pairs of 16 bits: two products and two sums, of even and of odd elements of the groups,
    // which three shifts extend. Where groups lie apart, those are put together each by themselves.
    for (const Node::Use &use : operands) {
      double registers = registersOf(node.scope, tree.getShape(use.ref), use.value.getType()).count;
      double shifts = 3 * registers;
      double shuffles = areLanesApart(*use.ref.node) ? registers * double(traits.lanes) : 0;
      ports.arithmetic += shifts / traits.fmaPerCycle;
      ports.shuffle += shuffles / traits.shufflesPerCycle;
      ports.instructions += shifts + shuffles;
    }
    // More units add integers than multiply them: a sum takes half of a product's turn.
    return 3;
  }
  if (contract.getLhs().getType() != type)
    // Narrow operands are extended; what is the same in all lanes goes there besides.
    for (const Node::Use &use : operands) {
      Registers extended = registersOf(node.scope, tree.getShape(use.ref), type);
      double shuffles = extended.isScalar ? 2 : 1;
      ports.shuffle += extended.turns * shuffles / traits.shufflesPerCycle;
      ports.arithmetic += extended.turns / traits.fmaPerCycle;
      ports.instructions += extended.count * (shuffles + 1);
    }
  else
    for (const Node::Use &use : operands)
      spread(node, use, ports);
  // Integers are multiplied, which takes two turns, and added.
  return type.isInteger() ? 3 : 1;
}

void PortCounter::spread(const Node &node, const Node::Use &use, Ports &ports) {
  Registers registers = registersOf(node.scope, tree.getShape(use.ref), use.value.getType());
  if (node.shape.back() == 1 || !registers.isScalar || use.ref.node->kind != NodeKind::Compute)
    return;
  ports.shuffle += registers.count / traits.shufflesPerCycle;
  ports.instructions += registers.count;
}

void PortCounter::accumulate(const Node &node, Ports &ports) {
  Type type = node.op->getResult(0).getType();
  Registers registers = registersOf(node.scope, node.shape, type);
  double times = 1, rate = traits.fmaPerCycle;
  if (auto contract = dyn_cast<ContractOp>(node.op)) {
    times = stepsOf(node) * multiply(node, contract, rate, ports);
  } else if (node.op->getNumResults() > 1) {
    // A comparison, and a choice of each result; masks are as wide as what they choose.
    times = 2;
    for (Value result : node.op->getResults().drop_front()) {
      Registers chosen = registersOf(node.scope, node.shape, result.getType());
      ports.arithmetic += chosen.turns / traits.fmaPerCycle;
      ports.instructions += chosen.count;
      if (chosen.count > registers.count) {
        ports.shuffle += chosen.turns / traits.shufflesPerCycle;
        ports.instructions += chosen.count;
      }
    }
  }
  if (isExtremum(node.op))
    times = extremumTimes(node);
  ports.arithmetic += registers.turns * times / rate;
  ports.slow += registers.turns * times * (1 / rate - 1 / traits.fmaPerCycle);
  ports.instructions += registers.count * times;
  // A part of a register at the end of a row is masked; so is what lies beyond an axis.
  bool isMasked = node.mask || (!traits.masks && isa<ReduceOp>(node.op) && endsWithLanes(node));
  if (isMasked) {
    ports.arithmetic += 2 * registers.turns / traits.fmaPerCycle;
    ports.instructions += 2 * registers.count;
  }
}

double PortCounter::partsScanned(const Node &node) const {
  if (node.dims.empty())
    return 1;
  return node.dims[0] + 1 == int64_t(node.shape.size())
             ? registersOf(node.scope, node.shape, node.op->getResult(0).getType()).parts
             : double(node.shape[node.dims[0]]);
}

void PortCounter::scan(const Node &node, Ports &ports) {
  auto scan = cast<ScanOp>(node.op);
  Type type = scan.getResult().getType();
  if (!scan.getKind()) {
    for (Operation &op : scan.getCombine().front().without_terminator())
      addArithmetic(ports, registersOf(node.scope, node.shape, op.getResult(0).getType()), 1);
    return;
  }
  double times = isExtremumKind(*scan.getKind()) ? extremumInstructions(type, traits) : 1;
  Registers registers = registersOf(node.scope, node.shape, type);
  bool isAlongLanes = !node.dims.empty() && node.dims[0] + 1 == int64_t(node.shape.size());
  if (!isAlongLanes || registers.width == 1)
    return addArithmetic(ports, registers, times);
  // Steps of 1, 2, 4 .. lanes within a register, and what came before it spread over all of it; its
  // last lane is taken out and combined with that.
  double steps = std::log2(double(registers.width)), others = 2;
  addArithmetic(ports, registers, (steps + 1) * times);
  ports.arithmetic += registers.count * times / traits.fmaPerCycle;
  ports.shuffle += (registers.turns * steps + registers.count * others) / traits.shufflesPerCycle;
  ports.instructions += registers.count * (steps + others + times);
}

void PortCounter::countRoot(const Node &node, Ports &ports) {
  Type type = node.op && node.op->getNumResults() ? node.op->getResult(0).getType() : Type();
  switch (node.kind) {
  case NodeKind::Accumulate:
    accumulate(node, ports);
    break;
  case NodeKind::Scan:
    scan(node, ports);
    break;
  case NodeKind::Combine: {
    Shape whole = tree.getShape(node.before[0]);
    Registers registers = registersOf(node.scope, whole, type);
    addArithmetic(ports, registers, 1);
    if (llvm::is_contained(node.dims, int64_t(whole.size()) - 1)) {
      double rows = 1;
      for (int64_t extent : ArrayRef(node.shape).drop_back())
        rows *= double(extent);
      // Rows of whole vectors that fill half of one with their results are joined two by two, the
      // next time four by four, each with two shuffles; others one by one.
      bool isWhole = whole.back() % traits.lanes == 0 && llvm::isPowerOf2_64(whole.back());
      bool isTogether = isWhole && 2 * rows >= double(traits.lanes);
      double steps = isTogether ? std::ceil(rows / double(traits.lanes)) * double(traits.lanes - 1)
                                : rows * std::log2(double(std::min(whole.back(), traits.lanes)));
      double shuffles = steps * (isTogether ? 2 : 1);
      ports.shuffle += shuffles / traits.shufflesPerCycle;
      ports.arithmetic += steps / traits.fmaPerCycle;
      ports.instructions += shuffles + steps;
    }
    break;
  }
  default:
    break;
  }
}

Ports PortCounter::count(const Node &node) {
  Ports ports;
  switch (node.kind) {
  case NodeKind::Load:
    loadFrom(node, cast<LoadOp>(node.op), ports);
    break;
  case NodeKind::Store:
    storeTo(node, cast<StoreOp>(node.op), ports);
    break;
  case NodeKind::ReadStaged:
  case NodeKind::ReadKept:
  case NodeKind::FillTile:
  case NodeKind::WriteKept:
  case NodeKind::FillWindow:
    countBuffer(node, ports);
    break;
  case NodeKind::Accumulate:
  case NodeKind::Scan:
  case NodeKind::Combine:
    countRoot(node, ports);
    break;
  default:
    countValue(node, ports);
    break;
  }
  return ports;
}
