// A model for ranges of sizes, from what it is at some of them.
//
// Importing is done by rules over sizes that are numbers. A model whose symbols have ranges is
// imported at several sizes, and the programs are compared op by op: what differs has to be the
// sizes of dimensions, each the same function of the symbols in all of them: what the op gives for
// its operands' sizes, else a sum of multiples, or a quotient. The program of
// those functions is verified as any other one, so each op's shapes follow from its operands' for
// all values; where the importer would make another program for other sizes, they differ in more,
// and the model is refused.
#include "tw/Import/ONNX/Generalize.h"

#include "GatherParts.h"
#include "SizeSolver.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace tw;
using namespace tw::onnx;

namespace {

class Generalizer : SizeSolver {
public:
  Generalizer(MutableArrayRef<OwningOpRef<ModuleOp>> samples, ArrayRef<std::vector<int64_t>> sizes,
              ArrayRef<std::string> names, ArrayRef<SizeRange> ranges, size_t given, size_t paired)
      : SizeSolver(samples.front()->getContext(), sizes, names, ranges, paired), given(given) {
    for (auto &sample : samples)
      functions.push_back(sample->lookupSymbol<func::FuncOp>("main"));
    values.resize(functions.size());
    // At samples alone another sum may have these numbers.
    looksBesideParts = false;
  }

  using SizeSolver::setKnown;

  LogicalResult run() {
    declare(functions.front());
    SmallVector<Block *> blocks;
    for (func::FuncOp each : functions)
      blocks.push_back(&each.getBody().front());
    if (failed(generalizeBlocks(functions.front(), blocks)))
      return failure();
    return finish(functions.front());
  }

private:
  /// As many symbols are those of calls; data decide on the others.
  size_t given;
  SmallVector<func::FuncOp> functions;
  /// Of values, the same ones for values that correspond, and those by number in each sample.
  llvm::DenseMap<Value, unsigned> numbers;
  std::vector<llvm::DenseMap<unsigned, Value>> values;
  /// Of values of samples, what they are expanded to, which is the same there.
  llvm::DenseMap<Value, SmallVector<Value, 1>> expanded;
  unsigned next = 0;
  /// A side of a dimension of which the symbols say how much it is padded by.
  struct PaddedSide {
    int64_t dim;
    bool isHigh;
    graph::Dim size;
  };
  llvm::DenseMap<Operation *, SmallVector<PaddedSide, 2>> sides;
  /// What slices and sorts take of dimensions, of which they are given the whole.
  llvm::DenseMap<Operation *, SmallVector<SizedPart, 1>> parts;

  /// `remedy`: what else than one size may be given.
  LogicalResult refuse(Operation *op, const Twine &what, StringRef remedy = "") {
    std::string node;
    if (auto name = dyn_cast<NameLoc>(op->getLoc()))
      node = "of " + name.getName().str() + ", ";
    if (given < symbols.size())
      return emitError(op->getLoc(), Code::T0118)
             << "where data decide on '" << symbols[given].getValue() << "', " << node << what.str()
             << " at other sizes: make the operators before it the model's last ones";
    return emitError(op->getLoc(), Code::T0118)
           << "at other sizes of the ranges that --dim gives, " << node << what.str()
           << ": give such symbols " << remedy << "one size (--symbol=NAME=SIZE)";
  }

  /// The type that an op infers from its operands', which are those for all sizes; null if it is
  /// another one at a sample.
  RankedTensorType infer(Operation *op, unsigned result, ArrayRef<RankedTensorType> samples) {
    auto typed = dyn_cast<InferTypeOpInterface>(op);
    SmallVector<Type> types;
    if (!typed || failed(typed.inferReturnTypes(op->getContext(), std::nullopt, op->getOperands(),
                                                op->getAttrDictionary(), op->getPropertiesStorage(),
                                                op->getRegions(), types)))
      return {};
    auto type = dyn_cast<RankedTensorType>(types[result]);
    std::optional<graph::Shape> shape = type ? graph::getShape(type) : std::nullopt;
    if (!shape || int64_t(shape->size()) != samples.front().getRank())
      return {};
    for (auto [d, dim] : llvm::enumerate(*shape))
      if (!hasValues(dim, llvm::map_to_vector(samples, [d = d](RankedTensorType sample) {
                       return sample.getDimSize(d);
                     })))
        return {};
    return type;
  }

  /// Gives the value of the first sample the type of all.
  LogicalResult setType(Operation *op, Value value, llvm::function_ref<Value(size_t)> at) {
    SmallVector<RankedTensorType> types{cast<RankedTensorType>(value.getType())};
    RankedTensorType first = types.front();
    for (size_t i = 1; i < functions.size(); ++i) {
      auto type = cast<RankedTensorType>(at(i).getType());
      if (type.getRank() != first.getRank() || type.getElementType() != first.getElementType())
        return refuse(op, "a result is " + debugString(type) + ", not " + debugString(first));
      types.push_back(type);
    }
    auto result = dyn_cast<OpResult>(value);
    if (RankedTensorType own = result && result.getOwner() == op
                                   ? infer(op, result.getResultNumber(), types)
                                   : RankedTensorType()) {
      value.setType(own);
      graph::Shape inferred = *graph::getShape(own);
      for (auto [d, dim] : llvm::enumerate(inferred))
        noteSize(getSizes(types, int64_t(d)), dim);
      return success();
    }
    graph::Shape shape;
    for (int64_t d = 0; d < first.getRank(); ++d) {
      std::optional<graph::Dim> dim = findPadded(op, types, d);
      if (!dim)
        dim = findReshaped(op, types, d);
      if (!dim)
        dim = solve(getSizes(types, d));
      if (!dim)
        return refuse(op, "dimension " + Twine(d) + " of " + debugString(first) +
                              " is no sum of multiples of them, nor a quotient");
      noteSize(getSizes(types, d), *dim);
      shape.push_back(*dim);
    }
    value.setType(graph::getTensorType(shape, first.getElementType()));
    return success();
  }

  /// What is padded by sizes: the sum of it and of them.
  std::optional<graph::Dim> findPadded(Operation *op, ArrayRef<RankedTensorType> types,
                                       int64_t dim) {
    auto it = sides.find(op);
    if (it == sides.end())
      return std::nullopt;
    auto pad = cast<graph::PadOp>(op);
    graph::Dim sum = graph::getShape(pad.getInput().getType())->data()[dim] +
                     graph::Dim(pad.getLow()[dim] + pad.getHigh()[dim]);
    for (const PaddedSide &side : it->second)
      if (side.dim == dim)
        sum = sum + side.size;
    return hasValues(sum, getSizes(types, dim)) ? std::optional(sum) : std::nullopt;
  }

  void number(size_t sample, Value value, unsigned number) {
    numbers[value] = number;
    values[sample][number] = value;
  }

  /// Whether a value of a sample is the one of the first sample, or what is expanded to that, one
  /// op after another.
  bool correspond(Value first, Value other) {
    auto isSame = [&](Value each) { return correspond(first, each); };
    auto also = expanded.find(other);
    return numbers.at(other) == numbers.at(first) ||
           (also != expanded.end() && llvm::any_of(also->second, isSame));
  }

  /// What a size of 1 leaves out (`x[1:] * 2` of two elements), where nothing is to be expanded,
  /// or a size that makes a reshape none: the op before the place, or nothing if it stands there.
  Operation *addNothing(Operation *first, size_t sample, Block *block, Block::iterator place) {
    bool isThere = place != block->end() && place->getName() == first->getName();
    Value input = values[sample].lookup(numbers.at(first->getOperand(0)));
    if (!input || (isThere && correspond(first->getOperand(0), place->getOperand(0))))
      return nullptr;
    OpBuilder builder(block, place);
    Operation *added = builder.clone(*first);
    added->setOperand(0, input);
    added->getResult(0).setType(input.getType());
    expanded[input].push_back(added->getResult(0));
    return added;
  }

  /// Blocks that correspond, those of the functions or of regions of the op.
  LogicalResult generalizeBlocks(Operation *op, ArrayRef<Block *> blocks) {
    SmallVector<Block::iterator> places;
    for (auto [i, block] : llvm::enumerate(blocks)) {
      if (block->getNumArguments() != blocks.front()->getNumArguments())
        return refuse(op, "a region takes other values");
      for (BlockArgument argument : block->getArguments())
        number(i, argument, next + argument.getArgNumber());
      places.push_back(block->begin());
    }
    next += blocks.front()->getNumArguments();
    for (BlockArgument argument : blocks.front()->getArguments())
      if (failed(setType(op, argument, [&](size_t i) {
            return blocks[i]->getArgument(argument.getArgNumber());
          })))
        return failure();
    while (places.front() != blocks.front()->end()) {
      SmallVector<Operation *> ops;
      Operation *first = &*places.front();
      bool mayBeNone = isa<graph::ExpandOp, graph::ReshapeOp>(first);
      for (auto [i, place, block] : llvm::enumerate(places, blocks)) {
        Operation *added = mayBeNone && i != 0 ? addNothing(first, i, block, place) : nullptr;
        if (added) {
          ops.push_back(added);
          continue;
        }
        if (place == block->end())
          return refuse(op, "there are other ops");
        ops.push_back(&*place++);
      }
      if (failed(generalize(ops)))
        return failure();
    }
    return success();
  }

  LogicalResult generalizeRegions(ArrayRef<Operation *> ops) {
    for (unsigned i = 0; i < ops.front()->getNumRegions(); ++i)
      if (failed(generalizeBlocks(ops.front(), llvm::map_to_vector(ops, [&](Operation *op) {
                                    return &op->getRegion(i).front();
                                  }))))
        return failure();
    return success();
  }

  LogicalResult generalize(ArrayRef<Operation *> ops) {
    Operation *op = ops.front();
    for (Operation *other : ops) {
      if (other->getName() != op->getName() || other->getNumOperands() != op->getNumOperands())
        return refuse(op, "'" + op->getName().getStringRef() + "' is '" +
                              other->getName().getStringRef() + "'");
      for (auto [a, b] : llvm::zip(op->getOperands(), other->getOperands()))
        if (!correspond(a, b))
          return refuse(op, "'" + op->getName().getStringRef() + "' takes other values");
    }
    if (failed(compareAttributes(ops)) || failed(generalizeRegions(ops)))
      return failure();
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      for (auto [k, other] : llvm::enumerate(ops))
        number(k, other->getResult(i), next);
      ++next;
      if (failed(setType(op, result, [&, i = i](size_t k) { return ops[k]->getResult(i); })))
        return failure();
    }
    if (auto constant = dyn_cast<graph::ConstantOp>(op))
      return makeConstant(constant, ops);
    gatherParts(op);
    if (auto pad = dyn_cast<graph::PadOp>(op))
      concatPads(pad);
    return success();
  }

  LogicalResult compareAttributes(ArrayRef<Operation *> ops) {
    Operation *op = ops.front();
    if (isa<graph::ConstantOp>(op))
      return success();
    for (NamedAttribute attribute : op->getAttrDictionary())
      for (Operation *other : ops)
        if (other->getAttr(attribute.getName()) != attribute.getValue()) {
          if (isa<graph::SliceOp>(op))
            return generalizeSlice(ops);
          if (isa<graph::ForOp>(op))
            return setCount(ops);
          if (isa<graph::ArgSortOp>(op))
            return sortWhole(ops);
          if (isa<graph::SizeOp>(op))
            return setSize(ops);
          if (isa<graph::UpdateSliceOp>(op) && attribute.getName() == "offsets")
            return setOffsets(ops);
          if (isa<graph::PadOp>(op))
            return settlePads(ops);
          if (isa<graph::WindowOp, graph::ConvOp>(op))
            return widenPads(ops);
          return refuse(op, "'" + op->getName().getStringRef() + "' has another attribute '" +
                                attribute.getName().getValue() + "'");
        }
    return success();
  }

  static SmallVector<int64_t> getNumbers(Operation *op, StringRef name) {
    return SmallVector<int64_t>(op->getAttrOfType<DenseI64ArrayAttr>(name).asArrayRef());
  }

  /// How many windows the sample has along a dimension with so much padding behind its end.
  int64_t countWindows(ArrayRef<Operation *> ops, size_t sample, size_t dim, int64_t high) {
    Operation *op = ops[sample];
    bool isConv = isa<graph::ConvOp>(op);
    auto input = cast<RankedTensorType>(op->getOperand(0).getType());
    size_t at = isConv ? dim + 2 : dim;
    // That of the first sample is not a number any more.
    int64_t size = sample == 0 ? evaluate(graph::getShape(input)->data()[at], sizes[0]).value_or(0)
                               : input.getDimSize(at);
    int64_t window =
        isConv ? cast<RankedTensorType>(ops.back()->getOperand(1).getType()).getDimSize(at)
               : getNumbers(op, "window")[dim];
    int64_t extent = (window - 1) * getNumbers(op, "dilations")[dim] + 1;
    int64_t span = size + getNumbers(op, "pad_low")[dim] + high - extent;
    return span < 0 ? 0 : span / getNumbers(op, "strides")[dim] + 1;
  }

  /// Windows that are rounded up, or as many as the input has elements over a stride, have what the
  /// last one lacks behind the end of the input. All have as much of it as at most, where
  /// there are no more of them by that.
  LogicalResult widenPads(ArrayRef<Operation *> ops) {
    Operation *op = ops.front();
    constexpr StringLiteral highName = "pad_high";
    SmallVector<int64_t> most = getNumbers(op, highName);
    for (Operation *other : ops) {
      for (NamedAttribute attribute : op->getAttrDictionary())
        if (attribute.getName() != highName &&
            other->getAttr(attribute.getName()) != attribute.getValue())
          return refuse(op,
                        "'" + op->getName().getStringRef() + "' has another attribute '" +
                            attribute.getName().getValue() + "'",
                        "a range in steps of the stride (--dim=NAME=MIN..MAX/STEP), or ");
      for (auto [own, pad] : llvm::zip(most, getNumbers(other, highName)))
        own = std::max(own, pad);
    }
    for (size_t i = 0; i < ops.size(); ++i)
      for (auto [d, pad] : llvm::enumerate(getNumbers(ops[i], highName)))
        if (countWindows(ops, i, d, most[d]) != countWindows(ops, i, d, pad))
          return refuse(op, "'" + op->getName().getStringRef() + "' has another attribute '" +
                                highName + "'");
    op->setAttr(highName, DenseI64ArrayAttr::get(op->getContext(), most));
    return success();
  }

  /// Padding that follows from sizes stands beside what is padded.
  LogicalResult settlePads(ArrayRef<Operation *> ops) {
    auto pad = cast<graph::PadOp>(ops.front());
    SmallVector<int64_t> left[] = {getNumbers(pad, "low"), getNumbers(pad, "high")};
    for (size_t side : {0, 1})
      for (size_t d = 0; d < left[side].size(); ++d) {
        SmallVector<int64_t> values;
        for (Operation *op : ops) {
          if (cast<graph::PadOp>(op).getValue() != pad.getValue())
            return refuse(pad, "'tgraph.pad' has another attribute 'value'");
          values.push_back(getNumbers(op, side == 0 ? "low" : "high")[d]);
        }
        if (llvm::all_equal(values))
          continue;
        std::optional<graph::Dim> size = solve(values);
        if (!size)
          return refuse(pad, "the padding of dimension " + Twine(d) +
                                 " is no sum of multiples of them, nor a quotient");
        sides[pad].push_back({int64_t(d), side == 1, *size});
        left[side][d] = 0;
      }
    pad.setLow(left[0]);
    pad.setHigh(left[1]);
    return success();
  }

  /// pad %x low [P] high [1] -> concat (expand value), (pad %x low [0] high [1])
  void concatPads(graph::PadOp pad) {
    auto it = sides.find(pad);
    graph::Shape shape = *graph::getShape(pad.getInput().getType());
    for (auto [d, low, high] : llvm::enumerate(pad.getLow(), pad.getHigh()))
      shape[d] = shape[d] + graph::Dim(low + high);
    Value result = pad.getInput();
    OpBuilder builder(pad->getContext());
    builder.setInsertionPointAfter(pad);
    Location loc = pad.getLoc();
    Type element = pad.getType().getElementType();
    if (it == sides.end()) {
      // Nothing at all sizes.
      if (shape == *graph::getShape(result.getType()))
        replacePad(pad, result);
      return;
    }
    if (shape != *graph::getShape(result.getType())) {
      pad.getResult().setType(graph::getTensorType(shape, element));
      result = pad.getResult();
    }
    SmallPtrSet<Operation *, 4> users(pad->user_begin(), pad->user_end());
    for (const PaddedSide &side : it->second) {
      graph::Shape own(shape);
      own[side.dim] = side.size;
      auto one = RankedTensorType::get(SmallVector<int64_t>(shape.size(), 1), element);
      Value fill =
          graph::ConstantOp::create(builder, loc, one, DenseElementsAttr::get(one, pad.getValue()));
      RankedTensorType type = graph::getTensorType(own, element);
      if (type != one)
        fill = graph::ExpandOp::create(builder, loc, type, fill);
      shape[side.dim] = shape[side.dim] + side.size;
      SmallVector<Value, 2> parts{result, fill};
      if (!side.isHigh)
        std::swap(parts[0], parts[1]);
      result = graph::ConcatOp::create(builder, loc, graph::getTensorType(shape, element), parts,
                                       uint64_t(side.dim));
    }
    numbers[result] = numbers.at(pad.getResult());
    pad.getResult().replaceUsesWithIf(
        result, [&](OpOperand &use) { return users.contains(use.getOwner()); });
    if (pad->use_empty())
      pad->erase();
  }

  void replacePad(graph::PadOp pad, Value with) {
    // Values that correspond to the pad's do so to what takes its place.
    unsigned own = numbers.at(pad.getResult());
    for (size_t i = 1; i < values.size(); ++i)
      if (Value other = values[i].lookup(own))
        expanded[other].push_back(with);
    pad.getResult().replaceAllUsesWith(with);
    pad->erase();
  }

  /// A loop runs as often as the symbols say.
  LogicalResult setCount(ArrayRef<Operation *> ops) {
    auto loop = cast<graph::ForOp>(ops.front());
    SmallVector<int64_t> counts;
    for (Operation *op : ops) {
      auto other = cast<graph::ForOp>(op);
      if (!other.getKnownIterations() || other.getReverse() != loop.getReverse())
        return refuse(loop, "a loop counts in another way");
      counts.push_back(*other.getKnownIterations());
    }
    std::optional<graph::Dim> count = solve(counts);
    if (!count)
      return refuse(loop, "the number of iterations is no sum of multiples of them");
    loop.setCountAttr(graph::DimsAttr::get(loop.getContext(), ArrayRef<Dim>(*count)));
    return success();
  }

  /// A size that a program asks for by its number.
  LogicalResult setSize(ArrayRef<Operation *> ops) {
    auto size = cast<graph::SizeOp>(ops.front());
    SmallVector<int64_t> values;
    for (Operation *op : ops) {
      graph::Dim own = cast<graph::SizeOp>(op).getSize().getShape().front();
      if (!own.isStatic())
        return refuse(size, "a size follows from others in another way");
      values.push_back(own.getConstant());
    }
    std::optional<graph::Dim> dim = SizeSolver::solveNumber(values);
    if (!dim)
      return refuse(size, "a size is no sum of multiples of them, nor a quotient");
    size.setSizeAttr(graph::DimsAttr::get(size.getContext(), ArrayRef<graph::Dim>(*dim)));
    return success();
  }

  /// A part that is replaced begins where the symbols say.
  LogicalResult setOffsets(ArrayRef<Operation *> ops) {
    auto update = cast<graph::UpdateSliceOp>(ops.front());
    graph::Shape offsets;
    for (int64_t d = 0; d < update.getOffsets().getRank(); ++d) {
      SmallVector<int64_t> values;
      for (Operation *op : ops) {
        auto other = cast<graph::UpdateSliceOp>(op);
        const graph::Dim own = other.getOffsets().getShape()[d];
        if (!own.isStatic() || other.getAlong() != update.getAlong())
          return refuse(update, "another part is replaced");
        values.push_back(own.getConstant());
      }
      std::optional<graph::Dim> offset = solve(values);
      if (!offset)
        return refuse(update, "a part that is replaced begins at no sum of multiples of them");
      offsets.push_back(*offset);
    }
    update.setOffsetsAttr(graph::DimsAttr::get(update.getContext(), offsets));
    return success();
  }

  /// All elements of a dimension are sorted, however many there are, and the first ones taken.
  LogicalResult sortWhole(ArrayRef<Operation *> ops) {
    auto sort = cast<graph::ArgSortOp>(ops.front());
    bool isWhole = true, isAlike = true;
    SmallVector<int64_t> firsts;
    for (auto [i, op] : llvm::enumerate(ops)) {
      auto other = cast<graph::ArgSortOp>(op);
      // That of the first sample is not a number any more.
      graph::Dim size = (*graph::getShape(other.getInput().getType()))[other.getDim()];
      isAlike &= other.getDim() == sort.getDim() && other.getDescending() == sort.getDescending();
      firsts.push_back(int64_t(other.getFirst()));
      isWhole &= isAlike && evaluate(size, sizes[i]) == firsts.back();
    }
    if (!isAlike || (!isWhole && !solve(firsts)))
      return refuse(sort, "a sort asks for another number of the first elements along dimension " +
                              Twine(sort.getDim()));
    if (!isWhole)
      parts[sort].push_back({int64_t(sort.getDim()), 1, graph::Dim(0)});
    sort.setFirst(uint64_t(graph::SliceOp::whole));
    return success();
  }

  static bool takesSeveral(Operation *slice, size_t d) {
    int64_t size = cast<graph::SliceOp>(slice).getSizes()[d];
    return size != 0 && size != 1;
  }

  /// That of a slice of several elements, if there is one; of others any is right.
  static int64_t getStride(ArrayRef<Operation *> ops, size_t d) {
    auto *op = llvm::find_if(ops, [&](Operation *each) { return takesSeveral(each, d); });
    return cast<graph::SliceOp>(op == ops.end() ? ops.front() : *op).getStrides()[d];
  }

  /// Slices of dimensions that have as many elements as the symbols say take all of them, or a
  /// part, which is gathered then.
  LogicalResult generalizeSlice(ArrayRef<Operation *> ops) {
    auto slice = cast<graph::SliceOp>(ops.front());
    SmallVector<int64_t> offsets(slice.getOffsets()), taken(slice.getSizes()),
        strides(slice.getStrides());
    for (size_t d = 0; d < taken.size(); ++d) {
      SmallVector<int64_t> begins, lengths;
      strides[d] = getStride(ops, d);
      bool differs = false, isWhole = true;
      for (Operation *each : ops) {
        auto other = cast<graph::SliceOp>(each);
        if (other.getStrides()[d] != strides[d] && takesSeveral(each, d))
          return refuse(slice, "a slice takes another part of dimension " + Twine(d));
        // That of the first sample is not a number any more.
        int64_t whole =
            each == ops.front()
                ? evaluate(graph::getShape(other.getInput().getType())->data()[d], sizes[0])
                      .value_or(-1)
                : other.getInput().getType().getDimSize(d);
        begins.push_back(other.getOffsets()[d]);
        lengths.push_back(other.getSizes()[d]);
        differs |= begins.back() != offsets[d] || lengths.back() != taken[d];
        isWhole &= begins.back() == 0 && strides[d] == 1 && lengths.back() == whole;
      }
      if (!differs)
        continue;
      if (!isWhole) {
        std::optional<graph::Dim> begin = solve(begins);
        // None, which may stand anywhere, begin where all others do.
        auto *some = llvm::find_if(lengths, [](int64_t length) { return length != 0; });
        int64_t place = some == lengths.end() ? 0 : begins[size_t(some - lengths.begin())];
        if (!begin && llvm::all_of(llvm::zip(begins, lengths), [&](auto each) {
              return std::get<0>(each) == place || std::get<1>(each) == 0;
            }))
          begin = graph::Dim(place);
        if (!begin)
          begin = findKnownOfSome(begins, lengths);
        if (!begin || !solve(lengths))
          return refuse(slice, "a slice takes another part of dimension " + Twine(d));
        parts[slice].push_back({int64_t(d), strides[d], *begin});
      }
      offsets[d] = 0;
      strides[d] = 1;
      taken[d] = graph::SliceOp::whole;
    }
    slice.setOffsets(offsets);
    slice.setSizes(taken);
    slice.setStrides(strides);
    return success();
  }

  void gatherParts(Operation *op) {
    auto it = parts.find(op);
    if (it == parts.end())
      return;
    SmallPtrSet<Operation *, 4> users(op->user_begin(), op->user_end());
    Value result = onnx::gatherParts(op, it->second);
    numbers[result] = numbers.at(op->getResult(0));
    op->getResult(0).replaceUsesWithIf(
        result, [&](OpOperand &use) { return users.contains(use.getOwner()); });
  }

  /// The numbers that constants of one value each hold; none if some hold more.
  static std::optional<SmallVector<APFloat>> getNumbers(ArrayRef<DenseElementsAttr> constants) {
    SmallVector<APFloat> numbers;
    for (DenseElementsAttr constant : constants) {
      if (!constant || !constant.isSplat())
        return std::nullopt;
      if (isa<FloatType>(constant.getElementType())) {
        numbers.push_back(constant.getSplatValue<APFloat>());
        continue;
      }
      APFloat number(APFloat::IEEEquad());
      number.convertFromAPInt(constant.getSplatValue<APInt>(),
                              !constant.getElementType().isUnsignedInteger(),
                              APFloat::rmNearestTiesToEven);
      numbers.push_back(number);
    }
    return numbers;
  }

  /// The size that numbers are at the samples, or one over it; nothing if they are neither.
  std::optional<std::pair<graph::Dim, bool>> solveNumber(ArrayRef<APFloat> numbers) {
    for (bool isReciprocal : {false, true}) {
      SmallVector<int64_t> values;
      for (APFloat number : numbers) {
        const llvm::fltSemantics &semantics = number.getSemantics();
        if (isReciprocal && number.isZero())
          return std::nullopt;
        APFloat size = isReciprocal ? APFloat::getOne(semantics) / number : number;
        llvm::APSInt value(64, /*isUnsigned=*/false);
        bool isExact = false;
        size.convertToInteger(value, APFloat::rmNearestTiesToEven, &isExact);
        APFloat back(semantics);
        back.convertFromAPInt(value, /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
        if (isReciprocal ? APFloat::getOne(semantics) / back != number : !isExact)
          break;
        values.push_back(value.getSExtValue());
      }
      if (values.size() != numbers.size())
        continue;
      if (std::optional<graph::Dim> size = SizeSolver::solveNumber(values))
        return std::pair(*size, isReciprocal);
    }
    return std::nullopt;
  }

  /// A vector of a few numbers, as a shape is, one by one; null if one of them is no size.
  Value makeElements(OpBuilder &builder, Location loc, RankedTensorType type,
                     ArrayRef<DenseElementsAttr> values) {
    constexpr int64_t kMost = 32;
    if (type.getRank() != 1 || type.getNumElements() > kMost || llvm::is_contained(values, nullptr))
      return {};
    auto one = RankedTensorType::get({1}, type.getElementType());
    SmallVector<Value> parts;
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      auto elements = llvm::map_to_vector(values, [&](DenseElementsAttr value) {
        return DenseElementsAttr::get(one, value.getValues<mlir::Attribute>()[size_t(i)]);
      });
      if (llvm::all_equal(elements)) {
        parts.push_back(graph::ConstantOp::create(builder, loc, one, elements.front()));
        continue;
      }
      std::optional<SmallVector<APFloat>> all = getNumbers(elements);
      auto found = all ? solveNumber(*all) : std::nullopt;
      if (!found)
        return {};
      Value number =
          makeSizeNumber(builder, loc, found->first, found->second, type.getElementType());
      parts.push_back(graph::ReshapeOp::create(builder, loc, one, number));
    }
    return graph::ConcatOp::create(builder, loc, type, parts, uint64_t(0));
  }

  /// A constant of one value or of positions is as long as the symbols say, and its value may be
  /// what they come to.
  LogicalResult makeConstant(graph::ConstantOp constant, ArrayRef<Operation *> ops) {
    auto type = cast<RankedTensorType>(constant.getType());
    auto valueOf = [&](size_t i) { return cast<graph::ConstantOp>(ops[i]).getValue(); };
    bool areEqual = true;
    for (size_t i = 0; i < ops.size(); ++i)
      areEqual &= valueOf(i) == constant.getValue();
    if (areEqual && type.hasStaticShape())
      return success();
    OpBuilder builder(constant);
    auto replace = [&](Value value) {
      numbers[value] = numbers.at(constant.getResult());
      constant.replaceAllUsesWith(value);
      constant.erase();
      return success();
    };
    SmallVector<DenseElementsAttr> values;
    for (size_t i = 0; i < ops.size(); ++i)
      values.push_back(dyn_cast<DenseElementsAttr>(valueOf(i)));
    if (std::optional<SmallVector<APFloat>> all = getNumbers(values)) {
      auto one =
          RankedTensorType::get(SmallVector<int64_t>(type.getRank(), 1), type.getElementType());
      Value small;
      if (llvm::all_of(values, [&](DenseElementsAttr value) {
            return value.getSplatValue<mlir::Attribute>() ==
                   values[0].getSplatValue<mlir::Attribute>();
          })) {
        small = graph::ConstantOp::create(
            builder, constant.getLoc(), one,
            DenseElementsAttr::get(one, values[0].getSplatValue<mlir::Attribute>()));
      } else if (auto found = solveNumber(*all)) {
        small = makeSizeNumber(builder, constant.getLoc(), found->first, found->second,
                               type.getElementType());
        if (type.getRank() != 0)
          small = graph::ReshapeOp::create(builder, constant.getLoc(), one, small);
      } else {
        return refuse(constant, "a constant has another value, which is no size nor one over it");
      }
      return replace(
          small.getType() == type
              ? small
              : graph::ExpandOp::create(builder, constant.getLoc(), type, small).getResult());
    }
    if (type.hasStaticShape()) {
      Value elements = makeElements(builder, constant.getLoc(), type, values);
      return elements ? replace(elements)
                      : refuse(constant, "a constant has another value, of which an element is no "
                                         "size nor one over it");
    }
    for (size_t i = 0; i < ops.size(); ++i) {
      auto value = dyn_cast<DenseIntElementsAttr>(valueOf(i));
      bool counts = value && type.getRank() == 1 && type.getElementType().isInteger(64);
      for (auto [position, element] : llvm::enumerate(
               counts ? SmallVector<APInt>(value.getValues<APInt>()) : SmallVector<APInt>()))
        counts &= element.getSExtValue() == int64_t(position);
      if (!counts)
        return refuse(constant, "a constant is longer, whose values are neither one number nor 0, "
                                "1, 2 ..");
    }
    return replace(graph::IotaOp::create(builder, constant.getLoc(), type, /*dim=*/0));
  }

  /// Calls settle symbols by the dimensions of arguments, and what follows from these.
  LogicalResult checkSettled(Block &body, Location loc) {
    SmallVector<graph::Dim> sizes;
    for (BlockArgument argument : body.getArguments())
      llvm::append_range(sizes, *graph::getShape(argument.getType()));
    body.walk([&](graph::PrefixOp prefix) {
      llvm::append_range(sizes, *graph::getShape(prefix.getType()));
    });
    llvm::SmallPtrSet<StringAttr, 4> settled;
    findSolutions(sizes, settled);
    for (const graph::Dim &dim : sizes)
      for (auto [name, factor] : dim.getTerms())
        for (StringAttr symbol : getBases(name))
          if (!settled.contains(symbol))
            return emitError(loc, Code::T0118)
                   << "expected an input with a dimension of size '" << symbol.getValue()
                   << "', or of one that it follows from, from which calls could tell it, found '"
                   << toString(dim)
                   << "' alone: give it one size (--symbol=NAME=SIZE), or call the whole dimension "
                      "a name";
    return success();
  }

  void declare(func::FuncOp function) {
    SmallVector<NamedAttribute> declared;
    for (auto [symbol, range] : llvm::zip(symbols, ranges))
      declared.emplace_back(
          symbol, graph::SymbolAttr::get(function.getContext(), range.min, range.max, range.step));
    function->setAttr("tgraph.symbols", DictionaryAttr::get(function.getContext(), declared));
  }

  LogicalResult finish(func::FuncOp function) {
    Block &body = function.getBody().front();
    if (failed(checkSettled(body, function.getLoc())))
      return failure();
    function.setFunctionType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                               body.getTerminator()->getOperandTypes()));
    NamedAttrList typical;
    for (auto [symbol, range] : llvm::zip(symbols, ranges))
      if (range.typical >= 0)
        typical.set(symbol, Builder(function.getContext()).getI64IntegerAttr(range.typical));
    if (!typical.empty())
      function->setAttr("tgraph.typical", typical.getDictionary(function.getContext()));
    return verify(function->getParentOp());
  }
};

} // namespace

LogicalResult onnx::generalize(MutableArrayRef<OwningOpRef<ModuleOp>> samples,
                               ArrayRef<std::vector<int64_t>> sizes, ArrayRef<std::string> names,
                               ArrayRef<SizeRange> ranges, size_t given, size_t paired,
                               const KnownSizes &known) {
  Generalizer generalizer(samples, sizes, names, ranges, given, paired);
  generalizer.setKnown(known);
  return generalizer.run();
}
