// Branches and loops of a function as those of a host program, and what they read and write.
#include "Commands.h"

#include "Placement.h"

#include "tw/Dialect/Kernel/Kernel.h"

using namespace mlir;
using namespace tw;

launch::BufferType tw::getBufferType(Type type) {
  return launch::BufferType::get(type.getContext(), cast<RankedTensorType>(type));
}

Value Commands::makeBuffer(Location loc, Type type) {
  return launch::ReserveOp::create(builder, loc, getBufferType(type), IntegerAttr(), IntegerAttr());
}

Value Commands::makeAnother(Value buffer) {
  return makeBuffer(buffer.getLoc(), cast<launch::BufferType>(buffer.getType()).getTensor());
}

Value Commands::reserve(Value result) {
  Value &place = buffer[result];
  if (!place)
    place = makeBuffer(result.getLoc(), result.getType());
  return place;
}

void Commands::takeOver(OpResult result, Value old) {
  Value made = buffer.lookup(old);
  if (!buffer.count(result) && isReadOnce(old, result.getOwner()->getBlock()) &&
      made.getDefiningOp<launch::ReserveOp>())
    buffer[result] = made;
}

/// The argument whose memory a result has, else the buffer itself.
Value Commands::getMemory(Value buffer) {
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (program.getAlias(i) >= 0 && buffer == program.getResultBuffer(program.getAlias(i)))
      return program.getArgument(i);
  return buffer;
}

void Commands::copy(Location loc, Value from, Value to) {
  if (getMemory(from) != getMemory(to))
    launch::CopyOp::create(builder, loc, from, to);
}

void Commands::copyAll(Location loc, Copies copies) {
  for (auto &[from, to] : copies) {
    Value memory = getMemory(from), own = to;
    if (llvm::any_of(copies, [&](const auto &other) {
          return other.second != own && getMemory(other.second) == memory;
        })) {
      Value saved = makeAnother(from);
      copy(loc, from, saved);
      from = saved;
    }
  }
  for (auto [from, to] : copies)
    copy(loc, from, to);
}

/// Whether an op of the block writes the value where it is told to. What a loop carries lies where
/// its buffers are.
static bool isWrittenIn(Value value, Block &block) {
  auto result = dyn_cast<OpResult>(value);
  if (!result || result.getOwner()->getBlock() != &block)
    return false;
  auto loop = dyn_cast<graph::ForOp>(result.getOwner());
  return isa<kernel::KernelOp, graph::IfOp>(result.getOwner()) ||
         (loop && result.getResultNumber() >= loop.getNumCarried());
}

LogicalResult Commands::writeBlock(Block &block, ValueRange destinations) {
  Operation *end = block.getTerminator();
  SmallVector<bool> placed(destinations.size(), false);
  // What is written where an argument lies has been found before.
  for (auto [i, returned] : llvm::enumerate(end->getOperands())) {
    Value value = getOwnShape(returned);
    if (isWrittenIn(value, block) && !buffer.count(value) &&
        getMemory(destinations[i]) == destinations[i]) {
      buffer[value] = destinations[i];
      placed[i] = true;
    }
  }
  for (Operation &op : block.without_terminator())
    if (failed(write(&op)))
      return failure();
  Copies copies;
  for (auto [i, value] : llvm::enumerate(end->getOperands()))
    if (!placed[i] && buffer.lookup(value) != destinations[i])
      copies.emplace_back(buffer.lookup(value), destinations[i]);
  copyAll(end->getLoc(), copies);
  return success();
}

LogicalResult Commands::write(Operation *op) {
  if (auto branch = dyn_cast<graph::IfOp>(op))
    return writeIf(branch);
  if (auto loop = dyn_cast<graph::ForOp>(op))
    return writeFor(loop);
  if (auto loop = dyn_cast<graph::WhileOp>(op))
    return writeWhile(loop);
  return writeOp(op, *this);
}

LogicalResult Commands::writeIf(graph::IfOp op) {
  SmallVector<Value> places;
  for (Value result : op.getResults())
    places.push_back(reserve(result));
  auto branch = launch::IfOp::create(builder, op.getLoc(), buffer.lookup(op.getCondition()),
                                     /*hasElse=*/true);
  for (auto [from, to] : {std::pair(&op.getThenRegion(), &branch.getThenRegion()),
                          std::pair(&op.getElseRegion(), &branch.getElseRegion())}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(to->front().getTerminator());
    if (failed(writeBlock(from->front(), places)))
      return failure();
  }
  return success();
}

Value Commands::beginCarried(Operation *loop, Value init) {
  // A buffer that only the loop reads may be its own.
  Value made = buffer.lookup(init);
  if (isReadOnce(init, loop->getBlock()) && made.getDefiningOp<launch::ReserveOp>() &&
      made.getParentBlock() == builder.getInsertionBlock())
    return made;
  Value first = makeBuffer(loop->getLoc(), init.getType());
  launch::CopyOp::create(builder, loop->getLoc(), made, first);
  return first;
}

void Commands::rotate(Location loc, ValueRange firsts, ValueRange seconds) {
  for (auto [first, second] : llvm::zip(firsts, seconds))
    if (first != second)
      launch::RotateOp::create(builder, loc, first, second);
}

/// Whether an iteration gives back what it is given but for a part that it updates, and reads it
/// before that alone.
static bool isUpdatedInPlace(BlockArgument carried, Value next) {
  auto kernel = next.getDefiningOp<kernel::KernelOp>();
  if (!kernel || kernel->getBlock() != carried.getOwner() || !next.hasOneUse())
    return false;
  std::optional<unsigned> updated = kernel.findUpdated(cast<OpResult>(next).getResultNumber());
  return updated && kernel.getOperand(*updated) == carried &&
         llvm::all_of(getMemoryUses(carried), [&](OpOperand *use) {
           Operation *user = carried.getOwner()->findAncestorOpInBlock(*use->getOwner());
           return user == kernel ? use->get() == carried && use->getOperandNumber() == *updated
                                 : user->isBeforeInBlock(kernel);
         });
}

/// Both sides of a reshape are one buffer, which may have another type than the value.
static bool hasSizesOf(Value buffer, Value value) {
  return view::getSizes(cast<launch::BufferType>(buffer.getType()).getTensor()) ==
         view::getSizes(cast<RankedTensorType>(value.getType()));
}

LogicalResult Commands::writeFor(graph::ForOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> firsts, destinations, stacks, slices;
  Copies copies;
  for (auto [i, init] : llvm::enumerate(op.getInits())) {
    firsts.push_back(beginCarried(op, init));
    destinations.push_back(
        isUpdatedInPlace(op.getBody().getArgument(i), op.getYield().getValues()[i])
            ? firsts.back()
            : makeAnother(firsts.back()));
  }
  for (Value stacked : op.getStacked()) {
    stacks.push_back(reserve(stacked));
    if (hasSizesOf(stacks.back(), stacked))
      continue;
    Value own = makeBuffer(loc, stacked.getType());
    copies.emplace_back(own, stacks.back());
    stacks.back() = own;
  }
  for (Value slice : op.getSlices()) {
    slices.push_back(buffer.lookup(slice));
    if (hasSizesOf(slices.back(), slice))
      continue;
    Value own = makeBuffer(loc, slice.getType());
    launch::CopyOp::create(builder, loc, slices.back(), own);
    slices.back() = own;
  }
  auto loop = op.getAmount() ? launch::RepeatOp::create(builder, loc, buffer.lookup(op.getAmount()),
                                                        *op.getLimit())
                             : launch::RepeatOp::create(builder, loc, *op.getIterations());
  for (auto [i, first] : llvm::enumerate(firsts)) {
    buffer[op.getBody().getArgument(i)] = first;
    buffer[op->getResult(i)] = first;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody().front().getTerminator());
  auto takePart = [&](Value whole, Type type) -> Value {
    return launch::PartOp::create(builder, loc, getBufferType(type), op.getReverse(), whole);
  };
  for (auto [whole, slice] : llvm::zip(slices, op.getSliceArguments()))
    buffer[slice] = takePart(whole, slice.getType());
  for (auto [stack, value] : llvm::zip(stacks, op.getYield().getValues().drop_front(firsts.size())))
    destinations.push_back(takePart(stack, value.getType()));
  if (failed(writeBlock(op.getBody().front(), destinations)))
    return failure();
  rotate(loc, firsts, ArrayRef(destinations).take_front(firsts.size()));
  builder.setInsertionPointAfter(loop);
  for (auto [from, to] : copies)
    copy(loc, from, to);
  return success();
}

LogicalResult Commands::writeWhile(graph::WhileOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> firsts, destinations;
  // Nothing but the loop reads a predicate in its iteration, so that the next one may take its
  // place.
  bool isPredicateRead = !op.getBody().getArgument(0).use_empty();
  for (auto [i, init] : llvm::enumerate(op.getInits())) {
    firsts.push_back(beginCarried(op, init));
    bool isKept = i == 0
                      ? !isPredicateRead
                      : isUpdatedInPlace(op.getBody().getArgument(i), op.getYield().getValues()[i]);
    destinations.push_back(isKept ? firsts.back() : makeAnother(firsts.back()));
    buffer[op.getBody().getArgument(i)] = firsts.back();
    buffer[op.getResult(i)] = firsts.back();
  }
  auto loop = launch::WhileOp::create(builder, loc, firsts.front(), op.getLimit());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody().front().getTerminator());
  if (failed(writeBlock(op.getBody().front(), destinations)))
    return failure();
  rotate(loc, firsts, destinations);
  return success();
}
