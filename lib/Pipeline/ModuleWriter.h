// Writes the bytes of a module from compiled programs.
#pragma once

#include "SizeWriter.h"
#include "TargetList.h"

#include "tw/Dialect/Graph/Graph.h"
#include "tw/Dialect/Launch/Launch.h"
#include "tw/Format/Metadata.h"
#include "tw/Format/ProgramBuilder.h"
#include "tw/Pipeline/Compiler.h"

#include "llvm/ADT/StringMap.h"

#include <deque>

namespace tw {

/// The code of one chip in one format.
struct ChipArtefact {
  /// As named after the colon; empty for the target's default.
  std::string chip;
  Artefact artefact;
};

/// The program of one target.
struct CompiledTarget {
  const TargetRequest *request;
  /// At the tile stage.
  mlir::ModuleOp module;
  /// In order of preference; the variants of every kernel.
  std::vector<ChipArtefact> artefacts;
  /// The point form of each kernel as text, by symbol; empty to leave them out.
  llvm::StringMap<std::string> sources;
  /// By kernel, of a launch.
  llvm::StringMap<int64_t> flops, leastCycles;
};

/// How often the loops around a command that know it run it: once where data decide.
int64_t countRuns(mlir::Operation *op);

/// Collects the programs of all targets. Functions of one name become one function with a program
/// for each target; constants of one value are kept once. The same input gives the same bytes.
/// Errors are diagnostics.
class ModuleWriter {
public:
  /// Embedded constants lie at multiples of `constantAlignment`; arguments and constants are bound
  /// at multiples of `bindingAlignment`, the largest that a target asks for. Weights are embedded,
  /// or named by their paths in `files` behind `weightsPath`, or supplied by name, as `options`
  /// say.
  ModuleWriter(FileResolver &files, const CompileOptions &options, std::string weightsPath,
               uint64_t constantAlignment, uint64_t bindingAlignment, CompileReport *report)
      : files(files), embedWeights(options.embedWeights),
        isSupplied(options.suppliedWeights != CompileOptions::SuppliedWeights::None),
        weightsPath(std::move(weightsPath)), constantAlignment(constantAlignment),
        bindingAlignment(bindingAlignment), report(report) {}

  /// Adds a program per `tlaunch.func`; `targetReport`, where there is one, gets its launches and
  /// arena.
  mlir::LogicalResult add(CompiledTarget target, TargetReport *targetReport);

  std::vector<uint8_t> finish();
  /// Of constants, which `finish` copies.
  uint64_t countEmbeddedBytes() const { return pool.bytes().size(); }

  bool namesFiles() const { return !metadata.files.empty(); }

private:
  /// What symbols of the module being added stand for.
  struct Symbols {
    llvm::StringMap<uint32_t> constants, kernels;
    /// Of the function that is being added.
    SizeWriter *sizes = nullptr;
    std::vector<uint32_t> sections;
  };

  using Buffers = llvm::DenseMap<mlir::Value, format::BufferRef>;

  mlir::LogicalResult addConstant(mlir::Operation *op, Symbols &symbols);
  mlir::LogicalResult addKernel(mlir::Operation *op, const CompiledTarget &target,
                                Symbols &symbols);
  mlir::LogicalResult addFunction(mlir::Operation *op, const CompiledTarget &target,
                                  const Symbols &symbols, TargetReport *targetReport);
  /// The block of a program or of its initializer. What `buffers` has already is not reserved.
  mlir::LogicalResult addCommands(mlir::Block &block, const CompiledTarget &target,
                                  const Symbols &symbols, Buffers &buffers,
                                  format::ProgramBuilder &program, TargetReport *targetReport);
  /// Sides, loops, and what they do to buffers; an error for what a module has not.
  mlir::LogicalResult addControl(mlir::Operation *op, const CompiledTarget &target,
                                 const Symbols &symbols, Buffers &buffers,
                                 format::ProgramBuilder &program, TargetReport *targetReport);
  mlir::LogicalResult addBlock(mlir::Operation *op, const CompiledTarget &target,
                               const Symbols &symbols, Buffers &buffers,
                               format::ProgramBuilder &program, TargetReport *targetReport);
  /// How much a reservation of changing size takes: in one register for those that may rotate.
  format::RegisterRef getReservedBytes(mlir::Operation *op, SizeWriter *sizes,
                                       format::ProgramBuilder &program);
  void addLaunch(uint32_t kernel, mlir::ArrayRef<format::BufferRef> bindings, SizeWriter *sizes,
                 format::ProgramBuilder &program);
  mlir::LogicalResult addInitializer(mlir::Operation *op, const CompiledTarget &target,
                                     const Symbols &symbols, Buffers &buffers,
                                     format::ProgramBuilder &program, TargetReport *targetReport);
  mlir::FailureOr<uint32_t> addDerived(mlir::Value reserve, const CompiledTarget &target);
  mlir::FailureOr<format::Function *> getFunction(mlir::Operation *op, SizeWriter &sizes);
  mlir::FailureOr<format::TensorType> getType(mlir::ShapedType type, mlir::Location location);
  /// Of a kernel's buffer, in its scalars.
  mlir::FailureOr<format::TensorType> getBindingType(mlir::Operation *op, unsigned buffer,
                                                     KernelSizes &sizes);
  uint32_t addFile(llvm::StringRef name, llvm::StringRef contents);
  void addSupplied(graph::FileAttr file, format::Constant &entry);
  llvm::LogicalResult embed(mlir::Location location, format::Constant &entry,
                            std::span<const uint8_t> bytes);
  mlir::LogicalResult addFileConstant(launch::ConstantOp op, graph::FileAttr file,
                                      format::Constant &entry);
  uint32_t addLocation(mlir::Location location);

  FileResolver &files;
  bool embedWeights, isSupplied;
  std::string weightsPath;
  uint64_t constantAlignment, bindingAlignment;
  CompileReport *report;
  format::Metadata metadata;
  format::ContainerWriter container;
  format::ConstantPool pool;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, uint32_t> constants;
  llvm::StringMap<uint32_t> functions, fileIndices;
  llvm::DenseMap<mlir::Attribute, uint32_t> locations;
  /// By kernel of the metadata.
  std::vector<std::string> sources;
  std::vector<uint32_t> programs;
  std::vector<KernelSizes> kernelSizes;
  /// By block and type, of the function that is being added: what rotates has its size from there.
  llvm::DenseMap<std::pair<mlir::Block *, mlir::Type>, uint32_t> rotatedBytes;
  /// Sections borrow from here.
  std::deque<Artefact> artefacts;
  bool hasSources = false;
};

} // namespace tw
