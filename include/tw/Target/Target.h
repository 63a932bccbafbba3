// What a target is to the rest of the compiler: one struct of functions, and the list of targets.
//
// To add one, copy lib/Target/Null and test/Target/Null as docs/how-tos/add-a-target.md says. The
// list is generated from tw_add_target.
#pragma once

#include "tw/Format/TensorMap.h"
#include "tw/Schedule/Strategy.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tw {

struct ChipInstructions;

/// How far kernels of the graph are fused.
enum class Fusion {
  Off,         ///< an op is a kernel
  Elementwise, ///< views, elementwise producers and epilogues, by rules (kernel-fuse)
  Full         ///< and whatever a price says is cheaper as one kernel (kernel-join)
};

/// What to compile for, of all targets; each uses what means something to it.
struct TargetOptions {
  /// The chip, what follows the colon in `--target=name:chip`; empty for the target's default. For
  /// the host, "native" (the default) is the machine that compiles.
  std::string cpu;
  /// 0 to 3.
  unsigned optLevel = 3;
  /// A file of schedules written by hand, empty for none; see kernel-schedule.
  std::string scheduleFile = {};
  /// Admit only schedules that leave the order of every sum as the kernel has it, and compute
  /// functions alike on all targets.
  bool deterministic = false;
  /// Threads that a CPU's schedules are chosen for; 0: those of its description.
  int64_t threads = 0;
  /// Let scheduling write down on the kernels what it did; see Schedule/Record.h.
  bool record = false;
  /// Lists that a search looks at for a kernel; see kernel-schedule.
  unsigned searchStates = schedule::defaultSearchStates;
  Fusion fusion = Fusion::Full;
  /// Joins kernels at random, whatever `fusion` says of joining; see kernel-join. 0: by price.
  unsigned fusionSeed = 0;
  /// Orders the dimensions of tensors between kernels by price, where kernels are joined by price.
  bool layouts = true;
  /// Draws those orders instead; see kernel-layout. 0: by price.
  unsigned layoutSeed = 0;
  /// A folder that keeps the code of kernels between compilations, empty for none. Equal kernels
  /// are compiled once, whatever program they are of. Targets that keep none do not look at it.
  std::string kernelCache = {};
  /// Chips that share the schedules of this one, which have to fit all of them.
  std::vector<std::string> others = {};
  /// The list that the chip's strategy has for the kernel of that name, as text, for messages;
  /// empty where the kernel has it already. May be null.
  std::function<std::string(llvm::StringRef kernel)> suggestSchedule = nullptr;
};

/// What is left in the code of a kernel of one thread.
struct CodeCounts {
  /// Instructions that store to or load from what register allocation put on the stack; those in
  /// loops that hold no other loop.
  int64_t spills = 0, loopSpills = 0;
  /// Accesses of tiles, and those that still check where their elements lie: with a mask or a
  /// branch. Those inside of a loop of the program.
  int64_t accesses = 0, guards = 0, loopGuards = 0;
};

/// What one core of a chip can do at best in a cycle.
struct PeakRates {
  /// Float operations by the width of the widest result; products and sums count as one each.
  double flops16 = 0, flops32 = 0, flops64 = 0;
  /// Sizes of memories from small to large, the last without end, and bytes from each.
  llvm::SmallVector<std::pair<int64_t, double>, 3> bytes;
};

/// How a kernel will run, as far as that is known before there is code.
struct ScheduleReview {
  /// The price of its schedule, whoever wrote it, and what that is made of; 0: nobody knows.
  double cycles = 0;
  llvm::SmallVector<std::pair<llvm::StringLiteral, double>, 5> limits;
  /// Vector registers that the innermost loop holds under the kernel's schedule, and those there
  /// are. 0: no loop carries partial results.
  int64_t registers = 0, registerBudget = 0;
};

/// One kernel in an artefact.
struct ArtefactEntry {
  std::string name;
  /// Where it starts in the artefact's bytes, for targets whose drivers call by address.
  uint64_t offset = 0;
  /// Points of its grid: how many programs a launch runs. All chips of a target agree on it.
  uint64_t programs = 0;
  /// Threads of a program; 0 where a program is not made of threads.
  uint32_t group = 0;
  /// A launch may divide the threads of a program among several groups; see format::Variant.
  bool divisible = false;
  /// Bytes of local memory of a program that the driver must ask for or that it must check against
  /// the device's limit.
  uint32_t localBytes = 0;
  /// Bytes of scratch memory that a thread of a CPU needs to run programs.
  uint32_t scratchBytes = 0;
  /// All threads of a CPU run a launch together; bytes of scratch memory that they share.
  bool together = false;
  uint32_t sharedBytes = 0;
  /// Threads of a subgroup, nominal where shuffles are not used; 0 without threads.
  uint32_t subgroup = 0;
  /// As the assembler reports them, for one thread; 0 where nobody knows.
  uint32_t registers = 0, spills = 0;
  /// Matrix units that multiply in it: "mma.m16n8k16.bf16"; with why not others, where there is a
  /// choice.
  std::string units = {};
  /// Maps of tensors that it takes behind its scalars.
  std::vector<format::TensorMap> maps = {};
  /// Features that a device must have to run it, beside those of the artefact.
  std::vector<std::string> requiredFeatures = {};
  /// The function's name in the code; empty: `name`.
  std::string symbol = {};
  /// Where the target counts.
  std::optional<CodeCounts> counts = {};
};

/// What a target makes of the kernels of a module; one section of a module file.
struct Artefact {
  /// The format's name, for the driver: one of format::variantFormats, or "null", which has no
  /// section in a module.
  std::string format;
  std::vector<uint8_t> bytes;
  /// Where code starts in `bytes`; everything before may be mapped read-only.
  uint64_t textOffset = 0;
  /// One per `ttile.func`, in the module's order.
  std::vector<ArtefactEntry> entries;
  /// Features that a device must have to run it, sorted; see docs of DeviceInfo.features for their
  /// names: "fma", "fp64", "shaderInt64", "sm_90a", "gfx942".
  std::vector<std::string> requiredFeatures;
  /// Milliseconds that its steps took, in their order, where the target says.
  std::vector<std::pair<llvm::StringLiteral, double>> milliseconds = {};
  /// Kernels whose code was kept from another compilation.
  unsigned cachedKernels = 0;
};

/// Limits of the memory that a target's devices can bind; the same for all chips, since they share
/// one program.
struct TargetLimits {
  /// Bytes that one buffer of a kernel may span; a larger tensor is a compile-time error.
  uint64_t maxBindingBytes = UINT64_MAX;
  /// Bytes of one slab of the arena, at most maxBindingBytes.
  uint64_t maxSlabBytes = UINT64_MAX;
  /// What offsets of buffers within a slab are multiples of, a power of two, at least 64.
  uint64_t offsetAlignment = 64;
  /// What the address of a buffer that a kernel binds is a multiple of, a power of two: that of the
  /// widest access. At least that of the element.
  uint64_t bindingAlignment = 1;
  /// What a device can bind parts of a buffer at multiples of, where it asks for more than kernels
  /// do; a power of two.
  uint64_t partAlignment = 1;
};

/// A form in which a target prints its code, for `tensor-translate --emit=name`.
struct EmitForm {
  /// "ptx", "opencl-c"; no two targets share one, and no target has two of one name.
  llvm::StringLiteral name;
  /// One line for --list-forms.
  llvm::StringLiteral summary;
  /// The code of the kernels of a module, which is not changed: of its `ttile.func`s, or of its
  /// gpu.module for targets that take thread form. Bytes, for a form that is not text.
  mlir::FailureOr<std::string> (*emit)(mlir::ModuleOp module, const TargetOptions &options);
};

/// A target. All functions are safe to call from several threads on distinct contexts, and report
/// errors as diagnostics at the op they concern. Before any of them is called with a chip, the
/// chip was found in `chips` or has a stand-in there, unless `checksChips`.
struct Target {
  /// The name after --target=.
  llvm::StringLiteral name;
  /// One line for --list-targets.
  llvm::StringRef summary;
  /// The names that may follow the colon, the default first; empty: none may.
  llvm::ArrayRef<llvm::StringLiteral> chips = {};
  /// `chips` are examples: the target takes more and refuses unknown ones itself.
  bool checksChips = false;
  /// The chip of `chips` whose numbers hold for one that is not there: the nearest older one. Empty
  /// if there is none. The target takes all names that have one.
  llvm::StringRef (*getStandIn)(llvm::StringRef chip) = nullptr;
  TargetLimits limits = {};
  /// The device as JSON, the format that --target=@file reads.
  mlir::FailureOr<std::string> (*describe)(mlir::Location location, const TargetOptions &options);
  /// Element types that memory may have.
  bool (*hasElementType)(mlir::Type type);
  /// The machine that kernels are joined and scheduled for, as options of kernel-schedule:
  /// "machine=gpu", "traits=lanes=8,..."; none for the defaults. In a module for several chips, all
  /// share the kernels and schedules of the one that was named first.
  mlir::FailureOr<std::string> (*getMachine)(mlir::Location location, const TargetOptions &options);
  /// Reviews a `tkernel.kernel` with a legal schedule; null where schedules are not compared.
  /// Fails, with a diagnostic at the op, for an unknown chip.
  mlir::FailureOr<ScheduleReview> (*review)(mlir::Operation *kernel,
                                            const TargetOptions &options) = nullptr;
  /// Null where no chip's table has rates.
  std::optional<PeakRates> (*getPeakRates)(const TargetOptions &options) = nullptr;
  /// Adds the passes from tile form to what `compile` translates. Fails for an unknown chip.
  mlir::LogicalResult (*buildPipeline)(mlir::OpPassManager &passes, mlir::Location location,
                                       const TargetOptions &options);
  /// Compiles the `ttile.func`s of a module, which is not changed. The artefacts are in order of
  /// preference: a device takes the first whose format and features suit it. Never empty.
  mlir::FailureOr<llvm::SmallVector<Artefact>> (*compile)(mlir::ModuleOp module,
                                                          const TargetOptions &options);
  /// What tensor-translate can print of it.
  llvm::ArrayRef<EmitForm> forms = {};
  /// Matrix units and copies of a chip; null where no chip has any.
  const ChipInstructions &(*getInstructions)(llvm::StringRef chip) = nullptr;
};

/// All targets, in the order of their names, until another one is registered.
llvm::ArrayRef<const Target *> allTargets();
/// Adds a target of a program that embeds the compiler, which outlives all calls; of two with one
/// name the later one holds. Before anything compiles: the list has no lock.
void registerTarget(const Target &target);
/// The target of that name, or null.
const Target *findTarget(llvm::StringRef name);

/// The element types that memory may have, of those that tgraph knows: "f32, f64, i1".
std::string listElementTypes(mlir::MLIRContext *context, const Target &target);

/// The pass kernel-schedule with the options of a machine and those of `options`, as pipeline text.
std::string makeSchedulePass(llvm::StringRef machine, const TargetOptions &options);
/// The pass kernel-join likewise; empty where `options` ask for less.
std::string makeJoinPass(llvm::StringRef machine, const TargetOptions &options);
/// The pass kernel-inline-shared, which comes before all of these, likewise.
std::string makeInlinePass(llvm::StringRef machine, const TargetOptions &options);
/// The pass kernel-layout, which comes between the two, likewise.
std::string makeLayoutPass(llvm::StringRef machine, const TargetOptions &options);
/// The passes kernel-multiply-bytes and kernel-order-dimensions for what the chip's matrix units
/// multiply, and its threads; empty where sums keep their order, and of targets without chips.
std::string makeOrderPass(const Target &target, const TargetOptions &options);

/// Checks that memory has only element types of `target` and kernels at most 16 buffers; one error
/// per type that is missing, at the first op with it. For any stage from graph to tile form.
mlir::LogicalResult verifyForTarget(mlir::Operation *root, const Target &target);

/// A new module with clones of the `ttile.func`s of `module`.
mlir::OwningOpRef<mlir::ModuleOp> cloneKernels(mlir::ModuleOp module);

} // namespace tw
