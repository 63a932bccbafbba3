// The SPIR-V targets' lowering as a pass pipeline, and the binary of what it makes.
#pragma once

#include "tw/Target/SPIRV/Environment.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <cstdint>
#include <vector>

namespace mlir::gpu {
class GPUFuncOp;
} // namespace mlir::gpu

namespace tw::spv {

/// Adds the passes from thread form (a module with one `gpu.module`) to a module with one
/// `spirv.module`, every kernel an entry point of its own name. `texels`: buffers that a kernel
/// only reads are texel buffers where their elements allow it.
void buildThreadsToSpirv(mlir::OpPassManager &passes, Environment environment, bool texels);

/// Makes buffers that a kernel in thread form only reads texel buffers at their bindings, where
/// their elements allow it, and takes them from its arguments. Other buffers keep the bindings that
/// they have.
llvm::LogicalResult readAsTexels(mlir::gpu::GPUFuncOp kernel);

/// The name of the specialisation constant for the size of a kernel's groups.
std::string getGroupConstant(llvm::StringRef kernel);

/// Makes the local size of each kernel of `module` that has such a constant that constant, in the
/// module's binary: OpExecutionModeId, which the spirv dialect lacks. False: none has one.
bool specialiseLocalSizes(mlir::spirv::ModuleOp module, llvm::SmallVectorImpl<uint32_t> &words);

/// A SPIR-V module in binary, and what a device needs to run it.
struct Binary {
  std::vector<uint32_t> words;
  /// Sorted; see getFeature.
  std::vector<std::string> features;

  /// The words in little-endian order.
  std::vector<uint8_t> getBytes() const;
};

/// Serialises the `spirv.module` of a module and, where the build has SPIRV-Tools, validates it.
mlir::FailureOr<Binary> serialize(mlir::ModuleOp module, Environment environment);

/// Checks a binary by the rules of `environment`. True without SPIRV-Tools in the build.
bool validate(llvm::ArrayRef<uint32_t> words, Environment environment, std::string &error);

/// The text of a binary, as spirv-dis prints it; nothing without SPIRV-Tools in the build.
std::optional<std::string> disassemble(llvm::ArrayRef<uint32_t> words);

} // namespace tw::spv
