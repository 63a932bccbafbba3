// Makes a pipeline of each kernel of a SPIR-V module, once, from the part that it needs.
#include "Spirv.h"
#include "Vulkan.h"

using namespace tw::runtime;
using namespace tw::runtime::vulkan;

static void destroyExecutable(Device &device, Executable *executable) {
  for (Kernel &kernel : executable->kernels) {
    vk().vkDestroyPipeline(device.handle, kernel.pipeline, nullptr);
    vk().vkDestroyPipelineLayout(device.handle, kernel.layout, nullptr);
    vk().vkDestroyDescriptorSetLayout(device.handle, kernel.setLayout, nullptr);
  }
  destroy(device.allocator, executable);
}

static TwrtCode makePipeline(Device &device, const Array<uint32_t> &words, const EntryPoint &entry,
                             const ImageKernel &source, Kernel &kernel, TwrtError *error) {
  VkShaderModuleCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words.size() * 4;
  info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  TW_VK(vkCreateShaderModule, device.handle, &info, nullptr, &module);
  VkSpecializationMapEntry place = {entry.groupConstant.value_or(0), 0, sizeof(source.group)};
  VkSpecializationInfo constants = {1, &place, sizeof(source.group), &source.group};
  VkComputePipelineCreateInfo pipeline = {};
  pipeline.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  pipeline.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  pipeline.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  pipeline.stage.module = module;
  pipeline.stage.pName = source.name;
  pipeline.stage.pSpecializationInfo = entry.groupConstant ? &constants : nullptr;
  pipeline.layout = kernel.layout;
  VkResult result = vk().vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &pipeline,
                                                  nullptr, &kernel.pipeline);
  vk().vkDestroyShaderModule(device.handle, module, nullptr);
  return check(result, "vkCreateComputePipelines", error);
}

static VkDescriptorType typeOf(Texels texels) {
  return texels == Texels::None ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                : VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

/// What its bindings are, and the layouts that follow.
static TwrtCode makeLayouts(Device &device, const ImageKernel &source, const Array<uint32_t> &words,
                            Kernel &kernel, TwrtError *error) {
  if (!findTexels(device.allocator, words, kernel.texels))
    return failMemory(error, "a program");
  VkDescriptorSetLayoutBinding bindings[16] = {};
  for (uint32_t i = 0; i < source.bindings; ++i) {
    if (kernel.texels[i] == Texels::Unknown)
      return fail(error, TWRT_INVALID_MODULE,
                  "binding %u of kernel '%.80s' is neither a storage buffer nor a storage texel "
                  "buffer of one or four words",
                  i, source.name);
    bindings[i] = {i, typeOf(kernel.texels[i]), 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  }
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
  return TWRT_OK;
}

static TwrtCode makeKernel(Device &device, std::span<const uint32_t> module,
                           const EntryPoint &entry, const ImageKernel &source, Kernel &kernel,
                           TwrtError *error) {
  kernel.bindings = source.bindings;
  kernel.scalars = source.scalars;
  kernel.written = source.written;
  kernel.parts = source.parts;
  Array<uint32_t> words(device.allocator);
  if (!extractKernel(device.allocator, module, entry.id, words))
    return failMemory(error, "a program");
  TWRT_TRY(makeLayouts(device, source, words, kernel, error));
  if (entry.groupConstant)
    setLocalSize(words, entry.id, source.group);
  return makePipeline(device, words, entry, source, kernel, error);
}

/// Drivers crash on a name that is not there.
static TwrtCode checkKernel(std::span<const uint32_t> words, const ImageKernel &source,
                            EntryPoint &entry, TwrtError *error) {
  entry = findEntryPoint(words, source.name);
  if (!entry.id)
    return fail(error, TWRT_INVALID_MODULE, "the SPIR-V module has no kernel '%.80s'", source.name);
  uint32_t threads = source.group * source.parts;
  if (entry.group && entry.group != threads)
    return fail(error, TWRT_INVALID_MODULE,
                "kernel '%.80s' has groups of %llu threads, the module says %u", source.name,
                static_cast<unsigned long long>(entry.group), threads);
  if (source.divisible && !entry.groupConstant)
    return fail(
        error, TWRT_INVALID_MODULE,
        "kernel '%.80s' has no specialisation constant for the size of its groups, which the "
        "module says can be divided",
        source.name);
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
  std::span<const uint32_t> module(words.data(), words.size());
  for (size_t i = 0; i < image.kernels.size(); ++i) {
    EntryPoint entry;
    TWRT_TRY(checkKernel(module, image.kernels[i], entry, error));
    TWRT_TRY(makeKernel(device, module, entry, image.kernels[i], made.kernels[i], error));
  }
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
