// Programs: picking code for a device and loading it.
#include "Program.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <unistd.h>

using namespace tw::runtime;
using namespace tw::format;

TwrtProgram::TwrtProgram(TwrtModule *module, TwrtDevice *device)
    : module(module), device(device), executables(module->instance->allocator),
      kernels(module->instance->allocator), constants(module->instance->allocator),
      memories(module->instance->allocator), mappedSources(module->instance->allocator),
      mappedFiles(module->instance->allocator) {
  module->references.retain();
  retainDevice(device);
}

TwrtProgram::~TwrtProgram() {
  for (OwnedMemory &owned : memories)
    freeMemory(*device, &owned.memory, owned.counted);
  for (int file : mappedFiles)
    if (file >= 0)
      close(file);
  for (void *executable : executables)
    if (executable)
      device->driver->unload(device->handle, executable);
}

uint64_t tw::runtime::typeBytes(const fb::TensorType *type) {
  uint64_t bytes = 0;
  return computeTypeBytes(*type, bytes) ? bytes : 0;
}

static TwrtCode pickFunction(TwrtProgram &program, const char *name, TwrtError *error) {
  const auto &functions = *program.module->root->functions();
  if (!name && functions.size() == 1) {
    program.function = functions.Get(0);
    return TWRT_OK;
  }
  std::string_view wanted = name ? name : "main";
  for (const fb::Function *function : functions)
    if (function->name()->string_view() == wanted) {
      program.function = function;
      return TWRT_OK;
    }
  return fail(error, TWRT_NOT_FOUND, "the module has no function '%.80s'; its first is '%.80s'",
              wanted.data(), functions.Get(0)->name()->c_str());
}

static TwrtCode pickProgram(TwrtProgram &program, TwrtError *error) {
  const DeviceInfo &info = program.device->info;
  std::string_view missing;
  for (const fb::Program *candidate : *program.function->programs())
    if (hasWords(info.target, candidate->target()->string_view(), missing)) {
      program.program = candidate;
      return TWRT_OK;
    }
  char targets[200] = "";
  size_t length = 0;
  for (const fb::Program *candidate : *program.function->programs())
    if (length < sizeof(targets) - 1)
      length += size_t(snprintf(targets + length, sizeof(targets) - length, "%s%.40s",
                                length ? ", " : "", candidate->target()->c_str()));
  return fail(error, TWRT_UNSUPPORTED,
              "the module has no program for device %s (target %s); it has: %s",
              program.device->slot->uri, info.target, targets);
}

static TwrtCode load(TwrtProgram &program, const char *function, TwrtError *error) {
  TWRT_TRY(pickFunction(program, function, error));
  TWRT_TRY(pickProgram(program, error));
  const fb::Module *root = program.module->root;
  if (!program.executables.reset(program.module->container.sectionCount()) ||
      !program.kernels.reset(root->kernels() ? root->kernels()->size() : 0))
    return failMemory(error, "a program");
  program.isInitialized = !program.program->initializer();
  TWRT_TRY(loadKernels(program, error));
  return loadConstants(program, error);
}

TwrtCode twrtProgramCreate(TwrtModule *module, const char *function, TwrtDevice *const *devices,
                           size_t deviceCount, TwrtProgram **program, TwrtError *error) {
  TWRT_TRY(checkNotNull(module, "module", error));
  TWRT_TRY(checkNotNull(program, "program", error));
  if (deviceCount != 1)
    return fail(error, TWRT_UNSUPPORTED, "%zu devices; programs of this release run on one",
                deviceCount);
  TWRT_TRY(checkNotNull(devices, "devices", error));
  TWRT_TRY(checkNotNull(devices[0], "device", error));
  if (devices[0]->instance != module->instance)
    return fail(error, TWRT_INVALID_ARGUMENT, "the device and the module are of two instances");
  TwrtProgram *made = create<TwrtProgram>(module->instance->allocator, module, devices[0]);
  if (!made)
    return failMemory(error, "a program");
  uint64_t beginNs = now();
  TwrtCode code = load(*made, function, error);
  const flatbuffers::String *name = made->function ? made->function->name() : nullptr;
  module->instance->context.trace.write(TWRT_EVENT_LOAD, name ? name->string_view() : "",
                                        devices[0]->slot->uri, beginNs, now(), 0, code);
  if (code != TWRT_OK) {
    twrtProgramRelease(made);
    return code;
  }
  *program = made;
  return TWRT_OK;
}

void twrtProgramRelease(TwrtProgram *program) {
  if (!program || !program->references.release())
    return;
  TwrtModule *module = program->module;
  TwrtDevice *device = program->device;
  destroy(module->instance->allocator, program);
  twrtDeviceRelease(device);
  twrtModuleRelease(module);
}

size_t twrtProgramArgumentCount(const TwrtProgram *program) {
  return program && program->function->arguments() ? program->function->arguments()->size() : 0;
}

size_t twrtProgramResultCount(const TwrtProgram *program) {
  return program ? countVisibleResults(*program->function) : 0;
}

template <>
inline constexpr uint32_t tw::knownSizes<TwrtValueInfo>[] = {
    offsetof(TwrtValueInfo, step), offsetof(TwrtValueInfo, storage),
    offsetof(TwrtValueInfo, assumed), sizeof(TwrtValueInfo)};

/// Little-endian hosts hold vectors of scalars as plain arrays.
static const int64_t *dimsOf(const fb::TensorType *type) {
  return type && type->dims() && type->dims()->size() ? type->dims()->data() : nullptr;
}

static void fillInfo(const fb::TensorType *type, const flatbuffers::String *name,
                     uint32_t alignment, double step, uint32_t counted,
                     const fb::Argument *argument, TwrtValueInfo *info) {
  tw::writeSized(*info, {0,
                         type->element(),
                         type->dims() ? type->dims()->size() : 0,
                         alignment,
                         dimsOf(type),
                         {name->c_str(), name->size()},
                         step,
                         argument ? dimsOf(argument->storage()) : nullptr,
                         argument ? argument->aliases_result() : -1,
                         counted,
                         argument && argument->assumed() && argument->assumed()->size()
                             ? argument->assumed()->data()
                             : nullptr});
}

/// Bit d: the elements along dimension d are counted.
static uint32_t countedDims(const fb::Result *result) {
  uint32_t counted = 0;
  for (uint32_t d = 0; result->counts() && d < result->counts()->size(); ++d)
    if (result->counts()->Get(d) >= 0)
      counted |= uint32_t(1) << d;
  return counted;
}

static TwrtCode checkInfo(const TwrtProgram *program, size_t index, size_t count,
                          const TwrtValueInfo *info, TwrtError *error) {
  TWRT_TRY(checkNotNull(program, "program", error));
  TWRT_TRY(checkNotNull(info, "info", error));
  TWRT_TRY(checkSize(info, "TwrtValueInfo", error));
  if (index >= count)
    return fail(error, TWRT_INVALID_ARGUMENT, "value %zu of %zu", index, count);
  return TWRT_OK;
}

TwrtCode twrtProgramArgument(const TwrtProgram *program, size_t index, TwrtValueInfo *info,
                             TwrtError *error) {
  TWRT_TRY(checkInfo(program, index, twrtProgramArgumentCount(program), info, error));
  const fb::Argument *argument = program->function->arguments()->Get(uint32_t(index));
  fillInfo(argument->type(), argument->name(),
           std::max(argument->alignment(), program->device->info.offsetAlignment), 0, 0, argument,
           info);
  return TWRT_OK;
}

TwrtCode twrtProgramResult(const TwrtProgram *program, size_t index, TwrtValueInfo *info,
                           TwrtError *error) {
  TWRT_TRY(checkInfo(program, index, twrtProgramResultCount(program), info, error));
  const fb::Result *result = program->function->results()->Get(uint32_t(index));
  fillInfo(result->type(), result->name(), std::max(64u, program->device->info.offsetAlignment),
           result->step(), countedDims(result), nullptr, info);
  return TWRT_OK;
}

size_t twrtProgramSymbolCount(const TwrtProgram *program) {
  return program && program->function->symbols() ? program->function->symbols()->size() : 0;
}

TwrtCode twrtProgramSymbol(const TwrtProgram *program, size_t index, TwrtSymbolInfo *info,
                           TwrtError *error) {
  TWRT_TRY(checkNotNull(program, "program", error));
  TWRT_TRY(checkNotNull(info, "info", error));
  TWRT_TRY(checkSize(info, "TwrtSymbolInfo", error));
  if (index >= twrtProgramSymbolCount(program))
    return fail(error, TWRT_INVALID_ARGUMENT, "symbol %zu of %zu", index,
                twrtProgramSymbolCount(program));
  const fb::Symbol *symbol = program->function->symbols()->Get(uint32_t(index));
  tw::writeSized(*info, {0,
                         symbol->equation() != 0,
                         symbol->late(),
                         0,
                         symbol->min(),
                         symbol->max(),
                         symbol->multiple(),
                         {symbol->name()->c_str(), symbol->name()->size()}});
  return TWRT_OK;
}
