// What loads and stores take, of tensors and of buffers.
#include "Accesses.h"
#include "Ports.h"

#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Schedule/Places.h"
#include "tw/Schedule/Strides.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>
#include <type_traits>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;
using namespace tw::schedule::host;

void PortCounter::transpose(const Registers &registers, int64_t rows, int64_t lanes, Ports &ports) {
  // In squares, whatever they hold of the tile.
  int64_t side = std::min(traits.lanes, int64_t(llvm::PowerOf2Ceil(std::max(rows, lanes))));
  double squares = registers.rows / double(rows) * double(llvm::divideCeil(rows, side)) *
                   double(llvm::divideCeil(lanes, side));
  // A round has a shuffle for each register, but where few are filled before or read behind.
  int64_t each = 0;
  for (int64_t live = std::min({rows, lanes, side}), round = 1; round < side; round *= 2, live *= 2)
    each += std::min(live, side);
  double shuffles = squares * double(each) * turnsOf(side * registers.bytesOfElement);
  // Beside the sums of a product, registers that hold both go to memory and back in each round; so
  // do those of an unrolled loop, all of whose squares are under way at once.
  bool hasSums = !const_cast<LoopTree &>(tree).kernel.getBody().getOps<ContractOp>().empty();
  double together = 1;
  for (auto [leaf, trips] : unrolled)
    together *= hasSums ? 1 : trips;
  double held = 2 * squares * together * double(side) - double(traits.registers);
  if (held > 0 && (hasSums || together > 1)) {
    double spilled = held / together * std::log2(double(side));
    ports.store += spilled * turnsOf(side * registers.bytesOfElement) / traits.storesPerCycle;
    ports.load += spilled * turnsOf(side * registers.bytesOfElement) / traits.loadsPerCycle;
    ports.instructions += 2 * spilled;
  }
  ports.shuffle += shuffles / traits.shufflesPerCycle;
  ports.instructions += shuffles;
}

static AffineMap getCoordinates(LoadOp load) { return load.getMap().getMap(); }
static AffineMap getCoordinates(StoreOp store) { return store.getMap(); }

template <typename Op> bool PortCounter::isSettledApart(Op op, unsigned axis) {
  KernelOp kernel = const_cast<LoopTree &>(tree).kernel;
  bool isMoved = false;
  for (AffineExpr result : getCoordinates(op).getResults()) {
    llvm::SmallBitVector axes(kernel.getNumAxes());
    for (auto [position, index] : llvm::enumerate(op.getIndices()))
      if (result.isFunctionOfDim(position))
        axes |= sets.of(index);
    if (isMoved &&
        llvm::any_of(axes.set_bits(), [&](unsigned each) { return isSettled(kernel, each); }))
      return true;
    isMoved |= axes[axis];
  }
  return false;
}

template <typename Op> PortCounter::Lanes PortCounter::lanesOf(const Node &node, Op op) {
  std::optional<unsigned> along;
  std::optional<int64_t> lanes = 0;
  for (auto [d, leaf] : llvm::enumerate(node.scope.frame)) {
    if (node.shape[d] == 1)
      continue;
    const LeafAxis &axis = plan.leaves[leaf];
    // What differs within a register is gathered.
    std::optional<int64_t> stride =
        getStrideInTiles(op, const_cast<LoopTree &>(tree).kernel.getAxis(axis.axis), axis.stride,
                         std::min(node.shape[d], traits.lanes));
    bool isLanes = d + 1 == node.scope.frame.size();
    // Lanes are loaded one by one where a call says how far apart they are.
    if (isLanes)
      lanes = stride == 0 || stride == 1 || !isSettledApart(op, axis.axis) ? stride : std::nullopt;
    else if (stride == 1 && !axis.dot)
      along = d;
  }
  return {lanes, along};
}

bool PortCounter::isSettledAlongLanes(const Node &node) const {
  KernelOp kernel = const_cast<LoopTree &>(tree).kernel;
  return !node.scope.frame.empty() && node.shape.back() > 1 &&
         isSettled(kernel, plan.leaves[node.scope.frame.back()].axis);
}

bool PortCounter::endsWithLanes(const Node &node) const {
  if (!isSettledAlongLanes(node))
    return false;
  KernelOp kernel = const_cast<LoopTree &>(tree).kernel;
  const LeafAxis &lanes = plan.leaves[node.scope.frame.back()];
  return lanes.edge == EdgeMode::Mask && lanes.stride == 1 &&
         lanes.extent >= kernel.getExtents()[lanes.axis];
}

double PortCounter::getCrossing(int64_t alignment, const Registers &registers) const {
  int64_t bytes = std::min(registers.width * registers.bytesOfElement, traits.lineBytes);
  if (alignment % bytes == 0)
    return 0;
  return double(bytes - std::gcd(alignment, bytes)) / double(traits.lineBytes);
}

template <typename Op> int64_t PortCounter::getAlignment(const Node &node, Op op) const {
  int64_t bytes = std::max(8u, getElementTypeOrSelf(elementOf(op)).getIntOrFloatBitWidth()) / 8;
  int64_t alignment = 0;
  if constexpr (std::is_same_v<Op, LoadOp>) {
    auto source = cast<BlockArgument>(op.getSource());
    KernelOp kernel = const_cast<LoopTree &>(tree).kernel;
    if (isInFile(kernel->getOperand(source.getArgNumber() - kernel.getNumAxes())))
      alignment = bytes;
  }
  for (auto [leaf, axis] : llvm::enumerate(plan.leaves)) {
    bool isLanes = !node.scope.frame.empty() && leaf == node.scope.frame.back();
    if (isLanes || axis.extent == 1)
      continue;
    std::optional<int64_t> stride =
        getUsualStride(op, const_cast<LoopTree &>(tree).kernel.getAxis(axis.axis));
    alignment = std::gcd(alignment, stride ? *stride * axis.stride * bytes : bytes);
    if (alignment == bytes)
      break;
  }
  return alignment;
}

Type PortCounter::elementOf(LoadOp load) { return load.getSource().getType(); }

Type PortCounter::elementOf(StoreOp store) { return store.getValue().getType(); }

template <typename Op>
double PortCounter::apart(const Node &node, Op op, const Lanes &lanesOfNode, Registers &registers,
                          Type type, Ports &ports) {
  if (registers.isScalar)
    return 1;
  auto [stride, along] = lanesOfNode;
  if (stride && *stride == 0)
    return 1;
  if (stride && *stride == 1)
    return 1 + getCrossing(getAlignment(node, op), registers);
  // Elements that lie together between lanes as far apart are stored one of each after the other.
  if (isa<StoreOp>(node.op) && along && (stride == 2 || stride == 4) &&
      node.shape[*along] == *stride) {
    double shuffles = registers.turns * std::log2(double(*stride));
    ports.shuffle += shuffles / traits.shufflesPerCycle;
    ports.instructions += shuffles;
    return 1;
  }
  if (along) {
    transpose(registers, node.shape[*along], node.shape.back(), ports);
    Shape exchanged(node.shape);
    std::swap(exchanged[*along], exchanged.back());
    registers =
        registersOf(node.scope, exchanged, type, bytesInMemory(node.scope, node.shape, type));
    return 1;
  }
  // Vectors are loaded whole and shuffled up to half of a register; lanes are stored one by one.
  bool isNear = isa<LoadOp>(op) && stride && std::abs(*stride) <= traits.lanes / 2;
  int64_t lanes = std::min(traits.lanes, node.shape.back());
  // Of lanes whose places are computed each place has to be taken out of its register, too.
  constexpr double kComputed = 1.75;
  double times = isNear ? double(std::abs(*stride)) : double(lanes) * (stride ? 1 : kComputed);
  ports.shuffle += registers.turns * times / traits.shufflesPerCycle;
  ports.instructions += registers.count * times;
  return times;
}

int64_t PortCounter::slopeOf(LoadOp load, unsigned dim, unsigned leaf) {
  auto type = cast<RankedTensorType>(load.getSource().getType());
  AffineMap map = load.getMap().getMap();
  auto row = RankedTensorType::get({type.getDimSize(dim)}, type.getElementType());
  const LeafAxis &axis = plan.leaves[leaf];
  return getStride(row, AffineMap::get(map.getNumDims(), 0, map.getResult(dim)), load.getIndices(),
                   const_cast<LoopTree &>(tree).kernel.getAxis(axis.axis))
             .value_or(0) *
         axis.stride;
}

double PortCounter::shareRead(const Node &node, LoadOp load) {
  return shareRead(node, load.getMap().getMap().getNumResults(),
                   [&](unsigned dim, unsigned leaf) { return slopeOf(load, dim, leaf); });
}

double PortCounter::shareRead(const Node &node, unsigned dims,
                              llvm::function_ref<int64_t(unsigned, unsigned)> slope) {
  double share = 1;
  for (auto [leaf, trips] : unrolled)
    for (unsigned dim = 0; dim < dims; ++dim) {
      int64_t step = slope(dim, leaf);
      for (auto [d, extent] : llvm::enumerate(ArrayRef(node.shape).drop_back())) {
        int64_t row = extent > 1 && step ? slope(dim, node.scope.frame[d]) : 0;
        if (row > 0 && step % row == 0 && step / row < extent)
          share *= (double(extent) + (trips - 1) * double(step / row)) / (double(extent) * trips);
      }
    }
  return share;
}

double PortCounter::shareUnderWay(const Node &node, ArrayRef<int64_t> shape) {
  auto load = dyn_cast<LoadOp>(node.op);
  if (!load)
    return 1;
  double share = 1;
  for (auto [leaf, trips] : unrolled)
    for (unsigned dim = 0; dim < load.getMap().getMap().getNumResults(); ++dim) {
      int64_t step = slopeOf(load, dim, leaf);
      for (auto [d, extent] : llvm::enumerate(shape.drop_back())) {
        int64_t row = extent > 1 && step ? slopeOf(load, dim, node.scope.frame[d]) : 0;
        if (row > 0)
          share *= std::min(1.0, std::ceil(trips * double(step) / double(row)) / double(extent));
      }
    }
  return share;
}

void PortCounter::gatherGroups(const Node &node, LoadOp load, const Registers &registers,
                               Ports &ports) {
  for (auto [d, leaf] : llvm::enumerate(node.scope.frame)) {
    const LeafAxis &axis = plan.leaves[leaf];
    if (!axis.dot || node.shape[d] == 1 || registers.isScalar)
      continue;
    if (getUsualStride(load, const_cast<LoopTree &>(tree).kernel.getAxis(axis.axis)) == 1)
      continue;
    double group = double(node.shape[d]);
    // One permutation of two registers less than there are rows: two shuffles and a choice.
    double loads = registers.rows * registers.parts * (group - 1);
    double permutations = registers.count * (group - 1);
    ports.load += loads / traits.loadsPerCycle;
    ports.shuffle += 2 * permutations / traits.shufflesPerCycle;
    ports.arithmetic += permutations / traits.fmaPerCycle;
    ports.instructions += loads + 3 * permutations;
  }
}

bool PortCounter::areLanesApart(const Node &node) {
  auto load = node.kind == NodeKind::Load ? dyn_cast<LoadOp>(node.op) : LoadOp();
  if (!load || node.shape.back() == 1)
    return false;
  std::optional<int64_t> stride = lanesOf(node, load).first;
  return !stride || *stride > traits.lanes / 2;
}

void PortCounter::addPositions(const Node &node, LoadOp load, const Registers &registers,
                               Ports &ports) {
  // Of 64 bits, which are multiplied by the inverse in parts.
  constexpr double kDivision = 22;
  llvm::SmallBitVector moved(const_cast<LoopTree &>(tree).kernel.getNumAxes());
  unsigned lanes = plan.leaves[node.scope.frame.back()].axis;
  double divisions = 0;
  for (AffineExpr result : load.getMap().getMap().getResults())
    result.walk([&](AffineExpr part) {
      bool isDivision =
          part.getKind() == AffineExprKind::FloorDiv || part.getKind() == AffineExprKind::Mod;
      llvm::SmallBitVector axes(moved.size());
      for (auto [position, index] : llvm::enumerate(load.getIndices()))
        if (isDivision && part.isFunctionOfDim(position))
          axes |= sets.of(index);
      if (!axes[lanes])
        return;
      moved |= axes;
      ++divisions;
    });
  // Once for loops that do not move them.
  double times = registers.count;
  for (const LoopNode *loop : llvm::reverse(around.loops)) {
    if (!loop->leaf || moved[plan.leaves[*loop->leaf].axis])
      break;
    times /= std::max(1.0, getTrips(tree, *loop));
  }
  double halves = double(llvm::divideCeil(registers.width * 2, traits.lanes));
  double instructions = times * divisions * halves * kDivision;
  ports.arithmetic += instructions / traits.fmaPerCycle;
  ports.instructions += instructions;
}

void PortCounter::loadFrom(const Node &node, LoadOp load, Ports &ports) {
  Registers registers = movedOf(node, load.getType());
  gatherGroups(node, load, registers, ports);
  double share = shareRead(node, load);
  Lanes lanes = registers.isScalar ? Lanes() : lanesOf(node, load);
  double times = apart(node, load, lanes, registers, load.getType(), ports) * share;
  ports.load +=
      std::max(registers.turns * times, registers.count * times * 0.5) / traits.loadsPerCycle;
  // What is the same in all lanes is read by the instruction that uses it.
  ports.instructions += registers.isScalar ? 0 : registers.count * times;
  if (node.prefetched) {
    ports.load += registers.count * 0.5 / traits.loadsPerCycle;
    ports.instructions += registers.count;
  }
  addRaggedLoads(registers, times, ports);
  Guards guards = addGuards(node, registers, share, ports);
  if (!registers.isScalar && (guards.computed > 0 || !lanes.first))
    addPositions(node, load, registers, ports);
}

Guards PortCounter::addGuards(const Node &node, const Registers &registers, double share,
                              Ports &ports) {
  Guards guards = getGuards(tree, node, around);
  auto add = [&](double times, double arithmetic, double shuffles, double scalars) {
    ports.arithmetic += times * arithmetic / traits.fmaPerCycle;
    ports.shuffle += times * shuffles / traits.shufflesPerCycle;
    ports.instructions += times * (arithmetic + shuffles + scalars);
  };
  if (registers.isScalar) {
    // Element 0 is read where it may not be, and dropped.
    add(registers.count * share * guards.both, 0, 0, 3);
    add(registers.count * share * guards.masked, 1, 1, 2);
    return guards;
  }
  add(registers.parts * guards.lanes, 3, 5, 1);
  add(registers.count * share * guards.computed, 8, 1, 0);
  add(registers.rows * share * guards.rows, 0, 2, 3);
  add(registers.count * share * guards.both, 2, 1, 0);
  return guards;
}

double PortCounter::shareOfRowEnds(unsigned axis) const {
  double parts = 1;
  for (const LoopNode *loop : around.loops)
    if (loop->leaf && plan.leaves[*loop->leaf].axis == axis)
      parts *= std::max(1.0, getTrips(tree, *loop));
  return 1 / parts;
}

void PortCounter::addRowEnds(const Node &node, const Registers &registers, double times,
                             bool isAlongMemory, Ports &ports) const {
  // Where masks are dear, lanes before an end are stored in powers of two, behind branches that are
  // foreseen (RowEnds.cpp): as long as so many whole stores.
  constexpr double kPieces = 3;
  EdgeMode edge =
      isSettledAlongLanes(node) ? plan.leaves[node.scope.frame.back()].edge : EdgeMode::Mask;
  bool isPeeled = edge == EdgeMode::Peel, isSwitched = edge == EdgeMode::Switch && isAlongMemory;
  if (!hasMasks(registers) || (!isPeeled && !isSwitched && !endsWithLanes(node)))
    return addRaggedStores(registers, times, ports);
  // Rows of one tile end one after another, in straight code.
  double each =
      std::min(traits.maskedStoreCycles, isAlongMemory ? kPieces : traits.maskedStoreCycles);
  double ends = isPeeled || isAlongMemory ? registers.rows : registers.count;
  if (isPeeled || isSwitched)
    ends *= shareOfRowEnds(plan.leaves[node.scope.frame.back()].axis);
  ports.alone += ends * std::max(0.0, each - 1);
}

void PortCounter::storeTo(const Node &node, StoreOp store, Ports &ports) {
  Type type = store.getValue().getType();
  Registers registers = movedOf(node, type);
  Lanes lanes = registers.isScalar ? Lanes() : lanesOf(node, store);
  double times = apart(node, store, lanes, registers, type, ports);
  Guards guards = addGuards(node, registers, 1, ports);
  // Rows that are inside or not as a whole are stored behind a branch where masks are dear.
  if (!registers.isScalar)
    ports.store +=
        guards.maskedApart * registers.count * std::max(0.0, traits.maskedStoreCycles - 1);
  addRowEnds(node, registers, 1 - guards.maskedApart, lanes.first == 1, ports);
  ports.store += registers.turns * times / traits.storesPerCycle;
  ports.instructions += registers.count * times;
}

double PortCounter::boxLanesApart(const Node &node, const Registers &registers, Ports &ports) {
  const StagedValue &staged = *node.staged;
  auto slope = [&](unsigned dim, unsigned leaf) {
    ArrayRef<int64_t> steps = staged.window[dim].coefficients;
    return leaf < steps.size() ? steps[leaf] : 0;
  };
  double share = shareRead(node, staged.window.size(), slope);
  if (registers.isScalar || node.shape.back() == 1)
    return share;
  int64_t step = slope(staged.window.size() - 1, node.scope.frame.back());
  if (step == 1)
    return share * (1 + getCrossing(registers.bytesOfElement, registers));
  // Loaded whole and shuffled, or one by one where the lanes move in another dimension.
  bool isNear = step > 0 && step <= traits.lanes / 2;
  double times = double(isNear ? step : std::min(traits.lanes, node.shape.back()));
  ports.shuffle += registers.turns * times * share / traits.shufflesPerCycle;
  return times * share;
}

double PortCounter::bufferLanesApart(const Node &node, const Registers &registers) {
  const StagedValue &staged = *node.staged;
  if (node.shape.back() == 1 || node.scope.frame.empty())
    return 1;
  // Groups of dot products lie in one lane.
  ArrayRef<unsigned> leaves = staged.leaves;
  while (leaves.size() > 1 && plan.leaves[leaves.back()].dot)
    leaves = leaves.drop_back();
  if (leaves.back() == node.scope.frame.back())
    return 1 + getCrossing(node.memory->shape.back() * registers.bytesOfElement, registers);
  return double(std::min(traits.lanes, node.shape.back()));
}

void PortCounter::countBuffer(const Node &node, Ports &ports) {
  Type type = node.op && node.op->getNumResults() ? node.op->getResult(0).getType() : Type();
  switch (node.kind) {
  case NodeKind::ReadStaged:
  case NodeKind::ReadKept: {
    Registers registers = movedOf(node, type);
    double apart = 1;
    if (node.staged && node.staged->isWindow && !node.staged->isBox) {
      // A part of the tensor, with its strides.
      LoadOp load = getWindowLoad(node.staged->op);
      apart = this->apart(node, load, lanesOf(node, load), registers, load.getType(), ports);
    } else if (node.staged && node.staged->isBox) {
      apart = boxLanesApart(node, registers, ports);
    } else if (node.staged) {
      apart = bufferLanesApart(node, registers);
    }
    ports.load += std::max(registers.turns, registers.count * 0.5) * apart / traits.loadsPerCycle;
    ports.instructions += registers.isScalar ? 0 : registers.count * apart;
    addRaggedLoads(registers, 1, ports);
    break;
  }
  case NodeKind::FillTile: {
    Registers registers = movedOf(node, type);
    addRaggedStores(registers, 1, ports);
    ports.store += registers.turns / traits.storesPerCycle;
    ports.instructions += registers.count;
    // Tiles of two dimensions are transposed in registers; groups were put together as they were
    // loaded.
    if (node.shape.size() > 1 && node.shape.front() > 1 && node.shape.back() > 1 &&
        !node.staged->isContracted && !hasGroups(node.scope, node.shape))
      transpose(registers, node.shape.front(), node.shape.back(), ports);
    break;
  }
  case NodeKind::WriteKept: {
    Registers registers = movedOf(node, type);
    addRaggedStores(registers, 1, ports);
    ports.store += registers.turns / traits.storesPerCycle;
    ports.instructions += registers.count;
    break;
  }
  case NodeKind::FillWindow: {
    double elements = 1;
    for (int64_t extent : node.memory->shape)
      elements *= double(extent);
    double registers =
        elements * double(type.getIntOrFloatBitWidth() / 8) / double(traits.lanes * 4);
    ports.load += registers / traits.loadsPerCycle;
    ports.store += registers / traits.storesPerCycle;
    ports.instructions += 2 * registers;
    break;
  }
  default:
    break;
  }
}
