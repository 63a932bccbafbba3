// Recognises regions.
#include "Regions.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace tw;
using namespace tw::stablehlo;
using namespace mlir;

namespace {

StringRef nameOf(Operation *op) { return op ? op->getName().getStringRef() : StringRef(); }

StringRef textOf(Operation *op, StringRef name) {
  auto text = dyn_cast_or_null<StringAttr>(attributeOf(*op, name));
  return text ? text.getValue() : StringRef();
}

/// The op that makes a value, if it is of that name and has so many operands.
Operation *match(Value value, StringRef name, unsigned operands) {
  Operation *op = value.getDefiningOp();
  return op && nameOf(op) == name && op->getNumOperands() == operands && op->getNumResults() == 1
             ? op
             : nullptr;
}

Operation *matchCompare(Value value, StringRef direction) {
  Operation *op = match(value, "stablehlo.compare", 2);
  return op && textOf(op, "comparison_direction") == direction ? op : nullptr;
}

Block *blockOf(Region &region) {
  return region.hasOneBlock() && !region.front().empty() ? &region.front() : nullptr;
}

std::optional<unsigned> argumentOf(Value value, Block &block) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &block)
    return std::nullopt;
  return argument.getArgNumber();
}

bool isBool(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isInteger(1);
}

} // namespace

std::optional<graph::CombineKind> tw::stablehlo::findCombination(Region &region) {
  Block *block = blockOf(region);
  if (!block || block->getNumArguments() != 2 || block->back().getNumOperands() != 1)
    return std::nullopt;
  Operation *op = block->back().getOperand(0).getDefiningOp();
  if (!op || op->getBlock() != block || op->getNumOperands() != 2)
    return std::nullopt;
  Value a = block->getArgument(0), b = block->getArgument(1);
  bool isBoth = (op->getOperand(0) == a && op->getOperand(1) == b) ||
                (op->getOperand(0) == b && op->getOperand(1) == a);
  if (!isBoth)
    return std::nullopt;
  using Kind = graph::CombineKind;
  auto kind = llvm::StringSwitch<std::optional<Kind>>(nameOf(op))
                  .Case("stablehlo.add", isBool(a) ? std::nullopt : std::optional(Kind::Add))
                  .Case("stablehlo.multiply", isBool(a) ? Kind::All : Kind::Mul)
                  .Case("stablehlo.maximum", isBool(a) ? Kind::Any : Kind::Max)
                  .Case("stablehlo.minimum", isBool(a) ? Kind::All : Kind::Min)
                  .Default(std::nullopt);
  if (!kind && isBool(a))
    kind = llvm::StringSwitch<std::optional<Kind>>(nameOf(op))
               .Case("stablehlo.and", Kind::All)
               .Case("stablehlo.or", Kind::Any)
               .Default(std::nullopt);
  return kind;
}

std::optional<unsigned> tw::stablehlo::findForwarded(Region &region) {
  Block *block = blockOf(region);
  if (!block || block->back().getNumOperands() != 1)
    return std::nullopt;
  return argumentOf(block->back().getOperand(0), *block);
}

// As JAX spells it, with the operands of and, or in any order:
//   first = or(compare GT a b, compare NE a a)
//   index = or(first, and(compare EQ a b, compare LT i j))
//   select(first, a, b), select(index, i, j)
std::optional<graph::CombineKind> tw::stablehlo::findArgReduction(Region &region) {
  Block *block = blockOf(region);
  if (!block || block->getNumArguments() != 4 || block->back().getNumOperands() != 2)
    return std::nullopt;
  Value a = block->getArgument(0), i = block->getArgument(1), b = block->getArgument(2),
        j = block->getArgument(3);
  auto are = [](Operation *op, ArrayRef<Value> operands) {
    return op && llvm::equal(op->getOperands(), operands);
  };
  auto anyOrder = [](Operation *op, auto &&holds) {
    return op && (holds(op->getOperand(0), op->getOperand(1)) ||
                  holds(op->getOperand(1), op->getOperand(0)));
  };
  Operation *value = match(block->back().getOperand(0), "stablehlo.select", 3),
            *index = match(block->back().getOperand(1), "stablehlo.select", 3);
  if (!value || !index || value->getOperand(1) != a || value->getOperand(2) != b ||
      index->getOperand(1) != i || index->getOperand(2) != j)
    return std::nullopt;
  Value first = value->getOperand(0);
  std::optional<graph::CombineKind> kind;
  auto isFirst = [&](Value wins, Value isNan) {
    if (!are(matchCompare(isNan, "NE"), {a, a}))
      return false;
    if (are(matchCompare(wins, "GT"), {a, b}))
      kind = graph::CombineKind::Max;
    else if (are(matchCompare(wins, "LT"), {a, b}))
      kind = graph::CombineKind::Min;
    return kind.has_value();
  };
  auto isTie = [&](Value equal, Value before) {
    return are(matchCompare(equal, "EQ"), {a, b}) && are(matchCompare(before, "LT"), {i, j});
  };
  auto isIndex = [&](Value same, Value tie) {
    return same == first && anyOrder(match(tie, "stablehlo.and", 2), isTie);
  };
  if (!anyOrder(match(first, "stablehlo.or", 2), isFirst) ||
      !anyOrder(match(index->getOperand(0), "stablehlo.or", 2), isIndex))
    return std::nullopt;
  return kind;
}

/// `select(x == 0, 0, x)`, then `select(x != x, NaN, ...)`, of an argument.
static Value withoutCanonicalForm(Value value, bool &isCanonical) {
  auto isChange = [](Operation *select, StringRef direction) -> Operation * {
    Operation *test = select ? matchCompare(select->getOperand(0), direction) : nullptr;
    return test;
  };
  Operation *nan = match(value, "stablehlo.select", 3);
  Operation *test = isChange(nan, "NE");
  if (!test || test->getOperand(0) != test->getOperand(1) ||
      !match(nan->getOperand(1), "stablehlo.constant", 0))
    return value;
  Operation *zero = match(nan->getOperand(2), "stablehlo.select", 3);
  Operation *isZero = isChange(zero, "EQ");
  Value x = test->getOperand(0);
  auto isZeroConstant = [](Value constant) {
    Operation *op = match(constant, "stablehlo.constant", 0);
    auto number = op ? dyn_cast_or_null<DenseFPElementsAttr>(attributeOf(*op, "value"))
                     : DenseFPElementsAttr();
    return number && number.isSplat() && number.getSplatValue<APFloat>().isPosZero();
  };
  if (!isZero || isZero->getOperand(0) != x || zero->getOperand(2) != x ||
      !isZeroConstant(isZero->getOperand(1)) || !isZeroConstant(zero->getOperand(1)))
    return value;
  isCanonical = true;
  return x;
}

/// A comparison of the same operand of both elements.
static std::optional<SortKey> matchKey(Operation *compare, Block &block) {
  StringRef direction = textOf(compare, "comparison_direction");
  bool isCanonical = false;
  Value left = withoutCanonicalForm(compare->getOperand(0), isCanonical),
        right = withoutCanonicalForm(compare->getOperand(1), isCanonical);
  bool isImaginary = match(left, "stablehlo.imag", 1) != nullptr;
  // Of complex numbers their parts are compared.
  StringRef part = isImaginary ? "stablehlo.imag" : "stablehlo.real";
  if (Operation *x = match(left, part, 1), *y = match(right, part, 1); x && y) {
    left = x->getOperand(0);
    right = y->getOperand(0);
  } else if (x || y) {
    return std::nullopt;
  }
  std::optional<unsigned> a = argumentOf(left, block), b = argumentOf(right, block);
  if (!a || !b || *a / 2 != *b / 2 || *a == *b)
    return std::nullopt;
  bool isSwapped = *a > *b;
  bool isTotal = textOf(compare, "compare_type") == "TOTALORDER" && !isCanonical;
  return SortKey{*a / 2, (direction == "GT") != isSwapped, isTotal, isImaginary};
}

// key0 < key0', or: or(key0 < key0', and(key0 == key0', the rest))
static bool matchOrder(Value value, Block &block, SmallVectorImpl<SortKey> &keys, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &block || op->getNumOperands() != 2 || depth > 8)
    return false;
  if (nameOf(op) == "stablehlo.compare") {
    StringRef direction = textOf(op, "comparison_direction");
    std::optional<SortKey> key = matchKey(op, block);
    if (!key || (direction != "LT" && direction != "GT"))
      return false;
    keys.push_back(*key);
    return true;
  }
  if (nameOf(op) != "stablehlo.or")
    return false;
  for (unsigned side : {0u, 1u}) {
    Operation *less = match(op->getOperand(side), "stablehlo.compare", 2),
              *both = match(op->getOperand(1 - side), "stablehlo.and", 2);
    if (!less || !both)
      continue;
    size_t before = keys.size();
    if (!matchOrder(less->getResult(0), block, keys, depth + 1))
      continue;
    for (unsigned equal : {0u, 1u}) {
      Operation *test = matchCompare(both->getOperand(equal), "EQ");
      std::optional<SortKey> key = test ? matchKey(test, block) : std::nullopt;
      if (key && key->operand == keys[before].operand &&
          key->isImaginary == keys[before].isImaginary &&
          matchOrder(both->getOperand(1 - equal), block, keys, depth + 1))
        return true;
    }
    keys.resize_for_overwrite(before);
  }
  return false;
}

std::optional<SmallVector<SortKey>> tw::stablehlo::findSortKeys(Region &region) {
  Block *block = blockOf(region);
  SmallVector<SortKey> keys;
  if (!block || block->back().getNumOperands() != 1 ||
      !matchOrder(block->back().getOperand(0), *block, keys, 0))
    return std::nullopt;
  return keys;
}

bool tw::stablehlo::isIdentity(DenseElementsAttr value, graph::CombineKind kind) {
  if (!value || value.getNumElements() != 1)
    return false;
  using Kind = graph::CombineKind;
  if (isa<FloatType>(value.getElementType())) {
    APFloat number = *value.getValues<APFloat>().begin();
    switch (kind) {
    case Kind::Add:
      return number.isZero();
    case Kind::Mul:
      return number.isExactlyValue(1.0);
    case Kind::Max:
      return number.isInfinity() && number.isNegative();
    case Kind::Min:
      return number.isInfinity() && !number.isNegative();
    default:
      return false;
    }
  }
  APInt number = *value.getValues<APInt>().begin();
  bool isUnsigned = value.getElementType().isUnsignedInteger() || number.getBitWidth() == 1;
  switch (kind) {
  case Kind::Add:
  case Kind::Any:
    return number.isZero();
  case Kind::Mul:
  case Kind::All:
    return number.isOne();
  case Kind::Max:
    return isUnsigned ? number.isMinValue() : number.isMinSignedValue();
  case Kind::Min:
    return isUnsigned ? number.isMaxValue() : number.isMaxSignedValue();
  }
  return false;
}
