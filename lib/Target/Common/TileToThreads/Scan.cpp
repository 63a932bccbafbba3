// ttile.scan: each thread's elements one after the other, behind what lanes before it have.
#include "Emitter.h"

#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

namespace {

/// How the elements of a part lie in a thread and in the lanes of its subgroup.
struct ScannedParts {
  using Coordinates = std::vector<int64_t>;

  unsigned dim;
  int64_t length;
  /// By the coordinates of the part, in thread 0: registers by their place in it.
  std::map<Coordinates, std::map<int64_t, unsigned>> registers;
  /// Bits of the number of a lane that say which elements of the part it has, in their order.
  SmallVector<unsigned> laneBits;

  /// Why not all of a part is in a subgroup, each thread having neighbours; empty if it is.
  std::string find(const ThreadTile &tile);
};

} // namespace

std::string ScannedParts::find(const ThreadTile &tile) {
  for (auto [reg, coordinates] : llvm::enumerate(tile.registers)) {
    Coordinates part = coordinates;
    part[dim] /= length;
    registers[part][coordinates[dim] % length] = reg;
  }
  auto isInside = [&](const layout::Basis &basis) { return basis[dim] % length != 0; };
  if (llvm::any_of(tile.layout.bases[size_t(layout::Resource::Warp)], isInside))
    return "a part is shared by subgroups";
  std::map<int64_t, unsigned> lanes;
  for (auto [bit, basis] : llvm::enumerate(tile.layout.bases[size_t(layout::Resource::Lane)]))
    if (isInside(basis))
      lanes[basis[dim]] = bit;
  for (auto [offset, bit] : lanes)
    laneBits.push_back(bit);
  int64_t own = lanes.empty() ? length : lanes.begin()->first;
  for (const auto &[part, row] : registers)
    if (row.begin()->first != 0 || int64_t(row.size()) != own ||
        row.rbegin()->first != int64_t(row.size()) - 1)
      return "a thread has no neighbours along the dimension";
  return "";
}

LogicalResult ThreadEmitter::emitScan(tile::ScanOp op) {
  const ThreadTile source = get(op.getValue()), total = get(op.getTotal());
  if (get(op.getResult()).layout != source.layout)
    return emitOpError(op, Code::T0422)
           << "expected a result in the layout of the value, found " << op.getResult().getType();
  unsigned dim = op.getDim();
  ScannedParts parts{dim, source.layout.shape[dim] / total.layout.shape[dim], {}, {}};
  if (std::string why = parts.find(source); !why.empty())
    return emitOpError(op, Code::T0422)
           << why << ": expected tile-assign-layouts and tile-expand-exchanges to run before";
  auto combine = [&](Value left, Value right) {
    return left ? arith::getReductionOp(op.getKind(), builder, op.getLoc(), left, right) : right;
  };
  auto getBit = [&](unsigned bit) { return emitLaneBit(op.getLoc(), bit); };
  Value identity = constant(cast<TypedAttr>(
      arith::getIdentityValueAttr(op.getKind(), source.element, builder, op.getLoc())));
  Registers inputs(lookup(op.getValue())), begins, results(inputs.size()),
      totals(total.registers.size());
  if (op.getBefore())
    begins = Registers(lookup(op.getBefore()));
  for (auto &[part, members] : parts.registers) {
    SmallVector<unsigned> row = llvm::map_to_vector(members, [](auto &it) { return it.second; });
    if (op.getReverse())
      std::reverse(row.begin(), row.end());
    std::optional<unsigned> to = total.findRegister(part);
    std::optional<unsigned> from = op.getBefore() ? get(op.getBefore()).findRegister(part) : to;
    if (!to || !from)
      return emitOpError(op, Code::T0422)
             << "expected a total whose layout is a slice of the value's, found "
             << op.getTotal().getType();
    Value running = op.getBefore() ? begins[*from] : Value();
    Value all = running;
    if (!parts.laneBits.empty()) {
      // What lanes before this one have, of twice as many in each step.
      Value own, before;
      for (unsigned reg : row)
        own = combine(own, inputs[reg]);
      for (unsigned bit : parts.laneBits) {
        Value other = shuffle(op.getLoc(), own, int64_t(1) << bit);
        Value with = before ? combine(other, before) : other;
        Value without = before ? before : identity;
        Value isLater = getBit(bit);
        before = op.getReverse()
                     ? arith::SelectOp::create(builder, op.getLoc(), isLater, without, with)
                     : arith::SelectOp::create(builder, op.getLoc(), isLater, with, without);
        own = combine(own, other);
      }
      all = combine(all, own);
      running = combine(running, before);
    }
    for (unsigned reg : row) {
      Value next = combine(running, inputs[reg]);
      results[reg] = !op.getExclusive() ? next : running ? running : identity;
      running = next;
    }
    totals[*to] = parts.laneBits.empty() ? running : all;
  }
  tiles[op.getResult()] = results;
  tiles[op.getTotal()] = totals;
  return success();
}

/// Whether a bit of the number of the lane is set.
Value ThreadEmitter::emitLaneBit(Location location, unsigned bit) {
  layout::Range range = layout::Range::ofExtent(countThreads());
  layout::DimRanges ranges(&range, 1);
  Dims dims;
  dims.add(thread, range, 0);
  ExprEmitter exprs(builder, location, dims);
  layout::Expr digit =
      layout::mod(layout::floorDiv(layout::mod(layout::Expr::dim(0), traits.subgroup, ranges),
                                   int64_t(1) << bit, ranges),
                  2, ranges);
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, exprs.emit(digit),
                               exprs.constant(0));
}
