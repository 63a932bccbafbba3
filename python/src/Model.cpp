// tensorwright.Model: opening a module, making it ready on a device, calling it.
#include "Run.h"

#include <cmath>

using namespace tw::python;

Model::Model(nb::handle source, std::string device, uint32_t threads,
             std::optional<std::string> function, std::optional<std::string> weights,
             bool checkWeights, std::map<std::string, std::pair<uintptr_t, size_t>> supplied)
    : device(std::move(device)), threads(threads), source(nb::borrow(source)),
      function(std::move(function)), weights(std::move(weights)), supplied(std::move(supplied)),
      checkWeights(checkWeights) {
  if (PyBytes_Check(source.ptr()))
    bytes = {PyBytes_AsString(source.ptr()), size_t(PyBytes_Size(source.ptr()))};
  else
    path = nb::cast<std::string>(source);
  // Damage is told at once, a device that is not there when it is needed.
  TwrtError error = noError();
  TwrtInstance *instance = getInstance(threads, error);
  if (!instance || !openModule(instance, error))
    raise(error);
}

Handle<TwrtModule, twrtModuleRelease> Model::openModule(TwrtInstance *instance,
                                                        TwrtError &error) const {
  TwrtModuleOptions options = {};
  options.size = sizeof(options);
  options.flags = TWRT_MODULE_ALLOW_NATIVE;
  if (checkWeights)
    options.flags |= TWRT_MODULE_CHECK_WEIGHTS;
  if (bytes.data) // what the compiler was let read, the runtime may
    options.flags |= TWRT_MODULE_FOLLOW_LINKS;
  options.weightsFolder = weights ? weights->c_str() : nullptr;
  if (!supplied.empty()) {
    options.user = const_cast<void *>(static_cast<const void *>(&supplied));
    options.findWeights = [](void *user, const char *path, TwrtBytes *bytes) {
      auto &known = *static_cast<decltype(supplied) *>(user);
      auto found = known.find(path);
      if (found == known.end())
        return 0;
      *bytes = {reinterpret_cast<const void *>(found->second.first), found->second.second};
      return 1;
    };
  }
  TwrtModule *module = nullptr;
  if (bytes.data)
    twrtModuleFromMemory(instance, bytes, &options, &module, &error);
  else
    twrtModuleOpen(instance, path.c_str(), &options, &module, &error);
  return Handle<TwrtModule, twrtModuleRelease>(module);
}

static std::vector<ValueInfo> listValues(const TwrtProgram *program, size_t count,
                                         TwrtCode (*get)(const TwrtProgram *, size_t,
                                                         TwrtValueInfo *, TwrtError *)) {
  std::vector<ValueInfo> values(count);
  for (size_t i = 0; i < count; ++i) {
    TwrtValueInfo info = {};
    info.size = sizeof(info);
    if (get(program, i, &info, nullptr) != TWRT_OK)
      continue;
    ValueInfo &value = values[i];
    value.name.assign(info.name.data, info.name.size);
    value.element = info.element;
    value.alignment = info.alignment;
    value.dims.assign(info.dims, info.dims + info.rank);
    if (info.storage)
      value.storage.assign(info.storage, info.storage + info.rank);
    value.shares = info.sharesResult;
    value.isCounted = info.counted != 0;
    value.bytes = twrtElementBytes(info.element);
    for (int64_t dim : value.dims)
      if (dim < 0)
        value.isStatic = false;
      else
        value.bytes *= uint64_t(dim);
  }
  return values;
}

std::shared_ptr<Loaded> Model::makeLoaded(TwrtError &error) const {
  auto made = std::make_shared<Loaded>();
  made->device = Device::open(device, threads, error);
  if (!made->device)
    return nullptr;
  made->module = openModule(made->device->instance, error);
  if (!made->module)
    return nullptr;
  TwrtDevice *devices[] = {made->device->handle};
  TwrtProgram *program = nullptr;
  if (twrtProgramCreate(made->module.get(), function ? function->c_str() : nullptr, devices, 1,
                        &program, &error) != TWRT_OK)
    return nullptr;
  made->program.reset(program);
  made->arguments = listValues(program, twrtProgramArgumentCount(program), twrtProgramArgument);
  made->results = listValues(program, twrtProgramResultCount(program), twrtProgramResult);
  for (ValueInfo &result : made->results)
    result.shares = -1;
  for (size_t i = 0; i < made->arguments.size(); ++i)
    if (int32_t shared = made->arguments[i].shares; shared >= 0)
      made->results[size_t(shared)].shares = int32_t(i);
  for (size_t i = 0; i < made->results.size(); ++i)
    made->pools.push_back(std::make_shared<Pool>());
  return made;
}

const std::shared_ptr<Loaded> &Model::load() {
  if (loaded && !loaded->device->isStale()) [[likely]]
    return loaded;
  TwrtError error = noError();
  bool isReady = true;
  {
    nb::gil_scoped_release release;
    std::lock_guard guard(loading);
    if (!loaded || loaded->device->isStale()) {
      std::shared_ptr<Loaded> made = makeLoaded(error);
      isReady = bool(made);
      // What an ancestor of this process made stays as it is.
      if (isReady && loaded)
        new std::shared_ptr<Loaded>(std::move(loaded));
      if (isReady)
        loaded = std::move(made);
    }
  }
  if (!isReady)
    raise(error);
  for (ValueInfo &argument : loaded->arguments)
    if (!argument.pyName)
      argument.pyName = PyUnicode_InternFromString(argument.name.c_str());
  return loaded;
}

void Model::noteCopy(const std::string &name, uint64_t bytes, const char *reason) {
  copiedBytes += bytes;
  if (!reason || warned)
    return;
  warned = true;
  std::string text = name + " " + reason +
                     ", so it is copied in each call: pass numpy.ascontiguousarray of it, or a "
                     "tensor's .contiguous()";
  nb::object category = nb::module_::import_("tensorwright._errors").attr("CopyWarning");
  // At the user's call, where `jit` is between.
  auto level = nb::cast<long>(nb::module_::import_("tensorwright._trace").attr("find_level")());
  if (PyErr_WarnEx(category.ptr(), text.c_str(), level) != 0)
    throw nb::python_error();
}

nb::object Model::call(nb::handle args, nb::handle kwargs) {
  copiedBytes = 0;
  Run run(*this);
  run.setArguments(args, kwargs);
  run.submit(nullptr, {}, /*waits=*/true);
  return run.takeResults();
}

nb::object tw::python::sliceOf(nb::handle array, const std::vector<int64_t> &dims) {
  nb::object slices = nb::steal(PyTuple_New(Py_ssize_t(dims.size())));
  for (size_t d = 0; d < dims.size(); ++d)
    NB_TUPLE_SET_ITEM(slices.ptr(), Py_ssize_t(d),
                      PySlice_New(nullptr, nb::int_(dims[d]).ptr(), nullptr));
  return nb::borrow(array)[slices];
}

namespace {

/// tensorwright.Queue.
struct Queue {
  std::shared_ptr<Device> device;
  Handle<TwrtQueue, twrtQueueRelease> handle;
};

/// tensorwright.Pending: a run that may not be over. It holds its arguments.
struct Pending {
  std::shared_ptr<Run> run; ///< NULL once it is over
  nb::object model, args, kwargs, queue, results;
  std::mutex taking; ///< of the results: one thread does, which may let go of the GIL

  ~Pending() { run.reset(); }
};

uint64_t toNanoseconds(std::optional<double> seconds) {
  return !seconds || *seconds > 1e9 ? UINT64_MAX : *seconds <= 0 ? 0 : uint64_t(*seconds * 1e9);
}

/// The object's T, or ArgumentError.
template <typename T> T &expect(nb::handle object, const char *name, const char *type) {
  if (!nb::isinstance<T>(object))
    raise("ArgumentError", "T0605",
          std::string(name) + " is a '" + getTypeName(object) + "', expected a tensorwright." +
              type);
  return *nb::inst_ptr<T>(object);
}

nb::object getResult(Pending &self, std::optional<double> timeout) {
  if (self.results.is_valid())
    return self.results;
  // Several threads may wait for it.
  std::shared_ptr<Run> run = self.run;
  if (!run)
    raise("RunError", "T0610", "the run has failed before");
  try {
    if (!run->wait(toNanoseconds(timeout)))
      raise("TimeoutError", "T0610", "the run takes longer than the timeout");
    std::unique_lock guard(self.taking, std::defer_lock);
    {
      nb::gil_scoped_release release;
      guard.lock();
    }
    if (!self.results.is_valid())
      self.results = run->takeResults();
  } catch (...) {
    if (run->isDone())
      self.run.reset();
    throw;
  }
  self.run.reset();
  return self.results;
}

/// A thread of the event loop's own waits for it.
nb::object await(nb::handle self) {
  nb::object loop = nb::module_::import_("asyncio").attr("get_running_loop")();
  return loop.attr("run_in_executor")(nb::none(), self.attr("result")).attr("__await__")();
}

nb::object submitRun(nb::handle self, nb::args args, nb::kwargs kwargs) {
  Model &model = *nb::inst_ptr<Model>(self);
  nb::object queue, after;
  if (kwargs.contains("queue"))
    queue = kwargs.attr("pop")("queue");
  if (kwargs.contains("after"))
    after = kwargs.attr("pop")("after");
  auto pending = std::make_unique<Pending>();
  pending->model = nb::borrow(self);
  pending->args = args;
  pending->kwargs = kwargs;
  model.copiedBytes = 0;
  pending->run = std::make_shared<Run>(model);
  pending->run->setArguments(args, kwargs);
  TwrtQueue *handle = nullptr;
  if (queue.is_valid() && !queue.is_none()) {
    handle = expect<Queue>(queue, "queue", "Queue").handle.get();
    pending->queue = queue;
  }
  std::vector<TwrtPoint> points;
  if (after.is_valid())
    for (nb::handle other : after)
      if (Pending &earlier = expect<Pending>(other, "after", "Pending"); earlier.run)
        points.push_back(earlier.run->point);
  pending->run->submit(handle, points, /*waits=*/false);
  return nb::cast(pending.release(), nb::rv_policy::take_ownership);
}

nb::list profile(nb::handle self, nb::args args, nb::kwargs kwargs) {
  Model &model = *nb::inst_ptr<Model>(self);
  Run run(model);
  run.setArguments(args, kwargs);
  TwrtError error = noError();
  if (twrtCallSetTimed(run.call(), 1, &error) != TWRT_OK)
    raise(error);
  run.submit(nullptr, {}, /*waits=*/true);
  size_t count = 0;
  std::vector<TwrtSample> samples;
  TwrtCode code = twrtCallProfile(run.call(), nullptr, &count, &error);
  if (code == TWRT_OK) {
    samples.resize(count);
    for (TwrtSample &sample : samples)
      sample.size = sizeof(sample);
    code = twrtCallProfile(run.call(), samples.data(), &count, &error);
  }
  // Others use the call later.
  (void)twrtCallSetTimed(run.call(), 0, nullptr);
  if (code != TWRT_OK)
    raise(error);
  nb::list found;
  for (size_t i = 0; i < samples.size(); ++i) {
    const TwrtSample &sample = samples[i];
    TwrtString node = twrtCallLaunchNode(run.call(), i);
    found.append(nb::make_tuple(sample.kernel, sample.beginNs, sample.endNs, sample.flops,
                                sample.bytes, twrtCallLaunchRuns(run.call(), i),
                                nb::str(node.data, node.size)));
  }
  return found;
}

PyObject *callSlot(PyObject *self, PyObject *args, PyObject *kwargs) {
  try {
    return nb::inst_ptr<Model>(nb::handle(self))->call(args, kwargs).release().ptr();
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void *>(callSlot)}, {0, nullptr}};

} // namespace

std::string Model::description() {
  TwrtError error = noError();
  TwrtInstance *instance = getInstance(threads, error);
  Handle<TwrtModule, twrtModuleRelease> module;
  if (instance)
    module = openModule(instance, error);
  if (!module)
    raise(error);
  TwrtString text = twrtModuleDescription(module.get());
  return {text.data, text.size};
}

nb::list Model::kernels() {
  TwrtError error = noError();
  TwrtInstance *instance = getInstance(threads, error);
  Handle<TwrtModule, twrtModuleRelease> module;
  if (instance)
    module = openModule(instance, error);
  if (!module)
    raise(error);
  nb::list found;
  for (size_t i = 0; i < twrtModuleKernelCount(module.get()); ++i) {
    TwrtString name = twrtModuleKernelName(module.get(), i);
    found.append(nb::make_tuple(nb::str(name.data, name.size),
                                twrtModuleKernelLeastCycles(module.get(), i)));
  }
  return found;
}

void tw::python::bindModel(nb::module_ &module) {
  module.def(
      "address_of",
      [](nb::handle array) {
        Array found;
        found.set(array, TWRT_F32, "the array");
        return reinterpret_cast<uintptr_t>(found.data);
      },
      nb::arg("array"), "Where a call reads an array that it need not copy.");
  nb::class_<Queue>(module, "Queue",
                    "Queue(device=\"host\", threads=0)\n--\n\n"
                    "Work handed to a queue runs in order; work of several queues may overlap.\n"
                    "The host's queues run their work in the thread that hands it in.")
      .def(
          "__init__",
          [](Queue *self, const std::string &uri, uint32_t threads) {
            TwrtError error = noError();
            std::shared_ptr<Device> device = Device::open(uri, threads, error);
            TwrtQueue *queue = nullptr;
            if (!device || twrtQueueCreate(device->handle, &queue, &error) != TWRT_OK)
              raise(error);
            new (self) Queue{std::move(device), Handle<TwrtQueue, twrtQueueRelease>(queue)};
          },
          nb::arg("device") = "host", nb::arg("threads") = 0)
      .def_prop_ro(
          "device", [](const Queue &self) { return self.device->uri; }, "Name of the device.");
  nb::class_<State>(
      module, "State",
      "State(array, filled)\n--\n\n"
      "An array with room for more, such as a cache of keys: an argument that a program keeps in\n"
      "place, of which `filled` are the extents that count now. The result that shares its memory\n"
      "is a State of the same array.")
      .def(
          "__init__",
          [](State *self, nb::handle array, nb::handle filled) {
            new (self) State{nb::borrow(array), readShape(filled)};
          },
          nb::arg("array"), nb::arg("filled"),
          nb::sig("def __init__(self, array: object, filled: int | collections.abc.Iterable[int]) "
                  "-> None"))
      .def_prop_ro(
          "array", [](const State &self) { return self.array; },
          nb::for_getter(nb::sig("def array(self) -> typing.Any")),
          "The whole of it, of whatever library.")
      .def_prop_ro(
          "shape", [](const State &self) { return makeShape(self.dims); },
          nb::for_getter(nb::sig("def shape(self) -> tuple[int, ...]")),
          "The extents that are filled.")
      .def_prop_ro(
          "filled", [](const State &self) { return sliceOf(self.array, self.dims); },
          nb::for_getter(nb::sig("def filled(self) -> typing.Any")),
          "The part of the array that is filled, in the same memory.")
      .def("__repr__", [](const State &self) {
        return "State(" + nb::cast<std::string>(nb::repr(makeShape(self.dims))) + ")";
      });
  nb::class_<Pending>(module, "Pending", "A run that Model.submit has begun.")
      .def(
          "done", [](const Pending &self) { return !self.run || self.run->isDone(); },
          "Whether it is over, by success or failure.")
      .def("__await__", await,
           nb::sig("def __await__(self) -> collections.abc.Generator[typing.Any]"))
      .def("result", getResult, nb::arg("timeout").none() = nb::none(),
           nb::sig("def result(self, timeout: float | None = None) -> typing.Any"),
           "Waits and returns what the model's call would. Raises what failed, and\n"
           "TimeoutError if it takes longer than `timeout` seconds, after which it goes on.");
  nb::class_<Model>(module, "Model", nb::type_slots(slots), nb::dynamic_attr(),
                    nb::is_weak_referenceable())
      .def(nb::init<nb::handle, std::string, uint32_t, std::optional<std::string>,
                    std::optional<std::string>, bool,
                    std::map<std::string, std::pair<uintptr_t, size_t>>>(),
           nb::arg("source"), nb::arg("device") = "host", nb::arg("threads") = 0,
           nb::arg("function").none() = nb::none(), nb::arg("weights").none() = nb::none(),
           nb::arg("check_weights") = false,
           nb::arg("supplied") = std::map<std::string, std::pair<uintptr_t, size_t>>(),
           nb::sig("def __init__(self, source: bytes | str, device: str = 'host', threads: int = "
                   "0, function: str | None "
                   "= None, weights: str | None = None, check_weights: bool = False, supplied: "
                   "dict[str, tuple[int, int]] = ...) -> None"))
      .def(
          "open", [](Model &self) { self.load(); },
          "Makes the model ready on its device now rather than at the first call.")
      .def("submit", submitRun,
           nb::sig("def submit(self, *args: typing.Any, queue: Queue | None = None, after: "
                   "collections.abc.Iterable[Pending] = (), **kwargs: typing.Any) -> Pending"),
           "Begins a run and returns without waiting for a device. The arguments must not be\n"
           "written before it is over.")
      .def("_profile", profile,
           nb::sig("def _profile(self, *args: typing.Any, **kwargs: typing.Any) -> list[tuple[int, "
                   "int, int, int, int, int, str]]"))
      .def("_describe", &Model::description)
      .def("_kernels", &Model::kernels, nb::sig("def _kernels(self) -> list[tuple[str, int]]"))
      .def_prop_ro("_function", [](const Model &self) { return self.function; })
      .def_prop_ro(
          "_source", [](const Model &self) { return self.source; },
          nb::for_getter(nb::sig("def _source(self) -> bytes | str")))
      .def_prop_ro(
          "device", [](const Model &self) { return self.device; },
          "Name of the device that it runs on.")
      .def_rw("max_threads", &Model::mostThreads,
              nb::for_getter(nb::sig("def max_threads(self) -> int")),
              nb::for_setter(nb::sig("def max_threads(self, threads: int) -> None")),
              "The most threads of the host that a run takes, 0 for all.")
      .def_prop_rw(
          "time_limit",
          [](const Model &self) -> std::optional<double> {
            if (self.timeLimitNs == 0)
              return std::nullopt;
            return double(self.timeLimitNs) / 1e9;
          },
          [](Model &self, std::optional<double> seconds) {
            if (seconds && !(*seconds > 0))
              raise("ArgumentError", "T0605", "time_limit is not above 0");
            self.timeLimitNs =
                !seconds || *seconds > 1e9 ? 0 : std::max(uint64_t(*seconds * 1e9), uint64_t(1));
          },
          nb::for_getter(nb::sig("def time_limit(self) -> float | None")),
          nb::for_setter(nb::sig("def time_limit(self, seconds: float | None) -> None")),
          nb::arg("seconds").none(),
          "Seconds after which a run on the host stops, before its next launch or between parts\n"
          "of one, with TimeoutError; None for any number.")
      .def_rw("captured", &Model::captured, nb::for_getter(nb::sig("def captured(self) -> bool")),
              nb::for_setter(nb::sig("def captured(self, captured: bool) -> None")),
              "Whether runs are handed to the device as one graph each, which is recorded at the\n"
              "first of them; devices of CUDA and AMD have graphs.")
      .def_rw("check_nan", &Model::checksNan,
              nb::for_getter(nb::sig("def check_nan(self) -> bool")),
              nb::for_setter(nb::sig("def check_nan(self, check_nan: bool) -> None")),
              "Whether a run looks at what each kernel made, which takes time, and stops at the\n"
              "first NaN with a RunError that names the kernel.")
      .def_prop_ro(
          "copied", [](const Model &self) { return self.copiedBytes; },
          "Bytes of arguments that the last call had to copy: of lists, of arrays that\n"
          "are strided or not aligned, and of arrays of the host for other devices.");
}
