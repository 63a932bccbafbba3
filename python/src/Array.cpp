// Arrays of other libraries by the buffer protocol, DLPack and its exchange API.
#include "Array.h"

#include <cstring>
#include <unordered_map>

using namespace tw::python;

/// Interned once; never released, as the interpreter ends after everything else.
static nb::handle intern(const char *text) { return PyUnicode_InternFromString(text); }

static bool startsWith(nb::handle text, std::string_view prefix) {
  Py_ssize_t size = 0;
  const char *data =
      PyUnicode_Check(text.ptr()) ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
  return data && std::string_view(data, size_t(size)).starts_with(prefix);
}

/// Whether a class of that name and package is among the type's bases.
static bool derives(nb::handle type, std::string_view package, std::string_view name) {
  for (nb::handle base : nb::getattr(type, "__mro__", nb::make_tuple()))
    if (nb::getattr(base, "__name__", nb::none()).equal(nb::str(name.data(), name.size())) &&
        startsWith(nb::getattr(base, "__module__", nb::none()), package))
      return true;
  return false;
}

std::string tw::python::getTypeName(nb::handle object) {
  return nb::steal<nb::str>(PyType_GetName(Py_TYPE(object.ptr()))).c_str();
}

static nb::object callWithoutArguments(nb::handle object, nb::handle method) {
  PyObject *arguments[] = {object.ptr()};
  return nb::steal(PyObject_VectorcallMethod(method.ptr(), arguments,
                                             1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
}

static ArrayType examine(nb::handle object) {
  nb::handle type = object.type();
  if (asBuffer(object))
    return {ArrayType::OurBuffer, Library::Ours};
  if (derives(type, "numpy", "ndarray") || derives(type, "numpy", "generic"))
    return {ArrayType::BufferProtocol, Library::Numpy};
  bool isTorch = derives(type, "torch", "Tensor");
  bool isJax = startsWith(nb::getattr(type, "__module__", nb::none()), "jax");
  Library library = isTorch ? Library::Torch : isJax ? Library::Jax : Library::Other;
  nb::object capsule = nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  if (PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) {
    auto *api = static_cast<const dlpack::ExchangeApi *>(
        PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
    while (api && api->version.major != 1)
      api = api->previous;
    if (api && api->fromObject)
      return {ArrayType::Exchange, library, api};
  }
  if (nb::hasattr(object, "__dlpack__"))
    return {ArrayType::DLPack, library};
  if (PyObject_CheckBuffer(object.ptr()))
    return {ArrayType::BufferProtocol, Library::Numpy};
  return {};
}

const ArrayType &tw::python::getArrayType(nb::handle object) {
  static auto *known = new std::unordered_map<PyTypeObject *, ArrayType>;
  PyTypeObject *type = Py_TYPE(object.ptr());
  auto found = known->find(type);
  if (found == known->end()) {
    ArrayType made = examine(object);
    Py_INCREF(reinterpret_cast<PyObject *>(type));
    found = known->emplace(type, made).first;
  }
  return found->second;
}

void Array::reset() {
  if (hasView)
    PyBuffer_Release(&view);
  if (managed && managed->release)
    managed->release(managed);
  if (versioned && versioned->release)
    versioned->release(versioned);
  Py_CLEAR(keep);
  hasView = false;
  managed = nullptr;
  versioned = nullptr;
  buffer = nullptr;
  isLiteral = false;
}

bool Array::isDense() const {
  if (!hasStrides)
    return true;
  int64_t expected = int64_t(twrtElementBytes(element));
  for (uint32_t d = rank; d-- > 0;) {
    if (dims[d] == 0)
      return true;
    if (dims[d] != 1 && strides[d] != expected)
      return false;
    expected *= dims[d];
  }
  return true;
}

uint64_t Array::bytes() const {
  uint64_t bytes = twrtElementBytes(element);
  for (uint32_t d = 0; d < rank; ++d)
    bytes *= uint64_t(dims[d]);
  return bytes;
}

static void copyStrided(uint8_t *&to, const uint8_t *from, const int64_t *dims,
                        const int64_t *strides, uint32_t rank, size_t elementBytes) {
  if (rank == 0) {
    memcpy(to, from, elementBytes);
    to += elementBytes;
    return;
  }
  if (rank == 1 && strides[0] == int64_t(elementBytes)) {
    memcpy(to, from, size_t(dims[0]) * elementBytes);
    to += size_t(dims[0]) * elementBytes;
    return;
  }
  for (int64_t i = 0; i < dims[0]; ++i)
    copyStrided(to, from + i * strides[0], dims + 1, strides + 1, rank - 1, elementBytes);
}

void Array::copyTo(void *to) const {
  auto *place = static_cast<uint8_t *>(to);
  if (bytes() == 0)
    return;
  if (isDense())
    memcpy(place, data, bytes());
  else
    copyStrided(place, static_cast<const uint8_t *>(data), dims, strides, rank,
                twrtElementBytes(element));
}

static void checkRank(int64_t rank, const char *name) {
  if (rank > int64_t(maxRank))
    raise("ArgumentError", "T0605",
          std::string(name) + " has " + std::to_string(rank) + " dimensions, at most " +
              std::to_string(maxRank) + " are known");
}

void Array::setBuffer(nb::handle object) {
  buffer = asBuffer(object);
  keep = object.inc_ref().ptr();
  data = buffer->data();
  element = buffer->element;
  rank = uint32_t(buffer->dims.size());
  std::copy(buffer->dims.begin(), buffer->dims.end(), dims);
  hasStrides = false;
  readOnly = false;
}

/// Fills the members from `view`.
void Array::takeView(const char *name) {
  hasView = true;
  std::optional<uint32_t> found = findFormat(view.format, size_t(view.itemsize));
  if (!found)
    raise("ArgumentError", "T0605",
          std::string(name) + " has elements of format '" + view.format +
              "', which no model takes: numbers in the byte order of the machine are expected");
  checkRank(view.ndim, name);
  data = view.buf;
  element = *found;
  rank = uint32_t(view.ndim);
  readOnly = view.readonly;
  hasStrides = view.strides;
  for (uint32_t d = 0; d < rank; ++d) {
    dims[d] = view.shape[d];
    if (hasStrides)
      strides[d] = view.strides[d];
  }
}

void Array::setView(nb::handle object, const char *name) {
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_RECORDS_RO) == 0) {
    takeView(name);
  } else if (nb::object dtype = nb::getattr(object, "dtype", nb::none()); !dtype.is_none()) {
    // Small floats of ml_dtypes have no format: their bits are those of integers.
    PyErr_Clear();
    std::string type = nb::cast<std::string>(nb::str(nb::getattr(dtype, "name", nb::str("?"))));
    std::optional<uint32_t> found = findElement(std::string_view(type));
    size_t size = found ? twrtElementBytes(*found) : 0;
    if (size != 1 && size != 2)
      raise("ArgumentError", "T0605",
            std::string(name) + " has dtype " + type + ", which no model takes");
    nb::object bits = object.attr("view")(size == 1 ? "uint8" : "uint16");
    if (PyObject_GetBuffer(bits.ptr(), &view, PyBUF_RECORDS_RO) != 0)
      throw nb::python_error();
    takeView(name);
    element = *found;
  } else {
    throw nb::python_error();
  }
}

void Array::setTensor(const dlpack::Tensor &tensor, const char *name) {
  std::optional<uint32_t> found = findElement(tensor.type);
  if (!found)
    raise("ArgumentError", "T0605", std::string(name) + " has elements that no model takes");
  if (tensor.device.type != dlpack::cpu)
    raise("ArgumentError", "T0608",
          std::string(name) + " lies on a device of its library: copy it to the CPU first, or to a "
                              "tensorwright.Buffer");
  checkRank(tensor.rank, name);
  data = static_cast<uint8_t *>(tensor.data) + tensor.offset;
  element = *found;
  rank = uint32_t(tensor.rank);
  hasStrides = tensor.strides;
  int64_t size = int64_t(twrtElementBytes(element));
  for (uint32_t d = 0; d < rank; ++d) {
    dims[d] = tensor.dims[d];
    if (hasStrides)
      strides[d] = tensor.strides[d] * size;
  }
}

/// Raises ArgumentError in place of the error of the library that is set.
[[noreturn]] static void raiseUnshared(const char *name) {
  nb::python_error reason;
  std::string text = nb::cast<std::string>(nb::str(reason.value()));
  raise("ArgumentError", "T0605",
        std::string(name) + " cannot be shared by its library: " + text.substr(0, text.find('\n')));
}

/// The exchange API tells neither of gradients nor of numbers that are negated when they are read.
void Array::checkTorch(nb::object &object, const char *name) {
  static nb::handle gradient = intern("requires_grad"), negated = intern("is_neg");
  if (nb::object value = nb::getattr(object, gradient, nb::none()); value.ptr() == Py_True) {
    readOnly = true;
    static nb::handle isEnabled =
        nb::object(nb::module_::import_("torch").attr("is_grad_enabled")).release();
    if (nb::object enabled = isEnabled(); enabled.ptr() == Py_True)
      raise("ArgumentError", "T0605",
            std::string(name) + " requires a gradient, which no result of a model has: pass "
                                ".detach() of it, or call the model in torch.no_grad()");
  }
  nb::object value = callWithoutArguments(object, negated);
  if (!value)
    throw nb::python_error();
  if (value.ptr() == Py_True)
    object = object.attr("resolve_neg")();
  else if (nb::cast<bool>(object.attr("is_conj")()))
    object = object.attr("resolve_conj")();
}

void Array::setExchange(nb::handle given, const dlpack::ExchangeApi &api, const char *name) {
  nb::object object = nb::borrow(given);
  readOnly = false;
  if (library == Library::Torch)
    checkTorch(object, name);
  if (api.fromObject(object.ptr(), &versioned) != 0) {
    versioned = nullptr;
    raiseUnshared(name);
  }
  readOnly |= bool(versioned->flags & dlpack::readOnly);
  setTensor(versioned->tensor, name);
}

void Array::setDLPack(nb::handle object, const char *name) {
  static nb::handle method = intern("__dlpack__"), names = nb::make_tuple("max_version").release();
  static nb::handle version = nb::make_tuple(1, 0).release();
  PyObject *arguments[] = {object.ptr(), version.ptr()};
  nb::object capsule = nb::steal(PyObject_VectorcallMethod(
      method.ptr(), arguments, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, names.ptr()));
  if (!capsule) {
    // Libraries of the time before versions do not know the keyword.
    if (!PyErr_ExceptionMatches(PyExc_TypeError))
      raiseUnshared(name);
    PyErr_Clear();
    capsule = callWithoutArguments(object, method);
    if (!capsule)
      raiseUnshared(name);
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    versioned = static_cast<dlpack::ManagedVersioned *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    PyCapsule_SetName(capsule.ptr(), "used_dltensor_versioned");
    readOnly = versioned->flags & dlpack::readOnly;
    setTensor(versioned->tensor, name);
    return;
  }
  managed = static_cast<dlpack::Managed *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (!managed)
    throw nb::python_error();
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  readOnly = library == Library::Jax; // whose arrays never change, which this capsule cannot say
  setTensor(managed->tensor, name);
}

/// Whether an array of numpy holds numbers that may have fractions. One of none has any type.
static bool hasFractions(const nb::object &array) {
  std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  return (kind == "f" || kind == "c") && nb::cast<size_t>(array.attr("size")) != 0;
}

void Array::set(nb::handle object, uint32_t expected, const char *name) {
  reset();
  const ArrayType &type = getArrayType(object);
  library = type.library;
  switch (type.access) {
  case ArrayType::OurBuffer:
    return setBuffer(object);
  case ArrayType::BufferProtocol:
    return setView(object, name);
  case ArrayType::Exchange:
    return setExchange(object, *type.exchange, name);
  case ArrayType::DLPack:
    // JAX's buffers take a fifth of the time of its capsules, but are not there for all arrays.
    if (library == Library::Jax) {
      if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_RECORDS_RO) == 0)
        return takeView(name);
      PyErr_Clear();
    }
    return setDLPack(object, name);
  case ArrayType::Literal:
    break;
  }
  PyObject *given = object.ptr();
  if (!PyFloat_Check(given) && !PyLong_Check(given) && !PyComplex_Check(given) &&
      !PyList_Check(given) && !PyTuple_Check(given))
    raise("ArgumentError", "T0605",
          std::string(name) + " is a '" + getTypeName(object) +
              "': an array, a tensor, a tensorwright.Buffer, or a number or list is expected");
  nb::module_ numpy = nb::module_::import_("numpy");
  // Integers and truth values, to which numpy cuts.
  if (expected <= TWRT_U64 && !PyLong_Check(given) && hasFractions(numpy.attr("asarray")(object)))
    raise("ArgumentError", "T0605",
          std::string(name) + (PyFloat_Check(given) ? " is a float" : " has floats") +
              ", expected " + nameOf(expected) + ": give ints");
  nb::object array = numpy.attr("asarray")(object, makeDtype(expected));
  setView(array, name);
  Py_XDECREF(std::exchange(keep, array.release().ptr()));
  isLiteral = true;
}
