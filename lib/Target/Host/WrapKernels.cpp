// The pass host-wrap-kernels: the runtime's calling convention around each kernel's body.
#include "tw/Format/HostAbi.h"
#include "tw/Target/Host/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cstddef>

namespace tw {
#define GEN_PASS_DEF_HOSTWRAPKERNELSPASS
#include "tw/Target/Host/Passes.h.inc"
} // namespace tw

using namespace mlir;

namespace {

/// llvm.func @k(%x: !llvm.ptr, .., %i: i64, ..) {tw.grid}
///   -> llvm.func internal @k.program(..)
///      llvm.func @k(%launch: !llvm.ptr, %begin: i32, %end: i32, %scratch: !llvm.ptr)
/// Behind its buffers and coordinates the body takes, where it says so, the scratch memory of the
/// thread and of the team, and the team.
class Wrapper {
public:
  Wrapper(LLVM::LLVMFuncOp body, ArrayRef<int64_t> grid)
      : body(body), grid(grid), hasScratch(body->removeAttr(tw::host::scratchAttribute) != nullptr),
        hasShared(body->removeAttr(tw::host::sharedAttribute) != nullptr),
        hasTeam(body->removeAttr(tw::host::teamAttribute) != nullptr), location(body.getLoc()),
        builder(body.getContext()), pointer(LLVM::LLVMPointerType::get(body.getContext())),
        i32(builder.getI32Type()), i64(builder.getI64Type()) {}

  void wrap() {
    std::string name = body.getSymName().str();
    body.setSymName(name + ".program");
    body.setLinkage(LLVM::Linkage::Internal);
    body.setAlwaysInline(true);
    builder.setInsertionPointAfter(body);
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()),
                                            {pointer, i32, i32, pointer});
    auto kernel = LLVM::LLVMFuncOp::create(builder, location, name, type);

    Block *entry = kernel.addEntryBlock(builder);
    Block *head = builder.createBlock(&kernel.getBody(), kernel.getBody().end(), {i64}, {location});
    Block *step = builder.createBlock(&kernel.getBody(), kernel.getBody().end());
    Block *exit = builder.createBlock(&kernel.getBody(), kernel.getBody().end());

    builder.setInsertionPointToStart(entry);
    SmallVector<Value> arguments = loadBuffers(entry->getArgument(0)), last;
    if (hasScratch)
      last.push_back(entry->getArgument(3));
    if (hasTeam) {
      Value team = loadPointer(entry->getArgument(0), offsetof(TwrtHostLaunch, team));
      if (hasShared)
        last.push_back(loadPointer(team, offsetof(TwrtHostTeam, shared)));
      last.push_back(team);
    }
    Value begin = LLVM::ZExtOp::create(builder, location, i64, entry->getArgument(1));
    Value end = LLVM::ZExtOp::create(builder, location, i64, entry->getArgument(2));
    LLVM::BrOp::create(builder, location, ValueRange(begin), head);

    builder.setInsertionPointToStart(head);
    Value id = head->getArgument(0);
    Value more = LLVM::ICmpOp::create(builder, location, LLVM::ICmpPredicate::ult, id, end);
    LLVM::CondBrOp::create(builder, location, more, step, exit);

    builder.setInsertionPointToStart(step);
    llvm::append_range(arguments, coordinates(id));
    llvm::append_range(arguments, last);
    LLVM::CallOp::create(builder, location, body, arguments);
    LLVM::BrOp::create(builder, location,
                       ValueRange(LLVM::AddOp::create(builder, location, id, constant(1))), head);

    builder.setInsertionPointToStart(exit);
    if (hasStreams())
      LLVM::FenceOp::create(builder, location, LLVM::AtomicOrdering::seq_cst);
    LLVM::ReturnOp::create(builder, location, ValueRange());
  }

private:
  LLVM::LLVMFuncOp body;
  ArrayRef<int64_t> grid;
  bool hasScratch, hasShared, hasTeam;
  Location location;
  OpBuilder builder;
  Type pointer, i32, i64;

  /// Stores past the caches become visible to other threads at a fence.
  bool hasStreams() {
    return body
        .walk([](LLVM::StoreOp store) {
          return store.getNontemporal() ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, location, i64, builder.getI64IntegerAttr(value));
  }

  Value loadPointer(Value from, size_t offset) {
    Value place = LLVM::GEPOp::create(builder, location, pointer, builder.getI8Type(), from,
                                      ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    return LLVM::LoadOp::create(builder, location, pointer, place);
  }

  /// The buffers: the first field of the launch points at an array of pointers.
  SmallVector<Value> loadBuffers(Value launch) {
    Value bindings = LLVM::LoadOp::create(builder, location, pointer, launch);
    SmallVector<Value> buffers;
    size_t others = grid.size() + hasScratch + hasShared + hasTeam;
    for (unsigned i = 0; i + others < body.getNumArguments(); ++i) {
      Value place = LLVM::GEPOp::create(builder, location, pointer, pointer, bindings,
                                        ArrayRef<LLVM::GEPArg>{int32_t(i)});
      buffers.push_back(LLVM::LoadOp::create(builder, location, pointer, place));
    }
    return buffers;
  }

  /// Coordinates in the grid, the last dimension fastest.
  SmallVector<Value> coordinates(Value id) {
    SmallVector<Value> result(grid.size());
    for (size_t i = grid.size(); i-- > 0;) {
      if (i == 0) {
        result[i] = id;
      } else if (grid[i] == 1) {
        result[i] = constant(0);
      } else {
        Value extent = constant(grid[i]);
        result[i] = LLVM::URemOp::create(builder, location, id, extent);
        id = LLVM::UDivOp::create(builder, location, id, extent);
      }
    }
    return result;
  }
};

/// Upstream's lowering of loops leaves what they are annotated with as a discardable attribute.
void setLoopAnnotations(LLVM::LLVMFuncOp function) {
  function.walk([](LLVM::BrOp branch) {
    if (auto annotation = dyn_cast_or_null<LLVM::LoopAnnotationAttr>(
            branch->removeDiscardableAttr(tw::host::loopAttribute)))
      branch.setLoopAnnotationAttr(annotation);
  });
}

class HostWrapKernelsPass : public tw::impl::HostWrapKernelsPassBase<HostWrapKernelsPass> {
public:
  using HostWrapKernelsPassBase::HostWrapKernelsPassBase;

  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<LLVM::LLVMFuncOp>())) {
      auto grid = function->getAttrOfType<DenseI64ArrayAttr>(tw::host::gridAttribute);
      if (!grid)
        continue;
      function->removeAttr(tw::host::gridAttribute);
      setLoopAnnotations(function);
      Wrapper(function, grid).wrap();
    }
  }
};

} // namespace
