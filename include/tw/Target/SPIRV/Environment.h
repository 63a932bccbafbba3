// The two environments of SPIR-V: compute shaders of Vulkan, and kernels of OpenCL.
#pragma once

#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVEnums.h"

#include <optional>
#include <string>

namespace tw::spv {

enum class Environment {
  /// GLCompute, logical addressing, buffers in descriptor set 0, 32-bit indices. SPIR-V 1.3 at
  /// most,
  /// which Vulkan 1.1 takes.
  Vulkan,
  /// Kernel, physical 64-bit addressing, buffers as pointers, 64-bit indices.
  OpenCL,
};

/// "vulkan" or "opencl".
std::optional<Environment> findEnvironment(llvm::StringRef name);

/// Everything that kernels may use there. What they do use is deduced afterwards.
mlir::spirv::TargetEnvAttr getTargetEnv(mlir::MLIRContext *context, Environment environment);

/// What a Vulkan device must have for a capability, in the words of the Vulkan specification
/// ("shaderFloat64"), or of our driver ("storageTexelBuffers"); for OpenCL the words of its drivers
/// ("fp64"). Empty where every device has it.
llvm::StringRef getFeature(Environment environment, mlir::spirv::Capability capability);

} // namespace tw::spv
