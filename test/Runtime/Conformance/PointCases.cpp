// Queues and points: waiting, time-outs, order across queues and devices.
#include "Suite.h"

#include <thread>

using namespace tw::test;

CASE(NoPointIsReached) {
  EXPECT_OK(twrtPointWait({nullptr, 0}, 0, &error));
  EXPECT_EQ(twrtPointReached({nullptr, 7}), 1);
}

CASE(PointsGrowAlongAQueue) {
  Buffer buffer = bench.buffer(16);
  std::vector<uint8_t> data = pattern(16);
  uint64_t before = 0;
  for (int i = 0; i < 10; ++i) {
    TwrtPoint point = bench.write(bench.queue, buffer, 0, data);
    EXPECT_EQ(point.queue, bench.queue.get());
    EXPECT_GT(point.value, before);
    before = point.value;
  }
  bench.wait({bench.queue.get(), before});
}

CASE(WaitedPointsAreReached) {
  Buffer buffer = bench.buffer(1 << 20);
  std::vector<uint8_t> data = pattern(1 << 20);
  TwrtPoint first = bench.write(bench.queue, buffer, 0, data);
  TwrtPoint second = bench.copy(bench.queue, buffer, 0, buffer, 500000, 500000);
  bench.wait(second);
  EXPECT_EQ(twrtPointReached(second), 1);
  EXPECT_EQ(twrtPointReached(first), 1);
  bench.wait(first);
  bench.wait(second);
}

struct TimeoutRow {
  const char *name;
  uint64_t ns;
};
static constexpr TimeoutRow timeouts[] = {{"0", 0},
                                          {"1ns", 1},
                                          {"1ms", 1000000},
                                          {"20s", 20000000000u},
                                          {"NearlyForEver", UINT64_MAX - 1}};

ROWS(WaitsWithTimeouts, timeouts) {
  Buffer buffer = bench.buffer(1 << 20);
  std::vector<uint8_t> data = pattern(1 << 20);
  TwrtPoint point = bench.write(bench.queue, buffer, 0, data);
  // Short waits may end before the work does; the work goes on.
  TwrtCode code = twrtPointWait(point, row.ns, &error);
  if (row.ns > 1000000000u)
    EXPECT_OK(code);
  else
    EXPECT_TRUE(code == TWRT_OK || code == TWRT_TIMEOUT) << error.message;
  if (code == TWRT_TIMEOUT)
    EXPECT_NE(*error.message, 0);
  bench.wait(point);
  bench.expectBytes(buffer, 0, data);
}

CASE(PollingEndsAtLast) {
  Buffer buffer = bench.buffer(1 << 20);
  std::vector<uint8_t> data = pattern(1 << 20);
  TwrtPoint point = bench.write(bench.queue, buffer, 0, data);
  while (!twrtPointReached(point))
    std::this_thread::yield();
  bench.expectBytes(buffer, 0, data);
}

CASE(ManyPointsInFlight) {
  Buffer buffer = bench.buffer(1000);
  std::vector<uint8_t> data = pattern(1000);
  std::vector<TwrtPoint> points;
  for (uint64_t i = 0; i < 1000; ++i) {
    TwrtPoint point = {};
    ASSERT_OK(twrtBufferWrite(bench.queue.get(), buffer.get(), i, {&data[i], 1}, &point, &error));
    points.push_back(point);
  }
  bench.wait(points[3]);
  EXPECT_EQ(twrtPointReached(points[0]), 1);
  bench.wait(points[999]);
  for (TwrtPoint point : points)
    EXPECT_EQ(twrtPointReached(point), 1);
  bench.expectBytes(buffer, 0, data);
}

CASE(QueuesWaitForQueues) {
  Queue second = bench.makeQueue();
  Buffer a = bench.buffer(2 << 20), b = bench.buffer(2 << 20);
  std::vector<uint8_t> data = pattern(2 << 20);
  for (int round = 0; round < 5; ++round) {
    data = pattern(2 << 20, uint32_t(round));
    TwrtPoint written = bench.write(bench.queue, a, 0, data);
    ASSERT_OK(twrtQueueWait(second.get(), &written, 1, &error));
    TwrtPoint copied = bench.copy(second, b, 0, a, 0, 2 << 20);
    ASSERT_OK(twrtQueueWait(bench.queue.get(), &copied, 1, &error));
    bench.expectBytes(b, 0, data);
  }
}

CASE(QueuesWaitForManyPoints) {
  std::vector<Queue> queues;
  std::vector<TwrtPoint> points;
  std::vector<std::vector<uint8_t>> data;
  Buffer all = bench.buffer(8000);
  for (uint32_t i = 0; i < 8; ++i) {
    queues.push_back(bench.makeQueue());
    data.push_back(pattern(1000, i));
    points.push_back(bench.write(queues[i], all, 1000 * i, data[i]));
  }
  points.push_back({nullptr, 0});
  Buffer copy = bench.buffer(8000);
  ASSERT_OK(twrtQueueWait(bench.queue.get(), points.data(), points.size(), &error));
  bench.wait(bench.copy(bench.queue, copy, 0, all, 0, 8000));
  for (uint32_t i = 0; i < 8; ++i)
    bench.expectBytes(copy, 1000 * i, data[i]);
}

CASE(QueuesWaitForThemselves) {
  Buffer buffer = bench.buffer(100);
  std::vector<uint8_t> data = pattern(100);
  TwrtPoint point = bench.write(bench.queue, buffer, 0, data);
  ASSERT_OK(twrtQueueWait(bench.queue.get(), &point, 1, &error));
  bench.expectBytes(buffer, 0, data);
}

CASE(QueuesWaitForNothing) {
  EXPECT_OK(twrtQueueWait(bench.queue.get(), nullptr, 0, &error));
  EXPECT_FAILS(twrtQueueWait(bench.queue.get(), nullptr, 1, &error), TWRT_INVALID_ARGUMENT,
               "points is NULL");
  EXPECT_FAILS(twrtQueueWait(nullptr, nullptr, 0, &error), TWRT_INVALID_ARGUMENT, "queue is NULL");
}

CASE(QueuesWaitForOtherDevices) {
  Bench host(allTargets()[1]);
  Buffer there = host.buffer(1000), here = bench.buffer(1000);
  std::vector<uint8_t> data = pattern(1000);
  TwrtPoint point = host.write(host.queue, there, 0, data);
  ASSERT_OK(twrtQueueWait(bench.queue.get(), &point, 1, &error));
  bench.write(here, 0, data);
  bench.expectBytes(here, 0, data);
}

CASE(AnyThreadWaits) {
  Buffer buffer = bench.buffer(1 << 20);
  std::vector<uint8_t> data = pattern(1 << 20);
  TwrtPoint point = bench.write(bench.queue, buffer, 0, data);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      Error own;
      EXPECT_EQ(twrtPointWait(point, i % 2 ? UINT64_MAX : 20000000000u, &own), TWRT_OK)
          << own.message;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(twrtPointReached(point), 1);
}

CASE(QueueReleasedWithWorkPending) {
  Buffer buffer = bench.buffer(4 << 20);
  std::vector<uint8_t> data = pattern(4 << 20);
  {
    Queue second = bench.makeQueue();
    bench.write(second, buffer, 0, data);
    bench.copy(second, buffer, 0, buffer, 1, 1000);
  }
  std::copy_n(data.begin() + 1, 1000, data.begin());
  bench.expectBytes(buffer, 0, data);
}

CASE(BufferReleasedWithWorkPending) {
  Buffer kept = bench.buffer(4 << 20);
  std::vector<uint8_t> data = pattern(4 << 20);
  {
    Buffer gone = bench.buffer(4 << 20);
    bench.write(bench.queue, gone, 0, data);
    bench.copy(bench.queue, kept, 0, gone, 0, 4 << 20);
  }
  Buffer other = bench.buffer(4 << 20);
  bench.write(other, 0, pattern(4 << 20, 2));
  bench.expectBytes(kept, 0, data);
}

CASE(ManyQueues) {
  std::vector<Queue> queues;
  for (int i = 0; i < 32; ++i)
    queues.push_back(bench.makeQueue());
  Buffer buffer = bench.buffer(32);
  std::vector<uint8_t> data = pattern(32);
  for (size_t i = 0; i < 32; ++i)
    bench.wait(bench.write(queues[i], buffer, i, {data[i]}));
  bench.expectBytes(buffer, 0, data);
}

CASE(QueueOutlivesDeviceHandle) {
  Queue second = bench.makeQueue();
  Buffer buffer = bench.buffer(100);
  bench.device.reset();
  bench.instance.reset();
  std::vector<uint8_t> data = pattern(100);
  bench.wait(bench.write(second, buffer, 0, data));
  bench.expectBytes(buffer, 0, data);
}
