// Loops and branches: the same ones, over registers.
#include "Emitter.h"

using namespace mlir;
using namespace tw::threads;

/// Emits the one block of a region, whose arguments are defined, and its terminator with all
/// values.
LogicalResult ThreadEmitter::emitRegion(Region &from, Block *to) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(to);
  Block &block = from.front();
  if (failed(emitBlock(block)))
    return failure();
  Operation *end = block.getTerminator();
  if (auto condition = dyn_cast<scf::ConditionOp>(end))
    scf::ConditionOp::create(builder, end->getLoc(), scalars.lookup(condition.getCondition()),
                             lookupAll(condition.getArgs()));
  else
    scf::YieldOp::create(builder, end->getLoc(), lookupAll(end->getOperands()));
  return success();
}

LogicalResult ThreadEmitter::emitFor(scf::ForOp loop) {
  auto copy = scf::ForOp::create(builder, loop.getLoc(), scalars.lookup(loop.getLowerBound()),
                                 scalars.lookup(loop.getUpperBound()),
                                 scalars.lookup(loop.getStep()), lookupAll(loop.getInitArgs()));
  Block *body = copy.getBody();
  if (!body->empty())
    body->back().erase();
  scalars.map(loop.getInductionVar(), copy.getInductionVar());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(body);
    define(loop.getRegionIterArgs(), copy.getRegionIterArgs());
  }
  if (failed(emitRegion(loop.getRegion(), body)))
    return failure();
  define(loop.getResults(), copy.getResults());
  awaitProducts(loop);
  return success();
}

LogicalResult ThreadEmitter::emitIf(scf::IfOp op) {
  bool hasElse = !op.getElseRegion().empty();
  auto copy = scf::IfOp::create(builder, op.getLoc(), flatten(op.getResultTypes()),
                                scalars.lookup(op.getCondition()), hasElse);
  for (auto [from, to] : llvm::zip(op->getRegions(), copy->getRegions())) {
    if (from.empty())
      continue;
    Block *block = &to.front();
    if (!block->empty())
      block->back().erase();
    if (failed(emitRegion(from, block)))
      return failure();
  }
  define(op.getResults(), copy.getResults());
  return success();
}

LogicalResult ThreadEmitter::emitWhile(scf::WhileOp loop) {
  auto copy = scf::WhileOp::create(builder, loop.getLoc(), flatten(loop.getResultTypes()),
                                   lookupAll(loop.getInits()));
  for (auto [from, to] : llvm::zip(loop->getRegions(), copy->getRegions())) {
    SmallVector<Type> types = flatten(from.front().getArgumentTypes());
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&to, to.end(), types,
                                       SmallVector<Location>(types.size(), loop.getLoc()));
    define(from.front().getArguments(), block->getArguments());
    if (failed(emitRegion(from, block)))
      return failure();
  }
  define(loop.getResults(), copy.getResults());
  return success();
}
