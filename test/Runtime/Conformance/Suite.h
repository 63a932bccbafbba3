// The conformance suite of drivers: one list of cases, run on every driver.
//
// A case is written once with CASE or ROWS and runs on each target as the test
// `<target>.<case>`. Where a driver does a thing in another way (the null driver computes nothing),
// the case says what it does instead; where a device lacks it (using host memory in place), the
// refusal is checked and the case is skipped with it. After each case everything must have been
// released: no bytes in use, nothing alive in the driver, no word from Vulkan's validation layer.
#pragma once

#include "../Harness.h"
#include "Driver/Control.h"

#include <cstring>
#include <functional>

namespace tw::test {

/// A driver under test.
struct Target {
  const char *name;
  /// The device most cases use, and one more of the same driver where there is one, else NULL.
  const char *uri, *other;
  /// False: launches, copies and fills have no effect, and all reads give zeros.
  bool computes;
  /// Can host memory and files be used in place? Some devices do where it is aligned.
  enum Use { Never, Sometimes, Always } hostMemory;
  /// A fake stands for the vendor's library.
  const emulator::Control *fake;
  /// The vendor's library is the real one, which a machine may lack.
  bool real = false;
  /// The target whose programs run there, where it is not called like the driver.
  const char *programs = nullptr;
  /// Calls are captured.
  bool captures = false;

  const char *runs() const { return programs ? programs : name; }
};

/// What a case works with: an instance, a device and a queue, and short ways to make more.
struct Bench : Machine {
  const Target &target;

  explicit Bench(const Target &target, uint32_t threads = 2)
      : Machine(target.uri, threads), target(target) {}

  Call makeCall(const Program &program) {
    Call call = Machine::makeCall(program);
    if (call && target.captures)
      EXPECT_OK(twrtCallSetCaptured(call.get(), 1, &error));
    return call;
  }
  /// NULL, with `error` filled, on failure.
  Buffer tryBuffer(uint64_t bytes) {
    TwrtBuffer *made = nullptr;
    twrtBufferCreate(device.get(), bytes, 0, &made, &error);
    return Buffer(made);
  }
  Buffer buffer(uint64_t bytes);
  Queue makeQueue();
  TwrtPoint write(const Queue &on, const Buffer &to, uint64_t offset,
                  const std::vector<uint8_t> &data);
  void write(const Buffer &to, uint64_t offset, const std::vector<uint8_t> &data) {
    wait(write(queue, to, offset, data));
  }
  TwrtPoint copy(const Queue &on, const Buffer &to, uint64_t toOffset, const Buffer &from,
                 uint64_t fromOffset, uint64_t bytes);
  void wait(TwrtPoint point) { EXPECT_OK(twrtPointWait(point, UINT64_MAX, &error)); }
  std::vector<uint8_t> read(const Queue &on, const Buffer &from, uint64_t offset, uint64_t bytes);
  /// Reads and compares: with `expected`, or with zeros where nothing is computed.
  void expectBytes(const Buffer &from, uint64_t offset, std::vector<uint8_t> expected);

  template <typename T> Buffer filled(const std::vector<T> &values) {
    Buffer made = buffer(values.size() * sizeof(T));
    const uint8_t *begin = reinterpret_cast<const uint8_t *>(values.data());
    write(made, 0, std::vector<uint8_t>(begin, begin + values.size() * sizeof(T)));
    return made;
  }
  /// The values that a result must have on this target.
  template <typename T> void expectResult(const Call &call, std::vector<T> expected) {
    if (!target.computes)
      expected.assign(expected.size(), T());
    EXPECT_EQ(readResult<T>(call), expected);
  }
  template <typename T> std::vector<T> readResult(const Call &call, size_t index = 0) {
    TwrtTensor tensor = {};
    tensor.size = sizeof(tensor);
    int64_t dims[8];
    EXPECT_OK(twrtCallGetResult(call.get(), index, &tensor, dims, 8, &error));
    size_t count = 1;
    for (uint32_t i = 0; i < tensor.rank; ++i)
      count *= size_t(dims[i]);
    std::vector<T> values(count);
    TwrtPoint point = {};
    EXPECT_OK(twrtBufferRead(queue.get(), tensor.buffer, tensor.offset, values.data(),
                             count * sizeof(T), &point, &error));
    wait(point);
    return values;
  }
  /// The suite's module (Modules.h), and one of its functions as a program.
  Module suite();
  Program program(const Module &module, const char *function);
  TwrtCode tryProgram(const Module &module, const char *function, Program &program);
  TwrtCode setFloats(const Call &call, size_t index, const Buffer &buffer, int64_t count,
                     uint64_t offset = 0);
  uint64_t usedBytes();
};

std::vector<uint8_t> pattern(size_t bytes, uint32_t seed = 1);
/// first, first + 1 ...
std::vector<float> ramp(size_t count, float first = 0);

/// EXPECTs that a call failed with this code, and that its message contains `text`.
#define EXPECT_FAILS(expression, expectedCode, text)                                               \
  do {                                                                                             \
    EXPECT_EQ(expression, expectedCode);                                                           \
    EXPECT_NE(strstr(error.message, text), nullptr) << error.message;                              \
  } while (false)

/// Registers a case; the object is never used again.
struct Registration {
  Registration(const char *name, std::function<void(Bench &)> body);
};

#define CASE(name)                                                                                 \
  static void name(Bench &bench, Error &error);                                                    \
  static const Registration name##Registration(#name,                                              \
                                               [](Bench &bench) { name(bench, bench.error); });    \
  static void name([[maybe_unused]] Bench &bench, [[maybe_unused]] Error &error)

/// One case for each row of `table`, whose rows have a `name`.
#define ROWS(case, table)                                                                          \
  static void case (Bench & bench, Error & error,                                                  \
                    const std::remove_reference_t<decltype(table[0])> &row);                       \
  static const bool case##Registered = [] {                                                        \
    for (const auto &row : table)                                                                  \
      Registration((std::string(#case) + "_" + row.name).c_str(),                                  \
                   [&row](Bench &bench) { case(bench, bench.error, row); });                       \
    return true;                                                                                   \
  }();                                                                                             \
  static void case([[maybe_unused]] Bench &bench, [[maybe_unused]] Error &error,                   \
                   const std::remove_reference_t<decltype(table[0])> &row)

/// The targets of this build; sanitised builds have those whose libraries are ours.
const std::vector<Target> &allTargets();

} // namespace tw::test
