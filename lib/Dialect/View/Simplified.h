// What maps were simplified to, and ranges of expressions, for all of a context.
#pragma once

#include "tw/Layout/Expr.h"

#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace tw::view {

/// Maps of a context by what they are simplified with, and expressions by the ranges of their dims:
/// kernels are copied for each list of a schedule that is priced, and have the same maps again. For
/// all threads.
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
    return known.get(key, make);
  }

  using Range = std::optional<layout::Range>;
  Range getRange(const Key &key, llvm::function_ref<Range()> make) const {
    return ranges.get(key, make);
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

  template <typename Value> class Known {
  public:
    Value get(const Key &key, llvm::function_ref<Value()> make) {
      {
        std::shared_lock lock(mutex);
        if (auto it = values.find(key); it != values.end())
          return it->second;
      }
      Value made = make();
      std::unique_lock lock(mutex);
      if (values.size() == kMost)
        values.clear();
      values.emplace(key, made);
      return made;
    }

  private:
    std::shared_mutex mutex;
    std::unordered_map<Key, Value, Hash> values;
  };

  mutable Known<const void *> known;
  mutable Known<Range> ranges;
};

} // namespace tw::view
