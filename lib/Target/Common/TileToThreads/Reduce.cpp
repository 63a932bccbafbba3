// ttile.reduce: a tree over the registers of each thread, then over the lanes of a subgroup.
#include "Emitter.h"

#include "tw/Support/Diagnostics.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

/// One application of the reduction: the values of all tiles at two places.
FailureOr<ThreadEmitter::Registers> ThreadEmitter::combine(tile::ReduceOp op, ValueRange left,
                                                           ValueRange right) {
  if (std::optional<arith::AtomicRMWKind> kind = op.getKind()) {
    Value value = arith::getReductionOp(*kind, builder, op.getLoc(), left[0], right[0]);
    if (!value)
      return failure();
    return Registers{value};
  }
  Block &block = op.getCombine().front();
  IRMapping mapping;
  block.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Value outer = scalars.lookupOrNull(operand))
        mapping.map(operand, outer);
  });
  mapping.map(block.getArguments().take_front(left.size()), left);
  mapping.map(block.getArguments().drop_front(left.size()), right);
  for (Operation &inner : block.without_terminator())
    builder.clone(inner, mapping);
  Registers results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

/// The value of the lane whose number differs in the bits of the mask.
Value ThreadEmitter::shuffle(Location location, Value value, int64_t mask) {
  Type type = value.getType();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (type.isIndex())
    value = arith::IndexCastOp::create(builder, location, i64, value);
  else if (isa<FloatType>(type))
    value = arith::BitcastOp::create(builder, location, builder.getIntegerType(width), value);
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, location, word, mask, traits.subgroup,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  if (width < 32) {
    value = exchange(arith::ExtUIOp::create(builder, location, i32, value));
    value = arith::TruncIOp::create(builder, location, builder.getIntegerType(width), value);
  } else if (width == 32) {
    value = exchange(value);
  } else {
    Value shift = constant(builder.getI64IntegerAttr(32));
    Value high = arith::ShRUIOp::create(builder, location, value, shift);
    Value words[] = {arith::TruncIOp::create(builder, location, i32, value),
                     arith::TruncIOp::create(builder, location, i32, high)};
    for (Value &word : words)
      word = arith::ExtUIOp::create(builder, location, i64, exchange(word));
    value = arith::OrIOp::create(builder, location, words[0],
                                 arith::ShLIOp::create(builder, location, words[1], shift));
  }
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, location, type, value);
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(builder, location, type, value);
  return value;
}

LogicalResult ThreadEmitter::emitReduce(tile::ReduceOp op) {
  const ThreadTile source = get(op.getValues()[0]);
  const ThreadTile tile = get(op.getResults()[0]);
  for (Value value : op.getValues())
    if (get(value).layout != source.layout)
      return emitOpError(op, Code::T0422)
             << "expected values of one shape and layout, found " << value.getType();
  SmallVector<unsigned> dims(op.getDims().begin(), op.getDims().end());
  if (!op.getWithin() && source.layout.fold(dims, false).shape != tile.layout.shape)
    return emitOpError(op, Code::T0422)
           << "combines elements of several threads: expected tile-expand-exchanges to run before";
  bool acrossLanes = op.getWithin() && *op.getWithin() == "subgroup";

  // The registers that each result register combines, in the order of their coordinates.
  using Member = std::pair<std::vector<int64_t>, unsigned>;
  std::vector<std::vector<Member>> members(tile.registers.size());
  for (auto [reg, coordinates] : llvm::enumerate(source.registers)) {
    std::vector<int64_t> reduced = coordinates;
    for (unsigned dim : dims)
      reduced[dim] = 0;
    std::optional<unsigned> to = tile.findRegister(reduced);
    if (!to)
      return emitOpError(op, Code::T0422)
             << "expected a result whose layout is a slice of the value's, found "
             << op.getResults()[0].getType();
    members[*to].push_back({coordinates, reg});
  }
  SmallVector<Registers> values;
  for (Value value : op.getValues())
    values.push_back(Registers(lookup(value)));
  SmallVector<Registers> results(op.getNumResults());
  for (std::vector<Member> &list : members) {
    std::sort(list.begin(), list.end());
    std::vector<Registers> row;
    for (const Member &member : list) {
      Registers &tuple = row.emplace_back();
      for (const Registers &all : values)
        tuple.push_back(all[member.second]);
    }
    while (row.size() > 1) {
      size_t half = llvm::divideCeil(row.size(), 2), pairs = row.size() - half;
      for (size_t i = 0; i < pairs; ++i) {
        FailureOr<Registers> sum = combine(op, row[i], row[i + half]);
        if (failed(sum))
          return emitOpError(op, Code::T0422) << "has a kind that does not act on its element type";
        row[i] = *sum;
      }
      row.resize(half);
    }
    const auto &bits = source.layout.bases[size_t(layout::Resource::Lane)];
    for (auto [bit, basis] : llvm::enumerate(bits)) {
      if (!acrossLanes || llvm::none_of(dims, [&](unsigned dim) { return basis[dim] != 0; }))
        continue;
      Registers other;
      for (Value value : row[0])
        other.push_back(shuffle(op.getLoc(), value, int64_t(1) << bit));
      FailureOr<Registers> sum = combine(op, row[0], other);
      if (failed(sum))
        return emitOpError(op, Code::T0422) << "has a kind that does not act on its element type";
      row[0] = *sum;
    }
    for (auto [result, value] : llvm::zip(results, row[0]))
      result.push_back(value);
  }
  for (auto [result, list] : llvm::zip(op.getResults(), results))
    tiles[result] = list;
  return success();
}
