// An instruction set as the host target sees it: what its folder fills in, and nobody else names.
#pragma once

#include "Cpus.h"
#include "DotEmitter.h"

#include "llvm/Support/CodeGen.h"

#include <optional>

namespace tw::host {

using FeatureNames = llvm::ArrayRef<llvm::StringLiteral>;

/// The vector registers of CPUs with the features `needs`.
struct VectorRegisters {
  FeatureNames needs;
  int64_t bytes, count;
  /// Masks have registers of their own.
  bool hasMaskRegisters;
  /// The row of the table for CPUs with such registers that have none: the least of them all.
  llvm::StringLiteral careful;
};

/// The elements of a group whose products one lane sums, by the field of HostTraits that says
/// whether code is made of them.
enum class DotKind {
  BF16,  ///< bf16Dot: 2 of bf16, into f32
  Int8,  ///< int8Dot: 4 of 8 bits, into i32
  Int16, ///< int16Dot: 4 of 8 bits as two times 2 of 16 bits, into i32
};

/// Dot products that code is made of: an instruction, or a few where signs need it.
struct DotProducts {
  /// As the option `dots` of tile-to-vector names it; one instruction set has the name.
  llvm::StringLiteral name;
  DotKind kind;
  FeatureNames needs;
  /// Lanes of 32 bits of the widest vector that it takes; 4, 8 and 16 are asked for.
  unsigned maxLanes;
  /// `sum` and the products of two groups in each lane. Integers are exact (modulo 2^32) for all
  /// signs; bf16 is summed in f32, where denormals may count as 0.
  mlir::Value (*emit)(DotEmitter &emitter, const PackedGroups &lhs, const PackedGroups &rhs,
                      mlir::Value sum);
  /// Of bf16: what the names of the intrinsics that `emit` calls begin with, which leave no
  /// denormals, and `sums` as bf16 in one instruction that needs that; null if there is none for
  /// such vectors.
  llvm::StringLiteral intrinsic = "";
  mlir::Value (*truncateSums)(mlir::OpBuilder &builder, mlir::Location location,
                              mlir::Value sums) = nullptr;
};

/// Of memory to which nothing but sums of a unit of bf16 and zeros are stored: the dot products of
/// that kind, by name, which leave no denormals, as the unit does.
inline constexpr llvm::StringLiteral sumsAttrName = "host.sums";

/// What a register of a matrix unit holds: no rows where nothing.
struct BlockShape {
  int64_t rows = 0, bytes = 0;
};

/// A unit that multiplies blocks of matrices in registers of its own, by their numbers: a result of
/// `rows` x `columns` elements of 32 bits, a left operand of `rows` x `groups` groups of 32 bits,
/// and a right one of `groups` x `columns` groups; all of them may be smaller.
struct MatrixUnit {
  /// As the option `units` of host-form-blocks names it.
  llvm::StringLiteral name;
  /// What its groups are, and the sums of them: as the dot products of that kind.
  DotKind kind;
  FeatureNames needs;
  /// Whether the operating system lets this process use it, which asks for that; null: it need not
  /// be asked.
  bool (*isGranted)();
  int64_t rows, columns, groups, registers;
  /// Gives the registers shapes, and loses what they hold, by `memory` of `configBytes`, a pointer
  /// to it; and ends the use of the unit.
  int64_t configBytes;
  void (*configure)(mlir::OpBuilder &builder, mlir::Location location,
                    llvm::ArrayRef<BlockShape> shapes, mlir::Value memory);
  void (*release)(mlir::OpBuilder &builder, mlir::Location location);
  void (*zero)(mlir::OpBuilder &builder, mlir::Location location, int64_t number);
  /// Of rows that begin at `pointer` and lie `stride` bytes (an i64) apart.
  void (*load)(mlir::OpBuilder &builder, mlir::Location location, int64_t number,
               mlir::Value pointer, mlir::Value stride);
  void (*store)(mlir::OpBuilder &builder, mlir::Location location, int64_t number,
                mlir::Value pointer, mlir::Value stride);
  /// Adds the product to `sum`.
  void (*multiply)(mlir::OpBuilder &builder, mlir::Location location, int64_t lhs, int64_t rhs,
                   int64_t sum, bool lhsUnsigned, bool rhsUnsigned);
};

/// Every field is plain data or a function without state. The folder of an instruction set defines
/// `get<Folder>InstructionSet` and enters it by tw_add_instruction_set(<Folder>).
struct InstructionSet {
  /// In options of passes and for people.
  llvm::StringLiteral name, summary;
  /// LLVM's triple, a CPU that LLVM knows, to ask for others with, and the code model.
  llvm::StringLiteral triple, someCpu;
  std::optional<llvm::CodeModel::Model> codeModel = std::nullopt;
  /// A CPU name of ours, empty for none: LLVM's `someCpu` with `anyFeatures`.
  llvm::StringLiteral anyCpu = "", anyFeatures = "";
  /// Extensions that code may use and that the runtime's loader checks, by LLVM's names; those that
  /// it does not check, and that are always off; and those that every CPU must have.
  FeatureNames checked, refused, baseline;
  /// The baseline in words.
  llvm::StringLiteral level;
  /// A feature of all its code by which loaders of other instruction sets refuse it, where the
  /// baseline is not enough.
  llvm::StringLiteral always = "";
  /// The widest first; the last one needs nothing.
  llvm::ArrayRef<VectorRegisters> vectors;
  /// What computes can read an operand from memory itself.
  bool hasMemoryOperands;
  /// All of its CPUs run what is ready of the next hundreds of instructions: to put them in order
  /// after register allocation gains nothing.
  bool isReordered = false;
  /// The best of each kind first; empty: none.
  llvm::ArrayRef<DotProducts> dots = {};
  /// At most one of a kind.
  llvm::ArrayRef<MatrixUnit> units = {};
  llvm::ArrayRef<Cpu> cpus;
  /// For the list of targets.
  FeatureNames exampleCpus;
  /// ELF's number of the machine, and whether its relocations of a type are settled by the linker
  /// wherever the image will lie; images start at pages.
  uint16_t elfMachine;
  bool (*isPcRelative)(uint32_t relocation);
  /// The value of an elementary function, where special instructions make it faster than arithmetic
  /// does, with the bounds on the error of expand-math; null where they do not.
  mlir::Value (*emitFunction)(mlir::Operation *function) = nullptr;

  /// Those of a CPU with `features`, sorted.
  const VectorRegisters &getVectors(llvm::ArrayRef<std::string> features) const;
  /// The best dot products of a kind for a CPU with `features`, sorted; null if it has none.
  const DotProducts *findDots(DotKind kind, llvm::ArrayRef<std::string> features) const;
  /// The matrix unit for them; null if it has none.
  const MatrixUnit *findUnit(DotKind kind, llvm::ArrayRef<std::string> features) const;
};

/// All of them, in the order of their folders in CMakeLists.txt.
llvm::ArrayRef<const InstructionSet *> allInstructionSets();

/// The one with that name or that machine number, or that this process runs on; null if there is
/// none.
const InstructionSet *findInstructionSet(llvm::StringRef name);
const InstructionSet *findInstructionSetOfMachine(uint16_t elfMachine);
const InstructionSet *findNativeInstructionSet();

/// What to call a machine that LLVM takes for `model` by its number and that has `features`
/// ("+fma,-sha"). A virtual machine may show the number of a CPU that lacks what it has: then it
/// is the CPU of the table that has all of the extensions that matter, and the fewest others.
std::string nameMachine(const InstructionSet &set, llvm::StringRef model, llvm::StringRef features);

/// Names of the dot products of all sets, and those with a name; null if there are none.
llvm::SmallVector<llvm::StringRef> getDotNames();
const DotProducts *findDots(llvm::StringRef name);

/// The same of matrix units.
llvm::SmallVector<llvm::StringRef> getUnitNames();
const MatrixUnit *findUnit(llvm::StringRef name);

} // namespace tw::host
