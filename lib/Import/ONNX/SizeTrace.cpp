// Runs ops on known values for many sizes at once.
#include "SizeTrace.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Interpreter/Interpreter.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

#include <cstring>
#include <set>

using namespace mlir;
using namespace tw;
using namespace tw::onnx;

/// So many sizes are followed, of one symbol and of several, and values of so many elements each
/// and at all sizes.
static constexpr int64_t kMostOfOne = 1 << 14, kMostProbes = 1 << 12;
static constexpr int64_t kMostElements = 4096, kMostAtAll = 1 << 22;
/// Of what is read so many elements are compared, those that change at all sizes.
static constexpr int64_t kMostRead = 1 << 20;
/// So many places are looked at where nobody knows.
static constexpr size_t kSome = 8;

static int64_t getCount(const SizeRange &range) { return (range.max - range.min) / range.step + 1; }

/// The first and the last ones of many, and some in between.
static int64_t placeOf(int64_t i, int64_t taken, int64_t count) {
  int64_t near = taken / 4;
  if (count <= taken || i < near)
    return i;
  return i >= taken - near ? count - (taken - i)
                           : near + (count - 2 * near) * (i - near) / (taken - 2 * near);
}

Probes onnx::chooseProbes(ArrayRef<SizeRange> ranges) {
  std::set<std::vector<int64_t>> seen;
  Probes all;
  auto add = [&](std::vector<int64_t> sizes) {
    if (seen.insert(sizes).second)
      all.sizes.push_back(std::move(sizes));
  };
  int64_t most = ranges.size() == 1 ? kMostOfOne : kMostProbes, combinations = 1;
  for (const SizeRange &range : ranges)
    combinations *= std::min(getCount(range), most / combinations + 1);
  all.areAll = combinations <= most;
  for (int64_t number = 0; all.areAll && number < combinations; ++number) {
    int64_t rest = number;
    std::vector<int64_t> sizes;
    for (const SizeRange &range : ranges) {
      sizes.push_back(range.min + rest % getCount(range) * range.step);
      rest /= getCount(range);
    }
    add(std::move(sizes));
  }
  if (all.areAll)
    return all;
  // A place of so many on the way through a range.
  auto sizeAt = [&](const SizeRange &range, int64_t place, int64_t of) {
    int64_t steps = getCount(range) - 1;
    return range.min + (of <= 1 ? steps : steps * place / (of - 1)) * range.step;
  };
  for (size_t moved = 0; moved < ranges.size(); ++moved)
    // Beside the most, the least and the middle of others, and where others are as large.
    for (int64_t side = 0; side < (ranges.size() == 1 ? 1 : 4); ++side) {
      int64_t count = getCount(ranges[moved]);
      int64_t taken = std::min(count, side == 0 ? most : most / (8 * int64_t(ranges.size())));
      if (side == 0 && taken == count && moved < 64)
        all.whole |= uint64_t(1) << moved;
      for (int64_t i = 0; i < taken; ++i) {
        int64_t own = ranges[moved].min + placeOf(i, taken, count) * ranges[moved].step;
        std::vector<int64_t> sizes;
        for (const SizeRange &range : ranges)
          sizes.push_back(side < 3
                              ? sizeAt(range, 2 - side, 3)
                              : std::clamp(range.min + (own - range.min) / range.step * range.step,
                                           range.min, range.max));
        sizes[moved] = own;
        add(std::move(sizes));
      }
    }
  uint64_t state = 0;
  for (int64_t i = 0; ranges.size() > 1 && i < kMostProbes / 2; ++i) {
    std::vector<int64_t> sizes;
    for (const SizeRange &range : ranges) {
      state = state * 6364136223846793005 + 1442695040888963407; // Knuth's MMIX
      sizes.push_back(range.min + int64_t((state >> 33) % uint64_t(getCount(range))) * range.step);
    }
    add(std::move(sizes));
  }
  return all;
}

SizeTrace::SizeTrace(MLIRContext *context, ArrayRef<std::vector<int64_t>> samples,
                     const Probes &others, ArrayRef<std::string> names, ArrayRef<SizeRange> ranges,
                     size_t paired, ArrayRef<CountedSizes::Results> results)
    : SizeSolver(context, samples, names, ranges, paired), others(others), forms(symbols, ranges),
      probes(samples), samples(samples.size()), results(results) {
  llvm::append_range(probes, others.sizes);
  // Dimensions of arguments, which nothing else is that has these numbers at samples alone.
  for (size_t i = 0; i < symbols.size(); ++i) {
    std::vector<int64_t> values;
    for (const std::vector<int64_t> &sample : sizes)
      values.push_back(sample[i]);
    learn(values, graph::Dim::symbol(symbols[i]));
  }
}

const std::optional<graph::Dim> &SizeTrace::solveOnce(const std::vector<int64_t> &values) {
  auto [found, isNew] = solved.try_emplace(values);
  if (isNew || !found->second)
    found->second = solve(values);
  return found->second;
}

//===- Elements ----------------------------------------------------------------------------===//

/// Integers, and the bits of floats.
static int64_t readElement(const interp::Tensor &tensor, int64_t index) {
  int64_t bytes = interp::getElementBytes(tensor.getElementType());
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.bytes() + index * bytes, size_t(bytes));
  Type type = tensor.getElementType();
  int64_t unused = 64 - 8 * bytes;
  bool isSigned = type.isIntOrIndex() && !type.isUnsignedInteger() && !type.isInteger(1);
  return isSigned ? int64_t(bits << unused) >> unused : int64_t(bits);
}

static void writeElement(interp::Tensor &tensor, int64_t index, int64_t value) {
  int64_t bytes = interp::getElementBytes(tensor.getElementType());
  std::memcpy(tensor.bytes() + index * bytes, &value, size_t(bytes));
}

static RankedTensorType addDim(RankedTensorType type, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), size);
  return RankedTensorType::get(shape, type.getElementType());
}

std::shared_ptr<SizeTrace::Column> SizeTrace::makeColumn(RankedTensorType type,
                                                         bool isThere) const {
  auto column = std::make_shared<Column>();
  if (isThere)
    column->values = interp::Tensor::allocate(addDim(type, int64_t(probes.size())));
  column->isThere.resize(unsigned(probes.size()), isThere);
  if (isThere) {
    column->forms.resize(size_t(type.getNumElements()));
    column->symbols.resize(size_t(type.getNumElements()), 0);
  }
  return column;
}

//===- Ops ---------------------------------------------------------------------------------===//

namespace {

/// A function of one op, with these types in place of its own.
class OneOp {
public:
  OneOp(Operation *op, ArrayRef<Type> operands, Type result) {
    OpBuilder builder(op->getContext());
    Location loc = builder.getUnknownLoc();
    function = func::FuncOp::create(builder, loc, "one", builder.getFunctionType(operands, result));
    builder.setInsertionPointToStart(function->addEntryBlock());
    own = Operation::create(loc, op->getName(), {result}, function->getArguments(),
                            op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
                            BlockRange(), /*numRegions=*/0);
    builder.insert(own);
    func::ReturnOp::create(builder, loc, own->getResults());
  }
  Operation *get() const { return own; }
  std::optional<interp::Tensor> run(ArrayRef<interp::Tensor> operands) {
    ScopedDiagnosticHandler quiet(function->getContext(), [](Diagnostic &) { return success(); });
    FailureOr<SmallVector<interp::Tensor>> results = interp::evaluate(*function, operands);
    return succeeded(results) ? std::optional(results->front()) : std::nullopt;
  }

private:
  OwningOpRef<func::FuncOp> function;
  Operation *own;
};

} // namespace

static bool isMovement(Operation *op) {
  return isa<graph::ReshapeOp, graph::ExpandOp, graph::PermuteOp, graph::SliceOp, graph::ConcatOp,
             graph::FlipOp>(op);
}

/// What is known of elements that are alike at all sizes.
static SmallVector<SizeForms::Form> formsOf(DenseElementsAttr known) {
  SmallVector<SizeForms::Form> forms(size_t(known.getNumElements()));
  if (isa<FloatType>(known.getElementType())) {
    for (auto [form, number] : llvm::zip(forms, known.getValues<APFloat>())) {
      llvm::APSInt whole(64, /*isUnsigned=*/false);
      bool isExact = false;
      if (number.convertToInteger(whole, APFloat::rmTowardZero, &isExact) == APFloat::opOK &&
          isExact)
        form = graph::Dim(whole.getSExtValue());
    }
    return forms;
  }
  auto type = dyn_cast<IntegerType>(known.getElementType());
  if (!type || type.getWidth() > 64 || type.isUnsigned())
    return forms;
  for (auto [form, number] : llvm::zip(forms, known.getValues<APInt>()))
    form =
        graph::Dim(type.getWidth() == 1 ? int64_t(number.getZExtValue()) : number.getSExtValue());
  return forms;
}

/// The op moves the numbers of elements, and then elements of all probes as these.
void SizeTrace::move(Operation *op, ArrayRef<std::shared_ptr<Column>> operands, GetKnown known,
                     Column &result) {
  Type i64 = IntegerType::get(op->getContext(), 64);
  SmallVector<Type> types;
  SmallVector<interp::Tensor> numbers, values;
  SmallVector<SmallVector<SizeForms::Form>> constants;
  constexpr int64_t kOperand = int64_t(1) << 32;
  for (auto [k, operand] : llvm::enumerate(op->getOperands())) {
    auto type = cast<RankedTensorType>(operand.getType());
    bool isMoved = !isa<graph::GatherOp>(op) || k == 0;
    values.push_back(operands[k] ? operands[k]->values : interp::Tensor::fromAttr(known(operand)));
    constants.push_back(operands[k] ? SmallVector<SizeForms::Form>() : formsOf(known(operand)));
    types.push_back(isMoved ? RankedTensorType::get(type.getShape(), i64) : type);
    if (!isMoved) {
      numbers.push_back(values.back());
      continue;
    }
    interp::Tensor &own =
        numbers.emplace_back(interp::Tensor::allocate(cast<RankedTensorType>(types.back())));
    // 0 is what lies outside.
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      own.elements<int64_t>()[size_t(i)] = int64_t(k) * kOperand + i + 1;
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<interp::Tensor> moved =
      OneOp(op, types, RankedTensorType::get(type.getShape(), i64)).run(numbers);
  if (!moved || llvm::is_contained(moved->elements<int64_t>(), 0))
    return runOneByOne(op, operands, known, result);
  int64_t bytes = interp::getElementBytes(type.getElementType());
  for (auto [i, from] : llvm::enumerate(moved->elements<int64_t>())) {
    size_t k = size_t((from - 1) / kOperand);
    int64_t element = (from - 1) % kOperand,
            count = cast<RankedTensorType>(op->getOperand(unsigned(k)).getType()).getNumElements();
    result.forms[i] =
        operands[k] ? operands[k]->forms[size_t(element)] : constants[k][size_t(element)];
    result.symbols[i] = operands[k] ? operands[k]->symbols[size_t(element)] : 0;
    for (int64_t p = 0; p < int64_t(probes.size()); ++p)
      std::memcpy(result.values.bytes() + (p * type.getNumElements() + int64_t(i)) * bytes,
                  values[k].bytes() + ((operands[k] ? p * count : 0) + element) * bytes,
                  size_t(bytes));
  }
}

/// Of an element of what an elementwise op or a reduction gives, the elements of operands that it
/// is computed from, by the operand's number; none of other ops.
static SmallVector<SmallVector<std::pair<size_t, int64_t>>> findGiven(Operation *op) {
  int64_t count = cast<RankedTensorType>(op->getResult(0).getType()).getNumElements();
  SmallVector<SmallVector<std::pair<size_t, int64_t>>> given;
  if (isa<graph::ElementwiseOpInterface>(op)) {
    given.resize(size_t(count));
    for (int64_t i = 0; i < count; ++i)
      for (size_t k = 0; k < op->getNumOperands(); ++k)
        given[size_t(i)].push_back({k, i});
  }
  auto reduce = dyn_cast<graph::ReduceOp>(op);
  if (!reduce)
    return given;
  given.resize(size_t(count));
  ArrayRef<int64_t> shape = cast<RankedTensorType>(reduce.getInput().getType()).getShape();
  for (int64_t e = 0, elements = ShapedType::getNumElements(shape); e < elements; ++e) {
    int64_t rest = e, stride = 1, at = 0;
    for (int64_t d = int64_t(shape.size()); d-- > 0; rest /= shape[size_t(d)])
      if (!llvm::is_contained(reduce.getDims(), d)) {
        at += rest % shape[size_t(d)] * stride;
        stride *= shape[size_t(d)];
      }
    given[size_t(at)].push_back({0, e});
  }
  return given;
}

/// What elements follow from, and which functions they are; of other ops all follow from all.
void SizeTrace::describe(Operation *op, ArrayRef<std::shared_ptr<Column>> operands, GetKnown known,
                         Column &result) const {
  SmallVector<SmallVector<std::pair<size_t, int64_t>>> given = findGiven(op);
  uint64_t all = 0;
  SmallVector<SmallVector<SizeForms::Form>> constants;
  for (auto [k, column] : llvm::enumerate(operands)) {
    constants.push_back(column ? SmallVector<SizeForms::Form>()
                               : formsOf(known(op->getOperand(unsigned(k)))));
    for (uint64_t symbols : column ? ArrayRef<uint64_t>(column->symbols) : ArrayRef<uint64_t>())
      all |= symbols;
  }
  for (size_t i = 0; i < result.symbols.size(); ++i) {
    result.symbols[i] = given.empty() ? all : 0;
    SmallVector<SizeForms::Form> each;
    for (auto [k, element] : given.empty() ? SmallVector<std::pair<size_t, int64_t>>() : given[i]) {
      const std::shared_ptr<Column> &column = operands[k];
      result.symbols[i] |= column ? column->symbols[size_t(element)] : 0;
      each.push_back(column ? column->forms[size_t(element)] : constants[k][size_t(element)]);
    }
    result.forms[i] = forms.apply(op, each);
  }
}

/// Elements of all probes in a row, of an elementwise op or a reduction.
void SizeTrace::runAtOnce(Operation *op, ArrayRef<std::shared_ptr<Column>> operands, GetKnown known,
                          Column &result) {
  SmallVector<Type> types;
  SmallVector<interp::Tensor> values;
  for (auto [operand, column] : llvm::zip(op->getOperands(), operands)) {
    auto type = addDim(cast<RankedTensorType>(operand.getType()), int64_t(probes.size()));
    types.push_back(type);
    if (column) {
      values.push_back(column->values);
      continue;
    }
    interp::Tensor one = interp::Tensor::fromAttr(known(operand)),
                   &all = values.emplace_back(interp::Tensor::allocate(type));
    for (size_t p = 0; p < probes.size(); ++p)
      std::memcpy(all.bytes() + int64_t(p) * one.getBytes(), one.bytes(), size_t(one.getBytes()));
  }
  OneOp all(op, types, result.values.getType());
  if (auto reduce = dyn_cast<graph::ReduceOp>(all.get()))
    reduce.setDims(llvm::map_to_vector(reduce.getDims(), [](int64_t dim) { return dim + 1; }));
  if (std::optional<interp::Tensor> found = all.run(values))
    result.values = *found;
  else
    runOneByOne(op, operands, known, result);
}

void SizeTrace::runOneByOne(Operation *op, ArrayRef<std::shared_ptr<Column>> operands,
                            GetKnown known, Column &result) {
  SmallVector<Type> types(op->getOperandTypes());
  SmallVector<interp::Tensor> values;
  for (auto [operand, column] : llvm::zip(op->getOperands(), operands))
    values.push_back(column ? interp::Tensor() : interp::Tensor::fromAttr(known(operand)));
  OneOp one(op, types, op->getResult(0).getType());
  for (size_t p = 0; p < probes.size(); ++p) {
    if (!result.isThere.test(unsigned(p)))
      continue;
    for (auto [k, column] : llvm::enumerate(operands))
      if (column) {
        auto type = cast<RankedTensorType>(types[k]);
        int64_t bytes = type.getNumElements() * interp::getElementBytes(type.getElementType());
        values[k] = interp::Tensor::borrow(type, column->values.bytes() + int64_t(p) * bytes);
      }
    std::optional<interp::Tensor> found = one.run(values);
    if (found)
      std::memcpy(result.values.bytes() + int64_t(p) * found->getBytes(), found->bytes(),
                  size_t(found->getBytes()));
    else
      result.isThere.reset(unsigned(p));
  }
}

std::shared_ptr<SizeTrace::Column> SizeTrace::evaluate(Operation *op, GetKnown known) {
  SmallVector<std::shared_ptr<Column>> operands;
  llvm::BitVector isThere(unsigned(probes.size()), true);
  bool isSame = true;
  int64_t most = 1;
  for (Value operand : op->getOperands()) {
    operands.push_back(get(operand, known));
    if (operands.back())
      isThere &= operands.back()->isThere;
    isSame &= !operands.back();
    most = std::max(most, cast<RankedTensorType>(operand.getType()).getNumElements());
  }
  if (isSame)
    return nullptr;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  most = std::max(most, type.getNumElements());
  if (isThere.none() || most > kMostElements || most * int64_t(probes.size()) > kMostAtAll ||
      op->getNumResults() != 1)
    return makeColumn(type, false);
  std::shared_ptr<Column> result = makeColumn(type, true);
  result->isThere = isThere;
  describe(op, operands, known, *result);
  auto areKnown = [&] {
    return llvm::none_of(ArrayRef(operands).drop_front(),
                         [](const auto &column) { return !!column; });
  };
  if (isMovement(op) || (isa<graph::GatherOp>(op) && areKnown()))
    move(op, operands, known, *result);
  else if (isa<graph::ElementwiseOpInterface, graph::ReduceOp>(op))
    runAtOnce(op, operands, known, *result);
  else
    runOneByOne(op, operands, known, *result);
  settleConstants(*result);
  return result;
}

void SizeTrace::settleConstants(Column &column) const {
  Type element = column.values.getElementType();
  if (!element.isIntOrIndex() || !column.isThere.all())
    return;
  auto count = int64_t(column.symbols.size());
  for (int64_t e = 0; e < count; ++e) {
    uint64_t &symbols = column.symbols[size_t(e)];
    if (symbols == 0 || !others.cover(symbols))
      continue;
    int64_t first = readElement(column.values, e);
    bool isSame = true;
    for (int64_t p = 1; p < int64_t(probes.size()) && isSame; ++p)
      isSame = readElement(column.values, p * count + e) == first;
    if (!isSame)
      continue;
    symbols = 0;
    column.forms[size_t(e)] = element.isUnsignedInteger() ? std::nullopt : SizeForms::Form(first);
  }
}

/// Of values that have been settled.
static constexpr llvm::StringLiteral kMark = "tw.traced";
/// Whose result a value is.
static constexpr llvm::StringLiteral kOrigin = "tw.origin";

void SizeTrace::mark(Value value, std::shared_ptr<Column> column) {
  columns[value] = column;
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return;
  result.getOwner()->setDiscardableAttr(
      (kMark + Twine(result.getResultNumber())).str(),
      IntegerAttr::get(IntegerType::get(value.getContext(), 64), int64_t(settled.size())));
  settled.push_back(std::move(column));
}

std::shared_ptr<SizeTrace::Column> SizeTrace::get(Value value, GetKnown known) {
  if (auto found = columns.find(value); found != columns.end())
    return found->second;
  std::shared_ptr<Column> column;
  if (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    auto number = op->getAttrOfType<IntegerAttr>((kMark + Twine(result.getResultNumber())).str());
    if (number)
      column = settled[size_t(number.getInt())];
    else if (op->getNumRegions() == 0)
      column = evaluate(op, known);
  }
  columns[value] = column;
  return column;
}

//===- Values ------------------------------------------------------------------------------===//

void SizeTrace::settle(Value value, llvm::StringRef key, size_t entry, GetKnown known) {
  SmallVector<const CountedSizes::Result *> all;
  for (const CountedSizes::Results &sample : results)
    if (auto found = sample.find(key.str()); found != sample.end() && entry < found->second.size())
      all.push_back(&found->second[entry]);
  if (auto result = dyn_cast<OpResult>(value)) {
    Builder builder(value.getContext());
    result.getOwner()->setDiscardableAttr(
        (kOrigin + Twine(result.getResultNumber())).str(),
        builder.getArrayAttr(
            {builder.getStringAttr(key), builder.getI64IntegerAttr(int64_t(entry))}));
  } else {
    arguments[value] = {key.str(), entry};
  }
  auto type = cast<RankedTensorType>(value.getType());
  bool isSame = all.size() == samples && llvm::all_of(all, [&](const auto *each) {
                  return each->shape == all.front()->shape &&
                         each->integers.has_value() == all.front()->integers.has_value();
                });
  if (!isSame)
    return mark(value, makeColumn(type, false));
  if (!all.front()->integers)
    return;
  int64_t elements = type.getNumElements();
  std::shared_ptr<Column> column = get(value, known);
  bool isFollowed = true;
  for (auto [s, each] : llvm::enumerate(all))
    for (int64_t e = 0; e < elements && isFollowed; ++e)
      isFollowed = column ? column->isThere.test(unsigned(s)) &&
                                readElement(column->values, int64_t(s) * elements + e) ==
                                    (*each->integers)[size_t(e)]
                          : (*each->integers)[size_t(e)] == (*all[0]->integers)[size_t(e)];
  if (isFollowed)
    return;
  column = makeColumn(type, true);
  for (int64_t e = 0; e < elements; ++e) {
    std::vector<int64_t> values;
    for (const CountedSizes::Result *each : all)
      values.push_back((*each->integers)[size_t(e)]);
    const std::optional<graph::Dim> &dim = solveOnce(values);
    column->forms[size_t(e)] = dim;
    column->symbols[size_t(e)] = dim ? getSymbols(*dim) : ~uint64_t(0);
    for (size_t p = 0; p < probes.size(); ++p)
      if (std::optional<int64_t> size = dim ? SizeSolver::evaluate(*dim, probes[p]) : std::nullopt)
        writeElement(column->values, int64_t(p) * elements + e, *size);
      else
        column->isThere.reset(unsigned(p));
  }
  mark(value, std::move(column));
}

uint64_t SizeTrace::getSymbols(const graph::Dim &dim) const {
  uint64_t found = 0;
  for (auto [name, factor] : dim.getTerms())
    for (StringAttr base : getBases(name)) {
      size_t index = size_t(llvm::find(symbols, base) - symbols.begin());
      found |= index < 64 ? uint64_t(1) << index : ~uint64_t(0);
    }
  return found;
}

void SizeTrace::readOne(const Column &column, int64_t elements, int64_t element, bool isInteger,
                        Reading &reading) {
  auto at = [&](size_t probe) {
    return readElement(column.values, int64_t(probe) * elements + element);
  };
  std::vector<int64_t> values;
  for (size_t s = 0; s < samples; ++s)
    values.push_back(at(s));
  std::optional<graph::Dim> dim;
  const SizeForms::Form &form = column.forms[size_t(element)];
  if (llvm::all_equal(values))
    dim = graph::Dim(values.front());
  else if (isInteger)
    // What is computed says more than what samples have.
    dim = form && learn(values, *form) ? form : solveOnce(values);
  reading.isProven &= (form && form == dim) || others.cover(column.symbols[size_t(element)]);
  std::set<int64_t> seen(values.begin(), values.end());
  auto doubt = [&](size_t probe) {
    if (reading.open.size() < kSome)
      reading.open.push_back(probe);
    else
      reading.isProven = false;
  };
  bool isWhole = true;
  for (size_t p = samples; p < probes.size(); ++p) {
    if (!column.isThere.test(unsigned(p))) {
      isWhole = false;
      doubt(p);
      continue;
    }
    int64_t own = at(p);
    std::optional<int64_t> size;
    if (dim)
      size = dim->isStatic() ? dim->getConstant() : SizeSolver::evaluate(*dim, probes[p]);
    if (dim && size != own) {
      reading.other = p;
      return;
    }
    if (dim || !seen.insert(own).second)
      continue;
    doubt(p);
  }
  // It is that wherever it is asked for.
  if (isWhole && dim && !dim->isStatic() && others.cover(column.symbols[size_t(element)]))
    learn(values, *dim);
}

SizeTrace::Reading SizeTrace::read(Value value, GetKnown known) {
  Reading reading;
  auto type = cast<RankedTensorType>(value.getType());
  std::shared_ptr<Column> column = get(value, known);
  int64_t elements = type.getNumElements(), changing = 0;
  if (!column)
    return reading;
  for (size_t s = 0; s < samples; ++s)
    if (!column->isThere.test(unsigned(s))) {
      // Some of all sizes where nobody knows.
      size_t count = probes.size() - samples, taken = std::min(kSome, count);
      for (size_t i = 0; i < taken; ++i)
        reading.open.push_back(samples + count * i / taken);
      reading.isProven = false;
      return reading;
    }
  for (int64_t e = 0; e < elements && !reading.other; ++e) {
    bool isFollowed = column->symbols[size_t(e)] != 0;
    changing += isFollowed;
    if (changing * int64_t(probes.size()) > kMostRead)
      reading.isProven = false;
    else if (isFollowed)
      readOne(*column, elements, e, type.getElementType().isIntOrIndex(), reading);
  }
  return reading;
}

SizeTrace::Reading
SizeTrace::readSizes(Value value, int64_t dim,
                     llvm::function_ref<bool(ArrayRef<int64_t>, int64_t)> isAlike) {
  Reading reading;
  std::pair<std::string, size_t> origin;
  if (auto result = dyn_cast<OpResult>(value)) {
    std::string name = (kOrigin + Twine(result.getResultNumber())).str();
    if (auto found = result.getOwner()->getAttrOfType<ArrayAttr>(name))
      origin = {cast<StringAttr>(found[0]).str(), size_t(cast<IntegerAttr>(found[1]).getInt())};
  } else {
    origin = arguments.lookup(value);
  }
  std::vector<int64_t> values;
  for (const CountedSizes::Results &sample : results)
    if (auto found = sample.find(origin.first);
        found != sample.end() && origin.second < found->second.size() &&
        size_t(dim) < found->second[origin.second].shape.size())
      values.push_back(found->second[origin.second].shape[size_t(dim)]);
  if (values.size() == samples && llvm::all_equal(values))
    return reading;
  std::optional<graph::Dim> size =
      values.size() == samples ? solveOnce(values) : std::optional<graph::Dim>();
  reading.isProven = size && others.cover(getSymbols(*size));
  for (size_t p = samples; p < probes.size() && size && !reading.other; ++p)
    if (std::optional<int64_t> own = SizeSolver::evaluate(*size, probes[p]);
        own && !isAlike(values, *own))
      reading.other = p;
  return reading;
}

//===- Notes -------------------------------------------------------------------------------===//

void onnx::noteResult(CountedSizes &counted, const std::string &key, Value value,
                      importer::KnownValues &constants) {
  auto type = cast<RankedTensorType>(value.getType());
  auto &all = counted.results[key];
  CountedSizes::Result &own = all.emplace_back();
  own.shape.assign(type.getShape().begin(), type.getShape().end());
  constexpr int64_t kMostNumbers = 64;
  bool areFew = type.getElementType().isInteger() && type.hasStaticShape() &&
                type.getNumElements() <= kMostNumbers;
  if (DenseElementsAttr constant = areFew ? constants.peek(value) : DenseElementsAttr()) {
    bool isUnsigned =
        type.getElementType().isUnsignedInteger() || type.getElementType().isInteger(1);
    own.integers.emplace();
    for (const APInt &each : constant.getValues<APInt>())
      own.integers->push_back(isUnsigned ? int64_t(each.getZExtValue()) : each.getSExtValue());
  }
  if (counted.trace)
    counted.trace->settle(value, key, all.size() - 1,
                          [&](Value each) { return constants.get(each); });
}

static void note(CountedSizes &counted, const std::string &key, const SizeTrace::Reading &reading,
                 bool isWay) {
  if (reading.other)
    counted.readings.push_back({key, *reading.other, isWay});
  else if (!reading.isProven)
    counted.readings.push_back({key, std::nullopt, isWay});
  counted.doubtful.insert(reading.open.begin(), reading.open.end());
}

void onnx::noteReading(CountedSizes &counted, const std::string &key, Value value, bool isWay,
                       importer::KnownValues &constants) {
  if (counted.trace)
    note(counted, key, counted.trace->read(value, [&](Value each) { return constants.get(each); }),
         isWay);
}

void onnx::noteSizes(CountedSizes &counted, const std::string &key, Value value, int64_t dim,
                     llvm::function_ref<bool(ArrayRef<int64_t>, int64_t)> isAlike) {
  if (counted.trace)
    note(counted, key, counted.trace->readSizes(value, dim, isAlike), /*isWay=*/false);
}
