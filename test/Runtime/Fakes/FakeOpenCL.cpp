// A libOpenCL.so.1 with one device, of which the function named by FAKE_FAIL fails; what makes or
// runs anything fails anyway.
#include <cstdlib>
#include <cstring>

static constexpr int invalidOperation = -59;

static bool fails(const char *function) {
  const char *named = getenv("FAKE_FAIL");
  return named && strcmp(named, function) == 0;
}

// Declared without parameters where they do not matter: callers clean up.
#define FAILS(function)                                                                            \
  extern "C" __attribute__((visibility("default"))) int function() { return invalidOperation; }
FAILS(clBuildProgram)
FAILS(clCreateBuffer)
FAILS(clCreateCommandQueue)
FAILS(clCreateKernel)
FAILS(clCreateProgramWithSource)
FAILS(clEnqueueCopyBuffer)
FAILS(clEnqueueFillBuffer)
FAILS(clEnqueueMarkerWithWaitList)
FAILS(clEnqueueNDRangeKernel)
FAILS(clEnqueueReadBuffer)
FAILS(clEnqueueWriteBuffer)
FAILS(clFinish)
FAILS(clFlush)
FAILS(clGetEventInfo)
FAILS(clGetEventProfilingInfo)
FAILS(clGetKernelInfo)
FAILS(clGetKernelWorkGroupInfo)
FAILS(clGetProgramBuildInfo)
FAILS(clReleaseCommandQueue)
FAILS(clReleaseContext)
FAILS(clReleaseEvent)
FAILS(clReleaseKernel)
FAILS(clReleaseMemObject)
FAILS(clReleaseProgram)
FAILS(clRetainEvent)
FAILS(clSetKernelArg)
FAILS(clWaitForEvents)

extern "C" __attribute__((visibility("default"))) int clGetPlatformIDs(unsigned, void **platforms,
                                                                       unsigned *count) {
  if (fails("clGetPlatformIDs"))
    return invalidOperation;
  static int platform;
  *platforms = &platform;
  *count = 1;
  return 0;
}

extern "C" __attribute__((visibility("default"))) int
clGetDeviceIDs(void *, unsigned long, unsigned, void **devices, unsigned *count) {
  if (fails("clGetDeviceIDs"))
    return invalidOperation;
  static int device;
  *devices = &device;
  *count = 1;
  return 0;
}

static int answer(unsigned what, size_t bytes, void *value, size_t *length) {
  if (what >= 0x1029 || what == 0x0902) { // texts
    memcpy(value, "Fake", 5);
    if (length)
      *length = 5;
    return 0;
  }
  memset(value, 0, bytes);
  *static_cast<char *>(value) = 1;
  return 0;
}

extern "C" __attribute__((visibility("default"))) int
clGetPlatformInfo(void *, unsigned what, size_t bytes, void *value, size_t *length) {
  return answer(what, bytes, value, length);
}

extern "C" __attribute__((visibility("default"))) int
clGetDeviceInfo(void *, unsigned what, size_t bytes, void *value, size_t *length) {
  if (fails("clGetDeviceInfo"))
    return invalidOperation;
  if (what == 0x1032) { // CL_DEVICE_DOUBLE_FP_CONFIG lies among the texts
    memset(value, 0, bytes);
    return 0;
  }
  return answer(what, bytes, value, length);
}

extern "C" __attribute__((visibility("default"))) void *
clCreateContext(const void *, unsigned, const void *, void *, void *, int *status) {
  static int context;
  *status = fails("clCreateContext") ? invalidOperation : 0;
  return *status == 0 ? &context : nullptr;
}
