// Union-find over the tiles of a program.
#include "Components.h"

#include "tw/Dialect/Tile/GroupAttrs.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Gives every use of what costs next to nothing its own copy.
static void cloneCheapTiles(tile::FuncOp func) {
  SmallVector<Operation *> cheap;
  func.walk([&](Operation *op) {
    if (isa<arith::ConstantOp, tile::IndexOp, tile::InsideOp>(op) && isTile(op->getResult(0)))
      cheap.push_back(op);
  });
  for (Operation *op : cheap) {
    OpBuilder builder(op);
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : op->getResult(0).getUses())
      uses.push_back(&use);
    for (OpOperand *use : llvm::drop_begin(uses, uses.empty() ? 0 : 1))
      use->set(builder.clone(*op)->getResult(0));
  }
}

Components::Components(tile::FuncOp func) {
  cloneCheapTiles(func);
  SmallVector<Operation *> ops;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    ops.push_back(op);
    if (auto mma = dyn_cast<tile::MmaOp>(op); mma && mma->hasAttr(tile::unitAttrName))
      closed.insert(add(mma.getResult()));
  });
  for (Operation *op : ops)
    visit(op);
  llvm::MapVector<unsigned, unsigned> numberOf;
  for (Value value : values) {
    unsigned root = find(nodes[value]);
    auto [it, isNew] = numberOf.try_emplace(root, components.size());
    if (isNew)
      components.push_back({frames[root], {}});
    components[it->second].tiles.push_back(value);
    numbers[value] = it->second;
  }
}

void Components::addCopy(Value copy, Value tile) {
  numbers[copy] = numbers.lookup(tile);
  of(tile).tiles.push_back(copy);
}

void Components::remove(Value tile) {
  llvm::erase(of(tile).tiles, tile);
  numbers.erase(tile);
}

unsigned Components::add(Value tile) {
  auto [it, isNew] = nodes.try_emplace(tile, values.size());
  if (isNew) {
    values.push_back(tile);
    parents.push_back(it->second);
    frames.push_back(Shape(cast<RankedTensorType>(tile.getType()).getShape()));
  }
  return it->second;
}

unsigned Components::find(unsigned node) {
  while (parents[node] != node)
    node = parents[node] = parents[parents[node]];
  return node;
}

bool Components::join(Value a, Value b) {
  unsigned left = find(add(a)), right = find(add(b));
  if (left == right)
    return true;
  if (frames[left].size() != frames[right].size())
    return false;
  Shape frame;
  for (auto [x, y] : llvm::zip(frames[left], frames[right])) {
    if (x != y && x != 1 && y != 1)
      return false;
    frame.push_back(std::max(x, y));
  }
  for (unsigned node : {left, right})
    if (closed.contains(node) && frame != frames[node])
      return false;
  if (closed.contains(right))
    closed.insert(left);
  parents[right] = left;
  frames[left] = frame;
  return true;
}

void Components::joinOperand(OpOperand &operand, Value with) {
  if (!isTile(operand.get()) || join(operand.get(), with))
    return;
  OpBuilder builder(operand.getOwner());
  Value copy = tile::ConvertOp::create(builder, operand.getOwner()->getLoc(),
                                       operand.get().getType(), operand.get());
  add(copy);
  operand.set(copy);
  join(copy, with);
}

void Components::visit(Operation *op) {
  for (Value result : op->getResults())
    if (isTile(result))
      add(result);
  if (isa<tile::ConvertOp, scf::YieldOp, scf::ConditionOp, tile::YieldOp>(op))
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [i, result] : llvm::enumerate(loop.getResults())) {
      if (!isTile(result))
        continue;
      join(result, loop.getRegionIterArg(i));
      joinOperand(loop.getInitArgsMutable()[i], result);
      joinOperand((*loop.getYieldedValuesMutable())[i], result);
    }
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      for (auto [i, result] : llvm::enumerate(branch.getResults()))
        if (isTile(result))
          joinOperand(region.front().getTerminator()->getOpOperand(i), result);
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments()))
      if (isTile(argument)) {
        joinOperand(loop.getInitsMutable()[i], argument);
        joinOperand(loop.getYieldOp().getResultsMutable()[i], argument);
      }
    for (auto [i, result] : llvm::enumerate(loop.getResults()))
      if (isTile(result)) {
        join(result, loop.getAfterArguments()[i]);
        joinOperand(loop.getConditionOp().getArgsMutable()[i], result);
      }
    return;
  }
  // The operands of a matrix unit have layouts of their own.
  if (auto mma = dyn_cast<tile::MmaOp>(op); mma && mma->hasAttr(tile::unitAttrName)) {
    joinOperand(mma.getAccumulatorMutable(), mma.getResult());
    add(mma.getLhs());
    add(mma.getRhs());
    return;
  }
  Value first;
  for (Value result : op->getResults()) {
    if (!isTile(result))
      continue;
    if (!first)
      first = result;
    // Results of one operation (a reduction of several tiles) have the same extents.
    join(first, result);
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTile(operand.get()))
      continue;
    if (!first) {
      first = operand.get();
      add(first);
    } else {
      joinOperand(operand, first);
    }
  }
}
