// Draws one schedule: the state that all parts of drawing share.
#pragma once

#include "Draw.h"

#include "llvm/ADT/SmallBitVector.h"

namespace tw::fuzz {

class Drawer {
public:
  Drawer(kernel::KernelOp kernel, Random &random, unsigned depth)
      : kernel(kernel), context(kernel.getContext()), random(random), depth(depth) {
    readKernel(kernel);
  }

  Drawn draw();

private:
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
    unsigned axis; ///< of the kernel as merges leave it
  };
  /// A reduction and one of its axes, which may be reduced in parts.
  struct Factored {
    mlir::StringAttr sum, axis;
    int64_t extent;
  };
  /// The axes that a maximum is reduced over, and those of its result.
  struct Maximum {
    llvm::SmallBitVector over, along;
  };

  uint64_t below(uint64_t limit) { return random() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }
  mlir::StringAttr text(const llvm::Twine &name) {
    return mlir::StringAttr::get(context, name.str());
  }
  template <typename List> auto &pick(List &from) { return from[below(std::size(from))]; }

  /// Adds the primitives if the list stays legal.
  bool add(mlir::ArrayRef<mlir::Attribute> primitives);
  bool isLegalWith(mlir::ArrayRef<mlir::Attribute> primitives);
  kernel::RfactorAttr getRfactor(const Factored &from, int64_t length);

  /// What the kernel has to draw from.
  void readKernel(kernel::KernelOp from);
  /// The kernel that the primitives at the head of the list make.
  mlir::OwningOpRef<kernel::KernelOp> rewrite();
  /// Which primitives that few kernels admit this one does, in some schedule.
  void findAdmitted();

  void drawMerges();
  /// Reduces an axis in parts; what follows is the schedule of the kernel of the parts.
  bool drawRfactor();
  void drawWiden();
  void drawSplit(bool grouped = false);

  void drawRoles();
  void drawPlaces();
  /// Places the axes so that one of the maximum is mostly online: what the maximum does not run
  /// along in the grid or the tile, its own axes in loops around, what it is computed from inside.
  bool drawOnline();
  /// Lets threads share a loop, or two next to each other.
  void drawTeam();

  void drawExtra();
  /// Pads an axis that a split does not divide, mostly with all that is loaded in panels.
  void drawPad();
  void drawStage();
  /// Dimensions of a buffer that are legal mostly: the leaves inside of the stage along which the
  /// value varies.
  Names drawBufferOrder(mlir::StringAttr value, mlir::StringAttr loop, bool global);

  kernel::KernelOp kernel;
  mlir::MLIRContext *context;
  Random &random;
  unsigned depth;
  llvm::SmallVector<Leaf> leaves, loops;
  Names loads, values, sums, padded, skippable, shareable;
  llvm::SmallVector<Factored> factored;
  std::optional<Maximum> maximum;
  llvm::SmallVector<unsigned> onlineAxes;
  /// Elements that a dot instruction sums, of contractions of narrow elements; 0 without any.
  int64_t group = 0;
  llvm::SmallVector<mlir::Attribute> list;
  Drawn result;
};

} // namespace tw::fuzz
