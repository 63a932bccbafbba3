// The one-to-many translation of a tile program to the program of a thread.
//
// A tile becomes one scalar per register of its layout; scalars of the tile program stay what they
// are, since all threads have the same. Everything is emitted in the order of the tile program.
#pragma once

#include "Expressions.h"

#include "tw/Layout/LaneTrade.h"
#include "tw/Target/Common/Instructions.h"
#include "tw/Target/Common/KernelFrame.h"

#include "llvm/ADT/SetVector.h"

namespace tw::threads {

/// The layout of a tile, as thread programs need it.
struct ThreadTile {
  layout::TileLayout layout;
  mlir::Type element;
  /// Per dimension, what lane and warp add to a coordinate: over dim 0, the number of the thread.
  std::vector<layout::Expr> coordinates;
  /// Coordinates of each register in thread 0.
  std::vector<std::vector<int64_t>> registers;
  /// Is 0 in the first thread of those that hold the same elements.
  layout::Expr replica;

  /// The register that holds an element in thread 0, where dimensions of extent 1 are read at 0.
  std::optional<unsigned> findRegister(llvm::ArrayRef<int64_t> coordinates) const;
};

struct UnitBlock;

class ThreadEmitter : KernelFrame {
public:
  /// With the traits for this program.
  ThreadEmitter(tile::FuncOp func, const GpuTraits &traits)
      : KernelFrame(func, traits), instructions(getInstructions(traits.getChip())) {}

  /// The kernel, at the end of `parent`.
  llvm::LogicalResult emit(mlir::gpu::GPUModuleOp parent);

private:
  using Registers = llvm::SmallVector<mlir::Value>;

  const ChipInstructions &instructions;
  /// Whether matrix units read local memory that threads fill.
  bool sharesLocal = false;
  /// What is said of matrix units (unitsAttribute).
  llvm::SmallSetVector<mlir::Attribute, 2> units;
  /// Maps of tensors, which the kernel takes; and by ring the words that count what arrives there.
  llvm::MapVector<mlir::Attribute, mlir::Value> boxMaps;
  llvm::DenseMap<mlir::Value, mlir::Value> arrivalsOf, releasedOf;
  /// What is emitted: all, what threads do that load, or what the others do.
  enum class Role { All, Loads, Others } role = Role::All;
  /// Where programs walk: fillings of each slot for a point of the grid, and whether the point is
  /// the program's first, third .. (0) or second, fourth .. (1).
  llvm::SmallVector<int64_t> fillings;
  mlir::Value turn;
  llvm::DenseMap<mlir::Value, Registers> tiles;
  /// Sums of a product that the next one awaits, where these are others; of one that is awaited
  /// where they are read, and the words that it multiplies.
  mlir::Value open, running;
  Registers runningWords;
  llvm::DenseMap<mlir::Attribute, ThreadTile> known;

  // Emitter.cpp
  mlir::LogicalResult checkTypes(mlir::Operation *op);
  llvm::LogicalResult emitBlock(mlir::Block &block);
  llvm::LogicalResult emitOp(mlir::Operation &op);
  static bool isElementwise(mlir::Operation &op);
  size_t countRegisters(mlir::Operation &op);
  const ThreadTile &get(mlir::Value tile);
  /// The values that stand for a value: its registers, or one scalar.
  mlir::ValueRange lookup(mlir::Value value);
  /// What loops and branches carry of them.
  Registers lookupAll(mlir::ValueRange values);
  llvm::SmallVector<mlir::Type> flatten(mlir::TypeRange types);
  void define(mlir::Value value, mlir::ValueRange &values);
  void define(mlir::ValueRange originals, mlir::ValueRange values);

  // Control.cpp
  llvm::LogicalResult emitFor(mlir::scf::ForOp loop);
  llvm::LogicalResult emitIf(mlir::scf::IfOp op);
  llvm::LogicalResult emitWhile(mlir::scf::WhileOp loop);
  llvm::LogicalResult emitRegion(mlir::Region &from, mlir::Block *to);

  // Access.cpp
  template <typename Op> class Access;
  llvm::LogicalResult emitLoad(tile::LoadOp op);
  llvm::LogicalResult emitStore(tile::StoreOp op);
  /// The index of the element that a load reads at a point of its tile, expressions over the number
  /// of the thread, without what is added in all threads: `offset`.
  llvm::FailureOr<mlir::Value> emitPlace(tile::LoadOp op, llvm::ArrayRef<layout::Expr> point,
                                         int64_t &offset);
  llvm::LogicalResult emitIndex(tile::IndexOp op);
  llvm::LogicalResult emitInside(tile::InsideOp op);

  // Compute.cpp
  llvm::LogicalResult emitConstant(mlir::arith::ConstantOp op);
  /// Operations that follow each other, on tiles of as many registers.
  llvm::LogicalResult emitElementwise(llvm::ArrayRef<mlir::Operation *> ops);
  /// On the registers from `first` to `end`.
  void emitElementwise(mlir::Operation &op, size_t first, size_t end);
  llvm::LogicalResult emitBroadcast(tile::BroadcastOp op);
  llvm::LogicalResult emitConvert(tile::ConvertOp op);
  /// Registers of a tile behind a trade between lanes, by shuffles of words of 32 bits.
  Registers tradeLanes(mlir::Location location, mlir::ValueRange values,
                       const layout::LaneTrade &bits);
  llvm::LogicalResult emitMma(tile::MmaOp op);

  // Units.cpp
  llvm::LogicalResult emitUnit(tile::MmaOp op);
  /// A call of an intrinsic of LLVM; null where it returns nothing.
  mlir::Value callIntrinsic(mlir::Location location, llvm::StringRef name, mlir::Type type,
                            mlir::ValueRange operands);
  /// The address of an element of flat memory, so many behind that at the index.
  mlir::Value getPointer(mlir::Location location, mlir::Value memory, mlir::Value index,
                         int64_t offset);

  // LocalProducts.cpp
  llvm::LogicalResult emitLocalUnit(tile::MmaOp op, const MatrixUnit &unit);
  llvm::LogicalResult addWords(tile::MmaOp op, mlir::Value left, const MatrixUnit &unit,
                               const UnitBlock &block, unsigned first, Registers &operands,
                               llvm::SmallVectorImpl<unsigned> &numbers);
  mlir::Value emitDescription(mlir::Location location, mlir::Value memory, mlir::Value index,
                              const LocalOperand &form);
  /// Sums that begin with the text are not read by it.
  void touchSums(mlir::Location location, Registers &sums, mlir::ValueRange operands,
                 llvm::StringRef text, bool begin = false);
  /// Awaits the product that is running, if the operation is one that may not stand beside it.
  void awaitRunning(mlir::Operation &op);
  Registers packPairs(mlir::Location location, mlir::Value tile);
  /// Behind the loop: what its last products added is there.
  void awaitProducts(mlir::scf::ForOp loop);
  /// Instructions as the chip's assembler reads them; a null type where they give nothing.
  mlir::Value emitText(mlir::Location location, mlir::Type type, mlir::ValueRange operands,
                       llvm::StringRef text, llvm::StringRef constraints);

  // BoxCopies.cpp
  /// What a launch makes the map from whose box the store has copied.
  mlir::DictionaryAttr describeMap(tile::StoreOp op);
  /// As instructions take it, a number of 32 bits; of the element at the index, if there is one.
  mlir::Value emitLocalAddress(mlir::Location location, mlir::Value memory);
  mlir::Value emitLocalAddress(mlir::Location location, mlir::Value memory, mlir::Value index);
  mlir::Value emitIsFirst(mlir::Location location);
  mlir::Value emitIsThere(tile::LoadOp load);
  void emitArrivals();
  llvm::LogicalResult emitBox(tile::StoreOp op);
  llvm::LogicalResult emitBox(tile::StoreOp op, mlir::Value condition);
  llvm::LogicalResult emitAwait(tile::AwaitOp op);
  void emitWait(mlir::Location location, mlir::Value words, int64_t slot, mlir::Value number);

  // Loading.cpp
  /// Threads that only have rings filled, and the others. The builder stands where those begin.
  llvm::LogicalResult emitRoles();
  void emitWalk();
  bool sharesOtherMemory();
  llvm::LogicalResult emitLoading(mlir::Block &block);
  llvm::LogicalResult emitRelease(tile::ReleaseOp op);
  void emitReuse(tile::StoreOp op, int64_t slot);
  void emitMeeting(mlir::Location location);

  // Reduce.cpp
  llvm::LogicalResult emitReduce(tile::ReduceOp op);
  llvm::FailureOr<Registers> combine(tile::ReduceOp op, mlir::ValueRange left,
                                     mlir::ValueRange right);
  mlir::Value shuffle(mlir::Location location, mlir::Value value, int64_t mask);

  // Scan.cpp
  llvm::LogicalResult emitScan(tile::ScanOp op);
  mlir::Value emitLaneBit(mlir::Location location, unsigned bit);
};

} // namespace tw::threads
