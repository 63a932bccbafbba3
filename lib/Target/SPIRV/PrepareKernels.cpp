// The pass spirv-prepare-kernels: interfaces, memory spaces, and indices of 32 bits.
#include "tw/Support/Diagnostics.h"
#include "tw/Target/Common/Gpu.h"
#include "tw/Target/SPIRV/Environment.h"
#include "tw/Target/SPIRV/Passes.h"
#include "tw/Target/SPIRV/Pipeline.h"

#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

namespace tw {
#define GEN_PASS_DEF_SPIRVPREPAREKERNELSPASS
#include "tw/Target/SPIRV/Passes.h.inc"
} // namespace tw

using namespace mlir;
using tw::spv::Environment;

namespace {

/// Push constants that every Vulkan device has, in scalars of 64 bits.
constexpr unsigned maxScalars = 16;

/// The block of a kernel's scalars, next to the kernel. Upstream's helper makes blocks of i32 only.
spirv::GlobalVariableOp declarePushConstants(gpu::GPUFuncOp kernel, unsigned scalars) {
  OpBuilder builder(kernel);
  auto array = spirv::ArrayType::get(builder.getI64Type(), scalars, /*stride=*/8);
  auto block = spirv::StructType::get({array}, {0});
  auto type = spirv::PointerType::get(block, spirv::StorageClass::PushConstant);
  return spirv::GlobalVariableOp::create(builder, kernel.getLoc(), type,
                                         (kernel.getName() + "_scalars").str(), nullptr);
}

/// gpu.func @k(.., %n: i64) { use(%n) } -> gpu.func @k(..) { use(push constant 0) }
LogicalResult readScalarsFromPushConstants(gpu::GPUFuncOp kernel) {
  Block &entry = kernel.getBody().front();
  unsigned arguments = kernel.getNumArguments(), buffers = 0;
  while (buffers < arguments && isa<MemRefType>(entry.getArgument(buffers).getType()))
    ++buffers;
  unsigned scalars = arguments - buffers;
  if (scalars == 0)
    return success();
  if (scalars > maxScalars)
    return tw::emitOpError(kernel, tw::Code::T0441)
           << "has " << scalars << " scalars, expected at most " << maxScalars
           << " (128 bytes of push constants)";
  Location location = kernel.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  Value block =
      spirv::AddressOfOp::create(builder, location, declarePushConstants(kernel, scalars));
  auto constant = [&](int32_t value) -> Value {
    return spirv::ConstantOp::create(builder, location, builder.getI32Type(),
                                     builder.getI32IntegerAttr(value));
  };
  for (unsigned i = 0; i < scalars; ++i) {
    BlockArgument argument = entry.getArgument(buffers + i);
    if (!argument.getType().isSignlessInteger(64))
      return tw::emitOpError(kernel, tw::Code::T0442)
             << "argument " << buffers + i << " has type " << argument.getType()
             << ", expected buffers and then scalars of type i64";
    Value place = spirv::AccessChainOp::create(builder, location, block,
                                               ValueRange{constant(0), constant(i)});
    argument.replaceAllUsesWith(spirv::LoadOp::create(builder, location, place));
  }
  llvm::BitVector erased(arguments);
  erased.set(buffers, arguments);
  return kernel.eraseArguments(erased);
}

/// gpu.block_dim x -> the specialisation constant `id`, by default the known size. Upstream's
/// conversion would take the literal.
void specialiseGroup(gpu::GPUFuncOp kernel, uint32_t id) {
  OpBuilder builder(kernel);
  Location location = kernel.getLoc();
  auto constant =
      spirv::SpecConstantOp::create(builder, location, tw::spv::getGroupConstant(kernel.getName()),
                                    builder.getI32IntegerAttr((*kernel.getKnownBlockSize())[0]));
  constant->setAttr(spirv::SPIRVDialect::getAttributeName(spirv::Decoration::SpecId),
                    builder.getI32IntegerAttr(id));
  SmallVector<gpu::BlockDimOp> sizes;
  kernel.walk([&](gpu::BlockDimOp size) { sizes.push_back(size); });
  for (gpu::BlockDimOp size : sizes) {
    builder.setInsertionPoint(size);
    Value value = spirv::ReferenceOfOp::create(builder, location, builder.getI32Type(),
                                               constant.getSymName());
    value = arith::IndexCastUIOp::create(builder, location, builder.getIndexType(), value);
    size.replaceAllUsesWith(value);
    size.erase();
  }
}

/// Local buffers, which upstream's conversion takes as allocations only.
void allocateLocalBuffers(gpu::GPUFuncOp kernel) {
  Block &entry = kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  unsigned first = kernel.getFirstWorkgroupAttributionIndex();
  unsigned count = kernel.getNumWorkgroupAttributions();
  for (BlockArgument buffer : kernel.getWorkgroupAttributions())
    buffer.replaceAllUsesWith(
        memref::AllocOp::create(builder, buffer.getLoc(), cast<MemRefType>(buffer.getType())));
  entry.eraseArguments(first, count);
  kernel->removeAttr(kernel.getNumWorkgroupAttributionsAttrName());
}

/// Gives buffers without elements one, which nothing reads or writes: SPIR-V has no arrays of none.
void widenEmptyBuffers(gpu::GPUFuncOp kernel) {
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    auto buffer = dyn_cast<MemRefType>(argument.getType());
    if (buffer && buffer.hasStaticShape() && buffer.getNumElements() == 0)
      argument.setType(MemRefType::Builder(buffer).setShape({1}));
  }
  kernel.setType(
      FunctionType::get(kernel.getContext(), kernel.getBody().front().getArgumentTypes(), {}));
}

LogicalResult setInterface(gpu::GPUFuncOp kernel, Environment environment) {
  MLIRContext *context = kernel.getContext();
  std::optional<ArrayRef<int32_t>> group = kernel.getKnownBlockSize();
  if (!group)
    return tw::emitOpError(kernel, tw::Code::T0442) << "has no known_block_size";
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (environment == Environment::OpenCL && type.isSignlessInteger(64))
      continue;
    if (!buffer || !buffer.hasStaticShape())
      return tw::emitOpError(kernel, tw::Code::T0442)
             << "argument " << i << " has type " << type << ", expected a buffer of static size";
    if (environment == Environment::Vulkan)
      kernel.setArgAttr(i, spirv::getInterfaceVarABIAttrName(),
                        spirv::getInterfaceVarABIAttr(0, i, std::nullopt, context));
  }
  kernel->setAttr(spirv::getEntryPointABIAttrName(), spirv::getEntryPointABIAttr(context, *group));
  return success();
}

void mapMemorySpaces(Operation *module, Environment environment) {
  spirv::MemorySpaceToStorageClassConverter converter(
      [&](Attribute space) -> std::optional<spirv::StorageClass> {
        auto gpuSpace = dyn_cast_or_null<gpu::AddressSpaceAttr>(space);
        if (gpuSpace && gpuSpace.getValue() == gpu::AddressSpace::Workgroup)
          return spirv::StorageClass::Workgroup;
        if (space && (!gpuSpace || gpuSpace.getValue() != gpu::AddressSpace::Global))
          return std::nullopt;
        return environment == Environment::Vulkan ? spirv::StorageClass::StorageBuffer
                                                  : spirv::StorageClass::CrossWorkgroup;
      });
  spirv::convertMemRefTypesAndAttrs(module, converter);
}

/// Saturates what is wider than an index, signed.
void saturate(arith::IndexCastOp cast) {
  Type type = cast.getIn().getType();
  if (!cast.getType().isIndex() || type.getIntOrFloatBitWidth() <= 32)
    return;
  OpBuilder builder(cast);
  Location location = cast.getLoc();
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(builder, location, builder.getIntegerAttr(type, value));
  };
  Value low = constant(std::numeric_limits<int32_t>::min());
  Value high = constant(std::numeric_limits<int32_t>::max());
  Value value = arith::MaxSIOp::create(builder, location, cast.getIn(), low);
  cast.getInMutable().assign(arith::MinSIOp::create(builder, location, value, high));
}

/// Saturates what is wider than an index, unsigned. Beyond every tensor is at or above 2^31 - 1.
void saturate(arith::IndexCastUIOp cast) {
  Type type = cast.getIn().getType();
  if (!cast.getType().isIndex() || type.getIntOrFloatBitWidth() <= 32)
    return;
  OpBuilder builder(cast);
  Value high = arith::ConstantOp::create(
      builder, cast.getLoc(), builder.getIntegerAttr(type, std::numeric_limits<int32_t>::max()));
  cast.getInMutable().assign(arith::MinUIOp::create(builder, cast.getLoc(), cast.getIn(), high));
}

/// math.trunc %x -> math.copysign (math.floor (math.absf %x)), %x: upstream has no truncation.
struct ExpandTrunc : OpRewritePattern<math::TruncOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TruncOp op, PatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Value size = math::AbsFOp::create(rewriter, location, op.getOperand());
    Value whole = math::FloorOp::create(rewriter, location, size);
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, whole, op.getOperand());
    return success();
  }
};

/// arith.remsi %x, %y -> %x - %x / %y * %y: Vulkan has no signed remainder of negative numbers, and
/// upstream's way around takes the least integer for a positive one.
struct ExpandRemainder : OpRewritePattern<arith::RemSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::RemSIOp op, PatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Value quotient = arith::DivSIOp::create(rewriter, location, op.getLhs(), op.getRhs());
    Value product = arith::MulIOp::create(rewriter, location, quotient, op.getRhs());
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op.getLhs(), product);
    return success();
  }
};

/// arith.cmpi slt %x, %y : i64 -> arith.cmpi ult %x ^ min, %y ^ min: Mesa compares the sign
/// extension of a narrower integer with a constant in the narrower type, and wrongly (seen
/// in 22.3).
struct CompareUnsigned : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op, PatternRewriter &rewriter) const override {
    Type type = op.getLhs().getType();
    arith::CmpIPredicate predicate = op.getPredicate();
    constexpr std::pair<arith::CmpIPredicate, arith::CmpIPredicate> kinds[] = {
        {arith::CmpIPredicate::slt, arith::CmpIPredicate::ult},
        {arith::CmpIPredicate::sle, arith::CmpIPredicate::ule},
        {arith::CmpIPredicate::sgt, arith::CmpIPredicate::ugt},
        {arith::CmpIPredicate::sge, arith::CmpIPredicate::uge}};
    const auto *kind = llvm::find_if(kinds, [&](auto each) { return each.first == predicate; });
    if (kind == std::end(kinds) || !getElementTypeOrSelf(type).isInteger(64))
      return rewriter.notifyMatchFailure(op, "is no signed comparison of 64 bits");
    TypedAttr least = rewriter.getI64IntegerAttr(std::numeric_limits<int64_t>::min());
    if (auto shaped = dyn_cast<ShapedType>(type))
      least = DenseElementsAttr::get(shaped, least);
    Value sign = arith::ConstantOp::create(rewriter, op.getLoc(), least);
    auto flip = [&](Value x) { return rewriter.createOrFold<arith::XOrIOp>(op.getLoc(), x, sign); };
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, kind->second, flip(op.getLhs()),
                                               flip(op.getRhs()));
    return success();
  }
};

/// An index some elements behind another one.
Value moveIndex(PatternRewriter &rewriter, Location location, Value index, int64_t by) {
  Value distance = arith::ConstantIndexOp::create(rewriter, location, by);
  return by == 0 ? index : arith::AddIOp::create(rewriter, location, index, distance).getResult();
}

/// vector.load %x[%i] -> loads of %x[%i], %x[%i + 1], .. and vector.from_elements
struct SplitLoad : OpRewritePattern<vector::LoadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::LoadOp op, PatternRewriter &rewriter) const override {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < op.getVectorType().getNumElements(); ++i)
      elements.push_back(
          memref::LoadOp::create(rewriter, op.getLoc(), op.getBase(),
                                 moveIndex(rewriter, op.getLoc(), op.getIndices().back(), i)));
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, op.getVectorType(), elements);
    return success();
  }
};

/// vector.store %v, %x[%i] -> stores of the elements to %x[%i], %x[%i + 1], ..
struct SplitStore : OpRewritePattern<vector::StoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::StoreOp op, PatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    for (int64_t i = 0; i < op.getVectorType().getNumElements(); ++i)
      memref::StoreOp::create(
          rewriter, location,
          vector::ExtractOp::create(rewriter, location, op.getValueToStore(), ArrayRef<int64_t>{i}),
          op.getBase(), moveIndex(rewriter, location, op.getIndices().back(), i));
    rewriter.eraseOp(op);
    return success();
  }
};

/// Accesses of several elements become those of each: buffers have one element type.
LogicalResult splitVectors(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  patterns.add<SplitLoad, SplitStore>(module.getContext());
  vector::ExtractOp::getCanonicalizationPatterns(patterns, module.getContext());
  arith::AddIOp::getCanonicalizationPatterns(patterns, module.getContext());
  return applyPatternsGreedily(module, std::move(patterns));
}

class SpirvPrepareKernelsPass
    : public tw::impl::SpirvPrepareKernelsPassBase<SpirvPrepareKernelsPass> {
public:
  using SpirvPrepareKernelsPassBase::SpirvPrepareKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Environment> which = tw::spv::findEnvironment(environment);
    if (!which) {
      tw::emitError(module.getLoc(), tw::Code::T0442)
          << "unknown environment '" << environment << "', expected vulkan or opencl";
      return signalPassFailure();
    }
    if (texels && *which != Environment::Vulkan) {
      tw::emitError(module.getLoc(), tw::Code::T0442)
          << "texels are read in the environment vulkan alone, found " << environment;
      return signalPassFailure();
    }
    module->setAttr(spirv::getTargetEnvAttrName(), tw::spv::getTargetEnv(&getContext(), *which));
    if (failed(splitVectors(module)))
      return signalPassFailure();
    uint32_t specialised = 0;
    for (auto kernels : module.getOps<gpu::GPUModuleOp>())
      for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
        if (*which == Environment::Vulkan && failed(readScalarsFromPushConstants(kernel)))
          return signalPassFailure();
        allocateLocalBuffers(kernel);
        widenEmptyBuffers(kernel);
        if (failed(setInterface(kernel, *which)))
          return signalPassFailure();
        if (texels && failed(tw::spv::readAsTexels(kernel)))
          return signalPassFailure();
        if (*which == Environment::Vulkan && kernel->hasAttr(tw::divisibleAttribute))
          specialiseGroup(kernel, specialised++);
      }
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    patterns.add<ExpandTrunc, ExpandRemainder>(&getContext());
    if (*which == Environment::Vulkan)
      patterns.add<CompareUnsigned>(&getContext());
    if (failed(applyPatternsGreedily(module, std::move(patterns))))
      return signalPassFailure();
    if (*which == Environment::Vulkan)
      module.walk([](Operation *op) {
        if (auto cast = dyn_cast<arith::IndexCastOp>(op))
          saturate(cast);
        else if (auto cast = dyn_cast<arith::IndexCastUIOp>(op))
          saturate(cast);
      });
    mapMemorySpaces(module, *which);
  }
};

} // namespace
