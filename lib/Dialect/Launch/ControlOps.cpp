// Control flow of a host program: syntax, verifiers, and what commands read and write.
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tw;
using namespace tw::launch;

ValueRange launch::getReads(Operation *command) {
  if (auto launch = dyn_cast<LaunchOp>(command))
    return launch.getReads();
  if (isa<IfOp, RepeatOp, WhileOp>(command))
    return command->getOperands();
  return isa<CopyOp>(command) ? command->getOperands().take_front(1) : ValueRange();
}

ValueRange launch::getWrites(Operation *command) {
  if (auto launch = dyn_cast<LaunchOp>(command))
    return launch.getWrites();
  return isa<CopyOp>(command) ? command->getOperands().take_back(1) : ValueRange();
}

Value launch::getWhole(Value buffer) {
  while (auto part = buffer.getDefiningOp<PartOp>())
    buffer = part.getWhole();
  return buffer;
}

SmallVector<Operation *> launch::getUsers(Value buffer) {
  SmallVector<Operation *> users;
  for (Operation *user : buffer.getUsers())
    if (auto part = dyn_cast<PartOp>(user))
      llvm::append_range(users, getUsers(part.getResult()));
    else
      users.push_back(user);
  return users;
}

Operation *launch::getLoop(Operation *op) {
  do
    op = op->getParentOp();
  while (op && !isa<RepeatOp, WhileOp>(op));
  return op;
}

/// An error unless the buffer is of one element of the type.
static LogicalResult verifyScalar(Operation *op, Value buffer, const char *what, unsigned width) {
  RankedTensorType tensor = cast<BufferType>(buffer.getType()).getTensor();
  if (tensor.getElementType().isSignlessInteger(width) && tensor.hasStaticShape() &&
      tensor.getNumElements() == 1 && !view::hasSymbols(tensor))
    return success();
  return tw::emitOpError(op, Code::T0516) << "expected " << what << " to be a buffer of one i"
                                          << width << ", found " << buffer.getType();
}

static LogicalResult verifyLimit(Operation *op, int64_t limit) {
  if (limit >= 0)
    return success();
  return tw::emitOpError(op, Code::T0516) << "has a limit of " << limit << ", expected at least 0";
}

/// A block with its terminator.
static void addBody(OpBuilder &builder, OperationState &state) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(state.addRegion());
  EndOp::create(builder, state.location);
}

void IfOp::build(OpBuilder &builder, OperationState &state, Value condition, bool hasElse) {
  state.addOperands(condition);
  addBody(builder, state);
  if (hasElse)
    addBody(builder, state);
  else
    state.addRegion();
}

LogicalResult IfOp::verify() { return verifyScalar(*this, getCondition(), "the condition", 1); }

void WhenOp::build(OpBuilder &builder, OperationState &state, StringAttr symbol, int64_t least,
                   int64_t most) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.symbol = symbol;
  properties.least = builder.getI64IntegerAttr(least);
  properties.most = builder.getI64IntegerAttr(most);
  addBody(builder, state);
  addBody(builder, state);
}

LogicalResult WhenOp::verify() {
  if (0 <= int64_t(getLeast()) && int64_t(getLeast()) <= int64_t(getMost()))
    return success();
  return tw::emitOpError(*this, Code::T0516)
         << "expected sizes from 0 on, the least one first, found from " << int64_t(getLeast())
         << " to " << int64_t(getMost());
}

void RepeatOp::build(OpBuilder &builder, OperationState &state, const Dim &count) {
  state.getOrAddProperties<Properties>().count =
      view::SizesAttr::get(builder.getContext(), ArrayRef<Dim>(count));
  addBody(builder, state);
}

void RepeatOp::build(OpBuilder &builder, OperationState &state, Value amount, int64_t limit) {
  state.getOrAddProperties<Properties>().limit = builder.getI64IntegerAttr(limit);
  state.addOperands(amount);
  addBody(builder, state);
}

// 10    #tview.sizes<[T]>    %n : !tlaunch.buffer<tensor<i64>> limit 4096
static ParseResult parseCount(OpAsmParser &parser, view::SizesAttr &count,
                              std::optional<OpAsmParser::UnresolvedOperand> &amount, Type &type,
                              IntegerAttr &limit) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult named = parser.parseOptionalOperand(operand);
  if (named.has_value()) {
    int64_t most;
    if (failed(*named) || parser.parseColonType(type) || parser.parseKeyword("limit") ||
        parser.parseInteger(most))
      return failure();
    amount = operand;
    limit = parser.getBuilder().getI64IntegerAttr(most);
    return success();
  }
  int64_t number;
  OptionalParseResult known = parser.parseOptionalInteger(number);
  if (!known.has_value())
    return parser.parseAttribute(count);
  if (succeeded(*known))
    count = view::SizesAttr::get(parser.getContext(), ArrayRef<Dim>(Dim(number)));
  return *known;
}

static void printCount(OpAsmPrinter &printer, RepeatOp op, view::SizesAttr count, Value amount,
                       Type type, IntegerAttr limit) {
  if (amount)
    printer << amount << " : " << type << " limit " << limit.getInt();
  else if (std::optional<Dim> known = op.getIterations(); known && known->isStatic())
    printer << known->getConstant();
  else
    printer << count;
}

std::optional<Dim> RepeatOp::getIterations() {
  SmallVector<Dim, 4> sizes;
  if (view::SizesAttr count = getCountAttr())
    sizes = count.getSizes();
  return sizes.size() == 1 ? std::optional(sizes.front()) : std::nullopt;
}

LogicalResult RepeatOp::verify() {
  std::optional<Dim> known = getIterations();
  bool read = getAmount() && getLimit() && !getCountAttr();
  if (read == known.has_value() || (known && (getAmount() || getLimit())))
    return tw::emitOpError(*this, Code::T0516)
           << "expected a number, one size, or an amount with a limit";
  if (read)
    return success(succeeded(verifyScalar(*this, getAmount(), "the amount", 64)) &&
                   succeeded(verifyLimit(*this, *getLimit())));
  if (known->isStatic() && known->getConstant() < 0)
    return tw::emitOpError(*this, Code::T0516)
           << "repeats " << known->getConstant() << " times, expected at least 0";
  return success();
}

void WhileOp::build(OpBuilder &builder, OperationState &state, Value condition, int64_t limit) {
  state.getOrAddProperties<Properties>().limit = builder.getI64IntegerAttr(limit);
  state.addOperands(condition);
  addBody(builder, state);
}

LogicalResult WhileOp::verify() {
  return success(succeeded(verifyScalar(*this, getCondition(), "the condition", 1)) &&
                 succeeded(verifyLimit(*this, getLimit())));
}

LogicalResult RotateOp::verify() {
  if (getFirst() == getSecond())
    return tw::emitOpError(*this, Code::T0516) << "rotates a buffer with itself";
  for (Operation *next = (*this)->getNextNode(); next; next = next->getNextNode())
    if (!isa<RotateOp, EndOp>(next))
      return tw::emitOpError(*this, Code::T0516)
             << "expected no other command behind it in the loop's body, found '" << next->getName()
             << "'";
  auto first = getFirst().getDefiningOp<ReserveOp>();
  auto second = getSecond().getDefiningOp<ReserveOp>();
  if (!first || !second)
    return tw::emitOpError(*this, Code::T0516) << "expected buffers of tlaunch.reserve";
  if (first->getBlock() != second->getBlock())
    return tw::emitOpError(*this, Code::T0516) << "expected buffers reserved in one block";
  if ((*this)->getParentOp()->isProperAncestor(first))
    return tw::emitOpError(*this, Code::T0516) << "expected buffers reserved outside of the loop";
  return success();
}

/// As often as a loop runs at most.
static std::optional<Dim> getMostIterations(Operation *loop) {
  auto repeat = dyn_cast<RepeatOp>(loop);
  if (!repeat)
    return Dim(cast<WhileOp>(loop).getLimit());
  return repeat.getLimit() ? Dim(*repeat.getLimit()) : repeat.getIterations();
}

LogicalResult PartOp::verify() {
  RankedTensorType whole = cast<BufferType>(getWhole().getType()).getTensor();
  RankedTensorType part = cast<BufferType>(getType()).getTensor();
  SmallVector<Dim, 4> sizes = view::getSizes(whole);
  if (sizes.empty() || part.getElementType() != whole.getElementType() ||
      part.getShape() != whole.getShape().drop_front() ||
      view::getSizes(part) != ArrayRef(sizes).drop_front())
    return tw::emitOpError(*this, Code::T0516)
           << "expected the type of " << whole << " without its first dimension, found " << part;
  Operation *loop = getLoop(*this);
  if (!loop)
    return tw::emitOpError(*this, Code::T0516) << "lies in no loop";
  std::optional<Dim> most = getMostIterations(loop);
  // The loop has its own error.
  if (!most)
    return success();
  Dim rest = sizes.front() - *most;
  if (rest.isStatic() && rest.getConstant() >= 0)
    return success();
  auto error = tw::emitOpError(*this, Code::T0516)
               << "takes one of " << toString(sizes.front()) << " parts in each of "
               << toString(*most) << " iterations";
  error.attachNote(loop->getLoc()) << "of this loop";
  return error;
}

#define GET_OP_CLASSES
#include "tw/Dialect/Launch/ControlOps.cpp.inc"
