// What scheduling did to a kernel, as kernel-schedule leaves it on the kernel where it is asked to.
#pragma once

#include "tw/Schedule/Strategy.h"

#include <optional>

namespace tw::schedule {

/// The discardable attribute of a kernel that holds it.
inline constexpr llvm::StringLiteral recordAttrName = "record";

struct Record {
  /// What a file of schedules calls the kernel of the program: "gemm (m 64, n 128, k 32)".
  std::string kernel;
  /// Schedules made this one for that one.
  bool made = false;
  /// The program or a file gave the schedule.
  bool byHand = false;
  /// The whole list, as it was before it rewrote the kernel and made others.
  kernel::ScheduleAttr schedule;
  /// What the strategy proposed, best first. Names of values are on the values.
  llvm::SmallVector<Candidate> candidates;
};

/// What became of two kernels that might be one, or of the order of tensors between kernels.
struct JoinRecord {
  /// As getFullName has them: the one that takes, and what it takes or stands beside; the one for
  /// which tensors are reordered, and their types now.
  std::string kernel, other;
  /// "joined"; "kept" where the other's results are results of the whole, too; "recomputed" where
  /// all that read the other compute it; "refused"; "reordered".
  std::string verdict;
  /// Why it was refused, unless the price says it.
  std::string reason = {};
  /// Prices in cycles of all kernels by themselves, and as one; before tensors are reordered and
  /// after; 0 where nobody asked.
  double apart = 0, whole = 0;
};

/// The attribute of the program that holds them.
inline constexpr llvm::StringLiteral joinsAttrName = "tkernel.joins";

void setJoins(mlir::Operation *program, llvm::ArrayRef<JoinRecord> joins);

/// None where there is no record, or where text has another one.
llvm::SmallVector<JoinRecord> getJoins(mlir::Operation *program);

/// What a function keeps in memory, and how it came to fit that where there is a limit.
struct MemoryRecord {
  std::string function;
  /// Largest live sets, in bytes, before and after, and cycles of all kernels before; 0 without a
  /// limit, where nothing is priced.
  int64_t before = 0, after = 0;
  double cycles = 0;
  /// A kernel as getFullName has it, the bytes that it makes, and the cycles that it takes.
  struct Entry {
    std::string kernel;
    int64_t bytes = 0;
    double cycles = 0;
  };
  /// What runs once more, in order, and what is kept across the largest live set, the largest
  /// first, of which only the first ones are told.
  llvm::SmallVector<Entry, 0> again, kept;
  /// Values that are kept, and their bytes.
  int64_t keptValues = 0, keptBytes = 0;
};

/// The attribute of the program that holds them.
inline constexpr llvm::StringLiteral memoryAttrName = "tkernel.memory";

void setMemory(mlir::Operation *program, llvm::ArrayRef<MemoryRecord> records);

/// None where there is no record, or where text has another one.
llvm::SmallVector<MemoryRecord> getMemory(mlir::Operation *program);

/// "gemm (m 64, n 128, k 32)": the hint and the axes.
std::string getFullName(kernel::KernelOp kernel);

void setRecord(kernel::KernelOp kernel, const Record &record);

/// Nothing where there is no record, or where text has another one.
std::optional<Record> getRecord(kernel::KernelOp kernel);

} // namespace tw::schedule
