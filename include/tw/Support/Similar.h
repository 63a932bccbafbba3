// The name that someone may have meant who wrote an unknown one.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tw {

/// The name in `known` nearest to `name`, the first of equals; empty if none is near: at most a
/// third of its letters, and at least one, may differ.
llvm::StringRef findSimilar(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);

/// What to append to "unknown target 'cudaa'": "; did you mean 'cuda'? Known are ...", the first
/// part only if a name is near.
std::string listKnown(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);

} // namespace tw
