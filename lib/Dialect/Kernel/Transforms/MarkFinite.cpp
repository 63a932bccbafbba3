// The pass kernel-mark-finite: says of loads that zero times what they give is zero.
#include "Cleaning.h"
#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Kernel/Access.h"
#include "tw/Dialect/Kernel/Finite.h"
#include "tw/Dialect/Kernel/Transforms/Passes.h"
#include "tw/Support/FileResolver.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/Endian.h"

namespace tw {
#define GEN_PASS_DEF_KERNELMARKFINITEPASS
#include "tw/Dialect/Kernel/Transforms/Passes.h.inc"
} // namespace tw

using namespace mlir;
using namespace tw;
using namespace tw::kernel;

LoadOp kernel::getExtendedLoad(Value operand) {
  while (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(operand.getDefiningOp()))
    operand = operand.getDefiningOp()->getOperand(0);
  return operand.getDefiningOp<LoadOp>();
}

namespace {

/// Whether no element has all bits of its exponent set.
template <typename T> bool hasFiniteBits(StringRef bytes, T exponent) {
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T))
    if ((llvm::support::endian::read<T>(bytes.data() + i, llvm::endianness::little) & exponent) ==
        exponent)
      return false;
  return true;
}

bool isFinite(Type type, StringRef bytes) {
  auto format = dyn_cast<FloatType>(type);
  if (!format)
    return false;
  unsigned width = format.getWidth(), fraction = format.getFPMantissaWidth() - 1;
  uint64_t exponent = llvm::maskTrailingOnes<uint64_t>(width - 1 - fraction) << fraction;
  if (width == 64)
    return hasFiniteBits<uint64_t>(bytes, exponent);
  if (width == 32)
    return hasFiniteBits<uint32_t>(bytes, uint32_t(exponent));
  return width == 16 && hasFiniteBits<uint16_t>(bytes, uint16_t(exponent));
}

/// Whether the load reads nothing at some points.
bool isPadded(KernelOp kernel, LoadOp load) {
  return load && !isTotal(load.getMap(), getExtents(kernel, load.getIndices()),
                          cast<RankedTensorType>(load.getSource().getType()));
}

struct KernelMarkFinite : tw::impl::KernelMarkFinitePassBase<KernelMarkFinite> {
  using KernelMarkFinitePassBase::KernelMarkFinitePassBase;

  void runOnOperation() override {
    FileResolver files(folder, named, followLinks);
    llvm::DenseMap<Value, bool> known;
    getOperation()->walk([&](ContractOp contract) {
      auto kernel = contract->getParentOfType<KernelOp>();
      for (auto [padded, other] : {std::pair(contract.getLhs(), contract.getRhs()),
                                   std::pair(contract.getRhs(), contract.getLhs())}) {
        LoadOp load = getExtendedLoad(other);
        if (!load || !isPadded(kernel, getExtendedLoad(padded)))
          continue;
        unsigned operand =
            cast<BlockArgument>(load.getSource()).getArgNumber() - kernel.getNumAxes();
        auto constant = kernel->getOperand(operand).getDefiningOp<graph::ConstantOp>();
        if (!constant)
          continue;
        auto [it, isNew] = known.insert({constant.getResult(), false});
        if (isNew)
          it->second = isFiniteConstant(constant, files);
        if (it->second)
          load->setAttr(finiteAttrName, UnitAttr::get(&getContext()));
      }
    });
  }

private:
  /// What cannot be read is not known; who needs it says so.
  bool isFiniteConstant(graph::ConstantOp constant, FileResolver &files) {
    Type type = cast<ShapedType>(constant.getType()).getElementType();
    if (auto file = dyn_cast<graph::FileAttr>(constant.getValue())) {
      if (finiteFiles || folder.empty())
        return finiteFiles;
      bool allFinite = true;
      llvm::Error error =
          files.visit(file.getName(), file.getOffset(), file.getLength(),
                      [&](StringRef piece) { return allFinite = isFinite(type, piece); });
      bool wasRead = !error;
      llvm::consumeError(std::move(error));
      return wasRead && allFinite;
    }
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || !isa<FloatType>(type))
      return false;
    ArrayRef<char> bytes = elements.getRawData();
    return isFinite(type, StringRef(bytes.data(), bytes.size()));
  }
};

} // namespace
