// A model for ranges of sizes, from what it is at some of them.
//
// Importing is done by rules over sizes that are numbers. A model whose symbols have ranges is
// imported at several sizes, and the programs are compared op by op: what differs has to be the
// sizes of dimensions, each the same affine function of the symbols in all of them. The program of
// those functions is verified as any other one, so each op's shapes follow from its operands' for
// all values; where the importer would make another program for other sizes, they differ in more,
// and the model is refused.
#include "Generalize.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace tw;
using namespace tw::onnx;

std::vector<std::vector<int64_t>> onnx::chooseSizes(ArrayRef<SizeRange> ranges) {
  // Not 0 and 1, of which operators make other programs that are the same.
  auto least = [](const SizeRange &range) {
    return std::min(std::max<int64_t>(range.min, 2), range.max);
  };
  auto between = [&](const SizeRange &range, int64_t part) {
    return least(range) + (range.max - least(range)) * part / 16;
  };
  std::vector<std::vector<int64_t>> all;
  auto add = [&](auto sizeOf) {
    std::vector<int64_t> &sizes = all.emplace_back();
    for (size_t i = 0; i < ranges.size(); ++i)
      sizes.push_back(sizeOf(i));
  };
  add([&](size_t i) { return ranges[i].max; });
  for (size_t changed = 0; changed < ranges.size(); ++changed)
    add([&](size_t i) { return i == changed ? least(ranges[i]) : ranges[i].max; });
  // To check: the least ones, some that differ from one another, and all at other places.
  add([&](size_t i) { return least(ranges[i]); });
  for (int64_t round : {5, 7, 11, 14})
    add([&](size_t i) { return between(ranges[i], (round + 3 * int64_t(i)) % 17 % 16); });
  return all;
}

namespace {

class Generalizer {
public:
  Generalizer(MutableArrayRef<OwningOpRef<ModuleOp>> samples, ArrayRef<std::vector<int64_t>> sizes,
              ArrayRef<std::string> names, ArrayRef<SizeRange> ranges)
      : sizes(sizes), ranges(ranges) {
    MLIRContext *context = samples.front()->getContext();
    for (const std::string &name : names)
      symbols.push_back(StringAttr::get(context, name));
    for (auto &sample : samples)
      functions.push_back(sample->lookupSymbol<func::FuncOp>("main"));
  }

  LogicalResult run() {
    SmallVector<Block *> blocks;
    for (func::FuncOp each : functions)
      blocks.push_back(&each.getBody().front());
    if (failed(generalizeBlocks(functions.front(), blocks)))
      return failure();
    return finish(functions.front());
  }

private:
  ArrayRef<std::vector<int64_t>> sizes;
  ArrayRef<SizeRange> ranges;
  SmallVector<StringAttr> symbols;
  SmallVector<func::FuncOp> functions;
  /// Of values, the same ones for values that correspond.
  llvm::DenseMap<Value, unsigned> numbers;
  unsigned next = 0;

  LogicalResult refuse(Operation *op, const Twine &what) {
    return emitError(op->getLoc(), Code::T0118)
           << "at other sizes of the ranges that --dim gives " << what.str()
           << ": give such symbols one size (--symbol=NAME=SIZE)";
  }

  /// The affine function of the symbols that has these values at the samples.
  std::optional<graph::Dim> solve(ArrayRef<int64_t> values) {
    graph::Dim dim(values[0]);
    for (size_t i = 0; i < symbols.size(); ++i) {
      int64_t moved = sizes[1 + i][i] - sizes[0][i], change = values[1 + i] - values[0];
      if (moved == 0 ? change != 0 : change % moved != 0)
        return std::nullopt;
      int64_t factor = moved == 0 ? 0 : change / moved;
      dim = dim + graph::Dim::symbol(symbols[i], factor) - graph::Dim(factor * sizes[0][i]);
    }
    for (auto [value, sample] : llvm::zip(values, sizes)) {
      auto found = dim.evaluate([&](StringAttr name) {
        return std::optional(sample[llvm::find(symbols, name) - symbols.begin()]);
      });
      if (found != value)
        return std::nullopt;
    }
    return dim;
  }

  /// Gives the value of the first sample the type of all.
  LogicalResult setType(Operation *op, Value value, llvm::function_ref<Value(size_t)> at) {
    auto first = cast<RankedTensorType>(value.getType());
    graph::Shape shape;
    for (int64_t d = 0; d < first.getRank(); ++d) {
      SmallVector<int64_t> values;
      for (size_t i = 0; i < functions.size(); ++i) {
        auto type = i == 0 ? first : cast<RankedTensorType>(at(i).getType());
        if (type.getRank() != first.getRank() || type.getElementType() != first.getElementType())
          return refuse(op, "a result is " + debugString(type) + ", not " + debugString(first));
        values.push_back(type.getDimSize(d));
      }
      std::optional<graph::Dim> dim = solve(values);
      if (!dim)
        return refuse(op, "dimension " + Twine(d) + " of " + debugString(first) +
                              " is no sum of multiples of them");
      shape.push_back(*dim);
    }
    value.setType(graph::getTensorType(shape, first.getElementType()));
    return success();
  }

  static std::string debugString(Type type) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << type;
    return text;
  }

  /// Blocks that correspond, those of the functions or of regions of the op.
  LogicalResult generalizeBlocks(Operation *op, ArrayRef<Block *> blocks) {
    SmallVector<Block::iterator> places;
    for (Block *block : blocks) {
      if (block->getNumArguments() != blocks.front()->getNumArguments())
        return refuse(op, "a region takes other values");
      for (BlockArgument argument : block->getArguments())
        numbers[argument] = next + argument.getArgNumber();
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
      for (auto [place, block] : llvm::zip(places, blocks)) {
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
        if (numbers.at(a) != numbers.at(b))
          return refuse(op, "'" + op->getName().getStringRef() + "' takes other values");
    }
    if (failed(compareAttributes(ops)) || failed(generalizeRegions(ops)))
      return failure();
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      for (Operation *other : ops)
        numbers[other->getResult(i)] = next;
      ++next;
      if (failed(setType(op, result, [&, i = i](size_t k) { return ops[k]->getResult(i); })))
        return failure();
    }
    if (auto constant = dyn_cast<graph::ConstantOp>(op))
      return makeConstant(constant, ops);
    return success();
  }

  LogicalResult compareAttributes(ArrayRef<Operation *> ops) {
    Operation *op = ops.front();
    if (isa<graph::ConstantOp>(op))
      return success();
    for (NamedAttribute attribute : op->getAttrDictionary())
      for (Operation *other : ops)
        if (other->getAttr(attribute.getName()) != attribute.getValue()) {
          auto slice = dyn_cast<graph::SliceOp>(op);
          if (slice && attribute.getName() == slice.getSizesAttrName())
            return takeWhole(ops);
          if (isa<graph::ForOp>(op))
            return setCount(ops);
          return refuse(op, "'" + op->getName().getStringRef() + "' has another attribute '" +
                                attribute.getName().getValue() + "'");
        }
    return success();
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

  /// Slices of dimensions that have as many elements as the symbols say take all of them.
  LogicalResult takeWhole(ArrayRef<Operation *> ops) {
    auto slice = cast<graph::SliceOp>(ops.front());
    SmallVector<int64_t> taken(slice.getSizes());
    for (size_t d = 0; d < taken.size(); ++d) {
      bool differs = false, isWhole = true;
      for (Operation *each : ops) {
        auto other = cast<graph::SliceOp>(each);
        // That of the first sample is not a number any more.
        int64_t whole =
            each == ops.front()
                ? graph::getShape(other.getInput().getType())
                      ->data()[d]
                      .evaluate([&](StringAttr name) {
                        return std::optional(sizes[0][llvm::find(symbols, name) - symbols.begin()]);
                      })
                      .value_or(-1)
                : other.getInput().getType().getDimSize(d);
        differs |= other.getSizes()[d] != slice.getSizes()[d];
        isWhole &= other.getOffsets()[d] == 0 && other.getStrides()[d] == 1 &&
                   other.getSizes()[d] == whole;
      }
      if (!differs)
        continue;
      if (!isWhole)
        return refuse(slice, "a slice takes another part of dimension " + Twine(d));
      taken[d] = graph::SliceOp::whole;
    }
    slice.setSizes(taken);
    return success();
  }

  /// A constant of one value, or of positions, is as long as the symbols say.
  LogicalResult makeConstant(graph::ConstantOp constant, ArrayRef<Operation *> ops) {
    auto type = cast<RankedTensorType>(constant.getType());
    auto valueOf = [&](size_t i) { return cast<graph::ConstantOp>(ops[i]).getValue(); };
    if (type.hasStaticShape()) {
      for (size_t i = 0; i < ops.size(); ++i)
        if (valueOf(i) != constant.getValue())
          return refuse(constant, "a constant has another value");
      return success();
    }
    OpBuilder builder(constant);
    auto first = dyn_cast<DenseElementsAttr>(constant.getValue());
    auto replace = [&](Value value) {
      numbers[value] = numbers.at(constant.getResult());
      constant.replaceAllUsesWith(value);
      constant.erase();
      return success();
    };
    if (first && first.isSplat()) {
      for (size_t i = 0; i < ops.size(); ++i) {
        auto value = dyn_cast<DenseElementsAttr>(valueOf(i));
        if (!value || !value.isSplat() ||
            value.getSplatValue<Attribute>() != first.getSplatValue<Attribute>())
          return refuse(constant, "a constant has another value");
      }
      SmallVector<int64_t> ones(type.getRank(), 1);
      auto one = RankedTensorType::get(ones, type.getElementType());
      auto small =
          graph::ConstantOp::create(builder, constant.getLoc(), one,
                                    DenseElementsAttr::get(one, first.getSplatValue<Attribute>()));
      return replace(graph::ExpandOp::create(builder, constant.getLoc(), type, small));
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

  LogicalResult finish(func::FuncOp function) {
    Block &body = function.getBody().front();
    function.setFunctionType(FunctionType::get(function.getContext(), body.getArgumentTypes(),
                                               body.getTerminator()->getOperandTypes()));
    SmallVector<NamedAttribute> declared;
    for (auto [symbol, range] : llvm::zip(symbols, ranges))
      declared.emplace_back(
          symbol, graph::SymbolAttr::get(function.getContext(), range.min, range.max, range.step));
    function->setAttr("tgraph.symbols", DictionaryAttr::get(function.getContext(), declared));
    return verify(function->getParentOp());
  }
};

} // namespace

LogicalResult onnx::generalize(MutableArrayRef<OwningOpRef<ModuleOp>> samples,
                               ArrayRef<std::vector<int64_t>> sizes, ArrayRef<std::string> names,
                               ArrayRef<SizeRange> ranges) {
  return Generalizer(samples, sizes, names, ranges).run();
}
