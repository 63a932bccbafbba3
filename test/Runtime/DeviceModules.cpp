// Modules with hand-written OpenCL C and SPIR-V.
#include "DeviceModules.h"
#include "tw/Format/ProgramBuilder.h"
#include "twrt/twrt.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace tw;
using namespace tw::format;

bool test::hasDevice(const char *uri, std::string &reason) {
  setenv("POCL_CACHE_DIR", TW_RUNTIME_INPUTS "/pocl", 0);
  setenv("TENSORWRIGHT_VULKAN_VALIDATION", "1", 0);
  TwrtInstance *instance = nullptr;
  TwrtDevice *device = nullptr;
  TwrtError error = {sizeof(error), TWRT_OK, 0, "", ""};
  TwrtCode code = twrtInstanceCreate(nullptr, TWRT_ABI, &instance, &error);
  if (code == TWRT_OK)
    code = twrtInstanceOpenDevice(instance, uri, &device, &error);
  reason = error.message;
  twrtDeviceRelease(device);
  twrtInstanceRelease(instance);
  return code == TWRT_OK;
}

static constexpr char openclSource[] = R"(#pragma OPENCL FP_CONTRACT OFF
__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void add(__global uchar *x, ulong xo, __global uchar *w, ulong wo, __global uchar *y, ulong yo) {
  size_t at = get_group_id(0) * 16 + get_local_id(0);
  ((__global float *)(y + yo))[at] =
      ((__global const float *)(x + xo))[at] + ((__global const float *)(w + wo))[get_local_id(0)];
}
__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void scale(__global uchar *x, ulong xo, __global uchar *y, ulong yo, long factor) {
  size_t at = get_group_id(0) * 16 + get_local_id(0);
  ((__global float *)(y + yo))[at] = ((__global const float *)(x + xo))[at] * (float)factor;
}
)";

static TensorType f32(std::vector<int64_t> dims) { return {ElementType::F32, std::move(dims)}; }

static Variant variant(const char *format, uint32_t section, const char *entry) {
  Variant made;
  made.format = format;
  made.section = section;
  made.entry = entry;
  made.group = {16, 1, 1};
  return made;
}

static Program makeProgram(const char *target) {
  ProgramBuilder builder(target);
  BufferRef x = builder.bindArgument(0), y = builder.bindResult(0), w = builder.bindConstant(0);
  BufferRef sum = builder.reserve(256, 256);
  builder.launch(0, {4, 1, 1}, {x, w, sum});
  RegisterRef factor = builder.constant(3);
  BufferRef bindings[] = {sum, y};
  builder.launch(1, {4, 1, 1}, bindings, {&factor, 1});
  return builder.finish();
}

static std::vector<uint8_t> readSpirv() {
  std::ifstream file(TW_RUNTIME_INPUTS "/affine.spv", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<uint8_t> test::makeDeviceModule(const std::function<void(Metadata &)> &change,
                                            const std::string &source) {
  Metadata metadata;
  Constant w;
  w.name = "w";
  w.type = f32({16});
  w.section = 1;
  w.length = 64;
  w.alignment = 4;
  metadata.constants = {w};
  Kernel add{"add", {}, 0, {variant("opencl-c", 2, "add"), variant("spirv", 3, "add")}, 64, 576};
  add.bindings = {
      {Access::Read, 4, f32({64})}, {Access::Read, 4, f32({16})}, {Access::Write, 4, f32({64})}};
  Kernel scale{"scale", {}, 1, {variant("opencl-c", 2, "scale"), variant("spirv", 3, "scale")},
               64,      512};
  scale.bindings = {{Access::Read, 4, f32({64})}, {Access::Write, 4, f32({64})}};
  metadata.kernels = {add, scale};
  Function main;
  main.name = "main";
  main.arguments = {{"x", f32({64}), 4, 0, -1}};
  main.results = {{"y", f32({64}), 0}};
  main.programs = {makeProgram("opencl"), makeProgram("vulkan")};
  metadata.functions = {main};
  if (change)
    change(metadata);

  std::vector<uint8_t> constants(64), spirv = readSpirv();
  for (uint32_t i = 0; i < 16; ++i) {
    float value = float(i);
    memcpy(constants.data() + 4 * i, &value, 4);
  }
  std::string text = source.empty() ? openclSource : source;
  ContainerWriter writer;
  writer.addSection(SectionKind::Constants, 12, constants);
  writer.addSection(SectionKind::OpenCLC, 3,
                    {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
  writer.addSection(SectionKind::SPIRV, 3, spirv);
  return writer.finish(encodeMetadata(metadata));
}

std::vector<uint8_t> test::makeConstantsModule(uint32_t count, uint64_t bytes) {
  Metadata metadata;
  std::vector<uint8_t> constants(count * bytes);
  for (uint32_t i = 0; i < count; ++i) {
    memset(constants.data() + i * bytes, int(i + 1), bytes);
    Constant constant;
    constant.name = "c" + std::to_string(i);
    constant.type = {ElementType::U8, {int64_t(bytes)}};
    constant.section = 1;
    constant.offset = i * bytes;
    constant.length = bytes;
    metadata.constants.push_back(constant);
  }
  Function main;
  main.name = "main";
  main.results = {{"y", {ElementType::U8, {int64_t(64 * count)}}, 0}};
  for (const char *target : {"opencl", "vulkan"}) {
    ProgramBuilder builder(target);
    BufferRef y = builder.bindResult(0);
    RegisterRef length = builder.constant(64), last = builder.constant(int64_t(bytes - 64));
    for (uint32_t i = 0; i < count; ++i)
      builder.copy(builder.slice(y, builder.constant(64 * int64_t(i)), length),
                   builder.slice(builder.bindConstant(i), last, length));
    main.programs.push_back(builder.finish());
  }
  metadata.functions = {main};
  ContainerWriter writer;
  writer.addSection(SectionKind::Constants, 12, constants);
  return writer.finish(encodeMetadata(metadata));
}
