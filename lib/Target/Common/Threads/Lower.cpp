// Reads and checks kernels in thread form, and lowers them to a module of the llvm dialect.
#include "tw/Target/Common/Threads.h"

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Support/Diagnostics.h"
#include "tw/Support/ElementTypes.h"
#include "tw/Target/Common/Gpu.h"
#include "tw/Target/Common/Passes.h"

#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace {

LogicalResult checkBuffer(gpu::GPUFuncOp kernel, Type type, StringRef what,
                          gpu::AddressSpace space) {
  auto memory = dyn_cast<MemRefType>(type);
  auto address = memory ? dyn_cast_or_null<gpu::AddressSpaceAttr>(memory.getMemorySpace())
                        : gpu::AddressSpaceAttr();
  if (memory && memory.getRank() == 1 && memory.hasStaticShape() &&
      memory.getLayout().isIdentity() && address && address.getValue() == space)
    return success();
  return tw::emitError(kernel.getLoc(), tw::Code::T0410)
         << "kernel '" << kernel.getName() << "': " << what << " is " << type
         << ", expected flat memory of static size in the " << gpu::stringifyAddressSpace(space)
         << " space";
}

/// False where something is missing.
bool readMaps(ArrayAttr attributes, std::vector<tw::format::TensorMap> &maps) {
  for (auto attribute : attributes.getAsRange<DictionaryAttr>()) {
    auto binding = attribute.getAs<IntegerAttr>("binding");
    auto swizzle = attribute.getAs<IntegerAttr>("swizzle");
    auto element = attribute.getAs<TypeAttr>("element");
    auto extents = attribute.getAs<DenseI64ArrayAttr>("extents");
    auto strides = attribute.getAs<DenseI64ArrayAttr>("strides");
    auto box = attribute.getAs<DenseI64ArrayAttr>("box");
    if (!binding || !swizzle || !element || !extents || !strides || !box)
      return false;
    tw::format::TensorMap &map = maps.emplace_back();
    map.binding = uint32_t(binding.getInt());
    map.swizzle = uint32_t(swizzle.getInt());
    map.element = *tw::getElement(element.getValue());
    map.extents.assign(extents.asArrayRef().begin(), extents.asArrayRef().end());
    map.box.assign(box.asArrayRef().begin(), box.asArrayRef().end());
    for (int64_t stride : strides.asArrayRef())
      map.strides.push_back(uint64_t(stride) * tw::format::elementBytes(map.element));
  }
  return maps.size() == attributes.size();
}

FailureOr<tw::threads::Kernel> readKernel(gpu::GPUFuncOp function,
                                          const tw::threads::Limits &limits) {
  tw::threads::Kernel kernel{function.getName().str(), function.getLoc()};
  auto fail = [&](tw::Code code) {
    return tw::emitError(function.getLoc(), code) << "kernel '" << function.getName() << "' ";
  };
  auto programs = function->getAttrOfType<IntegerAttr>(tw::programsAttribute);
  std::optional<ArrayRef<int32_t>> block = function.getKnownBlockSize();
  if (!function.isKernel() || !programs || programs.getInt() < 0 || !block || block->size() != 3 ||
      (*block)[0] < 1 || (*block)[1] != 1 || (*block)[2] != 1)
    return fail(tw::Code::T0410) << "is not in thread form, expected 'kernel', "
                                 << tw::programsAttribute
                                 << " and known_block_size = array<i32: threads, 1, 1>";
  kernel.programs = programs.getInt();
  kernel.group = (*block)[0];
  if (auto units = function->getAttrOfType<ArrayAttr>(tw::unitsAttribute))
    for (auto unit : units.getAsRange<StringAttr>())
      kernel.units += (kernel.units.empty() ? "" : ", ") + unit.getValue().str();
  kernel.arguments = function.getNumArguments();
  bool isScalar = false;
  ArrayRef<Type> arguments = function.getArgumentTypes();
  if (auto maps = function->getAttrOfType<ArrayAttr>(tw::mapsAttribute)) {
    if (maps.size() > arguments.size() || !readMaps(maps, kernel.maps))
      return fail(tw::Code::T0410) << "has " << tw::mapsAttribute << " " << maps
                                   << ", expected a map for each of its last arguments";
    for (Type type : arguments.take_back(maps.size()))
      if (!isa<LLVM::LLVMPointerType>(type))
        return fail(tw::Code::T0410) << "takes " << type << " as a map, expected !llvm.ptr";
    arguments = arguments.drop_back(maps.size());
  }
  for (Type type : arguments) {
    isScalar |= type.isSignlessInteger(64);
    if (isScalar && !type.isSignlessInteger(64))
      return fail(tw::Code::T0410) << "takes " << type << " after its scalars, expected i64";
    if (!isScalar && failed(checkBuffer(function, type, "a buffer", gpu::AddressSpace::Global)))
      return failure();
  }
  for (BlockArgument local : function.getWorkgroupAttributions())
    if (failed(
            checkBuffer(function, local.getType(), "local memory", gpu::AddressSpace::Workgroup)))
      return failure();
  kernel.localBytes = tw::getLocalBytes(function);
  if (kernel.group > limits.maxThreads)
    return fail(tw::Code::T0410) << "has " << kernel.group << " threads, " << limits.chip
                                 << " allows " << limits.maxThreads;
  if (kernel.localBytes > limits.localBytes)
    return fail(tw::Code::T0413) << "needs " << kernel.localBytes << " bytes of local memory, "
                                 << limits.chip << " has " << limits.localBytes;
  WalkResult walk = function.walk([&](CallOpInterface call) {
    std::string callee;
    llvm::raw_string_ostream stream(callee);
    if (auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
      stream << symbol.getLeafReference().getValue();
    tw::emitError(call.getLoc(), tw::Code::T0412)
        << "kernel '" << function.getName() << "': '" << call->getName() << "' calls '" << callee
        << "', kernels call no functions";
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  return kernel;
}

/// Says of every buffer what holds for all launches: the alignment of its elements, and that it is
/// not written. Not that buffers are apart: a result may share memory with an operand.
void markBuffers(gpu::GPUFuncOp function) {
  Builder builder(function.getContext());
  for (BlockArgument buffer : function.getArguments().take_front(function.getNumArguments())) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type)
      continue;
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    function.setArgAttr(buffer.getArgNumber(), LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(bytes));
    if (llvm::all_of(buffer.getUsers(),
                     [](Operation *user) { return isa<memref::LoadOp, vector::LoadOp>(user); }))
      function.setArgAttr(buffer.getArgNumber(), LLVM::LLVMDialect::getReadonlyAttrName(),
                          builder.getUnitAttr());
  }
}

} // namespace

FailureOr<tw::threads::Lowered>
tw::threads::lower(ModuleOp module, const Limits &limits,
                   llvm::function_ref<void(OpPassManager &)> tiles,
                   llvm::function_ref<void(OpPassManager &)> threads) {
  bool inThreads = !module.getOps<gpu::GPUModuleOp>().empty();
  Lowered lowered;
  lowered.module = inThreads ? module.clone() : cloneKernels(module);
  if (!inThreads) {
    PassManager passes(module.getContext());
    tiles(passes);
    if (failed(passes.run(*lowered.module)))
      return failure();
  }
  // A program of constants has no kernels.
  if (!inThreads && lowered.module->getOps<gpu::GPUModuleOp>().empty())
    return lowered;
  auto modules = llvm::to_vector(lowered.module->getOps<gpu::GPUModuleOp>());
  if (modules.size() != 1)
    return tw::emitError(module.getLoc(), Code::T0410)
           << "expected one gpu.module, found " << modules.size();
  for (auto function : modules[0].getOps<gpu::GPUFuncOp>()) {
    FailureOr<Kernel> kernel = readKernel(function, limits);
    if (failed(kernel))
      return failure();
    lowered.kernels.push_back(*kernel);
    markBuffers(function);
  }
  PassManager passes(module.getContext());
  threads(passes);
  if (failed(passes.run(*lowered.module)))
    return failure();
  // The code generator takes a plain module.
  OwningOpRef<ModuleOp> code = ModuleOp::create(module.getLoc());
  gpu::GPUModuleOp converted = *lowered.module->getOps<gpu::GPUModuleOp>().begin();
  for (Operation &op : llvm::make_early_inc_range(*converted.getBody()))
    if (isa<LLVM::LLVMFuncOp, LLVM::GlobalOp>(op))
      op.moveBefore(code->getBody(), code->getBody()->end());
  lowered.module = std::move(code);
  return lowered;
}

void tw::threads::buildToConversion(OpPassManager &passes, uint64_t staticLocalBytes) {
  // Addresses in 32 bits where ranges allow them: halves their registers, and 64-bit division is
  // slow.
  passes.addNestedPass<gpu::GPUModuleOp>(createThreadsBoundIdsPass());
  passes.addNestedPass<gpu::GPUModuleOp>(createThreadsSplitShiftsPass());
  arith::ArithIntRangeNarrowingOptions narrow;
  narrow.bitwidthsSupported = {32};
  passes.addPass(arith::createArithIntRangeNarrowing(narrow));
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  ExpandMathPassOptions math;
  for (StringRef operation : nativeFunctions)
    math.native.push_back(operation.str());
  passes.addPass(createExpandMathPass(math));
  ThreadsPlaceLocalMemoryPassOptions local;
  local.staticBytes = staticLocalBytes;
  passes.addNestedPass<gpu::GPUModuleOp>(createThreadsPlaceLocalMemoryPass(local));
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertMathToLLVMPass());
}

void tw::threads::buildAfterConversion(OpPassManager &passes) {
  passes.addPass(createReconcileUnrealizedCastsPass());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

std::vector<tw::ArtefactEntry> tw::threads::makeEntries(const Lowered &lowered, uint32_t subgroup) {
  std::vector<ArtefactEntry> entries;
  for (const Kernel &kernel : lowered.kernels) {
    ArtefactEntry entry;
    entry.name = kernel.name;
    entry.programs = kernel.programs;
    entry.group = kernel.group;
    entry.localBytes = kernel.localBytes;
    entry.units = kernel.units;
    entry.maps = kernel.maps;
    if (!kernel.maps.empty())
      entry.requiredFeatures.push_back(std::string(format::mapsFeature));
    entry.subgroup = subgroup;
    entries.push_back(std::move(entry));
  }
  return entries;
}
