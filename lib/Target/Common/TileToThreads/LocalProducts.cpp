// Products of matrix units that read their operands in local memory.
//
//   %a = ttile.load %s {ttile.in_place}, ttile.mma %a, %b, %c   ->   one text: the products of all
//                                                                    blocks, which it awaits
#include "Fragments.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;
using layout::Resource;

namespace {

/// An operand as the unit finds it.
struct OperandInRuns {
  tile::LoadOp load;
  LocalOperand form;
  int64_t elementBytes;
  /// Bytes from the memory's begin to the first block, where no thread and no index adds to it.
  int64_t offset = 0;

  /// Bytes from the first block to the one at a point of the depth and of the other side.
  int64_t place(int64_t depth, int64_t other) const {
    int64_t along = form.alongDepth ? depth : other, across = form.alongDepth ? other : depth;
    int64_t row = form.getRowBytes();
    return offset + along * elementBytes / row * form.step + along * elementBytes % row +
           across * row;
  }
};

std::optional<OperandInRuns> findOperandInRuns(Value operand, unsigned depth) {
  auto load = operand.getDefiningOp<tile::LoadOp>();
  auto dim = load ? load->getAttrOfType<IntegerAttr>(tile::inPlaceAttrName) : IntegerAttr();
  if (!dim)
    return std::nullopt;
  auto type = cast<MemRefType>(load.getSource().getType());
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  auto alloc = load.getSource().getDefiningOp<tile::AllocOp>();
  auto swizzle = alloc ? alloc->getAttrOfType<IntegerAttr>(tile::swizzleAttrName) : IntegerAttr();
  LocalOperand form{dim.getInt() == depth, strides[strides.size() - 3] * bytes,
                    swizzle ? swizzle.getInt() : 0};
  return OperandInRuns{load, form, bytes};
}

OpenProducts findOpen(tile::MmaOp op) {
  auto open = op->getAttrOfType<StringAttr>(tile::openAttrName);
  if (!open)
    return OpenProducts::None;
  return open.getValue() == "all" ? OpenProducts::All : OpenProducts::Alone;
}

} // namespace

Value ThreadEmitter::emitText(Location location, Type type, ValueRange operands, StringRef text,
                              StringRef constraints) {
  auto op = LLVM::InlineAsmOp::create(
      builder, location, type ? TypeRange(type) : TypeRange(), operands,
      builder.getStringAttr(text), builder.getStringAttr(constraints), builder.getUnitAttr(),
      /*is_align_stack=*/UnitAttr(),
      LLVM::TailCallKindAttr::get(builder.getContext(), LLVM::TailCallKind::None),
      /*asm_dialect=*/LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
  return type ? op.getRes() : Value();
}

/// A text that reads and writes the registers, so that whoever reads them later does so behind it.
void ThreadEmitter::touchSums(Location location, Registers &sums, ValueRange numbers,
                              StringRef text) {
  std::string constraints;
  for (size_t i = 0; i < sums.size(); ++i)
    constraints += "=f,";
  for (size_t i = 0; i < sums.size(); ++i)
    constraints += std::to_string(i) + ",";
  for (size_t i = 0; i < numbers.size(); ++i)
    constraints += "l,";
  constraints += "~{memory}";
  Registers operands(sums);
  llvm::append_range(operands, numbers);
  SmallVector<Type> types(sums.size(), sums.front().getType());
  Type type = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  Value results = emitText(location, type, operands, text, constraints);
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(builder, location, results, int64_t(i));
}

void ThreadEmitter::awaitProducts(scf::ForOp loop) {
  for (auto [yielded, result] : llvm::zip(loop.getYieldedValues(), loop.getResults())) {
    auto product = yielded.getDefiningOp<tile::MmaOp>();
    if (!product || !product->hasAttr(tile::openAttrName))
      continue;
    // Products behind the loop go on with the sums, and are awaited.
    bool goesOn = llvm::all_of(result.getUsers(), [&](Operation *user) {
      return isa<tile::MmaOp>(user) &&
             user->getAttr(tile::unitAttrName) == product->getAttr(tile::unitAttrName);
    });
    if (!goesOn)
      touchSums(loop.getLoc(), tiles[result], {}, instructions.awaitProducts);
  }
}

LogicalResult ThreadEmitter::emitLocalUnit(tile::MmaOp op, const MatrixUnit &unit) {
  Location location = op.getLoc();
  UnitDims dims = *findUnitDims(op);
  const ThreadTile tile = get(op.getResult());
  ArrayRef<layout::Basis> warps(tile.layout.bases[size_t(Resource::Warp)]);
  warps = warps.drop_front(unit.sums.subgroups.size());

  // Where the blocks of the thread's group begin, and how far they reach.
  layout::Range threads = layout::Range::ofExtent(countThreads());
  layout::DimRanges ranges(&threads, 1);
  std::vector<layout::Expr> begin(tile.layout.shape.size());
  std::vector<int64_t> sides = tile.layout.shape;
  int64_t weight = traits.subgroup * unit.countSubgroups();
  for (const layout::Basis &basis : warps) {
    layout::Expr digit =
        layout::mod(layout::floorDiv(layout::Expr::dim(0), weight, ranges), 2, ranges);
    weight *= 2;
    for (auto [d, step] : llvm::enumerate(basis)) {
      begin[d] = begin[d] + digit * step;
      sides[d] /= step != 0 ? 2 : 1;
    }
  }

  Registers sums(lookup(op.getAccumulator())), descriptions;
  std::optional<OperandInRuns> both[2];
  for (bool isRight : {false, true}) {
    unsigned side = isRight ? dims.columns : dims.rows;
    std::optional<OperandInRuns> &own = both[isRight];
    own = findOperandInRuns(isRight == dims.isSwapped ? op.getLhs() : op.getRhs(), dims.depth);
    if (!own)
      return emitOpError(op, Code::T0422)
             << "expected operands that " << unit.name
             << " reads in local memory: tile-assign-layouts marks their loads";
    std::vector<layout::Expr> point(begin.size());
    point[side] = begin[side];
    FailureOr<Value> index = emitPlace(own->load, point, own->offset);
    if (failed(index))
      return failure();
    own->offset *= own->elementBytes;
    descriptions.push_back(
        emitDescription(location, scalars.lookup(own->load.getSource()), *index, own->form));
  }

  UnitSide rows{dims.rows, unit.rows}, columns{dims.columns, unit.columns};
  SmallVector<LocalProduct> products;
  int64_t depth = cast<RankedTensorType>(op.getLhs().getType()).getDimSize(dims.depth);
  for (int64_t k = 0; k < depth; k += unit.depth)
    for (int64_t m = 0; m < sides[dims.rows]; m += unit.rows)
      for (int64_t n = 0; n < sides[dims.columns]; n += unit.columns) {
        auto numbers = locateFragment(tile, unit.sums, rows, columns, m, n);
        if (!numbers)
          return emitOpError(op, Code::T0422) << "expected sums with the layout of " << unit.name
                                              << ", found " << op.getResult().getType();
        products.push_back({*numbers, both[0]->place(k, m), both[1]->place(k, n)});
      }
  std::string text = instructions.writeProducts(unit, products, int64_t(sums.size()), both[0]->form,
                                                both[1]->form, findOpen(op));
  touchSums(location, sums, descriptions, text);
  tiles[op.getResult()] = sums;
  return success();
}

/// What describes an operand that begins at the element `index` of local memory.
Value ThreadEmitter::emitDescription(Location location, Value memory, Value index,
                                     const LocalOperand &form) {
  Type i64 = builder.getI64Type();
  auto number = [&](int64_t value) { return constant(builder.getI64IntegerAttr(value)); };
  Value at = memref::ExtractAlignedPointerAsIndexOp::create(builder, location, memory);
  at = arith::IndexCastOp::create(builder, location, i64, at);
  index = arith::IndexCastOp::create(builder, location, i64, index);
  int64_t bytes = cast<MemRefType>(memory.getType()).getElementTypeBitWidth() / 8;
  index = arith::MulIOp::create(builder, location, index, number(bytes));
  at = arith::AddIOp::create(builder, location, at, index);
  at = arith::AndIOp::create(builder, location, at,
                             number((int64_t(1) << instructions.localAddressBits) - 1));
  at = arith::ShRUIOp::create(builder, location, at, number(llvm::Log2_64(LocalOperand::runBytes)));
  return arith::AddIOp::create(builder, location, at, number(int64_t(instructions.describe(form))));
}
