// Builds an OpenCL C program and makes its kernels, once.
#include "OpenCL.h"

#include <algorithm>

using namespace tw::runtime;
using namespace tw::runtime::opencl;

opencl::Executable::~Executable() {
  for (Kernel &kernel : kernels)
    if (kernel.handle)
      cl().clReleaseKernel(kernel.handle);
  if (program)
    cl().clReleaseProgram(program);
}

/// The first line of the build log that speaks of an error, else its first line.
static std::string_view findReason(std::string_view log) {
  size_t found = log.find("error");
  size_t start = found == log.npos ? 0 : log.rfind('\n', found);
  start = found == log.npos ? 0 : start == log.npos ? 0 : start + 1;
  std::string_view rest = log.substr(start);
  return rest.substr(0, std::min(rest.find('\n'), rest.size()));
}

static TwrtCode failBuild(const Device &device, cl_program program, cl_int status,
                          TwrtError *error) {
  size_t bytes = 0;
  Array<char> log(device.allocator);
  cl_device_id id = device.record->id;
  if (cl().clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) !=
          CL_SUCCESS ||
      bytes == 0 || !log.reset(bytes) ||
      cl().clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) !=
          CL_SUCCESS)
    return check(status, "clBuildProgram", error);
  std::string_view text(log.data(), bytes);
  std::string_view reason = findReason(text.substr(0, std::min(text.find('\0'), text.size())));
  return failCall(error, TWRT_DRIVER_ERROR, "clBuildProgram", status, "%s failed: %s (%d): %.*s",
                  "clBuildProgram", statusName(status), status,
                  int(std::min<size_t>(reason.size(), 300)), reason.data());
}

static TwrtCode build(const Device &device, Executable &executable, const ImageSource &image,
                      TwrtError *error) {
  const char *text = reinterpret_cast<const char *>(image.bytes.data());
  size_t length = image.bytes.size();
  while (length && text[length - 1] == 0)
    --length;
  if (length == 0)
    return fail(error, TWRT_INVALID_MODULE, "the OpenCL program is empty");
  cl_int status = CL_SUCCESS;
  executable.program = cl().clCreateProgramWithSource(device.context, 1, &text, &length, &status);
  TWRT_TRY(check(status, "clCreateProgramWithSource", error));
  const char *options = device.record->exactDivision
                            ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                            : "-cl-std=CL1.2";
  status =
      cl().clBuildProgram(executable.program, 1, &device.record->id, options, nullptr, nullptr);
  return status == CL_SUCCESS ? TWRT_OK : failBuild(device, executable.program, status, error);
}

/// How the kernel's threads are grouped: as the core says, in smaller groups if the code leaves
/// less of the device's limit and lets them be divided.
static TwrtCode chooseGroup(const Device &device, const ImageKernel &source, Kernel &kernel,
                            TwrtError *error) {
  size_t most = 0, fixed[3] = {};
  TW_CL(clGetKernelWorkGroupInfo, kernel.handle, device.record->id, CL_KERNEL_WORK_GROUP_SIZE,
        sizeof(most), &most, nullptr);
  kernel.group = source.group;
  kernel.parts = source.parts;
  if (source.divisible) {
    TW_CL(clGetKernelWorkGroupInfo, kernel.handle, device.record->id,
          CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(fixed), fixed, nullptr);
    if (fixed[0])
      return fail(error, TWRT_INVALID_MODULE,
                  "kernel '%.80s' has groups of %zu threads, which the module says can be divided",
                  source.name, fixed[0]);
    uint32_t threads = source.group * source.parts;
    kernel.group = divideGroup(threads, uint32_t(std::clamp<size_t>(most, 1, source.group)));
    kernel.parts = threads / kernel.group;
  }
  if (kernel.group > most)
    return fail(error, TWRT_UNSUPPORTED,
                "kernel '%.80s' needs %u threads in a group, built for device '%.80s' it has %zu",
                source.name, kernel.group, device.record->name, most);
  return TWRT_OK;
}

static TwrtCode makeKernel(const Device &device, cl_program program, const ImageKernel &source,
                           Kernel &kernel, TwrtError *error) {
  cl_int status = CL_SUCCESS;
  kernel.handle = cl().clCreateKernel(program, source.name, &status);
  if (status == CL_INVALID_KERNEL_NAME)
    return failCall(error, TWRT_INVALID_MODULE, "clCreateKernel", status,
                    "the OpenCL program has no kernel '%.80s'", source.name);
  TWRT_TRY(check(status, "clCreateKernel", error));
  kernel.bindings = source.bindings;
  kernel.scalars = source.scalars;
  cl_uint arguments = 0;
  TW_CL(clGetKernelInfo, kernel.handle, CL_KERNEL_NUM_ARGS, sizeof(arguments), &arguments, nullptr);
  if (arguments != 2 * source.bindings + source.scalars)
    return fail(error, TWRT_INVALID_MODULE,
                "kernel '%.80s' takes %u arguments, %u bindings and %u scalars make %u",
                source.name, arguments, source.bindings, source.scalars,
                2 * source.bindings + source.scalars);
  return chooseGroup(device, source, kernel, error);
}

TwrtCode opencl::loadExecutable(void *handle, const ImageSource &image, void **executable,
                                TwrtError *error) {
  Device &device = *static_cast<Device *>(handle);
  Executable *made = create<Executable>(device.allocator, device.allocator);
  if (!made)
    return failMemory(error, "a program");
  TwrtCode code = made->kernels.reset(image.kernels.size()) ? build(device, *made, image, error)
                                                            : failMemory(error, "a program");
  for (size_t i = 0; code == TWRT_OK && i < image.kernels.size(); ++i)
    code = makeKernel(device, made->program, image.kernels[i], made->kernels[i], error);
  if (code != TWRT_OK) {
    destroy(device.allocator, made);
    return code;
  }
  *executable = made;
  return TWRT_OK;
}

void opencl::unload(void *handle, void *executable) {
  destroy(static_cast<Device *>(handle)->allocator, static_cast<Executable *>(executable));
}
