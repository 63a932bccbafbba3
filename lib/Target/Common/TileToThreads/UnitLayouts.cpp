// Layouts of what matrix units multiply: fragments over tiles, subgroups over blocks.
#include "UnitLayouts.h"

#include "LocalOperands.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Support/Diagnostics.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;
using layout::Resource;
using layout::TileLayout;

static ArrayRef<int64_t> getShape(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getShape();
}

std::optional<UnitDims> tw::threads::findUnitDims(tile::MmaOp op) {
  std::optional<unsigned> group = op.getGroupDim(), left, right;
  if (!group)
    return std::nullopt;
  for (auto [d, lhs, rhs] : llvm::enumerate(getShape(op.getLhs()), getShape(op.getRhs()))) {
    if (d == *group || (lhs == 1 && rhs == 1))
      continue;
    std::optional<unsigned> &own = lhs > 1 ? left : right;
    if ((lhs > 1 && rhs > 1) || own)
      return std::nullopt;
    own = d;
  }
  if (!left || !right)
    return std::nullopt;
  return UnitDims{std::min(*left, *right), std::max(*left, *right), *group, *right < *left};
}

int64_t tw::threads::countTogether(const MatrixFragment &fragment, bool alongRows) {
  int64_t count = 1;
  for (auto [row, column] : fragment.registers)
    if ((alongRows ? row : column) == count)
      count *= 2;
  return count;
}

UnitSide tw::threads::findUnitSide(const TileLayout &layout, const MatrixFragment &fragment,
                                   unsigned dim, int64_t extent, bool alongRows) {
  UnitSide side{dim, extent, countTogether(fragment, alongRows)};
  // The next bit of the fragment says how far the turns moved it.
  for (auto [offset, basis] : llvm::zip(fragment.lanes, layout.bases[size_t(Resource::Lane)]))
    if ((alongRows ? offset.row : offset.column) == side.together)
      side.turns = basis[dim] / side.together;
  return side;
}

TileLayout tw::threads::makeUnitLayout(ArrayRef<int64_t> shape, const MatrixFragment &fragment,
                                       const UnitSide &rows, const UnitSide &columns,
                                       ArrayRef<std::optional<unsigned>> warpDims) {
  TileLayout layout;
  layout.shape.assign(shape.begin(), shape.end());
  layout.atom = layout.shape;
  auto add = [&](Resource resource, int64_t row, int64_t column) {
    layout::Basis basis(shape.size(), 0);
    basis[rows.dim] = rows.place(row);
    basis[columns.dim] = columns.place(column);
    layout.bases[size_t(resource)].push_back(basis);
  };
  // Neighbours of several repetitions are neighbouring registers.
  auto addTurns = [&](const UnitSide &side, bool areFirst) {
    for (int64_t turn = 1; turn < side.turns && (side.together == 1) == areFirst; turn *= 2)
      add(Resource::Reg, &side == &rows ? turn * side.extent : 0,
          &side == &columns ? turn * side.extent : 0);
  };
  addTurns(columns, true);
  addTurns(rows, true);
  for (auto [row, column] : fragment.registers)
    add(Resource::Reg, row, column);
  addTurns(columns, false);
  addTurns(rows, false);
  for (auto [row, column] : fragment.lanes)
    add(Resource::Lane, row, column);
  // What is left of each side goes to registers, but for the blocks of subgroups.
  int64_t blocks[] = {shape[rows.dim], shape[columns.dim]};
  for (std::optional<unsigned> dim : warpDims)
    if (dim == rows.dim || dim == columns.dim)
      blocks[dim == columns.dim] /= 2;
  for (int64_t step = columns.extent * columns.turns; step < blocks[1]; step *= 2)
    add(Resource::Reg, 0, step);
  for (int64_t step = rows.extent * rows.turns; step < blocks[0]; step *= 2)
    add(Resource::Reg, step, 0);
  for (auto [row, column] : fragment.subgroups)
    add(Resource::Warp, row, column);
  for (std::optional<unsigned> dim : warpDims) {
    if (dim == rows.dim)
      add(Resource::Warp, std::exchange(blocks[0], 2 * blocks[0]), 0);
    else if (dim == columns.dim)
      add(Resource::Warp, 0, std::exchange(blocks[1], 2 * blocks[1]));
    else
      add(Resource::Warp, 0, 0);
  }
  return layout;
}

/// How many repetitions of a unit may take turns along a dimension of an operand, so that accesses
/// are as wide as they can be: 1 where its neighbours are not in memory.
static int64_t countTurns(Value operand, unsigned dim, int64_t together, int64_t repetitions,
                          int64_t vectorBytes) {
  auto load = operand.getDefiningOp<tile::LoadOp>();
  std::optional<AccessShape> access = load ? describeAccess(load, vectorBytes) : std::nullopt;
  if (!access || access->strides[dim] != 1)
    return 1;
  return std::clamp<int64_t>(access->widths[dim] / together, 1, repetitions);
}

const TileLayout *UnitAssignment::find(const Component &component) const {
  for (const auto &[known, layout] : required)
    if (known == &component)
      return &layout;
  return nullptr;
}

bool UnitAssignment::allows(Value tile, const TileLayout &layout) {
  const Component &component = components.of(tile);
  if (const TileLayout *known = find(component))
    return *known == layout;
  return ArrayRef<int64_t>(component.frame) == getShape(tile);
}

bool UnitAssignment::require(Value tile, const TileLayout &layout) {
  if (!allows(tile, layout))
    return false;
  const Component &component = components.of(tile);
  if (!find(component))
    required.push_back({&component, layout});
  return true;
}

static bool isShared(int64_t least, int64_t extent) {
  return extent >= least && llvm::isPowerOf2_64(extent);
}

/// Blocks of groups of subgroups, along rows first: what a block has of them is read once for all
/// its columns. Nothing if there are more groups than blocks.
static std::optional<SmallVector<std::optional<unsigned>>>
shareGroups(const MatrixUnit &unit, const UnitDims &dims, int64_t groups, int64_t height,
            int64_t &width) {
  SmallVector<std::optional<unsigned>> groupDims;
  for (; groups > 1; groups /= 2) {
    if (height > unit.rows) {
      height /= 2;
      groupDims.push_back(dims.rows);
    } else if (width > unit.columns) {
      width /= 2;
      groupDims.push_back(dims.columns);
    } else {
      return std::nullopt;
    }
  }
  return groupDims;
}

/// Of the unit's operands, which are the product's exchanged if it is swapped.
static UnitTypes getUnitTypes(tile::MmaOp op, bool isSwapped) {
  UnitTypes types{getElementTypeOrSelf(op.getLhs().getType()),
                  getElementTypeOrSelf(op.getResult().getType()), op.getLhsUnsigned(),
                  op.getRhsUnsigned()};
  if (isSwapped)
    std::swap(types.lhsUnsigned, types.rhsUnsigned);
  return types;
}

std::optional<UnitAssignment::LocalPlan>
UnitAssignment::planLocal(tile::MmaOp op, const UnitDims &dims, std::string &why) {
  std::vector<const MatrixUnit *> units =
      findLocalUnits(chip, getUnitTypes(op, dims.isSwapped), threads.lanes);
  if (units.empty())
    return std::nullopt;
  ArrayRef<int64_t> sums = getShape(op.getResult());
  const MatrixUnit &least = *units.back();
  why = (least.name + " takes tiles of " + Twine(least.rows) + " by " + Twine(least.columns) +
         " by " + Twine(least.depth) + " for each " + Twine(least.countSubgroups()) + " subgroups")
            .str();
  Value left = dims.isSwapped ? op.getRhs() : op.getLhs(),
        right = dims.isSwapped ? op.getLhs() : op.getRhs();
  for (const MatrixUnit *unit : units) {
    int64_t width = sums[dims.columns];
    if (threads.warps % unit->countSubgroups() != 0 || !isShared(unit->rows, sums[dims.rows]) ||
        !isShared(unit->depth, getShape(left)[dims.depth]))
      continue;
    auto groupDims =
        shareGroups(*unit, dims, threads.warps / unit->countSubgroups(), sums[dims.rows], width);
    if (!groupDims || !isShared(unit->columns, width))
      continue;
    UnitSide rows{dims.rows, unit->rows}, columns{dims.columns, unit->columns},
        group{dims.depth, unit->depth};
    LocalPlan plan{unit, makeUnitLayout(sums, unit->sums, rows, columns, *groupDims), std::nullopt};
    std::optional<unsigned> along;
    if (unit->readsAlongDepth)
      along = dims.depth;
    if (why = LocalOperands::check(op, right, along); !why.empty())
      return std::nullopt;
    if (std::string other = LocalOperands::check(op, left, along); !other.empty()) {
      plan.left = makeUnitLayout(getShape(left), unit->lhs, rows, group, *groupDims);
      // What comes from memory would be read where it is for each block of columns.
      why = left.getDefiningOp<tile::LoadOp>() ? other : "";
      if (why.empty() && !allows(left, *plan.left))
        why = "the left operand meets tiles of other shapes or units";
    }
    if (why.empty() && !allows(op.getResult(), plan.sums))
      why = "the sums meet tiles of other shapes or units";
    return why.empty() ? std::optional(plan) : std::nullopt;
  }
  return std::nullopt;
}

bool UnitAssignment::assignLocal(tile::MmaOp op, const UnitDims &dims, LocalOperands &operands,
                                 std::string &why) {
  std::optional<LocalPlan> plan = planLocal(op, dims, why);
  if (!plan)
    return false;
  // Products in a chain hand on what a thread has of whole rows.
  for (tile::MmaOp other : findChained(op, dims)) {
    std::optional<LocalPlan> next = planLocal(other, *findUnitDims(other), why);
    if (!next)
      return false;
    const std::optional<TileLayout> &left = plan->left ? plan->left : next->left;
    if (!left || *left != (plan->left ? next->sums : plan->sums)) {
      why = "groups of subgroups share the rows of an operand that stays in registers";
      return false;
    }
  }
  for (OpOperand *operand : {&op.getLhsMutable(), &op.getRhsMutable()}) {
    bool isLeft = (operand == &op.getLhsMutable()) != dims.isSwapped;
    if (isLeft && plan->left)
      require(operand->get(), *plan->left);
    else
      operands.add(*operand, components);
  }
  require(op.getResult(), plan->sums);
  op->setAttr(tile::unitAttrName, StringAttr::get(op.getContext(), plan->unit->name));
  return true;
}

SmallVector<tile::MmaOp> UnitAssignment::findChained(tile::MmaOp op, const UnitDims &dims) {
  // A subgroup multiplies what it has itself if it has whole rows of both.
  auto feeds = [&](tile::MmaOp first, const UnitDims &own, tile::MmaOp second) {
    std::optional<UnitDims> next = findUnitDims(second);
    Value operand = next && next->isSwapped ? second.getRhs() : second.getLhs();
    return next && next->rows == own.rows && next->depth == own.columns &&
           &components.of(operand) == &components.of(first.getResult());
  };
  SmallVector<tile::MmaOp> chained;
  for (tile::MmaOp other : products) {
    std::optional<UnitDims> own = findUnitDims(other);
    if (own && (feeds(op, dims, other) || feeds(other, *own, op)))
      chained.push_back(other);
  }
  return chained;
}

LogicalResult UnitAssignment::assign(tile::MmaOp op, LocalOperands &operands) {
  std::optional<UnitDims> dims = findUnitDims(op);
  UnitTypes types = getUnitTypes(op, dims && dims->isSwapped);
  std::vector<const MatrixUnit *> units = findMatrixUnits(chip, types, threads.lanes);
  if (units.empty())
    return emitOpError(op, Code::T0422)
           << "expected a chip with a matrix unit for " << types.operands << " in " << types.sums
           << ", found " << (chip.empty() ? "none" : chip)
           << ": leave 'contract .. dot' out of the schedule";
  ArrayRef<int64_t> sums = getShape(op.getResult());
  if (!dims)
    return emitOpError(op, Code::T0422)
           << "expected operands of a matrix unit to vary along one dimension each, found "
           << op.getLhs().getType() << " and " << op.getRhs().getType();
  std::string why;
  if (assignLocal(op, *dims, operands, why))
    return success();
  if (!why.empty())
    op->setAttr(tile::insteadAttrName, StringAttr::get(op.getContext(), why));
  int64_t depth = getShape(op.getLhs())[dims->depth];
  auto fits = llvm::find_if(units, [&](const MatrixUnit *own) {
    return isShared(own->rows, sums[dims->rows]) && isShared(own->columns, sums[dims->columns]) &&
           isShared(own->depth, depth);
  });
  if (fits == units.end()) {
    const MatrixUnit &least = *units.back();
    return emitOpError(op, Code::T0422)
           << "expected a tile of powers of two, at least " << least.rows << " by " << least.columns
           << " by " << least.depth << " for " << least.name << ", found " << sums[dims->rows]
           << " by " << sums[dims->columns] << " by " << depth;
  }
  const MatrixUnit *unit = *fits;
  // Blocks as square as they get: what a subgroup reads is their rows and columns. Of products in a
  // chain only columns go through memory.
  bool inRows = !findChained(op, *dims).empty();
  SmallVector<std::optional<unsigned>> warpDims;
  int64_t height = sums[dims->rows], width = sums[dims->columns];
  for (int64_t warps = threads.warps; warps > 1; warps /= 2) {
    bool canRows = height > unit->rows, canColumns = width > unit->columns;
    if (canRows && (inRows || height >= width || !canColumns)) {
      height /= 2;
      warpDims.push_back(dims->rows);
    } else if (canColumns) {
      width /= 2;
      warpDims.push_back(dims->columns);
    } else {
      warpDims.push_back(std::nullopt);
    }
  }
  UnitSide rows{dims->rows, unit->rows, countTogether(unit->lhs, true)},
      columns{dims->columns, unit->columns, countTogether(unit->rhs, false)},
      group{dims->depth, unit->depth, countTogether(unit->lhs, false)};
  OpOperand &left = op->getOpOperand(dims->isSwapped), &right = op->getOpOperand(!dims->isSwapped);
  auto share = [&](UnitSide &side, OpOperand &operand, int64_t extent, int64_t most = 16) {
    int64_t turns = countTurns(operand.get(), side.dim, side.together, extent / side.extent,
                               threads.vectorBytes);
    side.turns = std::max(side.turns, std::min(turns, most));
  };
  // Loads of matrices have the order of the unit itself; of bytes across the depth, two by two.
  if (!getInstructions(chip).loadMatrices.empty()) {
    if (format::elementBytes(unit->operands) == 1) {
      share(rows, left, height, 2);
      share(columns, right, width, 2);
    }
  } else {
    share(rows, left, height);
    share(columns, right, width);
    share(group, left, depth);
    share(group, right, depth);
  }
  if (!require(op.getResult(), makeUnitLayout(sums, unit->sums, rows, columns, warpDims)))
    return emitOpError(op, Code::T0422)
           << "expected sums of a matrix unit that meet no tiles of other shapes or units, found "
           << op.getResult().getType();
  OpBuilder builder(op);
  for (auto [operand, layout] :
       {std::pair(&left, makeUnitLayout(getShape(left.get()), unit->lhs, rows, group, warpDims)),
        std::pair(&right,
                  makeUnitLayout(getShape(right.get()), unit->rhs, group, columns, warpDims))}) {
    Value tile = operand->get();
    if (require(tile, layout))
      continue;
    auto convert = tile::ConvertOp::create(builder, op.getLoc(), tile.getType(), tile);
    operand->set(convert);
    converted.push_back({convert, layout});
  }
  op->setAttr(tile::unitAttrName, builder.getStringAttr(unit->name));
  return success();
}

LogicalResult UnitAssignment::run(tile::FuncOp func) {
  LocalOperands operands;
  func.walk([&](tile::MmaOp op) {
    if (op->hasAttr(tile::unitAttrName))
      products.push_back(op);
  });
  for (tile::MmaOp op : products)
    if (failed(assign(op, operands)))
      return failure();
  operands.place(func, getInstructions(chip).boxes != nullptr);
  openProducts(func);
  releaseSlots(func);
  return success();
}
