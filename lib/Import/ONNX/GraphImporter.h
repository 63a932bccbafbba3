// Imports the nodes of a graph, and of the graphs inside it, in the order of the file.
#pragma once

#include "Constants.h"
#include "Registry.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SaveAndRestore.h"

namespace tw::onnx {

/// Iterations that are imported one by one where a body needs numbers that each of them has.
constexpr int64_t maxUnrolled = 1024;

class GraphImporter {
public:
  GraphImporter(mlir::OpBuilder &builder, std::string fileName, Constants &constants, int64_t opset,
                int64_t irVersion, CountedSizes *counted,
                const std::map<std::string, SizeRange> &ranges)
      : emit(builder), constants(constants), fileName(std::move(fileName)), opset(opset),
        irVersion(irVersion), counted(counted), ranges(ranges) {}

  /// The place of the node with this number, from 1; 0 is the model as a whole.
  mlir::Location at(size_t number);

  /// Makes a graph's initializers known; they are emitted where they are first used.
  void declareInitializers(const Graph &graph);
  /// The initializer of this name, or null.
  const Tensor *initializer(llvm::StringRef name) const { return initializers.lookup(name); }

  /// Gives a value its name; null if its node could not be imported.
  void define(llvm::StringRef name, Value value);

  /// The value of this name, or the size that it is where it has a range.
  Value takeSize(llvm::StringRef name, Value value);

  /// Finds values by name; an empty name gives null. False after an error; `unknown` if one comes
  /// from a node that could not be imported.
  bool lookUp(llvm::ArrayRef<llvm::StringRef> names, llvm::SmallVectorImpl<Value> &found,
              bool &unknown);

  /// Imports all nodes, unless there are too many errors.
  void importNodes(const Graph &graph);

  Emitter emit;
  Report report;
  unsigned errors = 0;

private:
  void importNode(const Node &node, size_t index);
  void checkArity(NodeImport &n, const Rule &rule);
  void checkAttributes(NodeImport &n);

  // Control flow.
  bool importControl(NodeImport &n);
  void importIf(NodeImport &n);
  void importLoop(NodeImport &n);
  void importScan(NodeImport &n);
  /// Imports a graph inside a node, whose names end with it. False if a result is not known.
  bool importBody(NodeImport &n, const Graph &body, llvm::ArrayRef<Value> arguments,
                  llvm::SmallVectorImpl<Value> &results);
  /// The same for a region: nothing, and `isKnown` is false, if a result is not known.
  Emitter::Values bodyValues(NodeImport &n, const Graph &body, llvm::ArrayRef<Value> arguments,
                             bool &isKnown);
  /// What one of two sides gives; results whose sizes differ are counted.
  Emitter::Values branchValues(NodeImport &n, Value condition, const Graph &onTrue,
                               const Graph &onFalse, bool &isKnown);
  /// Names of sizes end with the node's and the part of it as long as this is there.
  llvm::SaveAndRestore<std::string> enterPlace(const NodeImport &n, const llvm::Twine &part = "");
  /// Values may be gone.
  void forget();
  /// Whether the node can be imported so; what was emitted and reported is undone if not.
  bool attempt(NodeImport &n, llvm::function_ref<void(NodeImport &)> import);

  struct ScanForm;
  std::optional<ScanForm> readScan(NodeImport &n, const Graph &body, llvm::ArrayRef<Value> inputs);
  void importBatchedScan(NodeImport &n, const Graph &body);
  void runScan(NodeImport &n, const Graph &body, const ScanForm &form);
  void scanAsLoop(NodeImport &n, const Graph &body, const ScanForm &form);
  void unrollScan(NodeImport &n, const Graph &body, const ScanForm &form);

  struct LoopForm;
  std::optional<LoopForm> readLoop(NodeImport &n, const Graph &body);
  void loopOfCount(NodeImport &n, const Graph &body, const LoopForm &form, bool &depends);
  llvm::SmallVector<mlir::RankedTensorType> collectedTypes(NodeImport &n, const Graph &body,
                                                           const LoopForm &form);
  std::pair<std::optional<int64_t>, std::string> findMostRows(const NodeImport &n,
                                                              const LoopForm &form) const;
  void loopOfData(NodeImport &n, const Graph &body, const LoopForm &form);
  void unrollLoop(NodeImport &n, const Graph &body, const LoopForm &form);

  Constants &constants;
  std::string fileName;
  int64_t opset, irVersion;
  CountedSizes *counted;
  /// Of values that are sizes.
  const std::map<std::string, SizeRange> &ranges;
  /// Stands for that of `counted` where there are none.
  std::string noPlace;
  /// What NonZero gave for values: others by it have the same size where that is seen.
  llvm::DenseMap<Value, Value> found;
  Value findSame(Value value);
  llvm::StringMap<Value> values;
  llvm::StringMap<const Tensor *> initializers;
};

} // namespace tw::onnx
