// Splitting of tiles into scalars and vectors.
#include "Parts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw::host;

unsigned Parts::lanes(RankedTensorType tile) const {
  int64_t last = tile.getRank() == 0 ? 1 : tile.getShape().back();
  if (last <= 1)
    return 1;
  return std::min<uint64_t>(maxLanes, llvm::PowerOf2Ceil(last));
}

unsigned Parts::perRow(RankedTensorType tile) const {
  int64_t last = tile.getRank() == 0 ? 1 : tile.getShape().back();
  return llvm::divideCeil(last, lanes(tile));
}

unsigned Parts::count(RankedTensorType tile) const {
  int64_t rows = 1;
  for (int64_t extent : tile.getShape().drop_back(tile.getRank() == 0 ? 0 : 1))
    rows *= extent;
  return rows * perRow(tile);
}

Type Parts::type(RankedTensorType tile) const {
  return laneType(tile.getElementType(), lanes(tile));
}

SmallVector<Part> Parts::split(RankedTensorType tile) const {
  SmallVector<Part> result;
  unsigned width = lanes(tile), total = count(tile);
  Part part{SmallVector<int64_t>(tile.getRank(), 0), width, 1};
  for (unsigned i = 0; i < total; ++i) {
    if (width != 1)
      part.valid = std::min<int64_t>(width, tile.getShape().back() - part.coordinates.back());
    result.push_back(part);
    int64_t dim = tile.getRank() - 1;
    if (dim < 0)
      break;
    part.coordinates[dim] += width;
    while (dim > 0 && part.coordinates[dim] >= tile.getDimSize(dim)) {
      part.coordinates[dim] = 0;
      part.coordinates[--dim] += 1;
    }
  }
  return result;
}

unsigned Parts::indexOf(RankedTensorType tile, ArrayRef<int64_t> coordinates) const {
  unsigned index = 0;
  for (int64_t dim = 0; dim < tile.getRank(); ++dim) {
    bool last = dim + 1 == tile.getRank();
    int64_t at = tile.getDimSize(dim) == 1 ? 0 : coordinates[dim];
    index = index * (last ? perRow(tile) : tile.getDimSize(dim)) + (last ? at / lanes(tile) : at);
  }
  return index;
}

Value tw::host::splatConstant(OpBuilder &builder, Location location, TypedAttr value,
                              unsigned lanes) {
  if (lanes == 1)
    return arith::ConstantOp::create(builder, location, value);
  auto type = VectorType::get({int64_t(lanes)}, value.getType());
  return arith::ConstantOp::create(builder, location,
                                   DenseElementsAttr::get(type, Attribute(value)));
}

Value tw::host::splat(OpBuilder &builder, Location location, Value value, unsigned lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, location,
                                     VectorType::get({int64_t(lanes)}, value.getType()), value);
}

Type tw::host::memoryElement(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return type;
  return IntegerType::get(type.getContext(), integer.getWidth() == 1 ? 8 : integer.getWidth());
}

TileTypeConverter::TileTypeConverter(const Parts &parts) {
  addConversion([](Type type) { return type; });
  addConversion([](MemRefType type) -> Type {
    Type element = memoryElement(type.getElementType());
    if (llvm::is_contained(type.getShape(), 0))
      return MemRefType::get({0}, element);
    int64_t last = 0;
    for (auto [extent, stride] : llvm::zip(type.getShape(), type.getStridesAndOffset().first))
      last += (extent - 1) * stride;
    return MemRefType::get({last + 1}, element);
  });
  addConversion([parts](RankedTensorType type,
                        SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
    results.append(parts.count(type), parts.type(type));
    return success();
  });
}
