// Passes of the SPIR-V targets, from thread form to the spirv dialect.
#ifndef TW_TARGET_SPIRV_PASSES_TD
#define TW_TARGET_SPIRV_PASSES_TD

include "mlir/Pass/PassBase.td"

def SpirvPrepareKernelsPass : Pass<"spirv-prepare-kernels", "::mlir::ModuleOp"> {
  let summary = "brings kernels in thread form to what upstream's conversion to SPIR-V takes";
  let description = [{
    Runs before `convert-gpu-to-spirv`, which knows neither the memory spaces of `gpu`, nor local buffers
    of a kernel, nor scalars as push constants. Every `gpu.func` gets its interface: the group size of
    `known_block_size`, buffers at bindings 0, 1, .. of descriptor set 0, 64-bit integer arguments as
    push constants. Local buffers become allocations in the storage class Workgroup.

    Indices have 32 bits in the Vulkan environment. An index that is read from memory as a 64-bit integer
    is saturated to them, so that a value outside of every tensor stays outside.

    ```mlir
    %i = arith.index_cast %v : i64 to index
    // becomes
    %0 = arith.maxsi %v, %c-2147483648 : i64
    %1 = arith.minsi %0, %c2147483647 : i64
    %i = arith.index_cast %1 : i64 to index
    ```

    Accesses of vectors become those of their elements: a buffer has one element type.

    With `texels`, a buffer of elements of 8 to 32 bits that a kernel only reads is a storage texel
    buffer at its binding, for drivers that read those faster than storage buffers. Texels are words of
    32 bits, or four of them where the kernel reads most of what such texels hold: loads of one block whose
    addresses differ by constants share them.

    ```mlir
    %v = memref.load %x[%i] : memref<64xf32>
    // becomes
    %0 = arith.index_cast %i : index to i32
    %1 = spirv.ImageRead %texels, %0 : .. -> vector<4xf32>
    %v = spirv.CompositeExtract %1[0 : i32] : vector<4xf32>
    ```
  }];
  let options = [
    Option<"environment", "environment", "std::string", "\"vulkan\"",
           "The environment of the kernels: vulkan or opencl">,
    Option<"texels", "texels", "bool", "false",
           "Whether buffers of elements of 8 to 32 bits that a kernel only reads are texel buffers">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::spirv::SPIRVDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def SpirvFinishKernelsPass : Pass<"spirv-finish-kernels", "::mlir::ModuleOp"> {
  let summary = "fixes how floating point behaves, and leaves one spirv.module";
  let description = [{
    Runs after `convert-gpu-to-spirv`: drops the `gpu.module` that was converted, and says in the kernels
    that no operation on floating point may be contracted with another, that zeros, infinities and NaNs
    keep their meaning, and that rounding is to nearest even. What a loop gives has the values that it begins with
    where it has no iteration, which upstream leaves undefined. In the OpenCL environment, contraction is
    switched off for each kernel and the rest is the default.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def ThreadsToSpirvPass : Pass<"threads-to-spirv", "::mlir::ModuleOp"> {
  let summary = "lowers kernels in thread form to one spirv.module";
  let description = [{
    The whole way: `spirv-prepare-kernels`, upstream's conversions of `math` and `gpu` (and of `arith`,
    `scf` and `memref` within), `spirv-finish-kernels`, and upstream's entry points and the version,
    capabilities and extensions that the kernels use.
  }];
  let options = [
    Option<"environment", "environment", "std::string", "\"vulkan\"",
           "The environment of the kernels: vulkan or opencl">,
    Option<"texels", "texels", "bool", "false",
           "Whether buffers of elements of 8 to 32 bits that a kernel only reads are texel buffers">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::spirv::SPIRVDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif
