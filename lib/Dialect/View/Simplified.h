// What maps were simplified to, for all of a context.
#pragma once

#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace tw::view {

/// Maps of a context by what they are simplified with: kernels are copied for each list of a
/// schedule that is priced, and have the same maps again. For all threads.
class Simplified : public mlir::DialectInterface::Base<Simplified> {
public:
  explicit Simplified(mlir::Dialect *dialect) : Base(dialect) {}

  /// A map, the type of its fills, and extents, with something between those of two kinds.
  struct Key {
    const void *map, *fillType;
    llvm::SmallVector<int64_t, 12> extents;
    bool operator==(const Key &other) const {
      return map == other.map && fillType == other.fillType && extents == other.extents;
    }
  };

  /// What `make` gives, asked for once.
  const void *get(const Key &key, llvm::function_ref<const void *()> make) const {
    {
      std::shared_lock lock(mutex);
      if (auto it = known.find(key); it != known.end())
        return it->second;
    }
    const void *made = make();
    std::unique_lock lock(mutex);
    if (known.size() == kMost)
      known.clear();
    known.emplace(key, made);
    return made;
  }

private:
  /// So many take some megabytes.
  static constexpr size_t kMost = 1 << 16;

  struct Hash {
    size_t operator()(const Key &key) const {
      return llvm::hash_combine(key.map, key.fillType,
                                llvm::hash_combine_range(key.extents.begin(), key.extents.end()));
    }
  };

  mutable std::shared_mutex mutex;
  mutable std::unordered_map<Key, const void *, Hash> known;
};

} // namespace tw::view
