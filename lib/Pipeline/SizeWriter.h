// Sizes that a call settles, as symbols of the module file.
#pragma once

#include "tw/Dialect/View/View.h"
#include "tw/Format/ProgramBuilder.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace tw {

/// What a kernel takes beside its buffers: sizes, in the order of its scalars, and how many
/// programs run.
struct KernelSizes {
  /// The symbols that its code takes, then sizes of buffers that are none of them.
  llvm::SmallVector<Dim> scalars;
  /// Of each dimension of its grid: the size, and how much of it one program covers. Empty where
  /// the number of programs is fixed.
  llvm::SmallVector<std::pair<Dim, int64_t>> grid;

  unsigned getScalar(const Dim &dim);
};

/// The symbols of one function while its program is written.
class SizeWriter {
public:
  /// `ranges` are those of `tgraph.symbols`, or null.
  explicit SizeWriter(mlir::DictionaryAttr ranges) : ranges(ranges) {}

  /// Before all else: symbols that no argument has as a dimension follow from dimensions that are
  /// made of them, by division.
  void settle(mlir::ArrayRef<mlir::RankedTensorType> arguments);
  /// What has to be equal in a call, so that nothing was left of a division.
  llvm::ArrayRef<std::pair<uint32_t, uint32_t>> getChecks() const { return checks; }
  /// A symbol that no argument's size leads to, if there is one.
  const format::Symbol *findUnsettled() const;

  /// The symbol that has the size's value.
  uint32_t getSymbol(const Dim &dim);
  /// A tensor's dimensions as a signature has them.
  std::vector<int64_t> getDims(mlir::RankedTensorType type);
  /// Those that it has in memory.
  std::vector<int64_t> getStorageDims(mlir::RankedTensorType type);
  /// From here on calls are refused whose sizes leave the room that the tensor has in memory.
  void limitToRoom(mlir::RankedTensorType type);
  /// The value in a program.
  format::RegisterRef get(const Dim &dim, format::ProgramBuilder &program);
  /// 1 where the symbol is from `least` to `most`, else 0.
  format::RegisterRef isWithin(mlir::StringAttr symbol, int64_t least, int64_t most,
                               format::ProgramBuilder &program);
  /// Bytes of a tensor whose elements take so many each.
  format::RegisterRef getBytes(mlir::RankedTensorType type, uint64_t elementBytes,
                               format::ProgramBuilder &program);
  format::RegisterRef getPrograms(const KernelSizes &sizes, format::ProgramBuilder &program);

  /// Marks what may change from call to call without moving memory: symbols of state that has
  /// room, on which the sizes of nothing else depend that is handed over or reserved.
  void markLate(mlir::ArrayRef<mlir::RankedTensorType> signature);

  const std::vector<format::Symbol> &list() const { return table.list(); }

private:
  uint32_t getFree(mlir::StringAttr name);
  void solve(const Dim &dim, mlir::StringAttr unknown, uint32_t value);
  void solve(mlir::StringAttr name, mlir::StringAttr unknown, uint32_t value);
  std::vector<int64_t> getDims(llvm::ArrayRef<Dim> sizes);

  format::SymbolTable table;
  llvm::DenseMap<mlir::StringAttr, uint32_t> free;
  /// Symbols that arguments have as dimensions, sizes from which others follow among them.
  llvm::SmallPtrSet<mlir::StringAttr, 4> given;
  llvm::SmallVector<std::pair<Dim, uint32_t>> measured;
  llvm::SmallVector<std::pair<uint32_t, uint32_t>> checks;
  /// Symbols from which the sizes of reserved memory follow.
  llvm::SmallPtrSet<mlir::StringAttr, 4> reserved;
  mlir::DictionaryAttr ranges;
};

} // namespace tw
