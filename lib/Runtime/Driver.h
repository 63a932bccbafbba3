// What a driver gives to the runtime: one table of functions, the same for every kind of device.
//
// A driver is stateless; its state hangs on the handles that it makes. The core checks arguments,
// ranges and lifetimes before it calls, counts references, and never calls a driver with a handle
// it has destroyed. Functions that return TwrtCode fill `error` when they fail, naming the call of
// the system or vendor library in TwrtError::call. To write one, copy Drivers/Null.
#pragma once

#include "Error.h"
#include "Log.h"
#include "Memory.h"
#include "Support/Json.h"
#include "Trace.h"
#include "tw/Format/Commands.h"
#include "tw/Format/TensorMap.h"

namespace tw::runtime {

struct Stop;

/// Threads of the caller's own: TwrtInstanceOptions::parallel, or NULL.
struct Executor {
  void (*parallel)(void *user, uint32_t count, void (*task)(void *context, uint32_t index),
                   void *context) = nullptr;
  void *user = nullptr;
};

/// What a driver may use of its instance; outlives all its handles.
struct DriverContext {
  Allocator allocator;
  uint32_t hostThreads;
  Log log;
  Executor executor;
  Trace trace;
};

struct DeviceInfo {
  /// Which launch programs run here: "host", "opencl", "vulkan", "cuda", "amd"; "*": any, for the
  /// null driver.
  const char *target = "";
  /// Kernel formats, separated by spaces: "host", "host-team", "opencl-c", "spirv", "ptx", "cubin",
  /// "hsaco"; "*": any.
  const char *formats = "";
  /// What variants may need, separated by spaces, as LLVM spells them; "*": anything. Lives as long
  /// as the process.
  const char *features = "";
  uint64_t totalBytes = 0;
  /// The most that one allocation holds and one binding spans.
  uint64_t maxSlabBytes = UINT64_MAX;
  /// What the offset of a binding in its memory must be a multiple of, besides what the kernel
  /// asks.
  uint32_t offsetAlignment = 1;
  /// The most threads in a group, bytes of local memory of a group, and bindings of a kernel.
  uint32_t maxGroup = UINT32_MAX;
  uint64_t localBytes = UINT64_MAX;
  uint32_t maxBindings = format::maxKernelBindings;
  /// The most groups along x of one launch; drivers fold larger grids over y.
  uint32_t maxGridX = UINT32_MAX;
  /// Buffers can be read and written through DriverMemory::host.
  bool hostVisible = false;
};

/// Memory of a device.
struct DriverMemory {
  void *handle = nullptr;
  void *host = nullptr;
  uint64_t bytes = 0;
};

/// What a map of a tensor is made from, and where the binding lies (format::TensorMap).
struct ImageMap {
  uint32_t binding = 0, rank = 0, swizzle = 0;
  format::ElementType element = format::ElementType::F32;
  /// Innermost first; strides in bytes, from the second dimension on.
  uint64_t extents[format::maxMapRank] = {}, strides[format::maxMapRank] = {};
  uint32_t box[format::maxMapRank] = {};
};

/// A kernel of an image that the program launches. The core has checked it against the device's
/// limits.
struct ImageKernel {
  /// The function's symbol in the image.
  const char *name = "";
  /// Threads of a group, and bytes of local memory that it declares.
  uint32_t group = 1;
  uint32_t localBytes = 0;
  /// The size of the group is a parameter of the code (format::Variant), which the core has set to
  /// what the device allows: a program is `parts` groups of `group` threads, along z.
  bool divisible = false;
  uint32_t parts = 1;
  /// Threads of a subgroup that the code is made for; 0: it does not matter.
  uint32_t subgroup = 0;
  uint32_t bindings = 0, scalars = 0;
  /// Bit i: binding i is written.
  uint32_t written = 0;
  /// What it takes behind its scalars.
  std::span<const ImageMap> maps = {};
};

/// Machine code of one section. `file` is -1 or a file that holds the same bytes at `fileOffset`.
/// `kernels` are those of its functions that will be launched; everything here is borrowed.
struct ImageSource {
  const char *format;
  std::span<const uint8_t> bytes;
  int file;
  uint64_t fileOffset;
  std::span<const ImageKernel> kernels;
};

struct PlanRange {
  const DriverMemory *memory = nullptr;
  uint64_t offset = 0, bytes = 0;
};

/// Room of a prepared call for a map of a tensor. What is in it is the driver's, which makes it
/// when the launch is first handed in and when its binding has moved.
struct PlanMap {
  static constexpr size_t mapBytes = 128;
  alignas(64) uint8_t bytes[mapBytes] = {};
  uint64_t address = 0;
  bool isMade = false;
};

/// One command of a prepared call. Launch: ranges are the bindings; copy: to and from, of equal
/// length; fill: one range, whose length is a multiple of `width`.
struct PlanStep {
  enum Kind : uint8_t { Launch, Copy, Fill } kind = Launch;
  uint8_t width = 0;
  uint32_t kernel = 0;
  void *executable = nullptr;
  /// Host images: byte offset of the function in the image. Others: index into
  /// ImageSource::kernels.
  uint64_t entry = 0;
  /// All threads of the device run the launch together (format "host-team").
  bool together = false;
  /// The product is the number of programs; it fits 32 bits.
  uint32_t grid[3] = {};
  uint32_t firstRange = 0, rangeCount = 0;
  uint32_t firstScalar = 0;
  int64_t pattern = 0;
  /// As many as the kernel has.
  PlanMap *maps = nullptr;
};

struct Plan {
  std::span<const PlanStep> steps;
  std::span<const PlanRange> ranges;
  std::span<const int64_t> scalars;
  /// Of each thread.
  uint64_t scratchBytes = 0;
  /// One for each launch, whose times the driver sets; NULL: nobody asks for times.
  TwrtSample *samples = nullptr;
  /// Scratch memory of all threads that run a launch together.
  uint64_t sharedBytes = 0;
  /// The most threads of the host; 0: all.
  uint32_t threads = 0;
  /// May be NULL. Looked at by drivers that run the steps themselves.
  const Stop *stop = nullptr;
  /// NULL: the steps are handed in one by one. Else they are as one, and here is what the driver
  /// has recorded of them, NULL at first; nothing of an earlier submission with it runs in another
  /// queue. Such a plan has no samples.
  void **recording = nullptr;
  /// May be NULL. The number of the launch that the driver hands in, while it does: for who tells
  /// of its failure.
  uint32_t *launching = nullptr;
};

/// Waiting for ever.
inline constexpr uint64_t waitForever = UINT64_MAX;

struct Driver {
  const char *name;
  /// The devices are not there: their code is executed on the host. Nobody is offered one unasked.
  bool emulated = false;
  /// May be NULL. What device `index` is called behind "NAME:", where that is no number; lives as
  /// long as the process.
  const char *(*deviceName)(size_t index) = nullptr;
  /// Can it be used on this machine at all?
  TwrtCode (*probe)(TwrtError *error);
  /// Number of devices; not called when probe fails.
  size_t (*enumerate)();
  /// Fills `info`, and adds members to the open object of `json`.
  void (*describe)(const DriverContext &context, size_t device, DeviceInfo &info,
                   support::JsonWriter &json);
  TwrtCode (*open)(const DriverContext &context, size_t index, void **device, TwrtError *error);
  void (*close)(void *device);

  /// Where the host sees it, aligned to at least 64 bytes, to 4096 from that size on; contents
  /// undefined. `bytes` may be 0 and is at most maxSlabBytes.
  TwrtCode (*allocate)(void *device, uint64_t bytes, DriverMemory *memory, TwrtError *error);
  /// Also for what importMemory and mapFile made. Waits for work that uses the memory.
  void (*free)(void *device, DriverMemory *memory);
  /// This and mapFile: TWRT_UNSUPPORTED where the device cannot, and the core copies.
  TwrtCode (*importMemory)(void *device, void *host, uint64_t bytes, DriverMemory *memory,
                           TwrtError *error);
  /// `offset` need not be aligned.
  TwrtCode (*mapFile)(void *device, int file, uint64_t offset, uint64_t bytes, DriverMemory *memory,
                      TwrtError *error);

  /// May be NULL. Memory that `allocate` made will be written when time counts: its pages are to be
  /// there.
  void (*fetchPages)(void *device, const DriverMemory &memory) = nullptr;
  /// May be NULL. Memory that mapFile made will hardly be read again: its pages may go.
  void (*dropPages)(void *device, const PlanRange &range) = nullptr;

  TwrtCode (*queueCreate)(void *device, void **queue, TwrtError *error);
  /// Waits for the queue's work.
  void (*queueDestroy)(void *queue);
  /// Work of a queue runs in order. These hand out the point's number, which grows along the queue;
  /// `from` and `to` in host memory stay as they are until it is reached. Any offset, any length,
  /// 0 included; the ranges of a copy may overlap.
  TwrtCode (*write)(void *queue, const PlanRange &to, const void *from, uint64_t *point,
                    TwrtError *error);
  TwrtCode (*read)(void *queue, const PlanRange &from, void *to, uint64_t *point, TwrtError *error);
  TwrtCode (*copy)(void *queue, const PlanRange &to, const PlanRange &from, uint64_t *point,
                   TwrtError *error);
  TwrtCode (*fill)(void *queue, const PlanRange &to, int64_t pattern, uint32_t width,
                   uint64_t *point, TwrtError *error);

  TwrtCode (*loadExecutable)(void *device, const ImageSource &image, void **executable,
                             TwrtError *error);
  void (*unload)(void *device, void *executable);
  /// `plan` is borrowed for the call; the samples live until its point is reached.
  TwrtCode (*submitPlan)(void *queue, const Plan &plan, uint64_t *point, TwrtError *error);
  /// May be NULL: plans are not recorded. Why they cannot be on this device, if they cannot.
  TwrtCode (*checkRecording)(void *device, TwrtError *error) = nullptr;
  /// Nothing of it runs.
  void (*freeRecording)(void *device, void *recording) = nullptr;
  /// TWRT_TIMEOUT if the point is not reached in time. May be called from any thread.
  TwrtCode (*pointWait)(void *queue, uint64_t point, uint64_t timeoutNs, TwrtError *error);
  /// May be NULL: the core waits. Later work of `queue` starts when `other`, another queue of the
  /// same device, has reached `point`; returns at once.
  TwrtCode (*queueWait)(void *queue, void *other, uint64_t point, TwrtError *error) = nullptr;

  /// What the vendor's library knows them by; NULL where there is nothing. `handle` comes with its
  /// size; memory is not empty.
  void (*deviceHandle)(const void *device, TwrtHandle &handle) = nullptr;
  void (*queueHandle)(void *queue, TwrtHandle &handle) = nullptr;
  void (*memoryHandle)(const DriverMemory &memory, TwrtHandle &handle) = nullptr;
  /// Memory and queues around handles of the caller's; NULL where that cannot be.
  TwrtCode (*importHandle)(void *device, const TwrtHandle &handle, uint64_t bytes,
                           DriverMemory *memory, TwrtError *error) = nullptr;
  TwrtCode (*queueImport)(void *device, const TwrtHandle &handle, void **queue,
                          TwrtError *error) = nullptr;
  /// NULL where memory cannot be shared with other devices and processes: as `allocate`, of memory
  /// that `memoryExport` gives a handle of, which the caller owns.
  TwrtCode (*allocateShared)(void *device, uint64_t bytes, DriverMemory *memory,
                             TwrtError *error) = nullptr;
  TwrtCode (*memoryExport)(void *device, const DriverMemory &memory, TwrtHandle &handle,
                           TwrtError *error) = nullptr;
};

#define TW_DRIVER(name) extern const Driver name##Driver;
#include "Drivers.def"

/// For drivers: fails unless `handle`, of `what`, is of that kind and not 0.
TwrtCode checkHandle(const TwrtHandle &handle, TwrtHandleKind kind, const char *what,
                     TwrtError *error);

/// All drivers, in the order in which devices are listed.
std::span<const Driver *const> allDrivers();

/// The largest divisor of `threads` that is at most `most`; both are at least 1.
uint32_t divideGroup(uint32_t threads, uint32_t most);

/// True if each word of `needs` is a word of `has`, or `has` is "*"; else `missing` is the first
/// word that is not.
bool hasWords(std::string_view has, std::string_view needs, std::string_view &missing);

} // namespace tw::runtime
