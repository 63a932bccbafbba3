// What the ports of a core take for the nodes of a loop tree.
#pragma once

#include "Guards.h"

#include "Accesses.h"
#include "tw/Target/Host/HostTraits.h"

#include <algorithm>

namespace tw::schedule::host {

/// Cycles of each kind of port, and instructions.
struct Ports {
  double arithmetic = 0, shuffle = 0, load = 0, store = 0, divide = 0, instructions = 0;
  /// Of arithmetic, those in which only the units of slow instructions are busy.
  double slow = 0;
  /// Cycles beside which no unit is busy: instructions that are made of so many fill what the core
  /// looks ahead, one after another.
  double alone = 0;

  Ports &operator+=(const Ports &other) {
    arithmetic += other.arithmetic;
    shuffle += other.shuffle;
    load += other.load;
    store += other.store;
    divide += other.divide;
    slow += other.slow;
    alone += other.alone;
    instructions += other.instructions;
    return *this;
  }
  double busiest(const HostTraits &traits) const {
    // Units that shuffle may be among those that add and multiply.
    double vectors = (arithmetic - slow) * traits.fmaPerCycle + shuffle * traits.shufflesPerCycle;
    return alone +
           std::max({arithmetic, shuffle, load, store, divide, vectors / traits.vectorsPerCycle,
                     instructions / traits.issuePerCycle});
  }
};

/// A tile in registers: each row in parts of as many lanes as a register has, of a shorter row
/// the next power of two.
struct Registers {
  double rows = 1, parts = 1; ///< parts of each row
  double count = 0;           ///< instructions
  double turns = 0;           ///< in operations on whole registers
  int64_t width = 1;          ///< lanes of a part
  int64_t lastValid = 1;      ///< of its lanes, those of a row's last part that the tile has
  int64_t bytesOfElement = 4;
  bool isScalar = false;
};

/// Instructions of a maximum that is right for NaN and both zeros.
double extremumInstructions(mlir::Type element, const HostTraits &traits);

/// Whether `op` reduces to the largest or smallest float, with NaN and both zeros.
bool isExtremum(mlir::Operation *op);
/// What a loop waits for from one step of such a reduction to the next, in latencies of a
/// multiply-add: a comparison with what it has so far, and a choice by that.
inline constexpr double kExtremumLatency = 1.5;

/// What a loop waits for from one step of a reduction, scan or contraction to the next, in
/// latencies of a multiply-add: the longest way through the body of a reduction by one of its own.
double latenciesOfStep(mlir::Operation *root);

/// Registers that a partial result of a reduction holds in a chain of steps: largest and smallest
/// numbers are kept with their signs and with what tells NaN.
int64_t registersPerResult(mlir::Operation *root);

class PortCounter {
public:
  PortCounter(const LoopTree &tree, const HostTraits &traits)
      : tree(tree), plan(tree.plan), sets(tree.sets), traits(traits) {}

  /// Of one node without blocks, run once.
  Ports count(const Node &node);
  Registers registersOf(const Scope &scope, llvm::ArrayRef<int64_t> shape, mlir::Type type,
                        int64_t bytesOfElement = 0) const;
  /// Registers of a row of a scan's tile, each of which waits for the one before it.
  double partsScanned(const Node &node) const;
  /// Sums one after another into the same register.
  double stepsOf(const Node &node);
  /// The share of the tile's partial results that are under way at once, where loops around are
  /// unrolled in which windows slide along rows of the tile: the code generator takes what is read
  /// row by row, each for all results that it is for (OrderForRegisters).
  double shareUnderWay(const Node &load, llvm::ArrayRef<int64_t> shape);

  /// Operations that one of the kernel takes for each register; 0: a division or a root.
  double functionCycles(mlir::Operation *op) const;

  /// Latencies of a multiply-add that it waits for: about half of what a long expansion does waits
  /// for what it did before.
  double functionLatencies(mlir::Operation *op) const;

  /// Where the nodes that are counted stand.
  Around around;
  /// Leaves whose loops around are unrolled, with nothing else between, and how often.
  llvm::SmallVector<std::pair<unsigned, double>> unrolled;

private:
  /// Cycles of an operation on as many bytes, of which a whole register takes one.
  double turnsOf(int64_t bytes) const;

  /// Whether a tile holds groups of a dot product, which lie in one lane each.
  bool hasGroups(const Scope &scope, llvm::ArrayRef<int64_t> shape) const;

  /// Bytes that an element takes in memory, where a group of a dot product is one.
  int64_t bytesInMemory(const Scope &scope, llvm::ArrayRef<int64_t> shape, mlir::Type type) const;

  /// Registers of a tile as they are read from memory or written there.
  Registers movedOf(const Node &node, mlir::Type type) const;

  /// Bytes that an element takes in a register.
  static int64_t getBytes(mlir::Type type);

  /// Lanes of a row's last part that lie beyond the tile are masked, where the instruction set has
  /// masks for elements of that width; else each element is moved by itself.
  bool hasMasks(const Registers &registers) const;

  void addRaggedLoads(const Registers &registers, double times, Ports &ports) const;

  void addRaggedStores(const Registers &registers, double times, Ports &ports) const;

  /// Whether a call settles how many points the axis of the lanes has.
  bool isSettledAlongLanes(const Node &node) const;

  /// Whether the lanes of the tile are all of such an axis: each register of a row has a mask then,
  /// since none is known to be inside.
  bool endsWithLanes(const Node &node) const;

  /// The share of the parts of a row along the axis in which the row ends.
  double shareOfRowEnds(unsigned axis) const;

  /// What is stored in part where a row ends, by fixed sizes and by those that a call settles.
  void addRowEnds(const Node &node, const Registers &registers, double times, bool isAlongMemory,
                  Ports &ports) const;

  void addArithmetic(Ports &ports, const Registers &registers, double times) const;
  void countBuffer(const Node &node, Ports &ports);
  void countRoot(const Node &node, Ports &ports);
  void countValue(const Node &node, Ports &ports);
  bool isOfDots(Ref ref, llvm::SmallPtrSetImpl<const Node *> &assumed) const;
  /// Whether f32 becomes bf16 by rounding bits (ExpandNarrowFloats.cpp): there is an instruction
  /// for results of dot instructions alone.
  bool isRounded(const Node &node) const;
  /// A comparison, two shifts, a conjunction, two sums and a choice, and what narrows the lanes;
  /// more units do most of these than multiply.
  void round(const Registers &registers, Ports &ports) const;
  double extremumTimes(const Node &node) const;

  /// Operations that a product and sum of registers is, at a rate; what their operands need before
  /// is counted here.
  double multiply(const Node &node, kernel::ContractOp contract, double &rate, Ports &ports);

  /// What is the same in all lanes is spread over them by the load of it, but by a shuffle where it
  /// was computed.
  void spread(const Node &node, const Node::Use &use, Ports &ports);

  void accumulate(const Node &node, Ports &ports);

  void scan(const Node &node, Ports &ports);

  /// Of a tile of so many rows, along which memory runs, and lanes.
  void transpose(const Registers &registers, int64_t rows, int64_t lanes, Ports &ports);

  /// Elements of memory from one lane of a tile to the next, and the dimension of the tile, other
  /// than the lanes, that runs along memory.
  using Lanes = std::pair<std::optional<int64_t>, std::optional<unsigned>>;
  template <typename Op> Lanes lanesOf(const Node &node, Op op);

  /// Whether sizes that a call settles lie between points of the axis in memory.
  template <typename Op> bool isSettledApart(Op op, unsigned axis);

  /// Share of a row's parts that lie in two lines: a part begins at any multiple of what its
  /// coordinates move by.
  double getCrossing(int64_t alignment, const Registers &registers) const;

  /// Bytes of which every row of a tile begins at a multiple.
  template <typename Op> int64_t getAlignment(const Node &node, Op op) const;

  static mlir::Type elementOf(kernel::LoadOp load);
  static mlir::Type elementOf(kernel::StoreOp store);

  /// Accesses for each register of a tile, and shuffles. A tile that is transposed becomes one
  /// whose rows lie along memory.
  template <typename Op>
  double apart(const Node &node, Op op, const Lanes &lanesOfNode, Registers &registers,
               mlir::Type type, Ports &ports);

  /// Whether the node loads lanes that lie further apart than whole vectors are worth.
  bool areLanesApart(const Node &node);

  /// How a coordinate of a load moves from one point of a leaf to the next; 0 if it is not known.
  int64_t slopeOf(kernel::LoadOp load, unsigned dim, unsigned leaf);

  /// The share of the rows of a tile that unrolled loops around it have not read before, where they
  /// move along a dimension of the tile, as windows do.
  double shareRead(const Node &node, kernel::LoadOp load);
  /// The same of so many coordinates, with their slopes by dimension and leaf.
  double shareRead(const Node &node, unsigned dims,
                   llvm::function_ref<int64_t(unsigned, unsigned)> slope);

  /// Shuffles that bring the elements of a dot product's groups together, which lie apart.
  void gatherGroups(const Node &node, kernel::LoadOp load, const Registers &registers,
                    Ports &ports);

  void loadFrom(const Node &node, kernel::LoadOp load, Ports &ports);

  /// Whether a tile lies inside is compared once where it is so for all lanes of a row, and for
  /// each part of a row where lanes differ. The numbers are what LLVM makes of them without mask
  /// registers: a part is compared with two bounds, each in all lanes, and packed; a row's
  /// condition goes through a general register to all lanes; each part joins the two and widens
  /// them.
  Guards addGuards(const Node &node, const Registers &registers, double share, Ports &ports);

  /// Quotients and remainders of the lanes' positions, by which elements are gathered.
  void addPositions(const Node &node, kernel::LoadOp load, const Registers &registers,
                    Ports &ports);

  void storeTo(const Node &node, kernel::StoreOp store, Ports &ports);

  /// Loads for one register of a tile in a buffer: one for each lane where these lie apart.
  double bufferLanesApart(const Node &node, const Registers &registers);
  /// The same of a box, whose coordinates are sums.
  double boxLanesApart(const Node &node, const Registers &registers, Ports &ports);

  const LoopTree &tree;
  const Plan &plan;
  const kernel::AxisSets &sets;
  const HostTraits &traits;
};

} // namespace tw::schedule::host
