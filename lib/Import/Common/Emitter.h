// The vocabulary that importers are written in: tgraph ops with broadcasting as in NumPy made
// explicit.
//
// A null operand gives a null result, and whatever fails reports itself once at the current node
// and gives null, so importers are written as plain expressions and checked at the end. This holds
// of element types and dimensions too, and every op is verified as it is made: what an op does not
// take is an error of the node, with a code.
#pragma once

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Support/Diagnostics.h"

#include "mlir/IR/Builders.h"

namespace tw::importer {

using mlir::Value;
using Shape = llvm::SmallVector<int64_t, 4>;
using ShapeRef = llvm::ArrayRef<int64_t>;

/// "[2, 3]", for messages.
std::string shapeText(ShapeRef shape);

/// Number of elements; limits on shapes keep it from overflowing.
int64_t elementCount(ShapeRef shape);

/// 0, 1, ... n - 1.
Shape indices(int64_t n);

class Emitter {
public:
  explicit Emitter(mlir::OpBuilder &builder) : builder(builder), loc(builder.getUnknownLoc()) {}

  /// Ops that follow stand for the node at `location`, which messages call `subject`.
  void begin(mlir::Location location, std::string subject);
  mlir::Location location() const { return loc; }
  llvm::StringRef name() const { return subject; }
  mlir::OpBuilder &ops() { return builder; }

  /// An error at the current node; only the first of a node is reported.
  CodedDiagnostic error(Code code);
  bool failed() const { return hasFailed; }

  /// Slices that take all are ops, too: at other sizes they take a part.
  bool keepsWholeSlices = false;

  // Types. Of a null value: rank 0, no element type. A dimension that is not there has size 0.
  static mlir::RankedTensorType type(Value x);
  static ShapeRef shape(Value x);
  static int64_t rank(Value x) { return static_cast<int64_t>(shape(x).size()); }
  static int64_t size(Value x, int64_t dim) {
    return dim >= 0 && dim < rank(x) ? shape(x)[dim] : 0;
  }
  static mlir::Type element(Value x);
  static bool isFloat(Value x) { return x && llvm::isa<mlir::FloatType>(element(x)); }
  static bool isUnsigned(Value x) { return x && element(x).isUnsignedInteger(); }
  static bool isBool(Value x) { return x && element(x).isInteger(1); }
  mlir::Type i64() { return builder.getI64Type(); }
  mlir::Type i1() { return builder.getI1Type(); }
  mlir::Type f32() { return builder.getF32Type(); }

  /// Any op of one result. Null if the op does not take its operands, which is reported.
  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return done(OpTy::create(builder, loc, std::forward<Args>(args)...));
  }

  // Constants.
  Value constant(mlir::DenseElementsAttr value);
  Value splat(ShapeRef shape, mlir::Type element, double value);
  Value splatLike(Value x, double value) { return x ? splat(shape(x), element(x), value) : x; }
  /// A 1-D constant of floats or integers.
  Value vector(mlir::Type element, llvm::ArrayRef<double> values);
  /// A constant of floats, in row-major order.
  Value floats(ShapeRef shape, mlir::Type element, llvm::ArrayRef<double> values);
  Value integers(ShapeRef values);
  Value iota(ShapeRef shape, int64_t dim, mlir::Type element);
  /// The greatest or least value of an element type (infinite for floats).
  Value limit(ShapeRef shape, mlir::Type element, bool greatest);

  // Movement.
  Value reshape(Value x, ShapeRef shape);
  /// Broadcasting of one operand: leading dimensions of size 1 are added, those of size 1
  /// repeated.
  Value expand(Value x, ShapeRef shape);
  Value permute(Value x, ShapeRef permutation);
  Value slice(Value x, ShapeRef offsets, ShapeRef sizes, ShapeRef strides);
  Value sliceDim(Value x, int64_t dim, int64_t offset, int64_t size, int64_t stride = 1);
  Value flip(Value x, ShapeRef dims);
  Value pad(Value x, ShapeRef low, ShapeRef high, double value = 0);
  Value concat(llvm::ArrayRef<Value> values, int64_t dim);
  /// The first elements along `dim`, as many as a tensor<i64> says, which is taken to be `size`; a
  /// call where a checked one is outside of its range is an error.
  Value prefix(Value x, Value count, int64_t dim, int64_t size, bool isChecked = false);
  Value unsqueeze(Value x, int64_t dim);
  Value squeeze(Value x, int64_t dim);
  /// A vector along dimension `dim` of a tensor of rank `rank`.
  Value along(Value vector, int64_t dim, int64_t rank);

  // Elementwise; operands are broadcast to each other.
  template <typename OpTy> Value unary(Value x) { return x ? make<OpTy>(x.getType(), x) : x; }
  template <typename OpTy> Value binary(Value a, Value b) {
    if (!broadcast({&a, &b}) || !sameElement(a, b))
      return {};
    return make<OpTy>(a.getType(), a, b);
  }
  template <typename OpTy> Value binary(Value a, double b) { return binary<OpTy>(a, like(a, b)); }
  Value add(Value a, Value b) { return binary<graph::AddOp>(a, b); }
  Value sub(Value a, Value b) { return binary<graph::SubOp>(a, b); }
  Value mul(Value a, Value b) { return binary<graph::MulOp>(a, b); }
  Value div(Value a, Value b) { return binary<graph::DivOp>(a, b); }
  Value maximum(Value a, Value b) { return binary<graph::MaximumOp>(a, b); }
  Value minimum(Value a, Value b) { return binary<graph::MinimumOp>(a, b); }
  Value add(Value a, double b) { return add(a, like(a, b)); }
  Value sub(Value a, double b) { return sub(a, like(a, b)); }
  Value mul(Value a, double b) { return mul(a, like(a, b)); }
  Value div(Value a, double b) { return div(a, like(a, b)); }
  Value maximum(Value a, double b) { return maximum(a, like(a, b)); }
  Value minimum(Value a, double b) { return minimum(a, like(a, b)); }
  Value exp(Value x) { return unary<graph::ExpOp>(x); }
  Value log(Value x) { return unary<graph::LogOp>(x); }
  Value sqrt(Value x) { return unary<graph::SqrtOp>(x); }
  Value neg(Value x) { return unary<graph::NegOp>(x); }
  Value abs(Value x) { return unary<graph::AbsOp>(x); }
  Value tanh(Value x) { return unary<graph::TanhOp>(x); }
  Value floor(Value x) { return unary<graph::FloorOp>(x); }
  Value round(Value x) { return unary<graph::RoundOp>(x); }
  Value sigmoid(Value x) { return unary<graph::SigmoidOp>(x); }
  Value relu(Value x) { return unary<graph::ReluOp>(x); }
  Value compare(graph::ComparePredicate predicate, Value a, Value b);
  Value compare(graph::ComparePredicate predicate, Value a, double b) {
    return compare(predicate, a, like(a, b));
  }
  Value select(Value condition, Value a, Value b);
  /// minimum(maximum(x, low), high) in the shape of `x`.
  Value clamp(Value x, Value low, Value high);
  Value clamp(Value x, double low, double high) { return clamp(x, like(x, low), like(x, high)); }
  Value cast(Value x, mlir::Type element);

  // Structured ops.
  Value contract(llvm::StringRef spec, Value a, Value b);
  Value conv(Value x, Value w, ShapeRef strides, ShapeRef dilations, ShapeRef low, ShapeRef high,
             int64_t groups);
  /// From the results of such a convolution to its input, of the given sizes: [N, groups * dim 1 of
  /// `w`, sizes...].
  Value transposedConv(Value x, Value w, ShapeRef sizes, ShapeRef strides, ShapeRef dilations,
                       ShapeRef low, int64_t groups);
  Value window(graph::CombineKind kind, Value x, ShapeRef window, ShapeRef strides,
               ShapeRef dilations, ShapeRef low, ShapeRef high);
  Value reduce(graph::CombineKind kind, Value x, ShapeRef dims, bool keep = false);
  Value sum(Value x, ShapeRef dims, bool keep = false) {
    return reduce(graph::CombineKind::Add, x, dims, keep);
  }
  Value mean(Value x, ShapeRef dims, bool keep = false);
  Value argReduce(graph::CombineKind kind, Value x, int64_t dim);
  Value scan(graph::CombineKind kind, Value x, int64_t dim, bool exclusive, bool reverse);
  Value gather(Value source, llvm::ArrayRef<Value> indices, int64_t axis, int64_t batchDims = 0);
  /// `data` with the updates where a gather would read them; a `kind` combines.
  Value scatter(Value data, Value updates, llvm::ArrayRef<Value> indices, int64_t axis,
                std::optional<graph::CombineKind> kind);
  /// The positions along `dim` of its first elements in order, as i64.
  Value argSort(Value x, int64_t dim, bool descending, int64_t first);
  /// Negative indices count from the end of a dimension of `size`; integers other than i32 and i64
  /// become i64.
  Value wrapIndices(Value indices, int64_t size);
  Value softmax(Value x, int64_t dim);
  Value logSoftmax(Value x, int64_t dim);
  Value layerNorm(Value x, Value scale, Value bias, ShapeRef dims, double epsilon);

  // Branches and loops. Nothing, and an error at the node, where iterations change a carried type.
  using Values = llvm::SmallVector<Value>;
  /// One iteration: from carried values and slices to the next carried values, and after these what
  /// is stacked.
  using Iteration =
      llvm::function_ref<Values(llvm::ArrayRef<Value> carried, llvm::ArrayRef<Value> slices)>;
  /// A scan of tensors of one shape by what `combine` makes of scalars; empty where that is not
  /// elementwise.
  Values scanBy(llvm::ArrayRef<Value> xs, int64_t dim, bool reverse, Iteration combine);
  /// So many iterations over slices along dimension 0, with `reverse` from the last one to the
  /// first.
  Values repeat(int64_t count, bool reverse, llvm::ArrayRef<Value> carried,
                llvm::ArrayRef<Value> slices, Iteration iteration);
  /// As many as a tensor says, without slices.
  Values repeat(Value amount, int64_t limit, llvm::ArrayRef<Value> carried, Iteration iteration);
  /// As long as the first carried value, a bool, is true.
  Values repeatWhile(int64_t limit, llvm::ArrayRef<Value> carried, Iteration iteration);
  /// What one of two sides gives; nothing if their types differ. `finish` is given what both have
  /// and makes what the first one gives, at its end, and then what the second one does.
  using Finish = llvm::function_ref<Values(llvm::ArrayRef<Value> onTrue,
                                           llvm::ArrayRef<Value> onFalse, bool isFirst)>;
  Values branch(Value condition, llvm::function_ref<Values()> onTrue,
                llvm::function_ref<Values()> onFalse, Finish finish = {});

  /// Broadcasts all values to their common shape; false (and an error) if there is none.
  bool broadcast(llvm::ArrayRef<Value *> values);
  /// Whether the element types are equal; reports if not.
  bool sameElement(Value a, Value b);
  /// Whether `x` has these dimensions; reports if not.
  bool hasDims(Value x, ShapeRef dims) { return checkDims(dims, rank(x)); }
  bool checkDims(ShapeRef dims, int64_t rank);
  /// Whether a tensor of this shape is within the importer's limits; reports if not.
  bool checkShape(ShapeRef shape);

private:
  Value done(mlir::Operation *op);
  Values fill(mlir::Region &region, llvm::function_ref<Values()> body, bool isWhole = true);
  bool keepTypes(mlir::ValueRange carried, llvm::ArrayRef<Value> next);
  /// Whether `check` succeeds; what it says else becomes the error of the node.
  bool accepted(llvm::function_ref<llvm::LogicalResult()> check);
  Value like(Value x, double value) { return x ? splat({}, element(x), value) : x; }
  template <typename OpTy, typename... Args> Value infer(mlir::Type placeholder, Args &&...args);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::string subject;
  bool hasFailed = false;
};

} // namespace tw::importer
