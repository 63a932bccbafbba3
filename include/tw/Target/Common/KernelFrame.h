// The kernel around the body of a tile program: its buffers, its local memory, the sizes that a
// call settles and the coordinates of the program.
#pragma once

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Target/Common/Gpu.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

namespace tw::threads {

/// Flat memory of signless elements in a space, booleans in bytes.
mlir::MemRefType getFlatMemory(mlir::MemRefType type, int64_t elements,
                               mlir::gpu::AddressSpace space);

/// The module of the kernels of a program, made if there is none.
mlir::gpu::GPUModuleOp getKernels(mlir::ModuleOp module);

/// An error for a program whose loops the threads of a CPU share.
llvm::LogicalResult refuseTeam(tile::FuncOp program);

/// Local memory of a kernel, and what its address is a multiple of.
struct LocalBuffer {
  mlir::MemRefType type;
  uint64_t alignment = localAlignment;
};

class KernelFrame {
public:
  /// With the traits for this program.
  KernelFrame(tile::FuncOp func, const GpuTraits &traits)
      : func(func), traits(traits), builder(func.getContext()) {}

protected:
  tile::FuncOp func;
  const GpuTraits traits;
  mlir::OpBuilder builder;
  mlir::Value thread, program;
  /// What stands for the scalars and the buffers of the program.
  mlir::IRMapping scalars;

  /// Those that have the tiles of the program, and those that only have rings filled, behind them.
  int64_t countThreads() { return traits.subgroup * func.getWarps().value_or(1); }
  int64_t countLoadingThreads();
  /// Programs of a launch at most: fewer than the grid has points where they take these in turn.
  int64_t countPrograms();
  bool walks();
  mlir::Value constant(mlir::TypedAttr value);
  /// The kernel, in thread form, at the end of `parent`, with these local buffers as its workgroup
  /// attributions and pointers to so many maps of tensors as its last arguments. The builder stands
  /// where the body belongs, and the arguments of the program are mapped.
  llvm::FailureOr<mlir::gpu::GPUFuncOp>
  emitFrame(mlir::gpu::GPUModuleOp parent, llvm::ArrayRef<LocalBuffer> locals, unsigned maps);
  /// Maps the coordinates of a point of the grid, which has fixed extents.
  void emitCoordinates(mlir::Value point);

private:
  llvm::FailureOr<mlir::gpu::GPUFuncOp>
  emitFunction(mlir::gpu::GPUModuleOp parent, llvm::ArrayRef<LocalBuffer> locals, unsigned maps);
  void emitSymbols(mlir::gpu::GPUFuncOp kernel);
  mlir::Value emitGridSize(unsigned dim);
  mlir::Value emitProgram(mlir::gpu::GPUFuncOp kernel);
  void emitCoordinates(mlir::Value program, llvm::ArrayRef<mlir::Value> sizes);
};

} // namespace tw::threads
