// Which build of the compiler this is.
#pragma once

#include <string>

namespace tw {

/// The linker's build id, in hexadecimal, of the program or library that holds this code: another
/// one after every change. Empty where it has none.
std::string getBuildId();

} // namespace tw
