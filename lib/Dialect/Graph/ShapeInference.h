// Checks that inference of result types shares. Each takes the op's name and an optional location;
// with a location it reports what it refuses.
#pragma once

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/Diagnostics.h"

namespace tw::graph {

/// Reports for one op during inference or verification.
class ShapeChecker {
public:
  ShapeChecker(std::optional<mlir::Location> location, llvm::StringRef opName)
      : location(location), opName(opName) {}
  explicit ShapeChecker(mlir::Operation *op)
      : ShapeChecker(op->getLoc(), op->getName().getStringRef()) {}

  template <typename... Args> llvm::LogicalResult error(Code code, Args &&...args) const {
    if (!location)
      return llvm::failure();
    CodedDiagnostic diagnostic = tw::emitError(*location, code);
    diagnostic << "'" << opName << "' op ";
    (void)(diagnostic << ... << std::forward<Args>(args));
    return llvm::failure();
  }

  /// The symbolic shape of a ranked tensor type.
  llvm::FailureOr<Shape> shape(mlir::Type type) const;

  /// `list` has `length` entries.
  llvm::LogicalResult length(llvm::StringRef name, llvm::ArrayRef<int64_t> list,
                             size_t length) const;
  /// Every entry of `list` is at least `least` and at most 2^31 - 1.
  llvm::LogicalResult range(llvm::StringRef name, llvm::ArrayRef<int64_t> list,
                            int64_t least) const;
  /// `dims` are dimensions of a tensor of `rank`, none twice.
  llvm::LogicalResult dims(llvm::StringRef name, llvm::ArrayRef<int64_t> dims, size_t rank) const;

  /// The size that a sliding window leaves of a dimension of one of the operands, see tgraph.conv.
  static Dim windowed(const Dim &size, int64_t window, int64_t stride, int64_t dilation,
                      int64_t padLow, int64_t padHigh, mlir::ValueRange operands);

private:
  std::optional<mlir::Location> location;
  llvm::StringRef opName;
};

} // namespace tw::graph
