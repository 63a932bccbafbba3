// Errors of the runtime as Python exceptions, instances and devices.
#include "Compiler.h"

#include <atomic>
#include <map>
#include <mutex>
#include <pthread.h>

using namespace tw::python;

namespace {

struct CodeText {
  std::string_view code;
  const char *text;
};

constexpr CodeText codeTexts[] = {
#define TW_ERROR(code, name, text) {#code, text},
#include "tw/Support/ErrorCodes.def"
#undef TW_ERROR
};

std::atomic<uint64_t> generation{1};

/// Of one generation. Left alone by the next, whose process may have copied it in any state.
struct Instances {
  std::mutex lock;
  std::map<uint32_t, TwrtInstance *> byThreads;
};
std::atomic<Instances *> instances{new Instances};

void startAnew() {
  ++generation;
  instances = new Instances;
}

} // namespace

const char *tw::python::explain(std::string_view code) {
  for (const CodeText &known : codeTexts)
    if (known.code == code)
      return known.text;
  return nullptr;
}

void tw::python::raise(const char *type, const char *code, const std::string &message,
                       const char *remedy) {
  nb::object errors = nb::module_::import_("tensorwright._errors");
  if (!remedy)
    remedy = explain(code);
  nb::object error =
      errors.attr(type)(message, nb::arg("code") = code, nb::arg("remedy") = remedy ? remedy : "");
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

void tw::python::raise(const TwrtError &error) {
  std::string message = error.message;
  switch (error.code) {
  case TWRT_INVALID_ARGUMENT:
    raise("ArgumentError", "T0605", message);
  case TWRT_INVALID_MODULE:
    raise("ModuleError", "T0609", message);
  case TWRT_IO_ERROR:
    raise("FileError", "T0603", message);
  case TWRT_NOT_FOUND:
  case TWRT_UNSUPPORTED:
    raise("DeviceError", "T0608", message);
  case TWRT_OUT_OF_MEMORY:
    raise("OutOfMemoryError", "T0610", message);
  case TWRT_TIMEOUT:
    raise("TimeoutError", "T0610", message);
  default:
    raise("RunError", "T0610", message);
  }
}

uint64_t tw::python::getGeneration() { return generation.load(std::memory_order_relaxed); }

void tw::python::registerFork() { pthread_atfork(nullptr, nullptr, startAnew); }

TwrtInstance *tw::python::getInstance(uint32_t threads, TwrtError &error) {
  Instances &known = *instances.load();
  std::lock_guard guard(known.lock);
  TwrtInstance *&instance = known.byThreads[threads];
  if (!instance) {
    TwrtInstanceOptions options = {};
    options.size = sizeof(options);
    options.hostThreads = threads;
    twrtInstanceCreate(&options, TWRT_ABI, &instance, &error);
  }
  return instance;
}

std::shared_ptr<Device> Device::open(const std::string &uri, uint32_t threads, TwrtError &error) {
  auto device = std::make_shared<Device>();
  device->generation = getGeneration();
  device->instance = getInstance(threads, error);
  if (!device->instance ||
      twrtInstanceOpenDevice(device->instance, uri.c_str(), &device->handle, &error) != TWRT_OK)
    return nullptr;
  device->threads = threads;
  device->uri = uri;
  return device;
}

Device::~Device() {
  if (!isStale())
    twrtDeviceRelease(handle);
}

static std::string describeDevice(const std::string &uri, uint32_t threads) {
  TwrtError error = noError();
  std::shared_ptr<Device> device;
  {
    nb::gil_scoped_release release;
    device = Device::open(uri, threads, error);
  }
  if (!device)
    raise(error);
  TwrtString text = twrtDeviceDescription(device->handle);
  return {text.data, text.size};
}

/// Looks for drivers, which loads libraries of the system.
static nb::list listDevices() {
  TwrtError error = noError();
  TwrtInstance *instance = getInstance(0, error);
  if (!instance)
    raise(error);
  size_t count = 0;
  {
    nb::gil_scoped_release release;
    count = twrtInstanceDeviceCount(instance);
  }
  nb::list uris;
  for (size_t i = 0; i < count; ++i) {
    TwrtString uri = twrtInstanceDeviceUri(instance, i);
    uris.append(nb::str(uri.data, uri.size));
  }
  return uris;
}

static nb::dict listMissing() {
  TwrtError error = noError();
  TwrtInstance *instance = getInstance(0, error);
  if (!instance)
    raise(error);
  nb::dict missing;
  for (size_t i = 0; i < twrtInstanceDriverCount(instance); ++i) {
    TwrtString name = {};
    TwrtError reason = noError();
    if (twrtInstanceDriverStatus(instance, i, &name, &reason) != TWRT_OK)
      missing[nb::str(name.data, name.size)] = nb::str(reason.message);
  }
  return missing;
}

static nb::tuple getMemory(const std::string &uri, uint32_t threads) {
  TwrtError error = noError();
  std::shared_ptr<Device> device = Device::open(uri, threads, error);
  uint64_t used = 0, total = 0;
  if (!device || twrtDeviceMemory(device->handle, &used, &total, &error) != TWRT_OK)
    raise(error);
  return nb::make_tuple(used, total);
}

void tw::python::bindRuntime(nb::module_ &module) {
  module.def("describe_device", describeDevice, nb::arg("uri"), nb::arg("threads") = 0,
             "The runtime's description of a device, as JSON.");
  module.def("device_memory", getMemory, nb::arg("uri"), nb::arg("threads") = 0,
             nb::sig("def device_memory(uri: str, threads: int = 0) -> tuple[int, int]"),
             "Bytes in use and bytes that the device has.");
  module.def("list_devices", listDevices, nb::sig("def list_devices() -> list[str]"),
             "The names of the devices of this machine.");
  module.def("list_missing", listMissing, nb::sig("def list_missing() -> dict[str, str]"),
             "Drivers that cannot be used, with the reasons.");
  module.def(
      "runtime_version", [] { return twrtVersion(); }, "Version of the runtime.");
  module.def(
      "explain", [](const std::string &code) { return explain(code); }, nb::arg("code"),
      nb::sig("def explain(code: str) -> str | None"),
      "What an error code means and what to change, or None if there is no such code.");
}

NB_MODULE(_tensorwright, module) {
  module.doc() = "The runtime, and the way to the compiler. Use the package tensorwright.";
  // Models that caches of other libraries keep, as torch's, live until the interpreter ends.
  nb::set_leak_warnings(false);
  registerFork();
  bindRuntime(module);
  bindBuffer(module);
  bindModel(module);
  bindCompiler(module);
  bindTrace(module);
}
