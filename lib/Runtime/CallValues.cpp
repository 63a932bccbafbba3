// Arguments and results of calls: tensors are checked as they are set.
#include "Call.h"
#include "tw/Format/Checked.h"
#include "tw/Format/ComplexElements.h"
#include "tw/Format/Element.h"
#include "tw/Format/Metadata.h"

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstring>

using namespace tw::runtime;
using namespace tw::format;

/// "[1, 3, 224, 224]", cut if it is long.
static void printDims(char (&text)[160], const int64_t *dims, uint32_t rank,
                      const fb::Function *function) {
  size_t length = size_t(snprintf(text, sizeof(text), "["));
  for (uint32_t i = 0; i < rank && length < sizeof(text) - 30; ++i) {
    const char *comma = i ? ", " : "";
    if (dims[i] < 0 && function)
      length += size_t(snprintf(text + length, sizeof(text) - length, "%s%.20s", comma,
                                function->symbols()->Get(uint32_t(-1 - dims[i]))->name()->c_str()));
    else
      length +=
          size_t(snprintf(text + length, sizeof(text) - length, "%s%" PRId64, comma, dims[i]));
  }
  snprintf(text + length, sizeof(text) - length, "]");
}

template <>
inline constexpr uint32_t tw::knownSizes<TwrtTensor>[] = {offsetof(TwrtTensor, storage),
                                                          sizeof(TwrtTensor)};

namespace {

/// An argument or a result of a function.
struct Value {
  const char *role;
  const char *name;
  const fb::TensorType *type;
  /// NULL: it lies in memory as it is.
  const fb::TensorType *storage;
  uint64_t alignment;
};

} // namespace

static Value makeValue(const fb::Argument *argument) {
  uint64_t element = elementAlignment(ElementType(argument->type()->element()));
  return {"argument", argument->name()->c_str(), argument->type(), argument->storage(),
          std::max<uint64_t>(argument->alignment(), element)};
}

static Value makeValue(const fb::Result *result) {
  return {"result", result->name()->c_str(), result->type(), nullptr,
          elementAlignment(ElementType(result->type()->element()))};
}

/// Checks extents against a type, whose symbols are settled later.
static TwrtCode checkDims(const TwrtCall &call, const Value &value, const char *what,
                          std::span<const int64_t> dims, const fb::TensorType *type,
                          TwrtError *error) {
  uint32_t rank = type->dims() ? type->dims()->size() : 0;
  bool same = dims.size() == rank;
  for (uint32_t i = 0; same && i < rank; ++i) {
    int64_t expected = type->dims()->Get(i);
    same = expected < 0 ? dims[i] >= 0 : dims[i] == expected;
  }
  if (same)
    return TWRT_OK;
  char found[160], expected[160];
  printDims(found, dims.data(), uint32_t(dims.size()), nullptr);
  printDims(expected, rank ? type->dims()->data() : nullptr, rank, call.program->function);
  return fail(error, TWRT_INVALID_ARGUMENT, "%s '%.80s' has %s %s, expected %s", value.role,
              value.name, what, found, expected);
}

/// The extents that a tensor has in memory.
static std::span<const int64_t> extentsOf(const TwrtTensor &tensor) {
  return {tensor.storage ? tensor.storage : tensor.dims, tensor.rank};
}

/// Checks that the tensor's extents are those of the value, and that it lies in its memory.
static TwrtCode checkExtents(const TwrtCall &call, const TwrtTensor &tensor, const Value &value,
                             TwrtError *error) {
  TWRT_TRY(checkDims(call, value, "shape", {tensor.dims, tensor.rank}, value.type, error));
  std::span<const int64_t> storage = extentsOf(tensor);
  if (value.storage)
    TWRT_TRY(checkDims(call, value, "storage", storage, value.storage, error));
  for (uint32_t i = 0; i < tensor.rank; ++i)
    if (value.storage ? tensor.dims[i] > storage[i] : tensor.dims[i] != storage[i])
      return fail(error, TWRT_INVALID_ARGUMENT,
                  "%s '%.80s' has dimension %u of %" PRId64 " in storage of %" PRId64 "%s",
                  value.role, value.name, i, tensor.dims[i], storage[i],
                  value.storage ? "" : "; it has no storage of its own");
  return TWRT_OK;
}

/// Checks a tensor against the value it is for; `bytes` is its size in memory.
static TwrtCode checkTensor(const TwrtCall &call, const TwrtTensor *given, const Value &value,
                            TwrtTensor &tensor, uint64_t &bytes, TwrtError *error) {
  TWRT_TRY(checkNotNull(given, "tensor", error));
  TWRT_TRY(checkSize(given, "TwrtTensor", error));
  tensor = tw::readSized(*given);
  TWRT_TRY(checkNotNull(tensor.buffer, "the tensor's buffer", error));
  const char *role = value.role, *name = value.name;
  if (tensor.element != value.type->element())
    return fail(error, TWRT_INVALID_ARGUMENT, "%s '%.80s' has element type %s, expected %s", role,
                name, twrtElementName(tensor.element), twrtElementName(value.type->element()));
  if (tensor.rank)
    TWRT_TRY(checkNotNull(tensor.dims, "the tensor's dims", error));
  TWRT_TRY(checkExtents(call, tensor, value, error));
  bytes = elementBytes(ElementType(tensor.element));
  for (int64_t extent : extentsOf(tensor))
    if (!checkedMul(bytes, uint64_t(extent), bytes))
      return fail(error, TWRT_INVALID_ARGUMENT, "the size of %s '%.80s' overflows", role, name);
  const TwrtBuffer *buffer = tensor.buffer;
  if (buffer->device != call.program->device)
    return fail(error, TWRT_INVALID_ARGUMENT, "%s '%.80s' is on device %s, the program on %s", role,
                name, buffer->device->slot->uri, call.program->device->slot->uri);
  if (!rangeWithin(tensor.offset, bytes, buffer->memory.bytes))
    return fail(error, TWRT_INVALID_ARGUMENT,
                "%s '%.80s' takes %" PRIu64 " bytes at offset %" PRIu64 " of a buffer of %" PRIu64
                " bytes",
                role, name, bytes, tensor.offset, buffer->memory.bytes);
  if (!isAligned(*buffer->device, buffer->memory, tensor.offset, value.alignment))
    return fail(error, TWRT_INVALID_ARGUMENT, "%s '%.80s' is not aligned to %" PRIu64 " bytes",
                role, name,
                std::max<uint64_t>(value.alignment, buffer->device->info.offsetAlignment));
  return TWRT_OK;
}

/// Keeps `dims` if they are others. False if memory is short.
static bool keepDims(Array<int64_t> &known, std::span<const int64_t> dims, bool &changed) {
  if (std::equal(dims.begin(), dims.end(), known.begin(), known.end()))
    return true;
  changed = true;
  if (dims.size() != known.size())
    return known.assign(dims);
  std::copy(dims.begin(), dims.end(), known.begin());
  return true;
}

/// Stores the tensor. The call stays prepared if the shape is the one it was prepared for.
static TwrtCode store(TwrtCall &call, CallValue &value, const TwrtTensor &tensor, bool hasStorage,
                      uint64_t bytes, TwrtError *error) {
  bool changed = !value.buffer;
  std::span<const int64_t> storage;
  if (hasStorage)
    storage = extentsOf(tensor);
  // Of the first tensor, room for the storage comes first, so that a failure changes nothing.
  if ((value.storage.size() != storage.size() && !value.storage.assign(storage)) ||
      !keepDims(value.dims, {tensor.dims, tensor.rank}, changed) ||
      !keepDims(value.storage, storage, changed))
    return failMemory(error, "a call");
  if (changed)
    call.prepared = false;
  if (value.buffer != tensor.buffer || value.offset != tensor.offset || value.bytes != bytes)
    call.isApart = false;
  twrtBufferRetain(tensor.buffer);
  twrtBufferRelease(value.buffer);
  value.buffer = tensor.buffer;
  value.offset = tensor.offset;
  value.bytes = bytes;
  value.own = false;
  return TWRT_OK;
}

/// Checks and stores a tensor for an argument that is in range.
static TwrtCode setArgument(TwrtCall &call, size_t index, const TwrtTensor *tensor,
                            TwrtError *error) {
  const fb::Argument *argument = call.program->function->arguments()->Get(uint32_t(index));
  TwrtTensor known;
  uint64_t bytes;
  TWRT_TRY(checkTensor(call, tensor, makeValue(argument), known, bytes, error));
  if (argument->aliases_result() >= 0 && known.buffer->readOnly)
    return fail(error, TWRT_INVALID_ARGUMENT,
                "argument '%.80s' is written in place, its buffer is "
                "mapped for reading",
                argument->name()->c_str());
  return store(call, call.arguments[index], known, argument->storage(), bytes, error);
}

static TwrtCode checkIndex(const TwrtCall &call, size_t argument, TwrtError *error) {
  if (argument < call.arguments.size())
    return TWRT_OK;
  return fail(error, TWRT_INVALID_ARGUMENT, "argument %zu of %zu", argument, call.arguments.size());
}

TwrtCode twrtCallSetArgument(TwrtCall *call, size_t index, const TwrtTensor *tensor,
                             TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  TWRT_TRY(checkIndex(*call, index, error));
  return setArgument(*call, index, tensor, error);
}

TwrtCode twrtCallSetDims(TwrtCall *call, size_t index, const int64_t *dims, uint32_t rank,
                         TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  TWRT_TRY(checkIndex(*call, index, error));
  const fb::Argument *argument = call->program->function->arguments()->Get(uint32_t(index));
  const CallValue &value = call->arguments[index];
  if (!value.buffer)
    return fail(error, TWRT_INVALID_ARGUMENT, "argument %zu '%.80s' is not set", index,
                argument->name()->c_str());
  if (argument->storage() && rank != value.storage.size())
    return fail(error, TWRT_INVALID_ARGUMENT, "argument '%.80s' has rank %zu, found %u dims",
                argument->name()->c_str(), value.storage.size(), rank);
  TwrtTensor tensor = {
      sizeof(tensor), argument->type()->element(), rank, 0, value.buffer, value.offset, dims,
      nullptr};
  if (argument->storage())
    tensor.storage = value.storage.data();
  return setArgument(*call, index, &tensor, error);
}

static TwrtCode checkResult(const TwrtCall &call, size_t result, TwrtError *error) {
  size_t count = countVisibleResults(*call.program->function);
  if (result < count)
    return TWRT_OK;
  return fail(error, TWRT_INVALID_ARGUMENT, "result %zu of %zu", result, count);
}

TwrtCode twrtCallSetResult(TwrtCall *call, size_t index, const TwrtTensor *tensor,
                           TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  TWRT_TRY(checkResult(*call, index, error));
  CallValue &value = call->results[index];
  if (!tensor) {
    if (!value.own) {
      twrtBufferRelease(value.buffer);
      value.buffer = nullptr;
      value.dims.clear();
      call->prepared = false;
    }
    return TWRT_OK;
  }
  const fb::Result *result = call->program->function->results()->Get(uint32_t(index));
  if (findAlias(*call, index))
    return fail(error, TWRT_INVALID_ARGUMENT, "result '%.80s' has the memory of an argument",
                result->name()->c_str());
  TwrtTensor known;
  uint64_t bytes;
  TWRT_TRY(checkTensor(*call, tensor, makeValue(result), known, bytes, error));
  if (known.buffer->readOnly)
    return fail(error, TWRT_INVALID_ARGUMENT, "the buffer of result '%.80s' is mapped for reading",
                result->name()->c_str());
  return store(*call, value, known, /*hasStorage=*/false, bytes, error);
}

/// An element as a number, for messages.
static double numberAt(ElementType element, const void *elements, uint64_t index) {
  double number = 0;
  visitElement(element, [&](auto tag) {
    using Held = typename decltype(tag)::type;
    Held held;
    memcpy(&held, static_cast<const uint8_t *>(elements) + index * sizeof(Held), sizeof(Held));
    if constexpr (std::is_convertible_v<Held, double>)
      number = double(held);
  });
  return number;
}

TwrtCode tw::runtime::checkAssumed(TwrtCall &call, void *queue, TwrtError *error) {
  const auto *arguments = call.program->function->arguments();
  for (uint32_t i = 0; arguments && i < arguments->size(); ++i) {
    const auto *assumed = arguments->Get(i)->assumed();
    if (!assumed || assumed->size() == 0)
      continue;
    const CallValue &value = call.arguments[i];
    const Driver &driver = *call.program->device->driver;
    Array<uint8_t> held(call.program->module->instance->allocator);
    if (!held.reset(assumed->size()))
      return failMemory(error, "a copy of an argument");
    uint64_t point = 0;
    TWRT_TRY(driver.read(queue, {&value.buffer->memory, value.offset, assumed->size()}, held.data(),
                         &point, error));
    TWRT_TRY(driver.pointWait(queue, point, waitForever, error));
    if (memcmp(held.data(), assumed->data(), assumed->size()) == 0)
      continue;
    ElementType element = ElementType(arguments->Get(i)->type()->element());
    uint64_t width = elementBytes(element), at = 0;
    while (memcmp(held.data() + at * width, assumed->data() + at * width, width) == 0)
      ++at;
    return fail(error, TWRT_INVALID_ARGUMENT,
                "argument '%.80s' has %.17g at element %" PRIu64
                ", and the program was made for the assumed value of %.17g there: compile it with "
                "the value that it has",
                arguments->Get(i)->name()->c_str(), numberAt(element, held.data(), at), at,
                numberAt(element, assumed->data(), at));
  }
  return TWRT_OK;
}

/// Reads the first bytes of an argument or a result when the last submission is over.
static TwrtCode readBytes(TwrtCall &call, const CallValue &value, void *to, uint64_t bytes,
                          TwrtError *error) {
  if (call.lastQueue)
    TWRT_TRY(twrtPointWait({call.lastQueue, call.lastPoint}, waitForever, error));
  if (const void *host = value.buffer->memory.host) {
    memcpy(to, static_cast<const uint8_t *>(host) + value.offset, bytes);
    return TWRT_OK;
  }
  const TwrtDevice &device = *call.program->device;
  if (!call.countQueue)
    TWRT_TRY(device.driver->queueCreate(device.handle, &call.countQueue, error));
  uint64_t point = 0;
  TWRT_TRY(device.driver->read(call.countQueue, {&value.buffer->memory, value.offset, bytes}, to,
                               &point, error));
  return device.driver->pointWait(call.countQueue, point, waitForever, error);
}

/// The most elements that a dimension has of which a counter of this name says how many there are;
/// -1: there is none.
static int64_t findMost(const TwrtCall &call, const flatbuffers::String &name) {
  const auto *results = call.program->function->results();
  for (uint32_t r = 0; r < results->size(); ++r)
    for (uint32_t d = 0; results->Get(r)->counts() && d < results->Get(r)->counts()->size(); ++d)
      if (int32_t counter = results->Get(r)->counts()->Get(d);
          counter >= 0 && results->Get(uint32_t(counter))->name()->str() == name.str())
        return call.results[r].dims[d];
  return -1;
}

/// Tells which argument is a size outside of the range that the program was compiled for, if one
/// is.
static TwrtCode checkSizes(TwrtCall &call, TwrtError *error) {
  const auto *arguments = call.program->function->arguments();
  for (uint32_t i = 0; arguments && i < arguments->size(); ++i) {
    const CallValue &value = call.arguments[i];
    ElementType element = ElementType(arguments->Get(i)->type()->element());
    bool isHeld = value.buffer && arguments->Get(i)->aliases_result() < 0;
    int64_t most = isHeld && value.bytes == elementBytes(element) && value.bytes <= sizeof(int64_t)
                       ? findMost(call, *arguments->Get(i)->name())
                       : -1;
    if (most < 0)
      continue;
    uint8_t held[sizeof(int64_t)];
    TWRT_TRY(readBytes(call, value, held, value.bytes, error));
    double size = numberAt(element, held, 0);
    if (size < 0 || size > double(most))
      return fail(error, TWRT_INVALID_ARGUMENT,
                  "argument '%.80s' is %.17g, outside of the range that the program was compiled "
                  "for, of which %" PRId64 " is the most: compile it for a range with that size in "
                  "it",
                  arguments->Get(i)->name()->c_str(), size, most);
  }
  return TWRT_OK;
}

/// Puts the numbers of elements that the last submission has counted into `dims`.
static TwrtCode readCounts(TwrtCall &call, const fb::Result *result, int64_t *dims,
                           TwrtError *error) {
  for (uint32_t d = 0; d < result->counts()->size(); ++d) {
    int32_t counter = result->counts()->Get(d);
    if (counter < 0)
      continue;
    int64_t count = 0;
    TWRT_TRY(readBytes(call, call.results[size_t(counter)], &count, sizeof(count), error));
    if (count == -1)
      return fail(error, TWRT_INVALID_ARGUMENT,
                  "the program needs elements that are not there: the values of its arguments say "
                  "that there are fewer of dimension %u of result '%.80s', or of what it is "
                  "computed from",
                  d, result->name()->c_str());
    if (count == -2) {
      TWRT_TRY(checkSizes(call, error));
      return fail(error, TWRT_INVALID_ARGUMENT,
                  "the values of the arguments make a size, on which dimension %u of result "
                  "'%.80s' or what it is computed from depends, that is outside of the range that "
                  "the program was compiled for: compile it for a range with that size in it",
                  d, result->name()->c_str());
    }
    if (count < 0 || count > dims[d])
      return fail(error, TWRT_INVALID_MODULE,
                  "the call counted %" PRId64 " elements along dimension %u of result '%.80s', "
                  "which has room for %" PRId64,
                  count, d, result->name()->c_str(), dims[d]);
    dims[d] = count;
  }
  return TWRT_OK;
}

TwrtCode twrtCallGetResult(TwrtCall *call, size_t index, TwrtTensor *tensor, int64_t *dims,
                           uint32_t capacity, TwrtError *error) {
  TWRT_TRY(checkNotNull(call, "call", error));
  TWRT_TRY(checkNotNull(tensor, "tensor", error));
  TWRT_TRY(checkSize(tensor, "TwrtTensor", error));
  TWRT_TRY(checkResult(*call, index, error));
  if (!call->prepared)
    return fail(error, TWRT_INVALID_ARGUMENT, "the call is not prepared");
  const CallValue *alias = findAlias(*call, index);
  const CallValue &value = call->results[index], &place = alias ? *alias : value;
  if (capacity < value.dims.size() || (!dims && !value.dims.empty()))
    return fail(error, TWRT_INVALID_ARGUMENT, "room for %u dims, the result has %zu", capacity,
                value.dims.size());
  const fb::Result *result = call->program->function->results()->Get(uint32_t(index));
  int64_t found[maxRank];
  std::copy(value.dims.begin(), value.dims.end(), found);
  const int64_t *storage = place.storage.empty() ? nullptr : place.storage.data();
  if (result->counts() && call->ran) {
    TWRT_TRY(readCounts(*call, result, found, error));
    storage = value.dims.data();
  }
  std::copy_n(found, value.dims.size(), dims);
  tw::writeSized(*tensor, {0, result->type()->element(), uint32_t(value.dims.size()), 0,
                           place.buffer, place.offset, dims, storage});
  return TWRT_OK;
}
