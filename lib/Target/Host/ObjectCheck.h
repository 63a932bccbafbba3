// What an object file may contain before it is linked to a flat image.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace tw::host {

/// Reports one thing that the image cannot hold: the function it stands in ("" if none is known)
/// and the message (no code).
using ObjectProblem =
    llvm::function_ref<void(llvm::StringRef function, const std::string &message)>;

/// Checks an ELF object made with one section per function: no imports, no relocation but
/// pc-relative ones, no writable or thread-local data. Returns false after at least one report.
bool checkObject(llvm::StringRef object, ObjectProblem report);

} // namespace tw::host
