// The binary of a spirv.module, and what it needs of a device.
#include "tw/Support/Diagnostics.h"
#include "tw/Target/SPIRV/Pipeline.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Target/SPIRV/Serialization.h"

#include "llvm/Support/Endian.h"

#include <set>

using namespace mlir;

namespace {

/// Float controls are properties per width, not features: the names say which.
void addFloatControls(spirv::ModuleOp module, std::set<std::string> &features) {
  for (auto mode : module.getOps<spirv::ExecutionModeOp>()) {
    StringRef name;
    if (mode.getExecutionMode() == spirv::ExecutionMode::SignedZeroInfNanPreserve)
      name = "shaderSignedZeroInfNanPreserveFloat";
    else if (mode.getExecutionMode() == spirv::ExecutionMode::RoundingModeRTE)
      name = "shaderRoundingModeRTEFloat";
    else
      continue;
    int64_t width = cast<IntegerAttr>(mode.getValues()[0]).getInt();
    features.insert(name.str() + std::to_string(width));
  }
}

} // namespace

std::vector<uint8_t> tw::spv::Binary::getBytes() const {
  std::vector<uint8_t> bytes(words.size() * sizeof(uint32_t));
  for (auto [i, word] : llvm::enumerate(words))
    llvm::support::endian::write32le(bytes.data() + i * sizeof(uint32_t), word);
  return bytes;
}

FailureOr<tw::spv::Binary> tw::spv::serialize(ModuleOp module, Environment environment) {
  auto modules = module.getOps<spirv::ModuleOp>();
  if (!llvm::hasSingleElement(modules))
    return emitError(module.getLoc(), Code::T0443) << "expected one spirv.module";
  spirv::ModuleOp kernels = *modules.begin();
  Binary binary;
  SmallVector<uint32_t> words;
  if (failed(mlir::spirv::serialize(kernels, words)))
    return emitError(kernels.getLoc(), Code::T0443) << "the kernels cannot be written as SPIR-V";
  bool specialised = specialiseLocalSizes(kernels, words);
  std::string error;
  if (!validate(words, environment, error))
    return emitError(kernels.getLoc(), Code::T0440)
           << "the kernels are not valid SPIR-V: " << error;
  binary.words.assign(words.begin(), words.end());
  std::set<std::string> features;
  for (spirv::Capability capability : kernels.getVceTriple()->getCapabilities())
    if (StringRef feature = getFeature(environment, capability); !feature.empty())
      features.insert(feature.str());
  addFloatControls(kernels, features);
  if (specialised)
    features.insert("LocalSizeId");
  binary.features.assign(features.begin(), features.end());
  return binary;
}
