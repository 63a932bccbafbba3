// tensorwright.Buffer: memory of a device as a tensor, which other libraries share.
#include "Buffer.h"
#include "Array.h"

#include <cstring>

using namespace tw::python;

Pool::~Pool() {
  // What an ancestor of this process made stays as it is.
  if (generation == getGeneration())
    for (TwrtBuffer *buffer : buffers)
      twrtBufferRelease(buffer);
}

TwrtBuffer *Pool::take(uint64_t bytes) {
  std::lock_guard guard(lock);
  for (size_t i = buffers.size(); i-- > 0;) {
    if (twrtBufferBytes(buffers[i]) != bytes)
      continue;
    TwrtBuffer *found = buffers[i];
    buffers.erase(buffers.begin() + ptrdiff_t(i));
    return found;
  }
  return nullptr;
}

bool Pool::put(TwrtBuffer *buffer) {
  std::lock_guard guard(lock);
  if (buffers.size() >= mostBuffers) {
    // Of another size than what is asked for now.
    twrtBufferRelease(buffers.front());
    buffers.erase(buffers.begin());
  }
  buffers.push_back(buffer);
  return true;
}

Memory::~Memory() {
  if (!buffer || device->isStale())
    return;
  if (!pool || pool.use_count() == 1 || !pool->put(buffer))
    twrtBufferRelease(buffer);
}

uint64_t Buffer::bytes() const {
  uint64_t bytes = twrtElementBytes(element);
  for (int64_t dim : dims)
    bytes *= uint64_t(dim);
  return bytes;
}

uint8_t *Buffer::data() const {
  auto *data = static_cast<uint8_t *>(memory->data());
  return data ? data + offset : nullptr;
}

uint64_t tw::python::countBytes(uint32_t element, const std::vector<int64_t> &dims) {
  uint64_t bytes = twrtElementBytes(element);
  if (bytes == 0)
    raise("UnsupportedError", "T0605",
          std::string("elements of type ") + nameOf(element) + " are smaller than a byte");
  for (int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(bytes, uint64_t(dim), &bytes))
      raise("ArgumentError", "T0605", "a dimension of " + std::to_string(dim) + " is out of range");
  return bytes;
}

std::shared_ptr<Memory> tw::python::makeMemory(const std::shared_ptr<Device> &device,
                                               uint64_t bytes) {
  TwrtError error = noError();
  TwrtBuffer *buffer = nullptr;
  if (twrtBufferCreate(device->handle, bytes, 0, &buffer, &error) != TWRT_OK)
    raise(error);
  return std::make_shared<Memory>(buffer, device);
}

/// Moves bytes between the host and a buffer and waits.
template <typename Move> static void transfer(const Buffer &buffer, Move move) {
  const std::shared_ptr<Device> &device = buffer.memory->device;
  TwrtError error = noError();
  TwrtCode code;
  {
    nb::gil_scoped_release release;
    TwrtQueue *queue = nullptr;
    code = twrtQueueCreate(device->handle, &queue, &error);
    if (code == TWRT_OK)
      code = move(queue, &error);
    twrtQueueRelease(queue);
  }
  if (code != TWRT_OK)
    raise(error);
}

Buffer tw::python::toHost(const Buffer &buffer) {
  if (buffer.memory->device->isHost())
    return buffer;
  TwrtError error = noError();
  std::shared_ptr<Device> host = Device::open("host", buffer.memory->device->threads, error);
  if (!host)
    raise(error);
  Buffer copy = {makeMemory(host, buffer.bytes()), 0, buffer.element, buffer.dims};
  transfer(buffer, [&](TwrtQueue *queue, TwrtError *reason) {
    return twrtBufferRead(queue, buffer.memory->buffer, buffer.offset, copy.data(), buffer.bytes(),
                          nullptr, reason);
  });
  return copy;
}

/// Puts the rows of a tensor of `dims` in one of `storage` one behind the other.
static void packRows(const uint8_t *from, uint8_t *to, size_t width,
                     const std::vector<int64_t> &dims, const std::vector<int64_t> &storage,
                     size_t dim = 0) {
  size_t step = width;
  for (size_t d = dim + 1; d < dims.size(); ++d)
    step *= size_t(storage[d]);
  size_t part = width;
  for (size_t d = dim + 1; d < dims.size(); ++d)
    part *= size_t(dims[d]);
  if (part == step) {
    if (part != 0)
      memcpy(to, from, part * size_t(dims[dim]));
    return;
  }
  for (int64_t i = 0; i < dims[dim]; ++i)
    packRows(from + size_t(i) * step, to + size_t(i) * part, width, dims, storage, dim + 1);
}

Buffer tw::python::takePart(const Buffer &buffer, const std::vector<int64_t> &dims) {
  Buffer part = {buffer.memory, buffer.offset, buffer.element, dims};
  if (dims.empty() || part.bytes() == 0 ||
      std::equal(dims.begin() + 1, dims.end(), buffer.dims.begin() + 1))
    return part;
  Buffer whole = toHost(buffer);
  part = {makeMemory(whole.memory->device, part.bytes()), 0, buffer.element, dims};
  packRows(whole.data(), part.data(), twrtElementBytes(buffer.element), dims, buffer.dims);
  if (buffer.memory->device->isHost())
    return part;
  Buffer moved = {makeMemory(buffer.memory->device, part.bytes()), 0, buffer.element, dims};
  transfer(moved, [&](TwrtQueue *queue, TwrtError *reason) {
    return twrtBufferWrite(queue, moved.memory->buffer, 0, {part.data(), part.bytes()}, nullptr,
                           reason);
  });
  return moved;
}

nb::object tw::python::wrap(Buffer &&buffer) {
  static nb::handle type = nb::type<Buffer>();
  nb::object object = nb::inst_alloc(type);
  new (nb::inst_ptr<Buffer>(object)) Buffer(std::move(buffer));
  nb::inst_mark_ready(object);
  return object;
}

Buffer *tw::python::asBuffer(nb::handle object) {
  return nb::isinstance<Buffer>(object) ? nb::inst_ptr<Buffer>(object) : nullptr;
}

std::vector<int64_t> tw::python::readShape(nb::handle shape) {
  auto read = [](nb::handle dim) {
    nb::object index = nb::steal(PyNumber_Index(dim.ptr()));
    int64_t size = index ? PyLong_AsLongLong(index.ptr()) : -1;
    if (size == -1 && PyErr_Occurred())
      throw nb::python_error();
    return size;
  };
  if (PyIndex_Check(shape.ptr()))
    return {read(shape)};
  std::vector<int64_t> dims;
  for (nb::handle dim : shape)
    dims.push_back(read(dim));
  return dims;
}

nb::tuple tw::python::makeShape(const std::vector<int64_t> &dims) {
  nb::object shape = nb::steal(PyTuple_New(Py_ssize_t(dims.size())));
  for (size_t i = 0; i < dims.size(); ++i)
    NB_TUPLE_SET_ITEM(shape.ptr(), Py_ssize_t(i), PyLong_FromLongLong(dims[i]));
  return nb::borrow<nb::tuple>(shape);
}

nb::object tw::python::makeDtype(uint32_t element) {
  const Element *known = getElement(element);
  nb::module_ numpy = nb::module_::import_("numpy");
  if (*known->format)
    return numpy.attr("dtype")(known->name);
  nb::module_ small = nb::module_::import_("ml_dtypes");
  return numpy.attr("dtype")(small.attr(known->name));
}

nb::object tw::python::makeNumpy(const Buffer &buffer, nb::handle shape, nb::handle dtype) {
  static nb::handle type = nb::object(nb::module_::import_("numpy").attr("ndarray")).release();
  Buffer host = toHost(buffer);
  nb::object shapeObject = shape.is_valid() ? nb::borrow(shape) : nb::object(makeShape(host.dims));
  nb::object dtypeObject = dtype.is_valid() ? nb::borrow(dtype) : makeDtype(host.element);
  nb::object keeper = wrap(std::move(host));
  PyObject *arguments[] = {nullptr, shapeObject.ptr(), dtypeObject.ptr(), keeper.ptr()};
  nb::object array = nb::steal(
      PyObject_Vectorcall(type.ptr(), arguments + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  if (!array)
    throw nb::python_error();
  return array;
}

namespace {

/// What a lent tensor keeps. No member needs the GIL to be destroyed.
template <typename T> struct Lent {
  T managed;
  std::shared_ptr<Memory> memory;
  std::vector<int64_t> dims, strides;
};

template <typename T> T *lend(const Buffer &buffer) {
  auto *lent = new Lent<T>{{}, buffer.memory, buffer.dims, {}};
  lent->strides.resize(buffer.dims.size());
  int64_t stride = 1;
  for (size_t d = buffer.dims.size(); d-- > 0; stride *= std::max<int64_t>(buffer.dims[d], 1))
    lent->strides[d] = stride;
  const Element *element = getElement(buffer.element);
  lent->managed.tensor = {buffer.data(),
                          {dlpack::cpu, 0},
                          int32_t(buffer.dims.size()),
                          {element->code, element->bits, 1},
                          lent->dims.data(),
                          lent->strides.data(),
                          0};
  lent->managed.context = lent;
  lent->managed.release = [](T *self) { delete static_cast<Lent<T> *>(self->context); };
  return &lent->managed;
}

template <typename T> nb::object makeCapsule(T *managed, const char *name) {
  // Whoever takes the tensor renames the capsule.
  PyObject *capsule = PyCapsule_New(managed, name, [](PyObject *self) {
    const char *found = PyCapsule_GetName(self);
    if (!found || strncmp(found, "used_", 5) == 0)
      return;
    auto *unused = static_cast<T *>(PyCapsule_GetPointer(self, found));
    unused->release(unused);
  });
  if (!capsule)
    throw nb::python_error();
  return nb::steal(capsule);
}

void checkHost(const Buffer &buffer) {
  if (buffer.memory->device->isHost())
    return;
  PyErr_Format(PyExc_BufferError,
               "the buffer lies on device %s: its method numpy() copies it to the host",
               buffer.memory->device->uri.c_str());
  throw nb::python_error();
}

nb::object exportTensor(const Buffer &buffer, nb::handle stream, nb::handle maxVersion,
                        nb::handle device, nb::handle copy) {
  checkHost(buffer);
  if (copy.ptr() == Py_True) {
    PyErr_SetString(PyExc_BufferError, "a Buffer lends its memory and makes no copies");
    throw nb::python_error();
  }
  bool isVersioned = !maxVersion.is_none() && nb::cast<int>(maxVersion[0]) >= 1;
  if (!isVersioned)
    return makeCapsule(lend<dlpack::Managed>(buffer), "dltensor");
  return makeCapsule(makeManaged(buffer), "dltensor_versioned");
}

int getBuffer(PyObject *self, Py_buffer *view, int flags) {
  const Buffer &buffer = *nb::inst_ptr<Buffer>(nb::handle(self));
  const Element *element = getElement(buffer.element);
  view->obj = nullptr;
  if (!buffer.memory->device->isHost()) {
    PyErr_Format(PyExc_BufferError, "the buffer lies on device %s",
                 buffer.memory->device->uri.c_str());
    return -1;
  }
  bool wantsFormat = (flags & PyBUF_FORMAT) == PyBUF_FORMAT;
  if (wantsFormat && !*element->format) {
    PyErr_Format(PyExc_BufferError, "the buffer protocol has no elements of type %s",
                 element->name);
    return -1;
  }
  // Contents of no bytes lie somewhere, too.
  static uint8_t nothing;
  view->buf = buffer.data() ? buffer.data() : &nothing;
  view->len = Py_ssize_t(buffer.bytes());
  view->itemsize = Py_ssize_t(twrtElementBytes(buffer.element));
  view->readonly = 0;
  view->format = wantsFormat ? const_cast<char *>(element->format) : nullptr;
  view->suboffsets = nullptr;
  view->internal = nullptr;
  bool wantsShape = (flags & PyBUF_ND) == PyBUF_ND;
  bool wantsStrides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  view->ndim = wantsShape ? int(buffer.dims.size()) : 1;
  view->shape = view->strides = nullptr;
  if (wantsShape && view->ndim) {
    auto *sizes = new Py_ssize_t[size_t(view->ndim) * 2];
    Py_ssize_t stride = view->itemsize;
    for (size_t d = buffer.dims.size(); d-- > 0;
         stride *= std::max<Py_ssize_t>(buffer.dims[d], 1)) {
      sizes[d] = buffer.dims[d];
      sizes[buffer.dims.size() + d] = stride;
    }
    view->internal = sizes;
    view->shape = sizes;
    view->strides = wantsStrides ? sizes + view->ndim : nullptr;
  }
  view->obj = Py_NewRef(self);
  return 0;
}

void releaseBuffer(PyObject *, Py_buffer *view) {
  delete[] static_cast<Py_ssize_t *>(view->internal);
}

PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void *>(getBuffer)},
                       {Py_bf_releasebuffer, reinterpret_cast<void *>(releaseBuffer)},
                       {0, nullptr}};

std::shared_ptr<Device> openDevice(const std::string &uri, uint32_t threads) {
  TwrtError error = noError();
  std::shared_ptr<Device> device;
  {
    nb::gil_scoped_release release;
    device = Device::open(uri, threads, error);
  }
  if (!device)
    raise(error);
  return device;
}

uint32_t readElement(const std::string &dtype) {
  if (std::optional<uint32_t> element = findElement(std::string_view(dtype)))
    return *element;
  raise("ArgumentError", "T0605",
        "there is no dtype '" + dtype +
            "': names are those of numpy and ml_dtypes, such as 'float32'");
}

/// Overwrites the contents.
void fill(Buffer &buffer, nb::handle array) {
  Array source;
  source.set(array, buffer.element, "the array");
  bool same =
      source.element == buffer.element &&
      std::equal(buffer.dims.begin(), buffer.dims.end(), source.dims, source.dims + source.rank);
  if (!same) {
    std::vector<int64_t> dims(source.dims, source.dims + source.rank);
    raise("ArgumentError", "T0605",
          std::string("the buffer is ") + nameOf(buffer.element) +
              nb::cast<std::string>(nb::repr(makeShape(buffer.dims))) + ", the array " +
              nameOf(source.element) + nb::cast<std::string>(nb::repr(makeShape(dims))));
  }
  if (source.buffer && !source.data) {
    fill(buffer, wrap(toHost(*source.buffer)));
    return;
  }
  if (buffer.memory->device->isHost()) {
    source.copyTo(buffer.data());
    return;
  }
  std::vector<uint8_t> dense(source.bytes());
  source.copyTo(dense.data());
  transfer(buffer, [&](TwrtQueue *queue, TwrtError *error) {
    return twrtBufferWrite(queue, buffer.memory->buffer, buffer.offset,
                           {dense.data(), dense.size()}, nullptr, error);
  });
}

void create(Buffer *self, nb::handle shape, const std::string &dtype, const std::string &uri,
            uint32_t threads) {
  std::vector<int64_t> dims = readShape(shape);
  if (dims.size() > maxRank)
    raise("ArgumentError", "T0605",
          "a buffer has at most " + std::to_string(maxRank) + " dimensions");
  uint32_t element = readElement(dtype);
  uint64_t bytes = countBytes(element, dims);
  new (self) Buffer{makeMemory(openDevice(uri, threads), bytes), 0, element, std::move(dims)};
}

nb::object copyOf(nb::handle array, const std::string &uri, uint32_t threads) {
  Array source;
  source.set(array, TWRT_F32, "the array");
  std::vector<int64_t> dims(source.dims, source.dims + source.rank);
  Buffer made = {makeMemory(openDevice(uri, threads), countBytes(source.element, dims)), 0,
                 source.element, dims};
  fill(made, array);
  return wrap(std::move(made));
}

} // namespace

dlpack::ManagedVersioned *tw::python::makeManaged(const Buffer &buffer) {
  auto *managed = lend<dlpack::ManagedVersioned>(buffer);
  managed->version = {1, 0};
  managed->flags = 0;
  return managed;
}

void tw::python::bindBuffer(nb::module_ &module) {
  nb::class_<Buffer>(
      module, "Buffer", nb::type_slots(slots),
      "Buffer(shape, dtype=\"float32\", device=\"host\", threads=0)\n--\n\n"
      "A dense row-major tensor in the memory of a device, with undefined contents at first.\n\n"
      "On the host it lends its memory, which is aligned to 64 bytes, to numpy, torch, JAX and\n"
      "others without a copy: by the buffer protocol and by DLPack. It lives until the last of\n"
      "them lets go.")
      .def("__init__", create, nb::arg("shape"), nb::arg("dtype") = "float32",
           nb::arg("device") = "host", nb::arg("threads") = 0,
           nb::sig("def __init__(self, shape: int | collections.abc.Iterable[int], dtype: str = "
                   "'float32', device: str = 'host', threads: int = 0) -> None"))
      .def_static(
          "copy_of", copyOf, nb::arg("array"), nb::arg("device") = "host", nb::arg("threads") = 0,
          nb::sig("def copy_of(array: object, device: str = 'host', threads: int = 0) -> Buffer"),
          "A Buffer with the elements of an array, on a device.")
      .def_prop_ro(
          "shape", [](const Buffer &self) { return makeShape(self.dims); },
          nb::for_getter(nb::sig("def shape(self) -> tuple[int, ...]")),
          "Extents, a tuple of ints.")
      .def_prop_ro(
          "dtype", [](const Buffer &self) { return nameOf(self.element); },
          "Name of the element type as in numpy and ml_dtypes, such as \"float32\".")
      .def_prop_ro(
          "nbytes", [](const Buffer &self) { return self.bytes(); }, "Bytes of all elements.")
      .def_prop_ro(
          "device", [](const Buffer &self) { return self.memory->device->uri; },
          "Name of the device that it lies on.")
      .def_prop_ro(
          "address", [](const Buffer &self) { return reinterpret_cast<uintptr_t>(self.data()); },
          "Address of the first element; 0 where the host cannot reach it.")
      .def(
          "numpy", [](const Buffer &self) { return makeNumpy(self); },
          nb::sig("def numpy(self) -> typing.Any"),
          "An array of numpy: in the same memory on the host, of other devices a copy.")
      .def("fill", fill, nb::arg("array"),
           "Copies the elements of an array of the same shape and dtype into it.")
      .def(
          "__array__",
          [](const Buffer &self, nb::handle dtype, nb::handle copy) {
            nb::object array = makeNumpy(self);
            if (!dtype.is_none())
              array = array.attr("astype")(dtype, nb::arg("copy") = false);
            return copy.ptr() == Py_True ? nb::object(array.attr("copy")()) : array;
          },
          nb::arg("dtype").none() = nb::none(), nb::arg("copy").none() = nb::none(),
          nb::sig("def __array__(self, dtype: object | None = None, copy: bool | None = None) -> "
                  "typing.Any"))
      .def("__dlpack__", exportTensor, nb::kw_only(), nb::arg("stream").none() = nb::none(),
           nb::arg("max_version").none() = nb::none(), nb::arg("dl_device").none() = nb::none(),
           nb::arg("copy").none() = nb::none(),
           nb::sig(
               "def __dlpack__(self, *, stream: object | None = None, max_version: tuple[int, int] "
               "| None = None, "
               "dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> typing.Any"))
      .def(
          "__dlpack_device__",
          [](const Buffer &self) {
            checkHost(self);
            return nb::make_tuple(dlpack::cpu, 0);
          },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"))
      .def("__repr__", [](const Buffer &self) {
        std::string text = "Buffer(" + nb::cast<std::string>(nb::repr(makeShape(self.dims))) +
                           ", " + nameOf(self.element);
        if (!self.memory->device->isHost())
          text += ", device=" + self.memory->device->uri;
        return text + ")";
      });
}
