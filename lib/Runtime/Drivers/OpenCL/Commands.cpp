// The commands that transfers and plans are made of.
#include "OpenCL.h"

#include <algorithm>

using namespace tw::runtime;
using namespace tw::runtime::opencl;

static cl_mem bufferOf(const PlanRange &range) {
  return static_cast<const Memory *>(range.memory->handle)->buffer;
}

static uint64_t offsetOf(const PlanRange &range) {
  return static_cast<const Memory *>(range.memory->handle)->skip + range.offset;
}

static TwrtCode enqueueMarker(Queue &queue, cl_event *event, TwrtError *error) {
  if (event)
    TW_CL(clEnqueueMarkerWithWaitList, queue.handle, 0, nullptr, event);
  return TWRT_OK;
}

/// OpenCL refuses overlapping copies: they go piece by piece through a buffer of their own, from
/// the end that is not overwritten early.
static TwrtCode copyOverlapping(Queue &queue, cl_mem buffer, uint64_t to, uint64_t from,
                                uint64_t bytes, cl_event *event, TwrtError *error) {
  constexpr uint64_t most = 4u << 20;
  uint64_t piece = std::min(bytes, most);
  cl_int status = CL_SUCCESS;
  cl_mem between =
      cl().clCreateBuffer(queue.device->context, CL_MEM_READ_WRITE, piece, nullptr, &status);
  TWRT_TRY(check(status, "clCreateBuffer", error));
  TwrtCode code = TWRT_OK;
  for (uint64_t done = 0; code == TWRT_OK && done < bytes;) {
    uint64_t length = std::min(piece, bytes - done);
    uint64_t at = to < from ? done : bytes - done - length;
    done += length;
    code = check(cl().clEnqueueCopyBuffer(queue.handle, buffer, between, from + at, 0, length, 0,
                                          nullptr, nullptr),
                 "clEnqueueCopyBuffer", error);
    if (code == TWRT_OK)
      code = check(cl().clEnqueueCopyBuffer(queue.handle, between, buffer, 0, to + at, length, 0,
                                            nullptr, done == bytes ? event : nullptr),
                   "clEnqueueCopyBuffer", error);
  }
  // Kept alive by the commands that use it.
  cl().clReleaseMemObject(between);
  return code;
}

TwrtCode opencl::enqueueCopy(Queue &queue, const PlanRange &to, const PlanRange &from,
                             cl_event *event, TwrtError *error) {
  uint64_t target = offsetOf(to), source = offsetOf(from), bytes = to.bytes;
  bool same = bufferOf(to) == bufferOf(from);
  if (bytes == 0 || (same && target == source))
    return enqueueMarker(queue, event, error);
  if (same && target < source + bytes && source < target + bytes)
    return copyOverlapping(queue, bufferOf(to), target, source, bytes, event, error);
  TW_CL(clEnqueueCopyBuffer, queue.handle, bufferOf(from), bufferOf(to), source, target, bytes, 0,
        nullptr, event);
  return TWRT_OK;
}

/// OpenCL fills from multiples of the width on. Elsewhere the pattern is turned to begin there, and
/// what sticks out at the ends is filled byte by byte.
TwrtCode opencl::enqueueFill(Queue &queue, const PlanRange &to, int64_t pattern, uint32_t width,
                             cl_event *event, TwrtError *error) {
  if (to.bytes == 0)
    return enqueueMarker(queue, event, error);
  uint8_t bytes[8], turned[8];
  memcpy(bytes, &pattern, sizeof(bytes));
  uint64_t begin = offsetOf(to), end = begin + to.bytes, shift = begin % width;
  for (uint32_t i = 0; i < width; ++i)
    turned[(i + shift) % width] = bytes[i];
  uint64_t inner = std::min((begin + width - 1) / width * width, end);
  uint64_t outer = std::max(end / width * width, inner);
  for (uint64_t at = begin; at < end;) {
    uint64_t stop = at < inner ? at + 1 : at < outer ? outer : at + 1;
    bool whole = at >= inner && at < outer;
    TW_CL(clEnqueueFillBuffer, queue.handle, bufferOf(to), whole ? turned : turned + at % width,
          whole ? width : 1, at, stop - at, 0, nullptr, stop == end ? event : nullptr);
    at = stop;
  }
  return TWRT_OK;
}

TwrtCode opencl::enqueueLaunch(Queue &queue, const Plan &plan, const PlanStep &step,
                               cl_event *event, TwrtError *error) {
  Executable &executable = *static_cast<Executable *>(step.executable);
  const Kernel &kernel = executable.kernels[step.entry];
  size_t programs = size_t(step.grid[0]) * step.grid[1] * step.grid[2];
  if (programs == 0)
    return enqueueMarker(queue, event, error);
  std::lock_guard lock(executable.mutex);
  cl_uint argument = 0;
  for (uint32_t i = 0; i < kernel.bindings; ++i) {
    const PlanRange &range = plan.ranges[step.firstRange + i];
    cl_mem buffer = bufferOf(range);
    cl_ulong offset = offsetOf(range);
    TW_CL(clSetKernelArg, kernel.handle, argument++, sizeof(buffer), &buffer);
    TW_CL(clSetKernelArg, kernel.handle, argument++, sizeof(offset), &offset);
  }
  for (uint32_t i = 0; i < kernel.scalars; ++i) {
    cl_long scalar = plan.scalars[step.firstScalar + i];
    TW_CL(clSetKernelArg, kernel.handle, argument++, sizeof(scalar), &scalar);
  }
  // The groups of a program lie along z.
  size_t global[] = {programs * kernel.group, 1, kernel.parts}, local[] = {kernel.group, 1, 1};
  cl_uint dimensions = kernel.parts > 1 ? 3 : 1;
  TW_CL(clEnqueueNDRangeKernel, queue.handle, kernel.handle, dimensions, nullptr, global, local, 0,
        nullptr, event);
  return TWRT_OK;
}
