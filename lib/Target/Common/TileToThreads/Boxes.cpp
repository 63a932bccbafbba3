// Boxes of tensors that loads read.
//
//   (d0, d1, d2) -> (d2 * 64 + d0, d3 * 256 + d1) of 8192x8192, in parts of 64 columns
//   ->   at (0, d2 * 64, d3 * 4) of 64 x 8192 x 128, a box of 64 x 64 x 4
#include "Boxes.h"

#include "tw/Dialect/Tile/GroupAttrs.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

/// Points of a box along a dimension and dimensions of a tensor at most; what the bytes from one
/// point to the next are a multiple of, and their bits.
static constexpr int64_t mostPoints = 256, mostRank = 5, strideUnit = 16, strideBits = 40,
                         extentBits = 32;

namespace {

class BoxFinder {
public:
  explicit BoxFinder(const BoxRequest &request)
      : request(request), context(request.load->getContext()),
        map(tile::LoadOp(request.load).getMap().getMap()),
        rank(cast<RankedTensorType>(tile::LoadOp(request.load).getResult().getType()).getRank()) {}

  FailureOr<tile::BoxAttr> find(std::string &why) {
    walkTensor();
    why = isMasked() ? "an operand is masked where it is read" : addDims();
    if (why.empty())
      why = addParts();
    if (why.empty())
      why = check();
    if (!why.empty())
      return failure();
    AffineMap coordinates = AffineMap::get(map.getNumDims() - rank, 0, at, context);
    return tile::BoxAttr::get(context, AffineMapAttr::get(coordinates), extents,
                              ArrayRef(strides).drop_front(), box);
  }

private:
  /// A dimension of the tensor that is walked through.
  struct Dim {
    AffineExpr coordinate;
    int64_t extent, stride;
  };

  const BoxRequest &request;
  MLIRContext *context;
  AffineMap map;
  unsigned rank;
  SmallVector<Dim> dims; ///< outermost first
  /// Of the box, innermost first.
  SmallVector<AffineExpr> at;
  SmallVector<int64_t> extents, strides, box;

  AffineExpr simplify(AffineExpr expr) const {
    return simplifyAffineExpr(expr, map.getNumDims(), 0);
  }
  AffineExpr constant(int64_t value) const { return getAffineConstantExpr(value, context); }

  /// Dimensions that the load walks through as one are one: (x floordiv n, x mod n) is x.
  void walkTensor() {
    auto type = cast<MemRefType>(tile::LoadOp(request.load).getSource().getType());
    int64_t stride = type.getNumElements();
    for (auto [coordinate, extent] : llvm::zip(map.getResults(), type.getShape())) {
      stride /= extent;
      if (!dims.empty() && dims.back().coordinate.getKind() == AffineExprKind::FloorDiv) {
        AffineExpr whole = cast<AffineBinaryOpExpr>(dims.back().coordinate).getLHS();
        if (dims.back().coordinate == whole.floorDiv(extent) && coordinate == whole % extent) {
          dims.back() = {whole, dims.back().extent * extent, stride};
          continue;
        }
      }
      dims.push_back({coordinate, extent, stride});
    }
  }

  /// Whether all that is read inside of the tensor satisfies the constraint, or nobody wants the
  /// rest.
  bool isImplied(AffineExpr constraint, IntegerAttr end) const {
    auto follows = [&](AffineExpr bound) {
      auto rest = dyn_cast<AffineConstantExpr>(simplify(constraint - bound));
      return rest && rest.getValue() >= 0;
    };
    if (end && follows(end.getInt() - 1 - getAffineDimExpr(map.getNumDims() - 1, context)))
      return true;
    return llvm::any_of(dims, [&](const Dim &dim) {
      return follows(dim.coordinate) || follows(dim.extent - 1 - dim.coordinate);
    });
  }

  bool isMasked() const {
    auto isZero = [](TypedAttr fill) {
      if (auto number = dyn_cast<IntegerAttr>(fill))
        return number.getValue().isZero();
      auto number = dyn_cast<FloatAttr>(fill);
      return number && number.getValue().isPosZero();
    };
    tile::LoadOp load = request.load;
    auto end = load->getAttrOfType<IntegerAttr>(tile::beforeAttrName);
    Type element = cast<RankedTensorType>(load.getResult().getType()).getElementType();
    if (!isZero(load.getMap().getOutsideFill(element)))
      return true;
    return llvm::any_of(load.getMap().getGuards(), [&](view::GuardAttr guard) {
      return !isZero(guard.getFill()) || guard.getSet().getNumEqualities() != 0 ||
             !llvm::all_of(guard.getSet().getConstraints(),
                           [&](AffineExpr constraint) { return isImplied(constraint, end); });
    });
  }

  void add(AffineExpr coordinate, int64_t extent, int64_t stride, int64_t points) {
    at.push_back(coordinate);
    extents.push_back(extent);
    strides.push_back(stride);
    box.push_back(points);
  }

  std::string addDims() {
    constexpr const char *noBox = "rows of an operand are no box of a tensor";
    SmallVector<AffineExpr> origin, toIndices;
    for (unsigned d = 0; d < map.getNumDims(); ++d) {
      origin.push_back(d < rank ? constant(0) : getAffineDimExpr(d, context));
      toIndices.push_back(d < rank ? constant(0) : getAffineDimExpr(d - rank, context));
    }
    bool hasRows = false;
    for (const Dim &dim : llvm::reverse(dims)) {
      AffineExpr moves = simplify(dim.coordinate - simplify(dim.coordinate.replaceDims(origin)));
      bool isColumn = at.empty(),
           isRow = !isColumn && !hasRows && moves == getAffineDimExpr(request.row, context);
      if (isColumn ? moves != getAffineDimExpr(request.column, context)
                   : !isRow && moves != constant(0))
        return noBox;
      AffineExpr first = simplify(dim.coordinate.replaceDims(toIndices));
      // What is not there is no dimension.
      if (!isColumn && !isRow && dim.extent == 1 && first == constant(0))
        continue;
      hasRows |= isRow;
      add(first, dim.extent, dim.stride, isColumn ? request.width : isRow ? request.rows : 1);
    }
    return hasRows ? "" : noBox;
  }

  /// Parts of rows beside each other are a dimension of their own, where the tensor has whole ones.
  std::string addParts() {
    int64_t width = request.width;
    if (request.columns == width || extents[0] % width != 0 || !at[0].isMultipleOf(width) ||
        int64_t(at.size()) == mostRank)
      return "";
    add(simplify(at[0].floorDiv(width)), extents[0] / width, width, request.columns / width);
    at[0] = constant(0);
    extents[0] = width;
    return "";
  }

  std::string check() const {
    if (int64_t(at.size()) > mostRank)
      return ("an operand has " + Twine(at.size()) + " dimensions").str();
    int64_t bytes = cast<MemRefType>(tile::LoadOp(request.load).getSource().getType())
                        .getElementTypeBitWidth() /
                    8;
    for (auto [extent, stride, points] : llvm::zip(extents, strides, box)) {
      if (stride != 1 && stride * bytes % strideUnit != 0)
        return ("rows of an operand are " + Twine(stride * bytes) +
                " bytes apart, no multiple of " + Twine(strideUnit))
            .str();
      if (points > mostPoints)
        return ("a box of " + Twine(points) + " rows, more than " + Twine(mostPoints)).str();
      if (extent >> extentBits != 0 || stride * bytes >> strideBits != 0)
        return "an operand is too large";
    }
    return "";
  }
};

} // namespace

FailureOr<tile::BoxAttr> tw::threads::findBox(const BoxRequest &request, std::string &why) {
  return BoxFinder(request).find(why);
}
