// GPU-shaped targets: what distinguishes one from another, and their common lowering to threads.
#pragma once

#include "tw/Target/Common/GpuMachine.h"
#include "tw/Target/Target.h"

#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace mlir::gpu {
class GPUFuncOp;
} // namespace mlir::gpu

namespace tw::tile {
class AllocOp;
class FuncOp;
} // namespace tw::tile

namespace tw {

/// Threads of the subgroups by which a tile program counts its warps. On wider ones it runs on
/// fewer.
inline constexpr int64_t nominalSubgroup = 32;

/// What the lowering of tiles to threads must know of a target.
struct GpuTraits {
  /// Threads of a warp; a power of two. Without shuffles it is a number only.
  int64_t subgroup = 32;
  /// Whether threads of a subgroup exchange registers (`gpu.shuffle xor`).
  bool shuffles = false;
  /// The widest access of one thread in bytes; 0: scalars only. An access has at most 16 elements.
  int64_t vectorBytes = 16;
  /// Vectors in bytes of the one thread that runs a program without `warps`, whose kernel the
  /// target has made before (buildTileToThreads); 0: a subgroup runs it, like others.
  int64_t loneVectorBytes = 0;
  /// Local memory that one program may have.
  int64_t localBytes = 32768;
  /// Threads that one program may have.
  int64_t maxThreads = 1024;
  /// Whether a driver may run a program of independent threads as several groups.
  bool dividesGroups = false;
  /// Those whose instructions (Instructions.h) may be used; empty: none.
  llvm::StringRef target = {}, chip = {};
  /// Whether the chip converts f16 and bf16 from and to f32 by instructions.
  bool convertsF16 = false, convertsBF16 = false;
  /// Operations that the target has instructions or functions for where `afn` allows them, as the
  /// option `native` of expand-math.
  llvm::ArrayRef<llvm::StringLiteral> native = {};

  /// "cuda:sm_80"
  std::string getChip() const {
    return target.empty() ? std::string() : (target + ":" + chip).str();
  }
};

/// Elements of so many bytes in the longest vector that a thread accesses; languages have no longer
/// ones than of 16.
constexpr int64_t getMaxVectorElements(int64_t vectorBytes, int64_t elementBytes) {
  return std::clamp<int64_t>(vectorBytes / elementBytes, 1, 16);
}

/// Adds the passes from tile form (a module of `ttile.func`) to thread form, canonicalized: one
/// `gpu.module @kernels` with one kernel per `ttile.func`, of the same name and in the same order.
/// A program without `warps` runs on one; where one thread is to run it (`loneVectorBytes`), the
/// target has put its kernel there before, at the beginning of the module.
///
/// Thread form. The arguments of a `gpu.func` are its buffers, inputs first, as flat memrefs of
/// static size and signless integers, f32 or f64 (i1 and ui8 as i8, narrow floats as integers) in
/// the global space; local memory is workgroup attributions of the same form. Attributes:
/// `known_block_size`, `tw.programs`, `tw.num_outputs`, `tw.warps`. Bodies: scf, arith (of i1 what
/// `expand-booleans` leaves of it), what `expand-math` leaves of math, memref.load and store,
/// vector.load and store of 2 or 4 elements or more (with `alignment`, of at most `vectorBytes`)
/// where that allows them, vector.from_elements, extract and broadcast, in kernels of one thread
/// that the target has made arith and math on vectors, vector.shuffle, interleave, bitcast,
/// reductions of truth values, maskedload and maskedstore; gpu.thread_id x, block_id x and y,
/// grid_dim x, barrier, and shuffle xor of i32. A launch is 1-D groups of `known_block_size[0]`
/// threads; the number of the program is block_id x, and above 65,535 programs block_id x +
/// block_id y * grid_dim x, in which case groups beyond `tw.programs` do nothing.
///
/// With `dividesGroups`, programs of more than one thread without local memory, barriers and
/// shuffles have the attribute `tw.divisible`: a launch may give them groups of any divisor of
/// `known_block_size[0]` threads, as many along z as make up a program. The number of the thread in
/// the program is then block_id z * block_dim x + thread_id x.
void buildTileToThreads(mlir::OpPassManager &passes, const GpuTraits &traits);

/// The first of those passes: layouts are assigned, and values that threads exchange have their
/// place in local memory.
void buildTileToExchanges(mlir::OpPassManager &passes, const GpuTraits &traits);

/// What all of them say of themselves: one strategy.
/// For a device of which nothing is known, and for one with these numbers.
mlir::FailureOr<std::string> getGpuMachine(mlir::Location, const TargetOptions &);
/// With chips of the same target that share its schedules: of matrix units it has those that all of
/// them have.
std::string getGpuMachine(const schedule::GpuMachine &machine, const GpuTraits &traits,
                          llvm::ArrayRef<std::string> others = {});

/// The price of the kernel's schedule on a device with these numbers.
ScheduleReview reviewGpuSchedule(mlir::Operation *kernel, const schedule::GpuMachine &machine,
                                 const GpuTraits &traits);

/// What a target says of a chip (Target::describe): {"target": "amd", "chip": "gfx942", "subgroup":
/// 64, "vectorBytes": 16, "loneVectorBytes": 0, "localBytes": 65536, "maxThreads": 1024}, and of
/// one whose numbers are known these as "machine": {"processors": {"value": 304, "unit":
/// "processors"}, ...}.
std::string describeGpu(llvm::StringRef target, llvm::StringRef chip, const GpuTraits &traits,
                        const schedule::GpuMachine &machine = {});

/// What the address of a buffer in local memory is a multiple of: what the widest access of a
/// thread needs.
inline constexpr uint64_t localAlignment = 16;

/// The same of an allocation: that of the pattern in which runs trade places.
uint64_t getLocalAlignment(tile::AllocOp alloc);
uint64_t getLocalAlignment(mlir::gpu::GPUFuncOp kernel, unsigned attribution);

/// Bytes of a buffer in local memory, filled up to the alignment, and of all those of a tile
/// program whose exchanges are expanded, or of a kernel in thread form, one behind the other.
uint64_t getLocalBytes(mlir::MemRefType buffer);
uint64_t getLocalBytes(tile::FuncOp program);
uint64_t getLocalBytes(mlir::gpu::GPUFuncOp kernel);

/// Threads of a tile program whose layouts are assigned, those that only load with them.
int64_t countThreads(tile::FuncOp program, const GpuTraits &traits);

/// What a driver must know of a kernel in thread form.
ArtefactEntry makeEntry(mlir::gpu::GPUFuncOp kernel, const GpuTraits &traits);

/// Registers it as the pipeline `build-threads`, with the traits as options.
void registerGpuPipelines();

/// Names of attributes of a kernel in thread form.
inline constexpr llvm::StringLiteral programsAttribute = "tw.programs";
inline constexpr llvm::StringLiteral numOutputsAttribute = "tw.num_outputs";
inline constexpr llvm::StringLiteral warpsAttribute = "tw.warps";
/// Matrix units that multiply in it, and where others would have been taken, why these.
inline constexpr llvm::StringLiteral unitsAttribute = "tw.units";
/// Maps of tensors that it takes behind its scalars (`!llvm.ptr`, each by value), as dictionaries:
/// `binding`, and as format::TensorMap has them `element`, `extents`, `box`, `swizzle`, but
/// `strides` in elements.
inline constexpr llvm::StringLiteral mapsAttribute = "tw.maps";
inline constexpr llvm::StringLiteral divisibleAttribute = "tw.divisible";

} // namespace tw
