// What of a program cannot be imported, collected over all nodes and reported once.
#pragma once

#include "tw/Support/Diagnostics.h"

#include "llvm/ADT/MapVector.h"

namespace tw::importer {

class Report {
public:
  /// Counts one node of `op` (with its domain if it is not the default one) that cannot be imported
  /// in this form ("" for the operator as a whole); `node` is how messages call it.
  void add(mlir::Location location, llvm::StringRef op, const llvm::Twine &form,
           const llvm::Twine &needed, const llvm::Twine &nearest, llvm::StringRef node);

  bool empty() const { return entries.empty(); }

  /// One error with a note per entry, in the order of the model; `what` is one of what it counts.
  llvm::LogicalResult emit(mlir::Location model, llvm::StringRef what = "node") const;

private:
  struct Entry {
    mlir::Location location;
    std::string op, form, needed, nearest, first;
    unsigned count = 0;
  };
  llvm::MapVector<std::string, Entry, std::map<std::string, unsigned>> entries;
};

} // namespace tw::importer
