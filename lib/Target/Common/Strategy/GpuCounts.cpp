// Counting what programs of threads do: operations, words of local memory, segments of memory.
#include "GpuCounts.h"

#include "SharedMemory.h"

#include "tw/Schedule/Rings.h"
#include "tw/Schedule/Strides.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

bool tw::schedule::isFunction(Operation *op) {
  return isa<math::MathDialect>(op->getDialect()) ||
         isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(op);
}

double GpuCounts::getBytes() const {
  double bytes = 0;
  for (const GpuAccess &access : accesses)
    bytes += access.bytes;
  return bytes;
}

namespace {

/// Registers of a thread for addresses, indices and what the code generator needs besides.
constexpr int64_t kOwnRegisters = 24;

/// Slots of rings from which on tile-pipeline makes the last product of a step in the next one.
constexpr int64_t kTrailingSlots = 3;

int64_t bytesOf(Type type) {
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

int64_t wordsOf(Type type) { return llvm::divideCeil(bytesOf(type), 4); }

int64_t product(ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t extent : shape)
    elements *= extent;
  return elements;
}

class Counter {
public:
  Counter(const LoopTree &tree, const GpuMachine &machine)
      : tree(tree), plan(tree.plan), machine(machine) {}

  GpuCounts count() {
    counts.programs = double(plan.getNumPrograms());
    counts.threads = std::max<int64_t>(1, plan.warps) * kWarp;
    counts.readsLocal = findLocalUnits();
    boxes = countBoxes();
    counts.loading = plan.loading * kWarp;
    // How often a loop of tiles that are skipped fills a ring is not known.
    counts.fillsBoxes = boxes > 0 && plan.skipped.empty();
    if (!counts.readsLocal && plan.loading == 0)
      shared = findSharedMemory(tree);
    visit(tree.body, 1);
    int64_t operands = countOperands();
    counts.multipliesOwn = operands != 0;
    counts.trails = counts.multipliesOwn && llvm::any_of(plan.staged, [&](const StagedValue &own) {
                      return countSlots(plan, own) >= kTrailingSlots;
                    });
    // A slot of what is multiplied a step later is held a step more.
    counts.ringAhead -= counts.trails ? 1 : 0;
    counts.registers = kOwnRegisters + held + operands;
    return std::move(counts);
  }

private:
  /// Threads of what `warps` of a schedule counts.
  static constexpr int64_t kWarp = 32;

  /// Elements for each thread.
  int64_t each(int64_t elements) const { return llvm::divideCeil(elements, counts.threads); }

  /// The words of a thread for what units of a step multiply and add in it, and for what fills
  /// rings beside that.
  int64_t visit(const schedule::Block &block, double times) {
    bool waits = false;
    int64_t live = 0, most = 0, around = 0, ofUnits = 0;
    for (const Node *node : block) {
      if (auto *loop = dyn_cast<LoopNode>(node)) {
        // Operands that were read before the loop stay in registers.
        carriedWords += around;
        ofUnits += visitLoop(*loop, times);
        carriedWords -= around;
      } else if (auto *branch = dyn_cast<BranchNode>(node)) {
        visit(branch->there, times / 2);
        visit(branch->elsewhere, times / 2);
      } else if (auto *team = dyn_cast<TeamNode>(node)) {
        visit(team->body, times * double(product(team->extents)));
      } else if (auto *fill = dyn_cast<FillNode>(node)) {
        // Fillings beside each other wait together, and are met before and after; those of a ring
        // once, and as many steps before as it has slots but the one that is read.
        double before = counts.waits, slots = double(countSlots(plan, *fill->staged));
        int64_t filled = visit(fill->body, times);
        ofUnits += slots > 1 ? filled : 0;
        bool waitsHere = std::exchange(counts.waits, before) > before;
        if (waitsHere && slots > 1)
          addRing(times, slots - 1);
        waits |= waitsHere && slots == 1;
        // Of boxes a thread waits for all that fill a slot at once.
        counts.barriers += slots == 1 ? 2 * times : boxes > 0 ? times / boxes : times;
      } else {
        add(*node, times);
        waits |= node->kind == NodeKind::Load || node->kind == NodeKind::FillWindow;
        int64_t words = wordsInThread(*node) + wordsOfAddresses(*node);
        around += node->kind == NodeKind::ReadStaged ? words : 0;
        copiedMasks += countMasks(*node);
        ofUnits += isOfUnits(*node) ? words : 0;
        (node->kind == NodeKind::Load ? live : most) =
            node->kind == NodeKind::Load ? live + words : std::max(most, words);
      }
    }
    held = std::max(held, carriedWords + live + most);
    // What an instruction takes that is read last gets the registers of the first.
    int64_t fragment = 4 * machine.unitDepthBytes * machine.operandCopies / machine.subgroup;
    if (readsAhead())
      held = std::max(held, carriedWords + ofUnits - fragment);
    if (copiedMasks > 0)
      held = std::max(held, carriedWords + ofUnits + copiedMasks);
    if (waits)
      counts.waits += times;
    return ofUnits;
  }

  /// Elements of a thread for what a loop carries. Of rows of a unit's sums that are no operands a
  /// lane has half at least: what they were, what they become, and the factor between.
  int64_t countCarried(ArrayRef<int64_t> shape) const {
    bool areRows = llvm::count_if(shape, [](int64_t extent) { return extent > 1; }) == 1;
    return readsAhead() && areRows ? each(product(shape) * machine.subgroup * 3 / 2)
                                   : each(product(shape));
  }

  /// Whether what both products of a step multiply is there at once: where threads read it from
  /// local memory, LLVM begins that long before.
  bool readsAhead() const {
    return usesUnits(plan) && isChained() && !counts.readsLocal && !machine.sumsAreOperands;
  }

  /// Of a copy element by element to a ring, the rows of a thread: what is inside of their axis is
  /// known before the loop, and kept.
  int64_t countMasks(const Node &node) const {
    if (node.kind != NodeKind::Load || !usesUnits(plan) || !node.scope.filling ||
        countSlots(plan, *node.scope.filling) == 1 || isOfBox(node) ||
        !copiesElements(getKernel(), cast<LoadOp>(node.op)))
      return 0;
    return each(product(node.shape)) / std::max<int64_t>(1, node.shape.back() / counts.threads);
  }

  static bool isOfUnits(const Node &node) {
    return node.kind == NodeKind::ReadStaged ||
           (node.kind == NodeKind::Load && node.scope.filling) ||
           (node.kind == NodeKind::Accumulate && isa<ContractOp>(node.op));
  }

  int64_t visitLoop(const LoopNode &loop, double times) {
    // Of a loop that leaves out what is masked, the most iterations that there are.
    double trips = std::max<double>(
        1, std::ceil(double(loop.upper.value -
                            (loop.lower.at == LoopBound::At::Constant ? loop.lower.value : 0)) /
                     double(loop.step)));
    int64_t more = 0;
    for (const LoopNode::Carried &carried : loop.carried)
      if (!carriedRoots.contains(carried.root))
        more += countCarried(carried.shape) * wordsOf(carried.root->getResult(0).getType());
    SmallVector<Operation *> added;
    for (const LoopNode::Carried &carried : loop.carried)
      if (carriedRoots.insert(carried.root).second)
        added.push_back(carried.root);
    carriedWords += more;
    if (loop.leaf)
      path.push_back({*loop.leaf, trips});
    int64_t ofUnits = visit(loop.body, times * trips);
    if (loop.leaf)
      path.pop_back();
    carriedWords -= more;
    for (Operation *root : added)
      carriedRoots.erase(root);
    return ofUnits;
  }

  /// Of several rings what is filled most often, and with the least time for it.
  void addRing(double times, double ahead) {
    if (times / ahead < counts.ringFillings / counts.ringAhead)
      return;
    counts.ringFillings = times;
    counts.ringAhead = ahead;
  }

  int64_t wordsInThread(const Node &node) const {
    // What a loop carries is counted there, and of boxes nothing is in registers.
    if (!node.op || node.op->getNumResults() == 0 || node.shape.empty() ||
        carriedRoots.contains(node.op) || isOfBox(node))
      return 0;
    int64_t words = wordsOf(node.op->getResult(0).getType());
    if (node.kind != NodeKind::ReadStaged)
      return each(product(node.shape)) * words;
    if (counts.readsLocal)
      return 0;
    if (usesUnits(plan))
      return countOperandWords(node, node.op->getResult(0).getType());
    GpuShare share = shareTile(getTile(node), counts.threads, machine.subgroup);
    for (auto [d, extent] : llvm::enumerate(node.shape))
      words *= extent > 1 ? share.thread[d] : 1;
    return words;
  }

  /// Words of a thread for what its accesses are at, where that is no constant apart: addresses of
  /// 64 bits, or what loops leave of them for each slot that they are unrolled by.
  int64_t wordsOfAddresses(const Node &node) const {
    if (node.kind != NodeKind::Load || isOfBox(node))
      return 0;
    auto load = cast<LoadOp>(node.op);
    // Accesses are wide where those apart begin at multiples of their width.
    int64_t width = 1, apart = 0;
    for (auto [d, leaf] : llvm::enumerate(node.scope.frame)) {
      if (node.shape[d] == 1)
        continue;
      const LeafAxis &axis = plan.leaves[leaf];
      BlockArgument own = getKernel().getAxis(axis.axis);
      std::optional<int64_t> stride = getStrideInTiles(load, own, axis.stride, node.shape[d]);
      if (!stride)
        apart = std::gcd(apart, getUsualStride(load, own).value_or(1));
      else if (std::abs(*stride) == 1)
        width = std::min(node.shape[d], getWords() * 4 / bytesOf(load.getResult().getType()));
    }
    if (apart == 0)
      return 0;
    int64_t slots = node.scope.filling ? countSlots(plan, *node.scope.filling) : 1;
    return 2 * slots * llvm::divideCeil(each(product(node.shape)), std::gcd(width, apart));
  }

  /// Elements of an operand of matrix units that a subgroup needs: its block's rows or columns, as
  /// tile-assign-layouts shares out the sums.
  int64_t countOfSubgroup(const Node &node) const {
    SmallVector<int64_t> tile = getTile(node), block = tile;
    bool inRows = isChained();
    for (int64_t threads = machine.subgroup; threads < counts.threads; threads *= 2) {
      std::optional<unsigned> longest;
      for (auto [d, leaf] : llvm::enumerate(node.scope.frame))
        if (!plan.leaves[leaf].dot && (!longest || (!inRows && block[d] > block[*longest])))
          longest = d;
      if (longest && block[*longest] > 1)
        block[*longest] /= 2;
    }
    int64_t elements = 1;
    for (auto [d, extent] : llvm::enumerate(node.shape))
      elements *= extent > 1 ? block[d] : 1;
    return elements;
  }

  /// Words of a thread for an operand of matrix units.
  int64_t countOperandWords(const Node &node, Type type) const {
    return llvm::divideCeil(countOfSubgroup(node) * bytesOf(type) * machine.operandCopies,
                            4 * machine.subgroup);
  }

  /// Whether a product is of another one's results: then subgroups have whole rows of both.
  bool isChained() const {
    return llvm::hasNItemsOrMore(getKernel().getBody().getOps<ContractOp>(), 2);
  }

  /// Whether units that read local memory have the products, as tile-assign-layouts decides: groups
  /// of threads share the tile along its rows first, and of products in a chain along them alone.
  /// What the second one multiplies of the first one's sums is in registers. If so, their columns.
  bool findLocalUnits() {
    SmallVector<int64_t> sides;
    for (unsigned leaf : plan.tile)
      if (!plan.leaves[leaf].dot)
        sides.push_back(plan.leaves[leaf].extent);
    if (!usesUnits(plan) || !areTaken() || sides.size() != 2 ||
        counts.threads % machine.localUnitThreads != 0 || sides[0] < machine.localUnitRows)
      return false;
    int64_t groups = counts.threads / machine.localUnitThreads;
    int64_t across = std::max<int64_t>(1, groups * machine.localUnitRows / sides[0]);
    if (isChained() && across > 1)
      return false;
    unitColumns = std::min(machine.localUnitColumns, sides[1] / across);
    constexpr int64_t leastColumns = 8;
    if (unitColumns < leastColumns)
      return false;
    return llvm::all_of(getKernel().getBody().getOps<ContractOp>(), [&](ContractOp op) {
      bool isLeft = isStaged(op.getLhs()), isRight = isStaged(op.getRhs());
      return (isLeft && isRight) || (isChained() && (isLeft || isRight));
    });
  }

  bool isStaged(Value operand) const {
    return llvm::any_of(plan.staged, [&](const StagedValue &staged) {
      return staged.op == operand.getDefiningOp() && !staged.isWindow && !staged.global;
    });
  }

  /// Words of a thread that such units multiply where they are: all of a tile at once.
  int64_t countOperands() const {
    int64_t words = 0;
    for (ContractOp op : getKernel().getBody().getOps<ContractOp>())
      for (Value operand : {op.getLhs(), op.getRhs()}) {
        if (!counts.readsLocal || isStaged(operand))
          continue;
        int64_t elements = 1;
        for (unsigned leaf : plan.tile)
          if (tree.sets.of(operand)[plan.leaves[leaf].axis])
            elements *= plan.leaves[leaf].extent;
        words += llvm::divideCeil(each(elements) * bytesOf(operand.getType()), 4);
      }
    return words;
  }

  /// Rings that boxes of tensors fill, as tile-assign-layouts decides: all of them or none.
  double countBoxes() const {
    if (!counts.readsLocal || !machine.copiesBoxes)
      return 0;
    double rings = 0;
    for (const StagedValue &staged : plan.staged) {
      if (staged.global || countSlots(plan, staged) == 1)
        continue;
      auto load = dyn_cast<LoadOp>(staged.op);
      if (!load || staged.leaves.size() != 2 || !readsRows(load, staged))
        return 0;
      ++rings;
    }
    return rings;
  }

  /// Whether rows lie so that boxes have them: without gaps, and whole runs apart.
  bool readsRows(LoadOp load, const StagedValue &staged) const {
    constexpr int64_t runBytes = 16;
    auto getStride = [&](unsigned number) -> int64_t {
      const LeafAxis &leaf = plan.leaves[number];
      std::optional<int64_t> stride = getUsualStride(load, getKernel().getAxis(leaf.axis));
      return stride ? *stride * leaf.stride : 0;
    };
    int64_t apart = getStride(staged.leaves.front()) * bytesOf(load.getResult().getType());
    return getStride(staged.leaves.back()) == 1 && apart > 0 && apart % runBytes == 0;
  }

  /// Whether the node is part of such a filling.
  bool isOfBox(const Node &node) const {
    return boxes > 0 && node.scope.filling && countSlots(plan, *node.scope.filling) > 1;
  }

  /// How often such units read each element of an operand: once for all of their rows or columns.
  double countReads(const Node &node) const {
    SmallVector<int64_t> tile = getTile(node);
    double reads = 1;
    bool isFirst = true;
    for (auto [d, leaf] : llvm::enumerate(node.scope.frame)) {
      if (plan.leaves[leaf].dot)
        continue;
      if (node.shape[d] == 1)
        reads *= double(llvm::divideCeil(tile[d], isFirst ? machine.localUnitRows : unitColumns));
      isFirst = false;
    }
    return reads;
  }

  /// The whole tile of the frame that the node stands in.
  SmallVector<int64_t> getTile(const Node &node) const {
    SmallVector<int64_t> tile;
    for (unsigned leaf : node.scope.frame)
      tile.push_back(tree.getExtent(node.scope, leaf));
    tile.resize(node.shape.size(), 1);
    return tile;
  }

  void operate(const Node &node, double times, double operations) {
    counts.operations += times * operations * double(each(product(node.shape)) * counts.threads);
  }

  void add(const Node &node, double times) {
    switch (node.kind) {
    case NodeKind::Load: {
      auto load = cast<LoadOp>(node.op);
      addAccess(node, load, load.getSource().getType(), times);
      break;
    }
    case NodeKind::FillWindow:
      addWindow(node, times);
      break;
    case NodeKind::Store: {
      auto store = cast<StoreOp>(node.op);
      addAccess(node, store, getKernel().getResult(store.getResultNumber()).getType(), times);
      break;
    }
    case NodeKind::Alloc:
      addBuffer(node);
      break;
    case NodeKind::ReadStaged:
    case NodeKind::FillTile:
    case NodeKind::ReadKept:
    case NodeKind::WriteKept:
      addLocal(node, times);
      break;
    case NodeKind::Accumulate:
      addAccumulate(node, times);
      break;
    case NodeKind::Scan:
      addScan(node, times);
      break;
    case NodeKind::Combine:
      addCombine(node, times);
      break;
    case NodeKind::Compute:
      if (!isa<arith::ConstantOp>(node.op))
        operate(node, times, isFunction(node.op) ? kFunction : 1);
      break;
    case NodeKind::Mask:
    case NodeKind::AddPartial:
    case NodeKind::Rescale:
      operate(node, times, 1);
      break;
    case NodeKind::Online:
      operate(node, times, kFunction);
      break;
    default:
      break;
    }
  }

  void addAccumulate(const Node &node, double times) {
    double steps = 1;
    if (isa<ContractOp>(node.op)) {
      llvm::SmallBitVector reduced = tree.sets.reducedBy(node.op);
      for (auto [d, leaf] : llvm::enumerate(node.scope.frame))
        if (reduced[plan.leaves[leaf].axis] && node.shape[d] == 1)
          steps *= double(tree.getExtent(node.scope, leaf));
    }
    if (usesUnits(plan) && isa<ContractOp>(node.op)) {
      double products = getUnitProducts(machine, cast<ContractOp>(node.op), counts.readsLocal);
      counts.matrixCycles += times * steps * double(product(node.shape)) / products;
      // Threads wait for units that work beside them, and meet before a slot is filled again.
      counts.barriers += counts.readsLocal && counts.loading == 0 ? times : 0;
      addOperands(node, cast<ContractOp>(node.op), times);
      return;
    }
    operate(node, times, steps * double(node.op->getNumResults()));
    double beside = double(each(product(node.shape)));
    counts.chain += times * steps * std::max(0.0, 1 - beside / double(machine.latency));
  }

  /// What a unit multiplies that threads have computed of another one's sums: where these are no
  /// operands as they lie in registers, element by element through local memory.
  void addOperands(const Node &node, ContractOp op, double times) {
    if (machine.sumsAreOperands || counts.readsLocal || !isChained())
      return;
    for (Value operand : {op.getLhs(), op.getRhs()}) {
      if (isStaged(operand))
        continue;
      Node own = node;
      int64_t elements = 1, bytes = bytesOf(operand.getType());
      for (auto [d, leaf] : llvm::enumerate(node.scope.frame)) {
        own.shape[d] = tree.sets.of(operand)[plan.leaves[leaf].axis] ? getTile(node)[d] : 1;
        elements *= own.shape[d];
      }
      double subgroups = double(llvm::divideCeil(counts.threads, machine.subgroup));
      double read = subgroups * double(countOfSubgroup(own) * bytes) / 4;
      counts.localCycles += times * (double(elements) + read) / double(machine.banks);
      counts.operations += times * (double(each(elements) * counts.threads) + read);
      counts.barriers += 2 * times;
      counts.localBytes += elements * bytes;
      held = std::max(held, carriedWords + countOperandWords(own, operand.getType()));
    }
  }

  /// Values of a tile that are combined along dimensions: by each thread its own, then from thread
  /// to thread, beyond a subgroup through local memory.
  void addCombine(const Node &node, double times) {
    Shape whole = tree.getShape(node.before[0]);
    int64_t reduced = 1, results = product(node.shape);
    for (int64_t dim : node.dims)
      reduced *= whole[dim];
    counts.operations += times * double(each(product(whole)) * counts.threads);
    int64_t sharing = std::min(reduced, std::max<int64_t>(1, counts.threads / results));
    if (sharing == 1)
      return;
    double steps = std::log2(double(sharing)), rounds = double(each(results * sharing));
    counts.operations += times * steps * 2 * rounds * double(counts.threads);
    counts.exchanges += times * steps;
    if (sharing > machine.subgroup) {
      counts.barriers += 2 * times;
      counts.localCycles +=
          times * 2 * double(results * sharing / machine.subgroup) / double(machine.banks);
    }
  }

  /// Each thread combines its own, finds what those before it have, and goes through its own again.
  void addScan(const Node &node, double times) {
    int64_t extent = node.dims.empty() ? 1 : node.shape[node.dims.front()];
    int64_t whole = product(node.shape), rows = whole / extent;
    int64_t sharing = std::min(extent, std::max<int64_t>(1, counts.threads / rows));
    int64_t own = std::max<int64_t>(1, extent / sharing);
    operate(node, times, sharing == 1 ? 1 : 2);
    counts.chain += times * double(sharing == 1 ? own : 2 * own);
    if (sharing == 1)
      return;
    // Within subgroups totals come from lane to lane; beyond, once more, and by way of local
    // memory.
    double rounds = double(each(rows * sharing));
    bool isBeyond = sharing > machine.subgroup;
    double steps = std::log2(double(std::min(sharing, machine.subgroup))) * (isBeyond ? 2 : 1);
    counts.operations += times * steps * 3 * rounds * double(counts.threads);
    counts.exchanges += times * steps;
    if (isBeyond) {
      double parts = double(llvm::divideCeil(sharing, machine.subgroup));
      counts.barriers += 4 * times;
      counts.operations += times * 2 * parts * rounds * double(counts.threads);
      counts.localCycles += times * 2 * parts * double(counts.threads) / double(machine.subgroup);
    }
  }

  void addBuffer(const Node &node) {
    if (shared.contains(&node))
      return;
    int64_t elements = node.staged ? node.staged->elements : product(node.shape);
    int64_t slots = node.staged ? countSlots(plan, *node.staged) : 1;
    counts.localBytes += slots * elements * bytesOf(node.op->getResult(0).getType());
  }

  /// Cycles of the banks: words that several threads of a subgroup read come once; those of one
  /// bank one after another.
  void addLocal(const Node &node, double times) {
    if (!node.memory) {
      // Kept in a result.
      counts.operations += times * double(each(product(node.shape)) * counts.threads);
      return;
    }
    Type type = node.op->getResult(0).getType();
    int64_t words = wordsOf(type);
    double subgroups = double(llvm::divideCeil(counts.threads, machine.subgroup));
    if (node.kind == NodeKind::ReadStaged && counts.readsLocal) {
      counts.localCycles += times * double(product(node.shape) * bytesOf(type)) * countReads(node) /
                            double(4 * machine.banks);
      return;
    }
    if (node.kind == NodeKind::ReadStaged && usesUnits(plan)) {
      double own = double(countOfSubgroup(node) * bytesOf(type)) / 4;
      counts.localCycles += times * subgroups * own / double(machine.banks);
      // Bytes across the depth are put together, word by word.
      constexpr double kTogether = 2;
      own *= 1 / double(getWords()) + (isTransposed(node.op) && bytesOf(type) == 1 ? kTogether : 0);
      counts.operations += times * own / double(machine.subgroup) * double(counts.threads);
      return;
    }
    if (node.kind == NodeKind::ReadStaged) {
      GpuShare share = shareTile(getTile(node), counts.threads, machine.subgroup);
      int64_t own = words, together = words;
      for (auto [d, extent] : llvm::enumerate(node.shape))
        if (extent > 1) {
          own *= share.thread[d];
          together *= share.thread[d] * share.subgroup[d];
        }
      int64_t accesses = llvm::divideCeil(own, getWords());
      int64_t rounds = llvm::divideCeil(together, machine.banks);
      counts.localCycles += times * subgroups * double(std::max(rounds, accesses));
      counts.operations += times * double(accesses * counts.threads);
      return;
    }
    if (node.kind == NodeKind::FillTile && boxes > 0 && countSlots(plan, *node.staged) > 1) {
      counts.localCycles +=
          times * double(product(node.shape) * bytesOf(type)) / double(4 * machine.banks);
      return;
    }
    // What matrix units read is copied as wide as accesses get.
    double perElement = usesUnits(plan) ? double(bytesOf(type)) / 4 : double(words);
    counts.localCycles += times * double(product(node.shape)) * perElement / double(machine.banks) *
                          double(countConflicts(node, type));
    counts.operations += times * double(each(product(node.shape)) * counts.threads) *
                         (usesUnits(plan) ? perElement : 1) / double(getWords());
  }

  /// Whether units that read local memory take all that is multiplied.
  bool areTaken() const {
    return llvm::all_of(getKernel().getBody().getOps<ContractOp>(), [&](ContractOp op) {
      Operation *left = op.getLhs().getDefiningOp(), *right = op.getRhs().getDefiningOp();
      return getUnitProducts(machine, op, /*readsLocal=*/true) > 0 &&
             (bytesOf(op.getLhs().getType()) > 1 || (!isTransposed(left) && !isTransposed(right)));
    });
  }

  /// Whether a staged operand lies along another dimension than the depth.
  bool isTransposed(Operation *op) const {
    return llvm::any_of(plan.staged, [&](const StagedValue &staged) {
      return staged.op == op && !staged.leaves.empty() && !plan.leaves[staged.leaves.back()].dot;
    });
  }

  /// Words of one bank that the threads of a subgroup write at once.
  int64_t countConflicts(const Node &node, Type type) const {
    const StagedValue *staged = node.staged;
    if (node.kind != NodeKind::FillTile || !staged || staged->isWindow || staged->leaves.empty() ||
        staged->readLeaf == staged->leaves.back())
      return 1;
    // Memory is read across the rows of the buffer. Lanes take as few neighbours there as whole
    // segments have, or more where fewer of their words meet in a bank.
    SmallVector<int64_t> shape;
    for (unsigned leaf : staged->leaves)
      shape.push_back(plan.leaves[leaf].extent);
    unsigned dim = llvm::find(staged->leaves, staged->readLeaf) - staged->leaves.begin();
    int64_t row = staged->getStride(shape, dim),
            along = product(ArrayRef(shape).drop_front(dim + 1));
    int64_t step = std::max<int64_t>(1, row * bytesOf(type) / 4) * getWords();
    int64_t across = std::max<int64_t>(1, shape[dim] / getWords());
    int64_t together = std::min(machine.subgroup, machine.banks), fewest = together;
    for (int64_t lanes = 1; lanes <= together; lanes *= 2) {
      int64_t words = together / lanes;
      bool isWhole = lanes * getWords() * 4 >= machine.segmentBytes || lanes >= across;
      if (!isWhole || (words > along && lanes < across))
        continue;
      llvm::SmallDenseMap<int64_t, int64_t> banks;
      int64_t most = 1;
      for (int64_t lane = 0; lane < std::min(lanes, across); ++lane)
        for (int64_t word = 0; word < std::min(words, along); ++word)
          most = std::max(most, ++banks[(lane * step + word) % machine.banks]);
      fewest = std::min(fewest, most);
    }
    return fewest;
  }

  KernelOp getKernel() const { return tree.kernel; }

  /// Segments that a tile touches: dimensions that follow each other in memory make runs.
  template <typename Op> double countSegments(const Node &node, Op op, int64_t bytes) const {
    SmallVector<std::pair<int64_t, int64_t>> dims; // stride, extent
    double apart = 1;
    for (auto [d, leaf] : llvm::enumerate(node.scope.frame)) {
      if (node.shape[d] == 1)
        continue;
      const LeafAxis &axis = plan.leaves[leaf];
      std::optional<int64_t> stride = getUsualStride(op, getKernel().getAxis(axis.axis));
      if (!stride)
        apart *= double(node.shape[d]);
      else if (*stride != 0)
        dims.push_back({std::abs(*stride * axis.stride), node.shape[d]});
    }
    llvm::sort(dims);
    int64_t run = 1, segment = std::max<int64_t>(1, machine.segmentBytes / bytes);
    for (auto [stride, extent] : dims) {
      if (stride <= std::max(run, segment - 1))
        run += stride * (extent - 1);
      else
        apart *= double(extent);
    }
    return apart * double(llvm::divideCeil(run, segment));
  }

  /// Elements of a tensor that a tile has.
  template <typename Op> double countElements(const Node &node, Op op) const {
    double elements = 1;
    for (auto [d, leaf] : llvm::enumerate(node.scope.frame))
      if (getUsualStride(op, getKernel().getAxis(plan.leaves[leaf].axis)) != 0)
        elements *= double(node.shape[d]);
    return elements;
  }

  /// Of the points that leaves reach, those that axes have: what lies beyond is masked.
  double shareInside(const llvm::SmallBitVector &axes) const {
    double share = 1;
    for (unsigned axis : axes.set_bits()) {
      double reached = 1;
      for (const LeafAxis &leaf : plan.leaves)
        if (leaf.axis == axis)
          reached *= double(leaf.extent);
      share *= std::min(1.0, double(getKernel().getExtents()[axis]) / reached);
    }
    return share;
  }

  /// Words that a thread moves at once. Threads in turn move them one by one.
  int64_t getWords() const { return machine.threadsInTurn ? 1 : machine.accessWords; }

  /// Elements of a tile that each thread reads, with those that others read as well.
  int64_t countOwn(const Node &node) const {
    GpuShare share = shareTile(getTile(node), counts.threads, machine.subgroup);
    int64_t own = 1;
    for (auto [d, extent] : llvm::enumerate(node.shape))
      own *= extent > 1 ? share.thread[d] : 1;
    return own;
  }

  /// How often a segment is asked for where each thread has neighbours of what is scanned, more
  /// than it moves at once.
  double countRepeats(const Node &node, int64_t bytes) const {
    int64_t most = 1, vector = 4 * getWords(), elements = product(node.shape);
    for (auto scan : getKernel().getBody().getOps<ScanOp>())
      for (auto [d, leaf] : llvm::enumerate(node.scope.frame)) {
        int64_t extent = node.shape[d];
        if (extent == 1 || getKernel().getAxis(plan.leaves[leaf].axis) != scan.getAxis())
          continue;
        int64_t sharing = std::clamp<int64_t>(counts.threads * extent / elements, 1, extent);
        most = std::max(most, extent / sharing * bytes);
      }
    return std::clamp(double(most) / double(vector), 1.0,
                      std::max(1.0, double(machine.segmentBytes) / double(vector)));
  }

  template <typename Op> void addAccess(const Node &node, Op op, Type of, double times) {
    auto type = cast<RankedTensorType>(of);
    int64_t bytes = bytesOf(type.getElementType());
    GpuAccess access;
    access.tensorBytes = double(type.getNumElements() * bytes);
    llvm::SmallBitVector axes(getKernel().getNumAxes());
    for (Value index : op.getIndices())
      axes |= tree.sets.of(index);
    double own = countSegments(node, op, bytes) * double(machine.segmentBytes) * shareInside(axes);
    access.bytes = own * times * countRepeats(node, bytes);
    access.unusedBytes = std::max(0.0, access.bytes - countElements(node, op) * double(bytes) *
                                                          shareInside(axes) * times);
    for (auto [leaf, trips] : path)
      if (axes[plan.leaves[leaf].axis])
        own *= trips;
    access.ownBytes = std::min({own, access.bytes, access.tensorBytes});
    if (node.scope.filling && countSlots(plan, *node.scope.filling) > 1)
      counts.ringBytes += access.bytes;
    for (unsigned leaf : plan.grid)
      access.moves.push_back(axes[plan.leaves[leaf].axis]);
    counts.accesses.push_back(access);
    double perElement = usesUnits(plan) ? double(bytes) / 4 : 1;
    int64_t each = std::is_same_v<Op, LoadOp> ? machine.readOperations : machine.accessOperations;
    if (machine.threadsInTurn)
      counts.operations +=
          times * double(countOwn(node) * each) * double(counts.threads) * shareInside(axes);
    else if (!isOfBox(node))
      operate(node, times, perElement / double(getWords()));
    addExchange(node, op, bytes, times);
  }

  /// Tiles that run along other dimensions than the first access go through local memory.
  template <typename Op> void addExchange(const Node &node, Op op, int64_t bytes, double times) {
    if (node.scope.filling)
      return;
    for (auto [d, leaf] : llvm::enumerate(node.scope.frame)) {
      if (node.shape[d] == 1 ||
          getUsualStride(op, getKernel().getAxis(plan.leaves[leaf].axis)) != 1)
        continue;
      if (!alongLeaf)
        alongLeaf = leaf;
      if (*alongLeaf == leaf)
        return;
      double elements = double(product(node.shape));
      counts.barriers += 2 * times;
      counts.localCycles +=
          times * 2 * elements * std::ceil(double(bytes) / 4) / double(machine.banks);
      counts.localBytes = std::max(counts.localBytes, int64_t(elements) * bytes);
    }
  }

  void addWindow(const Node &node, double times) {
    LoadOp load = getWindowLoad(node.op);
    auto type = cast<RankedTensorType>(load.getSource().getType());
    int64_t bytes = bytesOf(type.getElementType()), elements = product(node.memory->shape);
    GpuAccess access;
    access.tensorBytes = double(type.getNumElements() * bytes);
    access.bytes = double(elements * bytes) * times;
    access.ownBytes = std::min(access.bytes, access.tensorBytes);
    llvm::SmallBitVector axes = tree.sets.of(load.getResult());
    for (unsigned leaf : plan.grid)
      access.moves.push_back(axes[plan.leaves[leaf].axis]);
    counts.accesses.push_back(access);
    counts.localCycles +=
        times * double(elements * wordsOf(type.getElementType())) / double(machine.banks);
    counts.barriers += 2 * times;
  }

  const LoopTree &tree;
  const Plan &plan;
  const GpuMachine &machine;
  GpuCounts counts;
  SmallVector<std::pair<unsigned, double>> path;
  llvm::SmallPtrSet<Operation *, 4> carriedRoots;
  /// Words of a thread: what loops around carry, and the most at once.
  int64_t carriedWords = 0, held = 0, copiedMasks = 0;
  /// Buffers that have the memory of another one.
  MemorySet shared;
  /// Rings that boxes fill.
  double boxes = 0;
  /// Of units that read local memory.
  int64_t unitColumns = 0;
  /// The dimension that the first access of a tensor runs along.
  std::optional<unsigned> alongLeaf;
};

} // namespace

GpuCounts tw::schedule::countGroups(const LoopTree &tree, const GpuMachine &machine) {
  return Counter(tree, machine).count();
}
