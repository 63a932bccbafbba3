// Stores past the caches need aligned addresses, and buffers promise none: functions with such
// stores choose at their start. So they do where a call settles how far rows are apart, or how much
// there is to store.
//
// { .. nontemporal store .. }  ->  if (buffers aligned, rows whole vectors, bytes many enough) { ..
// }
//                                  else { the same with plain stores }
#include "Parts.h"

#include "tw/Dialect/View/View.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace tw;

/// On a function: for each of its buffers the bytes from which on it is streamed to, and its sizes.
static constexpr StringLiteral fromAttribute = "tw.streamed_from";
static constexpr StringLiteral sizesAttribute = "tw.buffer_sizes";

void host::noteStreams(tile::FuncOp program, func::FuncOp function) {
  SmallVector<int64_t> from(program.getNumBuffers());
  program.walk([&](tile::StoreOp store) {
    auto bytes = store->getAttrOfType<IntegerAttr>(tile::StoreOp::getStreamingFromAttrName());
    if (auto buffer = dyn_cast<BlockArgument>(store.getDestination()); bytes && buffer)
      from[buffer.getArgNumber()] = bytes.getInt();
  });
  if (llvm::all_of(from, [](int64_t bytes) { return bytes == 0; }))
    return;
  function->setAttr(fromAttribute, DenseI64ArrayAttr::get(function.getContext(), from));
  if (ArrayAttr sizes = program.getBufferSizesAttr())
    function->setAttr(sizesAttribute, sizes);
}

namespace {

/// The condition for streaming in a function, and who streams.
class Streams {
public:
  explicit Streams(func::FuncOp function) : function(function) {
    auto names = function->getAttrOfType<ArrayAttr>(host::symbolsAttribute);
    numSymbols = names ? names.size() : 0;
    for (Type type : function.getArgumentTypes()) {
      if (!isa<MemRefType>(type))
        break;
      ++firstSymbol;
    }
    if (auto grid = function->getAttrOfType<DenseI64ArrayAttr>(host::gridAttribute))
      firstSymbol += grid.size();
  }

  /// Finds the stores; false if there are none.
  bool find();
  Value buildCondition(OpBuilder &builder);

private:
  bool isSize(Value value);
  bool isMultiple(Value value, int64_t elements,
                  SmallVectorImpl<std::pair<Value, int64_t>> &needed);
  bool isMultiple(AffineExpr expr, ValueRange operands, int64_t elements,
                  SmallVectorImpl<std::pair<Value, int64_t>> &needed);
  Value rebuild(OpBuilder &builder, Value size);
  Value countBytes(OpBuilder &builder, unsigned buffer);
  Value constant(OpBuilder &builder, int64_t value) {
    return arith::ConstantIndexOp::create(builder, function.getLoc(), value);
  }

  func::FuncOp function;
  unsigned firstSymbol = 0, numSymbols = 0;
  int64_t alignment = 1;
  llvm::SmallSetVector<Value, 2> streamed;
  /// Sizes that have to be multiples of so many elements.
  llvm::SmallMapVector<Value, int64_t, 4> whole;
  IRMapping rebuilt;
};

} // namespace

/// Whether the value is computed of what a call settles alone.
bool Streams::isSize(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &function.getBody().front() &&
           argument.getArgNumber() >= firstSymbol &&
           argument.getArgNumber() < firstSymbol + numSymbols;
  Operation *op = value.getDefiningOp();
  return isa<affine::AffineApplyOp, arith::MulIOp, arith::ConstantOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isSize(operand); });
}

bool Streams::isMultiple(AffineExpr expr, ValueRange operands, int64_t elements,
                         SmallVectorImpl<std::pair<Value, int64_t>> &needed) {
  if (expr.isMultipleOf(elements))
    return true;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return isMultiple(operands[dim.getPosition()], elements, needed);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return isMultiple(binary.getLHS(), operands, elements, needed) &&
           isMultiple(binary.getRHS(), operands, elements, needed);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && factor &&
         isMultiple(binary.getLHS(), operands, elements / std::gcd(factor.getValue(), elements),
                    needed);
}

/// Whether the index is a multiple of so many elements where some sizes are multiples of as many as
/// each needs.
bool Streams::isMultiple(Value value, int64_t elements,
                         SmallVectorImpl<std::pair<Value, int64_t>> &needed) {
  llvm::APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.getSExtValue() % elements == 0;
  if (isSize(value)) {
    needed.push_back({value, elements});
    return true;
  }
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>()) {
    AffineMap map = apply.getAffineMap();
    // Symbols behind the dimensions, as one space.
    SmallVector<AffineExpr> dims;
    for (unsigned i = 0; i < map.getNumSymbols(); ++i)
      dims.push_back(getAffineDimExpr(map.getNumDims() + i, value.getContext()));
    return isMultiple(map.getResult(0).replaceSymbols(dims), apply.getMapOperands(), elements,
                      needed);
  }
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return isMultiple(isSize(product.getLhs()) ? product.getLhs() : product.getRhs(), elements,
                      needed);
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  return loop && argument == loop.getInductionVar() &&
         isMultiple(loop.getLowerBound(), elements, needed) &&
         isMultiple(loop.getStep(), elements, needed);
}

bool Streams::find() {
  function.walk([&](vector::StoreOp store) {
    bool isOpen = store->removeAttr(host::streamedAttribute) != nullptr;
    if (isOpen && numSymbols > 0) {
      VectorType type = store.getVectorType();
      SmallVector<std::pair<Value, int64_t>> needed;
      if (store.getIndices().size() == 1 &&
          isMultiple(store.getIndices()[0], type.getNumElements(), needed)) {
        for (auto [size, elements] : needed)
          whole[size] = std::lcm(std::max<int64_t>(1, whole.lookup(size)), elements);
        store.setNontemporal(true);
        store.setAlignment(type.getNumElements() * type.getElementTypeBitWidth() / 8);
      }
    }
    if (!store.getNontemporal())
      return;
    streamed.insert(store.getBase());
    alignment = std::max<int64_t>(alignment, *store.getAlignment());
  });
  return !streamed.empty();
}

/// The same size before all else.
Value Streams::rebuild(OpBuilder &builder, Value size) {
  if (isa<BlockArgument>(size))
    return size;
  if (Value known = rebuilt.lookupOrNull(size))
    return known;
  for (Value operand : size.getDefiningOp()->getOperands())
    rebuilt.map(operand, rebuild(builder, operand));
  return builder.clone(*size.getDefiningOp(), rebuilt)->getResult(0);
}

Value Streams::countBytes(OpBuilder &builder, unsigned buffer) {
  Location location = function.getLoc();
  auto type = cast<MemRefType>(function.getArgumentTypes()[buffer]);
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  auto all = function->getAttrOfType<ArrayAttr>(sizesAttribute);
  auto sizes = all ? dyn_cast<view::SizesAttr>(all[buffer]) : view::SizesAttr();
  if (!sizes)
    return constant(builder, type.getNumElements() * bytes);
  auto names = function->getAttrOfType<ArrayAttr>(host::symbolsAttribute);
  Value count = constant(builder, bytes);
  for (const Dim &size : sizes.getSizes()) {
    AffineExpr sum = builder.getAffineConstantExpr(size.getConstant());
    SmallVector<Value> operands;
    for (auto [name, factor] : size.getTerms()) {
      sum = sum + builder.getAffineDimExpr(operands.size()) * factor;
      unsigned symbol = llvm::find(names, name) - names.begin();
      operands.push_back(function.getArgument(firstSymbol + symbol));
    }
    Value each = affine::AffineApplyOp::create(builder, location,
                                               AffineMap::get(operands.size(), 0, sum), operands);
    count = arith::MulIOp::create(builder, location, count, each);
  }
  return count;
}

Value Streams::buildCondition(OpBuilder &builder) {
  Location location = function.getLoc();
  Value bits;
  for (Value memory : streamed) {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, location, memory);
    bits = bits ? Value(arith::OrIOp::create(builder, location, bits, address)) : address;
  }
  auto isZero = [&](Value value) -> Value {
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, value,
                                 constant(builder, 0));
  };
  Value low = constant(builder, alignment - 1);
  Value condition = isZero(arith::AndIOp::create(builder, location, bits, low));
  auto require = [&](Value other) {
    condition = arith::AndIOp::create(builder, location, condition, other);
  };
  for (auto [size, elements] : whole)
    require(isZero(arith::RemUIOp::create(builder, location, rebuild(builder, size),
                                          constant(builder, elements))));
  if (auto from = function->getAttrOfType<DenseI64ArrayAttr>(fromAttribute))
    for (Value memory : streamed)
      if (auto buffer = dyn_cast<BlockArgument>(memory); buffer && from[buffer.getArgNumber()] > 0)
        require(arith::CmpIOp::create(builder, location, arith::CmpIPredicate::uge,
                                      countBytes(builder, buffer.getArgNumber()),
                                      constant(builder, from[buffer.getArgNumber()])));
  return condition;
}

void host::chooseStreams(func::FuncOp function) {
  Streams streams(function);
  if (streams.find()) {
    Block &body = function.getBody().front();
    auto builder = OpBuilder::atBlockTerminator(&body);
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      if (!isa<memref::AllocaOp>(op)) // once in a call
        ops.push_back(&op);
    Value condition = streams.buildCondition(builder);
    auto choice = scf::IfOp::create(builder, function.getLoc(), condition, /*withElseRegion=*/true);
    for (Operation *op : ops)
      op->moveBefore(choice.thenYield());
    builder.setInsertionPoint(choice.elseYield());
    IRMapping mapping;
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    choice.getElseRegion().walk([](vector::StoreOp store) {
      store.setNontemporal(false);
      store.removeAlignmentAttr();
    });
  }
  function->removeAttr(fromAttribute);
  function->removeAttr(sizesAttribute);
}
