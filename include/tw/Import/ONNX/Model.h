// An ONNX model as it lies in its file: plain structs whose strings and tensor data point into the
// mapped bytes.
//
// Nothing is copied but repeated fields' descriptors, so a model of gigabytes costs what its nodes
// cost. A Model is valid as long as the bytes that it was read from.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tw::onnx {

/// TensorProto.DataType.
enum class DataType : int32_t {
  Undefined = 0,
  Float = 1,
  Uint8 = 2,
  Int8 = 3,
  Uint16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  Uint32 = 12,
  Uint64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
};

/// "float32" and the like; "type 23" for what is not known.
std::string dataTypeName(int32_t type);

/// Bytes of one element as stored in raw data, 0 for types without a fixed width.
unsigned dataTypeBytes(int32_t type);

/// A repeated numeric field: packed pieces in file order, each either packed bytes or one value.
struct PackedField {
  llvm::SmallVector<llvm::StringRef, 1> pieces;
  bool empty() const { return pieces.empty(); }
};

struct StringPair {
  llvm::StringRef key, value;
};

struct Tensor {
  uint64_t offset = 0; ///< of the message in the file
  llvm::StringRef name;
  llvm::SmallVector<int64_t, 4> dims;
  int32_t type = 0;
  std::optional<llvm::StringRef> raw;
  PackedField floats, int32s, int64s, doubles, uint64s;
  unsigned strings = 0; ///< number of elements of string_data
  bool segmented = false;
  bool external = false;
  llvm::SmallVector<StringPair, 0> externalData;
};

struct Dimension {
  std::optional<int64_t> value;
  llvm::StringRef symbol; ///< empty if neither value nor name is known
};

/// The type of an input or output. Only tensors are described further.
struct ValueInfo {
  enum Kind { Missing, TensorKind, SequenceKind, MapKind, OptionalKind, SparseKind };
  llvm::StringRef name;
  Kind kind = Missing;
  int32_t elementType = 0;
  bool hasShape = false;
  llvm::SmallVector<Dimension, 4> shape;
};

struct Graph;

struct Attribute {
  enum Kind {
    Undefined = 0,
    Float = 1,
    Int = 2,
    String = 3,
    TensorKind = 4,
    GraphKind = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    SparseTensor = 11,
    SparseTensors = 12,
    Type = 13,
    Types = 14
  };
  llvm::StringRef name;
  Kind kind = Undefined; ///< as declared, else that of its value
  bool isDeclared = false;
  float f = 0;
  int64_t i = 0;
  llvm::StringRef s;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<llvm::StringRef> strings;
  std::vector<Tensor> tensors; ///< t (one) or tensors
  std::vector<std::unique_ptr<Graph>> graphs;
  llvm::StringRef reference; ///< ref_attr_name, inside functions
};

struct Node {
  uint64_t offset = 0;
  llvm::StringRef name, op, domain;
  std::vector<llvm::StringRef> inputs, outputs;
  std::vector<Attribute> attributes;
};

struct Graph {
  llvm::StringRef name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs, outputs;
  std::vector<llvm::StringRef> sparseInitializers; ///< their names, or "" where absent
};

struct OperatorSet {
  llvm::StringRef domain;
  int64_t version = 0;
};

struct Model {
  int64_t irVersion = 0;
  llvm::StringRef producer;
  bool hasGraph = false;
  Graph graph;
  std::vector<OperatorSet> operatorSets;
  std::vector<llvm::StringRef> functions; ///< names of local functions
  bool hasTraining = false;
};

/// Where reading stopped, and why.
struct ReadError {
  uint64_t offset = 0;
  std::string message;
};

/// Read a whole message from `bytes`. Any bytes at all are safe: either the message is read, or the
/// error says at which offset it is malformed. Unknown fields are skipped.
std::optional<ReadError> readModel(llvm::StringRef bytes, Model &model);
std::optional<ReadError> readTensor(llvm::StringRef bytes, Tensor &tensor);

} // namespace tw::onnx
