// One node on its way in: its inputs, attributes and results, and how it says that it cannot be
// imported.
//
// The getters report what is wrong themselves and then return something harmless, so an importer
// reads like the operator's specification; the driver looks at the outcome once, at the end.
#pragma once

#include "../Common/Emitter.h"
#include "../Common/Report.h"
#include "tw/Import/ONNX/Model.h"
#include "tw/Import/ONNX/ONNX.h"

namespace tw::onnx {

using namespace importer;

class Constants;

class NodeImport {
public:
  NodeImport(const Node &node, int64_t opset, Emitter &emit, llvm::ArrayRef<Value> inputs,
             Constants &constants, Report &report, CountedSizes *counted)
      : node(node), opset(opset), emit(emit), inputs(inputs), constants(constants), report(report),
        counted(counted), results(node.outputs.size()) {}

  const Node &node;
  const int64_t opset;
  Emitter &emit;

  // Inputs. Absent optional ones are null.
  size_t count() const { return inputs.size(); }
  Value input(size_t i) const { return i < inputs.size() ? inputs[i] : Value(); }
  bool has(size_t i) const { return static_cast<bool>(input(i)); }
  llvm::ArrayRef<Value> allInputs() const { return inputs; }
  /// The second operand of a binary operator. Before version 7 it was aligned with the first at the
  /// attribute `axis`; here it gets trailing dimensions of size 1 so that it broadcasts to the
  /// same.
  Value alignedOperand();
  /// Reports unless input `i` holds bools.
  void requireBool(size_t i);
  /// Indices into a dimension of `size`: negative ones count from its end. Constants are made
  /// plain here, and reported if they are outside.
  Value positions(Value indices, int64_t size);

  /// The value of an input that must be known now; reports and returns nothing if it is not.
  std::optional<Shape> constantIntegers(size_t i);
  std::optional<llvm::SmallVector<double>> constantFloats(size_t i);
  std::optional<int64_t> constantInteger(size_t i);
  std::optional<double> constantFloat(size_t i);
  /// The value of any value if it is known and small; never reports. What the program becomes may
  /// depend on it.
  mlir::DenseElementsAttr known(Value value);
  /// The same of what decides the way of a branch or a loop, as `decidesWay` tells.
  mlir::DenseElementsAttr knownWay(Value value);
  /// The same where the program computes with the value and nothing else depends on it.
  mlir::DenseElementsAttr peek(Value value);

  /// The first output that has a name, or else the node's.
  std::string getKey() const;
  /// What a size that the node's data decide is taken to be, of which `most` is the most.
  std::optional<int64_t> countedSize(int64_t most) { return countedSize(getCountName(), most); }
  std::optional<int64_t> countedSize(const std::string &name, int64_t most);
  /// The same of one of several dimensions.
  std::optional<int64_t> countedSizeOf(int64_t dim, int64_t most) {
    return countedSize(getCountName() + "." + std::to_string(dim), most);
  }
  /// Whether constants that decide how this branch or loop goes on do so otherwise at other sizes:
  /// it is one of the program then.
  bool isOpen() const;
  /// The side that constants decide for, or the iteration that they end a loop at.
  void decidesWay(int64_t way);
  /// The dimensions of result `i` of a branch that are counted, as its sides are of other sizes in
  /// them, at some sizes of the model at least.
  llvm::SmallVector<std::pair<int64_t, CountedSizes::Side>> findSides(size_t i, ShapeRef onTrue,
                                                                      ShapeRef onFalse);
  /// The node takes the first `taken` elements of a dimension of `size`. Something where these are
  /// to be counted, as they may be fewer.
  std::optional<CountedSizes::Part> takesFirst(int64_t dim, int64_t size, int64_t taken);
  /// Of those, which `rows` has from the first one on along `dim`, as many as there are.
  Value countFirst(const CountedSizes::Part &part, Value rows, int64_t dim, int64_t size);
  /// The node resizes the dimension, or keeps it as it is. Whether the program is to compute how,
  /// as calls settle one of its sizes.
  bool resizesOpen(int64_t dim, int64_t in, int64_t out, bool keeps);
  /// The program is one for this value of a constant, and none for others.
  void decides(int64_t value);
  /// Notes of what shape each result is, and its integers if they are known.
  void notesResults();
  /// Notes which of two inputs is the greater, if they are known integers.
  void notesDifference();

  // Attributes; a kind other than the asked one is reported.
  bool hasAttribute(llvm::StringRef name) const { return find(name) != nullptr; }
  int64_t integer(llvm::StringRef name, int64_t fallback);
  double floating(llvm::StringRef name, double fallback);
  llvm::StringRef text(llvm::StringRef name, llvm::StringRef fallback);
  /// One of `options`, which are what the operator defines; reports others and gives `fallback`.
  llvm::StringRef choice(llvm::StringRef name, llvm::StringRef fallback,
                         llvm::ArrayRef<llvm::StringRef> options);
  std::optional<Shape> integers(llvm::StringRef name);
  std::optional<llvm::SmallVector<double>> floats(llvm::StringRef name);
  std::optional<std::vector<llvm::StringRef>> texts(llvm::StringRef name);
  const Tensor *tensor(llvm::StringRef name);
  const Graph *graph(llvm::StringRef name);
  /// The constant that a tensor attribute holds.
  Value tensorConstant(llvm::StringRef name);
  /// Reports that a required attribute is missing.
  void missing(llvm::StringRef name);

  /// `axis` counted from the start; reports and returns 0 if it is outside [-rank, rank).
  int64_t axis(int64_t axis, int64_t rank);
  /// The attribute `name` as an axis of a tensor of this rank.
  int64_t axisAttribute(llvm::StringRef name, int64_t fallback, int64_t rank) {
    return axis(integer(name, fallback), rank);
  }
  /// The axes `list` counted from the start, in its order, without repetition (which is reported).
  Shape axes(ShapeRef list, int64_t rank);
  /// Axes from the attribute "axes" before opset `sinceInput`, from input `i` from there on.
  std::optional<Shape> axesOperand(size_t i, int64_t sinceInput, int64_t rank);

  /// In the import that tells of all sizes: `isAlike` says whether a rule makes of a size of the
  /// dimension what it makes of those at the samples.
  void tracesSize(Value value, int64_t dim,
                  llvm::function_ref<bool(ShapeRef samples, int64_t size)> isAlike);

  /// Whether the model is imported for sizes that are followed.
  bool isFollowed() const { return counted != nullptr; }
  /// Whether calls settle some of the sizes.
  bool hasRanges() const { return counted && counted->hasRanges; }
  /// The size of the dimension as a scalar of i64 that is followed.
  Value followSize(Value value, int64_t dim);

  bool wants(size_t i) const { return i < node.outputs.size() && !node.outputs[i].empty(); }
  void result(Value value) { result(0, value); }
  void result(size_t i, Value value) {
    if (i < results.size())
      results[i] = value;
  }
  llvm::ArrayRef<Value> allResults() const { return results; }

  CodedDiagnostic error(Code code) { return emit.error(code); }

  /// This form of the operator cannot be imported: says which form, what it would need, and the
  /// nearest form that can.
  void unsupported(const llvm::Twine &form, const llvm::Twine &needed, const llvm::Twine &nearest);
  bool isUnsupported() const { return refused; }
  bool failed() const { return refused || emit.failed(); }

private:
  void traces(Value value, bool isWay);
  std::string getCountName() const;
  std::string getWayKey() const;
  const Attribute *find(llvm::StringRef name) const;
  const Attribute *find(llvm::StringRef name, Attribute::Kind kind, const char *what);

  llvm::ArrayRef<Value> inputs;
  Constants &constants;
  Report &report;
  CountedSizes *counted;
  llvm::SmallVector<Value, 2> results;
  bool refused = false;
};

/// An operator of one input that is an op of tgraph.
template <typename OpTy> void importUnary(NodeImport &n) {
  n.result(n.emit.unary<OpTy>(n.input(0)));
}

/// The operator's name as messages give it: with its domain if that is not the default one.
std::string displayName(const Node &node);

/// "node 'name' (Op)" or "node 7 (Op)" for one without a name.
std::string displaySubject(const Node &node, size_t index);

} // namespace tw::onnx
