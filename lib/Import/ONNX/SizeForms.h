// What elements of known values are as functions of the symbols, at all sizes of any ranges.
//
// Sizes that are tried say nothing of those between them where a range has more. A sum of multiples
// of symbols, of products and quotients stays one through arithmetic; and what it is compared with
// is below or above it at all sizes if it is so at the ends of the ranges.
#pragma once

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Import/ONNX/ONNX.h"
#include "tw/Support/Dim.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"

namespace tw::onnx {

class SizeForms {
public:
  /// An integer at all sizes, which a float may be, too; nothing where that is not known.
  using Form = std::optional<Dim>;

  SizeForms(llvm::ArrayRef<mlir::StringAttr> symbols, llvm::ArrayRef<SizeRange> ranges)
      : symbols(symbols), ranges(ranges) {}

  /// An element of what an elementwise op gives of these, or a reduction that combines them.
  Form apply(mlir::Operation *op, llvm::ArrayRef<Form> operands) const;
  /// The least and the most that it comes to, or what it is not below and not above.
  std::optional<std::pair<int64_t, int64_t>> getBounds(const Dim &dim) const;

private:
  llvm::ArrayRef<mlir::StringAttr> symbols;
  llvm::ArrayRef<SizeRange> ranges;

  int64_t stepOf(mlir::StringAttr symbol) const;
  Form divide(const Dim &dim, const Dim &divisor) const;
  Form compare(mlir::Operation *op, const Dim &a, const Dim &b) const;
  Form combine(graph::CombineKind kind, const Dim &a, const Dim &b) const;
  Form compute(mlir::Operation *op, mlir::Type type, llvm::ArrayRef<Form> operands) const;
  bool fits(mlir::Type type, const Form &form) const;
};

} // namespace tw::onnx
