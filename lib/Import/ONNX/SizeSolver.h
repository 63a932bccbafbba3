// What a size of a model is as a function of its symbols, from what it is at samples.
#pragma once

#include "tw/Dialect/Graph/SymbolicShape.h"
#include "tw/Import/ONNX/Generalize.h"

namespace tw::onnx {

/// Of samples at the sizes that `chooseSizes` says, which outlive it.
class SizeSolver {
public:
  SizeSolver(mlir::MLIRContext *context, llvm::ArrayRef<std::vector<int64_t>> sizes,
             llvm::ArrayRef<std::string> names, llvm::ArrayRef<SizeRange> ranges, size_t paired);

  /// The sum of multiples of symbols, or of products of two, or of quotients that other sizes are,
  /// or a quotient of one that has these values at the samples.
  std::optional<graph::Dim> solve(llvm::ArrayRef<int64_t> values);
  /// The size where symbols are `sample`; nothing if it has others, or one that is negative, which
  /// is not there.
  std::optional<int64_t> evaluate(const graph::Dim &dim, llvm::ArrayRef<int64_t> sample);

  const KnownSizes &getKnown() const { return learned; }
  void setKnown(const KnownSizes &known) { learned = known; }
  /// Whether the size has these values; it is what they are from then on.
  bool learn(const std::vector<int64_t> &values, const graph::Dim &dim);

protected:
  llvm::ArrayRef<std::vector<int64_t>> sizes;
  llvm::ArrayRef<SizeRange> ranges;
  llvm::SmallVector<mlir::StringAttr> symbols;
  /// Products are those of the first symbols.
  size_t paired;
  /// Whether what is found beside known parts is compared at other sizes, too.
  bool looksBesideParts = true;

  /// Quotients of one symbol are remembered: other sizes may be multiples of them.
  void noteQuotients(const graph::Dim &dim);
  /// What values are known to be that something has read.
  std::optional<graph::Dim> findKnown(llvm::ArrayRef<int64_t> values) const;
  /// The same of where parts begin, of which those without elements may begin anywhere; nothing
  /// where several are alike.
  std::optional<graph::Dim> findKnownOfSome(llvm::ArrayRef<int64_t> values,
                                            llvm::ArrayRef<int64_t> lengths) const;
  bool hasValues(const graph::Dim &dim, llvm::ArrayRef<int64_t> values);
  static llvm::SmallVector<int64_t> getSizes(llvm::ArrayRef<mlir::RankedTensorType> types,
                                             int64_t dim);
  /// What a reshape leaves for a dimension where all others are known: the elements over these.
  std::optional<graph::Dim> findReshaped(mlir::Operation *op,
                                         llvm::ArrayRef<mlir::RankedTensorType> types, int64_t dim);
  /// A tensor of the program has a dimension of the size: others with its values are alike, as what
  /// is expanded to be added to it. Its quotients are remembered, too.
  void noteSize(llvm::ArrayRef<int64_t> values, const graph::Dim &dim);
  /// The same as `solve` of what may be negative; nothing where both are known, and differ.
  std::optional<graph::Dim> solveNumber(llvm::ArrayRef<int64_t> values);

private:
  KnownSizes learned;
  /// Of tensors of the program; nothing where several have the same values.
  std::map<std::vector<int64_t>, std::optional<graph::Dim>> noted;
  /// What sizes are multiples of: of each symbol itself, or a quotient of it.
  struct Variables {
    llvm::SmallVector<graph::Dim> dims;
    /// Their values at the samples.
    std::vector<std::vector<int64_t>> sizes;
    llvm::SmallVector<int64_t> steps;
  };
  /// Of each symbol the quotients that sizes have been.
  llvm::SmallVector<llvm::SmallVector<graph::Dim, 1>> quotients;

  /// A sum of multiples and a quotient that another size is, or less that, as what is left of a
  /// dimension behind its third: one quotient with all multiples of its symbol.
  std::optional<graph::Dim> solveBesideQuotient(llvm::ArrayRef<int64_t> values);
  /// A sum of multiples beside one of what is known to be part of sizes, of a multiple of a
  /// quotient, or of a square.
  std::optional<graph::Dim> solveBesideParts(llvm::ArrayRef<int64_t> values);
  std::optional<graph::Dim> solveBesideMultiple(llvm::ArrayRef<int64_t> values);
  std::optional<graph::Dim> solveSquare(llvm::ArrayRef<int64_t> values);
  /// The sum of multiples that is left where `times` of these parts are taken off.
  std::optional<graph::Dim> solveRest(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> parts,
                                      int64_t times, const Variables &variables);
  /// 0 chooses the symbol itself, others one of its quotients.
  Variables getVariables(llvm::ArrayRef<unsigned> choice);
  /// A symbol over a number, rounded down or up, and a number beside it; nothing where samples do
  /// not tell which.
  std::optional<graph::Dim> solveQuotient(llvm::ArrayRef<int64_t> values);
  std::optional<graph::Dim> solveRoundedQuotient(llvm::ArrayRef<int64_t> values);
  /// The denominator of change / moved, if what moves is a multiple of it.
  static std::optional<int64_t> findDivisor(int64_t moved, int64_t change, int64_t step);
  std::optional<graph::Dim> solveProducts(llvm::ArrayRef<int64_t> values,
                                          const Variables &variables);
  std::optional<graph::Dim> solveLinear(llvm::ArrayRef<int64_t> values, const Variables &variables);
};

/// The most of the samples, which is beyond a range in which there would be no other one.
int64_t getMostSampled(const SizeRange &range);
/// As many neighbours as are sampled, if the range has fewer and more than one.
SizeRange widen(SizeRange range);

/// What is left of the product of all these where the others are taken out of it; nothing where
/// they are no factors at all sizes.
std::optional<Dim> findFactor(llvm::ArrayRef<Dim> all, llvm::ArrayRef<Dim> others);

} // namespace tw::onnx
