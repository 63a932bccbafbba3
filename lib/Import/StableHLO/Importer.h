// Imports functions: the ops of a block in their order, calls as the ops of what they call.
#pragma once

#include "../Common/KnownValues.h"
#include "../Common/Report.h"
#include "OpImport.h"
#include "tw/Import/ONNX/ONNX.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tw::stablehlo {

struct Rule;

/// What of a type cannot be imported; empty for a tensor that can. Inside of a program complex
/// numbers are two tensors, and sizes that types leave open are those of what ops give.
std::string problemOf(mlir::Type type, bool isInside = true);

class Importer {
public:
  /// `isSample`: at sizes that are some of those that the program is for. What it decides by values
  /// that are known is noted in `counted`, if any.
  Importer(mlir::OpBuilder &builder, mlir::ModuleOp module, bool isSample,
           onnx::CountedSizes *counted = nullptr);
  Importer(const Importer &) = delete;
  ~Importer();

  Emitter emit;

  /// The value that stands for one of the program that is imported; null where an error was.
  Value get(Value value) const { return values.lookup(value); }
  void set(Value value, Value imported) { values[value] = imported; }
  /// Of complex numbers `get` is the real part.
  Value getImaginary(Value value) const { return imaginaries.lookup(value); }
  void setImaginary(Value value, Value imported) { imaginaries[value] = imported; }

  /// Imports a block's ops where the emitter stands, its arguments having values; gives what its
  /// terminator takes. Nothing where importing ends after an error.
  std::optional<Values> importBlock(mlir::Block &block);
  /// The same for each element of a tensor: ops on scalars become ops on tensors of `lanes`.
  std::optional<Values> importLanes(mlir::Block &block, ShapeRef lanes);
  /// What a function of the module gives, by the block of its body. Nothing after an error.
  std::optional<Values> importCall(mlir::Operation &call, llvm::StringRef callee,
                                   llvm::ArrayRef<Value> arguments);

  /// Where an op stands in the user's source: its own place, or that of the call it came by.
  mlir::Location placeOf(mlir::Operation &op) const;

  /// The value, by which the op decides, if it is known.
  mlir::DenseElementsAttr known(mlir::Operation &op, Value value);
  /// The same of a branch, of which both sides can be in the program: unknown where that is so.
  mlir::DenseElementsAttr knownWay(mlir::Operation &op, Value value);

  /// A number that the op's rule computes from sizes, as a scalar that is followed through all of
  /// them. To be asked for in each import of a program, by names that are the same.
  Value follow(mlir::Operation &op, llvm::StringRef name, int64_t number, mlir::Type element);

  /// Another number at each call, the same ones in each import of a program.
  int64_t takeNumber() { return next++; }

  importer::Report report;
  /// Of all ops so far.
  unsigned errors = 0;

private:
  void importOp(mlir::Operation &op);
  bool importTuple(mlir::Operation &op);
  bool importAssertion(mlir::Operation &op);
  bool importSizedCall(mlir::Operation &op);
  void importComplex(mlir::Operation &op, const Rule &rule);
  void importQuantized(mlir::Operation &op, const Rule &rule);
  void keep(mlir::Operation &op, llvm::ArrayRef<Value> results, bool hasFailed);
  void standIn(mlir::Operation &op);
  /// What results and decisions of the op are noted by.
  std::string getKey(mlir::Operation &op) const;
  void noteResults(mlir::Operation &op);

  mlir::ModuleOp source;
  mlir::SymbolTable symbols;
  FileResolver files;
  importer::KnownValues constants;
  llvm::DenseMap<Value, Value> values, imaginaries;
  /// Of the program that is imported.
  llvm::DenseMap<Value, llvm::SmallVector<Value, 4>> tuples;
  /// Ops that stand for calls of the program.
  llvm::SmallVector<mlir::Operation *> made;
  struct Call {
    mlir::Operation *function;
    mlir::Location place;
  };
  llvm::SmallVector<Call> calls; ///< of functions that are being imported
  std::optional<Shape> lanes;
  int64_t imported = 0, next = 0;
  onnx::CountedSizes *counted;
};

} // namespace tw::stablehlo
