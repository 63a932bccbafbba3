// Constants: embedded, in other files, splats; files that are missing, changed or elsewhere.
#include "Harness.h"
#include "SampleModules.h"
#include "tw/Format/OpenBeneath.h"
#include "tw/Format/ProgramBuilder.h"

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace tw::test;

namespace {

class Constants : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() + "twrt-constants-" + std::to_string(getpid());
    mkdir(folder.c_str(), 0777);
    mkdir((folder + "/sub").c_str(), 0777);
    weights.resize(100000);
    for (size_t i = 0; i < weights.size(); i += 4) {
      float value = float(i);
      memcpy(weights.data() + i, &value, 4);
    }
    write(weights);
  }
  void TearDown() override {
    for (const char *name : {"/sub/w.bin", "/sub/link.bin", "/sub/pipe", "/out", "/big.twm"})
      unlink((folder + name).c_str());
    rmdir((folder + "/sub").c_str());
    rmdir(folder.c_str());
  }
  void write(const std::vector<uint8_t> &contents) {
    std::ofstream(folder + "/sub/w.bin", std::ios::binary)
        .write(reinterpret_cast<const char *>(contents.data()), std::streamsize(contents.size()));
  }
  std::vector<float> run(Machine &machine, const std::vector<uint8_t> &bytes, uint32_t flags = 0) {
    Module module = machine.load(bytes, flags, folder.c_str());
    if (!module)
      return {};
    Program program = machine.makeProgram(module);
    if (!program)
      return {};
    Call call = machine.makeCall(program);
    return machine.run(call) == TWRT_OK ? machine.result<float>(call) : std::vector<float>();
  }
  void expectValues(const std::vector<float> &y, size_t offset) {
    ASSERT_EQ(y.size(), 48u);
    for (size_t i = 0; i < 16; ++i) {
      float value;
      memcpy(&value, weights.data() + offset + 4 * i, 4);
      EXPECT_EQ(y[i], value);
      EXPECT_EQ(y[16 + i], 2.5f);
      EXPECT_EQ(y[32 + i], float(i));
    }
  }

  std::string folder;
  std::vector<uint8_t> weights;
};

} // namespace

TEST_F(Constants, AreFoundWhereverTheyLie) {
  Machine machine;
  for (size_t offset : {0, 12, 90000}) {
    expectValues(run(machine, makeExternalModule("sub/w.bin", weights, offset)), offset);
    expectValues(run(machine, makeExternalModule("sub/w.bin", weights, offset),
                     TWRT_MODULE_COPY_WEIGHTS | TWRT_MODULE_CHECK_WEIGHTS),
                 offset);
  }
}

TEST_F(Constants, MayLieAtAnyByte) {
  Machine machine;
  std::vector<float> y = run(machine, makeExternalModule("sub/w.bin", weights, 13));
  ASSERT_EQ(y.size(), 48u) << machine.error.message;
  EXPECT_EQ(memcmp(y.data(), weights.data() + 13, 64), 0);
}

TEST_F(Constants, MayBeBehindALink) {
  Machine machine;
  ASSERT_EQ(symlink("w.bin", (folder + "/sub/link.bin").c_str()), 0);
  expectValues(run(machine, makeExternalModule("sub/link.bin", weights, 0)), 0);
  // One that comes back, by way of a folder beneath.
  unlink((folder + "/sub/link.bin").c_str());
  ASSERT_EQ(symlink("../sub/w.bin", (folder + "/sub/link.bin").c_str()), 0);
  expectValues(run(machine, makeExternalModule("sub/link.bin", weights, 0)), 0);
}

/// Of a file and of a folder, by a relative and by an absolute path.
TEST_F(Constants, LinksThatLeaveTheFolderNeedAFlag) {
  Machine machine;
  folder += "/sub";
  mkdir((folder + "/model").c_str(), 0777);
  std::string root = folder, link = folder + "/model/link";
  struct {
    std::string target, path;
  } cases[] = {{"../w.bin", "link"}, {root + "/w.bin", "link"}, {"..", "link/w.bin"}};
  for (auto &[target, path] : cases) {
    folder = root + "/model";
    ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0);
    std::vector<uint8_t> bytes = makeExternalModule(path, weights, 0);
    EXPECT_TRUE(run(machine, bytes).empty()) << target;
    EXPECT_EQ(machine.error.code, TWRT_IO_ERROR);
    EXPECT_STREQ(machine.error.call, "open");
    EXPECT_EQ(machine.error.driverCode, EXDEV);
    EXPECT_EQ(std::string(machine.error.message),
              "cannot open weights " + path + " in weightsFolder " + folder +
                  ": a symbolic link leads out of it, which needs TWRT_MODULE_FOLLOW_LINKS");
    expectValues(run(machine, bytes, TWRT_MODULE_FOLLOW_LINKS), 0);
    // Systems without openat2 follow no link.
    errno = 0;
    EXPECT_EQ(tw::format::openWithoutLinks(folder.c_str(), path.c_str()), -1);
    EXPECT_EQ(errno, EXDEV);
    unlink(link.c_str());
  }
  rmdir(folder.c_str());
  folder = root.substr(0, root.size() - strlen("/sub"));
  for (auto *open : {tw::format::openBeneath, tw::format::openWithoutLinks}) {
    int file = open(folder.c_str(), "sub/w.bin");
    EXPECT_GE(file, 0);
    close(file);
    EXPECT_EQ(open(folder.c_str(), "sub/../../w.bin"), -1);
    EXPECT_EQ(errno, EXDEV);
    EXPECT_EQ(open(folder.c_str(), "sub/none"), -1);
    EXPECT_EQ(errno, ENOENT);
  }
}

TEST_F(Constants, PipesAreNotWaitedFor) {
  Machine machine;
  ASSERT_EQ(mkfifo((folder + "/sub/pipe").c_str(), 0666), 0);
  EXPECT_TRUE(run(machine, makeExternalModule("sub/pipe", weights, 0)).empty());
  EXPECT_STREQ(machine.error.message, "cannot read weights sub/pipe: not a regular file");
}

TEST_F(Constants, ComeFromTheCallersFile) {
  Machine machine;
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeExternalModule("any/name", weights, 4);
  TwrtModuleOptions options = {};
  options.size = sizeof(options);
  std::string path = folder + "/sub/w.bin";
  options.user = path.data();
  options.openFile = [](void *user, const char *name) {
    EXPECT_STREQ(name, "any/name");
    return open(static_cast<const char *>(user), O_RDONLY);
  };
  TwrtModule *made = nullptr;
  ASSERT_OK(twrtModuleFromMemory(machine.instance.get(), {bytes.data(), bytes.size()}, &options,
                                 &made, &error));
  Module module(made);
  EXPECT_EQ(twrtModuleFileCount(made), 1u);
  EXPECT_STREQ(twrtModuleFilePath(made, 0).data, "any/name");
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  Call call = machine.makeCall(program);
  ASSERT_OK(machine.run(call));
  expectValues(machine.result<float>(call), 4);
}

TEST_F(Constants, ComeFromTheCallersMemory) {
  Machine machine;
  Error &error = machine.error;
  std::vector<uint8_t> bytes = makeExternalModule("any/name", weights, 4);
  struct Given {
    const void *data;
    size_t size;
  } given = {weights.data(), weights.size()};
  TwrtModuleOptions options = {};
  options.size = sizeof(options);
  options.user = &given;
  options.findWeights = [](void *user, const char *name, TwrtBytes *found) {
    EXPECT_STREQ(name, "any/name");
    auto [data, size] = *static_cast<Given *>(user);
    *found = {data, size};
    return int(size != 7);
  };
  TwrtModule *made = nullptr;
  ASSERT_OK(twrtModuleFromMemory(machine.instance.get(), {bytes.data(), bytes.size()}, &options,
                                 &made, &error));
  Module module(made);
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  Call call = machine.makeCall(program);
  ASSERT_OK(machine.run(call));
  expectValues(machine.result<float>(call), 4);
  // It is read where it lies, as it is when a call runs.
  for (size_t i = 4; i < 68; i += 4)
    memcpy(weights.data() + i, weights.data() + i + 800, 4);
  ASSERT_OK(machine.run(call));
  expectValues(machine.result<float>(call), 804);
  given.size = weights.size() - 1;
  EXPECT_FALSE(machine.makeProgram(module));
  EXPECT_STREQ(error.message, "weights any/name: expected 100000 bytes, findWeights gives 99999");
  given.size = 7;
  EXPECT_FALSE(machine.makeProgram(module));
  EXPECT_STREQ(error.message, "findWeights has no weights any/name");
  EXPECT_EQ(error.code, TWRT_NOT_FOUND);
}

TEST_F(Constants, MissingFile) {
  Machine machine;
  EXPECT_TRUE(run(machine, makeExternalModule("sub/none.bin", weights, 0)).empty());
  EXPECT_EQ(machine.error.code, TWRT_IO_ERROR);
  EXPECT_STREQ(machine.error.call, "open");
  EXPECT_EQ(machine.error.driverCode, ENOENT);
  EXPECT_EQ(std::string(machine.error.message),
            "cannot open weights sub/none.bin in weightsFolder " + folder +
                ": No such file or directory");
}

TEST_F(Constants, ChangedFile) {
  Machine machine;
  std::vector<uint8_t> bytes = makeExternalModule("sub/w.bin", weights, 90000), changed = weights;
  changed[5] ^= 1;
  write(changed);
  EXPECT_TRUE(run(machine, bytes).empty());
  EXPECT_NE(strstr(machine.error.message, "sub/w.bin begin differently from the file that the "
                                          "module was made from: compile again"),
            nullptr)
      << machine.error.message;
  changed.pop_back();
  write(changed);
  EXPECT_TRUE(run(machine, bytes).empty());
  EXPECT_NE(strstr(machine.error.message, "sub/w.bin: expected 100000 bytes, found 99999: the "
                                          "module was made from another file"),
            nullptr)
      << machine.error.message;
  // Beyond the beginning only the digests of all weights tell.
  changed = weights;
  changed[90003] ^= 1;
  write(changed);
  EXPECT_FALSE(run(machine, bytes).empty());
  EXPECT_TRUE(run(machine, bytes, TWRT_MODULE_CHECK_WEIGHTS).empty());
  EXPECT_STREQ(machine.error.message, "constant 'external' in sub/w.bin does not match its digest");
}

/// main() -> y: f32[count]: a copy of what the initializer copies from byte 4096 of sub/w.bin.
static std::vector<uint8_t> makeCopiedModule(const std::vector<uint8_t> &weights, int64_t count) {
  using namespace tw::format;
  Metadata metadata;
  Digest identity = computeFileIdentity(weights);
  metadata.files = {{"sub/w.bin", weights.size(), {identity.begin(), identity.end()}}};
  Constant source;
  source.name = "source";
  source.type = {ElementType::F32, {count}};
  source.storage = Storage::External;
  source.offset = 4096;
  source.length = 4 * count;
  source.alignment = 4;
  Constant derived = source;
  derived.name = "derived";
  derived.storage = Storage::Derived;
  metadata.constants = {source, derived};
  ProgramBuilder initializer("host"), builder("host");
  initializer.copy(initializer.bindConstant(1), initializer.bindConstant(0));
  builder.setInitializer(initializer.finish());
  builder.copy(builder.bindResult(0), builder.bindConstant(1));
  Function main;
  main.name = "main";
  main.results = {{"y", source.type, 0}};
  main.programs = {builder.finish()};
  metadata.functions = {main};
  return ContainerWriter().finish(encodeMetadata(metadata));
}

/// Pages behind the end of a mapped file end the process that reads them: calls are refused first,
/// those that an initializer prepares too.
TEST_F(Constants, FilesThatShrinkAreNotRead) {
  for (bool isDerived : {false, true}) {
    write(weights);
    std::vector<uint8_t> bytes = isDerived ? makeCopiedModule(weights, 20000)
                                           : makeExternalModule("sub/w.bin", weights, 90000);
    Machine machine;
    Error &error = machine.error;
    Module module = machine.load(bytes, 0, folder.c_str());
    Program program = machine.makeProgram(module);
    ASSERT_TRUE(program) << error.message;
    Call call = machine.makeCall(program);
    std::string path = folder + "/sub/w.bin";
    ASSERT_EQ(truncate(path.c_str(), 4096), 0);
    EXPECT_EQ(machine.run(call), TWRT_IO_ERROR);
    EXPECT_NE(strstr(error.message,
                     "weights sub/w.bin: expected 100000 bytes, found 4096: the file has shrunk "
                     "since it was mapped; put others in the place of files that are in use"),
              nullptr)
        << error.message;
    // Copies do not mind.
    write(weights);
    Module copying = machine.load(bytes, TWRT_MODULE_COPY_WEIGHTS, folder.c_str());
    Program copied = machine.makeProgram(copying);
    ASSERT_TRUE(copied) << error.message;
    ASSERT_OK(twrtProgramInitialize(copied.get(), nullptr, nullptr, &error));
    ASSERT_EQ(truncate(path.c_str(), 4096), 0);
    Call other = machine.makeCall(copied);
    EXPECT_OK(machine.run(other));
  }
}

/// So are calls whose module's file has shrunk, which holds code and constants.
TEST_F(Constants, ModulesThatShrinkAreNotRead) {
  std::vector<uint8_t> bytes = makeExternalModule("sub/w.bin", weights, 0);
  std::string path = folder + "/big.twm";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  Machine machine;
  Error &error = machine.error;
  TwrtModule *made = nullptr;
  TwrtModuleOptions options = {};
  options.size = sizeof(options);
  options.weightsFolder = folder.c_str();
  ASSERT_OK(twrtModuleOpen(machine.instance.get(), path.c_str(), &options, &made, &error));
  Module module(made);
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  Call call = machine.makeCall(program);
  ASSERT_EQ(truncate(path.c_str(), 100), 0);
  EXPECT_EQ(machine.run(call), TWRT_IO_ERROR);
  EXPECT_EQ(std::string(error.message),
            "module " + path + ": expected " + std::to_string(bytes.size()) +
                " bytes, found 100: the file has shrunk since it was mapped; put others in the "
                "place of files that are in use");
}

TEST_F(Constants, PathsThatLeaveTheFolder) {
  Machine machine;
  for (const char *path : {"../w.bin", "/etc/passwd", "sub/../../w.bin"}) {
    EXPECT_TRUE(run(machine, makeExternalModule(path, weights, 0)).empty());
    EXPECT_EQ(machine.error.code, TWRT_INVALID_MODULE);
    EXPECT_NE(strstr(machine.error.message, "leaves the weights folder or is not relative"),
              nullptr);
  }
}

/// Bytes of the process's mappings of a file that are in memory.
static uint64_t residentBytes(const std::string &path) {
  std::ifstream maps("/proc/self/smaps");
  uint64_t sum = 0;
  bool ours = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(':'))
      ours = line.ends_with(path);
    else if (ours && line.starts_with("Rss:"))
      sum += strtoull(line.c_str() + 4, nullptr, 10) * 1024;
  }
  return sum;
}

/// What only an initializer reads from a mapped file does not stay in memory.
TEST_F(Constants, PagesThatOnlyAnInitializerReadsGo) {
  constexpr int64_t count = 20000;
  std::vector<uint8_t> bytes = makeCopiedModule(weights, count);
  Machine machine;
  Error &error = machine.error;
  Module module = machine.load(bytes, 0, folder.c_str());
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  ASSERT_OK(twrtProgramInitialize(program.get(), nullptr, nullptr, &error));
  EXPECT_LE(residentBytes("/sub/w.bin"), 32768u);
  Call call = machine.makeCall(program);
  for (int run = 0; run < 2; ++run) {
    ASSERT_OK(machine.run(call));
    std::vector<float> y = machine.result<float>(call);
    ASSERT_EQ(y.size(), size_t(count));
    EXPECT_EQ(memcmp(y.data(), weights.data() + 4096, 4 * count), 0);
  }
}

static uint64_t countResidentBytes() {
  std::ifstream status("/proc/self/statm");
  uint64_t size = 0, resident = 0;
  status >> size >> resident;
  return resident * uint64_t(sysconf(_SC_PAGESIZE));
}

/// Memory of derived constants gets its pages when they are computed.
TEST_F(Constants, PagesOfDerivedOnesComeWithTheInitializer) {
  constexpr int64_t count = 16 << 20;
  constexpr uint64_t bytesOfMost = 4 * count / 4;
  weights.resize(size_t(4 * count + 8192));
  write(weights);
  std::vector<uint8_t> bytes = makeCopiedModule(weights, count);
  Machine machine;
  Error &error = machine.error;
  Module module = machine.load(bytes, 0, folder.c_str());
  uint64_t before = countResidentBytes();
  Program program = machine.makeProgram(module);
  ASSERT_TRUE(program) << error.message;
  EXPECT_LT(countResidentBytes(), before + bytesOfMost);
  ASSERT_OK(twrtProgramInitialize(program.get(), nullptr, nullptr, &error));
  EXPECT_GT(countResidentBytes(), before + 3 * bytesOfMost);
}

/// Bulk data is not read when a module is opened.
TEST_F(Constants, OpeningALargeModuleIsQuick) {
  Machine machine;
  Error &error = machine.error;
  tw::format::Metadata metadata = makeAffineMetadata();
  metadata.kernels.clear();
  metadata.locations.clear();
  metadata.functions[0].programs[0] = {};
  tw::format::Program &program = metadata.functions[0].programs[0];
  program.target = "host";
  program.slots = {{"host", 0, 64, {}}};
  program.code = {{63, 0, 0, 0, 0}};
  std::string path = folder + "/big.twm";
  {
    std::vector<uint8_t> constants(100u << 20, 1);
    tw::format::ContainerWriter writer;
    writer.addSection(tw::format::SectionKind::Constants, 12, constants);
    std::vector<uint8_t> bytes = writer.finish(encodeMetadata(metadata));
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  }
  int64_t best = INT64_MAX;
  for (int repeat = 0; repeat < 5; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    TwrtModule *module = nullptr;
    ASSERT_OK(twrtModuleOpen(machine.instance.get(), path.c_str(), nullptr, &module, &error));
    auto time = std::chrono::steady_clock::now() - start;
    best = std::min<int64_t>(best,
                             std::chrono::duration_cast<std::chrono::microseconds>(time).count());
    twrtModuleRelease(module);
  }
  EXPECT_LT(best, 10000) << "microseconds";
}

/// Not what the caller has open under the number that memory is cleared to.
TEST_F(Constants, CloseNoOtherFileWhereMemoryRunsOut) {
  if (fcntl(0, F_GETFD) < 0) {
    ASSERT_EQ(open("/dev/null", O_RDONLY), 0);
  }
  FailingAllocator allocator;
  Machine machine(allocator.getOptions(1));
  std::vector<uint8_t> bytes = makeExternalModule("sub/w.bin", weights, 64);
  Module module = machine.load(bytes, 0, folder.c_str());
  ASSERT_TRUE(module) << machine.error.message;
  uint64_t failures = 0;
  for (uint64_t k = 0;; ++k, ++failures) {
    allocator.failAt = allocator.calls + k;
    bool isMade = bool(machine.makeProgram(module));
    ASSERT_GE(fcntl(0, F_GETFD), 0) << k;
    if (isMade)
      break;
    ASSERT_EQ(machine.error.code, TWRT_OUT_OF_MEMORY) << k;
  }
  EXPECT_GT(failures, 5u);
}
