// Damaged modules: every truncation and every single bit flip outside native code of ten modules
// is rejected with section and offset, or harmless. Flips are tried twice: as they are, where the
// digests see most of them, and with the digests made right again, where the verifier must.
#include "Drivers/Null/Null.h"
#include "Harness.h"
#include "SampleModules.h"
#include "tw/Format/Container.h"
#include "tw/Format/Describe.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace tw::test;
using tw::format::Container;

// The thread sanitizer makes this slow and has nothing to find here: every 32nd place is enough.
#if defined(__SANITIZE_THREAD__)
static constexpr size_t stride = 32;
#elif defined(__has_feature)
static constexpr size_t stride = __has_feature(thread_sanitizer) ? 32 : 1;
#else
static constexpr size_t stride = 1;
#endif

namespace {

struct Sample {
  std::vector<uint8_t> bytes;
  /// Elements of its f32 arguments, and of their storage where they have some.
  struct Argument {
    int64_t elements, storage = 0;
  };
  std::vector<Argument> arguments;
};

class Corruption : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() + "twrt-corruption-" + std::to_string(getpid());
    mkdir(folder.c_str(), 0777);
    std::vector<uint8_t> weights(256);
    for (size_t i = 0; i < weights.size(); ++i)
      weights[i] = uint8_t(i);
    std::ofstream(folder + "/w.bin", std::ios::binary)
        .write(reinterpret_cast<const char *>(weights.data()), std::streamsize(weights.size()));
    samples.push_back({makeAffineModule(), {{64}}});
    samples.push_back({makeDerivedModule(), {{64}}});
    samples.push_back({makeDynamicModule(), {{64}}});
    samples.push_back({makeManyTargetsModule(), {{64}}});
    samples.push_back({makeExternalModule("w.bin", weights, 12), {}});
    samples.push_back({assemble(makeSizesMetadata()), {{64}, {62}}});
    samples.push_back({assemble(makeChoiceMetadata()), {{9}}});
    samples.push_back({assemble(makeCacheMetadata()), {{20}, {7, 256}, {27}}});
    samples.push_back({assemble(makeLoopsMetadata()), {{64}, {1}}});
    samples.push_back({assemble(makeCountedMetadata(3, 10)), {{64}}});
  }
  void TearDown() override {
    unlink((folder + "/w.bin").c_str());
    rmdir(folder.c_str());
  }

  /// Loads and runs; empty if that fails, which must be with a status.
  std::vector<float> run(Machine &machine, const std::vector<uint8_t> &bytes,
                         const Sample &sample) {
    TwrtError &error = machine.error;
    Module module = machine.load(bytes, TWRT_MODULE_ALLOW_NATIVE, folder.c_str());
    if (!module) {
      EXPECT_EQ(error.code, TWRT_INVALID_MODULE);
      EXPECT_NE(strstr(error.message, "section "), nullptr) << error.message;
      EXPECT_NE(strstr(error.message, ", offset "), nullptr) << error.message;
      return {};
    }
    Program program = machine.makeProgram(module);
    if (!program)
      return {};
    Call call = machine.makeCall(program);
    std::vector<float> x(256, 1.5f);
    std::vector<Buffer> buffers;
    size_t count = std::min(sample.arguments.size(), twrtProgramArgumentCount(program.get()));
    for (size_t i = 0; i < count; ++i) {
      const Sample::Argument &argument = sample.arguments[i];
      TwrtBuffer *made = nullptr;
      twrtBufferCreate(machine.device.get(), 1024, 0, &made, nullptr);
      buffers.emplace_back(made);
      twrtBufferWrite(machine.queue.get(), made, 0, {x.data(), 1024}, nullptr, nullptr);
      TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, made, 0, &argument.elements, nullptr};
      if (argument.storage)
        tensor.storage = &argument.storage;
      if (twrtCallSetArgument(call.get(), i, &tensor, &error) != TWRT_OK)
        return {};
    }
    if (machine.run(call) != TWRT_OK)
      return {};
    TwrtTensor tensor = {};
    tensor.size = sizeof(tensor);
    int64_t dims[32];
    std::vector<float> y;
    if (twrtCallGetResult(call.get(), 0, &tensor, dims, 32, &error) == TWRT_OK) {
      y.resize(std::min<uint64_t>(twrtBufferBytes(tensor.buffer) / 4, 64));
      twrtBufferRead(machine.queue.get(), tensor.buffer, 0, y.data(), y.size() * 4, nullptr,
                     &error);
    }
    return y;
  }

  /// All bytes but the machine code.
  static std::vector<size_t> describedBytes(const std::vector<uint8_t> &bytes) {
    Container container;
    tw::format::Error error;
    EXPECT_TRUE(Container::open(bytes, container, error));
    std::vector<size_t> places;
    for (size_t i = 0; i < bytes.size(); i += stride) {
      bool native = false;
      for (uint32_t s = 0; s < container.sectionCount(); ++s) {
        auto entry = container.section(s);
        native |= entry.kind == uint32_t(tw::format::SectionKind::HostImage) && i >= entry.offset &&
                  i - entry.offset < entry.length;
      }
      if (!native)
        places.push_back(i);
    }
    return places;
  }

  std::string folder;
  std::vector<Sample> samples;
};

} // namespace

TEST_F(Corruption, EveryTruncation) {
  Machine null("null:0");
  for (const Sample &sample : samples) {
    std::vector<uint8_t> cut;
    for (size_t size = 0; size < sample.bytes.size(); size += stride) {
      cut.assign(sample.bytes.begin(), sample.bytes.begin() + long(size));
      EXPECT_FALSE(null.load(cut));
      EXPECT_EQ(null.error.code, TWRT_INVALID_MODULE);
      EXPECT_NE(strstr(null.error.message, "section header, offset"), nullptr);
      if (size < sizeof(tw::format::Header))
        continue;
      // As if it had been written like that.
      uint64_t bytes = size;
      memcpy(cut.data() + offsetof(tw::format::Header, fileBytes), &bytes, 8);
      if (size < 4096 || size % 251 == 0) {
        tw::format::repairDigests(cut);
        run(null, cut, sample);
      }
    }
  }
  EXPECT_EQ(tw::runtime::null::mistakeCount(), 0u);
}

TEST_F(Corruption, EveryBitFlip) {
  Machine host, null("null:0");
  uint64_t rejected = 0, harmless = 0;
  for (const Sample &sample : samples) {
    std::vector<float> expected = run(host, sample.bytes, sample);
    ASSERT_FALSE(expected.empty()) << host.error.message;
    for (size_t place : describedBytes(sample.bytes))
      for (int bit = 0; bit < 8; ++bit) {
        std::vector<uint8_t> flipped = sample.bytes;
        flipped[place] ^= uint8_t(1 << bit);
        std::vector<float> found = run(host, flipped, sample);
        if (found.empty()) {
          ++rejected;
          EXPECT_EQ(host.error.code, TWRT_INVALID_MODULE);
          EXPECT_NE(strstr(host.error.message, "section "), nullptr);
          continue;
        }
        ++harmless;
        EXPECT_EQ(memcmp(found.data(), expected.data(), expected.size() * 4), 0) << place;
        // Only what running does not read, sources and code of other targets, which describing
        // rejects.
        std::string text;
        tw::format::Error error;
        EXPECT_FALSE(describeModule(flipped, {}, text, error));
        EXPECT_STRNE(error.section, "META");
      }
  }
  EXPECT_GT(rejected, 20000u / stride);
  EXPECT_LT(harmless, rejected / 10);
}

TEST_F(Corruption, EveryBitFlipBehindTheDigests) {
  Machine null("null:0");
  uint64_t accepted = 0;
  for (const Sample &sample : samples)
    for (size_t place : describedBytes(sample.bytes))
      for (int bit = 0; bit < 8; ++bit) {
        std::vector<uint8_t> flipped = sample.bytes;
        flipped[place] ^= uint8_t(1 << bit);
        tw::format::repairDigests(flipped);
        accepted += !run(null, flipped, sample).empty();
        std::string text;
        tw::format::Error error;
        describeModule(flipped, {}, text, error);
      }
  // Names, numbers of flops, values of constants and the like: the verifier has nothing against.
  EXPECT_GT(accepted, 1000u / stride);
  EXPECT_EQ(tw::runtime::null::mistakeCount(), 0u);
}
