// How a tile splits into native values: the parts.
//
// A tile of shape [.., n] becomes one value per row and group of lanes, in row-major order. Where
// n = 1 a part is a scalar; else a vector of `width` lanes, the largest power of two that n fills
// or starts and that the target has. The last part of a row may have lanes beyond n: they hold
// defined values that nobody reads.
#pragma once

#include "tw/Dialect/Tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tw::host {

struct DotProducts;
struct MatrixUnit;

/// One part of a tile.
struct Part {
  /// Coordinates of lane 0.
  llvm::SmallVector<int64_t> coordinates;
  /// 1 for a scalar.
  unsigned lanes = 1;
  /// Lanes inside the tile, from lane 0.
  unsigned valid = 1;
};

/// The splitting for a target of `maxLanes` lanes, whose longest vectors, where values lie packed,
/// are of `longest` elements; 0: of any. `masks`: it stores under masks as fast as whole vectors;
/// `dearMasks`: a store under a mask takes longer than several others.
class Parts {
public:
  explicit Parts(unsigned maxLanes, unsigned longest = 0, bool masks = true, bool dearMasks = false)
      : maxLanes(maxLanes), longest(longest), masks(masks), dearMasks(dearMasks) {}

  unsigned lanes(mlir::RankedTensorType tile) const;
  /// Parts of one row along the last dimension.
  unsigned perRow(mlir::RankedTensorType tile) const;
  unsigned count(mlir::RankedTensorType tile) const;
  /// The type of each part: `element` or a vector of it.
  mlir::Type type(mlir::RankedTensorType tile) const;
  llvm::SmallVector<Part> split(mlir::RankedTensorType tile) const;
  /// The part of `tile` that holds the element at `coordinates`, where dimensions of extent 1 are
  /// read at 0.
  unsigned indexOf(mlir::RankedTensorType tile, llvm::ArrayRef<int64_t> coordinates) const;

  /// Whether there are vectors of so many elements.
  bool hasVectors(unsigned elements) const {
    return longest == 0 || (elements <= longest && (elements & (elements - 1)) == 0);
  }

  /// Whether lanes of vectors change places by what a language says of each of them.
  bool exchangesDearly() const { return longest != 0; }

  bool hasMasks() const { return masks; }
  bool masksAreDear() const { return dearMasks; }

private:
  unsigned maxLanes, longest;
  bool masks, dearMasks;
};

/// `type` or a vector of `lanes` of it.
inline mlir::Type laneType(mlir::Type type, unsigned lanes) {
  return lanes == 1 ? type : mlir::VectorType::get({int64_t(lanes)}, type);
}

/// `value` in all lanes: an attribute as a constant.
mlir::Value splatConstant(mlir::OpBuilder &builder, mlir::Location location, mlir::TypedAttr value,
                          unsigned lanes);
/// A scalar repeated; a vector as it is.
mlir::Value splat(mlir::OpBuilder &builder, mlir::Location location, mlir::Value value,
                  unsigned lanes);

/// Tiles to parts, memory to flat memory of signless elements (i1 in bytes).
class TileTypeConverter : public mlir::TypeConverter {
public:
  explicit TileTypeConverter(const Parts &parts);
};

/// The element type that memory of `type` is accessed with.
mlir::Type memoryElement(mlir::Type type);

/// On a vector's store past the caches whose address may be between vectors.
inline constexpr llvm::StringLiteral streamedAttribute = "tw.streamed";
/// Notes on a function what its program says of sizes for such stores.
void noteStreams(tile::FuncOp program, mlir::func::FuncOp function);
/// Lets a converted function stream only to buffers that are aligned for it, and at sizes for which
/// that is meant.
void chooseStreams(mlir::func::FuncOp function);

/// Writes maxima and minima of floats with a constant as comparisons that are single instructions.
void expandExtrema(mlir::func::FuncOp function);

void populateAccessPatterns(const TileTypeConverter &converter, const Parts &parts,
                            mlir::RewritePatternSet &patterns);
void populateComputePatterns(const TileTypeConverter &converter, const Parts &parts,
                             mlir::RewritePatternSet &patterns);
/// Faster than the elementwise pattern, which they take precedence over.
void populateDivisionPatterns(const TileTypeConverter &converter, const Parts &parts, bool exact,
                              mlir::RewritePatternSet &patterns);
/// `dots`: at most one of a kind is used, the first.
void populateMmaPatterns(const TileTypeConverter &converter, const Parts &parts,
                         llvm::ArrayRef<const DotProducts *> dots,
                         mlir::RewritePatternSet &patterns);
/// Gives the registers of a matrix unit the shapes of the products of a program, all at once where
/// they agree, else at the beginning of each.
void configureUnits(tile::FuncOp program, const MatrixUnit &unit);
/// Of tiles in blocks, of which `units` has at most one of a kind; adds their types.
void populateBlockPatterns(TileTypeConverter &converter, llvm::ArrayRef<const MatrixUnit *> units,
                           mlir::RewritePatternSet &patterns);
void populateReducePatterns(const TileTypeConverter &converter, const Parts &parts,
                            mlir::RewritePatternSet &patterns);
void populateScanPatterns(const TileTypeConverter &converter, const Parts &parts,
                          mlir::RewritePatternSet &patterns);
void populateTeamPatterns(const mlir::TypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace tw::host
