// Reads ONNX's models, their graphs and nodes; field numbers as in onnx.proto.
#include "tw/Import/ONNX/Model.h"

#include "ValueReader.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

using namespace tw::onnx;
using llvm::StringRef;

/// Graphs nest through attributes (the branches of If); more than this is no network.
static constexpr unsigned maxDepth = 64;

namespace {

class ModelReader : public ValueReader {
public:
  using ValueReader::ValueReader;

  bool model(StringRef bytes, Model &out);

private:
  bool graph(StringRef bytes, Graph &out, unsigned depth);
  bool node(StringRef bytes, Node &out, unsigned depth);
  bool attribute(StringRef bytes, Attribute &out, unsigned depth);
  bool operatorSet(StringRef bytes, OperatorSet &out);
  StringRef nameOf(StringRef bytes, unsigned number);
};

} // namespace

bool ModelReader::model(StringRef bytes, Model &out) {
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

bool ModelReader::operatorSet(StringRef bytes, OperatorSet &out) {
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    if (field.number == 1 && !string(field, out.domain))
      return false;
    if (field.number == 2 && !integer(field, out.version))
      return false;
  }
  return done();
}

StringRef ModelReader::nameOf(StringRef bytes, unsigned number) {
  WireReader reader(status, bytes);
  StringRef name;
  for (Field field; reader.next(field);)
    if (field.number == number && field.kind == WireKind::Bytes)
      name = field.bytes;
  return name;
}

bool ModelReader::graph(StringRef bytes, Graph &out, unsigned depth) {
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

bool ModelReader::node(StringRef bytes, Node &out, unsigned depth) {
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

bool ModelReader::attribute(StringRef bytes, Attribute &out, unsigned depth) {
  unsigned kinds = 0; // bit k: it holds a value of kind k
  int64_t declared = 0;
  WireReader reader(status, bytes);
  for (Field field; reader.next(field);) {
    bool ok = true;
    Attribute::Kind seen = Attribute::Undefined;
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
    if (seen != Attribute::Undefined) {
      kinds |= 1u << seen;
      out.kind = seen;
    }
  }
  if (declared < 0 || declared > Attribute::Types)
    return status.fail(bytes.begin(), "attribute '" + out.name + "' has the unknown kind " +
                                          llvm::Twine(declared));
  // An empty list, or a value that is the default, need not be there.
  if (declared && kinds && !(kinds >> declared & 1))
    return status.fail(bytes.begin(), "attribute '" + out.name + "' is declared as kind " +
                                          llvm::Twine(declared) + " and holds another");
  out.isDeclared = declared;
  if (declared)
    out.kind = static_cast<Attribute::Kind>(declared);
  if (out.kind == Attribute::TensorKind && out.tensors.size() != 1 && out.reference.empty())
    return status.fail(bytes.begin(), "attribute '" + out.name + "' is a tensor without a value");
  return done();
}

std::optional<ReadError> tw::onnx::readModel(StringRef bytes, Model &model) {
  ModelReader reader(bytes);
  reader.model(bytes, model);
  return reader.status.error;
}
