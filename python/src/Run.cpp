// One run of a model: arguments in, results out.
#include "Run.h"

#include "tw/Format/FindNan.h"

#include <algorithm>
#include <cstring>
#include <optional>

using namespace tw::python;

/// A run that takes longer lets other threads of Python go on meanwhile.
static constexpr uint64_t mostNanosecondsWithGil = 20'000;

static std::unique_ptr<CallState> makeState(Loaded &loaded) {
  auto state = std::make_unique<CallState>();
  TwrtError error = noError();
  TwrtCall *call = nullptr;
  TwrtQueue *queue = nullptr;
  if (twrtCallCreate(loaded.program.get(), &call, &error) != TWRT_OK)
    raise(error);
  state->call.reset(call);
  if (twrtQueueCreate(loaded.device->handle, &queue, &error) != TWRT_OK)
    raise(error);
  state->queue.reset(queue);
  state->objects.resize(loaded.arguments.size());
  state->arrays = std::make_unique<Array[]>(loaded.arguments.size());
  state->results.resize(loaded.results.size());
  return state;
}

Run::Run(Model &model) : model(model), loaded(model.load()) {
  if (loaded->free.empty()) {
    state = makeState(*loaded);
  } else {
    state = std::move(loaded->free.back());
    loaded->free.pop_back();
  }
}

Run::~Run() {
  if (loaded->device->isStale()) {
    // Made by an ancestor of this process.
    static_cast<void>(state.release());
    return;
  }
  for (size_t i = 0; i < loaded->arguments.size(); ++i)
    state->arrays[i].reset();
  for (std::shared_ptr<Memory> &result : state->results)
    result.reset();
  bool isIdle = !isSubmitted || isOver;
  if (isSound && isIdle) {
    loaded->free.push_back(std::move(state));
    return;
  }
  // Releasing waits for what runs.
  nb::gil_scoped_release release;
  state->call.reset();
}

std::string Run::describe(size_t argument) const {
  const std::string &name = loaded->arguments[argument].name;
  return "argument " + std::to_string(argument) + (name.empty() ? "" : " '" + name + "'");
}

static std::string listNames(const std::vector<ValueInfo> &values) {
  std::string names;
  for (const ValueInfo &value : values)
    names += (names.empty() ? "" : ", ") + value.name;
  return names;
}

/// Whether what is written to one changes the other. Kernels assume that nothing else lies where
/// their results do.
static bool overlaps(const Array &a, const Array &b) {
  // By address, or by offset in one buffer that the host cannot see.
  bool isHidden = a.buffer && b.buffer && a.buffer->memory == b.buffer->memory;
  if (!isHidden && (!a.data || !b.data))
    return false;
  auto begin = [&](const Array &array) {
    return isHidden ? array.buffer->offset : reinterpret_cast<uintptr_t>(array.data);
  };
  // What is strided has been copied.
  return a.isDense() && b.isDense() && begin(a) < begin(b) + b.bytes() &&
         begin(b) < begin(a) + a.bytes();
}

/// Of memory that the host cannot see the object, else none; and where in it.
using Place = std::pair<const void *, uintptr_t>;
static Place getPlace(const Array &array) {
  if (!array.data && array.buffer)
    return {array.buffer->memory.get(), array.buffer->offset};
  return {nullptr, reinterpret_cast<uintptr_t>(array.data)};
}

void Run::setArguments(nb::handle args, nb::handle kwargs) {
  std::vector<ValueInfo> &expected = loaded->arguments;
  size_t given = size_t(NB_TUPLE_GET_SIZE(args.ptr()));
  if (given > expected.size())
    raise("ArgumentError", "T0605",
          "expected " + std::to_string(expected.size()) + " arguments (" + listNames(expected) +
              "), found " + std::to_string(given));
  for (size_t i = 0; i < expected.size(); ++i)
    state->objects[i] = i < given ? NB_TUPLE_GET_ITEM(args.ptr(), Py_ssize_t(i)) : nullptr;
  if (kwargs.is_valid()) {
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(kwargs.ptr(), &at, &key, &value);) {
      // Names in a program's text are interned, as ours are; others are compared.
      static PyObject *outName = PyUnicode_InternFromString("out");
      size_t i = 0;
      while (i < expected.size() && expected[i].pyName != key)
        ++i;
      if (i == expected.size() && key != outName)
        for (i = 0; i < expected.size() && PyUnicode_Compare(expected[i].pyName, key) != 0;)
          ++i;
      if (i < expected.size() && state->objects[i])
        raise("ArgumentError", "T0606", describe(i) + " is given by position and by name");
      if (i < expected.size())
        state->objects[i] = value;
      else if (PyUnicode_CompareWithASCIIString(key, "out") == 0)
        out = nb::borrow(value);
      else
        raise("ArgumentError", "T0606",
              "there is no argument '" + std::string(nb::str(nb::handle(key)).c_str()) +
                  "'; the model has " + listNames(expected));
    }
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!state->objects[i])
      raise("ArgumentError", "T0605",
            describe(i) + " is missing: the model has " + listNames(expected));
    setArgument(i);
  }
  checkInPlace();
}

void Run::checkInPlace() {
  const std::vector<ValueInfo> &expected = loaded->arguments;
  std::vector<size_t> order;
  bool hasState = false;
  for (size_t i = 0; i < expected.size(); ++i) {
    hasState |= expected[i].shares >= 0;
    order.push_back(i);
  }
  if (!hasState)
    return;
  // By memory, and by place in it: what overlaps is beside what reaches furthest so far.
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) {
    return getPlace(state->arrays[i]) < getPlace(state->arrays[j]);
  });
  std::optional<size_t> furthest, furthestState;
  auto reach = [&](size_t i) {
    Place place = getPlace(state->arrays[i]);
    return Place(place.first, place.second + state->arrays[i].bytes());
  };
  for (size_t i : order) {
    const Array &array = state->arrays[i];
    if (!array.isDense() || array.bytes() == 0)
      continue;
    bool isState = expected[i].shares >= 0;
    std::optional<size_t> other = isState ? furthest : furthestState;
    if (other && overlaps(array, state->arrays[*other]))
      raise("ArgumentError", "T0605",
            describe(isState ? i : *other) + " is written in place and shares memory with " +
                describe(isState ? *other : i));
    if (!furthest || reach(*furthest) < reach(i))
      furthest = i;
    if (isState && (!furthestState || reach(*furthestState) < reach(i)))
      furthestState = i;
  }
}

static std::string describeType(uint32_t element, const std::vector<int64_t> &dims) {
  std::string text = std::string(nameOf(element)) + "[";
  for (size_t d = 0; d < dims.size(); ++d)
    text += (d ? ", " : "") + (dims[d] < 0 ? "?" : std::to_string(dims[d]));
  return text + "]";
}

static bool fits(const std::vector<int64_t> &expected, const int64_t *dims, uint32_t rank) {
  if (expected.size() != rank)
    return false;
  for (uint32_t d = 0; d < rank; ++d)
    if (expected[d] >= 0 && dims[d] != expected[d])
      return false;
  return true;
}

/// Raises unless the array is of the value's type.
static void checkType(const ValueInfo &info, const Array &array, const std::string &name) {
  const std::vector<int64_t> &dims = info.storage.empty() ? info.dims : info.storage;
  if (array.element == info.element && fits(dims, array.dims, array.rank))
    return;
  std::vector<int64_t> found(array.dims, array.dims + array.rank);
  std::string remedy;
  if (array.element != info.element)
    remedy = std::string(": convert it, with numpy by .astype(\"") + nameOf(info.element) + "\")";
  raise("ArgumentError", "T0605",
        name + " is " + describeType(array.element, found) + ", expected " +
            describeType(info.element, dims) + remedy);
}

void Run::setArgument(size_t index) {
  ValueInfo &info = loaded->arguments[index];
  Array &array = state->arrays[index];
  nb::handle given = state->objects[index];
  const State *filled =
      !info.storage.empty() && nb::isinstance<State>(given) ? nb::inst_ptr<State>(given) : nullptr;
  array.set(filled ? nb::handle(filled->array) : given, info.element, info.name.c_str());
  if (!hasLibrary && !array.isLiteral) {
    library = array.library;
    hasLibrary = true;
  }
  if (array.element != info.element ||
      !fits(info.storage.empty() ? info.dims : info.storage, array.dims, array.rank))
    checkType(info, array, describe(index));
  if (filled && filled->dims.size() != array.rank)
    raise("ArgumentError", "T0605",
          describe(index) + " has an array of rank " + std::to_string(array.rank) + ", of which " +
              std::to_string(filled->dims.size()) + " extents are filled");
  TwrtTensor tensor = {};
  tensor.size = sizeof(tensor);
  tensor.element = array.element;
  tensor.rank = array.rank;
  tensor.dims = filled ? filled->dims.data() : array.dims;
  tensor.storage = info.storage.empty() ? nullptr : array.dims;
  placeArgument(index, array, tensor);
}

void Run::placeArgument(size_t index, const Array &array, TwrtTensor &tensor) {
  ValueInfo &info = loaded->arguments[index];
  TwrtError error = noError();
  TwrtCall *call = state->call.get();
  const Device &device = *loaded->device;
  if (array.buffer && array.buffer->memory->device->handle == device.handle) {
    tensor.buffer = array.buffer->memory->buffer;
    tensor.offset = array.buffer->offset;
    if (twrtCallSetArgument(call, index, &tensor, &error) != TWRT_OK)
      raise(error);
    return;
  }
  Buffer moved; // of another device
  void *data = array.data;
  if (array.buffer && !data) {
    moved = toHost(*array.buffer);
    data = moved.data();
  }
  uint64_t bytes = array.bytes();
  bool isAligned = reinterpret_cast<uintptr_t>(data) % std::max<uint32_t>(info.alignment, 1) == 0;
  bool isDense = array.isDense();
  if (info.shares >= 0 &&
      (array.readOnly || !isDense || !isAligned || moved.memory || !device.isHost()))
    raise("ArgumentError", "T0605",
          describe(index) + " is written in place: expected a dense, aligned, writable array" +
              (device.isHost() ? "" : " in a Buffer of device " + device.uri));
  Handle<TwrtBuffer, twrtBufferRelease> held;
  if (moved.memory && device.isHost()) {
    tensor.buffer = moved.memory->buffer;
    model.noteCopy(describe(index), bytes, nullptr);
  } else if (device.isHost() && isDense && isAligned) {
    // The array itself is held until the run is over; the call keeps the bare address, which it
    // does not read again before it is given another.
    alignas(64) static uint8_t nothing;
    if (twrtBufferImport(device.handle, data ? data : &nothing, bytes, nullptr, nullptr,
                         &tensor.buffer, &error) != TWRT_OK)
      raise(error);
    held.reset(tensor.buffer);
  } else {
    moved.memory = makeMemory(loaded->device, bytes);
    tensor.buffer = moved.memory->buffer;
    Buffer target = {moved.memory, 0, array.element, {array.dims, array.dims + array.rank}};
    if (device.isHost()) {
      array.copyTo(target.data());
    } else {
      std::vector<uint8_t> dense;
      if (!isDense) {
        dense.resize(bytes);
        array.copyTo(dense.data());
        data = dense.data();
      }
      TwrtCode code;
      {
        nb::gil_scoped_release release;
        code =
            twrtBufferWrite(state->queue.get(), tensor.buffer, 0, {data, bytes}, nullptr, &error);
      }
      if (code != TWRT_OK)
        raise(error);
    }
    model.noteCopy(describe(index), bytes,
                   array.isLiteral || !device.isHost() ? nullptr
                   : isDense                           ? "is not aligned as its model needs it"
                                                       : "is not dense in row-major order");
  }
  if (twrtCallSetArgument(call, index, &tensor, &error) != TWRT_OK)
    raise(error);
}

void Run::placeResult(size_t index, const int64_t *dims) {
  ValueInfo &info = loaded->results[index];
  if (info.shares >= 0)
    return;
  TwrtError error = noError();
  TwrtTensor tensor = {sizeof(tensor), info.element, uint32_t(info.dims.size()), 0, nullptr, 0,
                       dims,           nullptr};
  std::shared_ptr<Memory> &memory = state->results[index];
  if (out.is_valid()) {
    Array &array = outArrays[index];
    auto name = [&] { return "out of result '" + info.name + "'"; };
    if (array.element != info.element || !fits(info.dims, array.dims, array.rank))
      checkType(info, array, name());
    if (!std::equal(dims, dims + array.rank, array.dims))
      raise("ArgumentError", "T0605",
            name() + " is " + describeType(info.element, {array.dims, array.dims + array.rank}) +
                ", the result " + describeType(info.element, {dims, dims + info.dims.size()}));
    size_t size = twrtElementBytes(info.element);
    bool isOurs = array.buffer && array.buffer->memory->device->handle == loaded->device->handle;
    if (array.readOnly || !array.isDense() ||
        (!isOurs && (!loaded->device->isHost() || reinterpret_cast<uintptr_t>(array.data) % size)))
      raise("ArgumentError", "T0605",
            name() + " cannot be written in place: expected a dense, aligned, writable array" +
                (loaded->device->isHost() ? "" : " in a Buffer of device " + loaded->device->uri));
    for (size_t i = 0; i < loaded->arguments.size(); ++i)
      if (overlaps(array, state->arrays[i]))
        raise("ArgumentError", "T0605", name() + " shares memory with " + describe(i));
    for (size_t i = 0; i < index; ++i)
      if (overlaps(array, outArrays[i]))
        raise("ArgumentError", "T0605",
              name() + " shares memory with that of result '" + loaded->results[i].name + "'");
    if (isOurs) {
      memory = array.buffer->memory;
      tensor.offset = array.buffer->offset;
    } else {
      TwrtBuffer *buffer = nullptr;
      alignas(64) static uint8_t nothing;
      if (twrtBufferImport(loaded->device->handle, array.data ? array.data : &nothing,
                           array.bytes(), nullptr, nullptr, &buffer, &error) != TWRT_OK)
        raise(error);
      memory = std::make_shared<Memory>(buffer, loaded->device);
    }
  } else {
    uint64_t bytes = info.bytes;
    if (!info.isStatic) {
      bytes = twrtElementBytes(info.element);
      for (uint32_t d = 0; d < tensor.rank; ++d)
        bytes *= uint64_t(dims[d]);
    }
    const std::shared_ptr<Pool> &pool = loaded->pools[index];
    TwrtBuffer *buffer = pool->take(bytes);
    if (!buffer && twrtBufferCreate(loaded->device->handle, bytes, 0, &buffer, &error) != TWRT_OK)
      raise(error);
    memory = std::make_shared<Memory>(buffer, loaded->device, pool);
  }
  tensor.buffer = memory->buffer;
  if (twrtCallSetResult(state->call.get(), index, &tensor, &error) != TWRT_OK)
    raise(error);
}

void Run::setOut(nb::handle given) {
  size_t count = loaded->results.size();
  for (const ValueInfo &info : loaded->results)
    if (info.isCounted)
      raise("ArgumentError", "T0605",
            "result '" + info.name +
                "' has as many elements as each call counts, which no array "
                "given as out could tell");
  outArrays = std::make_unique<Array[]>(count);
  bool isSequence = PyTuple_Check(given.ptr()) || PyList_Check(given.ptr());
  size_t found = isSequence ? nb::len(given) : 1;
  if (found != count)
    raise("ArgumentError", "T0605",
          "out has " + std::to_string(found) + " arrays, the model " + std::to_string(count) +
              " results");
  for (size_t i = 0; i < count; ++i) {
    nb::object object = isSequence ? nb::object(given[i]) : nb::borrow(given);
    outArrays[i].set(object, loaded->results[i].element, loaded->results[i].name.c_str());
    if (outArrays[i].isLiteral)
      raise("ArgumentError", "T0605", "out is a list or a number: expected an array");
  }
}

/// Gives each result memory of its own, which is never that of a result that somebody still holds.
void Run::placeResults() {
  if (out.is_valid())
    setOut(out);
  bool isStatic = true;
  for (const ValueInfo &info : loaded->results)
    isStatic &= info.isStatic;
  if (isStatic) {
    for (size_t i = 0; i < loaded->results.size(); ++i)
      placeResult(i, loaded->results[i].dims.data());
    return;
  }
  // The arguments' sizes say the results'.
  TwrtError error = noError();
  TwrtCode code = TWRT_OK;
  std::vector<std::vector<int64_t>> shapes(loaded->results.size());
  {
    nb::gil_scoped_release release;
    TwrtCall *call = state->call.get();
    for (size_t i = 0; code == TWRT_OK && i < shapes.size(); ++i)
      code = twrtCallSetResult(call, i, nullptr, &error);
    if (code == TWRT_OK)
      code = twrtCallPrepare(call, nullptr, &error);
    for (size_t i = 0; code == TWRT_OK && i < shapes.size(); ++i) {
      int64_t dims[maxRank];
      TwrtTensor tensor = {};
      tensor.size = sizeof(tensor);
      code = twrtCallGetResult(call, i, &tensor, dims, maxRank, &error);
      shapes[i].assign(dims, dims + tensor.rank);
    }
  }
  if (code != TWRT_OK)
    raise(error);
  for (size_t i = 0; i < shapes.size(); ++i)
    placeResult(i, shapes[i].data());
}

/// Keeps which kernel made the first NaN, or read one that came as an argument, and stops the run.
static TwrtCode checkNan(void *user, const TwrtLaunch *launch) {
  for (uint32_t i = 0; i < launch->bindingCount; ++i) {
    const TwrtBinding &binding = launch->bindings[i];
    size_t at = tw::format::findNan(binding.element, binding.data, binding.bytes);
    if (at == SIZE_MAX)
      continue;
    auto &state = *static_cast<CallState *>(user);
    TwrtString node = twrtCallLaunchNode(state.call.get(), launch->launch);
    state.nan = "kernel '" + std::string(launch->name.data, launch->name.size) + "'";
    if (node.size)
      state.nan += " (" + std::string(node.data, node.size) + ")";
    std::string place = std::to_string(at), extents;
    for (uint32_t dim = 0; dim < binding.rank; ++dim)
      extents += (dim ? ", " : "") + std::to_string(binding.dims[dim]);
    state.nan += binding.access == TWRT_READ
                     ? " read a NaN that no kernel made: element " + place + " of an argument"
                     : " made the first NaN: element " + place + " of a result";
    state.nan += " of shape [" + extents + "], in launch " + std::to_string(launch->launch) +
                 " of " + std::to_string(launch->launchCount);
    return TWRT_CANCELLED;
  }
  return TWRT_OK;
}

void Run::setLimits() {
  if (state->mostThreads != model.mostThreads)
    twrtCallSetThreads(call(), state->mostThreads = model.mostThreads, nullptr);
  if (state->timeLimitNs != model.timeLimitNs)
    twrtCallSetTimeLimit(call(), state->timeLimitNs = model.timeLimitNs, nullptr);
  if (state->captured != model.captured) {
    TwrtError error = noError();
    if (twrtCallSetCaptured(call(), model.captured, &error) != TWRT_OK)
      raise(error);
    state->captured = model.captured;
  }
  state->nan.clear();
  if (state->checksNan != model.checksNan) {
    TwrtError error = noError();
    if (twrtCallSetLaunchHook(call(), model.checksNan ? checkNan : nullptr, state.get(), &error) !=
        TWRT_OK)
      raise(error);
    state->checksNan = model.checksNan;
  }
}

void Run::submit(TwrtQueue *queue, const std::vector<TwrtPoint> &after, bool waits) {
  isSound = false;
  placeResults();
  setLimits();
  TwrtError error = noError();
  TwrtCode code;
  auto start = std::chrono::steady_clock::now();
  auto run = [&] {
    code = twrtCallSubmit(state->call.get(), queue ? queue : state->queue.get(), after.data(),
                          after.size(), &point, &error);
    if (code == TWRT_OK && waits && !loaded->device->isHost())
      code = twrtPointWait(point, UINT64_MAX, &error);
  };
  if (loaded->lastNanoseconds.load(std::memory_order_relaxed) < mostNanosecondsWithGil) {
    run();
  } else {
    nb::gil_scoped_release release;
    run();
  }
  if (code != TWRT_OK && !state->nan.empty())
    raise(
        "RunError", "T0610", state->nan,
        "Look at what that kernel computes and at its operands; check_nan=False runs on with NaN.");
  if (code != TWRT_OK)
    raise(error);
  isSubmitted = true;
  // The host runs what it is handed before it returns.
  isOver = isSound = waits || loaded->device->isHost();
  loaded->lastNanoseconds.store(
      uint64_t(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count()),
      std::memory_order_relaxed);
}

bool Run::isDone() const { return isOver || twrtPointReached(point) != 0; }

bool Run::wait(uint64_t timeoutNs) {
  if (isOver)
    return true;
  TwrtError error = noError();
  TwrtCode code;
  {
    nb::gil_scoped_release release;
    code = twrtPointWait(point, timeoutNs, &error);
  }
  if (code == TWRT_TIMEOUT)
    return false;
  isOver = true;
  if (code != TWRT_OK)
    raise(error);
  isSound = true;
  return true;
}

nb::object Run::makeArray(Buffer &&buffer, ValueInfo &info) {
  switch (library) {
  case Library::Ours:
    return wrap(std::move(buffer));
  case Library::Numpy:
  case Library::Other: {
    if (!info.dtype.is_valid()) {
      info.dtype = makeDtype(info.element);
      if (info.isStatic && !info.isCounted)
        info.shape = makeShape(info.dims);
    }
    return makeNumpy(buffer, info.shape, info.dtype);
  }
  case Library::Torch: {
    buffer = toHost(buffer);
    static const dlpack::ExchangeApi *api = [] {
      nb::object type = nb::module_::import_("torch").attr("Tensor");
      nb::object capsule = nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
      return static_cast<const dlpack::ExchangeApi *>(
          PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")
              ? PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api")
              : nullptr);
    }();
    if (api && api->toObject) {
      void *made = nullptr;
      dlpack::ManagedVersioned *managed = makeManaged(buffer);
      if (api->toObject(managed, &made) != 0) {
        managed->release(managed);
        throw nb::python_error();
      }
      return nb::steal(static_cast<PyObject *>(made));
    }
    return nb::module_::import_("torch").attr("from_dlpack")(wrap(std::move(buffer)));
  }
  case Library::Jax: {
    static nb::handle import =
        nb::object(nb::module_::import_("tensorwright._interop").attr("make_jax_importer")())
            .release();
    return import(wrap(toHost(buffer)));
  }
  }
  return nb::none();
}

/// An argument that was written in place: it itself, or the part of it that is filled.
static nb::object takeArgument(nb::handle given, const int64_t *dims, const Array &array) {
  std::vector<int64_t> filled(dims, dims + array.rank);
  if (nb::isinstance<State>(given))
    return nb::cast(State{nb::inst_ptr<State>(given)->array, std::move(filled)});
  if (std::equal(filled.begin(), filled.end(), array.dims))
    return nb::borrow(given);
  return sliceOf(given, filled);
}

/// What a result's counted dimensions say of a run: that values were no sizes that it serves.
[[noreturn]] static void raiseValues(const TwrtError &error) {
  if (error.code == TWRT_INVALID_ARGUMENT)
    raise("ArgumentError", "T0605", error.message,
          "Give values that the ranges hold, or compile for ranges that hold these.");
  raise(error);
}

nb::object Run::takeResult(size_t index) {
  ValueInfo &info = loaded->results[index];
  if (info.shares < 0 && info.isStatic && !info.isCounted)
    return makeArray({std::move(state->results[index]), 0, info.element, info.dims}, info);
  TwrtError error = noError();
  int64_t dims[maxRank];
  TwrtTensor tensor = {};
  tensor.size = sizeof(tensor);
  if (twrtCallGetResult(state->call.get(), index, &tensor, dims, maxRank, &error) != TWRT_OK)
    raiseValues(error);
  if (info.shares >= 0)
    return takeArgument(state->objects[size_t(info.shares)], dims,
                        state->arrays[size_t(info.shares)]);
  Buffer result = {std::move(state->results[index]), 0, info.element, {dims, dims + tensor.rank}};
  if (info.isCounted) {
    std::vector<int64_t> there = std::move(result.dims);
    result.dims.assign(tensor.storage, tensor.storage + tensor.rank);
    result = takePart(result, there);
  }
  return makeArray(std::move(result), info);
}

nb::object Run::takeResults() {
  if (out.is_valid())
    return std::move(out);
  size_t count = loaded->results.size();
  if (count == 1)
    return takeResult(0);
  nb::object results = nb::steal(PyTuple_New(Py_ssize_t(count)));
  for (size_t i = 0; i < count; ++i)
    NB_TUPLE_SET_ITEM(results.ptr(), Py_ssize_t(i), takeResult(i).release().ptr());
  return results;
}
