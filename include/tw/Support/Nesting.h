// What texts must not hold that parsers cannot refuse themselves: levels without end, and arrays
// whose elements have no width.
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tw {

/// The most levels of a text: readers, verifiers and printers that go down into each hold them on a
/// stack of 8 MB.
inline constexpr unsigned maxNesting = 500;

/// Where an MLIR or JSON text first goes deeper than `maxNesting`. Levels are open brackets, the
/// operators of an expression in brackets up to where it ends or a comma stands, and what an alias
/// stands for. Linear in the text, and uses no stack.
std::optional<size_t> findDeepNesting(llvm::StringRef text);

/// Where `array<` is followed by a type that is no integer and no float, which MLIR's parser takes
/// the width of unasked.
std::optional<size_t> findBadArray(llvm::StringRef text);

/// An error (T0513, T0514) at such a place of `path` if there is one; JSON's readers word it
/// themselves.
llvm::LogicalResult checkNesting(mlir::MLIRContext *context, llvm::StringRef text,
                                 llvm::StringRef path);

} // namespace tw
