// The pass threads-place-local-memory: alignment of local buffers, and the array whose size a
// launch gives.
#include "tw/Target/Common/Gpu.h"
#include "tw/Target/Common/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tw {
#define GEN_PASS_DEF_THREADSPLACELOCALMEMORYPASS
#include "tw/Target/Common/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

class ThreadsPlaceLocalMemoryPass
    : public tw::impl::ThreadsPlaceLocalMemoryPassBase<ThreadsPlaceLocalMemoryPass> {
public:
  using ThreadsPlaceLocalMemoryPassBase::ThreadsPlaceLocalMemoryPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (tw::getLocalBytes(kernel) > staticBytes)
        makeDynamic(kernel);
      Builder builder(&getContext());
      for (unsigned i = 0; i < kernel.getNumWorkgroupAttributions(); ++i)
        kernel.setWorkgroupAttributionAttr(
            i, LLVM::LLVMDialect::getAlignAttrName(),
            builder.getI64IntegerAttr(int64_t(tw::getLocalAlignment(kernel, i))));
    }
  }

private:
  /// One external array without a size: the loader puts what the launch asks for there. An internal
  /// one of size 0 (gpu.dynamic_shared_memory) would overlap others.
  memref::GlobalOp getArray(uint64_t alignment) {
    for (auto global : getOperation().getOps<memref::GlobalOp>()) {
      global.setAlignment(std::max(alignment, global.getAlignment().value_or(1)));
      return global;
    }
    auto builder = OpBuilder::atBlockBegin(getOperation().getBody());
    auto space = gpu::AddressSpaceAttr::get(&getContext(), gpu::AddressSpace::Workgroup);
    auto type = MemRefType::get({0}, builder.getI8Type(), MemRefLayoutAttrInterface(), space);
    return memref::GlobalOp::create(
        builder, getOperation().getLoc(), "local", StringAttr(), type, Attribute(),
        /*constant=*/false, builder.getI64IntegerAttr(int64_t(alignment)));
  }

  void makeDynamic(gpu::GPUFuncOp kernel) {
    uint64_t alignment = tw::localAlignment;
    for (unsigned i = 0; i < kernel.getNumWorkgroupAttributions(); ++i)
      alignment = std::max(alignment, tw::getLocalAlignment(kernel, i));
    memref::GlobalOp array = getArray(alignment);
    auto builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Location loc = kernel.getLoc();
    Value base = memref::GetGlobalOp::create(builder, loc, array.getType(), array.getSymName());
    uint64_t offset = 0;
    for (unsigned i = 0; i < kernel.getNumWorkgroupAttributions(); ++i) {
      BlockArgument local = kernel.getWorkgroupAttributions()[i];
      offset = llvm::alignTo(offset, tw::getLocalAlignment(kernel, i));
      auto type = cast<MemRefType>(local.getType());
      int64_t end = offset + tw::getLocalBytes(type);
      auto bytes = MemRefType::get({end}, builder.getI8Type(), MemRefLayoutAttrInterface(),
                                   array.getType().getMemorySpace());
      Value all = memref::ReinterpretCastOp::create(builder, loc, bytes, base, /*offset=*/0,
                                                    ArrayRef<int64_t>{end}, ArrayRef<int64_t>{1});
      Value at = arith::ConstantIndexOp::create(builder, loc, offset);
      local.replaceAllUsesWith(memref::ViewOp::create(builder, loc, type, all, at, ValueRange()));
      offset = end;
    }
    Block &entry = kernel.getBody().front();
    unsigned first = kernel.getNumArguments(), count = kernel.getNumWorkgroupAttributions();
    entry.eraseArguments(first, count);
    kernel->setAttr(kernel.getNumWorkgroupAttributionsAttrName(), builder.getI64IntegerAttr(0));
    kernel->removeAttr(kernel.getWorkgroupAttribAttrsAttrName());
  }
};

} // namespace
