// The host driver: this machine's CPU.
#include "Features.h"
#include "Host.h"

#include <sched.h>
#include <unistd.h>

using namespace tw::runtime;
using namespace tw::runtime::host;

static TwrtCode probe(TwrtError *) { return TWRT_OK; }

static size_t enumerate() { return 1; }

/// As many threads as may run at once: what the process is allowed.
static uint32_t coreCount() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    return uint32_t(CPU_COUNT(&allowed));
  return 1;
}

static void describe(const DriverContext &context, size_t, DeviceInfo &info,
                     tw::support::JsonWriter &json) {
  info.target = "host";
  info.formats = "host host-team";
  info.features = cpuFeatures();
  info.totalBytes = uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGESIZE));
  info.hostVisible = true;
  json.member("target", info.target);
  json.member("name", cpuName());
  json.member("threads", coreCount());
  json.member("memoryBytes", info.totalBytes);
  json.member("features", info.features);
}

static TwrtCode open(const DriverContext &context, size_t, void **device, TwrtError *error) {
  HostDevice *made = create<HostDevice>(context.allocator, context.allocator);
  uint32_t threads = context.hostThreads ? context.hostThreads : coreCount();
  if (made && context.executor.parallel)
    made->pool.lend(context.executor, threads);
  else if (!made || !made->pool.start(threads, coreCount())) {
    destroy(context.allocator, made);
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for the host device");
  }
  if (made->pool.threadCount() != threads)
    context.log.write(LogLevel::Warning, "the system gives %u of %u threads for kernels",
                      made->pool.threadCount(), threads);
  *device = made;
  return TWRT_OK;
}

static void close(void *device) {
  HostDevice *made = static_cast<HostDevice *>(device);
  Allocator allocator = made->allocator;
  destroy(allocator, made);
}

static TwrtCode loadExecutable(void *handle, const ImageSource &source, void **executable,
                               TwrtError *error) {
  HostDevice &device = *static_cast<HostDevice *>(handle);
  Image *image = create<Image>(device.allocator);
  if (!image)
    return fail(error, TWRT_OUT_OF_MEMORY, "not enough memory for an image");
  if (TwrtCode code = mapImage(source, *image, error); code != TWRT_OK) {
    destroy(device.allocator, image);
    return code;
  }
  *executable = image;
  return TWRT_OK;
}

static void unload(void *handle, void *executable) {
  HostDevice &device = *static_cast<HostDevice *>(handle);
  Image *image = static_cast<Image *>(executable);
  unmapImage(*image);
  destroy(device.allocator, image);
}

const Driver tw::runtime::hostDriver = {
    .name = "host",
    .probe = probe,
    .enumerate = enumerate,
    .describe = describe,
    .open = open,
    .close = close,
    .allocate = allocate,
    .free = freeMemory,
    .importMemory = importMemory,
    .mapFile = mapFile,
    .fetchPages = fetchPages,
    .dropPages = dropPages,
    .queueCreate = queueCreate,
    .queueDestroy = queueDestroy,
    .write = write,
    .read = read,
    .copy = copy,
    .fill = fill,
    .loadExecutable = loadExecutable,
    .unload = unload,
    .submitPlan = submitPlan,
    .pointWait = pointWait,
    .memoryHandle = memoryHandle,
    .importHandle = importHandle,
};
