// One loop of a filling, over a dimension of the buffer or over tiles of one.
#include "TreeBuilder.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// How the points of a leaf are filled: `full` times `step` of them at once, in a loop; then what
/// is left, apart.
struct TreeBuilder::FillParts {
  unsigned leaf;
  int64_t whole;
  bool isInTile = false, masks = false;
  int64_t step = 1, full = 0, left = 0;
  /// Points of the axis that an iteration covers.
  int64_t points = 0;
  const SkippedAxis *skipped = nullptr;
  /// Where the loop ends at the size that a call settles.
  LoopBound::At end = LoopBound::At::Constant;
};

TreeBuilder::FillParts TreeBuilder::getFillParts(unsigned position) const {
  const LeafAxis &leaf = plan.leaves[position];
  const StagedValue &staged = *here().filling;
  ArrayRef<unsigned> frame = here().frame;
  FillParts parts{position, here().rest[leaf.axis]};
  parts.isInTile = llvm::is_contained(frame, position);
  int64_t extent = getExtent(position);
  parts.full = extent;
  // What is read is filled: all points of a tile, and the last iteration that is apart, which alone
  // goes beyond the axis. Outside of a tensor all is filled.
  const SkippedAxis *skipped =
      parts.isInTile || leaf.role == Role::Tile ? nullptr : findSkipped(position);
  if (skipped && isa<arith::SelectOp>(skipped->mask))
    parts.skipped = skipped;
  if (!parts.isInTile && !parts.skipped && leaf.role == Role::Loop && leaf.extent > 1)
    parts.end = leaf.symbolic            ? LoopBound::At::End
                : endsWithAxis(position) ? LoopBound::At::Left
                                         : LoopBound::At::Constant;
  parts.masks = !parts.isInTile && extent > 1 && !leaf.symbolic && isMaskedApart(position);
  if (parts.isInTile) {
    int64_t most = frame.size() == 1 ? kFillRow : position == frame[0] ? kFillRows : kFillLanes;
    parts.step = leaf.role == Role::Fill ? std::min(extent, leaf.chunk)
                 : staged.isContracted   ? extent
                                         : std::min(extent, most);
    parts.full = extent / parts.step;
    parts.left = extent % parts.step;
  } else if (leaf.symbolic) {
    parts.left = 0;
  } else if (plan.peeled[leaf.axis] && parts.end != LoopBound::At::Left &&
             parts.whole > leaf.stride && parts.whole % leaf.stride != 0) {
    parts.full = extent - 1;
    parts.left = parts.whole % leaf.stride;
  } else if (parts.masks) {
    parts.full = extent - 1;
    parts.left = leaf.stride;
  }
  parts.points = parts.isInTile ? parts.step : leaf.stride;
  return parts;
}

/// What is inside of one iteration.
LogicalResult TreeBuilder::fillPart(ArrayRef<unsigned> leaves, const FillParts &parts, Block *block,
                                    LeafIndex index, int64_t points, bool isLast) {
  const LeafAxis &leaf = plan.leaves[parts.leaf];
  Scope &scope = open(block);
  bool reaches = parts.end != LoopBound::At::Left || leaf.stride > 1;
  if (leaf.role != Role::Fill)
    scope.padded[leaf.axis] = scope.padded[leaf.axis] && (!parts.masks || isLast) && reaches;
  scope.indices[parts.leaf] = index;
  scope.indices[parts.leaf].depth = innermost();
  scope.open[parts.leaf] = true;
  scope.openInFilling[parts.leaf] = true;
  // Inside of a tile are as many points as its first element has.
  if (parts.isInTile)
    scope.chunks[parts.leaf] = points;
  if (leaf.role != Role::Fill)
    scope.rest[leaf.axis] = std::min(parts.whole, parts.isInTile ? leaf.stride : points);
  LogicalResult result = fillLoops(leaves.drop_front());
  close();
  return result;
}

static LeafIndex constantIndex(int64_t value) { return {LeafIndex::From::Constant, value}; }
static LeafIndex loopIndex(const Node &loop) { return {LeafIndex::From::Loop, 0, &loop}; }

LogicalResult TreeBuilder::fillLoop(ArrayRef<unsigned> leaves) {
  FillParts parts = getFillParts(leaves.front());
  if (here().isShareLeft && parts.full + (parts.left > 0) > 1 && !parts.skipped)
    return shareFilling(leaves, parts);
  if (parts.full == 1 &&
      failed(fillPart(leaves, parts, nullptr, constantIndex(0), parts.points, false)))
    return failure();
  if (parts.full > 1 && failed(fillIterations(leaves, parts)))
    return failure();
  if (parts.left == 0)
    return success();
  return fillPart(leaves, parts, nullptr, constantIndex(parts.full * parts.step), parts.left,
                  /*isLast=*/true);
}

LogicalResult TreeBuilder::shareFilling(ArrayRef<unsigned> leaves, const FillParts &parts) {
  int64_t full = parts.full * parts.step;
  return shareLoop(full + (parts.left > 0), parts.step, [&](const Node &loop) {
    if (parts.left == 0)
      return fillPart(leaves, parts, nullptr, loopIndex(loop), parts.points, false);
    return branchAt(loopIndex(loop), full, [&](bool isLast) {
      return fillPart(leaves, parts, nullptr, isLast ? constantIndex(full) : loopIndex(loop),
                      isLast ? parts.left : parts.points, isLast);
    });
  });
}

LogicalResult TreeBuilder::fillIterations(ArrayRef<unsigned> leaves, const FillParts &parts) {
  auto placeLoop = [&](LoopBound lower, LoopBound upper, bool isDecided, const FillParts &parts,
                       bool isLast = false) {
    auto &loop = make<LoopNode>(innermost());
    loop.leaf = parts.leaf;
    loop.lower = lower;
    loop.upper = upper;
    loop.step = parts.step;
    loop.skipped = parts.skipped;
    bool adds = isDecided && scopes.back().decided.insert(parts.skipped->mask).second;
    LogicalResult result =
        fillPart(leaves, parts, &loop.body, loopIndex(loop), parts.points, isLast);
    if (adds)
      scopes.back().decided.erase(parts.skipped->mask);
    append(loop);
    return result;
  };
  LoopBound begin, end{parts.end, parts.full * parts.step};
  if (parts.skipped && !scopes.back().decided.contains(parts.skipped->mask)) {
    end = {LoopBound::At::EndSeen, parts.full};
    // First what is seen from everywhere, without the mask.
    const StagedValue &staged = *here().filling;
    if (staged.op == parts.skipped->mask || needs(staged.op, parts.skipped->mask)) {
      LoopBound all{LoopBound::At::EndAllSeen, parts.full};
      // Where a call settles the size, this loop ends with the tiles that the axis fills.
      FillParts apart = parts;
      apart.masks |= plan.leaves[parts.leaf].symbolic || endsWithAxis(parts.leaf);
      if (failed(placeLoop(begin, all, /*isDecided=*/true, apart)))
        return failure();
      begin = all;
    }
  }
  // Tiles that the axis fills do not ask where it ends.
  using At = LoopBound::At;
  bool isOfTiles = parts.end == At::End || (parts.end == At::Left && parts.points > 1);
  if (isOfTiles && here().padded[plan.leaves[parts.leaf].axis] && !parts.skipped &&
      !endsInside(parts.leaf)) {
    FillParts apart = parts;
    apart.masks = true;
    LoopBound whole{parts.end == At::End ? At::Whole : At::WholeLeft, end.value};
    if (failed(placeLoop(begin, whole, /*isDecided=*/false, apart)))
      return failure();
    return placeLoop(whole, end, /*isDecided=*/false, apart, /*isLast=*/true);
  }
  return placeLoop(begin, end, /*isDecided=*/false, parts);
}
