// SPIRV-Tools as a library, where the build found it: rules checked, binaries printed.
#include "tw/Target/SPIRV/Pipeline.h"

#if TW_HAS_SPIRV_TOOLS
#include <spirv-tools/libspirv.hpp>

static spv_target_env getRules(tw::spv::Environment environment) {
  return environment == tw::spv::Environment::Vulkan ? SPV_ENV_VULKAN_1_1 : SPV_ENV_OPENCL_2_1;
}

bool tw::spv::validate(llvm::ArrayRef<uint32_t> words, Environment environment,
                       std::string &error) {
  spvtools::SpirvTools tools(getRules(environment));
  tools.SetMessageConsumer(
      [&](spv_message_level_t level, const char *, const spv_position_t &, const char *message) {
        if (level <= SPV_MSG_ERROR && error.empty())
          error = message;
      });
  // Part of Vulkan 1.3; to older devices the driver gives the number (Drivers/Vulkan/Spirv.h).
  spvtools::ValidatorOptions options;
  options.SetAllowLocalSizeId(true);
  return tools.Validate(words.data(), words.size(), options);
}

std::optional<std::string> tw::spv::disassemble(llvm::ArrayRef<uint32_t> words) {
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  std::string text;
  if (!tools.Disassemble({words.begin(), words.end()}, &text,
                         SPV_BINARY_TO_TEXT_OPTION_INDENT |
                             SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES))
    return std::nullopt;
  return text;
}
#else
bool tw::spv::validate(llvm::ArrayRef<uint32_t>, Environment, std::string &) { return true; }

std::optional<std::string> tw::spv::disassemble(llvm::ArrayRef<uint32_t>) { return std::nullopt; }
#endif
