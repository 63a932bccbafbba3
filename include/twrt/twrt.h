/* The C API of the runtime, libtwrt: opens modules made by the compiler and runs them on devices.
 *
 * Concepts: an instance holds drivers, an allocator, a log and a pool of host threads; a device
 * belongs to an instance; a queue runs work of one device in order; a point is a place in a
 * queue's order (a value: nothing to free); a buffer is memory of a device; a module is a parsed
 * file, immutable; a program is one function of a module made ready on devices, with its constants;
 * a call owns the memory of one run of a program.
 *
 * Ownership: what a function hands out through a `TwrtX **` is released with twrtXRelease. An
 * object keeps what it was made from alive, so objects may be released in any order. Release
 * functions accept NULL. Strings handed out belong to the object asked and live as long as it.
 *
 * Threads: functions on different objects may run at once, and so may functions that take their
 * object as const. Instances, devices, modules and programs may be shared by threads without
 * locks. A queue, a buffer being written and a call are used by one thread at a time, but for
 * twrtCallSetCancelled, which any thread may call.
 *
 * Errors: functions that can fail return a TwrtCode and fill the caller's TwrtError, which may be
 * NULL. A failed function leaves its objects as they were and its outputs untouched. TwrtError is
 * plain memory, so reporting works when there is none left. Nothing prints, exits or throws.
 *
 * Sizes: structs that start with `size` are filled by the caller with sizeof(struct), so that
 * they can grow; a smaller known size is accepted, an unknown one refused. */
#ifndef TWRT_TWRT_H
#define TWRT_TWRT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define TWRT_EXPORT __attribute__((visibility("default")))
#else
#define TWRT_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What the caller was compiled against; handed to twrtInstanceCreate. */
#define TWRT_ABI 0u

typedef enum TwrtCode {
  TWRT_OK = 0,
  TWRT_INVALID_ARGUMENT = 1, /* the caller's mistake: nulls, ranges, shapes, types */
  TWRT_INVALID_MODULE = 2, /* a damaged or meaningless module; the message has section and offset */
  TWRT_UNSUPPORTED = 3,    /* sound, but not on this device or in this release */
  TWRT_NOT_FOUND = 4,
  TWRT_OUT_OF_MEMORY = 5,
  TWRT_DEVICE_LOST = 6,
  TWRT_DRIVER_ERROR = 7, /* TwrtError::call and driverCode say which call of the driver */
  TWRT_IO_ERROR = 8,     /* TwrtError::driverCode is errno */
  TWRT_TIMEOUT = 9,
  TWRT_CANCELLED = 10, /* a launch hook, or twrtCallSetCancelled, stopped the call */
  TWRT_LIMIT = 11 /* a loop ran, or a call took, more steps than allowed; the message says which */
} TwrtCode;

/* The caller's memory. `call` is the function of the driver or system that failed, or empty. */
typedef struct TwrtError {
  uint32_t size;
  TwrtCode code;
  int64_t driverCode;
  char call[64];
  char message[432];
} TwrtError;

typedef struct TwrtInstance TwrtInstance;
typedef struct TwrtDevice TwrtDevice;
typedef struct TwrtQueue TwrtQueue;
typedef struct TwrtBuffer TwrtBuffer;
typedef struct TwrtModule TwrtModule;
typedef struct TwrtProgram TwrtProgram;
typedef struct TwrtCall TwrtCall;

/* A place in a queue's order. {NULL, 0} is always reached. */
typedef struct TwrtPoint {
  TwrtQueue *queue;
  uint64_t value;
} TwrtPoint;

typedef struct TwrtBytes {
  const void *data;
  size_t size;
} TwrtBytes;

/* UTF-8, not necessarily ended by a zero. */
typedef struct TwrtString {
  const char *data;
  size_t size;
} TwrtString;

/* Element types; the numbers are those of the module file. Bool takes one byte. */
typedef enum TwrtElement {
  TWRT_BOOL = 0,
  TWRT_I4 = 1,
  TWRT_I8 = 2,
  TWRT_I16 = 3,
  TWRT_I32 = 4,
  TWRT_I64 = 5,
  TWRT_U4 = 6,
  TWRT_U8 = 7,
  TWRT_U16 = 8,
  TWRT_U32 = 9,
  TWRT_U64 = 10,
  TWRT_F8E4M3FN = 11,
  TWRT_F8E4M3FNUZ = 12,
  TWRT_F8E5M2 = 13,
  TWRT_F4E2M1 = 14,
  TWRT_F6E2M3 = 15,
  TWRT_BF16 = 16,
  TWRT_F16 = 17,
  TWRT_F32 = 18,
  TWRT_F64 = 19,
  TWRT_C64 = 20,
  TWRT_C128 = 21,
  TWRT_F8E5M2FNUZ = 22
} TwrtElement;

/* Lower-case name such as "f32"; "?" for an unknown number. Static memory. */
TWRT_EXPORT const char *twrtElementName(uint32_t element);
/* Bytes of one element in memory; 0 for unknown types and those below a byte. */
TWRT_EXPORT size_t twrtElementBytes(uint32_t element);
/* "major.minor.patch" of the runtime. Static memory. */
TWRT_EXPORT const char *twrtVersion(void);

/* ---- Instance ------------------------------------------------------------------------------ */

/* What took time. Launches are told as they end on the host, on other devices when the call's
 * profile is asked for, with the device's times moved to the host's clock; those of calls that
 * twrtCallSetTimed has turned off are not. */
typedef enum TwrtEventKind {
  TWRT_EVENT_OPEN_DEVICE = 1, /* name: the device */
  TWRT_EVENT_OPEN_MODULE = 2, /* name: the path, empty for memory; bytes: of the module */
  TWRT_EVENT_LOAD = 3,        /* name: the function; code and constants of a program */
  TWRT_EVENT_INITIALIZE = 4,  /* name: the function; derived constants */
  TWRT_EVENT_PREPARE = 5,     /* name: the function; bytes: the arena, planned anew */
  TWRT_EVENT_SUBMIT = 6,      /* name: the function */
  TWRT_EVENT_LAUNCH = 7,      /* name: the kernel; bytes: what it touches */
  TWRT_EVENT_WAIT = 8,        /* for a point */
  TWRT_EVENT_WRITE = 9,
  TWRT_EVENT_READ = 10,
  TWRT_EVENT_COPY = 11,
  TWRT_EVENT_ALLOCATE = 12, /* name: what for */
  TWRT_EVENT_FREE = 13
} TwrtEventKind;

/* Valid while it is told. */
typedef struct TwrtEvent {
  uint32_t size;
  TwrtEventKind kind;
  TwrtCode code; /* how it ended */
  uint32_t reserved;
  TwrtString name;
  const char *device;      /* its URI, or empty */
  uint64_t beginNs, endNs; /* of the monotonic clock */
  uint64_t bytes;
} TwrtEvent;

/* All members after `size` may be zero. */
typedef struct TwrtInstanceOptions {
  uint32_t size;
  /* Threads that run host kernels, the caller included; 0: one per core. Of several callers at
   * once each runs in its own thread, and those that are left help one or the other. */
  uint32_t hostThreads;
  /* Memory for everything the runtime keeps. allocate(user, bytes, alignment) returns NULL when
   * there is none; both may be called from any thread that calls the runtime. */
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*release)(void *user, void *memory, size_t bytes);
  /* Told what no function returns: level 0, work that failed and that nobody waited for; 1, what
   * is not as it was asked for; 2, devices and drivers as they are found. `text` is valid during
   * the call, which comes from any thread that calls the runtime and must not call it itself. */
  void (*log)(void *user, int level, const char *text);
  void *user;
  /* Runs the host's kernels in threads of the caller's own, instead of those that the runtime would
   * start: calls task(context, i) once for each i below `count`, in any threads and order, at the
   * same time or one after the other, and returns when all have returned. `count` is at most
   * hostThreads. Several threads may call it at once, those that submit calls; it may not use the
   * instance. NULL: the runtime's threads. */
  void (*parallel)(void *user, uint32_t count, void (*task)(void *context, uint32_t index),
                   void *context);
  /* Told of what took time, once it is over, by the thread that did it; it must not call the
   * runtime. NULL: nobody is told. */
  void (*trace)(void *user, const TwrtEvent *event);
} TwrtInstanceOptions;

/* `options` may be NULL. Fails with TWRT_UNSUPPORTED if `abi` is not one this library speaks. */
TWRT_EXPORT TwrtCode twrtInstanceCreate(const TwrtInstanceOptions *options, uint32_t abi,
                                        TwrtInstance **instance, TwrtError *error);
TWRT_EXPORT void twrtInstanceRelease(TwrtInstance *instance);
TWRT_EXPORT size_t twrtInstanceDriverCount(const TwrtInstance *instance);
/* TWRT_OK if the driver can be used, else why not in `error`. `name` is set in both cases. */
TWRT_EXPORT TwrtCode twrtInstanceDriverStatus(const TwrtInstance *instance, size_t driver,
                                              TwrtString *name, TwrtError *error);
TWRT_EXPORT size_t twrtInstanceDeviceCount(const TwrtInstance *instance);
/* "host", "null:0" ...; empty if out of range. */
TWRT_EXPORT TwrtString twrtInstanceDeviceUri(const TwrtInstance *instance, size_t device);
/* A driver's name alone stands for its first device. TWRT_NOT_FOUND lists the devices there are.
 * Opening a device twice shares it. */
TWRT_EXPORT TwrtCode twrtInstanceOpenDevice(TwrtInstance *instance, const char *uri,
                                            TwrtDevice **device, TwrtError *error);

/* ---- Device -------------------------------------------------------------------------------- */

TWRT_EXPORT void twrtDeviceRelease(TwrtDevice *device);
/* JSON, one object with at least "uri", "target", "name" and, for CPUs, "features" and "threads";
 * what the compiler takes as --target=@file. */
TWRT_EXPORT TwrtString twrtDeviceDescription(const TwrtDevice *device);
/* Bytes that buffers and arenas of this device take now, and what the device has. */
TWRT_EXPORT TwrtCode twrtDeviceMemory(const TwrtDevice *device, uint64_t *used, uint64_t *total,
                                      TwrtError *error);

/* What buffers, arenas, constants and copies of a device take; memory that was imported, or mapped
 * from files, is not among it. */
typedef struct TwrtMemoryInfo {
  uint32_t size;
  uint32_t reserved;
  uint64_t total; /* bytes that the device has */
  uint64_t used;  /* bytes now */
  uint64_t peak;  /* the most at one time since the device was opened or twrtDeviceResetPeak */
  uint64_t allocations; /* alive now */
  uint64_t made;        /* allocations since the device was opened, */
  uint64_t madeBytes;   /* and their bytes */
} TwrtMemoryInfo;

TWRT_EXPORT TwrtCode twrtDeviceMemoryInfo(const TwrtDevice *device, TwrtMemoryInfo *info,
                                          TwrtError *error);
/* The peak is counted from what is used now. */
TWRT_EXPORT TwrtCode twrtDeviceResetPeak(TwrtDevice *device, TwrtError *error);

/* ---- Queue and point ----------------------------------------------------------------------- */

/* Work of a queue runs in order. The host's queues run their work in the thread that hands it
 * in, so their points are reached when the function that returns them returns. */
TWRT_EXPORT TwrtCode twrtQueueCreate(TwrtDevice *device, TwrtQueue **queue, TwrtError *error);
TWRT_EXPORT void twrtQueueRelease(TwrtQueue *queue);
/* Later work of `queue` starts after all `points` are reached. */
TWRT_EXPORT TwrtCode twrtQueueWait(TwrtQueue *queue, const TwrtPoint *points, size_t count,
                                   TwrtError *error);
/* Blocks the caller. TWRT_TIMEOUT leaves the work running. The queue must be alive. */
TWRT_EXPORT TwrtCode twrtPointWait(TwrtPoint point, uint64_t timeoutNs, TwrtError *error);
/* 1 if it is reached, 0 if not yet, -1 if it never will be since the work failed: twrtPointWait
 * says why. */
TWRT_EXPORT int twrtPointReached(TwrtPoint point);

/* ---- Buffer -------------------------------------------------------------------------------- */

typedef enum TwrtBufferUsage {
  /* Memory that other devices and processes can open (twrtBufferExport). */
  TWRT_BUFFER_SHARED = 1
} TwrtBufferUsage;

/* Contents start undefined. Host memory is 64-byte aligned and touched before this returns.
 * `usage` is 0 or of TwrtBufferUsage; TWRT_UNSUPPORTED where the device's memory cannot be shared.
 */
TWRT_EXPORT TwrtCode twrtBufferCreate(TwrtDevice *device, uint64_t bytes, uint32_t usage,
                                      TwrtBuffer **buffer, TwrtError *error);
/* Uses the caller's memory without copying; `done(user)` runs once the runtime has let go of it.
 * TWRT_UNSUPPORTED where the device cannot reach host memory, or asks for another alignment: 4096
 * bytes are enough for all. */
TWRT_EXPORT TwrtCode twrtBufferImport(TwrtDevice *device, void *memory, uint64_t bytes,
                                      void (*done)(void *user), void *user, TwrtBuffer **buffer,
                                      TwrtError *error);
/* Maps a part of a file for reading; the file may be closed afterwards but must not shrink while
 * the buffer lives (the system ends a process that touches pages past the end). */
TWRT_EXPORT TwrtCode twrtBufferMapFile(TwrtDevice *device, int fd, uint64_t offset, uint64_t bytes,
                                       TwrtBuffer **buffer, TwrtError *error);
TWRT_EXPORT void twrtBufferRetain(TwrtBuffer *buffer);
TWRT_EXPORT void twrtBufferRelease(TwrtBuffer *buffer);
TWRT_EXPORT uint64_t twrtBufferBytes(const TwrtBuffer *buffer);
/* The memory itself where the host can reach it, else NULL. Valid while the buffer lives; wait
 * for work in flight before reading. */
TWRT_EXPORT void *twrtBufferData(TwrtBuffer *buffer);
/* `data` must stay as it is until `point` is reached; `point` NULL: this waits until then. */
TWRT_EXPORT TwrtCode twrtBufferWrite(TwrtQueue *queue, TwrtBuffer *buffer, uint64_t offset,
                                     TwrtBytes data, TwrtPoint *point, TwrtError *error);
TWRT_EXPORT TwrtCode twrtBufferRead(TwrtQueue *queue, const TwrtBuffer *buffer, uint64_t offset,
                                    void *data, size_t bytes, TwrtPoint *point, TwrtError *error);
/* Ranges may overlap. Both buffers belong to the queue's device. */
TWRT_EXPORT TwrtCode twrtBufferCopy(TwrtQueue *queue, TwrtBuffer *to, uint64_t toOffset,
                                    const TwrtBuffer *from, uint64_t fromOffset, uint64_t bytes,
                                    TwrtPoint *point, TwrtError *error);

/* ---- Handles ------------------------------------------------------------------------------- */

/* What the device's own library knows an object by, for programs that use both.
 *
 *             device       queue               buffer
 *   HOST                                       its address
 *   CUDA      CUcontext    CUstream            CUdeviceptr
 *   HIP       the ordinal  hipStream_t         void * of the device
 *   OPENCL    cl_context   cl_command_queue    cl_mem, and the offset in it
 *   VULKAN    VkDevice     VkQueue, shared     VkBuffer, and the offset in it
 *             by all of the device's queues
 *   FILE                                       a file descriptor of its memory
 *
 * What has no entry is TWRT_UNSUPPORTED. */
typedef enum TwrtHandleKind {
  TWRT_HANDLE_HOST = 1,
  TWRT_HANDLE_CUDA = 2,
  TWRT_HANDLE_HIP = 3,
  TWRT_HANDLE_OPENCL = 4,
  TWRT_HANDLE_VULKAN = 5,
  TWRT_HANDLE_FILE = 16
} TwrtHandleKind;

typedef struct TwrtHandle {
  uint32_t size;
  TwrtHandleKind kind;
  uint64_t value;  /* the handle as a number */
  uint64_t offset; /* bytes into it where a buffer begins */
} TwrtHandle;

/* Handles are lent: they live as long as the object, and are not to be released. Who hands work to
 * a queue's stream waits for it before the queue is released; such work and the runtime's run in
 * the order in which they were handed in. */
TWRT_EXPORT TwrtCode twrtDeviceHandle(const TwrtDevice *device, TwrtHandle *handle,
                                      TwrtError *error);
TWRT_EXPORT TwrtCode twrtQueueHandle(TwrtQueue *queue, TwrtHandle *handle, TwrtError *error);
TWRT_EXPORT TwrtCode twrtBufferHandle(TwrtBuffer *buffer, TwrtHandle *handle, TwrtError *error);
/* A file descriptor (TWRT_HANDLE_FILE) of the memory of a buffer that is shared, which the caller
 * closes. With it a device of the same driver, in this process or another one, makes a buffer of
 * the same memory by twrtBufferImportHandle, of as many bytes; so do programs that use Vulkan
 * themselves (VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT). */
TWRT_EXPORT TwrtCode twrtBufferExport(TwrtBuffer *buffer, TwrtHandle *handle, TwrtError *error);
/* A buffer of memory that the library's caller has, of the device's context, without copying;
 * `done(user)` runs once the runtime has let go of it. CUDA's and HIP's addresses are not checked.
 * A VkBuffer is one of twrtDeviceHandle's device, to be used for storage, as texels, and for copies
 * from and to it. Of a file descriptor a copy is kept. */
TWRT_EXPORT TwrtCode twrtBufferImportHandle(TwrtDevice *device, const TwrtHandle *handle,
                                            uint64_t bytes, void (*done)(void *user), void *user,
                                            TwrtBuffer **buffer, TwrtError *error);
/* A queue whose work goes to a stream of the caller's, in order with the caller's own; the stream
 * must live until the queue is released. OpenCL's must be in order and measure times. Vulkan's is
 * the device's own (twrtQueueHandle); who hands work to it does so while no function of the runtime
 * is called for the device. */
TWRT_EXPORT TwrtCode twrtQueueImportHandle(TwrtDevice *device, const TwrtHandle *handle,
                                           TwrtQueue **queue, TwrtError *error);

/* ---- Module -------------------------------------------------------------------------------- */

typedef enum TwrtModuleFlags {
  /* Lets programs load the module's machine code, which has the power of whoever made it. Without
   * it a module can be opened and described but not made into a program. */
  TWRT_MODULE_ALLOW_NATIVE = 1,
  /* Checks the digests of all weights when a program is created, those in other files too
   * (otherwise: embedded ones and, of other files, length and the hash of their beginning). */
  TWRT_MODULE_CHECK_WEIGHTS = 2,
  /* Copies weights of other files to memory, so that files may change later. */
  TWRT_MODULE_COPY_WEIGHTS = 4,
  /* Opens weight files also where a symbolic link leads out of the weights folder, as in caches of
   * models that are made of links. Without it such a file is refused. */
  TWRT_MODULE_FOLLOW_LINKS = 8
} TwrtModuleFlags;

typedef struct TwrtModuleOptions {
  uint32_t size;
  uint32_t flags;
  /* Folder that paths of weight files are relative to; NULL: the module's folder, or the working
   * folder for a module from memory. Paths that are absolute or contain `..` are refused. */
  const char *weightsFolder;
  /* Opens a weight file by its path as it stands in the module; returns a file descriptor that
   * the runtime closes, or -1 with errno set. NULL: open beneath weightsFolder. */
  int (*openFile)(void *user, const char *path);
  void *user;
  /* Memory that holds the bytes of a weight file, by its path as it stands in the module; 0 if
   * there is none, else not. It must live, and stay as it is, as long as programs of the module,
   * which read it in place where they can; what derived constants are made of is read before the
   * first call alone. A module that was compiled with supplied-weights needs it. NULL: files are
   * opened. */
  int (*findWeights)(void *user, const char *path, TwrtBytes *bytes);
} TwrtModuleOptions;

/* Maps the file and verifies container and metadata; any bytes are safe. Bulk data is not read
 * here: its digests are checked when first used. The file must not shrink while open, nor may files
 * of weights: whoever prepares a call is told that one has, but a call that runs then ends the
 * process. */
TWRT_EXPORT TwrtCode twrtModuleOpen(TwrtInstance *instance, const char *path,
                                    const TwrtModuleOptions *options, TwrtModule **module,
                                    TwrtError *error);
/* `bytes` must live, unchanged, as long as the module and its programs. */
TWRT_EXPORT TwrtCode twrtModuleFromMemory(TwrtInstance *instance, TwrtBytes bytes,
                                          const TwrtModuleOptions *options, TwrtModule **module,
                                          TwrtError *error);
TWRT_EXPORT void twrtModuleRelease(TwrtModule *module);
/* JSON: producer, functions with arguments and results, kernels, files, sections. */
TWRT_EXPORT TwrtString twrtModuleDescription(const TwrtModule *module);
TWRT_EXPORT size_t twrtModuleFunctionCount(const TwrtModule *module);
TWRT_EXPORT TwrtString twrtModuleFunctionName(const TwrtModule *module, size_t function);
TWRT_EXPORT size_t twrtModuleKernelCount(const TwrtModule *module);
TWRT_EXPORT TwrtString twrtModuleKernelName(const TwrtModule *module, size_t kernel);
/* Cycles that a launch takes at least if one core of the first chip of the module does it alone, by
 * the chip's peak rates; 0 if the compiler does not know. */
TWRT_EXPORT uint64_t twrtModuleKernelLeastCycles(const TwrtModule *module, size_t kernel);
/* The kernel's point form as text, for the interpreter. TWRT_NOT_FOUND if the module carries
 * none. */
TWRT_EXPORT TwrtCode twrtModuleKernelSource(const TwrtModule *module, size_t kernel,
                                            TwrtString *source, TwrtError *error);
/* Files that weights are read from, as paths relative to the weights folder. */
TWRT_EXPORT size_t twrtModuleFileCount(const TwrtModule *module);
TWRT_EXPORT TwrtString twrtModuleFilePath(const TwrtModule *module, size_t file);

/* ---- Program ------------------------------------------------------------------------------- */

/* Picks the function's program and kernel variants for the devices, loads code, maps or copies
 * constants. `function` NULL: the only one, or "main". TWRT_UNSUPPORTED names what the device
 * lacks. */
TWRT_EXPORT TwrtCode twrtProgramCreate(TwrtModule *module, const char *function,
                                       TwrtDevice *const *devices, size_t deviceCount,
                                       TwrtProgram **program, TwrtError *error);
TWRT_EXPORT void twrtProgramRelease(TwrtProgram *program);

/* An argument or result. A dimension below zero is symbol -1 - dim of the program, settled when a
 * call is prepared. */
typedef struct TwrtValueInfo {
  uint32_t size;
  uint32_t element;
  uint32_t rank;
  uint32_t alignment; /* that the data needs, bytes */
  const int64_t *dims;
  TwrtString name;
  double step; /* of the quantised numbers that a result's are, 0 for others */
  /* Of an argument: the extents in memory where these are not `dims`, else NULL; and the result
   * that shares its memory, or -1. */
  const int64_t *storage;
  int32_t sharesResult;
  /* Of a result: bit d says that a call counts the elements along dimension d while it runs; `dims`
   * has the most, and twrtCallGetResult how many there are. */
  uint32_t counted;
  /* Of an argument: the elements that it must have, as the program was made for them; NULL: any. */
  const void *assumed;
} TwrtValueInfo;

TWRT_EXPORT size_t twrtProgramArgumentCount(const TwrtProgram *program);
TWRT_EXPORT size_t twrtProgramResultCount(const TwrtProgram *program);
TWRT_EXPORT TwrtCode twrtProgramArgument(const TwrtProgram *program, size_t index,
                                         TwrtValueInfo *info, TwrtError *error);
TWRT_EXPORT TwrtCode twrtProgramResult(const TwrtProgram *program, size_t index,
                                       TwrtValueInfo *info, TwrtError *error);

/* A size that is settled when a call is prepared. */
typedef struct TwrtSymbolInfo {
  uint32_t size;
  uint32_t computed; /* 1: from other symbols; 0: by the arguments that have it as a dimension */
  uint32_t late;     /* 1: a prepared call follows another value without planning memory anew */
  uint32_t reserved;
  int64_t min, max; /* max -1: no bound */
  int64_t multiple; /* values are multiples of it */
  TwrtString name;
} TwrtSymbolInfo;

TWRT_EXPORT size_t twrtProgramSymbolCount(const TwrtProgram *program);
TWRT_EXPORT TwrtCode twrtProgramSymbol(const TwrtProgram *program, size_t index,
                                       TwrtSymbolInfo *info, TwrtError *error);
/* Sizes that follow from others: `values` has one for each symbol, -1 where it is not known, and
 * gets what equations and checks say of it, in both directions. What stays open is -1. Ranges, and
 * whether all of them agree, are looked at when a call is prepared. */
TWRT_EXPORT TwrtCode twrtProgramDeduceSymbols(const TwrtProgram *program, int64_t *values,
                                              size_t count, TwrtError *error);

/* ---- Call ---------------------------------------------------------------------------------- */

/* Dense, row-major, starting `offset` bytes into `buffer`. */
typedef struct TwrtTensor {
  uint32_t size;
  uint32_t element;
  uint32_t rank;
  uint32_t reserved; /* 0 */
  TwrtBuffer *buffer;
  uint64_t offset;
  const int64_t *dims;
  /* The extents in memory, at least as large as `dims`, for arguments that have storage of their
   * own (TwrtValueInfo::storage); NULL: as `dims`. A cache of 4,096 rows of which 7 are filled has
   * 7 in its dims. */
  const int64_t *storage;
} TwrtTensor;

TWRT_EXPORT TwrtCode twrtCallCreate(TwrtProgram *program, TwrtCall **call, TwrtError *error);
TWRT_EXPORT void twrtCallRelease(TwrtCall *call);
/* Checks element type, rank and static dimensions at once; symbols are settled by prepare. The
 * call retains the buffer. Another tensor of the same shape keeps the call prepared. */
TWRT_EXPORT TwrtCode twrtCallSetArgument(TwrtCall *call, size_t index, const TwrtTensor *tensor,
                                         TwrtError *error);
/* Other dims for the tensor that an argument has: how much of its storage is filled, before the
 * next submission. Where only late symbols change, the prepared plan follows them. */
TWRT_EXPORT TwrtCode twrtCallSetDims(TwrtCall *call, size_t index, const int64_t *dims,
                                     uint32_t rank, TwrtError *error);
/* Optional: results without a tensor get a buffer of the call's own at prepare. NULL goes back
 * to that. */
TWRT_EXPORT TwrtCode twrtCallSetResult(TwrtCall *call, size_t index, const TwrtTensor *tensor,
                                       TwrtError *error);
/* Settles symbols, runs the shape code, plans and allocates the arena (touched before this
 * returns), makes the plan. `arenaBytes` may be NULL. Submitting prepares if need be. A call keeps
 * the plans of its last eight sizes and the arena of the largest, so that a size which comes again
 * takes microseconds. A size out of range, an equation that does not hold or overflows, is
 * TWRT_INVALID_ARGUMENT with names and numbers; so is an argument whose memory a result takes over
 * and that shares it with another argument or result. */
TWRT_EXPORT TwrtCode twrtCallPrepare(TwrtCall *call, uint64_t *arenaBytes, TwrtError *error);
/* Runs the plan after `after` is reached. `point` may be NULL. Arguments and results must not be
 * touched, nor the call prepared for other shapes, before the point is reached; the call may be
 * released at any time and waits. Where the program has sides or loops that data decide about, this
 * returns when the last of that data is known. A call that fails midway (TWRT_LIMIT) leaves
 * results, and arguments whose memory they share, undefined. */
TWRT_EXPORT TwrtCode twrtCallSubmit(TwrtCall *call, TwrtQueue *queue, const TwrtPoint *after,
                                    size_t afterCount, TwrtPoint *point, TwrtError *error);
/* The most steps that a submission may take in loops: launches, copies and fills, and iterations.
 * Past it the call stops with TWRT_LIMIT. 2^24 unless set. */
TWRT_EXPORT TwrtCode twrtCallSetStepLimit(TwrtCall *call, uint64_t steps, TwrtError *error);
/* The most threads that run a submission's host kernels at once, its own included; 0: as many as
 * the instance has. Other devices take no notice. */
TWRT_EXPORT TwrtCode twrtCallSetThreads(TwrtCall *call, uint32_t threads, TwrtError *error);
/* Not 0: submissions from now on note when each launch begins and ends, for twrtCallProfile and
 * traces, for which devices that are not the host mark the time between launches. 0: they do not;
 * so a call begins, unless its instance has a trace function. */
TWRT_EXPORT TwrtCode twrtCallSetTimed(TwrtCall *call, int timed, TwrtError *error);
/* Not 0: submissions from now on hand in all launches, copies and fills of the call as one graph,
 * which is recorded at the first one and updated when arguments or sizes are others. Programs with
 * sides or loops that a call decides about, and calls with a launch hook or times, are handed in
 * one by one all the same. TWRT_UNSUPPORTED where the device has no graphs: all but CUDA's and
 * AMD's. */
TWRT_EXPORT TwrtCode twrtCallSetCaptured(TwrtCall *call, int captured, TwrtError *error);
/* Nanoseconds from where a submission begins to run after which it stops with TWRT_TIMEOUT, and
 * leaves results, and arguments whose memory they share, undefined; 0: no limit. Looked at before
 * each launch on the host, and between parts of one. What has been handed to another device runs
 * to its end: there it is looked at where a loop hands in more; waits have limits of their own. */
TWRT_EXPORT TwrtCode twrtCallSetTimeLimit(TwrtCall *call, uint64_t nanoseconds, TwrtError *error);
/* Not 0: the submission that runs stops with TWRT_CANCELLED, where a time limit would be looked at,
 * and later ones do at once, until this is called with 0. From any thread while the call lives. */
TWRT_EXPORT TwrtCode twrtCallSetCancelled(TwrtCall *call, int cancelled, TwrtError *error);
/* Valid after prepare; the contents are there once the submitted point is reached. `dims`
 * receives min(rank, capacity) numbers and tensor->dims points to it; capacity below the rank
 * fails. tensor->storage, where the memory is an argument's with storage, lives until that is set
 * anew. The buffer stays the call's: retain it to keep it; it may be larger than the result. Of a
 * result that the call counts (TwrtValueInfo::counted) `dims` are how many elements there are since
 * the last submission, for which this waits, and tensor->storage the most, which are in memory;
 * both are the most before the first one. */
TWRT_EXPORT TwrtCode twrtCallGetResult(TwrtCall *call, size_t index, TwrtTensor *tensor,
                                       int64_t *dims, uint32_t capacity, TwrtError *error);

typedef struct TwrtSample {
  uint32_t size;           /* filled in */
  uint32_t kernel;         /* index into the module's kernels */
  uint64_t beginNs, endNs; /* of the monotonic clock; 0 if the run was not timed */
  /* Of one launch, as the compiler counted them. Both are 0 where the call settles sizes of the
     kernel, of which nobody counted. */
  uint64_t flops, bytes;
} TwrtSample;

/* One sample for each launch of the program, in its order, with the times of the last run if that
 * was timed (twrtCallSetTimed). `count` holds the capacity on entry and
 * the number of launches on return; `samples` may be NULL to ask for the number. A launch in a loop
 * has one sample, whose endNs is beginNs, of its first run, and the times of all its runs; one that
 * the last run of the call did not reach has 0 in both. */
TWRT_EXPORT TwrtCode twrtCallProfile(TwrtCall *call, TwrtSample *samples, size_t *count,
                                     TwrtError *error);
/* The node of the model that launch `index` of a run of the prepared call comes from, the first of
 * several; empty if nobody knows. */
TWRT_EXPORT TwrtString twrtCallLaunchNode(const TwrtCall *call, size_t index);

/* How often launch `index` ran in the last run of the call, once the submitted point is reached. */
TWRT_EXPORT uint64_t twrtCallLaunchRuns(const TwrtCall *call, size_t index);

typedef enum TwrtAccess { TWRT_READ = 1, TWRT_WRITE = 2, TWRT_READ_WRITE = 3 } TwrtAccess;

typedef struct TwrtBinding {
  uint32_t access; /* TwrtAccess */
  uint32_t element;
  uint32_t rank;
  uint32_t reserved;
  const int64_t *dims;
  /* What the launch has left in the binding's memory, or a copy where the host cannot see that. Of
   * TWRT_READ what it has read: a copy from before the launch where results lie in that memory. */
  void *data;
  uint64_t bytes;
  const void *before; /* of TWRT_READ_WRITE a copy from before the launch, else NULL */
} TwrtBinding;

typedef struct TwrtLaunch {
  uint32_t size;
  uint32_t kernel; /* index into the module's kernels */
  uint32_t launch; /* 0, 1, 2 ... in the order of the program; the same in each run of a loop */
  uint32_t launchCount;
  uint32_t bindingCount;
  uint32_t scalarCount;
  const TwrtBinding *bindings; /* inputs, then results */
  TwrtString name;
  const int64_t *scalars; /* sizes that the call settled, as the kernel's code takes them */
} TwrtLaunch;

/* Runs after each launch has finished, in the submitting thread; everything in `launch` is valid
 * during the hook. Any code but TWRT_OK stops the call, which then fails with TWRT_CANCELLED. */
typedef TwrtCode (*TwrtLaunchHook)(void *user, const TwrtLaunch *launch);

/* Runs the program's initializer, which computes its derived constants (such as packed weights)
 * once for all calls. Preparing a call does it if nobody has; a thread that comes while another
 * runs it waits. At once TWRT_OK when it has run or there is none. The hook, which may be NULL, is
 * called after each of its launches and may not use the program. A failure names the kernel, and
 * leaves it to be tried again. */
TWRT_EXPORT TwrtCode twrtProgramInitialize(TwrtProgram *program, TwrtLaunchHook hook, void *user,
                                           TwrtError *error);

/* Launches, arena and time are 0 until it has run. */
typedef struct TwrtInitialization {
  uint32_t size;
  uint32_t launches;
  uint64_t derivedBytes; /* memory of the device that derived constants take */
  uint64_t sourceBytes;  /* copies of what only the initializer reads; freed when it has run */
  uint64_t arenaBytes;   /* its arena; freed likewise */
  uint64_t nanoseconds;
} TwrtInitialization;

TWRT_EXPORT TwrtCode twrtProgramInitialization(const TwrtProgram *program,
                                               TwrtInitialization *initialization,
                                               TwrtError *error);

/* NULL removes the hook. Launches are handed in one by one for it. */
TWRT_EXPORT TwrtCode twrtCallSetLaunchHook(TwrtCall *call, TwrtLaunchHook hook, void *user,
                                           TwrtError *error);

#ifdef __cplusplus
}
#endif
#endif /* TWRT_TWRT_H */
