// Code of kernels kept between compilations.
//
// One file for each kernel, named by the digest of its key: the tile program without its name, the
// CPU, the options and the build of the compiler. The key stands whole in the file. Whatever does
// not match, or cannot be read or written, is a miss, never an error. What was not used for longest
// is removed beyond the limit of the cache (Support/CacheLimit.h).
#pragma once

#include "tw/Dialect/Tile/Tile.h"
#include "tw/Target/Host/Image.h"
#include "tw/Target/Target.h"

#include <optional>

namespace tw::host {

/// What is kept of a kernel.
struct CachedKernel {
  KernelObject object;
  CodeCounts counts;
};

class KernelCache {
public:
  /// Without a folder, or in a program without a build id, nothing is kept. `context` is all that
  /// code depends on besides the kernel.
  KernelCache(llvm::StringRef folder, const llvm::Twine &context);

  struct Key {
    /// The function's name in the object, the same for equal kernels.
    std::string symbol;
    std::string text;
  };
  Key getKey(tile::FuncOp kernel) const;

  std::optional<CachedKernel> find(const Key &key) const;
  /// Gives the bytes that were written for it. Several threads may store at a time.
  uint64_t store(const Key &key, const KernelObject &object, const CodeCounts &counts) const;
  /// To be called after bytes were stored.
  void keepWithinLimit(uint64_t stored) const;

private:
  std::string folder, context;

  std::string getPath(const Key &key) const;
};

} // namespace tw::host
