// The Vulkan driver's handles.
#pragma once

#include "Driver.h"
#include "Library.h"
#include "Object.h"
#include "Spirv.h"

#include <mutex>

namespace tw::runtime::vulkan {

/// All queues of ours share one of the device's; `mutex` guards handing in.
struct Device {
  Allocator allocator;
  const DeviceRecord *record;
  VkDevice handle = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  std::mutex mutex;

  Device(const Allocator &allocator, const DeviceRecord *record)
      : allocator(allocator), record(record) {}
};

/// A buffer with memory of its own, or one of the caller's, from a byte on; `host` where the host
/// sees that byte.
struct Memory {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint8_t *host = nullptr;
  uint64_t bytes = 0, skip = 0;
  /// Its owner destroys the buffer.
  bool isBorrowed = false;
};

/// Where memory comes from that is not the driver's own alone.
struct MemorySource {
  VkExternalMemoryHandleTypeFlagBits type = {};
  /// What VkMemoryAllocateInfo says of it.
  const void *next = nullptr;
  /// Bytes of the buffer; 0: as many as are asked for, and some behind them.
  uint64_t length = 0;
};

struct Kernel {
  VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
  uint32_t bindings = 0, scalars = 0, written = 0, parts = 1;
  Texels texels[16] = {};
};

struct Executable {
  Array<Kernel> kernels;

  explicit Executable(const Allocator &allocator) : kernels(allocator) {}
};

/// A command buffer with all that its commands use, and what is left to do once it has run.
struct Submission {
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkDescriptorPool descriptors = VK_NULL_HANDLE;
  uint32_t setCapacity = 0, descriptorCapacity = 0;
  /// Of the buffers that its launches read as texels.
  Array<VkBufferView> views;
  uint32_t viewCount = 0;
  VkQueryPool queries = VK_NULL_HANDLE;
  uint32_t queryCapacity = 0;
  Memory staging;
  /// 0: never handed in.
  uint64_t point = 0;
  /// A read takes this from the staging memory.
  void *readTo = nullptr;
  uint64_t readBytes = 0;
  /// Launches whose times are in `queries`; when they were handed in, by the host's clock.
  TwrtSample *samples = nullptr;
  uint32_t launches = 0;
  uint64_t startNs = 0;
};

/// Byte ranges touched by commands between which there is no barrier yet.
struct Hazards {
  static constexpr uint32_t most = 128;
  struct Touch {
    VkBuffer buffer;
    uint64_t begin, end;
    bool written;
  };
  Touch touches[most];
  uint32_t count = 0;

  bool conflicts(const Touch &touch) const;
  bool isFull(uint32_t more) const { return count + more > most; }
  void add(const Touch &touch) { touches[count++] = touch; }
};

/// Points are the values of a timeline semaphore. At most `depth` submissions are open; handing in
/// more waits for the oldest, so that memory stays constant. A queue whose work failed stays
/// failed.
struct Queue {
  static constexpr uint32_t depth = 16;
  Device *device;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::mutex mutex;
  uint64_t submitted = 0, reached = 0;
  Submission ring[depth];
  uint32_t next = 0;
  Hazards hazards;
  TwrtError failure = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
  /// The caller hands work to the device's queue, too: what the host does itself waits for all.
  bool isShared = false;

  explicit Queue(Device *device) : device(device) {}
};

/// Makes transfers go through staging memory even where the host sees the device's; for tests.
void forceStaging(bool force);
bool usesStaging(const Device &device);

TwrtCode allocate(void *device, uint64_t bytes, DriverMemory *memory, TwrtError *error);
TwrtCode importMemory(void *device, void *data, uint64_t bytes, DriverMemory *memory,
                      TwrtError *error);
TwrtCode mapFile(void *device, int file, uint64_t offset, uint64_t bytes, DriverMemory *memory,
                 TwrtError *error);
void freeMemory(void *device, DriverMemory *memory);
/// Fills `memory`; on failure nothing is left behind.
TwrtCode makeMemory(Device &device, uint64_t bytes, uint32_t memoryType, bool mapped,
                    Memory &memory, TwrtError *error, const MemorySource &source = {});
void destroyMemory(Device &device, Memory &memory);
/// A handle's memory, filled by `fill(Memory &)`.
template <typename Fill>
TwrtCode makeHandle(Device &device, uint64_t bytes, DriverMemory *memory, TwrtError *error,
                    Fill fill) {
  Memory *made = create<Memory>(device.allocator);
  if (!made)
    return failMemory(error, "a buffer");
  if (TwrtCode code = fill(*made); code != TWRT_OK) {
    destroy(device.allocator, made);
    return code;
  }
  *memory = {made, made->host, bytes};
  return TWRT_OK;
}
TwrtCode allocateShared(void *device, uint64_t bytes, DriverMemory *memory, TwrtError *error);
TwrtCode memoryExport(void *device, const DriverMemory &memory, TwrtHandle &handle,
                      TwrtError *error);
TwrtCode importHandle(void *device, const TwrtHandle &handle, uint64_t bytes, DriverMemory *memory,
                      TwrtError *error);
TwrtCode queueImport(void *device, const TwrtHandle &handle, void **queue, TwrtError *error);

void deviceHandle(const void *device, TwrtHandle &handle);
void queueHandle(void *queue, TwrtHandle &handle);
void memoryHandle(const DriverMemory &memory, TwrtHandle &handle);

TwrtCode loadExecutable(void *device, const ImageSource &image, void **executable,
                        TwrtError *error);
void unload(void *device, void *executable);

TwrtCode queueCreate(void *device, void **queue, TwrtError *error);
void queueDestroy(void *queue);
TwrtCode write(void *queue, const PlanRange &to, const void *from, uint64_t *point,
               TwrtError *error);
TwrtCode read(void *queue, const PlanRange &from, void *to, uint64_t *point, TwrtError *error);
TwrtCode copy(void *queue, const PlanRange &to, const PlanRange &from, uint64_t *point,
              TwrtError *error);
TwrtCode fill(void *queue, const PlanRange &to, int64_t pattern, uint32_t width, uint64_t *point,
              TwrtError *error);
TwrtCode submitPlan(void *queue, const Plan &plan, uint64_t *point, TwrtError *error);
TwrtCode pointWait(void *queue, uint64_t point, uint64_t timeoutNs, TwrtError *error);
TwrtCode queueWait(void *queue, void *other, uint64_t point, TwrtError *error);

// ---- Submissions, under the queue's lock -----------------------------------------------------

/// The next submission, begun, with at least `stagingBytes` of mapped staging memory.
TwrtCode begin(Queue &queue, uint64_t stagingBytes, Submission **submission, TwrtError *error);
/// Ends it and hands it in.
TwrtCode submit(Queue &queue, Submission &submission, uint64_t *point, TwrtError *error);
/// Waits until `point` is reached and does what is left to do up to it.
TwrtCode waitReached(Queue &queue, uint64_t point, TwrtError *error);

// ---- Commands ----------------------------------------------------------------------------------

/// All earlier commands of the device are done, and visible, before later ones.
void barrier(Queue &queue, VkCommandBuffer commands);
/// A barrier if one of the ranges needs it; they then count as touched.
void order(Queue &queue, VkCommandBuffer commands, std::span<const Hazards::Touch> touches);

/// Bytes of staging memory that the command takes.
uint64_t stagingForCopy(const PlanRange &to, const PlanRange &from);
uint64_t stagingForFill(const PlanRange &to, int64_t pattern, uint32_t width);
/// `staging` is the command's place in the submission's staging memory.
void recordCopy(Queue &queue, Submission &submission, const PlanRange &to, const PlanRange &from,
                uint64_t staging);
void recordFill(Queue &queue, Submission &submission, const PlanRange &to, int64_t pattern,
                uint32_t width, uint64_t staging);
/// Those of the submission, whose launches are done.
void destroyViews(Device &device, Submission &submission);
TwrtCode recordLaunch(Queue &queue, Submission &submission, const Plan &plan, const PlanStep &step,
                      TwrtError *error);

} // namespace tw::runtime::vulkan
