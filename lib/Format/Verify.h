// What the parts of the metadata verifier share.
#pragma once

#include "tw/Format/Module.h"

namespace tw::format {

struct VerifyContext {
  const Container &container;
  std::span<const uint8_t> metadata;
  const fb::Module *root;
  Error &error;
  /// Bytes of metadata that may still be visited. Every element visited costs at least what it
  /// takes in the file, so only tables that are shared, to blow up the work, can exhaust it.
  uint64_t budget;
  /// The module says that it uses what minor version 4 added.
  bool hasFeatures14 = false;

  /// Place in the file of something inside the metadata.
  uint64_t place(const void *inside) const {
    return container.section(0).offset +
           uint64_t(static_cast<const uint8_t *>(inside) - metadata.data());
  }

  [[nodiscard]] bool charge(const void *inside, uint64_t bytes) {
    if (bytes > budget)
      return fail(error, "META", place(inside),
                  "tables are shared: the metadata stands for more "
                  "than its size");
    budget -= bytes;
    return true;
  }
};

#define TW_META_FAIL(context, inside, ...)                                                         \
  ::tw::format::fail((context).error, "META", (context).place(inside), __VA_ARGS__)

/// Length of an optional vector.
template <typename T> uint32_t length(const flatbuffers::Vector<T> *vector) {
  return vector ? vector->size() : 0;
}

/// FlatBuffers' own verifier aligns a vector's length but not its elements.
template <typename T>
bool verifyAligned(VerifyContext &context, const flatbuffers::Vector<T> *vector) {
  if (length(vector) && reinterpret_cast<uintptr_t>(vector->Data()) % 8 != 0)
    return TW_META_FAIL(context, vector, "a vector of 64-bit numbers is not aligned");
  return true;
}

inline bool isPowerOfTwo(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

/// Least bytes that a table with two fields takes.
inline constexpr uint64_t tableBytes = 12;
/// The most that data may ask for.
inline constexpr uint32_t maxAlignment = 1u << 16;

/// Fails where a module uses `what` without saying so: earlier runtimes would pass over it.
inline bool requireFeatures(VerifyContext &context, const void *inside, const char *what) {
  return context.hasFeatures14 || TW_META_FAIL(context, inside,
                                               "%s needs a section FEATURES_1_4, which the module "
                                               "has not",
                                               what);
}

/// Checks rank, element type, dimensions and that static sizes do not overflow. Symbols, or what
/// `of` says, are allowed up to `symbolCount`.
bool verifyType(VerifyContext &context, const fb::TensorType *type, uint32_t symbolCount,
                const char *what, const char *of = "symbols");

/// Symbols, arguments and results of a function.
bool verifySignature(VerifyContext &context, const fb::Function *function);

/// Checks that intervals with a place that are alive together are disjoint. Every place is known to
/// lie inside its slab; `constants` has, for the register of its size, the index of a literal plus
/// one.
bool verifyArena(VerifyContext &context, const fb::Program *program, const uint32_t *constants);

/// With its initializer, if it has one.
bool verifyProgram(VerifyContext &context, const fb::Function *function,
                   const fb::Program *program);

} // namespace tw::format
