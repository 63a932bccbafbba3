// An array of another library, or a buffer of ours, as a call takes it: where it lies and of which
// type, without a copy.
#pragma once

#include "Buffer.h"

namespace tw::python {

/// Whose arrays the results of a call are: those of its first array.
enum class Library : uint8_t { Numpy, Torch, Jax, Ours, Other };

/// What is known of a type of arrays.
struct ArrayType {
  enum Access : uint8_t { OurBuffer, BufferProtocol, Exchange, DLPack, Literal } access = Literal;
  Library library = Library::Numpy;
  const dlpack::ExchangeApi *exchange = nullptr;
};

/// Looks a type up once and remembers it.
const ArrayType &getArrayType(nb::handle object);
/// Of its class, without the module.
std::string getTypeName(nb::handle object);

/// Needs the GIL for everything. It holds what it was made from until it is reset.
class Array {
public:
  Array() = default;
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { reset(); }

  /// Raises if the object is no array, or one on a device of another library. Numbers and lists
  /// become arrays of `element`. `name` is what messages call it.
  void set(nb::handle object, uint32_t element, const char *name);
  void reset();

  /// Whether elements lie densely in row-major order.
  bool isDense() const;
  uint64_t bytes() const;
  /// Copies the elements densely to `to`.
  void copyTo(void *to) const;

  void *data = nullptr;
  uint32_t element = 0;
  uint32_t rank = 0;
  bool hasStrides = false, readOnly = false;
  /// A list or number, whose copy is no surprise.
  bool isLiteral = false;
  Library library = Library::Numpy;
  int64_t dims[maxRank];
  int64_t strides[maxRank]; ///< in bytes
  /// Of one of our buffers, which may lie on a device: `data` is NULL where the host cannot reach
  /// it.
  const Buffer *buffer = nullptr;

private:
  void setBuffer(nb::handle object);
  void setView(nb::handle object, const char *name);
  void takeView(const char *name);
  void setTensor(const dlpack::Tensor &tensor, const char *name);
  void setExchange(nb::handle object, const dlpack::ExchangeApi &api, const char *name);
  void setDLPack(nb::handle object, const char *name);
  void checkTorch(nb::object &object, const char *name);

  Py_buffer view;
  bool hasView = false;
  dlpack::Managed *managed = nullptr;
  dlpack::ManagedVersioned *versioned = nullptr;
  PyObject *keep = nullptr;
};

} // namespace tw::python
