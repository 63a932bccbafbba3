// Allocation: sizes, alignment, running out, accounting.
#include "Device.h"
#include "Suite.h"

#include <algorithm>
#include <span>
#include <unistd.h>

using namespace tw::test;

CASE(ZeroBytes) {
  Buffer buffer = bench.buffer(0);
  EXPECT_EQ(twrtBufferBytes(buffer.get()), 0u);
  bench.write(buffer, 0, {});
  bench.wait(bench.copy(bench.queue, buffer, 0, buffer, 0, 0));
  EXPECT_TRUE(bench.read(bench.queue, buffer, 0, 0).empty());
}

struct SizeRow {
  const char *name;
  uint64_t bytes;
};

static constexpr SizeRow sizes[] = {
    {"1", 1},
    {"3", 3},
    {"63", 63},
    {"64", 64},
    {"65", 65},
    {"255", 255},
    {"256", 256},
    {"257", 257},
    {"4095", 4095},
    {"4096", 4096},
    {"4097", 4097},
    {"65537", 65537},
    {"1MiB", 1 << 20},
    {"4MiB", 4 << 20},
    {"4MiBPlus1", (4 << 20) + 1},
    {"17MiB", 17 << 20},
};

ROWS(HoldsWhatIsWritten, sizes) {
  Buffer buffer = bench.buffer(row.bytes);
  EXPECT_EQ(twrtBufferBytes(buffer.get()), row.bytes);
  EXPECT_EQ(bench.usedBytes(), row.bytes);
  std::vector<uint8_t> data = pattern(row.bytes);
  bench.write(buffer, 0, data);
  bench.expectBytes(buffer, 0, data);
}

CASE(ManySmallBuffersDoNotTouch) {
  std::vector<Buffer> buffers;
  for (uint32_t i = 0; i < 300; ++i) {
    buffers.push_back(bench.buffer(1 + i % 97));
    bench.write(buffers[i], 0, pattern(1 + i % 97, i));
  }
  // Every third goes, and others come in between.
  for (uint32_t i = 0; i < 300; i += 3) {
    buffers[i] = bench.buffer(1 + i % 89);
    bench.write(buffers[i], 0, pattern(1 + i % 89, 1000 + i));
  }
  for (uint32_t i = 0; i < 300; ++i)
    bench.expectBytes(buffers[i], 0,
                      i % 3 ? pattern(1 + i % 97, i) : pattern(1 + i % 89, 1000 + i));
}

CASE(HugeIsRefused) {
  EXPECT_FALSE(bench.tryBuffer(uint64_t(1) << 62));
  EXPECT_EQ(error.code, TWRT_OUT_OF_MEMORY);
  EXPECT_NE(strstr(error.message, "4611686018427387904"), nullptr) << error.message;
  EXPECT_EQ(bench.usedBytes(), 0u);
}

CASE(LargestNumberIsRefused) {
  EXPECT_FALSE(bench.tryBuffer(UINT64_MAX));
  EXPECT_EQ(error.code, TWRT_OUT_OF_MEMORY);
}

CASE(AboveTheSlabLimitIsRefused) {
  uint64_t most = bench.device->info.maxSlabBytes;
  uint64_t bytes = most == UINT64_MAX ? most : most + 1;
  EXPECT_FALSE(bench.tryBuffer(bytes));
  EXPECT_EQ(error.code, TWRT_OUT_OF_MEMORY);
}

CASE(AllocatesAfterRunningOut) {
  EXPECT_FALSE(bench.tryBuffer(uint64_t(1) << 62));
  Buffer buffer = bench.buffer(1000);
  bench.write(buffer, 0, pattern(1000));
  bench.expectBytes(buffer, 0, pattern(1000));
}

CASE(CountsUsedBytes) {
  Buffer a = bench.buffer(1000), b = bench.buffer(5);
  EXPECT_EQ(bench.usedBytes(), 1005u);
  a.reset();
  EXPECT_EQ(bench.usedBytes(), 5u);
  uint64_t total = 0;
  EXPECT_OK(twrtDeviceMemory(bench.device.get(), nullptr, &total, &error));
  EXPECT_GT(total, 5u);
}

CASE(ReusesWhatIsReleased) {
  for (uint32_t i = 0; i < 100; ++i) {
    Buffer buffer = bench.buffer(8 << 20);
    ASSERT_TRUE(buffer) << error.message;
    bench.write(buffer, 0, {uint8_t(i)});
  }
  EXPECT_EQ(bench.usedBytes(), 0u);
}

CASE(UsageIsZero) {
  TwrtBuffer *made = nullptr;
  EXPECT_FAILS(twrtBufferCreate(bench.device.get(), 1, 8, &made, &error), TWRT_INVALID_ARGUMENT,
               "usage is 0x8, expected 0");
}

CASE(HostAddressesAreAligned) {
  for (uint64_t bytes : {1, 100, 4096, 100000}) {
    Buffer buffer = bench.buffer(bytes);
    uintptr_t address = reinterpret_cast<uintptr_t>(twrtBufferData(buffer.get()));
    EXPECT_EQ(address % (bytes >= 4096 ? 4096 : 64), 0u);
    // A device whose memory the host cannot reach gives no address.
    EXPECT_EQ(address != 0, bench.device->info.hostVisible);
  }
}

CASE(RetainedBuffersLive) {
  Buffer buffer = bench.buffer(100);
  twrtBufferRetain(buffer.get());
  bench.write(buffer, 0, pattern(100));
  twrtBufferRelease(buffer.get());
  bench.expectBytes(buffer, 0, pattern(100));
}

CASE(ReleasingNothingIsFine) {
  twrtBufferRelease(nullptr);
  twrtQueueRelease(nullptr);
  twrtDeviceRelease(nullptr);
  twrtProgramRelease(nullptr);
  twrtCallRelease(nullptr);
  twrtModuleRelease(nullptr);
}

/// True if host memory was taken in place; else the refusal must be one the target may give.
static bool usesHostMemory(Bench &bench, TwrtCode code) {
  if (code == TWRT_OK) {
    EXPECT_NE(bench.target.hostMemory, Target::Never);
    return true;
  }
  EXPECT_NE(bench.target.hostMemory, Target::Always) << bench.error.message;
  EXPECT_EQ(code, TWRT_UNSUPPORTED);
  EXPECT_NE(*bench.error.message, 0);
  return false;
}

CASE(ImportsHostMemory) {
  // A page begins it: devices that take host memory ask for that at most.
  constexpr size_t page = 4096;
  std::vector<uint8_t> data = pattern(1000), room(data.size() + page);
  size_t skip = page - reinterpret_cast<uintptr_t>(room.data()) % page;
  std::span<uint8_t> memory(room.data() + skip, data.size());
  std::copy(data.begin(), data.end(), memory.begin());
  int done = 0;
  TwrtBuffer *made = nullptr;
  TwrtCode code = twrtBufferImport(
      bench.device.get(), memory.data(), memory.size(),
      [](void *user) { ++*static_cast<int *>(user); }, &done, &made, &error);
  Buffer buffer(made);
  if (!usesHostMemory(bench, code)) {
    EXPECT_EQ(done, 0);
    GTEST_SKIP() << error.message;
  }
  EXPECT_EQ(bench.usedBytes(), 0u);
  bench.expectBytes(buffer, 3, std::vector<uint8_t>(memory.begin() + 3, memory.end()));
  if (bench.target.computes) {
    EXPECT_EQ(twrtBufferData(buffer.get()), memory.data());
    bench.write(buffer, 10, {1, 2, 3});
    EXPECT_EQ(memory[11], 2);
  }
  buffer.reset();
  EXPECT_EQ(done, 1);
}

CASE(ImportsNothing) {
  TwrtBuffer *made = nullptr;
  TwrtCode code = twrtBufferImport(bench.device.get(), nullptr, 0, nullptr, nullptr, &made, &error);
  Buffer buffer(made);
  usesHostMemory(bench, code);
  EXPECT_FAILS(twrtBufferImport(bench.device.get(), nullptr, 1, nullptr, nullptr, &made, &error),
               TWRT_INVALID_ARGUMENT, "memory is NULL");
}

/// A file that holds `data`, gone from the folder already.
static int makeFile(const std::vector<uint8_t> &data) {
  FILE *file = tmpfile();
  fwrite(data.data(), 1, data.size(), file);
  fflush(file);
  int descriptor = dup(fileno(file));
  fclose(file);
  return descriptor;
}

struct MapRow {
  const char *name;
  uint64_t offset, bytes;
};
static constexpr MapRow maps[] = {
    {"Whole", 0, 10000}, {"Unaligned", 4099, 5000}, {"Empty", 100, 0}};

ROWS(MapsFiles, maps) {
  std::vector<uint8_t> data = pattern(10000);
  int file = makeFile(data);
  TwrtBuffer *made = nullptr;
  TwrtCode code = twrtBufferMapFile(bench.device.get(), file, row.offset, row.bytes, &made, &error);
  Buffer buffer(made);
  close(file);
  if (!usesHostMemory(bench, code))
    GTEST_SKIP() << error.message;
  EXPECT_EQ(bench.usedBytes(), 0u);
  bench.expectBytes(
      buffer, 0,
      std::vector<uint8_t>(data.begin() + row.offset, data.begin() + row.offset + row.bytes));
  TwrtPoint point = {};
  EXPECT_FAILS(
      twrtBufferWrite(bench.queue.get(), buffer.get(), 0, {data.data(), 0}, &point, &error),
      TWRT_INVALID_ARGUMENT, "the buffer is mapped from a file for reading");
}
