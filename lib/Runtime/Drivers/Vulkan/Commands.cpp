// The commands that transfers and plans are made of, and the barriers between them.
#include "Vulkan.h"

#include <algorithm>

using namespace tw::runtime;
using namespace tw::runtime::vulkan;

/// Overlapping copies go through pieces of this size, patterns are laid out up to it.
static constexpr uint64_t overlapPiece = 1u << 20, patternPiece = 1u << 16;

static VkBuffer bufferOf(const PlanRange &range) {
  return static_cast<const Memory *>(range.memory->handle)->buffer;
}

/// Where it begins in its buffer.
static uint64_t beginOf(const PlanRange &range) {
  return static_cast<const Memory *>(range.memory->handle)->skip + range.offset;
}

bool Hazards::conflicts(const Touch &touch) const {
  return std::any_of(touches, touches + count, [&](const Touch &other) {
    return other.buffer == touch.buffer && (other.written || touch.written) &&
           touch.begin < other.end && other.begin < touch.end;
  });
}

void vulkan::barrier(Queue &queue, VkCommandBuffer commands) {
  constexpr VkPipelineStageFlags stages =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkMemoryBarrier all = {};
  all.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  all.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  all.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  vk().vkCmdPipelineBarrier(commands, stages, stages, 0, 1, &all, 0, nullptr, 0, nullptr);
  queue.hazards.count = 0;
}

void vulkan::order(Queue &queue, VkCommandBuffer commands,
                   std::span<const Hazards::Touch> touches) {
  bool needed = queue.hazards.isFull(uint32_t(touches.size()));
  for (const Hazards::Touch &touch : touches)
    needed = needed || queue.hazards.conflicts(touch);
  if (needed)
    barrier(queue, commands);
  for (const Hazards::Touch &touch : touches)
    queue.hazards.add(touch);
}

static Hazards::Touch touchOf(const PlanRange &range, bool written) {
  return {bufferOf(range), beginOf(range), beginOf(range) + range.bytes, written};
}

static bool overlap(const PlanRange &to, const PlanRange &from) {
  return bufferOf(to) == bufferOf(from) && beginOf(to) < beginOf(from) + from.bytes &&
         beginOf(from) < beginOf(to) + to.bytes;
}

uint64_t vulkan::stagingForCopy(const PlanRange &to, const PlanRange &from) {
  bool moves = beginOf(to) != beginOf(from) && overlap(to, from);
  return moves ? std::min(to.bytes, overlapPiece) : 0;
}

/// Vulkan leaves overlapping copies undefined: they go piece by piece through staging memory, from
/// the end that is not overwritten early.
static void copyOverlapping(Queue &queue, Submission &submission, const PlanRange &to,
                            const PlanRange &from, uint64_t staging) {
  VkBuffer buffer = bufferOf(to), between = submission.staging.buffer;
  barrier(queue, submission.commands);
  for (uint64_t done = 0; done < to.bytes;) {
    uint64_t length = std::min(overlapPiece, to.bytes - done);
    uint64_t at = beginOf(to) < beginOf(from) ? done : to.bytes - done - length;
    VkBufferCopy out = {beginOf(from) + at, staging, length},
                 in = {staging, beginOf(to) + at, length};
    vk().vkCmdCopyBuffer(submission.commands, buffer, between, 1, &out);
    barrier(queue, submission.commands);
    vk().vkCmdCopyBuffer(submission.commands, between, buffer, 1, &in);
    barrier(queue, submission.commands);
    done += length;
  }
}

void vulkan::recordCopy(Queue &queue, Submission &submission, const PlanRange &to,
                        const PlanRange &from, uint64_t staging) {
  if (to.bytes == 0)
    return;
  if (overlap(to, from)) {
    if (beginOf(to) != beginOf(from))
      copyOverlapping(queue, submission, to, from, staging);
    return;
  }
  Hazards::Touch touches[] = {touchOf(to, true), touchOf(from, false)};
  order(queue, submission.commands, touches);
  VkBufferCopy region = {beginOf(from), beginOf(to), to.bytes};
  vk().vkCmdCopyBuffer(submission.commands, bufferOf(from), bufferOf(to), 1, &region);
}

/// The pattern as 4 bytes, if those are all there is to it and the range is made of them.
static bool isWordFill(const PlanRange &to, int64_t pattern, uint32_t width, uint32_t &word) {
  uint8_t bytes[8];
  memcpy(bytes, &pattern, sizeof(bytes));
  for (uint32_t i = width; i < 8; ++i)
    bytes[i] = bytes[i - width];
  memcpy(&word, bytes, sizeof(word));
  return to.offset % 4 == 0 && to.bytes % 4 == 0 && memcmp(bytes, bytes + 4, 4) == 0;
}

uint64_t vulkan::stagingForFill(const PlanRange &to, int64_t pattern, uint32_t width) {
  uint32_t word;
  return isWordFill(to, pattern, width, word) ? 0 : std::min(to.bytes, patternPiece);
}

/// Vulkan fills with words at multiples of 4; everything else is copied from a laid-out pattern.
void vulkan::recordFill(Queue &queue, Submission &submission, const PlanRange &to, int64_t pattern,
                        uint32_t width, uint64_t staging) {
  if (to.bytes == 0)
    return;
  Hazards::Touch touch = touchOf(to, true);
  order(queue, submission.commands, {&touch, 1});
  uint32_t word;
  if (isWordFill(to, pattern, width, word)) {
    vk().vkCmdFillBuffer(submission.commands, bufferOf(to), beginOf(to), to.bytes, word);
    return;
  }
  uint64_t piece = std::min(to.bytes, patternPiece);
  for (uint64_t i = 0; i < piece; i += width)
    memcpy(submission.staging.host + staging + i, &pattern, std::min<uint64_t>(width, piece - i));
  constexpr uint32_t most = 64;
  VkBufferCopy regions[most];
  uint32_t count = 0;
  for (uint64_t done = 0; done < to.bytes; done += piece) {
    regions[count++] = {staging, beginOf(to) + done, std::min(piece, to.bytes - done)};
    if (count == most || done + piece >= to.bytes) {
      vk().vkCmdCopyBuffer(submission.commands, submission.staging.buffer, bufferOf(to), count,
                           regions);
      count = 0;
    }
  }
}

void vulkan::destroyViews(Device &device, Submission &submission) {
  for (uint32_t i = 0; i < submission.viewCount; ++i)
    vk().vkDestroyBufferView(device.handle, submission.views[i], nullptr);
  submission.viewCount = 0;
}

/// A view of the range, in whole texels, that lives as long as the submission's work.
static TwrtCode makeView(Device &device, Submission &submission, const PlanRange &range,
                         uint64_t bytes, Texels texels, TwrtError *error) {
  constexpr VkFormat formats[] = {VK_FORMAT_UNDEFINED, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32_UINT,
                                  VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_UINT};
  // Buffers of ours have room for the texel that a range ends in.
  uint64_t texelBytes = texels == Texels::Float4 || texels == Texels::Uint4 ? 16 : 4;
  if (bytes % texelBytes != 0 && static_cast<const Memory *>(range.memory->handle)->isBorrowed)
    return fail(error, TWRT_UNSUPPORTED,
                "%llu bytes of a buffer of the caller's are read in texels of 16 bytes; give it a "
                "multiple of them, or compile for --target=vulkan",
                static_cast<unsigned long long>(bytes));
  bytes = (bytes + texelBytes - 1) / texelBytes * texelBytes;
  if (bytes / texelBytes > device.record->maxTexels)
    return fail(error, TWRT_UNSUPPORTED,
                "a buffer of %llu texels is read, of which the device's buffers have "
                "at most %llu; compile for --target=vulkan",
                static_cast<unsigned long long>(bytes / texelBytes),
                static_cast<unsigned long long>(device.record->maxTexels));
  VkBufferViewCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO;
  info.buffer = bufferOf(range);
  info.format = formats[size_t(texels)];
  info.offset = range.bytes ? beginOf(range) : 0;
  info.range = bytes;
  TW_VK(vkCreateBufferView, device.handle, &info, nullptr, &submission.views[submission.viewCount]);
  ++submission.viewCount;
  return TWRT_OK;
}

static TwrtCode bindBuffers(Queue &queue, Submission &submission, const Plan &plan,
                            const PlanStep &step, const Kernel &kernel, TwrtError *error) {
  Device &device = *queue.device;
  VkDescriptorSetAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = submission.descriptors;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &kernel.setLayout;
  VkDescriptorSet set = VK_NULL_HANDLE;
  TW_VK(vkAllocateDescriptorSets, device.handle, &info, &set);
  VkDescriptorBufferInfo buffers[16];
  VkWriteDescriptorSet writes[16] = {};
  Hazards::Touch touches[16];
  for (uint32_t i = 0; i < kernel.bindings; ++i) {
    const PlanRange &range = plan.ranges[step.firstRange + i];
    uint64_t bytes = std::clamp<uint64_t>((range.bytes + 3) / 4 * 4, 4, device.record->maxRange);
    // One without elements may end its buffer, of which a binding has some bytes.
    buffers[i] = {bufferOf(range), range.bytes ? beginOf(range) : 0, bytes};
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = set;
    writes[i].dstBinding = i;
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &buffers[i];
    if (kernel.texels[i] != Texels::None) {
      TWRT_TRY(makeView(device, submission, range, bytes, kernel.texels[i], error));
      writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
      writes[i].pTexelBufferView = &submission.views[submission.viewCount - 1];
    }
    touches[i] = touchOf(range, kernel.written >> i & 1);
  }
  vk().vkUpdateDescriptorSets(device.handle, kernel.bindings, writes, 0, nullptr);
  order(queue, submission.commands, {touches, kernel.bindings});
  vk().vkCmdBindDescriptorSets(submission.commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout,
                               0, 1, &set, 0, nullptr);
  return TWRT_OK;
}

/// A grid over the device's limit is folded: the kernel counts its programs over x and y. The
/// groups of a program lie along z.
TwrtCode vulkan::recordLaunch(Queue &queue, Submission &submission, const Plan &plan,
                              const PlanStep &step, TwrtError *error) {
  const Kernel &kernel = static_cast<const Executable *>(step.executable)->kernels[step.entry];
  uint64_t programs = uint64_t(step.grid[0]) * step.grid[1] * step.grid[2];
  uint32_t launch = submission.launches++;
  bool timed = submission.samples && queue.device->record->timestampBits != 0;
  TWRT_TRY(bindBuffers(queue, submission, plan, step, kernel, error));
  vk().vkCmdBindPipeline(submission.commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline);
  if (kernel.scalars)
    vk().vkCmdPushConstants(submission.commands, kernel.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                            8 * kernel.scalars, plan.scalars.data() + step.firstScalar);
  if (timed)
    vk().vkCmdWriteTimestamp(submission.commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             submission.queries, 2 * launch);
  uint64_t x = std::min<uint64_t>(programs, queue.device->record->maxGridX);
  if (programs)
    vk().vkCmdDispatch(submission.commands, uint32_t(x), uint32_t((programs + x - 1) / x),
                       kernel.parts);
  if (timed)
    vk().vkCmdWriteTimestamp(submission.commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             submission.queries, 2 * launch + 1);
  return TWRT_OK;
}
