// Transfers and plans of Vulkan queues.
#include "Vulkan.h"

#include <algorithm>

using namespace tw::runtime;
using namespace tw::runtime::vulkan;

/// What one submission carries through staging memory.
static constexpr uint64_t transferPiece = 4u << 20;

/// Whether the host reads and writes it without the device.
static bool isSeen(const Queue &queue, const Memory &memory) {
  return memory.host && !usesStaging(*queue.device);
}

/// A transfer that the host makes itself, once the work before it is done, as a point of its own.
template <typename Transfer>
static TwrtCode transferNow(Queue &queue, uint64_t *point, TwrtError *error, Transfer transfer) {
  TWRT_TRY(waitReached(queue, queue.submitted, error));
  if (queue.isShared) {
    std::lock_guard lock(queue.device->mutex);
    TW_VK(vkQueueWaitIdle, queue.device->queue);
  }
  transfer();
  VkSemaphoreSignalInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  info.semaphore = queue.semaphore;
  info.value = queue.submitted + 1;
  TW_VK(vkSignalSemaphore, queue.device->handle, &info);
  queue.reached = *point = ++queue.submitted;
  return TWRT_OK;
}

/// An empty submission, for its point.
static TwrtCode submitNothing(Queue &queue, uint64_t *point, TwrtError *error) {
  Submission *submission = nullptr;
  TWRT_TRY(begin(queue, 0, &submission, error));
  return submit(queue, *submission, point, error);
}

/// Each submission begins behind all that were handed in before, on whatever queue of ours: only
/// transfers that the host makes have something to wait for, which this is.
TwrtCode vulkan::queueWait(void *handle, void *otherHandle, uint64_t point, TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle), &other = *static_cast<Queue *>(otherHandle);
  {
    std::lock_guard lock(other.mutex);
    if (point > other.submitted)
      return fail(error, TWRT_INVALID_ARGUMENT, "the queue has not handed out that point");
    TWRT_TRY(repeatFailure(other.failure, error));
    if (point <= other.reached)
      return TWRT_OK;
  }
  std::lock_guard lock(queue.mutex);
  uint64_t behind = 0;
  return submitNothing(queue, &behind, error);
}

TwrtCode vulkan::write(void *handle, const PlanRange &to, const void *from, uint64_t *point,
                       TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  std::lock_guard lock(queue.mutex);
  const Memory &memory = *static_cast<const Memory *>(to.memory->handle);
  if (isSeen(queue, memory))
    return transferNow(queue, point, error, [&] {
      if (to.bytes)
        memcpy(memory.host + to.offset, from, to.bytes);
    });
  if (to.bytes == 0)
    return submitNothing(queue, point, error);
  for (uint64_t done = 0; done < to.bytes; done += transferPiece) {
    Submission *submission = nullptr;
    uint64_t bytes = std::min(transferPiece, to.bytes - done);
    TWRT_TRY(begin(queue, bytes, &submission, error));
    memcpy(submission->staging.host, static_cast<const uint8_t *>(from) + done, bytes);
    VkBufferCopy region = {0, memory.skip + to.offset + done, bytes};
    vk().vkCmdCopyBuffer(submission->commands, submission->staging.buffer, memory.buffer, 1,
                         &region);
    TWRT_TRY(submit(queue, *submission, point, error));
  }
  return TWRT_OK;
}

TwrtCode vulkan::read(void *handle, const PlanRange &from, void *to, uint64_t *point,
                      TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  std::lock_guard lock(queue.mutex);
  const Memory &memory = *static_cast<const Memory *>(from.memory->handle);
  if (isSeen(queue, memory))
    return transferNow(queue, point, error, [&] {
      if (from.bytes)
        memcpy(to, memory.host + from.offset, from.bytes);
    });
  if (from.bytes == 0)
    return submitNothing(queue, point, error);
  for (uint64_t done = 0; done < from.bytes; done += transferPiece) {
    Submission *submission = nullptr;
    uint64_t bytes = std::min(transferPiece, from.bytes - done);
    TWRT_TRY(begin(queue, bytes, &submission, error));
    VkBufferCopy region = {memory.skip + from.offset + done, 0, bytes};
    vk().vkCmdCopyBuffer(submission->commands, memory.buffer, submission->staging.buffer, 1,
                         &region);
    TWRT_TRY(submit(queue, *submission, point, error));
    submission->readTo = static_cast<uint8_t *>(to) + done;
    submission->readBytes = bytes;
  }
  return TWRT_OK;
}

TwrtCode vulkan::copy(void *handle, const PlanRange &to, const PlanRange &from, uint64_t *point,
                      TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  std::lock_guard lock(queue.mutex);
  Submission *submission = nullptr;
  TWRT_TRY(begin(queue, stagingForCopy(to, from), &submission, error));
  recordCopy(queue, *submission, to, from, 0);
  return submit(queue, *submission, point, error);
}

TwrtCode vulkan::fill(void *handle, const PlanRange &to, int64_t pattern, uint32_t width,
                      uint64_t *point, TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  std::lock_guard lock(queue.mutex);
  Submission *submission = nullptr;
  TWRT_TRY(begin(queue, stagingForFill(to, pattern, width), &submission, error));
  recordFill(queue, *submission, to, pattern, width, 0);
  return submit(queue, *submission, point, error);
}

namespace {

/// What the steps of a submission take.
struct Needs {
  uint64_t staging = 0;
  uint32_t launches = 0, bindings = 0;
};

} // namespace

static uint64_t stagingFor(const Plan &plan, const PlanStep &step) {
  const PlanRange *ranges = plan.ranges.data() + step.firstRange;
  switch (step.kind) {
  case PlanStep::Copy:
    return stagingForCopy(ranges[0], ranges[1]);
  case PlanStep::Fill:
    return stagingForFill(ranges[0], step.pattern, step.width);
  case PlanStep::Launch:
    break;
  }
  return 0;
}

static Needs countNeeds(const Plan &plan) {
  Needs needs;
  for (const PlanStep &step : plan.steps) {
    needs.staging += stagingFor(plan, step);
    if (step.kind == PlanStep::Launch) {
      ++needs.launches;
      needs.bindings += step.rangeCount;
    }
  }
  return needs;
}

/// Sets of descriptors and queries enough for the launches.
static TwrtCode reservePools(Queue &queue, Submission &submission, const Needs &needs,
                             TwrtError *error) {
  VkDevice device = queue.device->handle;
  if (needs.launches > submission.setCapacity || needs.bindings > submission.descriptorCapacity) {
    vk().vkDestroyDescriptorPool(device, submission.descriptors, nullptr);
    submission.descriptors = VK_NULL_HANDLE;
    submission.setCapacity = submission.descriptorCapacity = 0;
    if (!submission.views.reset(needs.bindings))
      return failMemory(error, "views of buffers");
    uint32_t descriptors = std::max(needs.bindings, 1u);
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, descriptors},
                                    {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, descriptors}};
    VkDescriptorPoolCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    info.maxSets = needs.launches;
    info.poolSizeCount = std::size(sizes);
    info.pPoolSizes = sizes;
    TW_VK(vkCreateDescriptorPool, device, &info, nullptr, &submission.descriptors);
    submission.setCapacity = needs.launches;
    submission.descriptorCapacity = needs.bindings;
  } else if (submission.descriptors) {
    TW_VK(vkResetDescriptorPool, device, submission.descriptors, 0);
  }
  if (!submission.samples)
    return TWRT_OK;
  if (2 * needs.launches > submission.queryCapacity) {
    vk().vkDestroyQueryPool(device, submission.queries, nullptr);
    submission.queries = VK_NULL_HANDLE;
    submission.queryCapacity = 0;
    VkQueryPoolCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2 * needs.launches;
    TW_VK(vkCreateQueryPool, device, &info, nullptr, &submission.queries);
    submission.queryCapacity = 2 * needs.launches;
  }
  if (needs.launches && queue.device->record->timestampBits)
    vk().vkCmdResetQueryPool(submission.commands, submission.queries, 0, 2 * needs.launches);
  return TWRT_OK;
}

static TwrtCode submitSteps(Queue &queue, const Plan &plan, uint64_t *point, TwrtError *error) {
  Needs needs = countNeeds(plan);
  Submission *submission = nullptr;
  TWRT_TRY(begin(queue, needs.staging, &submission, error));
  submission->samples = plan.samples;
  submission->launches = 0;
  TWRT_TRY(reservePools(queue, *submission, needs, error));
  uint64_t staging = 0;
  TwrtCode code = TWRT_OK;
  for (size_t i = 0; code == TWRT_OK && i < plan.steps.size(); ++i) {
    const PlanStep &step = plan.steps[i];
    const PlanRange *ranges = plan.ranges.data() + step.firstRange;
    if (step.kind == PlanStep::Launch)
      code = recordLaunch(queue, *submission, plan, step, error);
    else if (step.kind == PlanStep::Copy)
      recordCopy(queue, *submission, ranges[0], ranges[1], staging);
    else
      recordFill(queue, *submission, ranges[0], step.pattern, step.width, staging);
    staging += stagingFor(plan, step);
  }
  if (code == TWRT_OK)
    code = submit(queue, *submission, point, error);
  if (code != TWRT_OK)
    submission->launches = 0;
  return code;
}

TwrtCode vulkan::submitPlan(void *handle, const Plan &plan, uint64_t *point, TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  std::lock_guard lock(queue.mutex);
  return submitSteps(queue, plan, point, error);
}
