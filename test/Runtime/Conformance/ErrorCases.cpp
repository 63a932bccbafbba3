// What is refused, and with which words: modules, limits, arguments.
#include "Device.h"
#include "Modules.h"
#include "Suite.h"

using namespace tw::test;
using tw::format::Metadata;

/// The first of the target's kernels in the metadata; the null driver runs those of the host.
static uint32_t firstKernel(const Bench &bench) {
  for (uint32_t t = 0; t < std::size(suiteTargets); ++t)
    if (strcmp(suiteTargets[t], bench.target.runs()) == 0)
      return t * KernelCount;
  return 0;
}

/// Making a program of a changed module: its code, with the error filled.
static TwrtCode makeChanged(Bench &bench, const char *function,
                            const std::function<void(Metadata &, uint32_t)> &change) {
  Metadata metadata = makeSuiteMetadata();
  change(metadata, firstKernel(bench));
  std::vector<uint8_t> bytes = assembleSuite(metadata);
  Module module = bench.load(bytes);
  Program program;
  return module ? bench.tryProgram(module, function, program) : bench.error.code;
}

/// Kernels of the host are functions that one thread runs.
static bool runsHostKernels(const Bench &bench) { return firstKernel(bench) == 0; }

CASE(RefusesUnknownFunctions) {
  Module module = bench.suite();
  Program program;
  EXPECT_FAILS(bench.tryProgram(module, "afine", program), TWRT_NOT_FOUND,
               "the module has no function 'afine'");
}

CASE(RefusesCodeThatIsNotAllowed) {
  std::vector<uint8_t> bytes = makeSuiteModule();
  Module module = bench.load(bytes, 0);
  Program program;
  EXPECT_FAILS(bench.tryProgram(module, "affine", program), TWRT_UNSUPPORTED,
               "TWRT_MODULE_ALLOW_NATIVE");
  // What has no machine code runs all the same.
  EXPECT_OK(bench.tryProgram(module, "moves", program));
}

CASE(RefusesModulesForOtherTargets) {
  TwrtCode code = makeChanged(bench, "affine", [&](Metadata &metadata, uint32_t) {
    auto &programs = metadata.functions[0].programs;
    std::erase_if(programs, [&](const auto &p) { return p.target == bench.target.runs(); });
  });
  if (!bench.target.computes) {
    EXPECT_OK(code); // The null driver runs programs of any target.
    return;
  }
  EXPECT_FAILS(code, TWRT_UNSUPPORTED, "the module has no program for device");
  EXPECT_NE(strstr(error.message, bench.target.uri), nullptr) << error.message;
  const char *another = strcmp(bench.target.runs(), "amd") == 0 ? "cuda" : "amd";
  EXPECT_NE(strstr(error.message, another), nullptr) << error.message;
}

CASE(RefusesMissingFeatures) {
  TwrtCode code = makeChanged(bench, "affine", [](Metadata &metadata, uint32_t first) {
    metadata.kernels[first + Add].variants[0].needs = {"warp-drive"};
  });
  if (!bench.target.computes)
    EXPECT_OK(code); // The null driver has every feature.
  else
    EXPECT_FAILS(code, TWRT_UNSUPPORTED, "kernel 'add' needs 'warp-drive', which device");
}

CASE(TakesTheNextVariant) {
  EXPECT_OK(makeChanged(bench, "affine", [](Metadata &metadata, uint32_t first) {
    auto &variants = metadata.kernels[first + Add].variants;
    variants.insert(variants.begin(), variants[0]);
    variants[0].needs = {"warp-drive"};
  }));
}

/// A limit that a device may not have: what exceeds it is refused with kernel, need and limit.
static void expectLimit(Bench &bench, bool limited, TwrtCode code, const char *kernel,
                        uint64_t needed, const char *what, uint64_t most) {
  Error &error = bench.error;
  if (!limited) {
    EXPECT_OK(code);
    return;
  }
  std::string start = std::string("kernel '") + kernel + "' needs " + std::to_string(needed) + " " +
                      what + ", device " + bench.target.uri;
  EXPECT_FAILS(code, TWRT_UNSUPPORTED, start.c_str());
  EXPECT_TRUE(std::string(error.message).ends_with("has " + std::to_string(most))) << error.message;
}

CASE(RefusesGroupsThatAreTooLarge) {
  uint32_t most = bench.device->info.maxGroup;
  uint32_t group = most == UINT32_MAX ? 1 << 20 : most + 1;
  TwrtCode code = makeChanged(bench, "affine", [&](Metadata &metadata, uint32_t first) {
    metadata.kernels[first + Scale].variants[0].group = {group, 1, 1};
  });
  if (runsHostKernels(bench)) {
    EXPECT_FAILS(code, TWRT_INVALID_MODULE, "has a group or local memory, which host kernels");
    return;
  }
  expectLimit(bench, most != UINT32_MAX, code, "scale", group, "threads in a group", most);
}

/// Threads that share local memory are one group, however few of them a device allows.
CASE(RefusesToDivideGroupsWithLocalMemory) {
  if (runsHostKernels(bench))
    return;
  bench.device->info.maxGroup = 8;
  Program program;
  Module module = bench.suite();
  expectLimit(bench, true, bench.tryProgram(module, "reverse", program), "reverse", 16,
              "threads in a group", 8);
}

CASE(RefusesToDivideGroupsOfFixedCode) {
  if (runsHostKernels(bench))
    return;
  TwrtCode code = makeChanged(bench, "affine", [&](Metadata &metadata, uint32_t first) {
    metadata.kernels[first + Scale].variants[0].divisible = true;
  });
  if (strcmp(bench.target.runs(), "vulkan") == 0) {
    EXPECT_FAILS(code, TWRT_INVALID_MODULE,
                 "kernel 'scale' has no specialisation constant for the size of its groups, which "
                 "the module says can be divided");
  } else if (strcmp(bench.target.runs(), "opencl") == 0) {
    EXPECT_FAILS(code, TWRT_INVALID_MODULE,
                 "kernel 'scale' has groups of 16 threads, which the module says can be divided");
  } else {
    EXPECT_FAILS(code, TWRT_INVALID_MODULE, "kernel 'scale' has a group that can be divided");
  }
}

CASE(RefusesTooMuchLocalMemory) {
  uint64_t most = bench.device->info.localBytes;
  uint32_t bytes = most >= UINT32_MAX ? 1 << 30 : uint32_t(most + 1);
  TwrtCode code = makeChanged(bench, "affine", [&](Metadata &metadata, uint32_t first) {
    metadata.kernels[first + Scale].variants[0].localBytes = bytes;
  });
  if (runsHostKernels(bench)) {
    EXPECT_FAILS(code, TWRT_INVALID_MODULE, "has a group or local memory, which host kernels");
    return;
  }
  expectLimit(bench, most < UINT32_MAX, code, "scale", bytes, "bytes of local memory in a group",
              most);
}

CASE(RefusesBindingsThatAreTooLarge) {
  uint64_t most = bench.device->info.maxSlabBytes;
  bool limited = most < uint64_t(1) << 60;
  int64_t elements = limited ? int64_t(most / 4 + 1) : int64_t(1) << 40;
  TwrtCode code = makeChanged(bench, "affine", [&](Metadata &metadata, uint32_t first) {
    metadata.kernels[first + Add].bindings[0].type.dims = {elements};
  });
  expectLimit(bench, limited, code, "add", uint64_t(elements) * 4, "bytes in one binding", most);
}

CASE(RefusesUnknownKernels) {
  TwrtCode code = makeChanged(bench, "affine", [](Metadata &metadata, uint32_t first) {
    metadata.kernels[first + Add].variants[0].entry = "subtract";
  });
  const char *name = bench.target.runs();
  // The host finds kernels by their offset, and the null driver looks for none.
  if (strcmp(name, "host") == 0 || strcmp(name, "null") == 0) {
    EXPECT_OK(code);
    return;
  }
  EXPECT_NE(code, TWRT_OK);
  EXPECT_NE(strstr(error.message, "subtract"), nullptr) << error.message;
}

CASE(RefusesDamagedCode) {
  std::vector<uint8_t> bytes = makeSuiteModule();
  tw::format::Container container;
  tw::format::Error reason;
  ASSERT_TRUE(tw::format::Container::open(bytes, container, reason));
  uint32_t section = 2 + firstKernel(bench) / KernelCount;
  bytes[container.section(section).offset + 5] ^= 1;
  Module module = bench.load(bytes);
  ASSERT_TRUE(module) << error.message;
  Program program;
  EXPECT_FAILS(bench.tryProgram(module, "affine", program), TWRT_INVALID_MODULE, "digest");
}

CASE(RefusesCodeThatDoesNotLoad) {
  Metadata metadata = makeSuiteMetadata();
  std::vector<uint8_t> bytes = assembleSuite(metadata);
  tw::format::Container container;
  tw::format::Error reason;
  ASSERT_TRUE(tw::format::Container::open(bytes, container, reason));
  uint32_t section = 2 + firstKernel(bench) / KernelCount;
  memset(bytes.data() + container.section(section).offset, 'x',
         size_t(container.section(section).length));
  tw::format::repairDigests(bytes);
  Module module = bench.load(bytes);
  ASSERT_TRUE(module) << error.message;
  Program program;
  TwrtCode code = bench.tryProgram(module, "affine", program);
  const char *name = bench.target.runs();
  // Bytes of a host image are as good as others until they run.
  if (strcmp(name, "host") == 0 || strcmp(name, "null") == 0)
    EXPECT_OK(code);
  else
    EXPECT_NE(code, TWRT_OK);
  program.reset();
  EXPECT_EQ(bench.usedBytes(), 0u);
  // The device is as it was.
  Module good = bench.suite();
  EXPECT_OK(bench.tryProgram(good, "affine", program));
}

CASE(RefusesTwoDevices) {
  Module module = bench.suite();
  TwrtDevice *devices[] = {bench.device.get(), bench.device.get()};
  TwrtProgram *program = nullptr;
  EXPECT_FAILS(twrtProgramCreate(module.get(), "affine", devices, 2, &program, &error),
               TWRT_UNSUPPORTED, "2 devices");
}

CASE(RefusesOtherInstancesDevices) {
  Bench other(bench.target);
  Module module = bench.suite();
  TwrtDevice *devices[] = {other.device.get()};
  TwrtProgram *program = nullptr;
  EXPECT_FAILS(twrtProgramCreate(module.get(), "affine", devices, 1, &program, &error),
               TWRT_INVALID_ARGUMENT, "of two instances");
}

CASE(RefusesOtherDevicesThings) {
  Bench host(allTargets()[bench.target.computes ? 0 : 1]);
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer there = host.buffer(256);
  EXPECT_FAILS(bench.setFloats(call, 0, there, 64), TWRT_INVALID_ARGUMENT, "is on device");
  Buffer here = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, here, 64));
  EXPECT_FAILS(twrtCallSubmit(call.get(), host.queue.get(), nullptr, 0, nullptr, &error),
               TWRT_INVALID_ARGUMENT, "the queue is of device");
  uint8_t byte;
  EXPECT_FAILS(twrtBufferRead(host.queue.get(), here.get(), 0, &byte, 1, nullptr, &error),
               TWRT_INVALID_ARGUMENT, "the buffer is of device");
}

CASE(RefusesWrongTensors) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer x = bench.buffer(256);
  EXPECT_FAILS(bench.setArgument(call, 0, x, TWRT_F64, {64}), TWRT_INVALID_ARGUMENT,
               "argument 'x' has element type f64, expected f32");
  EXPECT_FAILS(bench.setArgument(call, 0, x, TWRT_F32, {63}), TWRT_INVALID_ARGUMENT,
               "argument 'x' has shape [63], expected [64]");
  EXPECT_FAILS(bench.setArgument(call, 1, x, TWRT_F32, {64}), TWRT_INVALID_ARGUMENT,
               "argument 1 of 1");
  Buffer small = bench.buffer(255);
  EXPECT_FAILS(bench.setFloats(call, 0, small, 64), TWRT_INVALID_ARGUMENT,
               "argument 'x' takes 256 bytes at offset 0 of a buffer of 255 bytes");
  EXPECT_FAILS(bench.run(call), TWRT_INVALID_ARGUMENT, "argument 0 'x' is not set");
}

CASE(RefusesShapesOutsideTheSymbols) {
  Module module = bench.suite();
  Program program = bench.program(module, "moves");
  Call call = bench.makeCall(program);
  Buffer x = bench.buffer(5000 * 4);
  ASSERT_OK(bench.setFloats(call, 0, x, 5000));
  EXPECT_FAILS(bench.run(call), TWRT_INVALID_ARGUMENT, "S must be from 0 to 4096");
  ASSERT_OK(bench.setFloats(call, 0, x, 6));
  EXPECT_FAILS(bench.run(call), TWRT_INVALID_ARGUMENT, "a multiple of 4");
  ASSERT_OK(bench.setFloats(call, 0, x, 8));
  EXPECT_OK(bench.run(call));
}

CASE(RefusesUnknownDevices) {
  TwrtDevice *device = nullptr;
  EXPECT_FAILS(twrtInstanceOpenDevice(bench.instance.get(), "warp:0", &device, &error),
               TWRT_NOT_FOUND, "no device 'warp:0'");
  // Emulated ones come last, where the message may be full.
  const char *listed = bench.target.programs ? "cuda-emulated:sm_90a" : bench.target.uri;
  EXPECT_NE(strstr(error.message, listed), nullptr) << error.message;
}

CASE(ErrorsMayBeIgnored) {
  EXPECT_EQ(twrtBufferCreate(bench.device.get(), UINT64_MAX, 0, nullptr, nullptr),
            TWRT_INVALID_ARGUMENT);
  TwrtBuffer *made = nullptr;
  EXPECT_EQ(twrtBufferCreate(bench.device.get(), UINT64_MAX, 0, &made, nullptr),
            TWRT_OUT_OF_MEMORY);
  EXPECT_EQ(made, nullptr);
}
