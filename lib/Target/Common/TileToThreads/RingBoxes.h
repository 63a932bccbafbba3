// Rings that one thread fills with boxes of tensors.
#pragma once

#include "tw/Dialect/Tile/Tile.h"

#include "llvm/ADT/SetVector.h"

namespace tw::threads {

/// The rings of a program that boxes can fill: rows of operands, which matrix units alone read.
class RingBoxes {
public:
  /// `inPlace`: what the units read.
  RingBoxes(tile::FuncOp func, const llvm::SmallSetVector<mlir::Operation *, 4> &inPlace)
      : func(func), inPlace(inPlace) {}

  /// Whether there are any; says on the memory of others why threads fill them.
  bool find();
  /// Lays them out in rows whose runs trade places, has boxes copied into them, and awaits these
  /// slot by slot. Gives the rings.
  llvm::SmallVector<mlir::Operation *> place();

private:
  struct Ring {
    tile::AllocOp alloc;
    int64_t slots, rows, columns;
    /// Columns of a part of a row, in which runs trade places.
    int64_t width;

    int64_t getBytes() const; ///< of a slot
  };
  struct Filling {
    tile::StoreOp store;
    tile::BoxAttr box;
  };
  /// A wait for a slot, and how often that was awaited before, beside the iterations of the loop
  /// around.
  struct Step {
    tile::BarrierOp barrier;
    int64_t slot, before;
  };

  tile::FuncOp func;
  const llvm::SmallSetVector<mlir::Operation *, 4> &inPlace;
  llvm::SmallVector<Ring, 2> rings;
  llvm::SmallVector<Filling> fillings;
  /// All that fill rings, in order, and the memory of those that threads fill.
  llvm::SmallVector<tile::StoreOp> stores;
  llvm::SmallPtrSet<mlir::Operation *, 2> refused;
  llvm::SmallVector<Step> steps;

  Ring *lookup(mlir::Value memory);
  std::string addRing(tile::AllocOp alloc);
  std::string addFilling(tile::StoreOp store);
  void refuse(mlir::Operation *alloc, llvm::StringRef why);
  void placeBoxes(int64_t bytes);
  void countEach();
  std::string addStep(tile::BarrierOp barrier, llvm::MutableArrayRef<int64_t> counts);
  std::string addSteps();
  bool awaitsAll(llvm::ArrayRef<int64_t> awaited);
  bool hasRoom();
  std::optional<int64_t> findSlot(tile::BarrierOp barrier);
  void layInParts(const Ring &ring);
  mlir::Value makeArrivals();
};

} // namespace tw::threads
