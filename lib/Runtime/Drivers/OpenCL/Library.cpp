// Opens libOpenCL and asks its platforms for devices.
#include "Library.h"
#include "Object.h"
#include "Threads.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string_view>

using namespace tw::runtime;
using namespace tw::runtime::opencl;

const char *opencl::statusName(cl_int status) {
  switch (status) {
#define TW_NAME(name)                                                                              \
  case name:                                                                                       \
    return #name;
    TW_NAME(CL_DEVICE_NOT_FOUND)
    TW_NAME(CL_DEVICE_NOT_AVAILABLE)
    TW_NAME(CL_COMPILER_NOT_AVAILABLE)
    TW_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    TW_NAME(CL_OUT_OF_RESOURCES)
    TW_NAME(CL_OUT_OF_HOST_MEMORY)
    TW_NAME(CL_PROFILING_INFO_NOT_AVAILABLE)
    TW_NAME(CL_MEM_COPY_OVERLAP)
    TW_NAME(CL_BUILD_PROGRAM_FAILURE)
    TW_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET)
    TW_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    TW_NAME(CL_INVALID_VALUE)
    TW_NAME(CL_INVALID_PLATFORM)
    TW_NAME(CL_INVALID_DEVICE)
    TW_NAME(CL_INVALID_CONTEXT)
    TW_NAME(CL_INVALID_QUEUE_PROPERTIES)
    TW_NAME(CL_INVALID_COMMAND_QUEUE)
    TW_NAME(CL_INVALID_HOST_PTR)
    TW_NAME(CL_INVALID_MEM_OBJECT)
    TW_NAME(CL_INVALID_BINARY)
    TW_NAME(CL_INVALID_BUILD_OPTIONS)
    TW_NAME(CL_INVALID_PROGRAM)
    TW_NAME(CL_INVALID_PROGRAM_EXECUTABLE)
    TW_NAME(CL_INVALID_KERNEL_NAME)
    TW_NAME(CL_INVALID_KERNEL)
    TW_NAME(CL_INVALID_ARG_INDEX)
    TW_NAME(CL_INVALID_ARG_VALUE)
    TW_NAME(CL_INVALID_ARG_SIZE)
    TW_NAME(CL_INVALID_KERNEL_ARGS)
    TW_NAME(CL_INVALID_WORK_DIMENSION)
    TW_NAME(CL_INVALID_WORK_GROUP_SIZE)
    TW_NAME(CL_INVALID_WORK_ITEM_SIZE)
    TW_NAME(CL_INVALID_GLOBAL_OFFSET)
    TW_NAME(CL_INVALID_EVENT_WAIT_LIST)
    TW_NAME(CL_INVALID_EVENT)
    TW_NAME(CL_INVALID_OPERATION)
    TW_NAME(CL_INVALID_BUFFER_SIZE)
    TW_NAME(CL_INVALID_GLOBAL_WORK_SIZE)
#undef TW_NAME
  case -1001:
    return "CL_PLATFORM_NOT_FOUND_KHR";
  default:
    return "an unknown error";
  }
}

TwrtCode opencl::check(cl_int status, const char *call, TwrtError *error) {
  if (status == CL_SUCCESS)
    return TWRT_OK;
  TwrtCode code = TWRT_DRIVER_ERROR;
  if (status == CL_OUT_OF_HOST_MEMORY || status == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
      status == CL_INVALID_BUFFER_SIZE)
    code = TWRT_OUT_OF_MEMORY;
  if (status == CL_DEVICE_NOT_AVAILABLE)
    code = TWRT_DEVICE_LOST;
  return failCall(error, code, call, status, "%s failed: %s (%d)", call, statusName(status),
                  status);
}

/// A text of the device or platform, cut if it is long.
template <typename Get, typename Id, size_t size>
static TwrtCode readText(Get get, const char *call, Id id, cl_uint what, char (&text)[size],
                         TwrtError *error) {
  char whole[1024] = "";
  size_t length = 0;
  cl_int status = get(id, what, sizeof(whole) - 1, whole, &length);
  // Texts longer than this (lists of extensions) are read by hasExtension.
  if (status == CL_INVALID_VALUE)
    status = CL_SUCCESS;
  TWRT_TRY(check(status, call, error));
  snprintf(text, size, "%.*s", int(size - 1), whole);
  return TWRT_OK;
}

template <typename T>
static TwrtCode readValue(const Functions &call, cl_device_id device, cl_device_info what, T &value,
                          TwrtError *error) {
  return check(call.clGetDeviceInfo(device, what, sizeof(T), &value, nullptr), "clGetDeviceInfo",
               error);
}

static TwrtCode describeDevice(const Functions &call, cl_platform_id platform, cl_device_id device,
                               DeviceRecord &record, TwrtError *error) {
  record.id = device;
  TWRT_TRY(readText(call.clGetDeviceInfo, "clGetDeviceInfo", device, CL_DEVICE_NAME, record.name,
                    error));
  TWRT_TRY(readText(call.clGetDeviceInfo, "clGetDeviceInfo", device, CL_DRIVER_VERSION,
                    record.version, error));
  TWRT_TRY(readText(call.clGetPlatformInfo, "clGetPlatformInfo", platform, CL_PLATFORM_NAME,
                    record.platform, error));
  cl_ulong memory = 0, allocation = 0, local = 0;
  cl_device_fp_config single = 0, twice = 0;
  cl_bool compiler = CL_FALSE;
  size_t group = 0;
  cl_uint alignmentBits = 0;
  TWRT_TRY(readValue(call, device, CL_DEVICE_TYPE, record.type, error));
  TWRT_TRY(readValue(call, device, CL_DEVICE_MAX_COMPUTE_UNITS, record.computeUnits, error));
  TWRT_TRY(readValue(call, device, CL_DEVICE_GLOBAL_MEM_SIZE, memory, error));
  TWRT_TRY(readValue(call, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, allocation, error));
  TWRT_TRY(readValue(call, device, CL_DEVICE_LOCAL_MEM_SIZE, local, error));
  TWRT_TRY(readValue(call, device, CL_DEVICE_MAX_WORK_GROUP_SIZE, group, error));
  TWRT_TRY(readValue(call, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, alignmentBits, error));
  TWRT_TRY(readValue(call, device, CL_DEVICE_SINGLE_FP_CONFIG, single, error));
  TWRT_TRY(readValue(call, device, CL_DEVICE_DOUBLE_FP_CONFIG, twice, error));
  TWRT_TRY(readValue(call, device, CL_DEVICE_COMPILER_AVAILABLE, compiler, error));
  if (!compiler)
    return fail(error, TWRT_UNSUPPORTED, "device '%.100s' has no compiler", record.name);
  record.memoryBytes = memory;
  record.maxAllocation = allocation;
  record.localBytes = local;
  record.maxGroup = uint32_t(std::min<size_t>(group, UINT32_MAX));
  record.baseAlignment = std::max(alignmentBits / 8, 64u);
  record.exactDivision = single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  snprintf(record.features, sizeof(record.features), "%s%sint64",
           record.type & CL_DEVICE_TYPE_CPU ? "cpu " : "", twice ? "fp64 " : "");
  return TWRT_OK;
}

static TwrtCode listDevices(Library &library, TwrtError *error) {
  constexpr cl_uint most = 16;
  cl_platform_id platforms[most];
  cl_uint platformCount = 0;
  cl_int status = library.call.clGetPlatformIDs(most, platforms, &platformCount);
  if (status == -1001 || (status == CL_SUCCESS && platformCount == 0))
    return failCall(error, TWRT_NOT_FOUND, "clGetPlatformIDs", status,
                    "no OpenCL driver (ICD) is installed or can be loaded");
  TWRT_TRY(check(status, "clGetPlatformIDs", error));
  TwrtCode worst = TWRT_OK;
  for (cl_uint p = 0; p < std::min(platformCount, most); ++p) {
    cl_device_id devices[most];
    cl_uint deviceCount = 0;
    status =
        library.call.clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, most, devices, &deviceCount);
    if (status == CL_DEVICE_NOT_FOUND)
      continue;
    if (status != CL_SUCCESS) {
      worst = check(status, "clGetDeviceIDs", error);
      continue;
    }
    for (cl_uint d = 0; d < std::min(deviceCount, most); ++d) {
      if (library.deviceCount == Library::maxDevices)
        return TWRT_OK;
      DeviceRecord record;
      TwrtCode code = describeDevice(library.call, platforms[p], devices[d], record, error);
      if (code == TWRT_OK)
        library.devices[library.deviceCount++] = record;
      else
        worst = code;
    }
  }
  if (library.deviceCount)
    return TWRT_OK;
  return worst != TWRT_OK
             ? worst
             : fail(error, TWRT_NOT_FOUND, "%u OpenCL platforms, and no device", platformCount);
}

static TwrtCode openLibrary(Library &library, TwrtError *error) {
  const char *name = "libOpenCL.so.1";
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return failCall(error, TWRT_NOT_FOUND, "dlopen", 0,
                    "%.300s; OpenCL's loader is needed (Debian: ocl-icd-libopencl1)", dlerror());
#define TW_FIND(function)                                                                          \
  library.call.function =                                                                          \
      reinterpret_cast<decltype(library.call.function)>(dlsym(handle, #function));                 \
  if (!library.call.function)                                                                      \
    return failCall(error, TWRT_UNSUPPORTED, "dlsym", 0,                                           \
                    "%s has no function %s: OpenCL 1.2 is needed", name, #function);
  TW_OPENCL_FUNCTIONS(TW_FIND)
#undef TW_FIND
  TWRT_TRY(checkThreads(error));
  return listDevices(library, error);
}

Library &opencl::library() {
  static Library *made = [] {
    static Library storage;
    if (openLibrary(storage, &storage.status) == TWRT_OK)
      storage.status.code = TWRT_OK;
    return &storage;
  }();
  return *made;
}
