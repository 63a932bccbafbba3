// Prints kernels in thread form, builds the text with an OpenCL driver and runs them, by the ABI
// that the runtime uses: per buffer its memory and an offset, then the scalars.
#pragma once

#include "tw/Pipeline/Registration.h"
#include "tw/Target/OpenCL/Language.h"

#define CL_TARGET_OPENCL_VERSION 120
#include "CL/cl.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

namespace tw::test {

template <typename T> std::vector<uint8_t> toBytes(const std::vector<T> &values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T> std::vector<T> fromBytes(const std::vector<uint8_t> &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// The first OpenCL device, for the whole test.
class Runner {
public:
  Runner() {
    setenv("POCL_CACHE_DIR", TW_TEST_CACHE_DIR, /*overwrite=*/1);
    cl_platform_id platform;
    EXPECT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS) << "no OpenCL platform";
    EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), CL_SUCCESS);
    cl_int status;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    queue = clCreateCommandQueue(context, device, 0, &status);
    EXPECT_EQ(status, CL_SUCCESS);
  }

  ~Runner() {
    if (program)
      clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }

  /// Builds all kernels of a gpu.module.
  void build(const std::string &source) {
    mlir::DialectRegistry registry;
    tw::registerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
    ASSERT_TRUE(module) << source;
    auto printed = tw::cprinter::print(*module->getOps<mlir::gpu::GPUModuleOp>().begin(),
                                       tw::opencl::getLanguage());
    ASSERT_TRUE(succeeded(printed));
    text = printed->text;
    const char *begin = text.data();
    size_t length = text.size();
    cl_int status;
    program = clCreateProgramWithSource(this->context, 1, &begin, &length, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    status =
        clBuildProgram(program, 1, &device, "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt",
                       nullptr, nullptr);
    char log[8192] = "";
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, nullptr);
    ASSERT_EQ(status, CL_SUCCESS) << log << text;
  }

  /// Runs `programs` groups of `group` threads; buffers are read back in place.
  void run(const std::string &kernelName, std::vector<std::vector<uint8_t> *> buffers,
           size_t programs, size_t group, std::vector<int64_t> scalars = {}) {
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, tw::opencl::getSymbol(kernelName).c_str(), &status);
    ASSERT_EQ(status, CL_SUCCESS);
    constexpr cl_ulong offset = 256;
    std::vector<cl_mem> memories;
    cl_uint argument = 0;
    for (std::vector<uint8_t> *buffer : buffers) {
      cl_mem memory =
          clCreateBuffer(context, CL_MEM_READ_WRITE, buffer->size() + offset, nullptr, &status);
      ASSERT_EQ(status, CL_SUCCESS);
      clEnqueueWriteBuffer(queue, memory, CL_TRUE, offset, buffer->size(), buffer->data(), 0,
                           nullptr, nullptr);
      ASSERT_EQ(clSetKernelArg(kernel, argument++, sizeof memory, &memory), CL_SUCCESS);
      ASSERT_EQ(clSetKernelArg(kernel, argument++, sizeof offset, &offset), CL_SUCCESS);
      memories.push_back(memory);
    }
    for (int64_t scalar : scalars)
      ASSERT_EQ(clSetKernelArg(kernel, argument++, sizeof scalar, &scalar), CL_SUCCESS);
    size_t global = programs * group;
    ASSERT_EQ(
        clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &group, 0, nullptr, nullptr),
        CL_SUCCESS);
    for (auto [memory, buffer] : llvm::zip(memories, buffers)) {
      ASSERT_EQ(clEnqueueReadBuffer(queue, memory, CL_TRUE, offset, buffer->size(), buffer->data(),
                                    0, nullptr, nullptr),
                CL_SUCCESS);
      clReleaseMemObject(memory);
    }
    clReleaseKernel(kernel);
  }

  std::string text;

private:
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
};

} // namespace tw::test
