// What a constant mask compares: causal ones, shifted ones, bands.
//
// A mask that is data is read, and every tile of it computed; of a comparison of indices schedules
// know which tiles nothing sees (`skip`).
#include "MaskComparison.h"

#include "tw/Dialect/Graph/Create.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

namespace {

/// Where something ends in each row: at `slope * row + start`, within the columns that there are.
struct Border {
  int64_t slope, start;

  int64_t at(int64_t row, int64_t columns) const {
    return std::clamp<int64_t>(slope * row + start, 0, columns);
  }
};

/// The affine function with these values, where they lie between 0 and `columns`.
std::optional<Border> findBorder(ArrayRef<int64_t> ends, int64_t columns) {
  int64_t rows = ends.size();
  auto fits = [&](Border border) {
    for (int64_t row = 0; row < rows; ++row)
      if (border.at(row, columns) != ends[row])
        return false;
    return true;
  };
  const auto *inside = llvm::find_if(ends, [&](int64_t end) { return end > 0 && end < columns; });
  if (inside == ends.end())
    return fits({0, ends[0]}) ? std::optional(Border{0, ends[0]}) : std::nullopt;
  // Its neighbours tell how it goes on; one of them may lie at an end of the columns.
  int64_t row = inside - ends.begin();
  for (int64_t neighbour : {row + 1, row - 1}) {
    if (neighbour < 0 || neighbour >= rows)
      continue;
    int64_t slope = (ends[neighbour] - ends[row]) * (neighbour - row);
    if (Border border{slope, ends[row] - slope * row}; fits(border))
      return border;
  }
  return std::nullopt;
}

/// Writes comparisons of the last one of a mask's two dimensions with borders along the first one.
class Comparison {
public:
  Comparison(OpBuilder &builder, Location loc, RankedTensorType type)
      : builder(builder), loc(loc),
        // Narrow, since devices have no wide ones; wide enough for the borders of any mask that has
        // room in memory.
        indices(RankedTensorType::get(type.getShape(), builder.getI32Type())) {
    auto isLong = [&](int64_t dim) { return type.getDimSize(dim) != 1; };
    auto dims = llvm::make_filter_range(llvm::seq<int64_t>(type.getRank()), isLong);
    row = *dims.begin();
    column = *std::next(dims.begin());
  }

  int64_t getColumns() const { return indices.getDimSize(column); }

  /// Whether the column lies from `begin` to `end`, or does not.
  Value compare(Border begin, Border end, bool isInside) {
    Value result;
    if (crosses(end))
      result = compare(isInside ? ComparePredicate::Lt : ComparePredicate::Ge, end);
    if (!crosses(begin))
      return result;
    Value other = compare(isInside ? ComparePredicate::Ge : ComparePredicate::Lt, begin);
    if (!result)
      return other;
    return isInside ? AndOp::create(builder, loc, result, other).getResult()
                    : OrOp::create(builder, loc, result, other).getResult();
  }

private:
  /// Whether some row has columns on both sides of it.
  bool crosses(Border border) const {
    for (int64_t i = 0; i < indices.getDimSize(row); ++i)
      if (int64_t at = border.at(i, getColumns()); at != 0 && at != getColumns())
        return true;
    return false;
  }

  Value compare(ComparePredicate predicate, Border border) {
    Value columns = IotaOp::create(builder, loc, indices, column);
    return CompareOp::create(builder, loc, predicate, columns, write(border));
  }

  Value write(Border border) {
    if (border.slope == 0)
      return splat(builder, loc, indices, double(border.start));
    Value rows = IotaOp::create(builder, loc, indices, row);
    if (int64_t factor = std::abs(border.slope); factor != 1)
      rows = MulOp::create(builder, loc, rows, splat(builder, loc, indices, double(factor)));
    if (border.slope > 0 && border.start == 0)
      return rows;
    Value start = splat(builder, loc, indices, double(border.start));
    if (border.slope < 0)
      return SubOp::create(builder, loc, start, rows);
    return AddOp::create(builder, loc, rows, start);
  }

  OpBuilder &builder;
  Location loc;
  RankedTensorType indices;
  int64_t row = 0, column = 0;
};

/// Whether each element of a mask is seen; none if some element is neither seen nor masked.
std::optional<SmallVector<bool>> getSeen(DenseElementsAttr elements) {
  SmallVector<bool> seen;
  seen.reserve(elements.getNumElements());
  if (elements.getElementType().isInteger(1)) {
    llvm::append_range(seen, elements.getValues<bool>());
    return seen;
  }
  for (const APFloat &value : elements.getValues<APFloat>()) {
    if (!value.isPosZero() && !(value.isInfinity() && value.isNegative()))
      return std::nullopt;
    seen.push_back(value.isZero());
  }
  return seen;
}

/// What is seen of each row: all from `begin` to `end`.
struct Borders {
  Border begin, end;
};

/// None if some row sees nothing, or sees something apart, or borders are no affine functions.
std::optional<Borders> findBorders(ArrayRef<bool> seen, int64_t columns) {
  SmallVector<int64_t> begins, ends;
  for (size_t at = 0; at < seen.size(); at += columns) {
    ArrayRef<bool> row = seen.slice(at, columns);
    const bool *begin = llvm::find(row, true), *end = std::find(begin, row.end(), false);
    if (begin == end || std::find(end, row.end(), true) != row.end())
      return std::nullopt;
    begins.push_back(begin - row.begin());
    ends.push_back(end - row.begin());
  }
  std::optional<Border> begin = findBorder(begins, columns), end = findBorder(ends, columns);
  return begin && end ? std::optional(Borders{*begin, *end}) : std::nullopt;
}

} // namespace

bool tw::isMaskType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         (tensor.getElementType().isInteger(1) || isa<FloatType>(tensor.getElementType())) &&
         llvm::count_if(tensor.getShape(), [](int64_t size) { return size != 1; }) == 2 &&
         tensor.getNumElements() != 0;
}

Value tw::makeComparison(OpBuilder &builder, Location loc, DenseElementsAttr elements) {
  auto type = cast<RankedTensorType>(elements.getType());
  assert(isMaskType(type) && "expected a type that a mask may have");
  if (elements.isSplat())
    return nullptr;
  Comparison comparison(builder, loc, type);
  std::optional<SmallVector<bool>> seen = getSeen(elements);
  if (!seen)
    return nullptr;
  bool isBool = type.getElementType().isInteger(1), isSeen = true;
  std::optional<Borders> borders = findBorders(*seen, comparison.getColumns());
  if (!borders && isBool) {
    isSeen = false;
    llvm::transform(*seen, seen->begin(), std::logical_not<bool>());
    borders = findBorders(*seen, comparison.getColumns());
  }
  if (!borders)
    return nullptr;
  Value condition = comparison.compare(borders->begin, borders->end, isSeen);
  if (isBool)
    return condition;
  double infinity = std::numeric_limits<double>::infinity();
  return SelectOp::create(builder, loc, type, condition, splat(builder, loc, type, 0),
                          splat(builder, loc, type, -infinity));
}
