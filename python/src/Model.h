// A module on a device, and calls of it.
#pragma once

#include "Array.h"

#include <atomic>
#include <chrono>
#include <map>
#include <optional>

namespace tw::python {

/// An argument or a result of a program.
struct ValueInfo {
  std::string name;
  PyObject *pyName = nullptr; ///< interned; lives as long as the interpreter
  uint32_t element = 0, alignment = 1;
  /// Below zero: a symbol.
  std::vector<int64_t> dims, storage;
  int32_t shares = -1;
  bool isStatic = true;
  bool isCounted = false;  ///< a call says how many elements there are, of `dims` at the most
  uint64_t bytes = 0;      ///< where it is static
  nb::object shape, dtype; ///< for arrays of numpy, made at the first of them
};

/// An array with room for more, of which a part is filled; tensorwright.State in Python.
struct State {
  nb::object array;
  std::vector<int64_t> dims;
};

/// A call of the runtime and what one run of it needs. One thread at a time has it.
struct CallState {
  Handle<TwrtCall, twrtCallRelease> call;
  Handle<TwrtQueue, twrtQueueRelease> queue;
  std::vector<PyObject *> objects; ///< arguments in order, borrowed
  std::unique_ptr<Array[]> arrays; ///< of the same
  std::vector<std::shared_ptr<Memory>> results;
  /// As the call has them.
  uint32_t mostThreads = 0;
  uint64_t timeLimitNs = 0;
  bool captured = false, checksNan = false;
  std::string nan; ///< which kernel made one in the last run; empty for none
};

/// A program of a module that is ready to run. Not touched after it is made, but for `free`, which
/// the GIL guards.
struct Loaded {
  std::shared_ptr<Device> device;
  Handle<TwrtModule, twrtModuleRelease> module;
  Handle<TwrtProgram, twrtProgramRelease> program;
  std::vector<ValueInfo> arguments, results;
  std::vector<std::shared_ptr<Pool>> pools;
  std::vector<std::unique_ptr<CallState>> free;
  /// Of the last run; runs that take less than a switch of threads keep the GIL.
  std::atomic<uint64_t> lastNanoseconds{UINT64_MAX};
};

/// tensorwright.Model in Python, which adds what needs no speed.
class Model {
public:
  Model(nb::handle source, std::string device, uint32_t threads,
        std::optional<std::string> function, std::optional<std::string> weights, bool checkWeights,
        std::map<std::string, std::pair<uintptr_t, size_t>> supplied);

  /// Makes it ready on the device. Raises.
  const std::shared_ptr<Loaded> &load();
  nb::object call(nb::handle args, nb::handle kwargs);
  /// Counts a copy of an argument; one with a reason is told once as a warning.
  void noteCopy(const std::string &name, uint64_t bytes, const char *reason);
  std::string description();
  nb::list kernels();

  std::string device;
  uint32_t threads = 0;
  uint64_t copiedBytes = 0;
  /// Of each run; 0: no limit.
  uint32_t mostThreads = 0;
  uint64_t timeLimitNs = 0;
  bool captured = false, checksNan = false;
  nb::object source; ///< bytes of the module, or its path
  std::optional<std::string> function;

private:
  std::shared_ptr<Loaded> makeLoaded(TwrtError &error) const;
  Handle<TwrtModule, twrtModuleRelease> openModule(TwrtInstance *instance, TwrtError &error) const;

  std::string path;
  TwrtBytes bytes = {nullptr, 0};
  std::optional<std::string> weights;
  /// Address and bytes of weights by name, kept alive by whoever made the model.
  std::map<std::string, std::pair<uintptr_t, size_t>> supplied;
  bool checkWeights = false, warned = false;
  std::shared_ptr<Loaded> loaded;
  std::mutex loading;
};

} // namespace tw::python
