// A libOpenCL.so.1 with one device, of which the function named by FAKE_FAIL fails; what makes or
// runs anything fails anyway.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cstdlib>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

static bool fails(const char *function) {
  const char *named = getenv("FAKE_FAIL");
  return named && strcmp(named, function) == 0;
}

// Never called: there is nothing to call them with.
#define FAILS(function)                                                                            \
  EXPORT cl_int function##Fails() __asm__(#function);                                              \
  cl_int function##Fails() { return CL_INVALID_OPERATION; }
FAILS(clBuildProgram)
FAILS(clCreateBuffer)
FAILS(clCreateKernel)
FAILS(clCreateProgramWithSource)
FAILS(clEnqueueCopyBuffer)
FAILS(clEnqueueFillBuffer)
FAILS(clEnqueueMarkerWithWaitList)
FAILS(clEnqueueNDRangeKernel)
FAILS(clEnqueueReadBuffer)
FAILS(clEnqueueWriteBuffer)
FAILS(clFlush)
FAILS(clGetCommandQueueInfo)
FAILS(clGetEventInfo)
FAILS(clGetEventProfilingInfo)
FAILS(clGetKernelInfo)
FAILS(clGetKernelWorkGroupInfo)
FAILS(clGetMemObjectInfo)
FAILS(clGetProgramBuildInfo)
FAILS(clReleaseEvent)
FAILS(clReleaseKernel)
FAILS(clReleaseMemObject)
FAILS(clReleaseProgram)
FAILS(clRetainCommandQueue)
FAILS(clRetainEvent)
FAILS(clRetainMemObject)
FAILS(clSetKernelArg)
FAILS(clWaitForEvents)

EXPORT cl_int clGetPlatformIDs(cl_uint, cl_platform_id *platforms, cl_uint *count) {
  if (fails("clGetPlatformIDs"))
    return CL_INVALID_OPERATION;
  static int platform;
  *platforms = reinterpret_cast<cl_platform_id>(&platform);
  *count = 1;
  return CL_SUCCESS;
}

EXPORT cl_int clGetDeviceIDs(cl_platform_id, cl_device_type, cl_uint, cl_device_id *devices,
                             cl_uint *count) {
  if (fails("clGetDeviceIDs"))
    return CL_INVALID_OPERATION;
  static int device;
  *devices = reinterpret_cast<cl_device_id>(&device);
  *count = 1;
  return CL_SUCCESS;
}

static cl_int answer(cl_uint what, size_t bytes, void *value, size_t *length) {
  if (what >= 0x1029 || what == CL_PLATFORM_NAME) { // the texts begin before CL_DEVICE_NAME
    memcpy(value, "Fake", 5);
    if (length)
      *length = 5;
    return CL_SUCCESS;
  }
  memset(value, 0, bytes);
  *static_cast<char *>(value) = 1;
  return CL_SUCCESS;
}

EXPORT cl_int clGetPlatformInfo(cl_platform_id, cl_platform_info what, size_t bytes, void *value,
                                size_t *length) {
  return answer(what, bytes, value, length);
}

EXPORT cl_int clGetDeviceInfo(cl_device_id, cl_device_info what, size_t bytes, void *value,
                              size_t *length) {
  if (fails("clGetDeviceInfo"))
    return CL_INVALID_OPERATION;
  if (what == CL_DEVICE_DOUBLE_FP_CONFIG) { // lies among the texts
    memset(value, 0, bytes);
    return CL_SUCCESS;
  }
  return answer(what, bytes, value, length);
}

EXPORT cl_context clCreateContext(const cl_context_properties *, cl_uint, const cl_device_id *,
                                  void(CL_CALLBACK *)(const char *, const void *, size_t, void *),
                                  void *, cl_int *status) {
  static int context;
  *status = fails("clCreateContext") ? CL_INVALID_OPERATION : CL_SUCCESS;
  return *status == CL_SUCCESS ? reinterpret_cast<cl_context>(&context) : nullptr;
}

EXPORT cl_int clReleaseContext(cl_context) { return CL_SUCCESS; }

EXPORT cl_command_queue clCreateCommandQueue(cl_context, cl_device_id, cl_command_queue_properties,
                                             cl_int *status) {
  static int queue;
  *status = CL_SUCCESS;
  return reinterpret_cast<cl_command_queue>(&queue);
}

EXPORT cl_int clFinish(cl_command_queue) { return CL_SUCCESS; }
EXPORT cl_int clReleaseCommandQueue(cl_command_queue) { return CL_SUCCESS; }
