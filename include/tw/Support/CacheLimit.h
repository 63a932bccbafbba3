// Keeps a folder of the cache below its limit, by removing what was not used for longest.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tw {

/// Bytes of TENSORWRIGHT_CACHE_SIZE, a number that K, M or G may follow; 0: no limit. Without the
/// variable 1 GiB. None: it is no such number.
std::optional<uint64_t> getCacheLimit();

/// Marks an entry as used now; to the hour, so that hits rarely write.
void markUsed(llvm::StringRef path);

/// To be called after `bytes` were written into the folder's entries, files that end in `ending`.
/// Each sixteenth of the limit the folder is looked through, by one process at a time, and what
/// makes it larger than the rest of the limit is removed, with scratch files that were left behind.
/// Whoever reads an entry that is removed keeps it. What cannot be done is left.
void keepWithinLimit(llvm::StringRef folder, llvm::StringRef ending, uint64_t bytes);

} // namespace tw
