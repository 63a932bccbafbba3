// libOpenCL, opened at run time: its functions and the devices it has, found once per process.
#pragma once

#include "Error.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define TW_OPENCL_FUNCTIONS(X)                                                                     \
  X(clBuildProgram)                                                                                \
  X(clCreateBuffer)                                                                                \
  X(clCreateCommandQueue)                                                                          \
  X(clCreateContext)                                                                               \
  X(clCreateKernel)                                                                                \
  X(clCreateProgramWithSource)                                                                     \
  X(clEnqueueCopyBuffer)                                                                           \
  X(clEnqueueFillBuffer)                                                                           \
  X(clEnqueueMarkerWithWaitList)                                                                   \
  X(clEnqueueNDRangeKernel)                                                                        \
  X(clEnqueueReadBuffer)                                                                           \
  X(clEnqueueWriteBuffer)                                                                          \
  X(clFinish)                                                                                      \
  X(clFlush)                                                                                       \
  X(clGetCommandQueueInfo)                                                                         \
  X(clGetDeviceIDs)                                                                                \
  X(clGetDeviceInfo)                                                                               \
  X(clGetEventInfo)                                                                                \
  X(clGetEventProfilingInfo)                                                                       \
  X(clGetKernelInfo)                                                                               \
  X(clGetKernelWorkGroupInfo)                                                                      \
  X(clGetMemObjectInfo)                                                                            \
  X(clGetPlatformIDs)                                                                              \
  X(clGetPlatformInfo)                                                                             \
  X(clGetProgramBuildInfo)                                                                         \
  X(clReleaseCommandQueue)                                                                         \
  X(clReleaseContext)                                                                              \
  X(clReleaseEvent)                                                                                \
  X(clReleaseKernel)                                                                               \
  X(clReleaseMemObject)                                                                            \
  X(clReleaseProgram)                                                                              \
  X(clRetainCommandQueue)                                                                          \
  X(clRetainEvent)                                                                                 \
  X(clRetainMemObject)                                                                             \
  X(clSetKernelArg)                                                                                \
  X(clWaitForEvents)

namespace tw::runtime::opencl {

/// Signatures are those of the header of version 1.2; tests put failing functions in their place.
struct Functions {
#define TW_MEMBER(name) decltype(&::name) name = nullptr;
  TW_OPENCL_FUNCTIONS(TW_MEMBER)
#undef TW_MEMBER
};

/// What is known of a device before it is opened.
struct DeviceRecord {
  cl_device_id id = nullptr;
  char name[160] = "", platform[96] = "", version[96] = "";
  char features[64] = "";
  cl_device_type type = 0;
  cl_uint computeUnits = 0;
  uint64_t memoryBytes = 0, maxAllocation = 0, localBytes = 0;
  uint32_t maxGroup = 0;
  /// Bytes that memory lent by the host must be aligned to.
  uint32_t baseAlignment = 0;
  /// Division and square root of f32 can be rounded correctly.
  bool exactDivision = false;
};

struct Library {
  static constexpr size_t maxDevices = 16;
  Functions call;
  DeviceRecord devices[maxDevices];
  size_t deviceCount = 0;
  /// TWRT_OK, or why no device can be used.
  TwrtError status = {sizeof(TwrtError), TWRT_OK, 0, "", ""};
};

/// Opened and asked for devices at the first call, never closed.
Library &library();
inline const Functions &cl() { return library().call; }

/// "CL_OUT_OF_RESOURCES" ...; "an unknown error" for other numbers.
const char *statusName(cl_int status);

/// TWRT_OK if `status` is CL_SUCCESS, else fills `error`, naming the call.
TwrtCode check(cl_int status, const char *call, TwrtError *error);

} // namespace tw::runtime::opencl

/// Calls a function of the library that returns its status; returns from the caller if it failed.
#define TW_CL(function, ...)                                                                       \
  do {                                                                                             \
    if (TwrtCode code_ = ::tw::runtime::opencl::check(                                             \
            ::tw::runtime::opencl::cl().function(__VA_ARGS__), #function, error);                  \
        code_ != TWRT_OK)                                                                          \
      return code_;                                                                                \
  } while (false)
