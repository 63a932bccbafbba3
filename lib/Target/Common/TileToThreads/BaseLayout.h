// The choice of a component's base layout.
#pragma once

#include "Components.h"

#include "tw/Layout/Expr.h"

namespace tw::threads {

/// What a layout is made for.
struct ThreadShape {
  int64_t lanes, warps;
  /// The widest access of a thread in bytes, 0 for one element.
  int64_t vectorBytes;
};

/// An access of a tile: how it goes through memory.
struct AccessShape {
  mlir::Operation *op = nullptr;
  mlir::Value tile;
  bool isLocal = false;
  /// Through tiles of indices.
  bool isGather = false;
  /// By how many elements the address grows along each dimension of the tile, where that is one
  /// number; 0 along dimensions of extent 1.
  llvm::SmallVector<std::optional<int64_t>> strides;
  /// The widest aligned access along each dimension, in elements.
  Shape widths;
  /// Bytes over the run of the program.
  int64_t weight = 0;
  /// The element of memory, where that is known: over the tile's dimensions and then the indices,
  /// of which `point` has values. How often the access runs.
  std::optional<layout::Expr> address;
  std::vector<int64_t> point;
  int64_t runs = 1;
};

/// Nothing if the op is no access.
std::optional<AccessShape> describeAccess(mlir::Operation *op, int64_t vectorBytes);

/// The base layout for tiles inside `frame` that these accesses and ops use.
layout::TileLayout chooseLayout(llvm::ArrayRef<int64_t> frame, llvm::ArrayRef<AccessShape> accesses,
                                llvm::ArrayRef<mlir::Value> tiles, const ThreadShape &threads);

/// Sectors of 32 bytes, the least that caches fetch (NVIDIA, Nsight Compute documentation,
/// "Sector"), that a subgroup asks for over the run of the program, access by access: as all of
/// them do on average where they are few, since rows begin at different places of a sector, and
/// else as the first ones do. Each counts as `least` or more.
int64_t countSectors(const layout::TileLayout &base, const AccessShape &access, int64_t least);

/// A layout of its own for an access of global memory, where threads with a layout of the frame ask
/// for `leastGain` times as many sectors or more: through local memory each element is stored and
/// loaded once more, and threads meet twice.
std::optional<layout::TileLayout> findRowLayout(const AccessShape &access,
                                                const layout::TileLayout &base,
                                                const ThreadShape &threads, int64_t leastGain);

/// Whether each thread has neighbours along the dimension, each subgroup those of its lanes in
/// order, and subgroups lie in order, so that a scan goes from one to the next.
bool isScannable(const layout::TileLayout &layout, unsigned dim);

/// Such a layout, for a tile whose base is none.
layout::TileLayout chooseScanLayout(llvm::ArrayRef<int64_t> shape, unsigned dim,
                                    const ThreadShape &threads);

/// The slice of a base for a tile.
layout::TileLayout sliceFor(const layout::TileLayout &base, llvm::ArrayRef<int64_t> shape);

} // namespace tw::threads
