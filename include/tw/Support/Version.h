// The version of the compiler, as printed by the tools and stored in modules.
#pragma once

namespace tw {

/// Semantic version of the compiler, "major.minor.patch".
const char *version();

} // namespace tw
