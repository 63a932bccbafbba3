// The lists one step away from a list: what a search over schedules tries next.
#pragma once

#include "tw/Schedule/Plan.h"

namespace tw::schedule {

/// Sizes of parts that a machine of one thread has a use for.
struct MoveSizes {
  /// Of the tile's last dimension, and of its others.
  llvm::SmallVector<int64_t> lanes, rows;
  /// Of loops inside of others.
  llvm::SmallVector<int64_t> blocks;
  /// The most elements of a tile.
  int64_t mostElements = 1024;
  /// Results that may be stored past the caches: what reads them next does not find them there.
  llvm::SmallVector<kernel::StreamAttr> streamed;
};

/// A legal list in parts, and what there is in it to change. Each kind of primitive adds the lists
/// that differ by one decision of its own (`Primitive::move`); those that are not legal are found
/// out later.
class Moves {
public:
  using Names = llvm::SmallVector<mlir::StringAttr>;

  struct Leaf {
    mlir::StringAttr name;
    int64_t extent;
    unsigned axis;
    Role role;
    bool reduced;
  };
  /// A list whose axes have their places written out.
  struct List {
    llvm::SmallVector<mlir::Attribute> splits, marks;
    Names grid, order, tile;

    Names &of(Role role) { return role == Role::Grid ? grid : role == Role::Tile ? tile : order; }
  };

  /// The list has no primitives that rewrite the kernel or make others of it; `plan` is its plan.
  Moves(kernel::KernelOp kernel, kernel::ScheduleAttr list, const Plan &plan,
        const MoveSizes &sizes);

  /// The lists that all kinds of primitives add, without those that were added before.
  llvm::SmallVector<kernel::ScheduleAttr> collect();

  /// Adds a list.
  void add(const List &next);
  /// Adds the list with one mark more, or without one.
  void addMark(mlir::Attribute mark);
  void addWithout(mlir::Attribute mark);
  /// Adds the list with another mark in the place of one.
  void addInstead(mlir::Attribute mark, mlir::Attribute other);
  /// The marks of one kind.
  template <typename Attr> auto getMarks() const {
    return llvm::map_to_vector(llvm::make_filter_range(list.marks, llvm::IsaPred<Attr>),
                               [](mlir::Attribute mark) { return mlir::cast<Attr>(mark); });
  }

  /// Elements of the tile, and of it with `extent` points instead of the leaf's.
  int64_t getElements() const;
  /// A name that no axis has, made of the leaf's.
  mlir::StringAttr makeName(mlir::StringAttr leaf, llvm::StringRef suffix) const;

  mlir::MLIRContext *const context;
  const MoveSizes &sizes;
  List list;
  llvm::SmallVector<Leaf> leaves;
  /// Names of loads; of reductions, contractions and scans; of other values that several of these
  /// and of stores need.
  Names loads, sums, shared;
  /// Kernels with a maximum or a mean over an axis may reduce it online.
  bool hasMaximum = false;
  /// The kernel's own axes, and those of which something is masked.
  Names axes, skippable;

private:
  void readValues(kernel::KernelOp kernel);

  llvm::SmallVector<kernel::ScheduleAttr> found;
  llvm::SmallPtrSet<mlir::Attribute, 16> seen;
};

} // namespace tw::schedule
