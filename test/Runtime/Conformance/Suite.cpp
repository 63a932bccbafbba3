// Targets, the list of cases, and what is checked after each.
#include "Suite.h"
#include "Device.h"
#include "Drivers/Null/Null.h"
#include "Modules.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <span>

#ifndef TW_CONFORMANCE_SANITIZED
#include "Drivers/Vulkan/Vulkan.h"
#endif

using namespace tw::test;
namespace null = tw::runtime::null;
#ifndef TW_CONFORMANCE_SANITIZED
namespace vulkan = tw::runtime::vulkan;
#endif

namespace tw::test {
void addFakeKernels(const emulator::Control &fake);
}

/// A library without a device: `path` or a name that is looked up as the runtime does.
static const tw::emulator::Control *loadLibrary(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW);
  void *symbol = library ? dlsym(library, "twEmulatorControl") : nullptr;
  if (!symbol) {
    fprintf(stderr, "conformance: %s\n", dlerror());
    abort();
  }
  return reinterpret_cast<tw::emulator::GetControl>(symbol)();
}

static const tw::emulator::Control *loadFake(const char *file) {
  const tw::emulator::Control *control =
      loadLibrary(std::string(TW_CONFORMANCE_FAKES) + "/" + file);
  addFakeKernels(*control);
  return control;
}

/// From the command line: the one device to test, with the vendor's library that the machine has.
static std::string chosenDevice;

/// The same where all calls are captured, behind those of `targets` that have graphs.
static void addCaptured(std::vector<Target> &targets) {
  constexpr const char *names[][2] = {{"cuda-emulated", "cuda-emulated-captured"},
                                      {"amd-emulated", "amd-emulated-captured"},
                                      {"cuda", "cuda-captured"},
                                      {"amd", "amd-captured"}};
  for (auto &[name, captured] : names)
    for (size_t i = 0, count = targets.size(); i < count; ++i)
      if (strcmp(targets[i].name, name) == 0) {
        Target &made = targets.emplace_back(Target(targets[i]));
        made.programs = made.runs();
        made.name = captured;
        made.captures = true;
      }
}

static std::vector<Target> makeTargets() {
  std::vector<Target> targets = {
      {"null", "null:0", nullptr, false, Target::Always, nullptr},
      {"host", "host", nullptr, true, Target::Always, nullptr},
#ifndef TW_CONFORMANCE_SANITIZED
      {"opencl", "opencl:0", nullptr, true, Target::Sometimes, nullptr, true},
      {"vulkan", "vulkan:0", nullptr, true, Target::Sometimes, nullptr, true},
#endif
      {"cuda-emulated", "cuda-emulated:sm_90a", "cuda-emulated:sm_80", true, Target::Never, nullptr,
       false, "cuda"},
#ifdef TW_CONFORMANCE_AMD
      {"amd-emulated", "amd-emulated:gfx942", nullptr, true, Target::Never, nullptr, false, "amd"},
      {"amd-emulated-wave32", "amd-emulated:gfx1100", nullptr, true, Target::Never, nullptr, false,
       "amd"},
#endif
      {"cuda", "cuda:0", "cuda:1", true, Target::Never, nullptr},
      {"amd", "amd:0", "amd:1", true, Target::Never, nullptr},
  };
  if (chosenDevice.empty()) {
    for (Target &target : targets) {
      std::string_view name = target.name;
      if (name == "cuda-emulated")
        target.fake = loadLibrary("libtw-emulated-cuda.so");
      else if (name.starts_with("amd-emulated"))
        target.fake = loadLibrary("libtw-emulated-hip.so");
    }
    targets.end()[-2].fake = loadFake("libcuda.so.1");
    targets.end()[-1].fake = loadFake("libamdhip64.so");
    addCaptured(targets);
    return targets;
  }
  std::vector<Target> chosen(targets.begin(), targets.begin() + 2);
  for (Target &target : targets)
    if (chosenDevice.substr(0, chosenDevice.find(':')) == target.name) {
      target.uri = chosenDevice.c_str();
      target.other = nullptr;
      target.real = false;
      chosen.push_back(target);
    }
  addCaptured(chosen);
  return chosen;
}

const std::vector<Target> &tw::test::allTargets() {
  static const std::vector<Target> targets = makeTargets();
  return targets;
}

Buffer Bench::buffer(uint64_t bytes) {
  Buffer made = tryBuffer(bytes);
  EXPECT_TRUE(made) << error.message;
  return made;
}

Queue Bench::makeQueue() {
  TwrtQueue *made = nullptr;
  EXPECT_OK(twrtQueueCreate(device.get(), &made, &error));
  return Queue(made);
}

TwrtPoint Bench::write(const Queue &on, const Buffer &to, uint64_t offset,
                       const std::vector<uint8_t> &data) {
  TwrtPoint point = {};
  EXPECT_OK(
      twrtBufferWrite(on.get(), to.get(), offset, {data.data(), data.size()}, &point, &error));
  return point;
}

TwrtPoint Bench::copy(const Queue &on, const Buffer &to, uint64_t toOffset, const Buffer &from,
                      uint64_t fromOffset, uint64_t bytes) {
  TwrtPoint point = {};
  EXPECT_OK(
      twrtBufferCopy(on.get(), to.get(), toOffset, from.get(), fromOffset, bytes, &point, &error));
  return point;
}

std::vector<uint8_t> Bench::read(const Queue &on, const Buffer &from, uint64_t offset,
                                 uint64_t bytes) {
  std::vector<uint8_t> data(bytes, 0xee);
  TwrtPoint point = {};
  EXPECT_OK(twrtBufferRead(on.get(), from.get(), offset, data.data(), bytes, &point, &error));
  wait(point);
  return data;
}

void Bench::expectBytes(const Buffer &from, uint64_t offset, std::vector<uint8_t> expected) {
  if (!target.computes)
    expected.assign(expected.size(), 0);
  EXPECT_EQ(read(queue, from, offset, expected.size()), expected);
}

Module Bench::suite() {
  static std::map<std::string, std::vector<uint8_t>> made;
  std::vector<uint8_t> &bytes = made[target.name];
  if (bytes.empty())
    bytes = makeSuiteModule();
  Module module = load(bytes);
  EXPECT_TRUE(module) << error.message;
  return module;
}

TwrtCode Bench::tryProgram(const Module &module, const char *function, Program &program) {
  TwrtProgram *made = nullptr;
  TwrtDevice *devices[] = {device.get()};
  TwrtCode code = twrtProgramCreate(module.get(), function, devices, 1, &made, &error);
  program.reset(made);
  return code;
}

Program Bench::program(const Module &module, const char *function) {
  Program made;
  EXPECT_OK(tryProgram(module, function, made));
  return made;
}

TwrtCode Bench::setFloats(const Call &call, size_t index, const Buffer &buffer, int64_t count,
                          uint64_t offset) {
  TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, buffer.get(), offset, &count, nullptr};
  return twrtCallSetArgument(call.get(), index, &tensor, &error);
}

uint64_t Bench::usedBytes() {
  uint64_t used = 0;
  EXPECT_OK(twrtDeviceMemory(device.get(), &used, nullptr, &error));
  return used;
}

std::vector<uint8_t> tw::test::pattern(size_t bytes, uint32_t seed) {
  std::vector<uint8_t> made(bytes);
  uint32_t state = seed * 2654435761u + 1;
  for (uint8_t &byte : made) {
    state = state * 1664525u + 1013904223u;
    byte = uint8_t(state >> 24);
  }
  return made;
}

std::vector<float> tw::test::ramp(size_t count, float first) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = first + float(i);
  return values;
}

namespace {

struct Case {
  std::string name;
  std::function<void(Bench &)> body;
};

std::vector<Case> &cases() {
  static std::vector<Case> list;
  return list;
}

/// What the target counts of its handles and of mistakes made with them.
struct Counts {
  uint64_t mistakes, live;

  static Counts of(const Target &target) {
    if (target.fake)
      return {target.fake->mistakeCount(), target.fake->liveCount()};
    return {null::mistakeCount(), null::liveCount()};
  }
};

/// Why the target's device cannot be used; empty if it can. TENSORWRIGHT_REQUIRE_DEVICES: it must.
const std::string &findReason(const Target &target) {
  static std::map<std::string, std::string> reasons;
  auto [found, isNew] = reasons.try_emplace(target.name);
  if (isNew && target.real && !getenv("TENSORWRIGHT_REQUIRE_DEVICES")) {
    Error error;
    TwrtInstance *instance = nullptr;
    TwrtDevice *device = nullptr;
    EXPECT_OK(twrtInstanceCreate(nullptr, TWRT_ABI, &instance, &error));
    if (twrtInstanceOpenDevice(instance, target.uri, &device, &error) != TWRT_OK)
      found->second = error.message;
    twrtDeviceRelease(device);
    twrtInstanceRelease(instance);
  }
  return found->second;
}

/// What the validation layer has to say; NULL: nothing.
const char *findComplaint() {
#ifndef TW_CONFORMANCE_SANITIZED
  const vulkan::Library &library = vulkan::library();
  return library.complained ? library.complaint : nullptr;
#else
  return nullptr;
#endif
}

class CaseTest : public testing::Test {
public:
  CaseTest(const Target &target, const Case &tested) : target(target), tested(tested) {}

  void TestBody() override {
    if (const std::string &reason = findReason(target); !reason.empty())
      GTEST_SKIP() << reason;
    if (target.fake)
      target.fake->reset(nullptr, 0);
    setAmdChip(strstr(target.uri, "gfx1100") ? "gfx1100" : "gfx942");
    Counts before = Counts::of(target);
    {
      Bench bench(target);
      ASSERT_TRUE(bench.device) << bench.error.message;
      tested.body(bench);
      if (bench.device) {
        EXPECT_EQ(bench.usedBytes(), 0u) << "memory is in use after the case";
      }
    }
    Counts after = Counts::of(target);
    EXPECT_EQ(after.live, before.live) << "the driver has handles that nobody released";
    EXPECT_EQ(after.mistakes, before.mistakes);
    for (uint64_t i = before.mistakes; target.fake && i < after.mistakes; ++i)
      ADD_FAILURE() << "mistake: " << target.fake->mistake(i);
    if (const char *complaint = strcmp(target.name, "vulkan") ? nullptr : findComplaint())
      ADD_FAILURE() << "validation: " << complaint;
  }

private:
  const Target &target;
  const Case &tested;
};

} // namespace

Registration::Registration(const char *name, std::function<void(Bench &)> body) {
  cases().push_back({name, std::move(body)});
}

#ifndef TW_CONFORMANCE_SANITIZED
/// The layer must be there to be silent.
TEST(Validation, SeesMistakes) {
  const Target &target =
      *std::find_if(allTargets().begin(), allTargets().end(),
                    [](const Target &t) { return strcmp(t.name, "vulkan") == 0; });
  if (const std::string &reason = findReason(target); !reason.empty())
    GTEST_SKIP() << reason;
  Bench bench(target);
  ASSERT_TRUE(bench.device) << bench.error.message;
  EXPECT_EQ(findComplaint(), nullptr);
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VkDevice device = static_cast<vulkan::Device *>(bench.device->handle)->handle;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkResult result = vulkan::vk().vkCreateBuffer(device, &info, nullptr, &buffer);
  if (buffer)
    vulkan::vk().vkDestroyBuffer(device, buffer, nullptr);
  Error error;
  EXPECT_FAILS(vulkan::check(result, "vkCreateBuffer", &error), TWRT_DRIVER_ERROR,
               "VUID-VkBufferCreateInfo-size-00912");
  vulkan::library().complained = false;
}
#endif

// Sanitizers end a process that asks for too much, unless told to behave like the C library.
extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  setenv("POCL_CACHE_DIR", TW_CONFORMANCE_DIR "/pocl", 0);
  setenv("TENSORWRIGHT_VULKAN_VALIDATION", "1", 0);
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with("--device="))
      chosenDevice = argv[i] + strlen("--device=");
  std::span<const Target> targets = allTargets();
  if (!chosenDevice.empty()) {
    targets = targets.subspan(2);
    if (targets.empty()) {
      fprintf(stderr, "conformance: no driver for device '%s'\n", chosenDevice.c_str());
      return 2;
    }
    // The rest is not about a device.
    if (GTEST_FLAG_GET(filter) == "*") {
      std::string filter;
      for (const Target &target : targets)
        filter += std::string(filter.empty() ? "" : ":") + target.name + ".*";
      // Behind a dash stands what is not run.
      std::replace(filter.begin(), filter.end(), '-', '?');
      GTEST_FLAG_SET(filter, filter);
    }
  }
  for (const Target &target : targets)
    for (const Case &tested : cases())
      testing::RegisterTest(target.name, tested.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [&]() -> testing::Test * { return new CaseTest(target, tested); });
  return RUN_ALL_TESTS();
}
