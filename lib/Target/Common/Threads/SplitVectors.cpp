// The pass threads-split-vectors: what the languages of threads have no word for is done element by
// element.
//
// It runs after math is expanded and folded, when all operations are those that will be printed.
#include "tw/Target/Common/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

namespace tw {
#define GEN_PASS_DEF_THREADSSPLITVECTORSPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

/// Writes what takes the place of one operation in front of it.
class VectorSplitter {
public:
  explicit VectorSplitter(Operation *op) : op(op), location(op->getLoc()), builder(op) {}

  /// One element after another. Whether all or any of many truth values hold, languages know.
  void combine(vector::ReductionOp reduction) {
    using Kind = vector::CombiningKind;
    VectorType type = reduction.getSourceVectorType();
    if (type.getElementType().isInteger(1) && !reduction.getAcc() &&
        (reduction.getKind() == Kind::AND || reduction.getKind() == Kind::OR))
      return;
    Value result = reduction.getAcc();
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value element = extract(reduction.getVector(), i);
      result = result ? vector::makeArithReduction(builder, location, reduction.getKind(), result,
                                                   element, reduction.getFastmathAttr())
                      : element;
    }
    replace(result);
  }

  /// Loads of the elements. One that is not wanted reads element 0.
  void gather(vector::GatherOp gather) {
    VectorType type = gather.getVectorType();
    SmallVector<Value> elements;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value index = addOffset(gather.getOffsets().front(), gather.getIndices(), i);
      std::optional<bool> known = getKnown(gather.getMask(), i);
      if (known == false) {
        elements.push_back(extract(gather.getPassThru(), i));
        continue;
      }
      Value inside = known ? Value() : extract(gather.getMask(), i);
      if (inside)
        index = arith::SelectOp::create(builder, location, inside, index,
                                        arith::ConstantIndexOp::create(builder, location, 0));
      Value element = memref::LoadOp::create(builder, location, gather.getBase(), index);
      if (inside)
        element = arith::SelectOp::create(builder, location, inside, element,
                                          extract(gather.getPassThru(), i));
      elements.push_back(element);
    }
    replace(vector::FromElementsOp::create(builder, location, type, elements));
  }

  void scatter(vector::ScatterOp scatter) {
    for (int64_t i = 0; i < scatter.getVectorType().getNumElements(); ++i) {
      std::optional<bool> known = getKnown(scatter.getMask(), i);
      if (known == false)
        continue;
      Value value = extract(scatter.getValueToStore(), i);
      Value index = addOffset(scatter.getOffsets().front(), scatter.getIndices(), i);
      OpBuilder::InsertionGuard guard(builder);
      if (!known) {
        auto branch = scf::IfOp::create(builder, location, extract(scatter.getMask(), i),
                                        /*withElseRegion=*/false);
        builder.setInsertionPointToStart(branch.thenBlock());
      }
      memref::StoreOp::create(builder, location, value, scatter.getBase(), index);
    }
    op->erase();
  }

  /// The first elements of a vector, as many as a constant says: stores of the powers of two that
  /// they are. Other masks languages have functions for.
  void store(vector::MaskedStoreOp store) {
    int64_t lanes = store.getVectorType().getNumElements(), count = 0;
    while (count < lanes && getKnown(store.getMask(), count) == true)
      ++count;
    for (int64_t i = count; i < lanes; ++i)
      if (getKnown(store.getMask(), i) != false)
        return;
    for (int64_t first = 0; first < count;) {
      int64_t width = llvm::bit_floor(uint64_t(count - first));
      Value index = store.getIndices().front();
      if (first != 0)
        index = arith::AddIOp::create(builder, location, index,
                                      arith::ConstantIndexOp::create(builder, location, first));
      if (width == 1) {
        memref::StoreOp::create(builder, location, extract(store.getValueToStore(), first),
                                store.getBase(), index);
      } else {
        Value part = store.getValueToStore();
        if (width != lanes)
          part = vector::ShuffleOp::create(builder, location, part, part,
                                           llvm::to_vector(llvm::seq(first, first + width)));
        vector::StoreOp::create(builder, location, part, store.getBase(), index);
      }
      first += width;
    }
    op->erase();
  }

private:
  Operation *op;
  Location location;
  OpBuilder builder;

  void replace(Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  Value extract(Value vector, int64_t i) {
    DenseElementsAttr elements;
    if (matchPattern(vector, m_Constant(&elements)))
      return arith::ConstantOp::create(builder, location,
                                       cast<TypedAttr>(elements.getValues<Attribute>()[i]));
    return vector::ExtractOp::create(builder, location, vector, i);
  }

  Value addOffset(Value base, Value offsets, int64_t i) {
    Value offset = extract(offsets, i);
    if (!offset.getType().isIndex())
      offset = arith::IndexCastOp::create(builder, location, builder.getIndexType(), offset);
    return arith::AddIOp::create(builder, location, base, offset);
  }

  /// An element of a mask, if that is known.
  std::optional<bool> getKnown(Value mask, int64_t i) {
    DenseElementsAttr elements;
    if (!matchPattern(mask, m_Constant(&elements)))
      return std::nullopt;
    return elements.getValues<bool>()[i];
  }
};

class ThreadsSplitVectorsPass
    : public tw::impl::ThreadsSplitVectorsPassBase<ThreadsSplitVectorsPass> {
public:
  using ThreadsSplitVectorsPassBase::ThreadsSplitVectorsPassBase;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case([&](vector::ReductionOp reduction) { VectorSplitter(op).combine(reduction); })
          .Case([&](vector::GatherOp gather) { VectorSplitter(op).gather(gather); })
          .Case([&](vector::ScatterOp scatter) { VectorSplitter(op).scatter(scatter); })
          .Case([&](vector::MaskedStoreOp store) { VectorSplitter(op).store(store); });
    });
  }
};

} // namespace
