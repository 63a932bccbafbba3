// The in-process linker: objects in, flat image out.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include "tw/Target/Host/Image.h"

#include <string>

namespace tw::host {

/// Links `objects`, in their order, and fills `image`'s bytes, textOffset and entries (one per name
/// in `kernels`). On failure returns false and sets `error` (lower case, no code).
bool linkFlat(llvm::ArrayRef<llvm::StringRef> objects, llvm::ArrayRef<std::string> kernels,
              Image &image, std::string &error);

} // namespace tw::host
