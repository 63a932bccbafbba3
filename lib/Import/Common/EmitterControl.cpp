// Emits branches and loops: what is in their regions is emitted by what the caller gives.
#include "Emitter.h"

using namespace tw;
using namespace tw::importer;
using namespace mlir;

/// What the region yields, or, if this is not all of it, is to yield; none of them is null, or
/// there are none.
Emitter::Values Emitter::fill(Region &region, llvm::function_ref<Values()> body, bool isWhole) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&region.front());
  Values values = body();
  if (llvm::any_of(values, [](Value value) { return !value; }))
    values.clear();
  if (isWhole)
    graph::YieldOp::create(builder, loc, values);
  return values;
}

/// Whether the next values of what a loop carries have the types that they had.
bool Emitter::keepTypes(ValueRange carried, ArrayRef<Value> next) {
  if (next.size() < carried.size())
    return false;
  for (auto [i, value] : llvm::enumerate(carried))
    if (next[i].getType() != value.getType()) {
      error(Code::T0111) << "an iteration takes value " << i << " of the type " << value.getType()
                         << " and gives " << next[i].getType() << ", expected the same type";
      return false;
    }
  return true;
}

Emitter::Values Emitter::scanBy(ArrayRef<Value> xs, int64_t dim, bool reverse, Iteration combine) {
  if (failed() || llvm::is_contained(xs, Value()))
    return {};
  auto scan = graph::AssociativeScanOp::create(builder, loc, xs, dim, reverse);
  Region &region = scan.getCombine();
  auto arguments = region.getArguments();
  Values next = fill(region, [&] {
    return combine(Values(arguments.take_front(xs.size())),
                   Values(arguments.drop_front(xs.size())));
  });
  auto isOfType = [](auto pair) {
    auto [value, argument] = pair;
    return value.getType() == argument.getType();
  };
  if (failed() || next.size() != xs.size() || !llvm::all_of(llvm::zip(next, arguments), isOfType) ||
      !graph::AssociativeScanOp::takeConstants(region) ||
      !graph::AssociativeScanOp::isOfScalars(region)) {
    scan.erase();
    return {};
  }
  return Values(scan->getResults());
}

Emitter::Values Emitter::repeat(int64_t count, bool reverse, ArrayRef<Value> carried,
                                ArrayRef<Value> slices, Iteration iteration) {
  if (failed() || llvm::is_contained(carried, Value()) || llvm::is_contained(slices, Value()))
    return {};
  auto loop = graph::ForOp::create(builder, loc, Dim(count), carried, slices, TypeRange(), reverse);
  auto body = [&] {
    return iteration(Values(loop.getRegionIterArgs()), Values(loop.getSliceArguments()));
  };
  Values next = fill(loop.getBody(), body);
  if (failed() || !keepTypes(carried, next)) {
    loop.erase();
    return {};
  }
  SmallVector<Type> stacked;
  for (Value value : ArrayRef<Value>(next).drop_front(carried.size())) {
    Shape shape(type(value).getShape());
    shape.insert(shape.begin(), count);
    if (!checkShape(shape)) {
      loop.erase();
      return {};
    }
    stacked.push_back(RankedTensorType::get(shape, element(value)));
  }
  auto whole = graph::ForOp::create(builder, loc, Dim(count), carried, slices, stacked, reverse);
  whole.getBody().takeBody(loop.getBody());
  loop.erase();
  return Values(whole->getResults());
}

Emitter::Values Emitter::repeat(Value amount, int64_t limit, ArrayRef<Value> carried,
                                Iteration iteration) {
  if (failed() || !amount || llvm::is_contained(carried, Value()))
    return {};
  auto loop = graph::ForOp::create(builder, loc, amount, limit, carried);
  auto body = [&] { return iteration(Values(loop.getRegionIterArgs()), {}); };
  Values next = fill(loop.getBody(), body);
  if (!failed() && keepTypes(carried, next))
    return Values(loop->getResults());
  loop.erase();
  return {};
}

Emitter::Values Emitter::repeatWhile(int64_t limit, ArrayRef<Value> carried, Iteration iteration) {
  if (failed() || llvm::is_contained(carried, Value()))
    return {};
  auto loop = graph::WhileOp::create(builder, loc, carried, limit);
  auto body = [&] { return iteration(Values(loop.getRegionIterArgs()), {}); };
  Values next = fill(loop.getBody(), body);
  if (!failed() && keepTypes(carried, next))
    return Values(loop->getResults());
  loop.erase();
  return {};
}

Emitter::Values Emitter::branch(Value condition, llvm::function_ref<Values()> onTrue,
                                llvm::function_ref<Values()> onFalse, Finish finish) {
  if (failed() || !condition)
    return {};
  auto op = graph::IfOp::create(builder, loc, TypeRange(), condition);
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()})
    region->emplaceBlock();
  Values first = fill(op.getThenRegion(), onTrue, !finish), second;
  if (!failed())
    second = fill(op.getElseRegion(), onFalse, !finish);
  if (finish && !failed() && first.size() == second.size()) {
    Values sides[] = {first, second};
    first = fill(op.getThenRegion(), [&] { return finish(sides[0], sides[1], true); });
    second = fill(op.getElseRegion(), [&] { return finish(sides[0], sides[1], false); });
  }
  if (failed() || ValueRange(first).getTypes() != ValueRange(second).getTypes()) {
    op.erase();
    return {};
  }
  auto whole = graph::IfOp::create(builder, loc, ValueRange(first).getTypes(), condition);
  whole.getThenRegion().takeBody(op.getThenRegion());
  whole.getElseRegion().takeBody(op.getElseRegion());
  op.erase();
  return Values(whole.getResults());
}
