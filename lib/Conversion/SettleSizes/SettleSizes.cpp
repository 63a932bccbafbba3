// The pass settle-sizes: values for symbols, in a program of any stage from kernels on.
#include "tw/Conversion/Passes.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Instance.h"
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Dialect/Tile/Tile.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringMap.h"

namespace tw {
#define GEN_PASS_DEF_SETTLESIZESPASS
#include "tw/Conversion/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;

namespace {

struct SettleSizes : public tw::impl::SettleSizesPassBase<SettleSizes> {
  using SettleSizesPassBase::SettleSizesPassBase;

  void runOnOperation() override {
    values.clear();
    unknown = "";
    hasChosen = false;
    for (StringRef text : sizes) {
      auto [name, value] = text.split('=');
      if (value.getAsInteger(10, values[name])) {
        tw::emitError(getOperation().getLoc(), Code::T0501)
            << "option sizes: expected NAME=VALUE, found '" << text << "'";
        return signalPassFailure();
      }
    }
    getOperation()->walk([&](launch::WhenOp choice) { settle(choice); });
    dropUnused();
    // What kernels are for some sizes, others perhaps.
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
      if (op.hasAttr(kernel::positionsAttrName))
        op.erase();
    getOperation()->walk([&](kernel::KernelOp kernel) { settle(kernel); });
    getOperation()->walk([&](tile::FuncOp program) { settle(program); });
    getOperation()->walk([&](launch::RepeatOp loop) { settle(loop); });
    getOperation()->walk([&](graph::ForOp loop) {
      if (std::optional<Dim> count = loop.getIterations())
        loop.setCountAttr(
            graph::DimsAttr::get(&getContext(), ArrayRef<Dim>(Dim(evaluate(*count, INT64_MAX)))));
    });
    settleTypes();
    if (unknown.empty())
      return;
    tw::emitError(getOperation().getLoc(), Code::T0501)
        << "option sizes: symbol '" << unknown << "' has no value, or sizes are not from 0 to the "
        << "most that they come to";
    signalPassFailure();
  }

private:
  llvm::StringMap<int64_t> values;
  std::string unknown;
  bool hasChosen = false;

  int64_t evaluate(const Dim &dim, int64_t most) {
    std::optional<int64_t> value = dim.evaluate([&](StringAttr name) -> std::optional<int64_t> {
      auto it = values.find(name.getValue());
      return it == values.end() ? std::nullopt : std::optional(it->second);
    });
    if (value && *value >= 0 && *value <= most)
      return *value;
    if (unknown.empty())
      unknown = dim.getTerms().empty() ? "" : dim.getTerms().front().first.str();
    return most;
  }

  /// The side for the sizes takes the choice's place.
  void settle(launch::WhenOp choice) {
    int64_t value = evaluate(Dim::symbol(choice.getSymbolAttr()), INT64_MAX);
    bool isWithin = int64_t(choice.getLeast()) <= value && value <= int64_t(choice.getMost());
    Block &side = (isWithin ? choice.getThenRegion() : choice.getElseRegion()).front();
    for (Operation &op : llvm::make_early_inc_range(side.without_terminator()))
      op.moveBefore(choice);
    hasChosen = true;
    choice.erase();
  }

  /// Kernels of sides that are gone, whose sizes are others.
  void dropUnused() {
    if (!hasChosen)
      return;
    llvm::DenseSet<StringAttr> used;
    getOperation()->walk(
        [&](launch::LaunchOp launch) { used.insert(launch.getKernelAttr().getAttr()); });
    for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
      if (auto function = dyn_cast<func::FuncOp>(op);
          (isa<tile::FuncOp>(op) || (function && function.isPrivate())) &&
          !used.contains(SymbolTable::getSymbolName(&op)))
        op.erase();
  }

  void settle(kernel::KernelOp kernel) {
    kernel->removeAttr(kernel::variantsAttrName);
    kernel->removeAttr(kernel::apartAttrName);
    SmallVector<kernel::Extent> axes;
    for (unsigned i = 0; i < kernel.getNumAxes(); ++i)
      axes.emplace_back(evaluate(kernel.getSize(i), kernel.getExtents()[i]));
    kernel.setAxes(axes, kernel.getAxisNames().getValue());
    for (auto size : llvm::make_early_inc_range(kernel.getBody().getOps<kernel::SizeOp>())) {
      OpBuilder builder(size);
      int64_t value = evaluate(size.getDim(), INT64_MAX);
      size.replaceAllUsesWith(
          arith::ConstantIndexOp::create(builder, size.getLoc(), value).getResult());
      size.erase();
    }
  }

  void settle(launch::RepeatOp loop) {
    if (std::optional<Dim> count = loop.getIterations(); count && !count->isStatic())
      loop.setCountAttr(
          view::SizesAttr::get(loop.getContext(), ArrayRef<Dim>(Dim(evaluate(*count, INT64_MAX)))));
  }

  void settle(tile::FuncOp program) {
    if (!program.getSymbols())
      return;
    Block &body = program.getBody().front();
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    for (unsigned i = program.getNumSymbols(); i-- > 0;) {
      auto name = cast<StringAttr>((*program.getSymbols())[i]);
      int64_t value = evaluate(Dim::symbol(name), INT64_MAX);
      BlockArgument argument = program.getSymbol(i);
      argument.replaceAllUsesWith(arith::ConstantIndexOp::create(builder, program.getLoc(), value));
      body.eraseArgument(argument.getArgNumber());
    }
    if (view::SizesAttr sizes = program.getGridSizesAttr()) {
      SmallVector<int64_t> grid;
      for (auto [most, size, step] :
           llvm::zip(program.getGrid(), sizes.getSizes(), *program.getGridSteps()))
        grid.push_back(llvm::divideCeil(evaluate(size, most * step), step));
      program.setGrid(grid);
    }
    SmallVector<Attribute> types(program.getBufferTypes().getValue());
    for (auto [i, attribute] : llvm::enumerate(program.getBufferSizesAttr())) {
      auto sizes = dyn_cast<view::SizesAttr>(attribute);
      if (!sizes)
        continue;
      auto type = cast<MemRefType>(program.getBuffer(i).getType());
      int64_t elements = 1;
      for (const Dim &size : sizes.getStorageSizes())
        elements *= evaluate(size, type.getNumElements());
      type = MemRefType::get({elements}, type.getElementType());
      types[i] = TypeAttr::get(type);
      program.getBuffer(i).setType(type);
    }
    program.setBufferTypesAttr(builder.getArrayAttr(types));
    for (StringAttr name : {program.getSymbolsAttrName(), program.getGridSizesAttrName(),
                            program.getGridStepsAttrName(), program.getBufferSizesAttrName(),
                            program.getSymbolLimitsAttrName()})
      program->removeAttr(name);
  }

  void settleTypes() {
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](RankedTensorType type) -> Type {
      if (!view::hasSymbols(type))
        return type;
      SmallVector<int64_t> shape;
      for (auto [most, size] : llvm::zip(type.getShape(), view::getSizes(type)))
        shape.push_back(evaluate(size, most));
      return RankedTensorType::get(shape, type.getElementType());
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false, /*replaceTypes=*/true);
    // A plan of the arena was for other sizes.
    getOperation()->walk([&](launch::FuncOp program) {
      program->removeAttr(program.getArenaBytesAttrName());
      program->removeAttr(program.getLiveBytesAttrName());
    });
  }
};

} // namespace
