// Windows over spatial dimensions: the attributes that convolutions and pools share.
#pragma once

#include "NodeImport.h"

namespace tw::onnx {

/// One entry per spatial dimension.
struct Spatial {
  Shape kernel, strides, dilations, low, high;
  Shape rounded; ///< how much of `high` is there only because windows are rounded up
  size_t rank() const { return kernel.size(); }
};

/// Whether the attribute's values are `count` numbers of `least` or more; reports if not.
bool checkEntries(NodeImport &n, llvm::StringRef name, ShapeRef values, size_t count,
                  int64_t least);

/// The attribute auto_pad: NOTSET, SAME_UPPER, SAME_LOWER or VALID.
llvm::StringRef readAutoPad(NodeImport &n);

/// Reads kernel_shape (or takes `kernel`), strides, dilations, pads and auto_pad for an input
/// [N, C, spatial...]; reports and returns nothing if they do not fit. `roundUp` as of ceil_mode:
/// pads at the end so that a last, partial window counts.
std::optional<Spatial> readSpatial(NodeImport &n, Value x, ShapeRef kernel, bool roundUp);

/// The same without looking at auto_pad and the input: for transposed convolutions.
std::optional<Spatial> readSpatialAttributes(NodeImport &n, size_t rank, ShapeRef kernel);

/// How many windows lie in `extent` elements of spatial dimension `dim` and its pads.
int64_t countWindows(const Spatial &s, size_t dim, int64_t extent);

} // namespace tw::onnx
