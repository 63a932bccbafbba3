// Matrix units, as calls of intrinsics.
#include "Fragments.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

Value ThreadEmitter::callIntrinsic(Location location, StringRef name, Type type,
                                   ValueRange operands) {
  auto text = builder.getStringAttr(name);
  if (!type) {
    LLVM::CallIntrinsicOp::create(builder, location, text, operands);
    return Value();
  }
  return LLVM::CallIntrinsicOp::create(builder, location, type, text, operands).getResults();
}

Value ThreadEmitter::getPointer(Location location, Value memory, Value index, int64_t offset) {
  auto type = cast<MemRefType>(memory.getType());
  auto space = cast<gpu::AddressSpaceAttr>(type.getMemorySpace());
  unsigned number = space.getValue() == gpu::AddressSpace::Workgroup ? 3 : 1;
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), number);
  Type i64 = builder.getI64Type();
  auto toI64 = [&](Value value) -> Value {
    return arith::IndexCastOp::create(builder, location, i64, value);
  };
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(builder, location, memory);
  base = LLVM::IntToPtrOp::create(builder, location, pointer, toI64(base));
  Type bits = builder.getIntegerType(type.getElementTypeBitWidth());
  base = LLVM::GEPOp::create(builder, location, pointer, bits, base,
                             ArrayRef<LLVM::GEPArg>{toI64(index)});
  if (offset == 0)
    return base;
  Value more = constant(builder.getI64IntegerAttr(offset));
  return LLVM::GEPOp::create(builder, location, pointer, bits, base, ArrayRef<LLVM::GEPArg>{more});
}

namespace {

/// The registers of a tile that are a fragment, as the arguments of an intrinsic.
class Words {
public:
  Words(OpBuilder &builder, Location location, const MatrixFragment &fragment, Type element)
      : builder(builder), location(location), fragment(fragment), element(element) {}

  int64_t count() const { return (int64_t(1) << fragment.registers.size()) / fragment.word; }

  /// The type of an argument.
  Type getType() const {
    if (fragment.word == 1)
      return element;
    unsigned width = element.getIntOrFloatBitWidth();
    switch (fragment.as) {
    case MatrixFragment::Word::Integer:
      return builder.getIntegerType(width * unsigned(fragment.word));
    case MatrixFragment::Word::Words:
      return VectorType::get({fragment.word * width / 32}, builder.getI32Type());
    case MatrixFragment::Word::Integers:
      return VectorType::get({fragment.word}, builder.getIntegerType(width));
    case MatrixFragment::Word::Elements:
      return VectorType::get({fragment.word}, element);
    }
    llvm_unreachable("a word is one of these");
  }

  SmallVector<Value> pack(ValueRange registers) const {
    SmallVector<Value> words;
    for (size_t i = 0; i < registers.size(); i += fragment.word) {
      ValueRange own = registers.slice(i, fragment.word);
      if (fragment.word == 1) {
        words.push_back(own[0]);
        continue;
      }
      auto type = VectorType::get({fragment.word}, element);
      Value word = vector::FromElementsOp::create(builder, location, type, own);
      if (getType() != type)
        word = LLVM::BitcastOp::create(builder, location, getType(), word);
      words.push_back(word);
    }
    return words;
  }

  /// What the intrinsic returned.
  SmallVector<Value> unpack(Value result) const {
    SmallVector<Value> registers;
    for (int64_t i = 0; i < count(); ++i) {
      Value word = result;
      if (count() > 1)
        word = LLVM::ExtractValueOp::create(builder, location, result, i);
      if (fragment.word == 1) {
        registers.push_back(word);
        continue;
      }
      for (int64_t j = 0; j < fragment.word; ++j)
        registers.push_back(vector::ExtractOp::create(builder, location, word, j));
    }
    return registers;
  }

  Type getResultType() const {
    if (count() == 1)
      return getType();
    SmallVector<Type> types(count(), getType());
    return LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  }

private:
  OpBuilder &builder;
  Location location;
  const MatrixFragment &fragment;
  Type element;
};

} // namespace

SmallVector<Value> tw::threads::packWords(OpBuilder &builder, Location location,
                                          const MatrixFragment &fragment, Type element,
                                          ValueRange registers) {
  return Words(builder, location, fragment, element).pack(registers);
}

std::optional<SmallVector<unsigned>> tw::threads::locateFragment(const ThreadTile &tile,
                                                                 const MatrixFragment &fragment,
                                                                 const UnitSide &rows,
                                                                 const UnitSide &columns,
                                                                 int64_t row, int64_t column) {
  SmallVector<unsigned> numbers;
  for (int64_t reg = 0; reg < int64_t(1) << fragment.registers.size(); ++reg) {
    int64_t ownRow = row, ownColumn = column;
    for (auto [bit, offset] : llvm::enumerate(fragment.registers))
      if (reg >> bit & 1) {
        ownRow += offset.row;
        ownColumn += offset.column;
      }
    std::vector<int64_t> at(tile.layout.shape.size(), 0);
    at[rows.dim] = rows.place(ownRow);
    at[columns.dim] = columns.place(ownColumn);
    std::optional<unsigned> number = tile.findRegister(at);
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// ttile.mma {ttile.unit}   ->   a call for each block of rows, columns and depth of a subgroup
LogicalResult ThreadEmitter::emitUnit(tile::MmaOp op) {
  StringRef name = op->getAttrOfType<StringAttr>(tile::unitAttrName).getValue();
  const MatrixUnit *unit = findMatrixUnit(name);
  std::optional<UnitDims> dims = unit ? findUnitDims(op) : std::nullopt;
  if (!dims)
    return emitOpError(op, Code::T0422) << "expected the name of a matrix unit, found '" << name
                                        << "': tile-assign-layouts gives it";
  std::string said = name.str();
  if (auto instead = op->getAttrOfType<StringAttr>(tile::insteadAttrName))
    said += " (" + instead.getValue().str() + ")";
  units.insert(builder.getStringAttr(said));
  if (unit->rhs.lanes.empty())
    return emitLocalUnit(op, *unit);
  Location location = op.getLoc();
  Value left = dims->isSwapped ? op.getRhs() : op.getLhs();
  Value right = dims->isSwapped ? op.getLhs() : op.getRhs();
  const ThreadTile lhs = get(left), rhs = get(right), tile = get(op.getResult());
  Registers lhsValues(lookup(left)), rhsValues(lookup(right)), sums(lookup(op.getAccumulator()));
  Words lhsWords(builder, location, unit->lhs, lhs.element),
      rhsWords(builder, location, unit->rhs, rhs.element),
      sumWords(builder, location, unit->sums, tile.element);

  bool isWhole = true;
  auto locate = [&](const ThreadTile &own, const MatrixFragment &fragment, const UnitSide &rows,
                    const UnitSide &columns, int64_t row, int64_t column) {
    auto numbers = locateFragment(own, fragment, rows, columns, row, column);
    isWhole &= numbers.has_value();
    return numbers.value_or(SmallVector<unsigned>(size_t(1) << fragment.registers.size(), 0));
  };
  auto gather = [](const Registers &values, ArrayRef<unsigned> numbers) {
    Registers own;
    for (unsigned number : numbers)
      own.push_back(values[number]);
    return own;
  };
  // A side of what a subgroup has.
  auto getSide = [&](unsigned dim) {
    int64_t extent = tile.layout.shape[dim];
    for (const layout::Basis &basis : tile.layout.bases[size_t(layout::Resource::Warp)])
      extent /= basis[dim] != 0 ? 2 : 1;
    return extent;
  };
  UnitSide rows = findUnitSide(lhs.layout, unit->lhs, dims->rows, unit->rows, true);
  UnitSide columns = findUnitSide(rhs.layout, unit->rhs, dims->columns, unit->columns, false);
  UnitSide group = findUnitSide(lhs.layout, unit->lhs, dims->depth, unit->depth, false);
  Registers zeros(unit->zeros, unit->zeros ? constant(builder.getI32IntegerAttr(0)) : Value());
  for (int64_t k = 0; k < lhs.layout.shape[dims->depth]; k += unit->depth)
    for (int64_t m = 0; m < getSide(dims->rows); m += unit->rows)
      for (int64_t n = 0; n < getSide(dims->columns); n += unit->columns) {
        SmallVector<unsigned> place = locate(tile, unit->sums, rows, columns, m, n);
        Registers a = gather(lhsValues, locate(lhs, unit->lhs, rows, group, m, k));
        Registers b = gather(rhsValues, locate(rhs, unit->rhs, group, columns, k, n));
        if (!isWhole)
          return emitOpError(op, Code::T0422)
                 << "expected tiles with the layouts of " << unit->name << ", found "
                 << left.getType() << ", " << right.getType() << " and "
                 << op.getResult().getType();
        SmallVector<Value> operands;
        auto addBit = [&](bool bit) {
          if (unit->takesSigns)
            operands.push_back(constant(builder.getBoolAttr(bit)));
        };
        addBit(!unit->lhsUnsigned);
        llvm::append_range(operands, lhsWords.pack(a));
        addBit(!unit->rhsUnsigned);
        llvm::append_range(operands, rhsWords.pack(b));
        llvm::append_range(operands, sumWords.pack(gather(sums, place)));
        addBit(false);
        llvm::append_range(operands, zeros);
        Value result = callIntrinsic(location, unit->intrinsic, sumWords.getResultType(), operands);
        for (auto [number, value] : llvm::zip(place, sumWords.unpack(result)))
          sums[number] = value;
      }
  tiles[op.getResult()] = sums;
  return success();
}
