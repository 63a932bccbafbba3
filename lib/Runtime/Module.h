// An opened module: its bytes, its verified metadata, where its weights are.
#pragma once

#include "Instance.h"
#include "tw/Format/Module.h"

struct TwrtModule {
  tw::runtime::References references;
  TwrtInstance *instance;
  uint32_t flags = 0;
  /// The file, or -1 for a module from memory.
  int file = -1;
  /// The mapping of the file, to be unmapped; NULL for a module from memory.
  void *mapping = nullptr;
  size_t mappedBytes = 0;
  tw::format::Container container;
  /// A copy of the META section: what was verified cannot change under the runtime's hands.
  tw::runtime::Array<uint64_t> metadata;
  const tw::format::fb::Module *root = nullptr;
  tw::runtime::Text path, weightsFolder, description;
  int (*openFile)(void *, const char *) = nullptr;
  int (*findWeights)(void *, const char *, TwrtBytes *) = nullptr;
  void *weightsUser = nullptr;

  /// The DEBUG section, copied and checked when first asked for.
  mutable std::mutex debugMutex;
  mutable tw::runtime::Array<uint64_t> debug;
  mutable size_t debugBytes = 0;

  explicit TwrtModule(TwrtInstance *instance)
      : instance(instance), metadata(instance->allocator), path(instance->allocator),
        weightsFolder(instance->allocator), description(instance->allocator),
        debug(instance->allocator) {}
  ~TwrtModule();
};

namespace tw::runtime {

/// Writes the module's JSON description.
void describeModule(const TwrtModule &module, support::JsonWriter &json);

/// Opens a file that weights lie in; the caller closes it. Checks its length and identity.
TwrtCode openWeights(const TwrtModule &module, uint32_t file, int *descriptor, TwrtError *error);

/// The memory that the embedder supplies for a file. Checks its length.
TwrtCode findWeights(const TwrtModule &module, uint32_t file, TwrtBytes *bytes, TwrtError *error);

} // namespace tw::runtime
