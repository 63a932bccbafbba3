// Branches and loops: what a region computed is computed again on the way back.
#include "Adjoint.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tw;
using namespace tw::graph;

/// What the region uses from around it, of what has cotangents.
static SmallVector<Value> getActiveAround(MutableArrayRef<Region> regions, Adjoint &a) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(regions, used);
  return llvm::to_vector(
      llvm::make_filter_range(used, [&](Value value) { return a.isActive(value); }));
}

/// The region's ops, at the builder's place; what it yields.
static SmallVector<Value> cloneBody(Block &from, OpBuilder &builder, IRMapping &mapping) {
  for (Operation &op : from.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(from.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// A side gives the cotangents of what both sides use.
static LogicalResult deriveIf(IfOp op, Adjoint &a) {
  SmallVector<Value> around = getActiveAround(op->getRegions(), a);
  llvm::SmallBitVector isGiven(around.size());
  auto back = IfOp::create(a.builder, a.loc, TypeRange(ValueRange(around)), op.getCondition());
  OpBuilder::InsertionGuard guard(a.builder);
  for (auto [from, to] : llvm::zip(op->getRegions(), back->getRegions())) {
    a.builder.setInsertionPointToStart(&to.emplaceBlock());
    IRMapping mapping;
    SmallVector<Value> yielded = cloneBody(from.front(), a.builder, mapping);
    FailureOr<SmallVector<Value>> given = a.pullBack(yielded, a.getCotangents(), around);
    if (failed(given))
      return failure();
    for (auto [i, value, cotangent] : llvm::enumerate(around, *given)) {
      isGiven[i] = isGiven[i] || cotangent;
      if (!cotangent)
        cotangent = a.zero(value);
    }
    YieldOp::create(a.builder, a.loc, *given);
  }
  for (auto [i, value, cotangent] : llvm::enumerate(around, back.getResults()))
    if (isGiven[i])
      a.giveTo(value, cotangent);
  return success();
}

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

//===---------------------------------------------------------------------------------------===//
// Loops of which only the most iterations are known

namespace {

/// A loop that counts its iterations and keeps, in tensors with room for all that may be, what each
/// began with.
struct Counted {
  Operation *loop;
  Value count;
  SmallVector<Value> kept; ///< one for each carried value
};

} // namespace

/// With a first dimension of size 1.
static Shape withOne(Shape shape) {
  shape.insert(shape.begin(), Dim(1));
  return shape;
}

/// A scalar of i64.
static Value number(OpBuilder &builder, Location loc, int64_t value) {
  return PartsBuilder{builder, loc}.splat({}, builder.getI64Type(), uint64_t(value));
}

/// Takes the place of a loop with neither slices nor stacked results.
static FailureOr<Counted> keepCarried(Operation *op, ValueRange inits, int64_t limit, Adjoint &a) {
  constexpr int64_t kMost = int64_t(1) << 32;
  int64_t bytes = 0;
  for (Value init : inits) {
    auto type = cast<RankedTensorType>(init.getType());
    std::optional<size_t> size = getByteLength(type);
    if (!size)
      return a.fail(
          "a loop whose number of iterations is not known, and which carries sizes that a "
          "call settles; give them values");
    bytes += int64_t(std::min<size_t>(*size, kMost));
  }
  if (bytes > kMost / std::max<int64_t>(limit, 1))
    return a.fail("keeping what each of at most " + Twine(limit) + " iterations begins with, " +
                  Twine(bytes) + " bytes, takes more than 4 GiB; give the loop a nearer limit");

  OpBuilder builder(op);
  PartsBuilder parts{builder, op->getLoc()};
  SmallVector<Value> all(inits);
  all.push_back(number(builder, parts.loc, 0));
  for (Value init : inits) {
    Shape shape = parts.shapeOf(init);
    shape.insert(shape.begin(), Dim(limit));
    Type element = parts.elementOf(init);
    all.push_back(isa<FloatType>(element) ? parts.real(shape, element, 0)
                                          : parts.splat(shape, element, 0));
  }
  size_t carried = inits.size();
  Operation *loop = nullptr;
  if (auto counted = dyn_cast<ForOp>(op))
    loop = ForOp::create(builder, parts.loc, counted.getAmount(), limit, all);
  else
    loop = WhileOp::create(builder, parts.loc, all, limit);
  Block &from = op->getRegion(0).front(), &to = loop->getRegion(0).front();
  builder.setInsertionPointToEnd(&to);
  IRMapping mapping;
  mapping.map(from.getArguments(), to.getArguments().take_front(carried));
  SmallVector<Value> yielded = cloneBody(from, builder, mapping);
  Value step = to.getArgument(carried);
  yielded.push_back(parts.same<AddOp>({step, number(builder, parts.loc, 1)}));
  for (size_t i = 0; i < carried; ++i) {
    Value own = to.getArgument(i), stack = to.getArgument(carried + 1 + i);
    Shape row = withOne(parts.shapeOf(own)), first(row.size(), Dim(0));
    yielded.push_back(UpdateSliceOp::create(
        builder, parts.loc, stack.getType(), stack, parts.reshape(own, row), ValueRange(step),
        DimsAttr::get(builder.getContext(), first), builder.getDenseI64ArrayAttr(0)));
  }
  YieldOp::create(builder, parts.loc, yielded);
  ResultRange results = loop->getResults();
  a.replace(op, results.take_front(carried));
  return Counted{loop, results[carried], SmallVector<Value>(results.drop_front(carried + 1))};
}

/// Iterations from the last one that ran to the first.
template <typename LoopOp> static LogicalResult deriveCounted(LoopOp op, Adjoint &a) {
  SmallVector<Value> cotangents(a.getCotangents());
  ValueRange inits = op.getInits();
  unsigned carried = inits.size();
  int64_t limit = 0;
  if constexpr (std::is_same_v<LoopOp, ForOp>)
    limit = *op.getLimit();
  else
    limit = op.getLimit();
  FailureOr<Counted> counted = keepCarried(op, inits, limit, a);
  if (failed(counted))
    return failure();
  SmallVector<Value> around = getActiveAround(counted->loop->getRegions(), a);
  SmallVector<unsigned> floats;
  SmallVector<Value> all{counted->count};
  for (unsigned i = 0; i < carried; ++i)
    if (isFloat(inits[i])) {
      floats.push_back(i);
      all.push_back(cotangents[i] ? cotangents[i] : a.zero(inits[i]));
    }
  for (Value value : around)
    all.push_back(a.zero(value));

  auto back = ForOp::create(a.builder, a.loc, counted->count, limit, all);
  OpBuilder::InsertionGuard guard(a.builder);
  Block &from = op->getRegion(0).front(), &to = back.getBody().front();
  a.builder.setInsertionPointToEnd(&to);
  Value step = a.sub(to.getArgument(0), number(a.builder, a.loc, 1));
  IRMapping mapping;
  for (auto [argument, stack] : llvm::zip(from.getArguments(), counted->kept))
    mapping.map(argument, GatherOp::create(a.builder, a.loc, stack, ValueRange(step), 0, 0));
  SmallVector<Value> yielded = cloneBody(from, a.builder, mapping);
  SmallVector<Value> outputs, seeds, inputs;
  for (auto [i, place] : llvm::enumerate(floats)) {
    outputs.push_back(yielded[place]);
    seeds.push_back(to.getArgument(1 + i));
    inputs.push_back(mapping.lookup(from.getArgument(place)));
  }
  llvm::append_range(inputs, around);
  FailureOr<SmallVector<Value>> pulled = a.pullBack(outputs, seeds, inputs);
  if (failed(pulled))
    return failure();
  SmallVector<Value> next{step};
  for (auto [i, cotangent] : llvm::enumerate(*pulled)) {
    Value sum = to.getArgument(1 + i);
    if (i < floats.size())
      next.push_back(cotangent ? cotangent : a.zero(inputs[i]));
    else
      next.push_back(cotangent ? a.add(sum, cotangent) : sum);
  }
  YieldOp::create(a.builder, a.loc, next);

  a.builder.setInsertionPointAfter(back);
  // Where nothing comes back nothing is given: 0 times what a part is not defined at is no 0. What
  // is carried through no iteration has its own.
  ValueRange given = ValueRange(back->getResults()).drop_front();
  for (auto [i, place] : llvm::enumerate(floats))
    a.giveTo(inits[place], given[i]);
  for (auto [i, value] : llvm::enumerate(around))
    if ((*pulled)[floats.size() + i])
      a.giveTo(value, given[floats.size() + i]);
  return success();
}

//===---------------------------------------------------------------------------------------===//
// Loops of a known number of iterations

/// Whether the product takes longer to compute again than its result to write and to read.
static bool isWorthKeeping(ContractOp product) {
  constexpr int64_t kLeastTerms = 32;
  auto type = cast<RankedTensorType>(product.getLhs().getType());
  int64_t terms = 1;
  for (auto [letter, size] : llvm::zip(product.getLhsLetters(), type.getShape()))
    if (ShapedType::isDynamic(size))
      return false;
    else if (!product.getResultLetters().contains(letter))
      terms *= size;
  return terms >= kLeastTerms && isFloat(product.getResult());
}

/// The products of an iteration that are kept for the way back. A loop of one iteration is to be
/// computed again.
static SmallVector<unsigned> findKeptProducts(ForOp op, const Dim &count) {
  SmallVector<unsigned> kept;
  for (auto [i, inner] : llvm::enumerate(op.getBody().front()))
    if (auto product = dyn_cast<ContractOp>(inner);
        product && count != Dim(1) && isWorthKeeping(product))
      kept.push_back(i);
  return kept;
}

/// The same loop, which also stacks what each iteration begins with and the results of these ops,
/// takes its place.
static ForOp stackCarried(ForOp op, const Dim &count, ArrayRef<unsigned> kept, Adjoint &a) {
  OpBuilder builder(op);
  SmallVector<Type> stacked(op.getStacked().getTypes());
  auto getResult = [](ForOp loop, unsigned i) {
    return std::next(loop.getBody().front().begin(), i)->getResult(0);
  };
  SmallVector<Value> values(op.getInits());
  for (unsigned i : kept)
    values.push_back(getResult(op, i));
  for (Value value : values) {
    Shape shape = *getShape(value.getType());
    shape.insert(shape.begin(), count);
    stacked.push_back(getTensorType(shape, getElementTypeOrSelf(value)));
  }
  auto whole = ForOp::create(builder, op.getLoc(), count, op.getInits(), op.getSlices(), stacked,
                             op.getReverse());
  IRMapping mapping;
  whole.getBody().getBlocks().clear();
  op.getBody().cloneInto(&whole.getBody(), mapping);
  YieldOp yield = whole.getYield();
  SmallVector<Value> further(whole.getBody().getArguments().take_front(whole.getNumCarried()));
  for (unsigned i : kept)
    further.push_back(getResult(whole, i));
  yield->insertOperands(yield->getNumOperands(), further);
  a.replace(op, whole->getResults().take_front(op->getNumResults()));
  return whole;
}

/// A product of two values of the iteration, if the cotangent is one and keeping both for all
/// iterations takes no more than adding it up in each does: the sum of all is one product then.
static ContractOp findProduct(Value cotangent, Block &body, Adjoint &a) {
  auto product = cotangent ? cotangent.getDefiningOp<ContractOp>() : ContractOp();
  constexpr size_t kLetters = 26;
  if (!product || product->getBlock() != &body || product.getSpec().size() > kLetters)
    return {};
  int64_t kept = 0;
  for (Value operand : {product.getLhs(), product.getRhs()}) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (operand.getParentBlock() != &body || !type.hasStaticShape())
      return {};
    kept += type.getNumElements();
  }
  auto sum = cast<RankedTensorType>(cotangent.getType());
  return sum.hasStaticShape() && kept <= 2 * sum.getNumElements() ? product : ContractOp();
}

/// The product of what all iterations stacked, summed over them.
static Value multiplyStacks(ContractOp product, Value lhs, Value rhs, Adjoint &a) {
  char letter = 'a';
  while (product.getSpec().contains(letter))
    ++letter;
  std::string step(1, letter);
  std::string spec = (step + product.getLhsLetters() + "," + step + product.getRhsLetters() + "->" +
                      product.getResultLetters())
                         .str();
  return ContractOp::create(a.builder, a.loc, spec, lhs, rhs);
}

/// The same loop with further stacked results, whose values follow in the yield.
static ForOp addStacked(ForOp op, const Dim &count, ArrayRef<Value> values, Adjoint &a) {
  SmallVector<Type> types(op.getStacked().getTypes());
  for (Value value : values) {
    Shape shape = a.shapeOf(value);
    shape.insert(shape.begin(), count);
    types.push_back(getTensorType(shape, a.elementOf(value)));
  }
  auto whole =
      ForOp::create(a.builder, a.loc, count, op.getInits(), op.getSlices(), types, op.getReverse());
  whole.getBody().takeBody(op.getBody());
  op.erase();
  return whole;
}

/// Iterations from the last one to the first carry the cotangents of what was carried, and the sums
/// of those of what all of them use.
static LogicalResult deriveFor(ForOp op, Adjoint &a) {
  std::optional<Dim> count = op.getIterations();
  if (!count)
    return deriveCounted(op, a);
  SmallVector<Value> cotangents(a.getCotangents());
  unsigned carried = op.getNumCarried(), results = op->getNumResults();
  SmallVector<unsigned> kept = findKeptProducts(op, *count);
  op = stackCarried(op, *count, kept, a);
  SmallVector<Value> around = getActiveAround(op->getRegions(), a);

  // Carried: cotangents of floats that are carried, then sums. Slices: what the iteration began
  // with, its own slices, the cotangents of what it stacked, its products.
  SmallVector<unsigned> floats, stacked;
  ValueRange further = op->getResults().drop_front(results);
  SmallVector<Value> inits, slices(further.take_front(carried));
  for (unsigned i = 0; i < carried; ++i)
    if (isFloat(op.getInits()[i])) {
      floats.push_back(i);
      inits.push_back(cotangents[i] ? cotangents[i] : a.zero(op.getInits()[i]));
    }
  // One iteration has no sums: what it gives is stacked.
  bool isOnce = *count == Dim(1);
  if (!isOnce)
    for (Value value : around)
      inits.push_back(a.zero(value));
  llvm::append_range(slices, op.getSlices());
  for (unsigned i = carried; i < results; ++i)
    if (cotangents[i]) {
      stacked.push_back(i);
      slices.push_back(cotangents[i]);
    }
  llvm::append_range(slices, further.drop_front(carried));
  SmallVector<Value> wholes;
  for (Value whole : op.getSlices())
    if (a.isActive(whole))
      wholes.push_back(whole);

  SmallVector<Type> stacks(ValueRange(wholes).getTypes());
  if (isOnce)
    for (Value value : around)
      stacks.push_back(getTensorType(withOne(a.shapeOf(value)), a.elementOf(value)));
  auto back = ForOp::create(a.builder, a.loc, *count, inits, slices, stacks, !op.getReverse());
  if (isOnce)
    back->setAttr(againName, a.builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(a.builder);
  Block &from = op.getBody().front(), &to = back.getBody().front();
  a.builder.setInsertionPointToEnd(&to);
  IRMapping mapping;
  ValueRange given = back.getSliceArguments();
  for (auto [argument, slice] : llvm::zip(from.getArguments(), given))
    mapping.map(argument, slice);
  SmallVector<Value> yielded = cloneBody(from, a.builder, mapping);
  SmallVector<Value> outputs, seeds, inputs;
  for (auto [i, number] : llvm::enumerate(floats)) {
    outputs.push_back(yielded[number]);
    seeds.push_back(to.getArgument(i));
    inputs.push_back(given[number]);
  }
  for (auto [i, number] : llvm::enumerate(stacked)) {
    outputs.push_back(yielded[number]);
    seeds.push_back(given[from.getNumArguments() + i]);
  }
  if (!isOnce)
    llvm::append_range(inputs, around);
  for (auto [i, whole] : llvm::enumerate(op.getSlices()))
    if (a.isActive(whole))
      inputs.push_back(given[carried + i]);
  if (isOnce)
    llvm::append_range(inputs, around);
  FailureOr<SmallVector<Value>> pulled = a.pullBack(outputs, seeds, inputs);
  if (failed(pulled))
    return failure();
  SmallVector<Value> next, factors;
  SmallVector<ContractOp> products(inputs.size());
  for (auto [i, cotangent] : llvm::enumerate(*pulled)) {
    bool isSum = !isOnce && i >= floats.size() && i < floats.size() + around.size();
    if (isSum && (products[i] = findProduct(cotangent, to, a)))
      factors.append({products[i].getLhs(), products[i].getRhs()});
    if (!isSum)
      next.push_back(cotangent ? cotangent : a.zero(inputs[i]));
    else if (!cotangent || products[i])
      next.push_back(to.getArgument(i));
    else
      next.push_back(a.add(to.getArgument(i), cotangent));
  }
  llvm::append_range(next, factors);
  YieldOp::create(a.builder, a.loc, next);
  // Their own rules have seen them; nobody reads what they compute any more.
  for (auto [i, slice] : llvm::zip(kept, given.take_back(kept.size())))
    mapping.lookup(std::next(from.begin(), i)->getResult(0)).replaceAllUsesWith(slice);
  if (!factors.empty()) {
    a.builder.setInsertionPointAfter(back);
    back = addStacked(back, *count, factors, a);
  }

  // What is both carried in and used around gets two, which are added.
  a.builder.setInsertionPointAfter(back);
  bool mayNotRun = !count->isStatic() || count->getConstant() == 0;
  ValueRange all = back->getResults(), stackedFactors = all.take_back(factors.size());
  for (auto [i, input, cotangent] : llvm::enumerate(inputs, all.drop_back(factors.size()))) {
    if (products[i]) {
      a.giveTo(input, multiplyStacks(products[i], stackedFactors[0], stackedFactors[1], a));
      stackedFactors = stackedFactors.drop_front(2);
      continue;
    }
    bool isCarried = i < floats.size();
    if (!(*pulled)[i] && !(isCarried && mayNotRun))
      continue;
    bool isSum = llvm::is_contained(around, input);
    if (isCarried)
      a.giveTo(op.getInits()[floats[i]], cotangent);
    else if (isSum)
      a.giveTo(input, isOnce ? a.reshape(cotangent, a.shapeOf(input)) : cotangent);
    else
      a.giveTo(wholes[i - floats.size() - (isOnce ? 0 : around.size())], cotangent);
  }
  return success();
}

void tw::graph::addControlDerivatives(DerivativeRules &rules) {
  rules.add<IfOp>(deriveIf);
  rules.add<ForOp>(deriveFor);
  rules.add<WhileOp>(deriveCounted<WhileOp>);
}
