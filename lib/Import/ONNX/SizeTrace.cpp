// Runs ops on known values for many sizes at once.
#include "SizeTrace.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

#include <cstring>
#include <set>

using namespace mlir;
using namespace tw;
using namespace tw::onnx;

/// So many sizes are followed, and values of so many elements each and at all sizes.
static constexpr int64_t kMostProbes = 4096;
static constexpr int64_t kMostElements = 4096, kMostAtAll = 1 << 20;
/// Readers of more do so for their elements.
static constexpr int64_t kMostRead = 64;

std::vector<std::vector<int64_t>> onnx::chooseProbes(ArrayRef<SizeRange> ranges, bool &areAll) {
  std::set<std::vector<int64_t>> seen;
  std::vector<std::vector<int64_t>> all;
  auto getCount = [](const SizeRange &range) { return (range.max - range.min) / range.step + 1; };
  int64_t combinations = 1;
  for (const SizeRange &range : ranges)
    combinations *= std::min(getCount(range), kMostProbes / combinations + 1);
  areAll = combinations <= kMostProbes;
  // The sizes with a number below `combinations`, if these are all.
  auto sizesOf = [&](int64_t number) {
    std::vector<int64_t> sizes;
    for (const SizeRange &range : ranges) {
      sizes.push_back(range.min + number % getCount(range) * range.step);
      number /= getCount(range);
    }
    return sizes;
  };
  if (areAll) {
    for (int64_t number = 0; number < combinations; ++number)
      all.push_back(sizesOf(number));
    return all;
  }
  // Of several symbols half on lines, where one moves, and half anywhere.
  int64_t most = kMostProbes / (ranges.size() == 1 ? 1 : 8 * int64_t(ranges.size()));
  // The place of a size among those of a range, as a part of the way, and back.
  auto sizeAt = [&](const SizeRange &range, int64_t place, int64_t of) {
    int64_t steps = getCount(range) - 1;
    return range.min + (of <= 1 ? steps : steps * place / (of - 1)) * range.step;
  };
  for (size_t moved = 0; moved < ranges.size(); ++moved) {
    int64_t count = getCount(ranges[moved]), taken = std::min(count, most);
    for (int64_t i = 0; i < taken; ++i) {
      // The first and the last ones of many, and some in between.
      int64_t near = taken / 4, place = i;
      if (count > most && i >= near)
        place = i >= taken - near ? count - (taken - i)
                                  : near + (count - 2 * near) * (i - near) / (taken - 2 * near);
      // Beside the most, the least and the middle of others, and where others are as large.
      for (int64_t side = 0; side < (ranges.size() == 1 ? 1 : 4); ++side) {
        std::vector<int64_t> sizes;
        int64_t own = ranges[moved].min + place * ranges[moved].step;
        for (const SizeRange &range : ranges)
          sizes.push_back(side < 3
                              ? sizeAt(range, 2 - side, 3)
                              : std::clamp(range.min + (own - range.min) / range.step * range.step,
                                           range.min, range.max));
        sizes[moved] = own;
        if (seen.insert(sizes).second)
          all.push_back(std::move(sizes));
      }
    }
  }
  uint64_t state = 0;
  for (int64_t i = 0; ranges.size() > 1 && i < kMostProbes / 2; ++i) {
    std::vector<int64_t> sizes;
    for (const SizeRange &range : ranges) {
      state = state * 6364136223846793005 + 1442695040888963407; // Knuth's MMIX
      sizes.push_back(range.min + int64_t((state >> 33) % uint64_t(getCount(range))) * range.step);
    }
    if (seen.insert(sizes).second)
      all.push_back(std::move(sizes));
  }
  return all;
}

SizeTrace::SizeTrace(MLIRContext *context, ArrayRef<std::vector<int64_t>> samples,
                     ArrayRef<std::vector<int64_t>> probes, ArrayRef<std::string> names,
                     ArrayRef<SizeRange> ranges, size_t paired,
                     ArrayRef<CountedSizes::Results> results)
    : SizeSolver(context, samples, names, ranges, paired), probes(samples), samples(samples.size()),
      results(results) {
  llvm::append_range(this->probes, probes);
}

const std::optional<graph::Dim> &SizeTrace::solveOnce(const std::vector<int64_t> &values) {
  auto [found, isNew] = solved.try_emplace(values);
  if (isNew)
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
    Operation *own = Operation::create(loc, op->getName(), {result}, function->getArguments(),
                                       op->getDiscardableAttrDictionary(),
                                       op->getPropertiesStorage(), BlockRange(), /*numRegions=*/0);
    builder.insert(own);
    func::ReturnOp::create(builder, loc, own->getResults());
  }
  std::optional<interp::Tensor> run(ArrayRef<interp::Tensor> operands) {
    ScopedDiagnosticHandler quiet(function->getContext(), [](Diagnostic &) { return success(); });
    FailureOr<SmallVector<interp::Tensor>> results = interp::evaluate(*function, operands);
    return succeeded(results) ? std::optional(results->front()) : std::nullopt;
  }

private:
  OwningOpRef<func::FuncOp> function;
};

} // namespace

static bool isMovement(Operation *op) {
  return isa<graph::ReshapeOp, graph::ExpandOp, graph::PermuteOp, graph::SliceOp, graph::ConcatOp,
             graph::FlipOp>(op);
}

/// The op moves the numbers of elements, and then elements of all probes as these.
void SizeTrace::move(Operation *op, ArrayRef<std::shared_ptr<Column>> operands, GetKnown known,
                     Column &result) {
  Type i64 = IntegerType::get(op->getContext(), 64);
  SmallVector<Type> types;
  SmallVector<interp::Tensor> numbers, values;
  constexpr int64_t kOperand = int64_t(1) << 32;
  for (auto [k, operand] : llvm::enumerate(op->getOperands())) {
    auto type = cast<RankedTensorType>(operand.getType());
    types.push_back(RankedTensorType::get(type.getShape(), i64));
    interp::Tensor &own =
        numbers.emplace_back(interp::Tensor::allocate(cast<RankedTensorType>(types.back())));
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      own.elements<int64_t>()[size_t(i)] = int64_t(k) * kOperand + i;
    values.push_back(operands[k] ? operands[k]->values : interp::Tensor::fromAttr(known(operand)));
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<interp::Tensor> moved =
      OneOp(op, types, RankedTensorType::get(type.getShape(), i64)).run(numbers);
  if (!moved)
    return result.isThere.reset(), void();
  int64_t bytes = interp::getElementBytes(type.getElementType());
  for (auto [i, from] : llvm::enumerate(moved->elements<int64_t>())) {
    size_t k = size_t(from / kOperand);
    int64_t element = from % kOperand,
            count = cast<RankedTensorType>(op->getOperand(unsigned(k)).getType()).getNumElements();
    for (int64_t p = 0; p < int64_t(probes.size()); ++p)
      std::memcpy(result.values.bytes() + (p * type.getNumElements() + int64_t(i)) * bytes,
                  values[k].bytes() + ((operands[k] ? p * count : 0) + element) * bytes,
                  size_t(bytes));
  }
}

/// Elementwise: elements of all probes in a row.
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
  if (isMovement(op))
    move(op, operands, known, *result);
  else if (isa<graph::ElementwiseOpInterface>(op))
    runAtOnce(op, operands, known, *result);
  else
    runOneByOne(op, operands, known, *result);
  return result;
}

/// Of values that have been settled.
static constexpr llvm::StringLiteral kMark = "tw.traced";

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
    for (size_t p = 0; p < probes.size(); ++p)
      if (std::optional<int64_t> size = dim ? SizeSolver::evaluate(*dim, probes[p]) : std::nullopt)
        writeElement(column->values, int64_t(p) * elements + e, *size);
      else
        column->isThere.reset(unsigned(p));
  }
  mark(value, std::move(column));
}

SizeTrace::Reading SizeTrace::read(Value value, GetKnown known) {
  Reading reading;
  auto type = cast<RankedTensorType>(value.getType());
  std::shared_ptr<Column> column = get(value, known);
  int64_t elements = type.getNumElements();
  if (!column || elements > kMostRead)
    return reading;
  auto at = [&](size_t probe, int64_t e) {
    return readElement(column->values, int64_t(probe) * elements + e);
  };
  // Some of all sizes where nobody knows.
  constexpr size_t kSome = 8;
  size_t others = probes.size() - samples;
  auto addSome = [&] {
    for (size_t i = 0; i < std::min(kSome, others); ++i)
      reading.open.push_back(samples + others * i / std::min(kSome, others));
  };
  for (size_t s = 0; s < samples; ++s)
    if (!column->isThere.test(unsigned(s)))
      return addSome(), reading;
  for (int64_t e = 0; e < elements; ++e) {
    std::vector<int64_t> values;
    for (size_t s = 0; s < samples; ++s)
      values.push_back(at(s, e));
    std::optional<graph::Dim> dim;
    if (llvm::all_equal(values))
      dim = graph::Dim(values.front());
    else if (type.getElementType().isIntOrIndex())
      dim = solveOnce(values);
    std::set<int64_t> seen(values.begin(), values.end());
    for (size_t p = samples; p < probes.size(); ++p) {
      if (!column->isThere.test(unsigned(p)))
        continue;
      int64_t own = at(p, e);
      if (dim && SizeSolver::evaluate(*dim, probes[p]) != own) {
        reading.other = p;
        return reading;
      }
      if (!dim && seen.size() < values.size() + kSome && seen.insert(own).second)
        reading.open.push_back(p);
    }
  }
  return reading;
}
