// Stores of rows that end somewhere in a vector.
//
// vector.maskedstore of r rows, n lanes  ->  scf.if n >= 8 { r stores }
//                                            else { scf.if n & 4 { r stores of 4 } .. n & 2 .. n &
//                                            1 }
#include "RowEnds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tw::host;

namespace {

/// Rows of one part of their lanes, which end alike.
class RowEnds {
public:
  RowEnds(OpBuilder &builder, Location location, Value memory, bool streaming)
      : builder(builder), location(location), memory(memory), streaming(streaming) {}

  void add(PartAccess &access, Value value) {
    rows.push_back(&access);
    values.push_back(value);
  }
  bool isAlike(const PartAccess &access) const { return rows.front()->endsWith(access); }

  void store() {
    unsigned lanes = rows.front()->getPart().lanes;
    Value end = rows.front()->computeEnd();
    SmallVector<Value> bases;
    for (PartAccess *row : rows)
      bases.push_back(row->computeBase());
    Value isWhole = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sge, end,
                                          constant(builder, lanes));
    auto branch = scf::IfOp::create(builder, location, isWhole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    for (auto [row, value, base] : llvm::zip(rows, values, bases))
      row->storeAll(memory, value, base, streaming);
    builder.setInsertionPointToStart(branch.elseBlock());
    Value zero = constant(builder, 0);
    storePieces(arith::MaxSIOp::create(builder, location, end, zero), lanes / 2, values, bases);
  }

private:
  Value constant(OpBuilder &at, int64_t value) {
    return arith::ConstantIndexOp::create(at, location, value);
  }

  Value slice(OpBuilder &at, Value value, int64_t first, int64_t lanes) {
    if (lanes == 1)
      return vector::ExtractOp::create(at, location, value, first);
    auto taken = llvm::to_vector(llvm::seq<int64_t>(first, first + lanes));
    return vector::ShuffleOp::create(at, location, value, value, taken);
  }

  /// Stores `width` lanes of vectors of twice as many where the count has that bit, and goes on
  /// with the others.
  void storePieces(Value count, int64_t width, ArrayRef<Value> left, ArrayRef<Value> bases) {
    Value bit = arith::AndIOp::create(builder, location, count, constant(builder, width));
    Value isThere = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, bit,
                                          constant(builder, 0));
    auto storeLow = [&](OpBuilder &at) {
      for (auto [value, base] : llvm::zip(left, bases)) {
        Value low = slice(at, value, 0, width);
        if (width == 1)
          memref::StoreOp::create(at, location, low, memory, base);
        else
          vector::StoreOp::create(at, location, low, memory, base);
      }
    };
    if (width == 1) {
      scf::IfOp::create(builder, location, isThere, [&](OpBuilder &at, Location) {
        storeLow(at);
        scf::YieldOp::create(at, location);
      });
      return;
    }
    auto halves = [&](OpBuilder &at, int64_t first) {
      return llvm::map_to_vector(left, [&](Value value) { return slice(at, value, first, width); });
    };
    auto branch = scf::IfOp::create(
        builder, location, isThere,
        [&](OpBuilder &at, Location) {
          storeLow(at);
          scf::YieldOp::create(at, location, halves(at, width));
        },
        [&](OpBuilder &at, Location) { scf::YieldOp::create(at, location, halves(at, 0)); });
    SmallVector<Value> next;
    for (Value base : bases)
      next.push_back(arith::AddIOp::create(builder, location, base, bit));
    storePieces(count, width / 2, SmallVector<Value>(branch.getResults()), next);
  }

  OpBuilder &builder;
  Location location;
  Value memory;
  bool streaming;
  SmallVector<PartAccess *> rows;
  SmallVector<Value> values;
};

} // namespace

void tw::host::storeParts(OpBuilder &builder, Location location, Value memory,
                          std::deque<PartAccess> &accesses, ValueRange values, bool streaming,
                          bool masksAreDear) {
  Type stored = cast<MemRefType>(memory.getType()).getElementType();
  std::deque<RowEnds> ends;
  for (auto [access, value] : llvm::zip(accesses, values)) {
    if (!masksAreDear || getElementTypeOrSelf(value.getType()) != stored || !access.getEnd()) {
      access.store(memory, value, streaming);
      continue;
    }
    auto alike = llvm::find_if(ends, [&](const RowEnds &each) { return each.isAlike(access); });
    RowEnds &own =
        alike != ends.end() ? *alike : ends.emplace_back(builder, location, memory, streaming);
    own.add(access, value);
  }
  for (RowEnds &each : ends)
    each.store();
}
