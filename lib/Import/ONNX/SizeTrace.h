// What known values come to at sizes that a model is not imported at.
//
// An import decides by numbers: the value of a condition, the bounds of a slice. The first sample
// is imported once more, and what is known is followed from op to op at many sizes at once,
// `probes`: the interpreter runs each op for all of them. Where a value begins, as the shape of a
// tensor does, it is the function of the symbols that has its values at the samples. Who reads a
// value learns whether it is one function of the symbols at all probes.
#pragma once

#include "../Common/KnownValues.h"
#include "SizeForms.h"
#include "SizeSolver.h"

#include "tw/Interpreter/Tensor.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <map>
#include <memory>

namespace tw::onnx {

/// Sizes within the ranges.
struct Probes {
  std::vector<std::vector<int64_t>> sizes;
  /// No size is left out, or none of these symbols beside one of each other symbol: bits.
  bool areAll = false;
  uint64_t whole = 0;

  /// Whether what follows from these symbols alone is tried at all of their sizes.
  bool cover(uint64_t symbols) const {
    return areAll || symbols == 0 || ((symbols & (symbols - 1)) == 0 && (whole & symbols) != 0);
  }
};
Probes chooseProbes(llvm::ArrayRef<SizeRange> ranges);

class SizeTrace : SizeSolver {
public:
  using GetKnown = llvm::function_ref<mlir::DenseElementsAttr(mlir::Value)>;

  /// The samples' sizes and results, which outlive it.
  SizeTrace(mlir::MLIRContext *context, llvm::ArrayRef<std::vector<int64_t>> samples,
            const Probes &others, llvm::ArrayRef<std::string> names,
            llvm::ArrayRef<SizeRange> ranges, size_t paired,
            llvm::ArrayRef<CountedSizes::Results> results);

  /// The sizes with this number.
  llvm::ArrayRef<int64_t> getProbe(size_t number) const { return probes[number]; }

  /// `value` is result `entry` of those by this key: it is followed from here on as what the
  /// samples say that it is, if what it was computed from says something else.
  void settle(mlir::Value value, llvm::StringRef key, size_t entry, GetKnown known);

  struct Reading {
    /// Where it is not the function of the symbols that it is at all samples.
    std::optional<size_t> other;
    /// Where nobody knows, since it is no function of them.
    llvm::SmallVector<size_t> open;
    /// It is that at all sizes of the ranges, also at those that are not tried.
    bool isProven = true;
  };
  Reading read(mlir::Value value, GetKnown known);

  /// The same for a dimension of a value that was settled: whether a rule makes of it at all sizes
  /// what it makes of it at the samples.
  Reading readSizes(mlir::Value value, int64_t dim,
                    llvm::function_ref<bool(llvm::ArrayRef<int64_t>, int64_t)> isAlike);

  /// Values are gone.
  void forget() { columns.clear(); }

  using SizeSolver::getKnown;

private:
  /// A value at all probes, along dimension 0, and where there is one.
  struct Column {
    interp::Tensor values;
    llvm::BitVector isThere;
    /// By element, which function of the symbols it is, and which symbols it follows from, bits.
    std::vector<SizeForms::Form> forms;
    std::vector<uint64_t> symbols;
  };
  const Probes &others;
  SizeForms forms;
  std::vector<std::vector<int64_t>> probes;
  size_t samples;
  llvm::ArrayRef<CountedSizes::Results> results;
  /// Null for what is the same at all sizes.
  llvm::DenseMap<mlir::Value, std::shared_ptr<Column>> columns;
  /// Those that ops are marked with.
  std::deque<std::shared_ptr<Column>> settled;
  /// Results of nodes by the attributes of their ops, and arguments.
  llvm::DenseMap<mlir::Value, std::pair<std::string, size_t>> arguments;
  std::map<std::vector<int64_t>, std::optional<graph::Dim>> solved;

  const std::optional<graph::Dim> &solveOnce(const std::vector<int64_t> &values);
  std::shared_ptr<Column> get(mlir::Value value, GetKnown known);
  std::shared_ptr<Column> evaluate(mlir::Operation *op, GetKnown known);
  void move(mlir::Operation *op, llvm::ArrayRef<std::shared_ptr<Column>> operands, GetKnown known,
            Column &result);
  void runAtOnce(mlir::Operation *op, llvm::ArrayRef<std::shared_ptr<Column>> operands,
                 GetKnown known, Column &result);
  void runOneByOne(mlir::Operation *op, llvm::ArrayRef<std::shared_ptr<Column>> operands,
                   GetKnown known, Column &result);
  void describe(mlir::Operation *op, llvm::ArrayRef<std::shared_ptr<Column>> operands,
                GetKnown known, Column &result) const;
  /// What is one number at all sizes follows from none.
  void settleConstants(Column &column) const;
  uint64_t getSymbols(const graph::Dim &dim) const;
  void readOne(const Column &column, int64_t elements, int64_t element, bool isInteger,
               Reading &reading);
  std::shared_ptr<Column> makeColumn(mlir::RankedTensorType type, bool isThere) const;
  void mark(mlir::Value value, std::shared_ptr<Column> column);
};

/// Notes what `value`, a result of the node or op of this key, is, and follows it from here on.
void noteResult(CountedSizes &counted, const std::string &key, mlir::Value value,
                importer::KnownValues &constants);
/// Notes that the node or op of this key reads the value, by which it decides, or goes one of
/// several ways.
void noteReading(CountedSizes &counted, const std::string &key, mlir::Value value, bool isWay,
                 importer::KnownValues &constants);
/// The same for what a rule makes of a dimension.
void noteSizes(CountedSizes &counted, const std::string &key, mlir::Value value, int64_t dim,
               llvm::function_ref<bool(llvm::ArrayRef<int64_t>, int64_t)> isAlike);

} // namespace tw::onnx
