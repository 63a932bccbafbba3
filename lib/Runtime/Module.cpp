// Modules: opening, verifying, questions about their contents.
#include "Module.h"

#include <cinttypes>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tw::runtime;
using tw::format::Container;

template <>
inline constexpr uint32_t tw::knownSizes<TwrtModuleOptions>[] = {
    offsetof(TwrtModuleOptions, findWeights), sizeof(TwrtModuleOptions)};

TwrtModule::~TwrtModule() {
  if (mapping)
    munmap(mapping, mappedBytes);
  if (file >= 0)
    close(file);
}

static TwrtCode readOptions(const TwrtModuleOptions *given, TwrtModuleOptions &options,
                            TwrtError *error) {
  TWRT_TRY(checkSize(given, "TwrtModuleOptions", error));
  if (given)
    options = tw::readSized(*given);
  constexpr uint32_t known = TWRT_MODULE_ALLOW_NATIVE | TWRT_MODULE_CHECK_WEIGHTS |
                             TWRT_MODULE_COPY_WEIGHTS | TWRT_MODULE_FOLLOW_LINKS;
  if (options.flags & ~known)
    return fail(error, TWRT_INVALID_ARGUMENT, "unknown module flags 0x%x", options.flags & ~known);
  return TWRT_OK;
}

/// Copies `bytes` to memory aligned for FlatBuffers.
static bool copyAligned(std::span<const uint8_t> bytes, Array<uint64_t> &to) {
  if (!to.reset((bytes.size() + 7) / 8))
    return false;
  if (!bytes.empty())
    memcpy(to.data(), bytes.data(), bytes.size());
  return true;
}

static std::span<const uint8_t> asBytes(const Array<uint64_t> &words, size_t bytes) {
  return {reinterpret_cast<const uint8_t *>(words.data()), bytes};
}

/// Verifies `bytes` and fills what every module has.
static TwrtCode verify(TwrtModule &module, std::span<const uint8_t> bytes,
                       const TwrtModuleOptions &options, TwrtError *error) {
  tw::format::Error reason;
  if (!Container::open(bytes, module.container, reason))
    return failModule(error, module.path.c_str(), reason);
  std::span<const uint8_t> section = module.container.sectionBytes(0);
  if (!copyAligned(section, module.metadata))
    return failMemory(error, "a module's metadata");
  if (!tw::format::verifyModule(module.container, asBytes(module.metadata, section.size()),
                                module.root, reason))
    return failModule(error, module.path.c_str(), reason);
  module.flags = options.flags;
  module.openFile = options.openFile;
  module.findWeights = options.findWeights;
  module.weightsUser = options.user;
  if (options.weightsFolder)
    module.weightsFolder.append(options.weightsFolder);
  else if (size_t slash = module.path.view().rfind('/'); slash != std::string_view::npos)
    module.weightsFolder.append(module.path.view().substr(0, slash + 1));
  else
    module.weightsFolder.append(".");
  auto sink = [](void *user, std::string_view piece) { static_cast<Text *>(user)->append(piece); };
  tw::support::JsonWriter json(sink, &module.description);
  describeModule(module, json);
  if (module.weightsFolder.failed() || module.description.failed())
    return failMemory(error, "a module's description");
  return TWRT_OK;
}

static TwrtCode mapModule(TwrtModule &module, const char *path, std::span<const uint8_t> &bytes,
                          TwrtError *error) {
  module.path.append(path);
  if (module.path.failed())
    return failMemory(error, "a module");
  // A pipe that nobody writes to is refused, not waited for.
  module.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (module.file < 0)
    return failSystem(error, "open", errno, "cannot open module %.200s", path);
  struct stat status;
  if (fstat(module.file, &status) != 0)
    return failSystem(error, "fstat", errno, "cannot open module %.200s", path);
  if (!S_ISREG(status.st_mode))
    return fail(error, TWRT_IO_ERROR, "cannot open module %.200s: not a regular file", path);
  if (status.st_size == 0)
    return TWRT_OK;
  module.mappedBytes = size_t(status.st_size);
  void *mapping = mmap(nullptr, module.mappedBytes, PROT_READ, MAP_PRIVATE, module.file, 0);
  if (mapping == MAP_FAILED)
    return failSystem(error, "mmap", errno, "cannot map module %.200s", path);
  module.mapping = mapping;
  bytes = {static_cast<const uint8_t *>(mapping), module.mappedBytes};
  return TWRT_OK;
}

/// Makes a module of what `obtain` finds.
template <typename Obtain>
static TwrtCode makeModule(TwrtInstance *instance, const char *path, const TwrtModuleOptions *given,
                           TwrtModule **module, TwrtError *error, Obtain obtain) {
  TWRT_TRY(checkNotNull(instance, "instance", error));
  TWRT_TRY(checkNotNull(module, "module", error));
  TwrtModuleOptions options = {};
  TWRT_TRY(readOptions(given, options, error));
  TwrtModule *made = create<TwrtModule>(instance->allocator, instance);
  if (!made)
    return failMemory(error, "a module");
  std::span<const uint8_t> bytes;
  uint64_t beginNs = now();
  TwrtCode code = obtain(*made, bytes);
  if (code == TWRT_OK)
    code = verify(*made, bytes, options, error);
  instance->context.trace.write(TWRT_EVENT_OPEN_MODULE, path, "", beginNs, now(), bytes.size(),
                                code);
  if (code != TWRT_OK) {
    destroy(instance->allocator, made);
    return code;
  }
  instance->references.retain();
  *module = made;
  return TWRT_OK;
}

TwrtCode twrtModuleOpen(TwrtInstance *instance, const char *path, const TwrtModuleOptions *options,
                        TwrtModule **module, TwrtError *error) {
  TWRT_TRY(checkNotNull(path, "path", error));
  return makeModule(instance, path, options, module, error,
                    [&](TwrtModule &made, std::span<const uint8_t> &bytes) {
                      return mapModule(made, path, bytes, error);
                    });
}

TwrtCode twrtModuleFromMemory(TwrtInstance *instance, TwrtBytes bytes,
                              const TwrtModuleOptions *options, TwrtModule **module,
                              TwrtError *error) {
  if (bytes.size)
    TWRT_TRY(checkNotNull(bytes.data, "bytes", error));
  return makeModule(instance, "", options, module, error,
                    [&](TwrtModule &, std::span<const uint8_t> &found) {
                      found = {static_cast<const uint8_t *>(bytes.data), bytes.size};
                      return TWRT_OK;
                    });
}

void twrtModuleRelease(TwrtModule *module) {
  if (!module || !module->references.release())
    return;
  TwrtInstance *instance = module->instance;
  destroy(instance->allocator, module);
  twrtInstanceRelease(instance);
}

static TwrtString asString(const flatbuffers::String *string) {
  return string ? TwrtString{string->c_str(), string->size()} : TwrtString{"", 0};
}

TwrtString twrtModuleDescription(const TwrtModule *module) {
  if (!module)
    return {"", 0};
  return {module->description.view().data(), module->description.view().size()};
}

size_t twrtModuleFunctionCount(const TwrtModule *module) {
  return module ? module->root->functions()->size() : 0;
}

TwrtString twrtModuleFunctionName(const TwrtModule *module, size_t function) {
  if (function >= twrtModuleFunctionCount(module))
    return {"", 0};
  return asString(module->root->functions()->Get(uint32_t(function))->name());
}

size_t twrtModuleKernelCount(const TwrtModule *module) {
  return module && module->root->kernels() ? module->root->kernels()->size() : 0;
}

TwrtString twrtModuleKernelName(const TwrtModule *module, size_t kernel) {
  if (kernel >= twrtModuleKernelCount(module))
    return {"", 0};
  return asString(module->root->kernels()->Get(uint32_t(kernel))->name());
}

uint64_t twrtModuleKernelLeastCycles(const TwrtModule *module, size_t kernel) {
  return kernel < twrtModuleKernelCount(module)
             ? module->root->kernels()->Get(uint32_t(kernel))->least_cycles()
             : 0;
}

size_t twrtModuleFileCount(const TwrtModule *module) {
  return module && module->root->files() ? module->root->files()->size() : 0;
}

TwrtString twrtModuleFilePath(const TwrtModule *module, size_t file) {
  if (file >= twrtModuleFileCount(module))
    return {"", 0};
  return asString(module->root->files()->Get(uint32_t(file))->path());
}

/// Copies and checks the DEBUG section unless that was done; debugMutex is held.
static TwrtCode readDebug(const TwrtModule &module, TwrtError *error) {
  if (module.debugBytes)
    return TWRT_OK;
  for (uint32_t i = 0; i < module.container.sectionCount(); ++i) {
    if (module.container.section(i).kind != uint32_t(tw::format::SectionKind::Debug))
      continue;
    tw::format::Error reason;
    std::span<const uint8_t> bytes = module.container.sectionBytes(i);
    if (!module.container.checkDigest(i, reason))
      return failModule(error, module.path.c_str(), reason);
    if (!copyAligned(bytes, module.debug))
      return failMemory(error, "the kernels' sources");
    if (!tw::format::verifyDebug(asBytes(module.debug, bytes.size()), reason))
      return failModule(error, module.path.c_str(), reason);
    module.debugBytes = bytes.size();
    return TWRT_OK;
  }
  return fail(error, TWRT_NOT_FOUND, "the module has no DEBUG section");
}

TwrtCode twrtModuleKernelSource(const TwrtModule *module, size_t kernel, TwrtString *source,
                                TwrtError *error) {
  TWRT_TRY(checkNotNull(module, "module", error));
  TWRT_TRY(checkNotNull(source, "source", error));
  if (kernel >= twrtModuleKernelCount(module))
    return fail(error, TWRT_INVALID_ARGUMENT, "kernel %zu of %zu", kernel,
                twrtModuleKernelCount(module));
  std::lock_guard lock(module->debugMutex);
  TWRT_TRY(readDebug(*module, error));
  auto text =
      tw::format::findKernelSource(asBytes(module->debug, module->debugBytes), uint32_t(kernel));
  if (!text)
    return fail(error, TWRT_NOT_FOUND, "the module has no source of kernel %zu", kernel);
  *source = {text->data(), text->size()};
  return TWRT_OK;
}
