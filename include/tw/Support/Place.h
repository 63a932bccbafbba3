// Where a diagnostic is, as a user can look it up.
#pragma once

#include "mlir/IR/Location.h"

#include <string>

namespace tw {

/// The parts of a location that a user can act on; empty or 0 where there is none.
struct Place {
  std::string file;
  /// Of a text; from 1.
  unsigned line = 0, column = 0;
  /// The node of a model, which is a part of a binary file.
  std::string node;
};

Place getPlace(mlir::Location location);

/// The line of `text` at the place with a caret below the column, both ended by line breaks; of a
/// long line what is near. Empty if the place is none of a text.
std::string quote(const Place &place, llvm::StringRef text);

/// The same from the place's file, if that can be read.
std::string quoteFile(const Place &place);

} // namespace tw
