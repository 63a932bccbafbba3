// The OpenCL driver: devices of whatever platforms libOpenCL finds.
#include "OpenCL.h"

using namespace tw::runtime;
using namespace tw::runtime::opencl;

static TwrtCode probe(TwrtError *error) {
  const TwrtError &status = library().status;
  if (status.code != TWRT_OK)
    return failCall(error, status.code, status.call, status.driverCode, "%s", status.message);
  return TWRT_OK;
}

static size_t enumerate() { return library().deviceCount; }

static const char *typeName(cl_device_type type) {
  return type & CL_DEVICE_TYPE_GPU           ? "gpu"
         : type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
                                             : "cpu";
}

static void describe(const DriverContext &, size_t index, DeviceInfo &info,
                     tw::support::JsonWriter &json) {
  const DeviceRecord &record = library().devices[index];
  info.target = "opencl";
  info.formats = "opencl-c";
  info.features = record.features;
  info.totalBytes = record.memoryBytes;
  info.maxSlabBytes = record.maxAllocation;
  info.maxGroup = record.maxGroup;
  info.localBytes = record.localBytes;
  char name[280];
  bool pocl = std::string_view(record.platform) == "Portable Computing Language";
  snprintf(name, sizeof(name), "%s (%s)", pocl ? "PoCL" : record.platform, record.name);
  json.member("target", info.target);
  json.member("name", name);
  json.member("type", typeName(record.type));
  json.member("driverVersion", record.version);
  json.member("features", info.features);
  json.member("computeUnits", uint64_t(record.computeUnits));
  json.member("memoryBytes", info.totalBytes);
  json.member("maxGroup", uint64_t(info.maxGroup));
  json.member("localBytes", info.localBytes);
  json.member("maxSlabBytes", info.maxSlabBytes);
  json.member("offsetAlignment", uint64_t(info.offsetAlignment));
}

static TwrtCode open(const DriverContext &context, size_t index, void **device, TwrtError *error) {
  Device *made = create<Device>(context.allocator, context.allocator, &library().devices[index]);
  if (!made)
    return failMemory(error, "an OpenCL device");
  cl_int status = CL_SUCCESS;
  made->context = cl().clCreateContext(nullptr, 1, &made->record->id, nullptr, nullptr, &status);
  if (TwrtCode code = check(status, "clCreateContext", error); code != TWRT_OK) {
    destroy(context.allocator, made);
    return code;
  }
  *device = made;
  return TWRT_OK;
}

static void close(void *device) {
  Device *made = static_cast<Device *>(device);
  Allocator allocator = made->allocator;
  cl().clReleaseContext(made->context);
  destroy(allocator, made);
}

const Driver tw::runtime::openclDriver = {
    .name = "opencl",
    .probe = probe,
    .enumerate = enumerate,
    .describe = describe,
    .open = open,
    .close = close,
    .allocate = allocate,
    .free = freeMemory,
    .importMemory = importMemory,
    .mapFile = mapFile,
    .queueCreate = queueCreate,
    .queueDestroy = queueDestroy,
    .write = opencl::write,
    .read = opencl::read,
    .copy = opencl::copy,
    .fill = opencl::fill,
    .loadExecutable = loadExecutable,
    .unload = unload,
    .submitPlan = submitPlan,
    .pointWait = pointWait,
    .queueWait = queueWait,
    .deviceHandle = deviceHandle,
    .queueHandle = queueHandle,
    .memoryHandle = memoryHandle,
    .importHandle = importHandle,
    .queueImport = queueImport,
};
