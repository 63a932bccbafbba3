// Element types of the IR and those of Format/ElementTypes.def: from one to the other.
//===---------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>
#include <optional>

namespace tw::format {
enum class ElementType : uint8_t;
} // namespace tw::format

namespace tw {

/// The element type that an IR type is; none for `index` and for what the list lacks. Integers that
/// are not unsigned are signed, and those of one bit are bools.
std::optional<format::ElementType> getElement(mlir::Type type);

/// The IR's type; null for complex numbers, which the IR's tensors do not have.
mlir::Type getElementType(mlir::MLIRContext *context, format::ElementType element);

/// Whether tensors of the IR may have such elements, written exactly as `getElementType` gives
/// them.
bool isElementType(mlir::Type type);

/// Whether there is a C++ type that holds such elements.
bool isHeld(mlir::Type elementType);

/// Whether such elements are floats of less than 32 bits that are held: formats of storage, widened
/// to f32 to compute with.
bool isNarrowFloat(mlir::Type elementType);

/// False for floats whose largest number is followed by NaN.
bool hasInfinities(mlir::Type elementType);

} // namespace tw
