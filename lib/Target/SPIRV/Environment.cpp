// What kernels may use in each environment of SPIR-V, and what a device calls it.
#include "tw/Target/SPIRV/Environment.h"

#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using spirv::Capability;
using spirv::Extension;

std::optional<tw::spv::Environment> tw::spv::findEnvironment(StringRef name) {
  return llvm::StringSwitch<std::optional<Environment>>(name)
      .Case("vulkan", Environment::Vulkan)
      .Case("opencl", Environment::OpenCL)
      .Default(std::nullopt);
}

spirv::TargetEnvAttr tw::spv::getTargetEnv(MLIRContext *context, Environment environment) {
  constexpr Capability shader[] = {Capability::Shader,
                                   Capability::Int8,
                                   Capability::Int16,
                                   Capability::Int64,
                                   Capability::Float64,
                                   Capability::StorageBuffer8BitAccess,
                                   Capability::StorageBuffer16BitAccess,
                                   Capability::ImageBuffer,
                                   Capability::SignedZeroInfNanPreserve,
                                   Capability::RoundingModeRTE};
  constexpr Extension shaderExtensions[] = {
      Extension::SPV_KHR_storage_buffer_storage_class, Extension::SPV_KHR_8bit_storage,
      Extension::SPV_KHR_16bit_storage, Extension::SPV_KHR_float_controls};
  constexpr Capability kernel[] = {Capability::Kernel, Capability::Addresses, Capability::Linkage,
                                   Capability::Int8,   Capability::Int16,     Capability::Int64,
                                   Capability::Float64};
  bool vulkan = environment == Environment::Vulkan;
  auto triple = spirv::VerCapExtAttr::get(
      vulkan ? spirv::Version::V_1_3 : spirv::Version::V_1_0,
      vulkan ? ArrayRef<Capability>(shader) : ArrayRef<Capability>(kernel),
      vulkan ? ArrayRef<Extension>(shaderExtensions) : ArrayRef<Extension>(), context);
  return spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(context),
                                   vulkan ? spirv::ClientAPI::Vulkan : spirv::ClientAPI::OpenCL);
}

StringRef tw::spv::getFeature(Environment environment, Capability capability) {
  if (environment == Environment::OpenCL)
    return capability == Capability::Float64 ? "fp64" : "";
  switch (capability) {
  case Capability::Float64:
    return "shaderFloat64";
  case Capability::Int64:
    return "shaderInt64";
  case Capability::Int16:
    return "shaderInt16";
  case Capability::Int8:
    return "shaderInt8";
  case Capability::StorageBuffer8BitAccess:
    return "storageBuffer8BitAccess";
  case Capability::StorageBuffer16BitAccess:
    return "storageBuffer16BitAccess";
  case Capability::ImageBuffer:
    return "storageTexelBuffers";
  default:
    return "";
  }
}
