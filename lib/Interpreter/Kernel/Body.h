// The body of a kernel, compiled into nests.
//
// Each reduce, contract and scan is a nest of its own that leaves its result in a temporary tensor
// over the axes of its axis set; each store is a nest that reads those. Within a nest only loads,
// index expressions and elementwise ops are left, and they are emitted on demand.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "Nest.h"

#include "tw/Dialect/Kernel/AxisSets.h"
#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::interp {

/// What the nests of a kernel share.
struct KernelState {
  KernelState(kernel::KernelOp kernel, llvm::ArrayRef<Tensor> operands);

  /// The axes of a set, in the order of the kernel, without those of extent 1.
  llvm::SmallVector<unsigned> loopAxes(const llvm::SmallBitVector &set);
  mlir::RankedTensorType temporaryType(mlir::Value value);
  /// A new temporary for `value`, which later nests read.
  Tensor addTemporary(mlir::Value value);

  kernel::KernelOp kernel;
  kernel::AxisSets sets;
  llvm::SmallVector<Tensor> operands, results;
  llvm::DenseMap<mlir::Value, Tensor> temporaries;
};

/// One nest, with the registers of the values that it computes.
class Body {
public:
  Body(KernelState &state, const NestShape &shape);

  /// The register of a value of the kernel's body; null, with a report, if it cannot be computed.
  Register *emit(mlir::Value value);
  void bind(mlir::Value value, Register *lanes) { values[value] = lanes; }
  /// Stores to the temporary of `value` at the point of its axes.
  void storeTemporary(mlir::Value value, Register *lanes, unsigned depth, bool atEnd,
                      mlir::Operation *op);

  KernelState &state;
  Nest nest;

private:
  Register *emitOp(mlir::Operation *op);
  SplitIndex splitIndex(mlir::Value index);

  llvm::DenseMap<mlir::Value, Register *> values;
};

/// Chooses lanes for a nest without reduction, and for one that reduces: along the results, or,
/// where `horizontal` comes back true, along the reduced axes. `ordered` axes are loops.
NestShape chooseShape(KernelState &state, const llvm::SmallBitVector &axes,
                      const llvm::SmallBitVector &ordered);
NestShape chooseReductionShape(KernelState &state, mlir::Operation *reduction, bool &horizontal,
                               unsigned &resultDepth);

/// The lanes of both combined, in the type of `value`; bf16 and f16 in f32.
Register *combine(Nest &nest, mlir::arith::AtomicRMWKind kind, Register *before, Register *value);

llvm::LogicalResult runReduce(KernelState &state, kernel::ReduceOp op);
llvm::LogicalResult runContract(KernelState &state, kernel::ContractOp op);
llvm::LogicalResult runScan(KernelState &state, kernel::ScanOp op);
llvm::LogicalResult runStore(KernelState &state, kernel::StoreOp op);

} // namespace tw::interp
