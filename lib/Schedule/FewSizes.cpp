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

/// The parts for calls in a range, as far as the function around says what they may be.
static OwningOpRef<func::FuncOp> makeForRange(KernelOp whole, const Parts &parts,
                                              const SizeRange &range, const SymbolFacts &facts) {
  OwningOpRef<func::FuncOp> made = parts.make(whole, [&](KernelOp kernel) {
    return narrow(kernel, range.symbol, range.least, range.most);
  });
  if (!made)
    return made;
  auto around = whole->getParentOfType<func::FuncOp>();
  for (StringRef name : {"tgraph.symbols", "tgraph.typical"})
    if (Attribute given = around->getAttr(name))
      (*made)->setAttr(name, given);
  SmallVector<Attribute> positions(facts.positions.begin(), facts.positions.end());
  (*made)->setAttr(positionsAttrName, ArrayAttr::get(whole.getContext(), positions));
  Builder builder(whole.getContext());
  NamedAttribute least(range.symbol, builder.getI64IntegerAttr(range.least));
  (*made)->setAttr(leastAttrName, builder.getDictionaryAttr(least));
  return made;
}

/// Whether the parts take much less than the whole at the most sizes of the range, each with lists
/// for these sizes alone, which are soon asked for.
static bool areMuchCheaper(KernelOp whole, const Parts &parts, const SizeRange &range,
                           const SymbolFacts &facts, const FewSizesPricing &pricing) {
  // Prices of one kernel and of three are not as good as of two lists, and code comes on top.
  constexpr double kMuchLess = 0.65;
  Sizes sizes = getRepresentatives(whole, facts, /*range=*/nullptr).front();
  sizes[range.symbol] = range.most;
  auto settle = [&](KernelOp kernel) {
    return instantiate(kernel, [&](StringAttr symbol) { return sizes.lookup(symbol); });
  };
  OwningOpRef<func::FuncOp> apart = parts.make(whole, settle);
  if (!apart)
    return false;
  pricing.join(apart->front());
  if (llvm::hasSingleElement(apart->front().getOps<KernelOp>()))
    return false;
  std::optional<double> before = pricing.price(*settle(whole));
  std::optional<double> after = priceBlock(apart->front(), pricing.price);
  return before && after && *after <= kMuchLess * *before;
}

std::vector<FewSizes> schedule::findFewSizes(KernelOp whole, const Parts &parts,
                                             const SymbolFacts &facts,
                                             const FewSizesPricing &pricing) {
  for (StringAttr symbol : getDecidingSymbols(whole, facts)) {
    // One size, and all others up to the end of a range.
    SmallVector<SizeRange, 2> ranges;
    SmallVector<SizeRange> classes = getClasses(whole, symbol);
    for (const SizeRange &range : ArrayRef(classes).drop_back()) {
      if (!areMuchCheaper(whole, parts, range, facts, pricing)) {
        // Of one point launches may be most of all.
        if (range.least == range.most)
          continue;
        break;
      }
      if (!ranges.empty() && ranges.back().most > ranges.back().least)
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
