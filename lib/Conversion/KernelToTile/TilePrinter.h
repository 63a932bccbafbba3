// Writes a loop tree as a tile program. The tree says what runs, where and in which order; here
// each node becomes the ops that do it.
#pragma once

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Schedule/LoopTree.h"

namespace tw {

class TilePrinter {
public:
  explicit TilePrinter(const schedule::LoopTree &tree)
      : tree(tree), kernel(tree.kernel), plan(tree.plan), sets(tree.sets),
        builder(kernel.getContext()), location(kernel.getLoc()), values(tree.nodes.size()) {}

  /// Writes `ttile.func @name` at the builder's insertion point. Errors are diagnostics.
  mlir::FailureOr<tile::FuncOp> print(mlir::OpBuilder &at, llvm::StringRef name);

private:
  using Node = schedule::Node;
  using Scope = schedule::Scope;
  using Shape = schedule::Shape;
  /// Expressions over tile coordinates (dims below the tile's rank) and operands (dims from there
  /// on): indices of leaves, each once, and values.
  struct Coordinates {
    explicit Coordinates(const Node &node) : node(node), scope(node.scope) {}
    const Node &node;
    const Scope &scope;
    llvm::SmallVector<mlir::Value> operands;
    llvm::SmallVector<int> leaves; ///< of the operands; -1 for values
  };

  // PrintSizes.cpp: sizes that a call settles, and tensors that have them.
  void addSymbols();
  mlir::MemRefType getBufferType(mlir::RankedTensorType tensor);
  mlir::Value getSize(const Dim &size);
  mlir::AffineExpr getSizeExpr(const Dim &size, Coordinates &coordinates);
  mlir::AffineExpr addOperand(mlir::Value operand, Coordinates &coordinates);
  /// A map whose dims are as many as there will be operands.
  struct OpenMap {
    struct Guard {
      llvm::SmallVector<mlir::AffineExpr> constraints;
      llvm::SmallVector<bool> isEquality;
      mlir::TypedAttr fill;
    };
    llvm::SmallVector<mlir::AffineExpr> results;
    llvm::SmallVector<Guard> guards;
    mlir::TypedAttr outside;

    explicit OpenMap(mlir::AffineMap map) : results(map.getResults()) {}
    explicit OpenMap(view::MapAttr map);
    void require(mlir::AffineExpr notNegative, mlir::TypedAttr fill) {
      guards.push_back({{notNegative}, {false}, fill});
    }
  };
  /// The map to elements of the tensor, as the buffer has them.
  mlir::FailureOr<view::MapAttr> getTensorMap(mlir::RankedTensorType tensor, OpenMap map,
                                              Coordinates &coordinates);
  mlir::LogicalResult makeLinear(mlir::RankedTensorType tensor, OpenMap &map,
                                 Coordinates &coordinates);
  std::optional<unsigned> findAxis(mlir::AffineExpr coordinate, const Dim &size, bool isPadded,
                                   const Coordinates &coordinates);
  bool isInside(mlir::AffineExpr coordinate, const Dim &size, const Coordinates &coordinates);
  bool isClamped(const OpenMap &map, size_t dimension, const Dim &size,
                 const Coordinates &coordinates);
  mlir::FailureOr<mlir::AffineExpr> clamp(mlir::AffineExpr coordinate, const Dim &size,
                                          Coordinates &coordinates);
  mlir::FailureOr<mlir::Value> getValue(mlir::AffineExpr coordinate, Coordinates &coordinates);
  mlir::Value spreadAs(mlir::Value scalar, mlir::Value other);
  /// What is known of the coordinates of such a map.
  mlir::DenseBoolArrayAttr getInBounds(mlir::RankedTensorType tensor);
  mlir::FailureOr<mlir::AffineExpr> getProduct(mlir::AffineExpr coordinate, mlir::Value stride,
                                               Coordinates &coordinates);

  // TilePrinter.cpp: loops.
  llvm::SmallVector<mlir::Type> getBufferTensors();
  mlir::LogicalResult printBlock(const schedule::Block &block, mlir::Block *to);
  mlir::LogicalResult printNode(const Node &node);
  mlir::LogicalResult printLoop(const schedule::LoopNode &loop);
  mlir::LogicalResult printShared(const schedule::LoopNode &loop);
  mlir::LogicalResult printTeam(const schedule::TeamNode &team);
  mlir::LogicalResult printBranch(const schedule::BranchNode &branch);
  mlir::LogicalResult unroll();
  void printAlloc(const Node &node);

  // PrintBounds.cpp: where loops begin and end, and the indices of leaves.
  mlir::Value getIndex(const schedule::LeafIndex &index);
  mlir::Value getBound(const schedule::LoopNode &loop, const schedule::LoopBound &bound);
  bool isBehindOthers(const Scope &scope, unsigned leaf) const;
  mlir::Value getSeenBound(const Scope &scope, unsigned leaf,
                           const schedule::SkippedAxis::Bound &bound, bool all, int64_t most);
  mlir::Value getIterations(unsigned leaf, bool isWhole, int64_t most);
  mlir::Value getRest(unsigned leaf);
  mlir::Value getLeft(const schedule::BranchNode &node);
  mlir::Value getLeft(const schedule::Scope &scope, unsigned leaf, bool isWhole, int64_t most);
  mlir::AffineExpr getLeafExpr(unsigned leaf, Coordinates &coordinates, unsigned rank);
  mlir::AffineExpr getAxisExpr(unsigned axis, Coordinates &coordinates);
  mlir::FailureOr<mlir::AffineExpr> getExpr(mlir::Value index, Coordinates &coordinates);
  mlir::FailureOr<mlir::AffineMap> getPoints(mlir::ValueRange indices, Coordinates &coordinates);
  mlir::AffineExpr getWindowExpr(const schedule::WindowDim &dim, bool inside,
                                 Coordinates &coordinates);
  mlir::AffineExpr getBufferExpr(unsigned leaf, Coordinates &coordinates);

  // PrintAccesses.cpp: loads and stores, of tensors and of local memory.
  mlir::LogicalResult printLoad(const Node &node);
  mlir::LogicalResult printStore(const Node &node);
  void printReadStaged(const Node &node);
  void printFillTile(const Node &node);
  void printFillWindow(const Node &node);
  mlir::LogicalResult printReadKept(const Node &node);
  mlir::LogicalResult printWriteKept(const Node &node);
  struct Kept {
    mlir::Value memory;
    view::MapAttr map;
    mlir::DenseBoolArrayAttr inBounds;
  };
  mlir::FailureOr<Kept> getKeepingMemory(const Node &node, Coordinates &coordinates);
  mlir::Value getBuffer(kernel::LoadOp load);
  mlir::Value getBuffer(kernel::StoreOp store);
  mlir::Value combineTiles(mlir::arith::AtomicRMWKind kind, mlir::Location loc, mlir::Value before,
                           mlir::Value value);
  mlir::AffineMap getMap(Coordinates &coordinates, llvm::ArrayRef<mlir::AffineExpr> exprs);
  mlir::RankedTensorType getType(const Node &node, mlir::Type element) {
    return mlir::RankedTensorType::get(node.shape, element);
  }

  // PrintValues.cpp: what is computed of tiles.
  mlir::LogicalResult printIndex(const Node &node);
  void printCompute(const Node &node);
  void printMask(const Node &node);
  void printStart(const Node &node);
  mlir::LogicalResult printAccumulate(const Node &node);
  mlir::Value extend(kernel::ContractOp contract, mlir::Value tile, bool isUnsigned);
  void printContract(const Node &node, mlir::ValueRange inputs);
  mlir::LogicalResult printCombining(const Node &node, mlir::ValueRange inputs);
  mlir::LogicalResult printScan(const Node &node);
  mlir::LogicalResult printCombiningScan(const Node &node);
  mlir::LogicalResult printCombine(const Node &node);
  void printAddPartial(const Node &node);
  mlir::Value countPoints(const Node &node, bool isAfter);
  void printOnlineMean(const Node &node);
  void printOnline(const Node &node);
  void printPoison(const Node &node);
  mlir::TypedAttr getIdentity(mlir::Operation *root, unsigned result);
  /// The operand as a tile of that shape.
  mlir::Value getAs(const Node &node, mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value broadcast(mlir::Value tile, llvm::ArrayRef<int64_t> shape);
  mlir::Value splat(mlir::TypedAttr element, llvm::ArrayRef<int64_t> shape);
  mlir::Value splatFloat(mlir::Type tile, const llvm::APFloat &value);
  mlir::Value isNegativeInfinity(mlir::Value tile);
  mlir::Value cloneOnTiles(mlir::Operation *op, mlir::ValueRange operands,
                           llvm::ArrayRef<int64_t> shape);

  mlir::Value get(schedule::Ref ref) const { return values[ref.node->number][ref.number]; }
  void define(const Node &node, mlir::ValueRange given) {
    llvm::append_range(values[node.number], given);
  }
  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(builder, location, value);
  }

  const schedule::LoopTree &tree;
  kernel::KernelOp kernel;
  const schedule::Plan &plan;
  const kernel::AxisSets &sets;
  mlir::OpBuilder builder;
  mlir::Location location;
  tile::FuncOp func;
  /// The operands of the kernel that are buffers: those that it reads.
  llvm::SmallVector<unsigned> readOperands;
  /// What nodes give, by their numbers.
  std::vector<llvm::SmallVector<mlir::Value, 2>> values;
  /// The indices of loops, by their nodes.
  llvm::DenseMap<const Node *, llvm::SmallVector<mlir::Value, 1>> indices;
  llvm::SmallVector<std::pair<mlir::Operation *, int64_t>> unrolls;
  /// Of the kernel, sorted by name; and the values of sizes, which are at the start of the program.
  llvm::SmallVector<mlir::StringAttr> symbols;
  std::vector<std::pair<Dim, mlir::Value>> sizes;
};

} // namespace tw
