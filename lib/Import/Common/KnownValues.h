// The values that are known while a program is imported.
//
// Shapes are computed with tensors. Whatever needs such a value asks here; it is evaluated on
// demand from constants, `tgraph` ops on them, and the values that the caller lets us assume for
// inputs of the program.
#pragma once

#include "tw/Support/FileResolver.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tw::importer {

class KnownValues {
public:
  /// What lies in files is found through `files`.
  explicit KnownValues(FileResolver &files) : files(files) {}

  /// Lets `value` (an argument of the function) count as this constant where a value must be known.
  void assume(mlir::Value value, mlir::DenseElementsAttr constant) { assumed[value] = constant; }

  /// The value that is assumed for `value`, if anything was asked that depends on it; else null.
  mlir::DenseElementsAttr getRelied(mlir::Value value) const {
    return relied.contains(value) ? assumed.lookup(value) : mlir::DenseElementsAttr();
  }

  /// The constant that `value` is, or null if it depends on inputs or has more than 65,536
  /// elements.
  mlir::DenseElementsAttr get(mlir::Value value);

  /// The same for who only looks, on which nothing depends; null where values are assumed, which
  /// are relied on by who asks.
  mlir::DenseElementsAttr peek(mlir::Value value) {
    return assumed.empty() ? get(value) : mlir::DenseElementsAttr();
  }

  /// Forgets what is known of values, some of which are gone.
  void forget() { values.clear(); }

protected:
  FileResolver &files;

private:
  bool collect(mlir::Value value, llvm::SetVector<mlir::Operation *> &ops,
               llvm::SetVector<mlir::Value> &leaves) const;

  llvm::MapVector<mlir::Value, mlir::DenseElementsAttr> assumed;
  llvm::DenseMap<mlir::Value, mlir::DenseElementsAttr> values;
  llvm::DenseSet<mlir::Value> relied;
};

/// Elements from their bytes in memory (one byte per bool).
mlir::DenseElementsAttr denseFromBytes(mlir::RankedTensorType type, llvm::StringRef bytes);

} // namespace tw::importer
