// Reads ONNX's messages; field numbers as in onnx.proto.
#include "tw/Import/ONNX/Model.h"

#include "WireReader.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

using namespace tw::onnx;
using llvm::StringRef;

/// Graphs nest through attributes (the branches of If); more than this is no network.
static constexpr unsigned maxDepth = 64;

namespace {

class Reader {
public:
  explicit Reader(StringRef bytes) : status{bytes.begin(), std::nullopt} {}

  bool model(StringRef bytes, Model &out);
  bool tensor(StringRef bytes, Tensor &out);

  WireStatus status;

private:
  bool graph(StringRef bytes, Graph &out, unsigned depth);
  bool node(StringRef bytes, Node &out, unsigned depth);
  bool attribute(StringRef bytes, Attribute &out, unsigned depth);
  bool valueInfo(StringRef bytes, ValueInfo &out);
  bool type(StringRef bytes, ValueInfo &out);
  bool tensorType(StringRef bytes, ValueInfo &out);
  bool shape(StringRef bytes, ValueInfo &out);
  bool operatorSet(StringRef bytes, OperatorSet &out);
  bool pair(StringRef bytes, StringPair &out);
  StringRef nameOf(StringRef bytes, unsigned number);

  bool string(const Field &field, StringRef &out) {
    if (!is(field, WireKind::Bytes))
      return false;
    out = field.bytes;
    return true;
  }
  bool integer(const Field &field, int64_t &out) {
    if (!is(field, WireKind::Varint))
      return false;
    out = static_cast<int64_t>(field.varint);
    return true;
  }
  bool is(const Field &field, WireKind kind) {
    if (field.kind == kind)
      return true;
    return status.fail(field.at, "field " + llvm::Twine(field.number) + " has the wire type " +
                                     llvm::Twine(unsigned(field.kind)) + ", expected " +
                                     llvm::Twine(unsigned(kind)));
  }
  bool integers(const Field &field, llvm::SmallVectorImpl<int64_t> &out);
  bool packed(const Field &field, PackedField &out, unsigned width);
  bool done() const { return !status.error; }
};

} // namespace

/// A repeated integer field: packed, or one value.
bool Reader::integers(const Field &field, llvm::SmallVectorImpl<int64_t> &out) {
  if (field.kind == WireKind::Varint) {
    out.push_back(static_cast<int64_t>(field.varint));
    return true;
  }
  if (!is(field, WireKind::Bytes))
    return false;
  const char *at = field.bytes.begin(), *end = field.bytes.end();
  while (at != end) {
    uint64_t value;
    const char *after = decodeVarint(at, end, value);
    if (!after)
      return status.fail(at, "malformed integer");
    out.push_back(static_cast<int64_t>(value));
    at = after;
  }
  return true;
}

/// A repeated numeric field whose bytes stay where they are; `width` 0 means varints.
bool Reader::packed(const Field &field, PackedField &out, unsigned width) {
  WireKind single = width == 4   ? WireKind::Fixed32
                    : width == 8 ? WireKind::Fixed64
                                 : WireKind::Varint;
  if (field.kind == WireKind::Varint && single == WireKind::Varint) {
    const char *value = field.at;
    uint64_t tag;
    value = decodeVarint(value, value + 10, tag);
    uint64_t ignored;
    const char *end = decodeVarint(value, value + 10, ignored);
    out.pieces.push_back(StringRef(value, static_cast<size_t>(end - value)));
    return true;
  }
  if (field.kind != single && !is(field, WireKind::Bytes))
    return false;
  if (width && field.bytes.size() % width)
    return status.fail(field.at, "field " + llvm::Twine(field.number) + " holds " +
                                     llvm::Twine(field.bytes.size()) +
                                     " bytes, which is no multiple of " + llvm::Twine(width));
  if (!field.bytes.empty())
    out.pieces.push_back(field.bytes);
  return true;
}

bool Reader::model(StringRef bytes, Model &out) {
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    bool ok = true;
    switch (field.number) {
    case 1:
      ok = integer(field, out.irVersion);
      break;
    case 2:
      ok = string(field, out.producer);
      break;
    case 7:
      if (out.hasGraph)
        return status.fail(field.at, "the model has a second graph");
      out.hasGraph = true;
      ok = is(field, WireKind::Bytes) && graph(field.bytes, out.graph, 0);
      break;
    case 8:
      ok = is(field, WireKind::Bytes) && operatorSet(field.bytes, out.operatorSets.emplace_back());
      break;
    case 20:
      out.hasTraining = true;
      break;
    case 25:
      ok = is(field, WireKind::Bytes);
      if (ok)
        out.functions.push_back(nameOf(field.bytes, 1));
      break;
    }
    if (!ok)
      return false;
  }
  return done();
}

bool Reader::operatorSet(StringRef bytes, OperatorSet &out) {
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    if (field.number == 1 && !string(field, out.domain))
      return false;
    if (field.number == 2 && !integer(field, out.version))
      return false;
  }
  return done();
}

bool Reader::pair(StringRef bytes, StringPair &out) {
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    if (field.number == 1 && !string(field, out.key))
      return false;
    if (field.number == 2 && !string(field, out.value))
      return false;
  }
  return done();
}

StringRef Reader::nameOf(StringRef bytes, unsigned number) {
  WireReader reader(status, bytes);
  StringRef name;
  for (Field field; reader.next(field);)
    if (field.number == number && field.kind == WireKind::Bytes)
      name = field.bytes;
  return name;
}

bool Reader::graph(StringRef bytes, Graph &out, unsigned depth) {
  if (depth > maxDepth)
    return status.fail(bytes.begin(), "graphs nest deeper than " + llvm::Twine(maxDepth));
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    bool ok = true;
    switch (field.number) {
    case 1:
      ok = is(field, WireKind::Bytes) && node(field.bytes, out.nodes.emplace_back(), depth);
      break;
    case 2:
      ok = string(field, out.name);
      break;
    case 5:
      ok = is(field, WireKind::Bytes) && tensor(field.bytes, out.initializers.emplace_back());
      break;
    case 11:
      ok = is(field, WireKind::Bytes) && valueInfo(field.bytes, out.inputs.emplace_back());
      break;
    case 12:
      ok = is(field, WireKind::Bytes) && valueInfo(field.bytes, out.outputs.emplace_back());
      break;
    case 15: {
      ok = is(field, WireKind::Bytes);
      if (!ok)
        break;
      Tensor values;
      WireReader sparse(status, field.bytes);
      for (Field inner; sparse.next(inner);)
        if (inner.number == 1 && inner.kind == WireKind::Bytes && !tensor(inner.bytes, values))
          return false;
      out.sparseInitializers.push_back(values.name);
      break;
    }
    }
    if (!ok)
      return false;
  }
  return done();
}

bool Reader::node(StringRef bytes, Node &out, unsigned depth) {
  out.offset = static_cast<uint64_t>(bytes.begin() - status.begin);
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    bool ok = true;
    switch (field.number) {
    case 1:
      ok = string(field, out.inputs.emplace_back());
      break;
    case 2:
      ok = string(field, out.outputs.emplace_back());
      break;
    case 3:
      ok = string(field, out.name);
      break;
    case 4:
      ok = string(field, out.op);
      break;
    case 5:
      ok = is(field, WireKind::Bytes) &&
           attribute(field.bytes, out.attributes.emplace_back(), depth);
      break;
    case 7:
      ok = string(field, out.domain);
      break;
    }
    if (!ok)
      return false;
  }
  return done();
}

bool Reader::attribute(StringRef bytes, Attribute &out, unsigned depth) {
  Attribute::Kind seen = Attribute::Undefined;
  int64_t declared = 0;
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    bool ok = true;
    switch (field.number) {
    case 1:
      ok = string(field, out.name);
      break;
    case 2:
      ok = is(field, WireKind::Fixed32);
      if (ok)
        out.f = llvm::bit_cast<float>(llvm::support::endian::read32le(field.bytes.data()));
      seen = Attribute::Float;
      break;
    case 3:
      ok = integer(field, out.i);
      seen = Attribute::Int;
      break;
    case 4:
      ok = string(field, out.s);
      seen = Attribute::String;
      break;
    case 5:
    case 10:
      ok = is(field, WireKind::Bytes) && tensor(field.bytes, out.tensors.emplace_back());
      seen = field.number == 5 ? Attribute::TensorKind : Attribute::Tensors;
      break;
    case 6:
    case 11:
      ok = is(field, WireKind::Bytes);
      if (ok) {
        out.graphs.push_back(std::make_unique<Graph>());
        ok = graph(field.bytes, *out.graphs.back(), depth + 1);
      }
      seen = field.number == 6 ? Attribute::GraphKind : Attribute::Graphs;
      break;
    case 7: {
      PackedField values;
      ok = packed(field, values, 4);
      for (StringRef piece : values.pieces)
        for (size_t i = 0; i < piece.size(); i += 4)
          out.floats.push_back(
              llvm::bit_cast<float>(llvm::support::endian::read32le(piece.data() + i)));
      seen = Attribute::Floats;
      break;
    }
    case 8: {
      llvm::SmallVector<int64_t> values;
      ok = integers(field, values);
      out.ints.insert(out.ints.end(), values.begin(), values.end());
      seen = Attribute::Ints;
      break;
    }
    case 9:
      ok = string(field, out.strings.emplace_back());
      seen = Attribute::Strings;
      break;
    case 14:
      seen = Attribute::Type;
      break;
    case 15:
      seen = Attribute::Types;
      break;
    case 20:
      ok = integer(field, declared);
      break;
    case 21:
      ok = string(field, out.reference);
      break;
    case 22:
      seen = Attribute::SparseTensor;
      break;
    case 23:
      seen = Attribute::SparseTensors;
      break;
    }
    if (!ok)
      return false;
  }
  if (declared < 0 || declared > Attribute::Types)
    return status.fail(bytes.begin(), "attribute '" + out.name + "' has the unknown kind " +
                                          llvm::Twine(declared));
  out.kind = declared ? static_cast<Attribute::Kind>(declared) : seen;
  if (out.kind == Attribute::TensorKind && out.tensors.size() != 1 && out.reference.empty())
    return status.fail(bytes.begin(), "attribute '" + out.name + "' is a tensor without a value");
  return done();
}

bool Reader::tensor(StringRef bytes, Tensor &out) {
  out.offset = static_cast<uint64_t>(bytes.begin() - status.begin);
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    bool ok = true;
    int64_t number;
    switch (field.number) {
    case 1:
      ok = integers(field, out.dims);
      break;
    case 2:
      ok = integer(field, number);
      if (ok)
        out.type = static_cast<int32_t>(number);
      break;
    case 3:
      out.segmented = true;
      break;
    case 4:
      ok = packed(field, out.floats, 4);
      break;
    case 5:
      ok = packed(field, out.int32s, 0);
      break;
    case 6:
      ++out.strings;
      break;
    case 7:
      ok = packed(field, out.int64s, 0);
      break;
    case 8:
      ok = string(field, out.name);
      break;
    case 9: {
      StringRef raw;
      ok = string(field, raw);
      out.raw = raw;
      break;
    }
    case 10:
      ok = packed(field, out.doubles, 8);
      break;
    case 11:
      ok = packed(field, out.uint64s, 0);
      break;
    case 13:
      ok = is(field, WireKind::Bytes) && pair(field.bytes, out.externalData.emplace_back());
      break;
    case 14:
      ok = integer(field, number);
      out.external = ok && number == 1;
      break;
    }
    if (!ok)
      return false;
  }
  return done();
}

bool Reader::valueInfo(StringRef bytes, ValueInfo &out) {
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    if (field.number == 1 && !string(field, out.name))
      return false;
    if (field.number == 2 && !(is(field, WireKind::Bytes) && type(field.bytes, out)))
      return false;
  }
  return done();
}

bool Reader::type(StringRef bytes, ValueInfo &out) {
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    switch (field.number) {
    case 1:
      out.kind = ValueInfo::TensorKind;
      if (!is(field, WireKind::Bytes) || !tensorType(field.bytes, out))
        return false;
      break;
    case 4:
      out.kind = ValueInfo::SequenceKind;
      break;
    case 5:
      out.kind = ValueInfo::MapKind;
      break;
    case 8:
      out.kind = ValueInfo::SparseKind;
      break;
    case 9:
      out.kind = ValueInfo::OptionalKind;
      break;
    }
  }
  return done();
}

bool Reader::tensorType(StringRef bytes, ValueInfo &out) {
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    int64_t number;
    if (field.number == 1) {
      if (!integer(field, number))
        return false;
      out.elementType = static_cast<int32_t>(number);
    }
    if (field.number == 2 && !(is(field, WireKind::Bytes) && shape(field.bytes, out)))
      return false;
  }
  return done();
}

bool Reader::shape(StringRef bytes, ValueInfo &out) {
  out.hasShape = true;
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    if (field.number != 1)
      continue;
    if (!is(field, WireKind::Bytes))
      return false;
    Dimension &dimension = out.shape.emplace_back();
    WireReader inner(status, field.bytes);
    for (Field part; inner.next(part);) {
      int64_t number;
      if (part.number == 1) {
        if (!integer(part, number))
          return false;
        dimension.value = number;
      }
      if (part.number == 2 && !string(part, dimension.symbol))
        return false;
    }
  }
  return done();
}

std::optional<ReadError> tw::onnx::readModel(StringRef bytes, Model &model) {
  Reader reader(bytes);
  reader.model(bytes, model);
  return reader.status.error;
}

std::optional<ReadError> tw::onnx::readTensor(StringRef bytes, Tensor &tensor) {
  Reader reader(bytes);
  reader.tensor(bytes, tensor);
  return reader.status.error;
}
