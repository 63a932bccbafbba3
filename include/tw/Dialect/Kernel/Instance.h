// Kernels whose sizes a call settles, at given sizes.
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::kernel {

/// The symbols that sizes of the kernel and of its tensors are made of, sorted by name.
llvm::SmallVector<mlir::StringAttr> getSymbols(KernelOp kernel);

/// The most that a symbol comes to: the least that dimensions and axes leave it whose size is the
/// symbol, a multiple of it, or a sum of such. Nothing where no size has it so.
std::optional<int64_t> getMost(KernelOp kernel, mlir::StringAttr symbol);

/// On a copy at some sizes: which axes have a size of a call in the kernel itself, by number. What
/// is proposed for the copy should be legal for that.
constexpr llvm::StringLiteral settledAttrName = "tkernel.settled";

/// Whether a call settles the size of the axis, here or in the kernel that this is a copy of.
bool isSettled(KernelOp kernel, unsigned axis);
/// Whether it settles the size of any axis.
bool isSettled(KernelOp kernel);

/// A copy of the kernel, beside nothing, with the sizes that these values of its symbols make. It
/// reads what the kernel reads, though types of that are still those of all sizes.
mlir::OwningOpRef<KernelOp> instantiate(KernelOp kernel,
                                        llvm::function_ref<int64_t(mlir::StringAttr)> valueOf);

/// The same for sizes of one symbol from `least` to `most`, the only ones that the copy is run at:
/// where these are one size, that takes the symbol's place.
mlir::OwningOpRef<KernelOp> narrow(KernelOp kernel, mlir::StringAttr symbol, int64_t least,
                                   int64_t most);

/// A schedule for sizes of one symbol from `least` to `most`, of the kernel narrowed to them. Names
/// are those that it knows values by, with the positions of their ops in the body. Or, where
/// several kernels do the same with less, the function that they are in: it takes what the kernel
/// reads and gives what that gives, narrowed.
struct Variant {
  mlir::StringAttr symbol;
  int64_t least, most;
  ScheduleAttr schedule = {};
  llvm::SmallVector<std::pair<unsigned, mlir::StringAttr>> names = {};
  mlir::FlatSymbolRefAttr apart = {};
};

/// Before schedules are chosen, on a joined kernel: an array of the variants that are functions.
constexpr llvm::StringLiteral apartAttrName = "tkernel.apart";
/// On a function of such parts: which symbols only say where something is in memory, an array, and
/// the least size of the one that has a range, a dictionary.
constexpr llvm::StringLiteral positionsAttrName = "tkernel.positions";
constexpr llvm::StringLiteral leastAttrName = "tkernel.least";

/// While schedules are chosen, on a kernel: numbers of large results that nothing in the call
/// reads.
constexpr llvm::StringLiteral leavingAttrName = "tkernel.leaving";
/// What is smaller may stay near until the next call.
constexpr int64_t kLeavingBytes = 1 << 20;

/// While kernels are joined and schedules are chosen, on a kernel: it runs in a loop, or is one of
/// many that read a constant, so that this constant has just been read.
constexpr llvm::StringLiteral repeatedAttrName = "tkernel.repeated";

/// While kernels are joined and schedules are chosen, on a load of an argument of the function that
/// one kernel reads: bytes of all else that a call takes, gives, and has of constants, as far as
/// sizes are fixed. Where caches have no room for so much, the argument comes from memory.
constexpr llvm::StringLiteral betweenAttrName = "tkernel.between";

/// Marks kernels of the block that have no schedule with what is known of where their data lie; and
/// takes these marks away from all.
void markMemory(mlir::Block &block);
void unmarkMemory(mlir::Block &block);

/// On a kernel: an array of its variants, of which a call takes the first that its sizes are in;
/// the kernel's own schedule is for those that are in none.
constexpr llvm::StringLiteral variantsAttrName = "tkernel.variants";

llvm::SmallVector<Variant> getVariants(KernelOp kernel,
                                       llvm::StringRef attrName = variantsAttrName);
void setVariants(KernelOp kernel, llvm::ArrayRef<Variant> variants,
                 llvm::StringRef attrName = variantsAttrName);

/// The kernel that a variant with a schedule is the schedule of.
mlir::OwningOpRef<KernelOp> makeVariant(KernelOp kernel, const Variant &variant);

} // namespace tw::kernel
