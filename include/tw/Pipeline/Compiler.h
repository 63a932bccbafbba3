// From a program at any stage to the bytes of a module.
#pragma once

#include "tw/Import/Importer.h"
#include "tw/Pipeline/Hooks.h"
#include "tw/Pipeline/Stages.h"
#include "tw/Schedule/Record.h"
#include "tw/Support/FileResolver.h"
#include "tw/Target/Target.h"

#include <vector>

namespace tw {

struct CompileOptions {
  /// Targets with or without a chip, separated by commas: "host" for the CPU of this machine,
  /// "host:x86-64-v3,opencl,cuda:sm_80,cuda:sm_90a". The module gets a program for each target and
  /// code for each chip, which devices try in the order in which the chips are named.
  std::string target = "host";
  /// Folder that gets the IR after each stage, numbered; empty for none.
  std::string dumpFolder;
  /// The folder that the module will lie in, from which it names its weights. Where they do not lie
  /// beneath it a warning says so, and they are named from the folder of `files`, as without this.
  std::string moduleFolder;
  /// Copy weights into the module, which then needs no other file.
  bool embedWeights = false;
  /// Weights in files are supplied when the module is opened (TwrtModuleOptions::findWeights):
  /// nothing of them is read, and the code does not depend on what they are, but for the promise
  /// that they are finite.
  enum class SuppliedWeights { None, Any, Finite } suppliedWeights = SuppliedWeights::None;
  /// 0 to 3, for the target's code generator.
  unsigned optimize = 3;
  /// A file of schedules written by hand, which come before all others; empty for none. It holds
  /// #tkernel.schedule<[...]>, or several by kernel in braces.
  std::string scheduleFile;
  /// The same bits on every target: only schedules that leave the order of every sum as the kernel
  /// has it, and functions computed alike.
  bool deterministic = false;
  /// What may be changed of the numbers, for all of the program and beside what it says itself:
  /// "none", "fast" or some of "reassoc,nnan,ninf,nsz,arcp,contract,afn" (tw/Support/FastMath.h).
  /// `deterministic` takes all of it back.
  std::string fastMath = "none";
  /// Threads that a CPU's schedules are chosen for; 0: those that the CPU's description says.
  int64_t threads = 0;
  /// Lists of primitives that a search looks at, at most, for a kernel of which everything that the
  /// strategies propose is far from what the machine could do; 0 for no search.
  unsigned searchStates = schedule::defaultSearchStates;
  /// How far kernels of the graph are fused.
  Fusion fusion = Fusion::Full;
  /// For tests: joins what is drawn by this seed, above the rules of `fusion`; 0 joins by price.
  unsigned fusionSeed = 0;
  /// Whether tensors between kernels get the order of dimensions that takes least; where kernels are
  /// joined by price alone.
  bool layouts = true;
  /// For tests: draws those orders by this seed, whatever else is said; 0 orders by price.
  unsigned layoutSeed = 0;
  /// As of TargetOptions.
  std::string kernelCache;
  /// Bytes that the arena of a function may have: kernels run again until it fits. 0: any.
  int64_t memory = 0;
  /// Collect what `explain` prints: the report's candidates.
  bool explain = false;
  /// The stage that the program is at; found from its ops when missing.
  std::optional<unsigned> from;
  /// Keep the point form of every kernel in the module, which checking against the interpreter
  /// needs.
  bool debugInfo = true;
  /// Compute what depends on constants alone once per loaded program, in its initializer.
  bool initializer = true;
  /// Called when a stage begins; `done` of `total` are finished.
  std::function<void(llvm::StringRef stage, unsigned done, unsigned total)> progress;
  Hooks hooks;
};

/// Sets the option that "name=value" names. False if there is none, or it cannot have the value;
/// then `error` says what is known.
bool setOption(CompileOptions &options, llvm::StringRef word, std::string &error);

/// One primitive of a schedule and what it does to results: "exact", "reassociating",
/// "approximate".
struct PrimitiveReport {
  std::string text, exactness;
};

/// A schedule that a strategy proposed, who of it wrote the list, and its price in cycles; 0: none.
/// What may be the limit, by name; they overlap, so the largest decides.
struct CandidateReport {
  std::string strategy, schedule;
  std::vector<std::pair<std::string, double>> limits;
  double cycles = 0;
  /// Whether the kernel runs by it, after what schedules themselves rewrite.
  bool chosen = false;
};

struct KernelReport {
  std::string name;
  int64_t launches = 0;  ///< of a call; 0 where the initializer alone runs it
  int64_t programs = 0;  ///< points of the grid
  int64_t flops = 0;     ///< float operations of a launch
  int64_t bytes = 0;     ///< of its buffers
  int64_t recompute = 1; ///< how often its schedule computes a value, at most
  std::string axes;      ///< "m 64, n 128, k 32"
  std::string schedule;
  std::vector<PrimitiveReport> primitives;
  /// With CompileOptions::explain, best first. The kernel's schedule is one of them, or by hand.
  std::vector<CandidateReport> candidates;
  bool byHand = false;
  /// With CompileOptions::explain: what CompileOptions::scheduleFile calls the kernel, or, of those
  /// that schedules make, the one that it was made for.
  std::string key, madeFor;
  /// With CompileOptions::explain: the price of the kernel's schedule, whoever wrote it.
  CandidateReport counted;
  /// With CompileOptions::explain; see ScheduleReview.
  int64_t registers = 0, registerBudget = 0;
  /// What is left in the code of the first chip, where its target counts.
  std::optional<CodeCounts> counts;
  /// "group 256, local 4352, registers 40/38, spills 0/0": numbers of the assembler for each
  /// artefact that has them, and matrix units of the first; empty for kernels without threads.
  std::string resources;

  /// The candidate that the kernel runs by, null if there is none.
  const CandidateReport *getChosen() const;
  /// What all launches of a call are expected to take on one core; 0 if nobody knows.
  double getCycles() const;
};

/// Code of one chip in one format.
struct ArtefactReport {
  std::string chip, format;
  int64_t bytes = 0;
  /// Kernels, and those whose code was kept from another compilation.
  unsigned kernels = 0, cachedKernels = 0;
};

/// What became of the program for one target.
struct TargetReport {
  std::string target; ///< with its chips: "amd:gfx942,gfx1100"
  std::vector<std::pair<std::string, double>> milliseconds; ///< by stage and chip
  /// What the times of code are made of: "code lower", "code optimise" ...
  std::vector<std::pair<std::string, double>> steps;
  std::vector<KernelReport> kernels;
  /// With CompileOptions::explain: what became of kernels that might be one, in the order in which
  /// they were looked at.
  llvm::SmallVector<schedule::JoinRecord> joins;
  std::vector<ArtefactReport> artefacts;
  /// Of each function whose sizes are fixed.
  llvm::SmallVector<schedule::MemoryRecord> memory;
  int64_t launches = 0; ///< of a call
  int64_t arenaBytes = 0, liveBytes = 0;
  /// Of the buffers of all launches of a call, and of inputs, results and constants once each,
  /// which is the least.
  int64_t movedBytes = 0, leastBytes = 0;
  /// Of initializers: what runs once, its arena, and what it leaves.
  int64_t initializerLaunches = 0, initializerArenaBytes = 0, derivedBytes = 0;

  /// Of all launches of a call.
  double getCycles() const;
  /// By cycles, the most first; equal ones as they are.
  std::vector<const KernelReport *> getSortedKernels() const;
};

/// What was compiled and what it cost.
struct CompileReport {
  /// By stage, of what the targets share.
  std::vector<std::pair<std::string, double>> milliseconds;
  std::vector<TargetReport> targets;
  double moduleMilliseconds = 0; ///< writing the module
  int64_t embeddedBytes = 0, externalBytes = 0;
  int64_t moduleBytes = 0;

  void print(llvm::raw_ostream &os) const;
  /// All of it as JSON; keys are the names here. Kernels are in the order of `explain`.
  void printJson(llvm::raw_ostream &os) const;
  /// For people: how each kernel runs and why, a paragraph each, by what all its launches take;
  /// first the total.
  void explain(llvm::raw_ostream &os) const;
  /// For people: which kernels were joined, which were not, and why, a line each.
  void explainFusion(llvm::raw_ostream &os) const;
};

/// Compiles the module (consumed: it is left at its last stage, for the last target). Files named
/// by its constants are found through `files`. Errors are diagnostics. Registers the dialects and
/// passes that it needs; no other thread may use the module's context meanwhile.
mlir::FailureOr<std::vector<uint8_t>> compile(mlir::ModuleOp module, FileResolver &files,
                                              const CompileOptions &options,
                                              CompileReport *report = nullptr);

/// Runs the stages up to and including `to`, and leaves the module there. From stage schedule on,
/// programs differ by target: `options.target` must name one alone. `to` may be codeStage. Small
/// constants that lie in `files` are folded where those are given.
mlir::LogicalResult compileTo(mlir::ModuleOp module, unsigned to, const CompileOptions &options,
                              const FileResolver *files = nullptr);

/// Adds the passes of the stages from `from` up to and including `to` to a manager of
/// builtin.module, for the one target of `options`: a part of another compiler's pipeline. What the
/// stages check of each other's programs is verifyStage's. With `to` codeStage the kernels alone
/// are left, as the target's code generator takes them. Errors are diagnostics at `location`.
mlir::LogicalResult buildPipeline(mlir::OpPassManager &passes, const CompileOptions &options,
                                  unsigned from, unsigned to, mlir::Location location);

/// Each chip of `targets` (as CompileOptions::target) as JSON, a line break after each. Errors are
/// diagnostics.
mlir::FailureOr<std::string> describeTargets(mlir::Location location, llvm::StringRef targets);

/// Lets a program that is written to `folder` name the files of its constants from there. Where
/// they do not lie beneath it a warning says so, and their names stay, as for an empty folder.
void nameFilesFrom(mlir::ModuleOp module, const FileResolver &files, llvm::StringRef folder);

/// Parses a program, text or bytecode, called `name` in messages. Every error has a code; text
/// that nests too deep for the parser is one.
mlir::OwningOpRef<mlir::ModuleOp> parseProgram(mlir::MLIRContext *context, llvm::StringRef text,
                                               llvm::StringRef name);

/// Reads a program from a file: by the importer for its name (`.onnx`), if there is one, else as
/// MLIR, text or bytecode. Symbols and shapes of `options` hold for both, assumptions for models
/// alone.
mlir::OwningOpRef<mlir::ModuleOp> readProgram(mlir::MLIRContext *context, llvm::StringRef path,
                                              const onnx::ImportOptions &options = {});

/// Gives symbolic dimensions of a program (#tgraph.dims) the sizes that `options` have for them or
/// that follow from shapes of @main's arguments; others stay. Errors are diagnostics.
mlir::LogicalResult setSymbols(mlir::ModuleOp module, const onnx::ImportOptions &options);

} // namespace tw
