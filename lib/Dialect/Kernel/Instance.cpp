// Sizes settled in a copy of a kernel.
#include "tw/Dialect/Kernel/Instance.h"

#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/MadeOnce.h"
#include "tw/Dialect/Kernel/ValueName.h"
#include "tw/Support/SizeProducts.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SmallPtrSet.h"

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
  std::optional<int64_t> least;
  for (const Extent &extent : getAllExtents(kernel)) {
    int64_t factor = 0;
    bool isSum = true;
    for (auto [name, each] : extent.size.getTerms()) {
      factor = name == symbol ? each : factor;
      isSum &= each > 0;
    }
    // No size is below zero, so all others of a sum leave the symbol at most the whole.
    if (factor == 0 || !isSum)
      continue;
    int64_t most = (extent.most - extent.size.getConstant()) / factor;
    least = std::min(least.value_or(most), most);
  }
  return least;
}

bool kernel::isSettled(KernelOp kernel, unsigned axis) {
  auto settled = kernel->getAttrOfType<DenseI64ArrayAttr>(settledAttrName);
  return kernel.isSymbolic(axis) ||
         (settled && llvm::is_contained(settled.asArrayRef(), int64_t(axis)));
}

bool kernel::isSettled(KernelOp kernel) {
  return llvm::any_of(llvm::seq(kernel.getNumAxes()),
                      [&](unsigned axis) { return isSettled(kernel, axis); });
}

using ChangeExtent = llvm::function_ref<Extent(const Extent &)>;

/// A copy of the kernel with each extent and each tensor changed, and each size in its body.
static OwningOpRef<KernelOp> change(KernelOp kernel, ChangeExtent changeExtent,
                                    llvm::function_ref<Type(RankedTensorType)> changeType) {
  KernelOp copy = kernel.clone();
  SmallVector<Extent> axes;
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
    axes.push_back(changeExtent(kernel.getExtent(i)));
  copy.setAxes(axes, copy.getAxisNames().getValue());
  auto changeValue = [&](Value value) {
    value.setType(changeType(cast<RankedTensorType>(value.getType())));
  };
  for (unsigned i = 0; i < kernel.getNumOperands(); ++i)
    changeValue(copy.getOperandArgument(i));
  llvm::for_each(copy->getResults(), changeValue);
  for (auto size : llvm::make_early_inc_range(copy.getBody().getOps<SizeOp>())) {
    OpBuilder builder(size);
    Extent value = changeExtent({INT64_MAX, size.getDim()});
    if (value.isFixed()) {
      size.replaceAllUsesWith(
          arith::ConstantIndexOp::create(builder, size.getLoc(), value.most).getResult());
      size.erase();
    } else if (value.size != size.getDim()) {
      size.setSizeAttr(view::SizesAttr::get(size.getContext(), ArrayRef<Dim>(value.size)));
      if (auto below = size->getAttrOfType<view::SizesAttr>(belowAttrName)) {
        Extent around = changeExtent({INT64_MAX, below.getSizes().front()});
        size->setAttr(belowAttrName,
                      view::SizesAttr::get(size.getContext(), ArrayRef<Dim>(around.size)));
      }
    }
  }
  return copy;
}

OwningOpRef<KernelOp> kernel::instantiate(KernelOp kernel,
                                          llvm::function_ref<int64_t(StringAttr)> valueOf) {
  auto settle = [&](const Extent &extent) {
    auto value =
        extent.size.evaluate([&](StringAttr name) { return std::optional(valueOf(name)); });
    return Extent(std::clamp<int64_t>(value.value_or(extent.most), 0, extent.most));
  };
  OwningOpRef<KernelOp> copy = change(kernel, settle, [&](RankedTensorType tensor) {
    SmallVector<Extent> extents = getExtents(tensor);
    for (Extent &extent : extents)
      extent = settle(extent);
    return getTensorType(extents, tensor.getElementType());
  });
  SmallVector<int64_t> settled;
  for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
    if (kernel.isSymbolic(i))
      settled.push_back(i);
  if (!settled.empty())
    (*copy)->setAttr(settledAttrName, DenseI64ArrayAttr::get(kernel.getContext(), settled));
  return copy;
}

OwningOpRef<KernelOp> kernel::narrow(KernelOp kernel, StringAttr symbol, int64_t least,
                                     int64_t most) {
  auto narrowed = [&](const Extent &extent) -> Extent {
    if (least == most)
      if (std::optional<Dim> size = substitute(extent.size, [&](StringAttr name) {
            return name == symbol ? std::optional(most) : std::nullopt;
          }))
        return size->isStatic() ? Extent(size->getConstant()) : Extent(extent.most, *size);
    int64_t factor = 0;
    for (auto [name, each] : extent.size.getTerms())
      if (name == symbol)
        factor = each;
    Dim others = extent.size + Dim::symbol(symbol, -factor);
    int64_t points = 0;
    if (factor == 0 || llvm::MulOverflow(factor, most, points) ||
        llvm::AddOverflow(points, others.getConstant(), points))
      return extent;
    bool isKnown = others.isStatic() && factor > 0;
    return Extent(isKnown ? std::min(extent.most, points) : extent.most, extent.size);
  };
  return change(kernel, narrowed, [&](RankedTensorType tensor) -> Type {
    if (!view::hasSymbols(tensor))
      return tensor;
    SmallVector<int64_t> shape;
    SmallVector<Dim> sizes, storage;
    for (auto [extent, room] : llvm::zip(getExtents(tensor), view::getStorageSizes(tensor))) {
      Extent own = narrowed(extent);
      shape.push_back(own.most);
      sizes.push_back(own.size);
      storage.push_back(narrowed({INT64_MAX, room}).size);
    }
    if (!view::hasRoom(tensor))
      return view::getTensorType(shape, sizes, tensor.getElementType());
    // Where it lies in memory is said beside sizes that change alone.
    bool isFixed = llvm::all_of(sizes, [](const Dim &size) { return size.isStatic(); });
    return isFixed ? tensor : view::getTensorType(shape, sizes, tensor.getElementType(), storage);
  });
}

static Variant readRange(DictionaryAttr entries) {
  Variant variant{entries.getAs<StringAttr>("symbol"), entries.getAs<IntegerAttr>("least").getInt(),
                  entries.getAs<IntegerAttr>("most").getInt()};
  variant.apart = entries.getAs<FlatSymbolRefAttr>("apart");
  return variant;
}

static DictionaryAttr writeRange(Builder &builder, const Variant &variant,
                                 ArrayRef<NamedAttribute> others) {
  SmallVector<NamedAttribute> entries(others);
  entries.push_back(builder.getNamedAttr("symbol", variant.symbol));
  entries.push_back(builder.getNamedAttr("least", builder.getI64IntegerAttr(variant.least)));
  entries.push_back(builder.getNamedAttr("most", builder.getI64IntegerAttr(variant.most)));
  if (variant.apart)
    entries.push_back(builder.getNamedAttr("apart", variant.apart));
  return builder.getDictionaryAttr(entries);
}

SmallVector<Variant> kernel::getVariants(KernelOp kernel, StringRef attrName) {
  SmallVector<Variant> variants;
  auto all = kernel->getAttrOfType<ArrayAttr>(attrName);
  for (Attribute attribute : all ? all.getValue() : ArrayRef<Attribute>()) {
    auto entries = cast<DictionaryAttr>(attribute);
    Variant variant = readRange(entries);
    variants.push_back(variant);
    if (variant.apart)
      continue;
    variants.back().schedule = entries.getAs<ScheduleAttr>("schedule");
    for (auto [position, name] :
         llvm::zip(entries.getAs<DenseI64ArrayAttr>("positions").asArrayRef(),
                   entries.getAs<ArrayAttr>("names")))
      variants.back().names.push_back({unsigned(position), cast<StringAttr>(name)});
  }
  return variants;
}

void kernel::setVariants(KernelOp kernel, ArrayRef<Variant> variants, StringRef attrName) {
  Builder builder(kernel.getContext());
  SmallVector<Attribute> all;
  for (const Variant &variant : variants) {
    if (variant.apart) {
      all.push_back(writeRange(builder, variant, {}));
      continue;
    }
    SmallVector<int64_t> positions;
    SmallVector<Attribute> names;
    for (auto [position, name] : variant.names) {
      positions.push_back(position);
      names.push_back(name);
    }
    all.push_back(
        writeRange(builder, variant,
                   {builder.getNamedAttr("schedule", variant.schedule),
                    builder.getNamedAttr("positions", builder.getDenseI64ArrayAttr(positions)),
                    builder.getNamedAttr("names", builder.getArrayAttr(names))}));
  }
  kernel->setAttr(attrName, builder.getArrayAttr(all));
}

OwningOpRef<KernelOp> kernel::makeVariant(KernelOp kernel, const Variant &variant) {
  OwningOpRef<KernelOp> copy = narrow(kernel, variant.symbol, variant.least, variant.most);
  (*copy)->removeAttr(variantsAttrName);
  (*copy).setScheduleAttr(variant.schedule);
  // No two values have one name.
  for (Operation &op : (*copy).getBody().front())
    if (llvm::any_of(variant.names,
                     [&](const auto &own) { return own.second == getValueName(&op); }))
      op.removeAttr(valueNameAttrName);
  SmallVector<Operation *> ops(llvm::make_pointer_range((*copy).getBody().front()));
  for (auto [position, name] : variant.names)
    setValueName(ops[position], name);
  return copy;
}

/// Kernels that read the largest constant that this one reads.
static int64_t countReadersOfConstant(KernelOp kernel) {
  Value largest;
  int64_t most = 0;
  for (Value operand : kernel->getOperands())
    if (auto type = dyn_cast<RankedTensorType>(operand.getType());
        type && type.hasStaticShape() && isMadeOnce(operand))
      if (int64_t bits = type.getNumElements() * type.getElementTypeBitWidth(); bits > most) {
        most = bits;
        largest = operand;
      }
  llvm::SmallPtrSet<Operation *, 8> readers;
  if (largest)
    for (Operation *user : largest.getUsers())
      if (isa<KernelOp>(user))
        readers.insert(user);
  return int64_t(readers.size());
}

static void markRepeated(KernelOp kernel) {
  // Of so many most find a constant where the first one has left it.
  constexpr int64_t kMany = 4;
  if (kernel->getParentOfType<LoopLikeOpInterface>() || countReadersOfConstant(kernel) >= kMany)
    kernel->setAttr(repeatedAttrName, UnitAttr::get(kernel.getContext()));
}

/// Of those whose sizes are fixed.
static int64_t countBytes(TypeRange types) {
  int64_t bytes = 0;
  for (Type each : types)
    if (auto type = dyn_cast<RankedTensorType>(each);
        type && type.hasStaticShape() && !view::hasSymbols(type) &&
        type.getElementType().isIntOrFloat())
      bytes += type.getNumElements() * int64_t(type.getElementTypeBitWidth()) / 8;
  return bytes;
}

/// Bytes of all that a call of the function takes and gives, and of its constants.
static int64_t countBytesOfCall(FunctionOpInterface function) {
  int64_t bytes = countBytes(function.getArgumentTypes()) + countBytes(function.getResultTypes());
  for (Operation &op : function.getFunctionBody().front())
    if (op.hasTrait<OpTrait::ConstantLike>())
      bytes += countBytes(op.getResultTypes());
  return bytes;
}

void tw::kernel::markMemory(Block &block) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(block.getParentOp());
  bool isBody = function && block.isEntryBlock();
  int64_t all = isBody ? countBytesOfCall(function) : 0;
  auto isReadOnce = [&](Value tensor) {
    llvm::SmallPtrSet<Operation *, 2> readers(tensor.user_begin(), tensor.user_end());
    return readers.size() == 1;
  };
  for (auto kernel : block.getOps<KernelOp>()) {
    if (kernel.getSchedule())
      continue;
    markRepeated(kernel);
    for (auto [i, operand] : llvm::enumerate(kernel.getOperands())) {
      if (!isBody || !isa<BlockArgument>(operand) || !isReadOnce(operand))
        continue;
      auto between = IntegerAttr::get(IntegerType::get(function->getContext(), 64),
                                      all - countBytes(operand.getType()));
      for (Operation *user : kernel.getOperandArgument(i).getUsers())
        if (isa<LoadOp>(user))
          user->setAttr(betweenAttrName, between);
    }
  }
}

void tw::kernel::unmarkMemory(Block &block) {
  for (auto kernel : block.getOps<KernelOp>()) {
    kernel->removeAttr(repeatedAttrName);
    for (auto load : kernel.getBody().getOps<LoadOp>())
      load->removeAttr(betweenAttrName);
  }
}
