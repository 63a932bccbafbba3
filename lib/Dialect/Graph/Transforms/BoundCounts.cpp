// graph-bound-counts: tensors of sizes that data decide in the largest size, and the counts beside
// them. Runs first, while composites that combine elements are whole; no later pass knows of
// counts.
//
// Elements behind the count are there and mean nothing. Ops that combine elements along such a
// dimension read what changes nothing in their place: the mask is `position < size`, of types that
// still have the symbol, where it holds everywhere. Then sizes become counts and types the largest.
// What is counted inside of a region is a size there alone.
#include "CountParts.h"
#include "tw/Dialect/Graph/Transforms/Passes.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/ResultCounts.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tw {
#define GEN_PASS_DEF_GRAPHBOUNDCOUNTS
#include "tw/Dialect/Graph/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::graph;

namespace {

class CountBounds {
public:
  explicit CountBounds(func::FuncOp function) : function(function), builder(function) {}

  LogicalResult run() {
    SmallVector<PrefixOp> prefixes;
    function.walk<WalkOrder::PreOrder>([&](PrefixOp op) { prefixes.push_back(op); });
    for (PrefixOp op : prefixes)
      if (failed(addCount(op)))
        return failure();
    if (counts.empty())
      return success();
    SmallVector<Operation *> ops;
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (failed(checkPlace(op)) || failed(checkBounds(op)) || failed(guard(op)))
        return failure();
    if (failed(replaceSizes()) || failed(returnCounts()))
      return failure();
    applyBounds();
    return success();
  }

private:
  struct Count {
    /// From 0 to `most`.
    Value value;
    Dim most;
    PrefixOp op;
  };
  func::FuncOp function;
  OpBuilder builder;
  llvm::MapVector<StringAttr, Count> counts;

  static CodedDiagnostic refuse(Operation *op) { return tw::emitOpError(op, Code::T0215); }
  static LogicalResult refuse(Operation *op, const Dim &dim, const Twine &what) {
    return refuse(op) << what.str() << " of size " << toString(dim) << ", which data decide";
  }

  bool isCounted(const Dim &dim) const {
    return isCountedBy(dim, [](const Count &) { return true; });
  }
  bool isCountedBy(const Dim &dim, llvm::function_ref<bool(const Count &)> holds) const {
    return llvm::any_of(dim.getTerms(), [&](const Dim::Term &term) {
      return llvm::any_of(getBases(term.first), [&](StringAttr base) {
        auto found = counts.find(base);
        return found != counts.end() && holds(found->second);
      });
    });
  }
  /// Of `among`, or of all dimensions.
  SmallVector<int64_t> getCounted(Value x, std::optional<ArrayRef<int64_t>> among = {}) const {
    SmallVector<int64_t> dims;
    std::optional<Shape> shape = getShape(x.getType());
    for (int64_t d = 0; shape && d < int64_t(shape->size()); ++d)
      if (isCounted((*shape)[d]) && (!among || llvm::is_contained(*among, d)))
        dims.push_back(d);
    return dims;
  }

  /// Of the first prefix by a symbol; others by it have to count alike.
  LogicalResult addCount(PrefixOp op) {
    Dim most = (*getShape(op.getInput().getType()))[op.getDim()];
    builder.setInsertionPoint(op);
    StringAttr symbol = op.getSymbol();
    if (!symbol) {
      int64_t size = op.getType().getDimSize(op.getDim());
      if (!most.isStatic() || size > most.getConstant())
        return refuse(op) << "counts " << size << " elements, of which there are "
                          << toString(most);
      op.replaceAllUsesWith(
          PartsBuilder{builder, op.getLoc()}.slice(op.getInput(), op.getDim(), 0, size));
      op.erase();
      return success();
    }
    for (Type type : function.getArgumentTypes())
      if (std::optional<Shape> shape = getShape(type))
        for (const Dim &dim : *shape)
          if (llvm::any_of(dim.getTerms(), [&](const Dim::Term &term) {
                return llvm::is_contained(getBases(term.first), symbol);
              }))
            return refuse(op) << "counts '" << symbol.getValue()
                              << "', which an argument has: expected a symbol of its own";
    auto [known, isNew] = counts.try_emplace(symbol, Count{{}, most, op});
    if (!isNew) {
      if (known->second.op->getParentRegion()->isAncestor(op->getParentRegion()) &&
          areEqual(known->second.op.getCount(), op.getCount()) && known->second.most == most)
        return success();
      CodedDiagnostic diagnostic = refuse(op) << "counts '" << symbol.getValue()
                                              << "' otherwise than another op does";
      diagnostic.attachNote(known->second.op.getLoc()) << "it is counted here";
      return diagnostic;
    }
    PartsBuilder p{builder, op.getLoc()};
    Value value = p.same<MaximumOp>({op.getCount(), p.like(op.getCount(), 0)});
    known->second.value = p.same<MinimumOp>({value, getNumber(op.getLoc(), most)});
    return success();
  }

  /// A size as an i64, of which the counts are known.
  Value getNumber(Location loc, const Dim &dim) {
    PartsBuilder p{builder, loc};
    Type type = builder.getI64Type();
    Dim rest(dim.getConstant());
    Value sum;
    for (auto [name, factor] : dim.getTerms()) {
      if (!isCounted(Dim::symbol(name))) {
        rest = rest + Dim::symbol(name, factor);
        continue;
      }
      Value term = getNumber(loc, name);
      if (factor != 1)
        term = p.same<MulOp>({term, p.like(term, uint64_t(factor))});
      sum = sum ? p.same<AddOp>({sum, term}) : term;
    }
    if (sum && rest == Dim(0))
      return sum;
    Value number = rest.isStatic() ? p.splat({}, type, uint64_t(rest.getConstant()))
                                   : SizeOp::create(builder, loc, RankedTensorType::get({}, type),
                                                    DimsAttr::get(builder.getContext(), rest))
                                         .getResult();
    return sum ? p.same<AddOp>({sum, number}) : number;
  }
  /// The value of a symbol that is counted, or made of such.
  Value getNumber(Location loc, StringAttr name) {
    if (auto found = counts.find(name); found != counts.end())
      return found->second.value;
    PartsBuilder p{builder, loc};
    if (std::optional<SizeQuotient> quotient = getQuotient(name)) {
      Value number = getNumber(loc, quotient->numerator);
      // Where it is below 0 there are no elements.
      number = p.same<MaximumOp>({number, p.like(number, 0)});
      return p.same<DivOp>({number, p.like(number, uint64_t(quotient->divisor))});
    }
    if (std::optional<SizeLeast> least = getLeast(name))
      return p.same<MinimumOp>({getNumber(loc, least->first), getNumber(loc, least->second)});
    Value product;
    for (StringAttr factor : getFactors(name)) {
      Value number = getNumber(loc, Dim::symbol(factor));
      product = product ? p.same<MulOp>({product, number}) : number;
    }
    return product;
  }

  /// The most that a size comes to, without counts; with them, where it is a product of one and of
  /// a size without a number.
  Dim getBound(const Dim &dim) {
    Dim bound(dim.getConstant());
    for (auto [name, factor] : dim.getTerms()) {
      if (!isCounted(Dim::symbol(name))) {
        bound = bound + Dim::symbol(name, factor);
        continue;
      }
      // What is taken off is 0 at least.
      if (factor < 0)
        continue;
      if (std::optional<SizeQuotient> quotient = getQuotient(name)) {
        Dim most = getBound(quotient->numerator);
        bound = bound + (most.isStatic()
                             ? Dim(std::max<int64_t>(most.getConstant(), 0) / quotient->divisor)
                             : Dim::symbol(name)) *
                            factor;
        continue;
      }
      if (std::optional<SizeLeast> least = getLeast(name)) {
        bound = bound + takeLeast(getBound(least->first), getBound(least->second)) * factor;
        continue;
      }
      if (auto found = counts.find(name); found != counts.end()) {
        bound = bound + getBound(found->second.most) * factor;
        continue;
      }
      // The most of a quotient is not always where the count is the most.
      if (llvm::any_of(getFactors(name), [&](StringAttr each) {
            return (getQuotient(each) || getLeast(each)) && isCounted(Dim::symbol(each));
          })) {
        bound = bound + Dim::symbol(name) * factor;
        continue;
      }
      std::optional<Dim> value =
          substitute(Dim::symbol(name), [&](StringAttr each) -> std::optional<int64_t> {
            auto found = counts.find(each);
            Dim most = found == counts.end() ? Dim::symbol(each) : getBound(found->second.most);
            return most.isStatic() ? std::optional(most.getConstant()) : std::nullopt;
          });
      bound = bound + value.value_or(Dim::symbol(name)) * factor;
    }
    return bound;
  }

  /// `x`, and `fill` from element `end` of the dimension on.
  Value mask(Location loc, Value x, int64_t dim, const Dim &end, Value fill) {
    PartsBuilder p{builder, loc};
    Shape shape = PartsBuilder::shapeOf(x);
    Value isThere = p.compare(ComparePredicate::Lt, p.iota(shape, dim, builder.getI64Type()),
                              spreadSize(loc, end, shape));
    return p.select(isThere, x, fill);
  }

  /// The op reads `fill` behind the counts along these dimensions of an operand.
  void maskOperand(Operation *op, unsigned number, ArrayRef<int64_t> dims, Fill fill) {
    builder.setInsertionPoint(op);
    PartsBuilder p{builder, op->getLoc()};
    Value x = op->getOperand(number);
    Shape shape = PartsBuilder::shapeOf(x);
    for (int64_t dim : getCounted(x, dims))
      x = mask(op->getLoc(), x, dim, shape[dim],
               makeFill(p, shape, PartsBuilder::elementOf(x), fill));
    op->setOperand(number, x);
  }

  /// What is counted inside of a region is no size outside of it.
  LogicalResult checkPlace(Operation *op) {
    SmallVector<Dim> dims;
    auto add = [&](ArrayRef<Dim> more) { dims.append(more.begin(), more.end()); };
    for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types)
        if (std::optional<Shape> shape = getShape(type))
          add(*shape);
    if (auto size = dyn_cast<SizeOp>(op))
      add(size.getSize().getShape());
    if (auto loop = dyn_cast<ForOp>(op); loop && loop.getIterations())
      add(*loop.getIterations());
    for (const Dim &dim : dims)
      for (auto &[symbol, count] : counts) {
        bool isOutside = isCountedBy(dim, [&, &own = count](const Count &each) {
          return each.op == own.op && !own.op->getParentRegion()->isAncestor(op->getParentRegion());
        });
        if (!isOutside)
          continue;
        CodedDiagnostic diagnostic = refuse(op)
                                     << "has a dimension of size " << toString(dim)
                                     << ", which is counted inside of a region and may be another "
                                        "one each time: give tensors of one size out of it, as the "
                                        "largest with what is counted beside it";
        diagnostic.attachNote(count.op.getLoc()) << "it is counted here";
        return diagnostic;
      }
    return success();
  }

  /// Sizes have bounds without counts.
  LogicalResult checkBounds(Operation *op) {
    for (Type type : op->getResultTypes())
      if (std::optional<Shape> shape = getShape(type))
        for (const Dim &dim : *shape)
          if (isCounted(dim) && isCounted(getBound(dim)))
            return refuse(op) << "has a dimension of size " << toString(dim)
                              << ", a product of what data decide and of what a call settles";
    return success();
  }

  LogicalResult guard(Operation *op) {
    auto mentions = [&](TypeRange types) {
      return llvm::any_of(types, [&](Type type) {
        std::optional<Shape> shape = getShape(type);
        return shape && llvm::any_of(*shape, [&](const Dim &dim) { return isCounted(dim); });
      });
    };
    if (!mentions(op->getOperandTypes()) && !mentions(op->getResultTypes()) && !isa<ForOp>(op))
      return success();
    // Element by element, or whole tensors.
    if (isa<ElementwiseOpInterface, ReluOp, GeluOp, BatchNormOp, PermuteOp, ExpandOp, IotaOp,
            PrefixOp, IfOp, WhileOp, YieldOp, func::ReturnOp>(op))
      return success();
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<ReduceOp, ArgReduceOp, ScanOp, SoftmaxOp, LogSoftmaxOp, ContractOp, GatherOp,
              ScatterOp>([&](auto op) {
          maskFor(op);
          return success();
        })
        .Case<ReshapeOp, SliceOp, FlipOp, PadOp, ConcatOp, ConvOp, WindowOp, LayerNormOp, RandomOp,
              ArgSortOp, ForOp, AssociativeScanOp>([&](auto op) { return move(op); })
        .Default([&](Operation *op) {
          return refuse(op) << "takes no tensors of sizes that data decide";
        });
  }

  void maskFor(ReduceOp op) { maskOperand(op, 0, op.getDims(), getIdentity(op.getKind())); }
  void maskFor(ArgReduceOp op) {
    maskOperand(op, 0, int64_t(op.getDim()), getIdentity(op.getKind()));
  }
  void maskFor(ScanOp op) {
    if (op.getReverse())
      maskOperand(op, 0, int64_t(op.getDim()), getIdentity(op.getKind()));
  }
  void maskFor(SoftmaxOp op) { maskOperand(op, 0, int64_t(op.getDim()), Fill::Least); }
  void maskFor(LogSoftmaxOp op) { maskOperand(op, 0, int64_t(op.getDim()), Fill::Least); }
  void maskFor(ContractOp op) {
    StringRef letters[] = {op.getLhsLetters(), op.getRhsLetters()};
    for (auto [number, own] : llvm::enumerate(letters)) {
      SmallVector<int64_t> summed;
      for (auto [d, letter] : llvm::enumerate(own))
        if (!op.getResultLetters().contains(letter))
          summed.push_back(int64_t(d));
      maskOperand(op, unsigned(number), summed, Fill::Zero);
    }
  }
  // A position behind the count reads 0, as one outside does.
  void maskFor(GatherOp op) {
    SmallVector<int64_t> read;
    for (size_t i = 0; i < op.getIndices().size(); ++i)
      read.push_back(int64_t(op.getAxis() + i));
    maskOperand(op, 0, read, Fill::Zero);
  }
  // Updates behind the count go nowhere.
  void maskFor(ScatterOp op) {
    if (op.getIndices().empty())
      return;
    int64_t rank = int64_t(PartsBuilder::shapeOf(op.getIndices().front()).size());
    maskOperand(op, 2, llvm::to_vector(llvm::seq<int64_t>(0, rank)), Fill::Nowhere);
  }

  // What is not there comes last. There may be fewer elements than are asked for.
  LogicalResult move(ArgSortOp op) {
    if (op.getFirst() == 0 || getCounted(op.getInput(), int64_t(op.getDim())).empty())
      return success();
    if (int64_t(op.getFirst()) == SliceOp::whole) {
      maskOperand(op, 0, int64_t(op.getDim()), op.getDescending() ? Fill::Least : Fill::Last);
      return success();
    }
    Dim size = (*getShape(op.getInput().getType()))[op.getDim()];
    return refuse(op) << "asks for the first " << op.getFirst() << " along a dimension of size "
                      << toString(size) << ", which data decide, and may be fewer";
  }

  /// What is joined with a dimension that is counted lies behind it, before and after.
  LogicalResult move(ReshapeOp op) {
    Shape from = *getShape(op.getInput().getType()), to = *getShape(op.getType());
    ArrayRef<Dim> left(from), right(to);
    while (!left.empty() || !right.empty()) {
      auto [i, j] = findGroup(left, right);
      for (ArrayRef<Dim> group : {left.take_front(i), right.take_front(j)}) {
        while (!group.empty() && group.front() == Dim(1))
          group = group.drop_front();
        for (const Dim &dim : group.drop_front(!group.empty()))
          if (isCounted(dim))
            return refuse(op, dim, "joins, with what lies before it, a dimension");
      }
      left = left.drop_front(i);
      right = right.drop_front(j);
    }
    return success();
  }
  /// The fewest leading dimensions of both that have as many elements.
  static std::pair<size_t, size_t> findGroup(ArrayRef<Dim> left, ArrayRef<Dim> right) {
    for (size_t both = 1; both <= left.size() + right.size(); ++both)
      for (size_t i = 0; i <= std::min(both, left.size()); ++i)
        if (both - i <= right.size() &&
            haveEqualProducts(left.take_front(i), right.take_front(both - i)))
          return {i, both - i};
    return {left.size(), right.size()};
  }

  LogicalResult move(SliceOp op) {
    Shape shape = *getShape(op.getInput().getType());
    for (int64_t d : getCounted(op.getInput()))
      if (op.getSizes()[d] != SliceOp::whole)
        return refuse(op, shape[d], "takes a part of a dimension");
    return success();
  }

  /// Element i is element `size - 1 - i`.
  LogicalResult move(FlipOp op) {
    SmallVector<int64_t> counted = getCounted(op.getInput(), op.getDims()), rest;
    if (counted.empty())
      return success();
    for (int64_t d : op.getDims())
      if (!llvm::is_contained(counted, d))
        rest.push_back(d);
    builder.setInsertionPoint(op);
    PartsBuilder p{builder, op.getLoc()};
    Value x =
        rest.empty()
            ? op.getInput()
            : FlipOp::create(builder, op.getLoc(), op.getType(), op.getInput(), rest).getResult();
    for (int64_t d : counted) {
      Shape shape{PartsBuilder::shapeOf(x)[d]};
      Value size = spreadSize(op.getLoc(), shape[0] - 1, shape),
            i = p.iota(shape, 0, builder.getI64Type());
      x = GatherOp::create(builder, op.getLoc(), x, p.same<SubOp>({size, i}), d, 0);
    }
    op.replaceAllUsesWith(x);
    op.erase();
    return success();
  }
  /// A size at every point of the shape.
  Value spreadSize(Location loc, const Dim &size, ArrayRef<Dim> shape) {
    PartsBuilder p{builder, loc};
    Type type = builder.getI64Type();
    if (size.isStatic())
      return p.splat(shape, type, uint64_t(size.getConstant()));
    Value number = SizeOp::create(builder, loc, RankedTensorType::get({}, type),
                                  DimsAttr::get(builder.getContext(), size));
    return p.expand(p.reshape(number, Shape(shape.size(), Dim(1))), shape);
  }

  /// What is added behind the count.
  LogicalResult move(PadOp op) {
    Shape shape = *getShape(op.getInput().getType()), result = *getShape(op.getType());
    builder.setInsertionPointAfter(op);
    Value x = op.getResult(), fill;
    SmallPtrSet<Operation *, 4> users(op->user_begin(), op->user_end());
    PartsBuilder p{builder, op.getLoc()};
    for (int64_t d : getCounted(op.getInput())) {
      if (op.getHigh()[d] == 0)
        continue;
      if (!fill) {
        auto one =
            RankedTensorType::get(SmallVector<int64_t>(result.size(), 1), getElementTypeOrSelf(x));
        fill = ConstantOp::create(builder, op.getLoc(),
                                  DenseElementsAttr::get(one, cast<Attribute>(op.getValue())));
        fill = p.expand(fill, result);
      }
      x = mask(op.getLoc(), x, d, shape[d] + op.getLow()[d], fill);
    }
    op.getResult().replaceUsesWithIf(
        x, [&](OpOperand &use) { return users.contains(use.getOwner()); });
    return success();
  }

  /// Operands follow each other where the count of the one before ends.
  /// Each position of the result from the operand that it lies in: where the most of all together
  /// is less than the sum of the most of each.
  void selectOperands(ConcatOp op) {
    int64_t dim = op.getDim();
    builder.setInsertionPoint(op);
    PartsBuilder p{builder, op.getLoc()};
    Shape shape = *getShape(op.getType()), joined{shape[dim]};
    Value position = p.iota(joined, 0, builder.getI64Type()), result;
    Dim start(0);
    for (Value operand : op.getInputs()) {
      Value from = p.same<SubOp>({position, spreadSize(op.getLoc(), start, joined)});
      Value part = GatherOp::create(builder, op.getLoc(), operand, from, dim, 0);
      Value isHere = p.compare(ComparePredicate::Ge, p.iota(shape, dim, builder.getI64Type()),
                               spreadSize(op.getLoc(), start, shape));
      result = result ? p.select(isHere, part, result) : part;
      start = start + (*getShape(operand.getType()))[dim];
    }
    op.replaceAllUsesWith(result);
    op.erase();
  }

  LogicalResult move(ConcatOp op) {
    int64_t dim = op.getDim();
    Dim start(0), most(0);
    for (Value operand : op.getInputs())
      most = most + getBound((*getShape(operand.getType()))[dim]);
    if (most != getBound((*getShape(op.getType()))[dim]))
      return selectOperands(op), success();
    bool isApart = false;
    Shape joined{(*getShape(op.getType()))[dim]};
    builder.setInsertionPointAfter(op);
    PartsBuilder p{builder, op.getLoc()};
    SmallPtrSet<Operation *, 4> users(op->user_begin(), op->user_end());
    Value position, from;
    for (Value operand : op.getInputs()) {
      if (isApart) {
        Dim bound = getBound(start);
        if (!position)
          position = from = p.iota(joined, 0, builder.getI64Type());
        Value begin = spreadSize(op.getLoc(), start, joined);
        Value moved = p.same<SubOp>({spreadSize(op.getLoc(), bound, joined), begin});
        moved = p.same<AddOp>({position, moved});
        from = p.select(p.compare(ComparePredicate::Ge, position, begin), moved, from);
      }
      Dim size = (*getShape(operand.getType()))[dim];
      isApart |= isCounted(size);
      start = start + size;
    }
    if (!from)
      return success();
    Value packed = GatherOp::create(builder, op.getLoc(), op.getResult(), from, dim, 0);
    op.getResult().replaceUsesWithIf(
        packed, [&](OpOperand &use) { return users.contains(use.getOwner()); });
    return success();
  }

  // Windows read behind the count what they read of padding.
  LogicalResult move(ConvOp op) {
    // Channels and filters have numbers.
    SmallVector<int64_t> moved = getCounted(op.getInput());
    llvm::erase(moved, 0);
    maskOperand(op, 0, moved, Fill::Zero);
    return success();
  }
  LogicalResult move(WindowOp op) {
    SmallVector<int64_t> moved;
    for (int64_t d : getCounted(op.getInput()))
      if (op.getWindow()[d] != 1 || op.getPadHigh()[d] != 0)
        moved.push_back(d);
    maskOperand(op, 0, moved, getIdentity(op.getKind()));
    return success();
  }
  /// Its parts take sums.
  LogicalResult move(LayerNormOp op) {
    if (getCounted(op.getInput(), op.getDims()).empty())
      return success();
    builder.setInsertionPoint(op);
    Block::iterator end(op);
    Operation *before = end == op->getBlock()->begin() ? nullptr : &*std::prev(end);
    Type element = getElementTypeOrSelf(op.getType());
    SmallVector<Value> parts;
    if (isNarrowFloat(element)) {
      PartsBuilder p{builder, op.getLoc()};
      Operation *wide = builder.clone(*op);
      for (OpOperand &operand : wide->getOpOperands()) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(wide);
        operand.set(p.cast(operand.get(), getComputedType(element)));
      }
      wide->getResult(0).setType(withElementType(op.getType(), getComputedType(element)));
      parts.push_back(p.cast(wide->getResult(0), element));
    } else {
      parts = op.decompose(builder);
    }
    if (parts.empty())
      return refuse(op, (*getShape(op.getInput().getType()))[op.getDims().front()],
                    "normalizes along a dimension");
    SmallVector<Operation *> made;
    Block::iterator begin = before ? std::next(Block::iterator(before)) : op->getBlock()->begin();
    for (Operation &each : llvm::make_range(begin, end))
      made.push_back(&each);
    op->replaceAllUsesWith(parts);
    op.erase();
    for (Operation *each : made)
      if (failed(guard(each)))
        return failure();
    return success();
  }
  // What comes behind changes nothing before it; from the end it is a scan of the elements in the
  // other order.
  LogicalResult move(AssociativeScanOp op) {
    int64_t dim = op.getDim();
    if (!op.getReverse() || getCounted(op.getInputs()[0], dim).empty())
      return success();
    Dim size = (*getShape(op.getInputs()[0].getType()))[dim];
    auto turn = [&](Value x) {
      PartsBuilder p{builder, op.getLoc()};
      Value i = p.iota({size}, 0, builder.getI64Type());
      Value from = p.same<SubOp>({spreadSize(op.getLoc(), size - 1, {size}), i});
      return GatherOp::create(builder, op.getLoc(), x, from, dim, 0).getResult();
    };
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands())
      operand.set(turn(operand.get()));
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults()) {
      SmallPtrSet<Operation *, 4> users(result.user_begin(), result.user_end());
      Value turned = turn(result);
      result.replaceUsesWithIf(turned,
                               [&](OpOperand &use) { return users.contains(use.getOwner()); });
    }
    op.setReverse(false);
    return success();
  }
  LogicalResult move(RandomOp op) {
    for (int64_t d : getCounted(op.getResult()))
      if (d != 0)
        return refuse(op, (*getShape(op.getType()))[d],
                      "draws numbers in an order that depends on a dimension");
    return success();
  }
  /// As many iterations as the count says: slices are read at an iteration's number, and what was
  /// stacked is a carried value that each of them stores its row in.
  LogicalResult move(ForOp op) {
    std::optional<Dim> iterations = op.getIterations();
    if (!iterations || !isCounted(*iterations))
      return success();
    builder.setInsertionPoint(op);
    PartsBuilder p{builder, op.getLoc()};
    Type type = builder.getI64Type();
    auto makeSize = [&](const Dim &size) {
      return SizeOp::create(builder, op.getLoc(), RankedTensorType::get({}, type),
                            DimsAttr::get(builder.getContext(), size))
          .getResult();
    };
    Dim bound = getBound(*iterations);
    Value amount = makeSize(*iterations), last = makeSize(*iterations - 1);
    SmallVector<Value> inits{p.splat({}, type, 0)};
    llvm::append_range(inits, op.getInits());
    for (Value stacked : op.getStacked())
      inits.push_back(p.like(stacked, 0));
    auto loop = ForOp::create(builder, op.getLoc(), amount,
                              bound.isStatic() ? bound.getConstant()
                                               : int64_t(std::numeric_limits<int32_t>::max()),
                              inits);
    Block &body = loop.getBody().front(), &old = op.getBody().front();
    builder.setInsertionPointToEnd(&body);
    Value number = body.getArgument(0), next = p.same<AddOp>({number, p.like(number, 1)});
    Value place = op.getReverse() ? p.same<SubOp>({last, number}) : number;
    place = p.reshape(place, {Dim(1)});
    unsigned carried = op.getNumCarried();
    for (unsigned i = 0; i < carried; ++i)
      old.getArgument(i).replaceAllUsesWith(body.getArgument(1 + i));
    for (auto [slice, argument] : llvm::zip(op.getSlices(), op.getSliceArguments())) {
      Value row = GatherOp::create(builder, op.getLoc(), slice, place, 0, 0);
      argument.replaceAllUsesWith(p.reshape(row, PartsBuilder::shapeOf(argument)));
    }
    body.getOperations().splice(body.end(), old.getOperations());
    auto yield = cast<YieldOp>(body.back());
    builder.setInsertionPoint(yield);
    SmallVector<Value> values{next};
    for (auto [i, value] : llvm::enumerate(yield.getValues())) {
      if (i < carried) {
        values.push_back(value);
        continue;
      }
      Value room = body.getArgument(1 + unsigned(i));
      Shape shape = PartsBuilder::shapeOf(value);
      shape.insert(shape.begin(), Dim(1));
      values.push_back(ScatterOp::create(builder, op.getLoc(), room.getType(), CombineKindAttr(),
                                         room, p.reshape(value, shape), place, 0, 0));
    }
    yield->setOperands(values);
    op->replaceAllUsesWith(loop->getResults().drop_front());
    op.erase();
    return success();
  }

  /// Sizes that are numbers in the program become counts.
  LogicalResult replaceSizes() {
    DominanceInfo dominance(function);
    SmallVector<SizeOp> sizes;
    function.walk([&](SizeOp op) {
      if (isCounted(op.getSize().getShape().front()))
        sizes.push_back(op);
    });
    for (SizeOp op : sizes) {
      Dim size = op.getSize().getShape().front();
      for (auto &[symbol, count] : counts)
        if (isCounted(size) && !dominance.properlyDominates(count.value, op) &&
            llvm::any_of(size.getTerms(), [&, symbol = symbol](const Dim::Term &term) {
              return llvm::is_contained(getBases(term.first), symbol);
            }))
          return refuse(op, size, "comes before the op that counts, as a number");
      builder.setInsertionPoint(op);
      PartsBuilder p{builder, op.getLoc()};
      op.replaceAllUsesWith(p.cast(getNumber(op.getLoc(), size), op.getType().getElementType()));
      op.erase();
    }
    return success();
  }

  /// Whether counts make the call an error; null where none can.
  struct Wrong {
    /// Fewer are counted than a symbol is at least, for which -1 stands as a count.
    Value areFew;
    /// A checked count is outside of its range, for which -2 does.
    Value areOutside;
  };
  /// What is counted in a region is another number in each run of it, which nothing behind it says.
  FailureOr<Wrong> findWrong(Location loc) {
    auto declared = function->getAttrOfType<DictionaryAttr>("tgraph.symbols");
    PartsBuilder p{builder, loc};
    Wrong wrong;
    auto add = [&](Value &all, ComparePredicate predicate, Value count, Value limit) {
      Value own = p.compare(predicate, count, limit);
      all = all ? p.same<OrOp>({all, own}) : own;
    };
    for (auto &[symbol, count] : counts) {
      auto range = declared ? declared.getAs<SymbolAttr>(symbol) : SymbolAttr();
      int64_t least = range ? range.getMin() : 0;
      if (least == 0 && !count.op.getChecked())
        continue;
      if (count.op->getParentRegion() != &function.getBody())
        return refuseInRegion(count.op, symbol.getValue(), least);
      Value given = count.op.getChecked() ? count.op.getCount() : count.value;
      add(count.op.getChecked() ? wrong.areOutside : wrong.areFew, ComparePredicate::Lt, given,
          p.like(given, uint64_t(least)));
      if (count.op.getChecked())
        add(wrong.areOutside, ComparePredicate::Gt, given, getNumber(loc, count.most));
    }
    return wrong;
  }

  /// The function returns what it counted.
  LogicalResult returnCounts() {
    auto end = cast<func::ReturnOp>(function.front().getTerminator());
    builder.setInsertionPoint(end);
    SmallVector<Dim> returned;
    SmallVector<Value> values(end.getOperands());
    unsigned visible = values.size();
    SmallVector<DenseI64ArrayAttr> attributes(visible);
    FailureOr<Wrong> wrong = findWrong(end.getLoc());
    if (failed(wrong))
      return failure();
    std::optional<std::pair<unsigned, int64_t>> teller;
    if (wrong->areFew || wrong->areOutside) {
      auto found = findTeller(function, end.getOperands());
      if (failed(found))
        return failure();
      teller = *found;
    }
    for (unsigned i = 0; i < visible; ++i) {
      SmallVector<int64_t> own;
      Shape shape = *getShape(values[i].getType());
      for (auto [d, dim] : llvm::enumerate(shape)) {
        own.push_back(-1);
        if (!isCounted(dim) && teller != std::pair(i, int64_t(d)))
          continue;
        size_t place = llvm::find(returned, dim) - returned.begin();
        if (place == returned.size()) {
          returned.push_back(dim);
          PartsBuilder p{builder, end.getLoc()};
          Value number = getNumber(end.getLoc(), dim);
          number = p.same<MaximumOp>({number, p.like(number, 0)});
          if (wrong->areFew)
            number = p.select(wrong->areFew, p.like(number, ~uint64_t(0)), number);
          if (wrong->areOutside)
            number = p.select(wrong->areOutside, p.like(number, ~uint64_t(1)), number);
          values.push_back(number);
        }
        own.back() = int64_t(visible + place);
      }
      if (llvm::any_of(own, [](int64_t count) { return count >= 0; }))
        attributes[i] = builder.getDenseI64ArrayAttr(own);
    }
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (auto alias = function.getArgAttrOfType<IntegerAttr>(i, aliasName);
          alias && attributes[size_t(alias.getInt())])
        return refuse(function) << "gives the memory of argument " << i << " to result "
                                << alias.getInt() << ", whose size data decide";
    end->setOperands(values);
    SmallVector<Type> types(function.getResultTypes());
    types.append(returned.size(), RankedTensorType::get({}, builder.getI64Type()));
    function.setType(builder.getFunctionType(function.getArgumentTypes(), types));
    for (unsigned i = 0; i < visible; ++i)
      if (attributes[i])
        function.setResultAttr(i, countsName, attributes[i]);
    for (auto [i, dim] : llvm::enumerate(returned)) {
      bool isSymbol = !dim.isStatic() && dim == Dim::symbol(dim.getTerms().front().first);
      function.setResultAttr(visible + unsigned(i), "tgraph.name",
                             isSymbol ? dim.getTerms().front().first
                                      : builder.getStringAttr(toString(dim)));
    }
    return success();
  }

  /// Types are the largest, and prefixes what they are taken of.
  void applyBounds() {
    for (StringRef name : {"tgraph.symbols", "tgraph.typical"}) {
      auto declared = function->getAttrOfType<DictionaryAttr>(name);
      if (!declared)
        continue;
      SmallVector<NamedAttribute> left = llvm::to_vector(llvm::make_filter_range(
          declared, [&](NamedAttribute each) { return !counts.contains(each.getName()); }));
      function->removeAttr(name);
      if (!left.empty())
        function->setAttr(name, builder.getDictionaryAttr(left));
    }
    changeSizes(function, [&](const Dim &dim) { return getBound(dim); });
    function.walk([](PrefixOp op) {
      op.replaceAllUsesWith(op.getInput());
      op.erase();
    });
  }
};

struct GraphBoundCounts : tw::impl::GraphBoundCountsBase<GraphBoundCounts> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp function) {
      if (!function.isExternal() && failed(CountBounds(function).run()))
        signalPassFailure();
    });
  }
};
} // namespace
