// One part of an access to memory: which lanes it reads or writes, and by which instruction.
#pragma once

#include "LaneMaps.h"

#include "tw/Dialect/View/View.h"

#include "llvm/ADT/SmallVector.h"

namespace tw::host {

/// Of each dimension, in elements.
inline llvm::SmallVector<int64_t> stridesOf(mlir::MemRefType type) {
  return llvm::SmallVector<int64_t>(type.getStridesAndOffset().first);
}

/// One part of an access: where it reads or writes and in which lanes.
class PartAccess {
public:
  PartAccess(const PartAccess &) = delete; // `lanes` refers to it
  PartAccess(mlir::OpBuilder &builder, mlir::Location location, const Parts &parts,
             mlir::RankedTensorType tile, const Part &part, mlir::TypeRange indexTypes,
             llvm::ArrayRef<mlir::ValueRange> indices, mlir::MemRefType memory, view::MapAttr map,
             std::optional<llvm::ArrayRef<bool>> inBounds, bool strays, int64_t sureLanes = 0);

  /// The part's values, of type `element` or, of booleans, as the bytes that memory holds: fills
  /// where nothing is read. With `longRuns`, conditions for all lanes change seldom.
  mlir::Value load(mlir::Value memory, mlir::Type element, bool longRuns = false);

  /// Fetches the line of the element `ahead` after the first one, if the access is contiguous: in
  /// memory, or as the first of `size` parts that lie packed. `fetched` is the element that a part
  /// before this one fetched, in which line this one may be.
  void prefetch(mlir::Value memory, int64_t ahead, bool isFar, mlir::AffineExpr &fetched,
                int64_t size = 1);

  /// Writes the lanes that are inside; past the caches if it is streaming and they are whole
  /// vectors, as may turn out at the sizes of a call.
  void store(mlir::Value memory, mlir::Value value, bool streaming);

  /// Where a store is of contiguous lanes, those before one that is known when the program runs,
  /// and of no other condition: their number, which may be negative or more than there are.
  std::optional<mlir::AffineExpr> getEnd() const;
  /// Whether another store ends there, too.
  bool endsWith(const PartAccess &other) const;
  /// The value of getEnd, and the index of the first lane.
  mlir::Value computeEnd();
  mlir::Value computeBase();
  /// Writes all lanes there.
  void storeAll(mlir::Value memory, mlir::Value value, mlir::Value base, bool streaming);
  const Part &getPart() const { return part; }

  /// Whether nothing is read or written, whatever the indices.
  bool isNever() const { return all.never; }

  /// Whether the parts lie packed in memory: element i of part g at size * i + g from the first.
  /// With `allowSpare`, some lanes may be beyond the tile.
  static bool arePacked(llvm::ArrayRef<PartAccess *> group, bool allowSpare);

  /// The values of parts that lie packed, this one's first: taken out of one vector.
  llvm::SmallVector<mlir::Value> loadPacked(mlir::Value memory, mlir::Type element, int64_t size);

  /// Writes the values of parts that lie packed, this one's first, as one vector.
  void storePacked(mlir::Value memory, llvm::ArrayRef<mlir::Value> values);

private:
  mlir::OpBuilder &builder;
  mlir::Location location;
  const Part &part;
  llvm::SmallVector<mlir::Value> indexValues;
  LaneMaps lanes;
  view::MapAttr map;
  bool strays, hasMasks;
  llvm::SmallVector<LaneMask> guards;
  /// All guards and all bounds; these, and inside the tile.
  LaneMask inside, all;
  mlir::AffineExpr address;

  static llvm::SmallVector<mlir::Value> select(const Parts &parts, const Part &part,
                                               mlir::TypeRange types,
                                               llvm::ArrayRef<mlir::ValueRange> indices);
  bool isWhole(mlir::AffineExpr rest) const;
  void storeVector(mlir::Value memory, mlir::Value value, mlir::Value base, bool streaming,
                   bool isWhole);
  mlir::Value constant(mlir::TypedAttr attribute, mlir::Type element);
  mlir::Value zeroIndex();
  /// Lanes one by one, all of which are inside.
  void storeApart(mlir::Value memory, mlir::Value value, const LaneMaps::Linear &form);
  std::pair<mlir::Value, mlir::Value> scattered(const std::optional<LaneMaps::Linear> &form);
  mlir::Value fromMemory(mlir::Value value, mlir::Type element);
  mlir::Value readable(mlir::Value index);
  mlir::Value loadScalar(mlir::Value memory, mlir::Value index, mlir::Value condition);
  mlir::Value isAnyInside();
  bool isMaskSplit(mlir::Type stored);
  mlir::Value materializeVarying();
  mlir::Value loadIfInside(mlir::Value memory, mlir::VectorType type, mlir::Value index,
                           mlir::Value passThrough);
  void storeIfInside(mlir::Value memory, mlir::Value value, mlir::Value index);
  mlir::Value loadInside(mlir::Value memory, mlir::Type element, mlir::Value fill, bool longRuns);
  mlir::Value applyGuards(mlir::Value value, mlir::Type element);
  void storeScalar(mlir::Value memory, mlir::Value value);
};

} // namespace tw::host
