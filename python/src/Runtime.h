// What the parts of the extension share: errors as Python exceptions, instances and devices of the
// runtime.
#pragma once

#include "twrt/twrt.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <string_view>

namespace tw::python {

namespace nb = nanobind;

/// Raises tensorwright.<type>(message, code=code); without a remedy it is the code's. Needs the
/// GIL.
[[noreturn]] void raise(const char *type, const char *code, const std::string &message,
                        const char *remedy = nullptr);
/// Raises what an error of the runtime is. Needs the GIL.
[[noreturn]] void raise(const TwrtError &error);
/// The long text of an error code, or NULL.
const char *explain(std::string_view code);

template <typename T, void (*release)(T *)> struct Release {
  void operator()(T *object) const { release(object); }
};
template <typename T, void (*release)(T *)> using Handle = std::unique_ptr<T, Release<T, release>>;

/// Counts forks: what an instance of an earlier generation made has lost its threads and maybe the
/// state of its locks, so it is left as it is, and made again where it is needed.
uint64_t getGeneration();
void registerFork();

/// A device that is open, of the instance with that number of host threads (0: one per core).
/// Instances live as long as the process. No GIL needed.
class Device {
public:
  /// NULL with the reason in `error`.
  static std::shared_ptr<Device> open(const std::string &uri, uint32_t threads, TwrtError &error);
  ~Device();

  TwrtDevice *handle = nullptr;
  TwrtInstance *instance = nullptr;
  uint64_t generation = 0;
  uint32_t threads = 0;
  std::string uri;

  bool isHost() const { return uri == "host"; }
  bool isStale() const { return generation != getGeneration(); }
};

/// The instance with that number of host threads; NULL with the reason in `error`.
TwrtInstance *getInstance(uint32_t threads, TwrtError &error);

inline TwrtError noError() { return {sizeof(TwrtError), TWRT_OK, 0, "", ""}; }

void bindRuntime(nb::module_ &module);
void bindBuffer(nb::module_ &module);
void bindModel(nb::module_ &module);
void bindCompiler(nb::module_ &module);

} // namespace tw::python
