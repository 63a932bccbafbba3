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

/// A text that writes the registers, and reads them unless they begin with it, so that whoever
/// reads them later does so behind it.
void ThreadEmitter::touchSums(Location location, Registers &sums, ValueRange operands,
                              StringRef text, bool begin) {
  std::string constraints;
  const char *own = sums.front().getType().isInteger() ? "r," : "f,";
  for (size_t i = 0; i < sums.size(); ++i)
    constraints += (begin ? "=&" : "=") + StringRef(own).str();
  for (size_t i = 0; i < sums.size() && !begin; ++i)
    constraints += std::to_string(i) + ",";
  for (Value operand : operands)
    constraints += operand.getType().isInteger(64) ? "l," : "r,";
  constraints += "~{memory}";
  Registers all(begin ? Registers() : sums);
  llvm::append_range(all, operands);
  SmallVector<Type> types(sums.size(), sums.front().getType());
  Type type = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  Value results = emitText(location, type, all, text, constraints);
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

/// Whether something behind the operation needs the value, of 16 bits.
static bool isMultipliedLater(Value value, Operation &op) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile && (tile.getElementType().isBF16() || tile.getElementType().isF16()) &&
         !isa<tile::LoadOp>(value.getDefiningOp()) &&
         llvm::any_of(value.getUsers(), [&](Operation *user) {
           return user->getBlock() == op.getBlock() && !user->isBeforeInBlock(&op);
         });
}

void ThreadEmitter::awaitRunning(Operation &op) {
  bool ends = isa<scf::ForOp, scf::IfOp, scf::WhileOp, tile::MmaOp, tile::BarrierOp, tile::AwaitOp,
                  tile::ReleaseOp>(op) ||
              op.hasTrait<OpTrait::IsTerminator>();
  if (!running || (!ends && !llvm::is_contained(op.getOperands(), running)))
    return;
  Value sums = std::exchange(running, Value());
  // What it multiplies stays where it is, and what the next one will is computed before.
  Registers words = runningWords;
  for (Operation *between = sums.getDefiningOp()->getNextNode(); between != &op;
       between = between->getNextNode())
    for (Value result : between->getResults())
      if (isMultipliedLater(result, op))
        llvm::append_range(words, packPairs(op.getLoc(), result));
  touchSums(op.getLoc(), tiles[sums], words, instructions.awaitProducts);
}

/// Registers of 16 bits, two by two.
ThreadEmitter::Registers ThreadEmitter::packPairs(Location location, Value tile) {
  static constexpr MatrixFragment::Offset neighbours[] = {{0, 1}};
  const MatrixFragment pair{neighbours, {}, 2, MatrixFragment::Word::Integer};
  Registers words, own(lookup(tile));
  for (size_t i = 0; i + 1 < own.size(); i += 2)
    llvm::append_range(
        words, packWords(builder, location, pair, get(tile).element, ValueRange(own).slice(i, 2)));
  return words;
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

  // The left operand may be in registers. Sums that are under way are not moved while they are.
  Value joined = open == op.getAccumulator() ? Value() : open;
  bool begins = !joined && (matchPattern(op.getAccumulator(), m_PosZeroFloat()) ||
                            matchPattern(op.getAccumulator(), m_Zero()));
  Registers sums(lookup(op.getAccumulator())), operands;
  size_t own = sums.size();
  if (joined)
    llvm::append_range(sums, lookup(joined));
  unsigned first = unsigned(begins ? sums.size() : 2 * sums.size());
  std::optional<OperandInRuns> both[2];
  LocalProductOperands forms;
  for (bool isRight : {false, true}) {
    unsigned side = isRight ? dims.columns : dims.rows;
    std::optional<OperandInRuns> &found = both[isRight];
    found = findOperandInRuns(isRight == dims.isSwapped ? op.getLhs() : op.getRhs(), dims.depth);
    if (!found && !isRight)
      continue;
    if (!found)
      return emitOpError(op, Code::T0422)
             << "expected operands that " << unit.name
             << " reads in local memory: tile-assign-layouts marks their loads";
    std::vector<layout::Expr> point(begin.size());
    point[side] = begin[side];
    FailureOr<Value> index = emitPlace(found->load, point, found->offset);
    if (failed(index))
      return failure();
    found->offset *= found->elementBytes;
    (isRight ? forms.rhsNumber : forms.lhsNumber) = first + unsigned(operands.size());
    operands.push_back(
        emitDescription(location, scalars.lookup(found->load.getSource()), *index, found->form));
  }
  if (both[0])
    forms.lhs = both[0]->form;
  forms.rhs = both[1]->form;

  Value left = dims.isSwapped ? op.getRhs() : op.getLhs();
  UnitSide rows{dims.rows, unit.rows}, columns{dims.columns, unit.columns},
      group{dims.depth, unit.depth};
  SmallVector<LocalProduct> products;
  int64_t depth = cast<RankedTensorType>(op.getLhs().getType()).getDimSize(dims.depth);
  for (int64_t k = 0; k < depth; k += unit.depth)
    for (int64_t m = 0; m < sides[dims.rows]; m += unit.rows) {
      SmallVector<unsigned> words;
      if (!both[0] && failed(addWords(op, left, unit, {rows, group, m, k}, first, operands, words)))
        return failure();
      for (int64_t n = 0; n < sides[dims.columns]; n += unit.columns) {
        auto numbers = locateFragment(tile, unit.sums, rows, columns, m, n);
        if (!numbers)
          return emitOpError(op, Code::T0422) << "expected sums with the layout of " << unit.name
                                              << ", found " << op.getResult().getType();
        products.push_back({*numbers, both[0] ? both[0]->place(k, m) : 0, both[1]->place(k, n),
                            words, k != 0 || !begins});
      }
    }
  std::string text = instructions.writeProducts(unit, products, forms, findOpen(op));
  touchSums(location, sums, operands, text, begins);
  if (joined)
    tiles[joined].assign(sums.begin() + own, sums.end());
  sums.truncate(own);
  tiles[op.getResult()] = sums;
  open = findOpen(op) == OpenProducts::All ? op.getResult() : Value();
  if (auto until = op->getAttrOfType<StringAttr>(tile::openAttrName);
      until && until.getValue() == "read") {
    running = op.getResult();
    llvm::erase_if(operands, [](Value operand) { return operand.getType().isInteger(64); });
    runningWords = operands;
  }
  return success();
}

/// The words of a block of the left operand, which is in registers, behind the text's operands.
LogicalResult ThreadEmitter::addWords(tile::MmaOp op, Value left, const MatrixUnit &unit,
                                      const UnitBlock &block, unsigned first, Registers &operands,
                                      SmallVectorImpl<unsigned> &numbers) {
  const ThreadTile tile = get(left);
  auto registers =
      locateFragment(tile, unit.lhs, block.rows, block.columns, block.row, block.column);
  if (!registers)
    return emitOpError(op, Code::T0422)
           << "expected a left operand in local memory or with the layout of " << unit.name
           << ", found " << left.getType();
  ValueRange values = lookup(left);
  Registers own;
  for (unsigned number : *registers)
    own.push_back(values[number]);
  for (Value word : packWords(builder, op.getLoc(), unit.lhs, tile.element, own)) {
    numbers.push_back(first + unsigned(operands.size()));
    operands.push_back(word);
  }
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
