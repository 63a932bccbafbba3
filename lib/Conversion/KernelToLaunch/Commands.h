// The commands of a host program's blocks.
#pragma once

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Launch/Launch.h"

namespace tw {

/// Where a tensor lies.
launch::BufferType getBufferType(mlir::Type type);

/// Writes the commands of blocks, and of the branches and loops in them. Results of branches, and
/// what is stacked, are written in place. A carried value has two buffers: one holds what an
/// iteration reads, it writes the other one, and then they change places. A value that is made
/// elsewhere, or yielded twice, is copied.
class Commands {
public:
  /// `writeOp`, which has to outlive this, writes an op that is no branch and no loop, at the
  /// builder's place.
  Commands(mlir::OpBuilder &builder, launch::FuncOp program,
           llvm::function_ref<llvm::LogicalResult(mlir::Operation *, Commands &)> writeOp)
      : builder(builder), program(program), writeOp(writeOp) {}

  /// All that the block does; what its terminator yields lies in `destinations` then.
  llvm::LogicalResult writeBlock(mlir::Block &block, mlir::ValueRange destinations);

  /// The buffer of an op's result: the one it has been given, or a new one.
  mlir::Value reserve(mlir::Value result);
  /// Lets a result without a place lie where `old` does, which its op updates, if nothing else
  /// will read that.
  void takeOver(mlir::OpResult result, mlir::Value old);
  /// Nothing where both are one memory: an argument, and the result that it becomes.
  void copy(mlir::Location loc, mlir::Value from, mlir::Value to);

  /// The buffers of values.
  llvm::DenseMap<mlir::Value, mlir::Value> buffer;

private:
  llvm::LogicalResult write(mlir::Operation *op);
  llvm::LogicalResult writeIf(graph::IfOp op);
  llvm::LogicalResult writeFor(graph::ForOp op);
  llvm::LogicalResult writeWhile(graph::WhileOp op);

  using Copies = llvm::SmallVector<std::pair<mlir::Value, mlir::Value>>;
  /// All at once: what one of them writes and another one reads is copied before.
  void copyAll(mlir::Location loc, Copies copies);
  mlir::Value getMemory(mlir::Value buffer);
  mlir::Value makeBuffer(mlir::Location loc, mlir::Type type);
  mlir::Value makeAnother(mlir::Value buffer);
  /// The buffer in which a loop finds what it carries, and behind it leaves it.
  mlir::Value beginCarried(mlir::Operation *loop, mlir::Value init);
  void rotate(mlir::Location loc, mlir::ValueRange firsts, mlir::ValueRange seconds);

  mlir::OpBuilder &builder;
  launch::FuncOp program;
  llvm::function_ref<llvm::LogicalResult(mlir::Operation *, Commands &)> writeOp;
};

} // namespace tw
