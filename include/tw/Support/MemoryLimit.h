// What one call may take of memory, and how work that takes much at once asks for it.
#pragma once

#include "mlir/IR/Action.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdint>

namespace tw {

/// A number of bytes by which the process may grow from when this is made. What counts is memory
/// that is the process's own and in use by the system's books: no mapped files, and nothing that an
/// allocator had before and gives out again. Any thread.
class MemoryLimit {
public:
  /// None: nothing is ever beyond it.
  MemoryLimit() = default;
  /// 0 is none.
  explicit MemoryLimit(uint64_t bytes);

  bool isSet() const { return most != 0; }
  uint64_t getBytes() const { return most; }
  /// Bytes that were taken since.
  uint64_t getTaken() const;

private:
  uint64_t most = 0, before = 0;
};

/// Something that is about to allocate a number of bytes, as an action of MLIR: a handler of the
/// context's actions may refuse it, which it reports at the location.
class AllocationAction : public mlir::tracing::ActionImpl<AllocationAction> {
public:
  AllocationAction(llvm::ArrayRef<mlir::IRUnit> units, mlir::Location location, uint64_t bytes)
      : ActionImpl(units), location(location), bytes(bytes) {}
  static constexpr llvm::StringLiteral tag = "tw-allocation";
  static constexpr llvm::StringLiteral desc =
      "Allocates memory that depends on the program's sizes";

  mlir::Location getLocation() const { return location; }
  uint64_t getBytes() const { return bytes; }

private:
  mlir::Location location;
  uint64_t bytes;
};

/// Whether so much memory may be allocated; if not, that is reported at the location.
bool mayAllocate(mlir::Location location, uint64_t bytes);

} // namespace tw
