// The race checker.
//===---------------------------------------------------------------------------------------===//
#include "Races.h"

#include "../View/View.h"

#include "tw/Support/Diagnostics.h"

using namespace mlir;
using namespace tw;
using namespace tw::interp;

TileAccess::TileAccess(Operation *op, Value memory, RankedTensorType tile, view::MapAttr map,
                       bool isWrite)
    : op(op), memory(memory), map(map), isWrite(isWrite) {
  auto add = [&](int64_t thread, ArrayRef<int64_t> coordinates) {
    int64_t element = 0;
    for (auto [coordinate, extent] : llvm::zip(coordinates, tile.getShape()))
      element = element * extent + coordinate;
    holders.push_back({thread, element, SmallVector<int64_t, 4>(coordinates)});
  };
  auto encoding = dyn_cast_or_null<tile::LayoutAttr>(tile.getEncoding());
  if (!encoding) {
    for (int64_t i = 0; i < tile.getNumElements(); ++i) {
      SmallVector<int64_t, 4> coordinates(size_t(tile.getRank()));
      int64_t rest = i;
      for (int64_t d = tile.getRank(); d-- > 0; rest /= tile.getDimSize(d))
        coordinates[size_t(d)] = rest % tile.getDimSize(d);
      add(0, coordinates);
    }
    return;
  }
  using layout::Resource;
  layout::TileLayout layout = encoding.getLayout();
  int64_t lanes = layout.count(Resource::Lane);
  for (int64_t warp = 0; warp < layout.count(Resource::Warp); ++warp)
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (int64_t reg = 0; reg < layout.count(Resource::Reg); ++reg)
        if (!isWrite || layout.isFirstReplica(lane, warp))
          add(warp * lanes + lane, layout.coordinates({reg, lane, warp}));
}

void TileAccess::addIndex(const int64_t *values, SmallVector<int64_t> offsets) {
  indices.push_back({values, std::move(offsets)});
}

SmallVector<std::pair<int64_t, int64_t>> TileAccess::getTouched() const {
  auto type = cast<MemRefType>(memory.getType());
  SmallVector<std::pair<int64_t, int64_t>> touched;
  SmallVector<int64_t> dims;
  for (const Holder &holder : holders) {
    dims.assign(holder.coordinates.begin(), holder.coordinates.end());
    for (const Index &index : indices)
      dims.push_back(index.values[index.offsets[size_t(holder.element)]]);
    if (!llvm::all_of(map.getGuards(),
                      [&](view::GuardAttr guard) { return holds(guard.getSet(), dims); }))
      continue;
    int64_t address = 0;
    bool isInside = true;
    for (auto [expr, extent] : llvm::zip(map.getMap().getResults(), type.getShape())) {
      int64_t coordinate = evaluate(expr, dims);
      isInside &= coordinate >= 0 && coordinate < extent;
      address = address * extent + coordinate;
    }
    if (isInside)
      touched.push_back({holder.thread, address});
  }
  return touched;
}

LogicalResult RaceChecker::visit(const TileAccess &access) {
  Operation *allocation = access.memory.getDefiningOp();
  if (member && allocation && tile::getTeamLoop(allocation))
    return success();
  for (auto [thread, address] : access.getTouched())
    if (failed(touch(elements[{access.memory, address}], {member.value_or(thread), access.op},
                     access.isWrite, address)))
      return failure();
  return success();
}

LogicalResult RaceChecker::touch(Element &element, Touch now, bool isWrite, int64_t address) {
  auto report = [&](Touch before, StringRef what) {
    CodedDiagnostic error = emitError(now.op->getLoc(), Code::T0707)
                            << "thread " << now.thread << (isWrite ? " writes" : " reads")
                            << " element " << address << ", which thread " << before.thread << ' '
                            << what << " with no barrier between";
    error.attachNote(before.op->getLoc()) << "the earlier access is here";
    return failure();
  };
  if (element.writer && element.writer->thread != now.thread)
    return report(*element.writer, "wrote");
  if (isWrite) {
    for (Touch reader : element.readers)
      if (reader.thread != now.thread)
        return report(reader, "read");
    element.writer = now;
    return success();
  }
  if (element.readers.size() < 2 &&
      llvm::none_of(element.readers, [&](Touch reader) { return reader.thread == now.thread; }))
    element.readers.push_back(now);
  return success();
}
