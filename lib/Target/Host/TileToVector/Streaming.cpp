// Stores past the caches need aligned addresses, and buffers promise none: functions with such
// stores choose at their start.
//
// { .. nontemporal store .. }  ->  if (buffers aligned) { .. } else { the same with plain stores }
#include "Parts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

void tw::host::checkStreamAlignment(func::FuncOp function) {
  llvm::SmallSetVector<Value, 2> streamed;
  int64_t alignment = 1;
  function.walk([&](vector::StoreOp store) {
    if (!store.getNontemporal())
      return;
    streamed.insert(store.getBase());
    alignment = std::max<int64_t>(alignment, *store.getAlignment());
  });
  if (streamed.empty())
    return;
  Block &body = function.getBody().front();
  Location location = function.getLoc();
  auto builder = OpBuilder::atBlockTerminator(&body);
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    if (!isa<memref::AllocaOp>(op)) // once in a call
      ops.push_back(&op);

  Value bits;
  for (Value memory : streamed) {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(builder, location, memory);
    bits = bits ? Value(arith::OrIOp::create(builder, location, bits, address)) : address;
  }
  Value low = arith::ConstantIndexOp::create(builder, location, alignment - 1);
  Value zero = arith::ConstantIndexOp::create(builder, location, 0);
  Value aligned = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq,
                                        arith::AndIOp::create(builder, location, bits, low), zero);
  auto choice = scf::IfOp::create(builder, location, aligned, /*withElseRegion=*/true);
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
