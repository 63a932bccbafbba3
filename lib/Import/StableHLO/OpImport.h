// One op on its way in: its operands, attributes and results, and how it says that it cannot be
// imported.
//
// The getters report what is wrong themselves and then return something harmless, so an importer
// reads like the op's definition; the driver looks at the outcome once, at the end.
#pragma once

#include "../Common/Emitter.h"

namespace tw::stablehlo {

using importer::Emitter;
using importer::Shape;
using importer::ShapeRef;
using mlir::Value;
using Values = llvm::SmallVector<Value>;

class Importer;

/// The type of one part of complex numbers; the integers of quantised ones; a scalar that nobody
/// reads for a token, since nothing in a program has effects; others as they are.
mlir::Type partTypeOf(mlir::Type type);
bool isTokenType(mlir::Type type);
bool isComplexType(mlir::Type type);
/// Whether it is a tensor of `!quant.uniform`, which are integers inside.
bool isQuantizedType(mlir::Type type);

/// An attribute of an op, which may be one of its properties; null if it is not there.
mlir::Attribute attributeOf(mlir::Operation &op, llvm::StringRef name);

class OpImport {
public:
  /// `imaginary`: bit i says that the imaginary part of operand i, if it is complex, stands for it.
  OpImport(mlir::Operation &op, Importer &importer, uint64_t imaginary = 0);
  /// Of quantised operands takes the numbers that they stand for, and so gives such: types are
  /// those of numbers.
  void takeNumbers();
  /// The same where the operands are numbers already, as elements in regions are.
  void areNumbers() { ofNumbers = true; }

  mlir::Operation &op;
  Importer &importer;
  Emitter &emit;

  // Operands as values of tgraph. Where elements are computed by a region for a whole tensor, they
  // are that tensor or scalars, which broadcast.
  size_t count() const { return operands.size(); }
  Value operand(size_t i);
  llvm::ArrayRef<Value> allOperands() const { return operands; }
  /// The imaginary part of an operand, zeros of a real one.
  Value imaginary(size_t i);
  /// Appends the imaginary parts of complex operands to the operands, for ops with regions: so do
  /// `enter` with what it takes and gives, and `resultOrPart` with results.
  void appendParts();
  /// The operand that operand `i` is, or whose imaginary part it is.
  size_t wholeOf(size_t i) const;
  /// The declared types, of complex numbers those of their parts; of what is no tensor, or is not
  /// there, one without dimensions, which is reported.
  mlir::RankedTensorType type(size_t i);
  mlir::RankedTensorType resultType(size_t i = 0);
  /// The sizes of a result: those of its type, and where this leaves some open, those of the
  /// integers `name` of `readFrom`, or of the one that is open as many as `elements` leave.
  Shape resultShape(llvm::StringRef name, std::optional<int64_t> elements = std::nullopt);
  /// The value of an operand, or of any value, if it is known and small; null, and never a report,
  /// if not.
  mlir::DenseElementsAttr known(Value value);
  std::optional<int64_t> knownInteger(Value value);
  /// The number of the side that is taken, if one is at all sizes.
  std::optional<int64_t> knownWay(Value value);

  // Attributes; one of another kind is reported, one that is missing where there is no fallback
  // too.
  bool has(llvm::StringRef name) const { return static_cast<bool>(find(name)); }
  mlir::Attribute attribute(llvm::StringRef name) const { return find(name); }
  int64_t integer(llvm::StringRef name, std::optional<int64_t> fallback = std::nullopt);
  double number(llvm::StringRef name);
  llvm::StringRef text(llvm::StringRef name, llvm::StringRef fallback = "");
  /// Of a list of pairs all numbers, pair by pair.
  Shape integers(llvm::StringRef name, std::optional<Shape> fallback = std::nullopt);
  /// Operand `i` stands for the integers `name`, as in ops whose sizes are operands. Its elements
  /// have to be known.
  void readFrom(llvm::StringRef name, size_t i) { fromOperands.push_back({name, i}); }
  /// `count` of them, which is checked; without fallback each is `missing`.
  Shape integers(llvm::StringRef name, size_t count, int64_t missing);
  /// The same of an entry of dimension numbers, where none is an empty list.
  Shape field(llvm::StringRef name, llvm::StringRef entry);
  int64_t fieldInteger(llvm::StringRef name, llvm::StringRef entry, int64_t fallback);
  /// Whether the numbers are dimensions of a tensor of this rank, each once; reports.
  bool areDims(ShapeRef dims, int64_t rank, llvm::StringRef what);

  void result(Value value) { result(0, value); }
  void result(size_t i, Value value) {
    if (i < results.size())
      results[i] = value;
  }
  void result(size_t i, Value real, Value imaginary) {
    result(i, real);
    if (i < imaginaryResults.size())
      imaginaryResults[i] = imaginary;
  }
  /// Behind the results, imaginary parts of complex ones.
  void resultOrPart(size_t i, Value value);
  llvm::ArrayRef<Value> allResults() const { return results; }
  llvm::ArrayRef<Value> allImaginaryResults() const { return imaginaryResults; }

  // Regions. Nothing after an error, which is reported.
  /// Whether there are at least so many regions, each of one block with so many arguments.
  bool hasRegions(size_t count, std::optional<size_t> arguments);
  /// What the region, of scalars, gives for each element of these tensors, of one shape or scalars;
  /// imaginary parts behind the others, as with `enter`.
  std::optional<Values> apply(unsigned region, llvm::ArrayRef<Value> arguments);
  /// The same of the first region for elements of two lists, of each of which imaginary parts stand
  /// behind the others.
  std::optional<Values> combine(llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b);
  /// The operands and initial values of a reduction, imaginary parts behind the others.
  std::pair<Values, Values> inputsAndInits();
  /// The values that the region ends with, its ops being emitted where the emitter stands.
  std::optional<Values> enter(unsigned region, llvm::ArrayRef<Value> arguments);

  CodedDiagnostic error(Code code) { return emit.error(code); }
  /// This form of the op cannot be imported: says which form, what it would need, and the nearest
  /// form that can.
  void unsupported(const llvm::Twine &form, const llvm::Twine &needed, const llvm::Twine &nearest);
  bool failed() const { return refused || emit.failed(); }
  bool isRefused() const { return refused; }
  /// Emits for the op again, after what stands in its regions.
  void resume();

private:
  mlir::Attribute find(llvm::StringRef name) const;
  std::optional<Shape> read(mlir::Attribute attribute, const llvm::Twine &name);

  Values operands, results, imaginaryResults;
  llvm::SmallVector<std::pair<llvm::StringRef, size_t>> fromOperands;
  bool refused = false, ofNumbers = false;
};

/// `x` with elements between, before and behind; negative edges are cut off. Reports.
Value padded(OpImport &op, Value x, Value fill, ShapeRef low, ShapeRef high, ShapeRef interior);

} // namespace tw::stablehlo
