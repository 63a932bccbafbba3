// Makes a pipeline of each kernel of a SPIR-V module, once.
#include "Vulkan.h"

using namespace tw::runtime;
using namespace tw::runtime::vulkan;

static void destroyExecutable(Device &device, Executable *executable) {
  for (Kernel &kernel : executable->kernels) {
    vk().vkDestroyPipeline(device.handle, kernel.pipeline, nullptr);
    vk().vkDestroyPipelineLayout(device.handle, kernel.layout, nullptr);
    vk().vkDestroyDescriptorSetLayout(device.handle, kernel.setLayout, nullptr);
  }
  vk().vkDestroyShaderModule(device.handle, executable->module, nullptr);
  destroy(device.allocator, executable);
}

namespace {

/// What the module says of an entry point.
struct EntryPoint {
  bool found = false;
  /// Threads of a group; 0 if it is not a literal.
  uint64_t group = 0;
};

} // namespace

/// Looks for a GLCompute entry point. Drivers crash on a name that is not there.
static EntryPoint findEntryPoint(std::span<const uint32_t> words, std::string_view name) {
  constexpr uint32_t opEntryPoint = 15, opExecutionMode = 16, glCompute = 5, localSize = 17;
  EntryPoint entry;
  uint32_t id = 0;
  for (size_t at = 5; at < words.size();) {
    uint32_t length = words[at] >> 16, opcode = words[at] & 0xffff;
    if (length == 0 || length > words.size() - at)
      return {};
    const uint32_t *operands = words.data() + at + 1;
    if (opcode == opEntryPoint && length > 3 && operands[0] == glCompute) {
      const char *text = reinterpret_cast<const char *>(operands + 2);
      size_t most = size_t(length - 3) * 4;
      if (std::string_view(text, strnlen(text, most)) == name) {
        entry.found = true;
        id = operands[1];
      }
    }
    if (opcode == opExecutionMode && length == 6 && entry.found && operands[0] == id &&
        operands[1] == localSize)
      entry.group = uint64_t(operands[2]) * operands[3] * operands[4];
    at += length;
  }
  return entry;
}

static TwrtCode makeKernel(Device &device, VkShaderModule module, const ImageKernel &source,
                           Kernel &kernel, TwrtError *error) {
  kernel.bindings = source.bindings;
  kernel.scalars = source.scalars;
  kernel.written = source.written;
  VkDescriptorSetLayoutBinding bindings[16] = {};
  for (uint32_t i = 0; i < source.bindings; ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set = {};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = source.bindings;
  set.pBindings = bindings;
  TW_VK(vkCreateDescriptorSetLayout, device.handle, &set, nullptr, &kernel.setLayout);
  VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 8 * source.scalars};
  VkPipelineLayoutCreateInfo layout = {};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = 1;
  layout.pSetLayouts = &kernel.setLayout;
  layout.pushConstantRangeCount = source.scalars ? 1 : 0;
  layout.pPushConstantRanges = &push;
  TW_VK(vkCreatePipelineLayout, device.handle, &layout, nullptr, &kernel.layout);
  VkComputePipelineCreateInfo pipeline = {};
  pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline.stage.module = module;
  pipeline.stage.pName = source.name;
  pipeline.layout = kernel.layout;
  TW_VK(vkCreateComputePipelines, device.handle, VK_NULL_HANDLE, 1, &pipeline, nullptr,
        &kernel.pipeline);
  return TWRT_OK;
}

static TwrtCode checkKernel(std::span<const uint32_t> words, const ImageKernel &source,
                            TwrtError *error) {
  EntryPoint entry = findEntryPoint(words, source.name);
  if (!entry.found)
    return fail(error, TWRT_INVALID_MODULE, "the SPIR-V module has no kernel '%.80s'", source.name);
  if (entry.group && entry.group != source.group)
    return fail(error, TWRT_INVALID_MODULE,
                "kernel '%.80s' has groups of %llu threads, the module says %u", source.name,
                static_cast<unsigned long long>(entry.group), source.group);
  return TWRT_OK;
}

static TwrtCode makeExecutable(Device &device, const ImageSource &image, Executable &made,
                               TwrtError *error) {
  constexpr uint32_t magic = 0x07230203;
  Array<uint32_t> words(device.allocator);
  if (!made.kernels.reset(image.kernels.size()) || !words.reset(image.bytes.size() / 4))
    return failMemory(error, "a program");
  if (words.size() > 0)
    memcpy(words.data(), image.bytes.data(), words.size() * 4);
  if (words.size() < 5 || image.bytes.size() % 4 != 0 || words[0] != magic)
    return fail(error, TWRT_INVALID_MODULE, "section SPIRV holds no SPIR-V");
  for (const ImageKernel &kernel : image.kernels)
    if (TwrtCode code = checkKernel(words, kernel, error); code != TWRT_OK)
      return code;
  VkShaderModuleCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words.size() * 4;
  info.pCode = words.data();
  TW_VK(vkCreateShaderModule, device.handle, &info, nullptr, &made.module);
  for (size_t i = 0; i < image.kernels.size(); ++i)
    if (TwrtCode code = makeKernel(device, made.module, image.kernels[i], made.kernels[i], error);
        code != TWRT_OK)
      return code;
  return TWRT_OK;
}

TwrtCode vulkan::loadExecutable(void *handle, const ImageSource &image, void **executable,
                                TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  Executable *made = create<Executable>(device.allocator, device.allocator);
  if (!made)
    return failMemory(error, "a program");
  if (TwrtCode code = makeExecutable(device, image, *made, error); code != TWRT_OK) {
    destroyExecutable(device, made);
    return code;
  }
  *executable = made;
  return TWRT_OK;
}

void vulkan::unload(void *handle, void *executable) {
  Device &device = *static_cast<Device *>(handle);
  {
    std::lock_guard lock(device.mutex);
    vk().vkQueueWaitIdle(device.queue);
  }
  destroyExecutable(device, static_cast<Executable *>(executable));
}
