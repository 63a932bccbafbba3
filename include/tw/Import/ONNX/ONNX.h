// Import of ONNX models into tgraph, and of tensors in ONNX's files of test data.
#pragma once

#include "tw/Support/FileResolver.h"
#include "tw/Support/SymbolSizes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tw::onnx {

class SizeTrace;

/// Sizes that data decide, such as the number of elements that NonZero finds.
struct CountedSizes {
  /// Their names, in the order in which nodes make them, and the most that each comes to.
  std::vector<std::pair<std::string, int64_t>> found;
  /// What a model is imported with; the most of those that are not listed.
  SymbolSizes sizes;
  /// What constants decided on the way, in order: branches, ends of loops, numbers of elements. By
  /// the node, of which there is one for each iteration.
  std::map<std::string, std::vector<int64_t>> decided;
  /// Of what constants were asked to be equal, the sign of the difference, for each element.
  std::map<std::string, std::vector<int>> differences;

  /// A node that takes the first elements of a dimension, as many as there are up to `most`: the
  /// size is one that data decide, up to `room`. Those of one size and number have one name.
  struct Part {
    std::string name;
    int64_t most, room;
  };
  /// By node and dimension. What has been found of a model at several sizes; it is imported with
  /// that then.
  std::map<std::string, Part> parts;
  /// Of each such node and dimension, the size, and how many elements are taken.
  std::map<std::string, std::pair<int64_t, int64_t>> firsts;

  /// How a node resizes a dimension, from one size to another, or not at all.
  struct Resized {
    int64_t in, out;
    bool keeps;
    bool operator==(const Resized &other) const {
      return in == other.in && out == other.out && keeps == other.keeps;
    }
  };
  /// By node and dimension, for each time that the node is imported.
  std::map<std::string, std::vector<Resized>> resized;
  /// Those that are not resized alike at all sizes: the program computes how.
  std::set<std::string> openResized;

  /// Branches and loops that constants decide, and those of them that are decided otherwise at
  /// other sizes: both sides, or the loop, are in the program then. By node.
  std::set<std::string> ways, open;

  /// A dimension of a result of a branch whose sides differ in size, which is counted then, up to
  /// `room`. Those of one node whose sizes are the same have one name.
  struct Side {
    std::string name, node;
    int64_t room;
  };
  /// By output and dimension.
  std::map<std::string, Side> sides;
  /// Of each such, the sizes of both sides.
  std::map<std::string, std::pair<int64_t, int64_t>> sideSizes;

  /// What a node gives: its shape, and its elements where they are known integers.
  struct Result {
    std::vector<int64_t> shape;
    std::optional<std::vector<int64_t>> integers;
  };
  /// By output, of which there is one for each time that the node is imported.
  using Results = std::map<std::string, std::vector<Result>>;
  Results results;

  /// What known values come to at sizes that no sample is made at, in the import that is to tell.
  SizeTrace *trace = nullptr;
  /// Sizes of the trace where a node reads another value than follows from the samples; one that
  /// decides the way of a branch or a loop, which may be open.
  /// Without a size where nobody knows whether it does at some.
  struct Reading {
    std::string node;
    std::optional<size_t> probe;
    bool isWay;
  };
  std::vector<Reading> readings;
  /// Those where nobody knows.
  std::set<size_t> doubtful;

  /// Whether calls settle sizes, too.
  bool hasRanges = false;
  /// Whether sizes are products of any two that data decide, of which there may be many.
  bool hasAllPairs = false;
  /// Whether the first elements of a dimension are counted where calls settle how many there are.
  bool countsOfRanges = false;

  /// What names of sizes end with where the node is one of several of that name: in iterations that
  /// are imported one by one, and in branches.
  std::string place;

  /// What a size of this name, of which `most` is the most, is taken to be.
  int64_t take(const std::string &name, int64_t most) {
    bool isNew = true;
    for (const auto &[known, size] : found)
      isNew &= known != name;
    if (isNew)
      found.emplace_back(name, most);
    return sizes.try_emplace(name, most).first->second;
  }

  /// What a model is imported with again.
  CountedSizes again() const {
    CountedSizes next;
    next.parts = parts;
    next.open = open;
    next.openResized = openResized;
    next.sides = sides;
    next.hasRanges = hasRanges;
    next.hasAllPairs = hasAllPairs;
    next.countsOfRanges = countsOfRanges;
    return next;
  }
};

struct ImportOptions {
  /// Sizes of symbolic dimensions by name. A dimension without any name is called "input.index", as
  /// in "x.0"; one that is an expression (`past + 1`) has the size that follows from its symbols,
  /// or settles them if its text is listed. Symbols that nothing settles are 1, and a warning says
  /// so.
  SymbolSizes symbols;

  /// Symbols that stay symbols, with the sizes that they may have. Shapes of inputs do not settle
  /// them.
  std::map<std::string, SizeRange> dims;

  /// Values of the model's graph that are one integer each, a size that data decide on between
  /// these. Entries of `dims` that are of no dimension come here.
  std::map<std::string, SizeRange> values;

  /// Shapes of inputs by name, which settle symbols that are not listed; an empty name stands for
  /// the next input that is not named. What does not fit the model says nothing; a remark tells of
  /// each symbol that is settled so.
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;

  /// Values of inputs, as paths of tensor files (.pb), that may be relied on where an operator's
  /// result shape depends on the value (the new shape of Reshape, say). The inputs stay arguments
  /// of the function; calls with other values are refused where an operator relied on them.
  std::map<std::string, std::string> assumptions;

  /// Inputs that a call gives up, and the outputs that take their memory: names, or patterns with
  /// one star, which stands for the same text in both ("past.*", "present.*"). There is room for
  /// the most that an output comes to.
  std::vector<std::pair<std::string, std::string>> aliases;

  /// The sizes are some of those that the model is imported for, whose programs are compared.
  bool isSample = false;

  /// Of the importer itself, which imports such models at several sizes.
  CountedSizes *counted = nullptr;

  /// Let external data be symbolic links that lead out of the model's folder.
  bool followLinks = false;
};

/// Adds one entry as tools and callers write it, "symbol=NAME=SIZE", "dim=NAME=MIN..MAX",
/// "shape=NAME=SIZE,SIZE...", "assume=NAME=tensor.pb", "alias=INPUT=OUTPUT" or "follow-links=true";
/// false if it is none of these. Of a range that is malformed `problem`, which is empty before,
/// says what is wrong.
bool addImportOption(llvm::StringRef entry, ImportOptions &options, std::string &problem);

/// The shape that `options` give each of these inputs; null for none.
std::vector<const std::vector<int64_t> *> findShapes(const ImportOptions &options,
                                                     llvm::ArrayRef<llvm::StringRef> inputs);

/// Imports the model at `path` as `func.func @main`. Weights stay in their files: constants name
/// them relative to the model's folder (`#tgraph.file`), see FileResolver. Every problem is emitted
/// through the context's diagnostics with a T01xx code; then the result is null.
mlir::OwningOpRef<mlir::ModuleOp> importModel(mlir::MLIRContext &context, llvm::StringRef path,
                                              const ImportOptions &options = {});

/// The same of a model in memory, called `name` in messages, whose external data lies in `files`.
/// What it holds itself becomes part of the program.
mlir::OwningOpRef<mlir::ModuleOp> importBytes(mlir::MLIRContext &context, llvm::StringRef bytes,
                                              llvm::StringRef name, FileResolver &files,
                                              const ImportOptions &options = {});

/// The names of the model's inputs that have no initializer: those of @main's arguments, in order.
mlir::FailureOr<std::vector<std::string>> readInputNames(mlir::MLIRContext &context,
                                                         llvm::StringRef path);

/// Reads one TensorProto (`input_0.pb`). Reports problems through the context's diagnostics.
mlir::FailureOr<mlir::DenseElementsAttr> readTensorFile(mlir::MLIRContext &context,
                                                        llvm::StringRef path);

/// The versions of the default operator set that importModel knows.
constexpr int64_t oldestOperatorSet = 1;
constexpr int64_t newestOperatorSet = 25;

/// All operators that the importer knows, in the order of their names, as a table in Markdown: the
/// versions of the operator set from which a rule holds, or why there is none and what to use.
void printOperators(llvm::raw_ostream &os);

} // namespace tw::onnx
