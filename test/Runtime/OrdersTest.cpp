// Calls of the runtime's API in orders that nobody means, with objects of anything: each gives a
// code and says why, nothing is left when all is released.
#include "Harness.h"
#include "SampleModules.h"

#include <cstdio>
#include <random>

using namespace tw::test;

namespace {

/// Objects that are alive, and random calls on them.
class Orders {
public:
  explicit Orders(uint32_t seed) : random(seed) {}
  ~Orders() {
    // In an order of its own: objects keep what they were made from.
    while (!releases.empty())
      releaseOne();
  }

  void step() {
    using Step = void (Orders::*)();
    static constexpr Step steps[] = {
        &Orders::makeInstance, &Orders::makeDevice,  &Orders::makeQueue, &Orders::makeBuffer,
        &Orders::makeModule,   &Orders::makeProgram, &Orders::makeCall,  &Orders::setValue,
        &Orders::setValue,     &Orders::setControl,  &Orders::submit,    &Orders::submit,
        &Orders::transfer,     &Orders::transfer,    &Orders::ask,       &Orders::handles,
        &Orders::maybeRelease};
    (this->*steps[draw(std::size(steps))])();
  }

  size_t good = 0, submitted = 0;

private:
  struct Release {
    void (*function)(Orders &orders, void *object);
    void *object;
  };

  size_t draw(size_t count) { return count ? random() % count : 0; }
  bool happens(unsigned percent) { return draw(100) < percent; }
  template <typename T> T *pick(const std::vector<T *> &all) {
    return all.empty() || happens(4) ? nullptr : all[draw(all.size())];
  }
  uint64_t number() {
    static constexpr uint64_t numbers[] = {0, 1, 4, 64, 100, 256, 4096, UINT64_MAX, 1ull << 40};
    return numbers[draw(std::size(numbers))];
  }

  bool note(const char *call, TwrtCode code) {
    EXPECT_LE(unsigned(code), unsigned(TWRT_LIMIT)) << call;
    EXPECT_EQ(code == TWRT_OK, *error.message == 0) << call << ": " << error.message;
    error = Error();
    good += code == TWRT_OK;
    return code == TWRT_OK;
  }
  template <typename T, void (*release)(T *)>
  void keep(const char *call, TwrtCode code, T *made, std::vector<T *> &all) {
    EXPECT_EQ(code == TWRT_OK, made != nullptr) << call;
    if (!note(call, code))
      return;
    all.push_back(made);
    releases.push_back({[](Orders &orders, void *object) {
                          std::vector<T *> &all = orders.listOf(static_cast<T *>(nullptr));
                          std::erase(all, static_cast<T *>(object));
                          release(static_cast<T *>(object));
                        },
                        made});
  }
  std::vector<TwrtInstance *> &listOf(TwrtInstance *) { return instances; }
  std::vector<TwrtDevice *> &listOf(TwrtDevice *) { return devices; }
  std::vector<TwrtQueue *> &listOf(TwrtQueue *) { return queues; }
  std::vector<TwrtBuffer *> &listOf(TwrtBuffer *) { return buffers; }
  std::vector<TwrtModule *> &listOf(TwrtModule *) { return modules; }
  std::vector<TwrtProgram *> &listOf(TwrtProgram *) { return programs; }
  std::vector<TwrtCall *> &listOf(TwrtCall *) { return calls; }

  void releaseOne() {
    size_t i = draw(releases.size());
    Release release = releases[i];
    releases.erase(releases.begin() + ptrdiff_t(i));
    release.function(*this, release.object);
  }
  void maybeRelease() {
    if (releases.size() > 30)
      releaseOne();
  }

  void makeInstance() {
    if (instances.size() > 2)
      return;
    TwrtInstanceOptions options = {};
    options.size = happens(10) ? uint32_t(number()) : sizeof(options);
    options.hostThreads = uint32_t(draw(3)) + 1;
    TwrtInstance *made = nullptr;
    TwrtCode code = twrtInstanceCreate(&options, happens(5) ? 7 : TWRT_ABI, &made, &error);
    keep<TwrtInstance, twrtInstanceRelease>("create", code, made, instances);
  }
  void makeDevice() {
    static const char *const names[] = {"host", "host", "null", "nothing", "", "host:9", nullptr};
    TwrtDevice *made = nullptr;
    TwrtCode code =
        twrtInstanceOpenDevice(pick(instances), names[draw(std::size(names))], &made, &error);
    keep<TwrtDevice, twrtDeviceRelease>("open", code, made, devices);
  }
  void makeQueue() {
    TwrtQueue *made = nullptr;
    TwrtCode code = twrtQueueCreate(pick(devices), &made, &error);
    keep<TwrtQueue, twrtQueueRelease>("queue", code, made, queues);
  }
  void makeBuffer() {
    TwrtBuffer *made = nullptr;
    TwrtDevice *device = pick(devices);
    uint64_t bytes = happens(70) ? 256 : number();
    TwrtCode code = happens(70) ? twrtBufferCreate(device, bytes, happens(5), &made, &error)
                                : twrtBufferImport(device, happens(5) ? nullptr : memory,
                                                   sizeof(memory), nullptr, nullptr, &made, &error);
    keep<TwrtBuffer, twrtBufferRelease>("buffer", code, made, buffers);
  }
  void makeModule() {
    TwrtModuleOptions options = {};
    options.size = sizeof(options);
    options.flags = happens(90) ? uint32_t(TWRT_MODULE_ALLOW_NATIVE) : 0;
    TwrtBytes bytes = {affine.data(), happens(90) ? affine.size() : draw(affine.size())};
    TwrtModule *made = nullptr;
    TwrtCode code = twrtModuleFromMemory(pick(instances), bytes, &options, &made, &error);
    keep<TwrtModule, twrtModuleRelease>("module", code, made, modules);
  }
  void makeProgram() {
    TwrtDevice *device = pick(devices);
    TwrtProgram *made = nullptr;
    TwrtCode code = twrtProgramCreate(pick(modules), happens(10) ? "other" : nullptr, &device,
                                      happens(95), &made, &error);
    keep<TwrtProgram, twrtProgramRelease>("program", code, made, programs);
  }
  void makeCall() {
    TwrtCall *made = nullptr;
    TwrtCode code = twrtCallCreate(pick(programs), &made, &error);
    keep<TwrtCall, twrtCallRelease>("call", code, made, calls);
  }

  void setValue() {
    int64_t dims[] = {happens(90) ? 64 : int64_t(number())};
    TwrtTensor tensor = {sizeof(tensor), happens(90) ? uint32_t(TWRT_F32) : uint32_t(number()),
                         happens(95),    0,
                         pick(buffers),  happens(90) ? 0 : number(),
                         dims,           nullptr};
    TwrtCall *call = pick(calls);
    size_t index = happens(90) ? 0 : number();
    if (happens(60))
      note("argument", twrtCallSetArgument(call, index, &tensor, &error));
    else
      note("result", twrtCallSetResult(call, index, happens(30) ? nullptr : &tensor, &error));
  }
  void setControl() {
    TwrtCall *call = pick(calls);
    switch (draw(7)) {
    case 0:
      note("threads", twrtCallSetThreads(call, uint32_t(draw(4)), &error));
      break;
    case 1:
      note("limit", twrtCallSetTimeLimit(call, happens(20) ? 1 : 0, &error));
      break;
    case 2:
      note("cancelled", twrtCallSetCancelled(call, happens(20), &error));
      break;
    case 3:
      note("steps", twrtCallSetStepLimit(call, number(), &error));
      break;
    case 4:
      note("dims", twrtCallSetDims(call, draw(2), nullptr, uint32_t(draw(2)), &error));
      break;
    case 5:
      note("timed", twrtCallSetTimed(call, happens(50), &error));
      break;
    case 6:
      note("captured", twrtCallSetCaptured(call, happens(50), &error));
      break;
    }
  }
  void submit() {
    TwrtPoint point = {}, after = {pick(queues), happens(90) ? 0 : number()};
    if (!note("submit", twrtCallSubmit(pick(calls), pick(queues), &after,
                                       happens(10) && after.value == 0, &point, &error)))
      return;
    ++submitted;
    note("wait", twrtPointWait(point, UINT64_MAX, &error));
  }
  void transfer() {
    TwrtQueue *queue = pick(queues);
    TwrtBuffer *buffer = pick(buffers), *other = pick(buffers);
    uint64_t offset = happens(70) ? 0 : number(), bytes = happens(70) ? 64 : draw(300);
    uint8_t data[300] = {};
    switch (draw(3)) {
    case 0:
      note("write", twrtBufferWrite(queue, buffer, offset, {data, bytes}, nullptr, &error));
      break;
    case 1:
      note("read", twrtBufferRead(queue, buffer, offset, data, bytes, nullptr, &error));
      break;
    case 2:
      note("copy", twrtBufferCopy(queue, buffer, offset, other, number(), bytes, nullptr, &error));
      break;
    }
  }
  void ask() {
    TwrtCall *call = pick(calls);
    TwrtTensor tensor = {};
    tensor.size = happens(95) ? sizeof(tensor) : 3;
    int64_t dims[4];
    size_t count = 0;
    uint64_t used = 0;
    switch (draw(5)) {
    case 0:
      note("get", twrtCallGetResult(call, draw(2), &tensor, dims, uint32_t(draw(5)), &error));
      break;
    case 1:
      note("profile", twrtCallProfile(call, nullptr, &count, &error));
      break;
    case 2:
      note("memory", twrtDeviceMemory(pick(devices), &used, nullptr, &error));
      break;
    case 3:
      note("prepare", twrtCallPrepare(call, &used, &error));
      break;
    case 4:
      twrtProgramArgumentCount(pick(programs));
      twrtModuleDescription(pick(modules));
      twrtCallLaunchNode(call, number());
      twrtBufferData(pick(buffers));
      break;
    }
  }
  void handles() {
    TwrtHandle handle = {};
    handle.size = happens(95) ? sizeof(handle) : 1;
    TwrtBuffer *made = nullptr;
    TwrtBuffer *buffer = pick(buffers);
    if (!note("handle", twrtBufferHandle(buffer, &handle, &error)))
      return;
    // The memory must outlive what is made around it: that of the test does.
    if (handle.value != reinterpret_cast<uintptr_t>(memory))
      handle.kind = TWRT_HANDLE_CUDA;
    TwrtCode code = twrtBufferImportHandle(pick(devices), &handle, sizeof(memory), nullptr, nullptr,
                                           &made, &error);
    keep<TwrtBuffer, twrtBufferRelease>("import", code, made, buffers);
  }

  std::mt19937 random;
  Error error;
  std::vector<uint8_t> affine = makeAffineModule();
  alignas(64) uint8_t memory[256] = {};
  std::vector<TwrtInstance *> instances;
  std::vector<TwrtDevice *> devices;
  std::vector<TwrtQueue *> queues;
  std::vector<TwrtBuffer *> buffers;
  std::vector<TwrtModule *> modules;
  std::vector<TwrtProgram *> programs;
  std::vector<TwrtCall *> calls;
  std::vector<Release> releases;
};

} // namespace

TEST(Orders, AnythingIsACodeAndNothingIsLeft) {
  size_t good = 0, submitted = 0;
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Orders orders(seed);
    for (int i = 0; i < 1500; ++i)
      orders.step();
    good += orders.good;
    submitted += orders.submitted;
  }
  // What is drawn is not all refused.
  EXPECT_GT(good, 5000u);
  EXPECT_GT(submitted, 100u);
}
