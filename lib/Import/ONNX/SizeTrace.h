// What known values come to at sizes that a model is not imported at.
//
// An import decides by numbers: the value of a condition, the bounds of a slice. The first sample
// is imported once more, and what is known is followed from op to op at many sizes at once,
// `probes`: the interpreter runs each op for all of them. Where a value begins, as the shape of a
// tensor does, it is the function of the symbols that has its values at the samples. Who reads a
// value learns whether it is one function of the symbols at all probes.
#pragma once

#include "SizeSolver.h"

#include "tw/Interpreter/Tensor.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <map>
#include <memory>

namespace tw::onnx {

/// Sizes within the ranges: all of one symbol, if they are not too many, beside some of the others.
/// `areAll` if no size is left out.
std::vector<std::vector<int64_t>> chooseProbes(llvm::ArrayRef<SizeRange> ranges, bool &areAll);

class SizeTrace : SizeSolver {
public:
  using GetKnown = llvm::function_ref<mlir::DenseElementsAttr(mlir::Value)>;

  /// The samples' sizes and results, which outlive it.
  SizeTrace(mlir::MLIRContext *context, llvm::ArrayRef<std::vector<int64_t>> samples,
            llvm::ArrayRef<std::vector<int64_t>> probes, llvm::ArrayRef<std::string> names,
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
  };
  Reading read(mlir::Value value, GetKnown known);

  /// Values are gone.
  void forget() { columns.clear(); }

private:
  /// A value at all probes, along dimension 0, and where there is one.
  struct Column {
    interp::Tensor values;
    llvm::BitVector isThere;
  };
  std::vector<std::vector<int64_t>> probes;
  size_t samples;
  llvm::ArrayRef<CountedSizes::Results> results;
  /// Null for what is the same at all sizes.
  llvm::DenseMap<mlir::Value, std::shared_ptr<Column>> columns;
  /// Those that ops are marked with.
  std::deque<std::shared_ptr<Column>> settled;
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
  std::shared_ptr<Column> makeColumn(mlir::RankedTensorType type, bool isThere) const;
  void mark(mlir::Value value, std::shared_ptr<Column> column);
};

} // namespace tw::onnx
