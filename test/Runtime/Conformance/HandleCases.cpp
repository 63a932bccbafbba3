// Handles of the devices' own libraries, and calls that are cancelled.
#include "Suite.h"

#include <unistd.h>

using namespace tw::test;

static TwrtHandle handle() {
  TwrtHandle made = {};
  made.size = sizeof(made);
  return made;
}

/// What a buffer is known by makes another one around the same memory.
CASE(BuffersComeBackFromTheirHandles) {
  Buffer buffer = bench.buffer(1000);
  TwrtHandle found = handle();
  if (TwrtCode code = twrtBufferHandle(buffer.get(), &found, &error); code == TWRT_UNSUPPORTED)
    GTEST_SKIP() << error.message;
  else
    ASSERT_OK(code);
  EXPECT_NE(found.value, 0u);
  bool isGone = false;
  TwrtBuffer *made = nullptr;
  TwrtCode code = twrtBufferImportHandle(
      bench.device.get(), &found, 1000, [](void *gone) { *static_cast<bool *>(gone) = true; },
      &isGone, &made, &error);
  if (code == TWRT_UNSUPPORTED)
    GTEST_SKIP() << error.message;
  ASSERT_OK(code);
  Buffer same(made);
  EXPECT_EQ(twrtBufferBytes(same.get()), 1000u);
  std::vector<uint8_t> data = pattern(1000);
  bench.write(same, 0, data);
  bench.expectBytes(buffer, 0, data);
  same.reset();
  EXPECT_TRUE(isGone);
  bench.expectBytes(buffer, 0, data);
}

/// Calls take memory that was imported.
CASE(CallsTakeImportedMemory) {
  Buffer buffer = bench.filled(ramp(64));
  TwrtHandle found = handle();
  TwrtBuffer *made = nullptr;
  if (twrtBufferHandle(buffer.get(), &found, &error) != TWRT_OK ||
      twrtBufferImportHandle(bench.device.get(), &found, 256, nullptr, nullptr, &made, &error) !=
          TWRT_OK)
    GTEST_SKIP() << error.message;
  Buffer same(made);
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  ASSERT_OK(bench.setFloats(call, 0, same, 64));
  ASSERT_OK(bench.run(call));
  std::vector<float> expected = ramp(64);
  for (size_t i = 0; i < 64; ++i)
    expected[i] = 3 * (expected[i] + float(i % 16));
  bench.expectResult(call, expected);
}

CASE(QueuesComeBackFromTheirHandles) {
  TwrtHandle found = handle();
  if (twrtQueueHandle(bench.queue.get(), &found, &error) != TWRT_OK)
    GTEST_SKIP() << error.message;
  TwrtQueue *made = nullptr;
  TwrtCode code = twrtQueueImportHandle(bench.device.get(), &found, &made, &error);
  if (code == TWRT_UNSUPPORTED)
    GTEST_SKIP() << error.message;
  ASSERT_OK(code);
  Buffer buffer = bench.buffer(100000);
  std::vector<uint8_t> data = pattern(100000);
  {
    Queue same(made);
    // One stream, one order.
    bench.write(same, buffer, 0, data);
    bench.copy(bench.queue, buffer, 0, buffer, 50000, 50000);
    bench.wait(bench.copy(same, buffer, 50000, buffer, 0, 50000));
  }
  std::copy_n(data.begin() + 50000, 50000, data.begin());
  bench.expectBytes(buffer, 0, data);
}

CASE(DevicesHaveAHandleOrSayThatTheyHaveNone) {
  TwrtHandle found = handle();
  TwrtCode code = twrtDeviceHandle(bench.device.get(), &found, &error);
  if (code == TWRT_UNSUPPORTED)
    EXPECT_FAILS(code, TWRT_UNSUPPORTED, "has no handle");
  else
    EXPECT_OK(code);
}

CASE(HandlesOfOthersAreRefused) {
  Buffer buffer = bench.buffer(64);
  TwrtHandle found = handle();
  if (twrtBufferHandle(buffer.get(), &found, &error) != TWRT_OK)
    GTEST_SKIP() << error.message;
  TwrtBuffer *made = nullptr;
  auto import = [&](TwrtHandle given) {
    return twrtBufferImportHandle(bench.device.get(), &given, 64, nullptr, nullptr, &made, &error);
  };
  TwrtHandle other = found;
  other.kind = TwrtHandleKind(found.kind + 1);
  if (import(other) == TWRT_UNSUPPORTED)
    GTEST_SKIP() << error.message;
  EXPECT_FAILS(import(other), TWRT_INVALID_ARGUMENT, "the handle is of kind");
  other = found;
  other.value = 0;
  EXPECT_FAILS(import(other), TWRT_INVALID_ARGUMENT, "is 0");
  other = found;
  other.size = 3;
  EXPECT_FAILS(import(other), TWRT_INVALID_ARGUMENT, "TwrtHandle has size 3");
  EXPECT_FAILS(twrtBufferHandle(buffer.get(), nullptr, &error), TWRT_INVALID_ARGUMENT,
               "handle is NULL");
  EXPECT_EQ(made, nullptr);
}

CASE(CancelledCallsDoNotBegin) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  ASSERT_OK(twrtCallSetCancelled(call.get(), 1, &error));
  EXPECT_FAILS(bench.run(call), TWRT_CANCELLED, "the call was cancelled before launch 0");
  ASSERT_OK(twrtCallSetCancelled(call.get(), 0, &error));
  ASSERT_OK(bench.run(call));
}

/// Memory that is shared is opened by a descriptor, here in the same process.
CASE(SharesMemoryByFiles) {
  TwrtBuffer *made = nullptr;
  TwrtCode code = twrtBufferCreate(bench.device.get(), 1000, TWRT_BUFFER_SHARED, &made, &error);
  if (code != TWRT_OK) {
    EXPECT_FAILS(code, TWRT_UNSUPPORTED, "memory");
    GTEST_SKIP() << error.message;
  }
  Buffer buffer(made);
  TwrtHandle file = handle();
  ASSERT_OK(twrtBufferExport(buffer.get(), &file, &error));
  EXPECT_EQ(file.kind, TWRT_HANDLE_FILE);
  bool isGone = false;
  ASSERT_OK(twrtBufferImportHandle(
      bench.device.get(), &file, 1000, [](void *gone) { *static_cast<bool *>(gone) = true; },
      &isGone, &made, &error));
  Buffer same(made);
  // The descriptor is the caller's still.
  EXPECT_EQ(close(int(file.value)), 0);
  std::vector<uint8_t> data = pattern(1000);
  bench.write(same, 0, data);
  bench.expectBytes(buffer, 0, data);
  bench.write(buffer, 100, {1, 2, 3});
  std::copy_n(std::vector<uint8_t>{1, 2, 3}.begin(), 3, data.begin() + 100);
  buffer.reset();
  bench.expectBytes(same, 0, data);
  same.reset();
  EXPECT_TRUE(isGone);
}

CASE(RefusesFilesOfNoMemory) {
  Buffer buffer = bench.buffer(64);
  TwrtHandle file = handle();
  EXPECT_FAILS(twrtBufferExport(buffer.get(), &file, &error), TWRT_INVALID_ARGUMENT,
               "was not created to be shared");
  EXPECT_FAILS(twrtBufferExport(nullptr, &file, &error), TWRT_INVALID_ARGUMENT, "buffer is NULL");
  TwrtBuffer *made = nullptr;
  TwrtCode code = twrtBufferCreate(bench.device.get(), 64, TWRT_BUFFER_SHARED, &made, &error);
  Buffer shared(made);
  if (code != TWRT_OK)
    GTEST_SKIP() << error.message;
  file.kind = TWRT_HANDLE_FILE;
  file.value = 100000;
  EXPECT_FAILS(
      twrtBufferImportHandle(bench.device.get(), &file, 64, nullptr, nullptr, &made, &error),
      TWRT_INVALID_ARGUMENT, "expected an open file descriptor of memory");
}

/// Parts of buffers, where these have handles with offsets.
CASE(BuffersBeginWithinOthers) {
  Buffer buffer = bench.buffer(8192);
  TwrtHandle found = handle();
  TwrtBuffer *made = nullptr;
  if (twrtBufferHandle(buffer.get(), &found, &error) != TWRT_OK || found.kind == TWRT_HANDLE_HOST)
    GTEST_SKIP() << error.message;
  found.offset += 4096;
  TwrtCode code =
      twrtBufferImportHandle(bench.device.get(), &found, 256, nullptr, nullptr, &made, &error);
  if (code == TWRT_UNSUPPORTED)
    GTEST_SKIP() << error.message;
  ASSERT_OK(code);
  Buffer part(made);
  std::vector<uint8_t> data = pattern(8192);
  bench.write(buffer, 0, data);
  bench.expectBytes(part, 0, {data.begin() + 4096, data.begin() + 4352});
  bench.wait(bench.copy(bench.queue, part, 16, buffer, 0, 200));
  std::copy_n(data.begin(), 200, data.begin() + 4112);
  bench.expectBytes(buffer, 0, data);
  // Over itself.
  bench.wait(bench.copy(bench.queue, part, 0, buffer, 4100, 200));
  std::copy(data.begin() + 4100, data.begin() + 4300, data.begin() + 4096);
  bench.expectBytes(buffer, 0, data);
}
