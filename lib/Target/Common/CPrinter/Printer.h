// The printer of one kernel, a class over several files: values, operations, memory, control flow.
#pragma once

#include "tw/Target/Common/CPrinter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/StringSet.h"

#include <map>

namespace tw::cprinter {

/// `expression`, in parentheses if it binds less tightly than `least`.
std::string bind(const Expression &expression, Precedence least);

/// Whether a value may be written as part of the expression that uses it, instead of getting a
/// name: it has one use, in its own block, which is evaluated once.
bool mayInline(mlir::Operation *op);

/// Bits of an element; of an index 64.
unsigned getWidth(mlir::Type element);

/// Values that only rename another (index casts of equal width) or that are as short as a name.
bool isAlwaysInlined(mlir::Operation *op);

class KernelPrinter {
public:
  /// Helpers used are added to `helpers`, by name.
  KernelPrinter(mlir::gpu::GPUFuncOp kernel, const Language &language,
                std::map<std::string, std::string> &helpers);

  mlir::LogicalResult print(std::string &text);
  bool usesF64() const { return seenF64; }

private:
  // Names.cpp
  std::string makeName(llvm::StringRef stem);
  std::string makeName(mlir::Value value);
  llvm::StringRef getStem(mlir::Value value);

  // Values.cpp
  mlir::FailureOr<std::string> getType(mlir::Type type, mlir::Operation *user);
  Expression get(mlir::Value value);
  Expression read(mlir::Value value, bool isSigned, bool isTyped);
  Expression convert(const std::string &type, const Expression &value);
  Expression convert(mlir::Type type, bool isSigned, const Expression &value);
  /// What a comparison of such values gives, as a truth value.
  Expression convertTruth(mlir::Type compared, Expression value);
  /// An integer, or a vector of integers, as its signed or unsigned type.
  Expression reinterpret(mlir::Type type, bool isSigned, const Expression &value);
  std::string getName(mlir::Value value) { return get(value).text; }
  mlir::LogicalResult define(mlir::Operation *op, Expression value);
  mlir::LogicalResult defineNamed(mlir::Operation *op, const Expression &value);

  // Operations.cpp
  mlir::LogicalResult printOperation(mlir::Operation &op);
  mlir::LogicalResult printOperator(mlir::Operation &op, const Operator &spelling);
  mlir::LogicalResult printHelper(mlir::Operation &op, const Operator &spelling);
  mlir::LogicalResult printBoolean(mlir::Operation &op);
  mlir::LogicalResult printExtremum(mlir::Operation &op);
  mlir::LogicalResult printCompare(mlir::arith::CmpIOp op);
  mlir::LogicalResult printCompare(mlir::arith::CmpFOp op);
  mlir::LogicalResult printSelect(mlir::arith::SelectOp op);
  mlir::LogicalResult printCast(mlir::Operation &op);
  mlir::LogicalResult printVectorCast(mlir::Operation &op);
  std::string spellElement(mlir::TypedAttr value, mlir::VectorType vector);
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &reason = "");

  // Memory.cpp
  mlir::LogicalResult printMemory(mlir::Operation &op);
  mlir::LogicalResult printMasked(mlir::Operation &op, mlir::Value memory, mlir::Value index,
                                  mlir::Value mask, mlir::Value value);
  mlir::LogicalResult printVector(mlir::Operation &op);
  mlir::LogicalResult printShuffle(mlir::Operation &op, mlir::Value first, mlir::Value second,
                                   llvm::ArrayRef<int64_t> mask);
  std::string joinParts(mlir::VectorType type, mlir::Value first, mlir::Value second,
                        llvm::ArrayRef<int64_t> mask, llvm::ArrayRef<std::string> names);
  std::string spellTruth(mlir::Value condition);
  mlir::FailureOr<Access> getAccess(mlir::Operation *op, mlir::Value memory,
                                    mlir::ValueRange indices, mlir::Type type, std::string &index);
  Buffer describe(mlir::BlockArgument memory, llvm::StringRef name);

  // ControlFlow.cpp
  mlir::LogicalResult printBlock(mlir::Block &block);
  mlir::LogicalResult printFor(mlir::scf::ForOp op);
  mlir::LogicalResult printIf(mlir::scf::IfOp op);
  mlir::LogicalResult printWhile(mlir::scf::WhileOp op);
  mlir::LogicalResult declareCarried(mlir::Operation *loop, mlir::ValueRange initial,
                                     mlir::ValueRange variables);
  mlir::LogicalResult declareResults(mlir::Operation *op);
  void assign(mlir::ValueRange variables, mlir::ValueRange values);
  /// Prints `value` as `as` from now on.
  void alias(mlir::Value value, mlir::Value as);
  bool isCarriedThrough(mlir::Operation *loop, mlir::Value initial, unsigned position);
  bool mentions(mlir::Value value, llvm::StringRef name);

  void line(const llvm::Twine &text);

  mlir::gpu::GPUFuncOp kernel;
  const Language &language;
  std::map<std::string, std::string> &helpers;
  llvm::DenseMap<mlir::Value, Expression> values;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::StringSet<> names;
  llvm::StringMap<unsigned> counters;
  std::string body;
  /// Of a kernel whose body is a function.
  bool isLone = false;
  llvm::SmallVector<ProgramId> ids;
  unsigned depth = 1;
  unsigned loops = 0;
  bool seenF64 = false;
  bool needsFullBarrier = false;
};

} // namespace tw::cprinter
