// What modules and programs say of themselves, what the log is told, and structs that grow.
#include "Harness.h"
#include "Object.h"
#include "SampleModules.h"

using namespace tw::test;

static std::string text(TwrtString string) { return {string.data, string.size}; }

static void expectHolds(const std::string &whole, const char *part) {
  EXPECT_NE(whole.find(part), whole.npos) << "expected " << part << " in " << whole;
}

TEST(Api, ModulesSayWhatTheyHold) {
  Machine machine("null");
  std::vector<uint8_t> bytes = makeDynamicModule();
  Module module = machine.load(bytes);
  ASSERT_TRUE(module) << machine.error.message;
  ASSERT_EQ(twrtModuleFunctionCount(module.get()), 1u);
  EXPECT_EQ(text(twrtModuleFunctionName(module.get(), 0)), "main");
  EXPECT_EQ(text(twrtModuleFunctionName(module.get(), 1)), "");
  expectHolds(text(twrtModuleDescription(module.get())),
              R"("symbols":[{"name":"S","min":0,"max":1024,"multiple":4}])");
  bytes = makeAffineModule();
  module = machine.load(bytes);
  ASSERT_EQ(twrtModuleKernelCount(module.get()), 2u);
  EXPECT_EQ(text(twrtModuleKernelName(module.get(), 0)), "add");
  EXPECT_EQ(text(twrtModuleKernelName(module.get(), 1)), "scale");
  EXPECT_EQ(text(twrtModuleKernelName(module.get(), 2)), "");
  EXPECT_EQ(twrtModuleKernelLeastCycles(module.get(), 0), 0u);
  EXPECT_EQ(twrtModuleKernelLeastCycles(module.get(), 1), 32u);
  EXPECT_EQ(twrtModuleKernelLeastCycles(module.get(), 2), 0u);
  std::string description = text(twrtModuleDescription(module.get()));
  expectHolds(description, R"("name":"main")");
  expectHolds(description, R"({"name":"x","element":"f32","dims":[64]})");
  expectHolds(description, R"("name":"scale")");
  EXPECT_EQ(twrtModuleFunctionCount(nullptr), 0u);
  EXPECT_EQ(twrtModuleKernelCount(nullptr), 0u);
  EXPECT_EQ(text(twrtModuleDescription(nullptr)), "");
}

TEST(Api, ProgramsSayWhatTheyTakeAndGive) {
  Machine machine("null");
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeDynamicModule();
  Module module = machine.load(bytes);
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  ASSERT_EQ(twrtProgramResultCount(program.get()), 1u);
  TwrtValueInfo info = {};
  info.size = sizeof(info);
  ASSERT_OK(twrtProgramResult(program.get(), 0, &info, &error));
  EXPECT_EQ(info.size, sizeof(info));
  EXPECT_EQ(text(info.name), "y");
  EXPECT_EQ(info.element, uint32_t(TWRT_F32));
  ASSERT_EQ(info.rank, 1u);
  EXPECT_LT(info.dims[0], 0) << "a symbol";
  EXPECT_EQ(info.alignment, 64u);
  EXPECT_EQ(twrtProgramResult(program.get(), 1, &info, &error), TWRT_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "value 1 of 1");
  EXPECT_EQ(twrtProgramResultCount(nullptr), 0u);
}

TEST(Api, ResultsSayTheStepOfTheirNumbers) {
  Machine machine("null");
  Error &error = machine.error;
  tw::format::Metadata metadata = makeAffineMetadata();
  metadata.functions[0].results[0].step = 0.25;
  std::vector<uint8_t> bytes = assemble(metadata);
  Module module = machine.load(bytes);
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  TwrtValueInfo info = {};
  info.size = sizeof(info);
  ASSERT_OK(twrtProgramResult(program.get(), 0, &info, &error));
  EXPECT_EQ(info.step, 0.25);
  ASSERT_OK(twrtProgramArgument(program.get(), 0, &info, &error));
  EXPECT_EQ(info.step, 0);
  // As callers know it that are older than the member.
  info.size = offsetof(TwrtValueInfo, step);
  info.step = 7;
  ASSERT_OK(twrtProgramResult(program.get(), 0, &info, &error));
  EXPECT_EQ(info.step, 7);
}

TEST(Api, TheLogIsToldWhatNoFunctionReturns) {
  Machine machine("null");
  Error &error = machine.error;
  const TwrtInstance *instance = machine.instance.get();
  twrtInstanceDeviceCount(instance);
  std::string expected;
  for (size_t i = 0; i < twrtInstanceDriverCount(instance); ++i) {
    TwrtString name;
    if (twrtInstanceDriverStatus(instance, i, &name, &error) != TWRT_OK)
      expected += "2 driver " + text(name) + " cannot be used: " + error.message + "\n";
  }
  const std::string whole = machine.log.text();
  std::string log = whole;
  size_t opened = log.find("2 device null:0 is open: {\"uri\":\"null:0\"");
  ASSERT_NE(opened, log.npos) << log;
  EXPECT_EQ(log.erase(opened, log.find('\n', opened) + 1 - opened), expected);
  // Drivers are asked once, and a device that is open is not opened again.
  TwrtDevice *device = nullptr;
  ASSERT_OK(twrtInstanceOpenDevice(machine.instance.get(), "null", &device, &error));
  Device again(device);
  EXPECT_EQ(machine.log.text(), whole);
}

namespace {

/// A struct in its third release; the first knew `a` alone.
struct Grown {
  uint32_t size;
  uint32_t a;
  uint64_t b;
  uint64_t c;
};

} // namespace

template <> inline constexpr uint32_t tw::knownSizes<Grown>[] = {8, 16, 24};

TEST(Api, StructsGrow) {
  using namespace tw::runtime;
  Error error;
  Grown record = {24, 1, 2, 3};
  EXPECT_OK(checkSize(&record, "Grown", &error));
  EXPECT_EQ(tw::readSized(record).c, 3u);
  record.size = 16;
  EXPECT_OK(checkSize(&record, "Grown", &error));
  EXPECT_EQ(tw::readSized(record).b, 2u);
  EXPECT_EQ(tw::readSized(record).c, 0u) << "the caller knows no c";
  tw::writeSized(record, {24, 4, 5, 6});
  EXPECT_EQ(record.size, 16u);
  EXPECT_EQ(record.a, 4u);
  EXPECT_EQ(record.b, 5u);
  EXPECT_EQ(record.c, 3u) << "the caller has no room for c";
  for (uint32_t unknown : {0u, 12u, 32u}) {
    record.size = unknown;
    EXPECT_EQ(checkSize(&record, "Grown", &error), TWRT_INVALID_ARGUMENT);
  }
  EXPECT_STREQ(error.message, "Grown has size 32, expected 24");
}
