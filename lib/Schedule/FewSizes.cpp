// Which kernels are joined is decided for the most points. Where there are few, three products and
// sums may take less one after the other: scores of two queries fit into registers, and a list that
// stages them does not pay.
#include "FewSizes.h"

#include "Instances.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;
using namespace tw::schedule;

Parts::Parts(mlir::Block &block) {
  IRMapping mapping;
  for (auto kernel : block.getOps<KernelOp>()) {
    for (Value operand : kernel.getOperands())
      if (!mapping.contains(operand)) {
        mapping.map(operand, copies.addArgument(operand.getType(), operand.getLoc()));
        copyOf[operand] = mapping.lookup(operand);
      }
    auto copy = cast<KernelOp>(kernel->clone(mapping));
    copies.push_back(copy);
    for (auto [value, own] : llvm::zip(kernel->getResults(), copy->getResults()))
      copyOf[value] = own;
    partsOf[kernel] = {copy};
  }
}

void Parts::join(KernelOp whole, ArrayRef<KernelOp> kernels) {
  SmallVector<KernelOp, 1> all;
  for (KernelOp kernel : kernels) {
    llvm::append_range(all, partsOf.lookup(kernel));
    partsOf.erase(kernel);
  }
  llvm::sort(all, [](KernelOp a, KernelOp b) { return a->isBeforeInBlock(b); });
  partsOf[whole] = std::move(all);
}

void Parts::replace(Value value, Value by) { copyOf[by] = copyOf.lookup(value); }

OwningOpRef<func::FuncOp> Parts::make(KernelOp whole, ChangeSizes change) const {
  SmallVector<KernelOp, 1> parts = partsOf.lookup(whole);
  Value made = copyOf.lookup(whole->getResult(0));
  if (parts.size() < 2 || !made)
    return nullptr;
  OpBuilder builder(whole.getContext());
  OwningOpRef<KernelOp> changed = change(whole);
  SmallVector<Type> types;
  for (unsigned i = 0; i < whole.getNumOperands(); ++i)
    types.push_back((*changed).getOperandArgument(i).getType());
  OwningOpRef<func::FuncOp> function =
      func::FuncOp::create(whole.getLoc(), (whole.getSymHint().value_or("kernel") + "_apart").str(),
                           builder.getFunctionType(types, (*changed)->getResultTypes()));
  function->setPrivate();
  mlir::Block *body = function->addEntryBlock();
  IRMapping mapping;
  for (auto [operand, argument] : llvm::zip(whole.getOperands(), body->getArguments()))
    if (Value copy = copyOf.lookup(operand); copy && !mapping.contains(copy))
      mapping.map(copy, argument);
  for (KernelOp part : parts) {
    KernelOp own = change(part).release();
    body->push_back(own);
    for (OpOperand &operand : own->getOpOperands()) {
      if (!mapping.contains(operand.get()))
        return nullptr;
      operand.set(mapping.lookup(operand.get()));
    }
    mapping.map(part->getResults(), own->getResults());
  }
  builder.setInsertionPointToEnd(body);
  if (!mapping.contains(made) ||
      mapping.lookup(made).getType() != function->getFunctionType().getResult(0))
    return nullptr;
  func::ReturnOp::create(builder, whole.getLoc(), mapping.lookup(made));
  return function;
}

bool schedule::mayBeApart(KernelOp whole) {
  return whole->getNumResults() == 1 && !whole.findUpdated(0) &&
         llvm::range_size(whole.getBody().getOps<ContractOp>()) > 1;
}

/// The sum over the kernels of the block.
static std::optional<double>
priceBlock(mlir::Block &block, llvm::function_ref<std::optional<double>(kernel::KernelOp)> price) {
  double all = 0;
  for (auto kernel : block.getOps<KernelOp>()) {
    std::optional<double> own = price(kernel);
    if (!own)
      return std::nullopt;
    all += *own;
  }
  return all;
}

/// What the function around a kernel says of its sizes, on one that holds its parts in a range.
static void copyFacts(KernelOp whole, const SizeRange &range, const SymbolFacts &facts,
                      func::FuncOp made) {
  auto around = whole->getParentOfType<func::FuncOp>();
  for (StringRef name : {"tgraph.symbols", "tgraph.typical"})
    if (Attribute given = around->getAttr(name))
      made->setAttr(name, given);
  SmallVector<Attribute> positions(facts.positions.begin(), facts.positions.end());
  made->setAttr(positionsAttrName, ArrayAttr::get(whole.getContext(), positions));
  Builder builder(whole.getContext());
  NamedAttribute least(range.symbol, builder.getI64IntegerAttr(range.least));
  made->setAttr(leastAttrName, builder.getDictionaryAttr(least));
}

KernelOp schedule::makeApart(KernelOp kernel, const RangeCandidate &list, ModuleOp module) {
  const SizeRange &range = list.range;
  KernelOp own = narrow(kernel, range.symbol, range.least, range.most).release();
  SmallVector<Type> types;
  for (unsigned i = 0; i < own.getNumOperands(); ++i)
    types.push_back(own.getOperandArgument(i).getType());
  OpBuilder builder(kernel.getContext());
  auto function = func::FuncOp::create(kernel.getLoc(),
                                       (kernel.getSymHint().value_or("kernel") + "_many").str(),
                                       builder.getFunctionType(types, own->getResultTypes()));
  function.setPrivate();
  mlir::Block *body = function.addEntryBlock();
  body->push_back(own);
  own->setOperands(body->getArguments());
  builder.setInsertionPointToEnd(body);
  func::ReturnOp::create(builder, kernel.getLoc(), own->getResults());
  copyFacts(kernel, range, SymbolFacts(kernel), function);
  SymbolTable(module).insert(function);
  own->removeAttr(variantsAttrName);
  giveNames(own, list.candidate.names);
  own.setScheduleAttr(list.candidate.schedule);
  return own;
}

/// The parts for calls in a range, as far as the function around says what they may be.
static OwningOpRef<func::FuncOp> makeForRange(KernelOp whole, const Parts &parts,
                                              const SizeRange &range, const SymbolFacts &facts) {
  OwningOpRef<func::FuncOp> made = parts.make(whole, [&](KernelOp kernel) {
    return narrow(kernel, range.symbol, range.least, range.most);
  });
  if (made)
    copyFacts(whole, range, facts, *made);
  return made;
}

/// What the parts take of the whole at so many points, each with lists for these alone, which are
/// soon asked for; nothing where they are one kernel again, or have no price.
static std::optional<double> getShare(KernelOp whole, const Parts &parts, StringAttr symbol,
                                      int64_t points, const SymbolFacts &facts,
                                      const FewSizesPricing &pricing) {
  Sizes sizes = getRepresentatives(whole, facts, /*range=*/nullptr).front();
  sizes[symbol] = points;
  auto settle = [&](KernelOp kernel) {
    return instantiate(kernel, [&](StringAttr name) { return sizes.lookup(name); });
  };
  OwningOpRef<func::FuncOp> apart = parts.make(whole, settle);
  if (!apart)
    return std::nullopt;
  pricing.join(apart->front());
  if (llvm::hasSingleElement(apart->front().getOps<KernelOp>()))
    return std::nullopt;
  std::optional<double> before = pricing.price(*settle(whole));
  std::optional<double> after = priceBlock(apart->front(), pricing.price);
  if (!before || !after || *before <= 0)
    return std::nullopt;
  return *after / *before;
}

/// Whether the parts take much less than the whole at the most points of the range, or, where these
/// are few, less in the mean of the fewest and the most: tiles of the whole are those of the most.
static bool areMuchCheaper(KernelOp whole, const Parts &parts, const SizeRange &range,
                           const SymbolFacts &facts, const FewSizesPricing &pricing) {
  // Prices of one kernel and of three are not as good as of two lists, and code comes on top.
  constexpr double kMuchLess = 0.65, kLess = 0.75;
  constexpr int64_t kMostPoints = 16;
  auto getAt = [&](int64_t points) {
    return getShare(whole, parts, range.symbol, points, facts, pricing);
  };
  std::optional<double> most = getAt(range.most);
  if (!most || *most <= kMuchLess || *most >= 1 || range.most > kMostPoints)
    return most && *most <= kMuchLess;
  std::optional<double> least = getAt(range.least);
  return least && *least * *most <= kLess * kLess;
}

std::vector<FewSizes> schedule::findFewSizes(KernelOp whole, const Parts &parts,
                                             const SymbolFacts &facts,
                                             const FewSizesPricing &pricing) {
  for (StringAttr symbol : getDecidingSymbols(whole, facts)) {
    // One size, all others up to a few, and more in ranges of their own.
    constexpr int64_t kFew = 8;
    SmallVector<SizeRange, 3> ranges;
    SmallVector<SizeRange> classes = getClasses(whole, symbol);
    for (const SizeRange &range : ArrayRef(classes).drop_back()) {
      if (!areMuchCheaper(whole, parts, range, facts, pricing)) {
        // Of one point launches may be most of all.
        if (range.least == range.most)
          continue;
        break;
      }
      if (!ranges.empty() && ranges.back().most > ranges.back().least && range.most <= kFew)
        ranges.back().most = range.most;
      else
        ranges.push_back(range);
    }
    std::vector<FewSizes> found;
    for (const SizeRange &range : ranges) {
      OwningOpRef<func::FuncOp> apart = makeForRange(whole, parts, range, facts);
      if (!apart)
        return {};
      found.push_back({range, std::move(apart)});
    }
    for (FewSizes &each : found)
      pricing.join(each.parts->front());
    if (!found.empty())
      return found;
  }
  return {};
}
