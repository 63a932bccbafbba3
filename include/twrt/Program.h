/* A program of a module with its device, queue and call, for C++20 on top of twrt.h. Header only;
 * it needs the runtime and the standard library, and throws nothing. */
#ifndef TWRT_PROGRAM_H
#define TWRT_PROGRAM_H

#include <twrt/twrt.h>

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace twrt {

/// One function of a module, loaded on a device, and the memory of one run of it at a time.
///
///   twrt::Program program(bytes, "host");
///   program.set("x", x);                       // std::vector<float>, or any contiguous memory
///   program.set("y", y);                       // results likewise
///   if (!program.run()) puts(program.error().c_str());
///
/// Memory that is set is used where it lies if the device can reach it, else copied by each run; it
/// must stay as it is until another one is set. The first failure is kept, and everything after it
/// fails. For one thread at a time.
class Program {
public:
  /// `bytes` are copied. An empty `function` is the only one, or "main".
  explicit Program(std::span<const uint8_t> bytes, const std::string &device = "host",
                   const std::string &function = "", const std::string &weightsFolder = "",
                   uint32_t hostThreads = 0)
      : bytes(bytes.begin(), bytes.end()) {
    problem.size = sizeof problem;
    TwrtInstanceOptions instanceOptions = {};
    instanceOptions.size = sizeof instanceOptions;
    instanceOptions.hostThreads = hostThreads;
    TwrtModuleOptions options = {};
    options.size = sizeof options;
    options.flags = TWRT_MODULE_ALLOW_NATIVE;
    options.weightsFolder = weightsFolder.empty() ? nullptr : weightsFolder.c_str();
    const char *name = function.empty() ? nullptr : function.c_str();
    if (!check(twrtInstanceCreate(&instanceOptions, TWRT_ABI, &instance, &problem)) ||
        !check(twrtInstanceOpenDevice(instance, device.c_str(), &this->device, &problem)) ||
        !check(twrtQueueCreate(this->device, &queue, &problem)) ||
        !check(twrtModuleFromMemory(instance, {this->bytes.data(), this->bytes.size()}, &options,
                                    &module, &problem)) ||
        !check(twrtProgramCreate(module, name, &this->device, 1, &program, &problem)) ||
        !check(twrtCallCreate(program, &call, &problem)))
      return;
    size_t argumentCount = twrtProgramArgumentCount(program);
    values.resize(argumentCount + twrtProgramResultCount(program));
    for (size_t i = 0; i < values.size(); ++i) {
      Value &value = values[i];
      value.info.size = sizeof value.info;
      value.isResult = i >= argumentCount;
      value.index = value.isResult ? i - argumentCount : i;
      if (!check(value.isResult ? twrtProgramResult(program, value.index, &value.info, &problem)
                                : twrtProgramArgument(program, value.index, &value.info, &problem)))
        return;
    }
  }
  ~Program() {
    for (Value &value : values)
      twrtBufferRelease(value.buffer);
    twrtCallRelease(call);
    twrtProgramRelease(program);
    twrtModuleRelease(module);
    twrtQueueRelease(queue);
    twrtDeviceRelease(device);
    twrtInstanceRelease(instance);
  }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// The runtime's own call, for what this class leaves out: limits of threads and time, cancelling
  /// it, profiles. It belongs to this object; NULL if that failed to be made.
  TwrtCall *runtimeCall() const { return call; }

  bool ok() const { return text.empty(); }
  /// What failed first; empty while nothing has.
  const std::string &error() const { return text; }

  size_t argumentCount() const { return program ? twrtProgramArgumentCount(program) : 0; }
  size_t resultCount() const { return program ? twrtProgramResultCount(program) : 0; }
  /// Name, element type and dimensions; see TwrtValueInfo. The index is below the count.
  const TwrtValueInfo &argument(size_t index) const { return values[index].info; }
  const TwrtValueInfo &result(size_t index) const { return values[argumentCount() + index].info; }

  /// The dimensions that a result has since the last run, which counts them where
  /// TwrtValueInfo::counted says so: the elements lie in memory as in one of `result(index).dims`.
  std::vector<int64_t> resultDims(size_t index) {
    TwrtTensor tensor = {};
    tensor.size = sizeof tensor;
    std::vector<int64_t> dims(result(index).rank);
    if (!ok() || !check(twrtCallGetResult(call, index, &tensor, dims.data(), uint32_t(dims.size()),
                                          &problem)))
      return {};
    return dims;
  }

  /// The memory of the argument or result of that name, dense and row-major; its length is checked.
  /// `dims` where a dimension is settled by the call.
  template <typename T>
  bool set(std::string_view name, std::span<T> data, std::vector<int64_t> dims = {}) {
    for (Value &value : values)
      if (std::string_view(value.info.name.data, value.info.name.size) == name)
        return set(value, const_cast<std::remove_const_t<T> *>(data.data()), data.size_bytes(),
                   std::move(dims));
    return fail("no argument or result is called '" + std::string(name) + "'");
  }
  template <typename T>
  bool set(std::string_view name, std::vector<T> &data, std::vector<int64_t> dims = {}) {
    return set(name, std::span<T>(data), std::move(dims));
  }
  template <typename T>
  bool set(std::string_view name, const std::vector<T> &data, std::vector<int64_t> dims = {}) {
    return set(name, std::span<const T>(data), std::move(dims));
  }
  /// By number: arguments, then results.
  template <typename T> bool set(size_t number, std::span<T> data, std::vector<int64_t> dims = {}) {
    if (number >= values.size())
      return fail("no argument or result has the number " + std::to_string(number));
    return set(values[number], const_cast<std::remove_const_t<T> *>(data.data()), data.size_bytes(),
               std::move(dims));
  }

  /// Runs, and waits for the results. Those without memory are dropped; one that takes an
  /// argument's memory is found there, if the device uses that where it lies.
  bool run() {
    if (!ok())
      return false;
    for (Value &value : values)
      if (!value.data && !value.isResult)
        return fail("no memory is set for '" +
                    std::string(value.info.name.data, value.info.name.size) + "'");
    for (Value &value : values)
      if (value.copies && !value.isResult &&
          !check(twrtBufferWrite(queue, value.buffer, 0, {value.data, value.bytes}, nullptr,
                                 &problem)))
        return false;
    TwrtPoint done = {};
    if (!check(twrtCallSubmit(call, queue, nullptr, 0, &done, &problem)) ||
        !check(twrtPointWait(done, UINT64_MAX, &problem)))
      return false;
    for (Value &value : values)
      if (value.copies && value.isResult && value.data &&
          !check(
              twrtBufferRead(queue, value.buffer, 0, value.data, value.bytes, nullptr, &problem)))
        return false;
    return true;
  }

private:
  struct Value {
    TwrtValueInfo info = {};
    bool isResult = false, copies = false;
    size_t index = 0;
    void *data = nullptr;
    size_t bytes = 0;
    TwrtBuffer *buffer = nullptr;
  };

  bool fail(std::string message) {
    if (text.empty())
      text = std::move(message);
    return false;
  }
  bool check(TwrtCode code) { return code == TWRT_OK || fail(problem.message); }

  bool set(Value &value, void *data, size_t bytes, std::vector<int64_t> dims) {
    if (!ok())
      return false;
    if (dims.empty())
      dims.assign(value.info.dims, value.info.dims + value.info.rank);
    uint64_t needed = twrtElementBytes(value.info.element);
    for (int64_t dim : dims)
      needed *= dim < 0 ? 0 : uint64_t(dim);
    std::string name(value.info.name.data, value.info.name.size);
    if (dims.size() != value.info.rank || needed != bytes)
      return fail("'" + name + "' has " + std::to_string(bytes) + " bytes, expected " +
                  std::to_string(needed) + " and rank " + std::to_string(value.info.rank));
    TwrtBuffer *buffer = nullptr;
    bool copies =
        twrtBufferImport(device, data, bytes, nullptr, nullptr, &buffer, nullptr) != TWRT_OK;
    if (copies && !check(twrtBufferCreate(device, bytes, 0, &buffer, &problem)))
      return false;
    TwrtTensor tensor = {};
    tensor.size = sizeof tensor;
    tensor.element = value.info.element;
    tensor.rank = value.info.rank;
    tensor.buffer = buffer;
    tensor.dims = dims.data();
    bool set = check(value.isResult ? twrtCallSetResult(call, value.index, &tensor, &problem)
                                    : twrtCallSetArgument(call, value.index, &tensor, &problem));
    twrtBufferRelease(set ? std::exchange(value.buffer, buffer) : buffer);
    if (!set)
      return false;
    value.data = data, value.bytes = bytes, value.copies = copies;
    return true;
  }

  std::vector<uint8_t> bytes;
  TwrtError problem = {};
  std::string text;
  TwrtInstance *instance = nullptr;
  TwrtDevice *device = nullptr;
  TwrtQueue *queue = nullptr;
  TwrtModule *module = nullptr;
  TwrtProgram *program = nullptr;
  TwrtCall *call = nullptr;
  std::vector<Value> values;
};

} // namespace twrt

#endif // TWRT_PROGRAM_H
