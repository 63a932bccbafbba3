// The function of a tile program, its loops and its local memory.
#include "TilePrinter.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Schedule/Online.h"
#include "tw/Schedule/Rings.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/SCF/Utils/Utils.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

/// The tensors of the function's buffers: those that the kernel reads, then its results.
SmallVector<Type> TilePrinter::getBufferTensors() {
  SmallVector<Type> types;
  for (unsigned operand : readOperands)
    types.push_back(kernel.getOperand(operand).getType());
  llvm::append_range(types, kernel->getResultTypes());
  return types;
}

FailureOr<tile::FuncOp> TilePrinter::print(OpBuilder &at, StringRef name) {
  SmallVector<int64_t> updated;
  llvm::SmallBitVector isUpdated(kernel.getNumOperands());
  for (unsigned i = 0; i < kernel->getNumResults(); ++i)
    if (std::optional<unsigned> operand = kernel.findUpdated(i)) {
      updated.push_back(i);
      isUpdated.set(*operand);
    }
  for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
    if (!isUpdated[i])
      readOperands.push_back(i);
  SmallVector<Type> buffers;
  for (Type type : getBufferTensors())
    buffers.push_back(getBufferType(cast<RankedTensorType>(type)));
  SmallVector<int64_t> grid;
  SmallVector<StringRef> names;
  for (unsigned leaf : plan.grid) {
    grid.push_back(plan.leaves[leaf].extent);
    names.push_back(plan.leaves[leaf].name.getValue());
  }
  func = tile::FuncOp::create(at, location, name, buffers, kernel->getNumResults(), grid, names);
  if (plan.warps)
    func.setWarps(plan.warps);
  if (plan.loading)
    func->setAttr(tile::loadingAttrName, builder.getI64IntegerAttr(plan.loading));
  if (plan.walking)
    func->setAttr(tile::walkingAttrName, builder.getI64IntegerAttr(plan.walking));
  if (!updated.empty())
    func.setUpdated(updated);
  addSymbols();
  if (failed(printBlock(tree.body, &func.getBody().front())) || failed(unroll())) {
    func.erase();
    return failure();
  }
  builder.setInsertionPointToEnd(&func.getBody().front());
  tile::ReturnOp::create(builder, location);
  return func;
}

/// Inner loops first: unrolling an outer one copies them.
LogicalResult TilePrinter::unroll() {
  for (auto [op, factor] : llvm::reverse(unrolls)) {
    auto loop = cast<scf::ForOp>(op);
    LogicalResult unrolled =
        factor == 0 ? loopUnrollFull(loop) : LogicalResult(loopUnrollByFactor(loop, factor));
    if (failed(unrolled))
      return emitError(location, Code::T0311)
             << "expected a loop that can be unrolled by " << factor;
  }
  return success();
}

LogicalResult TilePrinter::printBlock(const schedule::Block &block, mlir::Block *to) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(to);
  for (const Node *node : block)
    if (failed(printNode(*node)))
      return failure();
  return success();
}

LogicalResult TilePrinter::printNode(const Node &node) {
  switch (node.kind) {
  case NodeKind::Loop:
    return cast<LoopNode>(node).isShared ? printShared(cast<LoopNode>(node))
                                         : printLoop(cast<LoopNode>(node));
  case NodeKind::Branch:
    return printBranch(cast<BranchNode>(node));
  case NodeKind::Team:
    return printTeam(cast<TeamNode>(node));
  case NodeKind::Fill:
    return printBlock(cast<FillNode>(node).body, builder.getInsertionBlock());
  case NodeKind::Alloc:
    return printAlloc(node), success();
  case NodeKind::FillWindow:
    return printFillWindow(node), success();
  case NodeKind::Load:
    return printLoad(node);
  case NodeKind::Store:
    return printStore(node);
  case NodeKind::ReadStaged:
    return printReadStaged(node), success();
  case NodeKind::FillTile:
    return printFillTile(node), success();
  case NodeKind::ReadKept:
    return printReadKept(node);
  case NodeKind::WriteKept:
    return printWriteKept(node);
  case NodeKind::Index:
    return printIndex(node);
  case NodeKind::Compute:
    return printCompute(node), success();
  case NodeKind::Mask:
    return printMask(node), success();
  case NodeKind::Start:
    return printStart(node), success();
  case NodeKind::Accumulate:
    return printAccumulate(node);
  case NodeKind::Scan:
    return printScan(node);
  case NodeKind::Combine:
    return printCombine(node);
  case NodeKind::AddPartial:
    return printAddPartial(node), success();
  case NodeKind::Online:
    return printOnline(node), success();
  case NodeKind::Rescale: {
    Value value = get(node.before[0]), correction = broadcast(get(node.before[1]), node.shape);
    if (getMean(*plan.online))
      define(node, arith::AddFOp::create(builder, location, value, correction).getResult());
    else
      define(node, arith::MulFOp::create(builder, location, value, correction).getResult());
    return success();
  }
  case NodeKind::Poison:
    return printPoison(node), success();
  }
  llvm_unreachable("a kind of node");
}

LogicalResult TilePrinter::printLoop(const LoopNode &node) {
  Value lower = getBound(node, node.lower), upper = getBound(node, node.upper);
  SmallVector<Value> initial;
  for (const LoopNode::Carried &carried : node.carried)
    initial.push_back(get(carried.initial));
  auto loop = scf::ForOp::create(builder, location, lower, upper, constant(node.step), initial);
  if (node.unroll != 1)
    unrolls.push_back({loop, node.unroll});
  mlir::Block *body = loop.getBody();
  if (!body->empty())
    body->back().erase();
  define(node, loop.getRegionIterArgs());
  define(node, loop.getResults());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(body);
  Value index = loop.getInductionVar();
  if (node.isReverse) {
    AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1);
    index = affine::AffineApplyOp::create(builder, location, AffineMap::get(2, 0, d1 - 1 - d0),
                                          ValueRange{index, upper});
  }
  indices[&node] = {index};
  if (failed(printBlock(node.body, body)))
    return failure();
  builder.setInsertionPointToEnd(body);
  SmallVector<Value> next;
  for (const LoopNode::Carried &carried : node.carried)
    next.push_back(get(carried.next));
  scf::YieldOp::create(builder, location, next);
  return success();
}

LogicalResult TilePrinter::printShared(const LoopNode &node) {
  auto attribute = [&](int64_t value) { return OpFoldResult(builder.getIndexAttr(value)); };
  auto loop = tile::createTeamLoop(builder, location, attribute(node.lower.value),
                                   attribute(node.upper.value), attribute(node.step));
  loop.getTerminator()->erase();
  indices[&node] = {loop.getInductionVar(0)};
  LogicalResult result = printBlock(node.body, loop.getBody());
  scf::ForallOp::ensureTerminator(loop.getRegion(), builder, location);
  return result;
}

LogicalResult TilePrinter::printTeam(const TeamNode &team) {
  SmallVector<OpFoldResult> lower(team.extents.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> step(team.extents.size(), builder.getIndexAttr(1));
  SmallVector<OpFoldResult> upper;
  for (int64_t extent : team.extents)
    upper.push_back(builder.getIndexAttr(extent));
  auto loop = tile::createTeamLoop(builder, location, lower, upper, step);
  loop.getTerminator()->erase();
  indices[&team] = SmallVector<Value, 1>(loop.getInductionVars());
  LogicalResult result = printBlock(team.body, loop.getBody());
  scf::ForallOp::ensureTerminator(loop.getRegion(), builder, location);
  return result;
}

LogicalResult TilePrinter::printBranch(const BranchNode &node) {
  Value isThere;
  if (node.mostLeft) {
    isThere = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::sle,
                                    node.isOfAny ? getLeft(node) : getRest(*node.endOf),
                                    constant(*node.mostLeft));
  } else {
    Value at = node.endOf
                   ? getIterations(*node.endOf, /*isWhole=*/true, plan.leaves[*node.endOf].extent)
                   : constant(node.at);
    isThere = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq,
                                    getIndex(node.index), at);
  }
  auto branch = scf::IfOp::create(builder, location, isThere, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (bool there : {true, false}) {
    mlir::Block *block = there ? branch.thenBlock() : branch.elseBlock();
    block->getTerminator()->erase();
    if (failed(printBlock(there ? node.there : node.elsewhere, block)))
      return failure();
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, location);
  }
  return success();
}

void TilePrinter::printAlloc(const Node &node) {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  ArrayRef<int64_t> shape = node.shape;
  SmallVector<int64_t> strides(shape.size(), 1);
  bool isPadded = false;
  for (size_t d = shape.size() - 1; d-- > 0;) {
    int64_t packed = strides[d + 1] * shape[d + 1];
    strides[d] = node.staged ? node.staged->getStride(shape, d) : packed;
    isPadded |= strides[d] != packed;
  }
  auto layout =
      isPadded ? MemRefLayoutAttrInterface(StridedLayoutAttr::get(builder.getContext(), 0, strides))
               : MemRefLayoutAttrInterface();
  auto type = MemRefType::get(shape, node.op->getResult(0).getType(), layout, space);
  auto alloc = tile::AllocOp::create(builder, node.op->getLoc(), type);
  if (int64_t slots = node.staged ? countSlots(plan, *node.staged) : 1; slots > 1)
    alloc->setAttr(tile::slotsAttrName, builder.getI64IntegerAttr(slots));
  define(node, alloc.getResult());
}
