// A tile program, compiled to steps.
//
// Every value has a slot: memory for its elements that stays where it is. An op becomes a step from
// slots to a slot; a loop becomes a step that runs a list of steps.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "../Program/Program.h"
#include "Races.h"

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Interpreter/Interpreter.h"

namespace tw::interp {

class TileProgram {
public:
  using Step = Program::Step;
  using Steps = std::vector<Step>;

  /// The buffers outlive the program.
  TileProgram(tile::FuncOp func, llvm::MutableArrayRef<Tensor> buffers, bool checkRaces,
              const ObserveAccess &observe);

  /// Fails, with a report, on an op or type that is not held.
  llvm::LogicalResult compile();
  /// Runs every program of the grid, in order.
  llvm::LogicalResult run();

private:
  llvm::LogicalResult compileBlock(mlir::Block &block, Steps &steps);
  llvm::LogicalResult compileOp(mlir::Operation *op, Steps &steps);
  llvm::LogicalResult checkTypes(mlir::ValueRange values, mlir::Operation *op);

  // AccessOps.cpp
  void compileLoad(tile::LoadOp op, Steps &steps);
  void compileStore(tile::StoreOp op, Steps &steps);
  void compileIndex(tile::IndexOp op, Steps &steps);
  void compileInside(tile::InsideOp op, Steps &steps);
  llvm::SmallVector<SplitIndex> tileIndices(Program &program, llvm::ArrayRef<int64_t> shape,
                                            mlir::ValueRange operands);
  Program &newProgram(int64_t lanes);

  // MemoryOps.cpp
  void compileAlloc(tile::AllocOp op, Steps &steps);
  /// A buffer of the function or local memory.
  const Tensor &getMemory(mlir::Value memory);
  template <typename Op>
  void checkAccess(Op op, mlir::Value memory, mlir::Value tile, Steps &steps);

  // ComputeOps.cpp
  llvm::LogicalResult compileLanes(mlir::Operation *op, Steps &steps);
  void compileBroadcast(tile::BroadcastOp op, Steps &steps);
  void compileConvert(tile::ConvertOp op, Steps &steps);
  void compileMma(tile::MmaOp op, Steps &steps);
  llvm::LogicalResult compileReduce(tile::ReduceOp op, Steps &steps);
  llvm::LogicalResult compileScan(tile::ScanOp op, Steps &steps);

  // ControlOps.cpp
  void compileConstant(mlir::arith::ConstantOp op);
  void compileApply(mlir::affine::AffineApplyOp op, Steps &steps);
  llvm::LogicalResult compileFor(mlir::scf::ForOp op, Steps &steps);
  llvm::LogicalResult compileForall(mlir::scf::ForallOp op, Steps &steps);
  llvm::LogicalResult compileIf(mlir::scf::IfOp op, Steps &steps);

  /// The slot of a value, made when first asked for.
  char *slot(mlir::Value value);
  /// A step that copies values to others at once.
  Step copyAll(mlir::ValueRange from, mlir::ValueRange to);

  tile::FuncOp func;
  llvm::MutableArrayRef<Tensor> buffers;
  Steps steps;
  llvm::DenseMap<mlir::Value, char *> slots;
  std::vector<std::unique_ptr<uint64_t[]>> storage;
  std::vector<std::unique_ptr<Program>> programs;
  std::vector<Tensor> constants;
  llvm::DenseMap<mlir::Value, Tensor> locals;
  /// None unless races are checked.
  std::optional<RaceChecker> races;
  const ObserveAccess &observe;
};

/// Elements of a tile; 1 for a scalar. Bytes of them.
int64_t getTileElements(mlir::Type type);
int64_t getTileBytes(mlir::Type type);
/// The shape of a tile; empty for a scalar.
llvm::ArrayRef<int64_t> getTileShape(mlir::Type type);

inline llvm::LogicalResult runSteps(TileProgram::Steps &steps) {
  for (TileProgram::Step &step : steps)
    if (failed(step()))
      return llvm::failure();
  return llvm::success();
}

} // namespace tw::interp
