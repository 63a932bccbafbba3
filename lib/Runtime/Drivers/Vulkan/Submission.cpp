// Command buffers in a ring: taken, handed in, waited for, used again.
#include "Clock.h"
#include "Vulkan.h"

#include <algorithm>

using namespace tw::runtime;
using namespace tw::runtime::vulkan;

static void destroySubmission(Device &device, Submission &submission) {
  destroyMemory(device, submission.staging);
  destroyViews(device, submission);
  vk().vkDestroyQueryPool(device.handle, submission.queries, nullptr);
  vk().vkDestroyDescriptorPool(device.handle, submission.descriptors, nullptr);
  vk().vkDestroyCommandPool(device.handle, submission.pool, nullptr);
}

TwrtCode vulkan::queueCreate(void *handle, void **queue, TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  Queue *made = create<Queue>(device.allocator, &device);
  if (!made)
    return failMemory(error, "a queue");
  VkSemaphoreTypeCreateInfo type = {};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  if (TwrtCode code = check(vk().vkCreateSemaphore(device.handle, &info, nullptr, &made->semaphore),
                            "vkCreateSemaphore", error);
      code != TWRT_OK) {
    destroy(device.allocator, made);
    return code;
  }
  *queue = made;
  return TWRT_OK;
}

void vulkan::queueDestroy(void *handle) {
  Queue *queue = static_cast<Queue *>(handle);
  Device &device = *queue->device;
  waitReached(*queue, queue->submitted, nullptr);
  {
    // What failed to be waited for must not run on.
    std::lock_guard lock(device.mutex);
    vk().vkQueueWaitIdle(device.queue);
  }
  for (Submission &submission : queue->ring)
    destroySubmission(device, submission);
  vk().vkDestroySemaphore(device.handle, queue->semaphore, nullptr);
  destroy(device.allocator, queue);
}

/// Keeps the first failure of a queue's work for good. Whoever waits is told of it and lets go of
/// what times and bytes were to be written to.
static TwrtCode failQueue(Queue &queue, const TwrtError &reason, TwrtError *error) {
  if (queue.failure.code == TWRT_OK)
    queue.failure = reason;
  for (Submission &submission : queue.ring) {
    submission.readTo = nullptr;
    submission.launches = 0;
  }
  return repeatFailure(queue.failure, error);
}

/// Times of the device's clock, moved so that the first command begins when it was handed in.
static TwrtCode readTimes(Queue &queue, Submission &submission, TwrtError *error) {
  const DeviceRecord &record = *queue.device->record;
  uint64_t end = now(), first = 0;
  for (uint32_t i = 0; submission.samples && i < submission.launches; ++i) {
    TwrtSample &sample = submission.samples[i];
    uint64_t ticks[2] = {};
    if (record.timestampBits == 0) {
      sample.beginNs = submission.startNs;
      sample.endNs = end;
      continue;
    }
    TW_VK(vkGetQueryPoolResults, queue.device->handle, submission.queries, 2 * i, 2, sizeof(ticks),
          ticks, sizeof(ticks[0]), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (i == 0)
      first = ticks[0];
    auto move = [&](uint64_t tick) {
      return submission.startNs + uint64_t(double(tick - first) * double(record.timestampPeriod));
    };
    sample.beginNs = move(ticks[0]);
    sample.endNs = move(ticks[1]);
  }
  return TWRT_OK;
}

static TwrtCode finishSubmission(Queue &queue, Submission &submission, TwrtError *error) {
  if (submission.readTo)
    memcpy(submission.readTo, submission.staging.host, submission.readBytes);
  TwrtCode code = readTimes(queue, submission, error);
  submission.readTo = nullptr;
  submission.launches = 0;
  return code;
}

/// What is left to do for submissions up to `point`, in order.
static TwrtCode finishUpTo(Queue &queue, uint64_t point, TwrtError *error) {
  for (uint32_t i = 0; i < Queue::depth; ++i) {
    Submission &submission = queue.ring[(queue.next + i) % Queue::depth];
    if (submission.point <= queue.reached || submission.point > point)
      continue;
    TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
    if (finishSubmission(queue, submission, &reason) != TWRT_OK)
      failQueue(queue, reason, nullptr);
  }
  queue.reached = std::max(queue.reached, point);
  return repeatFailure(queue.failure, error);
}

static TwrtCode waitSemaphore(Queue &queue, uint64_t point, uint64_t timeoutNs, TwrtError *error) {
  VkSemaphoreWaitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &queue.semaphore;
  info.pValues = &point;
  VkResult result = vk().vkWaitSemaphores(queue.device->handle, &info, timeoutNs);
  if (result == VK_TIMEOUT)
    return fail(error, TWRT_TIMEOUT, "the work is not done in time");
  return check(result, "vkWaitSemaphores", error);
}

TwrtCode vulkan::waitReached(Queue &queue, uint64_t point, TwrtError *error) {
  if (point <= queue.reached)
    return repeatFailure(queue.failure, error);
  TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  if (waitSemaphore(queue, point, waitForever, &reason) != TWRT_OK)
    return failQueue(queue, reason, error);
  return finishUpTo(queue, point, error);
}

TwrtCode vulkan::pointWait(void *handle, uint64_t point, uint64_t timeoutNs, TwrtError *error) {
  Queue &queue = *static_cast<Queue *>(handle);
  {
    std::lock_guard lock(queue.mutex);
    if (point > queue.submitted)
      return fail(error, TWRT_INVALID_ARGUMENT, "the queue has not handed out that point");
    if (point <= queue.reached || queue.failure.code != TWRT_OK)
      return repeatFailure(queue.failure, error);
  }
  TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  TwrtCode code = waitSemaphore(queue, point, timeoutNs, &reason);
  std::lock_guard lock(queue.mutex);
  if (code == TWRT_TIMEOUT)
    return fail(error, code, "%s", reason.message);
  return code == TWRT_OK ? finishUpTo(queue, point, error) : failQueue(queue, reason, error);
}

static TwrtCode makeSubmission(Device &device, Submission &submission, TwrtError *error) {
  VkCommandPoolCreateInfo pool = {};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  pool.queueFamilyIndex = device.record->family;
  if (!submission.pool)
    TW_VK(vkCreateCommandPool, device.handle, &pool, nullptr, &submission.pool);
  VkCommandBufferAllocateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = submission.pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  TW_VK(vkAllocateCommandBuffers, device.handle, &info, &submission.commands);
  return TWRT_OK;
}

TwrtCode vulkan::begin(Queue &queue, uint64_t stagingBytes, Submission **submission,
                       TwrtError *error) {
  TWRT_TRY(repeatFailure(queue.failure, error));
  Device &device = *queue.device;
  Submission &next = queue.ring[queue.next];
  TWRT_TRY(waitReached(queue, next.point, error));
  destroyViews(device, next);
  if (!next.commands)
    TWRT_TRY(makeSubmission(device, next, error));
  if (next.staging.bytes < stagingBytes) {
    destroyMemory(device, next.staging);
    TWRT_TRY(
        makeMemory(device, stagingBytes, device.record->stagingType, true, next.staging, error));
  }
  TW_VK(vkResetCommandPool, device.handle, next.pool, 0);
  VkCommandBufferBeginInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  TW_VK(vkBeginCommandBuffer, next.commands, &info);
  barrier(queue, next.commands);
  next.startNs = now();
  *submission = &next;
  return TWRT_OK;
}

TwrtCode vulkan::submit(Queue &queue, Submission &submission, uint64_t *point, TwrtError *error) {
  Device &device = *queue.device;
  VkMemoryBarrier toHost = {};
  toHost.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  toHost.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  toHost.dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT;
  vk().vkCmdPipelineBarrier(submission.commands,
                            VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                            VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &toHost, 0, nullptr, 0, nullptr);
  TW_VK(vkEndCommandBuffer, submission.commands);
  uint64_t value = queue.submitted + 1;
  VkTimelineSemaphoreSubmitInfo timeline = {};
  timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  timeline.signalSemaphoreValueCount = 1;
  timeline.pSignalSemaphoreValues = &value;
  VkSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &timeline;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &submission.commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &queue.semaphore;
  {
    std::lock_guard lock(device.mutex);
    TwrtError reason = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
    TwrtCode code =
        check(vk().vkQueueSubmit(device.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit", &reason);
    if (code == TWRT_DEVICE_LOST)
      return failQueue(queue, reason, error);
    if (code != TWRT_OK)
      return failCall(error, code, reason.call, reason.driverCode, "%s", reason.message);
  }
  submission.point = queue.submitted = value;
  queue.next = (queue.next + 1) % Queue::depth;
  *point = value;
  return TWRT_OK;
}
