// Sizes settled in a copy of a kernel.
#include "tw/Dialect/Kernel/Instance.h"

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

/// What has sizes: each extent of the axes and of the tensors.
static SmallVector<Extent> getAllExtents(KernelOp kernel) {
  SmallVector<Extent> all;
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
    all.push_back(kernel.getExtent(i));
  for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
    llvm::append_range(all,
                       getExtents(cast<RankedTensorType>(kernel.getOperandArgument(i).getType())));
  for (Type type : kernel->getResultTypes())
    llvm::append_range(all, getExtents(cast<RankedTensorType>(type)));
  return all;
}

SmallVector<StringAttr> kernel::getSymbols(KernelOp kernel) {
  SmallVector<StringAttr> symbols;
  auto note = [&](const Dim &size) {
    for (auto [name, factor] : size.getTerms())
      if (!llvm::is_contained(symbols, name))
        symbols.push_back(name);
  };
  for (const Extent &extent : getAllExtents(kernel))
    note(extent.size);
  for (auto size : kernel.getBody().getOps<SizeOp>())
    note(size.getDim());
  llvm::sort(symbols, [](StringAttr a, StringAttr b) { return a.getValue() < b.getValue(); });
  return symbols;
}

std::optional<int64_t> kernel::getMost(KernelOp kernel, StringAttr symbol) {
  for (const Extent &extent : getAllExtents(kernel))
    if (extent.size == Dim::symbol(symbol))
      return extent.most;
  return std::nullopt;
}

bool kernel::isSettled(KernelOp kernel, unsigned axis) {
  auto settled = kernel->getAttrOfType<DenseI64ArrayAttr>(settledAttrName);
  return kernel.isSymbolic(axis) ||
         (settled && llvm::is_contained(settled.asArrayRef(), int64_t(axis)));
}

OwningOpRef<KernelOp> kernel::instantiate(KernelOp kernel,
                                          llvm::function_ref<int64_t(StringAttr)> valueOf) {
  auto settle = [&](const Extent &extent) {
    auto value =
        extent.size.evaluate([&](StringAttr name) { return std::optional(valueOf(name)); });
    return Extent(std::clamp<int64_t>(value.value_or(extent.most), 0, extent.most));
  };
  auto settleType = [&](Type type) -> Type {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<Extent> extents = getExtents(tensor);
    for (Extent &extent : extents)
      extent = settle(extent);
    return getTensorType(extents, tensor.getElementType());
  };
  KernelOp copy = kernel.clone();
  SmallVector<Extent> axes;
  SmallVector<int64_t> settled;
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i) {
    axes.push_back(settle(kernel.getExtent(i)));
    if (kernel.isSymbolic(i))
      settled.push_back(i);
  }
  if (!settled.empty())
    copy->setAttr(settledAttrName, DenseI64ArrayAttr::get(kernel.getContext(), settled));
  copy.setAxes(axes, copy.getAxisNames().getValue());
  for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
    copy.getOperandArgument(i).setType(settleType(copy.getOperandArgument(i).getType()));
  for (OpResult result : copy->getResults())
    result.setType(settleType(result.getType()));
  for (auto size : llvm::make_early_inc_range(copy.getBody().getOps<SizeOp>())) {
    OpBuilder builder(size);
    Extent value = settle({INT64_MAX, size.getDim()});
    size.replaceAllUsesWith(
        arith::ConstantIndexOp::create(builder, size.getLoc(), value.most).getResult());
    size.erase();
  }
  return copy;
}
