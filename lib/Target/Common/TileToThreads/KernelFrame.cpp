// The frame of kernels in thread form: signature, sizes, the number of the program.
#include "tw/Target/Common/KernelFrame.h"

#include "Expressions.h"

#include "tw/Dialect/Tile/GroupAttrs.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tw;
using namespace tw::threads;

/// Programs that a grid of one dimension may have on every device.
static constexpr int64_t maxGridX = 65535;

gpu::GPUModuleOp threads::getKernels(ModuleOp module) {
  auto known = module.getOps<gpu::GPUModuleOp>();
  if (!known.empty())
    return *known.begin();
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), builder.getUnitAttr());
  return gpu::GPUModuleOp::create(builder, module.getLoc(), "kernels");
}

LogicalResult threads::refuseTeam(tile::FuncOp program) {
  if (!program.hasTeam())
    return success();
  return tw::emitError(program.getLoc(), Code::T0420)
         << "'" << program.getSymName()
         << "' shares loops among the threads of a CPU, which a group of "
            "threads does not: leave "
            "'team' out of its schedule";
}

Value KernelFrame::constant(TypedAttr value) {
  return arith::ConstantOp::create(builder, func.getLoc(), value);
}

int64_t KernelFrame::countLoadingThreads() {
  auto loading = func->getAttrOfType<IntegerAttr>(tile::loadingAttrName);
  return loading ? loading.getInt() * traits.subgroup : 0;
}

bool KernelFrame::walks() { return func->hasAttr(tile::walkingAttrName); }

int64_t KernelFrame::countPrograms() {
  auto walking = func->getAttrOfType<IntegerAttr>(tile::walkingAttrName);
  return walking ? std::min(walking.getInt(), func.getNumPrograms()) : func.getNumPrograms();
}

MemRefType threads::getFlatMemory(MemRefType type, int64_t elements, gpu::AddressSpace space) {
  MLIRContext *context = type.getContext();
  Type element = type.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(context, integer.getWidth() == 1 ? 8 : integer.getWidth());
  return MemRefType::get({elements}, element, MemRefLayoutAttrInterface(),
                         gpu::AddressSpaceAttr::get(context, space));
}

FailureOr<gpu::GPUFuncOp> KernelFrame::emitFunction(gpu::GPUModuleOp parent,
                                                    ArrayRef<LocalBuffer> locals, unsigned maps) {
  int64_t threads = tw::countThreads(func, traits);
  if (threads > traits.maxThreads)
    return emitOpError(func, Code::T0420) << "has " << threads << " threads, the target has "
                                          << traits.maxThreads << " in a workgroup";
  SmallVector<Type> buffers;
  for (Type type : func.getBufferTypes().getAsValueRange<TypeAttr>()) {
    auto memory = cast<MemRefType>(type);
    buffers.push_back(getFlatMemory(memory, memory.getNumElements(), gpu::AddressSpace::Global));
  }
  uint64_t bytes = 0;
  SmallVector<Type> attributions;
  for (const LocalBuffer &local : locals) {
    bytes = llvm::alignTo(bytes, local.alignment) + getLocalBytes(local.type);
    attributions.push_back(local.type);
  }
  if (bytes > uint64_t(traits.localBytes))
    return emitOpError(func, Code::T0421) << "needs " << bytes << " bytes of local memory, the "
                                          << "target has " << traits.localBytes;
  // What a call settles, behind the buffers. Sizes that are sums are there for the runtime, which
  // checks buffers by them.
  buffers.append(func.getScalars().size(), builder.getI64Type());
  buffers.append(maps, LLVM::LLVMPointerType::get(builder.getContext()));
  builder.setInsertionPointToEnd(parent.getBody());
  auto kernel = gpu::GPUFuncOp::create(builder, func.getLoc(), func.getSymName(),
                                       builder.getFunctionType(buffers, {}), attributions);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  kernel.setKnownBlockSize(ArrayRef<int32_t>{int32_t(threads), 1, 1});
  kernel->setAttr(programsAttribute, builder.getI64IntegerAttr(countPrograms()));
  kernel->setAttr(numOutputsAttribute, builder.getI64IntegerAttr(func.getNumOutputs()));
  kernel->setAttr(warpsAttribute, builder.getI64IntegerAttr(func.getWarps().value_or(1)));
  for (unsigned i = 0; i < func.getNumBuffers(); ++i)
    scalars.map(func.getBuffer(i), kernel.getArgument(i));
  emitSymbols(kernel);
  for (auto [i, local] : llvm::enumerate(locals))
    kernel.setWorkgroupAttributionAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                                       builder.getI64IntegerAttr(int64_t(local.alignment)));
  return kernel;
}

/// The sizes that a call settles, as indices.
void KernelFrame::emitSymbols(gpu::GPUFuncOp kernel) {
  builder.setInsertionPointToStart(&kernel.getBody().front());
  for (unsigned i = 0; i < func.getNumSymbols(); ++i) {
    Value size = arith::IndexCastOp::create(builder, func.getLoc(), builder.getIndexType(),
                                            kernel.getArgument(func.getNumBuffers() + i));
    // Says what a call has checked.
    if (std::optional<int64_t> limit = func.getSymbolLimit(i))
      size = arith::MinUIOp::create(builder, func.getLoc(), size,
                                    constant(builder.getIndexAttr(*limit)));
    scalars.map(func.getSymbol(i), size);
  }
}

/// The programs along a dimension of the grid.
Value KernelFrame::emitGridSize(unsigned dim) {
  Dim size = func.getGridSizes() ? func.getGridSizes()->getSizes()[dim] : func.getGrid()[dim];
  if (size.isStatic())
    return constant(builder.getIndexAttr(func.getGrid()[dim]));
  Location location = func.getLoc();
  AffineExpr sum = builder.getAffineConstantExpr(size.getConstant());
  SmallVector<Value> operands;
  for (auto [name, factor] : size.getTerms()) {
    sum = sum + builder.getAffineDimExpr(operands.size()) * factor;
    auto symbols = func.getSymbolsAttr().getAsRange<StringAttr>();
    operands.push_back(scalars.lookup(func.getSymbol(llvm::find(symbols, name) - symbols.begin())));
  }
  Value points = affine::AffineApplyOp::create(builder, location,
                                               AffineMap::get(operands.size(), 0, sum), operands);
  int64_t step = (*func.getGridSteps())[dim];
  if (step == 1)
    return points;
  // What rounds up is not negative.
  Value more =
      arith::AddIOp::create(builder, location, points, constant(builder.getIndexAttr(step - 1)));
  return arith::DivUIOp::create(builder, location, more, constant(builder.getIndexAttr(step)));
}

/// The number of the program.
Value KernelFrame::emitProgram(gpu::GPUFuncOp kernel) {
  Location location = func.getLoc();
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  thread = gpu::ThreadIdOp::create(builder, location, gpu::Dimension::x);
  Value program = gpu::BlockIdOp::create(builder, location, gpu::Dimension::x);
  if (countPrograms() <= maxGridX)
    return program;
  Value row = gpu::BlockIdOp::create(builder, location, gpu::Dimension::y);
  Value width = gpu::GridDimOp::create(builder, location, gpu::Dimension::x);
  return arith::AddIOp::create(builder, location, program,
                               arith::MulIOp::create(builder, location, row, width));
}

/// The coordinates of the program in a grid of fixed extents.
void KernelFrame::emitCoordinates(Value point) {
  Dims dims;
  dims.add(point, {0, func.getNumPrograms() - 1}, 0);
  ExprEmitter exprs(builder, func.getLoc(), dims);
  int64_t stride = 1;
  for (size_t i = func.getGrid().size(); i-- > 0;) {
    int64_t extent = func.getGrid()[i];
    layout::Expr id;
    if (extent > 1)
      id = layout::mod(layout::floorDiv(layout::Expr::dim(0), stride, dims.ranges), extent,
                       dims.ranges);
    scalars.map(func.getProgramId(i), exprs.emit(id));
    stride *= extent;
  }
}

/// The same in one of sizes that a call settles: what is left is divided by one after another.
void KernelFrame::emitCoordinates(Value program, ArrayRef<Value> sizes) {
  Location location = func.getLoc();
  for (size_t i = sizes.size(); i-- > 0;) {
    bool isFirst =
        llvm::all_of(func.getGrid().take_front(i), [](int64_t most) { return most == 1; });
    Value id = func.getGrid()[i] == 1 ? constant(builder.getIndexAttr(0))
               : isFirst              ? program
                         : arith::RemUIOp::create(builder, location, program, sizes[i]).getResult();
    scalars.map(func.getProgramId(i), id);
    if (func.getGrid()[i] != 1 && !isFirst)
      program = arith::DivUIOp::create(builder, location, program, sizes[i]);
  }
}

FailureOr<gpu::GPUFuncOp> KernelFrame::emitFrame(gpu::GPUModuleOp parent,
                                                 ArrayRef<LocalBuffer> locals, unsigned maps) {
  FailureOr<gpu::GPUFuncOp> kernel = emitFunction(parent, locals, maps);
  if (failed(kernel))
    return failure();
  Location location = func.getLoc();
  program = emitProgram(*kernel);
  SmallVector<Value> sizes;
  if (func.getGridSizes())
    for (unsigned i = 0; i < func.getGrid().size(); ++i)
      sizes.push_back(emitGridSize(i));
  Operation *end = gpu::ReturnOp::create(builder, location);
  builder.setInsertionPoint(end);
  if (countPrograms() > maxGridX) {
    Value limit = constant(builder.getIndexAttr(sizes.empty() ? countPrograms() : 1));
    for (Value size : sizes)
      limit = arith::MulIOp::create(builder, location, limit, size);
    Value inside =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult, program, limit);
    auto branch = scf::IfOp::create(builder, location, inside, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  // Row-major over the grid. Programs that walk come to their points later.
  if (walks())
    return kernel;
  if (sizes.empty())
    emitCoordinates(program);
  else
    emitCoordinates(program, sizes);
  return kernel;
}
