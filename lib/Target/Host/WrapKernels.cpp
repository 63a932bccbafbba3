// The pass host-wrap-kernels: the runtime's calling convention around each kernel's body.
#include "tw/Dialect/View/View.h"
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
      : body(body), grid(grid),
        symbols(dyn_cast_or_null<ArrayAttr>(body->removeAttr(tw::host::symbolsAttribute))),
        sizes(dyn_cast_or_null<tw::view::SizesAttr>(
            body->removeAttr(tw::host::gridSizesAttribute))),
        steps(dyn_cast_or_null<DenseI64ArrayAttr>(body->removeAttr(tw::host::gridStepsAttribute))),
        hasScratch(body->removeAttr(tw::host::scratchAttribute) != nullptr),
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
    SmallVector<Value> arguments = loadBuffers(entry->getArgument(0));
    SmallVector<Value> last = loadSymbols(entry->getArgument(0));
    SmallVector<Value> extents = getExtents(last);
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
    llvm::append_range(arguments, coordinates(id, extents));
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
  ArrayAttr symbols; ///< null if there are none, as are the sizes and steps of a fixed grid
  tw::view::SizesAttr sizes;
  DenseI64ArrayAttr steps;
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
    size_t others =
        grid.size() + (symbols ? symbols.size() : 0) + hasScratch + hasShared + hasTeam;
    for (unsigned i = 0; i + others < body.getNumArguments(); ++i) {
      Value place = LLVM::GEPOp::create(builder, location, pointer, pointer, bindings,
                                        ArrayRef<LLVM::GEPArg>{int32_t(i)});
      buffers.push_back(LLVM::LoadOp::create(builder, location, pointer, place));
    }
    return buffers;
  }

  /// The values of the symbols, which are the launch's first scalars.
  SmallVector<Value> loadSymbols(Value launch) {
    SmallVector<Value> values;
    if (!symbols)
      return values;
    Value scalars = loadPointer(launch, offsetof(TwrtHostLaunch, scalars));
    for (unsigned i = 0; i < symbols.size(); ++i) {
      Value place = LLVM::GEPOp::create(builder, location, pointer, i64, scalars,
                                        ArrayRef<LLVM::GEPArg>{int32_t(i)});
      values.push_back(LLVM::LoadOp::create(builder, location, i64, place));
    }
    return values;
  }

  /// Of the grid: sizes over steps, rounded up. Null where the only coordinate is 0.
  SmallVector<Value> getExtents(ArrayRef<Value> values) {
    SmallVector<Value> extents;
    SmallVector<tw::Dim, 4> dims;
    if (sizes)
      dims = sizes.getSizes();
    for (auto [i, most] : llvm::enumerate(grid)) {
      if (!sizes || dims[i].isStatic()) {
        extents.push_back(most == 1 ? Value() : constant(most));
        continue;
      }
      Value sum = constant(dims[i].getConstant() + steps[i] - 1);
      for (auto [name, factor] : dims[i].getTerms()) {
        Value value = values[llvm::find(symbols, Attribute(name)) - symbols.begin()];
        Value term = LLVM::MulOp::create(builder, location, value, constant(factor));
        sum = LLVM::AddOp::create(builder, location, sum, term);
      }
      extents.push_back(LLVM::UDivOp::create(builder, location, sum, constant(steps[i])));
    }
    return extents;
  }

  /// Coordinates in the grid, the last dimension fastest.
  SmallVector<Value> coordinates(Value id, ArrayRef<Value> extents) {
    SmallVector<Value> result(grid.size());
    for (size_t i = grid.size(); i-- > 0;) {
      if (i == 0) {
        result[i] = id;
      } else if (!extents[i]) {
        result[i] = constant(0);
      } else {
        result[i] = LLVM::URemOp::create(builder, location, id, extents[i]);
        id = LLVM::UDivOp::create(builder, location, id, extents[i]);
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
