// Random schedules for a kernel, each primitive drawn by its kind.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

#include "llvm/ADT/SmallBitVector.h"

#include <random>

namespace tw::schedule {

enum class Phase;

using Random = std::mt19937_64;

/// What was drawn, and what was refused on the way.
struct Drawn {
  kernel::ScheduleAttr schedule;
  /// Lists of primitives that were refused with a reason.
  unsigned refused = 0;
  /// Refused without a reason: a defect.
  unsigned silent = 0;
  /// Keywords of primitives that few kernels admit, and whether this one does in some schedule.
  llvm::SmallVector<std::pair<llvm::StringRef, bool>> admits = {};
};

/// A reduction and one of its axes, which may be reduced in parts.
struct FactoredSum {
  mlir::StringAttr sum, axis;
  int64_t extent;
};

/// What of a kernel, as the head of a list leaves it, those primitives may name that few kernels
/// admit: skip, team, rfactor and online.
struct Admitted {
  llvm::SmallVector<mlir::StringAttr> skippable, shareable;
  llvm::SmallVector<FactoredSum> factored;
  llvm::SmallVector<unsigned> onlineAxes;
  /// As Drawn has them.
  llvm::SmallVector<std::pair<llvm::StringRef, bool>> kinds;
};

/// The same by heads, for those who draw more than one list for a kernel.
using AdmittedByHead = llvm::DenseMap<mlir::Attribute, Admitted>;

/// One schedule while it is drawn: the list so far, and what of the kernel there is to draw from.
/// Primitives of the head are drawn first, then those of the plan in the order of Primitives.def,
/// then some of them again.
class Drawing {
public:
  using Names = llvm::SmallVector<mlir::StringAttr>;

  /// A tile of one thread; larger ones take long to compile.
  static constexpr int64_t mostElements = 128;
  /// Points that loops run through, those beyond the axes too.
  static constexpr int64_t mostPoints = 1 << 21;
  static constexpr int64_t factors[] = {1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16, 17, 24, 31, 32};

  struct Leaf {
    mlir::StringAttr name;
    int64_t extent;
    bool reduced;
    unsigned axis; ///< of the kernel as the head of the list leaves it
  };
  using Factored = FactoredSum;
  /// The axes that a maximum is reduced over, else a sum, and those of its result.
  struct Maximum {
    llvm::SmallBitVector over, along;
  };

  /// A schedule of up to `depth` primitives. Every op of the kernel has a name. What is found to be
  /// admitted is looked up in `known`, if given, and put there; it is that of the kernel alone.
  Drawing(kernel::KernelOp kernel, Random &random, unsigned depth, AdmittedByHead *known = nullptr);
  Drawn draw();

  uint64_t below(uint64_t limit) { return random() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename List> auto &pick(List &from) { return from[below(std::size(from))]; }
  mlir::StringAttr text(const llvm::Twine &name) {
    return mlir::StringAttr::get(context, name.str());
  }

  /// Adds the primitives if the list stays legal.
  bool add(mlir::ArrayRef<mlir::Attribute> primitives);
  bool isLegalWith(mlir::ArrayRef<mlir::Attribute> primitives);
  /// The kernel that the primitives at the head of the list make.
  mlir::OwningOpRef<kernel::KernelOp> rewrite();
  /// Draws the rest of the list for the kernel in front that its last primitive makes; nothing
  /// follows then. False where there is none.
  bool drawParts();

  kernel::KernelOp kernel;
  mlir::MLIRContext *const context;
  Random &random;
  const unsigned depth;
  llvm::SmallVector<mlir::Attribute> list;
  /// The axes as splits leave them, and those that were made loops.
  llvm::SmallVector<Leaf> leaves, loops;
  /// Names of values: loads, others, and of those the reductions.
  Names loads, values, sums;
  /// Axes that a split does not divide.
  Names padded;
  /// What was found that skip, team, rfactor and online may name.
  Names skippable, shareable;
  llvm::SmallVector<Factored> factored;
  llvm::SmallVector<unsigned> onlineAxes;
  std::optional<Maximum> maximum;
  /// Elements that a dot instruction sums, of contractions of narrow elements; 0 without any.
  int64_t group = 0;
  /// The axes have their places.
  bool placed = false;
  /// Values of any kind of which one in five is kept somewhere, beside what else is drawn.
  unsigned moreKept = 0;

private:
  /// What the kernel has to draw from.
  void readKernel(kernel::KernelOp from);
  void drawPhase(Phase phase);
  /// Finds what primitives that few kernels admit may name.
  void findAdmitted();
  /// Draws one of the kinds again.
  void drawMore();

  AdmittedByHead *known;
  bool done = false;
  Drawn result;
};

} // namespace tw::schedule
