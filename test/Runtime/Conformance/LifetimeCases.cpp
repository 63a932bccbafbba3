// Lifetimes: releases in any order and with work in flight, several calls, programs and instances.
#include "Device.h"
#include "Modules.h"
#include "Suite.h"

#include <thread>

using namespace tw::test;

static std::vector<float> affine(std::vector<float> x) {
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 3 * (x[i] + float(i % 16));
  return x;
}

struct OrderRow {
  const char *name;
  /// What goes before the call runs: i instance, d device, m module, p program, b argument's
  /// buffer.
  const char *released;
};
static constexpr OrderRow orders[] = {
    {"Nothing", ""},
    {"Instance", "i"},
    {"Device", "d"},
    {"Module", "m"},
    {"Program", "p"},
    {"Buffer", "b"},
    {"InstanceFirst", "idmpb"},
    {"BufferFirst", "bpmdi"},
    {"ProgramThenDevice", "pd"},
};

ROWS(ReleasedBeforeTheCallRuns, orders) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  for (const char *what = row.released; *what; ++what) {
    if (*what == 'i')
      bench.instance.reset();
    if (*what == 'd')
      bench.device.reset();
    if (*what == 'm')
      module.reset();
    if (*what == 'p')
      program.reset();
    if (*what == 'b')
      x.reset();
  }
  ASSERT_OK(bench.run(call));
  bench.expectResult(call, affine(ramp(64)));
}

CASE(ResultsOutliveTheCall) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  ASSERT_OK(bench.run(call));
  TwrtTensor tensor = {};
  tensor.size = sizeof(tensor);
  int64_t dims[1];
  ASSERT_OK(twrtCallGetResult(call.get(), 0, &tensor, dims, 1, &error));
  twrtBufferRetain(tensor.buffer);
  Buffer result(tensor.buffer);
  call.reset();
  program.reset();
  std::vector<float> expected = affine(ramp(64));
  std::vector<uint8_t> bytes(256);
  memcpy(bytes.data(), expected.data(), 256);
  bench.expectBytes(result, tensor.offset, bytes);
}

CASE(CallsReleasedInFlight) {
  Module module = bench.suite();
  Program program = bench.program(module, "chain");
  Buffer x = bench.filled(ramp(64));
  TwrtPoint point = {};
  for (int i = 0; i < 20; ++i) {
    Call call = bench.makeCall(program);
    ASSERT_OK(bench.setFloats(call, 0, x, 64));
    ASSERT_OK(twrtCallSubmit(call.get(), bench.queue.get(), nullptr, 0, &point, &error));
  }
  bench.wait(point);
}

CASE(CallsWithoutAnArenaReleasedInFlight) {
  Module module = bench.suite();
  Program program = bench.program(module, "twice");
  Buffer x = bench.filled(ramp(64, 1));
  TwrtPoint point = {};
  for (int i = 0; i < 3; ++i) {
    Call call = bench.makeCall(program);
    ASSERT_OK(bench.setFloats(call, 0, x, 64));
    ASSERT_OK(twrtCallSubmit(call.get(), bench.queue.get(), nullptr, 0, &point, &error));
  }
  bench.wait(point);
  std::vector<float> expected = ramp(64, 1);
  for (float &value : expected)
    value *= 27;
  std::vector<uint8_t> bytes(256);
  memcpy(bytes.data(), expected.data(), 256);
  bench.expectBytes(x, 0, bytes);
}

CASE(EverythingReleasedInFlight) {
  Module module = bench.suite();
  Program program = bench.program(module, "chain");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  TwrtPoint point = {};
  ASSERT_OK(twrtCallSubmit(call.get(), bench.queue.get(), nullptr, 0, &point, &error));
  bench.instance.reset();
  module.reset();
  program.reset();
  x.reset();
  call.reset();
}

CASE(QueuesReleasedBeforeTheirCalls) {
  Module module = bench.suite();
  Program program = bench.program(module, "affine");
  Call call = bench.makeCall(program);
  Buffer x = bench.filled(ramp(64));
  ASSERT_OK(bench.setFloats(call, 0, x, 64));
  // The call keeps the queue, so its point can be waited for.
  TwrtPoint point = {};
  {
    Queue second = bench.makeQueue();
    ASSERT_OK(twrtCallSubmit(call.get(), second.get(), nullptr, 0, &point, &error));
  }
  bench.wait(point);
  bench.expectResult(call, affine(ramp(64)));
  size_t count = 0;
  ASSERT_OK(twrtCallProfile(call.get(), nullptr, &count, &error));
  EXPECT_EQ(count, 2u);
}

CASE(PreparedAgainInFlight) {
  Module module = bench.suite();
  Program program = bench.program(module, "moves");
  Call call = bench.makeCall(program);
  Buffer small = bench.filled(ramp(64)), large = bench.filled(ramp(4096));
  for (int i = 0; i < 5; ++i) {
    ASSERT_OK(bench.setFloats(call, 0, small, 64));
    ASSERT_OK(twrtCallSubmit(call.get(), bench.queue.get(), nullptr, 0, nullptr, &error));
    ASSERT_OK(bench.setFloats(call, 0, large, 4096));
    ASSERT_OK(twrtCallSubmit(call.get(), bench.queue.get(), nullptr, 0, nullptr, &error));
  }
  std::vector<float> expected = ramp(4096);
  std::fill(expected.end() - 1024, expected.end(), 7.0f);
  bench.expectResult(call, expected);
}

CASE(ArenasAreNotShared) {
  Module module = bench.suite();
  Program program = bench.program(module, "chain");
  std::vector<Call> calls;
  std::vector<Buffer> inputs;
  std::vector<Queue> queues;
  std::vector<TwrtPoint> points(6);
  for (size_t i = 0; i < 6; ++i) {
    calls.push_back(bench.makeCall(program));
    inputs.push_back(bench.filled(ramp(64, float(1000 * i))));
    queues.push_back(bench.makeQueue());
    ASSERT_OK(bench.setFloats(calls[i], 0, inputs[i], 64));
    ASSERT_OK(twrtCallPrepare(calls[i].get(), nullptr, &error));
  }
  for (size_t i = 0; i < 6; ++i)
    ASSERT_OK(twrtCallSubmit(calls[i].get(), queues[i].get(), nullptr, 0, &points[i], &error));
  for (size_t i = 0; i < 6; ++i) {
    bench.wait(points[i]);
    std::vector<float> expected = ramp(64, float(1000 * i));
    for (size_t j = 0; j < 64; ++j)
      expected[j] += 100 * float(j % 16);
    bench.expectResult(calls[i], expected);
  }
}

CASE(SeveralProgramsAtOnce) {
  Module module = bench.suite();
  Program first = bench.program(module, "affine"), second = bench.program(module, "reverse"),
          third = bench.program(module, "affine");
  Call a = bench.makeCall(first), b = bench.makeCall(second), c = bench.makeCall(third);
  Buffer x = bench.filled(ramp(64));
  for (const Call *call : {&a, &b, &c})
    ASSERT_OK(bench.setFloats(*call, 0, x, 64));
  TwrtPoint points[3] = {};
  ASSERT_OK(twrtCallSubmit(a.get(), bench.queue.get(), nullptr, 0, &points[0], &error));
  ASSERT_OK(twrtCallSubmit(b.get(), bench.queue.get(), nullptr, 0, &points[1], &error));
  ASSERT_OK(twrtCallSubmit(c.get(), bench.queue.get(), nullptr, 0, &points[2], &error));
  bench.wait(points[2]);
  first.reset();
  bench.expectResult(a, affine(ramp(64)));
  bench.expectResult(c, affine(ramp(64)));
  std::vector<float> reversed(64);
  for (size_t i = 0; i < 64; ++i)
    reversed[i] = float(i / 16 * 16 + 15 - i % 16);
  bench.expectResult(b, reversed);
}

CASE(ProgramsMadeAgainAndAgain) {
  Module module = bench.suite();
  for (int i = 0; i < 10; ++i) {
    Program program = bench.program(module, "affine");
    ASSERT_TRUE(program) << error.message;
  }
  EXPECT_EQ(bench.usedBytes(), 0u);
}

CASE(DevicesOpenedTwiceAreShared) {
  TwrtDevice *again = nullptr;
  ASSERT_OK(twrtInstanceOpenDevice(bench.instance.get(), bench.target.uri, &again, &error));
  EXPECT_EQ(again, bench.device.get());
  Device shared(again);
  bench.device.reset();
  Buffer buffer;
  TwrtBuffer *made = nullptr;
  ASSERT_OK(twrtBufferCreate(again, 100, 0, &made, &error));
  buffer.reset(made);
  bench.write(buffer, 0, pattern(100));
  bench.expectBytes(buffer, 0, pattern(100));
}

CASE(DevicesOpenedAgainAfterClosing) {
  bench.queue.reset();
  bench.device.reset();
  for (int i = 0; i < 3; ++i) {
    TwrtDevice *opened = nullptr;
    ASSERT_OK(twrtInstanceOpenDevice(bench.instance.get(), bench.target.uri, &opened, &error));
    Device device(opened);
    TwrtBuffer *made = nullptr;
    ASSERT_OK(twrtBufferCreate(opened, 100, 0, &made, &error));
    Buffer buffer(made);
  }
}

CASE(InstancesAreIndependent) {
  Bench other(bench.target);
  Buffer here = bench.buffer(100), there = other.buffer(200);
  EXPECT_EQ(bench.usedBytes(), 100u);
  EXPECT_EQ(other.usedBytes(), 200u);
  EXPECT_FAILS(twrtBufferCopy(bench.queue.get(), here.get(), 0, there.get(), 0, 1, nullptr, &error),
               TWRT_INVALID_ARGUMENT, "the buffer is of device");
  other.write(there, 0, pattern(200));
  bench.write(here, 0, pattern(100));
  other.expectBytes(there, 0, pattern(200));
  bench.expectBytes(here, 0, pattern(100));
}

CASE(DescribesItself) {
  TwrtString text = twrtDeviceDescription(bench.device.get());
  std::string description(text.data, text.size);
  EXPECT_NE(description.find(std::string("\"uri\":\"") + bench.target.uri + "\""),
            std::string::npos)
      << description;
  EXPECT_NE(description.find(std::string("\"target\":\"") + bench.target.runs() + "\""),
            std::string::npos)
      << description;
  EXPECT_NE(description.find("\"name\":\""), std::string::npos) << description;
  EXPECT_EQ(description.back(), '}');
}

CASE(DriverIsUsable) {
  size_t drivers = twrtInstanceDriverCount(bench.instance.get());
  std::string driver(bench.target.uri);
  driver = driver.substr(0, driver.find(':'));
  bool found = false;
  for (size_t i = 0; i < drivers; ++i) {
    TwrtString name = {};
    TwrtCode code = twrtInstanceDriverStatus(bench.instance.get(), i, &name, &error);
    if (std::string(name.data, name.size) != driver)
      continue;
    found = true;
    EXPECT_OK(code);
  }
  EXPECT_TRUE(found);
  bool listed = false;
  for (size_t i = 0; i < twrtInstanceDeviceCount(bench.instance.get()); ++i) {
    TwrtString uri = twrtInstanceDeviceUri(bench.instance.get(), i);
    listed |= std::string(uri.data, uri.size) == bench.target.uri;
  }
  EXPECT_TRUE(listed);
}

CASE(LimitsAreSane) {
  const tw::runtime::DeviceInfo &info = bench.device->info;
  EXPECT_GE(info.totalBytes, 16u << 20);
  EXPECT_GE(info.maxSlabBytes, 16u << 20);
  EXPECT_GE(info.offsetAlignment, 1u);
  EXPECT_EQ(info.offsetAlignment & (info.offsetAlignment - 1), 0u);
  EXPECT_GE(info.maxGroup, 128u);
  EXPECT_GE(info.localBytes, 16384u);
  EXPECT_EQ(info.maxBindings, 16u);
  EXPECT_GE(info.maxGridX, 65535u);
}

CASE(ThreadsRunTheirOwnCalls) {
  Module module = bench.suite();
  Program program = bench.program(module, "chain");
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  bool computes = bench.target.computes;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Error own;
      TwrtQueue *queue = nullptr;
      TwrtCall *call = nullptr;
      TwrtBuffer *input = nullptr;
      wrong += twrtQueueCreate(bench.device.get(), &queue, &own) != TWRT_OK;
      wrong += twrtCallCreate(program.get(), &call, &own) != TWRT_OK;
      wrong += twrtBufferCreate(bench.device.get(), 256, 0, &input, &own) != TWRT_OK;
      if (wrong == 0) {
        int64_t dims[] = {64};
        TwrtTensor tensor = {sizeof(tensor), TWRT_F32, 1, 0, input, 0, dims, nullptr};
        wrong += twrtCallSetArgument(call, 0, &tensor, &own) != TWRT_OK;
        for (int round = 0; round < 8; ++round) {
          std::vector<float> x = ramp(64, float(t * 100 + round)), y(64);
          TwrtPoint point = {};
          wrong += twrtBufferWrite(queue, input, 0, {x.data(), 256}, &point, &own) != TWRT_OK;
          wrong += twrtCallSubmit(call, queue, nullptr, 0, &point, &own) != TWRT_OK;
          wrong += twrtPointWait(point, UINT64_MAX, &own) != TWRT_OK;
          int64_t shape[1];
          TwrtTensor result = {};
          result.size = sizeof(result);
          wrong += twrtCallGetResult(call, 0, &result, shape, 1, &own) != TWRT_OK;
          wrong += twrtBufferRead(queue, result.buffer, result.offset, y.data(), 256, &point,
                                  &own) != TWRT_OK;
          wrong += twrtPointWait(point, UINT64_MAX, &own) != TWRT_OK;
          for (size_t i = 0; i < 64; ++i)
            wrong += y[i] != (computes ? x[i] + 100 * float(i % 16) : 0);
        }
      }
      twrtCallRelease(call);
      twrtBufferRelease(input);
      twrtQueueRelease(queue);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

CASE(ThreadsAllocateAndRelease) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Error own;
      std::vector<TwrtBuffer *> held;
      for (int i = 0; i < 100; ++i) {
        TwrtBuffer *made = nullptr;
        wrong += twrtBufferCreate(bench.device.get(), uint64_t(1 + i * 37 + t), 0, &made, &own) !=
                 TWRT_OK;
        held.push_back(made);
        if (held.size() > 8) {
          twrtBufferRelease(held.front());
          held.erase(held.begin());
        }
      }
      for (TwrtBuffer *buffer : held)
        twrtBufferRelease(buffer);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(bench.usedBytes(), 0u);
}

CASE(ThreadsMakePrograms) {
  Module module = bench.suite();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Error own;
      TwrtDevice *devices[] = {bench.device.get()};
      for (int i = 0; i < 3; ++i) {
        TwrtProgram *program = nullptr;
        wrong += twrtProgramCreate(module.get(), "affine", devices, 1, &program, &own) != TWRT_OK;
        twrtProgramRelease(program);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}
