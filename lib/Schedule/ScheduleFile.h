// Schedules written by hand, in a file beside the program.
//
// A file holds an attribute as MLIR reads it, comments included: one schedule, for a program of one
// kernel,
//
//   #tkernel.schedule<[split n = [no, nr 32], grid [m], order [no, k], tile [nr]]>
//
// or several by kernel; a name may be followed by the axes with their extents, which tells kernels
// of one name apart:
//
//   {matmul = #tkernel.schedule<[...]>, "conv (n 1, c 64)" = #tkernel.schedule<[...]>}
#pragma once

#include "tw/Dialect/Kernel/Kernel.h"

namespace tw::schedule {

class ScheduleFile {
public:
  /// Reads the file for the kernels below `root`. Errors are diagnostics.
  static mlir::FailureOr<ScheduleFile> read(llvm::StringRef path, mlir::Operation *root);

  /// The schedule for the kernel; null if the file has none. Fails, with a diagnostic, if its axes
  /// are not the kernel's.
  mlir::FailureOr<kernel::ScheduleAttr> find(kernel::KernelOp kernel);

private:
  mlir::LogicalResult checkNames(mlir::Operation *root);

  std::string path;
  /// For the only kernel, or null.
  kernel::ScheduleAttr one;
  mlir::DictionaryAttr several;
};

} // namespace tw::schedule
