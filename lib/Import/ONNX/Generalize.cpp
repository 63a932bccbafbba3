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

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include <numeric>

using namespace mlir;
using namespace tw;
using namespace tw::onnx;

std::vector<std::vector<int64_t>> onnx::chooseSizes(ArrayRef<SizeRange> ranges) {
  // Neither 0 nor 1, of which operators make other programs that are the same.
  auto least = [](const SizeRange &range) {
    int64_t size = std::max(range.min, range.step == 1 ? 2 : range.step);
    return range.min == range.max ? range.max : size;
  };
  // Where there would be no other one, one beyond the range.
  auto most = [&](const SizeRange &range) {
    return range.min == range.max ? range.max : std::max(range.max, least(range) + range.step);
  };
  // Neighbours in some order, of all remainders by eight and less: what a program does with odd
  // sizes, or with what is left of a part, is not what it does with others.
  constexpr int64_t kNeighbours = 8;
  auto beside = [&](const SizeRange &range, int64_t place) {
    int64_t steps = (most(range) - least(range)) / range.step;
    int64_t first = std::max<int64_t>(0, std::min(steps * 5 / 16, steps - (kNeighbours - 1)));
    return least(range) + (first + place % kNeighbours) % (steps + 1) * range.step;
  };
  std::vector<std::vector<int64_t>> all;
  auto add = [&](auto sizeOf) {
    std::vector<int64_t> &sizes = all.emplace_back();
    for (size_t i = 0; i < ranges.size(); ++i)
      sizes.push_back(sizeOf(i));
  };
  add([&](size_t i) { return most(ranges[i]); });
  for (size_t changed = 0; changed < ranges.size(); ++changed)
    add([&](size_t i) { return i == changed ? least(ranges[i]) : most(ranges[i]); });
  // Pairs, for products of symbols.
  for (size_t first = 0; first < ranges.size(); ++first)
    for (size_t second = first + 1; second < ranges.size(); ++second)
      add([&](size_t i) { return i == first || i == second ? least(ranges[i]) : most(ranges[i]); });
  // To check: the least ones, neighbours, which come in another order for each symbol, and some
  // that are far from all.
  add([&](size_t i) { return least(ranges[i]); });
  for (int64_t round = 0; round < kNeighbours; ++round)
    add([&](size_t i) { return beside(ranges[i], (2 * int64_t(i) + 1) * round + int64_t(i)); });
  for (int64_t part : {11, 14})
    add([&](size_t i) {
      int64_t steps = (most(ranges[i]) - least(ranges[i])) / ranges[i].step;
      return least(ranges[i]) + steps * ((part + 3 * int64_t(i)) % 16) / 16 * ranges[i].step;
    });
  return all;
}

namespace {

class Generalizer {
public:
  Generalizer(MutableArrayRef<OwningOpRef<ModuleOp>> samples, ArrayRef<std::vector<int64_t>> sizes,
              ArrayRef<std::string> names, ArrayRef<SizeRange> ranges, size_t given)
      : sizes(sizes), ranges(ranges), given(given) {
    MLIRContext *context = samples.front()->getContext();
    for (const std::string &name : names)
      symbols.push_back(StringAttr::get(context, name));
    quotients.resize(symbols.size());
    for (auto &sample : samples)
      functions.push_back(sample->lookupSymbol<func::FuncOp>("main"));
  }

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
  ArrayRef<std::vector<int64_t>> sizes;
  ArrayRef<SizeRange> ranges;
  /// As many symbols are those of calls; data decide on the others.
  size_t given;
  SmallVector<StringAttr> symbols;
  /// Of each symbol the quotients that sizes have been.
  SmallVector<SmallVector<graph::Dim, 1>> quotients;
  SmallVector<func::FuncOp> functions;
  /// Of values, the same ones for values that correspond.
  llvm::DenseMap<Value, unsigned> numbers;
  unsigned next = 0;
  /// What is taken along a dimension of which the symbols say where it begins and how long it is.
  struct Part {
    int64_t dim, stride;
    graph::Dim offset;
  };
  /// What slices take of dimensions, of which they are given the whole.
  llvm::DenseMap<Operation *, SmallVector<Part, 1>> parts;

  /// `remedy`: what else than one size may be given.
  LogicalResult refuse(Operation *op, const Twine &what, StringRef remedy = "") {
    if (given < symbols.size())
      return emitError(op->getLoc(), Code::T0118)
             << "where data decide on '" << symbols[given].getValue() << "', " << what.str()
             << " at other sizes: make the operators before it the model's last ones";
    return emitError(op->getLoc(), Code::T0118)
           << "at other sizes of the ranges that --dim gives " << what.str()
           << ": give such symbols " << remedy << "one size (--symbol=NAME=SIZE)";
  }

  /// What sizes are multiples of: of each symbol itself, or a quotient of it.
  struct Variables {
    SmallVector<graph::Dim> dims;
    /// Their values at the samples.
    std::vector<std::vector<int64_t>> sizes;
    SmallVector<int64_t> steps;
  };

  /// The sum of multiples of symbols, or of products of two, or of quotients that other sizes are,
  /// or a quotient of one that has these values at the samples.
  std::optional<graph::Dim> solve(ArrayRef<int64_t> values) {
    SmallVector<unsigned> choice(symbols.size(), 0);
    constexpr unsigned mostChoices = 256;
    for (unsigned i = 0; i < mostChoices; ++i) {
      Variables variables = getVariables(choice);
      if (std::optional<graph::Dim> dim = solveLinear(values, variables))
        return dim;
      if (std::optional<graph::Dim> dim = solveProducts(values, variables))
        return dim;
      // The next choice, as a number is counted up.
      size_t digit = 0;
      while (digit < choice.size() && ++choice[digit] > quotients[digit].size())
        choice[digit++] = 0;
      if (digit == choice.size())
        break;
    }
    if (std::optional<graph::Dim> dim = solveQuotient(values))
      return dim;
    return solveBesideQuotient(values);
  }

  /// A sum of multiples and a quotient that another size is, or less that, as what is left of a
  /// dimension behind its third: one quotient with all multiples of its symbol.
  std::optional<graph::Dim> solveBesideQuotient(ArrayRef<int64_t> values) {
    Variables variables = getVariables(SmallVector<unsigned>(symbols.size(), 0));
    for (auto [symbol, known] : llvm::zip(symbols, quotients))
      for (const graph::Dim &quotient : known)
        for (int64_t sign : {-1, 1}) {
          SmallVector<int64_t> rest;
          for (auto [value, sample] : llvm::zip(values, sizes))
            rest.push_back(value - sign * evaluate(quotient, sample).value_or(0));
          std::optional<graph::Dim> linear = solveLinear(rest, variables);
          if (!linear)
            continue;
          // k * S - N floordiv c -> (k * c * S - N + c - 1) floordiv c
          SizeQuotient parts = *getQuotient(quotient.getTerms().front().first);
          int64_t factor = 0;
          for (auto [name, each] : linear->getTerms())
            factor = name == symbol ? each : factor;
          graph::Dim own = graph::Dim::symbol(symbol, factor);
          graph::Dim numerator =
              own * parts.divisor + parts.numerator * sign + (sign < 0 ? parts.divisor - 1 : 0);
          return divideDown(numerator, parts.divisor) + (*linear - own);
        }
    return std::nullopt;
  }

  /// 0 chooses the symbol itself, others one of its quotients.
  Variables getVariables(ArrayRef<unsigned> choice) {
    Variables variables;
    variables.sizes.resize(sizes.size());
    for (auto [i, number] : llvm::enumerate(choice)) {
      variables.dims.push_back(number == 0 ? graph::Dim::symbol(symbols[i])
                                           : quotients[i][number - 1]);
      variables.steps.push_back(number == 0 ? ranges[i].step : 1);
      for (auto [own, sample] : llvm::zip(variables.sizes, sizes))
        own.push_back(evaluate(variables.dims.back(), sample).value_or(0));
    }
    return variables;
  }

  /// Quotients of one symbol are remembered: other sizes may be multiples of them.
  void noteQuotients(const graph::Dim &dim) {
    for (auto [name, factor] : dim.getTerms())
      for (StringAttr part : getFactors(name)) {
        std::optional<SizeQuotient> quotient = getQuotient(part);
        SmallVector<StringAttr, 2> bases = getBases(part);
        if (!quotient || quotient->isExact || bases.size() != 1)
          continue;
        auto &known = quotients[llvm::find(symbols, bases.front()) - symbols.begin()];
        if (!llvm::is_contained(known, graph::Dim::symbol(part)))
          known.push_back(graph::Dim::symbol(part));
      }
  }

  /// A symbol over a number, rounded down or up, and a number beside it; nothing where samples do
  /// not tell which.
  std::optional<graph::Dim> solveQuotient(ArrayRef<int64_t> values) {
    constexpr int64_t mostDivisor = 64;
    std::optional<graph::Dim> found;
    for (StringAttr symbol : symbols)
      for (int64_t divisor = 2; divisor <= mostDivisor; ++divisor)
        for (int64_t more : {int64_t(0), divisor - 1}) {
          graph::Dim dim = divideDown(graph::Dim::symbol(symbol) + more, divisor);
          dim = dim + graph::Dim(values[0] - evaluate(dim, sizes[0]).value_or(0));
          if (!hasValues(dim, values))
            continue;
          if (found)
            return std::nullopt;
          found = dim;
        }
    if (found)
      noteQuotients(*found);
    return found;
  }

  bool hasValues(const graph::Dim &dim, ArrayRef<int64_t> values) {
    return llvm::all_of(llvm::zip(values, sizes), [&](auto each) {
      return evaluate(dim, std::get<1>(each)) == std::get<0>(each);
    });
  }

  std::optional<graph::Dim> solveProducts(ArrayRef<int64_t> values, const Variables &variables) {
    if (symbols.size() < 2)
      return std::nullopt;
    const auto &own = variables.sizes;
    // What two symbols change together beyond what each of them does.
    graph::Dim products(0);
    size_t pair = 1 + symbols.size();
    for (size_t i = 0; i < symbols.size(); ++i)
      for (size_t j = i + 1; j < symbols.size(); ++j, ++pair) {
        int64_t moved = (own[pair][i] - own[0][i]) * (own[pair][j] - own[0][j]);
        int64_t change = values[pair] - values[1 + i] - values[1 + j] + values[0];
        if (moved == 0 && change != 0)
          return std::nullopt;
        if (std::optional<int64_t> divisor =
                findDivisor(moved, change, variables.steps[i] * variables.steps[j]);
            divisor && moved != 0)
          products = products + *divideExactly(multiply(variables.dims[i], variables.dims[j]) *
                                                   (change * *divisor / moved),
                                               *divisor);
        else if (moved != 0)
          return std::nullopt;
      }
    SmallVector<int64_t> rest(values);
    for (auto [value, sample] : llvm::zip(rest, sizes)) {
      std::optional<int64_t> product = evaluate(products, sample);
      if (!product)
        return std::nullopt;
      value -= *product;
    }
    std::optional<graph::Dim> linear = solveLinear(rest, variables);
    return linear ? std::optional(*linear + products) : std::nullopt;
  }

  /// The denominator of change / moved, if what moves is a multiple of it.
  static std::optional<int64_t> findDivisor(int64_t moved, int64_t change, int64_t step) {
    int64_t divisor = moved == 0 ? 1 : std::abs(moved) / std::gcd(moved, change);
    return step % divisor == 0 ? std::optional(divisor) : std::nullopt;
  }

  std::optional<int64_t> evaluate(const graph::Dim &dim, ArrayRef<int64_t> sample) {
    return dim.evaluate([&](StringAttr name) -> std::optional<int64_t> {
      auto *it = llvm::find(symbols, name);
      return it == symbols.end() ? std::nullopt : std::optional(sample[it - symbols.begin()]);
    });
  }

  std::optional<graph::Dim> solveLinear(ArrayRef<int64_t> values, const Variables &variables) {
    const auto &own = variables.sizes;
    graph::Dim dim(values[0]);
    for (size_t i = 0; i < symbols.size(); ++i) {
      int64_t moved = own[0][i] - own[1 + i][i], change = values[0] - values[1 + i];
      std::optional<int64_t> divisor = findDivisor(moved, change, variables.steps[i]);
      if (!divisor || (moved == 0 && change != 0))
        return std::nullopt;
      if (moved == 0)
        continue;
      // Over what the symbol is a multiple of.
      int64_t factor = change * *divisor / moved;
      dim = dim + *divideExactly(variables.dims[i] * factor, *divisor) -
            graph::Dim(own[0][i] / *divisor * factor);
    }
    return hasValues(dim, values) ? std::optional(dim) : std::nullopt;
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
    auto first = cast<RankedTensorType>(value.getType());
    SmallVector<RankedTensorType> types{first};
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
      for (const graph::Dim &dim : inferred)
        noteQuotients(dim);
      return success();
    }
    graph::Shape shape;
    for (int64_t d = 0; d < first.getRank(); ++d) {
      SmallVector<int64_t> values =
          llvm::map_to_vector(types, [&](RankedTensorType type) { return type.getDimSize(d); });
      std::optional<graph::Dim> dim = solve(values);
      if (!dim)
        return refuse(op, "dimension " + Twine(d) + " of " + debugString(first) +
                              " is no sum of multiples of them, nor a quotient");
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
    if (auto slice = dyn_cast<graph::SliceOp>(op))
      gatherParts(slice);
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

  /// What is left of a dimension of the sample over the stride, behind its last window.
  int64_t getRest(ArrayRef<Operation *> ops, size_t sample, size_t dim) {
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
    int64_t span = size + getNumbers(op, "pad_low")[dim] + getNumbers(op, "pad_high")[dim] - extent;
    return span % getNumbers(op, "strides")[dim];
  }

  /// Windows that are rounded up, or as many as the input has elements over a stride, have what the
  /// last one lacks behind the end of the input. With as much of it as at most there are no more of
  /// them, where what is left behind the last one stays below a stride.
  LogicalResult widenPads(ArrayRef<Operation *> ops) {
    Operation *op = ops.front();
    constexpr StringLiteral highName = "pad_high";
    SmallVector<int64_t> most = getNumbers(op, highName), strides = getNumbers(op, "strides");
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
        if (most[d] != pad && getRest(ops, i, d) + most[d] - pad >= strides[d])
          return refuse(op, "'" + op->getName().getStringRef() + "' has another attribute '" +
                                highName + "'");
    op->setAttr(highName, DenseI64ArrayAttr::get(op->getContext(), most));
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
    std::optional<graph::Dim> dim = solve(values);
    if (!dim)
      return refuse(size, "a size is no sum of multiples of them, nor a quotient");
    size.setSizeAttr(graph::DimsAttr::get(size.getContext(), ArrayRef<graph::Dim>(*dim)));
    return success();
  }

  /// All elements of a dimension are sorted, however many there are.
  LogicalResult sortWhole(ArrayRef<Operation *> ops) {
    auto sort = cast<graph::ArgSortOp>(ops.front());
    for (auto [i, op] : llvm::enumerate(ops)) {
      auto other = cast<graph::ArgSortOp>(op);
      // That of the first sample is not a number any more.
      graph::Dim size = (*graph::getShape(other.getInput().getType()))[other.getDim()];
      if (other.getDim() != sort.getDim() || other.getDescending() != sort.getDescending() ||
          evaluate(size, sizes[i]) != int64_t(other.getFirst()))
        return refuse(sort,
                      "a sort asks for another number of the first elements along dimension " +
                          Twine(sort.getDim()));
    }
    sort.setFirst(uint64_t(graph::SliceOp::whole));
    return success();
  }

  /// Slices of dimensions that have as many elements as the symbols say take all of them, or a
  /// part, which is gathered then.
  LogicalResult generalizeSlice(ArrayRef<Operation *> ops) {
    auto slice = cast<graph::SliceOp>(ops.front());
    SmallVector<int64_t> offsets(slice.getOffsets()), taken(slice.getSizes()),
        strides(slice.getStrides());
    for (size_t d = 0; d < taken.size(); ++d) {
      SmallVector<int64_t> begins, lengths;
      bool differs = false, isWhole = true;
      for (Operation *each : ops) {
        auto other = cast<graph::SliceOp>(each);
        if (other.getStrides()[d] != strides[d])
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

  /// slice %x offsets [P, 0] sizes [S, -1] -> gather %x, iota + P
  void gatherParts(graph::SliceOp slice) {
    auto it = parts.find(slice);
    if (it == parts.end())
      return;
    Location loc = slice.getLoc();
    graph::Shape shape = *graph::getShape(slice.getType()), whole(shape);
    for (const Part &part : it->second)
      whole[part.dim] = graph::getShape(slice.getInput().getType())->data()[part.dim];
    slice.getResult().setType(graph::getTensorType(whole, slice.getType().getElementType()));
    OpBuilder builder(slice->getContext());
    builder.setInsertionPointAfter(slice);
    Value result = slice.getResult();
    Type element = builder.getI64Type();
    SmallPtrSet<Operation *, 4> users(slice->user_begin(), slice->user_end());
    for (const Part &part : it->second) {
      RankedTensorType type = graph::getTensorType({shape[part.dim]}, element);
      Value position = graph::IotaOp::create(builder, loc, type, /*dim=*/0);
      auto spread = [&](Value scalar) {
        auto one = RankedTensorType::get({1}, element);
        Value single = graph::ReshapeOp::create(builder, loc, one, scalar);
        return single.getType() == type
                   ? single
                   : graph::ExpandOp::create(builder, loc, type, single).getResult();
      };
      if (part.stride != 1)
        position = graph::MulOp::create(
            builder, loc, position, spread(makeNumber(builder, loc, part.stride, false, element)));
      position = graph::AddOp::create(
          builder, loc, position, spread(makeNumber(builder, loc, part.offset, false, element)));
      whole[part.dim] = shape[part.dim];
      result = graph::GatherOp::create(
          builder, loc, graph::getTensorType(whole, slice.getType().getElementType()), result,
          ValueRange(position), uint64_t(part.dim), 0);
    }
    numbers[result] = numbers.at(slice.getResult());
    slice.getResult().replaceUsesWithIf(
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
      if (std::optional<graph::Dim> size = solve(values))
        return std::pair(*size, isReciprocal);
    }
    return std::nullopt;
  }

  /// The number as a scalar of the type.
  static Value makeNumber(OpBuilder &builder, Location loc, const graph::Dim &size,
                          bool isReciprocal, Type element) {
    Value number = graph::SizeOp::create(
        builder, loc, RankedTensorType::get({}, element),
        graph::DimsAttr::get(builder.getContext(), ArrayRef<graph::Dim>(size)));
    return isReciprocal ? graph::ReciprocalOp::create(builder, loc, number).getResult() : number;
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
      Value number = makeNumber(builder, loc, found->first, found->second, type.getElementType());
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
        small = makeNumber(builder, constant.getLoc(), found->first, found->second,
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
                               ArrayRef<SizeRange> ranges, size_t given) {
  return Generalizer(samples, sizes, names, ranges, given).run();
}
