// Layouts of what matrix units multiply: fragments over tiles, subgroups over blocks.
#include "UnitLayouts.h"

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

TileLayout tw::threads::makeUnitLayout(ArrayRef<int64_t> shape, const MatrixFragment &fragment,
                                       std::pair<unsigned, int64_t> rows,
                                       std::pair<unsigned, int64_t> columns,
                                       ArrayRef<std::optional<unsigned>> warpDims) {
  TileLayout layout;
  layout.shape.assign(shape.begin(), shape.end());
  layout.atom = layout.shape;
  auto add = [&](Resource resource, int64_t row, int64_t column) {
    layout::Basis basis(shape.size(), 0);
    basis[rows.first] = row;
    basis[columns.first] = column;
    layout.bases[size_t(resource)].push_back(basis);
  };
  for (auto [row, column] : fragment.registers)
    add(Resource::Reg, row, column);
  for (auto [row, column] : fragment.lanes)
    add(Resource::Lane, row, column);
  // What is left of each side goes to registers, but for the blocks of subgroups.
  int64_t blocks[] = {shape[rows.first], shape[columns.first]};
  for (std::optional<unsigned> dim : warpDims)
    if (dim == rows.first || dim == columns.first)
      blocks[dim == columns.first] /= 2;
  for (int64_t step = columns.second; step < blocks[1]; step *= 2)
    add(Resource::Reg, 0, step);
  for (int64_t step = rows.second; step < blocks[0]; step *= 2)
    add(Resource::Reg, step, 0);
  for (std::optional<unsigned> dim : warpDims) {
    if (dim == rows.first)
      add(Resource::Warp, std::exchange(blocks[0], 2 * blocks[0]), 0);
    else if (dim == columns.first)
      add(Resource::Warp, 0, std::exchange(blocks[1], 2 * blocks[1]));
    else
      add(Resource::Warp, 0, 0);
  }
  return layout;
}

const TileLayout *UnitAssignment::find(const Component &component) const {
  for (const auto &[known, layout] : required)
    if (known == &component)
      return &layout;
  return nullptr;
}

bool UnitAssignment::require(Value tile, const TileLayout &layout) {
  const Component &component = components.of(tile);
  if (const TileLayout *known = find(component))
    return *known == layout;
  if (ArrayRef<int64_t>(component.frame) != getShape(tile))
    return false;
  required.push_back({&component, layout});
  return true;
}

LogicalResult UnitAssignment::assign(tile::MmaOp op) {
  Type operand = getElementTypeOrSelf(op.getLhs().getType());
  Type sum = getElementTypeOrSelf(op.getResult().getType());
  std::vector<const MatrixUnit *> units = findMatrixUnits(chip, operand, sum, threads.lanes);
  if (units.empty())
    return emitOpError(op, Code::T0422)
           << "expected a chip with a matrix unit for " << operand << " in " << sum << ", found "
           << (chip.empty() ? "none" : chip) << ": leave 'contract .. dot' out of the schedule";
  ArrayRef<int64_t> sums = getShape(op.getResult());
  std::optional<UnitDims> dims = findUnitDims(op);
  if (!dims)
    return emitOpError(op, Code::T0422)
           << "expected operands of a matrix unit to vary along one dimension each, found "
           << op.getLhs().getType() << " and " << op.getRhs().getType();
  int64_t depth = getShape(op.getLhs())[dims->depth];
  auto divides = [](int64_t least, int64_t extent) {
    return extent >= least && llvm::isPowerOf2_64(extent);
  };
  auto fits = llvm::find_if(units, [&](const MatrixUnit *own) {
    return divides(own->rows, sums[dims->rows]) && divides(own->columns, sums[dims->columns]) &&
           divides(own->depth, depth);
  });
  if (fits == units.end()) {
    const MatrixUnit &least = *units.back();
    return emitOpError(op, Code::T0422)
           << "expected a tile of powers of two, at least " << least.rows << " by " << least.columns
           << " by " << least.depth << " for " << least.name << ", found " << sums[dims->rows]
           << " by " << sums[dims->columns] << " by " << depth;
  }
  const MatrixUnit *unit = *fits;
  // Blocks as square as they get: what a subgroup reads is their rows and columns.
  SmallVector<std::optional<unsigned>> warpDims;
  int64_t height = sums[dims->rows], width = sums[dims->columns];
  for (int64_t warps = threads.warps; warps > 1; warps /= 2) {
    bool canRows = height > unit->rows, canColumns = width > unit->columns;
    if (canRows && (height >= width || !canColumns)) {
      height /= 2;
      warpDims.push_back(dims->rows);
    } else if (canColumns) {
      width /= 2;
      warpDims.push_back(dims->columns);
    } else {
      warpDims.push_back(std::nullopt);
    }
  }
  std::pair<unsigned, int64_t> rows{dims->rows, unit->rows}, columns{dims->columns, unit->columns},
      group{dims->depth, unit->depth};
  if (!require(op.getResult(), makeUnitLayout(sums, unit->sums, rows, columns, warpDims)))
    return emitOpError(op, Code::T0422)
           << "expected sums of a matrix unit that meet no tiles of other shapes or units, found "
           << op.getResult().getType();
  OpOperand &left = op->getOpOperand(dims->isSwapped), &right = op->getOpOperand(!dims->isSwapped);
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
  WalkResult result = func.walk([&](tile::MmaOp op) {
    return op->hasAttr(tile::unitAttrName) && failed(assign(op)) ? WalkResult::interrupt()
                                                                 : WalkResult::advance();
  });
  return success(!result.wasInterrupted());
}
